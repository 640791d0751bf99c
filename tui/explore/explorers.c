// The explorers, their knobs, and the sheet around a picture.
#include "lessons/lessons.h"
#include "tui/explore/explore.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- knobs ------------------------------------------------------------------------------------------------

// Values from outside are checked here, so that the explorers need not.

size_t knob_count(const struct explorer *explorer)
{
    size_t count = 0;
    while (count < KNOBS && explorer->knobs[count].name)
        count++;
    return count;
}

struct settings settings_new(const struct explorer *explorer)
{
    struct settings settings = { .explorer = explorer };
    for (size_t k = 0; k < knob_count(explorer); k++) {
        const struct knob *knob = &explorer->knobs[k];
        settings.number[k] = knob->start;
        if (knob->texts)
            format_into(settings.text[k], KNOB_TEXT, "%s", knob->texts[0]);
    }
    return settings;
}

// ---- knobs in words ---------------------------------------------------------------------------------------

static void add_choice(struct text *out, const char *word, bool first, bool last)
{
    text_addf(out, "%s%s", first ? "" : last ? " or " : ", ", word);
}

void knob_range(const struct knob *knob, char *out, size_t size)
{
    struct text text = { 0 };
    for (size_t i = 0; knob->words && knob->words[i]; i++)
        add_choice(&text, knob->words[i], i == 0, !knob->words[i + 1]);
    for (size_t i = 0; knob->list && knob->list[i]; i++) {
        char number[24];
        format_into(number, sizeof number, "%ld", knob->list[i]);
        add_choice(&text, number, i == 0, !knob->list[i + 1]);
    }
    if (knob->texts)
        text_addf(&text, "such as '%s'", knob->texts[0]);
    else if (!text.length)
        text_addf(&text, "%ld to %ld", knob->least, knob->most);
    format_into(out, size, "%s", text_string(&text));
    text_free(&text);
}

int knob_find(const struct explorer *explorer, const char *name, size_t length)
{
    for (size_t k = 0; k < knob_count(explorer); k++)
        if (strlen(explorer->knobs[k].name) == length && strncmp(explorer->knobs[k].name, name, length) == 0)
            return (int)k;
    return -1;
}

const char *knob_value(const struct settings *settings, size_t k, char *out, size_t size)
{
    const struct knob *knob = &settings->explorer->knobs[k];
    if (knob->texts)
        format_into(out, size, "%s", settings->text[k]);
    else if (knob->words)
        format_into(out, size, "%s", knob->words[settings->number[k]]);
    else
        format_into(out, size, "%ld", settings->number[k]);
    return out;
}

// ---- setting knobs ----------------------------------------------------------------------------------------

static bool refuse(const struct knob *knob, const char *value, struct error *error)
{
    char range[400];
    knob_range(knob, range, sizeof range);
    return error_set(error, EXIT_USAGE, "%s takes %s, not '%.40s'.", knob->name, range, value);
}

static bool read_number(const struct knob *knob, const char *value, long *out)
{
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (!*value || *end || errno)
        return false;
    *out = number;
    for (size_t i = 0; knob->list && knob->list[i]; i++)
        if (knob->list[i] == number)
            return true;
    return !knob->list && number >= knob->least && number <= knob->most;
}

// Reads a name of the knob, whole or as far as it differs from the others.
static bool read_name(const struct knob *knob, const char *value, long *out)
{
    int fits = 0;
    for (long i = 0; knob->words[i]; i++) {
        if (strcmp(knob->words[i], value) == 0 ||
            (knob->also && *value && strcmp(knob->also[i], value) == 0)) {
            *out = i;
            return true;
        }
        if (*value && string_starts(knob->words[i], value)) {
            *out = i;
            fits++;
        }
    }
    return fits == 1;
}

bool settings_put(struct settings *settings, size_t k, const char *value, struct error *error)
{
    const struct knob *knob = &settings->explorer->knobs[k];
    long number;
    if (knob->texts) {
        if (strlen(value) >= KNOB_TEXT)
            return error_set(error, EXIT_USAGE, "%s takes at most %d characters.", knob->name, KNOB_TEXT - 1);
        format_into(settings->text[k], KNOB_TEXT, "%s", value);
        return true;
    }
    if (knob->words ? !read_name(knob, value, &number) : !read_number(knob, value, &number))
        return refuse(knob, value, error);
    settings->number[k] = number;
    return true;
}

static bool unknown(const struct explorer *explorer, const char *name, struct error *error)
{
    const char *names[KNOBS] = { NULL };
    size_t count = knob_count(explorer);
    struct text all = { 0 };
    for (size_t k = 0; k < count; k++) {
        names[k] = explorer->knobs[k].name;
        add_choice(&all, names[k], k == 0, k + 1 == count);
    }
    const char *nearest = string_nearest(name, names, count);
    for (size_t k = 0; nearest && k < count; k++)
        if (names[k] == nearest) {
            char range[400];
            knob_range(&explorer->knobs[k], range, sizeof range);
            error_set(error, EXIT_USAGE, "'%s' has no knob '%.40s'. Did you mean %s (%s)?", explorer->name,
                      name, nearest, range);
        }
    if (!nearest)
        error_set(error, EXIT_USAGE, "'%s' has no knob '%.40s'. It has %s.", explorer->name, name,
                  text_string(&all));
    text_free(&all);
    return false;
}

