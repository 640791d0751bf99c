// One lane follows a list of 8192 that lies across 4 MB.
//@ param   n = 1 << 20
//@ buffer  next int[n] = (i + 99328) & (n - 1)
//@ buffer  out int[n]
//@ launch  k<<<n / 256, 256>>>(next, out)
extern "C" __global__ void k(const int *next, int *out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i == 300000) {
        int at = i;
        for (int j = 0; j < 8192; j++)
            at = next[at];
        out[i] = at;
    } else
        out[i] = i;
}
