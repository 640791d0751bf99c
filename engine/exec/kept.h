// The file in which a program leaves one of its launches, for `warpbook exec --step`: engine/exec/keep.c writes it when
// the launch is about to begin, engine/run/kept.c makes memory of it again. It is read by the same build on the same
// machine: pieces, each a head and as many bytes as it says.
#ifndef WARPBOOK_EXEC_KEPT_H
#define WARPBOOK_EXEC_KEPT_H

#include <stdint.h>

enum { KEPT_FAILED = 74 }; // exit status of a program whose launch could not be written: EX_IOERR
#define KEPT_MAGIC "warpbook launch 1\n" // what the file begins with

enum kept_kind {
    KEPT_LAUNCH,   // a struct kept_launch
    KEPT_KERNEL,   // its name in PTX
    KEPT_FILE,     // of the source, as the PTX says; "": not known
    KEPT_PTX,      // the module's text
    KEPT_ARGUMENT, // of the kernel, one after the other
    KEPT_BUFFER, // its name; memory of `size` bytes at `address`, in elements of `element`; has content if `filled`
    KEPT_CONTENT,  // bytes at an address of the buffer before
    KEPT_VARIABLE, // the name of one of the module
    KEPT_VALUE,    // its bytes
    KEPT_IMAGE, // a struct kept_image, one for each texture and surface object in the order of their handles
    KEPT_END    // nothing: all is there
};
struct kept_piece {
    uint32_t kind, element;
    uint64_t address, size;
    uint64_t bytes; // that follow
    uint32_t filled, pad;
};
struct kept_launch {
    uint64_t number; // of the program's launches, from 1
    uint32_t grid[3], block[3], cluster[3], shared_bytes, cooperative, pad;
};
struct kept_image { // a struct sim_image
    uint64_t at, pitch, slice;
    uint32_t width, height, depth, layers;
    uint32_t surface, cube, linear, normalised, unit, destroyed;
    uint32_t kind, channels, bits, edge[3];
    uint32_t srgb, levels, level_linear, seamless, pad;
    float border[4], level_bias, level_least, level_most;
};

#endif
