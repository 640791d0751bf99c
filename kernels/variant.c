// A kernel file: its name, its text, the `//@` lines in it, and whether they fit the code and each other. What one such
// line says is in directive.c.
#include "kernels/variant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- whether the directives fit --------------------------------------------------------------------

enum { KERNELS_LISTED = 16 };

// The names that a standalone file knows, in this order: its params, sm_count, its buffers and scratch.
struct variant_names {
    struct expr_binding *bindings;
    struct expr_scope params; // what the data are made of: the same on every GPU
    struct expr_scope values; // and sm_count
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
        if (declared[i].initial && !expr_check(declared[i].initial, scope, true, error))
            return false;
    }
    return true;
}

static bool check_launch(const struct variant *variant, const struct launch *launch,
                         const struct variant_names *names, struct error *error)
{
    if (!check_dims(&launch->grid, &names->values, false, error) ||
        !check_dims(&launch->block, &names->values, false, error) ||
        (launch->shared && !expr_check(launch->shared, &names->values, false, error)))
        return false;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];
        struct error ignored;
        if (!expr_check(argument->expr, &names->all, false, error))
            return false;
        if (!argument->name && !expr_check(argument->expr, &names->values, false, &ignored))
            return error_at(error, &variant->source, argument->at,
                            "a buffer is an argument by itself, not a part of an expression");
    }
    return true;
}

static bool check_owner(const struct variant *variant, const struct owner *owner,
                        const struct variant_names *names, struct error *error)
{
    for (size_t i = 0; i < variant->buffer_count; i++)
        if (strcmp(variant->buffers[i].name, owner->buffer) == 0)
            return check_dims(&owner->block, &names->values, true, error) &&
                   check_dims(&owner->thread, &names->values, true, error);
    return error_at(error, &variant->source, owner->at, "there is no buffer %s", owner->buffer);
}

static bool check_lines(const struct variant *variant, struct variant_names *names, struct error *error)
{
    if (!check_params(variant, names, error))
        return false;
    for (size_t i = 0; i < variant->buffer_count; i++)
        add_name(names, variant->buffers[i].name);
    for (size_t i = 0; i < variant->scratch_count; i++)
        add_name(names, variant->scratch[i].name);
    for (size_t i = 0; i < variant->need_count; i++)
        if (!expr_check(variant->needs[i].expr, &names->values, false, error))
            return false;
    if (!check_declared(variant->buffers, variant->buffer_count, &names->params, error) ||
        !check_declared(variant->scratch, variant->scratch_count, &names->values, error))
        return false;
    for (size_t i = 0; i < variant->launch_count; i++)
        if (!check_launch(variant, &variant->launches[i], names, error))
            return false;
    for (size_t i = 0; i < variant->owner_count; i++)
        if (!check_owner(variant, &variant->owners[i], names, error))
            return false;
    return true;
}

// Every name in the directives of a standalone file.
static bool check_names(const struct variant *variant, struct error *error)
{
    size_t room = 1 + variant->param_count + variant->buffer_count + variant->scratch_count;
    struct variant_names names = { .bindings = mem_new(room * sizeof *names.bindings) };
    names.all.bindings = names.bindings;
    bool fine = check_lines(variant, &names, error);
    free(names.bindings);
    return fine;
}

// ---- kernels ------------------------------------------------------------------------------------

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
        return error_at(error, &variant->source, variant->text,
                        "here is no kernel and no launch; write //@ launch NAME<<<grid, block>>>(arguments)");
    int shown = name.length < 60 ? (int)name.length : 60;
    return error_at(error, &variant->source, name.at,
                    "nothing launches this kernel; write //@ launch %.*s<<<grid, block>>>(arguments)", shown,
                    name.at);
}

static bool variant_check(const struct variant *variant, struct error *error)
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

// ---- a hash of what runs ---------------------------------------------------------------------------

static uint64_t hash_pieces(uint64_t hash, const char *text);

