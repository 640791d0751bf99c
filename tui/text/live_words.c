// The words about a kernel that was judged, as lines of the page. Sentences wrap. A line of the kernel that is too
// long goes on after an ellipsis, and its caret stays under the letter it points at. Lines of an order are called by
// the numbers that they have in the block.
#include "tui/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the learner's own lines ------------------------------------------------------------------------------

int own_line(const struct own_lines *own, int line)
{
    int number = line - own->first + 1;
    return number >= 1 && number <= own->count ? number : 0;
}

// "line 12" or "mine.cu:12:5" at `at`: sets the number; returns the bytes of all of it. 0: it is neither.
static size_t line_named(const char *at, const char *file, int *line)
{
    static const char word[] = "line ";
    size_t name = strlen(file), before = string_starts(at, word) ? sizeof word - 1 : 0;
    if (!before && string_starts(at, file) && at[name] == ':')
        before = name + 1;
    size_t digits = strspn(at + before, "0123456789");
    if (!before || !digits || digits > 6)
        return 0;
    *line = (int)strtol(at + before, NULL, 10);
    size_t length = before + digits, column = at[length] == ':' ? strspn(at + length + 1, "0123456789") : 0;
    return *at == word[0] && string_starts(at, word) ? length : length + (column ? column + 1 : 0);
}

static void own_words(const struct own_lines *own, const char *words, struct text *out)
{
    for (const char *at = words; *at;) {
        bool starts = at == words || !isalnum((unsigned char)at[-1]);
        int line = 0;
        size_t length = starts && own->count ? line_named(at, own->file, &line) : 0;
        bool elsewhere = string_starts(at + length, " of "); // "of the PTX"
        if (!length || elsewhere) {
            text_add_n(out, at, length = length ? length : 1);
        } else if (own_line(own, line)) {
            text_addf(out, "line %d of yours", own_line(own, line));
        } else if (*at == 'l') {
            text_addf(out, "line %d of %s", line, own->file);
        } else {
            text_add_n(out, at, length);
        }
        at += length;
    }
}

// ---- lines of a kernel ------------------------------------------------------------------------------------

// Cells of `caret`, a line that only points, before its '^'; -1: it is another line.
static int caret_of(const char *caret, size_t length)
{
    size_t blanks = strspn(caret, " ");
    return blanks < length && caret[blanks] == '^' && blanks + 1 == length ? (int)blanks : -1;
}

// The line, in pieces where it is too long, and its caret below the piece that it points into; caret -1: none.
static void kernel_line(struct sheet *sheet, int indent, const char *line, size_t length, int caret)
{
    int width = sheet->room > sheet->width ? sheet->room : sheet->width, before = 0;
    for (bool more = true, first = true; more; first = false) {
        sheet_to(sheet, indent);
        if (!first)
            sheet_add(sheet, ROLE_DIM, "%s ", glyph(sheet->utf8, GLYPH_ELLIPSIS));
        int start = sheet->used;
        size_t fits = text_fit_n(line, length, width - start);
        if (!fits && length) // too narrow for anything
            fits = text_fit_n(line, length, 2) ? text_fit_n(line, length, 2) : length;
        int cells = text_cells_n(line, fits);
        sheet_add_n(sheet, ROLE_TEXT, line, fits);
        sheet_end(sheet);
        more = fits < length;
        if (caret >= before && (caret < before + cells || !more)) {
            int at = start + caret - before;
            sheet_to(sheet, at < width ? at : width - 1);
            sheet_add(sheet, ROLE_TEXT, "^");
            sheet_end(sheet);
        }
        before += cells;
        line += fits;
        length -= fits;
    }
}

// Tabs become four blanks, in the line and in the blanks before its caret.
static char *without_tabs(const char *line, size_t length)
{
    struct text even = { 0 };
    text_add(&even, "");
    for (size_t i = 0; i < length; i++)
        text_add_n(&even, line[i] == '\t' ? "    " : line + i, line[i] == '\t' ? 4 : 1);
    return text_take(&even);
}

