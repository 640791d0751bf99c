//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch aos_particles<<<4, 100>>>(a, b, f, d, v, c, idx, 1)
struct aos_particles_t {
    double2 pos;
    float2 vel;
    short2 cell;
    int id;
};

extern "C" __global__ void aos_particles(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    aos_particles_t *p = (aos_particles_t *)d + 2000;
    float *mass = f + 20000;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    aos_particles_t me;
    me.pos = make_double2(d[t], d[t + 1000]);
    me.vel = make_float2(f[2 * t], f[2 * t + 1] - 5.0f);
    for (int s = 0; s < 3; s++) {
        me.pos.x += 0.125 * me.vel.x;
        me.pos.y += 0.125 * me.vel.y;
        if (me.pos.x > 500.0) { me.pos.x = 1000.0 - me.pos.x; me.vel.x = -me.vel.x; }
        if (me.pos.y > 500.0) { me.pos.y = 1000.0 - me.pos.y; me.vel.y = -me.vel.y; }
    }
    me.cell = make_short2((short)(me.pos.x / 32.0), (short)(me.pos.y / 32.0));
    me.id = a[t];
    p[t] = me;
    mass[t] = 0.5f * (me.vel.x * me.vel.x + me.vel.y * me.vel.y);
}
