// Live blocks: the line that opens one, its fields, which fields it may have, and the numbers of runs that they name.
// FORMAT.md says to authors what is checked here. Whether what a value names exists is not looked at: that takes labs
// and runs.
#include "lessons/answer.h"
#include "lessons/markdown.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers of a run ------------------------------------------------------------------------------

enum { NAME_MOST = 64 };

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

// One name after the other, with dots between; `json` may be NULL, and then only the text is looked at.
static const char *path_read(const char *at, const json_t *json, double *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (;;) {
        char name[NAME_MOST];
        size_t length = strspn(at, letters);
        if (!length || length >= sizeof name)
            return NULL;
        memcpy(name, at, length);
        name[length] = 0;
        json = json_object_get(json, name);
        at += length;
        if (*at != '.')
            break;
        at++;
    }
    *out = json_is_number(json) ? json_number_value(json) : NAN;
    return skip_blanks(at);
}

// PATH or PATH / PATH; returns what follows, NULL for anything else.
static const char *value_read(const char *text, const json_t *record, double *out)
{
    const char *at = path_read(skip_blanks(text), record, out);
    if (!at || *at != '/')
        return at;
    double divisor = NAN;
    at = path_read(skip_blanks(at + 1), record, &divisor);
    *out = divisor == 0 ? NAN : *out / divisor;
    return at;
}

static bool value_fits(const char *value)
{
    double none;
    const char *end = value_read(value, NULL, &none);
    return end && !*end;
}

bool live_value(const char *value, const json_t *record, double *out)
{
    *out = NAN;
    const char *end = value_read(value, record, out);
    return end && !*end && isfinite(*out);
}

static bool budget_fits(const char *budget)
{
    double value;
    char *after;
    const char *end = value_read(budget, NULL, &value);
    if (!end || (!string_starts(end, "<=") && !string_starts(end, ">=")))
        return false;
    const char *bound = skip_blanks(end + 2);
    return isfinite(strtod(bound, &after)) && after != bound && !*skip_blanks(after);
}

// ---- which keys, and what their values look like ---------------------------------------------------

enum {
    LAB = 1 << LIVE_LAB,
    WIDGET = 1 << LIVE_WIDGET,
    PREDICT = 1 << LIVE_PREDICT,
    QUIZ = 1 << LIVE_QUIZ,
    ORDER = 1 << LIVE_ORDER,
    EXERCISE = 1 << LIVE_EXERCISE,
    BUGHUNT = 1 << LIVE_BUGHUNT,
    CHALLENGE = 1 << LIVE_CHALLENGE,
    CODE = EXERCISE | BUGHUNT | CHALLENGE,
    ASKS = PREDICT | QUIZ | ORDER | CODE,
    MOST = 9,
    LINES_MOST = 26,
    DRAWS_MOST = 4,
};

// ---- what values look like --------------------------------------------------------------------------

static bool is_word(const char *value)
{
    size_t length = 0;
    while (byte_in_word(value[length]) || value[length] == '-')
        length++;
    return length && length < 64 && !value[length] && *value != '-';
}

// LAB or LAB/STEP.
static bool is_place(const char *value)
{
    const char *slash = strchr(value, '/');
    char *lab = mem_copy_n(value, slash ? (size_t)(slash - value) : strlen(value));
    bool fits = is_word(lab) && (!slash || is_word(slash + 1));
    free(lab);
    return fits;
}

// A kernel file in the lesson's own folder: the name leads nowhere else.
static bool is_file(const char *value)
{
    size_t length = strlen(value);
    if (length < 4 || !string_ends(value, ".cu"))
        return false;
    char *name = mem_copy_n(value, length - 3);
    bool fits = is_word(name);
    free(name);
    return fits;
}

// FILE.cu and the reason for which it is rejected.
static bool is_wrong(const char *value)
{
    static const char *const reasons[] = { "changed", "result", "finding", "budget" };
    size_t length = strcspn(value, " ");
    char *file = mem_copy_n(value, length);
    bool fits = is_file(file);
    free(file);
    const char *reason = value + length + strspn(value + length, " ");
    for (size_t i = 0; fits && i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reason, reasons[i]) == 0)
            return true;
    return false;
}

// Text that is shown has no HTML.
static bool is_text(const char *value)
{
    const struct source source = { "value", value };
    struct blocks blocks = { 0 };
    struct error why;
    bool fits = markdown_parse(&source, value, NULL, NULL, &blocks, &why);
    blocks_free(blocks.list, blocks.count);
    return fits;
}

