// Whether a kernel file's `//@` lines fit its code and each other. Every error points at the line that does not.
#include "kernels/variant.h"

#include <stdlib.h>
#include <string.h>

enum { KERNELS_LISTED = 16 };

// The names that a standalone file knows, in this order: its params, sm_count, then what only an
// argument by itself can be: its buffers, scratch, textures, surfaces and structures.
struct variant_names {
    struct expr_binding *bindings;
    struct expr_scope params; // what the data are made of: the same on every GPU
    struct expr_scope values; // and sm_count
    struct expr_scope memory; // and what has an address: buffers and scratch
    struct expr_scope all;
};

static void add_name(struct variant_names *names, const char *name)
{
    names->bindings[names->all.count++] = (struct expr_binding){ name, value_int(1) };
}

static bool check_params(const struct variant *variant, struct variant_names *names, struct error *error)
{
    for (size_t i = 0; i < variant->param_count; i++) {
        if (!expr_check(variant->params[i].value, &names->all, false, error))
            return false;
        add_name(names, variant->params[i].name);
    }
    names->params = names->all;
    add_name(names, "sm_count");
    names->values = names->all;
    return true;
}

static bool check_dims(const struct dims *dims, const struct expr_scope *scope, bool indexed,
                       struct error *error)
{
    for (int i = 0; i < 3; i++)
        if (dims->part[i] && !expr_check(dims->part[i], scope, indexed, error))
            return false;
    return true;
}

static bool check_declared(const struct declared *declared, size_t count, const struct expr_scope *scope,
                           struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!expr_check(declared[i].count, scope, false, error))
            return false;
        if (!initial_check(&declared[i].initial, &declared[i].layout, scope, NULL, error))
            return false;
    }
    return true;
}

// Variables and structures may also hold the addresses of buffers.
static bool check_values(const struct declared *declared, size_t count, const struct variant_names *names,
                         struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (declared[i].count && !expr_check(declared[i].count, &names->values, false, error))
            return false;
        if (!initial_check(&declared[i].initial, &declared[i].layout, &names->values, &names->memory, error))
            return false;
    }
    return true;
}

static bool check_launch(const struct variant *variant, const struct launch *launch,
                         const struct variant_names *names, struct error *error)
{
    if (!check_dims(&launch->grid, &names->values, false, error) ||
        !check_dims(&launch->block, &names->values, false, error) ||
        (launch->cluster.part[0] && !check_dims(&launch->cluster, &names->values, false, error)) ||
        (launch->shared && !expr_check(launch->shared, &names->values, false, error)))
        return false;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];
        struct error ignored;
        if (!expr_check(argument->expr, &names->all, false, error))
            return false;
        if (!argument->name && !expr_check(argument->expr, &names->values, false, &ignored))
            return error_at(error, &variant->source, argument->at,
                            "a buffer, a texture, a surface or a structure is an argument by itself, not a "
                            "part of an expression");
    }
    return true;
}

// The name of a loop's variable is free for it alone.
static bool check_loop_name(const struct variant_names *names, const struct variant *variant, size_t which,
                            struct error *error)
{
    const struct launch_loop *loop = &variant->loops[which];
    bool taken = strcmp(loop->name, "i") == 0;
    for (size_t i = 0; i < names->all.count; i++)
        taken |= strcmp(names->bindings[i].name, loop->name) == 0;
    for (int around = loop->around; around >= 0; around = variant->loops[around].around)
        taken |= strcmp(variant->loops[around].name, loop->name) == 0;
    return !taken ||
           error_at(error, &variant->source, loop->at, "%s means something else already", loop->name);
}

// The variables of the loop and of those around it, before the names of the scope.
static struct expr_scope loop_scope(const struct variant *variant, int loop, const struct expr_scope *outer,
                                    struct expr_binding *bindings)
{
    size_t count = 0;
    for (; loop >= 0; loop = variant->loops[loop].around)
        bindings[count++] = (struct expr_binding){ variant->loops[loop].name, value_int(1) };
    memcpy(bindings + count, outer->bindings, outer->count * sizeof *bindings);
    return (struct expr_scope){ bindings, count + outer->count };
}

