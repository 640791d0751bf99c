// warpbook review: asks again what was answered wrong, on the day that it comes back.
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

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

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
    if (learned)
        text_addf(&words, "Nothing is left to review: all %zu question%s that you had wrong %s learned.",
                  learned, plural(learned), learned == 1 ? "is" : "are");
    else
        text_add(&words,
                 "Nothing is here to review. A question or a prediction that is wrong in a lesson comes "
                 "back the next day.");
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
    text_addf(&words,
              left == 1 ? "Nothing is due today. One question comes again "
                        : "Nothing is due today. %zu questions come again, the next one ",
              left);
    review_when(reviewing, review->list[0].due, &words);
    text_add(&words, ". 'warpbook review --all' asks now.");
    say(reviewing, ROLE_TEXT, &words);
}

static void say_start(const struct reviewing *reviewing, size_t count, size_t due)
{
    struct text words = { 0 };
    text_addf(&words, "%zu question%s %s", count, count == 1 ? " is" : "s are",
              due == count ? "due." : "not learned, ");
    if (due < count && due)
        text_addf(&words, "%zu of them due.", due);
    else if (due < count)
        text_addf(&words, "none of them due today.");
    if (due < count)
        text_add(&words, " A right answer before its day does not count.");
    text_add(&words, " '?' shows the answer and counts as wrong; an empty line or q ends.");
    say(reviewing, ROLE_DIM, &words);
}

static void say_end(const struct reviewing *reviewing)
{
    size_t done = reviewing->right + reviewing->wrong;
    size_t due = review_due(&reviewing->review, reviewing->today);
    struct text words = { 0 };
    paper_put(&reviewing->paper, ROLE_TEXT, "\n");
    if (done)
        text_addf(&words, "%zu answered: %zu right, %zu wrong.", done, reviewing->right, reviewing->wrong);
    else
        text_add(&words, "Nothing was answered.");
    if (due)
        text_addf(&words, " %zu question%s due; 'warpbook review' goes on.", due,
                  due == 1 ? " stays" : "s stay");
    say(reviewing, ROLE_TITLE, &words);
    if (!due && review_left(&reviewing->review))
        say_next(reviewing);
}

// ---- asking -----------------------------------------------------------------------------------------------------

// The events move when one is added, so that questions are known by their place in the lessons.
static size_t questions(const struct reviewing *reviewing, bool all, const struct live ***out)
{
    const struct review *review = &reviewing->review;
    size_t count = all ? review_left(review) : review_due(review, reviewing->today);
    *out = mem_new((count + 1) * sizeof **out);
    for (size_t i = 0; i < count; i++)
        (*out)[i] = review->list[i].live;
    return count;
}

static int ask(struct reviewing *reviewing, bool all)
{
    const struct live **asked;
    size_t count = questions(reviewing, all, &asked), due = review_due(&reviewing->review, reviewing->today);
    enum asked how = ASKED_ANSWERED;
    if (count)
        say_start(reviewing, count, due);
    else
        say_next(reviewing);
    for (size_t i = 0; i < count && how == ASKED_ANSWERED; i++) {
        char place[40];
        format_into(place, sizeof place, "%zu of %zu", i + 1, count);
        how = review_ask(reviewing, asked[i], place);
    }
    if (count && how != ASKED_FAILED)
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
    paper_cell(paper, ROLE_TITLE, name_cells, "%s", item->lesson->name);
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
        int cells = text_cells(review->list[i].lesson->name);
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
