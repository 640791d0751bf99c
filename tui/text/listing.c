// A kernel's source as a sheet: highlighted, with what differs from the step before marked, the simulator's counters in
// the margin, and the compiler's messages under their lines. The item of a line is its number, from 0.
#include "tui/text/text.h"

#include "engine/sim/sim.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what differs from the step before --------------------------------------------------------------------

struct signs {
    char *at; // one for each line
    size_t count, used;
};

static void note_line(void *context, char sign, const char *line, size_t length)
{
    struct signs *signs = context;
    if (sign != '-' && signs->used < signs->count)
        signs->at[signs->used++] = sign;
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

static struct signs signs_of(const struct listing *listing)
{
    struct signs signs = { .count = lines_of(listing->text) };
    signs.at = mem_new(signs.count + 1);
    memset(signs.at, ' ', signs.count);
    if (listing->signs)
        memcpy(signs.at, listing->signs, signs.count);
    else if (listing->before)
        diff_lines(listing->before, listing->text, note_line, &signs);
    return signs;
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
        return directive_marked(piece.at) ? ROLE_DIRECTIVE : ROLE_COMMENT;
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

#define ALL_LANES 31.95

// A line may have both kinds of access: what counts is the one that takes more passes than it needs, or takes most of
// them; without any, that of global memory.
static bool counts_shared(const struct record_counters *counters)
{
    double global = record_global_sectors(counters) - counters->l2_sectors_ideal,
           shared = counters->l1_wave_shared - counters->l1_wave_shared_ideal;
    return !isfinite(record_sectors_per_request(counters)) || shared > fmax(global, 0);
}

static double passes_of(const struct record_counters *counters)
{
    return counts_shared(counters) ? counters->l1_wave_shared : record_global_sectors(counters);
}

static double passes_ideal(const struct record_counters *counters)
{
    return counts_shared(counters) ? counters->l1_wave_shared_ideal : counters->l2_sectors_ideal;
}

static bool costs_too_much(const struct record_counters *counters)
{
    double ideal = passes_ideal(counters);
    return ideal > 0 && passes_of(counters) > 1.05 * ideal;
}

// "4s": sectors per request; "1.5w!": wavefronts per shared access, which are more than needed. False: it costs neither.
static bool cost_words(const struct record_counters *counters, char *out, size_t size)
{
    bool shared = counts_shared(counters);
    double cost = shared ? record_wavefronts_per_access(counters) : record_sectors_per_request(counters);
    if (!isfinite(cost))
        return false;
    bool whole = fabs(cost - round(cost)) < 0.05;
    format_into(out, size, "%.*f%c%s", whole ? 0 : 1, cost, shared ? 'w' : 's',
                costs_too_much(counters) ? "!" : "");
    return true;
}

// Cells of the columns, each with a blank after it, as wide as what they hold. lanes 0: all instructions ran with 32, which
// the head says.
struct margin {
    int runs, lanes, cost;
};

static struct margin margin_of(const struct record *record, size_t lines)
{
    struct margin margin = { (int)sizeof "warps", 0, (int)sizeof "cost" };
    for (size_t line = 1; line <= lines; line++) {
        const struct record_counters *counters = record_line_counters(record, line);
        char runs[24] = "", cost[24] = "";
        if (!counters)
            continue;
        short_count(counters->inst, runs, sizeof runs);
        cost_words(counters, cost, sizeof cost);
        margin.runs = (int)strlen(runs) >= margin.runs ? (int)strlen(runs) + 1 : margin.runs;
        margin.cost = (int)strlen(cost) >= margin.cost ? (int)strlen(cost) + 1 : margin.cost;
        if (counters->lanes_per_inst < ALL_LANES)
            margin.lanes = (int)sizeof "lanes";
    }
    return margin;
}

static void add_margin(struct sheet *sheet, const struct margin *margin, const struct record *record,
                       size_t line)
{
    const struct record_counters *counters = record_line_counters(record, line);
    int end = sheet->used + margin->runs + margin->lanes + margin->cost;
    char text[24];
    if (counters) {
        double lanes = counters->lanes_per_inst;
        short_count(counters->inst, text, sizeof text);
        sheet_add(sheet, ROLE_DIM, "%*s ", margin->runs - 1, text);
        if (margin->lanes)
            sheet_add(sheet, lanes < ALL_LANES ? ROLE_NOTE : ROLE_DIM, "%*.0f ", margin->lanes - 1, lanes);
        if (cost_words(counters, text, sizeof text))
            sheet_add(sheet, costs_too_much(counters) ? ROLE_BAD : ROLE_GOOD, "%*s ", margin->cost - 1, text);
    }
    sheet_add(sheet, ROLE_TEXT, "%*s", end - sheet->used, "");
}

static void margin_head(struct sheet *sheet, const struct margin *margin, int numbers)
{
    sheet_add(sheet, ROLE_DIM, "%*s%*s ", numbers, "", margin->runs - 1, "warps");
    if (margin->lanes)
        sheet_add(sheet, ROLE_DIM, "%*s ", margin->lanes - 1, "lanes");
    sheet_add(sheet, ROLE_DIM, "%*s  ", margin->cost - 1, "cost");
    const char *all = margin->lanes ? "" : "32 lanes; ";
    static const char units[] = "s sectors, w wavefronts a request, ! more than needed";
    if (sheet->used + (int)(strlen(all) + strlen(units)) <= sheet->width)
        sheet_add(sheet, ROLE_DIM, "%s%s", all, units);
    else
        sheet_add_cut(sheet, ROLE_DIM, units);
    sheet_end(sheet);
}

static bool shows_margin(const struct listing *listing)
{
    return listing->margin && listing->record && listing->record->lines;
}

// Cells of the sign, and of the number with a blank.
static int number_cells(const struct listing *listing, size_t lines)
{
    int digits = 1;
    for (size_t most = lines; most > 9; most /= 10)
        digits++;
    return listing->numbers ? 1 + digits + 1 : 1;
}

bool listing_head(const struct listing *listing, struct area line)
{
    if (!shows_margin(listing))
        return false;
    struct sheet sheet = sheet_new(line.cols, line.canvas->utf8);
    size_t lines = lines_of(listing->text);
    struct margin margin = margin_of(listing->record, lines);
    margin_head(&sheet, &margin, number_cells(listing, lines));
    sheet_draw(&sheet, line, 0, -1, NULL);
    sheet_free(&sheet);
    return true;
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

// ---- a line of code --------------------------------------------------------------------------------------------

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

// `fits`, or as near before it where no word and no comment's sign is cut; 0 only if it `moves` as a whole.
static size_t between_words(const char *at, size_t fits, size_t near, bool moves)
{
    size_t cut = fits;
    while (cut && fits - cut < near &&
           ((in_word(at[cut - 1]) && in_word(at[cut])) || (at[cut - 1] == '/' && strchr("/*", at[cut]))))
        cut--;
    return (cut || moves) && fits - cut < near ? cut : fits;
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
            cut = moves && text_cells_n(at, bytes) < NEAR ? 0 : between_words(at, fits, NEAR, moves);
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

// ---- the opening: what a file says of itself before its code ------------------------------------------------

// Comments and directives up to the last directive; without one, up to the first empty line.
size_t listing_opening(const char *text)
{
    const char *first = NULL, *end = NULL;
    bool gap = false, directives = false;
    for (struct code_piece piece = piece_next(text); piece.kind == PIECE_COMMENT || piece.kind == PIECE_BLANK;
         piece = piece_next(piece.at + piece.length)) {
        const char *newline = memchr(piece.at, '\n', piece.length);
        bool directive = directive_marked(piece.at);
        if (piece.kind == PIECE_BLANK && newline && first)
            gap |= memchr(newline + 1, '\n', piece.length - (size_t)(newline + 1 - piece.at)) != NULL;
        if (piece.kind != PIECE_COMMENT)
            continue;
        directives |= directive;
        first = first ? first : piece.at;
        if (directive || (!directives && !gap))
            end = piece.at + piece.length;
    }
    bool alone = end && strchr("\r\n", end[strspn(end, " \t")]); // no code follows on its line
    return alone ? (size_t)text_line_of(text, end) : 0;
}

// "comment, title, why, launch": what these lines hold, each named once.
static void opening_words(const char *text, size_t lines, struct text *out)
{
    struct text seen = { 0 };
    for (text_add(&seen, ","); lines--; text += *text == '\n') {
        enum directive directive = directive_marked(text) ? directive_of(text) : DIRECTIVES;
        const char *word = directive < DIRECTIVES   ? directive_names[directive]
                           : directive_marked(text) ? ""
                                                    : "comment"; // "": it continues a directive
        size_t length = strcspn(text, "\n");
        struct text listed = { 0 };
        text_addf(&listed, ",%s,", word);
        if (*word && strspn(text, " \t\r") < length && !strstr(seen.data, listed.data)) {
            text_addf(&seen, "%s,", word);
            text_addf(out, "%s%s", out->length ? ", " : "", word);
        }
        text_free(&listed);
        text += length;
    }
    text_free(&seen);
}

// One row in the place of all; it is the item of the last of them, so that one goes up to it from the code.
static void add_opening(struct sheet *sheet, const struct listing *listing, size_t lines, int numbers)
{
    struct text words = { 0 }, row = { 0 };
    opening_words(listing->text, lines, &words);
    sheet->item = listing->items ? (int)lines - 1 : -1;
    text_addf(&row, "%s %zu lines folded: %s", glyph(sheet->utf8, GLYPH_RIGHT), lines, text_string(&words));
    if (listing->fold)
        text_addf(&row, " (%s)", listing->fold);
    sheet_add(sheet, ROLE_DIM, "%*s", numbers, "");
    sheet_add_n(sheet, ROLE_DIM, row.data, text_fit(row.data, sheet->width - sheet->used));
    sheet_end(sheet);
    text_free(&words);
    text_free(&row);
}

static bool has_message(const struct record *record, size_t lines)
{
    for (size_t i = 0; record && i < record->diagnostic_count; i++)
        if (record->diagnostics[i].line > 0 && record->diagnostics[i].line <= (int)lines)
            return true;
    for (size_t i = 0; record && i < record->finding_count; i++)
        if (record->findings[i].here.line > 0 && record->findings[i].here.line <= (int)lines)
            return true;
    return false;
}

// ---- the sheet ----------------------------------------------------------------------------------------------

static void add_line(struct sheet *sheet, const struct listing *listing, const struct source_line *source,
                     const char *shown, size_t length, bool *comment)
{
    int indent = sheet->used;
    size_t skip = dedent_of(shown, length, sheet->width - indent);
    const char *code = shown + skip;
    struct code_line line = { sheet, hang_of(code, length - skip, indent, sheet->width) };
    highlight_line(code, length - skip, comment, put_piece, &line);
    sheet_end(sheet);
    if (listing->record)
        add_messages(sheet, listing->record, source,
                     indent - (int)skip); // columns count from the line's own start
}

static enum role role_of_sign(char sign)
{
    return sign == '+' ? ROLE_ADDED : sign == '-' ? ROLE_REMOVED : ROLE_DIM;
}

// The lines after the first `folded`, which become a row.
static struct sheet make_sheet(const struct listing *listing, size_t folded, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    struct signs signs = signs_of(listing);
    int numbers = number_cells(listing, signs.count);
    bool has_margin = shows_margin(listing), comment = false;
    struct margin margin = has_margin ? margin_of(listing->record, signs.count) : (struct margin){ 0 };
    if (has_margin && !listing->head_apart)
        margin_head(&sheet, &margin, numbers);
    if (folded)
        add_opening(&sheet, listing, folded, numbers);
    const char *at = listing->text;
    struct text shown = { 0 };
    for (size_t i = 0; i < signs.count; i++, at += *at == '\n') {
        struct source_line source = { i + 1, at, strcspn(at, "\n") };
        enum role role = role_of_sign(signs.at[i]);
        at += source.length;
        if (i < folded)
            continue;
        shown.length = 0;
        text_add_clean(&shown, source.at, source.length);
        sheet.item = listing->items ? (int)i : -1;
        sheet_add(&sheet, role, "%c", signs.at[i]);
        if (listing->numbers)
            sheet_add(&sheet, role, "%*zu ", numbers - 2, i + 1);
        if (has_margin)
            add_margin(&sheet, &margin, listing->record, i + 1);
        add_line(&sheet, listing, &source, text_string(&shown), shown.length, &comment);
    }
    text_free(&shown);
    free(signs.at);
    return sheet;
}

struct sheet listing_sheet(const struct listing *listing, int width, bool utf8)
{
    struct sheet sheet = make_sheet(listing, 0, width, utf8);
    size_t opening = listing->fold ? listing_opening(listing->text) : 0;
    bool stays = listing->shut ? !opening : opening < 2 || (int)sheet.line_count <= listing->rows;
    if (stays || has_message(listing->record, opening))
        return sheet;
    sheet_free(&sheet);
    return make_sheet(listing, opening, width, utf8);
}

// The line, from 0, where the kernel with the longest body begins: that of the step, where others only clear or add up.
static size_t longest_kernel(const char *text)
{
    size_t line = 0, longest = 0;
    for (struct code_piece piece = piece_next(text); piece.kind != PIECE_END;
         piece = piece_next(piece.at + piece.length)) {
        const char *begin = piece.at;
        int depth = 0;
        if (!piece_is(piece, "__global__"))
            continue;
        do {
            piece = piece_next(piece.at + piece.length);
            depth += piece_is(piece, "{") - piece_is(piece, "}");
        } while (piece.kind != PIECE_END && (depth || !(piece_is(piece, "}") || piece_is(piece, ";"))));
        if ((size_t)(piece.at - begin) > longest) {
            longest = (size_t)(piece.at - begin);
            line = (size_t)text_line_of(text, begin) - 1;
        }
    }
    return line;
}

// The line that costs most, the first one changed in the kernel, or where the kernel begins, unless little is before it.
int listing_start(const struct listing *listing, const struct record *counted)
{
    enum { LITTLE = 8 };
    struct signs signs = signs_of(listing);
    size_t opening = listing_opening(listing->text), most = signs.count, first = signs.count;
    size_t kernel = longest_kernel(listing->text);
    double worst = 0;
    for (size_t i = opening; i < signs.count; i++) {
        const struct record_counters *counters = counted ? record_line_counters(counted, i + 1) : NULL;
        double more = counters && costs_too_much(counters) ? passes_of(counters) - passes_ideal(counters) : 0;
        if (more > worst) {
            worst = more;
            most = i;
        }
        if (first == signs.count && i >= kernel && signs.at[i] == '+')
            first = i;
    }
    size_t code = kernel > opening + LITTLE ? kernel : opening;
    size_t start = most < signs.count ? most : first < signs.count ? first : code;
    free(signs.at);
    return start < signs.count ? (int)start : 0;
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
