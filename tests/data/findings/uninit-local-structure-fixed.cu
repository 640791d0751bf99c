// Structures whose fields are not all set, with padding, are copied around. Only fields with a value are used.
//@ buffer x   int[64] = i % 4
//@ buffer out int[4096] = 0
//@ launch copies<<<2, 32>>>(x, out)
struct part {
    char kind;
    int count;
    double weight;
    int items[5];
    short rest;
};
struct __align__(16) wide {
    int count;
    float values[9];
    char kind;
};
__device__ __noinline__ void set(part *p, int i)
{
    p->count = i;
    p->items[i & 3] = 7;
    p->kind = 1;
}
__device__ __noinline__ int get(part p)
{
    return p.count + p.kind;
}
__device__ __noinline__ part make(int i)
{
    part p;
    p.count = i;
    p.weight = 2;
    p.items[i & 3] = 9;
    return p;
}
extern "C" __global__ void copies(const int *x, int *out)
{
    __shared__ wide all[32];
    int t = threadIdx.x + blockIdx.x * 32;
    part p;
    set(&p, x[t]);
    part q = p;
    set(&q, x[t] + 1);
    ((part *)out)[t] = q;
    wide a;
    a.count = t;
    a.values[x[t]] = 3;
    all[threadIdx.x] = a;
    __syncwarp();
    ((wide *)(out + 2048))[t] = a;
    out[1536 + t] = get(q) + make(t).count + all[threadIdx.x ^ 1].count;
}
