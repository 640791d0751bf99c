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
static void say_user(const struct warp *warp, int lane, const struct uninit_source *source, char out[64])
{
    uint32_t id[3];
    thread_of_lane(warp, lane, id);
    snprintf(out, 64, "and");
    if (warp->index * LANES + (uint32_t)lane != source->thread)
        snprintf(out, 64, "and thread (%u,%u,%u)", id[0], id[1], id[2]);
}

// What was read, and what is missing.
static void say_read(const struct uninit_source *source, const struct named *n, char out[192])
{
    static const char doubtful[] = "holds no value, or one made from memory that no thread has written";
    char line[40];
    if (source->space == SPACE_LOCAL)
        snprintf(out, 192, "local memory that %s, in %s",
                 source->vague ? doubtful : "this thread had never written", say_line(source->op, line));
    else
        snprintf(out, 192, "%s[%lld], which %s", n->buffer[0] ? n->buffer : n->space, (long long)n->element,
                 source->vague ? doubtful : "no thread has written");
}

static const char *say_advice(const struct uninit_source *source, const struct named *n)
{
    return source->space == SPACE_LOCAL ? "every element of its array" : n->buffer[0] ? n->buffer : "it";
}

// Many uses of one read are one finding, that of the first.
static const struct op *first_use(struct checks *c, const struct uninit_source *source, const struct op *op)
{
    size_t tally = (size_t)source->op->tally;
    if (tally >= c->tallies)
        return op;
    if (!c->first_use[tally])
        c->first_use[tally] = op;
    return c->first_use[tally];
}

void uninit_report(struct warp *warp, const struct op *op, const struct undefined *value, uint32_t lanes,
                   const char *use)
{
    const struct uninit_source *source = uninit_source_in(warp, value, lanes);
    struct warp *reader = &warp->block->warps[source->thread / LANES];
    int user = __builtin_ctz(lanes), lane = (int)(source->thread % LANES);
    struct named n = { .space = "" };
    struct report report = { .kind = SIM_SYNC_MASK, .severity = SIM_ERROR, .lane = lane };
    char who[80], line[40], what[192], and_who[64], where[48] = "";
    op = first_use(warp->checks, source, op);
    if (!source->missing) {
        name_address(warp, source->space, source->address, &n);
        report.kind = SIM_UNINITIALISED;
        report.address = source->address;
    }
    report.op = source->op;
    report.other = op == source->op ? NULL : op;
    report.space = n.space;
    report.buffer = n.buffer;
    report.element = n.element;
    report.count = (uint64_t)__builtin_popcount(lanes);
    memcpy(report.other_block, warp->block->id, sizeof report.other_block);
    thread_of_lane(warp, user, report.other_thread);
    report.other_known = report.other != NULL;
    if (!same_line(op, source->op))
        snprintf(where, sizeof where, " in %s", say_line(op, line));
    name_lane(reader, lane, who);
    say_user(warp, user, source, and_who);
    if (source->missing) {
        finding_add(reader, &report,
                    "%s takes what a shuffle brings from lane %d of its warp, %s, %s %s%s. Such a value is "
                    "undefined: use it only where the lane that it comes from takes part.",
                    who, (int)source->address, source->missing, and_who, use, where);
        return;
    }
    say_read(source, &n, what);
    finding_add(reader, &report, "%s reads %s, %s %s%s. Give %s a value first.", who, what, and_who, use,
                where, say_advice(source, &n));
}
