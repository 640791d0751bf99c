// Decoders of control flow: branches, calls, exits, barriers and fences, and of instructions that have no effect here.
#include "engine/sim/access/access.h"
#include "engine/sim/module/module.h"
#include "engine/sim/sanitize/sanitize.h"

#include <string.h>

// ---- branches ----

// -1: there is no such label.
static int32_t label_pc(const struct ptx_function *function, const char *name)
{
    for (size_t i = 0; i < function->label_count; i++)
        if (function->labels[i].name == name || strcmp(function->labels[i].name, name) == 0)
            return (int32_t)function->labels[i].at;
    return -1;
}

static bool label(struct decoding *d, const struct ptx_operand *operand, int32_t *target)
{
    if (operand->kind != OPERAND_SYMBOL)
        return decode_fails(d, "it does not name a label");
    *target = label_pc(d->function->from, operand->name);
    return *target >= 0 || decode_fails(d, "its label is not in this function");
}

static bool bra(struct decoding *d, struct op *out)
{
    out->kind = OP_BRANCH;
    return d->in->operand_count == 1 ? label(d, &d->in->operands[0], &out->target)
                                     : decode_fails(d, "a branch names one label");
}

static const struct ptx_targets *targets_find(const struct ptx_function *from, const char *name)
{
    for (size_t i = 0; i < from->target_count; i++)
        if (strcmp(from->targets[i].name, name) == 0)
            return &from->targets[i];
    return NULL;
}

static bool brx(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    if (in->operand_count != 2 || in->operands[1].kind != OPERAND_SYMBOL)
        return decode_fails(d, "brx.idx has a register and a list of targets");
    const struct ptx_targets *list = targets_find(d->function->from, in->operands[1].name);
    if (!list || list->count == 0)
        return decode_fails(d, "its list of targets is not in this function");
    int32_t *targets = arena_take(d->module->arena, list->count * sizeof *targets);
    if (!targets)
        return decode_fails(d, "there is no memory for its targets");
    for (size_t i = 0; i < list->count && !deadline_passed(&d->module->deadline); i++) {
        targets[i] = label_pc(d->function->from, list->labels[i]);
        if (targets[i] < 0)
            return decode_fails(d, "one of its labels is not in this function");
    }
    out->kind = OP_INDEXED;
    out->targets = targets;
    out->target_count = (int32_t)list->count;
    out->a = decode_value(d, &in->operands[0], TYPE_U32);
    return out->a != 0;
}

static bool leaves(struct decoding *d, struct op *out)
{
    bool ends = d->in->base[0] == 'e' || d->function->from->entry; // a kernel's ret is an exit
    out->kind = ends ? OP_EXIT : OP_RETURN;
    return true;
}

static bool trap(struct decoding *d, struct op *out)
{
    out->kind = OP_TRAP;
    return true;
}

// ---- calls ----

static bool passed(struct decoding *d, const struct ptx_operand *operand, struct passed *out)
{
    bool formal;
    if (operand->kind == OPERAND_SYMBOL &&
        decode_parameter(d->function, operand->name, &out->offset, &formal))
        return !formal || decode_fails(d, "it passes a kernel's parameter on by name");
    unsigned width = decode_width(d, operand);
    out->wide = width == 8;
    out->at = operand->kind == OPERAND_SINK ? d->function->sink
                                            : decode_value(d, operand, out->wide ? TYPE_B64 : TYPE_B32);
    return out->at != 0;
}

static enum builtin builtin_of(const char *name)
{
    return strcmp(name, "vprintf") == 0        ? BUILTIN_VPRINTF
           : strcmp(name, "__assertfail") == 0 ? BUILTIN_ASSERTFAIL
           : strcmp(name, "malloc") == 0       ? BUILTIN_MALLOC
           : strcmp(name, "free") == 0         ? BUILTIN_FREE
                                               : BUILTIN_NONE;
}

// With which a kernel launches others.
static bool of_device_runtime(const char *name)
{
    return strncmp(name, "__cudaCDP2", 10) == 0 || strncmp(name, "cudaLaunchDevice", 16) == 0 ||
           strncmp(name, "cudaGetParameterBuffer", 22) == 0;
}

static bool callee(struct decoding *d, struct op *out, struct call *call)
{
    const struct ptx_operand *operand = &d->in->operands[0];
    if (operand->kind == OPERAND_REGISTER) {
        out->target = -1;
        out->a = decode_value(d, operand, TYPE_B64);
        return out->a != 0;
    }
    if (operand->kind != OPERAND_SYMBOL)
        return decode_fails(d, "it does not name a function");
    out->target = decode_callee(d->module, operand->name);
    call->builtin = builtin_of(operand->name);
    if (out->target < 0)
        return decode_fails(d, "it calls a function that is not in this file");
    if (d->module->functions[out->target].from->entry)
        return decode_fails(d, "it calls a kernel");
    if (d->module->functions[out->target].from->declared && call->builtin == BUILTIN_NONE)
        return decode_fails(d, of_device_runtime(operand->name)
                                   ? "a kernel launches a kernel (dynamic parallelism), which needs a GPU"
                                   : "it calls a function that is only declared in this file");
    d->module->allocates |= call->builtin == BUILTIN_MALLOC || call->builtin == BUILTIN_FREE;
    return true;
}

