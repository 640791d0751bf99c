// What came of the runs that texts speak of: recorded on a GPU, or simulated once, however many texts ask.
#include "tui/command/check.h"

#include <stdlib.h>
#include <string.h>

void check_runs_free(struct checking *check)
{
    for (size_t i = 0; i < check->run_count; i++) {
        free(check->runs[i].key);
        json_decref(check->runs[i].record);
    }
    free(check->runs);
}

static char *key_of(const struct request *request)
{
    const struct lab *lab = lab_find(request->lab);
    const char *data = request->data ? request->data : lab ? lab->data[0] : NULL;
    struct text key = { 0 };
    text_addf(&key, "%s %s/%s %s %s", backend_name(request->on), request->lab, request->variant,
              request_preset(request), data ? data : "");
    for (size_t i = 0; i < request->params.count; i++)
        text_addf(&key, " %s=%.17g", request->params.bindings[i].name,
                  value_as_real(request->params.bindings[i].value));
    return text_take(&key);
}

static enum told run_it(struct checking *check, const struct lesson_run *trial, struct record *out,
                        struct error *error)
{
    if (trial->request.on == ON_GPU) {
        if (recorded_find(&trial->request, &trial->variant, out))
            return TOLD;
        error_set(error, EXIT_WRONG, "no result of a GPU was recorded for this step, size and data");
        return TOLD_WRONG;
    }
    if (check->fast || trial->request.on == ON_CPU ||
        waiting_stopped()) // what a CPU takes is every machine's own
        return TOLD_NOTHING;
    if (client_run(check->client, &trial->request, waiting_quietly, NULL, out, error))
        return TOLD;
    return waiting_stopped() ? TOLD_NOTHING : error->code == EXIT_MISSING ? TOLD_NOT_RUN : TOLD_WRONG;
}

// What came is kept, for another text may ask for the same.
static enum told keep(struct checking *check, char *key, struct record *record, const json_t **out,
                      struct error *error)
{
    bool ran = record->status != STATUS_FAILED && record->status != STATUS_SKIPPED;
    if (ran) {
        check->runs = array_room(check->runs, check->run_count, sizeof *check->runs);
        check->runs[check->run_count] = (struct check_run){ mem_copy(key), record_to_json(record) };
        *out = check->runs[check->run_count++].record;
    } else {
        error_set(error, EXIT_WRONG, "%s", record->message ? record->message : "it did not run");
    }
    record_free(record);
    return ran ? TOLD : TOLD_WRONG;
}

enum told check_run(struct checking *check, const struct lesson_run *trial, const json_t **out,
                    struct error *error)
{
    struct record record;
    char *key = key_of(&trial->request);
    enum told told = TOLD_NOTHING;
    *out = NULL;
    for (size_t i = 0; i < check->run_count && !*out; i++)
        if (strcmp(check->runs[i].key, key) == 0)
            *out = check->runs[i].record;
    if (*out)
        told = TOLD;
    else if ((told = run_it(check, trial, &record, error)) == TOLD)
        told = keep(check, key, &record, out, error);
    free(key);
    return told;
}
