// Runs of variants in the background, and their results. One worker serves them one after the other in
// LANE_RUNS; only that lane's thread touches the client. All else here belongs to the screen's thread.
#include "tui/app/app.h"

#include "engine/base/site.h"
#include "engine/run/modelled.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct run { // one that was asked for
    struct task *task;
    struct runs *runs;
    struct request request;
    atomic_bool begun;
    uint64_t code;
    bool came; // the record
    struct record record;
    struct error error;
    struct run *next;
};
struct kept { // a result with what it is the answer to
    struct run_result result;
    struct request key; // without the source
    bool found;         // of the recorded ones: there is such a result
    struct kept *next;
};
struct runs {
    struct client *client;
    struct run *open; // wait or run
    struct kept *kept;
    struct kept *recorded; // what was looked for among the recorded results
    unsigned kept_count;   // runs whose result was kept so far
    json_t *machine;
    bool asked;      // the question about the machine is under way
    bool unheard;    // it was not answered: ask again with the next run
    json_t *figures; // of the GPU on which simulations are modelled, an array of one; NULL: not read yet
    bool figures_chosen;
};

// ---- which run is which -----------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const char *data_of(const struct request *request)
{
    const struct lab *lab = request->lab ? lab_find(request->lab) : NULL;
    return request->data ? request->data : lab ? lab->data[0] : NULL;
}

static bool same_params(const struct request *a, const struct request *b)
{
    if (a->params.count != b->params.count)
        return false;
    for (size_t i = 0; i < a->params.count; i++) {
        const struct expr_binding *one = &a->params.bindings[i], *other = &b->params.bindings[i];
        if (strcmp(one->name, other->name) != 0 || value_as_real(one->value) != value_as_real(other->value))
            return false;
    }
    return true;
}

// Two requests are one run when lab, variant, backend, checks, size and data agree. A file without a lab is known by its path.
static bool same_run(const struct request *a, const struct request *b)
{
    return a->on == b->on && a->check == b->check && same_text(a->lab, b->lab) &&
           same_text(a->variant, b->variant) && (a->lab || same_text(a->file, b->file)) &&
           strcmp(request_preset(a), request_preset(b)) == 0 && same_text(data_of(a), data_of(b)) &&
           same_params(a, b);
}

static struct request key_of(const struct request *request)
{
    struct request key = { .on = request->on, .check = request->check };
    key.lab = mem_copy_if(request->lab);
    key.variant = mem_copy_if(request->variant);
    key.file = mem_copy_if(request->file);
    key.preset = mem_copy_if(request->preset);
    key.data = mem_copy_if(request->data);
    expr_params_copy(&key.params, &request->params);
    return key;
}

// ---- results ----------------------------------------------------------------------------------------------

static void free_result(struct run_result *result)
{
    record_free(&result->record);
    free(result->error);
}

// The result for this request, of this code; code 0: of any.
static struct kept *find_kept(struct kept *kept, const struct request *request, uint64_t code)
{
    while (kept && !((!code || kept->result.code == code) && same_run(&kept->key, request)))
        kept = kept->next;
    return kept;
}

static struct kept *add_kept(struct kept **list, const struct request *request)
{
    struct kept *kept = mem_new(sizeof *kept);
    kept->key = key_of(request);
    record_init(&kept->result.record);
    kept->next = *list;
    return *list = kept;
}

static void free_kept(struct kept *kept)
{
    while (kept) {
        struct kept *next = kept->next;
        free_result(&kept->result);
        request_free(&kept->key);
        free(kept);
        kept = next;
    }
}

// Takes the run's record over.
static void keep(struct runs *runs, struct run *run)
{
    struct kept *kept = find_kept(runs->kept, &run->request, 0);
    if (!kept)
        kept = add_kept(&runs->kept, &run->request);
    free_result(&kept->result);
    kept->result = (struct run_result){ .code = run->code, .serial = ++runs->kept_count };
    if (run->came) {
        kept->result.record = run->record;
    } else {
        record_init(&kept->result.record);
        kept->result.error = mem_copy(run->error.text);
    }
    run->came = false;
}

