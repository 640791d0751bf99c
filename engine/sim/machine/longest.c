// Few warps that run far longer than all others, and that the sampled blocks need not have: one thread of many launched that
// does all the work. Which warp is the longest is known at the end only, so each that runs long is recorded in windows: the
// first begins after LONG_FIRST instructions, each later one when the warp has executed twice as many as at the one before.
// Where many run as long, they soon go unrecorded. What is kept does not depend on which host thread runs which block.
#include "engine/sim/machine/sample.h"

#include <stdlib.h>
#include <string.h>

enum {
    WINDOWS = 40,
    WINDOW_PART = 4,   // of what it stands for, it records one in so many at least
    WINDOW_MOST = 512, // steps
    WINDOW_LEAST = 32,
    LONG_MOST = 256, // warps
    LONG_PART = 8    // of all warps, one in so many at most is a long one
};

struct long_warp {
    uint64_t ran, block;
    uint32_t warp; // in its block
};
struct window_record { // of a warp of a block
    struct sim_sampled_warp windows[WINDOWS];
    struct recorder recorder;
    int begun; // windows
};
struct longest {                          // of a host thread
    struct long_warp most[LONG_MOST + 1]; // the longest warps, in any order
    size_t count, least;                  // least: the shortest of them, when there is no room for more
    struct window_record *records;        // by warp of the block
    struct window_record best;
    struct long_warp best_is;
};
struct lengths {
    const struct machine *machine;
    struct longest *threads;
    size_t warps;              // of a block
    size_t few;                // so many warps are few
    uint64_t started[WINDOWS]; // warps that came to a window
    struct long_warp *sorted;  // of all threads
    size_t long_count, sorted_count;
    uint64_t rest; // the longest of the other warps
};

struct lengths *lengths_new(const struct machine *machine, size_t warps)
{
    struct lengths *lengths = calloc(1, sizeof *lengths);
    if (!lengths)
        return NULL;
    uint64_t few = machine->blocks * warps / LONG_PART;
    lengths->machine = machine;
    lengths->warps = warps;
    lengths->few = few < LONG_MOST ? (size_t)few : LONG_MOST;
    lengths->threads = calloc((size_t)machine->options.threads, sizeof *lengths->threads);
    for (int i = 0; lengths->threads && i < machine->options.threads; i++) {
        lengths->threads[i].records = calloc(warps, sizeof *lengths->threads[i].records);
        if (!lengths->threads[i].records) {
            lengths_free(lengths);
            return NULL;
        }
    }
    if (lengths->threads)
        return lengths;
    free(lengths);
    return NULL;
}

static void clear(struct window_record *record)
{
    for (int i = 0; i < record->begun && i < WINDOWS; i++)
        sampled_warp_clear(&record->windows[i]);
    record->begun = 0;
}

void lengths_free(struct lengths *lengths)
{
    if (!lengths)
        return;
    for (int i = 0; lengths->threads && i < lengths->machine->options.threads; i++) {
        struct longest *thread = &lengths->threads[i];
        for (size_t w = 0; thread->records && w < lengths->warps; w++)
            clear(&thread->records[w]);
        free(thread->records);
        clear(&thread->best);
    }
    free(lengths->threads);
    free(lengths->sorted);
    free(lengths);
}

// ---- windows --------------------------------------------------------------------------------------------------

static uint64_t window_from(int window)
{
    return (uint64_t)LONG_FIRST << window;
}

static uint64_t window_steps(int window)
{
    uint64_t steps = window_from(window) / WINDOW_PART;
    return steps < WINDOW_MOST ? steps : WINDOW_MOST;
}

static struct longest *of_thread(const struct lengths *lengths, const struct block *block)
{
    return &lengths->threads[block->thread - lengths->machine->threads];
}

void sample_window(struct warp *warp)
{
    struct lengths *lengths = warp->lengths;
    struct window_record *record = &of_thread(lengths, warp->block)->records[warp->index];
    int window = record->begun;
    if (warp->recorder) {
        warp->recorder = NULL;
        warp->until_window = window_from(window) - window_from(window - 1) - window_steps(window - 1);
        return;
    }
    if (window == WINDOWS) {
        warp->until_window = UINT64_MAX;
        return;
    }
    record->begun++;
    warp->until_window = window_from(window + 1) - window_from(window);
    if (__atomic_fetch_add(&lengths->started[window], 1, __ATOMIC_RELAXED) >= lengths->few)
        return;
    warp->until_window = window_steps(window);
    record->recorder =
        (struct recorder){ .into = &record->windows[window], .step_limit = (size_t)warp->until_window };
    warp->recorder = &record->recorder;
}

// ---- the longest ----------------------------------------------------------------------------------------------

// The longer one goes first, and of equal ones the first in the grid.
static int by_length(const void *left, const void *right)
{
    const struct long_warp *a = left, *b = right;
    if (a->ran != b->ran)
        return a->ran > b->ran ? -1 : 1;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->warp > b->warp) - (a->warp < b->warp);
}

static void note_length(struct longest *thread, const struct long_warp *warp)
{
    bool full = thread->count > LONG_MOST;
    if (full && by_length(&thread->most[thread->least], warp) < 0)
        return;
    thread->most[full ? thread->least : thread->count] = *warp;
    thread->count += !full;
    thread->least = 0;
    for (size_t i = 1; thread->count > LONG_MOST && i < thread->count; i++)
        if (by_length(&thread->most[thread->least], &thread->most[i]) < 0)
            thread->least = i;
}

