// What `symbol` and `value` lines give: the content of __constant__ and __device__ variables, and structures as arguments.
#include "engine/run/worker.h"

#include <stdlib.h>
#include <string.h>

enum { GIVEN_NAMES = 64 };

// The scope, and the addresses of the memory that parts of the value name.
static bool add_addresses(struct expr_binding bindings[GIVEN_NAMES], struct expr_scope *scope,
                          const struct declared *declared, char *names[GIVEN_NAMES], size_t *name_count,
                          placed_of placed, void *context, const struct source *source, struct error *error)
{
    for (size_t p = 0; p < declared->initial.part_count; p++) {
        const struct initial_part *part = &declared->initial.parts[p];
        struct code_piece word = piece_next(part->at);
        struct placed found;
        if (word.kind != PIECE_WORD)
            continue;
        char *name = mem_copy_n(word.at, word.length);
        if (!initial_names(&declared->initial, name) || !placed(context, name, &found)) {
            free(name);
            continue;
        }
        names[(*name_count)++] = name;
        if (scope->count == GIVEN_NAMES)
            return error_at(error, source, part->at, "this value has too many addresses; %d are possible",
                            GIVEN_NAMES);
        bindings[scope->count++] = (struct expr_binding){ name, value_int((int64_t)found.address) };
    }
    return true;
}

static bool make(struct given_bytes *out, const struct variant *variant, const struct declared *declared,
                 const struct expr_scope *scope, placed_of placed, void *context, struct error *error)
{
    struct expr_binding bindings[GIVEN_NAMES];
    char *names[GIVEN_NAMES];
    size_t name_count = 0;
    struct expr_scope known = { bindings, scope->count };
    memcpy(bindings, scope->bindings, scope->count * sizeof *bindings);
    if (!launch_declared_bytes(variant, declared, scope, &out->size, error))
        return false;
    out->bytes = malloc(out->size);
    bool made =
        out->bytes
            ? add_addresses(bindings, &known, declared, names, &name_count, placed, context, &variant->source,
                            error) &&
                  initial_fill(declared, &known, out->size / declared->layout.bytes, out->bytes, error)
            : error_at(error, &variant->source, declared->at, "there is no memory for %zu bytes", out->size);
    while (name_count)
        free(names[--name_count]);
    return made;
}

bool given_make(struct given *out, const struct variant *variant, const struct expr_scope *scope,
                placed_of placed, void *context, struct error *error)
{
    out->variant = variant;
    out->symbols = mem_new((variant->symbol_count + 1) * sizeof *out->symbols);
    out->values = mem_new((variant->value_count + 1) * sizeof *out->values);
    for (size_t s = 0; s < variant->symbol_count; s++)
        if (!make(&out->symbols[s], variant, &variant->symbols[s], scope, placed, context, error))
            return false;
    for (size_t v = 0; v < variant->value_count; v++)
        if (!make(&out->values[v], variant, &variant->values[v], scope, placed, context, error))
            return false;
    return true;
}

void given_free(struct given *given)
{
    for (size_t s = 0; given->symbols && s < given->variant->symbol_count; s++)
        free(given->symbols[s].bytes);
    for (size_t v = 0; given->values && v < given->variant->value_count; v++)
        free(given->values[v].bytes);
    free(given->symbols);
    free(given->values);
    *given = (struct given){ 0 };
}

bool given_value(const struct given *given, const char *name, struct placed *out)
{
    for (size_t v = 0; given->values && v < given->variant->value_count; v++) {
        const struct declared *value = &given->variant->values[v];
        if (strcmp(value->name, name) != 0)
            continue;
        *out =
            (struct placed){ .value = given->values[v].bytes, .type = value->type, .layout = &value->layout };
        return true;
    }
    return false;
}

// How a variable is called in PTX: by its own name, or with its namespaces, and an L where its file alone knows it.
static char *ptx_name(const char *name, bool internal)
{
    struct text out = { 0 };
    const char *last = strrchr(name, ':');
    text_add(&out, last ? "_ZN" : internal ? "_Z" : "");
    for (const char *at = name; *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        bool own = !at[length];
        text_add(&out, own && internal ? "L" : "");
        if (last || internal)
            text_addf(&out, "%zu", length);
        text_add_n(&out, at, length);
        at += length;
    }
    text_add(&out, last ? "E" : "");
    return text_take(&out);
}

// Whether PTX has the name as a word.
static bool ptx_has(const char *ptx, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(ptx, name); at; at = strstr(at + 1, name))
        if (!byte_in_word(at[length]) && at > ptx && !byte_in_word(at[-1]) && at[-1] != '$')
            return true;
    return false;
}

static bool write_symbol(const struct declared *symbol, const struct given_bytes *given,
                         const struct source *source, const struct symbol_writer *to, struct error *error)
{
    size_t there = 0;
    for (int internal = 0; internal < 2 && !there; internal++) {
        char *name = ptx_name(symbol->name, internal);
        bool written =
            !ptx_has(to->ptx, name) || to->write(to->context, name, given->bytes, given->size, &there, error);
        free(name);
        if (!written)
            return false;
    }
    if (!there)
        return error_at(error, source, symbol->at,
                        "no kernel here uses a __constant__ or __device__ variable %s", symbol->name);
    return there == given->size ||
           error_at(error, source, symbol->at, "%s has %zu bytes in the code, and %zu on this line",
                    symbol->name, there, given->size);
}

bool given_write(const struct given *given, const struct symbol_writer *to, struct error *error)
{
    for (size_t s = 0; s < given->variant->symbol_count; s++)
        if (!write_symbol(&given->variant->symbols[s], &given->symbols[s], &given->variant->source, to,
                          error))
            return false;
    return true;
}
