// What came out of the runs of a prediction, as the lesson or the workbook says it, and which prediction is right.
#include "lessons/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- from the workbook ----------------------------------------------------------------------------------------------

// `by_value` says it of each; older workbooks have one `how` for all.
static void from_workbook(const struct live *live, const json_t *answered, struct outcome *out)
{
    const json_t *values = json_object_get(answered, "came"), *hows = json_object_get(answered, "by_value");
    const char *how = json_string_value(json_object_get(answered, "how"));
    size_t count = json_array_size(values), wanted = live_count(live, "run");
    bool each = json_array_size(hows) == count;
    if (!how || count != wanted || count > OUTCOME_MOST)
        return;
    *out = (struct outcome){ .state = OUTCOME_CAME };
    for (; out->count < count; out->count++) {
        const char *own = each ? json_string_value(json_array_get(hows, out->count)) : NULL;
        out->values[out->count] = json_number_value(json_array_get(values, out->count));
        format_into(out->how[out->count], HOW_MOST, "%s", own ? own : how);
    }
}

json_t *outcome_event(const struct outcome *outcome, bool right)
{
    bool same = outcome_has_one_source(outcome);
    json_t *came = json_array(), *hows = json_array();
    struct text how = { 0 };
    text_add(&how, "");
    for (size_t i = 0; i < outcome->count; i++) {
        json_array_append_new(came, json_real(outcome->values[i]));
        json_array_append_new(hows, json_string(outcome->how[i]));
        if (!i || !same)
            text_addf(&how, "%s%s", i ? "; " : "", outcome->how[i]);
    }
    json_t *event = json_pack("{s:b, s:o, s:s}", "right", right, "came", came, "how", how.data);
    if (event && !same)
        json_object_set(event, "by_value", hows);
    json_decref(hows);
    text_free(&how);
    return event;
}

bool outcome_has_one_source(const struct outcome *outcome)
{
    for (size_t i = 1; i < outcome->count; i++)
        if (strcmp(outcome->how[i], outcome->how[0]) != 0)
            return false;
    return true;
}

// ---- what is right --------------------------------------------------------------------------------------------------

double outcome_ratio(double predicted, double came)
{
    if (predicted == came)
        return 1;
    if (predicted <= 0 || came <= 0)
        return INFINITY;
    return predicted > came ? predicted / came : came / predicted;
}

int outcome_right_choice(const struct live *live, const struct outcome *outcome)
{
    size_t choices = live_count(live, "choice");
    const char *best = live_field(live, "best");
    bool most = best && strcmp(best, "most") == 0;
    int right = 0;
    for (size_t i = 0; i < choices; i++) {
        bool first = right == 0, better;
        if (outcome->count > 1) {
            better = i < outcome->count && !first &&
                     (most ? outcome->values[i] > outcome->values[right - 1]
                           : outcome->values[i] < outcome->values[right - 1]);
        } else {
            double number = strtod(live_nth(live, "choice", i), NULL);
            better = !first && outcome_ratio(number, outcome->values[0]) <
                                   outcome_ratio(strtod(live_nth(live, "choice", (size_t)right - 1), NULL),
                                                 outcome->values[0]);
        }
        if (first || better)
            right = (int)i + 1;
    }
    return right;
}

static void from_lesson(const struct live *live, struct outcome *out)
{
    const char *right = live_field(live, "right");
    out->state = OUTCOME_CAME;
    out->values[0] = strtod(right, NULL);
    out->count = 1;
    out->right = live_count(live, "choice") ? (int)out->values[0] : 0;
}

bool outcome_known(const struct live *live, const json_t *answered, struct outcome *out)
{
    *out = (struct outcome){ 0 };
    if (live_field(live, "right"))
        from_lesson(live, out);
    else
        from_workbook(live, answered, out);
    if (out->state == OUTCOME_CAME && !live_field(live, "right"))
        out->right = outcome_right_choice(live, out);
    return out->state == OUTCOME_CAME;
}

bool predict_right(const struct live *live, const json_t *predicted, const struct outcome *outcome)
{
    if (live_count(live, "choice"))
        return predict_chosen(predicted) == outcome->right;
    return outcome_ratio(predict_number(live, predicted), outcome->values[0]) < OUTCOME_RIGHT;
}
