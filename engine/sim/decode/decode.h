// What the decoders of instructions share: from operands to rows of the frame, and what names mean.
#ifndef WARPBOOK_SIM_DECODE_H
#define WARPBOOK_SIM_DECODE_H

#include "engine/sim/machine/machine.h"

// ---- rows.c ------------------------------------------------------------------------------------------------------

struct decoding { // one function while it is decoded
    struct sim_module *module;
    struct function *function;
    const struct ptx_instruction *in;
    row *register_rows;  // by register index
    const char *trouble; // set by a decoder that cannot: the op becomes OP_UNKNOWN
};
// A decoder knows one base opcode: it fills `out` or sets trouble and returns false.
struct decoder {
    const char *base;
    bool (*decode)(struct decoding *d, struct op *out);
};
// The row of operand `index` of the instruction as a value of this type; immediates and special registers get
// rows of their own, a symbol becomes its address. Row 0 with trouble set when it is no value.
// No type is TYPE_PRED: a predicate's row has 4 bytes, and decode_predicate asks for it.
row decode_value(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type);
row decode_destination(struct decoding *d, const struct ptx_operand *operand, enum ptx_type type);
row decode_predicate(struct decoding *d, const struct ptx_operand *operand); // a register; negation apart
// Bytes of one lane of an operand's row: 1 for a predicate, 4, 8 or 16; 0 for what is no register.
unsigned decode_width(const struct decoding *d, const struct ptx_operand *operand);
// [reg + offset] or [symbol + offset]: the base's row in out->a, whether it is 64 bits wide in out->wide, the offset
// in out->imm. Of a .param symbol out->a is 0 and imm the offset: among the launch's arguments
// (machine->kernel_params) in a kernel whose formal it is (out->sub 0), else in warp->params + lane *
// function->param_bytes (out->sub 1).
bool decode_address(struct decoding *d, const struct ptx_operand *operand, struct op *out);
bool decode_fails(struct decoding *d, const char *trouble);  // sets it, returns false
row decode_scratch(struct function *function, bool is_wide); // a row of the frame that is nobody's
bool decode_registers(struct decoding *d);                   // gives each register its row; false: no memory

// ---- symbol.c ----------------------------------------------------------------------------------------------------

// The address of a name as the function sees it; false when there is none.
bool symbol_find(const struct decoding *d, const char *name, uint64_t *bits, bool *local);
int32_t label_find(const struct ptx_function *function, const char *name); // -1: none
int function_find(const struct sim_module *module, const char *name);      // index, -1: none
bool param_find(const struct function *function, const char *name, size_t *offset, bool *formal);

// ---- usage.c -----------------------------------------------------------------------------------------------------

// Whether the operand's register holds the same in all lanes by the way it is computed, so that a compiler
// knows.
bool usage_is_uniform(struct decoding *d, const struct ptx_operand *operand);

#endif
