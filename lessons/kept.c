// What an answer must leave as it was shipped, so that it cannot switch off its own check: the //@ lines that launch and
// declare, the kernels that compare (`keep`), and whatever could change what those mean. `may` sets lines free; in a
// challenge, which starts from an empty file, the launches are. Words are compared, so that blanks and comments are the
// learner's.
#include "lessons/lessons.h"

#include <stdlib.h>
#include <string.h>

struct kept_line { // a //@ line that decides what runs, or a line with #
    char *words;   // with single blanks between them
    char *kind;    // "launch", "param", "buffer", "scratch", "#"
    char *name;    // of the kernel or of what is declared
    int number;
};
struct kept_lines {
    struct kept_line *list;
    size_t count;
};
struct keep_check {
    const struct live *live;
    const char *shipped, *answer;
    struct kept_lines was, is;
    struct text *out;
    int line; // of the answer, that `out` is about; 0: none
};

static const char back[] = " Put it back, or start again from the shipped file.";

// ---- words ------------------------------------------------------------------------------------------------

static void add_word(struct text *out, struct code_piece piece)
{
    text_add(out, out->length ? " " : "");
    text_add_n(out, piece.at, piece.length);
}

static bool is_code(struct code_piece piece)
{
    return piece.kind != PIECE_BLANK && piece.kind != PIECE_COMMENT;
}

// The words from `at` to `end`; the caller frees.
static char *words_of(const char *at, const char *end)
{
    struct text words = { 0 };
    for (struct code_piece piece = piece_next(at); piece.kind != PIECE_END && piece.at < end;
         piece = piece_next(piece.at + piece.length))
        if (is_code(piece))
            add_word(&words, piece);
    return words.data ? text_take(&words) : mem_copy("");
}

static bool same(const char *left, const char *right)
{
    return strcmp(left, right) == 0;
}

// ---- lines ------------------------------------------------------------------------------------------------

static void lines_free(struct kept_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->list[i].words);
        free(lines->list[i].kind);
        free(lines->list[i].name);
    }
    free(lines->list);
}

// The name in "launch ns : : add < int > …" is add, without its namespaces.
static char *name_of(const char *words)
{
    size_t length;
    while (length = strcspn(words, " "), string_starts(words + length, " : : "))
        words += length + strlen(" : : ");
    return mem_copy_n(words, length);
}

// The line, or lines, at `at`. `content` is what it says.
static void take_line(struct kept_lines *lines, const char *text, const char *at, const char *content)
{
    char *words = words_of(content, content + strlen(content));
    size_t first = strcspn(words, " "), from = first + (words[first] == ' ');
    bool hash = *words == '#' || *words == '%';
    if (string_ends(words, " ;")) // a launch may end with it
        words[strlen(words) - 2] = 0;
    lines->list = array_room(lines->list, lines->count, sizeof *lines->list);
    lines->list[lines->count++] = (struct kept_line){ .words = words,
                                                      .kind = hash ? mem_copy("#") : mem_copy_n(words, first),
                                                      .name = name_of(words + from),
                                                      .number = text_line_of(text, at) };
}

// Finds directives exactly as kernels/directive_parse.c does, so that none counts here that does not count there.
static struct kept_lines lines_of(const char *text)
{
    struct kept_lines lines = { 0 };
    const char *end = text + (string_starts(text, "\xef\xbb\xbf") ? 3 : 0);
    bool starts = true;
    for (struct code_piece piece = piece_next(end); piece.kind != PIECE_END; piece = piece_next(end)) {
        end = piece.at + piece.length;
        char *content = NULL;
        if (starts && piece.kind == PIECE_COMMENT && directive_marked(piece.at)) {
            end = directive_end(piece.at);
            if (directive_decides(directive_of(piece.at)))
                content = directive_text(piece.at + 3, end);
        }
        if (piece.kind == PIECE_SIGN && (*piece.at == '#' || string_starts(piece.at, "%:")))
            content = mem_copy_n(piece.at, strcspn(piece.at, "\n"));
        if (content)
            take_line(&lines, text, piece.at, content);
        free(content);
        bool blank = piece.kind == PIECE_BLANK;
        starts = blank && (starts || memchr(piece.at, '\n', piece.length));
    }
    return lines;
}

static bool is_declared(const struct kept_line *line)
{
    return !same(line->kind, "launch") && !same(line->kind, "#");
}

static const struct kept_line *find_line(const struct kept_lines *lines, const char *words)
{
    for (size_t i = 0; i < lines->count; i++)
        if (same(lines->list[i].words, words))
            return &lines->list[i];
    return NULL;
}