void lengths_block_ends(struct lengths *lengths, struct block *block)
{
    struct longest *thread = of_thread(lengths, block);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct window_record *record = &thread->records[i];
        struct long_warp warp = { block->warps[i].ran, block->number, i };
        if (warp.ran >= LONG_FIRST)
            note_length(thread, &warp);
        if (record->begun && (!thread->best_is.ran || by_length(&warp, &thread->best_is) < 0)) {
            struct window_record before = thread->best;
            thread->best = *record;
            thread->best_is = warp;
            *record = before;
        }
        clear(record);
    }
}

// The long warps, the longest first. `sum`: of each block's longest warp. False: no memory.
static bool find_long(struct lengths *lengths, uint64_t sum)
{
    size_t threads = (size_t)lengths->machine->options.threads, all = 0;
    lengths->sorted = calloc(threads * (LONG_MOST + 1), sizeof *lengths->sorted);
    if (!lengths->sorted)
        return false;
    for (size_t i = 0; i < threads; i++) {
        memcpy(lengths->sorted + all, lengths->threads[i].most,
               lengths->threads[i].count * sizeof *lengths->sorted);
        all += lengths->threads[i].count;
    }
    qsort(lengths->sorted, all, sizeof *lengths->sorted, by_length);
    lengths->sorted_count = all;
    lengths->rest = all > lengths->few ? lengths->sorted[lengths->few].ran : LONG_FIRST - 1;
    uint64_t mean = sum / lengths->machine->blocks, from = 2 * (lengths->rest > mean ? lengths->rest : mean);
    while (lengths->long_count < all && lengths->long_count < lengths->few &&
           lengths->sorted[lengths->long_count].ran >= from)
        lengths->long_count++;
    return true;
}

// Windows that no warp but few came to; those of shorter ones may be absent. Each stands for what follows it up to the next,
// and the first for what goes before it as well.
static bool take_windows(struct window_record *record, uint64_t ran, uint64_t rest, struct sim_long *out)
{
    out->windows = calloc(WINDOWS, sizeof *out->windows);
    if (!out->windows)
        return false;
    for (int i = 0; i < record->begun; i++) {
        struct sim_sampled_warp *window = &record->windows[i];
        if (window_from(i) <= rest || window->step_count < WINDOW_LEAST)
            continue;
        if (out->window_count)
            out->windows[out->window_count - 1].ran = window_from(i) - out->ran;
        out->ran = out->window_count ? window_from(i) : 0;
        out->windows[out->window_count++] = *window;
        *window = (struct sim_sampled_warp){ 0 };
    }
    if (out->window_count)
        out->windows[out->window_count - 1].ran = ran - out->ran;
    return true;
}

// What is known of the longest of them; `sampled` is its record where its block was sampled. False: no memory.
static bool take_longest(const struct lengths *lengths, struct sim_sampled_warp *sampled,
                         struct sim_long *out)
{
    const struct long_warp *warps = lengths->sorted;
    *out = (struct sim_long){ 0 };
    for (int i = 0; i < lengths->machine->options.threads && !out->windows; i++) {
        struct longest *thread = &lengths->threads[i];
        if (thread->best_is.ran && by_length(&thread->best_is, &warps[0]) == 0 &&
            !take_windows(&thread->best, warps[0].ran, lengths->rest, out))
            return false;
    }
    if (!out->windows && sampled) {
        out->windows = calloc(1, sizeof *out->windows);
        if (!out->windows)
            return false;
        out->windows[out->window_count++] = *sampled;
        *sampled = (struct sim_sampled_warp){ 0 };
    }
    out->ran = warps[0].ran;
    out->block = warps[0].block;
    for (size_t i = 0; i < lengths->long_count; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= warps[j].block == warps[i].block;
        out->blocks += !again;
        out->beside += warps[i].block == out->block;
        out->work += warps[i].ran;
    }
    out->rest = lengths->long_count < lengths->sorted_count ? warps[lengths->long_count].ran : lengths->rest;
    return true;
}

static bool is_long(const struct lengths *lengths, const struct sim_sampled_block *block)
{
    for (size_t i = 0; i < lengths->long_count; i++)
        if (lengths->sorted[i].block == block->number)
            return true;
    return false;
}

// Blocks with warps that run far longer than all others are no sample of the others. False: there is no other block.
static bool leave_out_long(const struct lengths *lengths, struct sim_sample *out)
{
    size_t left = 0;
    for (size_t b = 0; b < out->block_count; b++)
        left += !is_long(lengths, &out->blocks[b]);
    if (!left)
        return false;
    size_t kept = 0;
    for (size_t b = 0; b < out->block_count; b++) {
        if (is_long(lengths, &out->blocks[b]))
            sampled_warps_free(out->blocks[b].warps, out->blocks[b].warp_count);
        else
            out->blocks[kept++] = out->blocks[b];
    }
    out->block_count = kept;
    return true;
}

bool lengths_take(struct lengths *lengths, struct sim_sample *out)
{
    if (!find_long(lengths, out->longest_sum))
        return false;
    const struct long_warp *longest = lengths->sorted;
    if (!lengths->long_count)
        return true;
    struct sim_sampled_warp *sampled = NULL;
    for (size_t b = 0; b < out->block_count; b++)
        if (out->blocks[b].number == longest->block)
            sampled = &out->blocks[b].warps[longest->warp];
    if (!take_longest(lengths, sampled, &out->longest))
        return false;
    if (!out->longest.window_count || !leave_out_long(lengths, out)) {
        sampled_warps_free(out->longest.windows, out->longest.window_count);
        out->longest = (struct sim_long){ 0 };
        return true;
    }
    for (size_t i = 0; i < lengths->long_count && out->work; i++) {
        uint32_t *work = &out->work[lengths->sorted[i].block];
        *work -= (uint32_t)(lengths->sorted[i].ran < *work ? lengths->sorted[i].ran : *work);
    }
    return true;
}
