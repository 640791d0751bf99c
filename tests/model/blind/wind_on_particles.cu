// Moves particles that the wind drags along, first as an array of
// structures of 40 bytes, then as a structure of arrays.
//@ param   n = 1 << 20
//@ buffer  rec float[n * 10] = hash(i) % 1000 * 0.01
//@ buffer  px  float[n] = hash(i) % 1000 * 0.01
//@ buffer  py  float[n] = hash(i + 1) % 1000 * 0.01
//@ buffer  pz  float[n] = hash(i + 2) % 1000 * 0.01
//@ buffer  vx  float[n] = hash(i + 3) % 1000 * 0.01
//@ buffer  vy  float[n] = hash(i + 4) % 1000 * 0.01
//@ buffer  vz  float[n] = hash(i + 5) % 1000 * 0.01
//@ buffer  mass float[n] = 1 + hash(i + 6) % 1000 * 0.01
//@ launch  moveRecords<<<n / 128, 128>>>(rec, 0.01, n)
//@ launch  moveArrays<<<n / 128, 128>>>(px, py, pz, vx, vy, vz, mass,
//@                                      0.01, n)
struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    float age;
    float colour;
    float spare;
};

__device__ float windAt(float height)
{
    return height > 1.0f ? 3.0f * __logf(height) : 0.0f;
}

__global__ void moveRecords(float *rec, float dt, int n)
{
    Particle *all = reinterpret_cast<Particle *>(rec);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle &p = all[i];
        float drag = dt / p.mass;
        p.vx += drag * (windAt(p.z) - p.vx);
        p.vy -= drag * p.vy;
        p.vz -= drag * p.vz + 9.81f * dt;
        p.x += p.vx * dt;
        p.y += p.vy * dt;
        p.z = fmaxf(p.z + p.vz * dt, 0.0f);
    }
}

__global__ void moveArrays(float *px, float *py, float *pz, float *vx,
                           float *vy, float *vz, const float *mass,
                           float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float z = pz[i];
        float drag = dt / mass[i];
        float u = vx[i] + drag * (windAt(z) - vx[i]);
        float v = vy[i] - drag * vy[i];
        float w = vz[i] - drag * vz[i] - 9.81f * dt;
        vx[i] = u;
        vy[i] = v;
        vz[i] = w;
        px[i] += u * dt;
        py[i] += v * dt;
        pz[i] = fmaxf(z + w * dt, 0.0f);
    }
}
