// One int more than malloc gave.
//@ buffer out int[64]
//@ launch fill<<<1, 64>>>(out)
extern "C" __global__ void fill(int *out)
{
    int *own = (int *)malloc(4 * sizeof(int));
    for (int i = 0; i <= 4; i++)
        own[i] = i;
    out[threadIdx.x] = own[3];
    free(own);
}
