// Hardware counters through Nsight Compute. The worker starts ncu, ncu a second worker, and that one does the request without
// knowing of it; ncu is asked for the launches of one repeat, and for the counters alone that the simulator has too, and a
// few that only hardware has. What ncu prints is the text of another program: it is looked through for numbers, for the
// lines of the inner worker, and for the words by which ncu says no.
#include "engine/run/profiled.h"

#include "engine/run/worker.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS(X)                                                                                           \
    X(ms, "gpu__time_duration.sum")                                                                          \
    X(registers, "launch__registers_per_thread")                                                             \
    X(occupancy_pct, "sm__warps_active.avg.pct_of_peak_sustained_active")                                    \
    X(inst, "smsp__inst_executed.sum")                                                                       \
    X(dram_read_bytes, "dram__bytes_read.sum")                                                               \
    X(dram_write_bytes, "dram__bytes_write.sum")                                                             \
    X(l1_hit_pct, "l1tex__t_sector_hit_rate.pct")                                                            \
    X(l2_hit_pct, "lts__t_sector_hit_rate.pct")

static const struct number {
    const char *key, *metric;
    size_t offset;
} numbers[] = {
#define X(name, metric) { #name, metric, offsetof(struct profiled, name) },
    NUMBERS(X)
#undef X
};
enum { NUMBER_COUNT = sizeof numbers / sizeof *numbers };

static const char *const refusals[] = { NULL,          "no-tool", "no-gpu", "permission",
                                        "unsupported", "busy",    "failed" };
enum { REFUSALS = sizeof refusals / sizeof *refusals };

static double *number_at(struct profiled *profiled, size_t n)
{
    return (double *)(void *)((char *)profiled + numbers[n].offset);
}

static struct profiled *profiled_new(void)
{
    struct profiled *out = mem_new(sizeof *out);
    out->launches = NAN;
    for (size_t n = 0; n < NUMBER_COUNT; n++)
        *number_at(out, n) = NAN;
    record_counters_init(&out->counters);
    return out;
}

void profiled_free(struct profiled *profiled)
{
    if (profiled)
        free(profiled->why);
    free(profiled);
}

struct profiled *profiled_refused(enum profile_refusal refusal, const char *why)
{
    struct profiled *out = profiled_new();
    out->refused = refusal;
    out->why = mem_copy(why);
    return out;
}

// ---- in the record ----------------------------------------------------------------------------------------------

static void add_number(json_t *json, const char *key, double number)
{
    if (isfinite(number))
        json_object_set_new(json, key, json_real(number));
}

json_t *profiled_to_json(const struct profiled *profiled)
{
    struct profiled copy;
    if (!profiled)
        return NULL;
    json_t *json = json_object();
    if (profiled->refused) {
        json_object_set_new(json, "refused", json_string(refusals[profiled->refused]));
        json_object_set_new(json, "why", json_string(profiled->why ? profiled->why : ""));
        return json;
    }
    copy = *profiled;
    add_number(json, "launches", copy.launches);
    for (size_t n = 0; n < NUMBER_COUNT; n++)
        add_number(json, numbers[n].key, *number_at(&copy, n));
    json_object_set_new(json, "counters", record_counters_to_json(&profiled->counters, false));
    return json;
}

static bool take_number(double *out, const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    *out = value ? json_number_value(value) : NAN;
    return !value || (json_is_number(value) && *out >= 0);
}

static bool take_refusal(struct profiled *out, const json_t *json)
{
    const char *refused = json_string_value(json_object_get(json, "refused"));
    for (size_t i = 1; refused && i < REFUSALS; i++)
        if (strcmp(refused, refusals[i]) == 0)
            out->refused = (enum profile_refusal)i;
    if (refused && !out->refused)
        out->refused = PROFILE_FAILED; // one that a later version knows
    out->why = mem_copy_if(json_string_value(json_object_get(json, "why")));
    return !out->refused || out->why;
}

