// Expressions as text: parses C's operators by their precedence into steps for a stack machine. What the
// steps do is in evaluate.c.
#include "kernels/expr.h"

#include <stdlib.h>
#include <string.h>

enum { NESTING = 64, LINE_SHOWN = 400 };

struct parser {
    const struct source *source;
    const char *at;
    struct expr *expr;
    struct error *error;
    int depth;      // open parentheses, calls and signs around `at`
    int slot, mask; // where the next operand goes; which elements it counts for
};

struct infix {
    const char *text;
    int precedence; // a higher one binds tighter
    enum op op;
};

// A longer text stands before one that it starts with.
static const struct infix infixes[] = {
    { "||", 1, OP_OR },
    { "&&", 2, OP_AND },
    { "|", 3, OP_BIT_OR },
    { "^", 4, OP_BIT_XOR },
    { "&", 5, OP_BIT_AND },
    { "==", 6, OP_EQUAL },
    { "!=", 6, OP_NOT_EQUAL },
    { "<<", 8, OP_SHIFT_LEFT },
    { ">>", 8, OP_SHIFT_RIGHT },
    { "<=", 7, OP_LESS_EQUAL },
    { ">=", 7, OP_GREATER_EQUAL },
    { "<", 7, OP_LESS },
    { ">", 7, OP_GREATER },
    { "+", 9, OP_ADD },
    { "-", 9, OP_SUBTRACT },
    { "*", 10, OP_MULTIPLY },
    { "/", 10, OP_DIVIDE },
    { "%", 10, OP_MODULO },
};

struct function {
    const char *name;
    enum op op;
    int arguments;
};

static const struct function functions[] = { { "hash", OP_HASH, 1 },
                                             { "min", OP_MIN, 2 },
                                             { "max", OP_MAX, 2 } };
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

// ---- errors -------------------------------------------------------------------------------------

static bool error_at_v(struct error *error, const struct source *source, const char *at, const char *format,
                       va_list args)
{
    const char *line = source->text;
    int number = 1;
    for (const char *c = source->text; c < at; c++) {
        if (*c == '\n') {
            line = c + 1;
            number++;
        }
    }
    if (at > line && *at == '\n' && at[-1] == '\r')
        at--; // the end of a line is before both
    struct text message = { 0 }, out = { 0 };
    text_addv(&message, format, args);
    struct diagnostic diagnostic = { SEVERITY_ERROR, number, (int)(at - line) + 1, message.data };
    bool shown = strcspn(line, "\n") <= LINE_SHOWN; // a longer line would push the caret out of the error
    diagnostic_write(&out, source->file, shown ? source->text : NULL, &diagnostic);
    error_set(error, EXIT_USAGE, "%s", text_string(&out));
    text_free(&message);
    text_free(&out);
    return false;
}

bool error_at(struct error *error, const struct source *source, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_at_v(error, source, at, format, args);
    va_end(args);
    return false;
}

bool expr_error(const struct expr *expr, struct error *error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_at_v(error, &expr->source, expr->at, format, args);
    va_end(args);
    return false;
}

// ---- values -------------------------------------------------------------------------------------

struct value value_int(int64_t i)
{
    return (struct value){ .i = i };
}

struct value value_real(double r)
{
    return (struct value){ .real = true, .r = r };
}

double value_as_real(struct value value)
{
    return value.real ? value.r : (double)value.i;
}

int64_t value_as_int(struct value value)
{
    if (!value.real)
        return value.i;
    if (value.r >= 0x1p63)
        return INT64_MAX;
    if (value.r < -0x1p63)
        return INT64_MIN;
    return value.r == value.r ? (int64_t)value.r : 0; // not a number: 0
}

// ---- parameters ---------------------------------------------------------------------------------

bool expr_params_add(struct expr_params *params, const char *name, struct value value)
{
    size_t at = params->count;
    if (at == EXPR_PARAMS)
        return false;
    params->names[at] = mem_copy(name);
    params->bindings[at] = (struct expr_binding){ params->names[at], value };
    params->count++;
    return true;
}

void expr_params_copy(struct expr_params *out, const struct expr_params *params)
{
    *out = (struct expr_params){ 0 };
    for (size_t i = 0; i < params->count; i++)
        expr_params_add(out, params->bindings[i].name, params->bindings[i].value);
}

