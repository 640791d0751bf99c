// Findings in the words of the source: an element of a shared array with as many indices as its declaration has, and the
// kernel's own name of a buffer that the launch line calls otherwise.
#include "engine/run/simulation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 4, PARAMETERS = 64 };

struct array_shape {
    long long dims[DIMENSIONS];
    int count; // 0: not known
};

// The "[32][33]" that comes next; a size that is no plain number leaves the shape unknown.
static struct array_shape shape_at(const char *at)
{
    struct array_shape shape = { 0 };
    while (piece_is(piece_next_code(&at), "[")) {
        char *end;
        at += strspn(at, " ");
        long long dim = strtoll(at, &end, 10);
        if (dim <= 0 || *end != ']' || shape.count == DIMENSIONS)
            return (struct array_shape){ 0 };
        shape.dims[shape.count++] = dim;
        at = end + 1;
    }
    return shape;
}

static bool same_shape(const struct array_shape *a, const struct array_shape *b)
{
    return a->count == b->count &&
           memcmp(a->dims, b->dims, (size_t)a->count * sizeof *a->dims) == 0; // those after are not set
}

// Of the shared arrays of this name; not known where two of them differ.
static struct array_shape shape_of(const char *source, const char *name)
{
    struct array_shape found = { 0 };
    bool shared = false, any = false;
    for (const char *at = source;;) {
        struct code_piece piece = piece_next_code(&at);
        if (piece.kind == PIECE_END)
            return found;
        shared = piece_is(piece, "__shared__") || (shared && !piece_is(piece, ";"));
        if (!shared || !piece_is(piece, name))
            continue;
        struct array_shape shape = shape_at(at);
        if (any && !same_shape(&shape, &found))
            return (struct array_shape){ 0 };
        found = shape;
        any = true;
    }
}

static void add_indices(struct text *out, long long element, const struct array_shape *shape)
{
    long long size = 1;
    for (int i = 1; i < shape->count; i++)
        size *= shape->dims[i];
    for (int i = 0; i < shape->count; i++) {
        text_addf(out, "[%lld]", element / size);
        element %= size;
        size /= i + 1 < shape->count ? shape->dims[i + 1] : 1;
    }
}

// "tile[163]" becomes "tile[4][31]".
static void name_elements(struct sim_finding *finding, const struct array_shape *shape)
{
    struct text out = { 0 };
    size_t length = strlen(finding->buffer);
    for (const char *at = finding->sentence; *at;) {
        bool begins = at == finding->sentence || !byte_in_word(at[-1]);
        const char *digits = at + length + 1;
        char *end = NULL;
        if (!begins || strncmp(at, finding->buffer, length) != 0 || at[length] != '[' ||
            !isdigit((unsigned char)*digits)) {
            text_add_n(&out, at++, 1);
            continue;
        }
        long long element = strtoll(digits, &end, 10);
        text_add_n(&out, at, length);
        add_indices(&out, element, shape);
        at = end + (*end == ']');
    }
    if (out.length < sizeof finding->sentence)
        format_into(finding->sentence, sizeof finding->sentence, "%s", text_string(&out));
    text_free(&out);
}

// What the launched kernels call the buffer; "": they differ, or it is its name there too.
static void parameter_of(const struct variant *variant, const char *buffer, char out[64])
{
    struct kernel_parameter parameters[PARAMETERS];
    *out = 0;
    for (size_t i = 0; i < variant->launch_count; i++) {
        const struct launch *launch = &variant->launches[i];
        int count = signature_find(variant->source.text, launch->kernel, parameters, PARAMETERS);
        for (size_t j = 0; count <= PARAMETERS && j < launch->argument_count && (int)j < count; j++) {
            const char *name = launch->arguments[j].name;
            if (!name || strcmp(name, buffer) != 0)
                continue;
            if (*out && strcmp(out, parameters[j].name) != 0) {
                *out = 0;
                return;
            }
            format_into(out, 64, "%s", parameters[j].name);
        }
    }
    if (strcmp(out, buffer) == 0)
        *out = 0;
}

void findings_in_source(const struct variant *variant, struct sim_finding *findings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sim_finding *finding = &findings[i];
        char parameter[64];
        if (strcmp(finding->space, "shared") == 0 && *finding->buffer) {
            struct array_shape shape = shape_of(variant->source.text, finding->buffer);
            if (shape.count > 1)
                name_elements(finding, &shape);
        } else if (strcmp(finding->space, "global") == 0 && *finding->buffer) {
            parameter_of(variant, finding->buffer, parameter);
            size_t used = strlen(finding->sentence);
            if (*parameter)
                format_into(finding->sentence + used, sizeof finding->sentence - used,
                            " The kernel gets %s as %s.", finding->buffer, parameter);
        }
    }
}
