// warpbook review: asks again what was answered wrong, on the day that it comes back, and names the tasks to do again.
#include "tui/command/review.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// ---- what is known ----------------------------------------------------------------------------------------------

void review_again(struct reviewing *reviewing)
{
    review_free(&reviewing->review);
    review_read(reviewing->workbook, &reviewing->lessons, &reviewing->review);
    reviewing->today = review_day(time(NULL));
}

static bool begin(struct reviewing *reviewing, struct error *error)
{
    *reviewing = (struct reviewing){ .paper = paper_open(stdout), .echo = !isatty(STDIN_FILENO) };
    if (!lessons_read(NULL, &reviewing->lessons, error))
        return false;
    reviewing->workbook = workbook_open(NULL, error);
    if (!reviewing->workbook) {
        lessons_free(&reviewing->lessons);
        return false;
    }
    lessons_recall(&reviewing->lessons, reviewing->workbook);
    keep_warn(reviewing->workbook);
    review_again(reviewing);
    return true;
}

static void end(struct reviewing *reviewing)
{
    review_free(&reviewing->review);
    workbook_close(reviewing->workbook);
    lessons_free(&reviewing->lessons);
}

// ---- words ------------------------------------------------------------------------------------------------------

void review_when(const struct reviewing *reviewing, long due, struct text *out)
{
    char date[20];
    long days = due - reviewing->today;
    review_date(due, date, sizeof date);
    if (days <= 0)
        text_addf(out, "today");
    else if (days == 1)
        text_addf(out, "tomorrow, %s", date);
    else
        text_addf(out, "in %ld days, on %s", days, date);
}

void review_words(const char *text, struct text *out)
{
    size_t count;
    struct inline_piece *pieces = pieces_read(text, &count);
    for (size_t i = 0; i < count; i++)
        for (const char *c = pieces[i].kind == INLINE_BREAK ? " " : pieces[i].text; *c; c++)
            text_add_n(out, *c == '\n' ? " " : c, 1);
    pieces_free(pieces, count);
}

static void say(const struct reviewing *reviewing, enum role role, struct text *words)
{
    paper_wrap(&reviewing->paper, role, 0, text_string(words));
    text_free(words);
}

static void say_nothing_left(const struct reviewing *reviewing)
{
    struct text words = { 0 };
    size_t learned = reviewing->review.count;
    if (learned) {
        text_add(&words, "Nothing is left to review: all ");
        review_count_words(review_count(&reviewing->review, 0, learned), &words);
        text_addf(&words, " that you had wrong %s learned.", learned == 1 ? "is" : "are");
    } else {
        text_add(&words,
                 "Nothing is here to review. What is wrong in a lesson comes back the next day: a question, "
                 "a prediction, an order, a kernel that was rejected or given up.");
    }
    say(reviewing, ROLE_TEXT, &words);
}

// What comes next, where nothing is due.
static void say_next(const struct reviewing *reviewing)
{
    const struct review *review = &reviewing->review;
    struct text words = { 0 };
    size_t left = review_left(review);
    if (!left) {
        say_nothing_left(reviewing);
        return;
    }
    struct review_count count = review_count(review, 0, left);
    text_add(&words, "Nothing is due today. ");
    if (left == 1)
        text_addf(&words, "One %s", count.tasks ? "task" : "question");
    else
        review_count_words(count, &words);
    text_add(&words, left == 1 ? " comes again " : " come again, the next one ");
    review_when(reviewing, review->list[0].due, &words);
    text_add(&words, ". 'warpbook review --all' asks now.");
    say(reviewing, ROLE_TEXT, &words);
}

static void say_start(const struct reviewing *reviewing, size_t count, size_t due)
{
    struct text words = { 0 };
    struct review_count counts = review_count(&reviewing->review, 0, count);
    review_count_words(counts, &words);
    text_addf(&words, " %s %s", count == 1 ? "is" : "are", due == count ? "due." : "not learned, ");
    if (due < count && due)
        text_addf(&words, "%zu of them due.", due);
    else if (due < count)
        text_addf(&words, "none of them due today.");
    if (due < count)
        text_add(&words, " A right answer before its day does not count.");
    if (counts.questions)
        text_add(&words, " '?' shows the answer and counts as wrong; an empty line or q ends.");
    say(reviewing, ROLE_DIM, &words);
}

static void say_end(const struct reviewing *reviewing)
{
    size_t done = reviewing->right + reviewing->wrong;
    size_t due = review_due(&reviewing->review, reviewing->today);
    size_t stay = review_count(&reviewing->review, 0, due).questions;
    struct text words = { 0 };
    paper_put(&reviewing->paper, ROLE_TEXT, "\n");
    if (done)
        text_addf(&words, "%zu answered: %zu right, %zu wrong.", done, reviewing->right, reviewing->wrong);
    else
        text_add(&words, "Nothing was answered.");
    if (stay)
        text_addf(&words, " %zu question%s due; 'warpbook review' goes on.", stay,
                  stay == 1 ? " stays" : "s stay");
    say(reviewing, ROLE_TITLE, &words);
    if (!due && review_left(&reviewing->review))
        say_next(reviewing);
}

