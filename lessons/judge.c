// Is an answer right? A text is run in the simulator with everything that a live block checks: it must compute the right
// thing each time, without a finding, and within the budgets. Where there is a GPU, what is right is timed after the
// verdict, which does not wait for that.
#include "engine/cli/cli.h"
#include "engine/run/modelled.h"
#include "engine/sim/sim.h"
#include "lessons/answer.h"
#include "lessons/lessons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    JUDGE_LIMIT_MS = 20000,
    SLOW_MS = 3000, // after a run as slow as this that was rejected, no other is tried
    TIME_LIMIT_MS = 20000,
    STARTER_LIMIT_MS = 2000, // the shipped file's run only gives numbers to compare with
    PATIENT_LIMIT_MS = 60000
};

// ---- the flags of a `check` line --------------------------------------------------------------------------

static const struct command check_line = { .name = "check",
                                           .flags = { { "--set", "NAME=VALUE", NULL },
                                                      { "--size", "NAME", NULL },
                                                      { "--data", "NAME", NULL },
                                                      { "--limit", "SECONDS", NULL } } };

static bool take(const struct words *words, const struct target *target, struct request *out,
                 struct error *error)
{
    struct arguments arguments;
    long seconds = JUDGE_LIMIT_MS / 1000;
    return arguments_read(&check_line, (int)words->count, words->word, &arguments, error) &&
           arguments_number(&arguments, "--limit", 1, 60, &seconds, error) &&
           target_request(target, &arguments, (int)seconds, out, error);
}

bool judge_flags(const char *flags, const char *lab, const struct variant *variant, struct request *out,
                 struct error *error)
{
    struct words words;
    struct target target = { .variant = variant };
    *out = (struct request){ .on = ON_SIM, .check = REQUEST_CHECK_ALL };
    if ((lab && !target_lab(lab, &target.lab, error)) || !words_split(flags, &words, error))
        return false;
    bool taken = take(&words, &target, out, error);
    words_free(&words);
    if (!taken)
        request_free(out);
    return taken;
}

struct judgement {
    const struct live *live;
    const char *lab;  // NULL: a standalone file
    const char *file; // its name for people
    char called[80];  // what the engine wants it to be called
    const char *text;
    struct variant variant;
    struct judge_verdict *out;
    size_t told; // the `check` line of out->record
};
struct judging_by {
    struct client *client;
    client_progress progress;
    void *context;
};

// ---- words ------------------------------------------------------------------------------------------------

static void add_params(const struct expr_params *params, struct text *out)
{
    for (size_t i = 0; i < params->count; i++)
        text_addf(out, "%s%s = %.10g", out->length ? ", " : "", params->bindings[i].name,
                  value_as_real(params->bindings[i].value));
}

// "n = 1000, data skewed"; "" of a run as the file or the lab has it. The caller frees.
static char *with_of(const struct request *request)
{
    struct text with = { 0 };
    text_add(&with, "");
    add_params(&request->params, &with);
    if (request->preset)
        text_addf(&with, "%ssize %s", with.length ? ", " : "", request->preset);
    if (request->data)
        text_addf(&with, "%sdata %s", with.length ? ", " : "", request->data);
    return text_take(&with);
}

// Messages call the file as people do.
static void add_renamed(const struct judgement *judging, const char *message, struct text *out)
{
    size_t length = strlen(judging->called);
    for (const char *at; (at = strstr(message, judging->called)); message = at + length) {
        text_add_n(out, message, (size_t)(at - message));
        text_add(out, judging->file);
    }
    text_add(out, message);
}

// The first finding that an answer must not have; NULL: none. Errors come first.
static const struct sim_finding *worst_finding(const struct record *record)
{
    for (size_t i = 0; i < record->finding_count; i++)
        if (record->findings[i].severity != SIM_NOTE)
            return &record->findings[i];
    return NULL;
}

static void add_finding(const struct judgement *judging, const struct sim_finding *finding, struct text *out)
{
    text_add(out, sim_kind_name(finding->kind));
    if (finding->here.line)
        text_addf(out, ", line %d", finding->here.line);
    text_add(out, ": ");
    add_renamed(judging, finding->sentence, out);
}

// ---- one run ----------------------------------------------------------------------------------------------

