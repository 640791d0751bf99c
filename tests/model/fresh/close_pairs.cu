// How many of the points before it lie close to each point: thread i looks at i others, so the last have most to do.
//@ param   n = 12288
//@ buffer  px float[n] = hash(i) % 10000 * 0.0001
//@ buffer  py float[n] = hash(i + 500000) % 10000 * 0.0001
//@ buffer  close int[n]
//@ launch  closePairs<<<n / 64, 64>>>(px, py, close, 0.01)
__global__ void closePairs(const float *px, const float *py, int *close, float radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = px[i], y = py[i];
    int count = 0;
    for (int j = 0; j < i; j++) {
        float dx = px[j] - x;
        float dy = py[j] - y;
        if (dx * dx + dy * dy < radius * radius)
            count++;
    }
    close[i] = count;
}
