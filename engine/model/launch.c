// The replays of a launch. The replay runs as many blocks as tell the pace; the rest of the SM's blocks go on at that pace. What
// comes from DRAM, and how late, follows from a replay, and is replayed again.
#include "engine/model/whole.h"

#include <math.h>
#include <stdlib.h>

enum {
    LOADINGS = 3,   // replays that find how busy DRAM is
    IDLE_BLOCKS = 4 // that tell what latency alone would take
};
// How much longer DRAM takes for an answer when it is fully busy, for its latency.
static const double LOADED = 1.2;

// ---- the pace ---------------------------------------------------------------------------------------------------

// Cycles of all of the SM's blocks.
static double extrapolate(const struct whole *whole, const struct replay_result *result)
{
    double blocks = whole->blocks_an_sm, ran = (double)result->block_count;
    double cycles = result->cycles;
    size_t first = (size_t)whole->plan.resident;
    if (blocks != ran) {
        double pace =
            result->block_count > first
                ? (result->ends[result->block_count - 1] - result->ends[first - 1]) / (ran - (double)first)
                : cycles / ran;
        cycles += (blocks - ran) * pace;
    }
    return cycles;
}

// No launch is shorter than a unit that serves one after the other is busy. The pace alone would say so: blocks that begin
// while others end have work done before it is measured. `even`: of the fullest SM's blocks, those of an SM on average,
// which is what the units of the whole GPU serve.
static double busiest_unit(const struct whole *whole, double even, double beside)
{
    const double *busy = whole->busy;
    double of_sm = fmax(busy[TERM_SHARED] + busy[TERM_L1], fmax(busy[TERM_ISSUE], busy[TERM_PIPE]));
    of_sm = fmax(of_sm, busy[TERM_CONSTANT]);
    return fmax(of_sm, even * fmax(busy[TERM_DRAM], busy[TERM_ATOMICS] + beside));
}

// Cycles for an instruction of a block's longest warp.
static double pace_of(const struct replay_result *result)
{
    return result->ran > 0 ? result->lived / result->ran : 0;
}

static bool replay_and_scale(struct whole *whole, struct replay_result *result)
{
    if (!replay(&whole->plan, result))
        return false;
    double even = (double)whole->launch->blocks / whole->active / whole->blocks_an_sm;
    double cycles = extrapolate(whole, result) * whole->uneven;
    double scale = whole->blocks_an_sm / (double)result->block_count * whole->uneven;
    for (int t = 0; t < TERMS; t++)
        whole->busy[t] = result->busy[t] * scale;
    whole->cycles = fmax(cycles, busiest_unit(whole, even, result->beside_cycles * scale));
    whole->tail_cycles = whole->cycles * fmax(0, 1 - even);
    whole->pace = pace_of(result);
    return true;
}

// Whether loads at the beginning, which each warp executes once, ask for each sector that the launch loads, and once: as where
// each thread loads an element of its own, and then goes through those of all. Of blocks that all run at the same time, none
// then waits for DRAM later.
static bool is_brought_first(const struct whole *whole)
{
    static const double nearly = 0.02;
    const struct sim_result *result = whole->launch->result;
    double warps = (double)whole->launch->blocks * ceil(whole->launch->block_threads / 32.0);
    double loaded = (double)whole->sample->loaded, asked = 0;
    bool later = false;
    for (size_t i = 0; i < result->instruction_count; i++) {
        const struct sim_line *line = &result->instructions[i];
        if (whole->code->code[line->index].access != SIM_GLOBAL_LOAD)
            continue;
        later = (double)line->counters.warp_inst > warps;
        if (later)
            break;
        asked += (double)line->counters.passes[SIM_GLOBAL_LOAD];
    }
    return later && whole->blocks_an_sm <= whole->plan.resident && fabs(asked - loaded) <= nearly * loaded;
}

