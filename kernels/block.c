// A kernel file whose launch line has another block, as a person would write it: the block's number is changed, and where
// the grid divides by a number that belongs to the block, that number follows, there and wherever the file says it again.
// Whether the kernel still computes the right thing is not known here.
#include "kernels/variant.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = 32, DIMS = 3, EDITS = 64 };

struct line_part { // of the text
    const char *at, *end;
};
struct new_number {
    struct line_part span; // one number
    long number;           // that takes its place
};
struct change {
    const struct variant *variant;
    struct new_number edits[EDITS];
    size_t count;
};

// ---- the parts of a launch line ---------------------------------------------------------------------------------

// The part from *at to the next comma or bracket that belongs to none of its own; *at moves there.
static struct line_part next_part(const char **at, const char *end)
{
    struct line_part part = { *at, end };
    int open = 0;
    const char *p = *at;
    for (; p < end; p++) {
        if (!open && (*p == ',' || *p == ')' || string_starts(p, ">>>")))
            break;
        open += (*p == '(') - (*p == ')');
    }
    part.end = *at = p;
    return part;
}

// Without blanks and the marks of lines that continue it.
static struct line_part trim(struct line_part span)
{
    span.at += directive_blanks(span.at, span.end);
    while (span.end > span.at && strchr(" \t\r\n/@", span.end[-1]))
        span.end--;
    return span;
}

// The parts of dim3(x, y, z), or of a number alone.
static size_t dims_of(struct line_part span, struct line_part out[DIMS])
{
    size_t count = 0;
    span = trim(span);
    if (!string_starts(span.at, "dim3")) {
        out[0] = span;
        return 1;
    }
    const char *at = strchr(span.at, '(');
    for (; at && at < span.end && *at != ')' && count < DIMS; count++) {
        at++;
        out[count] = trim(next_part(&at, span.end));
    }
    return count;
}

static bool plain_number(struct line_part span, long *out)
{
    *out = 0;
    for (const char *p = span.at; p < span.end; p++) {
        if (*p < '0' || *p > '9' || *out > 100000)
            return false;
        *out = *out * 10 + (*p - '0');
    }
    return *out > 0;
}

// ---- what is changed --------------------------------------------------------------------------------------------

static void change(struct change *all, struct line_part span, long number)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->edits[i].span.at == span.at)
            return;
    if (all->count < EDITS)
        all->edits[all->count++] = (struct new_number){ span, number };
}

// The next number of the text from *at on, and the sign before it; *at moves past it.
static bool next_number(const char **at, const char *end, struct line_part *out, long *number, char *before)
{
    *before = 0;
    for (const char *p = *at; p < end; p++) {
        if (byte_in_word(*p)) {
            *out = (struct line_part){ p, p };
            while (out->end < end && byte_in_word(*out->end))
                out->end++;
            p = out->end - 1;
            if (plain_number(*out, number)) {
                *at = out->end;
                return true;
            }
        } else if (string_starts(p, "//@")) {
            p += 2;
        }
        if (!strchr(" \t\r\n@", *p))
            *before = *p;
    }
    return false;
}

// The number that a grid divides by for this block: the block's, a multiple of it, or its warps. 0: there is none.
static long divisor_of(struct line_part grid, long block)
{
    struct line_part span;
    long number, found = 0;
    char before;
    for (const char *at = grid.at; next_number(&at, grid.end, &span, &number, &before);) {
        bool belongs = block > 1 && (number % block == 0 || number * WARP == block);
        if (before == '/' && belongs && (!found || number == block))
            found = number;
    }
    return found;
}

// (n + 255) / 256 becomes (n + 127) / 128.
static void follow(struct change *all, struct line_part span, long from, long to)
{
    struct line_part place;
    long number;
    char before;
    for (const char *at = span.at; from && next_number(&at, span.end, &place, &number, &before);) {
        if (before == '/' && number == from)
            change(all, place, to);
        else if (before == '+' && number == from - 1 && to > 0)
            change(all, place, to - 1);
    }
}

// What the launch lines pass to the kernels, and the sizes of the scratch, count blocks too.
static void follow_elsewhere(struct change *all, long from, long to)
{
    const struct variant *v = all->variant;
    for (size_t i = 0; i < v->launch_count; i++) {
        const char *at = strstr(v->launches[i].at, ">>>");
        if (at)
            follow(all, (struct line_part){ at, directive_end(at) }, from, to);
    }
    for (size_t i = 0; i < v->scratch_count; i++) {
        const char *at = v->scratch[i].at;
        follow(all, (struct line_part){ at, at + strcspn(at, "\n") }, from, to);
    }
}

// The number that a line of code gives a name: of `#define TILE 16`, `const int TILE = 16;`, or of `enum { TILE = 16 }`, where
// *at moves past it for the next one. False: there is none.
static bool named_number(const char **at, const char *end, struct line_part *out, long *number)
{
    const char *word = *at + strspn(*at, " \t"), *value = NULL;
    const bool defines = string_starts(word, "#define");
    if (defines) {
        word += strlen("#define");
        word += strspn(word, " \t");
        while (word < end && byte_in_word(*word))
            word++;
        value = word;
    } else {
        value = memchr(*at, '=', (size_t)(end - *at));
        value = value ? value + 1 : end;
    }
    value += strspn(value, " \t");
    *out = (struct line_part){ value, value };
    while (out->end < end && byte_in_word(*out->end))
        out->end++;
    *at = value < end ? value : end;
    const char *after = out->end + strspn(out->end, " \t\r");
    const bool alone =
        after >= end || *after == '\n' || string_starts(after, "//") || (!defines && strchr(",;}", *after));
    return alone && out->end > out->at && plain_number(*out, number);
}

