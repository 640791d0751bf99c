// The modelled time of a kernel while one turns its launch. A few blocks of one of assets/explore's kernels run in the
// simulator; what they did stands for all blocks of the grid, and the model computes the time of the whole on a GPU. These
// kernels are the program's own, so they run here and not in a worker, and each change is answered at once.
#include "tui/explore/explore.h"

#include <math.h>
#include <pthread.h>
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
static const char *const gpus[] = { "h100", "h200",    "a100",    "v100",    "t4", "l4",
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
    bool done = figures_find(gpus[number[GPU]], &gpu, error) && read_module(&run.module, error) &&
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
    if (!figures_find(gpus[number[GPU]], &gpu, error))
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
               { .name = "gpu", .help = "on which GPU; no GPU runs it", .words = gpus },
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

// ---- a step of a ladder, simulated once for each size; the model turns the rest -------------------------------------

enum { STEP, STEP_SIZE, STEP_GPU, STEP_REGISTERS, STEP_SHARED };
enum { LIMIT_MS = 4000 };

static const char *const steps[] = { "histogram/3", "reduction/5", "transpose/3", "matmul/3", NULL };
static const char *const step_sizes[] = { "small", "full", NULL };

// ---- the simulated step -------------------------------------------------------------------------------------------

struct simulated {
    char step[KNOB_TEXT], size[KNOB_TEXT];
    struct request request;
    struct turnable turnable;
    bool open;
    struct error error; // why it is not
};
// The one that was prepared last; a page draws it again for each turn of a knob, and may prepare another one meanwhile.
static struct simulated *kept;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

// "histogram/3": a lab, and a step by its number or its word; the learner's own copy, where there is one.
static bool find_step(const char *step, const struct lab **lab, struct ladder *ladder,
                      const struct variant **variant, struct error *error)
{
    char name[KNOB_TEXT];
    const char *slash = strchr(step, '/');
    format_into(name, sizeof name, "%.*s", (int)(slash ? slash - step : 0), step);
    *lab = lab_find(name);
    if (!slash || !*lab)
        return error_set(error, EXIT_USAGE,
                         "'%.40s' is no step of a ladder. Write LAB/STEP, such as histogram/3.", step);
    if (!ladder_read(name, ladder, error))
        return false;
    *variant = ladder_find(ladder, slash + 1);
    return *variant || error_set(error, EXIT_USAGE, "%s has no step '%.40s'. 'warpbook list %s' lists them.",
                                 name, slash + 1, name);
}

static bool make_request(const struct settings *settings, struct request *out, struct error *error)
{
    const struct lab *lab;
    struct ladder ladder = { 0 };
    const struct variant *variant = NULL;
    const char *size = settings->text[STEP_SIZE];
    bool made = find_step(settings->text[STEP], &lab, &ladder, &variant, error);
    if (made) {
        *out = request_new(ON_SIM, lab->name, variant, NULL, NULL, NULL);
        out->check = REQUEST_CHECK_COUNTERS;
        out->limit_ms = LIMIT_MS;
        out->gpus = json_array(); // it is for the model, which wants machine code and a sample
        made = strchr(size, '=') ? request_set_param(out, lab, NULL, size, error)
                                 : request_set_size(out, lab, size, error);
    }
    ladder_free(&ladder);
    return made;
}

static void simulated_free(struct simulated *one)
{
    if (!one)
        return;
    turnable_close(&one->turnable);
    request_free(&one->request);
    free(one);
}

static void prepare_step(const struct settings *settings)
{
    struct simulated *one = mem_new(sizeof *one), *before;
    format_into(one->step, sizeof one->step, "%s", settings->text[STEP]);
    format_into(one->size, sizeof one->size, "%s", settings->text[STEP_SIZE]);
    one->open = make_request(settings, &one->request, &one->error) &&
                turnable_open(&one->turnable, &one->request, &one->error);
    pthread_mutex_lock(&kept_lock);
    before = kept;
    kept = one;
    pthread_mutex_unlock(&kept_lock);
    simulated_free(before);
}

static bool is_kept(const struct settings *settings)
{
    return kept && strcmp(kept->step, settings->text[STEP]) == 0 &&
           strcmp(kept->size, settings->text[STEP_SIZE]) == 0;
}

static bool step_is_ready(const struct settings *settings)
{
    pthread_mutex_lock(&kept_lock);
    bool ready = is_kept(settings);
    pthread_mutex_unlock(&kept_lock);
    return ready;
}

// The step of the settings, simulated; the lock is held then, and the caller gives it back. NULL: an error.
static const struct simulated *take_step(const struct settings *settings, struct error *error)
{
    pthread_mutex_lock(&kept_lock);
    while (!is_kept(settings)) {
        pthread_mutex_unlock(&kept_lock);
        prepare_step(settings);
        pthread_mutex_lock(&kept_lock);
    }
    if (kept->open)
        return kept;
    *error = kept->error;
    pthread_mutex_unlock(&kept_lock);
    return NULL;
}

static void give_step(void)
{
    pthread_mutex_unlock(&kept_lock);
}

struct turned_view {
    char title[96];
    struct modelled time;
    struct model_launch launch; // the one with the most threads
    struct occupancy fits;
    long sms;
    bool complete; // the simulation ran to its end
};
static bool turned_compute(const struct settings *settings, struct turned_view *out, struct error *error)
{
    const long *number = settings->number;
    struct gpu_figures gpu;
    *out = (struct turned_view){ 0 };
    if (!figures_find(gpus[number[STEP_GPU]], &gpu, error))
        return false;
    const struct simulated *step = take_step(settings, error);
    if (!step)
        return false;
    const struct sim_setup *setup = &step->turnable.setup;
    modelled_turn(step->turnable.launches, setup->module, &setup->compiled, &gpu, (int)number[STEP_REGISTERS],
                  (int)number[STEP_SHARED] * KIB, &out->time, &out->launch);
    out->complete = !out->launch.result || out->launch.result->complete;
    out->launch.result = NULL; // it may go before the picture does
    format_into(out->title, sizeof out->title, "%s", setup->variant.title);
    give_step();
    out->sms = (long)gpu.sms;
    out->fits = occupancy_of(occupancy_arch(gpu.target), out->launch.block_threads, out->launch.registers,
                             out->launch.shared_bytes);
    return true;
}

static void turned_free(struct turned_view *view)
{
    free(view->time.gpu);
    free(view->time.name);
    free(view->time.why);
}

// ---- the picture ----------------------------------------------------------------------------------------------------

static void draw_step(const struct settings *settings, struct sheet *sheet)
{
    struct turned_view view;
    struct error error;
    if (!turned_compute(settings, &view, &error)) {
        draw_words(sheet, ROLE_BAD, "%s", error.text);
        return;
    }
    char count[40], time[64], registers[40] = "";
    unit_count((double)view.launch.blocks, count, sizeof count);
    modelled_time(&view.time, sheet->utf8, time, sizeof time);
    if (view.launch.registers > 0)
        format_into(registers, sizeof registers, ", %d registers each", view.launch.registers);
    draw_words(
        sheet, ROLE_TEXT,
        "%s. %s %s of %d threads%s, %d bytes of shared memory a block; %d fit on each of %ld SMs, which are "
        "%.0f%% of its warps.",
        view.title, count, view.launch.blocks == 1 ? "block" : "blocks", view.launch.block_threads, registers,
        view.launch.shared_bytes, view.fits.blocks, view.sms, view.fits.percent);
    if (view.time.why) {
        draw_words(sheet, ROLE_BAD, "No time: %s", view.time.why);
        if (!view.complete)
            draw_words(sheet, ROLE_NOTE, "Here it may take %d s. Choose a smaller size.", LIMIT_MS / 1000);
    } else {
        draw_words(sheet, ROLE_SIM, "%s modelled for %s.", time, modelled_device(&view.time));
        modelled_terms(sheet, &view.time, TERMS_SHOWN);
    }
    turned_free(&view);
}

static json_t *values_of_step(const struct settings *settings)
{
    struct turned_view view;
    struct error error;
    if (!turned_compute(settings, &view, &error))
        return NULL;
    json_t *json = view.time.why
                       ? NULL
                       : json_pack("{s:f,s:f,s:f,s:s,s:i}", "ms", view.time.ms, "low_ms", view.time.low_ms,
                                   "high_ms", view.time.high_ms, "limiter",
                                   model_term_name(view.time.limiter), "blocks_per_sm", view.fits.blocks);
    turned_free(&view);
    return json;
}

static bool check_step(const struct settings *settings, struct error *error)
{
    const struct simulated *step = take_step(settings, error);
    if (step)
        give_step();
    return step;
}

const struct explorer explore_step = {
    .name = "step",
    .title = "How long a step of a ladder would take on a GPU, as modelled",
    .help =
        "How long a step of a ladder would take on a GPU, by its size, registers and shared memory, and why.",
    .knobs = { { .name = "step", .help = "which, as LAB/STEP", .texts = steps },
               { .name = "size",
                 .help = "a size that the lab names, or a parameter, as n=4096",
                 .texts = step_sizes },
               { .name = "gpu", .help = "on which GPU; no GPU runs it", .words = gpus },
               { .name = "registers",
                 .help = "of each thread, as if the kernel took so many; 0: what it takes",
                 .most = 255,
                 .step = 8 },
               { .name = "shared",
                 .help = "KiB of shared memory that a block takes besides",
                 .most = 200,
                 .step = 4 } },
    .draw = draw_step,
    .ready = step_is_ready,
    .prepare = prepare_step,
    .check = check_step,
    .values = values_of_step,
};
