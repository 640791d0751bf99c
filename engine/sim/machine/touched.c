// What memory all blocks touch, in maps of lines, each sector once; and the lines of the steps that are recorded.
#include "engine/sim/machine/own_stores.h"

#include <string.h>

enum { SECTOR = SAMPLE_SECTOR };

// ---- the lines of a step --------------------------------------------------------------------------------------------

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
        recorder_room(recorder, into->touches, into->touch_count, &recorder->touch_room, sizeof *touches);
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

// ---- maps --------------------------------------------------------------------------------------------------

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

// A sampled block notes as its own what it stores from places that other blocks have touched, too.
static void claim_places(const struct warp *warp, struct sample_lines *lines, unsigned kind)
{
    if (!own_is_noted(warp, kind) || lines->claimed == warp->block->number + 1)
        return;
    lines->claimed = warp->block->number + 1;
    memset(lines->touched, 0, sizeof lines->touched);
}

// All of them lie in one allocation.
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

// ---- what the maps say --------------------------------------------------------------------------------------

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

static void count_known(struct noted *noted, size_t number, size_t bytes, struct sim_sample *out)
{
    uint64_t before = out->loaded;
    add_loaded(noted, bytes / SIM_LINE_BYTES + 1);
    count_map(noted->known, bytes / SIM_LINE_BYTES + 1, out);
    if (out->loaded > before)
        out->loaded_of[out->loaded_count++] = (struct sim_loaded){ number, out->loaded - before };
}

void touched_count(struct noted *noted, size_t number, size_t bytes, struct sim_sample *out)
{
    if (noted->known)
        count_known(noted, number, bytes, out);
    if (noted->visited)
        count_visits(noted->visited, groups_of(bytes), out);
}