// Directives are comments to C, but these decide what is launched on what.
static uint64_t hash_comment(uint64_t hash, struct code_piece comment)
{
    static const char *const deciding[] = { "launch", "scratch", "param", "buffer" };
    if (!string_starts(comment.at, "//@"))
        return hash;
    char *line = mem_copy_n(comment.at + 3, comment.length - 3);
    const char *word = line + strspn(line, " \t");
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++)
        if (string_starts(word, deciding[i]))
            hash = hash_pieces(hash, word);
    free(line);
    return hash;
}

static uint64_t hash_pieces(uint64_t hash, const char *text)
{
    for (struct code_piece piece = piece_next(text); piece.kind != PIECE_END;
         piece = piece_next(piece.at + piece.length)) {
        if (piece.kind == PIECE_COMMENT)
            hash = hash_comment(hash, piece);
        else if (piece.kind != PIECE_BLANK)
            hash = hash_more(hash_more(hash, piece.at, piece.length), " ", 1);
    }
    return hash;
}

uint64_t variant_code(const struct variant *variant)
{
    return hash_pieces(hash_bytes("", 0), variant->text);
}

enum { LINES_MOST = 1000 }; // directives; far more than any kernel needs

// ---- freeing ------------------------------------------------------------------------------------

static void free_dims(struct dims *dims)
{
    for (int i = 0; i < 3; i++)
        expr_free(dims->part[i]);
}

static void free_launch(struct launch *launch)
{
    free(launch->kernel);
    free(launch->spelled);
    free_dims(&launch->grid);
    free_dims(&launch->block);
    expr_free(launch->shared);
    for (size_t i = 0; i < launch->argument_count; i++) {
        free(launch->arguments[i].name);
        expr_free(launch->arguments[i].expr);
    }
    free(launch->arguments);
}

static void free_declared(struct declared *declared, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(declared[i].name);
        expr_free(declared[i].count);
        expr_free(declared[i].initial);
    }
    free(declared);
}

static void free_small_lines(struct variant *variant)
{
    for (size_t i = 0; i < variant->need_count; i++) {
        free(variant->needs[i].text);
        expr_free(variant->needs[i].expr);
    }
    free(variant->needs);
    for (size_t i = 0; i < variant->param_count; i++) {
        free(variant->params[i].name);
        expr_free(variant->params[i].value);
    }
    free(variant->params);
    for (size_t i = 0; i < variant->owner_count; i++) {
        free(variant->owners[i].buffer);
        free_dims(&variant->owners[i].block);
        free_dims(&variant->owners[i].thread);
    }
    free(variant->owners);
}

void variant_free(struct variant *variant)
{
    for (size_t i = 0; i < variant->launch_count; i++)
        free_launch(&variant->launches[i]);
    free(variant->launches);
    free_declared(variant->scratch, variant->scratch_count);
    free_declared(variant->buffers, variant->buffer_count);
    free_small_lines(variant);
    free(variant->lab);
    free(variant->name);
    free(variant->path);
    free(variant->text);
    free(variant->title);
    free(variant->why);
    *variant = (struct variant){ 0 };
}

// ---- evaluating ---------------------------------------------------------------------------------

// One part of a grid, a block or an index: a whole number from `least` on; `least` where it is absent.
static bool part_eval(const struct expr *expr, const struct expr_scope *scope, int64_t least, int64_t *out,
                      struct error *error)
{
    struct expr_value value = value_int(least);
    if (expr && !expr_eval(expr, scope, &value, error))
        return false;
    if (value.real)
        return expr_error(expr, error, "this is %g, and should be a whole number", value.r);
    if (value.i < least || value.i > INT32_MAX)
        return expr_error(expr, error, "this is %" PRId64 ", and should be %" PRId64 " to %d", value.i, least,
                          INT32_MAX);
    *out = value.i;
    return true;
}

