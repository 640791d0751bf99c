// Parses a PTX text by recursive descent, from its first directive to its last. A statement of a function that cannot
// be understood becomes an instruction that says why and traps when it is reached; an error outside of functions ends
// the parsing.
#include "engine/sim/ptx/parser.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

// ---- source lines: .file, .loc ---------------------------------------------------------------------------------------

// .loc gives the line of the CUDA source that an instruction belongs to. Code that was inlined from another file (a
// header) gets the outermost line in the kernel's own file that it was inlined at; code without such a line keeps the
// line of the instruction before it.

enum {
    HIGHEST_FILE = 1 << 16, // the number of a .file
    LOOK_BACK = 256         // how many .loc before an inlined_at are searched for the one that it refers to
};

static bool parse_file(struct ptx_parser *p)
{
    uint64_t number;
    int line = p->lexer.token.line;
    if (!parse_count(p, UINT64_MAX, &number))
        return false;
    if (number > HIGHEST_FILE)
        return parse_fail(p, line, ".file %llu: numbers up to %d can be used", (unsigned long long)number,
                          HIGHEST_FILE);
    struct ptx_token token = p->lexer.token;
    if (token.kind != TOKEN_STRING)
        return parse_expected(p, "the file's name in quotes");
    struct ptx_text *text = p->text;
    while (text->file_count <= number) {
        text->files = parse_grow(p, text->files, text->file_count, sizeof *text->files);
        if (!text->files)
            return false;
        text->file_count++;
    }
    char *name = parse_alloc(p, token.length);
    if (!name)
        return false;
    memcpy(name, token.start + 1, token.length - 2);
    text->files[number] = name;
    // A time stamp and a size may follow.
    for (lex_next(&p->lexer); parse_accept(p, ',');)
        if (!parse_count(p, UINT64_MAX, &number))
            return false;
    return true;
}

static bool take_int(struct ptx_parser *p, int *out)
{
    uint64_t value;
    if (!parse_count(p, INT_MAX, &value))
        return false;
    *out = (int)value;
    return true;
}

static bool take_place(struct ptx_parser *p, int *file, int *line, int *column)
{
    return take_int(p, file) && take_int(p, line) && take_int(p, column);
}

// 1 + the index of this function's last .loc for the place that the code was inlined at; 0: none.
static int parent_of(const struct ptx_parser *p, const struct loc_directive *loc)
{
    size_t least = p->first_location;
    if (p->location_count - least > LOOK_BACK)
        least = p->location_count - LOOK_BACK;
    for (size_t i = p->location_count; i > least; i--) {
        const struct loc_directive *other = &p->locations[i - 1];
        if (other->file == loc->outer_file && other->line == loc->outer_line &&
            other->column == loc->outer_column)
            return (int)i;
    }
    return 0;
}

// , function_name NAME[+offset] , inlined_at file line column
static bool take_inlined(struct ptx_parser *p, struct loc_directive *loc)
{
    while (parse_accept(p, ',')) {
        uint64_t offset;
        bool place = parse_at_word(p, "inlined_at");
        if (!place && !parse_at_word(p, "function_name"))
            return parse_expected(p, "function_name or inlined_at");
        lex_next(&p->lexer);
        if (place) {
            if (!take_place(p, &loc->outer_file, &loc->outer_line, &loc->outer_column))
                return false;
            continue;
        }
        lex_next(&p->lexer);
        if (parse_accept(p, '+') && !parse_count(p, UINT64_MAX, &offset))
            return false;
    }
    return true;
}

static bool parse_loc(struct ptx_parser *p)
{
    struct loc_directive loc = { 0 };
    if (!take_place(p, &loc.file, &loc.line, &loc.column) || !take_inlined(p, &loc))
        return false;
    if (p->location_count == INT_MAX)
        return parse_fail(p, p->lexer.token.line, "too many .loc");
    if (loc.outer_file)
        loc.parent = parent_of(p, &loc);
    p->locations = parse_grow(p, p->locations, p->location_count, sizeof *p->locations);
    if (!p->locations)
        return false;
    p->locations[p->location_count++] = loc;
    p->location = (int)p->location_count;
    if (p->function.entry && p->own_file == 0)
        p->own_file = loc.file;
    return true;
}

