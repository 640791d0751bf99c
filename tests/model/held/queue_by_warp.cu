// Puts the indices of odd numbers into a queue; a warp asks for its
// places with one atomic addition.
//@ param   n = 1 << 21
//@ buffer  x     int[n] = hash(i) & 0xffff
//@ buffer  queue int[n] = 0
//@ buffer  tail  int[1] = 0
//@ launch  enqueue<<<n / 256, 256>>>(x, queue, tail)
extern "C" __global__ void enqueue(const int *x, int *queue, int *tail)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned odd = __ballot_sync(0xffffffffu, x[i] & 1);
    int first = 0;
    if (lane == 0)
        first = atomicAdd(tail, __popc(odd));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (odd >> lane & 1)
        queue[first + __popc(odd & ((1u << lane) - 1))] = i;
}
