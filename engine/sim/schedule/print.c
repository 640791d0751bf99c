// The output of kernels (vprintf and __assertfail): formatted thread by thread, collected by block with the threads that
// printed it, and put into the order of the blocks at the end, either as a GPU prints it or line by line with its threads.
#include "engine/sim/schedule/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 4096, FIELD_MOST = 512, WIDTH_MOST = 200 };

// ---- text of a block ------------------------------------------------------------------------------------------------

enum { PRINT_MOST = 1 << 20, BLOCK_MOST = MAX_WARPS * LANES };

struct said { // consecutive text of one thread
    uint32_t length;
    uint16_t thread;   // linear index in the block
    bool names_itself; // an assertion, which names its thread itself
};
struct printed { // the text of one block
    uint64_t position;
    uint32_t block[3];
    char *text;
    size_t length, room;
    struct said *said;
    size_t said_count;
};

// Grows an array whose size is the power of two above its count.
static bool one_more(struct budget *budget, void **array, size_t count, size_t item)
{
    if (*array && count & (count - 1))
        return true;
    void *larger = budget_more(budget, FOR_TEXT, *array, (count ? count * 2 : 1) * item);
    if (larger)
        *array = larger;
    return larger != NULL;
}

static struct printed *piece_of_block(struct thread_state *thread)
{
    uint64_t position = thread->block.position;
    if (thread->printed_count && thread->printed[thread->printed_count - 1].position == position)
        return &thread->printed[thread->printed_count - 1];
    void *pieces = thread->printed;
    if (!one_more(&thread->machine->memory->budget, &pieces, thread->printed_count, sizeof *thread->printed))
        return NULL;
    thread->printed = pieces;
    struct printed *piece = &thread->printed[thread->printed_count++];
    *piece = (struct printed){ .position = position };
    memcpy(piece->block, thread->block.id, sizeof piece->block);
    return piece;
}

static bool sign(struct budget *budget, struct printed *piece, struct said new)
{
    struct said *last = piece->said_count ? &piece->said[piece->said_count - 1] : NULL;
    if (last && last->thread == new.thread && !last->names_itself && !new.names_itself) {
        last->length += new.length;
        return true;
    }
    void *said = piece->said;
    if (!one_more(budget, &said, piece->said_count, sizeof new))
        return false;
    piece->said = said;
    piece->said[piece->said_count++] = new;
    return true;
}

static void keep_text(const struct warp *warp, int lane, const char *text, size_t length, bool names_itself)
{
    struct thread_state *thread = warp->block->thread;
    if (thread->printed_bytes + length > PRINT_MOST)
        length = PRINT_MOST - thread->printed_bytes;
    struct printed *piece = length ? piece_of_block(thread) : NULL;
    if (!piece)
        return;
    if (piece->length + length > piece->room) {
        size_t room = (piece->length + length) * 2;
        char *larger = budget_more(budget_of(warp), FOR_TEXT, piece->text, room);
        if (!larger)
            return;
        piece->text = larger;
        piece->room = room;
    }
    const struct said said = { (uint32_t)length, (uint16_t)(warp->index * LANES + (uint32_t)lane),
                               names_itself };
    if (!sign(budget_of(warp), piece, said))
        return;
    memcpy(piece->text + piece->length, text, length);
    piece->length += length;
    thread->printed_bytes += length;
}

void print_clear(struct thread_state *thread)
{
    struct budget *budget = thread->machine ? &thread->machine->memory->budget : NULL;
    for (size_t i = 0; i < thread->printed_count; i++) {
        budget_give(budget, thread->printed[i].text);
        budget_give(budget, thread->printed[i].said);
    }
    budget_give(budget, thread->printed);
    thread->printed = NULL;
    thread->printed_count = thread->printed_bytes = 0;
}

// ---- arguments of a call ----

