// A PTX text from its first to its last directive. Statements of functions are read as far as they can be
// understood (parse_function.c); outside of functions everything has to be, or the reading ends.
#include "engine/sim/ptx/parse.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- trouble ------------------------------------------------------------------------------------------

static bool tell(struct parser *p, int line, const char *format, va_list arguments)
{
    if (!p->failed) {
        p->fault->line = line;
        vsnprintf(p->fault->text, sizeof p->fault->text, format, arguments);
    }
    p->failed = true;
    return false;
}

bool parse_fail(struct parser *p, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(p, line, format, arguments);
    va_end(arguments);
    return false;
}

// The first trouble of a statement is the one that is told.
bool parse_trouble(struct parser *p, const char *format, ...)
{
    if (p->failed || p->trouble[0])
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->trouble, sizeof p->trouble, format, arguments);
    va_end(arguments);
    p->trouble_line = p->lexer.token.line;
    return false;
}

bool parse_expected(struct parser *p, const char *what)
{
    const struct token *token = &p->lexer.token;
    int length = token->length < 40 ? (int)token->length : 40;
    if (token->kind == TOKEN_END)
        return parse_trouble(p, "%s is expected, but the text ends", what);
    if (token->kind == TOKEN_BAD)
        return parse_trouble(p, "%s is expected, but there is %s", what, token->why);
    return parse_trouble(p, "%s is expected, but there is '%.*s'", what, length, token->start);
}

static void *without_memory(struct parser *p)
{
    parse_fail(p, p->lexer.token.line, "reading it would take more memory than there is for it");
    return NULL;
}

void *parse_take(struct parser *p, size_t bytes)
{
    void *taken = arena_take(p->arena, bytes);
    return taken ? taken : without_memory(p);
}

void *parse_room(struct parser *p, void *items, size_t count, size_t item_bytes)
{
    void *room = arena_room(p->arena, items, count, item_bytes);
    return room ? room : without_memory(p);
}

// ---- steps --------------------------------------------------------------------------------------------

bool take_mark(struct parser *p, char mark)
{
    if (!at_mark(p, mark))
        return false;
    lex_next(&p->lexer);
    return true;
}

bool expect_mark(struct parser *p, char mark)
{
    const char what[] = { '\'', mark, '\'', '\0' };
    return take_mark(p, mark) || parse_expected(p, what);
}

bool token_is(const struct parser *p, const char *text)
{
    size_t length = strlen(text);
    return p->lexer.token.length == length && memcmp(p->lexer.token.start, text, length) == 0;
}

bool expect_count(struct parser *p, uint64_t most, uint64_t *out)
{
    const struct token *token = &p->lexer.token;
    if (token->kind != TOKEN_INTEGER)
        return parse_expected(p, "a number");
    if (token->bits > most)
        return parse_trouble(p, "%" PRIu64 " is too large here (at most %" PRIu64 ")", token->bits, most);
    *out = token->bits;
    lex_next(&p->lexer);
    return true;
}

// ---- the module's own directives ----------------------------------------------------------------------

static bool take_decimal(const char **at, const char *end, int *out)
{
    const char *start = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9' && *out < 100000; ++*at)
        *out = *out * 10 + (**at - '0');
    return *at > start;
}

// 9.0, which is two numbers and no fraction: 8.10 comes after 8.9.
static bool parse_version(struct parser *p)
{
    const char *at = p->lexer.token.start, *end = at + p->lexer.token.length;
    if (!take_decimal(&at, end, &p->text->version_major) || at == end || *at++ != '.' ||
        !take_decimal(&at, end, &p->text->version_minor) || at != end)
        return parse_expected(p, "a version, like 9.0,");
    lex_next(&p->lexer);
    return true;
}

// sm_75, debug
static bool parse_target(struct parser *p)
{
    do {
        const struct token token = p->lexer.token;
        if (token.kind != TOKEN_NAME)
            return parse_expected(p, "a target, like sm_75,");
        const char *at = token.start + 3;
        if (token.length > 3 && memcmp(token.start, "sm_", 3) == 0)
            take_decimal(&at, token.start + token.length, &p->text->target);
        lex_next(&p->lexer);
    } while (take_mark(p, ','));
    return true;
}

static bool parse_address_size(struct parser *p)
{
    uint64_t bits = 0;
    if (!expect_count(p, UINT64_MAX, &bits))
        return false;
    return bits == 64 ||
           parse_trouble(p, "addresses of %" PRIu64 " bits are not supported, only those of 64", bits);
}

// Debugging information is a block of data without semicolons.
static bool skip_section(struct parser *p)
{
    int line = p->lexer.token.line;
    while (!at_mark(p, '{') && p->lexer.token.kind != TOKEN_END)
        lex_next(&p->lexer);
    return lex_skip_block(&p->lexer) ||
           parse_fail(p, line, "the section that begins here has no end: a '}' is missing");
}