// A kind of line, or one of its kind.
static bool is_may(const char *value)
{
    static const char *const kinds[] = { "launch", "param", "buffer", "scratch", "symbol", "value" };
    size_t length = strcspn(value, " ");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i]) == length && memcmp(kinds[i], value, length) == 0)
            return !value[length] || is_word(value + length + 1);
    return false;
}

static bool is_run(const char *value)
{
    char *place = mem_copy_n(value, strcspn(value, " "));
    const char *flags = value + strlen(place) + strspn(value + strlen(place), " ");
    bool fits = is_place(place) && strchr(place, '/') && (!*flags || string_starts(flags, "--"));
    free(place);
    return fits;
}

// LAB/STEP, and what it is called there.
static bool is_beside(const char *value)
{
    size_t length = strcspn(value, " \n");
    char *place = mem_copy_n(value, length);
    bool fits = is_place(place) && strchr(place, '/') && !string_starts(skip_blanks(value + length), "--");
    free(place);
    return fits;
}

static bool is_flags(const char *value)
{
    return string_starts(value, "--");
}

// KNOB=VALUE or KNOB="VALUE WITH BLANKS"; returns what follows, NULL for anything else.
static const char *skip_knob(const char *at)
{
    size_t name = 0;
    while (byte_in_word(at[name]) || (name && strchr("-.", at[name]) && at[name]))
        name++;
    if (!name || at[name] != '=')
        return NULL;
    at += name + 1;
    bool quoted = *at == '"';
    at += quoted;
    size_t length = strcspn(at, quoted ? "\"" : " \"");
    if (!length || (quoted && at[length] != '"'))
        return NULL;
    at += length + quoted;
    return !*at || *at == ' ' ? at + strspn(at, " ") : NULL;
}

// An explorer's name, then knobs.
static bool is_explorer(const char *value)
{
    char *name = mem_copy_n(value, strcspn(value, " "));
    bool fits = is_word(name);
    const char *at = value + strlen(name) + strspn(value + strlen(name), " ");
    free(name);
    while (fits && at && *at)
        at = skip_knob(at);
    return fits && at;
}

static bool is_best(const char *value)
{
    return strcmp(value, "least") == 0 || strcmp(value, "most") == 0;
}

static bool is_goal(const char *value)
{
    return string_starts(value, "ceiling_pct >= ") && budget_fits(value);
}

static bool is_pace(const char *value)
{
    struct pace unused;
    return pace_read(value, &unused);
}

struct rule {
    int kinds;
    const char *key;
    size_t least, most;
    bool (*fits)(const char *value); // NULL: any text
    const char *wants;               // for the message when it does not fit
};

