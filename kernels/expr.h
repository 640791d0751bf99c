// An expression as expr.c parses it and evaluate.c computes it: chains of steps.
//
// The first step of a chain gives a value, and each further step changes it; the right operand of an operator is a
// chain of its own. `n - hash(i) % 8` is the chain n, -, whose right operand is the chain i, hash, %, and so on. A sum
// of many terms is a long chain, not a deep one: only operands within operands are nested.
#ifndef WARPBOOK_EXPR_H
#define WARPBOOK_EXPR_H

#include "kernels/variant.h"

enum expr_op {
    // first in a chain
    OP_VALUE,
    OP_NAME,  // only before binding: then it is an OP_VALUE or an OP_INDEX
    OP_INDEX, // `i` of an initialiser
    // with one operand
    OP_NEGATE,
    OP_FLIP, // ~
    OP_HASH,
    OP_NOT,
    // with two
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
    // which may leave an operand out
    OP_AND,
    OP_OR,
    OP_SELECT // ?:
};

union expr_number {
    int64_t i;
    uint64_t u;
    double r;
};

struct expr_step {
    enum expr_op op;
    const char *at; // the operator, name or number in the source
    size_t length;  // of a name or operator
    struct expr_value value;
    size_t next;         // in its chain; 0: none
    size_t right, other; // the first steps of operands; `other`: the value of ?: where the condition is 0
    // Set by binding:
    union expr_number number; // OP_VALUE
    bool real;                // works on decimals; OP_AND, OP_OR, OP_SELECT: the left operand is one
    bool right_real;          // the right operand of OP_AND and OP_OR is a decimal
    bool widen_left, widen_right, widen_other; // this operand is whole and must become decimal first
};

struct expr {
    struct source source;
    const char *at;
    struct expr_step *steps; // the expression is the chain that starts with the first
    size_t count;
};

#endif
