// Reads doubles in an order that is shuffled within runs of 2048.
//@ param   n = 1 << 21
//@ buffer  x     double[n] = i % 101
//@ buffer  order int[n] = (i / 2048 * 2048) + (hash(i) & 2047)
//@ buffer  y     double[n]
//@ launch  gather<<<n / 128, 128>>>(x, order, y)
extern "C" __global__ void gather(const double *__restrict__ x,
                                  const int *__restrict__ order,
                                  double *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[order[i]];
}
