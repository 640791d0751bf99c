// A kernel's source as a sheet: highlighted, with what differs from the step before marked, the simulator's counters in
// the margin, and the compiler's messages under their lines. The item of a line is its number, from 0.
#include "tui/text/text.h"

#include "engine/sim/sim.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what differs from the step before ---------------------------------------------------------------------------

struct added {
    bool *line;
    size_t count, at;
};

static void note_line(void *context, char sign, const char *line, size_t length)
{
    struct added *added = context;
    if (sign != '-' && added->at < added->count)
        added->line[added->at++] = sign == '+';
}

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; *text; count++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return count;
}

// ---- the margin ----------------------------------------------------------------------------------------------------

static void short_count(double count, char *out, size_t size)
{
    if (count < 100000)
        format_into(out, size, "%.0f", count);
    else if (count < 1e8)
        format_into(out, size, "%.0fk", count / 1e3);
    else
        format_into(out, size, "%.0fM", count / 1e6);
}

// "4.0s": sectors per request; "1.0w": wavefronts per shared access. '!' behind what is worse than it could be.
static void add_ratio(struct sheet *sheet, const struct record_counters *counters, int at)
{
    double sectors = record_sectors_per_request(counters),
           wavefronts = record_wavefronts_per_access(counters);
    bool global = isfinite(sectors);
    double passes = global ? record_global_sectors(counters) : counters->l1_wave_shared;
    double ideal = global ? counters->l2_sectors_ideal : counters->l1_wave_shared_ideal;
    char text[24];
    if (!global && !isfinite(wavefronts))
        return;
    bool bad = ideal > 0 && passes > 1.05 * ideal;
    format_into(text, sizeof text, "%.1f%c%s", global ? sectors : wavefronts, global ? 's' : 'w',
                bad ? "!" : "");
    sheet_to(sheet, at);
    sheet_add(sheet, bad ? ROLE_BAD : ROLE_GOOD, "%6s", text);
}

enum { EXECUTIONS = 7, LANES_CELLS = 5, RATIO = 7, MARGIN = EXECUTIONS + LANES_CELLS + RATIO };

static void add_margin(struct sheet *sheet, const struct record *record, size_t line)
{
    const struct record_counters *counters = record ? record_line_counters(record, line) : NULL;
    int start = sheet->used;
    if (counters) {
        char text[24];
        short_count(counters->inst, text, sizeof text);
        sheet_add(sheet, ROLE_DIM, "%*s", EXECUTIONS - 1, text);
        double lanes = counters->lanes_per_inst;
        sheet_add(sheet, lanes < 31.95 ? ROLE_NOTE : ROLE_DIM, " %*.0f", LANES_CELLS - 1, lanes);
        add_ratio(sheet, counters, start + EXECUTIONS + LANES_CELLS - 1);
    }
    if (sheet->used < start + MARGIN)
        sheet_to(sheet, start + MARGIN);
}

static void margin_head(struct sheet *sheet, bool numbers)
{
    sheet_add(sheet, ROLE_DIM, "%s%*s %*s %*s", numbers ? "     " : "", EXECUTIONS - 1, "warps",
              LANES_CELLS - 1, "lanes", RATIO - 1, "cost");
    sheet_add(sheet, ROLE_DIM, "  s sectors a request, w wavefronts, ! more than needed");
    sheet_end(sheet);
}

bool listing_has_margin(const struct listing *listing)
{
    return listing->margin && listing->record && listing->record->lines;
}

void listing_head(const struct listing *listing, struct area line)
{
    struct sheet sheet = sheet_new(line.cols, line.canvas->utf8);
    margin_head(&sheet, listing->numbers);
    sheet_draw(&sheet, line, 0, -1, NULL);
    sheet_free(&sheet);
}

enum { TAB = 4, COLUMN_MOST = 1 << 20 };

// ---- messages under their lines ----------------------------------------------------------------------------------------

struct source_line { // as it stands in the file
    size_t number;
    const char *at;
    size_t length;
};

