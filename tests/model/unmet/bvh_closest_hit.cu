// Finds the first of 4096 balls that each ray of a picture hits, with a tree of boxes.
// The balls are numbered along Morton's curve, one in each cell of a 16 x 16 x 16 grid,
// so a node of the binary tree is a box of cells: the first kernel computes it. Rays
// visit the nearer child first and keep the other on a stack of their own.
//@ param   width = 320
//@ param   height = 208
//@ buffer  ball float4[4096] = {0, 0, 0, 0}
//@ buffer  box float4[2 * 8192] = 0
//@ buffer  hit int[width * height]
//@ buffer  depth float[width * height]
//@ launch  build<<<8192 / 256, 256>>>(ball, box)
//@ launch  trace<<<dim3(width / 8, height / 16), dim3(8, 16)>>>(
//@             ball, box, hit, depth, width, height)
const int leaves = 4096; // node 1 is the root, and node k has children 2 k and 2 k + 1

__device__ unsigned scrambled(unsigned x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 15) * 0x119de1f3u;
    return x ^ x >> 16;
}

__device__ float3 cell_of(int code)
{
    int x = 0, y = 0, z = 0;
    for (int bit = 0; bit < 4; bit++) {
        x |= (code >> 3 * bit & 1) << bit;
        y |= (code >> (3 * bit + 1) & 1) << bit;
        z |= (code >> (3 * bit + 2) & 1) << bit;
    }
    return make_float3(x, y, z);
}

__global__ void build(float4 *ball, float4 *box)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node == 0)
        return;

    int level = 31 - __clz(node);
    int below = 12 - level; // how many levels, and how many bits of codes are free
    int first = (node << below) - leaves;
    float3 low = cell_of(first), high = cell_of(first + (1 << below) - 1);
    box[2 * node] = make_float4(low.x, low.y, low.z, 0);
    box[2 * node + 1] = make_float4(high.x + 1, high.y + 1, high.z + 1, 0);

    if (below == 0) {
        unsigned random = scrambled(first);
        float radius = 0.08f + (random & 255) * (0.2f / 255);
        float room = 1 - 2 * radius;
        ball[first] = make_float4(low.x + radius + room * (random >> 8 & 255) / 255,
                                  low.y + radius + room * (random >> 16 & 255) / 255,
                                  low.z + radius + room * (random >> 24) / 255, radius);
        box[2 * node] = make_float4(ball[first].x - radius, ball[first].y - radius,
                                    ball[first].z - radius, 0);
        box[2 * node + 1] = make_float4(ball[first].x + radius, ball[first].y + radius,
                                        ball[first].z + radius, 0);
    }
}

// Where the ray enters a node's box, or a huge number if it misses it.
__device__ float entry(const float4 *box, int node, float3 from, float3 inverse)
{
    float4 low = box[2 * node], high = box[2 * node + 1];
    float ax = (low.x - from.x) * inverse.x, bx = (high.x - from.x) * inverse.x;
    float ay = (low.y - from.y) * inverse.y, by = (high.y - from.y) * inverse.y;
    float az = (low.z - from.z) * inverse.z, bz = (high.z - from.z) * inverse.z;
    float in = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fmaxf(fminf(az, bz), 0.0f));
    float out = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fmaxf(az, bz));
    return in <= out ? in : 1e30f;
}

__global__ void trace(const float4 *ball, const float4 *box, int *hit, float *depth,
                      int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float3 from = make_float3(7.3f, 8.1f, -12.0f);
    float3 way = make_float3((x + 0.5f) / width - 0.5f, (y + 0.5f) / height - 0.5f, 0.8f);
    float length = rsqrtf(way.x * way.x + way.y * way.y + way.z * way.z);
    way = make_float3(way.x * length, way.y * length, way.z * length);
    float3 inverse = make_float3(1 / way.x, 1 / way.y, 1 / way.z);

    float nearest = 1e30f;
    int found = -1;
    int stack[16], height_of_stack = 0;
    int node = entry(box, 1, from, inverse) < nearest ? 1 : 0;
    while (node) {
        int next = 0;
        if (node >= leaves) {
            float4 b = ball[node - leaves];
            float dx = b.x - from.x, dy = b.y - from.y, dz = b.z - from.z;
            float along = dx * way.x + dy * way.y + dz * way.z;
            float root = b.w * b.w - (dx * dx + dy * dy + dz * dz - along * along);
            if (root >= 0 && along - sqrtf(root) < nearest) {
                nearest = along - sqrtf(root);
                found = node - leaves;
            }
        } else {
            int near = 2 * node, far = 2 * node + 1;
            float near_at = entry(box, near, from, inverse);
            float far_at = entry(box, far, from, inverse);
            if (far_at < near_at) {
                int swapped = near;
                near = far;
                far = swapped;
                float distance = near_at;
                near_at = far_at;
                far_at = distance;
            }
            if (near_at < nearest)
                next = near;
            if (far_at < nearest)
                stack[height_of_stack++] = far;
        }
        if (next == 0 && height_of_stack > 0)
            next = stack[--height_of_stack];
        node = next;
    }
    hit[y * width + x] = found;
    depth[y * width + x] = nearest;
}
