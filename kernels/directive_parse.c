// What each `//@` line of a kernel file says. Every error points at the place where something else was expected.
#include "kernels/variant.h"

#include <stdlib.h>
#include <string.h>

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

// All that lines declare shares its names.
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
    const struct {
        const struct declared *all;
        size_t count;
    } lists[] = { { variant->buffers, variant->buffer_count },
                  { variant->scratch, variant->scratch_count },
                  { variant->symbols, variant->symbol_count },
                  { variant->values, variant->value_count } };
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].count && !before; i++)
            before = strcmp(lists[l].all[i].name, name) ? NULL : lists[l].all[i].at;
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

// Reads a type of numbers, or one that the C text defines.
static bool take_type(struct directive_line *line, struct declared *declared)
{
    skip_blanks(line);
    const enum layout_found found =
        layout_read(&line->variant->source, &line->at, &declared->type, &declared->layout, line->error);
    if (found != LAYOUT_NONE)
        return found == LAYOUT_FOUND;
    return error_at(line->error, &line->variant->source, line->at,
                    "expected a type: char, unsigned char, short, unsigned short, int, unsigned, long long, "
                    "unsigned long long, float, double, half, a vector such as float4, or a structure that "
                    "this file defines");
}

struct declared_list {
    const char *what; // it declares
    struct declared **all;
    size_t *count;
    bool scoped;                           // a name may have namespaces before it
    bool sized;                            // NAME TYPE[COUNT]; else that is one element without it
    enum { NEVER, PERHAPS, ALWAYS } value; // = VALUE comes after it
};

// Moves past ::NAME after a name, and adds it to that; the caller frees. NULL after an error.
static char *take_scoped(struct directive_line *line, char *name)
{
    while (name && accept(line, "::")) {
        char *inner = take_name(line, "a variable in this namespace", NAME_MOST);
        char *whole = inner ? text_format("%s::%s", name, inner) : NULL;
        free(name);
        free(inner);
        name = whole;
    }
    return name;
}

// Reads NAME TYPE[COUNT] = VALUE, as the last of a list.
static bool read_declared(struct directive_line *line, const struct declared_list *list)
{
    const struct source *source = &line->variant->source;
    struct declared new = { 0 };
    new.name = take_new_name(line, list->what, &new.at);
    if (list->scoped)
        new.name = take_scoped(line, new.name);
    if (!new.name)
        return false;
    *list->all = array_room(*list->all, *list->count, sizeof **list->all);
    struct declared *declared = &(*list->all)[(*list->count)++];
    *declared = new;
    if (!take_type(line, declared))
        return false;
    if (list->sized && !expect(line, "[", "and how many elements there are"))
        return false;
    if (list->sized &&
        (!(declared->count = take_expr(line)) || !expect(line, "]", "after how many elements there are")))
        return false;
    if (list->value != NEVER && accept(line, "=")) {
        if (!initial_read(source, &line->at, line->end, &declared->layout, declared->count,
                          &declared->initial, line->error))
            return false;
    } else if (list->value == ALWAYS) {
        return error_at(line->error, source, line->at, "expected '=' and a value");
    }
    return expect_end(line);
}

static bool read_scratch(struct directive_line *line)
{
    struct variant *variant = line->variant;
    return read_declared(line, &(struct declared_list){ .what = "device memory of this variant's own",
                                                        .all = &variant->scratch,
                                                        .count = &variant->scratch_count,
                                                        .sized = true });
}

static bool read_buffer(struct directive_line *line)
{
    struct variant *variant = line->variant;
    return expect_alone(line, "buffers") &&
           read_declared(line, &(struct declared_list){ .what = "a buffer",
                                                        .all = &variant->buffers,
                                                        .count = &variant->buffer_count,
                                                        .sized = true,
                                                        .value = PERHAPS });
}

static bool read_value(struct directive_line *line)
{
    struct variant *variant = line->variant;
    return read_declared(line, &(struct declared_list){ .what = "an argument",
                                                        .all = &variant->values,
                                                        .count = &variant->value_count,
                                                        .value = ALWAYS });
}

