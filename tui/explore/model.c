// The modelled time of a kernel while one turns its launch. A few blocks of one of assets/explore's kernels run in the
// simulator; what they did stands for all blocks of the grid, and the model computes the time of the whole on a GPU. These
// kernels are the program's own, so they run here and not in a worker, and each change is answered at once.
#include "tui/explore/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/run/modelled.h"
#include "engine/run/simulation.h"
#include "kernels/variant.h"
#include "tui/text/text.h"

enum { KERNEL, GPU, SIZE, BLOCK, REGISTERS, SHARED };
enum { FEW = 64, KIB = 1024, TERMS_SHOWN = 4 }; // FEW: blocks that are simulated, which more than fill an SM

static const char *const kernels[] = { "add", "strided", "tree", "polynomial", "atomics", NULL };
static const char *const does[] = {
    "out[i] = a[i] + b[i]",
    "out[i] = a[8 * i], 4 bytes of each sector",
    "a tree of sums in shared memory, with a barrier at each step",
    "256 multiplications and additions in a row, in registers",
    "atomicAdd(&out[a[i] % 256], 1), in global memory",
};
const char *const explore_gpus[] = { "h100", "h200",    "a100",    "v100",    "t4", "l4",
                                     "b200", "rtx3090", "rtx4090", "rtx5090", NULL };
static const long sizes[] = { 1024,    4096,     16384,    65536,     262144, 1048576,
                              4194304, 16777216, 67108864, 268435456, 0 };
static const long blocks[] = { 32, 64, 128, 256, 512, 1024, 0 };

// ---- a few blocks in the simulator --------------------------------------------------------------------------------

struct few_blocks { // what is simulated: a module, its data, a launch
    struct sim_module *module;
    struct sim_memory *memory;
    float *data[3];
    uint64_t count; // of blocks of the whole grid
    int block, own_shared;
    struct sim_result result;
};

static bool read_module(struct sim_module **out, struct error *error)
{
    static const char below[] = "assets/ptx/explore/kernels.ptx";
    struct sim_fault fault = { 0 };
    struct text ptx = { 0 };
    char *path = path_shipped(below);
    bool read = path && file_read(path, &ptx, error);
    if (!path)
        error_set(error, EXIT_MISSING, "%s is not there.", below);
    else if (read && !sim_module_read(ptx.data, ptx.length, out, &fault))
        read = error_set(error, EXIT_MISSING, "%s: %.200s", below, fault.text);
    text_free(&ptx);
    free(path);
    return read;
}

static void scale(uint64_t *count, double by)
{
    *count = (uint64_t)llround((double)*count * by);
}