bool profiled_from_json(struct profiled **out, const json_t *json)
{
    struct profiled *profiled = *out = profiled_new();
    const json_t *counters = json_object_get(json, "counters");
    bool fits = json_is_object(json) && take_refusal(profiled, json) &&
                take_number(&profiled->launches, json, "launches");
    for (size_t n = 0; fits && n < NUMBER_COUNT; n++)
        fits = take_number(number_at(profiled, n), json, numbers[n].key);
    return fits && (!counters || record_counters_from_json(&profiled->counters, counters));
}

// ---- what is asked ----------------------------------------------------------------------------------------------

bool request_profile(struct request *request, const struct variant *variant, struct error *error)
{
    struct variant own;
    struct problem problem = { 0 };
    struct expr_binding bindings[SCOPE_BINDINGS];
    if (!variant_parse(&own, variant->lab, variant->path, variant->text, error))
        return false;
    bool good = request_plan(request, &own, &problem, error);
    if (good) {
        const struct expr_scope scope = launch_scope(&problem, SIM_SM_COUNT, bindings);
        good = variant_unroll(&own, &scope, error);
    }
    json_decref(request->profile);
    request->profile = json_array();
    for (size_t i = 0; good && i < own.launch_count; i++)
        json_array_append_new(request->profile, json_string(own.launches[i].kernel));
    problem_free(&problem);
    variant_free(&own);
    return good;
}

// Names of kernels go into a pattern, so they have to be names.
static bool is_name(const char *text)
{
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return text && *text && strlen(text) < 256 && !text[strspn(text, signs)];
}

// "regex:^(fill|add)(<|$)". False: a name is none.
static bool add_pattern(struct text *out, const json_t *names)
{
    const json_t *name;
    size_t i;
    text_add(out, "regex:^(");
    json_array_foreach(names, i, name)
    {
        if (!is_name(json_string_value(name)))
            return false;
        text_addf(out, "%s%s", i ? "|" : "", json_string_value(name));
    }
    text_add(out, ")(<|$)");
    return json_array_size(names) > 0 && json_array_size(names) <= VARIANT_RUNS;
}

// What the simulator counts in with others, and ncu apart: matrices that are loaded from shared memory, and asynchronous
// copies into it.
static const struct {
    const char *metric;
    size_t offset; // in struct record_counters
} more[] = {
    { "smsp__inst_executed_op_ldsm.sum", offsetof(struct record_counters, sld_inst) },
    { "smsp__inst_executed_op_ldgsts.sum", offsetof(struct record_counters, sst_inst) },
    { "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
      offsetof(struct record_counters, sst_wave) },
    { "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
      offsetof(struct record_counters, sst_conf) },
};
enum { MORE_COUNT = sizeof more / sizeof *more };

// All that are wanted, but for those in `left_out`, each with a ',' after it.
static void add_metrics(struct text *out, const char *left_out)
{
    const char *all[RECORD_COUNTERS + NUMBER_COUNT + MORE_COUNT];
    size_t count = 0;
    for (size_t n = 0; n < NUMBER_COUNT; n++)
        all[count++] = numbers[n].metric;
    for (size_t c = 0; c < RECORD_COUNTERS; c++)
        if (record_counter(c).ncu)
            all[count++] = record_counter(c).ncu;
    for (size_t m = 0; m < MORE_COUNT; m++)
        all[count++] = more[m].metric;
    for (size_t i = 0; i < count; i++) {
        char word[128];
        format_into(word, sizeof word, "%s,", all[i]);
        if (!strstr(left_out, word))
            text_addf(out, "%s%s", out->length ? "," : "", all[i]);
    }
}

// ---- where ncu is -----------------------------------------------------------------------------------------------

static bool runs(const char *folder, const char *below, char *out, size_t size)
{
    if (!folder || !*folder)
        return false;
    format_into(out, size, "%s/%s", folder, below);
    return access(out, X_OK) == 0;
}

