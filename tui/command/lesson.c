// warpbook lesson: the list of lessons, or one of them as text. Questions stand there with their choices; they are
// answered in the full-screen program.
#include "tui/tui.h"
#include "tui/view/live.h"

static void print_list(const struct paper *paper, const struct lessons *lessons,
                       const struct workbook *workbook)
{
    struct lesson_text text = lesson_text_list(lessons, workbook, paper->width, paper->utf8);
    sheet_print(paper, &text.sheet);
    const struct lesson *next = progress_next(lessons, workbook);
    struct review_count due = { 0, 0 };
    if (workbook)
        due = review_now(workbook, lessons);
    if (next)
        paper_put(paper, ROLE_TEXT, "\nNext\n Lesson %d: %s\n", next->number, next->title);
    if (due.questions + due.tasks) {
        struct text words = { 0 };
        review_count_words(due, &words);
        paper_put(paper, ROLE_TEXT, " %s to review: warpbook review\n", words.data);
        text_free(&words);
    }
    paper_put(paper, ROLE_DIM, "\n'warpbook open lesson N' opens one, 'warpbook lesson N' prints it.\n");
    lesson_text_free(&text);
}

// The lessons are there whether the workbook is or not.
static void list_all(const struct paper *paper, struct lessons *lessons)
{
    struct error error;
    struct workbook *workbook = workbook_open(NULL, &error);
    if (workbook)
        keep_warn(workbook);
    else
        fail(&error);
    lessons_recall(lessons, workbook);
    print_list(paper, lessons, workbook);
    workbook_close(workbook);
}

// Those of other folders are known to the workbook.
static bool find_lesson(struct lessons *lessons, const char *word, const struct lesson **out,
                        struct error *error)
{
    struct workbook *workbook = lessons_find(lessons, word) ? NULL : workbook_open(NULL, error);
    lessons_recall(lessons, workbook);
    workbook_close(workbook);
    return lessons_open(lessons, word, out, error);
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
    if (!arguments->operand_count && arguments_has(arguments, "--notes")) {
        error_set(&error, EXIT_USAGE, "--notes stands behind a lesson: warpbook lesson 6 --notes");
        return fail(&error);
    }
    if (!lessons_read(NULL, &lessons, &error))
        return fail(&error);
    if (!arguments->operand_count)
        list_all(&paper, &lessons);
    else if (find_lesson(&lessons, arguments->operands[0], &lesson, &error))
        print_lesson(&paper, lesson, arguments_has(arguments, "--notes"));
    else
        status = fail(&error);
    lessons_free(&lessons);
    return status;
}
