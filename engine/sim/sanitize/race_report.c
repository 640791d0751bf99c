// What the checks say of races: the two sides, and what would put them in order.
#include "engine/sim/sanitize/checks.h"

#include <stdio.h>
#include <string.h>

enum { PLACE_ROOM = 96 };

struct race_side {
    const struct op *op;
    bool write, atomic;
    uint32_t block[3], thread[3];
};

static const uint32_t *block_of(const struct checks *c, const struct block *now, int32_t epoch)
{
    const struct block_epochs *mark = epoch < c->block_first ? block_of_epoch(c, epoch) : NULL;
    return mark ? mark->id : now->id;
}

static void other_side(const struct access *access, const struct race_conflict *other, struct race_side *out)
{
    const struct checks *c = access->checks;
    const uint32_t *size = c->machine->launch->block;
    uint32_t index = other->who >> CELL_THREAD, tally = other->who >> CELL_OP & (CELL_OPS - 1);
    uint32_t x = size[0] ? size[0] : 1, y = size[1] ? size[1] : 1;
    out->op = tally < c->tallies ? c->ops[tally] : NULL;
    out->write = other->write;
    out->atomic = (other->who & CELL_ATOMIC) && other->write;
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

// What a barrier between the two cannot mend, because there is no "between": they are one statement.
static const char *advice_for_one(bool update)
{
    return update ? "with nothing that keeps them apart. The statement reads and then writes: what another "
                    "thread "
                    "adds in between is lost. Use an atomic for it, such as atomicAdd()"
                  : "with nothing that keeps them apart. Let one thread write it, or give each thread an "
                    "element "
                    "of its own";
}

static const char *advice(const struct race_side *here, const struct race_side *there, enum race_scope scope)
{
    bool mixed = here->atomic != there->atomic;
    switch (scope) {
    case SAME_WARP:
        return "with no __syncwarp() between. The lanes of a warp need not run in step: "
               "put __syncwarp() between the two";
    case SAME_BLOCK:
        return mixed ? "with no barrier between. An atomic only guards against other atomics: "
                       "put __syncthreads() between the two"
                     : "with no barrier between. Put __syncthreads() between the two";
    default:
        return mixed ? "and blocks run in any order. An atomic only guards against other atomics: "
                       "make both atomic, or use two launches"
                     : "and blocks run in any order. Use atomics, or two launches";
    }
}

static void say_place(const struct address_name *n, char place[static PLACE_ROOM])
{
    snprintf(place, PLACE_ROOM, "%s[%lld]", n->buffer[0] ? n->buffer : n->space, (long long)n->element);
}

// Both sides are one statement, and it is an update, or both write.
static const char *advice_of(struct warp *warp, const struct race_side *here, const struct race_side *there,
                             enum race_scope scope)
{
    const struct checks *c = warp->checks;
    bool plain = !here->atomic && !there->atomic && same_line(here->op, there->op);
    if (plain && cas_load_is_update(c->cas_loads, c->machine->module, here->op->from))
        return advice_for_one(true);
    if (plain && here->write && there->write && scope == SAME_BLOCK)
        return advice_for_one(false);
    return advice(here, there, scope);
}

static void say(struct warp *warp, const struct finding_report *report, const struct address_name *n,
                const struct race_side *here, const struct race_side *there, enum race_scope scope)
{
    char who[80], place[PLACE_ROOM], line[40], other_line[40], whose[64] = "";
    say_place(n, place);
    name_lane(warp, report->lane, who);
    say_line(here->op, line);
    say_line(there->op, other_line);
    if (scope == OTHER_BLOCK)
        snprintf(whose, sizeof whose, " of block (%u,%u,%u)", there->block[0], there->block[1],
                 there->block[2]);
    const uint32_t *t = there->thread;
    if (scope == SAME_INSTRUCTION)
        finding_add(warp, report,
                    "%s and thread (%u,%u,%u) write different values to %s at once in %s: which one stays "
                    "is left to chance.",
                    who, t[0], t[1], t[2], place, line);
    else if (report->severity == SIM_NOTE)
        finding_add(warp, report,
                    "%s writes %s in %s and thread (%u,%u,%u)%s writes it in %s, in no order. Both write "
                    "the same value, so it does no harm.",
                    who, place, line, t[0], t[1], t[2], whose, other_line);
    else
        finding_add(warp, report, "%s %s %s in %s while thread (%u,%u,%u)%s %s it in %s%s, %s.", who,
                    verb(here), place, line, t[0], t[1], t[2], whose, verb(there), other_line,
                    report->kind == SIM_DOUBLE_WRITE ? " with another value" : "",
                    advice_of(warp, here, there, scope));
}

void race_report(const struct access *access, int lane, uint64_t offset, const struct race_conflict *other,
                 enum race_scope scope, bool same_value)
{
    const struct touched *t = access->touched;
    struct race_side here = { .op = t->op, .write = t->write, .atomic = t->atomic }, there;
    other_side(access, other, &there);
    if (same_value && same_line(here.op, there.op))
        return; // everybody says the same
    bool twice = here.write && there.write && !here.atomic && !there.atomic;
    enum sim_role role = access->allocation ? access->allocation->role : SIM_SCRATCH;
    struct finding_report report = { .kind = access->allocation ? SIM_RACE_GLOBAL : SIM_RACE_SHARED,
                                     .severity = SIM_ERROR };
    if (same_value)
        report.severity = SIM_NOTE;
    else if (scope == SAME_WARP)
        report.severity = SIM_WARNING;
    if (twice && !same_value && (role == SIM_OUT || role == SIM_INOUT))
        report.kind = SIM_DOUBLE_WRITE;
    struct address_name n;
    uint64_t address = t->address[lane] + (offset - offset_of(access, lane));
    name_address(access->warp, access->allocation ? SPACE_GLOBAL : SPACE_SHARED, address, &n);
    report.op = here.op;
    report.other = there.op;
    report.lane = lane;
    memcpy(report.other_block, there.block, sizeof report.other_block);
    memcpy(report.other_thread, there.thread, sizeof report.other_thread);
    report.other_known = true;
    report.space = n.space;
    report.buffer = n.buffer;
    report.address = address;
    report.element = n.element;
    if (!finding_repeats(access->warp, &report))
        say(access->warp, &report, &n, &here, &there, scope);
}

void race_report_early(const struct access *access, uint32_t lanes, const struct op *copy, uint32_t thread)
{
    const struct touched *t = access->touched;
    int lane = __builtin_ctz(lanes);
    struct race_side here = { .op = t->op, .write = t->write, .atomic = t->atomic };
    struct race_conflict other = { access->epoch, thread << CELL_THREAD, true };
    struct race_side there;
    struct address_name n;
    char who[80], line[40], copy_line[40], place[PLACE_ROOM];
    other_side(access, &other, &there);
    name_address(access->warp, SPACE_SHARED, t->address[lane], &n);
    say_place(&n, place);
    struct finding_report report = { .kind = SIM_RACE_SHARED,
                                     .severity = SIM_ERROR,
                                     .op = t->op,
                                     .other = copy,
                                     .lane = lane,
                                     .other_known = true,
                                     .space = n.space,
                                     .buffer = n.buffer,
                                     .address = t->address[lane],
                                     .element = n.element,
                                     .count = (uint64_t)__builtin_popcount(lanes) };
    memcpy(report.other_block, there.block, sizeof report.other_block);
    memcpy(report.other_thread, there.thread, sizeof report.other_thread);
    name_lane(access->warp, lane, who);
    say_line(t->op, line);
    say_line(copy, copy_line);
    const uint32_t *at = there.thread;
    if (thread == access->warp->index * LANES + (uint32_t)lane)
        finding_add(
            access->warp, &report,
            "%s %s %s in %s while its own cp.async from %s may still be on its way there. Wait between the "
            "two: cp.async.wait_all does, or __pipeline_commit() with __pipeline_wait_prior(0); a larger "
            "number leaves as many of the last groups on their way.",
            who, verb(&here), place, line, copy_line);
    else
        finding_add(
            access->warp, &report,
            "%s %s %s in %s while the cp.async of thread (%u,%u,%u) from %s may still be on its way there. A "
            "barrier does not wait for copies: first each thread waits for its own, by cp.async.wait_all or "
            "__pipeline_commit() with __pipeline_wait_prior(0), then all meet at __syncthreads().",
            who, verb(&here), place, line, at[0], at[1], at[2], copy_line);
}