static bool find_on_path(char *out, size_t size)
{
    char *path = mem_copy_if(getenv("PATH")), *rest = path;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":"));)
        found = *folder == '/' && runs(folder, "ncu", out, size);
    free(path);
    return found;
}

// Where NVIDIA's packages of it alone put it, a folder for each version.
static bool find_in_opt(char *out, size_t size)
{
    glob_t found;
    bool any = glob("/opt/nvidia/nsight-compute/*/ncu", 0, NULL, &found) == 0;
    if (any) {
        format_into(out, size, "%s", found.gl_pathv[found.gl_pathc - 1]);
        globfree(&found);
    }
    return any && access(out, X_OK) == 0;
}

static bool find_ncu(char *out, size_t size)
{
    return find_on_path(out, size) || runs(getenv("CUDA_HOME"), "bin/ncu", out, size) ||
           runs(getenv("CUDA_PATH"), "bin/ncu", out, size) || runs("/usr/local/cuda", "bin/ncu", out, size) ||
           find_in_opt(out, size);
}

// ---- what ncu prints --------------------------------------------------------------------------------------------

// Cuts the next field off a line of CSV, its quotes removed; false: there is none.
static bool next_field(char **line, char **field)
{
    char *from = *line, *to;
    bool quoted = from && *from == '"';
    if (!from)
        return false;
    from += quoted;
    *field = to = from;
    for (; *from && (quoted || *from != ','); from++) {
        if (quoted && *from == '"' && from[1] != '"') {
            quoted = false;
            continue;
        }
        from += quoted && *from == '"';
        *to++ = *from;
    }
    *line = *from ? from + 1 : NULL;
    *to = 0;
    return true;
}

enum { COLUMN_ID, COLUMN_METRIC, COLUMN_UNIT, COLUMN_VALUE, COLUMNS, FIELDS_MOST = 32 };

struct profile_reading {
    struct profiled *out;
    int column[COLUMNS];                              // -1: no line of names came yet
    long launch, launches;                            // the ID of the one that is read
    double share[NUMBER_COUNT], shares[NUMBER_COUNT]; // their sums, and how many
};

static void read_names(struct profile_reading *reading, char *const *fields, int count)
{
    static const char *const names[COLUMNS] = { "ID", "Metric Name", "Metric Unit", "Metric Value" };
    for (int i = 0; i < count; i++)
        for (int c = 0; c < COLUMNS; c++)
            if (strcmp(fields[i], names[c]) == 0)
                reading->column[c] = i;
}

// "1,234.5"; NAN: it is none, as of "n/a".
static double number_of_text(char *text)
{
    char *to = text, *end;
    for (const char *from = text; *from; from++)
        if (*from != ',')
            *to++ = *from;
    *to = 0;
    double number = strtod(text, &end);
    return end != text && !*end && isfinite(number) && number >= 0 ? number : NAN;
}

static double in_ms(double time, const char *unit)
{
    return *unit == 'n' ? time / 1e6 : *unit == 'u' ? time / 1e3 : *unit == 'm' ? time : time * 1e3;
}

static void add_to(double *sum, double number)
{
    *sum = isnan(*sum) ? number : *sum + number;
}

static void add_share(struct profile_reading *reading, size_t n, double share)
{
    reading->share[n] += share;
    reading->shares[n]++;
}

static void take_metric(struct profile_reading *reading, const char *metric, const char *unit, double number)
{
    for (size_t n = 0; n < NUMBER_COUNT; n++) {
        double *at = number_at(reading->out, n);
        if (strcmp(metric, numbers[n].metric) != 0)
            continue;
        if (at == &reading->out->ms)
            add_to(at, in_ms(number, unit));
        else if (at == &reading->out->registers || at == &reading->out->occupancy_pct)
            *at = isnan(*at) ? number : *at;
        else if (string_ends(metric, ".pct"))
            add_share(reading, n, number);
        else
            add_to(at, number);
    }
    for (size_t c = 0; c < RECORD_COUNTERS; c++) {
        struct record_counter_name name = record_counter(c);
        if (name.ncu && strcmp(metric, name.ncu) == 0)
            add_to((double *)(void *)((char *)&reading->out->counters + name.offset), number);
    }
    for (size_t m = 0; m < MORE_COUNT; m++)
        if (strcmp(metric, more[m].metric) == 0)
            add_to((double *)(void *)((char *)&reading->out->counters + more[m].offset), number);
}

