// A thread for each int.
//@ title   A sum
//@ launch  sum<<<n / 128, 128>>>(data, total, n)
extern "C" __global__ void sum(const int *data, int *total, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        atomicAdd(total, data[i]); // "answer each"
}
