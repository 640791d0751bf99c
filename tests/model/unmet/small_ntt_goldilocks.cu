// Transforms polynomials of 256 coefficients over the field of 2^64 - 2^32 + 1, as proof
// systems do: a block of 128 threads for each, in shared memory, with the powers of a
// root of unity that the block computes itself. Inputs are in order and outputs in bit-
// reversed order.
//@ param   polynomials = 230
//@ buffer  coefficients unsigned long long[polynomials * 256] = (
//@             hash(i) * 1000003 + hash(i + 1))
//@ launch  transform<<<polynomials, 128>>>(coefficients)
typedef unsigned long long u64;
const u64 modulus = 0xffffffff00000001ull;
const u64 root_of_256 = 0xbf79143ce60ca966ull;

__device__ u64 add(u64 a, u64 b)
{
    u64 sum = a + b;
    bool over = sum < a;
    return over || sum >= modulus ? sum - modulus : sum;
}

__device__ u64 subtract(u64 a, u64 b)
{
    return a >= b ? a - b : a + (modulus - b);
}

// 2^64 is 2^32 - 1 here, and 2^96 is -1.
__device__ u64 multiply(u64 a, u64 b)
{
    u64 low = a * b, high = __umul64hi(a, b);
    u64 middle = high & 0xffffffffu, top = high >> 32;
    u64 less = low >= top ? low - top : low + (modulus - top);
    return add(less >= modulus ? less - modulus : less, (middle << 32) - middle);
}

__global__ void transform(u64 *coefficients)
{
    __shared__ u64 value[256];
    __shared__ u64 power[128];

    int t = threadIdx.x;
    u64 *own = coefficients + blockIdx.x * 256;
    value[t] = own[t] % modulus;
    value[t + 128] = own[t + 128] % modulus;

    u64 square = root_of_256, result = 1;
    for (int bit = 0; bit < 7; bit++) {
        if (t >> bit & 1)
            result = multiply(result, square);
        square = multiply(square, square);
    }
    power[t] = result;
    __syncthreads();

    for (int half = 128; half > 0; half /= 2) {
        int within = t & (half - 1);
        int low = 2 * (t - within) + within;
        u64 a = value[low], b = value[low + half];
        value[low] = add(a, b);
        value[low + half] = multiply(subtract(a, b), power[within * (128 / half)]);
        __syncthreads();
    }
    own[t] = value[t];
    own[t + 128] = value[t + 128];
}
