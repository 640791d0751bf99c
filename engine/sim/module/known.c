// Where a variable's value really is: what a compiler says about it, as far as it holds on every way that leads here.
//
// A variable that lives in memory (all of them in clang's -O0, arrays and structures in NVRTC's -G) is always there; all
// that has to be known is whether it was assigned since its scope began. A variable in registers moves: DWARF lists ranges
// of the text, "in %r38 from this label to that". Where such a range begins, the compiler has seen an assignment. That it
// goes on to its end is only true for code that runs from top to bottom: LLVM lets it run across branches. So the ends are
// not believed. From each beginning on, the place is followed along the control flow; it is forgotten when the register is
// written again, where ways meet that do not agree, and where the scope is entered anew. What is left holds for every lane
// that is here, whichever way it took.
#include "engine/sim/module/debug.h"
#include "engine/sim/module/module.h"

#include <stdlib.h>

enum { MOST_OPS = 1 << 15, MOST_WORK = 1 << 22 }; // of a function whose variables are followed

// What one way says before an op: the register that has the value, or one of these.
enum { UNREACHED = -4, UNASSIGNED = -3, UNKNOWN = -2, ASSIGNED = -1 };

enum follow_what { FOLLOW_CLAIMS, FOLLOW_WRITES, FOLLOW_STORES };
struct follow {
    const struct function *function;
    const struct debug_variable *variable;
    enum follow_what what;
    size_t from, to;     // the scope
    int reg;             // FOLLOW_WRITES
    uint64_t at, bytes;  // FOLLOW_STORES: in the frame
    int32_t *before;     // by op
    int32_t *successors; // room for those of an op
};

// ---- what an instruction does --------------------------------------------------------------------------------

static bool writes(const struct function *f, size_t pc, int reg)
{
    return reg >= 0 && pc < f->op_count && ptx_meets(ptx_each_written, f->ops[pc].from, reg);
}

// The only op that writes this register; op_count: there are others, or none.
static size_t only_writer(const struct function *f, int reg)
{
    size_t found = f->op_count;
    for (size_t pc = 0; pc < f->op_count; pc++) {
        if (!writes(f, pc, reg))
            continue;
        if (found < f->op_count)
            return f->op_count;
        found = pc;
    }
    return found;
}

static bool is_stack(const struct function *f, int reg)
{
    const char *name = reg >= 0 ? f->from->registers[reg].name : "";
    return strcmp(name, "%SP") == 0 || strcmp(name, "%SPL") == 0;
}

// A store to all of these bytes, by the stack pointer: st.u32 [%SP+96], %r6;
static bool stores(const struct follow *w, size_t pc)
{
    const struct ptx_instruction *in = w->function->ops[pc].from;
    if (!in->base || strcmp(in->base, "st") != 0 || in->broken || in->operand_count < 1)
        return false;
    const struct ptx_operand *to = &in->operands[0];
    uint64_t first = w->variable->stack + (uint64_t)to->offset;
    return to->kind == OPERAND_MEMORY && is_stack(w->function, to->reg) && to->offset >= 0 &&
           first <= w->at && w->at + w->bytes <= first + w->function->ops[pc].bytes;
}

// Whether a pointer to one of these bytes is made, so that they may be stored without their name: add.u64 %rd6, %SP, 24;
static bool has_pointer(const struct function *f, const struct debug_variable *v)
{
    uint64_t bytes = debug_bytes(v->type);
    for (size_t pc = 0; pc < f->op_count; pc++) {
        const struct ptx_instruction *in = f->ops[pc].from;
        bool stack = false, makes = in->operand_count > 1 && !is_stack(f, in->operands[0].reg);
        uint64_t at = v->stack;
        for (int i = 1; makes && i < in->operand_count; i++) {
            stack |= in->operands[i].kind == OPERAND_REGISTER && is_stack(f, in->operands[i].reg);
            at += in->operands[i].kind == OPERAND_IMMEDIATE ? in->operands[i].bits : 0;
        }
        if (stack && at >= v->at && at - v->at < bytes)
            return true;
    }
    return false;
}

// ---- ways --------------------------------------------------------------------------------------------

static bool inside(const struct follow *w, size_t pc)
{
    return pc >= w->from && pc < w->to;
}

// Puts the ops that can follow this one, and are not among `from` to `to`, on the list. Whether one of them is.
static bool go_on(const struct function *f, size_t pc, size_t from, size_t to, unsigned char *seen,
                  int32_t *list, size_t *count, int32_t *successors)
{
    bool into = false;
    size_t many = flow_successors(f, (int32_t)pc, successors);
    for (size_t i = 0; i < many; i++) {
        size_t next = (size_t)successors[i];
        bool in = next >= from && next < to;
        into |= in;
        if (in || next >= f->op_count || seen[next])
            continue;
        seen[next] = 1;
        list[(*count)++] = (int32_t)next;
    }
    return into;
}

