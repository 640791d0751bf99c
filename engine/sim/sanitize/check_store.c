// Races inside one instruction: lanes of a warp that store different values to one place.
#include "engine/sim/sanitize/check.h"

static bool same_values(const struct seen *seen, unsigned a, unsigned b)
{
    const struct touched *t = seen->touched;
    for (unsigned k = 0; t->values && k < t->parts; k++)
        if (t->bytes / t->parts == 8
                ? ROW64(seen->warp, t->values[k])[a] != ROW64(seen->warp, t->values[k])[b]
                : ROW32(seen->warp, t->values[k])[a] != ROW32(seen->warp, t->values[k])[b])
            return false;
    return true;
}

// Lanes that store to one place at once: which value stays is nobody's promise.
void race_in_store(const struct seen *seen, uint32_t mine)
{
    enum { SEATS = 64 };
    uint64_t place[SEATS], taken = 0;
    uint8_t sitter[SEATS];
    for (uint32_t left = seen->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t offset = offset_of(seen, lane);
        unsigned seat = (unsigned)((offset * 0x9e3779b97f4a7c15ull) >> 58);
        while (taken >> seat & 1 && place[seat] != offset)
            seat = (seat + 1) % SEATS;
        if (taken >> seat & 1 && !same_values(seen, lane, sitter[seat])) {
            uint32_t thread = seen->warp->index * LANES + sitter[seat];
            struct other other = { seen->segment, mine | thread << WHO_THREAD, true };
            race_report(seen, (int)lane, offset, &other, SAME_INSTRUCTION, false);
        }
        taken |= 1ull << seat;
        place[seat] = offset;
        sitter[seat] = (uint8_t)lane;
    }
}
