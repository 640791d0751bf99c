// One thread follows a list that jumps about in two megabytes.
//@ param   n = 1 << 19
//@ param   hops = 600
//@ buffer  next int[n] = i * 1103515245 + 12345 & (n - 1)
//@ buffer  last int[1]
//@ launch  chase<<<1, 1>>>(next, hops, last)
extern "C" __global__ void chase(const int *next, int hops, int *last)
{
    int at = 0;
    for (int hop = 0; hop < hops; hop++)
        at = next[at];
    *last = at;
}
