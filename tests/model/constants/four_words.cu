// 64 loads of constant memory in each thread: four words, some lanes each.
//@ param   n = 1 << 18
//@ buffer  x int[n] = hash(i) & 3
//@ buffer  y float[n]
//@ symbol  table float[64] = i * 0.5
//@ launch  look<<<n / 256, 256>>>(x, y)
__constant__ float table[64];
__global__ void look(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = x[i];
    float s = 0;
    for (int j = 0; j < 64; j++) {
        float v = table[(k + j) & (64 - 1)];
        s += v;
    }
    y[i] = s;
}
