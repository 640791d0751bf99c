// How often each value of red, green and blue occurs in a picture with large plain areas; 768 counters in shared memory.
//@ param   n = 1 << 22
//@ buffer  pixel unsigned[n] = hash(i / 40) & 0x7f3f1f | hash(i) & 0x030303
//@ buffer  count unsigned[768] = 0
//@ launch  colours<<<528, 256>>>(pixel, count, n)
__global__ void colours(const uchar4 *pixel, unsigned *count, int n)
{
    __shared__ unsigned local[3][256];
    for (int c = 0; c < 3; c++)
        local[c][threadIdx.x] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 p = pixel[i];
        atomicAdd(&local[0][p.x], 1u);
        atomicAdd(&local[1][p.y], 1u);
        atomicAdd(&local[2][p.z], 1u);
    }
    __syncthreads();

    for (int c = 0; c < 3; c++)
        if (local[c][threadIdx.x] > 0)
            atomicAdd(&count[c * 256 + threadIdx.x], local[c][threadIdx.x]);
}
