// Happens-before among blocks that run together: those of a cluster, and all of a cooperative launch. Their epochs are
// numbered in turn, so that a table has the block of each. A barrier of the cluster joins the clocks of its warps; a barrier
// of the grid is made of releases and acquires, which are followed block by block.
//
// Shared memory of another block lasts from that block's start to its end: an access has to come after a barrier of the
// cluster, which no block passes before all have started, and before one that the other block waits for.
#include "engine/sim/sanitize/checks.h"

#include <stdio.h>
#include <string.h>

// ---- tables -------------------------------------------------------------------------------------------------

struct sizes { // elements
    size_t acquired, known, arrived, remote;
};
static struct sizes sizes_of(size_t seats, size_t cluster, size_t warps)
{
    return (struct sizes){ seats * seats, seats * warps * cluster * warps, seats * 2 * warps,
                           cluster > 1 ? seats * cluster * warps : 1 };
}

size_t together_bytes(const struct machine *machine)
{
    size_t warps = machine_warps(machine), seats = machine->resident;
    struct sizes of = sizes_of(seats, machine->cluster_size, warps);
    return seats < 2
               ? 0
               : budget_piece(sizeof(struct together)) + budget_piece(of.acquired * sizeof(struct acquired)) +
                     budget_piece((of.known + of.arrived + seats) * sizeof(int32_t)) +
                     budget_piece(of.remote * sizeof(struct remote_access));
}

bool together_start(struct thread_state *thread)
{
    const struct machine *m = thread->machine;
    struct budget *budget = &m->memory->budget;
    struct together *t = budget_take(budget, FOR_CHECKS, sizeof *t);
    if (!t)
        return false;
    thread->checks->together = t;
    t->seats = m->resident;
    t->cluster = m->cluster_size;
    t->warps = thread->block.warp_count;
    t->first = t->unit_first = thread->checks->launch_first;
    struct sizes of = sizes_of(t->seats, t->cluster, t->warps);
    t->acquired = budget_take(budget, FOR_CHECKS, of.acquired * sizeof *t->acquired);
    t->known = budget_take(budget, FOR_CHECKS, (of.known + of.arrived + t->seats) * sizeof *t->known);
    t->remote = budget_take(budget, FOR_CHECKS, of.remote * sizeof *t->remote);
    if (!t->acquired || !t->known || !t->remote)
        return false;
    t->arrived = t->known + of.known;
    t->acquired_at = (uint32_t *)(t->arrived + of.arrived);
    return true;
}

void together_end(struct checks *c)
{
    struct together *t = c->together;
    if (!t)
        return;
    struct budget *budget = &c->machine->memory->budget;
    budget_give(budget, t->acquired);
    budget_give(budget, t->known);
    budget_give(budget, t->remote);
    budget_give(budget, t->owner);
    budget_give(budget, t->marks);
    budget_give(budget, t);
}

static bool make_room(struct budget *budget, void **items, size_t *room, size_t count, size_t size)
{
    size_t more = *room ? *room : 256;
    while (more < count)
        more *= 2;
    void *grown = more == *room ? *items : budget_more(budget, FOR_CHECKS, *items, more * size);
    if (!grown)
        return false;
    *items = grown;
    *room = more;
    return true;
}

void together_block_starts(struct checks *c, const struct block *block)
{
    struct together *t = c->together;
    struct budget *budget = &c->machine->memory->budget;
    struct sizes of = sizes_of(t->seats, t->cluster, t->warps);
    if (c->seat == 0) {
        t->unit_first = c->block_first;
        t->position = block->position;
        memset(t->acquired, 0, of.acquired * sizeof *t->acquired);
        memset(t->known, 0, (of.known + of.arrived + t->seats) * sizeof *t->known);
        memset(t->remote, 0, of.remote * sizeof *t->remote);
    }
    void *marks = t->marks;
    if (!make_room(budget, &marks, &t->mark_room, block->position + 1, sizeof *t->marks))
        return;
    t->marks = marks;
    t->mark_count = block->position + 1;
    struct block_epochs *mark = &t->marks[block->position];
    *mark = (struct block_epochs){ .first = c->block_first };
    memcpy(mark->id, block->id, sizeof mark->id);
}

void together_epoch(struct checks *c)
{
    struct together *t = c->together;
    size_t at = (size_t)((int64_t)*c->epochs - t->first);
    void *owner = t->owner;
    if (!make_room(&c->machine->memory->budget, &owner, &t->owner_room, at + 1, sizeof *t->owner))
        return;
    t->owner = owner;
    t->owners = at + 1;
    t->owner[at] = (uint32_t)(t->position + c->seat);
}

