// The bounds on what an answer may cost, and the words for one that does not hold.
#include "lessons/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// "counters.gld_sec / params.n <= 4.1" → "gld_sec / n".
static void add_value(const char *budget, struct text *out)
{
    static const char *const prefixes[] = { "counters.", "params." };
    const char *end = budget + strcspn(budget, "<>");
    while (end > budget && end[-1] == ' ')
        end--;
    for (const char *at = budget; at < end; at++) {
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            at += string_starts(at, prefixes[i]) ? strlen(prefixes[i]) : 0;
        text_add_n(out, at, 1);
    }
}

// Digits enough to tell it from its bound.
static void add_number(double number, struct text *out)
{
    if (number == floor(number))
        text_addf(out, "%.0f", number);
    else
        text_addf(out, fabs(number) < 1 ? "%.3g" : "%.2f", number);
}

// A warp that does most of it is told by its share.
static void add_busiest(const struct record_counters *counters, double got, struct text *out)
{
    double share = counters->inst > 0 ? counters->inst_longest / counters->inst : 0;
    if (share >= 0.5)
        text_addf(out, "one warp does %.0f %% of the work: the others wait. It runs ", floor(100 * share));
    else
        text_add(out, "the work is not shared evenly: the busiest warp runs ");
    text_addf(out, "%.1f times the instructions of the average one", got);
}

static void add_words(const char *budget, const struct record *record, double got, struct text *out)
{
    const char *sign = budget + strcspn(budget, "<>"), *bound = sign + 2 + strspn(sign + 2, " ");
    if (string_starts(budget, "counters.busiest ")) {
        add_busiest(record->counters, got, out);
    } else if (string_starts(budget, "counters.inst_longest ")) {
        text_addf(out, "one warp runs %.0f instructions, one after the other", got);
    } else {
        add_value(budget, out);
        text_add(out, " is ");
        add_number(got, out);
    }
    if (strtod(bound, NULL) == 0)
        text_add(out, "; it has to be 0.");
    else
        text_addf(out, "; at %s %s is asked for.", *sign == '<' ? "most" : "least", bound);
}

bool judge_budgets(const struct live *live, const struct record *record, struct text *out)
{
    const char *budget;
    json_t *json = record_to_json(record);
    bool met = true;
    for (size_t i = 0; met && (budget = live_nth(live, "budget", i)); i++) {
        double got;
        bool known = live_budget(budget, json, &got, &met);
        if (!met && known)
            add_words(budget, record, got, out);
        if (!met && !known) {
            add_value(budget, out);
            text_add(out, " is not known of this run.");
        }
    }
    json_decref(json);
    return met;
}