// ---- sentences and lines together -------------------------------------------------------------------------

static const char *next_line(const char *at, char **line)
{
    size_t length = strcspn(at, "\n");
    *line = without_tabs(at, length);
    return at + length + (at[length] == '\n');
}

void live_words(struct sheet *sheet, int indent, int hang, const char *words, const struct own_lines *own)
{
    static const struct own_lines none;
    struct text called = { 0 };
    own_words(own ? own : &none, words, &called);
    for (words = text_string(&called); *words;) {
        char *line, *below = NULL;
        words = next_line(words, &line);
        const char *after = string_starts(line, "  ") && *words ? next_line(words, &below) : words;
        int caret = below ? caret_of(below, strlen(below)) : -1;
        if (caret >= 0)
            words = after;
        if (string_starts(line, "  ")) {
            kernel_line(sheet, indent, line, strlen(line), caret);
        } else {
            sheet_to(sheet, indent);
            sheet_hang(sheet, hang);
            sheet_flow(sheet, ROLE_TEXT, "%s", line);
            sheet_end(sheet);
        }
        free(below);
        free(line);
    }
    text_free(&called);
}

// ---- a prediction beside what came of it ------------------------------------------------------------------

const char after_prediction[] = "after your prediction";

// The predicted number, the one that came and its origin, and how near they are.

enum role outcome_role(const char *how)
{
    return string_starts(how, "simulated") || string_starts(how, "modelled") ? ROLE_SIM
           : string_starts(how, "measured here, on the CPU ")                ? ROLE_CPU
           : string_starts(how, "measured")                                  ? ROLE_GPU
           : string_starts(how, "recorded")                                  ? ROLE_NOTE
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

// "sectors per request" after a number, "sector per request" after 1; nothing where the number has its unit already.
static char *unit_after(const char *number, const char *unit)
{
    if (!unit || isalpha((unsigned char)number[strlen(number) - 1]))
        return mem_copy("");
    size_t noun = strspn(unit, "abcdefghijklmnopqrstuvwxyz");
    bool one = strcmp(number, "1") == 0 && noun > 2 && unit[noun - 1] == 's';
    return text_format("%.*s%s", (int)(one ? noun - 1 : noun), unit, unit + noun);
}

static void side(struct sheet *sheet, const struct live *live, const char *name, enum role role,
                 const char *number, const char *origin)
{
    char *unit = unit_after(number, live_field(live, "unit"));
    sheet_to(sheet, 2);
    sheet_add(sheet, role, "%-9s ", name);
    sheet_add(sheet, ROLE_TITLE, *unit || *origin ? "%8s " : "%8s", number);
    sheet_hang(sheet, sheet->width < 60 ? 13 : 21); // below the unit, where that leaves room
    if (*unit)
        sheet_flow(sheet, ROLE_TEXT, "%s%s", unit, *origin ? " " : "");
    if (*origin)
        sheet_flow(sheet, role, "%s", origin);
    sheet_end(sheet);
    free(unit);
}

// Whether it follows from the sizes of the problem alone, wherever it runs.
static bool is_counted(const char *value)
{
    return value && (strcmp(value, "operations / bytes") == 0 || strcmp(value, "bytes / operations") == 0);
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
    if (is_counted(value))
        side(sheet, live, "counted", ROLE_TEXT, number, "");
    else
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
    if (numbers && right) // how far off a wrong one is was not the learner's to say
        ratio = outcome_ratio(predict_number(live, predicted), outcome->values[0]);
    bool nearest = right && ratio >= OUTCOME_RIGHT;
    sheet_to(sheet, 2);
    sheet_hang(sheet, 4);
    if (choices ? right : ratio < 1.005)
        sheet_flow(sheet, ROLE_GOOD, nearest ? "%s right: the nearest of them" : "%s right",
                   glyph(sheet->utf8, GLYPH_DONE));
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
