// Reports of races: the two sides, and what would put them in order. Some loads are excused: an atomic written as a loop
// begins with a plain load, and a compare-and-swap of the same place then expects that value; if another thread changed it,
// the swap fails and the loop tries again. Such a load does not race with the atomics of other threads.
#include "engine/sim/sanitize/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- loads that feed a compare-and-swap: definitions of registers --------------------------------------------

struct cas_loads { // about one function
    const struct ptx_function *function;
    const struct ptx_instruction **writers; // the only writer of each register; NULL: it has none, or several
    const struct ptx_instruction *looked_at; // by gather()
    bool swaps;                              // one of its instructions is a compare and swap
};

struct cas_loads *race_cas_loads_new(void)
{
    return calloc(1, sizeof(struct cas_loads));
}

void race_cas_loads_free(struct cas_loads *g)
{
    if (g)
        free(g->writers);
    free(g);
}

static const struct ptx_instruction several; // the writer of a register that has more than one

static void note_writer(void *context, int reg)
{
    struct cas_loads *g = context;
    if ((size_t)reg < g->function->register_count)
        g->writers[reg] = g->writers[reg] ? &several : g->looked_at;
}

static bool is_swap(const struct ptx_instruction *in)
{
    return in->base && strcmp(in->base, "atom") == 0 && in->operand_count > 2 && ptx_has(in, "cas");
}

static bool gather(struct cas_loads *g, const struct ptx_function *function)
{
    free(g->writers);
    *g = (struct cas_loads){ 0 };
    g->writers = calloc(function->register_count + 1, sizeof *g->writers);
    if (!g->writers)
        return false;
    g->function = function;
    for (size_t i = 0; i < function->instruction_count; i++) {
        g->looked_at = &function->instructions[i];
        ptx_each_written(g->looked_at, note_writer, g);
        g->swaps |= is_swap(g->looked_at);
    }
    for (size_t i = 0; i < function->register_count; i++)
        if (g->writers[i] == &several)
            g->writers[i] = NULL;
    return true;
}

static const struct ptx_function *function_of(const struct sim_module *module,
                                              const struct ptx_instruction *in)
{
    for (size_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *from = module->functions[f].from;
        if (from->instruction_count && in >= from->instructions &&
            in < from->instructions + from->instruction_count)
            return from;
    }
    return NULL;
}

// ---- symbolic addresses --------------------------------------------------------------------------------------------------

struct symbolic_address { // a register or a variable, plus a number
    int reg;
    const char *name;
    int64_t offset;
};

static bool is_known(const struct cas_loads *g, const struct symbolic_address *place)
{
    return place->reg >= 0 && (size_t)place->reg < g->function->register_count;
}

// Replaces a register by what its only writer computes it from. False: that is neither a register plus a number nor a
// variable.
static bool step_back(const struct ptx_instruction *in, struct symbolic_address *place)
{
    const struct ptx_operand *from = in->operand_count > 1 ? &in->operands[1] : NULL;
    bool sum =
        strcmp(in->base, "add") == 0 && in->operand_count == 3 && in->operands[2].kind == OPERAND_IMMEDIATE;
    // A generic address and that of one space lead to the same place.
    bool copy = (strcmp(in->base, "mov") == 0 || strcmp(in->base, "cvta") == 0) && in->operand_count == 2;
    if (!from || (!sum && !copy))
        return false;
    if (from->kind == OPERAND_SYMBOL && copy) {
        place->reg = -1;
        place->name = from->name;
        place->offset += from->offset;
        return true;
    }
    if (from->kind != OPERAND_REGISTER)
        return false;
    place->reg = from->reg;
    place->offset += sum ? (int64_t)in->operands[2].bits : 0;
    return true;
}

// Resolves an address through copies and additions of numbers, as long as each register has one writer.
static struct symbolic_address place_of(const struct cas_loads *g, const struct ptx_operand *operand)
{
    enum { MOST_STEPS = 8 };
    struct symbolic_address place = { .reg = -1 };
    if (operand->kind == OPERAND_MEMORY)
        place = (struct symbolic_address){ operand->reg, operand->reg < 0 ? operand->name : NULL,
                                           operand->offset };
    for (int step = 0; is_known(g, &place) && step < MOST_STEPS; step++)
        if (!g->writers[place.reg] || !step_back(g->writers[place.reg], &place))
            break;
    return place;
}

