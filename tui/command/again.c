// The answer to a question with numbers that were drawn: by an explorer, or by a run in the simulator.
#include "tui/command/again.h"
#include "tui/command/check.h"
#include "tui/explore/explore.h"

#include <string.h>

bool explore_value(const char *words, const char *value, double *out, struct error *error)
{
    struct settings settings;
    if (!check_explorer_settings(words, &settings, error))
        return false;
    json_t *json = settings.explorer->values ? settings.explorer->values(&settings) : json_object();
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

struct answering {
    struct client **client;
    client_progress progress;
};

// The value of a run in the simulator.
static bool run_value(const struct answering *by, const char *run, const char *value, double *out,
                      struct error *error)
{
    struct lesson_run trial;
    struct record record;
    struct text whole = { 0 };
    text_addf(&whole, "%s --on sim", run);
    bool read = lesson_run_read(&trial, whole.data, false, error);
    text_free(&whole);
    if (!read)
        return false;
    *by->client = *by->client ? *by->client : client_new();
    error->code = EXIT_MISSING;
    bool ran = client_run(*by->client, &trial.request, by->progress, NULL, &record, error);
    lesson_run_free(&trial);
    if (!ran)
        return false;
    json_t *json = record_to_json(&record);
    bool sound = record.status == STATUS_RIGHT || record.status == STATUS_UNCHECKED;
    bool known =
        sound ? live_value(value, json, out) || error_set(error, EXIT_WRONG, "the run does not say %s", value)
              : error_set(error, EXIT_WRONG, "%s", record.message ? record.message : "it did not run");
    json_decref(json);
    record_free(&record);
    return known;
}

static bool call(void *context, const char *name, const char *subject, const char *value, double *out,
                 struct error *error)
{
    return strcmp(name, "explore") == 0 ? explore_value(subject, value, out, error)
                                        : run_value(context, subject, value, out, error);
}

bool again_answer(const struct live *live, struct drawn *drawn, struct client **client,
                  client_progress progress, struct error *error)
{
    struct answering by = { client, progress };
    return drawn_answer(live, drawn, call, &by, error);
}
