// The memory of a simulation. What grows with a kernel, its launch or its data is taken from one budget, by what it is
// taken for, so that a launch that wants too much is refused or stopped with a sentence that says what took it. What
// has a small bound of its own (findings, the tables of a read) is taken from the system.
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
    size_t limit; // bytes; 0: what the system gives
    atomic_size_t used, of[TAKERS];
    atomic_bool refused; // somebody did not get what the simulation cannot go on without
    atomic_bool told;    // and a finding says so
};

void budget_start(struct budget *budget, size_t limit); // for what comes now; what was taken before counts
// Zeroed, aligned to 64 bytes; NULL, and `refused`, when that is too much.
void *budget_take(struct budget *budget, enum taker taker, size_t bytes);
// The same for what can be done without: it gets no more than half of what is left, and NULL is no refusal.
void *budget_spare(struct budget *budget, enum taker taker, size_t bytes);
// More room for what was taken, or NULL, and then the old one stays. It has moved; what is new is zero. `taken` may be
// NULL.
void *budget_more(struct budget *budget, enum taker taker, void *taken, size_t bytes);
void *budget_spare_more(struct budget *budget, enum taker taker, void *taken, size_t bytes);
void budget_give(struct budget *budget, void *taken); // NULL is nothing
// Bytes that a piece of so many takes.
size_t budget_piece(size_t bytes);
size_t budget_left(const struct budget *budget);

// ---- in words ----

enum { BYTES_ROOM = 32 };
const char *say_bytes(size_t bytes, char out[BYTES_ROOM]); // "8.6 GiB"
// What took the most: "the registers of the running functions", and what can be done about it, a sentence.
enum taker budget_most(const size_t of[TAKERS]);
const char *taker_words(enum taker taker);
const char *taker_advice(enum taker taker);

#endif
