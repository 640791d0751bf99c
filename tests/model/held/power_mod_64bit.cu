// Powers modulo a 31-bit prime, in 64-bit arithmetic.
//@ param   n = 1 << 18
//@ buffer  base   unsigned[n] = hash(i) >> 1
//@ buffer  result unsigned[n]
//@ launch  power<<<n / 256, 256>>>(base, result, 65537, 2147483629)
extern "C" __global__ void power(const unsigned *base, unsigned *result,
                                 unsigned exponent,
                                 unsigned long long prime)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long square = base[i] % prime, product = 1;
    for (unsigned e = exponent + (i & 255); e > 0; e >>= 1) {
        if (e & 1)
            product = product * square % prime;
        square = square * square % prime;
    }
    result[i] = (unsigned)product;
}
