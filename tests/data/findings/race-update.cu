// Every thread adds to one sum: what others add between its reading and its writing is lost.
//@ buffer x int[64] = i
//@ buffer sum int[1] = 0
//@ launch add<<<1, 64>>>(x, sum)
extern "C" __global__ void add(const int *x, int *sum)
{
    *sum += x[threadIdx.x];
}
