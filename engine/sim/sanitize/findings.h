// What findings.c and findings_merge.c share: the causes that were found so far.
#ifndef WARPBOOK_SIM_SANITIZE_FINDINGS_H
#define WARPBOOK_SIM_SANITIZE_FINDINGS_H

#include <pthread.h>

#include "engine/sim/sanitize/sanitize.h"

struct cause { // reports of one cause
    struct sim_finding finding;
    const struct op *op, *other;
    uint64_t position; // of the block that the finding tells of
    bool near;         // of a race: both sides always stood in the function that ran
    // At the end:
    bool follows;        // from another cause, and is not reported
    bool joined;         // another finding tells of it
    uint64_t more;       // the counts of those that it tells of
    unsigned more_lines; // of those that go on where it ends, and where the last of them is
    const struct op *last;
};
enum { SLOTS_BITS = 11 };
struct findings {
    pthread_mutex_t lock;
    struct cause *groups;
    size_t count, room;
    uint16_t slots[1 << SLOTS_BITS]; // number of the group plus 1, by hash
};
uint64_t place_of(const struct op *op); // its line, of the PTX when the source's is unknown; in order

// ---- findings_merge.c ----

void findings_join(struct findings *findings);                          // marks those that follow from others
void finding_whole(const struct cause *group, struct sim_finding *out); // with what is said of those

#endif