static const struct run_result *find_recorded(struct runs *runs, const struct request *request,
                                              const struct variant *variant)
{
    uint64_t code = variant ? variant_code(variant) : 0;
    struct kept *entry = find_kept(runs->recorded, request, code);
    if (!entry) {
        entry = add_kept(&runs->recorded, request);
        entry->result.code = code;
        entry->result.recorded = true;
        entry->found = recorded_find(request, variant, &entry->result.record);
    }
    return entry->found ? &entry->result : NULL;
}

const struct run_result *runs_find(struct app *app, const struct request *request,
                                   const struct variant *variant)
{
    const struct kept *kept = app->runs ? find_kept(app->runs->kept, request, 0) : NULL;
    if (kept && variant && kept->result.code && kept->result.code != variant_code(variant))
        kept = NULL; // it says nothing of this text
    bool no_gpu = kept && kept->result.error && !runs_gpu(app);
    if (request->on == ON_GPU && request->lab && lab_find(request->lab) && app->runs && (!kept || no_gpu)) {
        const struct run_result *recorded = find_recorded(app->runs, request, variant);
        if (recorded)
            return recorded;
    }
    return kept ? &kept->result : NULL;
}

// ---- the GPU that is modelled ------------------------------------------------------------------------------

bool runs_only_models(const struct request *request)
{
    return request->on == ON_SIM && request->check == REQUEST_CHECK_COUNTERS;
}

static bool read_figures(struct runs *runs, const char *key, struct error *error)
{
    struct request wish = { 0 };
    bool read = request_model(&wish, key, error);
    if (read) {
        json_decref(runs->figures);
        runs->figures = json_incref(wish.gpus);
    }
    request_free(&wish);
    return read;
}

// The worker's GPU counts, not that of this machine, as soon as it is known.
static const json_t *figures_of(struct app *app)
{
    struct runs *runs = app->runs;
    struct error unused;
    const json_t *machine = runs->machine, *gpu = json_object_get(machine, "gpu");
    const char *name = json_string_value(json_object_get(gpu, "name"));
    if (!runs->figures) {
        char *key = name ? figures_key_of(name) : NULL;
        if (!read_figures(runs, key ? key : machine ? "h100" : NULL, &unused))
            runs->figures = json_array();
        free(key);
    }
    return json_array_get(runs->figures, 0);
}

const char *runs_model_name(struct app *app)
{
    return app->runs ? json_string_value(json_object_get(figures_of(app), "name")) : NULL;
}

static const char *chosen_key(struct app *app)
{
    const json_t *figures = app->runs && app->runs->figures_chosen ? figures_of(app) : NULL;
    return json_string_value(json_object_get(figures, "key"));
}

bool runs_model_next(struct app *app, struct error *error)
{
    char *all = figures_list(), *rest = all, *next = NULL;
    const char *now = chosen_key(app);
    bool passed = !now;
    for (char *key; !next && (key = strsep(&rest, " "));) {
        if (passed && *key)
            next = key;
        passed |= now && strcmp(key, now) == 0;
    }
    bool good = runs_model_on(app, next, error);
    free(all);
    return good;
}

bool runs_model_chosen(struct app *app)
{
    return app->runs && app->runs->figures_chosen;
}

bool runs_model_on(struct app *app, const char *key, struct error *error)
{
    if (!app->runs)
        runs_open(app);
    if (key && !read_figures(app->runs, key, error))
        return false;
    app->runs->figures_chosen = key != NULL;
    if (!key) {
        json_decref(app->runs->figures);
        app->runs->figures = NULL;
    }
    app->dirty = true;
    return true;
}

// ---- a run's way ------------------------------------------------------------------------------------------

// What comes before a scheduler's own words, which leave little room on a line.
#define STARTING "starting: "

static bool watch(void *context, const char *stage, double seconds)
{
    struct run *run = context;
    bool queues = string_starts(stage, STARTING);
    atomic_store(&run->begun, !queues);
    task_says(run->task, "%s: %s", run->request.variant, queues ? stage + strlen(STARTING) : stage);
    return !run->task->stop;
}

