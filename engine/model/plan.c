// What the replay of one SM needs to know of the launch. Rates that all SMs share are divided among those that have work.
#include "engine/model/whole.h"

#include <math.h>
#include <stdlib.h>

#include "engine/compile/compile.h"

enum {
    STEPS_REPLAYED = 250000, // about, in one replay
    WAVES = 3,               // of blocks that fill the SM: one to begin with, two to measure the pace
    PARTS = SIM_LAUNCH_PARTS
};

int plan_resident_blocks(const struct whole *whole)
{
    const struct arch *arch = occupancy_arch(whole->gpu->target);
    bool free = whole->without & WITHOUT_LIMITS;
    struct occupancy fits =
        occupancy_of(arch, whole->launch->block_threads, free ? -1 : whole->launch->registers,
                     free ? 0 : whole->launch->shared_bytes);
    return fits.blocks;
}

double plan_sectors_of_line(const struct whole *whole)
{
    const struct trace_sums *sums = &whole->trace.sums;
    return sums->load_lines > 0 ? sums->load_sectors / sums->load_lines : 4;
}

// Sectors that DRAM gives together.
static double sectors_fetched(const struct whole *whole)
{
    return fmax(1, round(whole->gpu->dram_fetch / SECTOR));
}

// Sectors that DRAM gives for one that a load asks for: a visit of a line brings a pair at least.
static double sectors_moved(const struct whole *whole)
{
    return fmax(1, sectors_fetched(whole) / plan_sectors_of_line(whole));
}

static double between(double x, double a, double b)
{
    return a + (b - a) * x;
}

// Bytes in a ns that DRAM moves, when this part of them is written.
static double dram_rate(const struct gpu_figures *gpu, double written)
{
    return written < 0.5 ? between(2 * written, gpu->dram_read, gpu->dram_copy)
                         : between(2 * written - 1, gpu->dram_copy, gpu->dram_write);
}

// First visits of lines: those that come after no other.
static double lines_visited(const struct sim_sample *sample)
{
    double lines = (double)sample->visits;
    for (int i = 1; i < PARTS; i++)
        lines -= (double)sample->apart[i];
    return lines;
}

// How likely a visit of a line asks for the same pair of sectors as another one, of those of the line that are loaded.
static double same_pair(const struct whole *whole)
{
    const struct sim_sample *sample = whole->sample;
    double pair = sectors_fetched(whole);
    double pairs = pair > 1 ? (double)sample->loaded_pairs : (double)sample->loaded;
    double asked = fmax(1, plan_sectors_of_line(whole) / pair) * lines_visited(sample);
    return pairs > 0 ? fmin(1, asked / pairs) : 1;
}

// Bytes that are fetched when each visit of a line counts that comes after so much else that L2 has lost it: after more parts
// of the launch than have a working set that L2 keeps (Denning). Visits of a pair are as much rarer than those of its line as
// the line has pairs.
static double refetched_bytes(const struct whole *whole)
{
    const struct sim_sample *sample = whole->sample;
    double asked = (double)whole->launch->result->counters.passes[SIM_GLOBAL_LOAD] * SECTOR;
    double visits = (double)sample->visits, lines = lines_visited(sample), same = same_pair(whole);
    double of_visit = fmin(SIM_LINE_BYTES, fmax(whole->gpu->dram_fetch, visits > 0 ? asked / visits : 0));
    double working_set = 0, again = 0;
    for (int i = 1; i < PARTS && visits > 0; i++) {
        working_set += visits / PARTS * of_visit * pow(1 - again / visits, same);
        if (working_set > whole->gpu->l2_keeps * whole->gpu->l2_bytes)
            break;
        again += (double)sample->apart[i];
    }
    double lost = visits > lines ? pow(fmax(0, 1 - again / (visits - lines)), same) : 0;
    return (lines + (visits - lines) * lost) * plan_sectors_of_line(whole) * SECTOR;
}

double plan_first_visits(const struct whole *whole)
{
    const struct sim_sample *sample = whole->sample;
    double running = whole->plan.resident * whole->active / (double)whole->launch->blocks;
    double visits = (double)sample->visits;
    for (int i = 1; i < PARTS && i <= running * PARTS; i++)
        visits -= (double)sample->apart[i];
    return visits;
}

