// Expressions as text: parses C's operators by their precedence into chains of steps, which evaluate.c computes.
#include "kernels/expr.h"

#include <float.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING = 64, LINE_SHOWN = 400 };

struct expr_parser {
    const struct source *source;
    const char *at, *end; // the end of the directive; NULL: of the line
    struct expr *expr;
    struct error *error;
    int depth; // open parentheses, calls, signs and choices around `at`
};

struct expr_infix {
    const char *text;
    int precedence; // a higher one binds tighter
    enum expr_op op;
};

// An operator comes before those that are a prefix of it.
static const struct expr_infix infixes[] = {
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

struct expr_function {
    const char *name;
    enum expr_op op;
    int arguments;
};

static const struct expr_function functions[] = { { "hash", OP_HASH, 1 },
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

struct expr_value value_int(int64_t i)
{
    return (struct expr_value){ .i = i };
}

struct expr_value value_real(double r)
{
    return (struct expr_value){ .real = true, .r = r };
}

double value_as_real(struct expr_value value)
{
    return value.real ? value.r : (double)value.i;
}

int64_t value_as_int(struct expr_value value)
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

bool expr_params_add(struct expr_params *params, const char *name, struct expr_value value)
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

// ---- numbers ------------------------------------------------------------------------------------

static size_t digits(const char *at, int base)
{
    size_t length = 0;
    for (;; length++) {
        char c = at[length];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 99;
        if (digit >= base)
            return length;
    }
}

// The length of a number such as 1.5, .5, 1. or 1e-3; 0 for a whole number.
static size_t real_length(const char *at)
{
    size_t length = digits(at, 10);
    bool real = at[length] == '.';
    if (real)
        length += 1 + digits(at + length + 1, 10);
    if (at[length] == 'e' || at[length] == 'E') {
        size_t sign = at[length + 1] == '-' || at[length + 1] == '+';
        size_t exponent = digits(at + length + 1 + sign, 10);
        if (exponent) {
            real = true;
            length += 1 + sign + exponent;
        }
    }
    return real ? length : 0;
}

// Reads a decimal with a point in every locale.
static double read_real(const char *at)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c ? strtod_l(at, NULL, c) : strtod(at, NULL);
    if (c)
        freelocale(c);
    return value;
}

static bool parse_real(const struct source *source, const char **at, size_t length, struct expr_value *out,
                       struct error *error)
{
    double value = read_real(*at);
    if (value > DBL_MAX)
        return error_at(error, source, *at, "this number is too large for a double");
    *at += length;
    if (**at == 'f' || **at == 'F') {
        ++*at;
        value = (float)value;
    }
    *out = value_real(value);
    return true;
}

// The base that a whole number's prefix says; *at moves past the prefix.
static int read_base(const char **at)
{
    char c = **at == '0' ? (*at)[1] : 0;
    int base = c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : **at == '0' ? 8 : 10;
    if (base == 16 || base == 2)
        *at += 2;
    return base;
}

// A prefix or an unsigned suffix gives the 64 bits as they are: 0xffffffffffffffff is -1.
static bool parse_whole(const struct source *source, const char **at, struct expr_value *out,
                        struct error *error)
{
    const char *start = *at;
    int base = read_base(at);
    uint64_t value = 0;
    size_t length = digits(*at, base);
    for (size_t i = 0; i < length; i++) {
        char c = (*at)[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
        if (value > (UINT64_MAX - digit) / (unsigned)base)
            return error_at(error, source, start, "this number does not fit in 64 bits");
        value = value * (unsigned)base + digit;
    }
    *at += length;
    size_t suffix = strspn(*at, "uUlL");
    bool is_unsigned = base != 10 || memchr(*at, 'u', suffix) || memchr(*at, 'U', suffix);
    if (value > INT64_MAX && !is_unsigned)
        return error_at(error, source, start, "this number does not fit in 64 bits with a sign");
    if (!length)
        return error_at(error, source, *at, "expected a digit of base %d", base);
    *at += suffix < 3 ? suffix : 3;
    *out = value_int((int64_t)value);
    return true;
}

static bool number_parse(const struct source *source, const char **at, struct expr_value *out,
                         struct error *error)
{
    bool prefixed = **at == '0' && (*at)[1] && strchr("xXbB", (*at)[1]);
    size_t real = prefixed ? 0 : real_length(*at);
    bool parsed = real ? parse_real(source, at, real, out, error) : parse_whole(source, at, out, error);
    if (parsed && (byte_in_word(**at) || **at == '.'))
        return error_at(error, source, *at, "this does not belong to a number");
    return parsed;
}

// ---- chains -------------------------------------------------------------------------------------

struct expr_chain { // indices of steps
    size_t first, last;
};

static size_t add_step(struct expr_parser *p, struct expr_step step)
{
    struct expr *expr = p->expr;
    expr->steps = array_room(expr->steps, expr->count, sizeof *expr->steps);
    expr->steps[expr->count] = step;
    return expr->count++;
}

static struct expr_chain chain_start(struct expr_parser *p, struct expr_step step)
{
    size_t first = add_step(p, step);
    return (struct expr_chain){ first, first };
}

static void chain_append(struct expr_parser *p, struct expr_chain *chain, struct expr_step step)
{
    size_t last = add_step(p, step);
    p->expr->steps[chain->last].next = last;
    chain->last = last;
}

static bool too_deep(struct expr_parser *p, const char *at)
{
    return error_at(p->error, p->source, at,
                    "this is nested too deeply: take a part out into a param of its own");
}

static void skip_blanks(struct expr_parser *p)
{
    p->at += directive_blanks(p->at, p->end);
}

static bool expect(struct expr_parser *p, char sign, const char *why)
{
    skip_blanks(p);
    if (*p->at != sign)
        return error_at(p->error, p->source, p->at, "expected '%c' %s", sign, why);
    p->at++;
    return true;
}

// ---- operands -----------------------------------------------------------------------------------

static bool parse_choice(struct expr_parser *p, struct expr_chain *out);

static const struct expr_function *function_find(struct expr_parser *p, const char *name, size_t length)
{
    const char *names[FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++) {
        names[i] = functions[i].name;
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return &functions[i];
    }
    char word[64];
    format_into(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    const char *near = string_nearest(word, names, FUNCTIONS);
    error_at(p->error, p->source, name, "there is no function %.40s here; there are hash, min and max%s%s%s",
             word, near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

static bool parse_call(struct expr_parser *p, const char *name, size_t length, struct expr_chain *out)
{
    const struct expr_function *function = function_find(p, name, length);
    struct expr_chain second = { 0 };
    if (!function)
        return false;
    p->at++; // the parenthesis
    if (!parse_choice(p, out))
        return false;
    if (function->arguments == 2 && (!expect(p, ',', "and a second value") || !parse_choice(p, &second)))
        return false;
    if (!expect(p, ')', "after the last value"))
        return false;
    chain_append(
        p, out,
        (struct expr_step){ .op = function->op, .at = name, .length = length, .right = second.first });
    return true;
}

static bool parse_name(struct expr_parser *p, struct expr_chain *out)
{
    const char *name = p->at;
    while (byte_in_word(*p->at))
        p->at++;
    size_t length = (size_t)(p->at - name);
    skip_blanks(p);
    if (*p->at == '(')
        return parse_call(p, name, length, out);
    p->at = name + length;
    *out = chain_start(p, (struct expr_step){ .op = OP_NAME, .at = name, .length = length });
    return true;
}

static bool parse_primary(struct expr_parser *p, struct expr_chain *out)
{
    char c = *p->at, next = c ? p->at[1] : 0;
    if ((c >= '0' && c <= '9') || (c == '.' && next >= '0' && next <= '9')) {
        struct expr_step step = { .op = OP_VALUE, .at = p->at };
        bool parsed = number_parse(p->source, &p->at, &step.value, p->error);
        *out = chain_start(p, step);
        return parsed;
    }
    if (byte_in_word(c))
        return parse_name(p, out);
    if (c != '(')
        return error_at(p->error, p->source, p->at, "expected a value: a number, a name or '('");
    p->at++;
    return parse_choice(p, out) && expect(p, ')', "to close the parenthesis");
}

static bool parse_unary(struct expr_parser *p, struct expr_chain *out)
{
    skip_blanks(p);
    const char *at = p->at;
    if (++p->depth > NESTING)
        return too_deep(p, at);
    bool parsed;
    if (*at && strchr("-+!~", *at)) {
        p->at++;
        parsed = parse_unary(p, out);
        enum expr_op op = *at == '-' ? OP_NEGATE : *at == '!' ? OP_NOT : OP_FLIP;
        if (parsed && *at != '+')
            chain_append(p, out, (struct expr_step){ .op = op, .at = at, .length = 1 });
    } else {
        parsed = parse_primary(p, out);
    }
    p->depth--;
    return parsed;
}

// ---- operators ----------------------------------------------------------------------------------

// The operator at `at`, or NULL. `>>>` ends an expression: it closes a launch.
static const struct expr_infix *infix_at(const char *at)
{
    if (string_starts(at, ">>>"))
        return NULL;
    for (size_t i = 0; i < sizeof infixes / sizeof infixes[0]; i++)
        if (string_starts(at, infixes[i].text))
            return &infixes[i];
    return NULL;
}

// Operators that bind at least as tightly as `precedence`, from the left.
static bool parse_operators(struct expr_parser *p, int precedence, struct expr_chain *out)
{
    if (!parse_unary(p, out))
        return false;
    for (;;) {
        skip_blanks(p);
        const char *at = p->at;
        const struct expr_infix *infix = infix_at(at);
        struct expr_chain right = { 0 };
        if (!infix || infix->precedence < precedence)
            return true;
        size_t length = strlen(infix->text);
        p->at += length;
        if (!parse_operators(p, infix->precedence + 1, &right))
            return false;
        chain_append(p, out,
                     (struct expr_step){ .op = infix->op, .at = at, .length = length, .right = right.first });
    }
}

// condition ? one : other, from the right; or just the condition.
static bool parse_choice(struct expr_parser *p, struct expr_chain *out)
{
    struct expr_chain one = { 0 }, other = { 0 };
    if (!parse_operators(p, 1, out))
        return false;
    skip_blanks(p);
    const char *at = p->at;
    if (*at != '?')
        return true;
    p->at++;
    if (++p->depth > NESTING)
        return too_deep(p, at);
    if (!parse_choice(p, &one) || !expect(p, ':', "and the value for 'otherwise'") ||
        !parse_choice(p, &other))
        return false;
    chain_append(p, out,
                 (struct expr_step){
                     .op = OP_SELECT, .at = at, .length = 1, .right = one.first, .other = other.first });
    p->depth--;
    return true;
}

struct expr *expr_parse(const struct source *source, const char **at, const char *end, struct error *error)
{
    struct expr *expr = mem_new(sizeof *expr);
    struct expr_parser parser = { .source = source, .at = *at, .end = end, .expr = expr, .error = error };
    struct expr_chain whole = { 0 };
    skip_blanks(&parser);
    expr->source = *source;
    expr->at = parser.at;
    if (!parse_choice(&parser, &whole)) {
        expr_free(expr);
        return NULL;
    }
    *at = parser.at;
    return expr;
}

bool expr_eval_text(const char *text, const struct expr_scope *scope, struct expr_value *out,
                    struct error *error)
{
    const struct source source = { "expression", text };
    const char *at = text;
    struct expr *expr = expr_parse(&source, &at, NULL, error);
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