bool settings_set(struct settings *settings, const char *name, const char *value, struct error *error)
{
    int knob = knob_find(settings->explorer, name, strlen(name));
    if (knob >= 0)
        return settings_put(settings, (size_t)knob, value, error);
    return unknown(settings->explorer, name, error);
}

// LAB/STEP or FILE.cu, which need no "step=".
static bool names_step(const char *word)
{
    return strchr(word, '/') || string_ends(word, ".cu") || string_ends(word, ".ptx");
}

bool settings_read(struct settings *settings, const char *assignment, struct error *error)
{
    const char *equals = strchr(assignment, '=');
    char name[64];
    if (!equals && names_step(assignment) && settings->explorer == &explore_step)
        return settings_put(settings, 0, assignment, error);
    if (!equals)
        return error_set(error, EXIT_USAGE, "'%.40s' sets nothing. Write KNOB=VALUE, such as %s=%ld.",
                         assignment, settings->explorer->knobs[1].name, settings->explorer->knobs[1].start);
    format_into(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    return settings_set(settings, name, equals + 1, error);
}

bool settings_check(const struct settings *settings, struct error *error)
{
    return !settings->explorer->check || settings->explorer->check(settings, error);
}

// ---- turning knobs ----------------------------------------------------------------------------------------

static long turned_number(const struct knob *knob, long number, int direction)
{
    long step = knob->step ? knob->step : 1, rest = number % step;
    long next = direction > 0 ? number - rest + step : number - (rest ? rest : step);
    return next < knob->least ? knob->least : next > knob->most ? knob->most : next;
}

static long turned_list(const long *list, long number, int direction)
{
    size_t at = 0;
    while (list[at] && list[at] < number)
        at++;
    if (direction < 0)
        return at ? list[at - 1] : list[0];
    return list[at] && list[at + 1] ? list[at + 1] : number;
}

static size_t find_text(const struct knob *knob, const char *text, size_t *count)
{
    size_t found = 0;
    for (*count = 0; knob->texts[*count]; (*count)++)
        if (strcmp(knob->texts[*count], text) == 0)
            found = *count;
    return found;
}

void settings_turn(struct settings *settings, size_t k, int direction)
{
    const struct knob *knob = &settings->explorer->knobs[k];
    long *number = &settings->number[k];
    if (knob->texts) {
        size_t count, at = find_text(knob, settings->text[k], &count);
        at = direction > 0 ? at + 1 < count ? at + 1 : at : at ? at - 1 : 0;
        format_into(settings->text[k], KNOB_TEXT, "%s", knob->texts[at]);
    } else if (knob->words) {
        if (direction > 0 ? knob->words[*number + 1] != NULL : *number > 0)
            *number += direction > 0 ? 1 : -1;
    } else if (knob->list) {
        *number = turned_list(knob->list, *number, direction);
    } else {
        *number = turned_number(knob, *number, direction);
    }
}

// ---- drawing shared by the pictures -----------------------------------------------------------------------

int draw_width(const struct sheet *sheet)
{
    return sheet->width < 100 ? sheet->width : 100;
}

void draw_affine(struct text *out, long factor, long offset)
{
    if (factor)
        text_add(out, "lane");
    if (factor > 1)
        text_addf(out, " * %ld", factor);
    if (offset || !factor)
        text_addf(out, factor ? " + %ld" : "%ld", offset);
}

void draw_lanes(struct text *out, uint32_t mask)
{
    text_add(out, __builtin_popcount(mask) == 1 ? "lane " : "lanes ");
    const char *between = "";
    for (int i = 0, end; i < WARP_LANES; i = end + 1) {
        for (end = i; end < WARP_LANES && mask >> end & 1; end++)
            ;
        if (end == i)
            continue;
        text_addf(out, end - i == 1 ? "%s%d" : "%s%d-%d", between, i, end - 1);
        between = ", ";
    }
}

void draw_ruler(struct sheet *sheet, int column, int cells)
{
    sheet_add(sheet, ROLE_DIM, " lane");
    for (int lane = 0; lane < WARP_LANES; lane += 8) {
        sheet_to(sheet, column + lane * cells);
        sheet_add(sheet, ROLE_DIM, "%d", lane);
    }
    sheet_to(sheet, column + (WARP_LANES - 1) * cells);
    sheet_add(sheet, ROLE_DIM, "%d", WARP_LANES - 1);
    sheet_end(sheet);
}

void draw_words(struct sheet *sheet, enum role role, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    sheet_paragraph(sheet, role, 1, text_string(&text));
    text_free(&text);
}

void draw_more(struct sheet *sheet, long more, const char *one, const char *many)
{
    if (more < 1)
        return;
    char count[40];
    unit_count((double)more, count, sizeof count);
    sheet_add(sheet, ROLE_DIM, " %s and %s more %s", glyph(sheet->utf8, GLYPH_ELLIPSIS), count,
              more == 1 ? one : many);
    sheet_end(sheet);
}

// ---- the explorers ----------------------------------------------------------------------------------------

const struct explorer *const explorers[] = { &explore_grid,  &explore_divergence, &explore_coalescing,
                                             &explore_banks, &explore_occupancy,  &explore_waves,
                                             &explore_model, &explore_step,       NULL };

void explorers_index(struct search_index *search)
{
    for (size_t i = 0; explorers[i]; i++) {
        char *within = text_format("explorer %s", explorers[i]->name);
        char *opens = text_format("explore %s", explorers[i]->name);
        search_add(search, PLACE_EXPLORER, explorers[i]->title, within, opens, explorers[i]->help);
        free(within);
        free(opens);
    }
}

bool explorer_of(const char *name, const struct explorer **out, struct error *error)
{
    enum { EXPLORERS = sizeof explorers / sizeof *explorers - 1 };
    const char *names[EXPLORERS];
    size_t count = 0;
    for (; count < EXPLORERS; count++) {
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

bool settings_open(const char *word, struct settings *out, struct error *error)
{
    const struct explorer *explorer = &explore_step;
    bool is_step = names_step(word);
    if (!is_step && !explorer_of(word, &explorer, error))
        return false;
    *out = settings_new(explorer);
    return !is_step || settings_put(out, 0, word, error);
}

// ---- the sheet around a picture ---------------------------------------------------------------------------

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

// The chosen knob is put between the signs of the keys that turn it; brackets mark one that does not matter now.
static void add_knob(struct sheet *sheet, const struct settings *settings, size_t k, bool chosen)
{
    char value[KNOB_TEXT];
    const char *name = settings->explorer->knobs[k].name, *left = drawn_flat ? " " : sheet->utf8 ? "‹" : "<";
    bool matters = knob_matters(settings, k);
    knob_value(settings, k, value, sizeof value);
    sheet->item = (int)k;
    sheet_add(sheet, ROLE_TEXT, " %-*s", widest_name(settings->explorer), name);
    sheet_add(sheet, chosen ? ROLE_TITLE : ROLE_TEXT, " %s", chosen ? left : " ");
    sheet_add(sheet, matters ? ROLE_NUMBER : ROLE_DIM, matters ? "%s" : "(%s)", value);
    sheet_add(sheet, chosen ? ROLE_TITLE : ROLE_TEXT, "%s", chosen ? glyph(sheet->utf8, GLYPH_RIGHT) : "");
    sheet->item = -1;
}

// What brackets mean, where there are some: "in ( ): idle with stride".
static void add_brackets(struct sheet *sheet, const struct settings *settings)
{
    char value[KNOB_TEXT], words[KNOB_TEXT + 40];
    bool some = false;
    for (size_t k = 0; k < knob_count(settings->explorer); k++)
        some |= !knob_matters(settings, k);
    if (!some)
        return;
    format_into(words, sizeof words, "%s: idle with %s", drawn_flat ? "in brackets" : "in ( )",
                knob_value(settings, 0, value, sizeof value));
    int at = (sheet->used + KNOB_CELLS - 1) / KNOB_CELLS * KNOB_CELLS + 1;
    if (drawn_flat || at + text_cells(words) > sheet->width)
        sheet_end(sheet);
    sheet_to(sheet, sheet->used ? at : 1);
    sheet_add(sheet, ROLE_DIM, "%s", words);
}

// Draws in columns; a value that is longer than its cell shifts the next one.
static void add_knobs(struct sheet *sheet, const struct settings *settings, int chosen)
{
    for (size_t k = 0; k < knob_count(settings->explorer); k++) {
        int at = (sheet->used + KNOB_CELLS - 1) / KNOB_CELLS * KNOB_CELLS;
        if (at && (drawn_flat || at + KNOB_CELLS > sheet->width))
            sheet_end(sheet);
        else if (at > sheet->used)
            sheet_to(sheet, at);
        add_knob(sheet, settings, k, (int)k == chosen);
    }
    add_brackets(sheet, settings);
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

// The help takes as many lines as the longest one needs, so that the picture keeps its place while one goes from knob to
// knob.
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
    sheet_paragraph(&sheet, ROLE_TITLE, 1, explorer->title);
    add_knobs(&sheet, settings, chosen);
    if (chosen >= 0 && (size_t)chosen < knob_count(explorer))
        add_helps(&sheet, explorer, (size_t)chosen);
    else
        sheet_end(&sheet);
    if (settings->waits)
        draw_words(&sheet, ROLE_NOTE, "The simulator runs it; the picture follows.");
    else
        explorer->draw(settings, &sheet);
    return sheet;
}

// ---- the list ---------------------------------------------------------------------------------------------

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
