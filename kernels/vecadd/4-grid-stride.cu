// A grid that just fills the GPU walks over the arrays: each thread
// steps ahead by the number of all threads, so neighbours still read
// neighbours. The condition of the loop is the bounds check.
//@ title   Grid stride
//@ why     Each thread does many elements: fewer blocks to start, and
//@ why     several loads in flight per thread.
//@ launch  vecadd_grid_stride<<<sm_count * 8, 256>>>(a, b, c, n)
//@ owner   c <<<i / 256 % (sm_count * 8), i % 256>>>
extern "C" __global__ void
vecadd_grid_stride(const double *__restrict__ a,
                   const double *__restrict__ b, double *__restrict__ c,
                   int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        c[i] = a[i] + b[i];
}