// ---- at the end ---------------------------------------------------------------------------------------

struct source_place {
    int line, column;
};

// The outermost place of a .loc in the own file. A parent comes before its .loc, so its place is known already.
static struct source_place outermost(const struct loc_directive *loc, const struct source_place *known,
                                     int own)
{
    struct source_place place = { 0, 0 };
    if (loc->parent)
        place = known[loc->parent - 1];
    else if (loc->outer_file == own)
        place = (struct source_place){ loc->outer_line, loc->outer_column };
    if (!place.line && loc->file == own)
        place = (struct source_place){ loc->line, loc->column };
    return place;
}

static void assign_lines(struct ptx_function *function, const struct loc_directive *locations,
                         const struct source_place *outer, int own)
{
    struct source_place last = { 0, 0 };
    for (size_t i = 0; i < function->instruction_count; i++) {
        struct ptx_instruction *in = &function->instructions[i];
        if (in->line) {
            const struct loc_directive *loc = &locations[in->line - 1];
            struct source_place place = outer[in->line - 1];
            if (loc->file == own)
                place = (struct source_place){ loc->line, loc->column };
            if (place.line)
                last = place;
        }
        in->line = last.line;
        in->column = last.column;
    }
}

// Replaces each instruction's `line`, which is 1 + the index of its .loc until now, by the line of the source.
static bool lines_assign(struct ptx_parser *p)
{
    int own = p->own_file ? p->own_file : 1;
    struct source_place *outer = parse_alloc(p, p->location_count * sizeof *outer);
    if (!outer)
        return false;
    for (size_t i = 0; i < p->location_count; i++)
        outer[i] = outermost(&p->locations[i], outer, own);
    for (size_t i = 0; i < p->text->function_count; i++)
        assign_lines(&p->text->functions[i], p->locations, outer, own);
    return true;
}

// ---- scopes -------------------------------------------------------------------------------------------

static bool open_scope(struct ptx_parser *p)
{
    if (p->depth == PARSE_DEPTH)
        return parse_fail(p, p->lexer.token.line, "more than %d blocks { } inside each other", PARSE_DEPTH);
    p->scopes[p->depth++] = (struct name_scope){ .serial = ++p->scope_count,
                                                 .first_instruction = p->function.instruction_count,
                                                 .first_label = p->function.label_count,
                                                 .first_targets = p->function.target_count };
    return true;
}

static void close_scope(struct ptx_parser *p)
{
    struct name_scope *scope = &p->scopes[--p->depth];
    while (scope->shadowed) {
        struct shadowed_meaning *shadowed = scope->shadowed;
        shadowed->symbol->meaning = shadowed->before;
        scope->shadowed = shadowed->next;
        shadowed->next = p->symbols.spare;
        p->symbols.spare = shadowed;
    }
}

// ---- labels -----------------------------------------------------------------------------------------------

// A label of a nested block gets a name that is unique in the function, because inline assembly repeats its labels.

enum { BODY = 2 }; // the depth of a function's own block

static bool add_label(struct ptx_parser *p, struct ptx_symbol *symbol, int line)
{
    unsigned scope = p->scopes[p->depth - 1].serial;
    if (symbol->label_in == scope)
        return parse_fail(p, line, "label %.80s is defined twice in function %.80s", symbol->name,
                          p->function.name);
    symbol->label_in = scope;
    struct ptx_function *function = &p->function;
    function->labels = parse_grow(p, function->labels, function->label_count, sizeof *function->labels);
    if (!function->labels)
        return false;
    function->labels[function->label_count++] =
        (struct ptx_label){ .name = symbol->name, .at = function->instruction_count };
    return true;
}