// Whether a way that leaves these ops comes back to them. Also true when there is no memory to find out.
static bool comes_back(const struct function *f, size_t from, size_t to, int32_t *successors)
{
    unsigned char *seen = calloc(f->op_count + 2, 1);
    int32_t *list = malloc((f->op_count + 2) * sizeof *list);
    bool back = !seen || !list;
    size_t count = 0;
    for (size_t pc = from; !back && pc < to && pc < f->op_count; pc++)
        (void)go_on(f, pc, from, to, seen, list, &count, successors);
    while (!back && count)
        back = go_on(f, (size_t)list[--count], from, to, seen, list, &count, successors);
    free(seen);
    free(list);
    return back;
}

// ---- one op ------------------------------------------------------------------------------------------

// At the beginning of a range the value is in its register; at an end without another beginning it is lost.
static int32_t claimed(const struct follow *w, size_t pc, int32_t before)
{
    const struct debug_variable *v = w->variable;
    int32_t after = before;
    bool begins = false;
    for (size_t i = 0; i < v->claim_count; i++) {
        const struct debug_claim *claim = &v->claims[i];
        if (claim->from == pc && claim->to > pc) {
            after = claim->reg >= 0 ? claim->reg : UNKNOWN;
            begins = true;
        } else if (!begins && (claim->to == pc || claim->from == pc)) {
            after = UNKNOWN;
        }
    }
    return after;
}

// What holds after the op, if `now` held before it.
static int32_t follow_op(const struct follow *w, size_t pc, int32_t now)
{
    const struct function *f = w->function;
    bool guarded = pc < f->op_count && f->ops[pc].guarded;
    bool assigns = w->what == FOLLOW_STORES   ? stores(w, pc)
                   : w->what == FOLLOW_WRITES ? writes(f, pc, w->reg)
                                              : false;
    if (assigns)
        return guarded && now != ASSIGNED ? UNKNOWN : ASSIGNED;
    // The register of a parameter is named before the instruction that fills it.
    if (w->what == FOLLOW_CLAIMS && now >= 0 && writes(f, pc, now) &&
        (only_writer(f, now) != pc || comes_back(f, pc, pc + 1, w->successors)))
        return UNKNOWN;
    return now;
}

static bool join(int32_t *to, int32_t with)
{
    int32_t was = *to;
    *to = was == UNREACHED || was == with ? with : UNKNOWN;
    return *to != was;
}

// To the fixed point: each op changes at most three times, from unreached to something to unknown.
static void follow_all(struct follow *w)
{
    const struct function *f = w->function;
    for (size_t pc = 0; pc <= f->op_count; pc++)
        w->before[pc] = UNREACHED;
    if (inside(w, 0))
        w->before[0] = UNASSIGNED;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t pc = 0; pc < f->op_count; pc++) {
            int32_t now = inside(w, pc) ? w->before[pc] : UNASSIGNED;
            if (now == UNREACHED)
                continue;
            if (inside(w, pc))
                now = follow_op(w, pc, w->what == FOLLOW_CLAIMS ? claimed(w, pc, now) : now);
            size_t many = flow_successors(f, (int32_t)pc, w->successors);
            for (size_t i = 0; i < many; i++) {
                size_t to = (size_t)w->successors[i];
                if (to <= f->op_count && inside(w, to))
                    changed |= join(&w->before[to], inside(w, pc) ? now : UNASSIGNED);
            }
        }
    }
}

// What holds before the op at pc.
static int32_t follow_to(const struct function *f, struct follow *w, size_t pc)
{
    int32_t held = UNKNOWN;
    w->function = f;
    w->before = malloc((f->op_count + 1) * sizeof *w->before);
    w->successors = malloc((flow_successors_most(f) + 1) * sizeof *w->successors);
    if (w->before && w->successors) {
        follow_all(w);
        held = w->before[pc];
        if (w->what == FOLLOW_CLAIMS && held != UNREACHED)
            held = claimed(w, pc, held);
    }
    free(w->before);
    free(w->successors);
    w->before = w->successors = NULL;
    return held;
}

// ---- variables in registers ------------------------------------------------------------------------------------

