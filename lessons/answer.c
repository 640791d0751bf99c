// Answers without a page: what was typed, as the event that the workbook keeps, and whether it is right; lines that are put
// in order; the runs that a lesson names, written as `warpbook run` takes them; and what came out of the runs of a
// prediction, as the lesson or the workbook says it.
#include "lessons/answer.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Quizzes and predictions ------------------------------------------------------------------------------

// ---- choices ----------------------------------------------------------------------------------------------

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

// ---- numbers ----------------------------------------------------------------------------------------------

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

// Whether `text` (may be NULL) has this word, be it one or several of the thing: "threads" is in "which thread is".
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
                      !has_word(live_field(live, "ask"), typed, bare) &&
                      !has_word(live_field(live, "again"), typed, bare)))
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

// ---- quizzes ----------------------------------------------------------------------------------------------

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

// What is whole must be typed as it is.
static bool drawn_right(const struct drawn *drawn, double number)
{
    double answer = value_as_real(drawn->answer);
    return answer == floor(answer) ? number == answer : outcome_ratio(number, answer) < OUTCOME_RIGHT;
}

json_t *drawn_typed(const struct live *live, const struct drawn *drawn, const char *typed)
{
    double number;
    if (!number_typed(live, typed, &number))
        return NULL;
    json_t *numbers = json_object();
    for (size_t i = 0; i < drawn->count; i++)
        json_object_set_new(numbers, drawn->names[i], json_integer(drawn->numbers[i]));
    return json_pack("{s:s, s:b, s:o}", "typed", typed, "right", drawn_right(drawn, number), "drawn",
                     numbers);
}

// ---- equal answers, and why one is wrong ------------------------------------------------------------------

// Whether both mean the same: "1,024 threads" is 1024.
static bool answers_same(const struct live *live, const char *one, const char *other)
{
    double number, other_number;
    if (!answer_is_number(live))
        return words_same(one, other);
    return number_typed(live, one, &number) && number_typed(live, other, &other_number) &&
           number == other_number;
}

// Whether the `not` "32: Half of them." is about what was typed, and the sentence of it.
static bool is_about(const struct live *live, const char *value, const char *typed, const char **why)
{
    size_t length = strcspn(value, ":");
    *why = value[length] ? value + length + 1 + strspn(value + length + 1, " \n") : "";
    char *wrong = mem_copy_n(value, length);
    bool is = length && **why && answers_same(live, wrong, typed);
    free(wrong);
    return is;
}

// Where line `number` stands, of those that are numbered as the lesson has them; -1: it is left out.
static int place_in(const json_t *order, long number)
{
    for (size_t i = 0; i < json_array_size(order); i++)
        if (json_integer_value(json_array_get(order, i)) == number)
            return (int)i;
    return -1;
}

// Whether the `not` "2 1: …" is about an order in which line 2 comes before line 1, or "6: …" about one that has line 6 though
// it is an extra one, or lacks it though it is not.
static bool is_about_order(const struct live *live, const char *value, const json_t *order, const char **why)
{
    char *end;
    long one = strtol(value, &end, 10), other = *end == ' ' ? strtol(end, &end, 10) : 0;
    int place = place_in(order, one), after = other ? place_in(order, other) : -1;
    *why = *end == ':' ? end + 1 + strspn(end + 1, " \n") : "";
    bool extra = one > (long)live_count(live, "line");
    return **why && (other ? place >= 0 && after > place : (place >= 0) == extra);
}

static const char *order_why_not(const struct live *live, const json_t *order)
{
    const char *why, *value;
    for (size_t i = 0; (value = live_nth(live, "not", i)); i++)
        if (is_about_order(live, value, order, &why))
            return why;
    return NULL;
}

const char *answer_why_not(const struct live *live, const json_t *answer)
{
    if (live->kind == LIVE_ORDER && answer)
        return order_why_not(live, json_object_get(answer, "order"));
    const json_t *predicted = json_object_get(answer, "number");
    const char *typed = json_string_value(json_object_get(answer, "typed")), *why = NULL, *value;
    char number[40];
    if (live_count(live, "choice") || (!typed && !predicted))
        return NULL;
    format_into(number, sizeof number, "%.17g", json_number_value(predicted));
    for (size_t i = 0; (value = live_nth(live, "not", i)); i++)
        if (is_about(live, value, typed ? typed : number, &why))
            return why;
    return NULL;
}

bool answers_equal(const struct live *live, const json_t *one, const json_t *other)
{
    static const char *const keys[] = { "chosen", "order" };
    const char *typed = json_string_value(json_object_get(one, "typed")),
               *before = json_string_value(json_object_get(other, "typed"));
    if (!json_equal(json_object_get(one, "right"), json_object_get(other, "right")))
        return false; // the lesson has changed
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_equal(json_object_get(one, keys[i]), json_object_get(other, keys[i])))
            return true;
    return typed && before && answers_same(live, typed, before);
}

