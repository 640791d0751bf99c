// From a PTX text to a module: its variables laid out, its functions decoded and analysed.
#ifndef WARPBOOK_SIM_MODULE_H
#define WARPBOOK_SIM_MODULE_H

#include "engine/sim/decode/decode.h"

// ---- the passes over a decoded function, in this order; flow.c unless another file is named ----
// False: there is no memory, or the deadline has passed (module->deadline).

bool contraction_mark(struct sim_module *module,
                      struct function *function); // contraction.c: op->run, op->fused
bool flow_mark_reconvergence(struct sim_module *module, struct function *function); // op->reconverge
bool liveness_mark(struct sim_module *module, struct function *function); // cleared registers, op->dead
bool flow_mark_order(struct sim_module *module, const struct function *function); // op->order, op->spins
bool provenance_mark(struct sim_module *module, struct function *function);       // op->low, op->high

// ---- what the passes share ----

// Gives an op the handler and rows of another instruction that does its work. False: the op stays as it was.
bool decode_replacement(struct sim_module *module, struct function *function,
                        const struct ptx_instruction *in, struct op *op);
extern const struct decoder control_decoders[]; // control.c: bra brx call ret exit bar barrier trap membar …

const struct function *module_kernel(const struct sim_module *module, size_t index);

#endif
