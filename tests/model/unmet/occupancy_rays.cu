// Updates a robot's map from scans with 360 beams each: cells that a beam crosses become
// less likely to be occupied, and the cell where it ends more likely. Beams step through
// the grid by the method of Bresenham and differ in length; near the robot many cross the
// same cells.
//@ param   scans = 200
//@ param   side = 1024
//@ buffer  pose float3[scans] = {400 + i, 380 + hash(i) % 200, hash(i) % 628 * 0.01}
//@ buffer  range float[scans * 360] = 15 + hash(i / 7) % 230
//@ buffer  evidence int[side * side] = 0
//@ launch  cast<<<dim3(3, scans), 128>>>(pose, range, evidence, side)
__global__ void cast(const float3 *pose, const float *range, int *evidence, int side)
{
    int beam = blockIdx.x * blockDim.x + threadIdx.x;
    if (beam >= 360)
        return;

    float3 robot = pose[blockIdx.y];
    float far = range[blockIdx.y * 360 + beam];
    float sine, cosine;
    __sincosf(robot.z + beam * 0.0174532925f, &sine, &cosine);
    int x = (int)robot.x, y = (int)robot.y;
    int end_x = (int)(robot.x + far * cosine), end_y = (int)(robot.y + far * sine);

    int dx = abs(end_x - x), dy = -abs(end_y - y);
    int step_x = x < end_x ? 1 : -1, step_y = y < end_y ? 1 : -1;
    int error = dx + dy;
    while (x != end_x || y != end_y) {
        if (x < 0 || y < 0 || x >= side || y >= side)
            return;
        atomicAdd(&evidence[y * side + x], -1);
        int twice = 2 * error;
        if (twice >= dy) {
            error += dy;
            x += step_x;
        }
        if (twice <= dx) {
            error += dx;
            y += step_y;
        }
    }
    if (x >= 0 && y >= 0 && x < side && y < side)
        atomicAdd(&evidence[y * side + x], 6);
}