static enum verdict_kind judge_failed(const struct judgement *judging, const struct record *record,
                                      struct text *out)
{
    add_renamed(judging, record->message ? record->message : "It did not run.", out);
    return record->diagnostics && isnan(record->warp_inst) ? VERDICT_COMPILE : VERDICT_RESULT;
}

// False: a limit does not hold for this run, and `out` says which.
static bool within_limits(const struct live *live, const struct record *record, struct text *out)
{
    struct limit limits[LIMITS_MOST];
    struct text missed = { 0 };
    limits_of(live, record, limits, &missed);
    bool within = !missed.length;
    text_add(out, text_string(&missed));
    text_free(&missed);
    return within;
}

// Whether the learner may change the launch line that a finding blames.
static bool may_launch(const struct live *live, const char *sentence)
{
    static const char word[] = "launch";
    const char *may;
    bool free = live->kind == LIVE_CHALLENGE;
    for (size_t i = 0; (may = live_nth(live, "may", i)) && !free; i++) {
        size_t length = strlen(word);
        const char *kernel = string_starts(may, word) ? may + length + strspn(may + length, " ") : "-";
        size_t name = strlen(kernel);
        free = !name || (strncmp(sentence, kernel, name) == 0 && sentence[name] == '<');
    }
    return free;
}

// How many elements no thread wrote, as the findings count them.
static double never_written(const struct record *record)
{
    double count = 0;
    for (size_t i = 0; i < record->finding_count; i++)
        count += record->findings[i].kind == SIM_NEVER_WRITTEN ? (double)record->findings[i].count : 0;
    return count;
}

static bool blames_launch(const struct sim_finding *finding)
{
    return finding && finding->kind == SIM_NEVER_WRITTEN && strstr(finding->sentence, ">>> runs ");
}

// What is not there at all comes before what is wrong, and then what is right already. That the launch is too small may
// be all that a bug hunt is about, so there the sentence stands alone.
static void add_missing(const struct judgement *judging, const struct record *record,
                        const struct sim_finding *finding, struct text *out)
{
    double right = record->compared - record->wrong;
    bool rest = record->status == STATUS_WRONG && record->wrong == never_written(record) && right > 0;
    add_renamed(judging, finding->sentence, out);
    if (rest && right == 1)
        text_add(out, " The other one is right.");
    else if (rest)
        text_addf(out, " The other %.0f are right.", right);
    if (!rest && record->status == STATUS_WRONG) {
        text_add(out, "\n");
        record_check_words(record, out);
        text_add(out, ".");
    }
    if (!blames_launch(finding) || judging->live->kind == LIVE_BUGHUNT)
        return;
    text_add(out, may_launch(judging->live, finding->sentence)
                      ? "\nThe launch line is yours to change."
                      : "\nThe launch line stays, so each thread has more than that to write.");
}

// Judges one run; adds the reasons against it to `reasons`, and in words to `out`.
static enum verdict_kind judge_record(const struct judgement *judging, const struct record *record,
                                      unsigned *reasons, struct text *out)
{
    const struct sim_finding *finding = worst_finding(record);
    bool wrong = record->status == STATUS_WRONG;
    if (finding)
        *reasons |= 1u << VERDICT_FINDING;
    if (record->status == STATUS_FAILED)
        return judge_failed(judging, record, out);
    if (record->status == STATUS_SKIPPED) {
        text_addf(out, "it does not run, because it %s.", record->message ? record->message : "says so");
        return VERDICT_RESULT;
    }
    bool missing = finding && finding->kind == SIM_NEVER_WRITTEN;
    if (missing)
        add_missing(judging, record, finding, out);
    if (wrong && !missing) {
        record_check_words(record, out);
        text_add(out, finding ? ".\n" : ".");
    }
    if (finding && !missing)
        add_finding(judging, finding, out);
    if (wrong)
        return VERDICT_RESULT;
    if (finding)
        return VERDICT_FINDING;
    return within_limits(judging->live, record, out) ? VERDICT_ACCEPTED : VERDICT_BUDGET;
}

// Adds the kinds of findings that are not listed yet.
static void note_findings(struct judge_verdict *out, const struct record *record)
{
    struct text names = { 0 };
    text_add(&names, out->findings ? out->findings : "");
    for (size_t i = 0; i < record->finding_count; i++) {
        const char *kind = sim_kind_name(record->findings[i].kind);
        if (!strstr(text_string(&names), kind))
            text_addf(&names, "%s%s", names.length ? ", " : "", kind);
    }
    free(out->findings);
    out->findings = names.length ? text_take(&names) : NULL;
    text_free(&names);
}

