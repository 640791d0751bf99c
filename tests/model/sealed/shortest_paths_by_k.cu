// Four steps of Floyd and Warshall: shortest ways between all towns by
// way of one more town each, and which town that was.
//@ param   n = 1100
//@ buffer  far float[n * n] = 1 + hash(i) % 1000
//@ buffer  via int[n * n] = -1
//@ for     (k = 0; k < 4; k = k + 1)
//@ launch  relax<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(
//@             far, via, n, k)
//@ end
__global__ void relax(float *far, int *via, int n, int k)
{
    int to = blockIdx.x * blockDim.x + threadIdx.x;
    int from = blockIdx.y * blockDim.y + threadIdx.y;
    if (to >= n || from >= n || to == k || from == k)
        return;

    float way = far[from * n + k] + far[k * n + to];
    if (way < far[from * n + to]) {
        far[from * n + to] = way;
        via[from * n + to] = k;
    }
}
