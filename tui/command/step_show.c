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

static const char *trimmed(const char *text)
{
    return text ? text + strspn(text, " \t") : "?";
}

void step_where(struct stepping *s)
{
    struct sim_spot spot;
    sim_trace_where(s->trace, &spot);
    if (spot.ended) {
        text_addf(&s->out, "step %llu: the end of the launch\n", (unsigned long long)spot.step);
        return;
    }
    text_addf(&s->out, "step %llu: block %llu (%u,%u,%u) of %llu, warp %u of %u, %s\n",
              (unsigned long long)spot.step, (unsigned long long)spot.block_number, spot.block[0],
              spot.block[1], spot.block[2], (unsigned long long)spot.blocks, spot.warp, spot.warps,
              spot.function);
    add_source(s, spot.line);
    text_addf(&s->out, "  ptx %d: %s\n", spot.ptx_line, trimmed(spot.text));
    text_addf(&s->out, "  active %d of %d lanes, mask %08x\n", __builtin_popcount(spot.active),
              __builtin_popcount(spot.exists), spot.active);
}

void step_lanes(struct stepping *s)
{
    struct sim_spot spot;
    uint32_t first[3], last[3];
    sim_trace_where(s->trace, &spot);
    if (spot.ended)
        return;
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

static void add_value(struct text *out, const struct sim_register *r, uint64_t bits)
{
    float single;
    double real;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&real, &bits, sizeof real);
    if (r->is == SIM_BOOL)
        text_add(out, bits ? "true" : "false");
    else if (r->is == SIM_FLOAT)
        text_addf(out, "%.9g", r->bytes == 8 ? real : (double)single);
    else if (r->bytes == 8 && bits >> 36 && bits < (uint64_t)-1 << 36)
        text_addf(out, "0x%llx", (unsigned long long)bits); // an address
    else if (r->is == SIM_SIGNED)
        text_addf(out, "%lld",
                  r->bytes == 8   ? (long long)bits
                  : r->bytes == 2 ? (long long)(int16_t)low
                                  : (long long)(int32_t)low);
    else
        text_addf(out, "%llu", (unsigned long long)bits);
}

static bool is_uniform(const struct sim_register *r)
{
    for (int i = 1; i < LANES; i++)
        if (r->value[i] != r->value[0])
            return false;
    return true;
}

static void show_register(struct stepping *s, const struct sim_register *r)
{
    text_addf(&s->out, "%s  %s%s%s\n", r->name, r->bytes == 1 ? "a predicate" : "",
              r->read ? " read by the next instruction" : "",
              r->written ? " written by the next instruction" : "");
    if (is_uniform(r)) {
        text_add(&s->out, "  all lanes: ");
        add_value(&s->out, r, r->value[0]);
        text_add(&s->out, "\n");
        return;
    }
    for (int i = 0; i < LANES; i++) {
        if (i % PER_ROW == 0)
            text_addf(&s->out, "  lane %2d:", i);
        text_add(&s->out, " ");
        add_value(&s->out, r, r->value[i]);
        if (i % PER_ROW == PER_ROW - 1)
            text_add(&s->out, "\n");
    }
}

void step_register(struct stepping *s, const char *name)
{
    struct sim_register r;
    const char *names[512];
    size_t count = 0;
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
    if (!count)
        text_add(&s->out, "The next instruction uses no register.\n");
    for (size_t i = 0; i < count && i < NEXT_REGISTERS; i++)
        show_register(s, &r[i]);
}

// ---- memory ---------------------------------------------------------------------------------------------------

static const char *access_name(enum sim_access access)
{
    static const char *const names[] = { "global load",   "global store", "global reduction",
                                         "global atomic", "shared load",  "shared store",
                                         "shared atomic", "local load",   "local store" };
    return access < SIM_ACCESSES ? names[access] : "access";
}

// An atomic finds the old value; when nobody reads that, what it was given is shown.
static const char *value_word(const struct sim_touched *t)
{
    bool atomic = t->access == SIM_GLOBAL_RED || t->access == SIM_GLOBAL_ATOM || t->access == SIM_SHARED_ATOM;
    return atomic ? (t->brings ? "found" : "given") : t->brings ? "read" : "wrote";
}

