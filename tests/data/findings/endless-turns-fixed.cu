// Two warps that take turns.
//@ buffer out int[1] = 0
//@ launch turns<<<1, 64>>>(out)
extern "C" __global__ void turns(int *out)
{
    __shared__ volatile int turn;
    if (threadIdx.x == 0)
        turn = 0;
    __syncthreads();
    for (int i = 0; i < 8; i++) {
        while (turn % 2 != threadIdx.x / 32)
            ;
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            turn = turn + 1;
        __syncwarp();
    }
    if (threadIdx.x == 32)
        *out = turn;
}