// The line of the answer that speaks against it; 0: not known, or not the learner's to change.
static int line_against(const struct judgement *judging, const struct record *record, enum verdict_kind kind)
{
    const struct sim_finding *finding = worst_finding(record);
    if (kind == VERDICT_COMPILE)
        return record->diagnostic_count ? record->diagnostics[0].line : 0;
    if (!finding || kind == VERDICT_BUDGET ||
        (blames_launch(finding) && !may_launch(judging->live, finding->sentence)))
        return 0;
    return finding->here.line;
}

static bool is_stopped(const struct record *record)
{
    const struct sim_finding *finding = worst_finding(record);
    return finding && finding->kind == SIM_OTHER;
}

// A run that was stopped by its limit says least: where another one comes to its end, what it costs is the reason.
static int weight(enum verdict_kind kind, const struct record *record)
{
    return is_stopped(record) ? 1 : 2 * (VERDICT_BUDGET + 1 - (int)kind);
}

// Keeps what speaks against the answer most, or else the first run. What does not compile does so at every size.
static void take_record(struct judgement *judging, const struct request *request, size_t check,
                        struct record *record)
{
    struct judge_verdict *out = judging->out;
    struct text words = { 0 }, why = { 0 };
    unsigned reasons = 0;
    char *with = with_of(request);
    enum verdict_kind kind = judge_record(judging, record, &reasons, &why);
    if (kind != VERDICT_COMPILE && *with)
        text_addf(&words, "With %s: ", with);
    text_add(&words, text_string(&why));
    if (kind != VERDICT_ACCEPTED)
        reasons |= 1u << kind;
    out->reasons |= reasons;
    bool first = out->runs++ == 0;
    note_findings(out, record);
    bool worse = kind != VERDICT_ACCEPTED &&
                 (out->kind == VERDICT_ACCEPTED || weight(kind, record) > weight(out->kind, &out->record));
    if (is_stopped(record)) {
        free(out->stopped);
        out->stopped = mem_copy(with);
    }
    if (worse || first) {
        record_free(&out->record);
        free(out->words);
        free(out->with);
        out->record = *record;
        out->with = with;
        with = NULL;
        judging->told = check;
        out->words = kind == VERDICT_ACCEPTED ? NULL : text_take(&words);
        out->kind = kind;
        out->line = line_against(judging, &out->record, kind);
    } else {
        record_free(record);
    }
    text_free(&words);
    text_free(&why);
    free(with);
}

// The run of judging->text that these flags ask for; NULL: none. `limit_ms` 0: as they have it.
static bool request_of(const struct judgement *judging, const char *flags, int limit_ms, struct request *out,
                       struct error *error)
{
    if (!judge_flags(flags ? flags : "", judging->lab, &judging->variant, out, error))
        return false;
    out->variant = mem_copy(judging->variant.name);
    out->file = mem_copy(judging->called);
    out->source = mem_copy(judging->text);
    out->limit_ms = limit_ms && limit_ms < out->limit_ms ? limit_ms : out->limit_ms;
    return true;
}

static bool run_one(const struct judging_by *by, const struct request *request, struct record *record,
                    struct error *error)
{
    error->code = EXIT_MISSING;
    if (client_run(by->client, request, by->progress, by->context, record, error))
        return true;
    if (error->code != EXIT_USAGE)
        return false;
    record_init(record); // the sizes or a //@ line cannot be had together
    record->status = STATUS_FAILED;
    record->backend = ON_SIM;
    record->message = mem_copy(error->text);
    return true;
}

// ---- a modelled time ----------------------------------------------------------------------------------------

// The figures that ship, whatever the learner keeps beside them.
static bool add_figures(struct request *request, const char *gpu, struct error *error)
{
    char name[64];
    format_into(name, sizeof name, "assets/gpus/%s.json", gpu);
    char *path = path_shipped(name);
    json_t *figures = path ? figures_file(path, error) : NULL;
    free(path);
    request->gpus = json_array();
    return figures && json_array_append_new(request->gpus, figures) == 0;
}