static const char text_wanted[] = "text with `code`, *emphasis* and links; HTML is not shown";
static const struct rule rules[] = {
    { LAB, "show", 1, MOST, is_place, "LAB or LAB/STEP, as in histogram/3-shared" },
    { LAB | WIDGET, "say", 0, 1, is_text, text_wanted },
    { WIDGET, "explore", 1, 1, is_explorer, "an explorer and its knobs, as in 'banks stride=2'" },
    { ASKS, "ask", 1, 1, is_text, text_wanted },
    { PREDICT | QUIZ, "choice", 0, MOST, is_text, text_wanted },
    { PREDICT | QUIZ | ORDER, "not", 0, MOST, is_text, text_wanted },
    { PREDICT | QUIZ, "right", 0, MOST, NULL, NULL },
    { PREDICT, "unit", 0, 1, NULL, NULL },
    { PREDICT | QUIZ, "again", 0, 1, is_text, text_wanted },
    { PREDICT | QUIZ, "draw", 0, DRAWS_MOST, NULL, NULL },
    { PREDICT | QUIZ, "answer", 0, 1, NULL, NULL },
    { PREDICT | QUIZ, "so", 0, 1, is_text, text_wanted },
    { PREDICT, "run", 0, MOST, is_run, "LAB/STEP and flags of run, as in 'histogram/3 --on sim'" },
    { PREDICT, "value", 0, 1, value_fits, "a number of the record, or two with '/' between" },
    { PREDICT, "best", 0, 1, is_best, "'least' or 'most'" },
    { ORDER, "line", 2, LINES_MOST, NULL, NULL },
    { ORDER, "extra", 0, MOST, NULL, NULL },
    { ORDER, "also", 0, MOST, NULL, NULL },
    { ORDER, "file", 0, 1, is_file, "a file NAME.cu in the lesson's folder" },
    { CODE, "file", 1, 1, is_file, "a file NAME.cu in the lesson's folder" },
    { CODE, "solution", 1, 1, is_file, "a file NAME.cu in the lesson's folder" },
    { CODE | ORDER, "lab", 0, 1, is_word, "a lab's name" },
    { EXERCISE, "hint", 3, 3, is_text, text_wanted },
    { BUGHUNT | CHALLENGE, "hint", 0, 3, is_text, text_wanted },
    { BUGHUNT, "finding", 0, MOST, is_word, "what the simulator calls it, as in 'race'" },
    { CODE, "wrong", 0, MOST, is_wrong, "FILE.cu and 'result', 'finding', 'budget' or 'changed'" },
    { CODE | ORDER, "check", 0, MOST, is_flags, "flags of run, as in '--set n=1000 --data skewed'" },
    { CODE, "program", 0, MOST, is_word, "what a program with a main gets as its argument, as in '1000'" },
    { CODE, "keep", 0, MOST, is_word, "the name of a kernel" },
    { CODE, "may", 0, MOST, is_may, "a kind of //@ line, or one of them: 'launch', 'buffer y'" },
    { CODE, "budget", 0, MOST, budget_fits, "a bound, as in 'counters.gld_sec / counters.gld_req <= 4.1'" },
    { CODE, "pace", 0, 1, is_pace,
      "a GPU, milliseconds and flags of run, as in 'h100 <= 0.30 --set n=1<<20'" },
    { CODE, "time", 0, 1, is_flags, "flags of run, as in '--set n=1<<26'" },
    { CODE, "goal", 0, 1, is_goal, "a share of the ceiling, as in 'ceiling_pct >= 45'" },
    { CODE, "reached", 0, 1, is_place,
      "a step whose records reach the goal, as in 'reduction/8-grid-stride'" },
    { CODE, "beside", 0, BESIDE_MOST - 1, is_beside,
      "LAB/STEP and what it is called, as in 'vecadd/plain one core of the CPU'" },
    { CODE, "guard", 0, MOST, budget_fits, "a bound, as in 'counters.busiest <= 1.5'" },
    { ASKS, "because", 0, 1, is_text, text_wanted },
};
enum { RULES = sizeof rules / sizeof *rules };

static const struct rule *rule_of(const struct live *live, const char *key)
{
    for (size_t i = 0; i < RULES; i++)
        if ((rules[i].kinds & 1 << live->kind) && strcmp(rules[i].key, key) == 0)
            return &rules[i];
    return NULL;
}

// ---- one field ----------------------------------------------------------------------------------------

static bool unknown(const struct source *source, const struct live *live, const struct live_field *field,
                    struct error *error)
{
    const char *known[RULES];
    size_t count = 0;
    struct text list = { 0 };
    for (size_t i = 0; i < RULES; i++) {
        if (!(rules[i].kinds & 1 << live->kind))
            continue;
        text_addf(&list, "%s%s", count ? ", " : "", rules[i].key);
        known[count++] = rules[i].key;
    }
    const char *near = string_nearest(field->key, known, count);
    line_error(source, field->line, field->key, error, "'%s' has no key '%.40s'; %s%s%s",
               live_names[live->kind], field->key, near ? "did you mean '" : "it has ",
               near ? near : text_string(&list), near ? "'?" : "");
    text_free(&list);
    return false;
}

static bool field_check(const struct source *source, const struct live *live, const struct live_field *field,
                        struct error *error)
{
    const struct rule *rule = rule_of(live, field->key);
    if (!rule)
        return unknown(source, live, field, error);
    if (!*field->value)
        return line_error(source, field->line, field->key, error, "'%s' has no value", field->key);
    if (rule->fits && !rule->fits(field->value))
        return line_error(source, field->line, field->value, error, "'%s' is %s", field->key, rule->wants);
    return true;
}

