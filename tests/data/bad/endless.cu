// Never ends: the time limit must stop it, and the next run must work.
//@ buffer  flag unsigned[1] = 0
//@ launch  endless<<<1, 1>>>(flag)
extern "C" __global__ void endless(volatile unsigned *flag)
{
    while (*flag == 0)
        ;
}