// The modelled time of the run that the pace is about; NAN: the model knows none. *with (NULL: not asked) says which run.
// False: it could not be asked for.
static bool pace_run(const struct judgement *judging, const struct judging_by *by, int limit_ms, double *ms,
                     char **with, struct error *error)
{
    struct pace pace;
    struct request request;
    struct record record;
    bool read = pace_read(live_field(judging->live, "pace"), &pace);
    *ms = NAN;
    if (!read || !request_of(judging, pace.flags, limit_ms, &request, error))
        return false;
    request.check = REQUEST_CHECK_COUNTERS;
    bool came = add_figures(&request, pace.gpu, error) && run_one(by, &request, &record, error);
    if (came && with)
        *with = with_of(&request);
    if (came && (record.status == STATUS_RIGHT || record.status == STATUS_UNCHECKED) &&
        record.modelled_count && !record.modelled[0].why)
        *ms = record.modelled[0].ms;
    if (came)
        record_free(&record);
    request_free(&request);
    return came;
}

// Adds the limit to those of an answer that is accepted by everything else. A time outside of what the model knows speaks
// neither for nor against it.
static bool judge_pace(struct judgement *judging, const struct judging_by *by, struct error *error)
{
    struct judge_verdict *out = judging->out;
    const char *pace = live_field(judging->live, "pace");
    struct text missed = { 0 };
    double ms;
    char *with = NULL;
    if (!pace || out->kind != VERDICT_ACCEPTED || out->limit_count == LIMITS_MOST)
        return true;
    bool done = pace_run(judging, by, 0, &ms, &with, error);
    if (done && isfinite(ms)) {
        struct limit *limit = &out->limits[out->limit_count++];
        *limit = limit_pace(pace, with, ms);
        if (!limit->met) {
            limit_missed_words(limit, &missed);
            out->kind = VERDICT_BUDGET;
            out->reasons |= 1u << VERDICT_BUDGET;
            out->words = text_take(&missed);
        }
    }
    free(with);
    return done;
}

static bool is_pace(const struct limit *limit, const struct live *live)
{
    return limit->budget == live_field(live, "pace");
}

// ---- all runs ---------------------------------------------------------------------------------------------

static bool over(const struct judge_verdict *verdict)
{
    return verdict->kind == VERDICT_COMPILE ||
           (verdict->kind != VERDICT_ACCEPTED && verdict->record.total_ms > SLOW_MS);
}

static bool run_all(struct judgement *judging, const struct judging_by *by, struct error *error)
{
    size_t checks = live_count(judging->live, "check");
    for (size_t i = 0; i < (checks ? checks : 1) && !over(judging->out); i++) {
        struct request request;
        struct record record;
        if (!request_of(judging, live_nth(judging->live, "check", i), 0, &request, error))
            return false;
        bool done = run_one(by, &request, &record, error);
        if (done)
            take_record(judging, &request, i, &record);
        request_free(&request);
        if (!done)
            return false;
    }
    return true;
}

// A lab's kernel files have a step in front of their name, which those of lessons do not need.
static void name_file(struct judgement *judging, const char *file)
{
    const char *slash = strrchr(file, '/');
    judging->file = slash ? slash + 1 : file;
    format_into(judging->called, sizeof judging->called, "%s%s", judging->lab ? "1-" : "", judging->file);
}

// The shipped file of the task, from which the learner's text comes.
static bool read_shipped(const struct live *live, struct text *out, struct error *error)
{
    char *path = path_join(live->folder, live_field(live, "file"));
    bool read = file_read(path, out, error);
    free(path);
    return read;
}

// The line in a message that begins with "FILE:LINE:"; 0: it does not.
static int line_named(const char *message, const char *file)
{
    size_t length = strlen(file);
    return string_starts(message, file) && message[length] == ':' ? atoi(message + length + 1) : 0;
}

// An answer that changed what checks it is not run.
static bool refuse(struct judge_verdict *out, enum verdict_kind kind, struct text *words)
{
    out->kind = kind;
    out->reasons = 1u << kind;
    out->words = text_take(words);
    out->record.status = STATUS_FAILED;
    return true;
}

