// A block: its set-up, and its run, in which the warps take turns until all have exited.
#include "engine/sim/schedule/schedule.h"

#include <stdio.h>
#include <string.h>

// ---- clearing a warp ----

static void free_frames(struct budget *budget, struct frame *frame)
{
    while (frame) {
        struct frame *next = frame->next;
        budget_give(budget, frame);
        frame = next;
    }
}

// Paths that were stopped still hold their frames; several paths may share one.
static void release_stopped(struct warp *warp)
{
    for (int i = 0; warp->frames && i < warp->depth; i++)
        if (i == 0 || warp->paths[i].call)
            frame_give(warp, warp->paths[i].frame);
    warp->depth = 0;
}

static void clear_frames(struct warp *warp)
{
    if (!warp->block)
        return;
    struct budget *budget = budget_of(warp);
    release_stopped(warp);
    size_t count = warp->frames ? warp->block->machine->module->function_count : 0;
    for (size_t i = 0; i < count; i++)
        free_frames(budget, warp->frames[i]);
    budget_give(budget, warp->frames);
    budget_give(budget, warp->paths);
    budget_give(budget, warp->local);
}

static const double LONG_BLOCK = 0.02; // seconds; blocks that run longer are reported as where the time went
// The number of looks in a row that must see all warps spin without progress before it counts as an endless loop: where
// the block runs alone, and where other host threads may still write what the warps wait for.
enum { LOOKS = 3, LOOKS_IN_COMPANY = 64, SUM_UP = 1 << 20 };

// ---- order ----

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// A permutation: four rounds of a Feistel network over the next power of 4, repeated until the value is in range.
uint64_t block_order_at(uint64_t seed, uint64_t position, uint64_t count)
{
    if (!seed || count < 2)
        return position;
    unsigned half = 1;
    while (half < 32 && count > (uint64_t)1 << 2 * half)
        half++;
    uint64_t low = ((uint64_t)1 << half) - 1;
    do {
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t left = position >> half, right = position & low;
            position =
                right << half | (left ^ (mix(right + (round << 40) + seed * 0x9e3779b97f4a7c15ull) & low));
        }
    } while (position >= count);
    return position;
}

// ---- setting up ----

bool block_prepare(struct block *block, struct thread_state *thread)
{
    struct machine *machine = thread->machine;
    struct budget *budget = &machine->memory->budget;
    const uint32_t *size = machine->launch->block;
    block->machine = machine;
    block->thread = thread;
    block->thread_count = size[0] * size[1] * size[2];
    block->warp_count = (block->thread_count + LANES - 1) / LANES;
    for (size_t i = 0; i < sizeof block->barriers / sizeof *block->barriers; i++)
        block->barriers[i] = (struct barrier){ .votes_and = 1 };
    block->shared_bytes = block_shared_bytes(machine);
    // Padding, since handlers may read a whole word at the last bytes.
    block->shared = budget_take(budget, FOR_SHARED, block->shared_bytes + 128);
    bool good = block->shared != NULL;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        uint32_t left = block->thread_count - i * LANES;
        warp->block = block;
        warp->index = i;
        warp->tallies = thread->tallies;
        warp->patterns = thread->patterns;
        warp->exists = left >= LANES ? FULL_MASK : (1u << left) - 1;
        warp->frames =
            budget_take(budget, FOR_REGISTERS, (machine->module->function_count + 1) * sizeof *warp->frames);
        good = good && warp->frames;
    }
    return good;
}

void block_clear(struct block *block)
{
    for (uint32_t i = 0; i < block->warp_count; i++)
        clear_frames(&block->warps[i]);
    if (block->machine)
        budget_give(&block->machine->memory->budget, block->shared);
}

static bool start_warp(struct warp *warp)
{
    release_stopped(warp);
    warp->live = warp->exists;
    warp->leaving = 0;
    warp->leaving_at = NULL;
    warp->state = WARP_READY;
    warp->spin = (struct spin){ 0 };
    warp->arrived = warp->at_grid = false;
    warp->carry = 0;
    warp->poisoned = false;
    warp->local_used = 0;
    warp->ran = 0;
    struct frame *frame = frame_take(warp, warp->block->machine->kernel);
    struct simt_path bottom = { .mask = warp->exists, .reconverge = NO_PC, .frame = frame };
    if (!frame)
        return false;
    if (!simt_push(warp, bottom)) {
        frame_give(warp, frame);
        return false;
    }
    simt_load(warp);
    return true;
}