static void add_touched_lane(struct text *out, const struct sim_touched *t, int i)
{
    text_addf(out, "  lane %2d: %s %s", i, t->lane[i].space,
              *t->lane[i].buffer ? t->lane[i].buffer : "outside of everything");
    if (*t->lane[i].buffer)
        text_addf(out, "[%lld]", (long long)t->lane[i].element);
    text_addf(out, " at 0x%llx", (unsigned long long)t->lane[i].address);
    if (strcmp(t->lane[i].space, "shared") == 0)
        text_addf(out, ", bank %u", t->lane[i].bank);
    else
        text_addf(out, ", sector %llu", (unsigned long long)t->lane[i].sector);
    if (t->parts)
        text_addf(out, ", %s", value_word(t));
    for (unsigned k = 0; k < t->parts; k++)
        text_addf(out, " 0x%llx", (unsigned long long)t->lane[i].value[k]);
    text_add(out, "\n");
}

void step_access(struct stepping *s)
{
    struct sim_touched t;
    if (!sim_trace_touched(s->trace, &t)) {
        text_add(&s->out, "No memory instruction has run yet.\n");
        return;
    }
    int first = t.lanes ? __builtin_ctz(t.lanes) : 0;
    bool shared = t.lanes && strcmp(t.lane[first].space, "shared") == 0;
    text_addf(&s->out, "step %llu, block (%u,%u,%u), warp %u: %s of %u bytes per lane by %d lanes\n",
              (unsigned long long)t.step, t.block[0], t.block[1], t.block[2], t.warp, access_name(t.access),
              t.bytes, __builtin_popcount(t.lanes));
    add_source(s, t.line);
    text_addf(&s->out, "  ptx %d: %s\n", t.ptx_line, trimmed(t.text));
    text_addf(&s->out, "  %llu %s, %llu would do", (unsigned long long)t.passes,
              shared ? "wavefronts" : "sectors", (unsigned long long)t.ideal);
    text_addf(&s->out, t.conflicts ? ", %llu conflicts\n" : "\n", (unsigned long long)t.conflicts);
    for (int i = 0; i < LANES; i++)
        if (t.lanes >> i & 1)
            add_touched_lane(&s->out, &t, i);
}

void step_shared(struct stepping *s, size_t from, size_t count)
{
    uint32_t words[1024];
    size_t bytes = sim_trace_shared_bytes(s->trace);
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
    for (size_t i = 0; i < depth && i < 64; i++) {
        text_addf(&s->out, "%-8s %08x  ", i ? "waits" : "runs", paths[i].mask);
        add_lanes(&s->out, paths[i].mask);
        if (paths[i].ptx_line)
            text_addf(&s->out, "  goes on at ptx %d", paths[i].ptx_line);
        else
            text_add(&s->out, "  is at the end");
        if (paths[i].line)
            text_addf(&s->out, " (line %d)", paths[i].line);
        if (paths[i].meets_ptx_line)
            text_addf(&s->out, ", meets its sisters at ptx %d", paths[i].meets_ptx_line);
        text_addf(&s->out, "%s%s%s\n", paths[i].called ? ", called: " : "",
                  paths[i].called ? paths[i].function : "", paths[i].waits ? ", waits for lanes" : "");
    }
    if (!depth)
        text_add(&s->out, "No warp runs any more.\n");
}

void step_warps(struct stepping *s)
{
    static const char *const names[] = { "runs", "can run", "waits at barrier", "has ended" };
    struct sim_warp warps[LANES];
    size_t count = sim_trace_warps(s->trace, warps);
    for (size_t i = 0; i < count; i++) {
        text_addf(&s->out, "warp %2zu: %s", i, names[warps[i].state]);
        if (warps[i].state == SIM_WAITS)
            text_addf(&s->out, " %d", warps[i].barrier);
        if (warps[i].ptx_line)
            text_addf(&s->out, ", ptx %d", warps[i].ptx_line);
        if (warps[i].line)
            text_addf(&s->out, ", line %d", warps[i].line);
        text_add(&s->out, "\n");
    }
    if (!count)
        text_add(&s->out, "No warp runs any more.\n");
}

void step_finding(struct stepping *s, const struct sim_finding *f)
{
    static const char *const severities[] = { "note", "warning", "error" };
    text_addf(&s->out, "%s: %s", severities[f->severity], sim_kind_name(f->kind));
    if (f->here.line)
        text_addf(&s->out, ", %s:%d", s->file, f->here.line);
    if (f->count > 1)
        text_addf(&s->out, ", %llu times", (unsigned long long)f->count);
    text_addf(&s->out, "\n  %s\n", f->sentence);
}