// What it shares with earlier launches is in L2 as far as it fits.
static double without_kept(const struct whole *whole, double bytes)
{
    double kept = fmin(whole->earlier, whole->gpu->l2_bytes);
    return whole->earlier > whole->gpu->l2_bytes ? bytes : fmax(0, bytes - kept);
}

double plan_dram_read(const struct whole *whole)
{
    return without_kept(whole, fmax((double)whole->sample->loaded * SECTOR, whole->refetched));
}

double plan_dram_moved(const struct whole *whole)
{
    double loaded = (double)whole->sample->loaded * SECTOR * whole->plan.pairs;
    return without_kept(whole, fmax(loaded, whole->refetched * sectors_moved(whole)));
}

// Bytes that it writes to DRAM before it ends: what L2 cannot keep.
static double dram_written_bytes(const struct whole *whole)
{
    const struct sim_sample *sample = whole->sample;
    double stored = (double)sample->stored * SECTOR, all = (double)sample->lines * SIM_LINE_BYTES;
    return all > 0 ? fmax(0, stored * (1 - whole->gpu->l2_dirty * whole->gpu->l2_bytes / all)) : 0;
}

static void plan_dram(struct whole *whole)
{
    struct replay_plan *plan = &whole->plan;
    const struct sim_counters *counters = &whole->launch->result->counters;
    const struct sim_sample *sample = whole->sample;
    double pair = sectors_fetched(whole);
    plan->pairs = sample->loaded ? fmax(1, pair * (double)sample->loaded_pairs / (double)sample->loaded) : 1;
    plan->stored_pairs =
        sample->stored ? fmax(1, pair * (double)sample->stored_pairs / (double)sample->stored) : 1;
    double line = plan_sectors_of_line(whole); // lines that come again bring the pairs of each visit
    whole->refetched = refetched_bytes(whole);
    if (whole->refetched > 1.5 * (double)sample->loaded * SECTOR)
        plan->pairs = fmax(plan->pairs, 2 * ceil(line / 2) / line);
    double read = plan_dram_read(whole), written = dram_written_bytes(whole);
    double rate = dram_rate(whole->gpu, read + written > 0 ? written / (read + written) : 0);
    double sector_cycles = SECTOR / rate * whole->active * whole->ghz;
    double stored = (double)counters->passes[SIM_GLOBAL_STORE] * SECTOR;
    plan->dram_cycles = sector_cycles;
    plan->fetches_pairs = pair >= 2;
    plan->scattered_cycles = whole->active * whole->ghz / whole->gpu->dram_lines;
    plan->written = stored > 0 ? fmin(1, written / stored) : 0;
    plan->part_written = written > 0 ? fmin(1, (double)sample->stored * SECTOR / stored) : 0;
    plan->dram_latency = whole->gpu->dram_latency;
    // Where all is in L2, nothing has to be found out.
    plan->dram.from_dram = sample->footprint && read <= 0 ? 0 : 1;
}

// Lanes that a turn of an atomic serves, on average.
static double lanes_of_turn(const struct whole *whole)
{
    const struct trace_sums *sums = &whole->trace.sums;
    return sums->atomic_turns > 0 ? fmax(1, sums->atomic_lanes / sums->atomic_turns) : 1;
}

// A turn takes one time with one word, and less with all the words of a sector.
static double turn_ns(const struct whole *whole)
{
    const struct gpu_figures *gpu = whole->gpu;
    return gpu->atomic_sector + (gpu->atomic_word - gpu->atomic_sector) / lanes_of_turn(whole);
}

// Turns that one unit of L2 after the other has to serve: blocks that run at the same time meet there, and others do not. A
// window is twice as long as that, for it begins at a fixed place, and between any two of them others begin.
static double hottest_unit(const struct whole *whole)
{
    const uint64_t *hottest = whole->sample->hottest;
    double running = whole->plan.resident * whole->active / (double)whole->launch->blocks;
    double window = fmin(fmax(log2(2 * SIM_LAUNCH_PARTS * running), 0), SIM_WINDOWS - 1);
    int low = (int)window, high = low + 1 < SIM_WINDOWS ? low + 1 : low;
    return between(window - low, (double)hottest[low], (double)hottest[high]);
}

