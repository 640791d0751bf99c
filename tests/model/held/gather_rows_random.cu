// Looks up rows of eight floats in a large table, as an embedding does:
// two threads a row.
//@ param   rows = 1 << 21
//@ param   n = 1 << 19
//@ buffer  table float4[2 * rows] = i % 77
//@ buffer  ids   int[n] = hash(i) % rows
//@ buffer  out   float4[2 * n]
//@ launch  look_up<<<2 * n / 256, 256>>>(table, ids, out)
extern "C" __global__ void look_up(const float4 *__restrict__ table,
                                   const int *__restrict__ ids,
                                   float4 *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = ids[i / 2];
    out[i] = table[2 * row + i % 2];
}