// Blocks are placed cluster after cluster, by rank within one.
static void place(struct block *block, uint64_t number)
{
    const struct machine *m = block->machine;
    const uint32_t *grid = m->launch->grid, *cluster = m->cluster;
    uint32_t size = m->cluster_size, rank = (uint32_t)(number % size);
    uint32_t wide = grid[0] / cluster[0], high = grid[1] / cluster[1];
    uint64_t of = number / size;
    block->rank = rank;
    block->id[0] = (uint32_t)(of % wide) * cluster[0] + rank % cluster[0];
    block->id[1] = (uint32_t)(of / wide % high) * cluster[1] + rank / cluster[0] % cluster[1];
    block->id[2] = (uint32_t)(of / wide / high) * cluster[2] + rank / cluster[0] / cluster[1];
    block->number = block->id[0] + grid[0] * (block->id[1] + (uint64_t)grid[1] * block->id[2]);
}

static bool start(struct block *block, uint64_t position, uint64_t number)
{
    block->position = position;
    place(block, number);
    uint64_t launch = block->machine->memory->launches % (1u << APART_LAUNCHES);
    block->apart = (launch << APART_BLOCKS | number % (1u << APART_BLOCKS)) << OFFSET_BITS;
    block->cluster = (struct cluster_barrier){ 0 };
    block->live_warps = block->warp_count;
    block->passed_without = false;
    block->began = launch_clock_coarse();
    memset(block->shared, 0, block->shared_bytes);
    for (uint32_t left = block->met; left; left &= left - 1)
        block->barriers[__builtin_ctz(left)] = (struct barrier){ .votes_and = 1 };
    block->met = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (!start_warp(&block->warps[i]))
            return false;
    return true;
}

// ---- limits ----

static const struct op *at_hand(const struct warp *warp)
{
    return warp->depth && warp->pc <= (int32_t)warp->function->op_count ? &warp->function->ops[warp->pc]
                                                                        : NULL;
}

// `sentence` continues after "Thread (3,0,0) of block (1,0,0)".
static void report_limit(struct warp *warp, const char *sentence, enum sim_kind kind)
{
    struct finding_report report = {
        .kind = kind, .severity = SIM_ERROR, .op = at_hand(warp), .lane = __builtin_ctz(warp->mask | 1u << 31)
    };
    char who[80];
    finding_add(warp, &report, "%s %s", finding_name_lane(warp, report.lane, who), sentence);
    launch_stop(warp->block->machine);
}

// For example "64 MiB; 60 MiB of it are for what the checks note down. Simulate …"
static void describe_memory(const struct budget *budget, char *sentence, size_t size)
{
    char all[BYTES_ROOM], most[BYTES_ROOM];
    size_t of[TAKERS];
    for (int i = 0; i < TAKERS; i++)
        of[i] = budget->of[i];
    enum taker taker = budget_most(of);
    snprintf(sentence, size, "%s; %s of it are for %s. %s, or allow more memory.",
             budget_say_bytes(budget->used, all), budget_say_bytes(of[taker], most),
             budget_purpose(taker).words, budget_purpose(taker).advice);
}

void block_look_at_memory(struct warp *warp)
{
    struct budget *budget = &warp->block->machine->memory->budget;
    char all[280], text[360];
    if (!budget->refused || atomic_exchange(&budget->told, true))
        return;
    describe_memory(budget, all, sizeof all);
    snprintf(text, sizeof text,
             "was here when there was no more memory to simulate the launch. It had taken %s", all);
    report_limit(warp, text, SIM_OTHER);
}

// A launch that runs out of time between two blocks is large; inside a block, it may be that, or have a loop without an
// end. That a loop has none is only said where it was seen to come back to the same state.
static void report_stop(struct warp *warp, bool between, const char *after)
{
    struct machine *machine = warp->block->machine;
    char text[240];
    if (!between) {
        snprintf(text, sizeof text,
                 "was here when the launch was stopped after %s: it is too much work for the simulator, or a "
                 "loop without an end. Does each thread walk over all elements? Does the loop's condition "
                 "ever change?",
                 after);
        report_limit(warp, text, SIM_OTHER);
        return;
    }
    struct finding_report report = { .kind = SIM_OTHER, .severity = SIM_ERROR };
    finding_add(warp, &report,
                "The launch was stopped after %s, when about %llu of its %llu blocks had run. "
                "Launch fewer blocks, or allow more time.",
                after, (unsigned long long)warp->block->position + 1, (unsigned long long)machine->blocks);
    launch_stop(machine);
}