// `shipped` NULL: an order, of which nothing has to stay.
static bool judge_text(struct judgement *judging, const char *shipped, const struct judging_by *by,
                       struct error *error)
{
    struct text words = { 0 };
    struct error why;
    if (!variant_parse(&judging->variant, judging->lab, judging->called, judging->text, &why)) {
        add_renamed(judging, why.text, &words);
        judging->out->line = line_named(words.data, judging->file);
        return refuse(judging->out, VERDICT_COMPILE, &words);
    }
    bool stays = !shipped || judge_kept(judging->live, shipped, judging->text, &words, &judging->out->line);
    bool done = stays ? run_all(judging, by, error) : refuse(judging->out, VERDICT_CHANGED, &words);
    if (done)
        judging->out->limit_count = limits_of(
            judging->live, judging->out->with ? &judging->out->record : NULL, judging->out->limits, NULL);
    done = done && (!stays || judge_pace(judging, by, error));
    variant_free(&judging->variant);
    text_free(&words);
    return done;
}

// ---- the shipped file's numbers ---------------------------------------------------------------------------

static const char *starter_trouble(const struct record *record)
{
    if (record->status == STATUS_FAILED)
        return record->diagnostics && isnan(record->warp_inst) ? "it does not compile"
                                                               : "it does not run to its end";
    if (record->status == STATUS_WRONG)
        return "its result is wrong";
    if (record->status == STATUS_SKIPPED || !record->counters)
        return "it does not run there";
    return worst_finding(record) ? "the simulator finds a defect in it" : NULL;
}

// What the shipped file has in the run that the verdict tells. A starter that is wrong has no numbers: it did other
// work. False: nothing came of it, and the next verdict tries again.
static bool run_starter(const struct judgement *judging, const struct judging_by *by, int limit_ms,
                        struct starter *out)
{
    struct request request;
    struct record record;
    struct error unused;
    struct limit limits[LIMITS_MOST];
    if (!request_of(judging, live_nth(judging->live, "check", judging->told), limit_ms, &request, &unused))
        return false;
    bool came = run_one(by, &request, &record, &unused);
    request_free(&request);
    if (!came)
        return false;
    out->why = starter_trouble(&record);
    out->ms = NAN;
    out->timed = out->paced = false;
    size_t count = limits_of(judging->live, &record, limits, NULL);
    for (size_t i = 0; i < count; i++) {
        out->had[i] = limits[i].got;
        out->amount[i] = limits[i].amount;
    }
    record_free(&record);
    return true;
}

// Remembered, or run; NULL: nothing came of it. `first` is judged with its variant read.
static struct starter *starter_of(struct judgement *first, const struct judging_by *by,
                                  struct starters *starters)
{
    enum { KNOWN = sizeof starters->known / sizeof *starters->known };
    struct starter *fresh = &starters->known[starters->count % KNOWN];
    const char *flags = live_nth(first->live, "check", first->told),
               *words[] = { first->lab, first->file, flags, first->text };
    uint64_t of = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        of = hash_more(of, words[i] ? words[i] : "", words[i] ? strlen(words[i]) + 1 : 1);
    for (size_t i = 0; i < starters->count && i < KNOWN; i++)
        if (starters->known[i].of == of)
            return &starters->known[i];
    bool came = run_starter(first, by, starters->patient ? PATIENT_LIMIT_MS : STARTER_LIMIT_MS, fresh);
    fresh->of = of;
    starters->count += came;
    return came ? fresh : NULL;
}

// Its modelled time, once.
static double starter_pace(const struct judgement *first, const struct judging_by *by,
                           struct starter *starter)
{
    struct error unused;
    if (!starter->paced && !pace_run(first, by, STARTER_LIMIT_MS, &starter->pace_ms, NULL, &unused))
        starter->pace_ms = NAN;
    starter->paced = true;
    return starter->pace_ms;
}

// Puts what the shipped file had beside each limit.
static void compare(const struct judgement *judging, const char *shipped, const struct judging_by *by,
                    struct starters *starters)
{
    struct judgement first = {
        .live = judging->live, .lab = judging->lab, .text = shipped, .told = judging->told
    };
    struct judge_verdict *out = judging->out;
    struct error unused;
    name_file(&first, judging->file);
    if (strcmp(shipped, judging->text) == 0 ||
        !variant_parse(&first.variant, first.lab, first.called, shipped, &unused))
        return;
    struct starter *starter = starter_of(&first, by, starters);
    out->starter_why = starter ? starter->why : "it could not be run";
    for (size_t i = 0; !out->starter_why && i < out->limit_count; i++) {
        struct limit *limit = &out->limits[i];
        bool pace = is_pace(limit, judging->live);
        double amount = pace ? starter_pace(&first, by, starter) : starter->amount[i];
        limit->had = pace ? amount : starter->had[i];
        limit->share = *limit->of && amount > 0 ? limit->amount / amount : NAN;
    }
    variant_free(&first.variant);
}

