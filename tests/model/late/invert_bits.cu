// Turns the bits of each word around, over 8 M words, with a loop over
// the grid.
//@ param   n = 8388608
//@ buffer  in  unsigned[n] = i
//@ buffer  out unsigned[n]
//@ launch  invert<<<528, 512>>>(in, out, n)
extern "C" __global__ void invert(const unsigned *in, unsigned *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        out[i] = __brev(in[i]) ^ (unsigned)i;
}
