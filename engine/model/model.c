// From one SM to the whole launch. The replay runs as many blocks as tell the pace; the rest of the SM's blocks go on at
// that pace. Rates that all SMs share are divided among those that have work.
#include "engine/model/sm.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compile/compile.h"

enum {
    STEPS_REPLAYED = 250000, // about, in one replay
    WAVES = 3,               // of blocks that fill the SM: one to begin with, two to measure the pace
    FEW_WAVES = 4,           // up to so many are counted in whole blocks, not in an average
    LOADINGS = 3,            // replays that find how busy DRAM is
    IDLE_BLOCKS = 4,         // that tell what latency alone would take
    SECTOR = 32,
    PARTS = SIM_LAUNCH_PARTS
};
// How much longer DRAM takes for an answer when it is fully busy, for its latency.
static const double LOADED = 1.2;

const char *model_term_name(enum model_term term)
{
    static const char *const names[TERMS] = {
        [TERM_ISSUE] = "issue",     [TERM_PIPE] = "arithmetic",    [TERM_SHARED] = "shared memory",
        [TERM_L1] = "L1",           [TERM_CONSTANT] = "constants", [TERM_L2] = "L2",
        [TERM_DRAM] = "DRAM",       [TERM_ATOMICS] = "atomics",    [TERM_START] = "launching",
        [TERM_LATENCY] = "latency", [TERM_TAIL] = "tail"
    };
    return names[term];
}

double model_pipe_rate(const struct gpu_figures *gpu, enum pipe pipe)
{
    switch (pipe) {
    case PIPE_FMA:
        return gpu->fma_rate;
    case PIPE_INT:
        return gpu->int_rate;
    case PIPE_MUL:
        return gpu->mul_rate;
    case PIPE_DOUBLE:
        return gpu->double_rate;
    case PIPE_SPECIAL:
        return gpu->special_rate;
    case PIPE_CONVERT:
        return gpu->convert_rate;
    case PIPE_SHUFFLE:
        return gpu->shuffle_rate;
    case PIPE_TENSOR:
        return gpu->tensor_rate;
    default:
        return gpu->memory_rate;
    }
}

// ---- what is not known ------------------------------------------------------------------------------------------

