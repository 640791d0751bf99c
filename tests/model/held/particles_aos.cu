// Moves particles that are kept as an array of structures.
//@ param   n = 1 << 20
//@ buffer  p float[7 * n] = i % 17
//@ launch  move<<<(n + 255) / 256, 256>>>(p, 0.01, n)
struct particle {
    float x, y, z, vx, vy, vz, mass;
};

extern "C" __global__ void move(particle *p, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].x += dt * p[i].vx;
    p[i].y += dt * p[i].vy;
    p[i].z += dt * p[i].vz;
}
