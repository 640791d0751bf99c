// The faces of a cube: +x, -x, +y, -y, +z, -z, in which a direction from its middle meets one.
#include "engine/sim/machine/image.h"

#include <math.h>

uint32_t cube_face(const float direction[3], float at[2])
{
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    float s, t, most;
    uint32_t face;
    if (az >= ax && az >= ay) {
        face = z >= 0 ? 4 : 5;
        most = az;
        s = z >= 0 ? x : -x;
        t = -y;
    } else if (ay >= ax) {
        face = y >= 0 ? 2 : 3;
        most = ay;
        s = x;
        t = y >= 0 ? z : -z;
    } else {
        face = x >= 0 ? 0 : 1;
        most = ax;
        s = x >= 0 ? -z : z;
        t = -y;
    }
    most = most > 0 ? most : 1; // no direction leads to the middle of a face
    at[0] = (s / most + 1) / 2;
    at[1] = (t / most + 1) / 2;
    return face;
}

static void find_direction(uint32_t face, float s, float t, float out[3])
{
    const float side = face % 2 ? -1 : 1;
    const unsigned axis = face / 2;
    out[axis] = side;
    out[axis == 0 ? 2 : 0] = axis == 0 ? -side * s : axis == 1 ? s : side * s;
    out[axis == 1 ? 2 : 1] = axis == 1 ? side * t : -t;
}

void cube_over_edge(uint32_t size, uint32_t *face, int32_t index[2])
{
    const float n = (float)size;
    float direction[3], at[2];
    find_direction(*face, (2 * (float)index[0] + 1) / n - 1, (2 * (float)index[1] + 1) / n - 1, direction);
    *face = cube_face(direction, at);
    for (int d = 0; d < 2; d++) {
        const int32_t there = (int32_t)floorf(at[d] * n);
        index[d] = there < (int32_t)size ? there : (int32_t)size - 1;
    }
}