// NAME: .branchtargets A, B, C;
static bool parse_branch_targets(struct ptx_parser *p, const char *name)
{
    struct ptx_targets targets = { .name = name };
    do {
        if (p->lexer.token.kind != TOKEN_NAME)
            return parse_expected(p, "a label's name");
        targets.labels = parse_grow(p, targets.labels, targets.count, sizeof *targets.labels);
        struct ptx_symbol *symbol = targets.labels ? symbol_here(p) : NULL;
        if (!symbol)
            return false;
        targets.labels[targets.count++] = symbol->name;
        lex_next(&p->lexer);
    } while (parse_accept(p, ','));
    if (!parse_expect(p, ';'))
        return false;
    struct ptx_function *function = &p->function;
    function->targets = parse_grow(p, function->targets, function->target_count, sizeof *function->targets);
    if (!function->targets)
        return false;
    function->targets[function->target_count++] = targets;
    return true;
}

// .callprototype and .calltargets: the call through the register says all that is needed.
static bool skip_to_semicolon(struct ptx_parser *p)
{
    while (!parse_at(p, ';') && !parse_at(p, '{') && !parse_at(p, '}') && p->lexer.token.kind != TOKEN_END)
        lex_next(&p->lexer);
    return parse_expect(p, ';');
}

static bool parse_label(struct ptx_parser *p)
{
    struct ptx_symbol *symbol = symbol_here(p);
    if (!symbol)
        return false;
    int line = p->lexer.token.line;
    lex_next(&p->lexer);
    lex_next(&p->lexer);
    if (parse_at_word(p, ".branchtargets")) {
        lex_next(&p->lexer);
        return parse_branch_targets(p, symbol->name);
    }
    if (parse_at_word(p, ".callprototype") || parse_at_word(p, ".calltargets"))
        return skip_to_semicolon(p);
    return add_label(p, symbol, line);
}

// ---- labels of a nested block that closes -----------------------------------------------------------------------

static void rename_operands(struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count; i++) {
        struct ptx_operand *operand = &in->operands[i];
        const char *label = operand->kind == OPERAND_SYMBOL ? symbol_of_name(operand->name)->label : NULL;
        if (label)
            operand->name = label;
    }
}

static void rename_targets(struct ptx_targets *targets)
{
    const char *label = symbol_of_name(targets->name)->label;
    for (size_t i = 0; i < targets->count; i++) {
        const char *to = symbol_of_name(targets->labels[i])->label;
        if (to)
            targets->labels[i] = to;
    }
    if (label)
        targets->name = label;
}

static void rename_uses(struct ptx_function *function, const struct name_scope *scope)
{
    for (size_t i = scope->first_instruction; i < function->instruction_count; i++)
        rename_operands(&function->instructions[i]);
    for (size_t i = scope->first_targets; i < function->target_count; i++)
        rename_targets(&function->targets[i]);
}

// Labels of blocks inside this one have their unique names already and keep them.
static bool labels_make_unique(struct ptx_parser *p)
{
    const struct name_scope *scope = &p->scopes[p->depth - 1];
    struct ptx_function *function = &p->function;
    bool any = false;
    for (size_t i = scope->first_label; p->depth > BODY && i < function->label_count; i++) {
        struct ptx_symbol *symbol = symbol_of_name(function->labels[i].name);
        if (symbol->unique)
            continue;
        struct ptx_symbol *unique = symbol_unique(p, symbol);
        if (!unique)
            return false;
        symbol->label = unique->name;
        any = true;
    }
    if (any)
        rename_uses(function, scope);
    for (size_t i = scope->first_label; any && i < function->label_count; i++) {
        struct ptx_symbol *symbol = symbol_of_name(function->labels[i].name);
        if (symbol->label)
            function->labels[i].name = symbol->label;
        symbol->label = NULL;
    }
    return true;
}

// ---- functions: the head --------------------------------------------------------------------------------------

