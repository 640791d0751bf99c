// Turns the bytes of each word around, 16 bytes a thread.
//@ param   n = 1 << 21
//@ buffer  in  uint4[n] = hash(i)
//@ buffer  out uint4[n]
//@ launch  turn<<<n / 256, 256>>>(in, out)
extern "C" __global__ void turn(const uint4 *in, uint4 *out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    uint4 v = in[i];
    v.x = __byte_perm(v.x, 0, 0x0123);
    v.y = __byte_perm(v.y, 0, 0x0123);
    v.z = __byte_perm(v.z, 0, 0x0123);
    v.w = __byte_perm(v.w, 0, 0x0123);
    out[i] = v;
}
