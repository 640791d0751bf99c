// A step of Perona and Malik's diffusion, which smooths a picture but not
// its edges; a block keeps 32 x 16 pixels and a rim in shared memory.
//@ param   w = 1200
//@ param   h = 1000
//@ buffer  in  float[w * h] = hash(i / 9) % 256
//@ buffer  out float[w * h]
//@ launch  diffuse<<<dim3((w + 31) / 32, (h + 15) / 16),
//@                   dim3(32, 16)>>>(in, out, w, h, 0.2f, 0.002f)
#define TX 32
#define TY 16

__global__ void diffuse(const float *in, float *out, int w, int h,
                        float lambda, float inverseKappa2)
{
    __shared__ float tile[TY + 2][TX + 2];

    int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;
    for (int e = threadIdx.y * TX + threadIdx.x; e < (TX + 2) * (TY + 2);
         e += TX * TY) {
        int gx = min(max(x0 + e % (TX + 2), 0), w - 1);
        int gy = min(max(y0 + e / (TX + 2), 0), h - 1);
        tile[e / (TX + 2)][e % (TX + 2)] = in[gy * w + gx];
    }
    __syncthreads();

    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    int x = x0 + lx, y = y0 + ly;
    if (x >= w || y >= h)
        return;

    float c = tile[ly][lx];
    float d[4] = {tile[ly - 1][lx] - c, tile[ly + 1][lx] - c,
                  tile[ly][lx - 1] - c, tile[ly][lx + 1] - c};
    float flow = 0.0f;
    for (int k = 0; k < 4; k++)
        flow += expf(-d[k] * d[k] * inverseKappa2) * d[k];
    out[y * w + x] = c + lambda * flow;
}