static bool unknown(struct model_time *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool unknown(struct model_time *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(out->why, sizeof out->why, format, values);
    va_end(values);
    out->known = false;
    return false;
}

// Why an instruction has no figure, where that is known.
static bool lacks_figure(const char *text, struct model_time *out)
{
    static const struct {
        const char *part, *what, *why;
    } known[] = {
        { "vprintf", "printf()", "each one waits for the host's memory, some 20 us on an H200" },
        { "tex.", "textures", "the simulator does not count what they read" },
        { "tld4.", "textures", "the simulator does not count what they read" },
        { "suld.", "surfaces", "the simulator does not count what they read and write" },
        { "sust.", "surfaces", "the simulator does not count what they read and write" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(text, known[i].part))
            return unknown(out, "The model has no figure for %s: %s.", known[i].what, known[i].why);
    return unknown(out, "The model has no figure for '%.120s'.", text);
}

// Instructions of the first block.
static double first_work(const struct sim_sample *sample)
{
    double lone = sample->longest.window_count && !sample->longest.block ? (double)sample->longest.work : 0;
    return lone + (sample->work_count ? (double)sample->work[0] : 0);
}

// Whether threads take their work from a counter that all share: some atomic of global memory is executed more often than there
// are warps, its result is used, and the first of several blocks has done most of what there was to do, for the simulator
// runs one block after the other.
static bool shares_out_work(const struct model_code *code, const struct model_launch *launch)
{
    const struct sim_result *result = launch->result;
    double warps = (double)launch->blocks * ceil(launch->block_threads / 32.0);
    if (launch->blocks < 2 || first_work(result->sample) < 0.5 * (double)result->counters.warp_inst)
        return false;
    for (size_t i = 0; i < result->instruction_count; i++) {
        const struct sim_line *line = &result->instructions[i];
        if (code->code[line->index].access == SIM_GLOBAL_ATOM && code->machine[line->index].answered &&
            (double)line->counters.warp_inst > warps)
            return true;
    }
    return false;
}

static bool is_known(const struct model_code *code, const struct model_launch *launch, struct model_time *out)
{
    const struct sim_result *result = launch->result;
    if (!result->complete)
        return unknown(out, "The simulation did not run to its end.");
    if (!result->sample || !result->sample->block_count)
        return unknown(out, "The simulation took no sample.");
    for (size_t i = 0; i < result->instruction_count; i++) {
        const struct sim_line *line = &result->instructions[i];
        if (line->index < 0 || (size_t)line->index >= code->count || !code->machine[line->index].known)
            return lacks_figure(line->text, out);
    }
    if (shares_out_work(code, launch))
        return unknown(
            out, "The first block took most of the work from a counter that all share: the simulator runs "
                 "one block after the other, and a GPU many at a time.");
    return true;
}

// ---- a plan for the SM ------------------------------------------------------------------------------------------

// The longest warp, where few run far longer than all others, by itself.
struct lone {
    double begins; // the part of the other work that is done when it begins
    double cycles, latency_cycles;
    double fresh;           // sectors that all such warps ask L2 for
    double from_dram, kept; // of them, the parts that come from DRAM, and that L1 still has
    double busy[TERMS];
};
struct whole { // a launch as the model sees it
    const struct gpu_figures *gpu;
    const struct model_code *code;
    const struct model_launch *launch;
    const struct sim_sample *sample;
    unsigned without;
    double earlier;      // bytes that launches before it left in L2
    double refetched;    // bytes that are fetched when what comes again is lost
    double ghz;          // cycles in a ns
    double active;       // SMs with work
    double blocks_an_sm; // of the fullest SM, where that matters
    double uneven;       // instructions of a block on average, for one of a replayed block
    struct trace trace;
    struct replay_plan plan;
    struct lone *lone;   // NULL: no warps run far longer than all others
    struct lone place;   // for it
    double others_fresh; // sectors that all but these ask L2 for
    double cycles, latency_cycles;
    double pace;                  // cycles for an instruction of a block's longest warp, of those replayed
    double tail_cycles;           // of `cycles`: those that SMs with equal work would spare
    double busy[TERMS];           // cycles
    double *stands_for, *missing; // of the plan
    double *moved_of;             // and these
    struct dram_part *dram_of;
};

static int resident_blocks(const struct whole *whole)
{
    const struct arch *arch = occupancy_arch(whole->gpu->target);
    bool free = whole->without & WITHOUT_LIMITS;
    struct occupancy fits =
        occupancy_of(arch, whole->launch->block_threads, free ? -1 : whole->launch->registers,
                     free ? 0 : whole->launch->shared_bytes);
    return fits.blocks;
}

// Sectors of a line that a load asks for, on average.
static double sectors_of_line(const struct whole *whole)
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
    return fmax(1, sectors_fetched(whole) / sectors_of_line(whole));
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
    double asked = fmax(1, sectors_of_line(whole) / pair) * lines_visited(sample);
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
    return (lines + (visits - lines) * lost) * sectors_of_line(whole) * SECTOR;
}

// Visits of lines that come while no other block that runs at the same time has asked for the line.
static double first_visits(const struct whole *whole)
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

// Bytes that the launch brings from DRAM.
static double dram_read_bytes(const struct whole *whole)
{
    return without_kept(whole, fmax((double)whole->sample->loaded * SECTOR, whole->refetched));
}

// The same with what comes beside them.
static double dram_moved_bytes(const struct whole *whole)
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
    double line = sectors_of_line(whole); // lines that come again bring the pairs of each visit
    whole->refetched = refetched_bytes(whole);
    if (whole->refetched > 1.5 * (double)sample->loaded * SECTOR)
        plan->pairs = fmax(plan->pairs, 2 * ceil(line / 2) / line);
    double read = dram_read_bytes(whole), written = dram_written_bytes(whole);
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

// That the first blocks of the sample executed.
static double instructions_of(const struct sim_sample *sample, size_t blocks)
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

// What the recorded steps stand for, where not all were recorded: each instruction has the share of the replayed blocks'
// instructions that it has of the launch's.
static bool plan_missing(struct whole *whole)
{
    const struct sim_result *result = whole->launch->result;
    double ran = instructions_of(whole->sample, whole->trace.block_count);
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

static bool plan_sm(struct whole *whole, struct model_time *out)
{
    const struct gpu_figures *gpu = whole->gpu;
    const struct model_launch *launch = whole->launch;
    struct replay_plan *plan = &whole->plan;
    double all = whole->active * whole->ghz;
    int resident = resident_blocks(whole);
    if (resident < 1)
        return unknown(out, "A block does not fit on an SM of this GPU.");
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

// ---- the fullest SM ---------------------------------------------------------------------------------------------

// Blocks of average work that the SM with the most work has. The first ones go to the SMs in turn, each later one to the SM
// that has had the least work.
static double fullest_sm(const struct whole *whole, int resident)
{
    enum { BLOCKS_MOST = 1 << 16, SMS_MOST = 1024 };
    const struct sim_sample *sample = whole->sample;
    double blocks = (double)whole->launch->blocks, sms = whole->gpu->sms;
    double load[SMS_MOST] = { 0 }, sum = 0, most = 0;
    size_t count = sample->work_count, places = (size_t)sms;
    if (blocks / sms <= FEW_WAVES * resident && (!count || sms > SMS_MOST))
        return ceil(blocks / sms);
    if (!count || count > BLOCKS_MOST || sms > SMS_MOST)
        return blocks / sms;
    for (size_t b = 0; b < count; b++) {
        size_t at = b % places;
        if (b >= places * (size_t)resident)
            for (size_t s = 0; s < places; s++)
                at = load[s] < load[at] ? s : at;
        load[at] += sample->work[b];
        sum += sample->work[b];
        most = fmax(most, load[at]);
    }
    return sum > 0 ? most / (sum / blocks) : ceil(blocks / sms);
}

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
static double busiest_unit(const struct whole *whole, double even, double stored)
{
    const double *busy = whole->busy;
    double of_sm = fmax(busy[TERM_SHARED] + busy[TERM_L1], fmax(busy[TERM_ISSUE], busy[TERM_PIPE]));
    of_sm = fmax(of_sm, busy[TERM_CONSTANT]);
    return fmax(of_sm, even * fmax(busy[TERM_DRAM], busy[TERM_ATOMICS] + stored));
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
    whole->cycles = fmax(cycles, busiest_unit(whole, even, result->stored_cycles * scale));
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
    double real = dram_read_bytes(whole) / SECTOR;
    whole->others_fresh = fresh;
    if (whole->sample->footprint)
        whole->plan.dram.from_dram = moved > 0 ? fmin(1, dram_moved_bytes(whole) / SECTOR / moved) : 0;
    // Blocks that run in step ask for the same lines at the same time, and all of them wait for DRAM; as far as they do not, the
    // later ones have less to wait.
    double firsts = fmax(first_visits(whole) * sectors_of_line(whole), real);
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
    struct model_time ignored;
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
    plan_sm(&alone, &ignored);
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
    double real = dram_read_bytes(whole) / SECTOR, fresh = whole->lone->fresh;
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

static bool replay_launch(struct whole *whole)
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

// ---- a launch ---------------------------------------------------------------------------------------------------

static void add_launch(const struct whole *whole, bool first, struct model_time *out)
{
    const struct gpu_figures *gpu = whole->gpu;
    double to_ms = 1e-6 / whole->ghz, fixed = (first ? gpu->launch : gpu->next_launch) * 1e-3;
    out->fixed_ms += fixed;
    out->ms += fixed + whole->cycles * to_ms;
    for (int t = 0; t < TERMS; t++)
        out->term_ms[t] += to_ms * (t == TERM_LATENCY ? whole->latency_cycles
                                    : t == TERM_TAIL  ? whole->tail_cycles
                                                      : whole->busy[t]);
}

static bool model_launch(struct whole *whole, bool first, struct model_time *out)
{
    const struct model_launch *launch = whole->launch;
    double sms = whole->gpu->sms, blocks = (double)launch->blocks;
    whole->sample = launch->result->sample;
    whole->ghz = whole->gpu->clock / 1000;
    whole->active = fmin(sms, blocks);
    whole->blocks_an_sm = fullest_sm(whole, resident_blocks(whole));
    size_t replayed = (size_t)fmax(1, round(whole->blocks_an_sm));
    if (!trace_make(whole->sample, replayed, whole->code, whole->gpu, &whole->trace))
        return false;
    double others = (double)(launch->result->counters.warp_inst - whole->sample->longest.work);
    double traced = (double)whole->trace.block_count;
    double mean = others / blocks,
           sampled = instructions_of(whole->sample, whole->trace.block_count) / traced;
    whole->uneven = sampled > 0 ? mean / sampled : 1;
    whole->moved_of = calloc(whole->sample->loaded_count + 1, sizeof *whole->moved_of);
    whole->dram_of = calloc(whole->sample->loaded_count + 1, sizeof *whole->dram_of);
    bool made = whole->moved_of && whole->dram_of &&
                (!plan_sm(whole, out) || (plan_missing(whole) && replay_launch(whole)));
    trace_free(&whole->trace);
    free(whole->stands_for);
    free(whole->missing);
    free(whole->moved_of);
    free(whole->dram_of);
    if (made && out->known)
        add_launch(whole, first, out);
    return made;
}

// ---- the band ---------------------------------------------------------------------------------------------------

// Nine in ten of the kernels of tests/model that gave no constant lie within these parts of the time. None of them is limited
// by constants by an index, which have the widest.
static void set_band(struct model_time *out)
{
    static const double part[TERMS] = {
        [TERM_ISSUE] = 0.44,   [TERM_PIPE] = 0.27,    [TERM_SHARED] = 0.34,  [TERM_L1] = 0.34,
        [TERM_L2] = 0.31,      [TERM_DRAM] = 0.17,    [TERM_ATOMICS] = 0.30, [TERM_START] = 0.28,
        [TERM_LATENCY] = 0.38, [TERM_CONSTANT] = 0.44
    };
    static const double least_ms = 0.001;
    double off = fmax(out->ms * part[out->limiter], least_ms);
    out->low_ms = fmax(0, out->ms - off);
    out->high_ms = out->ms + off;
}

// Shared memory and L1 take turns in one unit, so that both together can limit; the limiter is the one that takes more of it.
static void find_limiter(struct model_time *out)
{
    bool shared = out->term_ms[TERM_SHARED] >= out->term_ms[TERM_L1];
    enum model_term unit = shared ? TERM_SHARED : TERM_L1;
    double together = out->term_ms[TERM_SHARED] + out->term_ms[TERM_L1], most = 0;
    for (int t = 0; t < TERM_TAIL; t++) {
        double takes = t == (int)unit ? together : out->term_ms[t];
        if (takes > most) {
            out->limiter = (enum model_term)t;
            most = takes;
        }
    }
}

bool model_time(const struct gpu_figures *gpu, const struct model_code *code,
                const struct model_launch *launches, size_t count, unsigned without, struct model_time *out)
{
    double earlier = 0;
    *out = (struct model_time){ .known = true };
    if (!occupancy_arch(gpu->target))
        return unknown(out, "The model does not know what fits on an SM of this GPU."), true;
    for (size_t i = 0; i < count; i++) {
        struct whole whole = {
            .gpu = gpu, .code = code, .launch = &launches[i], .without = without, .earlier = earlier
        };
        if (!is_known(code, &launches[i], out))
            return true;
        if (!model_launch(&whole, i == 0, out))
            return false;
        if (!out->known)
            return true;
        earlier = (double)(whole.sample->loaded + whole.sample->stored) * SECTOR;
    }
    find_limiter(out);
    set_band(out);
    return true;
}