// `may: launch` and `may: buffer y`.
static bool is_free(const struct live *live, const struct kept_line *line)
{
    const char *may;
    if (live->kind == LIVE_CHALLENGE && same(line->kind, "launch"))
        return true;
    for (size_t i = 0; (may = live_nth(live, "may", i)); i++) {
        size_t kind = strcspn(may, " ");
        if (strlen(line->kind) == kind && memcmp(line->kind, may, kind) == 0 &&
            (!may[kind] || same(may + kind + 1, line->name)))
            return true;
    }
    return false;
}

static bool is_kept(const struct live *live, const char *kernel)
{
    const char *keep;
    for (size_t i = 0; (keep = live_nth(live, "keep", i)); i++)
        if (same(keep, kernel))
            return true;
    return false;
}

// ---- what is said -----------------------------------------------------------------------------------------

// The line, and those that continue it, as the file has them, each on a line of its own.
static void quote(const struct keep_check *k, const char *text, int number)
{
    for (; number > 1; number--)
        text += strcspn(text, "\n") + 1;
    text += strspn(text, " \t");
    const char *end = directive_marked(text) ? directive_end(text) : text + strcspn(text, "\n");
    do {
        text += strspn(text, " \t\n");
        text_addf(k->out, "\n  %.*s", (int)strcspn(text, "\r\n"), text);
        text += strcspn(text, "\n");
    } while (text < end);
}

static bool changed_line(struct keep_check *k, const struct kept_line *was, const struct kept_line *is)
{
    k->line = is ? is->number : was->number;
    if (is)
        text_addf(k->out, "Line %d is not as it was shipped.", is->number);
    else
        text_addf(k->out, "Line %d of the shipped file is missing.", was->number);
    text_addf(k->out, " This task keeps that line.%s It was:", back);
    quote(k, k->shipped, was->number);
    return false;
}

static bool added_line(struct keep_check *k, const struct kept_line *is, const char *why)
{
    k->line = is->number;
    text_addf(k->out, "Line %d is not allowed here: %s", is->number, why);
    quote(k, k->answer, is->number);
    return false;
}

// ---- //@ lines --------------------------------------------------------------------------------------------

static bool declared_stay(struct keep_check *k)
{
    for (size_t i = 0; i < k->was.count; i++) {
        const struct kept_line *was = &k->was.list[i], *is = NULL;
        if (!is_declared(was) || is_free(k->live, was) || find_line(&k->is, was->words))
            continue;
        for (size_t j = 0; j < k->is.count && !is; j++)
            if (is_declared(&k->is.list[j]) && same(k->is.list[j].name, was->name))
                is = &k->is.list[j];
        return changed_line(k, was, is);
    }
    return true;
}

// The next launch from *at on that must stay; *at moves past it.
static const struct kept_line *next_launch(const struct keep_check *k, const struct kept_lines *lines,
                                           size_t *at)
{
    while (*at < lines->count) {
        const struct kept_line *line = &lines->list[(*at)++];
        if (same(line->kind, "launch") && (!is_free(k->live, line) || is_kept(k->live, line->name)))
            return line;
    }
    return NULL;
}

static bool launches_stay(struct keep_check *k)
{
    size_t at = 0, of = 0;
    for (;;) {
        const struct kept_line *was = next_launch(k, &k->was, &at), *is = next_launch(k, &k->is, &of);
        if (!was && !is)
            break;
        if (!was)
            return added_line(k, is, "the launches of the shipped file are all that this task has.");
        if (!is || !same(was->words, is->words))
            return changed_line(k, was, is);
    }
    return true;
}

// ---- kernels ----------------------------------------------------------------------------------------------

// How deep in braces the text after the piece is; *start moves to where a declaration may begin.
static int pass(struct code_piece piece, int depth, const char **start)
{
    if (piece.kind != PIECE_SIGN || !strchr(";{}#", *piece.at))
        return depth;
    *start = *piece.at == '#' ? piece.at + strcspn(piece.at, "\n") : piece.at + 1;
    return depth + (*piece.at == '{') - (*piece.at == '}');
}

// The kernel from the start of its declaration to the end of its body; NULL: it is not there.
static const char *kernel_find(const char *text, const char *kernel, const char **end)
{
    const char *at = text, *start = text, *past = NULL;
    struct code_piece name, piece = piece_next(text);
    bool found = false;
    while (!found && kernel_next(&at, &name))
        found = piece_is(name, kernel);
    if (!found)
        return NULL;
    for (; piece.at < name.at; piece = piece_next(piece.at + piece.length))
        (void)pass(piece, 0, &start);
    for (int depth = 0; piece.kind != PIECE_END && !past; piece = piece_next(piece.at + piece.length)) {
        const char *unused;
        int now = pass(piece, depth, &unused);
        past = now < depth && now <= 0 ? piece.at + 1 : NULL;
        depth = now;
    }
    *end = past ? past : piece.at;
    return start;
}