static bool call(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    struct call *plan = arena_take(d->module->arena, sizeof *plan);
    size_t count = (size_t)(in->call_argument_count + in->call_return_count);
    struct passed *all = arena_take(d->module->arena, (count + 1) * sizeof *all);
    if (!plan || !all)
        return decode_fails(d, "there is no memory for its arguments");
    *plan = (struct call){ .arguments = all,
                           .returns = all + in->call_argument_count,
                           .argument_count = in->call_argument_count,
                           .return_count = in->call_return_count };
    out->kind = OP_CALL;
    out->call = plan;
    if (in->operand_count < 1)
        return decode_fails(d, "it names no function");
    if (!callee(d, out, plan))
        return false;
    for (int i = 0; i < plan->argument_count; i++)
        if (!passed(d, &in->call_arguments[i], &plan->arguments[i]))
            return false;
    for (int i = 0; i < plan->return_count; i++)
        if (!passed(d, &in->call_returns[i], &plan->returns[i]))
            return false;
    return true;
}

// ---- barriers ----

static bool warp_barrier(struct decoding *d, struct op *out)
{
    out->kind = OP_WARP_SYNC;
    if (d->in->operand_count != 1)
        return decode_fails(d, "bar.warp.sync has one operand, the mask");
    out->members = decode_value(d, &d->in->operands[0], TYPE_B32);
    return out->members != 0;
}

static bool reduction(struct decoding *d, struct op *out, int *next, const struct ptx_operand **vote)
{
    const struct ptx_instruction *in = d->in;
    bool popc = ptx_has(in, "popc");
    out->sub = popc ? BARRIER_POPC : ptx_has(in, "and") ? BARRIER_AND : BARRIER_OR;
    if (in->operand_count < 3)
        return decode_fails(d, "bar.red has a destination, a barrier and a predicate");
    out->d = popc ? decode_destination(d, &in->operands[0], TYPE_U32) : decode_predicate(d, &in->operands[0]);
    *vote = &in->operands[in->operand_count - 1];
    *next = 1;
    out->c = decode_predicate(d, *vote);
    if ((*vote)->negated)
        out->imm |= BARRIER_VOTE_NEGATED;
    return out->d && out->c;
}

static bool bar(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    if (ptx_has(in, "warp"))
        return warp_barrier(d, out);
    out->kind = OP_BARRIER;
    out->imm = in->base[3] == 0 || ptx_has(in, "aligned") ? BARRIER_ALIGNED : 0;
    if (ptx_has(in, "cluster")) {
        out->sub = ptx_has(in, "arrive") ? BARRIER_CLUSTER_ARRIVE : BARRIER_CLUSTER_WAIT;
        out->imm |= ptx_has(in, "relaxed") ? BARRIER_RELAXED : 0;
        return true;
    }
    int next = 0, last = in->operand_count;
    const struct ptx_operand *vote = NULL;
    if (ptx_has(in, "red") && !reduction(d, out, &next, &vote))
        return false;
    if (!ptx_has(in, "red"))
        out->sub = ptx_has(in, "arrive") ? BARRIER_ARRIVE : BARRIER_SYNC;
    last -= vote != NULL;
    if (next >= last)
        return decode_fails(d, "it names no barrier");
    out->a = decode_value(d, &in->operands[next], TYPE_U32);
    if (next + 1 < last)
        out->b = decode_value(d, &in->operands[next + 1], TYPE_U32);
    if (out->sub == BARRIER_ARRIVE && !out->b)
        return d->trouble ? false : decode_fails(d, "bar.arrive needs a count of threads");
    return !d->trouble;
}

// ---- fences, and what has no effect: the simulated memory is sequentially consistent ----

static void nothing(struct warp *warp, const struct op *op)
{
}

static bool no_effect(struct decoding *d, struct op *out)
{
    out->run = nothing;
    return true;
}

enum { FENCE_WIDE = 1, FENCE_SYSTEM = 2 }; // op->sub: its scope is wider than the block; wider than the GPU

// A fence of system scope writes a sector of its own, which counts apart from those of the lanes.
static void fence_run(struct warp *warp, const struct op *op)
{
    if (warp->checks)
        race_fence(warp, op->sub & FENCE_WIDE);
    if (warp->tallies && op->sub & FENCE_SYSTEM)
        cost_count(warp, op, COST_GLOBAL, (struct access_cost){ .passes = 1, .conflicts = 1 });
}

static void proxy_fence_run(struct warp *warp, const struct op *op)
{
    bulk_fence(warp);
}

static bool fence(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    bool wide = ptx_has(in, "gl") || ptx_has(in, "sys") || ptx_has(in, "gpu") || ptx_has(in, "cluster");
    bool orders = !ptx_has(in, "proxy") && !ptx_has(in, "mbarrier_init");
    out->run = orders                                                     ? fence_run
               : ptx_has(in, "async") || ptx_has(in, "async.shared::cta") ? proxy_fence_run
                                                                          : nothing;
    out->sub = (wide ? FENCE_WIDE : 0) | (ptx_has(in, "sys") ? FENCE_SYSTEM : 0);
    return true;
}

const struct decoder control_decoders[] = {
    { "bra", bra },
    { "brx", brx },
    { "call", call },
    { "ret", leaves },
    { "exit", leaves },
    { "trap", trap },
    { "bar", bar },
    { "barrier", bar },
    { "membar", fence },
    { "fence", fence },
    { "nanosleep", no_effect },
    { "pmevent", no_effect },
    { "prefetch", no_effect },
    { "prefetchu", no_effect },
    { "discard", no_effect },
    { "applypriority", no_effect },
    { "brkpt", trap },
    { "griddepcontrol", no_effect },
    { NULL, NULL },
};
