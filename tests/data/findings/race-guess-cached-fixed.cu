// An atomic that people write themselves: its first guess is read past the L1 cache, with __ldcg().
//@ buffer total int[1] = 0
//@ launch add<<<4, 64>>>(total)
extern "C" __global__ void add(int *total)
{
    int guess = __ldcg(total), seen = atomicCAS(total, guess, guess + 1);
    while (seen != guess) {
        guess = seen;
        seen = atomicCAS(total, guess, guess + 1);
    }
}
