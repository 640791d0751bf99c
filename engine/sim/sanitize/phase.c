// Barriers in shared memory and bulk copies as the sanitizer sees them. An arrival releases what its warp has done, a wait
// that finds the phase over acquires it. The bytes of a bulk copy may not be touched before somebody has waited for its
// barrier, nor those of one to global memory be changed before its thread has waited for its group; and what threads have
// written is seen by a bulk copy only after a proxy fence.
#include "engine/sim/sanitize/checks.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BARRIERS = 64, MOST_BULK = 256 };
struct phase_clock {
    uint64_t at; // plus 1; 0: free
    int32_t arrived[MAX_WARPS], released[MAX_WARPS];
};
struct bulk_pending {
    uint64_t from, size, barrier;
    const struct op *op;
    uint32_t thread, group;
    bool loads, open;
};
struct phases {
    struct phase_clock clocks[MOST_BARRIERS];
    struct bulk_pending pending[MOST_BULK];
    uint32_t open, next;                   // pending ones; the next slot
    uint32_t committed[MAX_WARPS * LANES]; // groups of bulk copies, by thread
    uint64_t *unfenced; // a bit per byte of shared memory: a thread wrote it after the last proxy fence
    bool any_unfenced;
};

static struct phases *phases_of(const struct warp *warp)
{
    struct checks *c = warp->checks;
    if (!c->phases)
        c->phases = budget_take(budget_of(warp), FOR_CHECKS, sizeof *c->phases);
    return c->phases;
}

void phases_start(struct checks *c)
{
    struct phases *p = c->phases;
    if (!p)
        return;
    uint64_t *unfenced = p->unfenced;
    memset(p, 0, sizeof *p);
    p->unfenced = unfenced;
    if (unfenced)
        memset(unfenced, 0, (c->shared.bytes + 63) / 64 * sizeof *unfenced);
}

void phases_end(struct checks *c)
{
    struct budget *budget = &c->machine->memory->budget;
    if (c->phases)
        budget_give(budget, c->phases->unfenced);
    budget_give(budget, c->phases);
    c->phases = NULL;
}

static bool is_phase_op(const struct op *op)
{
    return op->from && op->from->base && strcmp(op->from->base, "mbarrier") == 0;
}

bool phases_wanted(const struct sim_module *module)
{
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; module->functions[f].ops && i < module->functions[f].op_count; i++)
            if (is_phase_op(&module->functions[f].ops[i]))
                return true;
    return false;
}

// A bulk copy from shared memory, to global memory or to another block.
static bool copies_shared(const struct ptx_instruction *in)
{
    return ptx_has(in, "bulk_group") ||
           (ptx_has(in, "mbarrier::complete_tx::bytes") && !ptx_has(in, "global"));
}

// Whether the module has bulk copies from shared memory, so that what threads write has to be remembered.
bool phases_want_fences(const struct sim_module *module)
{
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; module->functions[f].ops && i < module->functions[f].op_count; i++) {
            const struct ptx_instruction *in = module->functions[f].ops[i].from;
            if (in && in->base && strcmp(in->base, "cp") == 0 && ptx_has(in, "bulk") && copies_shared(in))
                return true;
        }
    return false;
}

// ---- order -------------------------------------------------------------------------------------------------------------

static struct phase_clock *clock_at(const struct warp *warp, uint64_t at)
{
    struct phases *p = phases_of(warp);
    for (int i = 0; p && i < MOST_BARRIERS; i++) {
        if (p->clocks[i].at == 0)
            p->clocks[i].at = at + 1;
        if (p->clocks[i].at == at + 1)
            return &p->clocks[i];
    }
    return NULL;
}

void mbarrier_starts(struct warp *warp, uint64_t at)
{
    struct phase_clock *clock = clock_at(warp, at);
    if (clock)
        *clock = (struct phase_clock){ .at = at + 1 };
}

// Between blocks of a cluster, arrivals and waits are releases and acquires, block by block.
static void tell_cluster(struct warp *warp)
{
    const struct together *t = warp->checks->together;
    if (!t || t->cluster < 2)
        return;
    race_fence(warp, true);
    together_release(warp);
}

void mbarrier_arrives(struct warp *warp, const struct block *of, uint64_t at)
{
    if (of != warp->block) {
        tell_cluster(warp);
        return;
    }
    struct warp_checks *state = &warp->checks->warps[warp->index];
    struct phase_clock *clock = clock_at(warp, at);
    if (!clock)
        return;
    for (uint32_t v = 0; v < warp->block->warp_count; v++)
        if (state->clock[v] > clock->arrived[v])
            clock->arrived[v] = state->clock[v];
    clock->arrived[warp->index] = (int32_t)*warp->checks->epochs + 1;
    state->epoch = 0;
}

void mbarrier_completes(struct warp *warp, uint64_t at)
{
    struct phase_clock *clock = clock_at(warp, at);
    for (int v = 0; clock && v < MAX_WARPS; v++)
        if (clock->arrived[v] > clock->released[v])
            clock->released[v] = clock->arrived[v];
}

void mbarrier_waited(struct warp *warp, uint64_t at)
{
    struct phases *p = phases_of(warp);
    struct warp_checks *state = &warp->checks->warps[warp->index];
    const struct phase_clock *clock = clock_at(warp, at);
    for (uint32_t v = 0; clock && v < warp->block->warp_count; v++)
        if (clock->released[v] > state->clock[v])
            state->clock[v] = clock->released[v];
    if (clock && clock->released[warp->index] > state->sync_epoch)
        state->sync_epoch = clock->released[warp->index];
    state->epoch = 0;
    tell_cluster(warp);
    for (int i = 0; p && p->open && i < MOST_BULK; i++)
        if (p->pending[i].open && p->pending[i].loads && p->pending[i].barrier == at) {
            p->pending[i].open = false;
            p->open--;
        }
}