static bool is_last(const struct block *block)
{
    return block->position + block->machine->resident >= block->machine->blocks;
}

static void sum_up(struct warp *warp, uint64_t *ran, bool between)
{
    struct machine *machine = warp->block->machine;
    char after[64];
    uint64_t all = __atomic_add_fetch(&machine->executed, *ran, __ATOMIC_RELAXED);
    *ran = 0;
    if (machine->stop || (between && is_last(warp->block)) || all <= machine->options.instruction_limit)
        return;
    snprintf(after, sizeof after, "%llu warp instructions", (unsigned long long)all);
    report_stop(warp, between, after);
}

// The clock is read after some turns, of which each may take long, or some instructions.
enum { CLOCK_TURNS = 16, CLOCK_INSTRUCTIONS = 1000 };
static void look_at_clock(struct warp *warp, uint64_t ran)
{
    struct thread_state *thread = warp->block->thread;
    const struct machine *machine = warp->block->machine;
    thread->since_clock += CLOCK_INSTRUCTIONS / CLOCK_TURNS + ran;
    if (thread->since_clock < CLOCK_INSTRUCTIONS)
        return;
    thread->since_clock = 0;
    double now = launch_clock_coarse();
    char after[64];
    if (now < machine->deadline || machine->stop)
        return;
    bool between = now - warp->block->began < LONG_BLOCK;
    if (between && is_last(warp->block))
        return;
    int ms = machine->options.limit_ms, seconds = ms / 1000;
    snprintf(after, sizeof after, seconds * 1000 == ms ? "%d s" : "%d ms",
             seconds * 1000 == ms ? seconds : ms);
    report_stop(warp, between, after);
}

// ---- running ----

// A guess that blocks do not depend on each other is wrong as soon as one of them waits.
bool block_in_company(const struct machine *machine)
{
    return machine->options.threads > 1 && !(machine->guesses & GUESS_ORDER);
}

// A warp may wait for its own lanes on another path.
static bool waits_for_lanes(const struct warp *warp)
{
    return warp->live & ~warp->mask && warp->spin.reads;
}

// Whatever one warp has done may be what another one waits for: each has to be seen to spin from here on.
static bool forget_spinning(struct thread_state *thread)
{
    const uint32_t each = thread->block.warp_count, resident = thread->machine->resident;
    bool moved = false;
    for (uint32_t k = 0; k < resident; k++)
        for (uint32_t i = 0; i < each; i++) {
            struct spin *spin = &thread[k].block.warps[i].spin;
            moved |= spin->moved;
            spin->moved = false;
        }
    for (uint32_t k = 0; k < resident && moved; k++)
        for (uint32_t i = 0; i < each; i++)
            thread[k].block.warps[i].spin.rounds = 0;
    return moved;
}

// Every warp that can run keeps returning to the same state.
static void judge_spinning(struct thread_state *thread)
{
    const struct machine *machine = thread->machine;
    uint32_t looks = block_in_company(machine) ? LOOKS_IN_COMPANY : LOOKS, turns = block_turns(thread);
    uint32_t each = thread->block.warp_count;
    if (forget_spinning(thread))
        return;
    struct warp *one = NULL;
    for (uint32_t i = 0; i < turns; i++) {
        struct warp *warp = &thread[i / each].block.warps[i % each];
        if (warp->state == WARP_READY && warp->spin.rounds < looks)
            return;
        bool better = !one || (!waits_for_lanes(one) && waits_for_lanes(warp));
        one = warp->state == WARP_READY && better ? warp : one;
    }
    if (!one)
        return;
    if (one->at_grid)
        report_limit(one,
                     "waits here for the whole grid, but other blocks have ended or wait elsewhere, so that "
                     "none can go on. Let every thread of every block reach grid.sync(), equally often: no "
                     "return before it.",
                     SIM_DEADLOCK);
    else if (waits_for_lanes(one))
        report_limit(one,
                     "loops here until other lanes of its warp do something, "
                     "but those wait for it to leave the loop. "
                     "In lockstep, and on GPUs before Volta, this never ends; whether later ones get through "
                     "depends on "
                     "the code that the compiler makes. Do not wait for threads of the same warp in a loop.",
                     SIM_DEADLOCK);
    else if (one->spin.reads && machine->units > 1)
        report_limit(one,
                     "is in a loop that never ends: it comes back to the same state, "
                     "and nothing changes what it reads. Check the condition that ends it. "
                     "If another block should change it: blocks run in any order, "
                     "here one after the other, so let none wait for another.",
                     SIM_ENDLESS);
    else
        report_limit(one,
                     "is in a loop that never ends: it comes back to the same state, "
                     "and nothing changes what it waits for. Check the condition that ends it.",
                     SIM_ENDLESS);
}

