// The electric potential in a plane: every grid point adds up the charges of 512 atoms, four points in a row a thread.
//@ param   w = 1024
//@ param   h = 512
//@ param   atoms = 512
//@ buffer  atom float4[atoms] = hash(i) % 997 * 0.1 + 0.05
//@ buffer  charge float[atoms] = (i & 1) * 2 - 1
//@ buffer  potential float[w * h]
//@ launch  coulomb<<<dim3(w / 128, h / 4), dim3(32, 4)>>>(atom, charge, potential, w, atoms)
__global__ void coulomb(const float4 *__restrict__ atom, const float *__restrict__ charge, float *potential, int w,
                        int atoms)
{
    int x = blockIdx.x * 128 + threadIdx.x;
    int y = blockIdx.y * 4 + threadIdx.y;
    float py = y * 0.2f;
    float sum[4] = {0, 0, 0, 0};
    for (int a = 0; a < atoms; a++) {
        float4 p = atom[a];
        float q = charge[a];
        float dy = py - p.y, dz = 0.1f * p.z + 1.0f;
        float yz = dy * dy + dz * dz;
        for (int k = 0; k < 4; k++) {
            float dx = (x + 32 * k) * 0.1f - p.x;
            sum[k] += q * rsqrtf(dx * dx + yz);
        }
    }
    for (int k = 0; k < 4; k++)
        potential[y * w + x + 32 * k] = sum[k];
}