bool together_pass(struct checks *c, bool loads, checks_pass *pass, void *context)
{
    struct together *t = c->together, now = *t;
    struct budget *budget = &c->machine->memory->budget;
    struct sizes of = sizes_of(t->seats, t->cluster, t->warps);
    pass(context, t, sizeof *t);
    void *owner = now.owner, *marks = now.marks;
    bool good = !loads || (make_room(budget, &owner, &now.owner_room, t->owners, sizeof *t->owner) &&
                           make_room(budget, &marks, &now.mark_room, t->mark_count, sizeof *t->marks));
    t->owner = owner;
    t->owner_room = now.owner_room;
    t->marks = marks;
    t->mark_room = now.mark_room;
    if (!good)
        return false;
    pass(context, t->owner, t->owners * sizeof *t->owner);
    pass(context, t->marks, t->mark_count * sizeof *t->marks);
    pass(context, t->acquired, of.acquired * sizeof *t->acquired);
    pass(context, t->known, (of.known + of.arrived + t->seats) * sizeof *t->known);
    pass(context, t->remote, of.remote * sizeof *t->remote);
    return true;
}

// ---- what one block knows of another ---------------------------------------------------------------------------

static int32_t *known_of(const struct together *t, uint32_t seat, uint32_t warp, uint32_t rank)
{
    return t->known + (((size_t)seat * t->warps + warp) * t->cluster + rank) * t->warps;
}

static int32_t *arrived_of(const struct together *t, uint32_t seat, uint32_t phase)
{
    return t->arrived + ((size_t)seat * 2 + phase % 2) * t->warps;
}

void together_arrives(struct warp *warp, uint32_t phase, bool releases)
{
    struct checks *c = warp->block->thread->checks;
    if (!c || !c->together)
        return;
    arrived_of(c->together, c->seat, phase)[warp->index] = releases ? (int32_t)*c->epochs + 1 : 0;
    c->warps[warp->index].epoch = 0;
}

void together_waited(struct warp *warp, uint32_t phase)
{
    struct checks *c = warp->checks;
    if (!c || !c->together)
        return;
    struct together *t = c->together;
    struct warp_checks *state = &c->warps[warp->index];
    uint32_t first = c->seat - warp->block->rank;
    for (uint32_t rank = 0; rank < t->cluster; rank++) {
        const int32_t *arrived = arrived_of(t, first + rank, phase);
        int32_t *known = first + rank == c->seat ? state->clock : known_of(t, c->seat, warp->index, rank);
        for (uint32_t w = 0; w < t->warps; w++)
            known[w] = arrived[w] > known[w] ? arrived[w] : known[w];
    }
    int32_t own = arrived_of(t, c->seat, phase)[warp->index];
    state->sync_epoch = own > state->sync_epoch ? own : state->sync_epoch;
}

void together_release(struct warp *warp)
{
    struct checks *c = warp->checks;
    struct together *t = c->together;
    if (t->mark_count < t->position + t->seats)
        return; // there was no memory
    struct block_epochs *mark = &t->marks[t->position], *own = mark + c->seat;
    struct acquired *acquired = t->acquired + (size_t)c->seat * t->seats;
    if (t->acquired_at[c->seat] != t->releases) {
        t->acquired_at[c->seat] = t->releases;
        for (uint32_t s = 0; s < t->seats; s++)
            acquired[s] = (struct acquired){ mark[s].released, mark[s].released_atomics };
    }
    int32_t epoch = race_epoch(warp), fenced = c->fence_epoch ? c->fence_epoch : own->released;
    t->releases += own->released != fenced || own->released_atomics != epoch;
    own->released = fenced;
    own->released_atomics = epoch;
}

static bool knows(const struct checks *c, uint32_t warp, uint32_t seat, uint32_t other, int32_t epoch,
                  bool atomic)
{
    const struct together *t = c->together;
    struct acquired acquired = t->acquired[(size_t)c->seat * t->seats + seat];
    bool near = seat / t->cluster == c->seat / t->cluster;
    return (near && epoch < known_of(t, c->seat, warp, seat % t->cluster)[other]) ||
           epoch <= (atomic ? acquired.atomics : acquired.plain);
}

enum together_known together_knows(const struct access *access, struct shadow_cell r)
{
    const struct checks *c = access->checks;
    uint64_t seat = together_position(c->together, r.epoch) - c->together->position;
    if (seat >= c->together->seats)
        return TOGETHER_NOT;
    return knows(c, access->warp->index, (uint32_t)seat, (r.tag >> CELL_THREAD) / LANES, r.epoch,
                 r.tag & CELL_ATOMIC)
               ? TOGETHER_KNOWN
               : TOGETHER_UNKNOWN;
}

