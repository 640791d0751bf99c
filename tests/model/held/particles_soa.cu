// Moves particles that are kept as a structure of arrays.
//@ param   n = 1 << 21
//@ buffer  x  float[n] = i % 17
//@ buffer  y  float[n] = i % 19
//@ buffer  z  float[n] = i % 23
//@ buffer  vx float[n] = i % 3
//@ buffer  vy float[n] = i % 5
//@ buffer  vz float[n] = i % 7
//@ launch  move<<<(n + 255) / 256, 256>>>(x, y, z, vx, vy, vz, 0.01, n)
extern "C" __global__ void move(float *x, float *y, float *z,
                                const float *vx, const float *vy,
                                const float *vz, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    x[i] += dt * vx[i];
    y[i] += dt * vy[i];
    z[i] += dt * vz[i];
}
