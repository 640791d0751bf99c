// Each block has a word of its own, and a barrier.
//@ buffer word int[4]
//@ buffer out int[4]
//@ launch tell<<<4, 64>>>(word, out)
extern "C" __global__ void tell(int *word, int *out)
{
    if (threadIdx.x == 0)
        word[blockIdx.x] = 7;
    __syncthreads();
    if (threadIdx.x == 32)
        out[blockIdx.x] = word[blockIdx.x];
}
