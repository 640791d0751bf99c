// Reads a double from an address that is no multiple of 8.
//@ buffer  x char[1024] = 0
//@ launch  misaligned<<<1, 1>>>(x)
extern "C" __global__ void misaligned(char *x)
{
    *(double *)(x + 1) += 1;
}