void expr_params_free(struct expr_params *params)
{
    for (size_t i = 0; i < params->count; i++)
        free(params->names[i]);
    *params = (struct expr_params){ 0 };
}

struct expr_scope expr_params_scope(const struct expr_params *params)
{
    return (struct expr_scope){ params->bindings, params->count };
}

// ---- steps --------------------------------------------------------------------------------------

static bool too_deep(struct parser *p, const char *at)
{
    return error_at(p->error, p->source, at,
                    "this is nested too deeply: take a part out into a param of its own");
}

static void skip_blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\r')
        p->at++;
}

// A step that leaves its result `above` slots over the current one.
static bool emit(struct parser *p, struct step step, int above)
{
    struct expr *expr = p->expr;
    step.slot = p->slot + above;
    step.mask = p->mask;
    if (step.slot + 1 > SLOTS)
        return too_deep(p, step.at);
    if (step.slot + 1 > expr->slots)
        expr->slots = step.slot + 1;
    expr->steps = array_room(expr->steps, expr->count, sizeof *expr->steps);
    expr->steps[expr->count++] = step;
    return true;
}

static bool emit_op(struct parser *p, enum op op, const char *at, size_t length, int above)
{
    return emit(p, (struct step){ .op = op, .at = at, .length = length }, above);
}

// ---- operands -----------------------------------------------------------------------------------

static bool parse_choice(struct parser *p);

// A part of its own, with its result `above` slots over the current one and used where `mask` says.
static bool parse_part(struct parser *p, bool (*parse)(struct parser *), int above, int mask)
{
    int slot = p->slot, outer = p->mask;
    p->slot += above;
    p->mask = mask;
    bool parsed = parse(p);
    p->slot = slot;
    p->mask = outer;
    return parsed;
}

static bool expect(struct parser *p, char sign, const char *why)
{
    skip_blanks(p);
    if (*p->at != sign)
        return error_at(p->error, p->source, p->at, "expected '%c' %s", sign, why);
    p->at++;
    return true;
}

