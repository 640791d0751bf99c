// A kernel file: its name, its text, the `//@` lines in it, and whether they fit the code and each other. Every error points
// at the place where something else was expected.
#include "kernels/variant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool variant_uses(const struct variant *variant, const char *buffer)
{
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
    if (has_surface(variant, buffer))
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

bool launch_takes(const struct launch *launch, const char *name)
{
    for (size_t a = 0; a < launch->argument_count; a++)
        if (launch->arguments[a].name && strcmp(launch->arguments[a].name, name) == 0)
            return true;
    return false;
}

// ---- One //@ line -----------------------------------------------------------------------------------------

enum { NAME_MOST = 31, KERNEL_MOST = 200 }; // bytes of a buffer's or parameter's name, of a kernel's

struct directive_line {
    struct variant *variant;
    const char *at, *end; // `end`: of the last line that continues it
    struct error *error;
};

// ---- the parts of a line ----------------------------------------------------------------------------------

static void skip_blanks(struct directive_line *line)
{
    line->at += directive_blanks(line->at, line->end);
}

// Moves past `sign` if it comes next.
static bool accept(struct directive_line *line, const char *sign)
{
    skip_blanks(line);
    if (!string_starts(line->at, sign))
        return false;
    line->at += strlen(sign);
    return true;
}

static bool expect(struct directive_line *line, const char *sign, const char *why)
{
    return accept(line, sign) ||
           error_at(line->error, &line->variant->source, line->at, "expected '%s' %s", sign, why);
}

static bool expect_end(struct directive_line *line)
{
    skip_blanks(line);
    return line->at == line->end ||
           error_at(line->error, &line->variant->source, line->at, "expected the end of the line");
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (byte_in_word(at[length]))
        length++;
    return length;
}

// Reads a name as C has them. `what` says in the message what it names; the caller frees.
static char *take_name(struct directive_line *line, const char *what, size_t most)
{
    skip_blanks(line);
    const char *at = line->at;
    size_t length = word_length(at);
    if (!length || (*at >= '0' && *at <= '9')) {
        error_at(line->error, &line->variant->source, at, "expected the name of %s", what);
        return NULL;
    }
    if (length > most) {
        error_at(line->error, &line->variant->source, at, "this name is too long: it may have %zu letters",
                 most);
        return NULL;
    }
    line->at += length;
    return mem_copy_n(at, length);
}

// The rest of the line; the caller frees. NULL when nothing is left.
static char *take_rest(struct directive_line *line, const char *what)
{
    skip_blanks(line);
    if (line->at == line->end) {
        error_at(line->error, &line->variant->source, line->at, "expected %s", what);
        return NULL;
    }
    const char *at = line->at;
    line->at = line->end;
    return directive_text(at, line->end);
}

static struct expr *take_expr(struct directive_line *line)
{
    return expr_parse(&line->variant->source, &line->at, line->end, line->error);
}

// Reads an expression, or dim3(x[, y[, z]]).
static bool take_dims(struct directive_line *line, struct dims *dims)
{
    skip_blanks(line);
    const char *before = line->at;
    bool triple = word_length(line->at) == 4 && accept(line, "dim3") && accept(line, "(");
    if (!triple) {
        line->at = before;
        dims->part[0] = take_expr(line);
        return dims->part[0] != NULL;
    }
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !accept(line, ","))
            break;
        dims->part[i] = take_expr(line);
        if (!dims->part[i])
            return false;
    }
    return expect(line, ")", "after the sizes of a dim3, which are three at most");
}

// Moves past `<<<`. A missing `>>>` is found here, because a `>>` in its place would be read as a shift.
static bool open_brackets(struct directive_line *line, const char *why)
{
    if (!expect(line, "<<<", why))
        return false;
    const char *at = line->at, *shift = NULL;
    for (; at < line->end && !string_starts(at, ">>>"); at++)
        if (string_starts(at, ">>"))
            shift = at;
    return at < line->end || error_at(line->error, &line->variant->source, shift ? shift : at,
                                      "expected '>>>' to close the '<<<'");
}