static const unsigned char *host_of(const struct warp *warp, int lane, uint64_t address, size_t bytes)
{
    const struct block *block = warp->block;
    uint64_t offset = (address - block->apart) & (((uint64_t)1 << 56) - 1);
    if (address >= SHARED_WINDOW)
        return offset + bytes <= block->shared_bytes ? block->shared + offset : NULL;
    if (address >= LOCAL_WINDOW)
        return offset + bytes <= warp->local_used ? warp->local + (size_t)lane * warp->local_room + offset
                                                  : NULL;
    const struct sim_memory *memory = block->machine->memory;
    uint64_t number = address >> OFFSET_BITS;
    offset = address & OFFSETS;
    if (number >= memory->count || offset + bytes > memory->allocations[number].bytes)
        return NULL;
    return memory->allocations[number].host + offset;
}

static void read_text(const struct warp *warp, int lane, uint64_t address, char *out, size_t room)
{
    size_t length = 0;
    const unsigned char *at;
    while (length + 1 < room && (at = host_of(warp, lane, address + length, 1)) && *at)
        out[length++] = (char)*at;
    out[length] = 0;
}

// ---- vprintf ----

struct printf_state {
    const struct warp *warp;
    int lane;
    const char *at;
    uint64_t values; // address of the next argument
    char out[TEXT_MOST];
    size_t length;
    uint32_t used;
};

static uint64_t next_value(struct printf_state *f, unsigned bytes)
{
    uint64_t value = 0;
    f->values = (f->values + bytes - 1) / bytes * bytes;
    const unsigned char *from = host_of(f->warp, f->lane, f->values, bytes);
    if (from)
        memcpy(&value, from, bytes);
    f->values += bytes;
    f->used++;
    return value;
}

static void append(struct printf_state *f, const char *text)
{
    size_t length = strlen(text), room = sizeof f->out - 1 - f->length;
    if (length > room)
        length = room;
    memcpy(f->out + f->length, text, length);
    f->length += length;
}

struct conversion {
    char flags[8];
    int width, precision; // -1: not given
    int longs, shorts;
};

static int at_most(int value)
{
    return value > WIDTH_MOST ? WIDTH_MOST : value < -WIDTH_MOST ? -WIDTH_MOST : value;
}

// A width or a precision: a number, or '*' for the next argument; at most WIDTH_MOST either way.
static int number(struct printf_state *f)
{
    int value = 0;
    if (*f->at == '*') {
        f->at++;
        return at_most((int)(int32_t)next_value(f, 4));
    }
    for (; *f->at >= '0' && *f->at <= '9'; f->at++)
        value = at_most(value * 10 + (*f->at - '0'));
    return value;
}

static void read_field(struct printf_state *f, struct conversion *field)
{
    size_t flags = 0;
    *field = (struct conversion){ .width = -1, .precision = -1 };
    for (; *f->at && strchr("-+ #0", *f->at); f->at++)
        if (flags + 2 < sizeof field->flags && !strchr(field->flags, *f->at))
            field->flags[flags++] = *f->at;
    if (*f->at == '*' || (*f->at >= '1' && *f->at <= '9'))
        field->width = number(f);
    if (field->width < -1) {
        if (flags + 2 < sizeof field->flags)
            field->flags[flags++] = '-';
        field->width = -field->width;
    }
    if (*f->at == '.') {
        f->at++;
        field->precision = number(f);
    }
    for (; *f->at && strchr("hlzjtqL", *f->at); f->at++) {
        field->shorts += *f->at == 'h';
        field->longs += *f->at != 'h' && *f->at != 'L';
    }
}

// "%-8.3" as a format for the host's printf.
static void write_start(const struct conversion *field, char *out, size_t room)
{
    int at = snprintf(out, room, "%%%s", field->flags);
    if (field->width >= 0)
        at += snprintf(out + at, room - (size_t)at, "%d", field->width);
    if (field->precision >= 0)
        snprintf(out + at, room - (size_t)at, ".%d", field->precision);
}