// What so many blocks did, as all of the grid do it: each block does as much as another one.
static void scale_result(struct sim_result *result, double by)
{
    struct sim_sample *sample = result->sample;
    uint64_t *const all[] = {
        &result->counters.warp_inst, &sample->lines,        &sample->loaded,  &sample->stored,
        &sample->loaded_pairs,       &sample->stored_pairs, &sample->atomics, &sample->visits,
        &sample->longest_sum
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        scale(all[i], by);
    for (int i = 0; i < SIM_ACCESSES; i++)
        scale(&result->counters.passes[i], by);
    for (size_t i = 0; i < sizeof sample->apart / sizeof *sample->apart; i++)
        scale(&sample->apart[i], by);
    scale(&sample->hottest[SIM_WINDOWS - 1], by);
    for (int i = 0; i + 1 < SIM_WINDOWS; i++)
        sample->hottest[i] = sample->hottest[SIM_WINDOWS - 1];
    if (by > 1)
        sample->work_count = 0; // those of the other blocks are not known, and equal
}

static bool simulate(struct few_blocks *run, const char *kernel, long size, struct error *error)
{
    struct sim_fault fault = { 0 };
    uint32_t few = (uint32_t)(run->count < FEW ? run->count : FEW);
    int n = (int)few * run->block < size ? (int)few * run->block : (int)size;
    sim_address at[3];
    run->memory = sim_memory_new();
    for (int i = 0; i < 3; i++) {
        size_t count = (size_t)few * (size_t)run->block * 8;
        run->data[i] = mem_new(count * sizeof(float));
        for (size_t k = 0; k < count; k++)
            run->data[i][k] = (float)(expr_hash((uint32_t)k) % 256);
        at[i] = run->memory ? sim_memory_add(run->memory, "data", run->data[i], count * sizeof(float),
                                             sizeof(float), SIM_INOUT)
                            : 0;
    }
    struct sim_argument arguments[] = {
        { &at[0], sizeof *at }, { &at[1], sizeof *at }, { &at[2], sizeof *at }, { &n, sizeof n }
    };
    struct sim_launch launch = { .kernel = sim_kernel_find(run->module, kernel),
                                 .grid = { few, 1, 1 },
                                 .block = { (uint32_t)run->block, 1, 1 },
                                 .shared_bytes = (uint32_t)run->own_shared,
                                 .arguments = arguments,
                                 .argument_count = 4 };
    struct sim_options options = { .check = SIM_CHECK_COUNTERS, .threads = 1, .sample = true };
    if (!at[2] || !sim_run(run->module, run->memory, &launch, &options, &run->result, &fault))
        return error_set(error, EXIT_MISSING, "The simulator did not run it: %.200s", fault.text);
    if (run->result.sample)
        scale_result(&run->result, (double)run->count / few);
    return true;
}

static void end(struct few_blocks *run)
{
    sim_result_free(&run->result);
    if (run->module && run->memory)
        sim_memory_unload(run->memory, run->module);
    sim_memory_free(run->memory);
    sim_module_free(run->module);
    for (int i = 0; i < 3; i++)
        free(run->data[i]);
}

// ---- its time -------------------------------------------------------------------------------------------------------

static void time_of(const struct few_blocks *run, const struct gpu_figures *gpu, int registers, int shared,
                    struct model_time *out)
{
    struct sim_instruction *code;
    size_t count = sim_module_instructions(run->module, &code);
    struct machine_code *machine = mem_new((count + 1) * sizeof *machine);
    struct model_code all = { .code = code, .machine = machine, .count = count };
    struct model_launch launch = { .result = &run->result,
                                   .blocks = run->count,
                                   .block_threads = run->block,
                                   .registers = registers,
                                   .shared_bytes = run->own_shared + shared };
    if (machine_code_of(code, count, NULL, NULL, 0, gpu, machine) == MACHINE_NO_MEMORY ||
        !model_time(gpu, &all, &launch, 1, 0, out)) {
        out->known = false;
        format_into(out->why, sizeof out->why, "There is not enough memory for the model.");
    }
    free(machine);
    free(code);
}

static bool compute(const struct settings *settings, int block, struct model_time *out, struct error *error)
{
    const long *number = settings->number;
    struct gpu_figures gpu;
    struct few_blocks run = { .count = (uint64_t)((number[SIZE] + block - 1) / block), .block = block };
    run.own_shared = strcmp(kernels[number[KERNEL]], "tree") == 0 ? block * (int)sizeof(float) : 0;
    bool done = figures_find(explore_gpus[number[GPU]], &gpu, error) && read_module(&run.module, error) &&
                simulate(&run, kernels[number[KERNEL]], number[SIZE], error);
    if (done)
        time_of(&run, &gpu, (int)number[REGISTERS], (int)number[SHARED] * KIB, out);
    end(&run);
    return done;
}

static bool compute_view(const struct settings *settings, struct model_view *out, struct error *error)
{
    const long *number = settings->number;
    struct gpu_figures gpu;
    *out = (struct model_view){ 0 };
    if (!figures_find(explore_gpus[number[GPU]], &gpu, error))
        return false;
    format_into(out->gpu, sizeof out->gpu, "%s", gpu.name);
    out->measured = gpu.measured;
    out->sms = (long)gpu.sms;
    out->blocks = (number[SIZE] + number[BLOCK] - 1) / number[BLOCK];
    for (out->count = 0; blocks[out->count]; out->count++) {
        if (!compute(settings, (int)blocks[out->count], &out->time[out->count], error))
            return false;
        if (blocks[out->count] == number[BLOCK])
            out->now = out->count;
    }
    int shared = (int)number[SHARED] * KIB;
    if (strcmp(kernels[number[KERNEL]], "tree") == 0)
        shared += (int)(number[BLOCK] * (long)sizeof(float));
    out->fits = occupancy_of(occupancy_arch(gpu.target), (int)number[BLOCK], (int)number[REGISTERS], shared);
    return true;
}

// A page is drawn again and again with the same knobs, at other sizes.
bool model_compute(const struct settings *settings, struct model_view *out, struct error *error)
{
    static _Thread_local struct {
        long number[KNOBS];
        struct model_view view;
        bool known;
    } latest;
    if (!latest.known || memcmp(latest.number, settings->number, sizeof latest.number) != 0) {
        memcpy(latest.number, settings->number, sizeof latest.number);
        latest.known = compute_view(settings, &latest.view, error);
    }
    if (latest.known)
        *out = latest.view;
    return latest.known;
}

// ---- the picture ----------------------------------------------------------------------------------------------------

static struct modelled modelled_of(const struct model_view *view, const struct model_time *time)
{
    struct modelled one = { .name = (char *)view->gpu,
                            .measured = view->measured,
                            .why = time->known ? NULL : (char *)time->why,
                            .ms = time->ms,
                            .low_ms = time->low_ms,
                            .high_ms = time->high_ms,
                            .fixed_ms = time->fixed_ms,
                            .limiter = time->limiter };
    memcpy(one.term_ms, time->term_ms, sizeof one.term_ms);
    return one;
}

// The same for each size of the block: a bar of its time.
static void add_block(struct sheet *sheet, const struct model_view *view, size_t which, double most)
{
    enum { LABEL = 14, TIME = 20 };
    struct modelled one = modelled_of(view, &view->time[which]);
    char words[64];
    bool now = which == view->now;
    modelled_time(&one, sheet->utf8, words, sizeof words);
    sheet_add(sheet, now ? ROLE_TITLE : ROLE_TEXT, " block %ld", blocks[which]);
    sheet_to(sheet, LABEL);
    sheet_add(sheet, now ? ROLE_TITLE : ROLE_TEXT, "%s", one.why ? "does not fit" : words);
    int cells = draw_width(sheet) - LABEL - TIME;
    if (!one.why && cells > 4) {
        struct text bar = { 0 };
        sheet_to(sheet, LABEL + TIME);
        modelled_bar(&bar, sheet->utf8, one.ms / most, cells);
        sheet_add(sheet, ROLE_SIM, "%s", text_string(&bar));
        text_free(&bar);
    }
    sheet_end(sheet);
}

static void draw(const struct settings *settings, struct sheet *sheet)
{
    struct model_view view;
    struct error error;
    if (!model_compute(settings, &view, &error)) {
        draw_words(sheet, ROLE_BAD, "%s", error.text);
        return;
    }
    struct modelled one = modelled_of(&view, &view.time[view.now]);
    char count[40];
    double most = 0;
    for (size_t i = 0; i < view.count; i++)
        most = fmax(most, view.time[i].ms);
    unit_count((double)view.blocks, count, sizeof count);
    draw_words(sheet, ROLE_TEXT, "%s: %s. %s %s; %d fit on each of %ld SMs, which are %.0f%% of its warps.",
               kernels[settings->number[KERNEL]], does[settings->number[KERNEL]], count,
               view.blocks == 1 ? "block" : "blocks", view.fits.blocks, view.sms, view.fits.percent);
    for (size_t i = 0; i < view.count; i++)
        add_block(sheet, &view, i, most);
    if (one.why)
        draw_words(sheet, ROLE_BAD, "No time: %s", one.why);
    else
        modelled_terms(sheet, &one, TERMS_SHOWN);
}

static json_t *values(const struct settings *settings)
{
    struct model_view view;
    struct error error;
    if (!model_compute(settings, &view, &error) || !view.time[view.now].known)
        return NULL;
    const struct model_time *time = &view.time[view.now];
    return json_pack("{s:f,s:f,s:f,s:s,s:i}", "ms", time->ms, "low_ms", time->low_ms, "high_ms",
                     time->high_ms, "limiter", model_term_name(time->limiter), "blocks_per_sm",
                     view.fits.blocks);
}

const struct explorer explore_model = {
    .name = "model",
    .title = "How long a launch would take on a GPU, as modelled",
    .help =
        "How long a kernel would take on a GPU, by its size, block, registers and shared memory, and why.",
    .knobs = { { .name = "kernel", .help = "what runs", .words = kernels },
               { .name = "gpu", .help = "on which GPU; no GPU runs it", .words = explore_gpus },
               { .name = "size", .help = "elements, a thread each", .list = sizes, .start = 16777216 },
               { .name = "block", .help = "threads of a block", .list = blocks, .start = 256 },
               { .name = "registers",
                 .help = "of each thread, as if the kernel took so many",
                 .least = 16,
                 .most = 255,
                 .start = 32,
                 .step = 8 },
               { .name = "shared",
                 .help = "KiB of shared memory that a block takes besides",
                 .most = 96,
                 .step = 4 } },
    .draw = draw,
    .values = values,
};