// .reqnctapercluster 4, 1, 1
static bool take_cluster(struct ptx_parser *p)
{
    uint32_t *of = p->function.cluster;
    of[0] = of[1] = of[2] = 1;
    for (int i = 0; i == 0 || (i < 3 && parse_accept(p, ',')); i++) {
        uint64_t value;
        if (!parse_count(p, UINT32_MAX, &value))
            return false;
        of[i] = (uint32_t)value;
    }
    return true;
}

// .maxntid 256, 1, 1: max_threads is the product.
static bool take_threads(struct ptx_parser *p)
{
    uint64_t product = 1;
    do {
        uint64_t value;
        if (!parse_count(p, UINT32_MAX, &value))
            return false;
        product = product > INT_MAX ? product : product * value;
    } while (parse_accept(p, ','));
    p->function.max_threads = product > INT_MAX ? INT_MAX : (int)product;
    return true;
}

// The current token follows ".pragma". Of what it may say only "nounroll" is kept, for the instruction that follows.
static bool parse_pragma(struct ptx_parser *p)
{
    static const char nounroll[] = "\"nounroll\"";
    for (; p->lexer.token.kind == TOKEN_STRING || parse_at(p, ','); lex_next(&p->lexer))
        p->nounroll |= strncmp(p->lexer.token.start, nounroll, sizeof nounroll - 1) == 0;
    return parse_expect(p, ';');
}

// Directives between the parameters and the body. Unknown ones are skipped: they are hints for the code generator.
static bool parse_head_directives(struct ptx_parser *p)
{
    while (!parse_at(p, '{') && !parse_at(p, ';')) {
        bool threads = parse_at_word(p, ".maxntid") || parse_at_word(p, ".reqntid"),
             pragma = parse_at_word(p, ".pragma"), cluster = parse_at_word(p, ".reqnctapercluster");
        enum ptx_token_kind kind = p->lexer.token.kind;
        if (kind == TOKEN_END || kind == TOKEN_BAD || parse_at(p, '}'))
            return parse_expected(p, "the function's body");
        lex_next(&p->lexer);
        if ((threads && !take_threads(p)) || (cluster && !take_cluster(p)))
            return false;
        if (pragma && !parse_pragma(p))
            return false;
    }
    return true;
}

static bool parse_head(struct ptx_parser *p)
{
    struct ptx_function *function = &p->function;
    if (parse_at(p, '(') && !parse_formals(p, &function->returns, &function->return_count))
        return false;
    struct ptx_symbol *symbol = p->lexer.token.kind == TOKEN_NAME ? symbol_here(p) : NULL;
    if (!symbol)
        return parse_expected(p, "the function's name");
    function->name = symbol->name;
    lex_next(&p->lexer);
    if (parse_at(p, '(') && !parse_formals(p, &function->params, &function->param_count))
        return false;
    return parse_head_directives(p);
}

// ---- functions: statements ---------------------------------------------------------------------------------------

static struct ptx_instruction *instruction_new(struct ptx_parser *p, int line)
{
    struct ptx_function *function = &p->function;
    function->instructions =
        parse_grow(p, function->instructions, function->instruction_count, sizeof *function->instructions);
    if (!function->instructions)
        return NULL;
    struct ptx_instruction *in = &function->instructions[function->instruction_count];
    in->guard = -1;
    in->ptx_line = line;
    in->line = p->location;
    return in;
}

