// A selection among rows that stays in sight.
#include "tui/view/view.h"

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

int list_act(struct list *list, enum act act)
{
    int page = list->rows > 1 ? list->rows - 1 : 1, half = list->rows > 1 ? list->rows / 2 : 1;
    int last = list->count - 1, to = list->selected;
    switch (act) {
    case ACT_UP:
        to--;
        break;
    case ACT_DOWN:
        to++;
        break;
    case ACT_PAGE_UP:
        to -= page;
        break;
    case ACT_PAGE_DOWN:
        to += page;
        break;
    case ACT_HALF_UP:
        to -= half;
        break;
    case ACT_HALF_DOWN:
        to += half;
        break;
    case ACT_TOP:
        to = 0;
        break;
    case ACT_BOTTOM:
        to = last;
        break;
    default:
        return DONE_NOT;
    }
    list->selected = between(0, to, last);
    list_fit(list, list->count, list->rows);
    return DONE;
}
