// Adds by an exchange of what was there: between the two, another thread may have added too.
//@ buffer total unsigned[4] = 0
//@ launch add<<<2, 64>>>(total)
extern "C" __global__ void add(unsigned *total)
{
    unsigned *p = total + threadIdx.x % 4;
    unsigned old = *p;
    atomicExch(p, old + 1);
}