// The statement's text as one line: each run of white space is one space, comments are left out.
static const char *text_of(struct ptx_parser *p, const char *start, const char *end)
{
    char *text = parse_alloc(p, (size_t)(end - start) + 1), *to = text;
    if (!text)
        return NULL;
    for (const char *at = start; at < end; at++) {
        if (*at == '/' && end - at > 1 && (at[1] == '/' || at[1] == '*')) {
            struct lexer over = { .at = at, .end = end };
            lex_next(&over);
            at = over.token.start - 1;
        } else if ((unsigned char)*at > ' ') {
            *to++ = *at;
            continue;
        }
        if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *(to > text && to[-1] == ' ' ? to - 1 : to) = '\0';
    return text;
}

static bool parse_instruction_here(struct ptx_parser *p)
{
    const char *start = p->lexer.token.start;
    struct ptx_instruction *in = instruction_new(p, p->lexer.token.line);
    if (!in || !parse_instruction(p, in))
        return false;
    in->text = text_of(p, start, p->lexer.token_end);
    in->nounroll = p->nounroll;
    p->nounroll = false;
    p->function.instruction_count += in->text != NULL;
    return in->text != NULL;
}

// Error recovery: the statement becomes a broken instruction.
static bool recover(struct ptx_parser *p, const struct lexer *start)
{
    lex_skip_statement(&p->lexer, start);
    struct ptx_instruction *in = instruction_new(p, start->token.line);
    if (!in)
        return false;
    in->broken = arena_copy(p->arena, p->error, strlen(p->error));
    in->text = text_of(p, start->token.start, p->lexer.token_end);
    in->base = "";
    p->error[0] = '\0';
    p->function.instruction_count++;
    return in->text && (in->broken || parse_no_memory(p));
}

// A .loc ends with its line. An invalid one is skipped; all that is lost is a line number.
static bool parse_loc_here(struct ptx_parser *p)
{
    struct lexer start = p->lexer;
    lex_next(&p->lexer);
    if (parse_loc(p) || p->failed)
        return !p->failed;
    lex_skip_statement(&p->lexer, &start);
    p->error[0] = '\0';
    return true;
}

// The state space that the current directive names; SPACE_GENERIC: none.
static enum ptx_space space_here(const struct ptx_parser *p)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = { { ".param", SPACE_PARAM }, { ".shared", SPACE_SHARED }, { ".shared::cta", SPACE_SHARED },
                   { ".local", SPACE_LOCAL }, { ".global", SPACE_GLOBAL }, { ".const", SPACE_CONST } };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (parse_at_word(p, spaces[i].name))
            return spaces[i].space;
    return SPACE_GENERIC;
}

static bool parse_local_directive(struct ptx_parser *p)
{
    if (parse_at_word(p, ".loc"))
        return parse_loc_here(p);
    bool external = parse_at_word(p, ".extern");
    if (external)
        lex_next(&p->lexer);
    bool reg = parse_at_word(p, ".reg"), pragma = parse_at_word(p, ".pragma");
    enum ptx_space space = space_here(p);
    if (!reg && !pragma && space == SPACE_GENERIC)
        return parse_expected(p, "a statement");
    lex_next(&p->lexer);
    if (reg)
        return parse_registers(p);
    return pragma ? parse_pragma(p) : parse_variables(p, space, external);
}

static bool parse_statement(struct ptx_parser *p)
{
    struct lexer start = p->lexer;
    bool understood;
    if (p->lexer.token.kind == TOKEN_DOT)
        understood = parse_local_directive(p);
    else if (p->lexer.token.kind == TOKEN_NAME && lex_is_before(&p->lexer, ':'))
        understood = parse_label(p);
    else
        understood = parse_instruction_here(p);
    return understood || (!p->failed && recover(p, &start));
}

static bool leave_block(struct ptx_parser *p)
{
    if (!labels_make_unique(p))
        return false;
    close_scope(p);
    return true;
}

// Parses a body through its '}'; the current token follows its '{'.
static bool parse_body(struct ptx_parser *p)
{
    int outside = p->depth;
    if (!open_scope(p))
        return false;
    while (p->depth > outside) {
        bool going = true;
        if (deadline_passed(&p->deadline))
            return parse_fail(p, p->lexer.token.line, "reading it takes longer than %d s; make it shorter",
                              READ_SECONDS);
        if (p->lexer.token.kind == TOKEN_END)
            return parse_fail(
                p, p->lexer.token.line,
                "the text ends inside function %.80s, which begins in line %d: a '}' is missing",
                p->function.name, p->function_line);
        if (parse_accept(p, '{'))
            going = open_scope(p);
        else if (parse_accept(p, '}'))
            going = leave_block(p);
        else if (!parse_accept(p, ';'))
            going = parse_statement(p);
        if (!going)
            return false;
    }
    return true;
}

