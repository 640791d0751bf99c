// Adds by a compare and swap: what the first load brings is only a guess, which the swap tries.
//@ buffer total unsigned[4] = 0
//@ launch add<<<2, 64>>>(total)
extern "C" __global__ void add(unsigned *total)
{
    unsigned *p = total + threadIdx.x % 4;
    unsigned old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, seen + 1);
    } while (old != seen);
}