static void read_line(struct profile_reading *reading, char *line)
{
    char *fields[FIELDS_MOST];
    int count = 0;
    while (count < FIELDS_MOST && next_field(&line, &fields[count]))
        count++;
    if (reading->column[COLUMN_VALUE] < 0) {
        read_names(reading, fields, count);
        return;
    }
    for (int c = 0; c < COLUMNS; c++)
        if (reading->column[c] < 0 || reading->column[c] >= count)
            return;
    long launch = strtol(fields[reading->column[COLUMN_ID]], NULL, 10);
    double number = number_of_text(fields[reading->column[COLUMN_VALUE]]);
    if (isnan(number))
        return;
    reading->launches += launch != reading->launch;
    reading->launch = launch;
    take_metric(reading, fields[reading->column[COLUMN_METRIC]], fields[reading->column[COLUMN_UNIT]],
                number);
}

// Lines of the inner worker: its last result or error; the caller releases it.
static void take_answer(const char *line, json_t **answer)
{
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    if (!json_object_get(json, "result") && !json_object_get(json, "error")) {
        json_decref(json);
        return;
    }
    json_decref(*answer);
    *answer = json;
}

static void read_output(char *text, struct profiled *out, json_t **answer)
{
    struct profile_reading reading = { .out = out, .column = { -1, -1, -1, -1 }, .launch = -1 };
    for (char *line; (line = strsep(&text, "\n"));) {
        line[strcspn(line, "\r")] = 0;
        if (*line == '"')
            read_line(&reading, line);
        else if (*line == '{')
            take_answer(line, answer);
    }
    for (size_t n = 0; n < NUMBER_COUNT; n++)
        if (reading.shares[n] > 0)
            *number_at(out, n) = reading.share[n] / reading.shares[n];
    out->launches = reading.launches ? (double)reading.launches : NAN;
}

// ---- how ncu says no --------------------------------------------------------------------------------------------

// The last line of ncu's that tells an error, clean, without its mark; "": none.
static void last_error(const char *said, char *out, size_t size)
{
    static const char mark[] = "==ERROR== ";
    const char *last = NULL;
    *out = 0;
    for (const char *at = said; (at = strstr(at, mark)); at += sizeof mark - 1)
        last = at + sizeof mark - 1;
    if (last)
        format_clean(out, size, last, strcspn(last, "\r\n"));
}

static enum profile_refusal refusal_of(const char *said)
{
    static const struct {
        const char *words;
        enum profile_refusal refusal;
    } all[] = { { "ERR_NVGPUCTRPERM", PROFILE_PERMISSION },
                { "Profiling is not supported on", PROFILE_UNSUPPORTED },
                { "Unsupported GPU", PROFILE_UNSUPPORTED },
                { "unsupported GPU", PROFILE_UNSUPPORTED },
                { "Driver resource was unavailable", PROFILE_BUSY } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strstr(said, all[i].words))
            return all[i].refusal;
    return PROFILE_FAILED;
}

