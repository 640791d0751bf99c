// Past the end of a row there are zeros.
//@ title   Row in registers
//@ launch  softmaxRegisters<<<rows, 256>>>(in, out, cols)
#include <math.h>

// The greatest of all threads, or their sum, known to each of them.
__device__ float greatest(float mine, float *shared)
{
    for (int half = 16; half > 0; half /= 2)
        mine = fmaxf(mine, __shfl_xor_sync(0xffffffff, mine, half));
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = mine;
    __syncthreads();
    for (int w = 0; w < 8; w++)
        mine = fmaxf(mine, shared[w]);
    __syncthreads(); // before the next use of `shared`
    return mine;
}

__device__ float total(float mine, float *shared)
{
    for (int half = 16; half > 0; half /= 2)
        mine += __shfl_xor_sync(0xffffffff, mine, half);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = 0;
    for (int w = 0; w < 8; w++)
        mine += shared[w];
    __syncthreads(); // before the next use of `shared`
    return mine;
}

extern "C" __global__ void
softmaxRegisters(const float *__restrict__ in, float *__restrict__ out,
                 int cols)
{
    __shared__ float shared[8];
    const float4 *from =
        (const float4 *)(in + (long long)blockIdx.x * cols);
    float4 *to = (float4 *)(out + (long long)blockIdx.x * cols);
    int tid = threadIdx.x, fours = cols / 4;

    float4 x[8];
    float most = -INFINITY, sum = 0;
#pragma unroll
    for (int r = 0; r < 8; r++) {
        // Past the end exp gives 0, which changes no sum.
        x[r] = tid + 256 * r < fours ? from[tid + 256 * r]
                                     : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int r = 0; r < 8; r++)
        most = fmaxf(
            most, fmaxf(fmaxf(x[r].x, x[r].y), fmaxf(x[r].z, x[r].w)));
    most = greatest(most, shared);
#pragma unroll
    for (int r = 0; r < 8; r++) {
        x[r].x = __expf(x[r].x - most);
        x[r].y = __expf(x[r].y - most);
        x[r].z = __expf(x[r].z - most);
        x[r].w = __expf(x[r].w - most);
        sum += x[r].x + x[r].y + x[r].z + x[r].w;
    }
    float scale = 1 / total(sum, shared);
#pragma unroll
    for (int r = 0; r < 8; r++)
        if (tid + 256 * r < fours)
            to[tid + 256 * r] =
                make_float4(x[r].x * scale, x[r].y * scale,
                            x[r].z * scale, x[r].w * scale);
}
