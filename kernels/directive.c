// One `//@` line: its word, and what that word says about the variant. Every error points at the place where
// something else was expected.
#include "kernels/variant.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 31, KERNEL_MOST = 200 }; // bytes of a buffer's or parameter's name, of a kernel's

struct directive_line {
    struct variant *variant;
    const char *at;
    struct error *error;
};

// ---- the parts of a line ------------------------------------------------------------------------

static void skip_blanks(struct directive_line *line)
{
    while (*line->at == ' ' || *line->at == '\t' || *line->at == '\r')
        line->at++;
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
    if (*line->at == 0 || *line->at == '\n')
        return true;
    return error_at(line->error, &line->variant->source, line->at, "expected the end of the line");
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (byte_in_word(at[length]))
        length++;
    return length;
}

// A name as C has them. `what` says whose, for the message; the caller frees.
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
        error_at(line->error, &line->variant->source, at, "this name is too long: %zu letters are the most",
                 most);
        return NULL;
    }
    line->at += length;
    return mem_copy_n(at, length);
}

// The rest of the line without blanks around it; the caller frees. NULL when nothing is left.
static char *take_rest(struct directive_line *line, const char *what)
{
    skip_blanks(line);
    size_t length = strcspn(line->at, "\n");
    while (length && strchr(" \t\r", line->at[length - 1]))
        length--;
    if (!length) {
        error_at(line->error, &line->variant->source, line->at, "expected %s", what);
        return NULL;
    }
    const char *at = line->at;
    line->at += length;
    return mem_copy_n(at, length);
}

static struct expr *take_expr(struct directive_line *line)
{
    return expr_parse(&line->variant->source, &line->at, line->error);
}

// An expression, or dim3(x[, y[, z]]).
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
    for (; *at && *at != '\n' && !string_starts(at, ">>>"); at++)
        if (string_starts(at, ">>"))
            shift = at;
    return string_starts(at, ">>>") || error_at(line->error, &line->variant->source, shift ? shift : at,
                                                "expected '>>>' to close the '<<<'");
}

// ---- one function per word ----------------------------------------------------------------------

static bool read_title(struct directive_line *line)
{
    struct variant *variant = line->variant;
    if (variant->title)
        return error_at(line->error, &variant->source, line->at, "a second title: a file has one");
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

static int line_number(const struct variant *variant, const char *at)
{
    int number = 1;
    for (const char *c = variant->text; c < at; c++)
        number += *c == '\n';
    return number;
}

// Params, buffers and scratch share their names.
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
    return !before || error_at(line->error, &variant->source, at, "%s is declared already, in line %d", name,
                               line_number(variant, before));
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

// TYPE[EXPR], and for a buffer with content = EXPR.
static bool read_declared(struct directive_line *line, struct declared *declared, bool initial)
{
    skip_blanks(line);
    size_t used = type_parse(line->at, &declared->type);
    if (!used)
        return error_at(line->error, &line->variant->source, line->at,
                        "expected a type: char, unsigned char, short, int, unsigned, long long, "
                        "unsigned long long, float, double, or a vector such as float4");
    line->at += used;
    if (!expect(line, "[", "and how many elements there are"))
        return false;
    declared->count = take_expr(line);
    if (!declared->count || !expect(line, "]", "after how many elements there are"))
        return false;
    if (initial && accept(line, "=")) {
        declared->initial = take_expr(line);
        if (!declared->initial)
            return false;
    }
    return expect_end(line);
}

static bool read_scratch(struct directive_line *line)
{
    struct variant *variant = line->variant;
    struct declared scratch = { 0 };
    scratch.name = take_new_name(line, "device memory of this variant's own", &scratch.at);
    if (!scratch.name)
        return false;
    variant->scratch = array_room(variant->scratch, variant->scratch_count, sizeof *variant->scratch);
    variant->scratch[variant->scratch_count] = scratch;
    return read_declared(line, &variant->scratch[variant->scratch_count++], false);
}

// `param` and `buffer` are for a standalone file: a lab has its own.
static bool expect_alone(struct directive_line *line, const char *what)
{
    const struct variant *variant = line->variant;
    return !variant->lab ||
           error_at(line->error, &variant->source, line->at,
                    "the %s of a lab's file come from the lab; for memory of a variant's own "
                    "there is scratch",
                    what);
}

static bool read_buffer(struct directive_line *line)
{
    struct variant *variant = line->variant;
    struct declared buffer = { 0 };
    if (!expect_alone(line, "buffers"))
        return false;
    buffer.name = take_new_name(line, "a buffer", &buffer.at);
    if (!buffer.name)
        return false;
    variant->buffers = array_room(variant->buffers, variant->buffer_count, sizeof *variant->buffers);
    variant->buffers[variant->buffer_count] = buffer;
    return read_declared(line, &variant->buffers[variant->buffer_count++], true);
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
    struct expr *value = take_expr(line);
    variant->params[variant->param_count - 1].value = value;
    return value && expect_end(line);
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
    while (*after == ' ' || *after == '\t')
        after++;
    if (length && (*after == ',' || *after == ')') && (*argument->at < '0' || *argument->at > '9'))
        argument->name = mem_copy_n(argument->at, length);
    return true;
}

// <int, 4> after a kernel's name: moves past the > that closes it. <<< opens the launch itself.
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

// The name of a kernel or of a template's instance: k, ns::k, k<int, 4>. False after an error.
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
                     owner.buffer, line_number(variant, variant->owners[i].at));
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

// ---- words --------------------------------------------------------------------------------------

struct directive_word {
    const char *name;
    bool (*read)(struct directive_line *line);
};

static const struct directive_word words[] = {
    { "title", read_title },   { "why", read_why },       { "needs", read_needs },
    { "param", read_param },   { "buffer", read_buffer }, { "scratch", read_scratch },
    { "launch", read_launch }, { "owner", read_owner },
};
enum { WORDS = sizeof words / sizeof words[0] };

static bool unknown_word(struct directive_line *line, const char *given)
{
    const char *names[WORDS];
    struct text all = { 0 };
    for (size_t w = 0; w < WORDS; w++) {
        names[w] = words[w].name;
        text_addf(&all, "%s%s", w == 0 ? "" : w + 1 < WORDS ? ", " : " or ", names[w]);
    }
    const char *near = string_nearest(given, names, WORDS);
    if (near)
        error_at(line->error, &line->variant->source, line->at, "no directive is called %s; did you mean %s?",
                 given, near);
    else
        error_at(line->error, &line->variant->source, line->at, "expected %s", all.data);
    text_free(&all);
    return false;
}

bool directive_parse(struct variant *variant, const char *at, struct error *error)
{
    struct directive_line line = { variant, at, error };
    skip_blanks(&line);
    char given[32];
    size_t length = word_length(line.at);
    format_into(given, sizeof given, "%.*s", (int)(length < sizeof given ? length : 0), line.at);
    for (size_t w = 0; w < WORDS; w++) {
        if (strcmp(words[w].name, given) == 0) {
            line.at += length;
            return words[w].read(&line);
        }
    }
    return unknown_word(&line, given);
}
