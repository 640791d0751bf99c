// From a size to rectangles: pure, right at every size, and never outside of what is cut.
#include "tui/draw/draw.h"

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

struct rect rect_top(struct rect *rest, int rows, int gap)
{
    int taken = clamp(rows, rest->rows);
    int space = clamp(gap, rest->rows - taken);
    struct rect out = { rest->row, rest->col, taken, rest->cols };
    rest->row += taken + space;
    rest->rows -= taken + space;
    return out;
}

struct rect rect_bottom(struct rect *rest, int rows, int gap)
{
    int taken = clamp(rows, rest->rows);
    int space = clamp(gap, rest->rows - taken);
    struct rect out = { rest->row + rest->rows - taken, rest->col, taken, rest->cols };
    rest->rows -= taken + space;
    return out;
}

struct rect rect_left(struct rect *rest, int cols, int gap)
{
    int taken = clamp(cols, rest->cols);
    int space = clamp(gap, rest->cols - taken);
    struct rect out = { rest->row, rest->col, rest->rows, taken };
    rest->col += taken + space;
    rest->cols -= taken + space;
    return out;
}

struct rect rect_right(struct rect *rest, int cols, int gap)
{
    int taken = clamp(cols, rest->cols);
    int space = clamp(gap, rest->cols - taken);
    struct rect out = { rest->row, rest->col + rest->cols - taken, rest->rows, taken };
    rest->cols -= taken + space;
    return out;
}

struct area area_rect(struct area area, struct rect rect)
{
    return area_part(area, rect.row, rect.col, rect.rows, rect.cols);
}

// ---- rows with a selection ------------------------------------------------------------------------------

static int between(int least, int value, int most)
{
    return value > most ? (most < least ? least : most) : value < least ? least : value;
}

void list_fit(struct list *list, int count, int rows)
{
    list->count = count > 0 ? count : 0;
    list->rows = rows > 0 ? rows : 0;
    list->selected = between(0, list->selected, list->count - 1);
    list->top = between(list->selected - list->rows + 1, list->top, list->selected);
    list->top = between(0, list->top, list->count - list->rows);
    if (!list->rows)
        list->top = list->selected;
}
