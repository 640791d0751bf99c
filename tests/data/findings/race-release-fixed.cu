// One block hands data to the other: what comes before the release is there after the acquire.
//@ buffer flag int[1] = 0
//@ buffer data int[1] = 0
//@ buffer out int[1]
//@ launch hand<<<2, 1>>>(flag, data, out)
extern "C" __global__ void hand(int *flag, int *data, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 7;
        asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
    } else {
        int there;
        do
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(there) : "l"(flag) : "memory");
        while (!there);
        out[0] = data[0];
    }
}
