// The pull of all bodies on each, by way of tiles in shared memory.
//@ param   n = 8192
//@ buffer  body float4[n] = hash(i) % 1000 * 0.01
//@ buffer  pull float4[n]
//@ launch  attract<<<n / 128, 128>>>(body, pull, n)
extern "C" __global__ void attract(const float4 *body, float4 *pull,
                                   int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 128) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++) {
            float dx = tile[j].x - me.x;
            float dy = tile[j].y - me.y;
            float dz = tile[j].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float inv = rsqrtf(d2);
            float f = tile[j].w * inv * inv * inv;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        __syncthreads();
    }
    pull[i] = make_float4(ax, ay, az, 0);
}
