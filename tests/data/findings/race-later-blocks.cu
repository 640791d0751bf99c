// A thread tells another one of its block something in a word that all blocks use: no barrier would help.
//@ buffer word int[1]
//@ buffer out int[4]
//@ launch tell<<<4, 64>>>(word, out)
extern "C" __global__ void tell(int *word, int *out)
{
    if (threadIdx.x == 0)
        *word = 7;
    if (threadIdx.x == 32)
        out[blockIdx.x] = *word;
}