// The hash of the text that travels: the file may have changed since.
static uint64_t code_of(const struct request *request)
{
    struct variant variant;
    struct error unused;
    if (!request->source || !variant_parse(&variant, request->lab, request->file, request->source, &unused))
        return 0;
    uint64_t code = variant_code(&variant);
    variant_free(&variant);
    return code;
}

static void work(struct task *task)
{
    struct run *run = task->context;
    atomic_store(&run->begun, true);
    task_says(task, "%s: starting", run->request.variant);
    run->code = code_of(&run->request);
    run->came = client_run(run->runs->client, &run->request, watch, run, &run->record, &run->error);
}

static void write_down(struct app *app, const struct record *record)
{
    struct error error;
    if (app->workbook && !workbook_add_run(app->workbook, record, &error))
        app_say(app, ROLE_BAD, "%s", error.text);
}

static void free_run(struct run *run)
{
    struct run **at = &run->runs->open;
    while (*at && *at != run)
        at = &(*at)->next;
    if (*at)
        *at = run->next;
    if (run->came)
        record_free(&run->record);
    request_free(&run->request);
    free(run);
}

// A record that came although the run was stopped is kept: it is right all the same.
// Whoever listens learns from the last line what came out, wherever it is shown.
static void announce(struct app *app, const struct request *request, const struct record *record)
{
    static const char *const places[] = {
        [ON_GPU] = "on the GPU", [ON_CPU] = "on the CPU", [ON_SIM] = "simulated"
    };
    char time[32] = "";
    if (runs_only_models(request)) {
        app_say(app, ROLE_TEXT, "%s: its time is modelled.", request->variant ? request->variant : "");
        return;
    }
    if (request->on != ON_SIM)
        unit_ms(record->median_ms, time, sizeof time);
    app_say(app, ROLE_TEXT, "%s %s: %s%s%s, %zu finding%s.", request->variant ? request->variant : "",
            places[request->on], record_status_name(record->status), *time ? ", " : "", time,
            record->finding_count, record->finding_count == 1 ? "" : "s");
}

static void done(struct app *app, struct task *task)
{
    struct run *run = task->context;
    app->dirty = true;
    if (run->came && drawn_flat)
        announce(app, &run->request, &run->record);
    if (run->came && !runs_only_models(&run->request))
        write_down(app, &run->record);
    if (run->came || !task->stop)
        keep(run->runs, run);
    if (task->stop)
        app_say(app, ROLE_NOTE, "Stopped.");
    else if (*run->error.text)
        app_say(app, ROLE_BAD, "%s: %.*s", run->request.variant, (int)strcspn(run->error.text, "\n"),
                run->error.text);
    free_run(run);
}

// ---- the machine ------------------------------------------------------------------------------------------

struct run_question {
    struct runs *runs;
    json_t *answer;
    struct error error;
};

static bool wants_answer(void *context, const char *stage, double seconds)
{
    struct task *task = context;
    bool queues = string_starts(stage, STARTING);
    task_says(task, "%s", queues ? stage + strlen(STARTING) : "looking at the machine");
    return !task->stop;
}

static void ask(struct task *task)
{
    struct run_question *question = task->context;
    task_says(task, "looking at the machine");
    if (!client_describe(question->runs->client, false, wants_answer, task, &question->answer,
                         &question->error))
        question->answer = NULL;
}

static void answered(struct app *app, struct task *task)
{
    struct run_question *question = task->context;
    struct runs *runs = question->runs;
    runs->asked = false;
    runs->unheard = !question->answer;
    if (*question->error.text && !question->answer)
        question->answer = json_pack("{s:s}", "gpu_missing", question->error.text);
    if (question->answer) {
        json_decref(runs->machine);
        runs->machine = question->answer;
        if (!runs->figures_chosen) { // now it is known whose
            json_decref(runs->figures);
            runs->figures = NULL;
        }
    }
    app->dirty = true;
    free(question);
}

