// y = x, turned round. "answer needless"
//@ title   Turn round
//@ buffer  x int[32] = i
//@ buffer  y int[32]
//@ launch  turn<<<1, 32>>>(x, y)
extern "C" __global__ void turn(const int *x, int *y)
{
    __shared__ int tile[32];
    int i = threadIdx.x;
    //@order
}
