// A question that is asked again with other numbers. `again` is its text, in which {NAME} or {EXPRESSION} stands for a
// number; `draw` names each number, the one that it has in the lesson, and others; `answer` computes what is right.
//
//   again: How many sectors does a load touch with stride {stride}?
//   draw: stride = 2 of 1..40
//   answer: explore(coalescing stride={stride}: sectors)
//
// Nothing here is checked when a lesson is read: `warpbook check` computes the answer to every draw. A question whose draws
// cannot be read is asked as it stands in the lesson.
#include "lessons/answer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers that are computed ----------------------------------------------------------------------------

// What is between parentheses at `at`: "RUN: VALUE"; quotes may hold anything. NULL: it has no end.
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

// The one of `calls` that is called at `at`; NULL: none is.
static const char *call_at(const char *at, const char *const *calls)
{
    for (; *calls; calls++) {
        size_t length = strlen(*calls);
        if (string_starts(at, *calls) && at[length] == '(')
            return *calls;
    }
    return NULL;
}

// Moves *at past the call.
static bool call_value(const struct computing *by, const char *name, const char **at, double *out,
                       struct error *error)
{
    char *subject, *what;
    const char *end = call_split(*at + strlen(name), &subject, &what);
    if (!end)
        return error_set(error, EXIT_WRONG, "'%s' takes what is looked at, a ':' and a value: %s", name,
                         *name == 'e' ? "explore(banks stride=2: wavefronts)"
                                      : "sim(banks/2: counters.sld_wave)");
    bool came = by->call(by->context, name, subject, what, out, error);
    free(subject);
    free(what);
    *at = end;
    return came;
}

// Strips the place from the message, since it is one in the text with names in place of calls.
static bool plain_reason(struct error *error)
{
    const char *found = strstr(error->text, "error: "),
               *from = found ? found + strlen("error: ") : error->text;
    char *reason = mem_copy_n(from, strcspn(from, "\n"));
    error_set(error, EXIT_WRONG, "%s", reason);
    free(reason);
    return false;
}

// Each call becomes a name, v0 to v15, whose value is bound; the rest is arithmetic.
bool computed(const char *expression, const struct computing *by, struct expr_value *out, struct error *error)
{
    enum { CALLS = 16 };
    static const char *const names[CALLS] = { "v0", "v1", "v2",  "v3",  "v4",  "v5",  "v6",  "v7",
                                              "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15" };
    struct expr_binding bindings[CALLS];
    struct expr_scope scope = { bindings, 0 };
    struct text rest = { 0 };
    bool came = true, in_word = false;
    for (const char *at = expression; *at && came;) {
        const char *name = in_word ? NULL : call_at(at, by->calls);
        double number = 0;
        if (!name) {
            in_word = byte_in_word(*at);
            text_add_n(&rest, at++, 1);
        } else if (scope.count == CALLS) {
            came = error_set(error, EXIT_WRONG, "this takes more than %d values", CALLS);
        } else if ((came = call_value(by, name, &at, &number, error))) {
            bool whole = number == floor(number) && fabs(number) < 1e15;
            bindings[scope.count] =
                (struct expr_binding){ names[scope.count],
                                       whole && by->whole ? value_int((int64_t)number) : value_real(number) };
            text_add(&rest, names[scope.count++]);
        }
    }
    if (came && !expr_eval_text(text_string(&rest), &scope, out, error))
        came = plain_reason(error);
    text_free(&rest);
    return came;
}

// ---- draws ------------------------------------------------------------------------------------------------

enum { DRAW_MOST = 1 << 16 }; // other numbers of all draws together

struct draw { // "stride = 2 of 1..40", "block = 256 of 64..512 step 64", "bytes = 4 of 1 2 8 16"
    char name[DRAWN_NAME];
    int64_t own;
    int64_t list[64]; // where it is a list; or else least, least + step ...
    int64_t least, step;
    size_t count; // of numbers; the own one may be among them
    bool ranges;
};

static bool whole_at(const char **at, int64_t *out)
{
    char *end;
    long long number = strtoll(*at, &end, 10);
    bool sound = end != *at && number > -(1LL << 40) && number < 1LL << 40;
    *at = end;
    *out = number;
    return sound;
}

static bool word_at(const char **at, const char *word)
{
    const char *from = *at + strspn(*at, " ");
    if (!string_starts(from, word))
        return false;
    *at = from + strlen(word);
    return true;
}

static bool range_at(const char **at, struct draw *out)
{
    int64_t most;
    out->step = 1;
    if (!whole_at(at, &most) || (word_at(at, "step ") && !whole_at(at, &out->step)) || out->step < 1 ||
        most < out->least)
        return false;
    out->count = (size_t)((most - out->least) / out->step) + 1;
    out->ranges = true;
    return !(*at)[strspn(*at, " ")];
}

