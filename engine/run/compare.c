// Every element of an answer against the reference. NaN is never right, not even where NaN is expected.
#include "engine/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

unsigned char compare_poison(struct type type)
{
    return scalar_is_real(type.scalar) ? 0xff : 0xa5; // all bits set is a NaN in float and in double
}

static double as_real(enum scalar scalar, const unsigned char *at)
{
    if (scalar == SCALAR_FLOAT) {
        float f;
        memcpy(&f, at, sizeof f);
        return (double)f;
    }
    double d;
    memcpy(&d, at, sizeof d);
    return d;
}

static bool real_is_right(const struct tolerance *t, double got, double want)
{
    if (!isfinite(got) || !isfinite(want))
        return got == want; // the same infinity; false for NaN
    return fabs(got - want) <= t->absolute + t->relative * fabs(want);
}

static void write_integer(enum scalar scalar, const unsigned char *at, char *out, size_t size)
{
    union {
        signed char c;
        unsigned char uc;
        short s;
        int i;
        unsigned u;
        long long ll;
        unsigned long long ull;
    } v;
    memcpy(&v, at, scalar_size(scalar));
    switch (scalar) {
    case SCALAR_CHAR:
        format_into(out, size, "%d", v.c);
        break;
    case SCALAR_UCHAR:
        format_into(out, size, "%u", v.uc);
        break;
    case SCALAR_SHORT:
        format_into(out, size, "%d", v.s);
        break;
    case SCALAR_INT:
        format_into(out, size, "%d", v.i);
        break;
    case SCALAR_UINT:
        format_into(out, size, "%u", v.u);
        break;
    case SCALAR_LLONG:
        format_into(out, size, "%lld", v.ll);
        break;
    default:
        format_into(out, size, "%llu", v.ull);
        break;
    }
}

static void write_value(enum scalar scalar, const unsigned char *at, char *out, size_t size)
{
    if (!scalar_is_real(scalar))
        write_integer(scalar, at, out, size);
    else if (isnan(as_real(scalar, at)))
        format_into(out, size, "NaN");
    else
        format_into(out, size, "%.*g", scalar == SCALAR_FLOAT ? 9 : 17, as_real(scalar, at));
}

static void note_first(struct compare_result *check, const struct problem_buffer *buffer,
                       const unsigned char *got, const unsigned char *want, size_t index)
{
    enum scalar scalar = buffer->type.scalar;
    format_into(check->buffer, sizeof check->buffer, "%s", buffer->name);
    check->index = index;
    write_value(scalar, got, check->got, sizeof check->got);
    write_value(scalar, want, check->want, sizeof check->want);
    check->never_written = true;
    for (size_t i = 0; i < scalar_size(scalar); i++)
        check->never_written &= buffer->direction == BUFFER_OUT && got[i] == compare_poison(buffer->type);
}

struct piece_result {
    size_t wrong, first;
    double worst;
};

static struct piece_result compare_exact(size_t size, const unsigned char *got, const unsigned char *want,
                                         size_t count)
{
    size_t wrong = 0, first = count;
#pragma omp parallel for reduction(+ : wrong) reduction(min : first)
    for (size_t i = 0; i < count; i++) {
        if (memcmp(got + i * size, want + i * size, size) != 0) {
            wrong++;
            first = i < first ? i : first;
        }
    }
    return (struct piece_result){ wrong, first, 0 };
}

static struct piece_result compare_real(const struct problem_buffer *buffer, const unsigned char *got,
                                        const unsigned char *want, size_t count)
{
    enum scalar scalar = buffer->type.scalar;
    size_t size = scalar_size(scalar), wrong = 0, first = count;
    double worst = 0;
#pragma omp parallel for reduction(+ : wrong) reduction(min : first) reduction(max : worst)
    for (size_t i = 0; i < count; i++) {
        double g = as_real(scalar, got + i * size), w = as_real(scalar, want + i * size);
        double error = fabs(g - w);
        if (error > worst) // false for NaN
            worst = error;
        if (!real_is_right(&buffer->tolerance, g, w)) {
            wrong++;
            first = i < first ? i : first;
        }
    }
    return (struct piece_result){ wrong, first, worst };
}

void compare_piece(struct compare_result *check, const struct problem_buffer *buffer, const void *got,
                   size_t offset, size_t bytes)
{
    size_t size = scalar_size(buffer->type.scalar), count = bytes / size;
    const unsigned char *g = got, *w = (const unsigned char *)buffer->want + offset;
    // Equal bytes are right at once, unless they are decimals, among which a NaN may hide.
    struct piece_result tally = scalar_is_real(buffer->type.scalar) ? compare_real(buffer, g, w, count)
                                                                    : compare_exact(size, g, w, count);
    if (tally.wrong && !check->wrong) {
        size_t element = offset / size + tally.first;
        note_first(check, buffer, g + tally.first * size, w + tally.first * size,
                   element / (size_t)buffer->type.lanes);
    }
    check->compared += count;
    check->wrong += tally.wrong;
    if (tally.worst > check->worst)
        check->worst = tally.worst;
}

// ---- who wrote it ------------------------------------------------------------------------------------------

// As many parts as the owner line gives: "block 3", or "block (3, 1)".
static void add_place(struct text *out, const char *what, const struct dims *given, struct dims_value d)
{
    if (given->part[2])
        text_addf(out, "%s (%lld, %lld, %lld)", what, (long long)d.x, (long long)d.y, (long long)d.z);
    else if (given->part[1])
        text_addf(out, "%s (%lld, %lld)", what, (long long)d.x, (long long)d.y);
    else
        text_addf(out, "%s %lld", what, (long long)d.x);
}

void compare_owner(const struct compare_result *check, const struct variant *variant,
                   const struct expr_scope *scope, struct text *out)
{
    enum { NAMES = 40 }; // more than a launch line can use
    for (size_t o = 0; o < variant->owner_count && check->wrong; o++) {
        const struct owner *owner = &variant->owners[o];
        struct expr_binding bindings[NAMES + 1];
        struct dims_value block, thread;
        struct error unused;
        if (strcmp(owner->buffer, check->buffer) != 0 || scope->count > NAMES)
            continue;
        for (size_t i = 0; i < scope->count; i++)
            bindings[i] = scope->bindings[i];
        bindings[scope->count] = (struct expr_binding){ "i", value_int((int64_t)check->index) };
        const struct expr_scope with_index = { bindings, scope->count + 1 };
        if (owner_eval(owner, &with_index, &block, &thread, &unused)) {
            add_place(out, "block", &owner->block, block);
            add_place(out, ", thread", &owner->thread, thread);
        }
    }
}
