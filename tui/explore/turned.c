// The modelled time of a step of a ladder while one turns its size and what limits how many of its blocks run. For each
// size it is simulated once; the model turns the rest.
#include "tui/explore/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/run/modelled.h"
#include "engine/run/simulation.h"
#include "tui/text/text.h"

enum { STEP, SIZE, GPU, REGISTERS, SHARED };
enum { KIB = 1024, TERMS_SHOWN = 5, LIMIT_MS = 4000 };

static const char *const steps[] = { "histogram/3", "reduction/5", "transpose/3", "matmul/3", NULL };
static const char *const sizes[] = { "small", "full", NULL };

// ---- the simulated step -------------------------------------------------------------------------------------------

static struct { // the one that was shown last; a page draws it again for each turn of a knob
    char step[KNOB_TEXT], size[KNOB_TEXT];
    struct request request;
    struct turnable turnable;
    bool open;
    struct error error; // why it is not
} kept;

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
    const char *size = settings->text[SIZE];
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

static void forget(void)
{
    turnable_close(&kept.turnable);
    request_free(&kept.request);
    kept.request = (struct request){ 0 };
}

static bool simulate(const struct settings *settings, struct error *error)
{
    bool same = strcmp(kept.step, settings->text[STEP]) == 0 && strcmp(kept.size, settings->text[SIZE]) == 0;
    if (!same) {
        forget();
        format_into(kept.step, sizeof kept.step, "%s", settings->text[STEP]);
        format_into(kept.size, sizeof kept.size, "%s", settings->text[SIZE]);
        kept.open = make_request(settings, &kept.request, &kept.error) &&
                    turnable_open(&kept.turnable, &kept.request, &kept.error);
    }
    if (!kept.open)
        *error = kept.error;
    return kept.open;
}

bool turned_compute(const struct settings *settings, struct turned_view *out, struct error *error)
{
    const long *number = settings->number;
    struct gpu_figures gpu;
    *out = (struct turned_view){ 0 };
    if (!figures_find(explore_gpus[number[GPU]], &gpu, error) || !simulate(settings, error))
        return false;
    const struct sim_setup *setup = &kept.turnable.setup;
    modelled_turn(kept.turnable.launches, setup->module, &setup->compiled, &gpu, (int)number[REGISTERS],
                  (int)number[SHARED] * KIB, &out->time, &out->launch);
    out->sms = (long)gpu.sms;
    out->complete = !out->launch.result || out->launch.result->complete;
    out->fits = occupancy_of(occupancy_arch(gpu.target), out->launch.block_threads, out->launch.registers,
                             out->launch.shared_bytes);
    format_into(out->title, sizeof out->title, "%s", setup->variant.title);
    return true;
}

void turned_free(struct turned_view *view)
{
    free(view->time.gpu);
    free(view->time.name);
    free(view->time.why);
}

// ---- the picture ----------------------------------------------------------------------------------------------------

static void draw(const struct settings *settings, struct sheet *sheet)
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

static json_t *values(const struct settings *settings)
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

static bool check(const struct settings *settings, struct error *error)
{
    return simulate(settings, error);
}

const struct explorer explore_step = {
    .name = "step",
    .title = "How long a step of a ladder would take on a GPU, as modelled",
    .help =
        "How long a step of a ladder would take on a GPU, by its size, registers and shared memory, and why.",
    .knobs = { { .name = "step", .help = "which, as LAB/STEP", .texts = steps },
               { .name = "size",
                 .help = "a size that the lab names, or a parameter, as n=4096",
                 .texts = sizes },
               { .name = "gpu", .help = "on which GPU; no GPU runs it", .words = explore_gpus },
               { .name = "registers",
                 .help = "of each thread, as if the kernel took so many; 0: what it takes",
                 .most = 255,
                 .step = 8 },
               { .name = "shared",
                 .help = "KiB of shared memory that a block takes besides",
                 .most = 200,
                 .step = 4 } },
    .draw = draw,
    .check = check,
    .values = values,
};