// ---- one function per word --------------------------------------------------------------------------------

static bool read_title(struct directive_line *line)
{
    struct variant *variant = line->variant;
    if (variant->title)
        return error_at(line->error, &variant->source, line->at, "this is a second title; a file has one");
    variant->title = take_rest(line, "a title");
    return variant->title != NULL;
}

static bool read_why(struct directive_line *line)
{
    struct variant *variant = line->variant;
    char *rest = take_rest(line, "the idea of this variant in a sentence");
    if (!rest)
        return false;
    struct text whole = { 0 };
    if (variant->why)
        text_addf(&whole, "%s ", variant->why);
    text_add(&whole, rest);
    free(variant->why);
    free(rest);
    variant->why = text_take(&whole);
    return true;
}

static bool read_needs(struct directive_line *line)
{
    struct variant *variant = line->variant;
    variant->needs = array_room(variant->needs, variant->need_count, sizeof *variant->needs);
    struct condition *need = &variant->needs[variant->need_count++];
    *need = (struct condition){ 0 };
    skip_blanks(line);
    const char *at = line->at;
    need->text = take_rest(line, "a condition, such as n % 4 == 0");
    if (!need->text)
        return false;
    line->at = at;
    need->expr = take_expr(line);
    return need->expr && expect_end(line);
}

// Params, buffers, scratch, textures and surfaces share their names.
static bool check_new(struct directive_line *line, const char *name, const char *at)
{
    const struct variant *variant = line->variant;
    if (strcmp(name, "i") == 0 || strcmp(name, "sm_count") == 0)
        return error_at(line->error, &variant->source, at, "%s is taken: it is %s", name,
                        *name == 'i' ? "the index in initialisers and owners"
                                     : "the number of the GPU's SMs");
    const char *before = NULL;
    for (size_t i = 0; i < variant->param_count && !before; i++)
        before = strcmp(variant->params[i].name, name) ? NULL : variant->params[i].at;
    for (size_t i = 0; i < variant->buffer_count && !before; i++)
        before = strcmp(variant->buffers[i].name, name) ? NULL : variant->buffers[i].at;
    for (size_t i = 0; i < variant->scratch_count && !before; i++)
        before = strcmp(variant->scratch[i].name, name) ? NULL : variant->scratch[i].at;
    for (size_t i = 0; i < variant->texture_count && !before; i++)
        before = strcmp(variant->textures[i].name, name) ? NULL : variant->textures[i].at;
    return !before || error_at(line->error, &variant->source, at, "%s is declared already, in line %d", name,
                               text_line_of(variant->text, before));
}

// The name that a line declares; NULL after an error. *at is its place; the caller frees.
static char *take_new_name(struct directive_line *line, const char *what, const char **at)
{
    skip_blanks(line);
    *at = line->at;
    char *name = take_name(line, what, NAME_MOST);
    if (name && check_new(line, name, *at))
        return name;
    free(name);
    return NULL;
}

// `param` and `buffer` are for a standalone file: a lab has its own.
static bool expect_alone(struct directive_line *line, const char *what)
{
    const struct variant *variant = line->variant;
    return !variant->lab ||
           error_at(
               line->error, &variant->source, line->at,
               "the %s of a lab's file come from the lab; for memory of a variant's own there is scratch",
               what);
}

// Reads NAME TYPE[EXPR], and for a buffer with content = EXPR, as the last of a list.
static bool read_declared(struct directive_line *line, const char *what, struct declared **list,
                          size_t *count, bool initial)
{
    struct declared new = { 0 };
    new.name = take_new_name(line, what, &new.at);
    if (!new.name)
        return false;
    *list = array_room(*list, *count, sizeof **list);
    struct declared *declared = &(*list)[(*count)++];
    *declared = new;
    skip_blanks(line);
    size_t used = type_parse(line->at, &declared->type);
    if (!used)
        return error_at(line->error, &line->variant->source, line->at,
                        "expected a type: char, unsigned char, short, int, unsigned, long long, unsigned "
                        "long long, float, double, or a vector such as float4");
    line->at += used;
    if (!expect(line, "[", "and how many elements there are"))
        return false;
    declared->count = take_expr(line);
    if (!declared->count || !expect(line, "]", "after how many elements there are"))
        return false;
    if (initial && accept(line, "=") && !(declared->initial = take_expr(line)))
        return false;
    return expect_end(line);
}