// ---- predictions ------------------------------------------------------------------------------------------

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

// ---- Lines that are put in order --------------------------------------------------------------------------

const char *order_line(const struct live *live, int index)
{
    size_t lines = live_count(live, "line");
    return (size_t)index < lines ? live_nth(live, "line", (size_t)index)
                                 : live_nth(live, "extra", (size_t)index - lines);
}

static bool same_lines(const struct live *live, int one, int other)
{
    return strcmp(order_line(live, one), order_line(live, other)) == 0;
}

// The order of the lines themselves, or one of the others that are right; false: there are no more.
static bool right_order(const struct live *live, size_t which, int *out)
{
    int count = (int)live_count(live, "line");
    const char *also = which ? live_nth(live, "also", which - 1) : NULL;
    if (which && !also)
        return false;
    for (int i = 0; i < count; i++)
        out[i] = also ? (int)strtol(also, (char **)&also, 10) - 1 : i;
    return true;
}

int order_fits(const struct live *live, const int *order, int count, bool *whole)
{
    int lines = (int)live_count(live, "line"), best = 0, right[ORDER_MOST] = { 0 };
    *whole = false;
    for (size_t which = 0; right_order(live, which, right); which++) {
        int fits = 0;
        while (fits < count && fits < lines && same_lines(live, order[fits], right[fits]))
            fits++;
        best = fits > best ? fits : best;
        *whole |= fits == lines && count == lines;
    }
    return best;
}

static void swap(int *one, int *other)
{
    int kept = *one;
    *one = *other;
    *other = kept;
}

// What an order gives away of a right one: how many lines are at their place, or right after the one that they follow.
static int told_of(const struct live *live, const int *right, const int *order, int count)
{
    int lines = (int)live_count(live, "line"), placed = 0, followed = 0;
    for (int i = 0; i < count && i < lines; i++)
        placed += same_lines(live, order[i], right[i]);
    for (int i = 1; i < count; i++) {
        bool follows = false;
        for (int j = 1; j < lines; j++)
            follows |= same_lines(live, order[i - 1], right[j - 1]) && same_lines(live, order[i], right[j]);
        followed += follows;
    }
    return placed > followed ? placed : followed;
}

static int order_tells(const struct live *live, const int *order, int count)
{
    int most = 0, right[ORDER_MOST] = { 0 };
    for (size_t which = 0; right_order(live, which, right); which++) {
        int told = told_of(live, right, order, count);
        most = told > most ? told : most;
    }
    return most;
}

int order_start(const struct live *live, int *order)
{
    enum { SHUFFLES = 64 };
    int count = (int)(live_count(live, "line") + live_count(live, "extra")), least = INT_MAX;
    int shuffled[ORDER_MOST] = { 0 };
    for (int i = 0; i < count; i++)
        shuffled[i] = i;
    uint64_t chance = hash_bytes(live->id, strlen(live->id));
    for (int tries = 0; tries < SHUFFLES && least > 1; tries++) {
        for (int i = count - 1; i > 0; i--) {
            chance = hash_more(chance, &i, sizeof i);
            swap(&shuffled[i], &shuffled[chance % (uint64_t)(i + 1)]);
        }
        int told = order_tells(live, shuffled, count);
        if (told < least)
            memcpy(order, shuffled, (size_t)count * sizeof *order);
        least = told < least ? told : least;
    }
    return count;
}

json_t *order_typed(const struct live *live, const char *typed)
{
    int start[ORDER_MOST] = { 0 }, order[ORDER_MOST] = { 0 }, count = order_start(live, start), used = 0;
    bool taken[ORDER_MOST] = { false }, whole;
    const char *at = typed + strspn(typed, " ,\t");
    json_t *lines = json_array();
    while (*at) {
        char *end;
        long place = strtol(at, &end, 10);
        if (end == at || !strchr(" ,\t", *end) || place < 1 || place > count || taken[place - 1])
            break;
        taken[place - 1] = true;
        order[used++] = start[place - 1];
        json_array_append_new(lines, json_integer(start[place - 1] + 1));
        at = end + strspn(end, " ,\t");
    }
    order_fits(live, order, used, &whole);
    if (!*at && used)
        return json_pack("{s:o, s:b}", "order", lines, "right", whole);
    json_decref(lines);
    return NULL;
}

// ---- Runs that a live block names -------------------------------------------------------------------------

// The flags that may follow the step's name.
static const struct command flags_of_run = { .name = "run",
                                             .most = 1,
                                             .least = 1,
                                             .flags = { { "--on", "gpu|cpu|sim", NULL },
                                                        { "--size", "NAME", NULL },
                                                        { "--set", "NAME=VALUE", NULL },
                                                        { "--data", "NAME", NULL },
                                                        { "--reps", "N", NULL },
                                                        { "--limit", "SECONDS", NULL } } };

