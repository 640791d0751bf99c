// The softmax of rows of 1024: a block a row, its largest and its sum by warps.
//@ param   rows = 2048
//@ buffer  x float[rows * 1024] = i % 19
//@ launch  soften<<<rows, 256>>>(x)
extern "C" __global__ void soften(float *x)
{
    __shared__ float part[8];
    float *row = x + blockIdx.x * 1024;
    int t = threadIdx.x;
    float v[4], most = -1e30f, sum = 0;
    for (int k = 0; k < 4; k++) {
        v[k] = row[t + 256 * k];
        most = fmaxf(most, v[k]);
    }
    for (int d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (t % 32 == 0)
        part[t / 32] = most;
    __syncthreads();
    for (int k = 0; k < 8; k++)
        most = fmaxf(most, part[k]);
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        v[k] = __expf(v[k] - most);
        sum += v[k];
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += part[k];
    for (int k = 0; k < 4; k++)
        row[t + 256 * k] = v[k] / sum;
}
