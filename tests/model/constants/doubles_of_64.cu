// 64 loads of constant memory in each thread: each of 64 doubles by an index of its own.
//@ param   n = 1 << 18
//@ buffer  x int[n] = hash(i) & 63
//@ buffer  y float[n]
//@ symbol  table double[64] = i * 0.5
//@ launch  look<<<n / 256, 256>>>(x, y)
__constant__ double table[64];
__global__ void look(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = x[i];
    float s = 0;
    for (int j = 0; j < 64; j++) {
        double v = table[(k + j) & (64 - 1)];
        s += (float)v;
    }
    y[i] = s;
}
