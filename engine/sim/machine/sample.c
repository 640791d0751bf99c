// What a model of time needs to know of a launch beyond its counters: the steps of a few blocks in their order, and what
// memory all blocks touched, each sector once.
#include "engine/sim/machine/sample.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS_MOST = 16,
    WARPS_MOST = 64,    // of all sampled blocks: as many as an SM holds
    STEPS_MOST = 8192,  // of a warp
    STEPS_FEWEST = 128, // of a warp that is recorded at all, if it runs so many
    STEPS_IN_ALL = 160000,
    STEPS_OF_FEW = 8000, // in all, where the sampled blocks are of few
    OF_ONE = 16,         // of a warp's steps, those of one instruction are one in so many at most
    OF_EACH = 32,        // steps of each instruction that are recorded of a warp past its limit
    OF_LONG = 2,         // the same past so many limits as FAR, in long basic blocks
    FAR = 4,
    OWN_LINES = 4096, // that the sampled blocks stored last: about an SM's part of a large L2
    FEW = 40,         // a sample is of few blocks where the grid has less than so many times as many
    APART = 132,      // blocks that follow each other on one SM of a large GPU are so far apart
    SECTOR = SAMPLE_SECTOR,
    WORD = 4,
    WORK_MOST = 1 << 20,  // blocks whose work is noted
    TURNS_MOST = 1 << 18, // of an allocation: parts of the launch are noted apart while they are no more
    VISITS_MOST = 64,
    ALL_LOADED = 0x0f * SAMPLE_LOADED // of a line
};

