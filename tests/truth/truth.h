// What the kernels of tests/data/truth are launched on: their buffers, and the digests by which a table remembers them. The
// test that simulates these kernels and the program that measures them on a GPU share it.
#ifndef WARPBOOK_TESTS_TRUTH_H
#define WARPBOOK_TESTS_TRUTH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/variant.h"

enum { TRUTH_NAME = 64, TRUTH_BUFFERS = 8, TRUTH_ARGUMENTS = 16 };

struct truth_buffer {
    char name[TRUTH_NAME];
    struct type type;
    size_t count, bytes;
    unsigned char *initial, *now;
    uint64_t initial_digest;
    uint64_t address; // where a kernel finds it
};
struct truth_buffers {
    struct truth_buffer all[TRUTH_BUFFERS];
    size_t count;
};

// FNV-1a of 64 bits, but from the offset basis that the tables were made with, which lacks the usual one's last digit.
static inline uint64_t truth_digest(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 1469598103934665603ull;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    return hash;
}

static inline bool truth_buffer_make(struct truth_buffer *buffer, const struct declared *declared,
                                     struct error *error)
{
    const struct expr_scope scope = { 0 };
    struct expr_value count;
    if (!expr_eval(declared->count, &scope, &count, error))
        return false;
    snprintf(buffer->name, sizeof buffer->name, "%s", declared->name);
    buffer->type = declared->type;
    buffer->count = (size_t)value_as_int(count);
    buffer->bytes = buffer->count * type_size(buffer->type);
    buffer->initial = mem_new(buffer->bytes);
    buffer->now = aligned_alloc(256, (buffer->bytes + 255) / 256 * 256);
    if (!buffer->now)
        mem_exhausted();
    if (declared->initial.given && !initial_fill(declared, &scope, buffer->count, buffer->initial, error))
        return false;
    memcpy(buffer->now, buffer->initial, buffer->bytes);
    buffer->initial_digest = truth_digest(buffer->initial, buffer->bytes);
    return true;
}

static inline void truth_buffers_free(struct truth_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++) {
        free(buffers->all[i].initial);
        free(buffers->all[i].now);
    }
    buffers->count = 0;
}

static inline struct truth_buffer *truth_buffer_find(struct truth_buffers *buffers, const char *name)
{
    for (size_t i = 0; name && i < buffers->count; i++)
        if (strcmp(buffers->all[i].name, name) == 0)
            return &buffers->all[i];
    return NULL;
}

static inline bool truth_dims(const struct dims *dims, uint32_t out[3], struct error *error)
{
    const struct expr_scope scope = { 0 };
    struct dims_value got;
    if (!dims_eval(dims, &scope, &got, error))
        return false;
    out[0] = (uint32_t)got.x;
    out[1] = (uint32_t)got.y;
    out[2] = (uint32_t)got.z;
    return true;
}

// What a launch gives the kernel: the address of a buffer, or a whole number.
struct truth_argument {
    void *value; // in the buffers, or in `numbers`
    size_t size;
};
struct truth_arguments {
    struct truth_argument all[TRUTH_ARGUMENTS];
    int numbers[TRUTH_ARGUMENTS];
    size_t count;
};
static inline bool truth_arguments(const struct launch *launch, struct truth_buffers *buffers,
                                   struct truth_arguments *out, struct error *error)
{
    const struct expr_scope scope = { 0 };
    out->count = launch->argument_count;
    if (out->count > TRUTH_ARGUMENTS) {
        error_set(error, EXIT_USAGE, "%s takes more than %d arguments.", launch->kernel, TRUTH_ARGUMENTS);
        return false;
    }
    for (size_t i = 0; i < out->count; i++) {
        struct truth_buffer *buffer = truth_buffer_find(buffers, launch->arguments[i].name);
        struct expr_value value = value_int(0);
        if (!buffer && !expr_eval(launch->arguments[i].expr, &scope, &value, error))
            return false;
        out->numbers[i] = (int)value_as_int(value);
        out->all[i] = buffer ? (struct truth_argument){ &buffer->address, sizeof buffer->address }
                             : (struct truth_argument){ &out->numbers[i], sizeof out->numbers[i] };
    }
    return true;
}

#endif
