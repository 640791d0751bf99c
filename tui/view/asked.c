// What the open predictions of a lesson ask about a lab. Pages that were opened from the lesson, with any number of pages
// between, do not show it before the prediction is made, or read past.
#include "tui/view/lesson.h"

#include <stdlib.h>
#include <string.h>

static struct page *lesson_below(const struct page *page)
{
    struct page *below = page->below;
    while (below && (below->ops != &lesson_page || !((struct lesson_page *)below->state)->lesson))
        below = below->below;
    return below;
}

unsigned asked_about(const struct page *page, const char *place)
{
    const struct page *below = lesson_below(page);
    const struct lesson_page *lesson = below ? below->state : NULL;
    return lesson ? questions_ask(lesson->questions, lesson->question_count, place) : 0;
}

int asked_show(struct page *page, const char *place)
{
    struct page *below = lesson_below(page);
    const struct lesson_page *lesson = below ? below->state : NULL;
    size_t count = 0;
    for (size_t i = 0; lesson && i < lesson->question_count; i++) {
        const struct question *question = &lesson->questions[i];
        if (!questions_ask(question, 1, place))
            continue;
        struct words words = { { (char *)"unfold", question->live->id }, 2 };
        count += below->ops->act(below, ACT_UNFOLD, &words) == DONE;
    }
    if (count)
        app_say(page->app, ROLE_NOTE, "%zu prediction%s read past; the workbook keeps that.", count,
                count == 1 ? " is" : "s are");
    return count ? DONE : DONE_NOT;
}

struct area asked_line(const struct page *page, struct area area, const char *of)
{
    char key[24];
    keys_name(&page->app->keys, page->ops->name, "unfold", key, sizeof key);
    area_put(area, 0, 1, ROLE_NOTE, "What an open prediction asks for is folded; %s shows it%s.",
             *key ? key : ":unfold", of);
    return area_part(area, 1, 0, area.rows - 1, area.cols);
}

struct sheet asked_sheet(int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    sheet_paragraph(&sheet, ROLE_DIM, 1, "Folded until the prediction is made.");
    return sheet;
}