static bool same_place(const struct symbolic_address *a, const struct symbolic_address *b)
{
    bool name = a->name && b->name && strcmp(a->name, b->name) == 0;
    return a->offset == b->offset && (a->reg >= 0 ? a->reg == b->reg : name && b->reg < 0);
}

// ---- registers that hold a loaded value --------------------------------------------------------------------------------

static bool is_register(const struct ptx_function *function, const struct ptx_operand *operand)
{
    return operand->kind == OPERAND_REGISTER && operand->reg >= 0 &&
           (size_t)operand->reg < function->register_count;
}

// Finds the registers that hold the loaded value, through a few copies: a loop has one for its first round. `after` is 1
// plus the number of copies for each of them, 0 for others.
static void follow(const struct ptx_function *function, const struct ptx_instruction *load, uint8_t *after)
{
    enum { MOST_COPIES = 3 };
    after[load->operands[0].reg] = 1;
    for (int copies = 1; copies <= MOST_COPIES; copies++)
        for (size_t i = 0; i < function->instruction_count; i++) {
            const struct ptx_instruction *in = &function->instructions[i];
            bool copy = in->base && strcmp(in->base, "mov") == 0 && in->operand_count == 2;
            if (copy && is_register(function, &in->operands[0]) && is_register(function, &in->operands[1]) &&
                after[in->operands[1].reg] == copies && !after[in->operands[0].reg])
                after[in->operands[0].reg] = (uint8_t)(copies + 1);
        }
}

static bool knows(struct cas_loads *g, const struct sim_module *module, const struct ptx_instruction *in)
{
    const struct ptx_function *function = in->operand_count > 1 ? function_of(module, in) : NULL;
    return function && (g->function == function || gather(g, function));
}

static bool is_compared(const struct cas_loads *g, const struct ptx_instruction *load, const uint8_t *after)
{
    struct symbolic_address place = place_of(g, &load->operands[1]);
    for (size_t i = 0; i < g->function->instruction_count; i++) {
        const struct ptx_instruction *swap = &g->function->instructions[i];
        if (!is_swap(swap) || !is_register(g->function, &swap->operands[2]) || !after[swap->operands[2].reg])
            continue;
        struct symbolic_address tried = place_of(g, &swap->operands[1]);
        if (same_place(&place, &tried))
            return true;
    }
    return false;
}

bool race_cas_load_is(struct cas_loads *g, const struct sim_module *module, const struct ptx_instruction *in)
{
    if (strcmp(in->base, "ld") != 0 || !knows(g, module, in) || !g->swaps ||
        !is_register(g->function, &in->operands[0]))
        return false;
    uint8_t *after = calloc(g->function->register_count + 1, sizeof *after);
    if (!after)
        return false;
    follow(g->function, in, after);
    bool tried = is_compared(g, in, after);
    free(after);
    return tried;
}

// The address operand of a plain load or store; NULL: the instruction is neither.
static const struct ptx_operand *address_of(const struct ptx_instruction *in, bool *stores)
{
    if (!in->base || in->operand_count < 2)
        return NULL;
    *stores = strcmp(in->base, "st") == 0;
    return *stores ? &in->operands[0] : strcmp(in->base, "ld") == 0 ? &in->operands[1] : NULL;
}

// Whether the instruction is a load or a store of a statement that does both at one place, as `total += x` does.
static bool cas_load_is_update(struct cas_loads *g, const struct sim_module *module,
                               const struct ptx_instruction *in)
{
    bool stores, also_stores;
    const struct ptx_operand *address = address_of(in, &stores);
    if (!address || in->line <= 0 || !knows(g, module, in))
        return false;
    struct symbolic_address place = place_of(g, address);
    for (size_t i = 0; i < g->function->instruction_count; i++) {
        const struct ptx_instruction *other = &g->function->instructions[i];
        const struct ptx_operand *at = other->line == in->line ? address_of(other, &also_stores) : NULL;
        if (!at || also_stores == stores)
            continue;
        struct symbolic_address there = place_of(g, at);
        if (same_place(&place, &there))
            return true;
    }
    return false;
}

// ---- updates: a load that a store of the same place depends on -------------------------------------------------------

enum race_update { // what a load does for a store of the same place in another line
    NO_UPDATE,
    DECIDES_STORE, // if (x > *largest) *largest = x;
    BRINGS_VALUE   // int old = *total; *total = old + x;
};

struct dependence {   // on a value that was loaded
    uint8_t *depends; // by register
    bool found;
};

