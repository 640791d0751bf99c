// Monte Carlo of neutrons that scatter in a slab until they are
// absorbed or leave it; counts where they were absorbed, by depth.
//@ param   n = 1 << 19
//@ buffer  absorbed int[64] = 0
//@ buffer  left     int[2] = 0
//@ launch  neutrons<<<n / 256, 256>>>(absorbed, left, 8.0, 0.12, 2026)
struct Rng {
    unsigned long long state;

    __device__ float next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        unsigned x = (unsigned)(((state >> 18) ^ state) >> 27);
        unsigned rot = (unsigned)(state >> 59);
        x = (x >> rot) | (x << ((32 - rot) & 31));
        return (x >> 8) * (1.0f / 16777216.0f);
    }
};

__global__ void neutrons(int *absorbed, int *left, float thickness,
                         float pAbsorb, unsigned seed)
{
    __shared__ int bins[64];
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    __syncthreads();

    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    Rng rng;
    rng.state = ((unsigned long long)seed << 32) + id;
    rng.state *= 0x9e3779b97f4a7c15ull;
    rng.next();

    float x = 0.0f, mu = 1.0f;
    for (;;) {
        x -= mu * logf(1.0f - rng.next());
        if (x < 0.0f) {
            atomicAdd(&left[0], 1);
            break;
        }
        if (x >= thickness) {
            atomicAdd(&left[1], 1);
            break;
        }
        if (rng.next() < pAbsorb) {
            atomicAdd(&bins[(int)(x * 64.0f / thickness)], 1);
            break;
        }
        // Scattered, into any direction
        mu = 2.0f * rng.next() - 1.0f;
    }

    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&absorbed[threadIdx.x], bins[threadIdx.x]);
}
