// The twin that frees after the last use, and that reuses what others freed.
//@ buffer out int[8]
//@ launch keep<<<1, 8>>>(out)
extern "C" __global__ void keep(int *out)
{
    for (int round = 0; round < 2; round++) {
        int *own = (int *)malloc(3 << 19); // five fit into the heap
        if (own)
            own[threadIdx.x] = round;
        out[threadIdx.x] = own ? own[threadIdx.x] : -1;
        free(own);
    }
}