static bool parse_call(struct parser *p, const char *name, size_t length)
{
    const char *names[FUNCTIONS];
    const struct function *function = NULL;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        names[i] = functions[i].name;
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            function = &functions[i];
    }
    if (!function) {
        char word[64];
        format_into(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
        const char *near = string_nearest(word, names, FUNCTIONS);
        return error_at(p->error, p->source, name,
                        "there is no function %.40s here; there are hash, min and max%s%s%s", word,
                        near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
    }
    p->at++; // the parenthesis
    for (int i = 0; i < function->arguments; i++) {
        if (i > 0 && !expect(p, ',', "and a second value"))
            return false;
        if (!parse_part(p, parse_choice, i, p->mask))
            return false;
    }
    return expect(p, ')', "after the last value") && emit_op(p, function->op, name, length, 0);
}

static bool parse_name(struct parser *p)
{
    const char *name = p->at;
    while (byte_in_word(*p->at))
        p->at++;
    size_t length = (size_t)(p->at - name);
    skip_blanks(p);
    if (*p->at == '(')
        return parse_call(p, name, length);
    p->at = name + length;
    return emit_op(p, OP_NAME, name, length, 0);
}

static bool parse_number(struct parser *p)
{
    struct step step = { .op = OP_VALUE, .at = p->at };
    return number_parse(p->source, &p->at, &step.value, p->error) && emit(p, step, 0);
}

static bool parse_primary(struct parser *p)
{
    char c = *p->at, next = c ? p->at[1] : 0;
    if ((c >= '0' && c <= '9') || (c == '.' && next >= '0' && next <= '9'))
        return parse_number(p);
    if (byte_in_word(c))
        return parse_name(p);
    if (c != '(')
        return error_at(p->error, p->source, p->at, "expected a value: a number, a name or '('");
    p->at++;
    return parse_choice(p) && expect(p, ')', "to close the parenthesis");
}

static bool parse_unary(struct parser *p)
{
    skip_blanks(p);
    const char *at = p->at;
    if (++p->depth > NESTING)
        return too_deep(p, at);
    bool parsed;
    if (*at && strchr("-+!~", *at)) {
        p->at++;
        parsed = parse_unary(p);
        enum op op = *at == '-' ? OP_NEGATE : *at == '!' ? OP_NOT : OP_FLIP;
        if (parsed && *at != '+')
            parsed = emit_op(p, op, at, 1, 0);
    } else {
        parsed = parse_primary(p);
    }
    p->depth--;
    return parsed;
}

// ---- operators ----------------------------------------------------------------------------------

// The operator at `at`, or NULL. `>>>` ends an expression: it closes a launch.
static const struct infix *infix_at(const char *at)
{
    if (string_starts(at, ">>>"))
        return NULL;
    for (size_t i = 0; i < sizeof infixes / sizeof infixes[0]; i++)
        if (string_starts(at, infixes[i].text))
            return &infixes[i];
    return NULL;
}

static bool parse_operators(struct parser *p, int precedence);

// && and ||: the right side counts only where the left one leaves the question open.
static bool parse_logic(struct parser *p, const struct infix *infix, const char *at)
{
    enum op mask = infix->op == OP_AND ? OP_MASK_IF : OP_MASK_UNLESS;
    if (!emit_op(p, OP_TRUTH, at, 2, 0) || !emit_op(p, mask, at, 2, 1))
        return false;
    int slot = p->slot, outer = p->mask;
    p->slot = slot + 2;
    p->mask = slot + 1;
    bool parsed = parse_operators(p, infix->precedence + 1) && emit_op(p, OP_TRUTH, at, 2, 0);
    p->slot = slot;
    p->mask = outer;
    return parsed && emit_op(p, infix->op, at, 2, 0);
}

// A chain of operators that bind at least as tightly as `precedence`, from the left.
static bool parse_operators(struct parser *p, int precedence)
{
    if (!parse_unary(p))
        return false;
    for (;;) {
        skip_blanks(p);
        const char *at = p->at;
        const struct infix *infix = infix_at(at);
        if (!infix || infix->precedence < precedence)
            return true;
        size_t length = strlen(infix->text);
        p->at += length;
        if (infix->op == OP_AND || infix->op == OP_OR) {
            if (!parse_logic(p, infix, at))
                return false;
            continue;
        }
        p->slot++;
        bool parsed = parse_operators(p, infix->precedence + 1);
        p->slot--;
        if (!parsed || !emit_op(p, infix->op, at, length, 0))
            return false;
    }
}

// condition ? one : other, from the right; or just the condition.
static bool parse_choice(struct parser *p)
{
    if (!parse_operators(p, 1))
        return false;
    skip_blanks(p);
    const char *at = p->at;
    if (*at != '?')
        return true;
    p->at++;
    if (++p->depth > NESTING)
        return too_deep(p, at);
    int mask = p->slot + 1;
    bool parsed = emit_op(p, OP_TRUTH, at, 1, 0) && emit_op(p, OP_MASK_IF, at, 1, 1) &&
                  parse_part(p, parse_choice, 2, mask) && expect(p, ':', "and the value for 'otherwise'") &&
                  emit_op(p, OP_MASK_UNLESS, at, 1, 1) && parse_part(p, parse_choice, 3, mask) &&
                  emit_op(p, OP_SELECT, at, 1, 0);
    p->depth--;
    return parsed;
}

struct expr *expr_parse(const struct source *source, const char **at, struct error *error)
{
    struct expr *expr = mem_new(sizeof *expr);
    struct parser parser = { .source = source, .at = *at, .expr = expr, .error = error, .mask = -1 };
    skip_blanks(&parser);
    expr->source = *source;
    expr->at = parser.at;
    if (!parse_choice(&parser)) {
        expr_free(expr);
        return NULL;
    }
    *at = parser.at;
    return expr;
}

bool expr_eval_text(const char *text, const struct expr_scope *scope, struct value *out, struct error *error)
{
    const struct source source = { "expression", text };
    const char *at = text;
    struct expr *expr = expr_parse(&source, &at, error);
    if (!expr)
        return false;
    bool done = *at == 0 ? expr_eval(expr, scope, out, error)
                         : error_at(error, &source, at, "the expression should end here");
    expr_free(expr);
    return done;
}

void expr_free(struct expr *expr)
{
    if (!expr)
        return;
    free(expr->steps);
    free(expr);
}
