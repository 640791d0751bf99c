// Takes every fourth number of a long row.
//@ param   n = 1 << 22
//@ buffer  in  float[4 * n] = i % 1013
//@ buffer  out float[n]
//@ launch  take<<<n / 256, 256>>>(in, out)
extern "C" __global__ void take(const float *in, float *out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[4 * i] * 0.5f;
}
