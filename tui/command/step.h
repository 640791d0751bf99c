// Stepping: what the commands of `warpbook sim --step` show. step.c reads and moves, step_show.c writes.
#ifndef WARPBOOK_STEP_H
#define WARPBOOK_STEP_H

#include "engine/sim/sim.h"
#include "tui/tui.h"

struct stepping {
    const struct sim_trace *trace;
    const char *file, *source; // source: NULL for a file that is PTX
    struct text out;           // cleaned before it is printed
};
void step_where(struct stepping *s);
void step_lanes(struct stepping *s);
void step_register(struct stepping *s, const char *name);
void step_registers(struct stepping *s);
void step_access(struct stepping *s);
void step_shared(struct stepping *s, size_t from, size_t count);
void step_stack(struct stepping *s);
void step_warps(struct stepping *s);
void step_finding(struct stepping *s, const struct sim_finding *finding);

#endif