static void note_read(void *context, int reg)
{
    struct dependence *d = context;
    d->found |= d->depends[reg] != 0;
}

static void mark_written(void *context, int reg)
{
    struct dependence *d = context;
    d->depends[reg] = 1;
}

// The index of the instruction that a branch goes to; SIZE_MAX: it is none, or goes to one of several.
static size_t target_of(const struct ptx_function *function, const struct ptx_instruction *in)
{
    const char *name =
        in->base && strcmp(in->base, "bra") == 0 && in->operand_count ? in->operands[0].name : NULL;
    for (size_t i = 0; name && i < function->label_count; i++)
        if (strcmp(function->labels[i].name, name) == 0)
            return function->labels[i].at;
    return SIZE_MAX;
}

static bool is_barrier(const struct ptx_instruction *in)
{
    return in->base && (strcmp(in->base, "bar") == 0 || strcmp(in->base, "barrier") == 0);
}

// Follows the loaded value from the load to the store, through everything that is computed from it. A barrier or a loop in
// between is another pattern: there the two are apart on purpose.
static enum race_update follow_to(const struct ptx_function *function, size_t load, size_t store,
                                  uint8_t *depends)
{
    struct dependence d = { depends, false };
    enum race_update update = NO_UPDATE;
    depends[function->instructions[load].operands[0].reg] = 1;
    for (size_t i = load + 1; i <= store; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        size_t target = target_of(function, in);
        if (is_barrier(in) || (target != SIZE_MAX && target <= i))
            return NO_UPDATE;
        bool guarded = in->guard >= 0 && depends[in->guard];
        if (guarded && (i == store || (target != SIZE_MAX && target > store)))
            update = DECIDES_STORE;
        d.found = false;
        ptx_each_read(in, note_read, &d);
        if (d.found && i < store)
            ptx_each_written(in, mark_written, &d);
    }
    const struct ptx_operand *value = &function->instructions[store].operands[1];
    bool brings = is_register(function, value) && depends[value->reg];
    return update != NO_UPDATE ? update : brings ? BRINGS_VALUE : NO_UPDATE;
}

static bool is_plain(const struct ptx_instruction *in, const char *base)
{
    return in->base && strcmp(in->base, base) == 0 && in->operand_count > 1;
}

// What the loads in the line of `load` do for a store of their place. NULL: any line's.
static enum race_update update_of(struct cas_loads *g, const struct sim_module *module,
                                  const struct ptx_instruction *load, const struct ptx_instruction *store)
{
    if (!is_plain(store, "st") || !knows(g, module, store))
        return NO_UPDATE;
    const struct ptx_function *function = g->function;
    size_t last = (size_t)(store - function->instructions);
    struct symbolic_address place = place_of(g, &store->operands[0]);
    uint8_t *depends = malloc(function->register_count + 1);
    enum race_update update = NO_UPDATE;
    for (size_t i = 0; depends && i < last && update == NO_UPDATE; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (!is_plain(in, "ld") || !is_register(function, &in->operands[0]) ||
            (load && in->line != load->line))
            continue;
        struct symbolic_address loaded = place_of(g, &in->operands[1]);
        memset(depends, 0, function->register_count + 1);
        if (same_place(&place, &loaded))
            update = follow_to(function, i, last, depends);
    }
    free(depends);
    return update;
}

// ---- sentences -------------------------------------------------------------------------------------------

enum { PLACE_ROOM = 96 };

struct race_side {
    const struct op *op;
    bool write, atomic;
    uint32_t block[3], thread[3];
};

static const uint32_t *block_of(const struct checks *c, const struct block *now, int32_t epoch)
{
    const struct block_epochs *mark = epoch_is_foreign(c, epoch) ? race_block_of_epoch(c, epoch) : NULL;
    return mark ? mark->id : now->id;
}

static void other_side(const struct access *access, const struct race_conflict *other, struct race_side *out)
{
    const struct checks *c = access->checks;
    const uint32_t *size = c->machine->launch->block;
    uint32_t index = other->tag >> CELL_THREAD, tally = other->tag >> CELL_OP & (CELL_OPS - 1);
    uint32_t x = size[0] ? size[0] : 1, y = size[1] ? size[1] : 1;
    out->op = tally < c->tallies ? c->ops[tally] : NULL;
    out->write = other->write;
    out->atomic = (other->tag & CELL_ATOMIC) && other->write;
    memcpy(out->block, block_of(c, access->warp->block, other->epoch), sizeof out->block);
    out->thread[0] = index % x;
    out->thread[1] = index / x % y;
    out->thread[2] = index / x / y;
}

