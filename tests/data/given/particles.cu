// Particles that a field moves: structures in a buffer, one as an argument, and variables that the host fills.
//@ param   n = 1 << 12
//@ buffer  p particle[n] = {.position = {i, 0.5, i * 2 / 3, 1}, .velocity[1] = 2.0,
//@                          .id = i, .flags = 3}
//@ buffer  out float[n]
//@ symbol  count float[3] = {1, 2, 0.5}
//@ symbol  field::strength float = 2.5
//@ symbol  limits box = {{0, 1, 2}, {3, 4, 5}}
//@ symbol  turns unsigned = 0
//@ value   how params = {.scale = 0.5, .n = n, .result = out}
//@ launch  push<<<n / 256, 256>>>(p, how)
//@ launch  show<<<1, 32>>>(p, how)
#define DIMS 3
struct particle {
    float4 position;
    float velocity[DIMS];
    int id;
    unsigned char flags;
    __device__ float speed() const { return velocity[0] + velocity[1] + velocity[2]; }
};
typedef struct {
    float lo[3], hi[3];
} box;
using real = float;
struct params {
    real scale;
    int n;
    float *result;
};
__constant__ float count[3];
static __constant__ box limits;
__device__ unsigned turns;
namespace field {
__device__ float strength;
}

__global__ void push(particle *p, params how)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < how.n)
        how.result[i] = p[i].position.x * how.scale + count[i % 3] + field::strength + limits.hi[1] + p[i].speed();
    if (i == 0)
        turns++;
}

// `turns` counts the pushes since it was filled: one in each run.
__global__ void show(particle *p, params how)
{
    if (threadIdx.x != 9)
        return;
    const particle &q = p[9];
    printf("%g %g %g %g | %g %g %g | %d %d | %g %d | %g %g | %g | %g %g\n", q.position.x, q.position.y, q.position.z,
           q.position.w, q.velocity[0], q.velocity[1], q.velocity[2], q.id, q.flags, how.scale, how.n,
           count[1] * turns, limits.lo[0], field::strength, limits.hi[1], how.result[9]);
}
