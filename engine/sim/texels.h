// How many texels textures and surfaces have at most, on the GPUs that are simulated (compute capability 9.0).
#ifndef WARPBOOK_SIM_TEXELS_H
#define WARPBOOK_SIM_TEXELS_H

enum { // along each dimension; surfaces have what textures have where not said
    TEXELS_1D = 131072,
    TEXELS_2D_HIGH = 65536, // as wide as in one dimension
    TEXELS_3D = 16384,
    TEXELS_3D_OTHER = 8192, // … or so many in width and height, and as many slices as the next
    TEXELS_EDGE = 32768,    // of layers, of cubes, of what is gathered, and of surfaces in one dimension
    TEXEL_LAYERS = 2048,
    CUBE_LAYERS = 2046,
    LINEAR_TEXELS = 1 << 28, // of memory, as the device tells; a texture of memory takes up to …_MOST of them
    LINEAR_TEXELS_MOST = 1 << 30,
    LINEAR_HIGH = 65000,
    LINEAR_PITCH = 2097120, // bytes
    TEXTURE_ALIGNMENT = 512,
    TEXTURE_PITCH_ALIGNMENT = 32
};

#endif
