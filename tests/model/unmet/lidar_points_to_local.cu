// Converts returns of an airborne laser scanner, records of 20 bytes with scaled whole
// numbers, to local coordinates: packed triples of floats rotated into the site's axes,
// and the intensity as a half, corrected for the distance from the aircraft. Points
// classified as noise get intensity 0.
//@ param   n = 1500007
//@ buffer  points lidar_return[n] = {.x = hash(i) % 2000000 - 1000000,
//@             .y = hash(i + 7) % 2000000 - 1000000, .z = hash(i + 9) % 60000,
//@             .intensity = hash(i + 5) & 4095, .number = i % 3, .kind = hash(i) % 19,
//@             .seconds = i * 0.00001}
//@ buffer  local float[3 * n]
//@ buffer  brightness half[n]
//@ launch  to_local<<<(n + 191) / 192, 192>>>(points, local, brightness, 0.8, 0.6, n)
#include <cuda_fp16.h>

struct lidar_return {
    int x, y, z;
    unsigned short intensity;
    unsigned char number, kind;
    float seconds;
};

__global__ void to_local(const lidar_return *points, float *local, half *brightness,
                         float cosine, float sine, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    const float millimetres = 0.001f;
    const int noise = 7;
    lidar_return p = points[i];
    float x = p.x * millimetres, y = p.y * millimetres, z = p.z * millimetres;

    local[3 * i + 0] = cosine * x - sine * y;
    local[3 * i + 1] = sine * x + cosine * y;
    local[3 * i + 2] = z;

    // The aircraft flies along x at 60 m/s, 900 m above the ground.
    float along = x - 60.0f * p.seconds, height = 900.0f - z;
    float square = along * along + y * y + height * height;
    float corrected = p.intensity * square * (1.0f / (900.0f * 900.0f));
    brightness[i] = __float2half(p.kind == noise ? 0.0f : fminf(corrected, 60000.0f));
}
