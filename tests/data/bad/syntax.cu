// Does not compile: a semicolon is missing in line 6.
//@ buffer  x int[32] = i
//@ launch  syntax<<<1, 32>>>(x)
extern "C" __global__ void syntax(int *x)
{
    x[threadIdx.x] = 1
    x[0] = undeclared;
}
