// Memory is read after it was freed.
//@ buffer out int[32]
//@ launch keep<<<1, 32>>>(out)
extern "C" __global__ void keep(int *out)
{
    int *own = (int *)malloc(sizeof(int));
    *own = threadIdx.x;
    free(own);
    out[threadIdx.x] = *own;
}
