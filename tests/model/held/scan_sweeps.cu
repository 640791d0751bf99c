// Exclusive sums of 1024 floats a block, by an up-sweep and a
// down-sweep in shared memory.
//@ param   n = 1 << 21
//@ buffer  data float[n] = i % 3
//@ launch  scan<<<n / 1024, 512>>>(data)
extern "C" __global__ void scan(float *data)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    float *mine = data + blockIdx.x * 1024;
    s[2 * t] = mine[2 * t];
    s[2 * t + 1] = mine[2 * t + 1];

    int step = 1;
    for (int pairs = 512; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (t < pairs)
            s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
        step *= 2;
    }
    if (t == 0)
        s[1023] = 0;
    for (int pairs = 1; pairs < 1024; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (t < pairs) {
            int left = step * (2 * t + 1) - 1;
            int right = step * (2 * t + 2) - 1;
            float keep = s[left];
            s[left] = s[right];
            s[right] += keep;
        }
    }
    __syncthreads();
    mine[2 * t] = s[2 * t];
    mine[2 * t + 1] = s[2 * t + 1];
}
