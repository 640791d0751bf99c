// What a model of time needs to know of a launch beyond its counters: the steps of a few blocks in their order (steps.c), what
// memory all blocks touched, each sector once (touched.c), and where atomics meet (atomic_turns.c).
#include "engine/sim/machine/sample.h"

#include <stdlib.h>

enum {
    WARPS_MOST = 64,    // of all sampled blocks: as many as an SM holds
    STEPS_MOST = 8192,  // of a warp
    STEPS_FEWEST = 128, // of a warp that is recorded at all, if it runs so many
    STEPS_IN_ALL = 160000,
    STEPS_OF_FEW = 8000, // in all, where the sampled blocks are of few
    OWN_LINES = 4096,    // that the sampled blocks stored last: about an SM's part of a large L2
    FEW = 40,            // a sample is of few blocks where the grid has less than so many times as many
    APART = 132,         // blocks that follow each other on one SM of a large GPU are so far apart
    WORK_MOST = 1 << 20  // blocks whose work is noted
};

// ---- which blocks --------------------------------------------------------------------------------------------

// Blocks that would run on one SM at the same time, from the middle of the grid, where blocks are as most are.
static void choose_blocks(struct sample *sample, uint64_t blocks, size_t warps)
{
    blocks = blocks ? blocks : 1; // of each, a launch has one at least
    warps = warps ? warps : 1;
    size_t count = WARPS_MOST / warps < BLOCKS_MOST ? WARPS_MOST / warps : BLOCKS_MOST;
    // No more than an SM of a large GPU gets in all, with one beside each: so their warps are recorded for longer.
    uint64_t of_an_sm = 2 * ((blocks + APART - 1) / APART);
    count = count < of_an_sm ? count : (size_t)of_an_sm;
    count = count < 1 ? 1 : count;
    sample->block_count = blocks < count ? (size_t)blocks : count;
    sample->apart = blocks >= APART * (uint64_t)sample->block_count ? APART : blocks / sample->block_count;
    sample->first = (blocks - 1 - sample->apart * (sample->block_count - 1)) / 2;
    sample->warp_count = warps;
    bool few = blocks < FEW * (uint64_t)sample->block_count;
    size_t limit = (few ? STEPS_OF_FEW : STEPS_IN_ALL) / (sample->block_count * warps);
    sample->step_limit = limit < STEPS_FEWEST ? STEPS_FEWEST : limit > STEPS_MOST ? STEPS_MOST : limit;
}

static struct sim_sampled_block *block_of(const struct sample *sample, uint64_t number)
{
    uint64_t past = number - sample->first;
    bool in =
        number >= sample->first && past % sample->apart == 0 && past / sample->apart < sample->block_count;
    return in ? &sample->blocks[past / sample->apart] : NULL;
}

// ---- setting up ----------------------------------------------------------------------------------------------

// Most numbers belong to no allocation: those that do are looked for once. Variables have the first of their numbers.
static bool find_allocations(struct sample *sample)
{
    const struct sim_memory *memory = sample->machine->memory;
    sample->numbers = malloc((memory->count + 1) * sizeof *sample->numbers);
    for (size_t i = 1; sample->numbers && i < memory->count; i++)
        if (memory->allocations[i].bytes)
            sample->numbers[sample->number_count++] = (uint32_t)i;
        else if (i >= FIRST_VARIABLE && i < FIRST_BUFFER)
            i = FIRST_BUFFER - 1;
    sample->first_noted = sample->number_count ? sample->numbers[0] : memory->count;
    sample->noted_count = memory->count - sample->first_noted;
    sample->noted = calloc(sample->noted_count + 1, sizeof *sample->noted);
    return sample->noted && sample->numbers;
}

