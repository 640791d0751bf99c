// 64 loads of constant memory in each thread: each of 16384 words by an index of its own: all of constant memory.
//@ param   n = 1 << 18
//@ buffer  x int[n] = hash(i) & 16383
//@ buffer  y float[n]
//@ symbol  table float[16384] = i * 0.5
//@ launch  look<<<n / 256, 256>>>(x, y)
__constant__ float table[16384];
__global__ void look(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = x[i];
    float s = 0;
    for (int j = 0; j < 64; j++) {
        float v = table[(k + j) & (16384 - 1)];
        s += v;
    }
    y[i] = s;
}