// The cells that it takes up to that byte, counted from 1; tabs are four.
static int cells_before(const struct source_line *line, int column)
{
    size_t bytes = (size_t)column - 1 < line->length ? (size_t)column - 1 : line->length;
    int cells = text_cells_n(line->at, bytes) + column - 1 - (int)bytes;
    for (size_t i = 0; i < bytes; i++)
        cells += line->at[i] == '\t' ? TAB : 0;
    return cells;
}

// Under its line, and pointing at its column where that is known.
static void add_message(struct sheet *sheet, const struct diagnostic *message, const struct source_line *line,
                        int indent)
{
    static const char *const severities[] = { "note", "warning", "error" };
    bool bad = message->severity == SEVERITY_ERROR;
    int column = message->column;
    int at = indent + (column > 0 && column <= COLUMN_MOST ? cells_before(line, column) : 0);
    bool points = column > 0 && column <= COLUMN_MOST && at < sheet->width - 5;
    sheet->item = -1;
    if (points)
        sheet_to(sheet, at > 0 ? at : 1);
    else
        sheet_to(sheet, indent);
    int hang = sheet->used + 2 < sheet->width / 2 ? sheet->used + 2 : sheet->width / 3;
    sheet_add(sheet, bad ? ROLE_BAD : ROLE_NOTE, "^ ");
    sheet_hang(sheet, hang);
    sheet_flow(sheet, bad ? ROLE_BAD : ROLE_NOTE, "%s: %s", severities[message->severity], message->message);
    sheet_end(sheet);
}

static void add_messages(struct sheet *sheet, const struct record *record, const struct source_line *line,
                         int indent)
{
    for (size_t i = 0; i < record->diagnostic_count; i++)
        if (record->diagnostics[i].line == (int)line->number)
            add_message(sheet, &record->diagnostics[i], line, indent);
    for (size_t i = 0; i < record->finding_count; i++) {
        struct sim_finding *finding = &record->findings[i];
        struct diagnostic message = { (enum severity)finding->severity, 0, 0, finding->sentence };
        if (finding->here.line == (int)line->number)
            add_message(sheet, &message, line, indent);
    }
}

// ---- the sheet -----------------------------------------------------------------------------------------------------------

struct code_line {
    struct sheet *sheet;
    int indent; // where a line that is too long goes on: behind the margin, and a bit to the right
};