static long long narrow(uint64_t value, const struct conversion *field, bool with_sign)
{
    unsigned bits = field->longs ? 64 : field->shorts > 1 ? 8 : field->shorts ? 16 : 32;
    value <<= 64 - bits;
    return with_sign ? (int64_t)value >> (64 - bits) : (long long)(value >> (64 - bits));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // write_start makes it from what read_field accepts
static void write_field(struct printf_state *f, const struct conversion *field, char kind)
{
    char form[48], out[FIELD_MOST], text[FIELD_MOST];
    write_start(field, form, sizeof form - 4);
    size_t end = strlen(form);
    double real;
    uint64_t bits;
    switch (kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        snprintf(form + end, 4, "ll%c", kind);
        snprintf(out, sizeof out, form,
                 narrow(next_value(f, field->longs ? 8 : 4), field, kind == 'd' || kind == 'i'));
        break;
    case 'c':
        snprintf(form + end, 4, "c");
        snprintf(out, sizeof out, form, (int)next_value(f, 4));
        break;
    case 's':
        snprintf(form + end, 4, "s");
        read_text(f->warp, f->lane, next_value(f, 8), text, sizeof text);
        snprintf(out, sizeof out, form, text);
        break;
    case 'p':
        snprintf(out, sizeof out, "0x%llx", (unsigned long long)next_value(f, 8));
        break;
    default:
        snprintf(form + end, 4, "%c", kind);
        bits = next_value(f, 8);
        memcpy(&real, &bits, sizeof real);
        snprintf(out, sizeof out, form, real);
        break;
    }
    append(f, out);
}
#pragma GCC diagnostic pop

static void write_text(struct printf_state *f)
{
    while (*f->at && f->length + 1 < sizeof f->out) {
        if (*f->at != '%') {
            f->out[f->length++] = *f->at++;
            continue;
        }
        const char *start = f->at++;
        struct conversion field;
        read_field(f, &field);
        char kind = *f->at;
        if (kind == '%') {
            f->out[f->length++] = '%';
        } else if (kind && strchr("diouxXcspfFeEgGaA", kind)) {
            write_field(f, &field, kind);
        } else { // an unknown conversion is printed as it is
            f->at = start;
            f->out[f->length++] = *f->at;
        }
        if (*f->at)
            f->at++;
    }
    f->out[f->length] = 0;
}

void print_format(struct warp *warp, const struct op *op)
{
    char text[TEXT_MOST];
    struct printf_state *f = malloc(sizeof *f);
    for (uint32_t left = warp->active; f && left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        read_text(warp, lane, call_argument(warp, op, 0, lane, 8), text, sizeof text);
        *f = (struct printf_state){
            .warp = warp, .lane = lane, .at = text, .values = call_argument(warp, op, 1, lane, 8)
        };
        write_text(f);
        keep_text(warp, lane, f->out, f->length, false);
        call_result(warp, op, lane, f->used, sizeof(uint32_t));
    }
    free(f);
}

// ---- __assertfail ----

// The file's name without folders, which belong to the machine that compiled.
static const char *bare_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void print_assert(struct warp *warp, const struct op *op)
{
    char what[160], file[160], function[160], text[700], name[80];
    uint32_t lanes = warp->active;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint32_t thread[3];
        warp_thread_of_lane(warp, lane, thread);
        read_text(warp, lane, call_argument(warp, op, 0, lane, 8), what, sizeof what);
        read_text(warp, lane, call_argument(warp, op, 1, lane, 8), file, sizeof file);
        read_text(warp, lane, call_argument(warp, op, 3, lane, 8), function, sizeof function);
        uint32_t line = (uint32_t)call_argument(warp, op, 2, lane, 4);
        const uint32_t *block = warp->block->id;
        int length = snprintf(text, sizeof text,
                              "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                              bare_name(file), line, function, block[0], block[1], block[2], thread[0],
                              thread[1], thread[2], what);
        keep_text(warp, lane, text, length > 0 ? strlen(text) : 0, true);
        struct finding_report report = { .kind = SIM_ASSERT, .severity = SIM_ERROR, .op = op, .lane = lane };
        finding_add(warp, &report, "%s finds that '%s' does not hold.", finding_name_lane(warp, lane, name),
                    what);
    }
    warp_end_lanes(warp, lanes);
}

