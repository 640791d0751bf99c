// What the files behind expressions share: number.c and expr.c turn text into steps, evaluate.c gives their
// names values, execute.c does them.
//
// An expression is a row of steps for a stack machine. A step leaves its result in slot `slot`; the right
// operand of an operator is in the slot above. `mask` is the slot that tells for each element whether the
// result is used at all (0 or 1), because && || ?: may leave a side out; -1 when it always is.
#ifndef WARPBOOK_EXPR_H
#define WARPBOOK_EXPR_H

#include "kernels/variant.h"

enum { SLOTS = 96 }; // deepest stack; a deeper expression is an error

enum op {
    OP_VALUE,
    OP_NAME,  // only before binding: then it is an OP_VALUE or an OP_INDEX
    OP_INDEX, // `i` of an initialiser
    OP_NEGATE,
    OP_FLIP, // ~
    OP_HASH,
    OP_NOT,
    OP_TRUTH, // 1 unless 0: what && || ?: make of an operand
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO,
    OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT,
    OP_BIT_AND,
    OP_BIT_XOR,
    OP_BIT_OR,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_MIN,
    OP_MAX,
    OP_MASK_IF,     // slot: the mask where the truth below it is 1
    OP_MASK_UNLESS, // slot: the mask where the truth below it is 0
    OP_AND,         // slot: left truth, overwritten; slot + 2: right truth
    OP_OR,
    OP_SELECT // slot: truth, overwritten; slot + 2, slot + 3: the two sides
};

struct step {
    enum op op;
    int slot, mask;
    const char *at; // the operator, name or number in the source
    size_t length;  // of a name or operator
    struct value value;
    bool real;                  // set by binding: works on decimals
    bool widen_low, widen_high; // set by binding: this operand is whole and must become decimal first
};

struct expr {
    struct source source;
    const char *at;
    struct step *steps;
    size_t count;
    int slots; // how many the steps use
};

// ---- number.c -----------------------------------------------------------------------------------

// Reads the number at *at and moves behind it. Numbers are decimal, 0x, 0b or, after a 0, octal; decimals
// have a point or an exponent. Suffixes u, l and f as in C.
bool number_parse(const struct source *source, const char **at, struct value *out, struct error *error);

// ---- execute.c ----------------------------------------------------------------------------------

enum { BLOCK = 256 }; // elements that a step works on
union block {
    int64_t i[BLOCK];
    uint64_t u[BLOCK]; // the same bits: here what nobody uses may wrap around
    double r[BLOCK];
};

// The first element at which a step has no result.
struct fault {
    const struct step *step;
    int64_t index;
    int64_t operand;
    bool overflow;
};

void block_widen(union block *block, int count); // whole numbers to decimals
// Executes bound steps for the elements first, first + 1, … into slots[0]. Needs one slot more than the
// expression uses.
bool steps_execute(const struct step *steps, size_t step_count, union block *slots, int64_t first, int count,
                   struct fault *fault);

#endif