// A thread whose compare and swap comes too late goes round again. Of those that are at one word at a time, one swaps when
// all have tried: 2.6, 7.8 and 20.4 tries for each swap were counted on an H100 with 5, 17 and 65 of them, 26 where each
// of 65 swaps four times. The simulator runs one warp after the other, and has counted what a warp does by itself.
static double tries_for_one(const struct whole *whole)
{
    static const double power = 0.88;
    const struct sim_sample *sample = whole->sample;
    double swaps = (double)sample->swaps, blocks = (double)whole->launch->blocks;
    if (!sample->swaps || whole->without & WITHOUT_COLLISIONS)
        return 1;
    double of_a_thread = fmax(1, swaps / (blocks * whole->launch->block_threads));
    double running = fmin(1, whole->plan.resident * whole->active / blocks);
    double met = (double)sample->swap_squares / swaps / of_a_thread * running;
    return fmax(1, pow((met + 1) / 2, power) * swaps / (double)sample->swap_tries);
}

// Results come back by fewer ways than there are units. Additions 32 bytes apart, with results, took 1.0 times as long as
// without them on 4 KB, which are 8 units, 1.55 times on 16 KB, and 1.4 to 1.5 times where the rate of all units is what
// limits them (H100, 2026-11-28).
static double ways_back(double share)
{
    return 1 + 0.75 * fmax(0, 1 - 8 * share);
}

// Words that lie in N units' places are not spread evenly over all units, and the fullest has about 1/sqrt(N) more than the
// mean. Scattered additions came at 73 % of the rate of those far apart on 64 KB, 76 % on 256 KB and 93 % on 2 MB; 32 bytes apart
// at 84, 86 and 98 % (H100, 2026-11-28).
static const double crowding = 4;

// The two units of 1024 bytes are measured to be two; of many, some meet in one.
static void plan_atomics(struct whole *whole)
{
    const struct gpu_figures *gpu = whole->gpu;
    struct replay_plan *plan = &whole->plan;
    double turns = (double)whole->sample->atomics, share = 0, cycles = whole->active * whole->ghz;
    if (turns > 0 && !(whole->without & WITHOUT_COLLISIONS))
        share = hottest_unit(whole) / turns;
    double back = ways_back(share), crowded = 1 + crowding * sqrt(share);
    share *= 1 + 0.25 * fmax(0, 1 - 2 * share);
    plan->atomic_cycles = fmax(crowded / gpu->atomic_rate, share * turn_ns(whole)) * cycles;
    plan->answered_cycles = fmax(crowded / gpu->atomic_results, back * share * turn_ns(whole)) * cycles;
    plan->swap_cycles =
        fmax(crowded * gpu->atomic_swap / gpu->atomic_sector / gpu->atomic_rate, share * gpu->atomic_swap) *
        cycles;
    plan->tries = tries_for_one(whole);
    plan->float_cycles = share * gpu->atomic_float * cycles;
}

// From the end of a block until another one in its place begins: empty blocks of 1024 threads, as many as an SM holds, do
// nothing but wait for that and start their warps one after the other.
static double turnover(const struct gpu_figures *gpu, double ghz)
{
    enum { WARPS = 32 };
    double places = occupancy_of(occupancy_arch(gpu->target), WARPS * 32, -1, 0).blocks;
    double cycles = places * WARPS * gpu->warp_start * gpu->sms * ghz;
    return fmax(0, cycles - WARPS * WARP_START_CYCLES);
}

// From what a line takes with one sector, and with all four.
static struct line_cycles line_cycles(double one, double four)
{
    return (struct line_cycles){ one, fmax(0, (four - one) / 3) };
}

double plan_instructions(const struct sim_sample *sample, size_t blocks)
{
    double sum = 0;
    for (size_t b = 0; b < blocks; b++)
        for (size_t w = 0; w < sample->blocks[b].warp_count; w++)
            sum += (double)sample->blocks[b].warps[w].ran;
    return sum;
}