static void set_refused(struct profiled *out, enum profile_refusal refusal, const char *error)
{
    static const char *const sentences[REFUSALS] = {
        [PROFILE_NO_TOOL] =
            "Nsight Compute is not installed here: no ncu in PATH, CUDA_HOME/bin, /usr/local/cuda/bin or "
            "/opt/nvidia/nsight-compute. The CUDA Toolkit brings it; NVIDIA's package of it alone is called "
            "nsight-compute and a version, as in 'apt install nsight-compute-2025.1.0'; on a cluster 'module "
            "load "
            "cuda' may be enough.",
        [PROFILE_PERMISSION] =
            "The driver lets only administrators read this GPU's counters (ERR_NVGPUCTRPERM). The machine's "
            "administrator opens them for all by the line 'options nvidia "
            "NVreg_RestrictProfilingToAdminUsers=0' in "
            "a file in /etc/modprobe.d and a restart; or run it as root. In a container, start that with "
            "--cap-add=SYS_ADMIN.",
        [PROFILE_UNSUPPORTED] = "This version of Nsight Compute does not support this GPU. New GPUs need a "
                                "new version, GPUs before "
                                "Turing an old one; 'ncu --list-chips' names those that yours knows.",
        [PROFILE_BUSY] =
            "Another program holds the GPU's counters, as NVIDIA's DCGM does on many clusters. Pause "
            "it ('dcgmi profile --pause'), or ask for a job with the counters free.",
        [PROFILE_FAILED] = "Nsight Compute gave no counters.",
    };
    struct text why = { 0 };
    out->refused = refusal;
    text_add(&why, refusal == PROFILE_NO_GPU ? error : sentences[refusal]);
    if (*error && (refusal == PROFILE_FAILED || refusal == PROFILE_UNSUPPORTED))
        text_addf(&why, " It says: %s", error);
    free(out->why);
    out->why = text_take(&why);
}

// The metrics that this ncu does not have on this GPU, each with a ',' after it. False: it misses none.
static bool missing_metrics(const char *said, struct text *left_out)
{
    static const char words[] = "Failed to find metric ";
    size_t before = left_out->length;
    for (const char *at = said; (at = strstr(at, words));) {
        at += sizeof words - 1;
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_.");
        while (length && at[length - 1] == '.')
            length--;
        if (length && length < 120)
            text_addf(left_out, "%.*s,", (int)length, at);
    }
    return left_out->length > before;
}

// ---- the run ----------------------------------------------------------------------------------------------------

struct profiling {
    const char *ncu, *metrics, *pattern, *launches;
    json_t *request; // for the inner worker
    int limit_ms;
};

static bool run_ncu(const struct profiling *how, struct child_result *result, struct error *error)
{
    char *self = path_self(), *line = json_dumps(how->request, JSON_COMPACT);
    const char *const argv[] = { how->ncu,
                                 "--target-processes",
                                 "all",
                                 "--clock-control",
                                 "none",
                                 "--csv",
                                 "--print-units",
                                 "base",
                                 "--metrics",
                                 how->metrics,
                                 "-k",
                                 how->pattern,
                                 "-c",
                                 how->launches,
                                 self ? self : "warpbook",
                                 "worker",
                                 NULL };
    struct child_terms terms = { .bound = true };
    struct text input = { 0 };
    text_addf(&input, "%s\n", line ? line : "{}");
    bool ran = child_run_on(argv, &terms, input.data, input.length, how->limit_ms, NULL, result, error);
    text_free(&input);
    free(line);
    free(self);
    return ran;
}

// What the inner worker is asked: the same, once, without a profile.
static json_t *inner_request(const json_t *request)
{
    json_t *inner = json_copy((json_t *)request);
    json_object_del(inner, "profile");
    json_object_set_new(inner, "reps", json_integer(1));
    return inner;
}

static void note_refusal(const struct child_result *result, const json_t *answer, struct profiled *out)
{
    const json_t *error = json_object_get(answer, "error");
    const char *text = json_string_value(json_object_get(error, "text"));
    struct text said = { 0 };
    char words[300];
    text_add(&said, text_string(&result->err));
    text_add(&said, text_string(&result->out));
    last_error(text_string(&said), words, sizeof words);
    enum profile_refusal refusal = refusal_of(text_string(&said));
    if (text && refusal == PROFILE_FAILED) // the run itself could not be done
        set_refused(out, PROFILE_NO_GPU, text);
    else if (out->launches > 0)
        out->refused = PROFILE_DONE;
    else if (result->timed_out)
        set_refused(out, PROFILE_FAILED, "It took too long and was stopped.");
    else
        set_refused(out, refusal, words);
    text_free(&said);
}

