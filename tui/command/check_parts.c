// warpbook check: a lesson is read at one sitting, or in parts that are; and where a longer one could be cut.
#include "tui/command/check.h"

#include <stdlib.h>

static int minutes_of(const struct lesson *lesson, size_t from, size_t end)
{
    return (int)(lesson_minutes(lesson, from, end) + 0.5);
}

// The section that cuts these blocks most evenly; `end`: there is none.
static size_t best_cut(const struct lesson *lesson, size_t from, size_t end)
{
    double all = lesson_minutes(lesson, from, end), before = 0, least = all;
    size_t best = end;
    for (size_t i = from; i < end; i++) {
        double longer = before > all - before ? before : all - before;
        bool opens_part =
            lesson_part_of(lesson, i) && lesson->parts[lesson_part_of(lesson, i) - 1].heading == i;
        if (lesson_starts_section(&lesson->blocks[i]) && !opens_part && longer < least) {
            best = i;
            least = longer;
        }
        before += lesson_minutes(lesson, i, i + 1);
    }
    return best;
}

// `line`: of the error where nothing can be cut.
static void too_long(struct checking *check, const struct lesson *lesson, const char *what, int line,
                     size_t from, size_t end)
{
    int minutes = minutes_of(lesson, from, end);
    size_t cut = best_cut(lesson, from, end);
    if (minutes <= PART_MOST)
        return;
    if (cut == end)
        check_lesson_error(check, lesson, line, NULL,
                           "%s takes %d minutes, and %d are the most; give it sections, and begin a part "
                           "with a line '# Title' before one of them",
                           what, minutes, PART_MOST);
    else
        check_lesson_error(check, lesson, lesson->blocks[cut].line, NULL,
                           "%s takes %d minutes, and %d are the most; a line '# Title' before this section "
                           "would make parts of %d and %d",
                           what, minutes, PART_MOST, minutes_of(lesson, from, cut),
                           minutes_of(lesson, cut, end));
}

static void check_part(struct checking *check, const struct lesson *lesson, size_t number)
{
    const struct lesson_part *part = &lesson->parts[number - 1];
    int line = lesson->blocks[part->heading].line;
    size_t sections = 0;
    char *what = text_format("part %zu", number);
    bool says = part->heading + 1 < part->end && lesson->blocks[part->heading + 1].kind == BLOCK_PARAGRAPH;
    for (size_t i = part->heading + 1; i < part->end; i++)
        sections += lesson_starts_section(&lesson->blocks[i]);
    if (!says)
        check_lesson_error(check, lesson, line, NULL,
                           "after its heading a part says in a sentence where it goes");
    if (!sections)
        check_lesson_error(check, lesson, line, NULL, "a part has sections, which begin with '##'");
    too_long(check, lesson, what, line, part->from, part->end);
    free(what);
}

void check_parts(struct checking *check, const struct lesson *lesson)
{
    if (!lesson->part_count)
        too_long(check, lesson, "the lesson", 1, 0, lesson->block_count);
    if (lesson->part_count == 1)
        check_lesson_error(
            check, lesson, lesson->blocks[lesson->parts[0].heading].line, NULL,
            "one part alone is not a part: begin a second one with '# Title', or remove this heading");
    for (size_t i = 1; i <= lesson->part_count; i++)
        check_part(check, lesson, i);
}
