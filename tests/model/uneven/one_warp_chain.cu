// One warp of the middle goes through a long chain of products; the others through a short one.
//@ param   n = 1 << 18
//@ buffer  out float[n]
//@ launch  k<<<n / 128, 128>>>(out)
extern "C" __global__ void k(float *out)
{
    int i = blockIdx.x * 128 + threadIdx.x, rounds = i / 32 == 4000 ? 60000 : 60;
    float x = i;
    for (int j = 0; j < rounds; j++)
        x = x * 0.999f + 1;
    out[i] = x;
}