// ---- shared memory of another block ------------------------------------------------------------------------------

static const char *verb(const struct op *op)
{
    const char *base = op->from ? op->from->base : "";
    return strcmp(base, "atom") == 0 || strcmp(base, "red") == 0 ? "updates"
           : strcmp(base, "cp") == 0                             ? "copies to"
           : strncmp(base, "st", 2) == 0                         ? "writes"
                                                                 : "reads";
}

// `rest` follows "of block (1,0,0), which ".
static void report(struct warp *warp, const struct op *op, int lane, const struct block *of, uint64_t address,
                   enum sim_kind kind, const char *rest)
{
    struct address_name n;
    char who[80], place[96];
    finding_name_address(warp, SPACE_SHARED, address, &n);
    snprintf(place, sizeof place, "%s[%lld]", n.buffer[0] ? n.buffer : n.space, (long long)n.element);
    struct finding_report report = { .kind = kind,
                                     .severity = SIM_ERROR,
                                     .op = op,
                                     .lane = lane,
                                     .space = n.space,
                                     .buffer = n.buffer,
                                     .address = address,
                                     .element = n.element };
    if (!finding_repeats(warp, &report))
        finding_add(warp, &report, "%s %s %s of block (%u,%u,%u), which %s",
                    finding_name_lane(warp, lane, who), verb(op), place, of->id[0], of->id[1], of->id[2],
                    rest);
}

static struct remote_access *remote_of(const struct together *t, uint32_t seat, uint32_t rank, uint32_t warp)
{
    return &t->remote[((size_t)seat * t->cluster + rank) * t->warps + warp];
}

static const char early[] =
    "may not have started yet. Put a barrier of the cluster, cluster.sync(), before the first access to "
    "another block's shared memory: no block passes it before all have started.";
static const char late[] =
    "may have ended by then, and its shared memory with it. Put a barrier of the cluster, cluster.sync(), "
    "between the last such access and the end, so that the block waits for it.";

static bool may_be_unstarted(const struct block *block, uint32_t seat)
{
    const struct checks *c = block->thread->checks;
    struct acquired acquired = c->together->acquired[(size_t)c->seat * c->together->seats + seat];
    return !block_peer(block, 0)->cluster.phases && !acquired.plain && !acquired.atomics;
}

static const struct block *block_of(const struct checks *c, int32_t epoch)
{
    uint32_t seat = (uint32_t)(together_position(c->together, epoch) - c->together->position);
    return seat < c->together->seats ? &c->machine->threads[seat].block : NULL;
}

bool together_unstarted(const struct access *access, int32_t epoch)
{
    const struct block *other = block_of(access->checks, epoch);
    return other && may_be_unstarted(other, access->checks->seat) &&
           may_be_unstarted(access->warp->block, other->thread->checks->seat);
}

bool together_access(const struct access *access)
{
    const struct checks *c = access->checks;
    const struct together *t = c->together;
    struct warp *warp = access->warp;
    const struct op *op = access->touched->op;
    int lane = __builtin_ctz(access->mask);
    uint64_t address = access->touched->address[lane];
    uint32_t seat = access->block->thread->checks->seat;
    if (may_be_unstarted(warp->block, seat)) {
        report(warp, op, lane, access->block, address, SIM_NOT_STARTED, early);
        return false;
    }
    if (!access->block->live_warps)
        report(warp, op, lane, access->block, address, SIM_HAS_ENDED, late);
    else
        *remote_of(t, seat, warp->block->rank, warp->index) =
            (struct remote_access){ race_epoch(warp), op, lane, address };
    return true;
}

void together_block_ends(struct block *block)
{
    const struct checks *c = block->thread->checks;
    const struct together *t = c ? c->together : NULL;
    for (uint32_t rank = 0; t && t->cluster > 1 && rank < t->cluster; rank++)
        for (uint32_t w = 0; w < t->warps; w++) {
            const struct remote_access *last = remote_of(t, c->seat, rank, w);
            bool ordered = !last->epoch;
            for (uint32_t own = 0; own < t->warps && !ordered; own++)
                ordered = knows(c, own, c->seat - block->rank + rank, w, last->epoch, false);
            if (!ordered)
                report(&block_peer(block, rank)->warps[w], last->op, last->lane, block, last->address,
                       SIM_HAS_ENDED, late);
        }
}
