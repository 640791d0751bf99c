// From launches to a time: what is not known, the SM with the most work, the terms, the limiter, the band.
#include "engine/model/whole.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compile/compile.h"

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

// ---- a launch ---------------------------------------------------------------------------------------------------

// How long latency takes alone is told by fewer blocks than the launch is, which may have gone other ways in their loops. It is a
// part of the launch, and no longer than that.
static void add_launch(const struct whole *whole, bool first, struct model_time *out)
{
    const struct gpu_figures *gpu = whole->gpu;
    double to_ms = 1e-6 / whole->ghz, fixed = (first ? gpu->launch : gpu->next_launch) * 1e-3;
    out->fixed_ms += fixed;
    out->ms += fixed + whole->cycles * to_ms;
    for (int t = 0; t < TERMS; t++)
        out->term_ms[t] += to_ms * (t == TERM_LATENCY ? fmin(whole->latency_cycles, whole->cycles)
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
    whole->blocks_an_sm = fullest_sm(whole, plan_resident_blocks(whole));
    size_t replayed = (size_t)fmax(1, round(whole->blocks_an_sm));
    if (!trace_make(whole->sample, replayed, whole->code, whole->gpu, &whole->trace))
        return false;
    double others = (double)(launch->result->counters.warp_inst - whole->sample->longest.work);
    double traced = (double)whole->trace.block_count;
    double mean = others / blocks,
           sampled = plan_instructions(whole->sample, whole->trace.block_count) / traced;
    whole->uneven = sampled > 0 ? mean / sampled : 1;
    whole->moved_of = calloc(whole->sample->loaded_count + 1, sizeof *whole->moved_of);
    whole->dram_of = calloc(whole->sample->loaded_count + 1, sizeof *whole->dram_of);
    bool made = whole->moved_of && whole->dram_of;
    if (made && !plan_sm(whole))
        unknown(out, "A block does not fit on an SM of this GPU.");
    else
        made = made && plan_missing(whole) && launch_replay(whole);
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