static bool list_at(const char **at, struct draw *out)
{
    enum { ROOM = sizeof out->list / sizeof *out->list };
    out->list[out->count++] = out->least;
    while ((*at)[strspn(*at, " ")])
        if (out->count == ROOM || !whole_at(at, &out->list[out->count++]))
            return false;
    return true;
}

static bool draw_read(const char *value, struct draw *out)
{
    size_t length = 0;
    *out = (struct draw){ 0 };
    while (byte_in_word(value[length]))
        length++;
    if (!length || length >= sizeof out->name || isdigit((unsigned char)*value))
        return false;
    format_into(out->name, sizeof out->name, "%.*s", (int)length, value);
    const char *at = value + length;
    return word_at(&at, "=") && whole_at(&at, &out->own) && word_at(&at, "of ") &&
           whole_at(&at, &out->least) && (word_at(&at, "..") ? range_at(&at, out) : list_at(&at, out));
}

static int64_t nth_number(const struct draw *draw, size_t nth)
{
    return draw->ranges ? draw->least + (int64_t)nth * draw->step : draw->list[nth];
}

bool drawn_read(const struct live *live, size_t which, struct drawn *out, struct error *error)
{
    size_t all = 1, draws = live_count(live, "draw");
    *out = (struct drawn){ .count = draws, .others = 0 };
    if (!draws || draws > DRAWS)
        return error_set(error, EXIT_WRONG, "a question that is asked again draws 1 to %d numbers", DRAWS);
    for (size_t i = 0; i < draws; i++) {
        struct draw draw;
        if (!draw_read(live_nth(live, "draw", i), &draw))
            return error_set(error, EXIT_WRONG,
                             "'%.60s' is not NAME = NUMBER of NUMBERS, as in 'stride = 2 of 1..40', "
                             "'n = 4 of 8..64 step 8' or 'bytes = 4 of 1 2 8 16'",
                             live_nth(live, "draw", i));
        if (draw.count > DRAW_MOST / all)
            return error_set(error, EXIT_WRONG, "these are more than %d draws", DRAW_MOST);
        for (size_t j = 0; j < i; j++)
            if (strcmp(out->names[j], draw.name) == 0)
                return error_set(error, EXIT_WRONG, "'%s' is drawn twice", draw.name);
        format_into(out->names[i], sizeof out->names[i], "%s", draw.name);
        out->numbers[i] = which ? nth_number(&draw, (which - 1) / all % draw.count) : draw.own;
        all *= draw.count;
    }
    out->others = all;
    return true;
}

// ---- placeholders -----------------------------------------------------------------------------------------

static void add_number(struct expr_value value, struct text *out)
{
    if (value.real)
        text_addf(out, "%.6g", value.r);
    else
        text_addf(out, "%lld", (long long)value.i);
}

bool drawn_text(const struct drawn *drawn, const char *text, struct text *out, struct error *error)
{
    struct expr_binding bindings[DRAWS + 1];
    struct expr_scope scope = { bindings, 0 };
    for (; scope.count < drawn->count; scope.count++)
        bindings[scope.count] =
            (struct expr_binding){ drawn->names[scope.count], value_int(drawn->numbers[scope.count]) };
    if (drawn->answered)
        bindings[scope.count++] = (struct expr_binding){ "answer", drawn->answer };
    text_add(out, "");
    for (const char *end; *text; text = end) {
        size_t plain = strcspn(text, "{");
        text_add_n(out, text, plain);
        end = text + plain;
        if (!*end)
            break;
        const char *close = strchr(end, '}');
        struct expr_value value;
        if (!close)
            return error_set(error, EXIT_WRONG, "'{' has no '}'");
        char *inner = mem_copy_n(end + 1, (size_t)(close - end) - 1);
        bool came = expr_eval_text(inner, &scope, &value, error) || plain_reason(error);
        free(inner);
        if (!came)
            return false;
        add_number(value, out);
        end = close + 1;
    }
    return true;
}

// ---- the answer -------------------------------------------------------------------------------------------

bool drawn_answer(const struct live *live, struct drawn *drawn, computed_call call, void *context,
                  struct error *error)
{
    static const char *const calls[] = { "explore", "sim", NULL };
    const struct computing by = { calls, call, context, true };
    struct text expression = { 0 };
    const char *answer = live_field(live, "answer");
    bool came = answer
                    ? drawn_text(drawn, answer, &expression, error) &&
                          computed(text_string(&expression), &by, &drawn->answer, error)
                    : error_set(error, EXIT_WRONG, "'again' needs an 'answer', which computes what is right");
    text_free(&expression);
    drawn->answered = came && isfinite(value_as_real(drawn->answer));
    return drawn->answered || (came && error_set(error, EXIT_WRONG, "the answer is not a number"));
}
