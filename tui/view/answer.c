// Answers to quizzes and predictions, without a page: what was typed, as the event that the workbook keeps, and whether
// it is right.
#include "tui/view/live_outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- choices --------------------------------------------------------------------------------------------------------

bool choice_right(const struct live *live, size_t choice)
{
    const char *right;
    for (size_t i = 0; (right = live_nth(live, "right", i)); i++)
        if (strtol(right, NULL, 10) == (long)choice + 1)
            return true;
    return false;
}

bool choice_typed(const struct live *live, const char *typed, size_t *choice)
{
    char *end;
    long number = strtol(typed, &end, 10);
    *choice = (size_t)number - 1;
    return !*end && number >= 1 && number <= (long)live_count(live, "choice");
}

bool choices_typed(const struct live *live, const char *typed, unsigned *bits)
{
    char *words = mem_copy(typed), *rest = NULL;
    bool fits = true;
    size_t choice;
    *bits = 0;
    for (char *word = strtok_r(words, " ,\t", &rest); word && fits; word = strtok_r(NULL, " ,\t", &rest)) {
        fits = choice_typed(live, word, &choice);
        if (fits)
            *bits |= 1u << choice;
    }
    free(words);
    return fits && *bits;
}

// ---- quizzes --------------------------------------------------------------------------------------------------------

bool quiz_several(const struct live *live)
{
    return live_count(live, "right") > 1;
}

json_t *quiz_chosen(const struct live *live, unsigned bits)
{
    bool right = true;
    json_t *chosen = json_array();
    for (size_t i = 0; i < live_count(live, "choice"); i++) {
        bool is_chosen = bits >> i & 1;
        right &= is_chosen == choice_right(live, i);
        if (is_chosen)
            json_array_append_new(chosen, json_integer((json_int_t)i + 1));
    }
    return json_pack("{s:o, s:b}", "chosen", chosen, "right", right);
}

bool answer_same(const char *typed, const char *right)
{
    char *end_typed, *end_right;
    double one = strtod(typed, &end_typed), other = strtod(right, &end_right);
    bool numbers = end_typed != typed && end_right != right && !end_typed[strspn(end_typed, " ")] &&
                   !end_right[strspn(end_right, " ")];
    if (numbers)
        return one == other;
    typed += strspn(typed, " ");
    size_t length = strlen(typed);
    while (length && typed[length - 1] == ' ')
        length--;
    return length == strlen(right) && strncasecmp(typed, right, length) == 0;
}

json_t *quiz_typed(const struct live *live, const char *typed)
{
    return json_pack("{s:s, s:b}", "typed", typed, "right", answer_same(typed, live_field(live, "right")));
}

// ---- predictions ----------------------------------------------------------------------------------------------------

json_t *predict_typed(const struct live *live, const char *typed)
{
    size_t choice;
    char *end;
    double number = strtod(typed, &end);
    if (live_count(live, "choice"))
        return choice_typed(live, typed, &choice) ? json_pack("{s:i, s:s}", "chosen", (int)choice + 1, "text",
                                                              live_nth(live, "choice", choice))
                                                  : NULL;
    bool is_number = end != typed && !end[strspn(end, " ")] && isfinite(number);
    return is_number ? json_pack("{s:f}", "number", number) : NULL;
}

int predict_chosen(const json_t *predicted)
{
    return (int)json_integer_value(json_object_get(predicted, "chosen"));
}

double predict_number(const struct live *live, const json_t *predicted)
{
    int chosen = predict_chosen(predicted);
    const char *choice = chosen > 0 ? live_nth(live, "choice", (size_t)chosen - 1) : NULL;
    if (chosen)
        return choice ? strtod(choice, NULL) : NAN; // the lesson had it once
    return json_number_value(json_object_get(predicted, "number"));
}

bool predict_right(const struct live *live, const json_t *predicted, const struct outcome *outcome)
{
    if (live_count(live, "choice"))
        return predict_chosen(predicted) == outcome->right;
    return outcome_ratio(predict_number(live, predicted), outcome->values[0]) < OUTCOME_RIGHT;
}
