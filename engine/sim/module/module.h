// From a PTX text to a module: its variables laid out, its functions decoded and analysed.
#ifndef WARPBOOK_SIM_MODULE_H
#define WARPBOOK_SIM_MODULE_H

#include "engine/sim/decode/decode.h"

// ---- decode.c, flow.c, flow_order.c, live.c, origin.c, contract.c: once per function ----
// False: no memory, or the deadline has passed (module->deadline).

bool decode_function(struct sim_module *module, struct function *function);
// Another instruction that does an op's work: its handler and its rows. False: the op stays as it was.
bool decode_instead(struct sim_module *module, struct function *function, const struct ptx_instruction *in,
                    struct op *op);
bool contract_function(struct sim_module *module, struct function *function); // op->fused
bool flow_join(struct sim_module *module, struct function *function);         // op->reconverge
bool flow_order(struct sim_module *module, const struct function *function);  // op->order, op->spins
bool live_mark(struct sim_module *module, struct function *function);         // cleared registers, op->dead
bool origin_mark(struct sim_module *module, struct function *function);       // op->low, op->high
// Writes where control can go after `pc`, `op_count` meaning the end; returns how many. `room` holds all.
size_t flow_next(const struct function *function, int32_t pc, int32_t *out);
size_t flow_next_most(const struct function *function); // the most that flow_next writes

extern const struct decoder control_decoders[]; // control.c: bra brx call ret exit bar barrier trap membar …

// ---- module.c, kernels.c ----

// Gives a variable its place behind `*used`.
size_t variable_place(size_t *used, const struct ptx_variable *v);
// What the kernels take, in this arena; the names stay the text's. False: no memory.
bool kernels_list(const struct ptx_text *text, struct arena *arena, struct sim_kernels *out);
const struct function *kernel_at(const struct sim_module *module, size_t index);

#endif