static bool read_scratch(struct directive_line *line)
{
    struct variant *variant = line->variant;
    return read_declared(line, "device memory of this variant's own", &variant->scratch,
                         &variant->scratch_count, false);
}

static bool read_buffer(struct directive_line *line)
{
    struct variant *variant = line->variant;
    return expect_alone(line, "buffers") &&
           read_declared(line, "a buffer", &variant->buffers, &variant->buffer_count, true);
}

static bool read_param(struct directive_line *line)
{
    struct variant *variant = line->variant;
    struct parameter param = { 0 };
    if (!expect_alone(line, "parameters"))
        return false;
    param.name = take_new_name(line, "a parameter", &param.at);
    if (!param.name)
        return false;
    variant->params = array_room(variant->params, variant->param_count, sizeof *variant->params);
    variant->params[variant->param_count++] = param;
    if (!expect(line, "=", "and the parameter's value"))
        return false;
    return (variant->params[variant->param_count - 1].value = take_expr(line)) && expect_end(line);
}

// Notes whether an argument is one bare name, which only the caller can distinguish from a buffer's.
static bool read_argument(struct directive_line *line, struct launch *launch)
{
    launch->arguments = array_room(launch->arguments, launch->argument_count, sizeof *launch->arguments);
    struct argument *argument = &launch->arguments[launch->argument_count++];
    *argument = (struct argument){ 0 };
    skip_blanks(line);
    argument->at = line->at;
    argument->expr = take_expr(line);
    if (!argument->expr)
        return false;
    size_t length = word_length(argument->at);
    const char *after = argument->at + length;
    after += directive_blanks(after, line->end);
    if (length && (*after == ',' || *after == ')') && (*argument->at < '0' || *argument->at > '9'))
        argument->name = mem_copy_n(argument->at, length);
    return true;
}

// Moves past <int, 4> after a kernel's name; <<< opens the launch itself.
static bool skip_instance(struct directive_line *line)
{
    skip_blanks(line);
    if (*line->at != '<' || string_starts(line->at, "<<<"))
        return true;
    const char *start = line->at;
    int angles = 0, others = 0;
    do {
        struct code_piece piece = piece_next(line->at);
        char sign = piece.kind == PIECE_SIGN ? *piece.at : 0;
        if (piece.kind == PIECE_END || memchr(piece.at, '\n', piece.length) || sign == ';')
            return error_at(line->error, &line->variant->source, start,
                            "expected a '>' that closes this '<', and then <<<grid, block>>>");
        others += (sign == '(' || sign == '[') - (sign == ')' || sign == ']');
        angles += others ? 0 : (sign == '<') - (sign == '>');
        line->at += piece.length;
    } while (angles > 0);
    return true;
}

// Reads the name of a kernel or of a template's instance: k, ns::k, k<int, 4>. False after an error.
static bool take_kernel(struct directive_line *line, struct launch *launch)
{
    do {
        free(launch->kernel);
        launch->kernel = take_name(line, "a kernel, as in fill<<<n / 256, 256>>>(data)", KERNEL_MOST);
    } while (launch->kernel && accept(line, "::"));
    if (!launch->kernel || !skip_instance(line))
        return false;
    struct text spelled = { 0 };
    code_squeeze(launch->at, (size_t)(line->at - launch->at), &spelled);
    launch->spelled = text_take(&spelled);
    return true;
}