static int loop_of(const struct variant *variant, size_t launch)
{
    int innermost = -1;
    for (size_t i = 0; i < variant->loop_count; i++)
        if (variant->loops[i].from <= launch && launch < variant->loops[i].to)
            innermost = (int)i; // an inner loop begins later than those around it
    return innermost;
}

static bool check_launches(const struct variant *variant, const struct variant_names *names,
                           struct error *error)
{
    struct expr_binding *values = mem_new((names->values.count + LOOPS_DEEP + 1) * sizeof *values);
    struct expr_binding *all = mem_new((names->all.count + LOOPS_DEEP + 1) * sizeof *all);
    bool good = true;
    for (size_t i = 0; good && i < variant->loop_count; i++) {
        const struct launch_loop *loop = &variant->loops[i];
        struct expr_scope outside = loop_scope(variant, loop->around, &names->values, values);
        good = check_loop_name(names, variant, i, error) && expr_check(loop->first, &outside, false, error);
        struct expr_scope inside = loop_scope(variant, (int)i, &names->values, values);
        good = good && expr_check(loop->holds, &inside, false, error) &&
               expr_check(loop->next, &inside, false, error);
    }
    for (size_t i = 0; good && i < variant->launch_count; i++) {
        const int loop = loop_of(variant, i);
        struct variant_names inside = *names;
        inside.values = loop_scope(variant, loop, &names->values, values);
        inside.all = loop_scope(variant, loop, &names->all, all);
        good = check_launch(variant, &variant->launches[i], &inside, error);
    }
    free(values);
    free(all);
    return good;
}

static bool declares_buffer(const void *file, const char *name)
{
    const struct variant *variant = file;
    for (size_t i = 0; i < variant->buffer_count; i++)
        if (strcmp(variant->buffers[i].name, name) == 0)
            return true;
    return false;
}

bool variant_names_buffers(const struct variant *variant,
                           bool (*known)(const void *buffers, const char *name), const void *buffers,
                           struct error *error)
{
    static const char unknown[] = "there is no buffer %s";
    for (size_t i = 0; i < variant->owner_count; i++) {
        const struct owner *owner = &variant->owners[i];
        if (!known(buffers, owner->buffer))
            return error_at(error, &variant->source, owner->at, unknown, owner->buffer);
    }
    for (size_t i = 0; i < variant->ordered_count; i++) {
        const struct promise *promise = &variant->ordered[i];
        if (!known(buffers, promise->buffer))
            return error_at(error, &variant->source, promise->at, unknown, promise->buffer);
    }
    return true;
}

// Texels lie in a buffer or in scratch.
static bool check_textures(const struct variant *variant, const struct expr_scope *scope, struct error *error)
{
    for (size_t i = 0; i < variant->texture_count; i++) {
        const struct texture *texture = &variant->textures[i];
        bool known = declares_buffer(variant, texture->buffer);
        for (size_t s = 0; s < variant->scratch_count && !known; s++)
            known = strcmp(variant->scratch[s].name, texture->buffer) == 0;
        if (!known)
            return error_at(error, &variant->source, texture->buffer_at, "there is no buffer %s",
                            texture->buffer);
        for (int s = 0; s < TEXTURE_SIZES; s++)
            if (texture->sizes[s] && !expr_check(texture->sizes[s], scope, false, error))
                return false;
    }
    return true;
}

static bool check_lines(const struct variant *variant, struct variant_names *names, struct error *error)
{
    if (!check_params(variant, names, error))
        return false;
    for (size_t i = 0; i < variant->buffer_count; i++)
        add_name(names, variant->buffers[i].name);
    for (size_t i = 0; i < variant->scratch_count; i++)
        add_name(names, variant->scratch[i].name);
    names->memory = names->all;
    for (size_t i = 0; i < variant->texture_count; i++)
        add_name(names, variant->textures[i].name);
    for (size_t i = 0; i < variant->value_count; i++)
        add_name(names, variant->values[i].name);
    for (size_t i = 0; i < variant->need_count; i++)
        if (!expr_check(variant->needs[i].expr, &names->values, false, error))
            return false;
    if (!check_declared(variant->buffers, variant->buffer_count, &names->params, error) ||
        !check_declared(variant->scratch, variant->scratch_count, &names->values, error) ||
        !check_values(variant->symbols, variant->symbol_count, names, error) ||
        !check_values(variant->values, variant->value_count, names, error) ||
        !check_textures(variant, &names->values, error))
        return false;
    if (!check_launches(variant, names, error))
        return false;
    if (!variant_names_buffers(variant, declares_buffer, variant, error))
        return false;
    for (size_t i = 0; i < variant->owner_count; i++)
        if (!check_dims(&variant->owners[i].block, &names->values, true, error) ||
            !check_dims(&variant->owners[i].thread, &names->values, true, error))
            return false;
    return true;
}

