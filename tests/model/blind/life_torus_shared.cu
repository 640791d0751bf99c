// Two generations of the Game of Life on a torus, a byte to a cell,
// with a tile and its rim in shared memory.
//@ param   w = 3072
//@ param   h = 2048
//@ buffer  a unsigned char[w * h] = hash(i) % 3 == 0
//@ buffer  b unsigned char[w * h]
//@ launch  life<<<dim3(w / 32, h / 16), dim3(32, 16)>>>(a, b, w, h)
//@ launch  life<<<dim3(w / 32, h / 16), dim3(32, 16)>>>(b, a, w, h)
typedef unsigned char u8;

__global__ void life(const u8 *old_world, u8 *new_world, int w, int h)
{
    __shared__ u8 cell[18][34];

    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    int left = x == 0 ? w - 1 : x - 1;
    int right = x == w - 1 ? 0 : x + 1;
    int up = y == 0 ? h - 1 : y - 1;
    int down = y == h - 1 ? 0 : y + 1;

    cell[ty][tx] = old_world[y * w + x];
    if (tx == 1)
        cell[ty][0] = old_world[y * w + left];
    if (tx == 32)
        cell[ty][33] = old_world[y * w + right];
    if (ty == 1) {
        cell[0][tx] = old_world[up * w + x];
        if (tx == 1)
            cell[0][0] = old_world[up * w + left];
        if (tx == 32)
            cell[0][33] = old_world[up * w + right];
    }
    if (ty == 16) {
        cell[17][tx] = old_world[down * w + x];
        if (tx == 1)
            cell[17][0] = old_world[down * w + left];
        if (tx == 32)
            cell[17][33] = old_world[down * w + right];
    }
    __syncthreads();

    int alive = cell[ty - 1][tx - 1] + cell[ty - 1][tx] +
                cell[ty - 1][tx + 1] + cell[ty][tx - 1] +
                cell[ty][tx + 1] + cell[ty + 1][tx - 1] +
                cell[ty + 1][tx] + cell[ty + 1][tx + 1];
    new_world[y * w + x] = alive == 3 || (alive == 2 && cell[ty][tx]);
}
