// A step of Madgwick's filter for 6000 sensors: turns each quaternion by
// the rates of the gyroscope and a little towards what gravity says.
//@ param   n = 6000
//@ buffer  sensor Sensor[n] = {{1, hash(i) % 100 * 0.001, 0, 0},
//@                    {hash(i + 1) % 200 * 0.01 - 1, 0.1, 0.2},
//@                    {0.1, hash(i + 2) % 100 * 0.01, 9.6}}
//@ launch  turn<<<(n + 95) / 96, 96>>>(sensor, n, 0.1f, 0.004f)
struct Sensor {
    float q[4];
    float3 rate;
    float3 pull;
};

__global__ void turn(Sensor *sensor, int n, float beta, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    Sensor s = sensor[i];
    float w = s.q[0], x = s.q[1], y = s.q[2], z = s.q[3];
    float scale = rsqrtf(s.pull.x * s.pull.x + s.pull.y * s.pull.y +
                         s.pull.z * s.pull.z);
    float f1 = 2 * (x * z - w * y) - s.pull.x * scale;
    float f2 = 2 * (w * x + y * z) - s.pull.y * scale;
    float f3 = 1 - 2 * (x * x + y * y) - s.pull.z * scale;
    float gw = -2 * y * f1 + 2 * x * f2;
    float gx = 2 * z * f1 + 2 * w * f2 - 4 * x * f3;
    float gy = -2 * w * f1 + 2 * z * f2 - 4 * y * f3;
    float gz = 2 * x * f1 + 2 * y * f2;
    float g = beta * rsqrtf(gw * gw + gx * gx + gy * gy + gz * gz + 1e-12f);

    float3 r = s.rate;
    float nw = w + dt * (0.5f * (-x * r.x - y * r.y - z * r.z) - g * gw);
    float nx = x + dt * (0.5f * (w * r.x + y * r.z - z * r.y) - g * gx);
    float ny = y + dt * (0.5f * (w * r.y - x * r.z + z * r.x) - g * gy);
    float nz = z + dt * (0.5f * (w * r.z + x * r.y - y * r.x) - g * gz);
    float length = rsqrtf(nw * nw + nx * nx + ny * ny + nz * nz);
    sensor[i].q[0] = nw * length;
    sensor[i].q[1] = nx * length;
    sensor[i].q[2] = ny * length;
    sensor[i].q[3] = nz * length;
}