// Asks again without the metrics that there are not.
static json_t *profile_with(struct profiling *how, struct profiled **out, struct error *error)
{
    enum { TRIES = 3 };
    struct text left_out = { 0 };
    json_t *answer = NULL;
    bool again = true, ran = true;
    text_add(&left_out, "");
    for (int i = 0; i < TRIES && again && ran; i++) {
        struct child_result result = { 0 };
        struct text metrics = { 0 }, copy = { 0 };
        add_metrics(&metrics, text_string(&left_out));
        how->metrics = text_string(&metrics);
        profiled_free(*out);
        *out = profiled_new();
        json_decref(answer);
        answer = NULL;
        ran = run_ncu(how, &result, error);
        if (ran) {
            text_add(&copy, text_string(&result.out));
            if (copy.length)
                read_output(copy.data, *out, &answer);
            note_refusal(&result, answer, *out);
            again =
                (*out)->refused == PROFILE_FAILED && (missing_metrics(text_string(&result.err), &left_out) ||
                                                      missing_metrics(text_string(&result.out), &left_out));
        }
        child_result_free(&result);
        text_free(&metrics);
        text_free(&copy);
    }
    text_free(&left_out);
    return answer;
}

// A record for the run; what the inner one says of times is left out, since a profiler makes them longer.
static json_t *record_of(const json_t *request, json_t *answer, const struct profiled *profiled)
{
    static const char *const taken[] = { "lab", "variant", "preset", "data", "params" };
    static const char *const times[] = { "median_ms",      "min_ms",     "low_ms",     "high_ms",
                                         "spread_pct",     "reps",       "h2d_ms",     "h2d_bytes",
                                         "d2h_ms",         "d2h_bytes",  "compile_ms", "total_ms",
                                         "bandwidth_gbps", "ceiling_pct" };
    json_t *result = json_object_get(answer, "result");
    json_t *record = json_is_object(result) ? json_copy(result) : json_object();
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        json_object_del(record, times[i]);
    if (!json_object_get(record, "status")) {
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
            if (json_object_get(request, taken[i]))
                json_object_set(record, taken[i], json_object_get(request, taken[i]));
        json_object_set_new(record, "backend", json_string("gpu"));
        json_object_set_new(record, "status", json_string("failed"));
        json_object_set_new(record, "message",
                            json_string(profiled->why ? profiled->why : "It did not run."));
    }
    json_object_set_new(record, "profiled", profiled_to_json(profiled));
    return record;
}

json_t *profile_run(const json_t *request, struct error *error)
{
    char ncu[4096], launches[16];
    struct text pattern = { 0 };
    const json_t *names = json_object_get(request, "profile");
    struct profiled *profiled = profiled_new();
    json_t *inner = inner_request(request), *answer = NULL, *record = NULL;
    double limit_ms = number_of(request, "limit_ms");
    format_into(launches, sizeof launches, "%zu", json_array_size(names));
    bool able = add_pattern(&pattern, names);
    if (!able)
        error_set(error, EXIT_USAGE, "The request's profile is not an array of 1 to %d names of kernels.",
                  VARIANT_RUNS);
    else if (!find_ncu(ncu, sizeof ncu))
        set_refused(profiled, PROFILE_NO_TOOL, "");
    else {
        struct profiling how = { .ncu = ncu,
                                 .pattern = text_string(&pattern),
                                 .launches = launches,
                                 .request = inner,
                                 .limit_ms = PROFILE_LIMIT_MS +
                                             (limit_ms > 0 && limit_ms < LIMIT_MOST_MS ? (int)limit_ms : 0) };
        answer = profile_with(&how, &profiled, error);
        able = answer || profiled->refused;
    }
    if (able)
        record = record_of(request, answer, profiled);
    profiled_free(profiled);
    json_decref(answer);
    json_decref(inner);
    text_free(&pattern);
    return record;
}
