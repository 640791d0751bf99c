// A kernel's source as a sheet: highlighted, with what differs from the step before marked, the simulator's counters in
// the margin, and the compiler's messages under their lines. The item of a line is its number, from 0.
#include "tui/text/text.h"

#include "engine/sim/sim.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what differs from the step before --------------------------------------------------------------------

// Which lines two texts share, by the longest common subsequence. Kernel files have about a hundred lines, for which
// the plain table is small.

struct diff_text_line {
    const char *at;
    size_t length;
};

static struct diff_text_line *split(const char *text, size_t *count)
{
    struct diff_text_line *lines = NULL;
    for (*count = 0; *text; text += text[0] == '\n') {
        lines = array_room(lines, *count, sizeof *lines);
        lines[(*count)++] = (struct diff_text_line){ text, strcspn(text, "\n") };
        text += lines[*count - 1].length;
    }
    return lines;
}

static bool same(const struct diff_text_line *a, const struct diff_text_line *b)
{
    return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

// table[i * (b_count + 1) + j]: how many lines the ends of both texts share, from line i of one and j of the other on.
static unsigned *common(const struct diff_text_line *a, size_t a_count, const struct diff_text_line *b,
                        size_t b_count)
{
    size_t row = b_count + 1;
    unsigned *table = mem_new((a_count + 1) * row * sizeof *table);
    for (size_t i = a_count; i-- > 0;)
        for (size_t j = b_count; j-- > 0;) {
            unsigned down = table[(i + 1) * row + j], right = table[i * row + j + 1];
            table[i * row + j] =
                same(&a[i], &b[j]) ? table[(i + 1) * row + j + 1] + 1 : (down > right ? down : right);
        }
    return table;
}

void diff_lines(const char *before, const char *after, diff_line emit, void *context)
{
    size_t a_count, b_count, i = 0, j = 0;
    struct diff_text_line *a = split(before, &a_count), *b = split(after, &b_count);
    unsigned *table = common(a, a_count, b, b_count);
    size_t row = b_count + 1;
    while (i < a_count || j < b_count) {
        if (i < a_count && j < b_count && same(&a[i], &b[j])) {
            emit(context, ' ', b[j].at, b[j].length);
            i++;
            j++;
        } else if (j == b_count || (i < a_count && table[(i + 1) * row + j] >= table[i * row + j + 1])) {
            emit(context, '-', a[i].at, a[i].length);
            i++;
        } else {
            emit(context, '+', b[j].at, b[j].length);
            j++;
        }
    }
    free(table);
    free(a);
    free(b);
}

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

// ---- CUDA C in roles --------------------------------------------------------------------------------------

// Line by line. Only the lexical rules are known, so that half-written code is coloured too; what a line cannot know
// of the lines before it is whether it starts within a comment.

struct out { // pieces of one role are put as one
    void (*put)(void *context, enum role role, const char *at, size_t bytes);
    void *context;
    const char *line; // the caller's
    size_t from, to;  // what waits to be put
    enum role role;
};

static void flush(struct out *out)
{
    if (out->to > out->from)
        out->put(out->context, out->role, out->line + out->from, out->to - out->from);
    out->from = out->to;
}

static void add(struct out *out, enum role role, size_t bytes)
{
    if (role != out->role)
        flush(out);
    out->role = role;
    out->to += bytes;
}

// ---- CUDA C in roles: words -------------------------------------------------------------------------------

// Each list is sorted.
static const char *const keywords[] = {
    "alignas",       "alignof",
    "asm",           "auto",
    "break",         "case",
    "catch",         "class",
    "const",         "constexpr",
    "const_cast",    "continue",
    "decltype",      "default",
    "delete",        "do",
    "else",          "enum",
    "explicit",      "extern",
    "false",         "final",
    "for",           "friend",
    "goto",          "if",
    "inline",        "namespace",
    "new",           "noexcept",
    "nullptr",       "operator",
    "override",      "private",
    "protected",     "public",
    "register",      "reinterpret_cast",
    "restrict",      "return",
    "sizeof",        "static",
    "static_assert", "static_cast",
    "struct",        "switch",
    "template",      "this",
    "throw",         "true",
    "try",           "typedef",
    "typename",      "union",
    "using",         "virtual",
    "volatile",      "while",
};
static const char *const types[] = { "bool", "char", "dim3",  "double", "float",    "half", "half2",
                                     "int",  "long", "short", "signed", "unsigned", "void" };
static const char *const builtins[] = { "assert", "blockDim",  "blockIdx", "gridDim",
                                        "printf", "threadIdx", "warpSize" };

static int by_name(const void *key, const void *entry)
{
    return strcmp(key, *(const char *const *)entry);
}

static bool among(const char *word, const char *const *list, size_t count)
{
    return bsearch(word, list, count, sizeof *list, by_name) != NULL;
}
#define AMONG(word, list) among(word, list, sizeof(list) / sizeof *(list))

static bool is_vector(const char *word)
{
    static const char *const scalars[] = { "char",  "double", "float", "int",   "long",      "longlong",
                                           "short", "uchar",  "uint",  "ulong", "ulonglong", "ushort" };
    char scalar[16];
    size_t length = strlen(word);
    if (length < 4 || length > sizeof scalar || word[length - 1] < '1' || word[length - 1] > '4')
        return false;
    format_into(scalar, sizeof scalar, "%.*s", (int)length - 1, word);
    return AMONG(scalar, scalars);
}

static bool is_builtin(const char *word)
{
    bool atomic = string_starts(word, "atomic") && word[6] >= 'A' && word[6] <= 'Z';
    bool make = string_starts(word, "make_") && is_vector(word + 5);
    return string_starts(word, "__") || atomic || make || AMONG(word, builtins);
}

static enum role role_of(const char *at, size_t length)
{
    char word[64];
    if (length >= sizeof word)
        return ROLE_TEXT;
    format_into(word, sizeof word, "%.*s", (int)length, at);
    if (is_builtin(word))
        return ROLE_BUILTIN;
    if (AMONG(word, types) || is_vector(word) || (length > 2 && string_ends(word, "_t")))
        return ROLE_TYPE;
    return AMONG(word, keywords) ? ROLE_KEYWORD : ROLE_TEXT;
}

// ---- CUDA C in roles: pieces ------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// 1.5e-3f, 0x1p+4, 1'000u: 0 when no number starts here.
static size_t number_length(const char *at)
{
    size_t length = 0;
    if (!is_digit(at[0]) && !(at[0] == '.' && is_digit(at[1])))
        return 0;
    bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    while (byte_in_word(at[length]) || at[length] == '.' ||
           (at[length] == '\'' && byte_in_word(at[length + 1]))) {
        char c = at[length++];
        bool exponent = hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
        if (exponent && (at[length] == '+' || at[length] == '-'))
            length++;
    }
    return length;
}

static bool closed(struct code_piece comment)
{
    return comment.length >= 4 && memcmp(comment.at + comment.length - 2, "*/", 2) == 0;
}

static enum role role_of_piece(struct code_piece piece, bool directive, bool *comment)
{
    if (piece.kind == PIECE_COMMENT) {
        *comment = piece.at[1] == '*' && !closed(piece);
        return string_starts(piece.at, "//@") ? ROLE_DIRECTIVE : ROLE_COMMENT;
    }
    if (directive)
        return ROLE_DIRECTIVE;
    if (piece.kind == PIECE_LITERAL)
        return ROLE_STRING;
    return piece.kind == PIECE_WORD ? role_of(piece.at, piece.length) : ROLE_TEXT;
}

static void highlight_code(struct out *out, const char *at, bool *comment)
{
    bool directive = at[strspn(at, " \t")] == '#';
    while (*at) {
        size_t number = directive ? 0 : number_length(at);
        struct code_piece piece = piece_next(at);
        size_t length = number ? number : piece.length;
        add(out, number ? ROLE_NUMBER : role_of_piece(piece, directive, comment), length);
        at += length;
    }
}

void highlight_line(const char *line, size_t length, bool *comment,
                    void (*put)(void *context, enum role role, const char *at, size_t bytes), void *context)
{
    struct out out = { .put = put, .context = context, .line = line };
    char *copy = mem_copy_n(line, length); // piece_next needs an end
    const char *at = copy;
    for (size_t i = 0; i < length; i++)
        if (!copy[i])
            copy[i] = ' ';
    if (*comment) {
        const char *end = strstr(copy, "*/");
        size_t inside = end ? (size_t)(end + 2 - copy) : length;
        *comment = !end;
        add(&out, ROLE_COMMENT, inside);
        at += inside;
    }
    highlight_code(&out, at, comment);
    flush(&out);
    free(copy);
}

// ---- the margin -------------------------------------------------------------------------------------------

static void short_count(double count, char *out, size_t size)
{
    if (count < 100000)
        format_into(out, size, "%.0f", count);
    else if (count < 1e8)
        format_into(out, size, "%.0fk", count / 1e3);
    else
        format_into(out, size, "%.0fM", count / 1e6);
}

// "4.0s": sectors per request; "1.0w": wavefronts per shared access. '!' marks a cost above the ideal.
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

// ---- messages under their lines ---------------------------------------------------------------------------

struct source_line { // as it is in the file
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

// ---- the sheet --------------------------------------------------------------------------------------------

struct code_line {
    struct sheet *sheet;
    int indent; // where a line that is too long goes on: after the margin, and a bit to the right
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

// The column where a long line goes on: four cells after its own first letter, while there is room.
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

// ---- words that are explained -----------------------------------------------------------------------------

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