static bool read_launch(struct directive_line *line)
{
    struct variant *variant = line->variant;
    variant->launches = array_room(variant->launches, variant->launch_count, sizeof *variant->launches);
    struct launch *launch = &variant->launches[variant->launch_count++];
    *launch = (struct launch){ 0 };
    skip_blanks(line);
    launch->at = line->at;
    if (!take_kernel(line, launch) || !open_brackets(line, "and then the grid and the block") ||
        !take_dims(line, &launch->grid) || !expect(line, ",", "and then the threads of a block") ||
        !take_dims(line, &launch->block))
        return false;
    if (accept(line, ",")) {
        launch->shared = take_expr(line);
        if (!launch->shared)
            return false;
    }
    if (!expect(line, ">>>", "after the grid, the block and the bytes of shared memory") ||
        !expect(line, "(", "and the kernel's arguments"))
        return false;
    if (!accept(line, ")")) {
        do {
            if (!read_argument(line, launch))
                return false;
        } while (accept(line, ","));
        if (!expect(line, ")", "after the kernel's arguments"))
            return false;
    }
    bool cluster = accept(line, "cluster");
    if (cluster && !take_dims(line, &launch->cluster))
        return false;
    launch->cooperative = accept(line, "cooperative");
    accept(line, ";"); // as CUDA writes it
    return expect_end(line);
}

static bool read_owner(struct directive_line *line)
{
    struct variant *variant = line->variant;
    struct owner owner = { 0 };
    skip_blanks(line);
    owner.at = line->at;
    owner.buffer = take_name(line, "the buffer that the blocks and threads own", NAME_MOST);
    if (!owner.buffer)
        return false;
    for (size_t i = 0; i < variant->owner_count; i++) {
        if (strcmp(variant->owners[i].buffer, owner.buffer) == 0) {
            error_at(line->error, &variant->source, owner.at, "%s has an owner already, in line %d",
                     owner.buffer, text_line_of(variant->text, variant->owners[i].at));
            free(owner.buffer);
            return false;
        }
    }
    variant->owners = array_room(variant->owners, variant->owner_count, sizeof *variant->owners);
    struct owner *kept = &variant->owners[variant->owner_count++];
    *kept = owner;
    return open_brackets(line, "and then which block and thread write element i") &&
           take_dims(line, &kept->block) && expect(line, ",", "and then the thread") &&
           take_dims(line, &kept->thread) && expect(line, ">>>", "after the block and the thread") &&
           expect_end(line);
}

static bool read_order(struct directive_line *line)
{
    struct variant *variant = line->variant;
    skip_blanks(line);
    struct promise promise = { .at = line->at };
    promise.buffer = take_name(line, "a buffer whose elements are in order", NAME_MOST);
    if (!promise.buffer)
        return false;
    variant->ordered = array_room(variant->ordered, variant->ordered_count, sizeof *variant->ordered);
    variant->ordered[variant->ordered_count++] = promise;
    return expect_end(line);
}

// ---- textures and surfaces --------------------------------------------------------------------------------

const char *const texture_size_names[TEXTURE_SIZES] = {
    [TEXTURE_WIDTH] = "width",   [TEXTURE_HEIGHT] = "height", [TEXTURE_DEPTH] = "depth",
    [TEXTURE_LAYERS] = "layers", [TEXTURE_PITCH] = "pitch",
};

// Moves past `word` if it comes next, whole.
static bool accept_word(struct directive_line *line, const char *word)
{
    skip_blanks(line);
    size_t length = word_length(line->at);
    if (length != strlen(word) || memcmp(line->at, word, length) != 0)
        return false;
    line->at += length;
    return true;
}

