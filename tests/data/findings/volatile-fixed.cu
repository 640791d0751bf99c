// Warps of a block and blocks of a grid that talk through volatile flags and atomics are left in peace.
//@ buffer flag int[1] = 0
//@ buffer out  int[4]
//@ launch signal<<<4, 32>>>(flag, out)
extern "C" __global__ void signal(volatile int *flag, int *out)
{
    if (threadIdx.x == 0)
        atomicMax((int *)flag, (int)blockIdx.x);
    __syncwarp();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *flag >= 0;
}
