// From a PTX text to a module: its variables laid out, its functions decoded and analysed.
#ifndef WARPBOOK_SIM_MODULE_H
#define WARPBOOK_SIM_MODULE_H

#include "engine/sim/decode/decode.h"

// ---- the passes over a function, in this order ----
// False: there is no memory, or the deadline has passed (module->deadline).

bool decode_function(struct sim_module *module, struct function *function);         // decode.c: the ops
bool contraction_mark(struct sim_module *module, struct function *function);        // op->run, op->fused
bool flow_mark_reconvergence(struct sim_module *module, struct function *function); // op->reconverge
bool liveness_mark(struct sim_module *module, struct function *function); // cleared registers, op->dead
bool flow_mark_order(struct sim_module *module, const struct function *function); // op->order, op->spins
bool provenance_mark(struct sim_module *module, struct function *function);       // op->low, op->high

// ---- what the passes share ----

// Gives an op the handler and rows of another instruction that does its work. False: the op stays as it was.
bool decode_replacement(struct sim_module *module, struct function *function,
                        const struct ptx_instruction *in, struct op *op);
// Writes where control can go after `pc`, `op_count` meaning the end, and returns how many places that are.
size_t flow_successors(const struct function *function, int32_t pc, int32_t *out);
size_t flow_successors_most(const struct function *function); // the most that flow_successors writes
extern const struct decoder control_decoders[]; // control.c: bra brx call ret exit bar barrier trap membar …

const struct function *module_kernel(const struct sim_module *module, size_t index);

#endif
