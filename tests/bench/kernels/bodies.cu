// Forces between bodies, a tile of them at a time in shared memory.
//@ param n = 1024
//@ buffer x float4[n] = hash(i) & 1023
//@ buffer force float4[n]
//@ launch pull<<<n / 128, 128>>>(x, force, n)
extern "C" __global__ void pull(const float4 *x, float4 *force, int n)
{
    __shared__ float4 s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 own = x[i];
    float ax = 0, ay = 0, az = 0;
    for (int from = 0; from < n; from += 128) {
        s[threadIdx.x] = x[from + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float dx = s[k].x - own.x, dy = s[k].y - own.y, dz = s[k].z - own.z;
            float far = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), pull = s[k].w * far * far * far;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        __syncthreads();
    }
    force[i] = make_float4(ax, ay, az, 0);
}