static bool read_symbol(struct directive_line *line)
{
    struct variant *variant = line->variant;
    return read_declared(line,
                         &(struct declared_list){ .what = "a __constant__ or __device__ variable",
                                                  .all = &variant->symbols,
                                                  .count = &variant->symbol_count,
                                                  .scoped = true,
                                                  .sized = strcspn(line->at, "[") < strcspn(line->at, "=\n"),
                                                  .value = ALWAYS });
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

// ---- loops of launches --------------------------------------------------------------------------------------

// The innermost loop that is open: its `to` is not known yet. -1: none is.
static int open_loop(const struct variant *variant)
{
    for (size_t i = variant->loop_count; i-- > 0;)
        if (variant->loops[i].to == SIZE_MAX)
            return (int)i;
    return -1;
}

// `for (NAME = FIRST; HOLDS; NAME = NEXT)`, over the launch lines up to `end`.
static bool read_for(struct directive_line *line)
{
    static const char form[] = "as in for (s = n / 2; s > 0; s = s / 2)";
    struct variant *variant = line->variant;
    const struct source *source = &variant->source;
    const int around = open_loop(variant);
    int depth = 0;
    for (int i = around; i >= 0; i = variant->loops[i].around)
        depth++;
    skip_blanks(line);
    if (depth == LOOPS_DEEP)
        return error_at(line->error, source, line->at, "loops lie at most %d deep", LOOPS_DEEP);
    variant->loops = array_room(variant->loops, variant->loop_count, sizeof *variant->loops);
    struct launch_loop *loop = &variant->loops[variant->loop_count++];
    *loop = (struct launch_loop){ .from = variant->launch_count, .to = SIZE_MAX, .around = around };
    if (!expect(line, "(", form))
        return false;
    skip_blanks(line);
    loop->at = line->at;
    if (!(loop->name = take_name(line, "a number that changes with each turn", NAME_MOST)) ||
        !expect(line, "=", form) || !(loop->first = take_expr(line)) || !expect(line, ";", form) ||
        !(loop->holds = take_expr(line)) || !expect(line, ";", form))
        return false;
    skip_blanks(line);
    const char *again = line->at;
    char *name = take_name(line, "the same number", NAME_MOST);
    const bool same = name && strcmp(name, loop->name) == 0;
    free(name);
    if (!name)
        return false;
    return (same ||
            error_at(line->error, source, again, "expected %s, which this loop counts", loop->name)) &&
           expect(line, "=", form) && (loop->next = take_expr(line)) && expect(line, ")", form) &&
           expect_end(line);
}

static bool read_end(struct directive_line *line)
{
    struct variant *variant = line->variant;
    const int open = open_loop(variant);
    if (open < 0)
        return error_at(line->error, &variant->source, line->at, "there is no `for` that this could end");
    struct launch_loop *loop = &variant->loops[open];
    if (loop->from == variant->launch_count)
        return error_at(line->error, &variant->source, line->at,
                        "there is no launch between this `end` and its `for`, in line %d",
                        text_line_of(variant->text, loop->at));
    loop->to = variant->launch_count;
    return expect_end(line);
}

static bool ends_missing(const struct variant *variant, struct error *error)
{
    const int open = open_loop(variant);
    return open >= 0 && !error_at(error, &variant->source, variant->loops[open].at,
                                  "this loop has no end; write //@ end after its last launch");
}

// ---- what the result must look like -------------------------------------------------------------------------

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
    [DIRECTIVE_SURFACE] = read_surface, [DIRECTIVE_FOR] = read_for,
    [DIRECTIVE_SYMBOL] = read_symbol,   [DIRECTIVE_VALUE] = read_value,
    [DIRECTIVE_END] = read_end,
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

enum { LINES_MOST = 1000 }; // directives; far more than any kernel needs

bool directives_parse(struct variant *variant, struct error *error)
{
    const char *at = variant->text;
    if (string_starts(at, "\xef\xbb\xbf"))
        at += 3; // the mark with which some editors start UTF-8
    int lines = 0;
    for (bool starts = true;;) {
        struct code_piece piece = piece_next(at);
        if (piece.kind == PIECE_END)
            return !ends_missing(variant, error);
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