static size_t count_word(const char *text, const char *word)
{
    size_t count = 0;
    for (struct code_piece piece = piece_next(text); piece.kind != PIECE_END;
         piece = piece_next(piece.at + piece.length))
        count += piece.kind == PIECE_WORD && piece_is(piece, word);
    return count;
}

static bool changed_kernel(struct keep_check *k, const char *kernel, const char *is)
{
    k->line = is ? text_line_of(k->answer, is + strspn(is, " \t\r\n")) : 0;
    if (is)
        text_addf(k->out, "The kernel %s, in line %d, is not as it was shipped.", kernel, k->line);
    else
        text_addf(k->out, "The kernel %s is missing.", kernel);
    text_addf(k->out, " %s%s",
              live_field(k->live, "program") ? "The host's part alone is yours."
                                             : "It checks the answer, so it has to stay.",
              back);
    return false;
}

static bool kernel_stays(struct keep_check *k, const char *kernel)
{
    const char *was_end, *is_end = NULL;
    const char *was = kernel_find(k->shipped, kernel, &was_end);
    const char *is = kernel_find(k->answer, kernel, &is_end);
    if (!is || !was)
        return changed_kernel(k, kernel, NULL);
    char *before = words_of(was, was_end), *now = words_of(is, is_end);
    bool stays = same(before, now) || changed_kernel(k, kernel, is);
    free(before);
    free(now);
    if (!stays || live_field(k->live, "program") ||
        count_word(k->shipped, kernel) == count_word(k->answer, kernel))
        return stays;
    text_addf(k->out,
              "The name %s appears more often than in the shipped file. It belongs to the kernel that "
              "checks the answer: call yours something else.",
              kernel);
    return false;
}

// ---- what could change a kernel's meaning -----------------------------------------------------------------

static bool may_include(const char *words)
{
    return string_starts(words, "# include < ") && words[12] != '/' && !strstr(words, ". .");
}

static bool hashes_stay(struct keep_check *k)
{
    for (size_t i = 0; i < k->is.count; i++) {
        const struct kept_line *is = &k->is.list[i];
        if (*is->kind == '#' && !find_line(&k->was, is->words) &&
            !string_starts(is->words, "# pragma unroll") && !may_include(is->words))
            return added_line(
                k, is, "a line with # could change the check. Write a constant as `const int NAME = 1;`.");
    }
    return true;
}

// Text that the compiler and kernels/scan.c would read differently, and the names that assert expands to.
static bool trick(struct code_piece piece)
{
    const char *end = piece.at + piece.length;
    while (piece.kind == PIECE_COMMENT && strchr(" \t\r\v\f", end[-1]))
        end--;
    if (piece.kind == PIECE_SIGN)
        return *piece.at == '\\';
    if (piece.kind == PIECE_COMMENT)
        return piece.at[1] == '/' && end[-1] == '\\';
    return piece.kind == PIECE_WORD &&
           ((end[-1] == 'R' && *end == '"') || string_starts(piece.at, "__assert"));
}

static bool plain(struct keep_check *k)
{
    for (struct code_piece piece = piece_next(k->answer); piece.kind != PIECE_END;
         piece = piece_next(piece.at + piece.length)) {
        if (!trick(piece))
            continue;
        k->line = text_line_of(k->answer, piece.at);
        text_addf(k->out,
                  "Line %d has %s, which could hide code from the check. Please do without it in this task.",
                  k->line,
                  piece.kind == PIECE_WORD
                      ? *(piece.at + piece.length) == '"' ? "a raw string" : "a name of assert's own"
                      : "a \\ outside of a string");
        quote(k, k->answer, k->line);
        return false;
    }
    return true;
}

// ---- all of it --------------------------------------------------------------------------------------------

bool judge_kept(const struct live *live, const char *shipped, const char *answer, struct text *out, int *line)
{
    struct keep_check k = { live, shipped, answer, lines_of(shipped), lines_of(answer), out, 0 };
    const char *kernel;
    bool stays = declared_stay(&k) && launches_stay(&k);
    for (size_t i = 0; stays && (kernel = live_nth(live, "keep", i)); i++)
        stays = kernel_stays(&k, kernel);
    if (stays && live_field(live, "keep"))
        stays = hashes_stay(&k) && plain(&k);
    lines_free(&k.was);
    lines_free(&k.is);
    *line = k.line;
    return stays;
}

bool judge_has_kernel(const char *text, const char *kernel)
{
    const char *end;
    return kernel_find(text, kernel, &end) != NULL;
}
