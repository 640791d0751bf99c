// The time that reading a text may take. Loops whose time grows faster than the text (label lookup, data flow on a
// large graph) ask now and then whether the deadline has passed, so that no text can hold the reader up.
#include "engine/sim/ptx/ptx.h"

#include <time.h>

enum { CALLS_PER_LOOK = 64 }; // from one look at the clock to the next

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

void deadline_start(struct deadline *deadline)
{
    *deadline = (struct deadline){ .end = now() + READ_SECONDS };
}

bool deadline_passed(struct deadline *deadline)
{
    if (!deadline->passed && ++deadline->calls % CALLS_PER_LOOK == 0)
        deadline->passed = now() > deadline->end;
    return deadline->passed;
}