// ---- the lines of threads -------------------------------------------------------------------------------------------

struct text_line {
    char *text;
    size_t length, room;
};
struct text_lines {
    const uint32_t *grid, *size; // extent of the launch
    const uint32_t *block;       // the current block
    // group: the text that `count` threads from `first` to `last` printed in succession
    struct text_line out, group;
    unsigned first, last, count;
    struct text_line begun[BLOCK_MOST]; // by thread: its unfinished line
    bool over;                          // more text than fits, or no memory
};

static void add(struct text_lines *l, struct text_line *to, const char *text, size_t length)
{
    if (length > PRINT_MOST - to->length) {
        length = PRINT_MOST - to->length;
        l->over = true;
    }
    if (length == 0)
        return;
    if (!to->text || to->length + length > to->room) {
        size_t room = to->length + length < 64 ? 128 : (to->length + length) * 2;
        char *larger = realloc(to->text, room);
        l->over |= !larger;
        if (!larger)
            return;
        to->text = larger;
        to->room = room;
    }
    memcpy(to->text + to->length, text, length);
    to->length += length;
}

// "3", or "(3,1,0)" where more than one dimension is used.
static void say_place(const uint32_t size[3], const uint32_t at[3], char out[40])
{
    if (size[1] == 1 && size[2] == 1)
        snprintf(out, 40, "%u", at[0]);
    else
        snprintf(out, 40, "(%u,%u,%u)", at[0], at[1], at[2]);
}

static void say_thread(const uint32_t size[3], unsigned linear, char out[40])
{
    say_place(size, (uint32_t[3]){ linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1] },
              out);
}

// "thread 3 of block 0", "threads 0 to 31 of block 0", "16 of threads 0 to 30 of block 0"
static void end_group(struct text_lines *l)
{
    char first[40], last[40], block[40], who[200];
    if (l->count == 0)
        return;
    say_thread(l->size, l->first, first);
    say_thread(l->size, l->last, last);
    say_place(l->grid, l->block, block);
    int length = 0;
    if (l->count == 1)
        length = snprintf(who, sizeof who, "thread %s of block %s: ", first, block);
    else if (l->count == l->last - l->first + 1)
        length = snprintf(who, sizeof who, "threads %s to %s of block %s: ", first, last, block);
    else
        length =
            snprintf(who, sizeof who, "%u of threads %s to %s of block %s: ", l->count, first, last, block);
    add(l, &l->out, who, (size_t)length);
    add(l, &l->out, l->group.text, l->group.length);
    add(l, &l->out, "\n", 1);
    l->count = 0;
}

static bool is_same(const struct text_line *a, const struct text_line *b)
{
    return a->length == b->length && (!a->text || !b->text || memcmp(a->text, b->text, a->length) == 0);
}

static void end_line(struct text_lines *l, unsigned thread)
{
    struct text_line *line = &l->begun[thread];
    if (l->count == 0 || thread <= l->last || !is_same(line, &l->group)) {
        end_group(l);
        l->first = thread;
        l->group.length = 0;
        add(l, &l->group, line->text, line->length);
    }
    l->last = thread;
    l->count++;
    line->length = 0;
}

static void add_said(struct text_lines *l, const struct said *said, const char *text, size_t length)
{
    struct text_line *line = &l->begun[said->thread];
    if (said->names_itself) {
        if (line->length)
            end_line(l, said->thread);
        end_group(l);
        add(l, &l->out, text, length);
        return;
    }
    for (const char *end; length && (end = memchr(text, '\n', length)) && !l->over;) {
        size_t whole = (size_t)(end - text);
        add(l, line, text, whole);
        end_line(l, said->thread);
        text = end + 1;
        length -= whole + 1;
    }
    add(l, line, text, length);
}

