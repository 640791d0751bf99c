// The pull on bodies in the plane as Barnes and Hut compute it: from the
// top of a full quadtree of seven levels each thread opens the cells that
// are near, with a stack of its own, and takes the others as one mass.
// The masses are made up, those of a level alike on the average.
//@ param   bodies = 17000
//@ param   cells = 5461
//@ buffer  tree  Cell[cells] = {hash(i) % 1000 * 0.001 - 0.5,
//@                              hash(i + 1) % 1000 * 0.001 - 0.5,
//@                              1 + hash(i + 2) % 8, 0}
//@ buffer  place float2[bodies] = {hash(i) % 65536 * 0.0000152587890625,
//@                       hash(i + bodies) % 65536 * 0.0000152587890625}
//@ buffer  pull  float2[bodies]
//@ launch  attract<<<(bodies + 127) / 128, 128>>>(tree, place, pull, bodies,
//@                                                0.5f)
#define LEVELS 7

struct Cell {
    float dx, dy; // centre of mass, in widths from the middle
    float mass;   // of the bodies in a cell of the lowest level's size
    float unused;
};

__global__ void attract(const Cell *__restrict__ tree,
                        const float2 *__restrict__ place, float2 *pull,
                        int bodies, float theta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= bodies)
        return;

    float2 me = place[i];
    float2 sum = make_float2(0.0f, 0.0f);
    unsigned stack[LEVELS * 3 + 1];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        unsigned item = stack[--top];
        int level = item >> 24, x = item & 0xfff, y = item >> 12 & 0xfff;
        int first = ((1 << 2 * level) - 1) / 3;
        Cell cell = tree[first + (y << level) + x];
        float width = 1.0f / (1 << level);
        float dx = (x + 0.5f + cell.dx) * width - me.x;
        float dy = (y + 0.5f + cell.dy) * width - me.y;
        float r2 = dx * dx + dy * dy + 1e-6f;
        if (level == LEVELS - 1 || width * width < theta * theta * r2) {
            float inverse = rsqrtf(r2);
            float force = cell.mass * (1 << 2 * (LEVELS - 1 - level)) *
                          inverse * inverse * inverse;
            sum.x += force * dx;
            sum.y += force * dy;
        } else {
            for (int k = 0; k < 4; k++)
                stack[top++] = (level + 1) << 24 |
                               (2 * y + k / 2) << 12 | (2 * x + k % 2);
        }
    }
    pull[i] = sum;
}