struct noted { // of an allocation
    // A byte for each line, NULL: not noted. Of the lines whose visits are noted only a few are said to be loaded, those of the
    // part of the launch that runs: what it says needs no further note.
    unsigned char *known;
    // For the one line of each group whose visits are noted: what of it has been loaded in any part; and a bit for each part of
    // the launch that loaded it.
    unsigned char *loaded;
    uint64_t *visited;
    // Of an allocation with one such group: what has been done with all of it, SAMPLE_LOADED and SAMPLE_STORED, and after how
    // many requests that is to be seen.
    unsigned char whole, look_in;
    void *turns;  // uint64_t: for each unit of L2, in each of its parts, sectors of atomic requests x LANES
    size_t parts; // of the launch that are noted apart there: a power of 2
    void *swaps;  // uint32_t: of each word, compares and swaps that swapped. Both NULL: none yet
};
struct sample {
    const struct machine *machine;
    struct noted *noted; // by allocation, from the first one on
    uint64_t first_noted, noted_count;
    uint32_t *numbers; // of the allocations that there are
    size_t number_count;
    uint64_t swap_tries;
    bool footprint;
    bool alone; // one host thread
    // Where it is: what is known of lines whose visits are noted, of this part of the launch only.
    unsigned part, visit_count;
    unsigned char *visits[VISITS_MOST];
    struct lengths *lengths; // longest.c
    size_t step_limit;       // of a warp
    unsigned
        every; // of runs of IN_TURN executions of an instruction, one in so many is recorded (a power of 2)
    uint64_t first, apart;
    uint32_t *work; // by block
    struct sim_sampled_block *blocks;
    struct recorder *recorders; // warp after warp, block after block
    uint16_t *seen;             // of all recorders
    uint64_t *own;              // of all sampled blocks
    size_t own_lines;           // of each: a power of 2
    uint32_t past_from[BLOCKS_MOST];
    size_t block_count, warp_count;
    uint64_t atomics; // sectors of atomic requests
    atomic_bool failed;
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

// Groups of lines of which one has its visits noted.
static size_t groups_of(size_t bytes)
{
    return bytes / SIM_LINE_BYTES / VISITED_GROUP + 1;
}

// NULL: there is no such allocation.
INLINE struct noted *noted_as(const struct sample *sample, uint64_t number)
{
    uint64_t at = number - sample->first_noted;
    return at < sample->noted_count ? &sample->noted[at] : NULL;
}

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

// Atomics are served by units of L2, and each 1024 bytes by two of them, 256 bytes in turn: on an H100, 256 bins are served
// twice as fast where they lie in 2 KB, unless the bit of 256 bytes is the same for all of them.
enum { PAIR_BYTES = 1024, TURN_BYTES = 256 };

static size_t units_of(const struct sample *sample, size_t number)
{
    return 2 * (sample->machine->memory->allocations[number].bytes / PAIR_BYTES + 1);
}

static size_t unit_of(uint64_t offset)
{
    return 2 * (offset / PAIR_BYTES) + (offset / TURN_BYTES & 1);
}

// Parts of the launch that are noted apart: a power of 2.
static size_t parts_of(size_t units)
{
    size_t parts = SIM_LAUNCH_PARTS;
    while (parts > 1 && parts * units > TURNS_MOST)
        parts /= 2;
    return parts;
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
        noted->parts = parts_of(units_of(sample, sample->numbers[i]));
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

// ---- steps --------------------------------------------------------------------------------------------

// An array with room for one more, which grows when it must. NULL: no memory, and nothing more is recorded.
static void *with_room(struct recorder *recorder, void *items, size_t count, size_t *room, size_t item)
{
    enum { GROWTH = 4 };
    if (count < *room)
        return items;
    size_t larger = *room ? *room * GROWTH : 256;
    void *grown = realloc(items, larger * item);
    if (grown)
        *room = larger;
    else
        recorder->full = true;
    return grown;
}

static __attribute__((noinline)) bool make_step_room(struct recorder *recorder)
{
    struct sim_sampled_warp *into = recorder->into;
    struct sim_step *steps =
        with_room(recorder, into->steps, into->step_count, &recorder->step_room, sizeof *steps);
    recorder->leaves_out = !steps;
    into->steps = steps ? steps : into->steps;
    return steps;
}

// A warp has reached its limit. From the next barrier on, all of its block have: so they record the same phases, and meet at
// the same barriers.
static bool is_past(struct recorder *recorder, const struct op *op)
{
    size_t count = recorder->into->step_count, limit = recorder->step_limit;
    if (!recorder->past_from)
        return count >= limit;
    bool past = recorder->barriers >= *recorder->past_from || count >= (recorder->barriers ? 2 : 1) * limit;
    if (op->kind == OP_BARRIER && ++recorder->barriers < *recorder->past_from && count >= limit)
        *recorder->past_from = recorder->barriers;
    return past;
}

// How many steps of one instruction are recorded.
static unsigned most_of(const struct recorder *recorder, bool past)
{
    return !past ? (unsigned)(recorder->step_limit / OF_ONE)
           : recorder->into->step_count < FAR * recorder->step_limit ? OF_EACH
                                                                     : OF_LONG;
}

// The number of steps at which another rule than the one that was found now may hold.
static size_t steps_until(const struct recorder *recorder, bool past)
{
    const size_t limit = recorder->step_limit;
    if (!past)
        return (recorder->barriers ? 2 : 1) * limit;
    return recorder->into->step_count < FAR * limit ? FAR * limit : SIZE_MAX;
}

// There is room for it.
INLINE void add_step(struct warp *warp, const struct op *op, unsigned lanes)
{
    struct sim_sampled_warp *into = warp->recorder->into;
    warp->recorded = true;
    into->steps[into->step_count++] =
        (struct sim_step){ .index = (uint32_t)op->tally, .lanes = (uint8_t)lanes };
}

// A call on processors that may not have the instruction, for which nothing has to be kept here.
static __attribute__((noinline)) void add_part_of_step(struct warp *warp, const struct op *op,
                                                       uint32_t active)
{
    add_step(warp, op, (unsigned)__builtin_popcount(active));
}

// Of a loop the first iterations, so that what comes after a long one is known as well: the same ones in all warps of a
// block, which meet at its barriers. Past the limit only what has hardly been recorded.
static __attribute__((noinline)) void record_step(struct warp *warp, const struct op *op, uint32_t active)
{
    struct recorder *recorder = warp->recorder;
    struct sim_sampled_warp *into = recorder->into;
    uint16_t *seen = recorder->seen ? &recorder->seen[op->tally] : NULL;
    bool past = is_past(recorder, op);
    recorder->full |= past && !seen;
    unsigned most = most_of(recorder, past);
    recorder->leaves_out = recorder->full || (seen && *seen >= most);
    recorder->most = most;
    recorder->steps_until = recorder->full || op->kind == OP_BARRIER ? 0 : steps_until(recorder, past);
    recorder->past_then = recorder->past_from ? *recorder->past_from : 0;
    warp->recorded = false;
    if (recorder->leaves_out)
        return;
    if (seen)
        ++*seen;
    if (into->step_count < recorder->step_room || make_step_room(recorder))
        add_step(warp, op, (unsigned)__builtin_popcount(active));
}

// Whether the next step is recorded by the rule of the last one.
INLINE bool goes_on(const struct recorder *recorder)
{
    return recorder->into->step_count < recorder->steps_until && *recorder->past_from == recorder->past_then;
}

INLINE void count_step(struct warp *warp, const struct op *op, uint32_t active)
{
    if (active == FULL_MASK)
        add_step(warp, op, LANES);
    else
        add_part_of_step(warp, op, active);
}

// Most steps are left out, or recorded, as the last one was; of a window all are recorded.
void sample_step(struct warp *warp, const struct op *op, uint32_t active)
{
    struct recorder *recorder = warp->recorder;
    uint16_t *seen = recorder->seen;
    const size_t count = recorder->into->step_count;
    if (!seen && count < recorder->step_room && count < recorder->step_limit) {
        recorder->leaves_out = false;
        count_step(warp, op, active);
        return;
    }
    if (!seen || op->kind == OP_BARRIER || !goes_on(recorder)) {
        record_step(warp, op, active);
        return;
    }
    seen += op->tally;
    recorder->leaves_out = *seen >= recorder->most;
    warp->recorded = false;
    if (recorder->leaves_out)
        return;
    if (count == recorder->step_room) {
        record_step(warp, op, active); // which makes room
        return;
    }
    ++*seen;
    count_step(warp, op, active);
}

bool sample_leaves_out(const struct warp *warp, const struct op *op, int32_t count)
{
    const struct recorder *recorder = warp->recorder;
    if (!recorder->seen || !goes_on(recorder))
        return false;
    for (int32_t i = 0; i < count; i++)
        if (recorder->seen[op->tally + i] < recorder->most)
            return false;
    return true;
}

static void add_other_touch(struct recorder *recorder, struct sim_step *step, uint64_t line, unsigned sectors)
{
    struct sim_sampled_warp *into = recorder->into;
    if (step->touches == UINT8_MAX)
        return;
    // Lines that rise come once; others may be there already.
    bool rises = !step->touches || line > recorder->highest;
    for (size_t i = 0; i < step->touches && !rises; i++) {
        uint64_t *touch = &into->touches[into->touch_count - 1 - i];
        if (*touch >> 4 == line) {
            *touch |= sectors;
            return;
        }
    }
    uint64_t *touches =
        with_room(recorder, into->touches, into->touch_count, &recorder->touch_room, sizeof *touches);
    if (!touches)
        return;
    into->touches = touches;
    into->touches[into->touch_count++] = line << 4 | sectors;
    step->touches++;
    recorder->highest = rises ? line : recorder->highest;
}

INLINE void add_touch(struct recorder *recorder, uint64_t line, unsigned sectors)
{
    struct sim_sampled_warp *into = recorder->into;
    if (recorder->leaves_out || !into->step_count)
        return;
    struct sim_step *step = &into->steps[into->step_count - 1];
    if (!step->touches || line <= recorder->highest || into->touch_count == recorder->touch_room ||
        step->touches == UINT8_MAX) {
        add_other_touch(recorder, step, line, sectors);
        return;
    }
    into->touches[into->touch_count++] = line << 4 | sectors;
    step->touches++;
    recorder->highest = line;
}

void sample_passes(struct warp *warp, unsigned passes)
{
    struct recorder *recorder = warp->recorder;
    if (!recorder || recorder->leaves_out || !recorder->into->step_count)
        return;
    struct sim_step *step = &recorder->into->steps[recorder->into->step_count - 1];
    step->passes = (uint16_t)(step->passes + passes < UINT16_MAX ? step->passes + passes : UINT16_MAX);
}

void sample_waves(struct warp *warp, unsigned waves)
{
    const struct sim_sampled_warp *into = warp->recorder->into;
    into->steps[into->step_count - 1].waves = (uint16_t)waves;
}

// ---- what was touched ----------------------------------------------------------------------------------------

static const uint64_t LINES_OF_ONE = (1ull << OFFSET_BITS) / SIM_LINE_BYTES; // of addresses of one allocation

unsigned char *sample_known(const struct sample *sample, uint64_t address)
{
    const struct noted *noted = noted_as(sample, address >> OFFSET_BITS);
    return noted ? noted->known : NULL;
}

bool sample_is_alone(const struct sample *sample)
{
    return sample->alone;
}

// Host threads may change a byte at the same time, which takes several times as long as one that is alone; the bits that are
// there already are not written again.
INLINE void mark(const struct sample *sample, unsigned char *at, unsigned bits)
{
    if ((__atomic_load_n(at, __ATOMIC_RELAXED) & bits) == bits)
        return;
    if (sample->alone)
        *at |= (unsigned char)bits;
    else
        __atomic_fetch_or(at, (unsigned char)bits, __ATOMIC_RELAXED);
}

static void note_visit(const struct warp *warp, const struct noted *noted, uint64_t group)
{
    uint64_t *visited = noted->visited;
    if (!visited)
        return;
    uint64_t part = 1ull << warp->block->launch_part;
    if (!(__atomic_load_n(&visited[group], __ATOMIC_RELAXED) & part))
        __atomic_fetch_or(&visited[group], part, __ATOMIC_RELAXED);
}

// Whether it may be known, up to the end of this part of the launch, that the line was loaded.
static bool keep_visit(struct sample *sample, unsigned char *known)
{
    if (!sample->alone || sample->visit_count == VISITS_MOST)
        return false;
    sample->visits[sample->visit_count++] = known;
    return true;
}

static __attribute__((noinline)) void note_line_anew(const struct warp *warp, const struct noted *noted,
                                                     uint64_t line, unsigned bits)
{
    if (bits & ALL_LOADED && sample_notes_visits(line)) {
        mark(warp->sample, &noted->loaded[line / VISITED_GROUP], bits & ALL_LOADED);
        note_visit(warp, noted, line / VISITED_GROUP);
        if (!keep_visit(warp->sample, &noted->known[line]))
            bits &= ~(unsigned)ALL_LOADED;
    }
    mark(warp->sample, &noted->known[line], bits);
}

INLINE void note_line(const struct warp *warp, const struct noted *noted, uint64_t line, unsigned bits)
{
    if (!sample_note_line(noted->known, line, bits, warp->sample->alone))
        note_line_anew(warp, noted, line, bits);
}

// What a sampled block stored last, whether that was recorded or not: a later load finds it in L2.
INLINE uint64_t *own_line(const struct warp *warp, uint64_t line)
{
    const size_t lines = warp->sample->own_lines;
    return &warp->recorder->own[(line * 0x9e3779b97f4a7c15ull >> 32) & (lines - 1)];
}

static void own_store(const struct warp *warp, uint64_t line, unsigned sectors)
{
    uint64_t *own = own_line(warp, line);
    *own = (*own >> 4 == line ? *own : line << 4) | sectors;
}

static bool own_has(const struct warp *warp, uint64_t line, unsigned sectors)
{
    const uint64_t own = *own_line(warp, line);
    return own >> 4 == line && (own & sectors) == sectors;
}

// Whether what the access stores is noted as the block's own.
static bool own_is_noted(const struct warp *warp, unsigned kind)
{
    return kind & SAMPLE_STORED && warp->recorder && warp->recorder->own;
}

// Tells the step that is recorded which of the lines that it loads are the block's own.
INLINE void own_load(const struct warp *warp, unsigned kind, uint64_t line, unsigned sectors)
{
    const struct recorder *recorder = warp->recorder;
    if (kind != SAMPLE_LOADED || !recorder->own || !recorder->into->step_count)
        return;
    struct sim_step *step = &recorder->into->steps[recorder->into->step_count - 1];
    if (step->stored < step->touches && own_has(warp, line, sectors))
        step->stored++;
}

struct touching { // of a request, line after line
    const struct warp *warp;
    struct recorder *recorder; // NULL: the step is not recorded
    unsigned kind;
    uint64_t number; // of the allocation that is noted
    const struct noted *noted;
};

INLINE void touch_line(struct touching *t, uint64_t line, unsigned sectors)
{
    uint64_t number = line / LINES_OF_ONE;
    if (number != t->number) {
        t->number = number;
        t->noted = noted_as(t->warp->sample, number);
    }
    if (t->noted && t->noted->known)
        note_line(t->warp, t->noted, line % LINES_OF_ONE, sectors * t->kind);
    if (t->recorder) {
        add_touch(t->recorder, line, sectors);
        own_load(t->warp, t->kind, line, sectors);
    }
    if (own_is_noted(t->warp, t->kind))
        own_store(t->warp, line, sectors);
}

// The same where the step is not recorded.
static void note_run(const struct warp *warp, uint64_t first, uint64_t last, unsigned kind)
{
    const struct noted *noted = noted_as(warp->sample, first >> OFFSET_BITS);
    if (!noted || !noted->known)
        return;
    first &= OFFSETS;
    last &= OFFSETS;
    uint64_t line = first / SIM_LINE_BYTES, last_line = last / SIM_LINE_BYTES;
    for (; line < last_line; line++, first = 0)
        note_line(warp, noted, line, kind * sample_sectors(first, SIM_LINE_BYTES - 1));
    note_line(warp, noted, line, kind * sample_sectors(first, last));
}

void sample_run(struct warp *warp, uint64_t first, unsigned bytes, bool write)
{
    struct recorder *recorder = warp->recorder && !warp->recorder->leaves_out ? warp->recorder : NULL;
    struct touching t = { .warp = warp,
                          .recorder = recorder,
                          .kind = write ? SAMPLE_STORED : SAMPLE_LOADED,
                          .number = UINT64_MAX };
    uint64_t last = first + bytes - 1;
    if (!recorder && !own_is_noted(warp, t.kind)) {
        note_run(warp, first, last, t.kind);
        return;
    }
    for (; first / SIM_LINE_BYTES != last / SIM_LINE_BYTES; first = (first | (SIM_LINE_BYTES - 1)) + 1)
        touch_line(&t, first / SIM_LINE_BYTES, sample_sectors(first, first | (SIM_LINE_BYTES - 1)));
    touch_line(&t, first / SIM_LINE_BYTES, sample_sectors(first, last));
}

// Each lane within a sector.
static void touch_aligned(struct touching *t, const uint64_t at[LANES])
{
    for (int i = 0; i < LANES;) {
        uint64_t line = at[i] / SIM_LINE_BYTES;
        unsigned sectors = 0;
        do
            sectors |= 1u << (at[i] / SECTOR % 4);
        while (++i < LANES && at[i] / SIM_LINE_BYTES == line);
        touch_line(t, line, sectors);
    }
}

static void touch_lanes(struct touching *t, const uint64_t at[LANES], uint32_t mask, unsigned bytes)
{
    uint64_t line = UINT64_MAX;
    unsigned sectors = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t first = at[__builtin_ctz(left)], here = first / SIM_LINE_BYTES;
        if (here != line) {
            if (sectors)
                touch_line(t, line, sectors);
            line = here;
            sectors = 0;
        }
        sectors |= sample_sectors(first, first + bytes - 1);
    }
    if (sectors)
        touch_line(t, line, sectors);
}

static bool in_one_allocation(const uint64_t at[LANES])
{
    uint64_t differ = 0;
    for (int i = 0; i < LANES; i++)
        differ |= at[i] ^ at[0];
    return !(differ >> OFFSET_BITS);
}

static unsigned done_with(const struct noted *noted, size_t line)
{
    unsigned loaded = sample_notes_visits(line)
                          ? __atomic_load_n(&noted->loaded[line / VISITED_GROUP], __ATOMIC_RELAXED)
                          : 0;
    return __atomic_load_n(&noted->known[line], __ATOMIC_RELAXED) | loaded;
}

// What has been done with all bytes of an allocation of few lines.
static unsigned done_with_all(const struct noted *noted, size_t bytes)
{
    const size_t last = (bytes - 1) / SIM_LINE_BYTES;
    unsigned all = done_with(noted, last) | ~(0x11 * sample_sectors(0, bytes - 1));
    for (size_t i = 0; i < last; i++)
        all &= done_with(noted, i);
    return ((all & 0x0f) == 0x0f ? SAMPLE_LOADED : 0) | ((all & 0xf0) == 0xf0 ? SAMPLE_STORED : 0);
}

// Whether nothing is left to be noted: tables that all blocks use, as of a histogram, have soon been touched as a whole.
static bool is_done(const struct warp *warp, struct noted *noted, uint64_t number, unsigned kind)
{
    enum { REQUESTS = 32 };
    const size_t bytes = warp->sample->machine->memory->allocations[number].bytes;
    if (bytes > VISITED_GROUP * SIM_LINE_BYTES || !noted->visited)
        return false;
    unsigned whole = __atomic_load_n(&noted->whole, __ATOMIC_RELAXED);
    if ((whole & kind) != kind) {
        const unsigned char look_in = __atomic_load_n(&noted->look_in, __ATOMIC_RELAXED);
        __atomic_store_n(&noted->look_in, look_in ? look_in - 1 : REQUESTS, __ATOMIC_RELAXED);
        if (look_in)
            return false;
        whole = done_with_all(noted, bytes);
        __atomic_store_n(&noted->whole, (unsigned char)whole, __ATOMIC_RELAXED);
    }
    const uint64_t visited = __atomic_load_n(&noted->visited[0], __ATOMIC_RELAXED);
    return (whole & kind) == kind && (!(kind & SAMPLE_LOADED) || visited >> warp->block->launch_part & 1);
}

// The same for lanes in one allocation, of a step that is not recorded: each for itself, for mostly each has its own line.
static void mark_lanes(const struct touching *t, const uint64_t at[LANES])
{
    const uint64_t number = at[0] >> OFFSET_BITS;
    struct noted *noted = noted_as(t->warp->sample, number);
    if (!noted || !noted->known || is_done(t->warp, noted, number, t->kind))
        return;
    for (int i = 0; i < LANES; i++)
        note_line(t->warp, noted, (at[i] & OFFSETS) / SIM_LINE_BYTES, t->kind << (at[i] / SECTOR % 4));
}

// Notes which lines of the step that is recorded are those of the request.
static void keep_touches(struct kept_request *kept, const struct recorder *recorder, size_t from)
{
    kept->into = NULL;
    if (!recorder ||
        recorder->into->touch_count - from != recorder->into->steps[recorder->into->step_count - 1].touches)
        return;
    kept->into = recorder->into;
    kept->from = from;
    kept->count = recorder->into->touch_count - from;
    kept->stored = recorder->into->steps[recorder->into->step_count - 1].stored;
    kept->highest = recorder->highest;
}

void sample_lanes(struct warp *warp, const uint64_t at[LANES], uint32_t mask, unsigned bytes, unsigned kind)
{
    struct recorder *recorder = warp->recorder && warp->recorded ? warp->recorder : NULL;
    struct touching t = { .warp = warp, .recorder = recorder, .kind = kind, .number = UINT64_MAX };
    if (mask != FULL_MASK || bytes > SECTOR) {
        touch_lanes(&t, at, mask, bytes);
        return;
    }
    struct kept_request *kept = kept_request_of(warp, at[0]);
    memcpy(kept->at, at, sizeof kept->at);
    kept->block = warp->block->number;
    kept->kind = kind;
    size_t from = recorder ? recorder->into->touch_count : 0;
    if (!recorder && !own_is_noted(warp, kind) && in_one_allocation(at))
        mark_lanes(&t, at);
    else
        touch_aligned(&t, at);
    keep_touches(kept, recorder, from);
}

// Lines that follow each other, eight of them at a time; there is one host thread.
static void touch_row(const struct warp *warp, const struct noted *noted, const struct sample_lines *lines,
                      uint64_t line, unsigned same, unsigned kind)
{
    enum { AT_ONCE = sizeof(uint64_t) };
    static const uint64_t ones = 0x0101010101010101u;
    const uint64_t last = line + lines->count - 1;
    unsigned i = 0;
    for (; i + AT_ONCE <= lines->count; i += AT_ONCE) {
        uint64_t more, known;
        memcpy(&more, lines->sectors + i, sizeof more);
        memcpy(&known, noted->known + line + i, sizeof known);
        more = same ? same * ones : more * kind;
        known |= more;
        memcpy(noted->known + line + i, &known, sizeof known);
    }
    for (; i < lines->count; i++)
        note_line(warp, noted, line + i, same ? same : lines->sectors[i] * kind);
    for (uint64_t group = line / VISITED_GROUP; kind == SAMPLE_LOADED && group <= last / VISITED_GROUP;
         group++) {
        const uint64_t visited = group * VISITED_GROUP + sample_visited_line(group);
        if (visited < line || visited > last)
            continue;
        note_visit(warp, noted, group);
        noted->loaded[group] |= noted->known[visited] & ALL_LOADED;
        noted->known[visited] &= (unsigned char)~ALL_LOADED;
    }
}

// All of them lie in one allocation.
// A sampled block notes as its own what it stores from places that other blocks have touched, too.
static void claim_places(const struct warp *warp, struct sample_lines *lines, unsigned kind)
{
    if (!own_is_noted(warp, kind) || lines->claimed == warp->block->number + 1)
        return;
    lines->claimed = warp->block->number + 1;
    memset(lines->touched, 0, sizeof lines->touched);
}

static void touch_lines(const struct warp *warp, const struct sample_lines *lines, uint64_t first,
                        unsigned kind)
{
    const uint64_t start = first / SIM_LINE_BYTES, number = (start + lines->line[0]) / LINES_OF_ONE;
    const struct noted *noted = noted_as(warp->sample, number);
    const unsigned sector = 1u << (first / SECTOR % 4), count = lines->count;
    for (unsigned i = 0; own_is_noted(warp, kind) && i < count; i++)
        own_store(warp, start + lines->line[i], lines->lines_apart ? sector : lines->sectors[i]);
    if (!noted || !noted->known)
        return;
    const uint64_t from = start - number * LINES_OF_ONE;
    const unsigned same = lines->lines_apart ? sector * kind : 0;
    if (lines->in_row && count > 1 && warp->sample->alone)
        touch_row(warp, noted, lines, from + lines->line[0], same, kind);
    else
        for (unsigned i = 0; i < count; i++)
            note_line(warp, noted, from + lines->line[i], same ? same : lines->sectors[i] * kind);
}

static void find_lines(struct sample_lines *lines, const uint64_t at[LANES], uint64_t first, uint32_t active)
{
    uint64_t apart = 0;
    lines->active = active;
    lines->count = 0;
    memset(lines->touched, 0, sizeof lines->touched);
    for (int i = 0; i < LANES; i++) {
        uint64_t line = at[i] / SIM_LINE_BYTES - first / SIM_LINE_BYTES;
        unsigned char sector = (unsigned char)(1u << (at[i] / SECTOR % 4));
        apart |= at[i] - first;
        if (!lines->count || lines->line[lines->count - 1] != line) {
            lines->line[lines->count] = line;
            lines->sectors[lines->count++] = 0;
        }
        lines->sectors[lines->count - 1] |= sector;
    }
    lines->in_row = true;
    for (unsigned i = 1; i < lines->count; i++)
        lines->in_row &= lines->line[i] == lines->line[0] + i;
    lines->lines_apart = apart % SIM_LINE_BYTES == 0;
    apart |= SECTOR;
    lines->grain = (unsigned)(apart & -apart);
}

void sample_lines(struct warp *warp, struct sample_lines *lines, const uint64_t at[LANES], uint64_t first,
                  unsigned kind)
{
    find_lines(lines, at, first, warp->active);
    lines->first = first;
    claim_places(warp, lines, kind);
    uint64_t place = sample_place(warp, lines, first);
    *sample_place_kept(lines, place) = place;
    touch_lines(warp, lines, first, kind);
}

bool sample_lines_again(struct warp *warp, struct sample_lines *lines, uint64_t first, unsigned kind)
{
    if (lines->active != warp->active)
        return false;
    claim_places(warp, lines, kind);
    const uint64_t place = sample_place(warp, lines, first);
    uint64_t *kept = sample_place_kept(lines, place);
    if (*kept == place)
        return true;
    if (!lines->lines_apart && (first ^ lines->first) % SIM_LINE_BYTES >= lines->grain)
        return false;
    *kept = place;
    touch_lines(warp, lines, first, kind);
    return true;
}

bool sample_again(struct warp *warp, const struct kept_request *kept)
{
    struct recorder *recorder = warp->recorder;
    struct sim_sampled_warp *into = recorder->into;
    struct sim_step *step = &into->steps[into->step_count - 1];
    if (kept->into != into || step->touches || recorder->touch_room - into->touch_count < kept->count)
        return false;
    memcpy(into->touches + into->touch_count, into->touches + kept->from,
           kept->count * sizeof *into->touches);
    into->touch_count += kept->count;
    step->touches = (uint8_t)kept->count;
    step->stored = kept->stored;
    recorder->highest = kept->highest;
    return true;
}

// ---- atomics ----------------------------------------------------------------------------------------

// Counters of an allocation, made when the first of them is needed. Host threads may make them at the same time; one wins.
static void *made_once(struct sample *sample, void **place, size_t bytes)
{
    void *counters = __atomic_load_n(place, __ATOMIC_ACQUIRE), *none = NULL;
    if (counters)
        return counters;
    void *fresh = calloc(bytes, 1);
    if (!fresh) {
        sample->failed = true;
        return NULL;
    }
    if (__atomic_compare_exchange_n(place, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return fresh;
    free(fresh);
    return none;
}

// The turns of an allocation's units.
static uint64_t *turns_of(struct sample *sample, uint64_t number)
{
    struct noted *noted = noted_as(sample, number);
    if (!noted)
        return NULL;
    return made_once(sample, &noted->turns, units_of(sample, number) * noted->parts * sizeof(uint64_t));
}

static size_t words_of(const struct sample *sample, uint64_t number)
{
    return sample->machine->memory->allocations[number].bytes / WORD + 1;
}

void sample_swaps(struct warp *warp, const uint64_t at[LANES], uint32_t mask, uint32_t through)
{
    struct sample *sample = warp->sample;
    uint32_t global = 0; // lanes of a generic address may be elsewhere, and have an offset
    for (int i = 0; i < LANES; i++)
        global |= (uint32_t)(at[i] >> OFFSET_BITS != 0) << i;
    mask &= global;
    __atomic_fetch_add(&sample->swap_tries, (unsigned)__builtin_popcount(mask), __ATOMIC_RELAXED);
    for (through &= mask; through; through &= through - 1) {
        uint64_t address = at[__builtin_ctz(through)], number = address >> OFFSET_BITS;
        struct noted *noted = noted_as(sample, number);
        if (!noted)
            continue;
        uint32_t *swaps = made_once(sample, &noted->swaps, words_of(sample, number) * sizeof *swaps);
        if (swaps)
            __atomic_fetch_add(&swaps[(address & OFFSETS) / WORD], 1, __ATOMIC_RELAXED);
    }
}

// Host threads may add at the same time, which takes several times as long as one that is alone.
INLINE void add_turns(uint64_t *turns, uint64_t more, bool alone)
{
    if (alone)
        *turns += more;
    else
        __atomic_fetch_add(turns, more, __ATOMIC_RELAXED);
}

// The lanes that a request sends a sector for: the first in each sector, and those with a word that more lanes before them
// have than any other word of the sector.
static uint32_t lanes_that_send(const uint64_t at[LANES], uint32_t mask)
{
    enum { SLOTS = 2 * LANES, SECTOR_WORDS = SECTOR / WORD, COUNT_BITS = 64 / SECTOR_WORDS };
    uint64_t sectors[SLOTS], lanes[SLOTS], filled = 0; // lanes: a count for each word
    unsigned most[SLOTS];
    uint32_t out = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t sector = at[lane] / SECTOR, word = at[lane] / WORD % SECTOR_WORDS;
        size_t slot = (size_t)(sector * 0x9e3779b97f4a7c15u >> 32) % SLOTS;
        while (filled >> slot & 1 && sectors[slot] != sector)
            slot = (slot + 1) % SLOTS;
        if (!(filled >> slot & 1)) {
            filled |= 1ull << slot;
            sectors[slot] = sector;
            lanes[slot] = most[slot] = 0;
        }
        lanes[slot] += 1ull << word * COUNT_BITS;
        unsigned same = (unsigned)(lanes[slot] >> word * COUNT_BITS) & ((1u << COUNT_BITS) - 1);
        out |= (uint32_t)(same > most[slot]) << lane;
        most[slot] = same > most[slot] ? same : most[slot];
    }
    return out;
}

// How many lanes of a full warp, all in the bytes of two units, send a sector to each of them.
static void count_senders(const uint64_t at[LANES], uint64_t senders[2])
{
    enum { WORDS = PAIR_BYTES / WORD, SECTORS = PAIR_BYTES / SECTOR };
    unsigned char lanes[WORDS] = { 0 }, most[SECTORS] = { 0 }; // of a word, and of a sector's words
    for (int i = 0; i < LANES; i++) {
        size_t word = at[i] / WORD % WORDS, sector = word / (SECTOR / WORD);
        bool more = ++lanes[word] > most[sector];
        most[sector] += more;
        senders[sector / (TURN_BYTES / SECTOR) % 2] += more;
    }
}

// Adds the shares of the lanes that send a sector where all lanes are in the bytes of two units. False: they are not.
static bool add_to_pair(struct sample *sample, const uint64_t at[LANES], unsigned launch_part,
                        unsigned passes)
{
    uint64_t differ = 0;
    for (int i = 0; i < LANES; i++)
        differ |= at[i] ^ at[0];
    uint64_t *turns = differ >= PAIR_BYTES ? NULL : turns_of(sample, at[0] >> OFFSET_BITS);
    if (!turns)
        return false;
    const size_t parts = noted_as(sample, at[0] >> OFFSET_BITS)->parts;
    uint64_t senders[2] = { 0 };
    if (passes == 1)
        senders[at[0] / TURN_BYTES % 2] = 1;
    else
        count_senders(at, senders);
    const uint64_t share = (uint64_t)passes * LANES / (senders[0] + senders[1]);
    turns += 2 * ((at[0] & OFFSETS) / PAIR_BYTES) * parts + launch_part * parts / SIM_LAUNCH_PARTS;
    add_turns(turns, senders[0] * share, sample->alone);
    add_turns(turns + parts, senders[1] * share, sample->alone);
    return true;
}

// Each lane that sends a sector has an equal share of the request's sectors.
void sample_atomic(struct warp *warp, const uint64_t at[LANES], uint32_t mask, unsigned passes)
{
    struct sample *sample = warp->sample;
    bool alone = sample->alone;
    add_turns(&sample->atomics, passes, alone);
    sample_passes(warp, passes);
    if (mask == FULL_MASK && add_to_pair(sample, at, warp->block->launch_part, passes))
        return;
    uint32_t senders = passes == 1 ? mask & -mask : lanes_that_send(at, mask);
    unsigned count = (unsigned)__builtin_popcount(senders);
    uint64_t share = (uint64_t)passes * LANES / (count ? count : 1);
    uint64_t number = UINT64_MAX, *turns = NULL;
    size_t parts = 1, part = 0;
    for (uint32_t left = senders; left; left &= left - 1) {
        uint64_t address = at[__builtin_ctz(left)];
        if (address >> OFFSET_BITS != number) {
            number = address >> OFFSET_BITS;
            turns = turns_of(sample, number);
            parts = turns ? noted_as(sample, number)->parts : 1;
            part = warp->block->launch_part * parts / SIM_LAUNCH_PARTS;
        }
        if (turns)
            add_turns(&turns[unit_of(address & OFFSETS) * parts + part], share, alone);
    }
}

// ---- the result -----------------------------------------------------------------------------------------------

// The bits that are set in a word of which at most every second one is.
static unsigned sparse_bits(uint64_t word)
{
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(word * 0x0101010101010101u >> 56);
}

// Eight lines of a map, which has as many others like them.
static void count_lines(uint64_t lines, uint64_t times, struct sim_sample *out)
{
    static const uint64_t evens = 0x5555555555555555u, low = 0x0f0f0f0f0f0f0f0fu;
    uint64_t pairs = (lines | lines >> 1) & evens, any = pairs | pairs >> 2;
    unsigned loaded = sparse_bits(lines & evens & low) + sparse_bits(lines >> 1 & evens & low);
    unsigned all = sparse_bits(lines & evens) + sparse_bits(lines >> 1 & evens);
    unsigned loaded_pairs = sparse_bits(pairs & low);
    out->lines += times * sparse_bits((any | any >> 4) & 0x0101010101010101u);
    out->loaded += times * loaded;
    out->stored += times * (all - loaded);
    out->loaded_pairs += times * loaded_pairs;
    out->stored_pairs += times * (sparse_bits(pairs) - loaded_pairs);
}

// What has been loaded in any part of the launch.
static void add_loaded(const struct noted *noted, size_t lines)
{
    for (uint64_t group = 0; group * VISITED_GROUP < lines; group++) {
        uint64_t line = group * VISITED_GROUP + sample_visited_line(group);
        if (line < lines)
            noted->known[line] |= noted->loaded[group];
    }
}

static void count_map(const unsigned char *map, size_t lines, struct sim_sample *out)
{
    uint64_t before = 0, times = 0; // most lines are as those before them
    for (size_t i = 0; i < lines; i += sizeof(uint64_t)) {
        uint64_t some = 0;
        if (lines - i >= sizeof some)
            memcpy(&some, map + i, sizeof some);
        else
            memcpy(&some, map + i, lines - i);
        if (some != before) {
            count_lines(before, times, out);
            before = some;
            times = 0;
        }
        times++;
    }
    count_lines(before, times, out);
}

// The visits of the lines that were noted stand for all.
static void count_visits(const uint64_t *visited, size_t groups, struct sim_sample *out)
{
    for (size_t i = 0; i < groups; i++) {
        int before = -1;
        for (uint64_t left = visited[i]; left; left &= left - 1) {
            int part = __builtin_ctzll(left);
            out->visits += VISITED_GROUP;
            if (before >= 0)
                out->apart[part - before] += VISITED_GROUP;
            before = part;
        }
    }
}

static void count_swaps(const uint32_t *swaps, size_t words, struct sim_sample *out)
{
    for (size_t i = 0; i < words; i++) {
        out->swaps += swaps[i];
        out->swap_squares += (uint64_t)swaps[i] * swaps[i];
    }
}

// The most turns of one unit in each window of 1, 2, 4 ... parts; a part that was not noted apart has its share.
static void count_turns(const uint64_t *turns, size_t units, size_t parts,
                        uint64_t most[SIM_WINDOWS][SIM_LAUNCH_PARTS])
{
    for (size_t i = 0; i < units; i++)
        for (size_t window = 1, w = 0; w < SIM_WINDOWS; window *= 2, w++)
            for (size_t at = 0; at < SIM_LAUNCH_PARTS / window; at++) {
                size_t from = at * window * parts / SIM_LAUNCH_PARTS,
                       to = (at + 1) * window * parts / SIM_LAUNCH_PARTS;
                uint64_t sum = to > from ? 0 : turns[i * parts + from] * window * parts / SIM_LAUNCH_PARTS;
                for (; from < to; from++)
                    sum += turns[i * parts + from];
                most[w][at] = sum > most[w][at] ? sum : most[w][at];
            }
}

static void sum_windows(uint64_t most[SIM_WINDOWS][SIM_LAUNCH_PARTS], struct sim_sample *out)
{
    for (int w = 0; w < SIM_WINDOWS; w++) {
        uint64_t sum = 0;
        for (int at = 0; at < SIM_LAUNCH_PARTS >> w; at++)
            sum += most[w][at];
        out->hottest[w] = sum / LANES;
    }
}

static void count_known(struct noted *noted, size_t number, size_t bytes, struct sim_sample *out)
{
    uint64_t before = out->loaded;
    add_loaded(noted, bytes / SIM_LINE_BYTES + 1);
    count_map(noted->known, bytes / SIM_LINE_BYTES + 1, out);
    if (out->loaded > before)
        out->loaded_of[out->loaded_count++] = (struct sim_loaded){ number, out->loaded - before };
}

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
        if (noted->known)
            count_known(noted, number, bytes, *out);
        if (noted->visited)
            count_visits(noted->visited, groups_of(bytes), *out);
        if (noted->swaps)
            count_swaps(noted->swaps, words_of(sample, number), *out);
        if (noted->turns)
            count_turns(noted->turns, units_of(sample, number), noted->parts, most);
    }
    sum_windows(most, *out);
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
