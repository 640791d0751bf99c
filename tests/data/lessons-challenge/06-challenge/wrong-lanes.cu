// One lane of each warp loads.
//@ title   A sum
//@ launch  sum<<<n / 4, 128>>>(data, total, n)
extern "C" __global__ void sum(const int *data, int *total, int n)
{
    int i = blockIdx.x * 4 + threadIdx.x / 32;
    if (i < n && threadIdx.x % 32 == 0)
        atomicAdd(total, data[i]); // "answer lanes"
}
