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
bool loops_mark(struct sim_module *module, struct function *function); // op->apart
bool alike_mark(struct sim_module *module, struct function *function); // op->seen, op->alike

// ---- shared by the passes ----

// Gives an op the handler and rows of another instruction that does its work. False: the op stays as it was.
bool decode_replacement(struct sim_module *module, struct function *function,
                        const struct ptx_instruction *in, struct op *op);
extern const struct decoder control_decoders[]; // control.c: bra brx call ret exit bar barrier trap membar …

// ---- the control flow of a function ----

static inline bool flow_exits(const struct op *op)
{
    return op->kind == OP_EXIT || op->kind == OP_RETURN;
}

static inline size_t flow_successors_most(const struct function *function)
{
    size_t most = 2;
    for (size_t i = 0; i < function->op_count; i++)
        if ((size_t)function->ops[i].target_count + 1 > most)
            most = (size_t)function->ops[i].target_count + 1;
    return most;
}

// The ops that can follow the one at pc; op_count + 1 is the way out. `out` has room for flow_successors_most.
static inline size_t flow_successors(const struct function *function, int32_t pc, int32_t *out)
{
    const struct op *op = &function->ops[pc];
    int32_t way_out = (int32_t)function->op_count + 1;
    size_t count = 0;
    if (op->kind == OP_BRANCH)
        out[count++] = op->target;
    else if (op->kind == OP_INDEXED)
        for (int32_t i = 0; i < op->target_count; i++)
            out[count++] = op->targets[i];
    else if (flow_exits(op))
        out[count++] = way_out;
    else
        out[count++] = pc + 1;
    bool falls_through = op->kind == OP_BRANCH || op->kind == OP_INDEXED || flow_exits(op);
    if (falls_through && op->guarded)
        out[count++] = pc + 1;
    return count;
}

// The edges between the nodes 0 to op_count + 1. Those that leave node i: successors[successor_at[i] … successor_at[i + 1]);
// those that lead to it alike. False: there is no memory; what there is is to be freed all the same.
struct flow_edges {
    int32_t *successors, *successor_at, *predecessors, *predecessor_at;
};
bool flow_edges_list(struct flow_edges *edges, const struct function *function);
void flow_edges_free(struct flow_edges *edges);

const struct function *module_kernel(const struct sim_module *module, size_t index);

#endif
