// 64 loads of constant memory in each thread: each of 4096 words by an index of its own: more than the first cache holds.
//@ param   n = 1 << 18
//@ buffer  x int[n] = hash(i) & 4095
//@ buffer  y float[n]
//@ symbol  table float[4096] = i * 0.5
//@ launch  look<<<n / 256, 256>>>(x, y)
__constant__ float table[4096];
__global__ void look(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = x[i];
    float s = 0;
    for (int j = 0; j < 64; j++) {
        float v = table[(k + j) & (4096 - 1)];
        s += v;
    }
    y[i] = s;
}
