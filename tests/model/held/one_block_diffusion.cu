// One block steps a rod of 512 cells 600 times, two barriers a step.
//@ param   steps = 600
//@ buffer  rod float[512] = i % 64
//@ launch  diffuse<<<1, 512>>>(rod, steps)
extern "C" __global__ void diffuse(float *rod, int steps)
{
    __shared__ float cell[512];
    int t = threadIdx.x;
    cell[t] = rod[t];
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        float left = cell[t > 0 ? t - 1 : 0];
        float right = cell[t < 511 ? t + 1 : 511];
        float next = cell[t] + 0.2f * (left + right - 2 * cell[t]);
        __syncthreads();
        cell[t] = next;
        __syncthreads();
    }
    rod[t] = cell[t];
}
