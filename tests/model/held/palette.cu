// Turns bytes into colours by a table of 256 that all threads share.
//@ param   n = 1 << 20
//@ buffer  pixels uchar4[n] = hash(i / 5) >> 24
//@ buffer  table  float[256] = i * 0.00390625
//@ buffer  out    float4[n]
//@ launch  colour<<<n / 256, 256>>>(pixels, table, out)
extern "C" __global__ void colour(const uchar4 *__restrict__ pixels,
                                  const float *__restrict__ table,
                                  float4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 p = pixels[i];
    out[i] =
        make_float4(table[p.x], table[p.y], table[p.z], table[p.w]);
}
