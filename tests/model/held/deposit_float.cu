// Spreads the charge of particles over the two cells beside each.
//@ param   n = 1 << 20
//@ param   cells = 1 << 15
//@ buffer  place  float[n] = (hash(i) % (16 * cells - 16)) * 0.0625
//@ buffer  charge float[cells] = 0
//@ launch  deposit<<<n / 256, 256>>>(place, charge)
extern "C" __global__ void deposit(const float *place, float *charge)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float at = place[i];
    int cell = (int)at;
    float right = at - cell;
    atomicAdd(&charge[cell], 1 - right);
    atomicAdd(&charge[cell + 1], right);
}