static const char *verb(const struct race_side *side)
{
    const struct ptx_instruction *in = side->op ? side->op->from : NULL;
    if (in && strcmp(in->base, "cp") == 0 && side->write)
        return in->operand_count < 2 ? "waits for its copy to" : "copies to";
    return side->atomic ? "updates" : side->write ? "writes" : "reads";
}

// Advice for two accesses of one statement, or of a comparison and its store, which no barrier makes one step.
static const char *advice_for_update(enum race_update update)
{
    return update == DECIDES_STORE
               ? "with nothing that keeps them apart. Another thread can change it after the comparison and "
                 "before the store, and no barrier makes the two one step. Use an atomic, such as "
                 "atomicMax(), atomicMin() or atomicCAS()"
               : "with nothing that keeps them apart. What is written was computed from what was read "
                 "before, so what another thread adds in between is lost. Should each thread have "
                 "an element of its own? Where several must change one, an atomic such as atomicAdd() keeps "
                 "them apart";
}

// Which threads touch the place, as far as it is known when the race is found.
enum race_reach {
    ONE_BLOCK,    // shared memory, or a launch of one block
    MAYBE_BLOCKS, // blocks that come later may touch it
    MORE_BLOCKS   // others have
};

// Bytes that another block sends, which complete on an mbarrier.
static bool comes_by_itself(const struct op *op)
{
    return op && op->from && ptx_has(op->from, "mbarrier::complete_tx::bytes");
}

// A barrier orders the threads of one block alone: it is advised for nothing that other blocks touch, too. Blocks that meet
// at an element often do so by an index that is wrong, two plain stores above all. `warps`: of the block.
static const char *advice(bool mixed, bool twice, uint32_t warps, enum race_scope scope,
                          enum race_reach reach, const struct machine *m)
{
    if (scope == OTHER_BLOCK && reach == ONE_BLOCK)
        return "with no barrier of the cluster between. Put cluster.sync() between the two";
    if (scope == OTHER_BLOCK && m->launch->cooperative)
        return "with no barrier of the grid between. Put grid.sync() between the two, or use atomics";
    if (scope == OTHER_BLOCK || reach == MORE_BLOCKS)
        return mixed ? "and blocks run in any order. An atomic only guards against other atomics: "
                       "make both atomic, or use two launches"
               : twice
                   ? "and blocks run in any order. Should only one of them write it? Then an index is wrong. "
                     "Where both must, use atomics, or two launches"
                   : "and blocks run in any order. Unless an index is wrong, use atomics, or two launches";
    if (scope == SAME_WARP)
        return reach == ONE_BLOCK
                   ? warps > 1 ? "with no __syncwarp() between. The lanes of a warp need not run in step: "
                                 "put __syncwarp() between the two, or __syncthreads() where other warps "
                                 "touch it, too"
                               : "with no __syncwarp() between. The lanes of a warp need not run in step: "
                                 "put __syncwarp() between the two"
                   : "with no __syncwarp() between. The lanes of a warp need not run in step: put "
                     "__syncwarp() "
                     "between the two or, if other blocks touch it too, use atomics or two launches";
    if (reach == ONE_BLOCK)
        return mixed ? "with no barrier between. An atomic only guards against other atomics: "
                       "put __syncthreads() between the two"
                     : "with no barrier between. Put __syncthreads() between the two";
    return mixed
               ? "with no barrier between. An atomic only guards against other atomics: put __syncthreads() "
                 "between the two or, if other blocks touch it too, make both atomic"
               : "with no barrier between. Put __syncthreads() between the two or, if other blocks touch it "
                 "too, use atomics or two launches";
}

static void say_place(const struct address_name *n, char place[static PLACE_ROOM])
{
    snprintf(place, PLACE_ROOM, "%s[%lld]", n->buffer[0] ? n->buffer : n->space, (long long)n->element);
}