static void carry_over(const struct code_line *line)
{
    int item = line->sheet->item;
    sheet_end(line->sheet);
    line->sheet->item = -1;
    sheet_to(line->sheet, line->indent);
    line->sheet->item = item;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

// `fits`, or as near before it where no word is cut.
static size_t between_words(const char *at, size_t fits, size_t near)
{
    size_t cut = fits;
    while (cut && fits - cut < near && in_word(at[cut - 1]) && in_word(at[cut]))
        cut--;
    return cut && fits - cut < near ? cut : fits;
}

// As much as fits on this line, up to a blank if one is near; the rest goes on below.
static void put_run(const struct code_line *line, enum role role, const char *at, size_t bytes)
{
    enum { NEAR = 20, ROOM = 8 };
    struct sheet *sheet = line->sheet;
    bool wraps = line->indent > 0 && line->indent + ROOM <= sheet->width; // else it is cut
    while (wraps && bytes && sheet->used + text_cells_n(at, bytes) > sheet->width) {
        size_t fits = text_fit_n(at, bytes, sheet->width - sheet->used), cut = fits;
        while (cut && fits - cut < NEAR && at[cut - 1] != ' ')
            cut--;
        bool blank = cut && at[cut - 1] == ' ';
        bool moves = sheet->used > line->indent; // a word as a whole fits better on the next line
        if (!blank)
            cut = moves && text_cells_n(at, bytes) < NEAR ? 0 : between_words(at, fits, NEAR);
        if (!cut && !moves)
            cut = text_fit_n(at, bytes, 2) ? text_fit_n(at, bytes, 2) : bytes;
        sheet_add_n(sheet, role, at, cut);
        at += cut;
        bytes -= cut;
        if (bytes)
            carry_over(line);
    }
    sheet_add_n(sheet, role, at, bytes);
}

static void put_piece(void *context, enum role role, const char *at, size_t bytes)
{
    const struct code_line *line = context;
    for (size_t i = 0; i < bytes;) {
        size_t run = 0;
        while (i + run < bytes && at[i + run] != '\t')
            run++;
        put_run(line, role, at + i, run);
        i += run;
        if (i < bytes) {
            put_run(line, ROLE_TEXT, "    ", TAB);
            i++;
        }
    }
}

// Where the second line of a long one starts: four cells behind its own first letter, while there is room.
static int hang_of(const char *line, size_t length, int indent, int width)
{
    int blanks = 0;
    for (size_t i = 0; i < length && (line[i] == ' ' || line[i] == '\t'); i++)
        blanks += line[i] == '\t' ? TAB : 1;
    int hang = indent + blanks + 4;
    return hang < width - 20        ? hang
           : indent + 4 < width - 8 ? indent + 4
           : indent < width         ? indent
                                    : width - 1;
}

// Blanks at the front of a line that are left out: where it is too long, and continues the line above far to the right,
// those that would push its words off the row.
static size_t dedent_of(const char *line, size_t length, int room)
{
    enum { DEEP = 8 };
    size_t blanks = 0;
    while (blanks < length && line[blanks] == ' ')
        blanks++;
    long over = (long)text_cells_n(line, length) - room;
    if (blanks <= DEEP || over <= 0)
        return 0;
    return (size_t)over < blanks - DEEP ? (size_t)over : blanks - DEEP;
}

struct sheet listing_sheet(const struct listing *listing, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    struct added added = { .count = lines_of(listing->text) };
    added.line = mem_new(added.count + 1);
    if (listing->before)
        diff_lines(listing->before, listing->text, note_line, &added);
    bool margin = listing_has_margin(listing), comment = false;
    if (margin && !listing->head_apart)
        margin_head(&sheet, listing->numbers);
    const char *at = listing->text;
    struct text shown = { 0 };
    for (size_t i = 0; i < added.count; i++) {
        struct source_line source = { i + 1, at, strcspn(at, "\n") };
        shown.length = 0;
        text_add_clean(&shown, source.at, source.length);
        sheet.item = listing->items ? (int)i : -1;
        sheet_add(&sheet, added.line[i] ? ROLE_ADDED : ROLE_DIM, "%s", added.line[i] ? "+" : " ");
        if (listing->numbers)
            sheet_add(&sheet, added.line[i] ? ROLE_ADDED : ROLE_DIM, "%3zu ", i + 1);
        if (margin)
            add_margin(&sheet, listing->record, i + 1);
        int indent = sheet.used;
        size_t skip = dedent_of(text_string(&shown), shown.length, width - indent);
        const char *code = text_string(&shown) + skip;
        struct code_line line = { &sheet, hang_of(code, shown.length - skip, indent, width) };
        highlight_line(code, shown.length - skip, &comment, put_piece, &line);
        sheet_end(&sheet);
        indent -= (int)skip; // columns count from the line's own start
        if (listing->record) {
            add_messages(&sheet, listing->record, &source, indent);
        }
        at += source.length + (at[source.length] == '\n');
    }
    text_free(&shown);
    free(added.line);
    return sheet;
}

// ---- words that are explained -----------------------------------------------------------------------------------

const struct term *listing_term(const struct glossary *glossary, const char *text, size_t line)
{
    static const char *const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (; line && *text; line--)
        text += strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
    const char *end = text + strcspn(text, "\n");
    for (const char *at = text; at < end;) {
        char word[64];
        size_t length = strspn(at, letters);
        format_into(word, sizeof word, "%.*s", (int)length, at);
        const struct term *term = length ? glossary_find(glossary, word) : NULL;
        if (term)
            return term;
        at += length ? length : 1;
    }
    return NULL;
}
