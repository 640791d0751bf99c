// What a number of a text comes to: arithmetic as on `//@` lines, in which gpu(RUN: VALUE) is what was recorded of a
// run, ncu(RUN: VALUE) what a profiler said of it, sim(RUN: VALUE) what the simulator says, and explore(KNOBS: VALUE)
// what an explorer computes.
#include "tui/command/check.h"
#include "tui/explore/explore.h"

#include <stdlib.h>
#include <string.h>

// ---- explorers --------------------------------------------------------------------------------------------------

static json_t *explored(const struct settings *settings)
{
    const char *name = settings->explorer->name;
    if (strcmp(name, "banks") == 0) {
        struct banks_view view = banks_compute(settings);
        return json_pack("{s:i,s:i,s:i,s:i}", "wavefronts", (int)view.passes, "ideal", (int)view.ideal,
                         "words", (int)view.words, "banks", (int)view.banks);
    }
    if (strcmp(name, "coalescing") == 0) {
        struct coalescing_view view = coalescing_compute(settings);
        return json_pack("{s:i,s:i,s:i,s:i}", "sectors", (int)view.sectors, "ideal", (int)view.ideal, "used",
                         (int)view.used, "fetched", (int)view.fetched);
    }
    if (strcmp(name, "grid") == 0) {
        struct grid_view view = grid_compute(settings);
        return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "blocks", (json_int_t)view.blocks, "threads",
                         (json_int_t)view.total, "idle", (json_int_t)view.idle, "warps",
                         (json_int_t)view.warps, "warp", (json_int_t)view.warp, "lane", (json_int_t)view.lane,
                         "element", (json_int_t)view.element);
    }
    if (strcmp(name, "occupancy") == 0) {
        struct occupancy_view view = occupancy_compute(settings);
        return json_pack("{s:i,s:i,s:f,s:i,s:i,s:i,s:i}", "blocks", view.now.blocks, "warps", view.now.warps,
                         "percent", view.now.percent, "sm_threads", view.arch->max_threads, "sm_blocks",
                         view.arch->max_blocks, "sm_registers", view.arch->registers, "sm_shared",
                         view.arch->shared_sm);
    }
    if (strcmp(name, "waves") == 0) {
        struct waves_view view = waves_compute(settings);
        return json_pack("{s:I,s:I,s:I,s:I,s:f}", "sms", (json_int_t)view.sms, "slots",
                         (json_int_t)view.slots, "waves", (json_int_t)view.waves, "tail",
                         (json_int_t)view.tail, "busy", view.busy);
    }
    return json_object();
}

static bool explore_value(const char *words, const char *value, double *out, struct error *error)
{
    struct settings settings;
    if (!explorer_settings(words, &settings, error))
        return false;
    json_t *json = explored(&settings);
    bool known = live_value(value, json, out);
    if (!known) {
        struct text names = { 0 };
        const char *name;
        json_t *unused;
        json_object_foreach(json, name, unused) text_addf(&names, "%s%s", names.length ? ", " : "", name);
        error_set(error, EXIT_WRONG, "the explorer %s does not say %s; it says: %s", settings.explorer->name,
                  value, names.length ? names.data : "no numbers");
        text_free(&names);
    }
    json_decref(json);
    return known;
}

// ---- gpu(…), sim(…), explore(…) -----------------------------------------------------------------------------------

static enum told record_of(struct checking *check, bool profile, const struct lesson_run *trial, json_t **out,
                           struct error *error)
{
    const json_t *record = NULL;
    enum told told = TOLD_WRONG;
    *out = NULL;
    if (trial->cpu)
        error_set(error, EXIT_WRONG, "what a CPU takes is every machine's own");
    else if (!profile && (told = check_run(check, trial, &record, error)) == TOLD)
        *out = json_incref((json_t *)record);
    else if (profile && !(*out = check_profile(trial)))
        error_set(error, EXIT_WRONG, "no profile of this kernel was recorded");
    return *out ? TOLD : told;
}

