// Each thread looks at what another warp of its block has written, and nothing
// makes it wait for that; the result does not depend on what it sees.
//@ param   n = 4096
//@ buffer  in float[n] = i
//@ buffer  out float[n] = 0
//@ launch  hurried<<<n / 32, 32>>>(in, out)
extern "C" __global__ void hurried(const float *in, float *out)
{
    __shared__ float seen[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    seen[threadIdx.x] = in[i];
    float other = threadIdx.x < 32 ? 0 : seen[threadIdx.x - 32];
    out[i] = in[i] + (other < 0);
}
