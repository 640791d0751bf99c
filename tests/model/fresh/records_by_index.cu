// Fetches records of 28 bytes by an index in random order, and stores what is computed of them in separate columns.
//@ param   n = 1 << 21
//@ buffer  at    int[n] = hash(i) % n
//@ buffer  rec   float[7 * n] = hash(i) & 1023
//@ buffer  speed float[n]
//@ buffer  mass  float[n]
//@ launch  fetch<<<(n + 127) / 128, 128>>>(rec, at, speed, mass, n)
struct Record {
    float x, y, z;
    float vx, vy, vz;
    float m;
};

__global__ void fetch(const Record *rec, const int *at, float *speed, float *mass, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Record r = rec[at[i]];
    float s = sqrtf(r.vx * r.vx + r.vy * r.vy + r.vz * r.vz);
    speed[i] = s;
    mass[i] = r.m * (r.x + r.y + r.z > 1536.0f ? 1.0f : 0.5f);
}
