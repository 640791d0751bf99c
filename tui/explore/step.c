// The modelled time of a step of a ladder, or of a kernel file, while one turns its launch. It is simulated once for each size
// of the data and each block, and the model turns the rest. A time is shown only where what was simulated came out right and
// every check of the simulator was content: those run at the small size where the whole one would take too long.
#include "tui/explore/explore.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cli/cli.h"
#include "engine/run/simulation.h"
#include "tui/text/text.h"

enum { STEP, STEP_SIZE, STEP_GPU, STEP_BLOCK, STEP_REGISTERS, STEP_SHARED };
enum { LIMIT_MS = 4000, KIB = 1024, TERMS_SHOWN = 4 };
enum { AS_WRITTEN, BLOCKS = 7 }; // a block as the file's launch line has it, and those of `threads`

static const char *const steps[] = { "histogram/3", "reduction/5", "transpose/3", "matmul/3", NULL };
static const char *const block_words[] = { "written", "32", "64", "128", "256", "512", "1024", NULL };
static const long threads[BLOCKS] = { 0, 32, 64, 128, 256, 512, 1024 };
static const char *const step_sizes[] = { "small", "full", NULL };

// ---- the simulated step -------------------------------------------------------------------------------------------

struct simulated { // with one block
    bool open;
    bool renamed; // the code's own numbers were changed with the block
    bool differs; // what it left is not what the launches as they are written leave, and no answers are known
    struct request request;
    struct turnable turnable;
    struct error error; // why it is not open
};
struct prepared {
    char step[KNOB_TEXT], size[KNOB_TEXT];
    struct simulated *with[BLOCKS]; // NULL: not simulated yet
};
// The step that was prepared last; a page draws it again for each turn of a knob, and may prepare another one meanwhile.
static struct prepared *kept;
static unsigned long kept_changes; // how often something was added to it
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

// "histogram/3", the learner's own copy, where there is one; or a kernel file, "mine.cu".
static bool find_step(const char *step, struct target *out, struct error *error)
{
    if (string_ends(step, ".ptx"))
        return error_set(error, EXIT_USAGE, "%s is PTX: what is turned is a launch line of CUDA C.", step);
    if (!string_ends(step, ".cu") && !strchr(step, '/'))
        return error_set(error, EXIT_USAGE,
                         "'%.40s' is no step of a ladder. Write LAB/STEP, such as histogram/3, or FILE.cu.",
                         step);
    if (!target_read(step, out, error))
        return false;
    if (out->variant)
        return true;
    if (out->cpu)
        error_set(error, EXIT_USAGE, "%s is a CPU implementation, which has no launch to turn.",
                  out->cpu->name);
    else
        error_set(error, EXIT_USAGE, "Name a step of %s: 'warpbook list %s' shows them.", out->lab->name,
                  out->lab->name);
    target_free(out);
    return false;
}

// A file of its own has one size, that of its directives, which is small here.
static bool set_size(const struct target *target, const char *size, struct request *out, struct error *error)
{
    if (strchr(size, '='))
        return request_set_param(out, target->lab, target->lab ? NULL : target->variant, size, error);
    if (target->lab)
        return request_set_size(out, target->lab, size, error);
    return strcmp(size, step_sizes[0]) == 0 ||
           error_set(error, EXIT_USAGE,
                     "A file of its own has no size '%s': set one of its parameters, such as size=n=4096.",
                     size);
}

// All checks of a whole size would take too long.
static bool is_checked(const char *size)
{
    return strcmp(size, step_sizes[1]) != 0;
}

