// A sweep of a magnet of 1600 x 1600 spins by Metropolis: first the black
// fields of the board, then the white ones, each with a random number.
//@ param   n = 1600
//@ buffer  spin signed char[n * n] = hash(i) % 2 * 2 - 1
//@ for     (colour = 0; colour < 2; colour = colour + 1)
//@ launch  sweep<<<dim3((n / 2 + 63) / 64, n / 4), dim3(64, 4)>>>(
//@             spin, n, colour, 0.44, 77)
//@ end
__device__ float uniform(unsigned long long key)
{
    key += 0x9e3779b97f4a7c15ull;
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ull;
    key = (key ^ key >> 27) * 0x94d049bb133111ebull;
    return ((key ^ key >> 31) >> 40) * (1.0f / 16777216.0f);
}

__global__ void sweep(signed char *spin, int n, int colour, float beta,
                      unsigned long long seed)
{
    int half = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (half >= n / 2)
        return;

    int x = 2 * half + ((y + colour) & 1);
    int up = y == 0 ? n - 1 : y - 1;
    int down = y == n - 1 ? 0 : y + 1;
    int left = x == 0 ? n - 1 : x - 1;
    int right = x == n - 1 ? 0 : x + 1;
    int sum = spin[up * n + x] + spin[down * n + x] +
              spin[y * n + left] + spin[y * n + right];
    int here = spin[y * n + x];
    float gain = 2.0f * beta * here * sum;
    if (gain <= 0.0f || uniform(seed << 32 | y * n + x) < __expf(-gain))
        spin[y * n + x] = -here;
}
