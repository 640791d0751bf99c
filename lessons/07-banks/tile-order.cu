// A block transposes a tile: put the lines that do it in order.
//@ title   Lines in order
//@ needs   rows % 32 == 0
//@ needs   cols % 32 == 0
//@ launch  lines<<<dim3(cols / 32, rows / 32), dim3(32, 32)>>>(in, out)
extern "C" __global__ void lines(const float *__restrict__ in,
                                 float *__restrict__ out)
{
    int rows = gridDim.y * 32, cols = gridDim.x * 32;
    int from = (blockIdx.y * 32 + threadIdx.y) * cols +
               blockIdx.x * 32 + threadIdx.x;
    int to = (blockIdx.x * 32 + threadIdx.y) * rows + blockIdx.y * 32 +
             threadIdx.x;

    //@order
}