static void ask_machine(struct app *app)
{
    struct runs *runs = app->runs;
    struct task *task = mem_new(sizeof *task);
    struct run_question *question = mem_new(sizeof *question);
    question->runs = runs;
    *task = (struct task){ .work = ask, .done = answered, .context = question };
    runs->asked = true;
    tasks_add(app->tasks, LANE_RUNS, task);
}

const json_t *runs_machine(struct app *app)
{
    return app->runs ? app->runs->machine : NULL;
}

bool runs_gpu(struct app *app)
{
    return json_is_object(json_object_get(runs_machine(app), "gpu"));
}

// ---- opening, starting, stopping --------------------------------------------------------------------------

// A foreign worker may take a GPU that others wait for: it is started by what needs it, and never by a page to read.
void runs_open(struct app *app)
{
    app->runs = mem_new(sizeof *app->runs);
    app->runs->client = client_new();
    if (!site_worker())
        ask_machine(app);
}

void runs_ask(struct app *app)
{
    const struct runs *runs = app->runs;
    if (runs && !runs->asked && (!runs->machine || runs->unheard))
        ask_machine(app);
}

bool runs_where(struct app *app, char *out, size_t size)
{
    const char *machine = site_worker();
    const struct runs *runs = app->runs;
    *out = 0;
    if (!machine || !runs || (runs->machine && !runs->unheard))
        return false;
    while (string_starts(machine, "exec ") || (*machine && strchr(" '\"", *machine)))
        machine += *machine == 'e' ? strcspn(machine, " ") : 1;
    size_t length = strcspn(machine, " \t'\"");
    for (const char *slash; (slash = memchr(machine, '/', length)); machine = slash + 1)
        length -= (size_t)(slash + 1 - machine);
    format_into(out, size, runs->unheard ? "%.*s gave no worker" : "GPU by %.*s", (int)length, machine);
    return runs->asked || runs->unheard;
}

struct client *runs_client(struct app *app)
{
    if (!app->runs)
        runs_open(app);
    return app->runs->client;
}

static bool is_open(const struct runs *runs, const struct request *request)
{
    for (const struct run *run = runs->open; run; run = run->next)
        if (!run->task->stop && same_run(&run->request, request) &&
            same_text(run->request.source, request->source) && run->request.what_if >= request->what_if)
            return true;
    return false;
}

void runs_start(struct app *app, struct request *request)
{
    if (!app->runs)
        runs_open(app);
    struct runs *runs = app->runs;
    app->dirty = true;
    if (is_open(runs, request)) { // it is queued already
        request_free(request);
        return;
    }
    runs_ask(app);
    if (request->on == ON_SIM && request->check != REQUEST_CHECK_NONE && figures_of(app) && !request->gpus)
        request->gpus = json_deep_copy(runs->figures); // for another thread
    struct run *run = mem_new(sizeof *run);
    run->task = mem_new(sizeof *run->task);
    *run->task = (struct task){ .work = work, .done = done, .context = run };
    run->runs = runs;
    run->request = *request;
    *request = (struct request){ 0 };
    run->next = runs->open;
    runs->open = run;
    tasks_add(app->tasks, LANE_RUNS, run->task);
}

enum run_state runs_state(struct app *app, const struct request *request)
{
    enum run_state state = RUN_NONE;
    for (struct run *run = app->runs ? app->runs->open : NULL; run; run = run->next) {
        if (run->task->stop || !same_run(&run->request, request))
            continue;
        if (atomic_load(&run->begun))
            return RUN_RUNS;
        state = RUN_WAITS;
    }
    return state;
}

void runs_stop(struct app *app)
{
    tasks_stop(app->tasks, LANE_RUNS);
    app->dirty = true;
}

void runs_close(struct app *app)
{
    struct runs *runs = app->runs;
    if (!runs)
        return;
    client_free(runs->client);
    free_kept(runs->kept);
    free_kept(runs->recorded);
    json_decref(runs->machine);
    json_decref(runs->figures);
    free(runs);
    app->runs = NULL;
}
