// ballot: the vote that the instructor of a room asked for, whole: what is asked, the choices, and how the class voted once
// that is shown, without names.
#include "tui/view/seat.h"

struct ballot {
    struct reader reader; // first, as a reader page wants it
};

static const struct poll *poll_of(const struct page *page)
{
    const struct seat *seat = page->app->seat;
    return seat && seat->news.poll.number ? &seat->news.poll : NULL;
}

static bool is_open(const struct page *page)
{
    const struct poll *poll = poll_of(page);
    return poll && poll_round(poll);
}

static bool open_ballot(struct page *page, const struct words *words, struct error *error)
{
    struct ballot *ballot = page->state;
    ballot->reader.selected = -1;
    if (!page->app->seat)
        return error_set(error, EXIT_USAGE, "You are not in a room. ':join WORD' joins one.");
    return poll_of(page) || error_set(error, EXIT_USAGE, "The instructor has not asked for a vote yet.");
}

// ---- the sheet -------------------------------------------------------------------------------------------------------

static void add_head(struct sheet *sheet, struct app *app, const struct poll *poll)
{
    int round = poll_round(poll);
    struct text ask = { 0 };
    sheet_gap(sheet);
    if (round)
        sheet_add(sheet, ROLE_TITLE, "Vote %lld, round %d", (long long)poll->number, round);
    else
        sheet_add(sheet, ROLE_TITLE, "Vote %lld", (long long)poll->number);
    sheet_end(sheet);
    sheet_gap(sheet);
    vote_add_ask(app_lessons(app), poll, &ask);
    sheet_paragraph(sheet, ROLE_TEXT, 0, text_string(&ask));
    sheet_gap(sheet);
    text_free(&ask);
}

// The shares of the class of one choice, a line for each round in which anything is shown.
static void add_shares(struct sheet *sheet, const struct seat_news *news, size_t choice)
{
    enum { CELLS = 24 };
    for (size_t round = 0; news->poll.state == POLL_SHOWN && round < 2; round++) {
        unsigned votes = news->votes[round][choice], voted = news->voted[round];
        struct text bar = { 0 };
        if (!voted)
            continue;
        bar_text(&bar, sheet->utf8, (double)votes / voted, CELLS);
        sheet_add(sheet, ROLE_DIM, "   round %zu ", round + 1);
        sheet_add(sheet, ROLE_TEXT, " %3u %%", (100 * votes + voted / 2) / voted);
        sheet_add(sheet, ROLE_DIM, "  %u of %u  ", votes, voted);
        sheet_to(sheet, CELLS + 6);
        sheet_add(sheet, ROLE_SIM, "%s", text_string(&bar));
        sheet_end(sheet);
        text_free(&bar);
    }
}

static void add_choices(struct sheet *sheet, struct app *app, const struct seat *seat)
{
    const struct poll *poll = &seat->news.poll;
    size_t count = vote_choices(app_lessons(app), poll);
    int chosen = seat_chosen(seat);
    for (size_t i = 0; i < count; i++) {
        struct text choice = { 0 };
        vote_add_choice(app_lessons(app), poll, i, &choice);
        sheet->item = poll_round(poll) ? (int)i : -1;
        sheet_add(sheet, ROLE_LINK, "%zu) ", i + 1);
        sheet_hang(sheet, 3);
        sheet_flow(sheet, ROLE_TEXT, "%s", text_string(&choice));
        sheet->item = -1;
        if (chosen == (int)i + 1)
            sheet_flow(sheet, ROLE_GOOD, "   your vote");
        sheet_end(sheet);
        add_shares(sheet, &seat->news, i);
        text_free(&choice);
    }
}

static const char *state_words(const struct seat *seat, size_t choices)
{
    const struct seat_news *news = &seat->news;
    switch (news->poll.state) {
    case POLL_OPEN1:
    case POLL_OPEN2:
        return !choices            ? "The choices are not known here: type the number of yours."
               : seat_chosen(seat) ? "Until the round closes another digit changes your vote."
               : news->poll.state == POLL_OPEN2
                   ? "Vote again, also where your choice stays the same: type its digit, or select it and "
                     "press "
                     "Enter."
                   : "Type the digit of your choice, or select it and press Enter. The instructor sees it "
                     "with your name; the class sees sums, once they are shown.";
    case POLL_CLOSED1:
        return *news->poll.id ? "The first round is closed. Say to your neighbours what you chose and why; "
                                "then there may be "
                                "a second one."
                              : "The vote is closed.";
    case POLL_CLOSED2:
        return "Both rounds are closed.";
    default:
        return news->voted[0] + news->voted[1] ? ""
                                               : "So few have voted that sums would tell who chose what; "
                                                 "none are shown.";
    }
}

static void draw_ballot(struct page *page, struct area area)
{
    struct ballot *ballot = page->state;
    struct app *app = page->app;
    area = area_part(area, 0, 1, area.rows, area.cols - 1);
    struct sheet sheet = sheet_new(area.cols < 78 ? area.cols : 78, area.canvas->utf8);
    size_t choices = 0;
    if (poll_of(page)) {
        choices = vote_choices(app_lessons(app), poll_of(page));
        add_head(&sheet, app, poll_of(page));
        add_choices(&sheet, app, app->seat);
        sheet_gap(&sheet);
        sheet_paragraph(&sheet, ROLE_DIM, 0, state_words(app->seat, choices));
    } else {
        sheet_paragraph(&sheet, ROLE_DIM, 0, "You are no longer in a room.");
    }
    reader_show(&ballot->reader, sheet, is_open(page) ? (int)choices : 0);
    reader_draw(&ballot->reader, area);
}

// ---- acting -----------------------------------------------------------------------------------------------------------

static int vote_for(struct page *page, int choice)
{
    char words[24];
    format_into(words, sizeof words, "vote %d", choice);
    return app_do(page->app, words);
}

static int act_ballot(struct page *page, enum act act, const struct words *words)
{
    struct ballot *ballot = page->state;
    if (act == ACT_ENTER && is_open(page) && ballot->reader.selected >= 0)
        return vote_for(page, ballot->reader.selected + 1);
    return reader_act(&ballot->reader, page->app, act, words);
}

static bool type_ballot(struct page *page, const struct event *event)
{
    bool digit = event->kind == EVENT_KEY && event->key >= '1' && event->key <= '9' && is_open(page);
    if (digit)
        vote_for(page, event->key - '0');
    return digit;
}

static const char *typing_ballot(const struct page *page)
{
    return NULL; // but for digits, keys are keys
}

static bool click_ballot(struct page *page, int row, int col)
{
    struct ballot *ballot = page->state;
    return reader_click(&ballot->reader, row, col - 1);
}

static bool offers(const struct page *page, enum act act)
{
    return act != ACT_ENTER || is_open(page);
}

static const char *hints(const struct page *page)
{
    return is_open(page) ? "enter vote, down choose" : "back back";
}

const struct page_ops ballot_page = { .name = "ballot",
                                      .operands = "",
                                      .help = "In a room: the vote that the instructor asked for.",
                                      .size = sizeof(struct ballot),
                                      .open = open_ballot,
                                      .draw = draw_ballot,
                                      .act = act_ballot,
                                      .type = type_ballot,
                                      .click = click_ballot,
                                      .word = reader_page_word,
                                      .copy = reader_page_copy,
                                      .offers = offers,
                                      .hints = hints,
                                      .typing = typing_ballot,
                                      .close = reader_page_close };
