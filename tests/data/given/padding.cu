// Every member of `whole` is written, and one of `some` is not; the bytes between members have no value in either.
//@ buffer  whole cell[64]
//@ buffer  some cell[64]
//@ launch  fill<<<2, 32>>>(whole, some)
struct cell {
    char tag;
    double value;
    short count;
};
__global__ void fill(cell *whole, cell *some)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    whole[i].tag = some[i].tag = 1;
    whole[i].value = some[i].value = i;
    whole[i].count = i;
}
