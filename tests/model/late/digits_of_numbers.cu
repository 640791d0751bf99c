// The sum of the decimal digits of each number: a loop of a length that
// differs from lane to lane.
//@ param   n = 1048576
//@ buffer  in  unsigned[n] = hash(i)
//@ buffer  out unsigned[n]
//@ launch  digits<<<n / 128, 128>>>(in, out, n)
extern "C" __global__ void digits(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned left = in[i] >> (i % 29), sum = 0;
    while (left) {
        sum += left % 10;
        left /= 10;
    }
    out[i] = sum;
}