static bool make_maps(struct sample *sample)
{
    struct sim_memory *memory = sample->machine->memory;
    if (!find_allocations(sample))
        return false;
    sample->footprint = true;
    for (size_t i = 0; i < sample->number_count; i++) {
        const struct allocation *allocation = &memory->allocations[sample->numbers[i]];
        struct noted *noted = noted_as(sample, sample->numbers[i]);
        size_t bytes = allocation->bytes;
        noted->parts = atomic_turns_parts(sample, sample->numbers[i]);
        if (allocation->constant)
            continue;
        const size_t lines = bytes / SIM_LINE_BYTES + 1;
        noted->known = budget_spare(&memory->budget, FOR_COUNTERS, lines + groups_of(bytes));
        noted->loaded = noted->known ? noted->known + lines : NULL;
        if (noted->known)
            noted->visited = budget_spare(&memory->budget, FOR_COUNTERS, groups_of(bytes) * sizeof(uint64_t));
        sample->footprint &= noted->known != NULL;
    }
    return true;
}

static size_t tallies_of(const struct sample *sample)
{
    return sample->machine->module->tally_count + 1;
}

static bool make_blocks(struct sample *sample)
{
    uint64_t blocks = sample->machine->blocks;
    if (blocks <= WORK_MOST && !(sample->work = calloc(blocks, sizeof *sample->work)))
        return false;
    sample->blocks = calloc(sample->block_count, sizeof *sample->blocks);
    sample->recorders = calloc(sample->block_count * sample->warp_count, sizeof *sample->recorders);
    sample->seen =
        calloc(sample->block_count * sample->warp_count, tallies_of(sample) * sizeof *sample->seen);
    for (sample->own_lines = OWN_LINES; sample->own_lines * sample->block_count > OWN_LINES;)
        sample->own_lines /= 2;
    sample->own = calloc(sample->own_lines * sample->block_count, sizeof *sample->own);
    for (size_t i = 0; sample->blocks && i < sample->block_count; i++) {
        sample->blocks[i].number = sample->first + i * sample->apart;
        sample->blocks[i].warps = calloc(sample->warp_count, sizeof *sample->blocks[i].warps);
        sample->blocks[i].warp_count = sample->blocks[i].warps ? sample->warp_count : 0;
        if (!sample->blocks[i].warps)
            return false;
    }
    return sample->blocks && sample->recorders && sample->seen && sample->own;
}

struct sample *sample_new(const struct machine *machine)
{
    struct sample *sample = calloc(1, sizeof *sample);
    if (!sample)
        return NULL;
    sample->machine = machine;
    sample->alone = machine->options.threads == 1;
    choose_blocks(sample, machine->blocks, machine_warps(machine));
    sample->lengths = lengths_new(machine, sample->warp_count);
    if (sample->lengths && make_maps(sample) && make_blocks(sample))
        return sample;
    sample_free(sample);
    return NULL;
}

static void free_blocks(struct sim_sampled_block *blocks, size_t count)
{
    for (size_t i = 0; blocks && i < count; i++)
        sampled_warps_free(blocks[i].warps, blocks[i].warp_count);
    free(blocks);
}

void sample_free(struct sample *sample)
{
    if (!sample)
        return;
    for (size_t i = 0; sample->noted && i < sample->number_count; i++) {
        struct noted *noted = noted_as(sample, sample->numbers[i]);
        budget_give(&sample->machine->memory->budget, noted->known);
        budget_give(&sample->machine->memory->budget, noted->visited);
        free(noted->turns);
        free(noted->swaps);
    }
    lengths_free(sample->lengths);
    free_blocks(sample->blocks, sample->block_count);
    free(sample->recorders);
    free(sample->seen);
    free(sample->own);
    free(sample->work);
    free(sample->noted);
    free(sample->numbers);
    free(sample);
}

void sim_sample_free(struct sim_sample *sample)
{
    if (!sample)
        return;
    free_blocks(sample->blocks, sample->block_count);
    sampled_warps_free(sample->longest.windows, sample->longest.window_count);
    free(sample->loaded_of);
    free(sample->work);
    free(sample);
}

// ---- blocks come and go --------------------------------------------------------------------------------------------

