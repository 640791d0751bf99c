//@ buffer a   int[262144]           = (i * 7 + 3) & 4095
//@ buffer b   int[262144]           = 0
//@ buffer f   float[262144]         = i & 1023
//@ buffer d   double[262144]        = i & 1023
//@ buffer v   int4[262144]          = i
//@ buffer c   unsigned char[262144] = hash(i) >> 24
//@ buffer idx int[262144]           = hash(i) & 4095
//@ launch nbody_tile<<<3, 64>>>(a, b, f, d, v, c, idx, 1)
static __device__ float3 nbody_tile_pair(float4 pi, float4 pj, float3 acc)
{
    float dx = pj.x - pi.x, dy = pj.y - pi.y, dz = pj.z - pi.z;
    float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
    float inv = 1.0f / sqrtf(r2);
    float s = pj.w * inv * inv * inv;
    acc.x += dx * s;
    acc.y += dy * s;
    acc.z += dz * s;
    return acc;
}

extern "C" __global__ void nbody_tile(int *a, int *b, float *f, double *d, int4 *v, unsigned char *c, const int *idx, int n)
{
    __shared__ float4 sh[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    int4 q = v[i];
    float4 me = make_float4((float)(idx[i] & 63), (float)(q.y % 17), f[i], 1.0f);
    float3 acc = make_float3(0.0f, 0.0f, 0.0f);
    for (int tile = 0; tile < gridDim.x; tile++) {
        int j = tile * 64 + threadIdx.x;
        sh[threadIdx.x] = make_float4((float)(idx[j] & 63), (float)(v[j].y % 17), f[j], 1.0f);
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 64; k++)
            acc = nbody_tile_pair(me, sh[k], acc);
        __syncthreads();
    }
    ((float3 *)(f + 90000))[i] = acc;
}
