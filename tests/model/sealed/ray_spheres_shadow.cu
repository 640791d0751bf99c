// Casts a ray for each pixel at 40 spheres in constant memory, and one
// more to the light from the place where it hits.
//@ param   w = 640
//@ param   h = 480
//@ symbol  spheres sphere[40] = {.x = i % 8 * 1.4 - 5,
//@             .y = i / 8 * 1.7 - 3.5, .z = 6 + hash(i) % 40 * 0.1,
//@             .r = 0.4 + hash(i + 3) % 6 * 0.1}
//@ buffer  image uchar4[w * h]
//@ launch  trace<<<dim3(w / 16, h / 8), dim3(16, 8)>>>(image, w, h)
struct sphere {
    float x, y, z, r;
};
__constant__ sphere spheres[40];

// The first sphere on the ray, whose direction has the length 1; or -1.
__device__ int hit(float3 o, float3 d, float *at)
{
    int which = -1;
    for (int s = 0; s < 40; s++) {
        float x = o.x - spheres[s].x;
        float y = o.y - spheres[s].y;
        float z = o.z - spheres[s].z;
        float b = x * d.x + y * d.y + z * d.z;
        float c = x * x + y * y + z * z - spheres[s].r * spheres[s].r;
        float disc = b * b - c;
        if (disc <= 0.0f)
            continue;
        float t = -b - sqrtf(disc);
        if (t > 0.001f && t < *at) {
            *at = t;
            which = s;
        }
    }
    return which;
}

__global__ void trace(uchar4 *image, int w, int h)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;

    float3 eye = make_float3(0.0f, 0.0f, 0.0f);
    float dx = (px - w * 0.5f) / h, dy = (py - h * 0.5f) / h;
    float length = rsqrtf(dx * dx + dy * dy + 1.0f);
    float3 d = make_float3(dx * length, dy * length, length);

    float bright = 0.1f;
    float far = 1e20f;
    int s = hit(eye, d, &far);
    if (s >= 0) {
        float3 p = make_float3(far * d.x, far * d.y, far * d.z);
        float3 light = make_float3(0.57735f, -0.57735f, -0.57735f);
        float each = 1.0f / spheres[s].r;
        float cosine = ((p.x - spheres[s].x) * light.x +
                        (p.y - spheres[s].y) * light.y +
                        (p.z - spheres[s].z) * light.z) * each;
        float shadow = 1e20f;
        if (cosine > 0.0f && hit(p, light, &shadow) < 0)
            bright += 0.9f * cosine;
    }
    unsigned char v = (unsigned char)(255.0f * fminf(bright, 1.0f));
    image[py * w + px] = make_uchar4(v, v, v / 2, 255);
}
