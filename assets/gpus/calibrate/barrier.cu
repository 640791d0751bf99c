// One block meets at barriers: what __syncthreads() costs, and what each further warp adds.
//@ param  warps = 1
//@ param  n = 10
//@ launch meet<<<1, warps * 32>>>(n)
extern "C" __global__ void meet(int n)
{
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < 32; j++)
            __syncthreads();
    }
}
