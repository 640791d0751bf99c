// Textures and surfaces: what a handle says of texels in a buffer, which texels a fetch takes, and what it makes of them.
#ifndef WARPBOOK_SIM_IMAGE_H
#define WARPBOOK_SIM_IMAGE_H

#include "engine/sim/machine/machine.h"

struct image {
    struct sim_image is;
    bool removed;
};
const struct image *image_find(const struct sim_memory *memory, uint64_t handle); // NULL: no handle
unsigned image_texel_bytes(const struct sim_image *image);
uint64_t image_bytes(const struct sim_image *image); // from its first texel to the end of its last

enum image_shape { IMAGE_1D, IMAGE_2D, IMAGE_3D, IMAGE_CUBE };
enum image_level { LEVEL_FIRST, LEVEL_GIVEN, LEVEL_BY_SLOPES };
struct image_place { // where a lane fetches
    enum image_shape shape;
    float at[3];
    int32_t layer, index; // index: of an element, without coordinates between elements
    bool whole;           // `index` counts, not `at`
    enum image_level how; // its level of a mipmap is found
    float level;          // LEVEL_GIVEN
    // LEVEL_BY_SLOPES: how coordinates change to the pixel beside, and to the one below
    float slope[2][3];
};
enum { LEVEL_TAPS = 8, IMAGE_TAPS = 2 * LEVEL_TAPS };
struct image_taps {
    unsigned count;
    uint64_t offset[IMAGE_TAPS]; // bytes from the first texel
    bool border[IMAGE_TAPS];     // the border's colour instead
    int weight[IMAGE_TAPS];      // in 1/256; all together 256
};
// `gather`: the four texels that a linear filter would take, in the order that a gather returns them.
void image_find_taps(const struct sim_image *image, const struct image_place *place, bool gather,
                     struct image_taps *out);
// ---- cube.c: faces are numbered as their layers are --------------------------------------------------

// The face that a direction meets, and where, from 0 to 1.
uint32_t cube_face(const float direction[3], float at[2]);
// A texel that lies beyond one edge of a face is one of the face beside it. `size`: texels along an edge.
void cube_over_edge(uint32_t size, uint32_t *face, int32_t index[2]);

// ---- image.c again ------------------------------------------------------------------------------------

// The four channels of a fetch, as the bits of 32-bit values. `texels`: the first texel.
void image_fetch(const struct sim_image *image, const unsigned char *texels, const struct image_taps *taps,
                 uint32_t out[4]);
void image_gather(const struct sim_image *image, const unsigned char *texels, const struct image_taps *taps,
                  unsigned channel, uint32_t out[4]);

#endif