static bool counts_check(const struct source *source, const struct live *live, struct error *error)
{
    const char *kind = live_names[live->kind];
    for (size_t i = 0; i < RULES; i++) {
        const struct rule *rule = &rules[i];
        if (!(rule->kinds & 1 << live->kind))
            continue;
        size_t count = live_count(live, rule->key);
        if (count < rule->least)
            return line_error(source, live->line, kind, error, "'%s' needs %s%zu '%s', not %zu", kind,
                              rule->least < rule->most ? "at least " : "", rule->least, rule->key, count);
        if (count > rule->most)
            return line_error(source, live_line(live, rule->key, rule->most), rule->key, error,
                              "'%s' may have '%s' %zu times at most", kind, rule->key, rule->most);
    }
    return true;
}

// ---- answers --------------------------------------------------------------------------------------------

static bool rights_check(const struct source *source, const struct live *live, struct error *error)
{
    size_t choices = live_count(live, "choice"), rights = live_count(live, "right");
    if (choices == 1)
        return line_error(source, live_line(live, "choice", 0), NULL, error,
                          "a single choice is not a choice");
    if (rights > 1 && (!choices || live->kind == LIVE_PREDICT))
        return line_error(source, live_line(live, "right", 1), NULL, error,
                          "only one answer can be right here");
    for (size_t i = 0; choices && i < rights; i++) {
        char *end;
        const char *value = live_nth(live, "right", i);
        long number = strtol(value, &end, 10);
        if (*end || number < 1 || number > (long)choices)
            return line_error(source, live_line(live, "right", i), value, error,
                              "'right' is the number of a choice, from 1 to %zu", choices);
    }
    return true;
}

// Where the answer is typed: `not: ANSWER: sentence`, once for each wrong answer.
static bool typed_nots_check(const struct source *source, const struct live *live, struct error *error)
{
    const char *right = live_field(live, "right"), *value;
    for (size_t i = 0; (value = live_nth(live, "not", i)); i++) {
        char *typed = mem_copy_n(value, strcspn(value, ":"));
        json_t *answer = json_pack("{s:s}", "typed", typed);
        const char *why = answer_why_not(live, answer); // of the first `not` about it
        json_t *judged = why && right ? quiz_typed(live, typed) : NULL;
        bool is_right = json_is_true(json_object_get(judged, "right"));
        bool own = why && why > value && why <= value + strlen(value);
        json_decref(judged);
        json_decref(answer);
        free(typed);
        if (!own || is_right)
            return line_error(source, live_line(live, "not", i), value, error,
                              !why       ? "'not' has a wrong answer, ':', and why it is wrong, as in "
                                           "'not: 32: …'"
                              : is_right ? "this answer is right"
                                         : "an earlier 'not' has this answer");
    }
    return true;
}

static bool predict_check(const struct source *source, const struct live *live, struct error *error)
{
    size_t runs = live_count(live, "run"), choices = live_count(live, "choice");
    bool value = live_field(live, "value"), right = live_field(live, "right");
    if (right == (runs > 0) || value != (runs > 0))
        return line_error(
            source, live->line, "predict", error,
            "'predict' needs either 'right', or 'run' and 'value', with which the machine finds out");
    if (runs > 1 && ((choices != runs && choices != runs + 1) || !live_field(live, "best")))
        return line_error(
            source, live_line(live, "run", 1), NULL, error,
            "several runs need a choice for each, and 'best: least' or 'best: most'; one choice "
            "more, the last, says that they are the same");
    for (size_t i = 0; runs == 1 && i < choices; i++)
        if (!isdigit((unsigned char)*live_nth(live, "choice", i)))
            return line_error(source, live_line(live, "choice", i), NULL, error,
                              "each choice starts with a number; the one next to what came out is right");
    return true;
}

// `also: 2 1 3 4`: every line's number once.
static bool also_check(const struct source *source, const struct live *live, size_t nth, struct error *error)
{
    const char *value = live_nth(live, "also", nth);
    size_t lines = live_count(live, "line"), count = 0;
    bool met[LINES_MOST + 1] = { false };
    for (const char *at = value; *at; count++) {
        char *end;
        long number = strtol(at, &end, 10);
        if (end == at || number < 1 || number > (long)lines || met[number])
            break;
        met[number] = true;
        at = end + strspn(end, " ");
    }
    return count == lines ||
           line_error(source, live_line(live, "also", nth), value, error,
                      "'also' has the numbers of all %zu lines in another order that is right too", lines);
}