// `on`: "gpu", "ncu" or "sim".
static enum told run_value(struct check_value *value, const char *on, const char *run, const char *what,
                           double *out, struct error *error)
{
    struct lesson_run trial;
    json_t *record;
    bool simulated = strcmp(on, "sim") == 0;
    struct text whole = { 0 };
    text_addf(&whole, "%s --on %s", run, simulated ? "sim" : "gpu");
    bool read = lesson_run_read(&trial, whole.data, false, error);
    text_free(&whole);
    if (!read)
        return TOLD_WRONG;
    enum told told = record_of(value->check, strcmp(on, "ncu") == 0, &trial, &record, error);
    const char *date = json_string_value(json_object_get(record, "date"));
    if (date && !simulated)
        name_add(&value->dates, date);
    if (told == TOLD && !live_value(what, record, out)) {
        error_set(error, EXIT_WRONG, "the run does not say %s", what);
        told = TOLD_WRONG;
    }
    json_decref(record);
    lesson_run_free(&trial);
    return told;
}

// What stands between parentheses at `at`: "RUN: VALUE"; in quotes anything may stand. NULL: it has no end.
static const char *call_split(const char *at, char **subject, char **what)
{
    const char *start = ++at, *colon = NULL;
    bool quoted = false;
    int depth = 0;
    for (; *at && (quoted || depth || *at != ')'); at++) {
        quoted ^= *at == '"';
        depth += quoted ? 0 : (*at == '(') - (*at == ')');
        colon = !quoted && *at == ':' ? at : colon;
    }
    if (!*at || !colon)
        return NULL;
    const char *value = colon + 1 + strspn(colon + 1, " ");
    *subject = mem_copy_n(start, (size_t)(colon - start));
    *what = mem_copy_n(value, (size_t)(at - value));
    return at + 1;
}

static size_t call_name(const char *at)
{
    static const char *const names[] = { "gpu", "ncu", "sim", "explore" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (string_starts(at, names[i]) && at[strlen(names[i])] == '(')
            return strlen(names[i]);
    return 0;
}

static enum told call_value(struct check_value *value, const char **at, double *out, struct error *error)
{
    size_t length = call_name(*at);
    char *subject, *what, name[16];
    enum told told;
    format_into(name, sizeof name, "%.*s", (int)length, *at);
    const char *end = call_split(*at + length, &subject, &what);
    if (!end) {
        error_set(error, EXIT_WRONG, "'%s' takes what is looked at, a ':' and a value: %s", name,
                  *name == 'e' ? "explore(banks stride=2: wavefronts)" : "sim(banks/2: counters.sld_wave)");
        return TOLD_WRONG;
    }
    if (*name == 'e')
        told = explore_value(subject, what, out, error) ? TOLD : TOLD_WRONG;
    else
        told = run_value(value, name, subject, what, out, error);
    free(subject);
    free(what);
    *at = end;
    return told;
}

// ---- the whole -----------------------------------------------------------------------------------------------------

enum { CALLS = 16 };

// Without the place, which is one in the text with names for calls.
static void plain_reason(struct error *error)
{
    const char *found = strstr(error->text, "error: "),
               *from = found ? found + strlen("error: ") : error->text;
    char *reason = mem_copy_n(from, strcspn(from, "\n"));
    error_set(error, EXIT_WRONG, "%s", reason);
    free(reason);
}

// Each call becomes a name, v0 to v15, whose value is bound; the rest is arithmetic.
enum told check_value(struct check_value *value, const char *expression, double *out, struct error *error)
{
    static const char *const names[CALLS] = { "v0", "v1", "v2",  "v3",  "v4",  "v5",  "v6",  "v7",
                                              "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15" };
    struct expr_binding bindings[CALLS];
    struct expr_scope scope = { bindings, 0 };
    struct text rest = { 0 };
    struct value result;
    enum told told = TOLD;
    bool in_word = false;
    for (const char *at = expression; *at && told == TOLD;) {
        if (in_word || !call_name(at)) {
            in_word = byte_in_word(*at);
            text_add_n(&rest, at, 1);
            at++;
        } else if (scope.count == CALLS) {
            error_set(error, EXIT_WRONG, "this takes more than %d values", CALLS);
            told = TOLD_WRONG;
        } else {
            double number = 0;
            told = call_value(value, &at, &number, error);
            bindings[scope.count] = (struct expr_binding){ names[scope.count], value_real(number) };
            text_add(&rest, names[scope.count++]);
        }
    }
    if (told == TOLD && !expr_eval_text(text_string(&rest), &scope, &result, error)) {
        plain_reason(error);
        told = TOLD_WRONG;
    }
    *out = told == TOLD ? value_as_real(result) : 0;
    text_free(&rest);
    return told;
}
