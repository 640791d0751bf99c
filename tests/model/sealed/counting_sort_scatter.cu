// The last step of sorting particles into 4096 cells: each asks for the
// next place in its cell and is written there, 16 bytes of it.
//@ param   n = 1500000
//@ param   room = 512
//@ buffer  particle float4[n] = hash(i) % 4096
//@ buffer  cursor   int[4096] = i * room
//@ buffer  sorted   float4[4096 * room] = 0
//@ launch  scatter<<<(n + 255) / 256, 256>>>(particle, cursor, sorted, n,
//@                                           room)
__global__ void scatter(const float4 *particle, int *cursor,
                        float4 *sorted, int n, int room)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    float4 p = particle[i];
    int cell = (int)p.x & 4095;
    int at = atomicAdd(&cursor[cell], 1);
    if (at < (cell + 1) * room)
        sorted[at] = p;
}
