// y[k] = a[k] y[k - 1] + b[k] along each channel of a state-space model,
// by a scan of the pairs (a, b): two elements to a thread, shuffles in a
// warp, then the ends of the warps. y starts at 0.
//@ param   channels = 720
//@ param   steps = 2048
//@ buffer  a float[channels * steps] = 0.5 + hash(i) % 500 * 0.001
//@ buffer  b float[channels * steps] = hash(i + 1) % 100 * 0.01
//@ buffer  y float[channels * steps]
//@ launch  recurrence<<<channels, 512>>>(a, b, y, steps)
struct Map {
    float a, b;
};

__device__ __forceinline__ Map after(Map first, Map second)
{
    return {first.a * second.a, second.a * first.b + second.b};
}

__global__ void recurrence(const float *a, const float *b, float *y,
                           int steps)
{
    __shared__ Map ends[16];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    size_t row = (size_t)blockIdx.x * steps;
    float carry = 0.0f;

    for (int base = 0; base < steps; base += 1024) {
        size_t at = row + base + 2 * threadIdx.x;
        float2 va = *(const float2 *)(a + at);
        float2 vb = *(const float2 *)(b + at);
        Map first = {va.x, vb.x}, second = {va.y, vb.y};
        Map sum = after(first, second);
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            Map before = {__shfl_up_sync(0xffffffff, sum.a, d),
                          __shfl_up_sync(0xffffffff, sum.b, d)};
            if (lane >= d)
                sum = after(before, sum);
        }
        if (lane == 31)
            ends[warp] = sum;
        __syncthreads();

        Map prefix = {1.0f, carry};
        for (int k = 0; k < warp; k++)
            prefix = after(prefix, ends[k]);
        float total = carry;
        for (int k = 0; k < 16; k++)
            total = ends[k].a * total + ends[k].b;

        Map left = {__shfl_up_sync(0xffffffff, sum.a, 1),
                    __shfl_up_sync(0xffffffff, sum.b, 1)};
        float in = lane == 0 ? prefix.b : left.a * prefix.b + left.b;
        float2 out;
        out.x = va.x * in + vb.x;
        out.y = va.y * out.x + vb.y;
        *(float2 *)(y + at) = out;
        carry = total;
        __syncthreads();
    }
}
