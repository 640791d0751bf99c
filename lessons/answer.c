// Answers to quizzes and predictions, without a page: what was typed, as the event that the workbook keeps, and whether
// it is right.
#include "lessons/answer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- choices --------------------------------------------------------------------------------------------------------

bool quiz_choice_right(const struct live *live, size_t choice)
{
    const char *right;
    for (size_t i = 0; (right = live_nth(live, "right", i)); i++)
        if (strtol(right, NULL, 10) == (long)choice + 1)
            return true;
    return false;
}

bool quiz_choice_typed(const struct live *live, const char *typed, size_t *choice)
{
    char *end;
    long number = strtol(typed, &end, 10);
    *choice = (size_t)number - 1;
    return !*end && number >= 1 && number <= (long)live_count(live, "choice");
}

bool quiz_choices_typed(const struct live *live, const char *typed, unsigned *bits)
{
    char *words = mem_copy(typed), *rest = NULL;
    bool fits = true;
    size_t choice;
    *bits = 0;
    for (char *word = strtok_r(words, " ,\t", &rest); word && fits; word = strtok_r(NULL, " ,\t", &rest)) {
        fits = quiz_choice_typed(live, word, &choice);
        if (fits)
            *bits |= 1u << choice;
    }
    free(words);
    return fits && *bits;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

bool answer_is_number(const struct live *live)
{
    const char *right = live_field(live, "right");
    char *end = NULL;
    if (live_count(live, "choice"))
        return false;
    if (live->kind == LIVE_PREDICT)
        return true;
    return live->kind == LIVE_QUIZ && right && isfinite(strtod(right, &end)) && end != right && !*end;
}

// Digits in groups of three with commas between go to `out` without these; false: the groups are others, as in "1,5".
static bool add_whole_part(const char **at, struct text *out)
{
    size_t length = strspn(*at, "0123456789,"), group = 0;
    bool grouped = false;
    for (size_t i = 0; i <= length; i++) {
        bool digit = i < length && (*at)[i] != ',';
        if (digit) {
            text_add_n(out, *at + i, 1);
            group++;
            continue;
        }
        bool last = i == length, sound = grouped ? group == 3 : last || (group >= 1 && group <= 3);
        if (!sound)
            return false;
        grouped |= !last;
        group = 0;
    }
    *at += length;
    return true;
}

// Whether `text` (may be NULL) has this word, be it one or several of the thing: "threads" stands in "which thread is".
static bool has_word(const char *text, const char *word, size_t length)
{
    if (length > 2 && tolower((unsigned char)word[length - 1]) == 's')
        length--;
    for (const char *at = text; at && *at; at++) {
        bool starts = at == text || !isalnum((unsigned char)at[-1]);
        if (!starts || strncasecmp(at, word, length) != 0)
            continue;
        const char *end = at + length;
        end += tolower((unsigned char)*end) == 's' && !isalnum((unsigned char)end[1]);
        if (!isalnum((unsigned char)*end))
            return true;
    }
    return false;
}

// A unit is made of words that the question uses: a number of anything else may be another number.
static bool is_unit(const struct live *live, const char *typed)
{
    while (*(typed += strspn(typed, " \t"))) {
        size_t length = strcspn(typed, " \t"), bare = length;
        while (bare && typed[bare - 1] == '.')
            bare--;
        bool word = bare && (isalpha((unsigned char)*typed) || *typed == '%' || (*typed & 0x80));
        if (!word || (!has_word(live_field(live, "unit"), typed, bare) &&
                      !has_word(live_field(live, "ask"), typed, bare)))
            return false;
        typed += length;
    }
    return true;
}

// "1,024 threads", "= 24".
static bool number_typed(const struct live *live, const char *typed, double *number)
{
    struct text plain = { 0 };
    typed += strspn(typed, " \t");
    typed += *typed == '=';
    typed += strspn(typed, " \t");
    if (*typed == '+' || *typed == '-')
        text_add_n(&plain, typed++, 1);
    bool sound = add_whole_part(&typed, &plain);
    text_add(&plain, typed);
    char *end = plain.data;
    *number = sound ? strtod(plain.data, &end) : NAN;
    sound = sound && end != plain.data && isfinite(*number) && is_unit(live, end);
    text_free(&plain);
    return sound;
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
        right &= is_chosen == quiz_choice_right(live, i);
        if (is_chosen)
            json_array_append_new(chosen, json_integer((json_int_t)i + 1));
    }
    return json_pack("{s:o, s:b}", "chosen", chosen, "right", right);
}

static bool words_same(const char *typed, const char *right)
{
    typed += strspn(typed, " ");
    size_t length = strlen(typed);
    while (length && typed[length - 1] == ' ')
        length--;
    return length == strlen(right) && strncasecmp(typed, right, length) == 0;
}

json_t *quiz_typed(const struct live *live, const char *typed)
{
    const char *right = live_field(live, "right");
    double number;
    if (!answer_is_number(live))
        return json_pack("{s:s, s:b}", "typed", typed, "right", words_same(typed, right));
    if (!number_typed(live, typed, &number))
        return NULL;
    return json_pack("{s:s, s:b}", "typed", typed, "right", number == strtod(right, NULL));
}

// ---- predictions ----------------------------------------------------------------------------------------------------

json_t *predict_typed(const struct live *live, const char *typed)
{
    size_t choice;
    double number;
    if (live_count(live, "choice"))
        return quiz_choice_typed(live, typed, &choice) ? json_pack("{s:i, s:s}", "chosen", (int)choice + 1,
                                                                   "text", live_nth(live, "choice", choice))
                                                       : NULL;
    return number_typed(live, typed, &number) ? json_pack("{s:f}", "number", number) : NULL;
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
