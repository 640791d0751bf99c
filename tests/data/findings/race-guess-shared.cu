// A sum of floats by compare and swap, read without a barrier: not every thread has added to it yet.
//@ buffer x float[128] = i
//@ buffer out float[1]
//@ launch add<<<1, 128>>>(x, out)
extern "C" __global__ void add(const float *x, float *out)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    int old = sum, seen;
    do {
        seen = old;
        old = atomicCAS(&sum, seen, __float_as_int(x[threadIdx.x] + __int_as_float(seen)));
    } while (old != seen);
    if (threadIdx.x == 0)
        *out = __int_as_float(sum);
}
