// 64 loads of constant memory in each thread: one word of a longer table by an index that all lanes share.
//@ param   n = 1 << 18
//@ buffer  x int[n] = hash(i) & 0
//@ buffer  y float[n]
//@ symbol  table float[1024] = i * 0.5
//@ launch  look<<<n / 256, 256>>>(x, y)
__constant__ float table[1024];
__global__ void look(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = x[i];
    float s = 0;
    for (int j = 0; j < 64; j++) {
        float v = table[(k + j) & (1024 - 1)];
        s += v;
    }
    y[i] = s;
}
