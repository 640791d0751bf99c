// How long a text may be read. What takes time beyond its length (names looked up among many, the ways through a large
// graph) asks now and then whether that is over, so that no text holds anybody up for long.
#include "engine/sim/ptx/ptx.h"

#include <time.h>

enum { ASK = 64 }; // calls from one look at the clock to the next

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

void patience_start(struct patience *patience)
{
    *patience = (struct patience){ .end = now() + READ_SECONDS };
}

bool patience_over(struct patience *patience)
{
    if (!patience->over && ++patience->asked % ASK == 0)
        patience->over = now() > patience->end;
    return patience->over;
}
