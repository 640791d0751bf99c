// Eight kernels that do nothing, one after the other: beside start.cu, what each further launch costs.
//@ launch empty<<<1, 32>>>()
//@ launch empty<<<1, 32>>>()
//@ launch empty<<<1, 32>>>()
//@ launch empty<<<1, 32>>>()
//@ launch empty<<<1, 32>>>()
//@ launch empty<<<1, 32>>>()
//@ launch empty<<<1, 32>>>()
//@ launch empty<<<1, 32>>>()
extern "C" __global__ void empty(void)
{
}
