// Develops a picture of 12-bit colours to 8 bits by a curve for each of
// red, green and blue; the three tables take all 48 KB of shared memory.
//@ param   pixels = 2400000
//@ buffer  raw    unsigned short[pixels * 3] = hash(i / 5) % 4096
//@ buffer  curves float[3 * 4096] = i % 4096 / 16.5
//@ buffer  rgb    unsigned char[pixels * 3]
//@ launch  develop<<<2 * sm_count, 512>>>(raw, curves, rgb, pixels)
__global__ __launch_bounds__(512)
void develop(const unsigned short *__restrict__ raw,
             const float *__restrict__ curves,
             unsigned char *__restrict__ rgb, int pixels)
{
    __shared__ float table[3 * 4096];

    for (int i = threadIdx.x; i < 3 * 4096; i += blockDim.x)
        table[i] = curves[i];
    __syncthreads();

    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels;
         p += gridDim.x * blockDim.x)
        for (int c = 0; c < 3; c++) {
            float v = table[c * 4096 + raw[3 * p + c]];
            rgb[3 * p + c] = (unsigned char)(v + 0.5f);
        }
}