// .alias name, function; both are one.
static bool parse_alias(struct parser *p)
{
    struct symbol *symbols[2];
    for (int i = 0; i < 2; i++) {
        if (i && !expect_mark(p, ','))
            return false;
        symbols[i] = p->lexer.token.kind == TOKEN_NAME ? name_here(p) : NULL;
        if (!symbols[i] || !symbols[i]->function)
            return parse_expected(p, "the name of a function that is declared above");
        lex_next(&p->lexer);
    }
    struct ptx_function *functions = p->text->functions;
    functions[symbols[0]->function - 1] = functions[symbols[1]->function - 1];
    functions[symbols[0]->function - 1].name = symbols[0]->name;
    return expect_mark(p, ';');
}

// A directive that is not known: through its ';', its block or its line.
static bool skip_unknown(struct parser *p)
{
    int line = p->lexer.token.line;
    while (p->lexer.token.kind != TOKEN_END && !at_mark(p, '{') && p->lexer.token.line == line) {
        if (take_mark(p, ';'))
            return true;
        lex_next(&p->lexer);
    }
    return !at_mark(p, '{') || lex_skip_block(&p->lexer) || parse_expected(p, "'}'");
}

static bool parse_space(struct parser *p, bool external, bool *is_one)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = { { ".global", SPACE_GLOBAL },
                   { ".const", SPACE_CONST },
                   { ".shared", SPACE_SHARED },
                   { ".shared::cta", SPACE_SHARED },
                   { ".local", SPACE_LOCAL } };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (token_is(p, spaces[i].name)) {
            *is_one = true;
            lex_next(&p->lexer);
            return parse_variables(p, spaces[i].space, external);
        }
    return true;
}

static bool parse_directive(struct parser *p)
{
    static const struct {
        const char *name;
        bool (*parse)(struct parser *p);
    } directives[] = {
        { ".version", parse_version }, { ".target", parse_target },  { ".address_size", parse_address_size },
        { ".file", parse_file },       { ".section", skip_section }, { ".alias", parse_alias }
    };
    bool external = false, linking = true, is_space = false;
    while (linking) {
        external = external || token_is(p, ".extern");
        linking = token_is(p, ".visible") || token_is(p, ".weak") || token_is(p, ".extern") ||
                  token_is(p, ".common");
        if (linking)
            lex_next(&p->lexer);
    }
    if (p->lexer.token.kind != TOKEN_DOT)
        return parse_expected(p, "a function or a variable");
    bool entry = token_is(p, ".entry");
    if (entry || token_is(p, ".func")) {
        lex_next(&p->lexer);
        return parse_function(p, entry);
    }
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (token_is(p, directives[i].name)) {
            lex_next(&p->lexer);
            return directives[i].parse(p);
        }
    return parse_space(p, external, &is_space) && (is_space || skip_unknown(p));
}

// ---- the text -----------------------------------------------------------------------------------------

static bool has_kernel(const struct ptx_text *text)
{
    for (size_t i = 0; i < text->function_count; i++)
        if (text->functions[i].entry && !text->functions[i].declared)
            return true;
    return false;
}

static bool parse_module(struct parser *p)
{
    while (p->lexer.token.kind != TOKEN_END) {
        if (take_mark(p, ';'))
            continue;
        if (p->lexer.token.kind != TOKEN_DOT)
            parse_expected(p, "a directive, like .entry,");
        else if (parse_directive(p))
            continue;
        return parse_fail(p, p->trouble_line, "%s", p->trouble);
    }
    if (!has_kernel(p->text)) {
        parse_fail(p, 0, "there is no kernel in it (no .entry with a body)");
        p->fault->no_kernel = true;
        return false;
    }
    return locations_settle(p);
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    while ((text = memchr(text, '\n', (size_t)(at - text)))) {
        text++;
        line++;
    }
    return line;
}

// Memory follows from the length of the text, up to half a gigabyte.
static bool start(struct parser *p, const char *text, size_t length)
{
    const size_t least = 64u << 20, each = 128, most = 512u << 20;
    if (length > PARSE_TEXT)
        return parse_fail(p, 0, "the text is longer than %d MiB", PARSE_TEXT >> 20);
    const char *nul = length ? memchr(text, '\0', length) : NULL;
    if (nul)
        return parse_fail(p, line_of(text, nul), "there is a zero byte in it; PTX is plain text");
    p->arena = arena_new();
    if (!p->arena)
        return without_memory(p) != NULL;
    arena_limit(p->arena, length > (most - least) / each ? most : least + length * each);
    p->text = parse_take(p, sizeof *p->text);
    if (!p->text)
        return false;
    p->text->arena = p->arena;
    patience_start(&p->patience);
    lex_start(&p->lexer, text, length);
    return true;
}

bool ptx_parse(const char *text, size_t length, struct ptx_text **out, struct sim_fault *fault)
{
    struct parser p = { .fault = fault };
    *fault = (struct sim_fault){ 0 };
    *out = NULL;
    while (length && text[length - 1] == '\0') // NVRTC counts the end of its string
        length--;
    if (!start(&p, text, length) || !parse_module(&p)) {
        arena_free(p.arena);
        return false;
    }
    *out = p.text;
    return true;
}

void ptx_free(struct ptx_text *text)
{
    if (text)
        arena_free(text->arena);
}
