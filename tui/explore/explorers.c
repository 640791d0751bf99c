// The explorers, and the sheet around a picture: the knobs above it, and what the chosen one is.
#include "tui/explore/explore.h"

#include <stdlib.h>
#include <string.h>

extern const struct explorer explore_banks, explore_coalescing, explore_divergence, explore_grid,
    explore_occupancy, explore_waves;
const struct explorer *const explorers[] = { &explore_grid,
                                             &explore_divergence,
                                             &explore_coalescing,
                                             &explore_banks,
                                             &explore_occupancy,
                                             &explore_waves,
                                             NULL };

bool explorer_of(const char *name, const struct explorer **out, struct error *error)
{
    const char *names[16];
    size_t count = 0;
    for (; explorers[count] && count < 16; count++) {
        names[count] = explorers[count]->name;
        if (strcmp(name, names[count]) == 0) {
            *out = explorers[count];
            return true;
        }
    }
    const char *nearest = string_nearest(name, names, count);
    if (nearest)
        return error_set(error, EXIT_USAGE, "There is no explorer '%.40s'. Did you mean %s?", name, nearest);
    return error_set(error, EXIT_USAGE, "There is no explorer '%.40s'. 'warpbook explore' lists them.", name);
}

// ---- the knobs ----------------------------------------------------------------------------------------------

enum { KNOB_CELLS = 26 };

static int widest_name(const struct explorer *explorer)
{
    int widest = 0;
    for (size_t k = 0; k < knob_count(explorer); k++) {
        int cells = text_cells(explorer->knobs[k].name);
        widest = cells > widest ? cells : widest;
    }
    return widest;
}

// The chosen one stands between the signs of the keys that turn it, in brackets one that does not matter now.
static void add_knob(struct sheet *sheet, const struct settings *settings, size_t k, bool chosen)
{
    char value[KNOB_TEXT];
    const char *name = settings->explorer->knobs[k].name, *left = sheet->utf8 ? "‹" : "<";
    unsigned only = settings->explorer->knobs[k].only;
    bool matters = !only || only >> settings->number[0] & 1;
    knob_value(settings, k, value, sizeof value);
    sheet->item = (int)k;
    sheet_add(sheet, ROLE_TEXT, " %-*s", widest_name(settings->explorer), name);
    sheet_add(sheet, chosen ? ROLE_TITLE : ROLE_TEXT, " %s", chosen ? left : " ");
    sheet_add(sheet, matters ? ROLE_NUMBER : ROLE_DIM, matters ? "%s" : "(%s)", value);
    sheet_add(sheet, chosen ? ROLE_TITLE : ROLE_TEXT, "%s", chosen ? glyph(sheet->utf8, GLYPH_RIGHT) : "");
    sheet->item = -1;
}

// In columns; a value that is longer than its cell moves the next one on.
static void add_knobs(struct sheet *sheet, const struct settings *settings, int chosen)
{
    for (size_t k = 0; k < knob_count(settings->explorer); k++) {
        int at = (sheet->used + KNOB_CELLS - 1) / KNOB_CELLS * KNOB_CELLS;
        if (at && at + KNOB_CELLS > sheet->width)
            sheet_end(sheet);
        else if (at > sheet->used)
            sheet_to(sheet, at);
        add_knob(sheet, settings, k, (int)k == chosen);
    }
    sheet_end(sheet);
}

static void add_help(struct sheet *sheet, const struct knob *knob)
{
    char range[400];
    knob_range(knob, range, sizeof range);
    sheet_add(sheet, ROLE_DIM, " ");
    sheet_hang(sheet, 1);
    sheet_flow(sheet, ROLE_DIM, "%s: %s (%s)", knob->name, knob->help, range);
    sheet_end(sheet);
}

static size_t help_lines(const struct knob *knob, int width)
{
    struct sheet sheet = sheet_new(width, false);
    add_help(&sheet, knob);
    size_t lines = sheet.line_count;
    sheet_free(&sheet);
    return lines;
}

// As many lines as the longest help needs, so that the picture stays where it is while one goes from knob to knob.
static void add_helps(struct sheet *sheet, const struct explorer *explorer, size_t chosen)
{
    size_t most = 0, first = sheet->line_count;
    for (size_t k = 0; k < knob_count(explorer); k++) {
        size_t lines = help_lines(&explorer->knobs[k], sheet->width);
        most = lines > most ? lines : most;
    }
    add_help(sheet, &explorer->knobs[chosen]);
    while (sheet->line_count < first + most || sheet->line_count < first + 2) // a short one has a gap below
        sheet_end(sheet);
}

struct sheet explore_sheet(const struct settings *settings, int width, bool utf8, int chosen)
{
    const struct explorer *explorer = settings->explorer;
    struct sheet sheet = sheet_new(width, utf8);
    sheet_paragraph(&sheet, ROLE_TITLE, 0, explorer->title);
    add_knobs(&sheet, settings, chosen);
    if (chosen >= 0 && (size_t)chosen < knob_count(explorer))
        add_helps(&sheet, explorer, (size_t)chosen);
    else
        sheet_end(&sheet);
    explorer->draw(settings, &sheet);
    return sheet;
}

// ---- the list -------------------------------------------------------------------------------------------------

static void list_knobs(struct sheet *sheet, const struct explorer *explorer)
{
    int column = 3 + widest_name(explorer) + 2;
    for (size_t k = 0; k < knob_count(explorer); k++) {
        char range[400];
        const struct knob *knob = &explorer->knobs[k];
        knob_range(knob, range, sizeof range);
        sheet_add(sheet, ROLE_CODE, "   %s", knob->name);
        sheet_to(sheet, column);
        sheet_hang(sheet, column);
        sheet_flow(sheet, ROLE_TEXT, "%s", knob->help);
        sheet_flow(sheet, ROLE_DIM, " (%s)", range);
        sheet_end(sheet);
    }
}

struct sheet explore_list(int width, bool utf8, const char *prompt)
{
    struct sheet sheet = sheet_new(width, utf8);
    char words[100];
    for (int i = 0; explorers[i]; i++) {
        sheet.item = i;
        sheet_add(&sheet, ROLE_LINK, "%s", explorers[i]->name);
        sheet.item = -1;
        sheet_to(&sheet, 13);
        sheet_hang(&sheet, 13);
        sheet_flow(&sheet, ROLE_TEXT, "%s", explorers[i]->help);
        sheet_end(&sheet);
    }
    for (int i = 0; explorers[i]; i++) {
        sheet_gap(&sheet);
        sheet_add(&sheet, ROLE_TITLE, "%s", explorers[i]->name);
        sheet_end(&sheet);
        list_knobs(&sheet, explorers[i]);
    }
    sheet_gap(&sheet);
    format_into(words, sizeof words, "'%sexplore banks stride=2' shows one with its knobs set.", prompt);
    sheet_paragraph(&sheet, ROLE_DIM, 0, words);
    return sheet;
}