// `not: 2 1: sentence`, of two lines, or of one that is an extra one or left out; no right order may have it.
static bool order_not_check(const struct source *source, const struct live *live, size_t nth,
                            struct error *error)
{
    const char *value = live_nth(live, "not", nth);
    size_t lines = live_count(live, "line"), all = lines + live_count(live, "extra"), count = 0;
    bool fits = true;
    char *at = (char *)value;
    do {
        long number = strtol(at, &at, 10);
        fits = fits && number >= 1 && number <= (long)all;
        count++;
    } while (*at == ' ' && count < 2);
    bool right = false;
    for (size_t i = 0; i <= live_count(live, "also"); i++) {
        const char *also = i ? live_nth(live, "also", i - 1) : NULL;
        json_t *order = json_array();
        for (size_t j = 0; j < lines; j++)
            json_array_append_new(
                order, json_integer(also ? strtol(also, (char **)&also, 10) : (json_int_t)(j + 1)));
        json_t *answer = json_pack("{s:o}", "order", order);
        right |= fits && answer_why_not(live, answer);
        json_decref(answer);
    }
    return (fits && *at == ':' && !right) ||
           line_error(source, live_line(live, "not", nth), value, error,
                      right ? "a right order has this"
                            : "'not' has the numbers of a line and of one that it must not precede, or of a "
                              "single line, then ':' and why, as in 'not: 2 1: …'");
}

// Each `not` follows its choice, and a quiz has none for a right one.
static bool nots_check(const struct source *source, const struct live *live, struct error *error)
{
    size_t choice = 0;
    for (size_t i = 0; live->kind == LIVE_ORDER && i < live_count(live, "not"); i++)
        if (!order_not_check(source, live, i, error))
            return false;
    if (live->kind == LIVE_ORDER)
        return true;
    if (!live_count(live, "choice"))
        return typed_nots_check(source, live, error);
    for (size_t i = 0; i < live->field_count; i++) {
        const struct live_field *field = &live->fields[i];
        choice += strcmp(field->key, "choice") == 0;
        if (strcmp(field->key, "not") != 0)
            continue;
        if (!i || strcmp(live->fields[i - 1].key, "choice") != 0)
            return line_error(source, field->line, field->key, error,
                              "'not' says why the choice before it is wrong, and follows it");
        for (size_t j = 0; j < live_count(live, "right"); j++)
            if (strtoul(live_nth(live, "right", j), NULL, 10) == choice)
                return line_error(source, field->line, field->key, error, "this choice is right");
    }
    return true;
}

// What a GPU can do must be known, and there must be something that decides where there is none.
static bool goal_check(const struct source *source, const struct live *live, struct error *error)
{
    bool goal = live_field(live, "goal"), challenge = live->kind == LIVE_CHALLENGE;
    if (goal != (live_field(live, "reached") != NULL))
        return line_error(source, live->line, live_names[live->kind], error,
                          "'goal' and 'reached', a step whose records reach it, belong together");
    if (goal && (!live_field(live, "time") || !live_field(live, "lab")))
        return line_error(source, live_line(live, "goal", 0), NULL, error,
                          "a goal needs a 'lab', which has a ceiling, and a 'time', which says at what size");
    if (challenge && !live_field(live, "budget"))
        return line_error(source, live->line, "challenge", error,
                          "a challenge needs a 'budget', the first of which ranks attempts without a GPU");
    return true;
}

// A whole program has no //@ lines, and nothing that comes of them.
static bool program_check(const struct source *source, const struct live *live, struct error *error)
{
    static const char *const others[] = {
        "lab", "check", "may", "budget", "pace", "time", "guard", "beside"
    };
    for (size_t i = 0; i < sizeof others / sizeof *others && live_field(live, "program"); i++)
        if (live_field(live, others[i]))
            return line_error(source, live_line(live, others[i], 0), others[i], error,
                              "a whole program ('program') has no '%s'", others[i]);
    return true;
}

static bool live_check(const struct source *source, const struct live *live, struct error *error)
{
    for (size_t i = 0; i < live->field_count; i++)
        if (!field_check(source, live, &live->fields[i], error))
            return false;
    if (!counts_check(source, live, error) || !rights_check(source, live, error) ||
        !nots_check(source, live, error) || !goal_check(source, live, error) ||
        !program_check(source, live, error))
        return false;
    if (live->kind == LIVE_PREDICT)
        return predict_check(source, live, error);
    if (live->kind == LIVE_QUIZ && !live_field(live, "right"))
        return line_error(source, live->line, "quiz", error, "'quiz' needs 'right'");
    for (size_t i = 0; i < live_count(live, "also"); i++)
        if (!also_check(source, live, i, error))
            return false;
    return true;
}

