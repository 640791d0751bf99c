// What malloc gives has no value yet.
//@ buffer out int[32]
//@ launch sum<<<1, 32>>>(out)
extern "C" __global__ void sum(int *out)
{
    int *own = (int *)malloc(2 * sizeof(int));
    own[0] = 1;
    out[threadIdx.x] = own[0] + own[1];
    free(own);
}