// Whether the two sides are a load and the store that depends on it, or two such stores.
static enum race_update race_update_of(const struct checks *c, const struct race_side *here,
                                       const struct race_side *there)
{
    const struct sim_module *module = c->machine->module;
    const struct ptx_instruction *one = here->op ? here->op->from : NULL,
                                 *other = there->op ? there->op->from : NULL;
    if (here->atomic || there->atomic || !one || !other)
        return NO_UPDATE;
    if (finding_same_line(here->op, there->op) && cas_load_is_update(c->cas_loads, module, one))
        return BRINGS_VALUE;
    if (!here->write || !there->write)
        return here->write ? update_of(c->cas_loads, module, other, one)
                           : update_of(c->cas_loads, module, one, other);
    return update_of(c->cas_loads, module, NULL, one);
}

// Whether a barrier of the block stands between the access and the earlier one, which is further down in the text: then a loop has led back,
// and that barrier is not what is missing. Compilers unroll loops, so lines are compared where they are known.
static bool loop_led_back(const struct sim_module *module, const struct race_side *here,
                          const struct race_side *there)
{
    const struct ptx_instruction *top = here->op ? here->op->from : NULL,
                                 *end = there->op ? there->op->from : NULL;
    const struct ptx_function *function = top && end ? function_of(module, top) : NULL;
    if (!function || function_of(module, end) != function)
        return false;
    bool lines = top->line && end->line;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        bool whole = is_barrier(in) && in->operand_count == 1 && !ptx_has(in, "warp");
        bool between = lines ? top->line < in->line && in->line < end->line : top < in && in < end;
        if (whole && between)
            return true;
    }
    return false;
}

static const char *advice_of(const struct machine *m, const struct race_side *here,
                             const struct race_side *there, uint32_t warps, enum race_scope scope,
                             enum race_reach reach, enum race_update update)
{
    if (update != NO_UPDATE)
        return advice_for_update(update);
    if (scope == SAME_BLOCK && reach == ONE_BLOCK && here->atomic == there->atomic &&
        loop_led_back(m->module, here, there))
        return "in the loop's round before, and no barrier came since. Put another __syncthreads() "
               "after that line, at the end of the round, where all threads reach it";
    bool plain = !here->atomic && !there->atomic && finding_same_line(here->op, there->op);
    if (plain && here->write && there->write && scope == SAME_BLOCK)
        return "with nothing that keeps them apart. Let one thread write it, or give each thread an element "
               "of "
               "its own";
    bool twice = here->write && there->write && !here->atomic && !there->atomic;
    if (scope == OTHER_BLOCK && reach == ONE_BLOCK &&
        (comes_by_itself(here->op) || comes_by_itself(there->op)))
        return "with nothing that keeps them apart. Wait for its mbarrier before its bytes are read; and let "
               "those who "
               "have read them arrive at an mbarrier of the block that sends the next ones";
    return advice(here->atomic != there->atomic, twice, warps, scope, reach, m);
}

static void say(struct warp *warp, const struct finding_report *report, const struct address_name *n,
                const struct race_side *here, const struct race_side *there, enum race_scope scope,
                enum race_reach reach, enum race_update update)
{
    char name[80], place[PLACE_ROOM], line[40], other_line[40], whose[64] = "";
    say_place(n, place);
    finding_name_lane(warp, report->lane, name);
    finding_say_line(here->op, line);
    finding_say_line(there->op, other_line);
    if (scope == OTHER_BLOCK)
        snprintf(whose, sizeof whose, " of block (%u,%u,%u)", there->block[0], there->block[1],
                 there->block[2]);
    const uint32_t *t = there->thread;
    uint32_t warps = (uint32_t)warp->block->warp_count;
    if (scope == SAME_INSTRUCTION)
        finding_add(warp, report,
                    "%s and thread (%u,%u,%u) write different values to %s at once in %s: which one stays "
                    "is left to chance.",
                    name, t[0], t[1], t[2], place, line);
    else if (report->severity == SIM_NOTE)
        finding_add(warp, report,
                    "%s writes %s in %s and thread (%u,%u,%u)%s writes it in %s, in no order. Both write "
                    "the same value, so it does no harm.",
                    name, place, line, t[0], t[1], t[2], whose, other_line);
    else
        finding_add(warp, report, "%s %s %s in %s while thread (%u,%u,%u)%s %s it in %s%s, %s.", name,
                    verb(here), place, line, t[0], t[1], t[2], whose, verb(there), other_line,
                    report->kind == SIM_DOUBLE_WRITE ? " with another value" : "",
                    advice_of(warp->block->machine, here, there, warps, scope, reach, update));
}

