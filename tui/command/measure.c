// doctor --measure model: runs the kernels of assets/gpus/calibrate on the GPU that is there and writes the file of its
// figures, with which a run's time is modelled. Each run is a request as any other, so the same locks, deadlines and
// confinement hold.
#include "tui/tui.h"

#include "engine/model/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MS = 180000 }; // it gives up then

struct measuring {
    struct client *client;
    struct waiting waiting;
    struct calibration *calibration;
    double start_ms;
    size_t runs;
    char what[120]; // is measured now
};

// ---- the GPU ------------------------------------------------------------------------------------------------

static double number_in(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : 0;
}

static bool take_facts(const json_t *report, struct calibration_facts *out, struct error *error)
{
    const json_t *gpu = json_object_get(report, "gpu");
    const char *missing = json_string_value(json_object_get(report, "gpu_missing"));
    const char *name = json_string_value(json_object_get(gpu, "name"));
    int driver = (int)number_in(gpu, "driver_version");
    if (!gpu || !name)
        return error_set(error, EXIT_MISSING, "There is no GPU to measure. %s", missing ? missing : "");
    *out = (struct calibration_facts){ .target = (int)number_in(gpu, "target"),
                                       .sms = (int)number_in(gpu, "sm_count"),
                                       .l2_bytes = number_in(gpu, "l2_bytes"),
                                       .memory_bytes = number_in(gpu, "memory_bytes") };
    format_clean(out->device, sizeof out->device, name, strlen(name));
    format_into(out->driver, sizeof out->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    return calibration_facts_right(out, error);
}

static bool learn_facts(struct measuring *measuring, struct error *error)
{
    json_t *report = NULL;
    measuring->waiting.what = "the worker";
    bool known =
        client_describe(measuring->client, false, waiting_show, &measuring->waiting, &report, error) &&
        take_facts(report, &measuring->calibration->facts, error);
    json_decref(report);
    return known;
}

// ---- the runs -----------------------------------------------------------------------------------------------

static bool read_kernel(const char *name, struct variant *out, struct error *error)
{
    char *below = text_format("assets/gpus/calibrate/%s.cu", name), *path = path_shipped(below);
    bool read = variant_read(out, path, error);
    free(path);
    free(below);
    return read;
}

static bool add_settings(struct request *request, const struct variant *variant, const char *settings,
                         struct error *error)
{
    char *copy = mem_copy(settings), *rest = copy;
    bool added = true;
    for (char *word; added && (word = strsep(&rest, " "));)
        added = !*word || request_set_param(request, NULL, variant, word, error);
    free(copy);
    return added;
}

static bool run_once(struct measuring *measuring, const struct variant *variant, const char *settings,
                     double *ms, double *spread_pct, struct error *error)
{
    struct request request = request_new(ON_GPU, NULL, variant, NULL, NULL, NULL);
    struct record record;
    bool done = add_settings(&request, variant, settings, error) &&
                client_run(measuring->client, &request, waiting_show, &measuring->waiting, &record, error);
    request_free(&request);
    if (!done)
        return false;
    *ms = record.median_ms;
    *spread_pct = fmax(*spread_pct, record.spread_pct);
    measuring->runs++;
    done = record.median_ms > 0 ||
           error_set(error, EXIT_MISSING, "No time came of it: %s",
                     record.message ? record.message : record_status_name(record.status));
    record_free(&record);
    return done;
}

static bool run_item(struct measuring *measuring, const struct calibration_item *item,
                     struct calibration_times *times, struct error *error)
{
    struct variant variant;
    if (!read_kernel(item->kernel, &variant, error))
        return false;
    *times = (struct calibration_times){ NAN, NAN, NAN };
    bool done = (!*item->low ||
                 run_once(measuring, &variant, item->low, &times->low_ms, &times->spread_pct, error)) &&
                run_once(measuring, &variant, item->high, &times->high_ms, &times->spread_pct, error);
    variant_free(&variant);
    return done;
}

static bool in_time(const struct measuring *measuring, struct error *error)
{
    return clock_ms() - measuring->start_ms < MOST_MS ||
           error_set(
               error, EXIT_MISSING,
               "After %d minutes %zu of %zu measurements were done, so no figures were made. Is the GPU used "
               "by others?",
               MOST_MS / 60000, measuring->calibration->count, calibration_count());
}

// A kernel that does next to nothing comes first: where its time is none, nothing else is worth waiting for. What fails later is told when
// the other times are there, for whoever asks why.
static bool measure_all(struct measuring *measuring, struct error *error)
{
    enum { HOPELESS = 4 }; // so many that fail
    struct calibration *calibration = measuring->calibration;
    struct gpu_figures unused;
    size_t failed = 0;
    struct error why;
    clock_date(calibration->date, sizeof calibration->date);
    for (size_t i = 0; i < calibration_count() && failed < HOPELESS; i++) {
        struct calibration_item item = calibration_item(&calibration->facts, i);
        format_into(measuring->what, sizeof measuring->what, "measuring %zu of %zu: %s", i + 1,
                    calibration_count(), item.words);
        measuring->waiting.what = measuring->what;
        if (!in_time(measuring, error))
            return false;
        bool ran = run_item(measuring, &item, &calibration->times[i], &why);
        calibration->count = i + 1;
        if (!ran && failed++ == 0)
            error_set(error, why.code, "Measuring %s (%s.cu): %s", item.words, item.kernel, why.text);
        if (waiting_stopped() || (i == 0 && failed))
            return false;
        if (i == 0 && !calibration_figures(calibration, &unused, error) && error->code != EXIT_MISSING)
            return false;
    }
    return failed == 0;
}

static bool measure(const struct arguments *arguments, struct calibration *out, size_t *runs, int *stopped,
                    struct error *error)
{
    struct measuring measuring = { .calibration = out, .start_ms = clock_ms() };
    measuring.client = waiting_client(arguments, error);
    if (!measuring.client)
        return false;
    waiting_begin(&measuring.waiting);
    bool done = learn_facts(&measuring, error) && measure_all(&measuring, error);
    waiting_wipe(&measuring.waiting);
    client_free(measuring.client);
    *stopped = waiting_end(&measuring.waiting);
    *runs = measuring.runs;
    return done;
}

// The times of a file that was measured earlier, or elsewhere.
static bool read_times(const char *path, struct calibration *out, struct error *error)
{
    struct text text = { 0 };
    struct error why;
    json_error_t where;
    if (!file_read(path, &text, error))
        return false;
    json_t *json = json_loadb(text_string(&text), text.length, JSON_REJECT_DUPLICATES, &where);
    bool read = json ? calibration_read(json, out, &why)
                     : error_set(&why, EXIT_USAGE, "line %d is not JSON: %s.", where.line, where.text);
    if (!read)
        error_set(error, why.code, "%s: %s", path, why.text);
    json_decref(json);
    text_free(&text);
    return read;
}

// ---- what came of it ----------------------------------------------------------------------------------------

// Beside the file that ships, what lies further away than both are uncertain.
static void print_differences(const struct paper *paper, const char *key, const struct gpu_figures *mine)
{
    struct gpu_figures shipped;
    struct error unused;
    char *below = text_format("assets/gpus/%s.json", key), *path = path_shipped(below);
    size_t differ = 0;
    bool there = file_exists(path) && figures_find(path, &shipped, &unused);
    for (size_t i = 0; there && i < FIGURE_COUNT; i++) {
        double now = figure_value(mine, i), then = figure_value(&shipped, i), apart = 100 * (now / then - 1);
        if (fabs(apart) <= mine->uncertainty_pct[i] + shipped.uncertainty_pct[i])
            continue;
        if (!differ++)
            paper_put(paper, ROLE_TEXT,
                      "These differ from the file that ships by more than both are uncertain:\n");
        paper_put(paper, ROLE_TEXT, "  ");
        paper_cell(paper, ROLE_TITLE, 21, "%s", figure_list[i].name);
        paper_cell(paper, ROLE_TEXT, -10, "%.4g", now);
        paper_put(paper, ROLE_DIM, " %-13s shipped %.4g, %+.0f %%\n", figure_list[i].unit, then, apart);
    }
    if (there && !differ)
        paper_put(paper, ROLE_TEXT,
                  "Nothing differs from the file that ships by more than both are uncertain.\n");
    if (!there)
        paper_put(paper, ROLE_TEXT, "No file ships for this GPU.\n");
    free(path);
    free(below);
}

// What came of it goes into the file of --to all the same.
static void keep_times(const struct arguments *arguments, const struct calibration *calibration)
{
    struct text file = { 0 };
    struct error unused;
    if (!calibration->count || !arguments_has(arguments, "--to"))
        return;
    char *times = calibration_times_file(calibration);
    text_add(&file, times);
    if (document_put(arguments, &file, &unused))
        printf("It holds the times, and no figures.\n");
    text_free(&file);
    free(times);
}

// Where the program looks for it, but for --to.
static bool put_file(const struct arguments *arguments, const char *key, const struct text *file,
                     struct error *error)
{
    if (arguments_has(arguments, "--to"))
        return document_put(arguments, file, error);
    char *below = text_format("gpus/%s.json", key), *path = path_own(below);
    bool written = path ? private_replace(path, text_string(file), file->length, error)
                        : error_set(error, EXIT_MISSING,
                                    "There is no folder of yours to write it to; set "
                                    "WARPBOOK_HOME, or give --to FILE.");
    if (written)
        printf("Written to %s.\n", path);
    free(path);
    free(below);
    return written;
}

static bool conclude(const struct arguments *arguments, const struct calibration *calibration, double seconds,
                     size_t runs, struct error *error)
{
    const char *device = calibration->facts.device;
    struct paper paper = paper_open(stdout);
    struct gpu_figures figures;
    char *known = figures_key_of(device), key[32];
    struct text file = { 0 };
    calibration_key(device, key, sizeof key);
    if (known)
        format_into(key, sizeof key, "%s", known);
    free(known);
    char *text = calibration_file(calibration, key, error);
    bool put = text && calibration_figures(calibration, &figures, error);
    if (put) {
        text_add(&file, text);
        paper_put(&paper, ROLE_TITLE, "%s", device);
        if (runs)
            paper_put(&paper, ROLE_TEXT, ": %d figures from %zu runs in %.0f s", FIGURE_COUNT, runs, seconds);
        paper_put(&paper, ROLE_TEXT, "\n");
        fflush(stdout);
        put = put_file(arguments, key, &file, error);
    }
    if (put)
        print_differences(&paper, key, &figures);
    text_free(&file);
    free(text);
    return put;
}

int measure_model(const struct arguments *arguments)
{
    struct calibration *calibration = mem_new(sizeof *calibration);
    struct error error = { 0 };
    const char *from = arguments_value(arguments, "--from");
    double start = clock_ms();
    size_t runs = 0;
    int stopped = 0;
    bool done = document_asked(arguments, &error) &&
                (from ? read_times(from, calibration, &error)
                      : measure(arguments, calibration, &runs, &stopped, &error)) &&
                conclude(arguments, calibration, (clock_ms() - start) / 1000, runs, &error);
    int status = done ? EXIT_RIGHT : fail(&error);
    if (!done && !from)
        keep_times(arguments, calibration);
    free(calibration);
    return stopped ? stopped : status;
}
