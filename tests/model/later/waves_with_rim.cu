// One step of waves on water: a tile and the rim around it in shared memory.
//@ param   w = 2048
//@ param   h = 1024
//@ buffer  now    float[w * h] = i % 17
//@ buffer  before float[w * h] = i % 13
//@ launch  step<<<dim3(w / 32, h / 16), dim3(32, 16)>>>(now, before, w, h)
extern "C" __global__ void step(const float *now, float *before, int w, int h)
{
    __shared__ float tile[18][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    tile[ty][tx] = now[y * w + x];
    if (threadIdx.x == 0)
        tile[ty][0] = x > 0 ? now[y * w + x - 1] : 0;
    if (threadIdx.x == 31)
        tile[ty][33] = x + 1 < w ? now[y * w + x + 1] : 0;
    if (threadIdx.y == 0)
        tile[0][tx] = y > 0 ? now[(y - 1) * w + x] : 0;
    if (threadIdx.y == 15)
        tile[17][tx] = y + 1 < h ? now[(y + 1) * w + x] : 0;
    __syncthreads();
    float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
    before[y * w + x] = 2 * tile[ty][tx] - before[y * w + x] + 0.2f * (around - 4 * tile[ty][tx]);
}