// ---- the block -------------------------------------------------------------------------------------

const char *const live_names[LIVES] = { "lab",   "widget",   "predict", "quiz",
                                        "order", "exercise", "bughunt", "challenge" };

bool live_kind_of(const char *info, enum live_kind *kind)
{
    size_t length = strcspn(info, " \t");
    for (int k = 0; k < LIVES; k++) {
        if (strlen(live_names[k]) != length || memcmp(info, live_names[k], length) != 0)
            continue;
        *kind = (enum live_kind)k;
        return true;
    }
    return false;
}

static bool is_id(const char *id, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!(id[i] == '-' || (id[i] >= 'a' && id[i] <= 'z') || (id[i] >= '0' && id[i] <= '9')))
            return false;
    return length && length <= 60;
}

static bool opening_parse(const struct source *source, const char *info, struct live *live,
                          struct error *error)
{
    const char *kind = live_names[live->kind];
    const char *at = info + strlen(kind);
    at += strspn(at, " \t");
    size_t length = strcspn(at, " \t");
    if (!length && (live->kind == LIVE_LAB || live->kind == LIVE_WIDGET))
        return true;
    if (!string_starts(at, "id=") || at[length + strspn(at + length, " \t")])
        return line_error(source, live->line, *at ? at : kind, error,
                          "only a name follows '%s', as in '%s id=stride-2'", kind, kind);
    if (!is_id(at + 3, length - 3))
        return line_error(source, live->line, at, error,
                          "a name is made of up to 60 lower-case letters, digits and '-'");
    live->id = mem_copy_n(at + 3, length - 3);
    return true;
}

bool live_parse(const struct source *source, int line, const char *info, const char *text, struct live *out,
                struct error *error)
{
    const char *slash = strrchr(source->file, '/');
    *out = (struct live){ .line = line,
                          .folder = slash ? mem_copy_n(source->file, (size_t)(slash - source->file))
                                          : mem_copy(".") };
    struct fields fields = { 0 };
    bool parsed = live_kind_of(info, &out->kind) && opening_parse(source, info, out, error) &&
                  fields_parse(source, text, line + 1, &fields, error);
    out->fields = fields.list;
    out->field_count = fields.count;
    return parsed && live_check(source, out, error);
}

void live_free(struct live *live)
{
    free(live->id);
    free(live->folder);
    fields_free(live->fields, live->field_count);
}

static const struct live_field *find(const struct live *live, const char *key, size_t nth)
{
    for (size_t i = 0; i < live->field_count; i++)
        if (strcmp(live->fields[i].key, key) == 0 && nth-- == 0)
            return &live->fields[i];
    return NULL;
}

const char *live_nth(const struct live *live, const char *key, size_t nth)
{
    const struct live_field *field = find(live, key, nth);
    return field ? field->value : NULL;
}

const char *live_field(const struct live *live, const char *key)
{
    return live_nth(live, key, 0);
}

int live_line(const struct live *live, const char *key, size_t nth)
{
    const struct live_field *field = find(live, key, nth);
    return field ? field->line : live->line;
}

const char *live_why_not(const struct live *live, size_t choice)
{
    for (size_t i = 0; i + 1 < live->field_count; i++)
        if (strcmp(live->fields[i].key, "choice") == 0 && choice-- == 0)
            return strcmp(live->fields[i + 1].key, "not") == 0 ? live->fields[i + 1].value : NULL;
    return NULL;
}

size_t live_count(const struct live *live, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < live->field_count; i++)
        count += strcmp(live->fields[i].key, key) == 0;
    return count;
}

// ---- order ------------------------------------------------------------------------------------------------

bool judge_order_text(const struct live *live, const char *text, const int *order, int count,
                      struct text *out)
{
    static const char mark[] = "//@order";
    const char *at = text;
    while (at && !string_starts(at + strspn(at, " \t"), mark))
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    if (!at)
        return false;
    size_t indent = strspn(at, " \t"), length = strcspn(at, "\n");
    text_add_n(out, text, (size_t)(at - text));
    for (int i = 0; i < count; i++) {
        const char *line = order_line(live, order[i]);
        text_add_n(out, at, indent);
        text_addf(out, "%s%s", line ? line : "", i + 1 < count ? "\n" : "");
    }
    text_add(out, at + length);
    return true;
}