// More warps, of which each does what one did before: half of sharing the work out.
static bool repeats_work(const struct judge_verdict *verdict)
{
    const struct record_counters *counters = verdict->record.counters;
    bool repeats = false;
    for (size_t i = 0; i < verdict->limit_count && counters; i++) {
        const struct limit *limit = &verdict->limits[i];
        repeats |= string_starts(limit->budget, "counters.inst_longest ") && !limit->met &&
                   limit->got >= 0.95 * limit->had && counters->inst >= 1.5 * counters->inst_longest;
    }
    return repeats && verdict->kind == VERDICT_BUDGET;
}

// ---- times ------------------------------------------------------------------------------------------------

// The run that is timed and compared; NULL: as the file or the lab has it.
static const char *flags_timed(const struct judgement *judging)
{
    const char *flags = live_field(judging->live, "time");
    return flags ? flags : live_nth(judging->live, "check", judging->told);
}

// A right run on the GPU; false: nothing came of it. *with (NULL: not asked) says which.
static bool time_run(const struct judgement *judging, const struct judging_by *by, struct record *out,
                     char **with)
{
    struct request request;
    struct error unused;
    if (!request_of(judging, flags_timed(judging), TIME_LIMIT_MS, &request, &unused))
        return false;
    request.on = ON_GPU;
    bool came = run_one(by, &request, out, &unused);
    if (came && out->status != STATUS_RIGHT && out->status != STATUS_UNCHECKED) {
        record_free(out);
        came = false;
    }
    if (came && with)
        *with = with_of(&request);
    request_free(&request);
    return came;
}

// The goal goes after the budgets; where a challenge misses it, it is not accepted.
static void take_time(struct judgement *judging, const struct record *record)
{
    struct judge_verdict *out = judging->out;
    struct text missed = { 0 };
    out->ms = record->median_ms;
    out->ceiling_pct = record->ceiling_pct;
    out->device = mem_copy_if(record->device);
    if (out->limit_count < LIMITS_MOST)
        out->limit_count += limits_of(judging->live, record, &out->limits[out->limit_count], &missed);
    if (missed.length && judging->live->kind == LIVE_CHALLENGE && out->kind == VERDICT_ACCEPTED) {
        out->kind = VERDICT_BUDGET;
        out->reasons = 1u << VERDICT_BUDGET;
        out->words = text_take(&missed);
    }
    text_free(&missed);
}

// What the shipped file takes, once.
static double starter_ms(const struct judgement *judging, const char *shipped, const struct judging_by *by,
                         struct starters *starters)
{
    struct judgement first = {
        .live = judging->live, .lab = judging->lab, .text = shipped, .told = judging->told
    };
    struct record record;
    struct error unused;
    double ms = NAN;
    name_file(&first, judging->file);
    if (strcmp(shipped, judging->text) == 0 ||
        !variant_parse(&first.variant, first.lab, first.called, shipped, &unused))
        return NAN;
    struct starter *starter = starter_of(&first, by, starters);
    if (starter && !starter->why && !starter->timed) {
        starter->timed = true;
        if (time_run(&first, by, &record, NULL)) {
            starter->ms = record.median_ms;
            record_free(&record);
        }
    }
    ms = starter && !starter->why ? starter->ms : NAN;
    variant_free(&first.variant);
    return ms;
}