// What DRAM gives is shared out as each sector that is loaded comes from there once: most of a buffer that every thread reads an
// element of, little of a table that all look up. What does not come from there waits for others alike.
static void share_dram(struct whole *whole)
{
    const struct sim_loaded *loaded = whole->sample->loaded_of;
    const struct dram_part *all = &whole->plan.dram;
    double moved = 0, once = 0,
           scale = (double)whole->launch->blocks / (double)whole->plan.blocks * whole->uneven;
    for (size_t i = 0; i <= whole->plan.buffer_count; i++) {
        double of_buffer = whole->moved_of[i] * scale,
               sectors = i < whole->plan.buffer_count ? (double)loaded[i].sectors * whole->plan.pairs : 0;
        whole->dram_of[i].from_dram = of_buffer > 0 ? fmin(1, sectors / of_buffer) : 0;
        once += whole->dram_of[i].from_dram * of_buffer;
        moved += of_buffer;
    }
    if (once <= 0)
        return;
    for (size_t i = 0; i <= whole->plan.buffer_count; i++) {
        struct dram_part *part = &whole->dram_of[i];
        part->from_dram = fmin(1, part->from_dram * all->from_dram * moved / once);
        part->in_step = all->from_dram < 1 ? (1 - part->from_dram) * all->in_step / (1 - all->from_dram) : 0;
    }
    whole->plan.dram_of = whole->dram_of;
}

// The part of what L2 is asked for that comes from DRAM: as much as the launch touches, in place of what one SM sees.
// False: nothing comes from there.
static bool settle_dram(struct whole *whole, const struct replay_result *result)
{
    double fresh =
        result->fresh_sectors / (double)result->block_count * (double)whole->launch->blocks * whole->uneven;
    double moved = result->moved_sectors * fresh / fmax(1, result->fresh_sectors);
    double real = plan_dram_read(whole) / SECTOR;
    whole->others_fresh = fresh;
    if (whole->sample->footprint)
        whole->plan.dram.from_dram = moved > 0 ? fmin(1, plan_dram_moved(whole) / SECTOR / moved) : 0;
    // Blocks that run in step ask for the same lines at the same time, and all of them wait for DRAM; as far as they do not, the
    // later ones have less to wait.
    double firsts = fmax(plan_first_visits(whole) * plan_sectors_of_line(whole), real);
    double followers = fresh > 0 ? fmax(0, 1 - firsts / fresh) : 0;
    bool in_step = whole->sample->footprint && firsts > 0 && !is_brought_first(whole);
    whole->plan.dram.in_step = in_step ? followers * real / firsts : 0;
    if (whole->plan.dram.in_step > 0.01)
        whole->plan.dram.in_step *=
            sample_in_step(whole->sample, whole->code, whole->plan.dram_latency / fmax(1, whole->pace));
    if (whole->sample->footprint && whole->plan.dram.from_dram < 0.99)
        share_dram(whole);
    return fresh > 0 || result->busy[TERM_DRAM] > 0;
}

// DRAM answers later the busier it is, and is less busy the later it answers, but where it is fully busy. False: the replay
// has answered about as late as that.
static bool load_dram(struct whole *whole, const struct replay_result *result, double part)
{
    static const double hardly = 0.03;
    double busy = result->cycles > 0 ? part * fmin(1, result->busy[TERM_DRAM] / result->cycles) : 0;
    double wanted = whole->gpu->dram_latency * (1 + LOADED * busy * busy);
    double now = whole->plan.dram_latency, gives_way = 2 * LOADED * busy * busy * (1 - busy);
    whole->plan.dram_latency = now + (wanted - now) / (1 + gives_way);
    return fabs(wanted - now) > hardly * now;
}

// Whether a replay with a smaller part from DRAM would find the same: what comes from there no more waits for it all the same,
// because another SM has just asked, and DRAM was so little busy that nothing waited for its turn.
static bool waits_as_long(const struct whole *whole, const struct replay_result *result, double part)
{
    static const double most = 0.05;
    const struct replay_plan *plan = &whole->plan;
    return part > 0.99 || (plan->dram.from_dram + plan->dram.in_step > 0.99 &&
                           result->busy[TERM_DRAM] < most * result->cycles);
}

