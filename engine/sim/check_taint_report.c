// What the checks say of uninitialised values: who read what nobody wrote, and what came of it.
#include "engine/sim/check.h"

#include <stdio.h>
#include <string.h>

// "line 12", or the line of the PTX when the source's is not known.
const char *say_line(const struct op *op, char out[40])
{
    const struct ptx_instruction *in = op ? op->from : NULL;
    if (!in)
        snprintf(out, 40, "another line");
    else if (in->line)
        snprintf(out, 40, "line %d", in->line);
    else
        snprintf(out, 40, "line %d of the PTX", in->ptx_line);
    return out;
}

bool same_line(const struct op *a, const struct op *b)
{
    if (a == b || !a || !b || !a->from || !b->from)
        return a == b;
    return a->from->line ? a->from->line == b->from->line : a->from->ptx_line == b->from->ptx_line;
}

// ---- uninitialised ----------------------------------------------------------------------------------------------------

// Whose read it was: the lane's own, or another's that gave it the value.
static int find_reader(const struct warp *warp, const struct taint *taint, uint32_t lanes, uint64_t *address)
{
    const struct warp_checks *state = &warp->checks->warps[warp->index];
    const struct reading *reading = &state->readings[taint->reading % READINGS];
    *address = taint->address;
    if (taint->reading == 0 || reading->number != taint->reading)
        return __builtin_ctz(lanes);
    int lane = __builtin_ctz(lanes & reading->lanes ? lanes & reading->lanes : reading->lanes);
    *address = reading->address[lane];
    return lane;
}

void taint_report(struct warp *warp, const struct op *op, const struct taint *taint, uint32_t lanes,
                  const char *use)
{
    struct checks *c = warp->checks;
    size_t tally = (size_t)taint->origin->tally;
    if (tally < c->tallies) { // many uses of one read are one finding
        if (!c->first_use[tally])
            c->first_use[tally] = op;
        op = c->first_use[tally];
    }
    uint64_t address;
    int lane = find_reader(warp, taint, lanes, &address);
    struct named n;
    char who[80], line[40], other_line[40], where[48] = "";
    name_address(warp, taint->space, address, &n);
    struct report report = { .kind = SIM_UNINITIALISED, .severity = SIM_ERROR, .lane = lane };
    report.op = taint->origin;
    report.other = op == taint->origin ? NULL : op;
    report.space = n.space;
    report.buffer = n.buffer;
    report.address = address;
    report.element = n.element;
    report.count = (uint64_t)__builtin_popcount(lanes);
    memcpy(report.other_block, warp->block->id, sizeof report.other_block);
    thread_of_lane(warp, __builtin_ctz(lanes), report.other_thread);
    report.other_known = report.other != NULL;
    if (!same_line(op, taint->origin))
        snprintf(where, sizeof where, " in %s", say_line(op, line));
    if (taint->space == SPACE_LOCAL) {
        finding_add(
            warp, &report,
            "%s reads local memory that this thread never wrote, in %s, and %s%s. Give every element of "
            "its array a value first.",
            name_lane(warp, lane, who), say_line(taint->origin, other_line), use, where);
        return;
    }
    finding_add(warp, &report,
                "%s reads %s[%lld], which no thread has written, and %s%s. Give %s a value first.",
                name_lane(warp, lane, who), n.buffer[0] ? n.buffer : n.space, (long long)n.element, use,
                where, n.buffer[0] ? n.buffer : "it");
}
