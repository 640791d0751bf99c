// y = a * x + y on 20 blocks, too few for the multiprocessors.
//@ param   n = 1 << 20
//@ buffer  x float[n] = i % 7
//@ buffer  y float[n] = i % 3
//@ launch  saxpy<<<20, 512>>>(x, y, 1.5, n)
extern "C" __global__ void saxpy(const float *x, float *y, float a,
                                 int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
