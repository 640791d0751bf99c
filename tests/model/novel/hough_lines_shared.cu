// Votes of edge points for lines, Hough's transform: a block has an angle
// and a part of the points, and counts the distances in shared memory.
//@ param   points = 24000
//@ param   angles = 180
//@ param   bins = 1024
//@ buffer  xy    short2[points] = {hash(i) % 700, hash(i + 9) % 700}
//@ buffer  votes int[angles * bins] = 0
//@ launch  hough<<<dim3(angles, 4), 256, bins * 4>>>(xy, points, votes, bins)
__global__ void hough(const short2 *xy, int points, int *votes, int bins)
{
    extern __shared__ int count[];

    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        count[b] = 0;
    __syncthreads();

    float s, c;
    sincospif(blockIdx.x / 180.0f, &s, &c);
    int each = (points + gridDim.y - 1) / gridDim.y;
    int end = min(points, (int)(blockIdx.y + 1) * each);
    for (int i = blockIdx.y * each + threadIdx.x; i < end;
         i += blockDim.x) {
        short2 p = xy[i];
        int rho = __float2int_rn((p.x * c + p.y * s) * 0.5f) + bins / 2;
        if (rho >= 0 && rho < bins)
            atomicAdd(&count[rho], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        if (count[b] > 0)
            atomicAdd(&votes[blockIdx.x * bins + b], count[b]);
}
