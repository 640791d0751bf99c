// Lays one picture with transparency over another, 1024 x 768 pixels of four bytes.
//@ param   w = 1024
//@ param   h = 768
//@ buffer  over  uchar4[w * h] = hash(i) & 255
//@ buffer  under uchar4[w * h] = hash(i / 7) & 255
//@ launch  blend<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(over, under, w)
__device__ unsigned char mix(int a, int b, int alpha)
{
    return (a * alpha + b * (255 - alpha) + 127) / 255;
}

__global__ void blend(const uchar4 *over, uchar4 *under, int w)
{
    int at = (blockIdx.y * blockDim.y + threadIdx.y) * w + blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 o = over[at], u = under[at];
    u.x = mix(o.x, u.x, o.w);
    u.y = mix(o.y, u.y, o.w);
    u.z = mix(o.z, u.z, o.w);
    u.w = max(o.w, u.w);
    under[at] = u;
}
