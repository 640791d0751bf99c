// A step of the shallow water equations on a grid: fluxes between cells by the method of
// Harten, Lax and van Leer, from depth and momentum in a tile of shared memory with a
// margin of one cell. Part of the ground is nearly dry.
//@ param   width = 896
//@ param   height = 800
//@ buffer  before float[3 * width * height] = (i < width * height ?
//@             0.001 + hash(i / 64) % 100 * 0.02 : hash(i) % 100 * 0.01 - 0.5)
//@ buffer  after float[3 * width * height]
//@ launch  step<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(
//@             before, after, 0.05, width, height)
struct state {
    float depth, normal, tangent; // the depth, and the momentum across and along the edge
};

__device__ state flux_between(state a, state b)
{
    const float g = 9.81f;
    float va = a.normal / fmaxf(a.depth, 1e-4f), vb = b.normal / fmaxf(b.depth, 1e-4f);
    float ca = sqrtf(g * a.depth), cb = sqrtf(g * b.depth);
    float slow = fminf(va - ca, vb - cb), fast = fmaxf(va + ca, vb + cb);

    state fa = {a.normal, a.normal * va + 0.5f * g * a.depth * a.depth, a.tangent * va};
    state fb = {b.normal, b.normal * vb + 0.5f * g * b.depth * b.depth, b.tangent * vb};
    if (slow >= 0)
        return fa;
    if (fast <= 0)
        return fb;
    float scale = 1.0f / (fast - slow), both = slow * fast;
    return { scale * (fast * fa.depth - slow * fb.depth + both * (b.depth - a.depth)),
             scale * (fast * fa.normal - slow * fb.normal + both * (b.normal - a.normal)),
             scale * (fast * fa.tangent - slow * fb.tangent +
                      both * (b.tangent - a.tangent)) };
}

__global__ void step(const float *before, float *after, float ratio, int width,
                     int height)
{
    const int side = 16;
    __shared__ float h[side + 2][side + 2], hu[side + 2][side + 2],
        hv[side + 2][side + 2];

    int cells = width * height;
    int thread = threadIdx.y * side + threadIdx.x;
    for (int k = thread; k < (side + 2) * (side + 2); k += side * side) {
        int y = k / (side + 2), x = k % (side + 2);
        int row = min(max((int)blockIdx.y * side + y - 1, 0), height - 1);
        int column = min(max((int)blockIdx.x * side + x - 1, 0), width - 1);
        int from = row * width + column;
        h[y][x] = before[from];
        hu[y][x] = before[cells + from];
        hv[y][x] = before[2 * cells + from];
    }
    __syncthreads();

    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    state here = {h[y][x], hu[y][x], hv[y][x]};
    state west = flux_between({h[y][x - 1], hu[y][x - 1], hv[y][x - 1]}, here);
    state east = flux_between(here, {h[y][x + 1], hu[y][x + 1], hv[y][x + 1]});
    state turned = {here.depth, here.tangent, here.normal};
    state north = flux_between({h[y - 1][x], hv[y - 1][x], hu[y - 1][x]}, turned);
    state south = flux_between(turned, {h[y + 1][x], hv[y + 1][x], hu[y + 1][x]});

    int to = (blockIdx.y * side + threadIdx.y) * width + blockIdx.x * side + threadIdx.x;
    float depth =
        here.depth - ratio * (east.depth - west.depth + south.depth - north.depth);
    after[to] = fmaxf(depth, 0);
    after[cells + to] = here.normal
        - ratio * (east.normal - west.normal + south.tangent - north.tangent);
    after[2 * cells + to] = here.tangent
        - ratio * (east.tangent - west.tangent + south.normal - north.normal);
}