static bool make_request(const struct settings *settings, const char *size, struct request *out,
                         struct error *error)
{
    struct target target = { 0 };
    if (!find_step(settings->text[STEP], &target, error))
        return false;
    *out = request_new(ON_SIM, target.lab ? target.lab->name : NULL, target.variant, NULL, NULL, NULL);
    out->check = is_checked(size) ? REQUEST_CHECK_ALL : REQUEST_CHECK_COUNTERS;
    out->limit_ms = LIMIT_MS;
    out->gpus = json_array(); // it is for the model, which wants machine code and a sample
    bool made = set_size(&target, size, out, error);
    target_free(&target);
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

static void kept_free_all(struct prepared *all)
{
    for (int b = 0; all && b < BLOCKS; b++)
        simulated_free(all->with[b]);
    free(all);
}

static bool has_time(const struct simulated *one)
{
    return one && one->open && one->turnable.complete && !*one->turnable.wrong && !one->differs;
}

// What is simulated in place of a file's text: with other launch lines.
struct instead {
    const char *text;              // NULL: as it is
    const struct variant *variant; // whose code it is, but for names that follow the block
    enum block_follows follows;
    size_t main;
    bool has_left;
    uint64_t left; // by the launches as they are written, where no answers are known
};

static struct simulated *simulate_size(const struct settings *settings, const char *size,
                                       const struct instead *instead)
{
    struct simulated *one = mem_new(sizeof *one);
    if (!make_request(settings, size, &one->request, &one->error))
        return one;
    struct variant renamed = { 0 };
    one->renamed = instead->text && instead->follows == BLOCK_NAMES_FOLLOW;
    if (one->renamed &&
        !variant_parse(&renamed, one->request.lab, one->request.file, instead->text, &one->error))
        return one;
    char *code = instead->text ? variant_source(one->renamed ? &renamed : instead->variant) : NULL;
    variant_free(&renamed);
    if (instead->text) {
        free(one->request.source);
        one->request.source = mem_copy(instead->text);
    }
    one->open = turnable_open(&one->turnable, &one->request, code, instead->main, &one->error);
    free(code);
    return one;
}

static struct simulated *simulate(const struct settings *settings, const struct instead *instead)
{
    const char *size = settings->text[STEP_SIZE];
    struct simulated *one = simulate_size(settings, size, instead);
    one->differs = instead->has_left && !one->turnable.answers && one->turnable.left != instead->left;
    if (is_checked(size) || !has_time(one))
        return one;
    struct simulated *small = simulate_size(settings, step_sizes[0], instead);
    if (small->open && small->turnable.found) {
        format_into(one->turnable.wrong, sizeof one->turnable.wrong, "%s", small->turnable.wrong);
        one->turnable.found = true;
    }
    simulated_free(small);
    return one;
}

// The grid follows the block. Where what comes out is wrong, as with blocks that have a tile of a size of their own, the names
// of the code follow, too, or else the grid stays as it is written.
static struct simulated *simulate_block(const struct settings *settings, struct instead *instead, long block)
{
    static const enum block_follows ways[] = { BLOCK_GRID_FOLLOWS, BLOCK_NAMES_FOLLOW, BLOCK_ALONE };
    enum { WAYS = sizeof ways / sizeof *ways };
    char *texts[WAYS] = { NULL };
    struct simulated *best = NULL;
    struct error error = { 0 };
    for (int w = 0; w < WAYS && !has_time(best); w++) {
        texts[w] = variant_with_block(instead->variant, instead->main, block, ways[w], &error);
        bool new = texts[w] != NULL;
        for (int before = 0; before < w && new; before++)
            new = !texts[before] || strcmp(texts[before], texts[w]) != 0;
        if (!new)
            continue;
        instead->text = texts[w];
        instead->follows = ways[w];
        struct simulated *one = simulate(settings, instead);
        if (best && has_time(one)) {
            simulated_free(best);
            best = NULL;
        }
        if (best)
            simulated_free(one);
        else
            best = one;
    }
    for (int w = 0; w < WAYS; w++)
        free(texts[w]);
    if (!best) {
        best = mem_new(sizeof *best);
        best->error = error;
    }
    return best;
}

static bool is_kept(const struct settings *settings)
{
    return kept && strcmp(kept->step, settings->text[STEP]) == 0 &&
           strcmp(kept->size, settings->text[STEP_SIZE]) == 0;
}

static const struct simulated *as_written(void)
{
    return kept->with[AS_WRITTEN];
}

static long threads_of(const struct simulated *one)
{
    const unsigned *block = one->turnable.block;
    return (long)block[0] * block[1] * block[2];
}

// The one with so many threads may be the one that is written.
static int same_block(int block)
{
    return as_written() && block != AS_WRITTEN && threads[block] == threads_of(as_written()) ? AS_WRITTEN
                                                                                             : block;
}

// Where there is no time for the block that is written, others are not tried.
static bool is_missing(int block)
{
    return !kept->with[same_block(block)] && (!as_written() || has_time(as_written()));
}

// What is simulated next: the written block, the chosen one, the other ones. -1: nothing is missing.
static int next_block(const struct settings *settings)
{
    int chosen = (int)settings->number[STEP_BLOCK];
    if (!is_kept(settings) || is_missing(AS_WRITTEN))
        return AS_WRITTEN;
    if (is_missing(chosen))
        return chosen;
    for (int b = 0; b < BLOCKS; b++)
        if (is_missing(b))
            return b;
    return -1;
}

static void keep(const struct settings *settings, int block, struct simulated *one)
{
    struct prepared *before = NULL;
    pthread_mutex_lock(&kept_lock);
    if (!is_kept(settings)) {
        before = kept;
        kept = mem_new(sizeof *kept);
        format_into(kept->step, sizeof kept->step, "%s", settings->text[STEP]);
        format_into(kept->size, sizeof kept->size, "%s", settings->text[STEP_SIZE]);
    }
    if (!kept->with[block] && (block == AS_WRITTEN || as_written())) {
        kept->with[block] = one;
        kept_changes++;
        one = NULL;
    }
    pthread_mutex_unlock(&kept_lock);
    simulated_free(one);
    kept_free_all(before);
}

static void prepare_step(const struct settings *settings)
{
    struct variant variant = { 0 };
    struct instead instead = { 0 };
    struct error error;
    pthread_mutex_lock(&kept_lock);
    int block = next_block(settings);
    if (block > AS_WRITTEN) {
        const struct request *request = &as_written()->request;
        instead = (struct instead){ .variant = &variant,
                                    .main = as_written()->turnable.main,
                                    .has_left = has_time(as_written()),
                                    .left = as_written()->turnable.left };
        if (!variant_parse(&variant, request->lab, request->file, request->source, &error))
            block = -1;
    }
    pthread_mutex_unlock(&kept_lock);
    if (block == AS_WRITTEN)
        keep(settings, block, simulate(settings, &instead));
    else if (block > 0)
        keep(settings, block, simulate_block(settings, &instead, threads[block]));
    if (block > AS_WRITTEN)
        variant_free(&variant);
}

static bool step_is_ready(const struct settings *settings)
{
    pthread_mutex_lock(&kept_lock);
    int next = next_block(settings);
    bool ready = next != AS_WRITTEN && next != settings->number[STEP_BLOCK];
    pthread_mutex_unlock(&kept_lock);
    return ready;
}

static bool step_is_whole(const struct settings *settings)
{
    pthread_mutex_lock(&kept_lock);
    bool whole = next_block(settings) < 0;
    pthread_mutex_unlock(&kept_lock);
    return whole;
}

// The step of the settings, simulated; the lock is held then, and the caller gives it back. NULL: an error.
static const struct simulated *take_step(const struct settings *settings, struct error *error)
{
    while (!step_is_ready(settings))
        prepare_step(settings);
    pthread_mutex_lock(&kept_lock);
    if (is_kept(settings) && as_written()->open)
        return as_written();
    *error = is_kept(settings) ? as_written()->error : (struct error){ 0 };
    pthread_mutex_unlock(&kept_lock);
    return NULL;
}

static void give_step(void)
{
    pthread_mutex_unlock(&kept_lock);
}

// ---- its times --------------------------------------------------------------------------------------------------------

struct turned { // with one block
    bool known; // it was simulated
    bool renamed;
    char shape[40], why[800];
    struct modelled time;       // without a `why` of its own
    struct model_launch launch; // the one with the most instructions
    struct occupancy fits;
    bool complete;
};
struct turned_view {
    char title[96], written[40];
    char kernel[64]; // of several: "addPartials: "
    char gpu[64];
    char smaller[96]; // ", such as n=4096" of a file of its own; "": a lab has sizes
    int now;          // which of the blocks is chosen
    double threads;   // of the launch as it is written
    long sms;
    struct turned with[BLOCKS]; // the written one is in the place of its threads, where it has one
};

static void shape_words(const struct simulated *one, char *out, size_t size)
{
    const unsigned *block = one->turnable.block;
    *out = 0;
    if (!block[0])
        return; // it was not launched
    if (block[2] > 1)
        format_into(out, size, "%ux%ux%u", block[0], block[1], block[2]);
    else if (block[1] > 1)
        format_into(out, size, "%ux%u", block[0], block[1]);
    else
        format_into(out, size, "%u", block[0]);
}

// Why a block has no time: what went wrong with it, and the line that may have to change with it.
static void say_wrong(const struct simulated *one, char *out, size_t size)
{
    const struct simulated *written = as_written();
    const unsigned *block = written->turnable.block;
    long number = block[1] > 1 ? block[1] : threads_of(written);
    int line = number > 1 ? variant_number_line(&written->turnable.setup.variant, number) : 0;
    struct text words = { 0 };
    if (!one->open)
        text_add(&words, one->error.text);
    else if (one->turnable.found)
        text_addf(&words, "A check found an error, and what comes out is right by chance at most. %s",
                  one->turnable.wrong);
    else if (one->differs)
        text_add(&words,
                 "It leaves other data than the block that is written, and the file does not say what "
                 "is right.");
    else
        text_addf(&words, "The result is not right. %s", one->turnable.wrong);
    if (one->open && one != written && line)
        text_addf(&words,
                  " Line %d of the file has the number %ld as well. If it stands for the block, change both "
                  "in a copy of your own.",
                  line, number);
    format_into(out, size, "%s", words.data);
    text_free(&words);
}

static void turn_one(const struct settings *settings, const struct gpu_figures *gpu,
                     const struct simulated *one, struct turned *out)
{
    const long *number = settings->number;
    out->known = true;
    out->renamed = one->renamed;
    shape_words(one, out->shape, sizeof out->shape);
    if (!one->open || *one->turnable.wrong || one->differs) {
        say_wrong(one, out->why, sizeof out->why);
        return;
    }
    modelled_turn(one->turnable.launches, one->turnable.setup.module, &one->turnable.setup.compiled, gpu,
                  (int)number[STEP_REGISTERS], (int)number[STEP_SHARED] * KIB, &out->time, one->turnable.main,
                  &out->launch);
    out->launch.result = NULL; // it may go before the picture does
    out->complete = one->turnable.complete;
    if (out->time.why)
        format_into(out->why, sizeof out->why, "%s", out->time.why);
    free(out->time.gpu);
    free(out->time.name);
    free(out->time.why);
    out->time.gpu = out->time.name = out->time.why = NULL;
    out->fits = occupancy_of(occupancy_arch(gpu->target), out->launch.block_threads, out->launch.registers,
                             out->launch.shared_bytes);
}

static int place_of_written(void)
{
    for (int b = AS_WRITTEN + 1; b < BLOCKS; b++)
        if (same_block(b) == AS_WRITTEN)
            return b;
    return AS_WRITTEN;
}

static double threads_started(const struct model_launch *launch)
{
    return (double)launch->blocks * launch->block_threads;
}

// A file of its own has no sizes to choose from: its first parameter is named, at half of what the file says.
static void smaller_words(const struct variant *variant, char *out, size_t size)
{
    struct expr_scope none = { 0 };
    struct expr_value value;
    struct error error;
    *out = 0;
    if (variant->param_count && expr_eval(variant->params[0].value, &none, &value, &error))
        format_into(out, size, ", such as %s=%" PRId64, variant->params[0].name, value_as_int(value) / 2);
}

static void turn_all(const struct settings *settings, const struct gpu_figures *gpu, struct turned_view *out)
{
    int written = place_of_written(), chosen = (int)settings->number[STEP_BLOCK];
    out->now = chosen == AS_WRITTEN ? written : chosen;
    for (int b = 0; b < BLOCKS; b++) {
        const struct simulated *one = kept->with[b == written ? AS_WRITTEN : b];
        if (one && (b != AS_WRITTEN || written == AS_WRITTEN))
            turn_one(settings, gpu, one, &out->with[b]);
    }
    out->threads = threads_started(&out->with[written].launch);
    format_into(out->title, sizeof out->title, "%s", as_written()->turnable.setup.variant.title);
    shape_words(as_written(), out->written, sizeof out->written);
    const struct variant *variant = &as_written()->turnable.setup.variant;
    smaller_words(variant, out->smaller, sizeof out->smaller);
    const char *main = variant->launches[as_written()->turnable.main].spelled;
    for (size_t i = 0; i < variant->launch_count && !*out->kernel; i++)
        if (strcmp(variant->launches[i].spelled, main) != 0)
            format_into(out->kernel, sizeof out->kernel, "%.50s: ", main);
    format_into(out->gpu, sizeof out->gpu, "%s", gpu->name);
    out->sms = (long)gpu->sms;
}

// A page is drawn again and again with the same knobs, at other sizes.
static bool turned_compute(const struct settings *settings, struct turned_view *out, struct error *error)
{
    static struct { // the lock is held
        long number[KNOBS];
        unsigned long changes;
        struct turned_view view;
    } latest;
    struct gpu_figures gpu;
    if (!figures_find(explore_gpus[settings->number[STEP_GPU]], &gpu, error) || !take_step(settings, error))
        return false;
    if (latest.changes != kept_changes ||
        memcmp(latest.number, settings->number, sizeof latest.number) != 0) {
        memcpy(latest.number, settings->number, sizeof latest.number);
        latest.changes = kept_changes;
        latest.view = (struct turned_view){ 0 };
        turn_all(settings, &gpu, &latest.view);
    }
    *out = latest.view;
    give_step();
    return true;
}

// ---- the picture ----------------------------------------------------------------------------------------------------

enum { LABEL = 15, TIME = 19, LIMITER = 15, SHARE = 6 };

static void add_row(struct sheet *sheet, const struct turned_view *view, int which, double most)
{
    const struct turned *one = &view->with[which];
    bool now = which == view->now;
    enum role role = now ? ROLE_TITLE : ROLE_TEXT;
    char words[64];
    int cells = draw_width(sheet) - LABEL - TIME - LIMITER - SHARE;
    sheet_add(sheet, role, " %s block ", now ? glyph(sheet->utf8, GLYPH_RIGHT) : " ");
    if (*one->shape)
        sheet_add(sheet, role, "%s", one->shape);
    else
        sheet_add(sheet, role, "%ld", threads[which]);
    sheet_to(sheet, LABEL);
    modelled_time(&one->time, sheet->utf8, words, sizeof words);
    if (!one->known || *one->why) {
        sheet_add(sheet, ROLE_DIM, "%s", one->known ? "no time" : glyph(sheet->utf8, GLYPH_ELLIPSIS));
        sheet_end(sheet);
        return;
    }
    sheet_add(sheet, role, "%s", words);
    sheet_to(sheet, LABEL + TIME);
    sheet_add(sheet, ROLE_TEXT, "%s", model_term_name(one->time.limiter));
    sheet_to(sheet, LABEL + TIME + LIMITER);
    sheet_add(sheet, ROLE_TEXT, "%3.0f%%", one->fits.percent);
    if (cells > 4) {
        struct text bar = { 0 };
        sheet_to(sheet, LABEL + TIME + LIMITER + SHARE);
        modelled_bar(&bar, sheet->utf8, one->time.ms / most, cells);
        sheet_add(sheet, ROLE_SIM, "%s", text_string(&bar));
        text_free(&bar);
    }
    sheet_end(sheet);
}

static void add_rows(struct sheet *sheet, const struct turned_view *view)
{
    double most = 0;
    for (int b = 0; b < BLOCKS; b++)
        if (view->with[b].known && !*view->with[b].why)
            most = fmax(most, view->with[b].time.ms);
    sheet_to(sheet, LABEL);
    sheet_add(sheet, ROLE_DIM, "modelled");
    sheet_to(sheet, LABEL + TIME);
    sheet_add(sheet, ROLE_DIM, "limiter");
    sheet_to(sheet, LABEL + TIME + LIMITER);
    sheet_add(sheet, ROLE_DIM, "warps");
    sheet_end(sheet);
    for (int b = 0; b < BLOCKS; b++)
        if (b != AS_WRITTEN || view->with[b].known)
            add_row(sheet, view, b, most);
}

// A grid that stays as it is written, under larger blocks.
static void add_surplus(struct sheet *sheet, const struct turned_view *view)
{
    const struct model_launch *now = &view->with[view->now].launch;
    if (view->threads > 0 && threads_started(now) >= view->threads + now->block_threads)
        draw_words(sheet, ROLE_NOTE,
                   "These are %.1f times the threads of the launch as it is written: some of them repeat the "
                   "work of others, or have none.",
                   threads_started(now) / view->threads);
}

static void add_renamed(struct sheet *sheet, const struct turned *now)
{
    if (now->renamed && !*now->why)
        draw_words(sheet, ROLE_NOTE,
                   "Names of the code that stand for the block's number (#define, const, enum) have the new "
                   "one here, too.");
}

// Of the block that is chosen, else of the next larger one than what is written: why it has no time.
static void add_why(struct sheet *sheet, const struct turned_view *view)
{
    const struct turned *now = &view->with[view->now];
    if (*now->why) {
        draw_words(sheet, ROLE_BAD, "No time: %s", now->why);
        return;
    }
    bool some = false;
    for (int b = 0; b < BLOCKS; b++)
        some |= *view->with[b].why != 0;
    if (some)
        draw_words(sheet, ROLE_DIM, "Choose a block without a time to see why it has none.");
}

static void draw_step(const struct settings *settings, struct sheet *sheet)
{
    struct turned_view view;
    struct error error;
    if (!settings->rows) // on paper all of them are waited for
        while (!step_is_whole(settings))
            prepare_step(settings);
    if (!turned_compute(settings, &view, &error)) {
        draw_words(sheet, ROLE_BAD, "%s", error.text);
        return;
    }
    struct turned *now = &view.with[view.now];
    char count[40], registers[40] = "";
    if (*now->why && !now->launch.block_threads) {
        draw_words(sheet, ROLE_TEXT, "%s. The file has blocks of %s threads.", view.title, view.written);
    } else {
        unit_count((double)now->launch.blocks, count, sizeof count);
        if (now->launch.registers > 0)
            format_into(registers, sizeof registers, ", %d registers each", now->launch.registers);
        draw_words(
            sheet, ROLE_TEXT,
            "%s. %s%s %s of %d threads%s, %d bytes of shared memory a block; %d fit on each of %ld SMs, "
            "which are %.0f%% of its warps.",
            view.title, view.kernel, count, now->launch.blocks == 1 ? "block" : "blocks",
            now->launch.block_threads, registers, now->launch.shared_bytes, now->fits.blocks, view.sms,
            now->fits.percent);
    }
    add_surplus(sheet, &view);
    add_renamed(sheet, now);
    if (now->launch.block_threads && !now->complete) {
        draw_words(sheet, ROLE_BAD, "No time: %s", now->why);
        draw_words(sheet, ROLE_NOTE, "Here it may take %d s. Choose a smaller size%s.", LIMIT_MS / 1000,
                   view.smaller);
        return;
    }
    add_rows(sheet, &view);
    add_why(sheet, &view);
    now->time.name = view.gpu;
    if (!*now->why) {
        char time[64];
        modelled_time(&now->time, sheet->utf8, time, sizeof time);
        draw_words(sheet, ROLE_SIM, "%s modelled for %s.", time, modelled_device(&now->time));
        modelled_terms(sheet, &now->time, TERMS_SHOWN);
    }
}

static json_t *values_of_step(const struct settings *settings)
{
    struct turned_view view;
    struct error error;
    if (!turned_compute(settings, &view, &error) || *view.with[view.now].why)
        return NULL;
    const struct turned *now = &view.with[view.now];
    return json_pack("{s:f,s:f,s:f,s:s,s:i}", "ms", now->time.ms, "low_ms", now->time.low_ms, "high_ms",
                     now->time.high_ms, "limiter", model_term_name(now->time.limiter), "blocks_per_sm",
                     now->fits.blocks);
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
    .title = "How long a step or a kernel file would take on a GPU, as modelled",
    .help = "How long a step of a ladder or a kernel file would take on a GPU, by its size, block, registers "
            "and shared memory, and why.",
    .knobs = { { .name = "step", .help = "which, as LAB/STEP or FILE.cu", .texts = steps },
               { .name = "size",
                 .help = "a size that the lab names, or a parameter, as n=4096; of a file, its parameters",
                 .texts = step_sizes },
               { .name = "gpu", .help = "on which GPU; no GPU runs it", .words = explore_gpus },
               { .name = "block",
                 .help = "threads of a block, as the launch line has it or so many",
                 .words = block_words },
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
    .whole = step_is_whole,
    .prepare = prepare_step,
    .check = check_step,
    .values = values_of_step,
};