// Every name in the directives of a standalone file.
static bool check_names(const struct variant *variant, struct error *error)
{
    size_t room = 1 + variant->param_count + variant->buffer_count + variant->scratch_count +
                  variant->value_count + variant->texture_count;
    struct variant_names names = { .bindings = mem_new(room * sizeof *names.bindings) };
    names.all.bindings = names.bindings;
    bool fine = check_lines(variant, &names, error);
    free(names.bindings);
    return fine;
}

// ---- kernels ----------------------------------------------------------------------------------------------

static bool code_mentions(const char *text, const char *word)
{
    for (;;) {
        struct code_piece piece = piece_next(text);
        if (piece.kind == PIECE_END)
            return false;
        if (piece.kind == PIECE_WORD && piece_is(piece, word))
            return true;
        text = piece.at + piece.length;
    }
}

static bool unknown_kernel(const struct variant *variant, const struct launch *launch, struct error *error)
{
    char *kernels[KERNELS_LISTED];
    size_t count = 0;
    struct code_piece name;
    for (const char *at = variant->text; count < KERNELS_LISTED && kernel_next(&at, &name);)
        kernels[count++] = mem_copy_n(name.at, name.length);
    const char *near = string_nearest(launch->kernel, (const char *const *)kernels, count);
    error_at(error, &variant->source, launch->at, "this file has no kernel %.60s%s%.60s%s", launch->kernel,
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    for (size_t k = 0; k < count; k++)
        free(kernels[k]);
    return false;
}

// A kernel that only a macro or a template spells out is left to the compiler.
static bool check_kernel(const struct variant *variant, const struct launch *launch, struct error *error)
{
    const char *at = variant->text;
    int takes = signature_next(&at, launch->kernel, NULL, 0);
    if (takes < 0)
        return code_mentions(variant->text, launch->kernel) || unknown_kernel(variant, launch, error);
    size_t given = launch->argument_count;
    for (int other = takes; other >= 0; other = signature_next(&at, launch->kernel, NULL, 0))
        if ((size_t)other == given)
            return true;
    return error_at(error, &variant->source, launch->at, "%.60s takes %d argument%s, and here %s %zu",
                    launch->kernel, takes, takes == 1 ? "" : "s", given == 1 ? "is" : "are", given);
}

// Points at the first kernel, which nothing launches.
static bool no_launch(const struct variant *variant, struct error *error)
{
    const char *at = variant->text;
    struct code_piece name = { PIECE_END, at, 0 };
    if (!kernel_next(&at, &name))
        return error_at(
            error, &variant->source, variant->text,
            "there is no kernel and no launch here; write //@ launch NAME<<<grid, block>>>(arguments)");
    int shown = name.length < 60 ? (int)name.length : 60;
    return error_at(error, &variant->source, name.at,
                    "nothing launches this kernel; write //@ launch %.*s<<<grid, block>>>(arguments)", shown,
                    name.at);
}

bool variant_check(const struct variant *variant, struct error *error)
{
    if (!variant->launch_count)
        return no_launch(variant, error);
    if (variant->launch_count > VARIANT_LAUNCHES)
        return error_at(error, &variant->source, variant->launches[VARIANT_LAUNCHES].at,
                        "this is one launch line too many; a file has at most %d", VARIANT_LAUNCHES);
    for (size_t i = 0; i < variant->launch_count; i++)
        if (!check_kernel(variant, &variant->launches[i], error))
            return false;
    return variant->lab || check_names(variant, error);
}