static void enter_part(struct sample *sample, unsigned part)
{
    while (sample->alone && sample->part != part && sample->visit_count)
        *sample->visits[--sample->visit_count] &= (unsigned char)~ALL_LOADED;
    if (sample->alone)
        sample->part = part;
}

void sample_block_starts(struct block *block)
{
    struct sample *sample = block->machine->sample;
    struct sim_sampled_block *into = block_of(sample, block->number);
    block->launch_part = (unsigned)(block->number * SIM_LAUNCH_PARTS / sample->machine->blocks);
    enter_part(sample, block->launch_part);
    if (into)
        sample->past_from[into - sample->blocks] = UINT32_MAX;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        warp->sample = sample;
        warp->lengths = sample->lengths;
        warp->recorder = NULL;
        warp->until_window = into ? UINT64_MAX : LONG_FIRST;
        if (!into)
            continue;
        size_t at = (size_t)(into - sample->blocks) * sample->warp_count + i;
        warp->recorder = &sample->recorders[at];
        *warp->recorder =
            (struct recorder){ .into = &into->warps[i],
                               .step_limit = sample->step_limit,
                               .past_from = &sample->past_from[into - sample->blocks],
                               .own = sample->own + (size_t)(into - sample->blocks) * sample->own_lines,
                               .seen = sample->seen + at * tallies_of(sample) };
    }
}

void sample_block_ends(struct block *block)
{
    struct thread_state *thread = block->thread;
    struct sample *sample = block->machine->sample;
    bool sampled = block_of(sample, block->number) != NULL;
    uint64_t longest = 0, work = 0;
    lengths_block_ends(sample->lengths, block);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct warp *warp = &block->warps[i];
        longest = warp->ran > longest ? warp->ran : longest;
        work += warp->ran;
        if (sampled)
            warp->recorder->into->ran = warp->ran;
        warp->recorder = NULL;
    }
    if (sample->work)
        sample->work[block->number] = work < UINT32_MAX ? (uint32_t)work : UINT32_MAX;
    thread->longest_sum += longest;
    thread->longest_most = longest > thread->longest_most ? longest : thread->longest_most;
}

// ---- the result -----------------------------------------------------------------------------------------------

bool sample_take(struct machine *machine, struct sim_sample **out)
{
    struct sample *sample = machine->sample;
    *out = calloc(1, sizeof **out);
    if (!*out || sample->failed ||
        !((*out)->loaded_of = calloc(sample->number_count + 1, sizeof *(*out)->loaded_of)))
        return false;
    const struct allocation *allocations = machine->memory->allocations;
    uint64_t most[SIM_WINDOWS][SIM_LAUNCH_PARTS] = { 0 };
    for (size_t i = 0; i < sample->number_count; i++) {
        size_t number = sample->numbers[i], bytes = allocations[number].bytes;
        struct noted *noted = noted_as(sample, number);
        (*out)->constant_bytes += allocations[number].constant ? bytes : 0;
        touched_count(noted, number, bytes, *out);
        atomic_turns_count(sample, number, most, *out);
    }
    atomic_turns_sum(most, *out);
    if (!sample->footprint)
        (*out)->lines = (*out)->loaded = (*out)->stored = (*out)->loaded_pairs = (*out)->stored_pairs =
            (*out)->loaded_count = 0;
    (*out)->footprint = sample->footprint;
    (*out)->atomics = sample->atomics;
    (*out)->swap_tries = sample->swap_tries;
    for (int i = 0; i < machine->options.threads; i++) {
        (*out)->longest_sum += machine->threads[i].longest_sum;
        if (machine->threads[i].longest_most > (*out)->longest_most)
            (*out)->longest_most = machine->threads[i].longest_most;
    }
    (*out)->work = sample->work;
    (*out)->work_count = sample->work ? machine->blocks : 0;
    sample->work = NULL;
    (*out)->blocks = sample->blocks;
    (*out)->block_count = sample->block_count;
    sample->blocks = NULL;
    sample->block_count = 0;
    return lengths_take(sample->lengths, *out);
}
