// Reports that repeat, which are only counted (findings.c): a kernel that is started for the wrong size makes millions.
#ifndef WARPBOOK_SIM_FINDINGS_H
#define WARPBOOK_SIM_FINDINGS_H

#include "engine/sim/sanitize/sanitize.h"

// What decides, together with the instruction, which buffer a report names; `place` is not 0.
struct finding_place {
    const struct op *op;
    enum sim_kind kind;
    uint64_t place;
};
// Adds `count` to the error that was reported there. False: none is remembered, or this block's describes it better.
bool finding_count(struct warp *warp, const struct finding_place *at, unsigned count);
// Remembers the report, which finding_add was given.
void finding_remember(struct warp *warp, const struct finding_place *at, const struct finding_report *report);

#endif
