// What a sampled block stored last, whether that was recorded or not: a later load finds it in L2.
#ifndef WARPBOOK_OWN_STORES_H
#define WARPBOOK_OWN_STORES_H

#include "engine/sim/machine/sample.h"

INLINE uint64_t *own_line(const struct warp *warp, uint64_t line)
{
    const size_t lines = warp->sample->own_lines;
    return &warp->recorder->own[(line * 0x9e3779b97f4a7c15ull >> 32) & (lines - 1)];
}

INLINE void own_store(const struct warp *warp, uint64_t line, unsigned sectors)
{
    uint64_t *own = own_line(warp, line);
    *own = (*own >> 4 == line ? *own : line << 4) | sectors;
}

INLINE bool own_has(const struct warp *warp, uint64_t line, unsigned sectors)
{
    const uint64_t own = *own_line(warp, line);
    return own >> 4 == line && (own & sectors) == sectors;
}

// Whether what the access stores is noted as the block's own.
INLINE bool own_is_noted(const struct warp *warp, unsigned kind)
{
    return kind & SAMPLE_STORED && warp->recorder && warp->recorder->own;
}

// Tells the step that is recorded which of the lines that it loads are the block's own.
INLINE void own_load(const struct warp *warp, unsigned kind, uint64_t line, unsigned sectors)
{
    const struct recorder *recorder = warp->recorder;
    if (kind != SAMPLE_LOADED || !recorder->own || !recorder->into->step_count)
        return;
    struct sim_step *step = &recorder->into->steps[recorder->into->step_count - 1];
    if (step->stored < step->touches && own_has(warp, line, sectors))
        step->stored++;
}

#endif
