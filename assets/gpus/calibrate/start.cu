// Kernels that do nothing: what a launch, a block and a warp cost by being started.
//@ param  blocks = 1
//@ param  threads = 32
//@ launch empty<<<blocks, threads>>>()
extern "C" __global__ void empty(void)
{
}
