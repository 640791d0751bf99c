// Nobody asks for more than it has.
//@ buffer index int[64] = i
//@ buffer out   int[64]
//@ launch look<<<1, 64>>>(index, out)
__constant__ int table[40] = { 1, 2, 3 };
extern "C" __global__ void look(const int *index, int *out)
{
    out[threadIdx.x] = table[index[threadIdx.x] % 40];
}
