// The base of the decoders of instructions: from operands to rows of the frame, and what names refer to.
#ifndef WARPBOOK_SIM_DECODE_H
#define WARPBOOK_SIM_DECODE_H

#include "engine/sim/machine/build.h"
#include "engine/sim/machine/machine.h"

struct decoding { // of one function
    struct sim_module *module;
    struct function *function;
    const struct ptx_instruction *in; // the current instruction
    row *register_rows;               // by register index
    const char *trouble;              // set by a decoder that fails: the op becomes OP_UNKNOWN
};
// A decoder knows one base opcode: it fills `out`, or sets `trouble` and returns false.
struct decoder {
    const char *base;
    bool (*decode)(struct decoding *d, struct op *out);
};
// A table ends with a row whose base is NULL. Each build has its own, with its own handlers.
#define DECODERS(name) extern const struct decoder name[], name##_v3[], name##_v4[]
// The row of an operand as a value of this type: an immediate and a special register have rows of their own, a symbol
// is its address. Row 0, with trouble set, when the operand is not a value. The type is never TYPE_PRED, since a
// predicate's row has 4 bytes: decode_predicate is for those.
row decode_value(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type);
row decode_destination(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type);
row decode_predicate(struct decoding *d,
                     const struct ptx_operand *operand); // a negation is left to the caller
// Bytes of one lane of an operand's row: 1 for a predicate, 4, 8 or 16; 0: the operand is not a register.
unsigned decode_width(const struct decoding *d, const struct ptx_operand *operand);
// [reg + offset] or [symbol + offset]: out->a is the base's row, out->wide says whether it has 64 bits, out->imm is
// the offset. For a .param symbol out->a is 0 and out->imm its offset: among the launch's arguments
// (machine->kernel_params) if it is a kernel's formal parameter (out->sub 0), else in warp->params + lane *
// function->param_bytes (out->sub 1).
bool decode_address(struct decoding *d, const struct ptx_operand *operand, struct op *out);
bool decode_fails(struct decoding *d, const char *trouble);  // sets it, returns false
row decode_scratch(struct function *function, bool is_wide); // a row that belongs to no register
bool decode_registers(struct decoding *d);                   // gives each register its row; false: no memory

// The address of a name in the function's scope; false: the name is unknown.
bool decode_symbol(const struct decoding *d, const char *name, uint64_t *bits, bool *local);
int decode_callee(const struct sim_module *module, const char *name); // the function's index, -1: none
bool decode_parameter(const struct function *function, const char *name, size_t *offset, bool *formal);

// Whether the operand has the same value in all lanes of a warp because of the way it is computed, which a compiler
// knows.
bool decode_is_uniform(struct decoding *d, const struct ptx_operand *operand);

#endif
