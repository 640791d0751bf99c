// What the checks say of uninitialised values: who read what nobody wrote, and what came of it.
#include "engine/sim/sanitize/check.h"

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

// Who uses the value, where it is not who read it: "and stores", "and thread (3,0,0) stores".
static void say_user(const struct warp *warp, int lane, const struct origin *origin, char out[64])
{
    uint32_t id[3];
    thread_of_lane(warp, lane, id);
    snprintf(out, 64, "and");
    if (warp->index * LANES + (uint32_t)lane != origin->thread)
        snprintf(out, 64, "and thread (%u,%u,%u)", id[0], id[1], id[2]);
}

// What was read, and what is missing.
static void say_read(const struct origin *origin, const struct named *n, char out[192])
{
    static const char doubtful[] = "holds no value, or one made from memory that no thread has written";
    char line[40];
    if (origin->space == SPACE_LOCAL)
        snprintf(out, 192, "local memory that %s, in %s",
                 origin->vague ? doubtful : "this thread had never written", say_line(origin->op, line));
    else
        snprintf(out, 192, "%s[%lld], which %s", n->buffer[0] ? n->buffer : n->space, (long long)n->element,
                 origin->vague ? doubtful : "no thread has written");
}

static const char *say_advice(const struct origin *origin, const struct named *n)
{
    return origin->space == SPACE_LOCAL ? "every element of its array" : n->buffer[0] ? n->buffer : "it";
}

// Many uses of one read are one finding, that of the first.
static const struct op *first_use(struct checks *c, const struct origin *origin, const struct op *op)
{
    size_t tally = (size_t)origin->op->tally;
    if (tally >= c->tallies)
        return op;
    if (!c->first_use[tally])
        c->first_use[tally] = op;
    return c->first_use[tally];
}

void taint_report(struct warp *warp, const struct op *op, const struct taint *taint, uint32_t lanes,
                  const char *use)
{
    const struct origin *origin = origin_in(warp, taint, lanes);
    struct warp *reader = &warp->block->warps[origin->thread / LANES];
    int user = __builtin_ctz(lanes), lane = (int)(origin->thread % LANES);
    struct named n = { .space = "" };
    struct report report = { .kind = SIM_SYNC_MASK, .severity = SIM_ERROR, .lane = lane };
    char who[80], line[40], what[192], and_who[64], where[48] = "";
    op = first_use(warp->checks, origin, op);
    if (!origin->missing) {
        name_address(warp, origin->space, origin->address, &n);
        report.kind = SIM_UNINITIALISED;
        report.address = origin->address;
    }
    report.op = origin->op;
    report.other = op == origin->op ? NULL : op;
    report.space = n.space;
    report.buffer = n.buffer;
    report.element = n.element;
    report.count = (uint64_t)__builtin_popcount(lanes);
    memcpy(report.other_block, warp->block->id, sizeof report.other_block);
    thread_of_lane(warp, user, report.other_thread);
    report.other_known = report.other != NULL;
    if (!same_line(op, origin->op))
        snprintf(where, sizeof where, " in %s", say_line(op, line));
    name_lane(reader, lane, who);
    say_user(warp, user, origin, and_who);
    if (origin->missing) {
        finding_add(reader, &report,
                    "%s takes what a shuffle brings from lane %d of its warp, %s, %s %s%s. Such a value is "
                    "undefined: use it only where the lane that it comes from takes part.",
                    who, (int)origin->address, origin->missing, and_who, use, where);
        return;
    }
    say_read(origin, &n, what);
    finding_add(reader, &report, "%s reads %s, %s %s%s. Give %s a value first.", who, what, and_who, use,
                where, say_advice(origin, &n));
}