// ---- asking -----------------------------------------------------------------------------------------------------

// What is asked or named now: questions first. The events move when one is added, so that each is known by its place in
// the lessons.
static size_t now(const struct reviewing *reviewing, bool all, const struct live ***out)
{
    const struct review *review = &reviewing->review;
    size_t count = all ? review_left(review) : review_due(review, reviewing->today), at = 0;
    *out = mem_new((count + 1) * sizeof **out);
    for (int tasks = 0; tasks < 2; tasks++)
        for (size_t i = 0; i < count; i++)
            if (review_is_task(review->list[i].live) == (tasks == 1))
                (*out)[at++] = review->list[i].live;
    return count;
}

// A task stays due until it is accepted in its lesson.
static void name_tasks(const struct reviewing *reviewing, const struct live *const *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        review_name(reviewing, tasks[i]);
}

static int ask(struct reviewing *reviewing, bool all)
{
    const struct live **asked;
    size_t count = now(reviewing, all, &asked), due = review_due(&reviewing->review, reviewing->today);
    size_t questions = review_count(&reviewing->review, 0, count).questions;
    enum asked how = ASKED_ANSWERED;
    if (count)
        say_start(reviewing, count, due);
    else
        say_next(reviewing);
    for (size_t i = 0; i < questions && how == ASKED_ANSWERED; i++) {
        char place[40];
        format_into(place, sizeof place, "%zu of %zu", i + 1, questions);
        how = review_ask(reviewing, asked[i], place);
    }
    if (how != ASKED_FAILED)
        name_tasks(reviewing, asked + questions, count - questions);
    if (questions && how != ASKED_FAILED)
        say_end(reviewing);
    free(asked);
    return how == ASKED_FAILED ? EXIT_MISSING : EXIT_RIGHT;
}

// ---- the list ---------------------------------------------------------------------------------------------------

static void list_row(const struct reviewing *reviewing, const struct review_item *item, int name_cells)
{
    const struct paper *paper = &reviewing->paper;
    enum { DATE = 10, WHEN = 10, APART = 3 };
    char date[20], when[30];
    long days = item->due - reviewing->today;
    struct text words = { 0 };
    review_date(item->due, date, sizeof date);
    format_into(when, sizeof when, days <= 0 ? "due" : days == 1 ? "tomorrow" : "in %ld days", days);
    review_words(live_field(item->live, "ask"), &words);
    int rest = paper->width - DATE - WHEN - name_cells - APART;
    size_t fits = text_fit(text_string(&words), rest > 10 ? rest : 10);
    bool cut = fits < words.length;
    if (cut)
        fits = text_fit(text_string(&words),
                        (rest > 10 ? rest : 10) - text_cells(glyph(paper->utf8, GLYPH_ELLIPSIS)));
    paper_cell(paper, days <= 0 ? ROLE_NOTE : ROLE_TEXT, DATE, "%s", date);
    paper_cell(paper, days <= 0 ? ROLE_NOTE : ROLE_DIM, WHEN, "%s", when);
    paper_cell(paper, ROLE_TITLE, name_cells, "%s", lesson_folder(item->lesson));
    paper_put(paper, ROLE_TEXT, "%.*s%s\n", (int)fits, text_string(&words),
              cut ? glyph(paper->utf8, GLYPH_ELLIPSIS) : "");
    text_free(&words);
}

static int list(const struct reviewing *reviewing)
{
    const struct review *review = &reviewing->review;
    size_t left = review_left(review), due = review_due(review, reviewing->today);
    size_t learned = review->count - left;
    int name_cells = 0;
    struct text words = { 0 };
    for (size_t i = 0; i < left; i++) {
        int cells = text_cells(lesson_folder(review->list[i].lesson));
        name_cells = cells > name_cells ? cells : name_cells;
    }
    for (size_t i = 0; i < left; i++)
        list_row(reviewing, &review->list[i], name_cells);
    if (!left) {
        say_nothing_left(reviewing);
        return EXIT_RIGHT;
    }
    paper_put(&reviewing->paper, ROLE_TEXT, "\n");
    text_addf(&words, "%zu of %zu due", due, left);
    if (learned)
        text_addf(&words, ", %zu learned", learned);
    text_addf(&words, ". 'warpbook review%s' asks.", due ? "" : " --all");
    say(reviewing, ROLE_DIM, &words);
    return EXIT_RIGHT;
}

int command_review(const struct arguments *arguments)
{
    struct reviewing reviewing;
    struct error error;
    if (!begin(&reviewing, &error))
        return fail(&error);
    int status = arguments_has(arguments, "--list") ? list(&reviewing)
                                                    : ask(&reviewing, arguments_has(arguments, "--all"));
    end(&reviewing);
    return status;
}
