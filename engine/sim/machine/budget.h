// The memory of a simulation. Everything that grows with a kernel, its launch or its data is taken from one budget and
// labelled by purpose, so that a launch that needs too much is refused or stopped with a sentence that names what took the
// memory. What has a small bound of its own (findings, tables of a parse) comes from the system.
#ifndef WARPBOOK_SIM_BUDGET_H
#define WARPBOOK_SIM_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum taker {
    FOR_REGISTERS, // and parameters, of running functions
    FOR_LOCAL,
    FOR_SHARED,
    FOR_COUNTERS,
    FOR_CHECKS,
    FOR_TEXT, // that kernels print
    FOR_VARIABLES,
    FOR_TRACE,
    TAKERS
};
struct budget {
    size_t limit; // bytes; 0: no limit but the system's
    atomic_size_t used, of[TAKERS];
    atomic_bool refused; // an allocation that the simulation needs has failed
    atomic_bool told;    // a finding reports that
};

void budget_start(struct budget *budget, size_t limit); // starts a launch; what was taken before counts
// Zeroed and aligned to 64 bytes; NULL, with `refused` set, when it exceeds the limit.
void *budget_take(struct budget *budget, enum taker taker, size_t bytes);
// Memory that the simulation can do without: at most half of what is left, and NULL does not set `refused`.
void *budget_spare(struct budget *budget, enum taker taker, size_t bytes);
// Grows an allocation, which moves; the added bytes are zero. NULL: it stays as it was. `taken` may be NULL.
void *budget_more(struct budget *budget, enum taker taker, void *taken, size_t bytes);
void *budget_spare_more(struct budget *budget, enum taker taker, void *taken, size_t bytes);
void budget_give(struct budget *budget, void *taken); // NULL is allowed
// The bytes that an allocation of this size takes from the budget.
size_t budget_piece(size_t bytes);
size_t budget_left(const struct budget *budget);

// ---- in words ----

enum { BYTES_ROOM = 32 };
const char *budget_say_bytes(size_t bytes, char out[BYTES_ROOM]); // "8.6 GiB"
enum taker budget_most(const size_t of[TAKERS]);                  // the purpose that took the most
struct budget_purpose {
    const char *words, *advice; // "shared memory", "Use less shared memory"
};
struct budget_purpose budget_purpose(enum taker taker);

#endif