static bool gives_names(const char *at, const char *end)
{
    const char *word = at + strspn(at, " \t");
    static const char *const words[] = { "#define", "const",        "constexpr",
                                         "enum",    "static const", "static constexpr" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (word + length < end && strncmp(word, words[i], length) == 0 && !byte_in_word(word[length]))
            return true;
    }
    return false;
}

// The names of the code that stand for the number get another one.
static void change_names(struct change *all, long from, long to)
{
    for (const char *line = all->variant->text, *end; *line; line = end + (*end != 0)) {
        struct line_part span;
        long number;
        end = line + strcspn(line, "\n");
        if (!gives_names(line, end))
            continue;
        for (const char *at = line; at < end;)
            if (named_number(&at, end, &span, &number) && number == from)
                change(all, span, to);
    }
}

static int by_place(const void *left, const void *right)
{
    const struct new_number *x = left, *y = right;
    return (x->span.at > y->span.at) - (x->span.at < y->span.at);
}

static char *changed_text(struct change *all)
{
    struct text out = { 0 };
    const char *at = all->variant->text;
    qsort(all->edits, all->count, sizeof *all->edits, by_place);
    for (size_t i = 0; i < all->count; i++) {
        text_add_n(&out, at, (size_t)(all->edits[i].span.at - at));
        text_addf(&out, "%ld", all->edits[i].number);
        at = all->edits[i].span.end;
    }
    text_add(&out, at);
    return text_take(&out);
}

// ---- the block ----------------------------------------------------------------------------------------------------

// A square stays one, another shape keeps its width.
static bool shape_of(const long from[DIMS], size_t count, long threads, long to[DIMS], struct error *error)
{
    long side = 1;
    bool square = count > 1 && from[0] == from[1] && from[0] > 1;
    while (square && side * side < threads)
        side++;
    to[0] = count == 1 || from[1] == 1 ? threads : square ? side : from[0];
    to[1] = threads / to[0];
    to[2] = 1;
    if (to[0] * to[1] == threads && (count < DIMS || from[2] == 1))
        return true;
    if (square)
        return error_set(error, EXIT_USAGE, "No square block has %ld threads.", threads);
    return error_set(error, EXIT_USAGE, "No block of %ld threads is %ld wide.", threads, from[0]);
}

static bool read_block(const struct launch *launch, struct line_part block, struct line_part parts[DIMS],
                       long from[DIMS], size_t *count, struct error *error)
{
    *count = dims_of(block, parts);
    for (size_t d = 0; d < *count; d++)
        if (!plain_number(parts[d], &from[d]))
            return error_set(error, EXIT_USAGE,
                             "The block of %.40s is %.*s, which the size of the "
                             "data sets. Choose another size.",
                             launch->kernel, (int)(parts[d].end - parts[d].at), parts[d].at);
    return *count > 0;
}

// Of the bytes of shared memory, those that count the block's threads.
static void change_bytes(struct change *all, struct line_part bytes, long from, long to)
{
    struct line_part place;
    long number;
    char before;
    for (const char *at = bytes.at; next_number(&at, bytes.end, &place, &number, &before);)
        if (number == from)
            change(all, place, to);
}

static bool change_launch(struct change *all, const struct launch *launch, long threads,
                          enum block_follows follows, struct error *error)
{
    struct line_part grid[DIMS], block[DIMS];
    long from[DIMS] = { 1, 1, 1 }, to[DIMS];
    size_t count;
    const char *end = all->variant->text + strlen(all->variant->text), *at = strstr(launch->at, "<<<") + 3;
    size_t grid_count = dims_of(next_part(&at, end), grid);
    at += *at == ',';
    if (!read_block(launch, next_part(&at, end), block, from, &count, error) ||
        !shape_of(from, count, threads, to, error))
        return false;
    for (size_t d = 0; d < count; d++) {
        if (to[d] == from[d])
            continue;
        if (follows == BLOCK_NAMES_FOLLOW)
            change_names(all, from[d], to[d]);
        long divisor = follows != BLOCK_ALONE && d < grid_count ? divisor_of(grid[d], from[d]) : 0;
        long next = divisor < from[d] ? to[d] / WARP : divisor / from[d] * to[d];
        change(all, block[d], to[d]);
        if (divisor && next) {
            follow(all, grid[d], divisor, next);
            if (count == 1)
                follow_elsewhere(all, divisor, next);
        }
    }
    if (*at == ',' && count == 1) {
        at++;
        change_bytes(all, next_part(&at, end), from[0], to[0]);
    }
    return true;
}

char *variant_with_block(const struct variant *variant, size_t which, long threads,
                         enum block_follows follows, struct error *error)
{
    struct change all = { .variant = variant };
    for (size_t i = 0; i < variant->launch_count; i++)
        if (strcmp(variant->launches[i].spelled, variant->launches[which].spelled) == 0 &&
            !change_launch(&all, &variant->launches[i], threads, follows, error))
            return NULL;
    return changed_text(&all);
}

// ---- the code's own number --------------------------------------------------------------------------------------

int variant_number_line(const struct variant *variant, long number)
{
    const char *at = variant->text;
    for (struct code_piece piece; (piece = piece_next_code(&at)).kind != PIECE_END;) {
        long found;
        struct line_part span = { piece.at, piece.at + piece.length };
        if (piece.kind == PIECE_WORD && plain_number(span, &found) && found == number)
            return text_line_of(variant->text, piece.at);
    }
    return 0;
}