// Blocks that have more to do than others end later: those that all run at the same time by as much as they are longer; the
// longest of many is begun half way through the others on average. Meanwhile more and more of the others end, so that its
// pace goes from that on a full SM to what latency alone allows.
static void wait_for_long_blocks(struct whole *whole, const struct replay_result *idle)
{
    const struct sim_sample *sample = whole->sample;
    bool lone = sample->longest.window_count > 0;
    double most = (double)(lone ? sample->longest.rest : sample->longest_most), full = whole->pace;
    double mean = (double)sample->longest_sum / (double)whole->launch->blocks, more = fmax(0, most - mean);
    double alone = fmin(pace_of(idle), full), pace = (full + alone) / 2, before = whole->cycles;
    if (whole->blocks_an_sm <= whole->plan.resident) {
        whole->cycles = fmax(whole->cycles, mean * full + more * pace);
        whole->latency_cycles = fmax(whole->latency_cycles, most * alone);
    } else {
        whole->cycles += more / 2 * pace;
        whole->latency_cycles += more / 2 * alone;
    }
    whole->tail_cycles += whole->cycles - before;
}

// How long an SM would take if nothing but latency did. Then its blocks do not meet, so that a few of a wave tell it.
static bool replay_idle(struct whole *whole)
{
    struct whole idle = *whole;
    struct replay_result result;
    size_t wave = (size_t)whole->plan.resident < whole->trace.block_count ? (size_t)whole->plan.resident
                                                                          : whole->trace.block_count;
    idle.plan.free_units = true;
    idle.plan.blocks = wave < whole->plan.blocks ? wave : whole->plan.blocks;
    idle.plan.blocks = idle.plan.blocks < IDLE_BLOCKS ? idle.plan.blocks : IDLE_BLOCKS;
    if (!replay(&idle.plan, &result))
        return false;
    double waves = whole->blocks_an_sm / whole->plan.resident;
    waves = waves <= FEW_WAVES ? ceil(waves) : waves;
    double cycles = waves * result.cycles + (waves - 1) * whole->plan.turnover_cycles;
    whole->latency_cycles = cycles * whole->uneven;
    wait_for_long_blocks(whole, &result);
    free(result.ends);
    return true;
}

// A window of the longest warp, as if nothing else ran but the long warps of its block, which do the same.
static bool replay_window(const struct whole *whole, const struct sim_sampled_warp *window, struct lone *lone)
{
    const struct sim_long *longest = &whole->sample->longest;
    struct sim_sampled_block block = { .number = longest->block, .warp_count = (size_t)longest->beside };
    struct sim_sample sample = { .blocks = &block, .block_count = 1 };
    struct model_code code = *whole->code;
    struct whole alone = *whole;
    struct replay_result result = { 0 }, free_result = { 0 };
    code.machine = code.machine_of_long ? code.machine_of_long : code.machine;
    alone.code = &code;
    block.warps = calloc(block.warp_count, sizeof *block.warps);
    for (size_t i = 0; block.warps && i < block.warp_count; i++)
        block.warps[i] = *window;
    bool made = block.warps && trace_make(&sample, 1, &code, whole->gpu, &alone.trace);
    free(block.warps);
    if (!made)
        return false;
    alone.active = fmin(whole->gpu->sms, (double)longest->blocks);
    plan_sm(&alone);
    alone.plan.blocks = 1;
    alone.plan.resident = 1;
    alone.plan.dram.from_dram = lone->from_dram;
    alone.plan.dram_of = NULL;
    alone.plan.moved_of = NULL;
    alone.plan.kept = lone->kept;
    alone.plan.whole_pairs = true;
    alone.plan.free_units = false;
    made = replay(&alone.plan, &result);
    alone.plan.free_units = true;
    made = made && replay(&alone.plan, &free_result);
    trace_free(&alone.trace);
    double scale = window->step_count ? (double)window->ran / (double)window->step_count : 1;
    lone->cycles += result.cycles;
    lone->latency_cycles += free_result.cycles;
    lone->fresh += result.fresh_sectors * scale * (double)longest->work /
                   ((double)longest->ran * (double)longest->beside);
    for (int t = 0; t < TERMS; t++)
        lone->busy[t] += result.busy[t] * scale;
    free(result.ends);
    free(free_result.ends);
    return made;
}

