// A kernel file: its name, its text, what it launches, and which code it has.
#include "kernels/variant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Whether the buffer's address is in a variable of the code or in a structure that a kernel takes.
static bool has_address(const struct variant *variant, const char *buffer)
{
    for (size_t s = 0; s < variant->symbol_count; s++)
        if (initial_names(&variant->symbols[s].initial, buffer))
            return true;
    for (size_t v = 0; v < variant->value_count; v++)
        if (initial_names(&variant->values[v].initial, buffer))
            return true;
    return false;
}

bool variant_uses(const struct variant *variant, const char *buffer)
{
    if (has_address(variant, buffer))
        return true;
    for (size_t t = 0; t < variant->texture_count; t++)
        if (strcmp(variant->textures[t].buffer, buffer) == 0)
            return true;
    for (size_t l = 0; l < variant->launch_count; l++)
        if (launch_takes(&variant->launches[l], buffer))
            return true;
    return false;
}

static bool has_surface(const struct variant *variant, const char *buffer)
{
    for (size_t t = 0; t < variant->texture_count; t++)
        if (variant->textures[t].surface && strcmp(variant->textures[t].buffer, buffer) == 0)
            return true;
    return false;
}

// Whether a kernel of the launch's name may change its argument: it takes it as a pointer that is not to const.
static bool may_change_argument(const struct variant *variant, const struct launch *launch, size_t argument)
{
    enum { MOST = 64 };
    struct kernel_parameter parameters[MOST];
    const char *at = variant->text;
    int count = signature_next(&at, launch->kernel, parameters, MOST);
    bool constant = count >= 0;
    for (; constant && count >= 0; count = signature_next(&at, launch->kernel, parameters, MOST))
        if ((size_t)count == launch->argument_count)
            constant = argument < MOST && parameters[argument].constant;
    return !constant;
}

bool variant_may_change(const struct variant *variant, const char *buffer)
{
    if (has_surface(variant, buffer) || has_address(variant, buffer))
        return true;
    for (size_t l = 0; l < variant->launch_count; l++) {
        const struct launch *launch = &variant->launches[l];
        for (size_t a = 0; a < launch->argument_count; a++) {
            const char *name = launch->arguments[a].name;
            if (name && strcmp(name, buffer) == 0 && may_change_argument(variant, launch, a))
                return true;
        }
    }
    return false;
}

const struct texture *variant_texture(const struct variant *variant, const char *name)
{
    for (size_t t = 0; t < variant->texture_count; t++)
        if (strcmp(variant->textures[t].name, name) == 0)
            return &variant->textures[t];
    return NULL;
}

const struct declared *variant_value(const struct variant *variant, const char *name)
{
    for (size_t v = 0; v < variant->value_count; v++)
        if (strcmp(variant->values[v].name, name) == 0)
            return &variant->values[v];
    return NULL;
}

bool launch_takes(const struct launch *launch, const char *name)
{
    for (size_t a = 0; a < launch->argument_count; a++)
        if (launch->arguments[a].name && strcmp(launch->arguments[a].name, name) == 0)
            return true;
    return false;
}

// ---- the hash of a variant --------------------------------------------------------------------------------

static uint64_t hash_pieces(uint64_t hash, const char *text);

// Directives are comments to C, but these decide what is launched on what.
static uint64_t hash_comment(uint64_t hash, struct code_piece comment)
{
    if (!directive_marked(comment.at) || !directive_decides(directive_of(comment.at)))
        return hash;
    char *line = directive_text(comment.at + 3, directive_end(comment.at));
    hash = hash_pieces(hash, line);
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

// ---- freeing ----------------------------------------------------------------------------------------------

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
    free_dims(&launch->cluster);
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
        initial_free(&declared[i].initial);
        layout_free(&declared[i].layout);
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
    for (size_t i = 0; i < variant->texture_count; i++) {
        free(variant->textures[i].name);
        free(variant->textures[i].buffer);
        for (int s = 0; s < TEXTURE_SIZES; s++)
            expr_free(variant->textures[i].sizes[s]);
    }
    free(variant->textures);
    for (size_t i = 0; i < variant->ordered_count; i++)
        free(variant->ordered[i].buffer);
    free(variant->ordered);
}

void variant_free(struct variant *variant)
{
    struct launch *lines = variant->lines ? variant->lines : variant->launches;
    const size_t line_count = variant->lines ? variant->line_count : variant->launch_count;
    for (size_t i = 0; i < line_count; i++)
        free_launch(&lines[i]);
    free(lines);
    if (variant->lines)
        free(variant->launches);
    for (size_t i = 0; i < variant->loop_count; i++) {
        free(variant->loops[i].name);
        expr_free(variant->loops[i].first);
        expr_free(variant->loops[i].holds);
        expr_free(variant->loops[i].next);
    }
    free(variant->loops);
    free_declared(variant->scratch, variant->scratch_count);
    free_declared(variant->buffers, variant->buffer_count);
    free_declared(variant->symbols, variant->symbol_count);
    free_declared(variant->values, variant->value_count);
    free_small_lines(variant);
    free(variant->lab);
    free(variant->name);
    free(variant->path);
    free(variant->text);
    free(variant->title);
    free(variant->why);
    *variant = (struct variant){ 0 };
}

// ---- evaluating -------------------------------------------------------------------------------------------

// Evaluates one part of a grid, a block or an index: a whole number from `least` on; `least` where it is absent.
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

bool variant_orders(const struct variant *variant, const char *buffer)
{
    for (size_t i = 0; i < variant->ordered_count; i++)
        if (strcmp(variant->ordered[i].buffer, buffer) == 0)
            return true;
    return false;
}

bool owner_eval(const struct owner *owner, const struct expr_scope *scope, struct dims_value *block,
                struct dims_value *thread, struct error *error)
{
    return parts_eval(&owner->block, scope, 0, block, error) &&
           parts_eval(&owner->thread, scope, 0, thread, error);
}

// ---- the file's name --------------------------------------------------------------------------------------

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

// ---- reading ----------------------------------------------------------------------------------------------

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
                        "there is a zero byte here; a kernel file is text without one");
    }
    read = read && variant_parse(out, lab, path, text_string(&text), error);
    text_free(&text);
    return read;
}

bool variant_read(struct variant *out, const char *path, struct error *error)
{
    return variant_read_lab(out, NULL, path, error);
}
