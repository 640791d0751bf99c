// A turn of a warp, and how a loop that never ends is found in it.
#include "engine/sim/schedule/path.h"

// A loop that has run for LOOK_AFTER instructions is tested for progress: does the warp return to the same state? The state is
// hashed after each instruction of a round. Where registers are so many that this would take long, only short rounds are
// recognised. A warp that was seen to spin is looked at again after LOOK_AGAIN instructions, and leaves its turn then; not
// where other host threads need time to write what it waits for.
// A wait in vain counts as WAITED instructions.
enum { WAITED = 2000, LOOK_AFTER = 200000, LOOK_AGAIN = 20000, LONGEST_TURN = 4096, HASHED_MOST = 512 << 20 };

static uint64_t state_hash(const struct warp *warp)
{
    const uint64_t *words = (const uint64_t *)(const void *)warp->frame;
    uint64_t hash = warp->mask;
    for (size_t i = 0; i < warp->function->frame_bytes / sizeof *words; i++)
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull + (hash >> 29);
    return hash;
}

// Runs until the warp returns to its state. A round counts only if it goes through the same states as the one before: a warp
// that alternates between waiting and working makes progress.
static uint64_t look_for_spin(struct warp *warp)
{
    int32_t pc = warp->pc, depth = warp->depth;
    uint64_t hash = state_hash(warp), now = hash, states = 0,
             ran = 0; // the sum of all states, so that it does not matter where a round begins
    bool again = false;
    warp->spin.reads = false;
    uint64_t most = HASHED_MOST / warp->function->frame_bytes;
    while (ran < LONGEST_TURN && ran < most && warp->state == WARP_READY && !warp->block->machine->stop &&
           !again) {
        const struct op *op = &warp->function->ops[warp->pc];
        warp->spin.reads |= op->access != SIM_ACCESSES && op->space != SPACE_LOCAL;
        states += now * 0x9e3779b97f4a7c15ull + (uint64_t)warp->pc;
        ran += warp_run_part(&(struct warp_turn){ .warp = warp }, 1);
        now = state_hash(warp);
        again = warp->pc == pc && warp->depth == depth && now == hash;
    }
    if (!again || states != warp->spin.states)
        warp->spin.moved = true;
    warp->spin.rounds = !again ? 0 : states == warp->spin.states ? warp->spin.rounds + 1 : 1;
    warp->spin.states = again ? states : 0;
    if (warp->state == WARP_READY) {
        simt_delay(warp);
        simt_rotate(warp);
        simt_load(warp);
    }
    return ran;
}

static uint64_t next_look(const struct warp *warp)
{
    return warp->spin.states && !block_in_company(warp->block->machine) ? LOOK_AGAIN : LOOK_AFTER;
}

// The rest of a turn in which the warp has executed so many instructions. Returns how many there were.
static uint64_t end_turn(struct warp *warp, uint64_t ran, uint64_t budget, uint64_t look)
{
    warp->clock += ran;
    if (warp->yields) { // a turn that ends by waiting in vain
        warp->yields = false;
        warp->spin.since += WAITED;
        if (warp->spin.since < look)
            return ran;
        warp->spin.since = 0;
        return ran + look_for_spin(warp);
    }
    if (warp->state != WARP_READY || ran < budget) {
        warp->spin = (struct spin){ .moved = true };
        return ran;
    }
    warp->spin.since += ran;
    if (warp->spin.since >= look) {
        warp->spin.since = 0;
        ran += look_for_spin(warp);
    }
    return ran;
}

uint64_t warp_run(struct warp_turn *turn, uint64_t budget)
{
    const uint64_t look = next_look(turn->warp), most = budget < look ? budget : look;
    turn->goes_on = turn->goes_on && most == budget && !turn->warp->sample;
    uint64_t ran = warp_run_part(turn, most);
    ran = end_turn(turn->warp, ran, most, look);
    turn->warp->ran += ran;
    return turn->handed + ran;
}
