// 64 loads of constant memory in each thread: each of 64 quads by an index of its own.
//@ param   n = 1 << 18
//@ buffer  x int[n] = hash(i) & 63
//@ buffer  y float[n]
//@ symbol  table float4[64] = {.x = i, .y = 1, .z = 2, .w = 3}
//@ launch  look<<<n / 256, 256>>>(x, y)
__constant__ float4 table[64];
__global__ void look(const int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = x[i];
    float s = 0;
    for (int j = 0; j < 64; j++) {
        float4 v = table[(k + j) & (64 - 1)];
        s += v.x + v.y + v.z + v.w;
    }
    y[i] = s;
}
