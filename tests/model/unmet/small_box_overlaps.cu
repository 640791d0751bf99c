// Which of 1024 boxes that a detector found overlap by more than half: the bit matrix
// from which the weaker ones of each pair are dropped later. A block of 64 threads
// compares 64 boxes with 64 others in shared memory; only pairs with rising numbers
// matter, so blocks below the diagonal just clear.
//@ param   boxes = 1024
//@ buffer  box float4[boxes] = {hash(i) % 500, hash(i + 1) % 500,
//@             hash(i) % 500 + 20 + hash(i + 2) % 100,
//@             hash(i + 1) % 500 + 20 + hash(i + 3) % 90}
//@ buffer  overlaps unsigned long long[boxes * boxes / 64]
//@ launch  compare<<<dim3(boxes / 64, boxes / 64), 64>>>(box, overlaps)
__global__ void compare(const float4 *box, unsigned long long *overlaps)
{
    __shared__ float4 others[64];
    int row = blockIdx.y * 64 + threadIdx.x;
    unsigned long long bits = 0;
    if (blockIdx.x >= blockIdx.y) {
        others[threadIdx.x] = box[blockIdx.x * 64 + threadIdx.x];
        __syncthreads();

        float4 own = box[row];
        float own_area = (own.z - own.x) * (own.w - own.y);
        int first = blockIdx.x == blockIdx.y ? threadIdx.x + 1 : 0;
        for (int k = first; k < 64; k++) {
            float4 other = others[k];
            float wide = fmaxf(fminf(own.z, other.z) - fmaxf(own.x, other.x), 0.0f);
            float high = fmaxf(fminf(own.w, other.w) - fmaxf(own.y, other.y), 0.0f);
            float common = wide * high;
            float area = (other.z - other.x) * (other.w - other.y);
            if (common > 0.5f * (own_area + area - common))
                bits |= 1ull << k;
        }
    }
    overlaps[row * gridDim.x + blockIdx.x] = bits;
}
