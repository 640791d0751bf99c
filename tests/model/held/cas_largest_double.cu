// The largest double in each of 4096 groups; there is no atomicMax for
// doubles, so a loop of compare-and-swap does it.
//@ param   n = 1 << 18
//@ buffer  value double[n] = hash(i) % 65536
//@ buffer  group int[n] = hash(i + n) & 4095
//@ buffer  top   unsigned long long[4096] = 0
//@ launch  largest<<<n / 128, 128>>>(value, group, top)
extern "C" __global__ void
largest(const double *value, const int *group, unsigned long long *top)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double mine = value[i];
    unsigned long long *word = &top[group[i]];
    unsigned long long seen = 0, before;
    do {
        before = seen;
        if (__longlong_as_double(before) >= mine)
            break;
        seen = atomicCAS(word, before, __double_as_longlong(mine));
    } while (seen != before);
}
