// A counter is read, changed and written in lines of their own.
//@ buffer count int[1] = 0
//@ launch tally<<<4, 32>>>(count)
extern "C" __global__ void tally(int *count)
{
    if (threadIdx.x == 0) {
        int old = *count;
        int more = old + 1;
        *count = more;
    }
}
