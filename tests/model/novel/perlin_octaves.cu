// Clouds from five octaves of Perlin's gradient noise in three dimensions,
// 470 x 340 of a byte each. The table of hashes lies in memory.
//@ param   w = 470
//@ param   h = 340
//@ buffer  perm  unsigned char[512] = hash(i % 256)
//@ buffer  cloud unsigned char[w * h]
//@ launch  clouds<<<dim3((w + 15) / 16, (h + 15) / 16),
//@                  dim3(16, 16)>>>(perm, cloud, w, h, 0.37f)
__device__ float fade(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

__device__ float mixed(float t, float a, float b)
{
    return a + t * (b - a);
}

__device__ float grad(int hash, float x, float y, float z)
{
    int h = hash & 15;
    float u = h < 8 ? x : y;
    float v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    return ((h & 1) ? -u : u) + ((h & 2) ? -v : v);
}

__device__ float noise(const unsigned char *p, float x, float y, float z)
{
    float fx = floorf(x), fy = floorf(y), fz = floorf(z);
    int X = (int)fx & 255, Y = (int)fy & 255, Z = (int)fz & 255;
    x -= fx, y -= fy, z -= fz;
    float u = fade(x), v = fade(y), w = fade(z);
    int A = p[X] + Y, AA = p[A] + Z, AB = p[A + 1] + Z;
    int B = p[X + 1] + Y, BA = p[B] + Z, BB = p[B + 1] + Z;
    return mixed(
        w,
        mixed(v,
              mixed(u, grad(p[AA], x, y, z), grad(p[BA], x - 1, y, z)),
              mixed(u, grad(p[AB], x, y - 1, z),
                    grad(p[BB], x - 1, y - 1, z))),
        mixed(v,
              mixed(u, grad(p[AA + 1], x, y, z - 1),
                    grad(p[BA + 1], x - 1, y, z - 1)),
              mixed(u, grad(p[AB + 1], x, y - 1, z - 1),
                    grad(p[BB + 1], x - 1, y - 1, z - 1))));
}

__global__ void clouds(const unsigned char *__restrict__ perm,
                       unsigned char *cloud, int w, int h, float time)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;

    float sum = 0.0f, high = 1.0f, scale = 0.013f;
    for (int octave = 0; octave < 5; octave++) {
        sum += high * noise(perm, x * scale, y * scale, time);
        high *= 0.5f;
        scale *= 2.0f;
    }
    cloud[y * w + x] = (unsigned char)(255.0f * __saturatef(sum * 0.5f + 0.5f));
}
