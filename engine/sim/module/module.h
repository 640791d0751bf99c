// From a PTX text to a module: its variables laid out, its functions decoded and analysed.
#ifndef WARPBOOK_SIM_MODULE_H
#define WARPBOOK_SIM_MODULE_H

#include "engine/sim/decode/decode.h"

// ---- the passes over a decoded function, in this order ----
// False: there is no memory, or the deadline has passed (module->deadline).

bool contraction_mark(struct sim_module *module,
                      struct function *function); // op->run, op->fused
// Reconvergence (op->reconverge), liveness (cleared registers, op->dead), order (op->order, op->spins) and provenance
// (op->low, op->high).
bool flow_mark(struct sim_module *module, struct function *function);

// ---- shared by the passes ----

// Gives an op the handler and rows of another instruction that does its work. False: the op stays as it was.
bool decode_replacement(struct sim_module *module, struct function *function,
                        const struct ptx_instruction *in, struct op *op);
extern const struct decoder control_decoders[]; // control.c: bra brx call ret exit bar barrier trap membar …

const struct function *module_kernel(const struct sim_module *module, size_t index);

#endif