// How often the warps of a block have recorded each instruction; those that follow each other often have the same steps.
static void count_recorded(const struct trace_block *block, double *recorded)
{
    for (size_t w = 0, same; w < block->warp_count; w += same) {
        const struct trace_warp *warp = &block->warps[w];
        for (same = 1; w + same < block->warp_count && warp[same].steps == warp->steps;)
            same++;
        for (size_t i = 0; i < warp->count; i++)
            recorded[warp->steps[i].index] += (double)same;
    }
}

bool plan_missing(struct whole *whole)
{
    const struct sim_result *result = whole->launch->result;
    double ran = plan_instructions(whole->sample, whole->trace.block_count);
    if (ran <= (double)whole->trace.steps)
        return true;
    double *recorded = whole->stands_for = calloc(whole->code->count + 1, sizeof *recorded);
    double *missing = whole->missing = calloc(whole->code->count + 1, sizeof *missing);
    if (!recorded || !missing)
        return false;
    for (size_t b = 0; b < whole->trace.block_count; b++)
        count_recorded(&whole->trace.blocks[b], recorded);
    for (size_t i = 0; i < result->instruction_count; i++) {
        const struct sim_line *line = &result->instructions[i];
        size_t at = (size_t)line->index;
        double share = (double)line->counters.warp_inst / (double)result->counters.warp_inst * ran;
        missing[at] = fmax(0, share - recorded[at]);
        whole->stands_for[at] = recorded[at] > 0 ? fmax(1, share / recorded[at]) : 1;
    }
    whole->plan.stands_for = whole->stands_for;
    whole->plan.missing = whole->missing;
    return true;
}

// Look-ups by uniform registers have a cache of their own. Loops over tables of up to 256 bytes missed nothing in it; of 512
// bytes a look-up took 17 to 21 cycles of the SM, of 640 19 to 25, of 1024 and more 21 to 28, and about half as many where one
// or two blocks fill the SM, whose warps go on in step (H100, 2026-11-28).
static double look_ups_missing(double constants, int resident)
{
    static const double bytes = 256;
    double missing = constants > bytes ? 1 - bytes * bytes / (constants * constants) : 0;
    return resident <= 2 ? missing / 2 : missing;
}

bool plan_sm(struct whole *whole)
{
    const struct gpu_figures *gpu = whole->gpu;
    const struct model_launch *launch = whole->launch;
    struct replay_plan *plan = &whole->plan;
    double all = whole->active * whole->ghz;
    int resident = plan_resident_blocks(whole);
    if (resident < 1)
        return false;
    *plan = (struct replay_plan){
        .gpu = gpu, .code = whole->code, .trace = &whole->trace, .without = whole->without
    };
    plan->resident = resident;
    plan->l1_bytes = fmax(8192, gpu->l1_bytes - (double)resident * launch->shared_bytes);
    double own = SECTOR / gpu->sm_read;
    plan->l2 =
        line_cycles(fmax(own, all / gpu->l2_read_lines), fmax(4 * own, 4 * SECTOR / gpu->l2_read * all));
    plan->store =
        line_cycles(fmax(own, all / gpu->l2_write_lines), fmax(4 * own, 4 * SECTOR / gpu->l2_write * all));
    plan->partial =
        line_cycles(fmax(own, all / gpu->l2_write_lines), fmax(4 * own, 4 * all / gpu->l2_partial));
    double constants = (double)whole->sample->constant_bytes;
    plan->constant_missing = constants > 0 ? fmax(0, 1 - gpu->constant_bytes / constants) : 0;
    plan->look_up_missing = look_ups_missing(constants, resident);
    plan->turnover_cycles = turnover(gpu, whole->ghz);
    plan->block_cycles = gpu->block_start * all;
    plan_dram(whole);
    plan_atomics(whole);
    double a_block = (double)whole->trace.steps / (double)whole->trace.block_count;
    double afford = fmax((double)STEPS_REPLAYED / fmax(a_block, 1), 1);
    double few = fmax(1, round(whole->blocks_an_sm)),
           want = few <= FEW_WAVES * resident ? few : WAVES * resident;
    // Blocks that begin together end together, so that a part of a wave tells no pace.
    double waves = fmax(1, floor(afford / resident));
    plan->blocks = (size_t)fmax(1, fmin(want, waves * fmin(resident, few)));
    return true;
}
