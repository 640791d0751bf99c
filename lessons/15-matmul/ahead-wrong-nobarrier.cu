// Nobody waits for the others.
//@ title   Two tiles
//@ needs   n % 16 == 0
//@ launch  multiply<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n)
// Starts a copy of 4 bytes to shared memory; the thread goes on.
__device__ void copyFour(float *to, const float *from)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :
                 : "r"(at), "l"(from)
                 : "memory");
}

extern "C" __global__ void multiply(const float *__restrict__ a,
                                    const float *__restrict__ b,
                                    float *__restrict__ c, int n)
{
    __shared__ float tileA[2][16][16], tileB[2][16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * 16 + x;
    int row = blockIdx.y * 16 + y;

    copyFour(&tileA[0][y][x], &a[row * n + x]);
    copyFour(&tileB[0][y][x], &b[y * n + col]);
    float sum = 0;
    for (int first = 0, used = 0; first < n; first += 16) {
        asm volatile("cp.async.wait_all;" ::: "memory");
        if (first + 16 < n) {
            copyFour(&tileA[1 - used][y][x],
                     &a[row * n + first + 16 + x]);
            copyFour(&tileB[1 - used][y][x],
                     &b[(first + 16 + y) * n + col]);
        }
        for (int k = 0; k < 16; k++)
            sum += tileA[used][y][k] * tileB[used][k][x];
        used = 1 - used;
    }
    c[row * n + col] = sum;
}
