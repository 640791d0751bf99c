// What stepping shows: plain lines, the same for a person and for a script.
#include "tui/command/step.h"

#include <string.h>

enum { LANES = 32, PER_ROW = 8, NEXT_REGISTERS = 16 };

static void add_lanes(struct text *out, uint32_t mask)
{
    for (int i = 0; i < LANES; i++)
        text_add(out, mask >> i & 1 ? "#" : ".");
}

// Line `line` of the source, without what it is indented by; nothing when it is not known.
static void add_source(struct stepping *s, int line)
{
    const char *at = s->source;
    for (int i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (!at || line < 1)
        return;
    at += strspn(at, " \t");
    text_addf(&s->out, "  line %d: ", line);
    text_add_n(&s->out, at, strcspn(at, "\r\n"));
    text_add(&s->out, "\n");
}

// Then it says so.
static bool nobody_runs(struct stepping *s)
{
    struct sim_spot spot;
    sim_trace_where(s->trace, &spot);
    if (spot.ended)
        text_add(&s->out, "No warp runs any more.\n");
    return spot.ended;
}

void step_where(struct stepping *s)
{
    struct sim_spot spot;
    sim_trace_where(s->trace, &spot);
    if (spot.ended) {
        text_addf(&s->out, "step %llu: %s\n", (unsigned long long)spot.step, walk_end(&spot));
        return;
    }
    text_addf(&s->out, "step %llu: ", (unsigned long long)spot.step);
    walk_add_who(&s->out, &spot);
    text_addf(&s->out, ", %s\n", spot.function);
    add_source(s, spot.line);
    text_addf(&s->out, "  ptx %d: %s\n", spot.ptx_line, walk_trimmed(spot.text));
    text_add(&s->out, "  ");
    walk_add_active(&s->out, &spot);
    text_addf(&s->out, ", mask %08x\n", spot.active);
}

void step_lanes(struct stepping *s)
{
    struct sim_spot spot;
    uint32_t first[3], last[3];
    if (nobody_runs(s))
        return;
    sim_trace_where(s->trace, &spot);
    const struct {
        const char *name;
        uint32_t mask;
    } rows[] = { { "exist", spot.exists },
                 { "running", spot.live },
                 { "on this path", spot.mask },
                 { "active", spot.active } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_addf(&s->out, "%-13s %08x  ", rows[i].name, rows[i].mask);
        add_lanes(&s->out, rows[i].mask);
        text_addf(&s->out, "  %d\n", __builtin_popcount(rows[i].mask));
    }
    sim_trace_thread(s->trace, 0, first);
    sim_trace_thread(s->trace, 31 - __builtin_clz(spot.exists | 1), last);
    text_addf(&s->out, "lane 0 is thread (%u,%u,%u), the last one thread (%u,%u,%u)\n", first[0], first[1],
              first[2], last[0], last[1], last[2]);
}

// ---- registers ------------------------------------------------------------------------------------------------

static void show_register(struct stepping *s, const struct sim_register *r)
{
    text_addf(&s->out, "%s ", r->name);
    walk_add_uses(&s->out, r);
    text_add(&s->out, "\n");
    if (walk_uniform(r)) {
        text_add(&s->out, "  all lanes: ");
        walk_add_value(&s->out, WALK_AS_USED, r->is, r->bytes, r->value[0]);
        text_add(&s->out, "\n");
        return;
    }
    for (int i = 0; i < LANES; i++) {
        if (i % PER_ROW == 0)
            text_addf(&s->out, "  lane %2d:", i);
        text_add(&s->out, " ");
        walk_add_value(&s->out, WALK_AS_USED, r->is, r->bytes, r->value[i]);
        if (i % PER_ROW == PER_ROW - 1)
            text_add(&s->out, "\n");
    }
}

void step_register(struct stepping *s, const char *name)
{
    struct sim_register r;
    const char *names[512];
    size_t count = 0;
    if (nobody_runs(s))
        return;
    if (sim_trace_register(s->trace, name, &r)) {
        show_register(s, &r);
        return;
    }
    while (count < 512 && (names[count] = sim_trace_register_name(s->trace, count)))
        count++;
    const char *nearest = string_nearest(name, names, count);
    if (nearest)
        text_addf(&s->out, "There is no register '%.40s' here. Did you mean %s?\n", name, nearest);
    else
        text_addf(&s->out, "There is no register '%.40s' here. 'regs' lists those of the next instruction.\n",
                  name);
}

void step_registers(struct stepping *s)
{
    struct sim_register r[NEXT_REGISTERS];
    size_t count = sim_trace_registers(s->trace, r, NEXT_REGISTERS);
    if (nobody_runs(s))
        return;
    if (!count)
        text_add(&s->out, "The next instruction uses no register.\n");
    for (size_t i = 0; i < count && i < NEXT_REGISTERS; i++)
        show_register(s, &r[i]);
}

// ---- memory ---------------------------------------------------------------------------------------------------

void step_access(struct stepping *s)
{
    struct sim_touched t;
    if (!sim_trace_touched(s->trace, &t)) {
        text_add(&s->out, "No memory instruction has run yet.\n");
        return;
    }
    text_addf(&s->out, "step %llu, block (%u,%u,%u), warp %u: ", (unsigned long long)t.step, t.block[0],
              t.block[1], t.block[2], t.warp);
    walk_add_touched(&s->out, &t);
    text_add(&s->out, "\n");
    add_source(s, t.line);
    text_addf(&s->out, "  ptx %d: %s\n", t.ptx_line, walk_trimmed(t.text));
    text_add(&s->out, "  ");
    walk_add_cost(&s->out, &t);
    text_add(&s->out, "\n");
    for (int i = 0; i < LANES; i++) {
        if (!(t.lanes >> i & 1))
            continue;
        text_add(&s->out, "  ");
        walk_add_touched_lane(&s->out, &t, i);
        text_add(&s->out, "\n");
    }
}

void step_shared(struct stepping *s, size_t from, size_t count)
{
    uint32_t words[1024];
    size_t bytes = sim_trace_shared_bytes(s->trace);
    if (nobody_runs(s))
        return;
    if (!bytes) {
        text_add(&s->out, "This block has no shared memory.\n");
        return;
    }
    count = sim_trace_shared(s->trace, from, count < 1024 ? count : 1024, words);
    text_addf(&s->out, "words %zu to %zu of %zu\n", from, count ? from + count - 1 : from, bytes / 4);
    for (size_t i = 0; i < count; i++) {
        if (i % PER_ROW == 0)
            text_addf(&s->out, "  %5zu:", from + i);
        text_addf(&s->out, " %08x%s", words[i], i % PER_ROW == PER_ROW - 1 || i + 1 == count ? "\n" : "");
    }
}

// ---- paths, warps, findings -----------------------------------------------------------------------------------

void step_stack(struct stepping *s)
{
    struct sim_path paths[64];
    size_t depth = sim_trace_stack(s->trace, paths, 64);
    if (nobody_runs(s))
        return;
    for (size_t i = 0; i < depth && i < 64; i++) {
        text_addf(&s->out, "%-8s %08x  ", i ? "waits" : "runs", paths[i].mask);
        add_lanes(&s->out, paths[i].mask);
        text_add(&s->out, "  ");
        walk_add_path(&s->out, &paths[i]);
        text_add(&s->out, "\n");
    }
}

void step_warps(struct stepping *s)
{
    struct sim_warp warps[LANES];
    size_t count = sim_trace_warps(s->trace, warps);
    if (nobody_runs(s))
        return;
    for (size_t i = 0; i < count; i++) {
        walk_add_warp(&s->out, i, &warps[i]);
        text_add(&s->out, "\n");
    }
}

void step_finding(struct stepping *s, const struct sim_finding *f)
{
    walk_add_finding(&s->out, f, s->file);
    text_addf(&s->out, "\n  %s\n", f->sentence);
}
