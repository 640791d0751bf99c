// The cost of an asynchronous copy (cp.async) by the addresses of its lanes, as Nsight Compute counts it on an H200
// (COUNTS.md). Where a lane copies from decides as much as where it copies to.
#include "engine/sim/access/access.h"

// The most lanes of `group` that one lane meets, itself among them: in the bank of their destinations or of their sources, which
// those of `sourceless` have not. The place of a source within 128 bytes is a bank as that of its destination is.
static unsigned most_that_meet(const struct warp_copy *copy, uint32_t group, uint32_t sourceless)
{
    const unsigned places = LINE_BYTES / copy->bytes;
    uint32_t into[LANES] = { 0 }, out_of[LANES] = { 0 }; // lanes by place
    for (uint32_t left = group; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        into[copy->to[i] / copy->bytes % places] |= 1u << i;
        out_of[copy->from[i] / copy->bytes % places] |= 1u << i & ~sourceless;
    }
    unsigned most = 0;
    for (uint32_t left = group; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const uint32_t same_from = out_of[copy->from[i] / copy->bytes % places];
        const uint32_t met = into[copy->to[i] / copy->bytes % places] | (same_from >> i & 1 ? same_from : 0);
        const unsigned count = (unsigned)__builtin_popcount(met);
        most = count > most ? count : most;
    }
    return most;
}

// The way through L1 (.ca), which takes 128 bytes of the warp's copies at a time.
static struct access_cost cost_through_l1(const struct warp_copy *copy, uint32_t sourceless)
{
    struct access_cost out = { 0 };
    const unsigned places = LINE_BYTES / copy->bytes;
    unsigned groups = 0;
    for (unsigned first = 0; first < LANES; first += places) {
        const uint32_t all = places == LANES ? FULL_MASK : (1u << places) - 1;
        const unsigned most = most_that_meet(copy, copy->mask & all << first, sourceless);
        out.passes += most;
        groups += most != 0;
    }
    out.conflicts = out.passes - groups;
    out.ideal = ((unsigned)__builtin_popcount(copy->mask) + places - 1) / places;
    return out;
}

// The way past L1 (.cg), which moves sectors: what lanes copy from one sector to another is one move, if they keep their
// halves of a sector or all change them. Of lanes with one destination the lowest copies.
struct sector_move {
    uint64_t from, to;   // sectors
    unsigned half, kept; // bits: the halves that are read; whether each is written to the same half
    bool done;
};

static unsigned find_moves(const struct warp_copy *copy, uint32_t mask, struct sector_move moves[LANES])
{
    unsigned count = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        const unsigned from_half = copy->from[i] / 16 % 2, to_half = copy->to[i] / 16 % 2;
        const struct sector_move move = { .from = copy->from[i] / SECTOR_BYTES,
                                          .to = copy->to[i] / SECTOR_BYTES,
                                          .half = 1u << from_half,
                                          .kept = from_half == to_half };
        bool again = false;
        for (uint32_t before = mask & ~left; before && !again; before &= before - 1)
            again = copy->to[__builtin_ctz(before)] == copy->to[i];
        unsigned k = 0;
        while (k < count &&
               !(moves[k].from == move.from && moves[k].to == move.to && moves[k].kept == move.kept))
            k++;
        if (again)
            continue;
        if (k == count)
            moves[count++] = move;
        moves[k].half |= move.half;
    }
    return count;
}

enum { SECTORS = LINE_BYTES / SECTOR_BYTES }; // of a line

// Whether one wavefront makes both moves: between the same two lines, of the same halves, and the sectors of the one line go
// to the other by a rotation or by a reflection.
static bool move_together(const struct sector_move *one, const struct sector_move *other)
{
    const uint64_t from = one->from - other->from, to = one->to - other->to;
    return one->from / SECTORS == other->from / SECTORS && one->to / SECTORS == other->to / SECTORS &&
           one->kept == other->kept && one->half == other->half && from && to &&
           ((from - to) % SECTORS == 0 || (from + to) % SECTORS == 0);
}

static unsigned count_wavefronts(struct sector_move *moves, unsigned count)
{
    unsigned wavefronts = 0;
    for (unsigned first = 0; first < count; first++) {
        if (moves[first].done)
            continue;
        unsigned members[LANES] = { first }, size = 1;
        for (unsigned i = first + 1; i < count; i++) {
            bool fits = !moves[i].done;
            for (unsigned k = 0; k < size && fits; k++)
                fits = move_together(&moves[members[k]], &moves[i]);
            if (fits) {
                moves[i].done = true;
                members[size++] = i;
            }
        }
        wavefronts++;
    }
    return wavefronts;
}

// Past L1, a copy that gives the size of its sources is counted as both, as though every lane had a source. One that can ignore
// its sources is counted as a store alone.
struct copy_cost cost_copy(const struct warp_copy *copy)
{
    struct copy_cost out = { .shared = cost_through_l1(copy, copy->empty) };
    struct access_cost *shared = &out.shared;
    struct sector_move moves[LANES];
    if (!copy->past_l1)
        return out;
    const unsigned wavefronts = count_wavefronts(moves, find_moves(copy, copy->mask, moves));
    out.sectors = find_moves(copy, copy->mask & ~copy->empty, moves);
    if (copy->form == COPY_IGNORED) {
        shared->passes = cost_through_l1(copy, FULL_MASK).passes;
        shared->conflicts *= copy->empty != 0;
    } else if (copy->form == COPY_SIZED) {
        shared->passes = cost_through_l1(copy, 0).passes + wavefronts;
        shared->ideal *= 2;
    } else {
        shared->passes = wavefronts;
        shared->conflicts = 0;
    }
    return out;
}
