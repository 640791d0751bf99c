// How many steps each number takes until it is 1: warps wait for their slowest lane.
//@ param   n = 1 << 18
//@ buffer  steps int[n]
//@ launch  follow<<<n / 128, 128>>>(steps)
extern "C" __global__ void follow(int *steps)
{
    unsigned i = blockIdx.x * 128 + threadIdx.x, x = i + 1;
    int count = 0;
    while (x != 1 && count < 400) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        count++;
    }
    steps[i] = count;
}
