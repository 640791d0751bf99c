// Gives 8192 vectors the length 1.
//@ param   n = 8192
//@ buffer  v float4[n] = i % 100 + 1
//@ launch  normalise<<<n / 128, 128>>>(v)
extern "C" __global__ void normalise(float4 *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = v[i];
    float inv = rsqrtf(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
    v[i] = make_float4(a.x * inv, a.y * inv, a.z * inv, a.w * inv);
}