// The index of the name that comes after a '='; -1 after an error.
static int take_choice(struct directive_line *line, const char *const *names, size_t count)
{
    struct text all = { 0 };
    int which = -1;
    if (!expect(line, "=", "and a value"))
        return -1;
    for (size_t i = 0; i < count && which < 0; i++) {
        if (accept_word(line, names[i]))
            which = (int)i;
        text_addf(&all, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", names[i]);
    }
    if (which < 0)
        error_at(line->error, &line->variant->source, line->at, "expected %s", text_string(&all));
    text_free(&all);
    return which;
}

static bool take_either(struct directive_line *line, const char *first, const char *second, bool *is_second)
{
    const char *const names[] = { first, second };
    int which = take_choice(line, names, sizeof names / sizeof *names);
    *is_second = which == 1;
    return which >= 0;
}

static bool take_address(struct directive_line *line, struct texture *texture)
{
    static const char *const names[] = { [TEXTURE_CLAMP] = "clamp",
                                         [TEXTURE_WRAP] = "wrap",
                                         [TEXTURE_MIRROR] = "mirror",
                                         [TEXTURE_BORDER] = "border" };
    int which = take_choice(line, names, sizeof names / sizeof *names);
    texture->address = which < 0 ? TEXTURE_CLAMP : (enum texture_address)which;
    return which >= 0;
}

// One word after the buffer's name, with its value.
static bool take_property(struct directive_line *line, struct texture *texture)
{
    for (int s = 0; s < TEXTURE_SIZES; s++) {
        skip_blanks(line);
        const char *at = line->at;
        if ((texture->surface && s == TEXTURE_PITCH) || !accept_word(line, texture_size_names[s]))
            continue;
        if (texture->sizes[s])
            return error_at(line->error, &line->variant->source, at, "a second %s", texture_size_names[s]);
        return expect(line, "=", "and a size") && (texture->sizes[s] = take_expr(line)) != NULL;
    }
    if (texture->surface)
        return error_at(line->error, &line->variant->source, line->at,
                        "expected width=, height=, depth= or layers=, "
                        "or the end of the line");
    if (accept_word(line, "filter"))
        return take_either(line, "point", "linear", &texture->linear);
    if (accept_word(line, "address"))
        return take_address(line, texture);
    if (accept_word(line, "read"))
        return take_either(line, "element", "normalized", &texture->unit);
    if (accept_word(line, "normalized"))
        return texture->normalized = true;
    return error_at(line->error, &line->variant->source, line->at,
                    "expected width=, height=, depth=, layers=, "
                    "pitch=, filter=, address=, read= or "
                    "normalized, or the end of the line");
}

// What no texture of CUDA can be, whatever the buffer.
static bool check_properties(struct directive_line *line, const struct texture *texture)
{
    struct expr *const *sizes = texture->sizes;
    const char *wrong = NULL;
    if (!sizes[TEXTURE_WIDTH] &&
        (sizes[TEXTURE_HEIGHT] || sizes[TEXTURE_DEPTH] || sizes[TEXTURE_LAYERS] || sizes[TEXTURE_PITCH]))
        wrong = "its other sizes need a width=";
    else if (sizes[TEXTURE_DEPTH] && (!sizes[TEXTURE_HEIGHT] || sizes[TEXTURE_LAYERS]))
        wrong = "depth= needs a height=, and no layers=";
    else if (sizes[TEXTURE_PITCH] &&
             (!sizes[TEXTURE_HEIGHT] || sizes[TEXTURE_DEPTH] || sizes[TEXTURE_LAYERS]))
        wrong = "pitch= is for a texture of width= and height= alone";
    else if (texture->linear && !sizes[TEXTURE_WIDTH])
        wrong = "filter=linear needs a width=; without one it is "
                "linear memory, which is not filtered";
    else if ((texture->address == TEXTURE_WRAP || texture->address == TEXTURE_MIRROR) && !texture->normalized)
        wrong = "address=wrap and address=mirror need the word normalized";
    return !wrong || error_at(line->error, &line->variant->source, texture->at, "%s", wrong);
}

static bool read_object(struct directive_line *line, bool surface)
{
    struct variant *variant = line->variant;
    struct texture new = { .surface = surface };
    if (variant->lab)
        return error_at(line->error, &variant->source, line->at,
                        "a lab's file has no textures and surfaces; a "
                        "file that stands alone may have them");
    new.name = take_new_name(line, surface ? "a surface" : "a texture", &new.at);
    if (!new.name)
        return false;
    variant->textures = array_room(variant->textures, variant->texture_count, sizeof *variant->textures);
    struct texture *texture = &variant->textures[variant->texture_count++];
    *texture = new;
    if (!expect(line, "=", "and the buffer that holds the texels"))
        return false;
    skip_blanks(line);
    texture->buffer_at = line->at;
    texture->buffer = take_name(line, "the buffer that holds the texels", NAME_MOST);
    if (!texture->buffer)
        return false;
    while (skip_blanks(line), line->at < line->end)
        if (!take_property(line, texture))
            return false;
    return check_properties(line, texture);
}

static bool read_texture(struct directive_line *line)
{
    return read_object(line, false);
}

static bool read_surface(struct directive_line *line)
{
    return read_object(line, true);
}

// ---- words ------------------------------------------------------------------------------------------------

static bool (*const readers[DIRECTIVES])(struct directive_line *line) = {
    [DIRECTIVE_TITLE] = read_title,     [DIRECTIVE_WHY] = read_why,
    [DIRECTIVE_NEEDS] = read_needs,     [DIRECTIVE_PARAM] = read_param,
    [DIRECTIVE_BUFFER] = read_buffer,   [DIRECTIVE_SCRATCH] = read_scratch,
    [DIRECTIVE_LAUNCH] = read_launch,   [DIRECTIVE_OWNER] = read_owner,
    [DIRECTIVE_ORDER] = read_order,     [DIRECTIVE_TEXTURE] = read_texture,
    [DIRECTIVE_SURFACE] = read_surface,
};

static bool unknown_word(struct directive_line *line)
{
    char given[32];
    size_t length = word_length(line->at);
    format_into(given, sizeof given, "%.*s", (int)(length < sizeof given ? length : 0), line->at);
    struct text all = { 0 };
    for (int d = 0; d < DIRECTIVES; d++)
        text_addf(&all, "%s%s", d == 0 ? "" : d + 1 < DIRECTIVES ? ", " : " or ", directive_names[d]);
    const char *near = string_nearest(given, directive_names, DIRECTIVES);
    if (near)
        error_at(line->error, &line->variant->source, line->at, "no directive is called %s; did you mean %s?",
                 given, near);
    else
        error_at(line->error, &line->variant->source, line->at, "expected %s", all.data);
    text_free(&all);
    return false;
}

// `mark` is where the directive begins.
static bool directive_parse(struct variant *variant, const char *mark, struct error *error)
{
    struct directive_line line = { variant, mark + 3, directive_end(mark), error };
    enum directive directive = directive_of(mark);
    skip_blanks(&line);
    if (directive == DIRECTIVES)
        return unknown_word(&line);
    line.at += strlen(directive_names[directive]);
    return readers[directive](&line);
}

// ---- consistency of the directives ------------------------------------------------------------------------

enum { KERNELS_LISTED = 16 };

// The names that a standalone file knows, in this order: its params, sm_count, then what only an
// argument by itself can be: its buffers, scratch, textures and surfaces.
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
                            "a buffer, a texture or a surface is an "
                            "argument by itself, not a part of an "
                            "expression");
    }
    return true;
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
    for (size_t i = 0; i < variant->texture_count; i++)
        add_name(names, variant->textures[i].name);
    for (size_t i = 0; i < variant->need_count; i++)
        if (!expr_check(variant->needs[i].expr, &names->values, false, error))
            return false;
    if (!check_declared(variant->buffers, variant->buffer_count, &names->params, error) ||
        !check_declared(variant->scratch, variant->scratch_count, &names->values, error) ||
        !check_textures(variant, &names->values, error))
        return false;
    for (size_t i = 0; i < variant->launch_count; i++)
        if (!check_launch(variant, &variant->launches[i], names, error))
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
    size_t room =
        1 + variant->param_count + variant->buffer_count + variant->scratch_count + variant->texture_count;
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

enum { LINES_MOST = 1000 }; // directives; far more than any kernel needs

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
        bool directive = starts && piece.kind == PIECE_COMMENT && directive_marked(piece.at);
        if (directive && ++lines > LINES_MOST)
            return error_at(error, &variant->source, piece.at, "too many directives: a file may have %d",
                            LINES_MOST);
        if (directive && !directive_parse(variant, piece.at, error))
            return false;
        bool blank = piece.kind == PIECE_BLANK;
        starts = blank && (starts || memchr(piece.at, '\n', piece.length));
        at = directive ? directive_end(piece.at) : piece.at + piece.length;
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
