// The scheduler: launches, blocks, warps, their SIMT stacks and barriers.
#ifndef WARPBOOK_SIM_SCHEDULE_H
#define WARPBOOK_SIM_SCHEDULE_H

#include <stdio.h>

#include "engine/sim/sanitize/sanitize.h"

// ---- turn.c, execute.c, simt.c, call.c: one warp, its SIMT stack and its calls ----

// The turn of a warp. With `goes_on` that of the next warp of its block may follow when it waits at a barrier, and `warp` is then
// the last one that ran.
struct warp_turn {
    struct warp *warp;
    bool goes_on;
    uint64_t handed; // instructions that the ones before it executed
};
// Runs the warp until it waits, exits or has executed `budget` warp instructions; returns how many the turn executed.
uint64_t warp_run(struct warp_turn *turn, uint64_t budget);
void warp_expand(struct warp *warp);                    // fills `lanes` from `active`
void warp_end_lanes(struct warp *warp, uint32_t lanes); // stops these lanes
enum { PATHS_FIRST = 16 };                              // first capacity of a warp's SIMT stack
bool simt_push(struct warp *warp, struct simt_path path);
void simt_load(struct warp *warp);   // pops finished entries, then selects the path that runs
bool simt_rotate(struct warp *warp); // makes another runnable path the top; false: there is none

// What a call of a built-in function passes, and what it returns, in one lane.
uint64_t call_argument(const struct warp *warp, const struct op *op, int index, int lane, size_t bytes);
void call_result(struct warp *warp, const struct op *op, int lane, uint64_t value, size_t bytes);

// ---- barrier.c ----

// False: the warp waits.
bool barrier_reach(struct warp *warp, const struct op *op);
// The same for a warp whose lanes that have not exited all arrive. True: it waits, as the usual warp does: for all of the block,
// and it is not the last. False: nothing has been done.
bool barrier_joined(struct warp *warp, const struct op *op);
void barrier_settle(struct block *block); // after a warp has exited: completes barriers that waited for it
void barrier_report_stuck(struct thread_state *thread); // of the blocks that run together, none can go on

// True: the lanes have converged (warp->active). False: the path is parked and another one is the top.
bool barrier_gather_lanes(struct warp *warp, const struct op *op);
// True: there is nothing to wait for. Only without checks, which note who has met. False: the other one decides.
bool barrier_is_met(const struct warp *warp, const struct op *op);

// ---- launch.c ----

// Validates and sets up a launch; after a failure there is nothing to close.
bool launch_open(struct machine *m, const struct sim_module *module, struct sim_memory *memory,
                 const struct sim_launch *asked, const struct sim_options *options, struct sim_fault *fault);
void launch_close(struct machine *m); // leaves it empty
double launch_clock_coarse(void);     // monotonic seconds, precise to some milliseconds, but cheap
void launch_stop(struct machine *m);  // stops all host threads soon; the result is incomplete

// ---- heap_call.c: malloc and free in kernels ----

// Makes the heap where the module needs one and the memory has none; false: no memory.
bool heap_ready(struct sim_memory *memory, const struct sim_module *module);
size_t heap_missing(const struct sim_memory *memory,
                    const struct sim_module *module); // bytes that this takes
void heap_call(struct warp *warp, const struct op *op);

// ---- memory.c: the variables of modules ----

// Gives the module's variables addresses for the duration of a launch; creates them the first time.
// `workspace`: of a cooperative launch, or NULL. False: no memory.
bool memory_enter_module(struct sim_memory *memory, const struct sim_module *module,
                         unsigned char *workspace);
size_t memory_missing_variables(const struct sim_memory *memory,
                                const struct sim_module *module); // bytes that this would take
void memory_leave_module(struct sim_memory *memory, const struct sim_module *module);
// Copies the variables' content, which the caller frees; restores it from such a copy, or nothing from NULL.
bool memory_copy_variables(struct sim_memory *memory, const struct sim_module *module, unsigned char **out);
void memory_restore_variables(struct sim_memory *memory, const struct sim_module *module,
                              const unsigned char *bytes);

// ---- frame.c: the frames of running functions ----

enum { MOST_LOCAL = 512 << 10 };                    // bytes of local memory that a GPU gives to a thread
size_t frame_size(const struct function *function); // bytes
enum { LOCAL_FIRST = 256 };                         // bytes of local memory per lane
// The size per lane that holds so many bytes.
static inline size_t frame_local_room(size_t now, size_t bytes)
{
    size_t room = now ? now : LOCAL_FIRST;
    while (room < bytes)
        room *= 2;
    return room;
}
struct frame *frame_take(struct warp *warp, const struct function *function);
void frame_give(struct warp *warp, struct frame *frame);

// ---- block.c ----

bool block_prepare(struct block *block, struct thread_state *thread);
// Runs the blocks of a unit: one, or those that are resident together. `position`: of the unit in the order of the launch.
void block_run(struct thread_state *thread, uint64_t position);
void block_clear(struct block *block);
// The parts of block_run: sets the blocks up, which may stop the launch; the i-th warp of a round; the end of a turn; the end
// of a round, in which a warp has `moved` or not (false: the blocks are done).
void block_start(struct thread_state *thread, uint64_t position);
uint32_t block_turns(const struct thread_state *thread); // warps of a round
struct warp *block_turn(struct thread_state *thread, uint32_t i);
uint32_t block_budget(const struct machine *machine); // warp instructions of a warp's turn
bool block_in_company(
    const struct machine *machine); // other host threads may still write what a warp waits for
void block_after_turn(struct block *block, const struct warp *warp);
bool block_after_round(struct thread_state *thread, bool moved);
void block_look_at_memory(
    struct warp *warp); // at the end of a turn: stops the launch when the budget has refused an allocation
uint64_t block_order_at(uint64_t seed, uint64_t position, uint64_t count); // a permutation of 0 … count - 1

// ---- print.c ----

void print_format(struct warp *warp, const struct op *op); // vprintf
void print_assert(struct warp *warp, const struct op *op); // __assertfail
// The printed text as a GPU prints it and what failed assertions say, or all of it line by line with the threads. NULL:
// nothing. False: no memory.
bool print_collect(const struct thread_state *threads, int count, char **printed, char **asserted);
bool print_lines(const struct thread_state *threads, int count, char **out);
void print_clear(struct thread_state *thread);

#endif