// The text of one block, up to `most` bytes.
static void add_block(struct text_lines *l, const struct printed *piece, size_t most)
{
    size_t at = 0;
    unsigned end = 0;
    l->block = piece->block;
    for (size_t i = 0; i < piece->said_count && at < most && !l->over; i++) {
        const struct said *said = &piece->said[i];
        size_t length = said->length < most - at ? said->length : most - at;
        add_said(l, said, piece->text + at, length);
        at += length;
        end = said->thread >= end ? said->thread + 1u : end;
    }
    for (unsigned thread = 0; thread < end && !l->over; thread++)
        if (l->begun[thread].length)
            end_line(l, thread);
    end_group(l);
}

// ---- the end ----------------------------------------------------------------------------------------------------------

static int by_position(const void *left, const void *right)
{
    const struct printed *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

// The text of all host threads, in the order of the launch; only the array belongs to the caller.
static bool gather(const struct thread_state *threads, int count, struct printed **out, size_t *pieces)
{
    size_t at = 0;
    *pieces = 0;
    *out = NULL;
    for (int i = 0; i < count; i++)
        *pieces += threads[i].printed_count;
    if (!*pieces)
        return true;
    struct printed *all = malloc(*pieces * sizeof *all);
    if (!all)
        return false;
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < threads[i].printed_count; k++)
            all[at++] = threads[i].printed[k];
    qsort(all, *pieces, sizeof *all, by_position);
    *out = all;
    return true;
}

// Appends at most PRINT_MOST bytes of what the threads of a block printed, or of its assertions; returns the new end.
static size_t collect_piece(const struct printed *piece, bool assertions, char *text, size_t at)
{
    const char *from = piece->text;
    for (size_t i = 0; i < piece->said_count; from += piece->said[i++].length) {
        if (piece->said[i].names_itself != assertions)
            continue;
        size_t length = piece->said[i].length < PRINT_MOST - at ? piece->said[i].length : PRINT_MOST - at;
        memcpy(text + at, from, length);
        at += length;
    }
    return at;
}

static bool collect(const struct printed *all, size_t pieces, bool assertions, char **out)
{
    size_t at = 0;
    char *text = malloc(PRINT_MOST + 1);
    for (size_t i = 0; text && i < pieces; i++)
        at = collect_piece(&all[i], assertions, text, at);
    if (!text || !at) {
        free(text);
        return text != NULL;
    }
    text[at] = 0;
    char *fit = realloc(text, at + 1);
    *out = fit ? fit : text;
    return true;
}

// The limit applies to the first bytes of the launch, whatever the number of host threads.
static void add_blocks(struct text_lines *l, const struct printed *pieces, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count && bytes < PRINT_MOST && !l->over; i++) {
        add_block(l, &pieces[i], PRINT_MOST - bytes);
        bytes += pieces[i].length;
    }
    l->over |= bytes >= PRINT_MOST;
}

bool print_collect(const struct thread_state *threads, int count, char **printed, char **asserted)
{
    struct printed *all;
    size_t pieces;
    *printed = *asserted = NULL;
    if (!gather(threads, count, &all, &pieces) || !pieces)
        return !pieces;
    bool collected = collect(all, pieces, false, printed) && collect(all, pieces, true, asserted);
    free(all);
    return collected;
}

bool print_lines(const struct thread_state *threads, int count, char **out)
{
    static const char more[] = "\nThe kernel printed more than this.\n";
    struct printed *all;
    size_t pieces;
    *out = NULL;
    if (!gather(threads, count, &all, &pieces) || !pieces)
        return !pieces;
    struct text_lines *l = calloc(1, sizeof *l);
    if (l) {
        const struct sim_launch *launch = threads[0].machine->launch;
        l->grid = launch->grid;
        l->size = launch->block;
        add_blocks(l, all, pieces);
        bool ends = l->out.length && l->out.text[l->out.length - 1] == '\n';
        *out = realloc(l->out.text, l->out.length + sizeof more);
        if (*out)
            memcpy(*out + l->out.length, l->over ? more + ends : "",
                   l->over ? sizeof more - (size_t)ends : 1);
        else
            free(l->out.text);
        for (int i = 0; i < BLOCK_MOST; i++)
            free(l->begun[i].text);
        free(l->group.text);
        free(l);
    }
    free(all);
    return *out != NULL;
}