static bool parts_eval(const struct dims *dims, const struct expr_scope *scope, int64_t least,
                       struct dims_value *out, struct error *error)
{
    return part_eval(dims->part[0], scope, least, &out->x, error) &&
           part_eval(dims->part[1], scope, least, &out->y, error) &&
           part_eval(dims->part[2], scope, least, &out->z, error);
}

bool dims_eval(const struct dims *dims, const struct expr_scope *scope, struct dims_value *out,
               struct error *error)
{
    return parts_eval(dims, scope, 1, out, error);
}

bool owner_eval(const struct owner *owner, const struct expr_scope *scope, struct dims_value *block,
                struct dims_value *thread, struct error *error)
{
    return parts_eval(&owner->block, scope, 0, block, error) &&
           parts_eval(&owner->thread, scope, 0, thread, error);
}

// ---- the file's name ----------------------------------------------------------------------------

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// "4-interleaved" → 4; 0 when it is no such name.
static int step_of(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    const char *word = name + digits;
    bool fine = digits > 0 && digits <= 3 && name[0] != '0' && word[0] == '-' && word[1];
    for (word += fine; fine && *word; word++)
        fine = byte_in_word(*word) || *word == '-';
    return fine ? atoi(name) : 0;
}

static bool name_from_path(struct variant *variant, struct error *error)
{
    const char *base = base_name(variant->path);
    size_t length = strlen(base) - (string_ends(base, ".cu") ? 3 : 0);
    variant->name = mem_copy_n(base, length);
    variant->step = variant->lab ? step_of(variant->name) : 0;
    if (!variant->lab || (variant->step && base[length]))
        return true;
    return error_set(error, EXIT_USAGE,
                     "%s: a lab's kernel file is called STEP-NAME.cu, such as 4-interleaved.cu, with a step "
                     "from 1 to 999 and a name of letters, digits, '-' and '_'.",
                     variant->path);
}

// ---- reading ------------------------------------------------------------------------------------

static bool directives_parse(struct variant *variant, struct error *error)
{
    const char *at = variant->text;
    if (string_starts(at, "\xef\xbb\xbf"))
        at += 3; // the mark with which some editors start UTF-8
    int lines = 0;
    for (bool starts = true;;) {
        struct code_piece piece = piece_next(at);
        if (piece.kind == PIECE_END)
            return true;
        bool directive = starts && piece.kind == PIECE_COMMENT && string_starts(piece.at, "//@");
        if (directive && ++lines > LINES_MOST)
            return error_at(error, &variant->source, piece.at, "too many directives: %d are the most",
                            LINES_MOST);
        if (directive && !directive_parse(variant, piece.at + 3, error))
            return false;
        bool blank = piece.kind == PIECE_BLANK;
        starts = blank && (starts || memchr(piece.at, '\n', piece.length));
        at = piece.at + piece.length;
    }
}

bool variant_parse(struct variant *out, const char *lab, const char *path, const char *text,
                   struct error *error)
{
    *out = (struct variant){ 0 };
    out->lab = lab ? mem_copy(lab) : NULL;
    out->path = mem_copy(path);
    out->text = mem_copy(text);
    out->source = (struct source){ out->path, out->text };
    if (!name_from_path(out, error) || !directives_parse(out, error) || !variant_check(out, error)) {
        variant_free(out);
        return false;
    }
    if (!out->title)
        out->title = mem_copy(out->name);
    return true;
}

bool variant_read_lab(struct variant *out, const char *lab, const char *path, struct error *error)
{
    struct text text = { 0 };
    *out = (struct variant){ 0 };
    bool read = file_read(path, &text, error);
    if (read && strlen(text_string(&text)) != text.length) {
        const struct source source = { path, text.data };
        read = error_at(error, &source, text.data + strlen(text.data),
                        "here is a byte 0; a kernel file is text without one");
    }
    read = read && variant_parse(out, lab, path, text_string(&text), error);
    text_free(&text);
    return read;
}

bool variant_read(struct variant *out, const char *path, struct error *error)
{
    return variant_read_lab(out, NULL, path, error);
}
