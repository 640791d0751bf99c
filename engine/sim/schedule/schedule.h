// Where warps go: what execute.c and its neighbours ask of each other.
#ifndef WARPBOOK_SIM_SCHEDULE_H
#define WARPBOOK_SIM_SCHEDULE_H

#include <stdio.h>

#include "engine/sim/sanitize/sanitize.h"

// ---- frame.c: rows and local memory of running functions ----

enum { MOST_LOCAL = 512 << 10 };                    // bytes of local memory that a GPU gives to a thread
size_t frame_size(const struct function *function); // bytes of a frame
size_t local_room(size_t now, size_t bytes);        // per lane: what it becomes when it has to hold so many
struct frame *frame_take(struct warp *warp, const struct function *function);
void frame_give(struct warp *warp, struct frame *frame);
bool local_reserve(struct warp *warp, size_t bytes); // per lane
void warp_release(struct warp *warp);                // gives back the frames of paths that were stopped
void warp_clear(struct warp *warp);                  // frees all that a warp keeps

// ---- path.c: the stack of paths; the running one is its top ----

enum { PATHS_FIRST = 16 }; // that a warp has room for at first
bool simt_push(struct warp *warp, struct simt_path path);
void simt_load(struct warp *warp); // pops what is empty or at its end, then chooses who runs
void simt_save(struct warp *warp); // pc and mask of the running one into the top
bool simt_split(struct warp *warp, const struct op *op, uint32_t taken);
bool simt_fan(struct warp *warp, const struct op *op, uint32_t lanes); // brx.idx
void simt_remove_lanes(struct warp *warp, uint32_t lanes);             // from every path: they have ended
void simt_delay(struct warp *warp);  // the running one goes on after its sisters
bool simt_rotate(struct warp *warp); // lets another path that could run be the top; false: there is none
uint32_t simt_leaf_mask(const struct warp *warp, int at); // lanes that run at this path itself, not above it

// ---- call.c ----

bool call_enter(struct warp *warp, const struct op *op);
void call_leave(struct warp *warp, const struct simt_path *bottom); // copies what it returns

// ---- execute.c ----

// Runs the warp until it waits, ends, or used up `budget` warp instructions; returns how many it ran.
uint64_t warp_run(struct warp *warp, uint64_t budget);
void warp_expand(struct warp *warp); // fills `lanes` from `active`

void warp_end_lanes(struct warp *warp, uint32_t lanes); // they stop where they are

// ---- barrier.c ----

// False: the warp waits now.
bool barrier_reach(struct warp *warp, const struct op *op);
void barrier_settle(struct block *block); // after a warp has ended: who waits may go on now
void barrier_report_stuck(struct block *block);

// ---- sync.c: barriers inside a warp ----

// True: the lanes are together (warp->active), go on. False: the path waits and another one is the top.
bool barrier_gather_lanes(struct warp *warp, const struct op *op);

// ---- run.c ----

// Looks at the launch and sets up all that it needs; nothing is left to close after a failure.
bool launch_open(struct machine *m, const struct sim_module *module, struct sim_memory *memory,
                 const struct sim_launch *asked, const struct sim_options *options, struct sim_fault *fault);
void launch_close(struct machine *m);
double seconds(void);                // monotonic
double launch_clock_coarse(void);    // the same to some milliseconds, and quicker
void launch_stop(struct machine *m); // everyone ends soon; the result is not complete

// ---- needs.c: the memory of a launch ----

// Refuses what does not fit into the budget, and takes away host threads that do not.
bool launch_fit(struct machine *m, struct sim_fault *fault);
// "64 MiB; 60 MiB of it are for what the checks note down. Simulate …"
void launch_describe_memory(const struct budget *budget, char *sentence, size_t size);

// ---- loaded.c: a module's variables in a memory ----

// For the time of a launch they have addresses; they are made when the module was not there before.
bool memory_enter_module(struct sim_memory *memory, const struct sim_module *module); // false: no memory
size_t memory_missing_variables(const struct sim_memory *memory,
                                const struct sim_module *module); // bytes that it would take
void memory_leave_module(struct sim_memory *memory, const struct sim_module *module);
// What they hold; the caller frees. Restoring takes the bytes of such a copy, or NULL for nothing.
bool memory_copy_variables(struct sim_memory *memory, const struct sim_module *module, unsigned char **out);
void memory_restore_variables(struct sim_memory *memory, const struct sim_module *module,
                              const unsigned char *bytes);
void memory_free_variables(struct sim_memory *memory); // those of all modules

// ---- block.c ----

enum { TURN = 100000 }; // warp instructions that a warp may run before it is the next one's turn
bool block_prepare(struct block *block, struct thread_state *thread);
void block_run(struct thread_state *thread, uint64_t position, uint64_t number);
void block_clear(struct block *block);
// The pieces that block_run is made of. Setting it up, which may stop the machine; whose turn is the i-th of a
// round; what follows a turn; what follows a round in which somebody `moved`; false: the block is over.
void block_start(struct thread_state *thread, uint64_t position, uint64_t number);
struct warp *block_turn(struct block *block, uint32_t i);
void block_after_turn(struct block *block, const struct warp *warp);
bool block_after_round(struct block *block, bool moved);
void block_look_at_memory(
    struct warp *warp); // after its turn: ends the launch when the budget has refused something
uint64_t block_order_at(uint64_t seed, uint64_t position, uint64_t count); // a permutation of 0 … count - 1

// ---- print.c, print_text.c, result.c ----

void print_format(struct warp *warp, const struct op *op); // vprintf
void print_assert(struct warp *warp, const struct op *op); // __assertfail
// Text of one thread; an assertion names its thread itself.
void print_keep(const struct warp *warp, int lane, const char *text, size_t length, bool names_itself);
// As a GPU would print it; line by line with whose it is. *out is NULL when nothing was printed; false: no memory.
bool print_collect(const struct thread_state *threads, int count, char **out);
bool print_lines(const struct thread_state *threads, int count, char **out);
void print_clear(struct thread_state *thread);
bool result_fill(const struct machine *machine, const struct tally *tallies, struct sim_result *out);

#endif