bool judge_times(struct client *client, const struct live *live, const char *file, const char *text,
                 struct starters *starters, client_progress progress, void *context,
                 struct judge_verdict *verdict)
{
    struct judgement judging = {
        .live = live, .lab = live_field(live, "lab"), .text = text, .out = verdict, .told = verdict->told
    };
    struct judging_by by = { client, progress, context };
    struct text shipped = { 0 };
    struct record record;
    struct error unused;
    bool right = verdict->kind == VERDICT_ACCEPTED || verdict->kind == VERDICT_BUDGET;
    name_file(&judging, file);
    if (!right || !review_is_task(live) ||
        !variant_parse(&judging.variant, judging.lab, judging.called, text, &unused))
        return false;
    bool timed = time_run(&judging, &by, &record, &verdict->timed);
    if (timed) {
        take_time(&judging, &record);
        record_free(&record);
        if (live->kind != LIVE_CHALLENGE && read_shipped(live, &shipped, &unused))
            verdict->had_ms = starter_ms(&judging, text_string(&shipped), &by, starters);
    }
    variant_free(&judging.variant);
    text_free(&shipped);
    return timed;
}

// ---- what the answer is compared with ------------------------------------------------------------------------

static void came_not(struct beside_row *out, const char *why)
{
    if (!*out->why)
        format_into(out->why, sizeof out->why, "%.*s", (int)strcspn(why, "\n"), why);
}

// What one run has to say: its time, or in the simulator its count.
static void run_beside(const struct judging_by *by, const struct request *request, struct beside_row *out)
{
    struct record record;
    struct error error;
    struct text with = { 0 };
    if (!run_one(by, request, &record, &error)) {
        came_not(out, error.text);
        return;
    }
    if (record.status != STATUS_RIGHT && record.status != STATUS_UNCHECKED) {
        came_not(out, record.message ? record.message : "Its result is wrong.");
    } else if (record.backend == ON_SIM) {
        out->in_a_row = record.counters ? record.counters->inst_longest : NAN;
        if (record.modelled_count && !record.modelled[0].why) {
            out->ms = record.modelled[0].ms;
            format_into(out->how, sizeof out->how, "modelled for %s", record.modelled[0].name);
        }
    } else {
        out->ms = record.median_ms;
        run_origin(&record, false, out->how);
    }
    if (record.params)
        add_params(record.params, &with);
    format_into(out->with, sizeof out->with, "%s", text_string(&with));
    text_free(&with);
    record_free(&record);
}

// The simulator stands in for a GPU: it counts, and only as long as a reader likes to wait.
static void count_beside(const struct judging_by *by, struct request *request, struct beside_row *out)
{
    request->on = ON_SIM;
    request->check = REQUEST_CHECK_COUNTERS;
    request->limit_ms = STARTER_LIMIT_MS;
    run_beside(by, request, out);
}

// `named`: LAB/STEP, and what it is called here.
static struct beside_row run_named(const struct judging_by *by, bool gpu, const char *named,
                                   const char *flags)
{
    struct beside_row out = { .ms = NAN, .in_a_row = NAN };
    size_t place = strcspn(named, " \n");
    const char *words = named + place + strspn(named + place, " \n");
    struct lesson_run run;
    struct error error;
    struct text line = { 0 };
    text_addf(&line, "%.*s %s", (int)place, named, flags ? flags : "");
    bool read = lesson_run_read(&run, line.data, false, &error);
    text_free(&line);
    if (!read) {
        came_not(&out, error.text);
        return out;
    }
    const char *title = run.cpu ? run.cpu->title : run.variant.title;
    format_into(out.what, sizeof out.what, "%s", *words ? words : title);
    if (run.cpu || gpu) {
        run.request.limit_ms = TIME_LIMIT_MS;
        run_beside(by, &run.request, &out);
    } else {
        struct record record;
        if (recorded_find(&run.request, &run.variant, &record)) {
            out.ms = record.median_ms;
            run_origin(&record, true, out.how);
            record_free(&record);
        }
        count_beside(by, &run.request, &out);
    }
    lesson_run_free(&run);
    return out;
}

// Remembered, or run.
static struct beside_row beside_of(const struct judging_by *by, bool gpu, struct starters *starters,
                                   const char *named, const char *flags)
{
    enum { KNOWN = sizeof starters->besides / sizeof *starters->besides };
    uint64_t of = hash_bytes(named, strlen(named) + 1);
    of = flags ? hash_more(of, flags, strlen(flags)) : of;
    of = hash_more(of, &gpu, sizeof gpu);
    for (size_t i = 0; i < starters->beside_count && i < KNOWN; i++)
        if (starters->besides[i].of == of)
            return starters->besides[i].row;
    struct beside_row row = run_named(by, gpu, named, flags);
    if (!*row.why)
        starters->besides[starters->beside_count++ % KNOWN] = (struct beside_known){ of, row };
    return row;
}

