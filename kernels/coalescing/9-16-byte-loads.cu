// Each thread takes four neighbouring columns, so a warp asks for 512
// bytes at once instead of 128. Lanes still read side by side: all 16
// sectors of a request are used in full.
//@ title   16-byte loads
//@ why     A quarter of the instructions for the same bytes, and more
//@ why     bytes in flight for each load.
//@ needs   n % 128 == 0
//@ launch  coalescing_16_byte_loads<<<(n / 128 + 255) / 256, 256>>>(
//@             x, out, n / 128)
//@ owner   out <<<i / 4 / 256, i / 4 % 256>>>
extern "C" __global__ void
coalescing_16_byte_loads(const float4 *__restrict__ x,
                         float4 *__restrict__ out, int columns)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;

    float4 sum = make_float4(0, 0, 0, 0);
    for (int row = 0; row < 32; row++) {
        float4 four = x[row * columns + j];
        sum.x += four.x;
        sum.y += four.y;
        sum.z += four.z;
        sum.w += four.w;
    }
    out[j] = sum;
}