// ---- functions: in the module -----------------------------------------------------------------------

// A definition replaces a declaration, whichever of them comes first.
static bool add_function(struct ptx_parser *p)
{
    struct ptx_text *text = p->text;
    const struct ptx_function *function = &p->function;
    struct ptx_symbol *symbol = symbol_of_name(function->name);
    if (symbol->function) {
        struct ptx_function *before = &text->functions[symbol->function - 1];
        if (!before->declared && !function->declared)
            return parse_fail(p, p->function_line, "function %.80s is defined twice", function->name);
        if (before->declared)
            *before = *function;
        return true;
    }
    text->functions = parse_grow(p, text->functions, text->function_count, sizeof *text->functions);
    if (!text->functions)
        return false;
    text->functions[text->function_count++] = *function;
    symbol->function = text->function_count;
    return true;
}

static bool parse_function(struct ptx_parser *p, bool entry)
{
    p->function = (struct ptx_function){ .entry = entry };
    p->function_number++;
    p->function_line = p->lexer.token.line;
    p->location = 0;
    p->first_location = p->location_count;
    if (!open_scope(p) || !parse_head(p))
        return false;
    p->function.declared = parse_accept(p, ';');
    if (!p->function.declared && (!parse_expect(p, '{') || !parse_body(p)))
        return false;
    close_scope(p);
    return add_function(p);
}

// ---- the module's directives ----------------------------------------------------------------------

static bool take_decimal(const char **at, const char *end, int *out)
{
    const char *start = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9' && *out < 100000; ++*at)
        *out = *out * 10 + (**at - '0');
    return *at > start;
}

// 9.0, which is two numbers and no fraction: 8.10 comes after 8.9.
static bool parse_version(struct ptx_parser *p)
{
    const char *at = p->lexer.token.start, *end = at + p->lexer.token.length;
    if (!take_decimal(&at, end, &p->text->version_major) || at == end || *at++ != '.' ||
        !take_decimal(&at, end, &p->text->version_minor) || at != end)
        return parse_expected(p, "a version, like 9.0,");
    lex_next(&p->lexer);
    return true;
}

// sm_75, debug
static bool parse_target(struct ptx_parser *p)
{
    do {
        const struct ptx_token token = p->lexer.token;
        if (token.kind != TOKEN_NAME)
            return parse_expected(p, "a target, like sm_75,");
        const char *at = token.start + 3;
        if (token.length > 3 && memcmp(token.start, "sm_", 3) == 0)
            take_decimal(&at, token.start + token.length, &p->text->target);
        lex_next(&p->lexer);
    } while (parse_accept(p, ','));
    return true;
}

static bool parse_address_size(struct ptx_parser *p)
{
    uint64_t bits = 0;
    if (!parse_count(p, UINT64_MAX, &bits))
        return false;
    return bits == 64 ||
           parse_reject(p, "addresses of %" PRIu64 " bits are not supported, only those of 64", bits);
}

// .alias name, function; makes both names one function.
static bool parse_alias(struct ptx_parser *p)
{
    struct ptx_symbol *symbols[2];
    for (int i = 0; i < 2; i++) {
        if (i && !parse_expect(p, ','))
            return false;
        symbols[i] = p->lexer.token.kind == TOKEN_NAME ? symbol_here(p) : NULL;
        if (!symbols[i] || !symbols[i]->function)
            return parse_expected(p, "the name of a function that is declared above");
        lex_next(&p->lexer);
    }
    struct ptx_function *functions = p->text->functions;
    functions[symbols[0]->function - 1] = functions[symbols[1]->function - 1];
    functions[symbols[0]->function - 1].name = symbols[0]->name;
    return parse_expect(p, ';');
}

// Skips an unknown directive, through its ';', its block or its line.
static bool skip_unknown(struct ptx_parser *p)
{
    int line = p->lexer.token.line;
    while (p->lexer.token.kind != TOKEN_END && !parse_at(p, '{') && p->lexer.token.line == line) {
        if (parse_accept(p, ';'))
            return true;
        lex_next(&p->lexer);
    }
    return !parse_at(p, '{') || lex_skip_block(&p->lexer) || parse_expected(p, "'}'");
}

