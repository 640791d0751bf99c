// An order without a page: the lines as they are first shown, and whether they stand in a right order.
#include "lessons/answer.h"

#include <stdlib.h>
#include <string.h>

const char *order_line(const struct live *live, int index)
{
    size_t lines = live_count(live, "line");
    return (size_t)index < lines ? live_nth(live, "line", (size_t)index)
                                 : live_nth(live, "extra", (size_t)index - lines);
}

static bool same_lines(const struct live *live, int one, int other)
{
    return strcmp(order_line(live, one), order_line(live, other)) == 0;
}

// The order of the lines themselves, or one of the others that are right; false: there are no more.
static bool right_order(const struct live *live, size_t which, int *out)
{
    int count = (int)live_count(live, "line");
    const char *also = which ? live_nth(live, "also", which - 1) : NULL;
    if (which && !also)
        return false;
    for (int i = 0; i < count; i++)
        out[i] = also ? (int)strtol(also, (char **)&also, 10) - 1 : i;
    return true;
}

int order_fits(const struct live *live, const int *order, int count, bool *whole)
{
    int lines = (int)live_count(live, "line"), best = 0, right[ORDER_MOST] = { 0 };
    *whole = false;
    for (size_t which = 0; right_order(live, which, right); which++) {
        int fits = 0;
        while (fits < count && fits < lines && same_lines(live, order[fits], right[fits]))
            fits++;
        best = fits > best ? fits : best;
        *whole |= fits == lines && count == lines;
    }
    return best;
}

static void swap(int *one, int *other)
{
    int kept = *one;
    *one = *other;
    *other = kept;
}

int order_start(const struct live *live, int *order)
{
    bool whole;
    int count = (int)(live_count(live, "line") + live_count(live, "extra"));
    for (int i = 0; i < count; i++)
        order[i] = i;
    uint64_t chance = hash_bytes(live->id, strlen(live->id));
    for (int i = count - 1; i > 0; i--) {
        chance = hash_more(chance, &i, sizeof i);
        swap(&order[i], &order[chance % (uint64_t)(i + 1)]);
    }
    order_fits(live, order, count, &whole);
    if (whole) // by chance
        swap(&order[0], &order[1]);
    return count;
}

json_t *order_typed(const struct live *live, const char *typed)
{
    int start[ORDER_MOST] = { 0 }, order[ORDER_MOST] = { 0 }, count = order_start(live, start), used = 0;
    bool taken[ORDER_MOST] = { false }, whole;
    const char *at = typed + strspn(typed, " ,\t");
    json_t *lines = json_array();
    while (*at) {
        char *end;
        long place = strtol(at, &end, 10);
        if (end == at || !strchr(" ,\t", *end) || place < 1 || place > count || taken[place - 1])
            break;
        taken[place - 1] = true;
        order[used++] = start[place - 1];
        json_array_append_new(lines, json_integer(start[place - 1] + 1));
        at = end + strspn(end, " ,\t");
    }
    order_fits(live, order, used, &whole);
    if (!*at && used)
        return json_pack("{s:o, s:b}", "order", lines, "right", whole);
    json_decref(lines);
    return NULL;
}