// A register is vague when an instruction may read it before any has written it, as the side of a branch that assigns
// nothing leaves it, and so is every copy. True also when there is no memory to find out.
static bool is_vague(const struct function *f, int reg)
{
    bool *vague = calloc(f->from->register_count + 1, sizeof *vague), found = true;
    for (size_t c = 0; vague && c < f->cleared_count; c++)
        for (size_t i = 0; i < f->from->register_count; i++)
            vague[i] |= f->register_rows[i] == f->cleared[c].at;
    for (bool changed = true; vague && changed;) {
        changed = false;
        for (size_t pc = 0; pc < f->op_count; pc++) {
            const struct ptx_instruction *in = f->ops[pc].from;
            bool copies = in->base && (strcmp(in->base, "mov") == 0 || strcmp(in->base, "selp") == 0);
            if (!copies || in->operands[0].kind != OPERAND_REGISTER || vague[in->operands[0].reg])
                continue;
            for (int k = 1; k < in->operand_count; k++)
                vague[in->operands[0].reg] |=
                    in->operands[k].kind == OPERAND_REGISTER && vague[in->operands[k].reg];
            changed |= vague[in->operands[0].reg];
        }
    }
    if (vague)
        found = vague[reg];
    free(vague);
    return found;
}

static bool is_written(const struct function *f, const struct debug_variable *v, int reg, size_t pc)
{
    struct follow w = { .variable = v, .what = FOLLOW_WRITES, .to = f->op_count + 1, .reg = reg };
    return follow_to(f, &w, pc) == ASSIGNED;
}

static enum debug_known moves_to(const struct function *f, const struct debug_variable *v, size_t pc,
                                 int *reg)
{
    struct follow w = { .variable = v, .what = FOLLOW_CLAIMS, .from = v->from, .to = v->to };
    int32_t held = follow_to(f, &w, pc);
    if (held == UNASSIGNED)
        return KNOWN_NO_VALUE;
    if (held < 0 || is_vague(f, held))
        return KNOWN_NOTHING;
    *reg = held;
    return is_written(f, v, held, pc) ? KNOWN_IN_REGISTER : KNOWN_NO_VALUE;
}

// A single register for all of the scope: sure where one instruction, in the scope, gives it its only value.
static enum debug_known stays_in(const struct function *f, const struct debug_variable *v, size_t pc,
                                 int *reg)
{
    struct follow w = { .variable = v, .what = FOLLOW_WRITES, .from = v->from, .to = v->to, .reg = v->reg };
    size_t writer = only_writer(f, v->reg);
    if (writer == f->op_count || writer < v->from || writer >= v->to || is_vague(f, v->reg))
        return KNOWN_NOTHING;
    int32_t held = follow_to(f, &w, pc);
    *reg = v->reg;
    return held == ASSIGNED ? KNOWN_IN_REGISTER : held == UNASSIGNED ? KNOWN_NO_VALUE : KNOWN_NOTHING;
}

// ---- variables in memory -------------------------------------------------------------------------------------

// A scope that is entered again finds what its variables had the last time, which is not their value any more.
static enum debug_known stored_at(const struct function *f, const struct debug_variable *v, uint64_t part,
                                  uint64_t bytes, size_t pc)
{
    struct follow w = {
        .variable = v, .what = FOLLOW_STORES, .from = v->from, .to = v->to, .at = v->at + part, .bytes = bytes
    };
    int32_t held = follow_to(f, &w, pc);
    if (held == ASSIGNED)
        return KNOWN_IN_MEMORY;
    if (held == UNASSIGNED && part == 0 && bytes == debug_bytes(v->type) && !has_pointer(f, v))
        return KNOWN_NO_VALUE;
    int32_t *successors = malloc((flow_successors_most(f) + 1) * sizeof *successors);
    bool again = !successors || comes_back(f, v->from, v->to, successors);
    free(successors);
    return again ? KNOWN_NOTHING : KNOWN_IF_WRITTEN;
}

enum debug_known debug_known_at(const struct function *function, const struct debug_variable *variable,
                                uint64_t part, uint64_t bytes, size_t pc, int *reg)
{
    if (function->op_count > MOST_OPS || function->op_count * (variable->claim_count + 1) > MOST_WORK)
        return KNOWN_NOTHING;
    switch (variable->place) {
    case DEBUG_IN_REGISTER:
        return stays_in(function, variable, pc, reg);
    case DEBUG_MOVES:
        return moves_to(function, variable, pc, reg);
    case DEBUG_IN_LOCAL:
        return stored_at(function, variable, part, bytes, pc);
    case DEBUG_IN_SHARED:
        return KNOWN_IF_WRITTEN;
    default:
        return KNOWN_NOTHING;
    }
}