static bool parse_directive(struct ptx_parser *p)
{
    static const struct {
        const char *name;
        bool (*parse)(struct ptx_parser *p);
    } directives[] = { { ".version", parse_version },           { ".target", parse_target },
                       { ".address_size", parse_address_size }, { ".file", parse_file },
                       { ".section", parse_section },           { ".alias", parse_alias } };
    bool external = false, linking = true;
    while (linking) {
        external = external || parse_at_word(p, ".extern");
        linking = parse_at_word(p, ".visible") || parse_at_word(p, ".weak") || parse_at_word(p, ".extern") ||
                  parse_at_word(p, ".common");
        if (linking)
            lex_next(&p->lexer);
    }
    if (p->lexer.token.kind != TOKEN_DOT)
        return parse_expected(p, "a function or a variable");
    bool entry = parse_at_word(p, ".entry");
    if (entry || parse_at_word(p, ".func")) {
        lex_next(&p->lexer);
        return parse_function(p, entry);
    }
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (parse_at_word(p, directives[i].name)) {
            lex_next(&p->lexer);
            return directives[i].parse(p);
        }
    enum ptx_space space = space_here(p);
    if (space == SPACE_GENERIC || space == SPACE_PARAM)
        return skip_unknown(p);
    lex_next(&p->lexer);
    return parse_variables(p, space, external);
}

// ---- the text -----------------------------------------------------------------------------------------

static bool has_kernel(const struct ptx_text *text)
{
    for (size_t i = 0; i < text->function_count; i++)
        if (text->functions[i].entry && !text->functions[i].declared)
            return true;
    return false;
}

static bool parse_module(struct ptx_parser *p)
{
    while (p->lexer.token.kind != TOKEN_END) {
        if (parse_accept(p, ';'))
            continue;
        if (p->lexer.token.kind != TOKEN_DOT)
            parse_expected(p, "a directive, like .entry,");
        else if (parse_directive(p))
            continue;
        return parse_fail(p, p->error_line, "%s", p->error);
    }
    if (!has_kernel(p->text)) {
        parse_fail(p, 0, "there is no kernel in it (no .entry with a body)");
        p->fault->no_kernel = true;
        return false;
    }
    return lines_assign(p);
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

enum { LONGEST_TEXT = 64 << 20 }; // bytes of PTX

// The memory that parsing may take grows with the text, up to half a gigabyte and to the caller's limit.
static bool start(struct ptx_parser *p, const char *text, size_t length, size_t memory_limit)
{
    const size_t least = 64u << 20, each = 128, most = 512u << 20;
    const size_t own = length > (most - least) / each ? most : least + length * each;
    if (length > LONGEST_TEXT)
        return parse_fail(p, 0, "the text is longer than %d MiB", LONGEST_TEXT >> 20);
    const char *nul = length ? memchr(text, '\0', length) : NULL;
    if (nul)
        return parse_fail(p, line_of(text, nul), "there is a zero byte in it; PTX is plain text");
    p->arena = arena_new();
    if (!p->arena)
        return parse_no_memory(p) != NULL;
    arena_limit(p->arena, memory_limit && memory_limit < own ? memory_limit : own);
    p->text = parse_alloc(p, sizeof *p->text);
    if (!p->text)
        return false;
    p->text->arena = p->arena;
    deadline_start(&p->deadline);
    lex_start(&p->lexer, text, length);
    return true;
}

bool ptx_parse(const char *text, size_t length, size_t memory_limit, struct ptx_text **out,
               struct sim_fault *fault)
{
    struct ptx_parser p = { .fault = fault };
    *fault = (struct sim_fault){ 0 };
    *out = NULL;
    while (length && text[length - 1] == '\0') // NVRTC counts the end of its string
        length--;
    if (!start(&p, text, length, memory_limit) || !parse_module(&p)) {
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
