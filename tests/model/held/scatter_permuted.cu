// Writes each element to the place that a permutation gives it.
//@ param   n = 1 << 21
//@ buffer  x     int[n] = i
//@ buffer  place int[n] = i * 1664525 & (n - 1)
//@ buffer  y     int[n]
//@ launch  scatter<<<n / 256, 256>>>(x, place, y)
extern "C" __global__ void scatter(const int *x, const int *place,
                                   int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[place[i]] = x[i];
}
