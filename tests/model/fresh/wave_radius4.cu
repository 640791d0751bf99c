// A time step of the acoustic wave equation in two dimensions, of eighth order in space: a tile with a rim of 4.
//@ param   w = 2048
//@ param   h = 2048
//@ buffer  now   float[w * h] = i / w * (i % w) % 1000 * 0.001
//@ buffer  past  float[w * h] = i / w * (i % w + 1) % 1000 * 0.001
//@ buffer  speed float[w * h] = (i / w / 100 & 3) * 0.05 + 0.1
//@ buffer  next  float[w * h] = 0
//@ launch  wave<<<dim3(w / 32, h / 16), dim3(32, 16)>>>(now, past, speed, next, w, h)
#define R 4
#define BX 32
#define BY 16

__global__ void wave(const float *now, const float *past, const float *speed, float *next, int w, int h)
{
    __shared__ float s[BY + 2 * R][BX + 2 * R];
    int gx = blockIdx.x * BX + threadIdx.x;
    int gy = blockIdx.y * BY + threadIdx.y;
    int lx = threadIdx.x + R, ly = threadIdx.y + R;
    int at = gy * w + gx;

    s[ly][lx] = now[at];
    if (threadIdx.x < R) {
        s[ly][lx - R] = gx >= R ? now[at - R] : 0.0f;
        s[ly][lx + BX] = gx + BX < w ? now[at + BX] : 0.0f;
    }
    if (threadIdx.y < R) {
        s[ly - R][lx] = gy >= R ? now[at - R * w] : 0.0f;
        s[ly + BY][lx] = gy + BY < h ? now[at + BY * w] : 0.0f;
    }
    __syncthreads();

    const float c0 = -2.8472222f, c1 = 1.6f, c2 = -0.2f, c3 = 0.025396825f, c4 = -0.0017857143f;
    float mid = s[ly][lx];
    float lap = 2.0f * c0 * mid;
    lap += c1 * (s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx]);
    lap += c2 * (s[ly][lx - 2] + s[ly][lx + 2] + s[ly - 2][lx] + s[ly + 2][lx]);
    lap += c3 * (s[ly][lx - 3] + s[ly][lx + 3] + s[ly - 3][lx] + s[ly + 3][lx]);
    lap += c4 * (s[ly][lx - 4] + s[ly][lx + 4] + s[ly - 4][lx] + s[ly + 4][lx]);
    next[at] = 2.0f * mid - past[at] + speed[at] * lap;
}
