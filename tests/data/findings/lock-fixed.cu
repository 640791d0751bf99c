// A lock in global and one in shared memory: who takes it sees what was done before it was given back.
//@ buffer lock int[1] = 0
//@ buffer total int[1] = 0
//@ buffer out int[4]
//@ launch tally<<<4, 128>>>(lock, total, out)
extern "C" __global__ void tally(int *lock, int *total, int *out)
{
    __shared__ int own, count;
    if (threadIdx.x == 0)
        own = count = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&own, 0, 1) != 0) {
        }
        __threadfence_block();
        count = count + 1;
        __threadfence_block();
        atomicExch(&own, 0);
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        total[0] = total[0] + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}
