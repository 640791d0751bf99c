// What kernels print: vprintf and __assertfail, a thread after the other. print_text.c keeps it.
#include "engine/sim/schedule/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 4096, FIELD_MOST = 512, WIDTH_MOST = 200 };

// ---- what a kernel hands over ----

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
    offset = address & (((uint64_t)1 << OFFSET_BITS) - 1);
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

static uint64_t argument(const struct warp *warp, const struct op *op, int index, int lane, size_t bytes)
{
    uint64_t value = 0;
    if (index >= op->call->argument_count)
        return 0;
    const struct passed *from = &op->call->arguments[index];
    size_t area = warp->function->param_bytes;
    if (!from->at && (from->offset > area || bytes > area - from->offset))
        return 0;
    if (!from->at)
        memcpy(&value, warp->params + (size_t)lane * warp->function->param_bytes + from->offset, bytes);
    else if (from->wide)
        value = ROW64(warp, from->at)[lane];
    else
        value = ROW32(warp, from->at)[lane];
    return value;
}

// ---- vprintf ----

struct format {
    const struct warp *warp;
    int lane;
    const char *at;
    uint64_t values; // where the next argument lies
    char out[TEXT_MOST];
    size_t length;
    uint32_t used;
};

static uint64_t next_value(struct format *f, unsigned bytes)
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

static void append(struct format *f, const char *text)
{
    size_t length = strlen(text), room = sizeof f->out - 1 - f->length;
    if (length > room)
        length = room;
    memcpy(f->out + f->length, text, length);
    f->length += length;
}

struct field {
    char flags[8];
    int width, precision; // -1: none
    int longs, shorts;
};

static int at_most(int value)
{
    return value > WIDTH_MOST ? WIDTH_MOST : value < -WIDTH_MOST ? -WIDTH_MOST : value;
}

// A width or a precision, written out or, for '*', the next argument; never more than WIDTH_MOST to either side.
static int number(struct format *f)
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

static void read_field(struct format *f, struct field *field)
{
    size_t flags = 0;
    *field = (struct field){ .width = -1, .precision = -1 };
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

// "%-8.3" for the host's printf.
static void write_start(const struct field *field, char *out, size_t room)
{
    int at = snprintf(out, room, "%%%s", field->flags);
    if (field->width >= 0)
        at += snprintf(out + at, room - (size_t)at, "%d", field->width);
    if (field->precision >= 0)
        snprintf(out + at, room - (size_t)at, ".%d", field->precision);
}

static long long narrow(uint64_t value, const struct field *field, bool with_sign)
{
    unsigned bits = field->longs ? 64 : field->shorts > 1 ? 8 : field->shorts ? 16 : 32;
    value <<= 64 - bits;
    return with_sign ? (int64_t)value >> (64 - bits) : (long long)(value >> (64 - bits));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // made by write_start from what read_field let through
static void write_field(struct format *f, const struct field *field, char kind)
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

static void write_text(struct format *f)
{
    while (*f->at && f->length + 1 < sizeof f->out) {
        if (*f->at != '%') {
            f->out[f->length++] = *f->at++;
            continue;
        }
        const char *start = f->at++;
        struct field field;
        read_field(f, &field);
        char kind = *f->at;
        if (kind == '%') {
            f->out[f->length++] = '%';
        } else if (kind && strchr("diouxXcspfFeEgGaA", kind)) {
            write_field(f, &field, kind);
        } else { // shown as it is written
            f->at = start;
            f->out[f->length++] = *f->at;
        }
        if (*f->at)
            f->at++;
    }
    f->out[f->length] = 0;
}

static void give_count(struct warp *warp, const struct op *op, int lane, uint32_t count)
{
    if (!op->call->return_count)
        return;
    const struct passed *to = &op->call->returns[0];
    if (!to->at && to->offset + sizeof count > warp->function->param_bytes)
        return;
    if (!to->at)
        memcpy(warp->params + (size_t)lane * warp->function->param_bytes + to->offset, &count, sizeof count);
    else if (to->wide)
        ROW64(warp, to->at)[lane] = count;
    else
        ROW32(warp, to->at)[lane] = count;
}

void print_format(struct warp *warp, const struct op *op)
{
    char text[TEXT_MOST];
    struct format *f = malloc(sizeof *f);
    for (uint32_t left = warp->active; f && left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        read_text(warp, lane, argument(warp, op, 0, lane, 8), text, sizeof text);
        *f = (struct format){
            .warp = warp, .lane = lane, .at = text, .values = argument(warp, op, 1, lane, 8)
        };
        write_text(f);
        print_keep(warp, lane, f->out, f->length, false);
        give_count(warp, op, lane, f->used);
    }
    free(f);
}

// ---- __assertfail ----

// The name without its folders, which are the compiler's and not the reader's.
static const char *bare_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void print_assert(struct warp *warp, const struct op *op)
{
    char what[160], file[160], function[160], text[700];
    uint32_t lanes = warp->active;
    for (uint32_t left = lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint32_t thread[3];
        thread_of_lane(warp, lane, thread);
        read_text(warp, lane, argument(warp, op, 0, lane, 8), what, sizeof what);
        read_text(warp, lane, argument(warp, op, 1, lane, 8), file, sizeof file);
        read_text(warp, lane, argument(warp, op, 3, lane, 8), function, sizeof function);
        uint32_t line = (uint32_t)argument(warp, op, 2, lane, 4);
        const uint32_t *block = warp->block->id;
        int length = snprintf(text, sizeof text,
                              "%s:%u: %s: block [%u,%u,%u], thread [%u,%u,%u]: assertion '%s' failed.\n",
                              bare_name(file), line, function, block[0], block[1], block[2], thread[0],
                              thread[1], thread[2], what);
        print_keep(warp, lane, text, length > 0 ? strlen(text) : 0, true);
        struct report report = { .kind = SIM_ASSERT, .severity = SIM_ERROR, .op = op, .lane = lane };
        finding_add(warp, &report, "The assertion '%s' failed in %s, line %u.", what, bare_name(file), line);
    }
    warp_end_lanes(warp, lanes);
}
