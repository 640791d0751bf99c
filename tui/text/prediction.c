// A prediction beside what came out of its runs: both numbers, where the second is from, and how near they are.
#include "tui/text/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum role outcome_role(const char *how)
{
    return string_starts(how, "simulated")                    ? ROLE_SIM
           : string_starts(how, "measured here, on the CPU ") ? ROLE_CPU
           : string_starts(how, "measured")                   ? ROLE_GPU
           : string_starts(how, "recorded")                   ? ROLE_NOTE
                                                              : ROLE_TEXT;
}

void outcome_number(double value, const char *key, char *out, size_t size)
{
    bool one_name = !key[strcspn(key, " +-*/()")];
    bool whole = fabs(value - round(value)) < 1e-6 * fabs(value) || fabs(value) >= 1000;
    if (one_name && string_ends(key, "_ms"))
        unit_ms(value, out, size);
    else if (whole && fabs(value) < 1e15)
        unit_count(round(value), out, size);
    else
        format_into(out, size, "%.3g", value);
}

static void side(struct sheet *sheet, const struct live *live, const char *name, enum role role,
                 const char *number, const char *behind)
{
    const char *unit = live_field(live, "unit");
    sheet_to(sheet, 2);
    sheet_add(sheet, role, "%-9s ", name);
    sheet_add(sheet, ROLE_TITLE, unit || *behind ? "%8s " : "%8s", number);
    sheet_hang(sheet, 13);
    if (unit)
        sheet_flow(sheet, ROLE_TEXT, "%s%s", unit, *behind ? " " : "");
    if (*behind)
        sheet_flow(sheet, role, "%s", behind);
    sheet_end(sheet);
}

// "recorded on NVIDIA H100, 2026-11-20" in two: the word, and the rest.
static void both_sides(struct sheet *sheet, const struct live *live, const json_t *predicted,
                       const struct outcome *outcome)
{
    char number[40], word[24];
    const char *how = outcome->how[0], *value = live_field(live, "value");
    size_t length = strcspn(how, " ");
    format_into(word, sizeof word, "%.*s", (int)length, how);
    outcome_number(predict_number(live, predicted), "", number, sizeof number);
    side(sheet, live, "predicted", ROLE_TEXT, number, "");
    outcome_number(outcome->values[0], value ? value : "", number, sizeof number);
    side(sheet, live, *word ? word : "right", *word ? outcome_role(how) : ROLE_NOTE, number,
         how[length] ? how + length + 1 : "");
}

static void verdict(struct sheet *sheet, const struct live *live, const json_t *predicted,
                    const struct outcome *outcome)
{
    bool choices = live_count(live, "choice") > 0, right = predict_chosen(predicted) == outcome->right;
    double ratio =
        choices ? right ? 1 : NAN : outcome_ratio(predict_number(live, predicted), outcome->values[0]);
    bool numbers = choices && outcome->count == 1 && isdigit((unsigned char)*live_nth(live, "choice", 0)) &&
                   live_count(live, "run");
    if (isnan(ratio) && numbers)
        ratio = outcome_ratio(predict_number(live, predicted), outcome->values[0]);
    sheet_to(sheet, 2);
    sheet_hang(sheet, 4);
    if (choices ? right : ratio < 1.005)
        sheet_flow(sheet, ROLE_GOOD, "%s right", glyph(sheet->utf8, GLYPH_DONE));
    else if (ratio < OUTCOME_RIGHT)
        sheet_flow(sheet, ROLE_GOOD, "%s nearly: off by %.1f %%", glyph(sheet->utf8, GLYPH_DONE),
                   100 * (ratio - 1));
    else if (isnan(ratio) || isinf(ratio))
        sheet_flow(sheet, ROLE_BAD, "%s not so", glyph(sheet->utf8, GLYPH_WRONG));
    else if (ratio < 1.5)
        sheet_flow(sheet, ROLE_NOTE, "%s close: off by %.0f %%", glyph(sheet->utf8, GLYPH_HALF),
                   100 * (ratio - 1));
    else
        sheet_flow(sheet, ROLE_BAD, "%s off by a factor of %.3g", glyph(sheet->utf8, GLYPH_WRONG), ratio);
    sheet_end(sheet);
}

void predict_came(struct sheet *sheet, const struct live *live, const json_t *predicted,
                  const struct outcome *outcome)
{
    bool runs = live_count(live, "run") > 0;
    if (outcome->count == 1 && (runs || !live_count(live, "choice"))) {
        both_sides(sheet, live, predicted, outcome);
    } else if (*outcome->how[0] && outcome_has_one_source(outcome)) {
        sheet_to(sheet, 2);
        sheet_hang(sheet, 2);
        sheet_flow(sheet, outcome_role(outcome->how[0]), "%s", outcome->how[0]);
        sheet_end(sheet);
    }
    verdict(sheet, live, predicted, outcome);
}
