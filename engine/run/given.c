// What `symbol` and `value` lines give: the content of __constant__ and __device__ variables, and structures as arguments.
#include "engine/run/worker.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 64 };

// What the parts of a value may name: the scope of launch lines, and the memory that they do name, by its address.
struct value_names {
    struct expr_binding bindings[NAMES_MOST];
    struct expr_scope scope; // over them
    char *memory[NAMES_MOST];
    size_t memory_count;
};
struct value_maker {
    const struct variant *variant;
    const struct expr_scope *scope;
    placed_of placed;
    void *context;
    struct error *error;
};

static bool is_known(const struct value_names *names, const char *name)
{
    for (size_t i = 0; i < names->scope.count; i++)
        if (strcmp(names->bindings[i].name, name) == 0)
            return true;
    return false;
}

// Adds the memory whose bare name the part is, if it is one.
static bool add_memory(struct value_names *names, const struct value_maker *maker,
                       const struct initial *initial, const struct initial_part *part)
{
    struct code_piece word = piece_next(part->at);
    struct placed found;
    char *name = word.kind == PIECE_WORD ? mem_copy_n(word.at, word.length) : NULL;
    if (!name || is_known(names, name) || !initial_names(initial, name) ||
        !maker->placed(maker->context, name, &found)) {
        free(name);
        return true;
    }
    names->memory[names->memory_count++] = name;
    if (names->scope.count == NAMES_MOST)
        return error_at(maker->error, &maker->variant->source, part->at,
                        "this value has the addresses of too many buffers");
    names->bindings[names->scope.count++] = (struct expr_binding){ name, value_int((int64_t)found.address) };
    return true;
}

static bool fill(const struct value_maker *maker, const struct declared *declared, struct given_bytes *out)
{
    struct value_names names = { .scope = { names.bindings, maker->scope->count } };
    memcpy(names.bindings, maker->scope->bindings, maker->scope->count * sizeof *names.bindings);
    bool filled = true;
    for (size_t p = 0; filled && p < declared->initial.part_count; p++)
        filled = add_memory(&names, maker, &declared->initial, &declared->initial.parts[p]);
    filled = filled && initial_fill(declared, &names.scope, out->size / declared->layout.bytes, out->bytes,
                                    maker->error);
    while (names.memory_count)
        free(names.memory[--names.memory_count]);
    return filled;
}

static bool make(const struct value_maker *maker, const struct declared *declared, struct given_bytes *out)
{
    if (!launch_declared_bytes(maker->variant, declared, maker->scope, &out->size, maker->error))
        return false;
    out->bytes = malloc(out->size);
    if (!out->bytes)
        return error_at(maker->error, &maker->variant->source, declared->at,
                        "there is no memory for %zu bytes", out->size);
    return fill(maker, declared, out);
}

bool given_make(struct given *out, const struct variant *variant, const struct expr_scope *scope,
                placed_of placed, void *context, struct error *error)
{
    const struct value_maker maker = { variant, scope, placed, context, error };
    out->variant = variant;
    out->symbols = mem_new((variant->symbol_count + 1) * sizeof *out->symbols);
    out->values = mem_new((variant->value_count + 1) * sizeof *out->values);
    for (size_t s = 0; s < variant->symbol_count; s++)
        if (!make(&maker, &variant->symbols[s], &out->symbols[s]))
            return false;
    for (size_t v = 0; v < variant->value_count; v++)
        if (!make(&maker, &variant->values[v], &out->values[v]))
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
    const struct declared *value = given->values ? variant_value(given->variant, name) : NULL;
    if (!value)
        return false;
    *out = (struct placed){ .value = given->values[value - given->variant->values].bytes,
                            .type = value->type,
                            .layout = &value->layout };
    return true;
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