// The answer, which is timed by now where there is a GPU.
static struct beside_row own_row(const struct judgement *judging, const struct judging_by *by, bool gpu)
{
    const struct judge_verdict *verdict = judging->out;
    struct beside_row row = { .what = "yours", .ms = NAN, .in_a_row = NAN };
    struct request request;
    struct error error;
    if (gpu && verdict->timed) {
        row.ms = verdict->ms;
        format_into(row.how, sizeof row.how, "measured here, on %s", verdict->device ? verdict->device : "");
    } else if (gpu) {
        came_not(&row, "The GPU gave it no time.");
    } else if (request_of(judging, flags_timed(judging), 0, &request, &error)) {
        if (add_figures(&request, "h100", &error))
            count_beside(by, &request, &row);
        request_free(&request);
    } else {
        came_not(&row, error.text);
    }
    return row;
}

void judge_beside(struct client *client, const struct live *live, const char *file, const char *text,
                  bool gpu, struct starters *starters, client_progress progress, void *context,
                  struct judge_verdict *verdict)
{
    struct judgement judging = {
        .live = live, .lab = live_field(live, "lab"), .text = text, .out = verdict, .told = verdict->told
    };
    struct judging_by by = { client, progress, context };
    struct error unused;
    const char *named;
    bool right = verdict->kind == VERDICT_ACCEPTED || verdict->kind == VERDICT_BUDGET;
    name_file(&judging, file);
    verdict->beside_count = 0;
    if (!right || !live_field(live, "beside") ||
        !variant_parse(&judging.variant, judging.lab, judging.called, text, &unused))
        return;
    for (size_t i = 0; i + 1 < BESIDE_MOST && (named = live_nth(live, "beside", i)); i++)
        verdict->beside[verdict->beside_count++] =
            beside_of(&by, gpu, starters, named, flags_timed(&judging));
    verdict->beside[verdict->beside_count++] = own_row(&judging, &by, gpu);
    variant_free(&judging.variant);
}

// ---- all of it --------------------------------------------------------------------------------------------

bool judge(struct client *client, const struct live *live, const char *file, const char *text,
           struct starters *starters, client_progress progress, void *context, struct judge_verdict *out,
           struct error *error)
{
    struct judgement judging = { .live = live, .lab = live_field(live, "lab"), .text = text, .out = out };
    struct judging_by by = { client, progress, context };
    struct text shipped = { 0 };
    bool task = review_is_task(live);
    *out = (struct judge_verdict){ .kind = VERDICT_ACCEPTED, .ms = NAN, .had_ms = NAN, .ceiling_pct = NAN };
    record_init(&out->record);
    name_file(&judging, file);
    if (judging.lab && !lab_find(judging.lab))
        return error_set(error, EXIT_USAGE, "There is no lab '%s'. 'warpbook list' names them.", judging.lab);
    out->limit_count = limits_of(live, NULL, out->limits, NULL);
    bool done = !task || read_shipped(live, &shipped, error);
    done = done && (live_field(live, "program")
                        ? judge_program(live, judging.file, text_string(&shipped), text, progress, context,
                                        out, error)
                        : judge_text(&judging, task ? text_string(&shipped) : NULL, &by, error));
    out->told = judging.told;
    if (done && starters && task && live->kind != LIVE_CHALLENGE &&
        (live_field(live, "budget") || live_field(live, "pace")))
        compare(&judging, text_string(&shipped), &by, starters);
    if (done && repeats_work(out))
        out->note = "More warps run, but each does what one did before: the work is repeated, not shared.";
    text_free(&shipped);
    if (!done) {
        struct text words = { 0 };
        add_renamed(&judging, error->text, &words);
        error_set(error, error->code, "%s", text_string(&words));
        text_free(&words);
        verdict_free(out);
    }
    return done;
}

void verdict_free(struct judge_verdict *verdict)
{
    free(verdict->words);
    free(verdict->findings);
    free(verdict->with);
    free(verdict->stopped);
    free(verdict->timed);
    free(verdict->device);
    record_free(&verdict->record);
    *verdict = (struct judge_verdict){ 0 };
}