// Fills in the report of a lane's access; finding_name_address has named its place.
static struct finding_report report_of(const struct access *access, int lane, const struct race_side *there,
                                       const struct address_name *n, uint64_t address)
{
    struct finding_report report = { .kind = access->allocation ? SIM_RACE_GLOBAL : SIM_RACE_SHARED,
                                     .severity = SIM_ERROR,
                                     .op = access->touched->op,
                                     .other = there->op,
                                     .lane = lane,
                                     .other_known = true,
                                     .space = n->space,
                                     .buffer = n->buffer,
                                     .address = address,
                                     .element = n->element };
    memcpy(report.other_block, there->block, sizeof report.other_block);
    memcpy(report.other_thread, there->thread, sizeof report.other_thread);
    return report;
}

static enum race_reach reach_of(const struct access *access, uint64_t offset)
{
    if (!access->allocation || access->checks->machine->blocks == 1)
        return ONE_BLOCK;
    return race_of_blocks(access, offset) ? MORE_BLOCKS : MAYBE_BLOCKS;
}

void race_report(const struct access *access, int lane, uint64_t offset, const struct race_conflict *other,
                 enum race_scope scope, bool same_value)
{
    const struct touched *t = access->touched;
    struct race_side here = { .op = t->op, .write = t->write, .atomic = t->atomic }, there;
    other_side(access, other, &there);
    if (same_value && finding_same_line(here.op, there.op))
        return; // all threads store the same value in one statement
    if (scope == OTHER_BLOCK && !access->allocation && together_unstarted(access, other->epoch))
        return; // what is missing is that all blocks have started
    bool twice = here.write && there.write && !here.atomic && !there.atomic;
    enum sim_role role = access->allocation ? access->allocation->role : SIM_SCRATCH;
    struct address_name n;
    uint64_t address = t->address[lane] + (offset - offset_of(access, lane));
    finding_name_address(access->warp, access->allocation ? SPACE_GLOBAL : SPACE_SHARED, address, &n);
    struct finding_report report = report_of(access, lane, &there, &n, address);
    if (same_value)
        report.severity = SIM_NOTE;
    else if (scope == SAME_WARP)
        report.severity = SIM_WARNING;
    if (twice && !same_value && (role == SIM_OUT || role == SIM_INOUT))
        report.kind = SIM_DOUBLE_WRITE;
    enum race_reach reach =
        scope == OTHER_BLOCK && access->allocation ? MORE_BLOCKS : reach_of(access, offset);
    report.wide = reach == MORE_BLOCKS;
    if (finding_repeats(access->warp, &report))
        return;
    enum race_update update = race_update_of(access->checks, &here, &there);
    report.update = update != NO_UPDATE;
    say(access->warp, &report, &n, &here, &there, scope, reach, update);
}

void race_report_early(const struct access *access, uint32_t lanes, const struct op *copy, uint32_t thread)
{
    const struct touched *t = access->touched;
    int lane = __builtin_ctz(lanes);
    struct race_side here = { .op = t->op, .write = t->write, .atomic = t->atomic };
    struct race_conflict other = { access->epoch, thread << CELL_THREAD, true };
    struct race_side there;
    struct address_name n;
    char name[80], line[40], copy_line[40], place[PLACE_ROOM];
    other_side(access, &other, &there);
    finding_name_address(access->warp, SPACE_SHARED, t->address[lane], &n);
    say_place(&n, place);
    there.op = copy;
    struct finding_report report = report_of(access, lane, &there, &n, t->address[lane]);
    report.count = (uint64_t)__builtin_popcount(lanes);
    finding_name_lane(access->warp, lane, name);
    finding_say_line(t->op, line);
    finding_say_line(copy, copy_line);
    const uint32_t *at = there.thread;
    if (thread == access->warp->index * LANES + (uint32_t)lane)
        finding_add(
            access->warp, &report,
            "%s %s %s in %s while its own cp.async from %s may still be on its way there. Wait between the "
            "two: cp.async.wait_all does, or __pipeline_commit() with __pipeline_wait_prior(0); a larger "
            "number leaves as many of the last groups on their way.",
            name, verb(&here), place, line, copy_line);
    else
        finding_add(
            access->warp, &report,
            "%s %s %s in %s while the cp.async of thread (%u,%u,%u) from %s may still be on its way there. A "
            "barrier does not wait for copies: first each thread waits for its own, by cp.async.wait_all or "
            "__pipeline_commit() with __pipeline_wait_prior(0), then all meet at __syncthreads().",
            name, verb(&here), place, line, at[0], at[1], at[2], copy_line);
}
