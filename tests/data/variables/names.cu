// What a debug build says of its variables: tests/unit/sim_variables.c looks at the marked lines of its PTX, names.clang.ptx
// (clang 14, -O0 -g) and names.nvrtc.ptx (NVRTC 13.0, -G). names.optimised.ptx is clang's -O2 -gline-tables-only.
//@ buffer in float[32] = i
//@ buffer out float[32]
//@ launch names<<<1, 32>>>(in, out, 6)
struct pair {
    int a;
    float b;
};
__device__ __noinline__ int sum_to(int last)
{
    int total = 0;
    for (int k = 1; k <= last; k++)
        total += k; // IN CALL
    return total;
}
extern "C" __global__ void names(const float *in, float *out, int n)
{
    __shared__ int tile[2][32];
    int x = threadIdx.x;
    int y = x; // BEFORE y
    bool odd = x & 1;
    unsigned char small = 250 + x;
    long long big = x * 10000000000ll;
    const float *at = in + x;
    float quarter = 0.25f;
    double half = 0.5 * x;
    pair both{ x, 2.5f };
    int four[4] = { x, 1, 2, 3 };
    int maybe;
    if (odd)
        maybe = y * 7;
    tile[1][x] = x + 5;
    int s = 0; // STRAIGHT
    for (int i = 0; i < n; i++) {
        int w;
        if (i == x)
            continue;
        w = i * 2; // BEFORE w
        s += w;    // LOOP
        if (s > 8)
            break;
    }
    y += s; // AFTER LOOP
    {
        int x = y + 1;
        four[n & 3] = x;
        s = four[2]; // INNER
    }
    n /= 2;
    int *there = &four[1];
    *there += sum_to(3);
    out[x] = *at + quarter + (float)half + both.a + both.b + y + s + small + big + maybe + tile[1][x] + n; // END
}
