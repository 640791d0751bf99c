// Memory that nobody has written: a bit per byte of shared memory and of the buffers that start without content.
// A load of such bytes is no finding yet; its value is followed through the registers (check_taint.c).
#include "engine/sim/sanitize/check.h"

#include <stdio.h>
#include <string.h>

bool span_written(const uint64_t *bits, uint64_t at, uint64_t bytes)
{
    uint64_t missing = 0;
    for (uint64_t end = at + bytes; at < end;) {
        unsigned from = at & 63;
        uint64_t n = end - at < 64 - from ? end - at : 64 - from;
        uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << from;
        missing |= ~bits[at >> 6] & mask;
        at += n;
    }
    return missing == 0;
}

void span_mark(uint64_t *bits, uint64_t at, uint64_t bytes, bool written)
{
    for (uint64_t end = at + bytes; at < end;) {
        unsigned from = at & 63;
        uint64_t n = end - at < 64 - from ? end - at : 64 - from;
        uint64_t mask = (n == 64 ? ~0ull : (1ull << n) - 1) << from;
        bits[at >> 6] = written ? bits[at >> 6] | mask : bits[at >> 6] & ~mask;
        at += n;
    }
}

// Once everything is written there is nothing to look up. Looking at all of it is worth it now and then.
static bool is_whole(struct range *range)
{
    enum { SELDOM = 16 };
    size_t words = range->bytes / 64;
    if (!range->whole && ++range->doubts >= SELDOM + words / 8) {
        range->doubts = 0;
        range->whole = span_written(range->written, 0, range->bytes);
    }
    return range->whole;
}

// Which lanes read bytes that nobody wrote, by part of a vector.
static bool find_unwritten(const struct seen *seen, uint32_t *parts)
{
    const uint64_t *bits = seen->range->written;
    unsigned bytes = seen->touched->bytes, count = part_count(seen->touched), width = bytes / count;
    if (seen->straight ? span_written(bits, offset_of(seen, 0), (uint64_t)LANES * bytes)
                       : is_whole(seen->range))
        return false;
    uint32_t any = 0;
    for (uint32_t left = seen->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t at = offset_of(seen, lane);
        if (bytes <= 8 && at % bytes == 0 && (~(bits[at >> 6] >> (at & 63)) & ((1u << bytes) - 1)) == 0)
            continue;
        for (unsigned k = 0; k < count; k++)
            if (!span_written(bits, at + k * width, width))
                any |= parts[k] |= 1u << lane;
    }
    return any != 0;
}

static void mark(const struct seen *seen, uint32_t lanes, unsigned from, unsigned bytes, bool written)
{
    seen->range->whole &= written;
    for (; lanes; lanes &= lanes - 1)
        span_mark(seen->range->written, offset_of(seen, __builtin_ctz(lanes)) + from, bytes, written);
}

static void mark_stored(const struct seen *seen)
{
    unsigned bytes = seen->touched->bytes;
    if (seen->straight)
        span_mark(seen->range->written, offset_of(seen, 0), (uint64_t)LANES * bytes, true);
    else
        mark(seen, seen->mask, 0, bytes, true);
}

static void wait_there(const struct seen *seen, const struct taint *taint, uint32_t lanes, unsigned from,
                       unsigned width)
{
    for (unsigned b = 0; b < width; b++)
        if (taint->bytes >> b & 1)
            mark(seen, lanes, from + b, 1, false);
    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        origin_keep(seen, lane, from, width, origin_in(seen->warp, taint, 1u << lane));
    }
}

// A value that comes from nowhere gets into memory. In shared memory it waits there for somebody who needs it; so
// does the padding of a structure in scratch memory.
static void stored_taint(const struct seen *seen)
{
    const struct touched *t = seen->touched;
    struct warp_checks *state = &seen->checks->warps[seen->warp->index];
    unsigned count = part_count(t), width = t->bytes / count;
    for (unsigned k = 0; k < count; k++) {
        uint32_t lanes = state->stored[k].lanes & seen->mask, whole = (1u << width) - 1;
        uint32_t bytes = state->stored[k].bytes & whole;
        if (!lanes || !bytes)
            continue;
        bool waits = seen->range->written &&
                     (!seen->allocation || (bytes != whole && seen->allocation->role == SIM_SCRATCH));
        if (waits) {
            wait_there(seen, &state->stored[k], lanes, k * width, width);
            continue;
        }
        if (state->stored[k].origin.space == SPACE_LOCAL && local_is_structure(seen->warp, t->op))
            continue;
        struct named to;
        int lane = __builtin_ctz(lanes);
        name_address(seen->warp, SPACE_GLOBAL, t->address[lane] + k * width, &to);
        char use[128];
        snprintf(use, sizeof use, "stores what it made of it to %s[%lld]", to.buffer, (long long)to.element);
        taint_report(seen->warp, t->op, &state->stored[k], lanes, use);
    }
}

// What an atomic makes of nothing is as little as what it came from.
static void remember_update(const struct seen *seen, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        struct origin origin = origin_of(seen, lane, 0, seen->touched->bytes);
        origin_keep(seen, lane, 0, seen->touched->bytes, &origin);
    }
}

// An atomic both reads and writes. Global memory: the result is there for good, so the value mattered.
static void unwritten_atomic(const struct seen *seen, const uint32_t *parts)
{
    const struct touched *t = seen->touched;
    bool replaces = t->op->from && ptx_has(t->op->from, "exch");
    if (!seen->allocation) {
        if (replaces)
            mark_stored(seen);
        else
            remember_update(seen, parts[0]);
        taint_loaded(seen, parts);
        return;
    }
    struct taint taint = { .lanes = parts[0], .bytes = EVERY_BYTE };
    taint.origin = origin_of(seen, __builtin_ctz(parts[0]), 0, t->bytes);
    mark_stored(seen);
    if (replaces)
        return;
    taint_report(seen->warp, t->op, &taint, parts[0], "updates it with an atomic");
}

void check_written(const struct seen *seen)
{
    const struct touched *t = seen->touched;
    uint32_t parts[TAINT_PARTS] = { 0 };
    bool known = seen->range->written != NULL;
    bool unwritten = known && t->read && find_unwritten(seen, parts);
    if (t->read && !t->atomic && (unwritten || seen->warp->poisoned))
        taint_loaded(seen, parts);
    if (unwritten && t->atomic) {
        for (unsigned k = 1; k < TAINT_PARTS; k++)
            parts[0] |= parts[k];
        unwritten_atomic(seen, parts);
    }
    if (!t->write)
        return;
    if (known && !seen->range->whole && !(t->atomic && !seen->allocation))
        mark_stored(seen);
    if (seen->warp->poisoned && (known || seen->allocation))
        stored_taint(seen);
}