static bool find_variant(struct lesson_run *run, const struct lab *lab, const char *name, bool own,
                         struct error *error)
{
    struct ladder ladder;
    for (size_t i = 0; i < lab->cpu_count; i++)
        if (strcmp(lab->cpu[i].name, name) == 0)
            run->cpu = &lab->cpu[i];
    if (run->cpu)
        return true;
    if (!(own ? ladder_read : ladder_read_shipped)(lab->name, &ladder, error))
        return false;
    const struct variant *found = ladder_find(&ladder, name);
    bool read = found ? variant_read_lab(&run->variant, lab->name, found->path, error)
                      : error_set(error, EXIT_USAGE, "The lab %s has no step '%s'.", lab->name, name);
    ladder_free(&ladder);
    return read;
}

static enum backend backend_of(const struct lesson_run *run, const struct arguments *arguments)
{
    const char *on = arguments_value(arguments, "--on");
    if (run->cpu)
        return ON_CPU;
    return on && strcmp(on, "sim") == 0 ? ON_SIM : ON_GPU;
}

static bool take(struct lesson_run *out, const struct arguments *arguments, bool own, struct error *error)
{
    const char *place = arguments->operands[0], *slash = strchr(place, '/');
    struct target target = { 0 };
    struct request asked = { 0 };
    char name[64];
    format_into(name, sizeof name, "%.*s", (int)strcspn(place, "/"), place);
    bool sound = target_lab(name, &target.lab, error) &&
                 (slash || error_set(error, EXIT_USAGE, "'%s' names no step.", place)) &&
                 find_variant(out, target.lab, slash ? slash + 1 : "", own, error) &&
                 target_request(&target, arguments, 0, &asked, error);
    if (sound) {
        out->place = mem_copy(place);
        out->request = request_new(backend_of(out, arguments), name, out->cpu ? NULL : &out->variant,
                                   out->cpu, asked.preset, asked.data);
        out->request.reps = asked.reps;
        if (asked.limit_ms)
            out->request.limit_ms = asked.limit_ms;
        expr_params_copy(&out->request.params, &asked.params);
    }
    request_free(&asked);
    return sound;
}

bool lesson_run_read(struct lesson_run *out, const char *line, bool own, struct error *error)
{
    struct words words;
    struct arguments arguments;
    *out = (struct lesson_run){ 0 };
    if (!words_split(line, &words, error))
        return false;
    bool sound = arguments_read(&flags_of_run, (int)words.count, words.word, &arguments, error) &&
                 take(out, &arguments, own, error);
    words_free(&words);
    if (!sound)
        lesson_run_free(out);
    return sound;
}

void lesson_run_free(struct lesson_run *run)
{
    free(run->place);
    request_free(&run->request);
    variant_free(&run->variant);
    *run = (struct lesson_run){ 0 };
}

void run_origin(const struct record *record, bool recorded, char out[ORIGIN_MOST])
{
    const char *device = record->device ? record->device : "";
    if (recorded)
        format_into(out, ORIGIN_MOST, "recorded on %s, %.10s", device, record->date ? record->date : "");
    else if (record->backend == ON_SIM)
        format_into(out, ORIGIN_MOST, "simulated");
    else
        format_into(out, ORIGIN_MOST, "measured here, on %s%s", record->backend == ON_CPU ? "the CPU " : "",
                    device);
}

// ---- What came out of the runs of a prediction ------------------------------------------------------------

// ---- from the workbook ------------------------------------------------------------------------------------

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
        format_into(out->how[out->count], ORIGIN_MOST, "%s", own ? own : how);
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

// ---- what is right ----------------------------------------------------------------------------------------

double outcome_ratio(double predicted, double came)
{
    if (predicted == came)
        return 1;
    if (predicted <= 0 || came <= 0)
        return INFINITY;
    return predicted > came ? predicted / came : came / predicted;
}

double outcome_spread(const struct outcome *outcome)
{
    double spread = 1;
    for (size_t i = 1; i < outcome->count; i++)
        for (size_t j = 0; j < i; j++)
            spread = fmax(spread, outcome_ratio(outcome->values[i], outcome->values[j]));
    return spread;
}

int outcome_right_choice(const struct live *live, const struct outcome *outcome)
{
    size_t choices = live_count(live, "choice");
    const char *best = live_field(live, "best");
    bool most = best && strcmp(best, "most") == 0;
    int right = 0;
    if (outcome->count > 1 && choices > outcome->count && outcome_spread(outcome) < OUTCOME_SAME)
        return (int)choices;
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
