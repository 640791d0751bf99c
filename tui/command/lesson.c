// warpbook lesson: the list of lessons, or one of them as text. Questions stand there with their choices; they are
// answered in the full-screen program.
#include "tui/view/live.h"

static bool find_lesson(const struct lessons *lessons, const char *word, const struct lesson **out,
                        struct error *error)
{
    const char *names[100];
    size_t count = 0;
    *out = lessons_find(lessons, word);
    if (*out)
        return true;
    for (; count < lessons->count && count < 100; count++)
        names[count] = lessons->list[count].name;
    const char *near = string_nearest(word, names, count);
    if (near)
        return error_set(error, EXIT_USAGE, "There is no lesson '%s'. Did you mean %s?", word, near);
    return error_set(error, EXIT_USAGE, "There is no lesson '%s'. 'warpbook lesson' lists them.", word);
}

static void print_list(const struct paper *paper, const struct lessons *lessons)
{
    struct error error;
    struct workbook *workbook = workbook_open(NULL, &error);
    struct lesson_text text = lesson_text_list(lessons, workbook, paper->width, paper->utf8);
    sheet_print(paper, &text.sheet);
    const struct lesson *next = progress_next(lessons, workbook);
    size_t due = workbook ? review_now(workbook, lessons) : 0;
    if (next)
        paper_put(paper, ROLE_TEXT, "\nNext\n Lesson %d: %s\n", next->number, next->title);
    if (due)
        paper_put(paper, ROLE_TEXT, " %zu question%s to review: warpbook review\n", due, due == 1 ? "" : "s");
    paper_put(paper, ROLE_DIM, "\n'warpbook open lesson N' opens one, 'warpbook lesson N' prints it.\n");
    lesson_text_free(&text);
    if (workbook)
        workbook_close(workbook);
}

static void print_lesson(const struct paper *paper, const struct lesson *lesson, bool notes)
{
    struct lesson_text text = lesson_text_new(NULL, lesson, NULL, paper->width, paper->utf8, notes);
    sheet_print(paper, &text.sheet);
    lesson_text_free(&text);
}

int command_lesson(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    struct lessons lessons;
    struct error error;
    const struct lesson *lesson;
    int status = EXIT_RIGHT;
    if (!lessons_read(NULL, &lessons, &error))
        return fail(&error);
    if (!arguments->operand_count)
        print_list(&paper, &lessons);
    else if (find_lesson(&lessons, arguments->operands[0], &lesson, &error))
        print_lesson(&paper, lesson, arguments_has(arguments, "--notes"));
    else
        status = fail(&error);
    lessons_free(&lessons);
    return status;
}
