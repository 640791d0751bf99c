// Which lines two texts share, by the longest common subsequence. Kernel files have about a hundred lines, for which the
// plain table is small; what both begin and end with needs none.
#include "tui/text/text.h"

#include <stdlib.h>
#include <string.h>

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
// Texts so long that it would take too much memory share none.
static unsigned *common(const struct diff_text_line *a, size_t a_count, const struct diff_text_line *b,
                        size_t b_count)
{
    enum { CELLS_MOST = 1 << 24 };
    size_t row = b_count + 1;
    if (a_count + 1 > CELLS_MOST / row)
        return NULL;
    unsigned *table = mem_new((a_count + 1) * row * sizeof *table);
    for (size_t i = a_count; i-- > 0;)
        for (size_t j = b_count; j-- > 0;) {
            unsigned down = table[(i + 1) * row + j], right = table[i * row + j + 1];
            table[i * row + j] =
                same(&a[i], &b[j]) ? table[(i + 1) * row + j + 1] + 1 : (down > right ? down : right);
        }
    return table;
}

static void emit_middle(const struct diff_text_line *a, size_t a_count, const struct diff_text_line *b,
                        size_t b_count, diff_line emit, void *context)
{
    unsigned *table = common(a, a_count, b, b_count);
    size_t row = b_count + 1, i = 0, j = 0;
    while (i < a_count || j < b_count) {
        if (table && i < a_count && j < b_count && same(&a[i], &b[j])) {
            emit(context, ' ', b[j].at, b[j].length);
            i++;
            j++;
        } else if (j == b_count ||
                   (i < a_count && (!table || table[(i + 1) * row + j] >= table[i * row + j + 1]))) {
            emit(context, '-', a[i].at, a[i].length);
            i++;
        } else {
            emit(context, '+', b[j].at, b[j].length);
            j++;
        }
    }
    free(table);
}

void diff_lines(const char *before, const char *after, diff_line emit, void *context)
{
    size_t a_count, b_count, first = 0, last = 0;
    struct diff_text_line *a = split(before, &a_count), *b = split(after, &b_count);
    while (first < a_count && first < b_count && same(&a[first], &b[first]))
        first++;
    while (last < a_count - first && last < b_count - first &&
           same(&a[a_count - 1 - last], &b[b_count - 1 - last]))
        last++;
    for (size_t i = 0; i < first; i++)
        emit(context, ' ', b[i].at, b[i].length);
    emit_middle(a + first, a_count - first - last, b + first, b_count - first - last, emit, context);
    for (size_t i = b_count - last; i < b_count; i++)
        emit(context, ' ', b[i].at, b[i].length);
    free(a);
    free(b);
}
