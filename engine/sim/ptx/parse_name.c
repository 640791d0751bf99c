// Names: interned once, bound to registers and variables scope by scope. What a scope declares shadows what
// is outside and ends with it, so sibling scopes may use the same names for different things.
#include "engine/sim/ptx/parse.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_AT_FIRST = 1024 };

// ---- interning ----------------------------------------------------------------------------------------

static uint32_t hash_of(const char *start, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)start[i]) * 16777619u;
    return hash;
}

// The slot that holds the name, or the free one where it belongs.
static size_t slot_of(const struct names *names, uint32_t hash, const char *start, size_t length)
{
    size_t slot = (hash ^ hash >> 15) & (names->room - 1);
    for (;; slot = (slot + 1) & (names->room - 1)) {
        const struct symbol *symbol = names->slots[slot];
        if (!symbol ||
            (symbol->hash == hash && symbol->length == length && memcmp(symbol->name, start, length) == 0))
            return slot;
    }
}

static bool names_grow(struct parser *p)
{
    struct names *names = &p->names;
    size_t room = names->room ? names->room * 2 : NAMES_AT_FIRST;
    struct symbol **slots = parse_take(p, room * sizeof *slots);
    if (!slots)
        return false;
    struct names larger = { .slots = slots, .room = room, .count = names->count, .spare = names->spare };
    for (size_t i = 0; i < names->room; i++) {
        struct symbol *symbol = names->slots[i];
        if (symbol)
            slots[slot_of(&larger, symbol->hash, symbol->name, symbol->length)] = symbol;
    }
    *names = larger;
    return true;
}

static struct symbol *find(const struct parser *p, const char *start, size_t length)
{
    if (p->names.room == 0)
        return NULL;
    return p->names.slots[slot_of(&p->names, hash_of(start, length), start, length)];
}

struct symbol *name_intern(struct parser *p, const char *start, size_t length)
{
    if (p->names.count * 2 >= p->names.room && !names_grow(p))
        return NULL;
    uint32_t hash = hash_of(start, length);
    size_t slot = slot_of(&p->names, hash, start, length);
    if (p->names.slots[slot])
        return p->names.slots[slot];
    struct symbol *symbol = parse_take(p, sizeof *symbol + length + 1);
    if (!symbol)
        return NULL;
    symbol->hash = hash;
    symbol->length = (uint32_t)length;
    memcpy(symbol->name, start, length);
    p->names.slots[slot] = symbol;
    p->names.count++;
    return symbol;
}

struct symbol *name_here(struct parser *p)
{
    return name_intern(p, p->lexer.token.start, p->lexer.token.length);
}

struct symbol *name_symbol(const char *interned)
{
    return (struct symbol *)(void *)(uintptr_t)(interned - offsetof(struct symbol, name));
}

struct symbol *name_unique(struct parser *p, const struct symbol *symbol)
{
    char number[16];
    int digits = snprintf(number, sizeof number, "@%u", ++p->renamed);
    char *name = parse_take(p, symbol->length + (size_t)digits + 1);
    if (!name)
        return NULL;
    memcpy(name, symbol->name, symbol->length);
    memcpy(name + symbol->length, number, (size_t)digits);
    struct symbol *unique = name_intern(p, name, symbol->length + (size_t)digits);
    if (unique)
        unique->renamed = true;
    return unique;
}

// ---- registers ----------------------------------------------------------------------------------------

// "%r12" as number 12 of the family "%r", or 2 of "%r1"; not "%r012", which would be another name.
static int family_register(const struct parser *p, const char *start, size_t length)
{
    int number = 0, scale = 1;
    size_t prefix = length;
    while (prefix > 1 && length - prefix < 7 && start[prefix - 1] >= '0' && start[prefix - 1] <= '9') {
        int digit = start[--prefix] - '0';
        number += digit * scale;
        scale *= 10;
        if (digit == 0 && length - prefix > 1)
            continue;
        const struct symbol *symbol = find(p, start, prefix);
        if (symbol && symbol->meaning.family && number < symbol->meaning.family_count)
            return symbol->meaning.family - 1 + number;
    }
    return -1;
}

int name_register(struct parser *p, const char *start, size_t length, struct symbol **symbol)
{
    *symbol = find(p, start, length);
    if (*symbol && (*symbol)->meaning.reg)
        return (*symbol)->meaning.reg - 1;
    char last = start[length - 1];
    return last >= '0' && last <= '9' ? family_register(p, start, length) : -1;
}

// ---- scopes -------------------------------------------------------------------------------------------

bool scope_open(struct parser *p)
{
    if (p->depth == PARSE_DEPTH)
        return parse_fail(p, p->lexer.token.line, "more than %d blocks { } inside each other", PARSE_DEPTH);
    p->scopes[p->depth++] = (struct scope){ .serial = ++p->scope_count,
                                            .first_instruction = p->function.instruction_count,
                                            .first_label = p->function.label_count,
                                            .first_targets = p->function.target_count };
    return true;
}

void scope_close(struct parser *p)
{
    struct scope *scope = &p->scopes[--p->depth];
    while (scope->bindings) {
        struct binding *binding = scope->bindings;
        binding->symbol->meaning = binding->before;
        scope->bindings = binding->next;
        binding->next = p->names.spare;
        p->names.spare = binding;
    }
}

// Outside of functions nothing ends, so nothing has to be remembered.
struct meaning *scope_declare(struct parser *p, struct symbol *symbol)
{
    if (p->depth == 0)
        return &symbol->meaning;
    struct binding *binding = p->names.spare;
    if (binding)
        p->names.spare = binding->next;
    else if (!(binding = parse_take(p, sizeof *binding)))
        return NULL;
    struct scope *scope = &p->scopes[p->depth - 1];
    *binding = (struct binding){ .symbol = symbol, .before = symbol->meaning, .next = scope->bindings };
    scope->bindings = binding;
    return &symbol->meaning;
}
