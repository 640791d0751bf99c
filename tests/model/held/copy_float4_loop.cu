// Copies 16 bytes at a time; the grid is fixed and its threads stride.
//@ param   n = 3 << 20
//@ buffer  from float4[n] = i % 1000
//@ buffer  to   float4[n]
//@ launch  copy<<<1056, 256>>>(from, to, n)
extern "C" __global__ void copy(const float4 *__restrict__ from,
                                float4 *__restrict__ to, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += stride)
        to[i] = from[i];
}