// Its block begins when the blocks before it have left a place.
static bool replay_longest(struct whole *whole, double from_dram, double kept)
{
    const struct sim_long *longest = &whole->sample->longest;
    double before = (double)longest->block - whole->active * whole->plan.resident;
    struct lone *lone = whole->lone;
    *lone = (struct lone){ .begins = fmax(0, before) / (double)whole->launch->blocks,
                           .from_dram = from_dram,
                           .kept = kept };
    for (size_t i = 0; i < longest->window_count; i++)
        if (!replay_window(whole, &longest->windows[i], lone))
            return false;
    return true;
}

// From DRAM comes what the launch touches and the other warps do not bring to L2, where that holds all. Of what comes from
// there no more, the longest warp has seen most before: in its own L1, where that holds all.
static bool settle_longest(struct whole *whole, double others)
{
    double real = plan_dram_read(whole) / SECTOR, fresh = whole->lone->fresh;
    if ((double)whole->sample->lines * SIM_LINE_BYTES > whole->gpu->l2_bytes)
        others = 0;
    double from_dram = fresh > 0 ? fmin(1, fmax(0, real - others) / fresh) : 0;
    bool fits = (double)whole->sample->loaded * SECTOR <= whole->gpu->l1_bytes;
    return replay_longest(whole, from_dram, fits ? 1 - from_dram : 0);
}

// The launch ends when the longest warp does, if that is later than all others.
static void wait_for_longest(struct whole *whole)
{
    const struct lone *lone = whole->lone;
    double end = whole->cycles * lone->begins + lone->cycles;
    whole->tail_cycles += fmax(0, end - whole->cycles);
    whole->cycles = fmax(whole->cycles, end);
    whole->latency_cycles = fmax(whole->latency_cycles, lone->latency_cycles);
    for (int t = 0; t < TERMS; t++)
        whole->busy[t] = fmax(whole->busy[t], lone->busy[t]);
}

bool launch_replay(struct whole *whole)
{
    struct replay_result result;
    whole->lone = whole->sample->longest.window_count ? &whole->place : NULL;
    if (whole->lone && !replay_longest(whole, 1, 0))
        return false;
    whole->plan.buffers = whole->sample->loaded_of;
    whole->plan.buffer_count = whole->sample->loaded_count;
    whole->plan.moved_of = whole->moved_of;
    if (!replay_and_scale(whole, &result))
        return false;
    whole->plan.moved_of = NULL;
    double before = whole->plan.dram.from_dram;
    bool again = settle_dram(whole, &result);
    if (again) {
        double part = before > 0 ? whole->plan.dram.from_dram / before : 1; // of what was replayed
        again = load_dram(whole, &result, part) || !waits_as_long(whole, &result, part);
        if (!again)
            whole->busy[TERM_DRAM] *= part;
    }
    for (int i = 0; i < LOADINGS && again; i++) {
        free(result.ends);
        if (!replay_and_scale(whole, &result))
            return false;
        again = i + 1 < LOADINGS && load_dram(whole, &result, 1);
    }
    free(result.ends);
    if (!replay_idle(whole))
        return false;
    if (!whole->lone)
        return true;
    if (!settle_longest(whole, whole->others_fresh))
        return false;
    wait_for_longest(whole);
    return true;
}
