// Which lines two texts share, by the longest common subsequence. Kernel files have about a hundred lines,
// for which the plain table is small.
#include "tui/draw/draw.h"

#include <stdlib.h>
#include <string.h>

struct lines {
    const char **at;
    size_t *length;
    size_t count;
};

static struct lines split(const char *text)
{
    struct lines lines = { 0 };
    while (*text) {
        size_t length = strcspn(text, "\n");
        lines.at = array_room(lines.at, lines.count, sizeof *lines.at);
        lines.length = array_room(lines.length, lines.count, sizeof *lines.length);
        lines.at[lines.count] = text;
        lines.length[lines.count++] = length;
        text += length + (text[length] == '\n');
    }
    return lines;
}

static void lines_free(struct lines *lines)
{
    free(lines->at);
    free(lines->length);
}

static bool same(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
    return a->length[i] == b->length[j] && memcmp(a->at[i], b->at[j], a->length[i]) == 0;
}

// table[i][j]: how many lines the ends of both texts share, from line i of one and j of the other on.
static unsigned *common(const struct lines *a, const struct lines *b)
{
    size_t row = b->count + 1;
    unsigned *table = mem_new((a->count + 1) * row * sizeof *table);
    for (size_t i = a->count; i-- > 0;) {
        for (size_t j = b->count; j-- > 0;) {
            unsigned down = table[(i + 1) * row + j], right = table[i * row + j + 1];
            table[i * row + j] =
                same(a, i, b, j) ? table[(i + 1) * row + j + 1] + 1 : (down > right ? down : right);
        }
    }
    return table;
}

void diff_lines(const char *before, const char *after, diff_line emit, void *context)
{
    struct lines a = split(before), b = split(after);
    unsigned *table = common(&a, &b);
    size_t i = 0, j = 0, row = b.count + 1;
    while (i < a.count || j < b.count) {
        if (i < a.count && j < b.count && same(&a, i, &b, j)) {
            emit(context, ' ', b.at[j], b.length[j]);
            i++;
            j++;
        } else if (j == b.count || (i < a.count && table[(i + 1) * row + j] >= table[i * row + j + 1])) {
            emit(context, '-', a.at[i], a.length[i]);
            i++;
        } else {
            emit(context, '+', b.at[j], b.length[j]);
            j++;
        }
    }
    free(table);
    lines_free(&a);
    lines_free(&b);
}