// ---- bulk copies ---------------------------------------------------------------------------------------------------------

void bulk_leaves(struct warp *warp, const struct op *op, int lane, bool loads, uint64_t from, uint64_t size,
                 uint64_t barrier)
{
    struct phases *p = phases_of(warp);
    const uint32_t thread = warp->index * LANES + (uint32_t)lane;
    if (!p)
        return;
    struct bulk_pending *slot = &p->pending[p->next++ % MOST_BULK];
    p->open += !slot->open;
    *slot = (struct bulk_pending){ from, size, barrier, op, thread, p->committed[thread], loads, true };
}

void bulk_commits(struct warp *warp)
{
    struct phases *p = phases_of(warp);
    for (uint32_t left = p ? warp->active : 0; left; left &= left - 1)
        p->committed[warp->index * LANES + (uint32_t)__builtin_ctz(left)]++;
}

void bulk_waits(struct warp *warp, uint32_t but)
{
    struct phases *p = phases_of(warp);
    for (int i = 0; p && p->open && i < MOST_BULK; i++) {
        struct bulk_pending *b = &p->pending[i];
        const bool own = b->thread / LANES == warp->index && warp->active >> b->thread % LANES & 1;
        if (b->open && !b->loads && own && b->group + but < p->committed[b->thread]) {
            b->open = false;
            p->open--;
        }
    }
}

void bulk_fence(struct warp *warp)
{
    struct phases *p = warp->checks ? warp->checks->phases : NULL;
    if (!p || !p->any_unfenced || !warp->active)
        return;
    p->any_unfenced = false;
    memset(p->unfenced, 0, (warp->checks->shared.bytes + 63) / 64 * sizeof *p->unfenced);
}

// ---- accesses ------------------------------------------------------------------------------------------------------------

static void say(const struct access *access, int lane, const struct op *copy, const char *what,
                const char *advice)
{
    const struct touched *t = access->touched;
    struct address_name n;
    char who[80], line[40];
    struct finding_report report = { .kind = SIM_RACE_SHARED,
                                     .severity = SIM_ERROR,
                                     .op = t->op,
                                     .other = copy,
                                     .lane = lane,
                                     .address = t->address[lane] };
    finding_name_address(access->warp, SPACE_SHARED, t->address[lane], &n);
    report.space = n.space;
    report.buffer = n.buffer;
    report.element = n.element;
    if (finding_repeats(access->warp, &report))
        return;
    finding_say_line(copy ? copy : t->op, line);
    finding_add(access->warp, &report, "%s %s %s[%lld] %s %s. %s", finding_name_lane(access->warp, lane, who),
                t->bulk    ? "copies"
                : t->write ? "writes"
                           : "reads",
                n.buffer[0] ? n.buffer : n.space, (long long)n.element, what, line, advice);
}

static const struct bulk_pending *pending_over(const struct phases *p, uint64_t at, uint64_t bytes,
                                               bool write)
{
    for (int i = 0; i < MOST_BULK; i++) {
        const struct bulk_pending *b = &p->pending[i];
        if (b->open && (b->loads || write) && at < b->from + b->size && b->from < at + bytes)
            return b;
    }
    return NULL;
}

static void check_fences(const struct access *access)
{
    const struct phases *p = access->checks->phases;
    const struct touched *t = access->touched;
    for (uint32_t left = p->any_unfenced ? access->mask : 0; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        for (uint64_t at = t->address[lane]; at < t->address[lane] + t->bytes; at++)
            if (p->unfenced[at >> 6] >> (at & 63) & 1) {
                say(access, lane, NULL,
                    ptx_has(t->op->from, "bulk_group") ? "to global memory in" : "to another block in",
                    "What threads have written reaches a bulk copy only through a proxy fence: let each "
                    "thread that has "
                    "written run fence.proxy.async, then all meet at __syncthreads(), then one copies.");
                return;
            }
    }
}

static void mark_unfenced(const struct access *access)
{
    struct phases *p = phases_of(access->warp);
    const struct touched *t = access->touched;
    const size_t words = (access->range->bytes + 63) / 64 + 1;
    if (p && !p->unfenced)
        p->unfenced = budget_take(budget_of(access->warp), FOR_CHECKS, words * sizeof *p->unfenced);
    if (!p || !p->unfenced)
        return;
    p->any_unfenced = true;
    for (uint32_t left = access->mask; left; left &= left - 1)
        span_mark(p->unfenced, t->address[__builtin_ctz(left)], t->bytes, true);
}

void phases_check(const struct access *access)
{
    const struct phases *p = access->checks->phases;
    const struct touched *t = access->touched;
    if (t->bulk && t->read && p)
        check_fences(access);
    if (t->bulk)
        return;
    for (uint32_t left = p && p->open ? access->mask : 0; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const struct bulk_pending *b = pending_over(p, t->address[lane], t->bytes, t->write);
        if (!b)
            continue;
        if (b->loads)
            say(access, lane, b->op,
                strcmp(b->op->from->base, "cp") == 0
                    ? "while a bulk copy may still be on its way there, from"
                    : "while an asynchronous store may still be on its way there, from",
                "Wait for its mbarrier first: mbarrier.try_wait, with the parity of the phase that it "
                "completes.");
        else
            say(access, lane, b->op, "while a bulk copy to global memory may still read it, from",
                "Its thread waits for it by cp.async.bulk.commit_group and cp.async.bulk.wait_group.read 0; "
                "then all "
                "meet at __syncthreads().");
        break;
    }
    if (t->write && access->checks->wants_fences && access->range->bytes)
        mark_unfenced(access);
}
