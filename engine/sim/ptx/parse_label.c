// Labels, and the lists that stand at labels. A label of a nested block gets a name that is unique in the
// function, because inline assembly uses the same ones again and again.
#include "engine/sim/ptx/parse.h"

#include <string.h>

enum { BODY = 2 }; // the depth of a function's own block

static bool add_label(struct parser *p, struct symbol *symbol, int line)
{
    unsigned scope = p->scopes[p->depth - 1].serial;
    if (symbol->label_in == scope)
        return parse_fail(p, line, "label %.80s stands twice in function %.80s", symbol->name,
                          p->function.name);
    symbol->label_in = scope;
    struct ptx_function *function = &p->function;
    function->labels = parse_room(p, function->labels, function->label_count, sizeof *function->labels);
    if (!function->labels)
        return false;
    function->labels[function->label_count++] =
        (struct ptx_label){ .name = symbol->name, .at = function->instruction_count };
    return true;
}

// NAME: .branchtargets A, B, C;
static bool parse_branch_targets(struct parser *p, const char *name)
{
    struct ptx_targets targets = { .name = name };
    do {
        if (p->lexer.token.kind != TOKEN_NAME)
            return parse_expected(p, "a label's name");
        targets.labels = parse_room(p, targets.labels, targets.count, sizeof *targets.labels);
        struct symbol *symbol = targets.labels ? name_here(p) : NULL;
        if (!symbol)
            return false;
        targets.labels[targets.count++] = symbol->name;
        lex_next(&p->lexer);
    } while (take_mark(p, ','));
    if (!expect_mark(p, ';'))
        return false;
    struct ptx_function *function = &p->function;
    function->targets = parse_room(p, function->targets, function->target_count, sizeof *function->targets);
    if (!function->targets)
        return false;
    function->targets[function->target_count++] = targets;
    return true;
}

// What a call through a register may reach, or looks like: the call itself says all that is needed.
static bool skip_to_semicolon(struct parser *p)
{
    while (!at_mark(p, ';') && !at_mark(p, '{') && !at_mark(p, '}') && p->lexer.token.kind != TOKEN_END)
        lex_next(&p->lexer);
    return expect_mark(p, ';');
}

bool parse_label(struct parser *p)
{
    struct symbol *symbol = name_here(p);
    if (!symbol)
        return false;
    int line = p->lexer.token.line;
    lex_next(&p->lexer);
    lex_next(&p->lexer);
    if (token_is(p, ".branchtargets")) {
        lex_next(&p->lexer);
        return parse_branch_targets(p, symbol->name);
    }
    if (token_is(p, ".callprototype") || token_is(p, ".calltargets"))
        return skip_to_semicolon(p);
    return add_label(p, symbol, line);
}

// ---- when a nested block closes -----------------------------------------------------------------------

static void settle_operands(struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count; i++) {
        struct ptx_operand *operand = &in->operands[i];
        const char *label = operand->kind == OPERAND_SYMBOL ? name_symbol(operand->name)->label : NULL;
        if (label)
            operand->name = label;
    }
}

static void settle_targets(struct ptx_targets *targets)
{
    const char *label = name_symbol(targets->name)->label;
    for (size_t i = 0; i < targets->count; i++) {
        const char *to = name_symbol(targets->labels[i])->label;
        if (to)
            targets->labels[i] = to;
    }
    if (label)
        targets->name = label;
}

static void settle_names(struct ptx_function *function, const struct scope *scope)
{
    for (size_t i = scope->first_instruction; i < function->instruction_count; i++)
        settle_operands(&function->instructions[i]);
    for (size_t i = scope->first_targets; i < function->target_count; i++)
        settle_targets(&function->targets[i]);
}

// Labels of blocks further inside have their unique names by now and keep them.
bool labels_settle(struct parser *p)
{
    const struct scope *scope = &p->scopes[p->depth - 1];
    struct ptx_function *function = &p->function;
    bool any = false;
    for (size_t i = scope->first_label; p->depth > BODY && i < function->label_count; i++) {
        struct symbol *symbol = name_symbol(function->labels[i].name);
        if (symbol->renamed)
            continue;
        struct symbol *unique = name_unique(p, symbol);
        if (!unique)
            return false;
        symbol->label = unique->name;
        any = true;
    }
    if (any)
        settle_names(function, scope);
    for (size_t i = scope->first_label; any && i < function->label_count; i++) {
        struct symbol *symbol = name_symbol(function->labels[i].name);
        if (symbol->label)
            function->labels[i].name = symbol->label;
        symbol->label = NULL;
    }
    return true;
}