// Blocks that run together wait for each other: theirs are short.
uint32_t block_budget(const struct machine *machine)
{
    enum { ALONE = 100000, TOGETHER = 200 };
    return machine->resident > 1 ? TOGETHER : ALONE;
}

uint32_t block_turns(const struct thread_state *thread)
{
    return thread->block.warp_count * thread->machine->resident;
}

struct warp *block_turn(struct thread_state *thread, uint32_t i)
{
    const struct machine *machine = thread->machine;
    uint64_t seed = machine->options.seed;
    uint32_t each = thread->block.warp_count;
    if (machine->resident == 1 && !seed)
        return &thread->block.warps[i];
    if (machine->resident > 1)
        thread += block_order_at(seed, i / each, machine->resident);
    struct block *block = &thread->block;
    seed = seed ? mix(seed + block->number) | 1 : 0;
    return &block->warps[block_order_at(seed, i % each, each)];
}

void block_after_turn(struct block *block, const struct warp *warp)
{
    if (warp->state == WARP_DONE) {
        block->live_warps--;
        barrier_settle(block);
    }
}

bool block_after_round(struct thread_state *thread, bool moved)
{
    struct machine *machine = thread->machine;
    uint32_t live = 0;
    for (uint32_t k = 0; k < machine->resident; k++)
        live += thread[k].block.live_warps;
    judge_spinning(thread);
    if (!moved && live && !machine->stop) {
        barrier_report_stuck(thread);
        launch_stop(machine);
    }
    return moved && live && !machine->stop;
}

// Returns the last warp whose turn it was; with `in_order` that may be a later one.
static struct warp *take_turn(struct warp *warp, uint32_t budget, bool in_order, uint64_t *ran)
{
    struct block *block = warp->block;
    const bool limited = block->machine->options.instruction_limit < SUM_UP;
    struct warp_turn turn = { .warp = warp, .goes_on = in_order && !limited };
    const uint64_t now = warp_run(&turn, budget);
    if (block->machine->memory->budget.refused)
        block_look_at_memory(turn.warp);
    look_at_clock(turn.warp, now);
    *ran += now;
    if (*ran >= SUM_UP || limited)
        sum_up(turn.warp, ran, false);
    block_after_turn(block, turn.warp);
    return turn.warp;
}

// A block has ended, or was stopped.
static void sum_up_warps(const struct block *block)
{
    struct thread_state *thread = block->thread;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const uint64_t ran = block->warps[i].ran;
        thread->executed += ran;
        thread->longest = ran > thread->longest ? ran : thread->longest;
    }
}

void block_start(struct thread_state *thread, uint64_t position)
{
    struct machine *machine = thread->machine;
    uint32_t resident = machine->resident;
    uint64_t unit = block_order_at(machine->options.seed, position, machine->units);
    for (uint32_t k = 0; k < resident; k++) {
        struct block *block = &thread[k].block;
        if (!start(block, position * resident + k, unit * resident + k)) {
            block_look_at_memory(&block->warps[0]);
            launch_stop(machine);
            return;
        }
        if (thread->checks)
            checks_block_start(block);
        if (machine->sample)
            sample_block_starts(block);
    }
}

void block_run(struct thread_state *thread, uint64_t position)
{
    struct block *block = &thread->block;
    const struct machine *machine = block->machine;
    const uint32_t turns = block_turns(thread), budget = block_budget(machine);
    const bool in_order = machine->resident == 1 && !machine->options.seed;
    uint64_t ran = 0;
    bool moved = false;
    block_start(thread, position);
    if (machine->stop)
        return;
    do {
        moved = false;
        for (uint32_t i = 0; i < turns && !machine->stop; i++) {
            struct warp *warp = in_order ? &block->warps[i] : block_turn(thread, i);
            if (warp->state != WARP_READY)
                continue;
            moved = true;
            warp = take_turn(warp, budget, in_order, &ran);
            if (in_order)
                i = warp->index;
        }
    } while (block_after_round(thread, moved));
    for (uint32_t k = 0; k < machine->resident; k++) {
        sum_up_warps(&thread[k].block);
        if (machine->sample)
            sample_block_ends(&thread[k].block);
    }
    thread->unsummed += ran;
    if (thread->unsummed >= SUM_UP)
        sum_up(&block->warps[0], &thread->unsummed, true);
}
