// The line above the last one that says what the instructor of a room wants: something said, a place to follow to, a vote.
// It takes no key away: what can be done about it are actions with keys of their own, and while a key is text it names
// none.
#include "tui/view/seat.h"

#include <stdlib.h>
#include <string.h>

enum banner_kind { BANNER_NONE, BANNER_ENDED, BANNER_TROUBLE, BANNER_SAID, BANNER_FOLLOW, BANNER_POLL };

// ---- what is said there --------------------------------------------------------------------------------------------

static bool is_there(const struct seat *seat)
{
    return strcmp(seat->now.lesson, seat->news.follow[0]) == 0 &&
           strcmp(seat->now.item, seat->news.follow[1]) == 0;
}

// The newest that is not hidden; a vote that was given comes after all else.
static enum banner_kind banner_kind(const struct app *app)
{
    const struct seat *seat = app->seat;
    const struct seat_news *news = &seat->news;
    if (news->ended)
        return BANNER_ENDED;
    if (*news->trouble && hash_bytes(news->trouble, strlen(news->trouble)) != seat->trouble_hidden)
        return BANNER_TROUBLE;
    size_t said = news->said_when > seat->said_hidden && *news->said ? news->said_when : 0,
           follow = news->follow_when > seat->follow_hidden && *news->follow[0] && !is_there(seat)
                        ? news->follow_when
                        : 0,
           poll = news->poll_when > seat->poll_hidden && strcmp(app->page->ops->name, "ballot") != 0
                      ? news->poll_when
                      : 0;
    if (poll && seat_chosen(seat))
        poll = 1; // not newer than anything
    if (poll > said && poll > follow)
        return BANNER_POLL;
    return follow > said ? BANNER_FOLLOW : said ? BANNER_SAID : BANNER_NONE;
}

static const struct lesson *lesson_named(struct app *app, const char *name)
{
    const struct lessons *lessons = app_lessons(app);
    for (size_t i = 0; i < lessons->count; i++)
        if (strcmp(lessons->list[i].name, name) == 0)
            return &lessons->list[i];
    return NULL;
}

static void follow_words(struct app *app, struct text *out)
{
    const char *const *follow = (const char *const[]){ app->seat->news.follow[0], app->seat->news.follow[1] };
    const struct lesson *lesson = lesson_named(app, follow[0]);
    if (!lesson)
        text_addf(out, "The instructor is in the lesson %s, which is not installed here.", follow[0]);
    else if (*follow[1])
        text_addf(out, "The instructor is at \"%s\" in lesson %d.", follow[1], lesson->number);
    else
        text_addf(out, "The instructor is in lesson %d, %s.", lesson->number, lesson->title);
}

static void poll_words(struct app *app, struct text *out)
{
    const struct seat *seat = app->seat;
    const struct poll *poll = &seat->news.poll;
    int round = poll_round(poll), chosen = seat_chosen(seat);
    long long number = (long long)poll->number;
    if (poll->state == POLL_SHOWN)
        text_addf(out, "Vote %lld: you can see how the class voted.", number);
    else if (poll->state == POLL_CLOSED1)
        text_addf(out, "Vote %lld, round 1 is closed.%s", number,
                  *poll->id ? " Compare with your neighbours: why is it so?" : "");
    else if (!round)
        text_addf(out, "Vote %lld is closed.", number);
    if (!round)
        return;
    text_addf(out, "Vote %lld, round %d: ", number, round);
    if (chosen) {
        text_addf(out, "you chose %d) ", chosen);
        vote_add_choice(app_lessons(app), poll, (size_t)chosen - 1, out);
        return;
    }
    vote_add_ask(app_lessons(app), poll, out);
    for (size_t i = 0, count = vote_choices(app_lessons(app), poll); i < count; i++) {
        text_addf(out, "  %zu) ", i + 1);
        vote_add_choice(app_lessons(app), poll, i, out);
    }
}

static void banner_words(struct app *app, enum banner_kind kind, struct text *out)
{
    const struct seat *seat = app->seat;
    switch (kind) {
    case BANNER_ENDED:
        text_addf(out, "The room %s has ended. Your answers are in your workbook.", seat->member->word);
        break;
    case BANNER_TROUBLE:
        text_addf(out, "Your answers are kept, and sent later. %s", seat->news.trouble);
        break;
    case BANNER_SAID:
        text_addf(out, "Instructor: %s", seat->news.said);
        break;
    case BANNER_FOLLOW:
        follow_words(app, out);
        break;
    case BANNER_POLL:
        poll_words(app, out);
        break;
    case BANNER_NONE:
        break;
    }
}

// ---- drawing -------------------------------------------------------------------------------------------------------

// Whether a key is text now, so that none can be named and nobody is moved. A page with keys of its own says when they are
// none; one that does not may always be typed into.
static bool is_typed_into(const struct app *app)
{
    const struct page_ops *ops = app->page->ops;
    return app->asking || (ops->type && (!ops->typing || ops->typing(app->page)));
}

static void add_key(const struct app *app, const char *action, const char *does, int most, struct text *out)
{
    char key[24], words[80];
    keys_name(&app->keys, app->page->ops->name, action, key, sizeof key);
    format_into(words, sizeof words, "%s%s %s", out->length ? "  " : "", key, does);
    if (*key && text_cells(text_string(out)) + text_cells(words) <= most)
        text_add(out, words);
}

// The keys for what can be done, as far as `most` cells have room.
static void banner_keys(struct app *app, enum banner_kind kind, int most, struct text *out)
{
    const struct seat *seat = app->seat;
    if (is_typed_into(app))
        return;
    if (kind == BANNER_FOLLOW && lesson_named(app, seat->news.follow[0])) {
        add_key(app, "go-there", "goes there", most, out);
        add_key(app, "follow", seat->follows ? "stays here" : "follows", most, out);
    } else if (kind == BANNER_POLL) {
        add_key(app, "vote",
                !poll_round(&seat->news.poll) ? "shows it"
                : seat_chosen(seat)           ? "changes it"
                                              : "votes",
                most, out);
    }
    add_key(app, "hide", "hides", most, out);
}

static int rows(const struct app *app)
{
    return !drawn_flat && banner_kind(app) != BANNER_NONE;
}

static bool draw(struct app *app, struct area line)
{
    enum banner_kind kind = banner_kind(app);
    struct text words = { 0 }, keys = { 0 };
    if (kind == BANNER_NONE)
        return false;
    banner_words(app, kind, &words);
    banner_keys(app, kind, line.cols / 2, &keys);
    int right = text_cells(text_string(&keys));
    enum role role = kind == BANNER_TROUBLE && !drawn_flat ? ROLE_NOTE : ROLE_BAR;
    int room = right ? line.cols - right - 3 : line.cols - 1;
    area_fill(line, ROLE_BAR);
    area_cell(line, 0, 1, role, room < 0 ? 0 : room, "%s", text_string(&words));
    area_mark(line, 0, 1, room, MARK_CHANGED);
    if (right)
        area_put(line, 0, line.cols - right - 1, ROLE_BAR, "%s", keys.data);
    text_free(&words);
    text_free(&keys);
    return true;
}

static void title(const struct app *app, bool whole, struct text *out)
{
    static const char *const lights[] = { "", " stuck", " done" };
    const struct seat *seat = app->seat;
    bool away = seat_is_away(app);
    if (seat->news.ended) {
        text_addf(out, "%s%sended", whole ? seat->member->word : "", whole ? " " : "");
        return;
    }
    if (whole)
        text_addf(out, "%s as ", seat->member->word);
    text_addf(out, "%s%s", seat->member->as, lights[seat->member->light]);
    if (!drawn_flat) // there it is said in the last line
        text_addf(out, " %s", glyph(app->canvas.utf8, away ? GLYPH_AWAY : GLYPH_POINT));
}

// ---- going to where the instructor is --------------------------------------------------------------------------------

// The page is opened over the one that is shown, which keeps what was typed there: back leads to it again.
static int go_there(struct app *app)
{
    const struct seat_news *news = &app->seat->news;
    const struct lesson *lesson = lesson_named(app, news->follow[0]);
    struct error error;
    if (!*news->follow[0])
        return app_refuse(app, "The instructor has not said where to go.");
    if (!lesson)
        return app_refuse(app, "The instructor is in the lesson %s, which is not installed here.",
                          news->follow[0]);
    app->seat->follow_hidden = news->follow_when;
    (void)member_saw(app->seat->member, news->follow_when, &error);
    if (is_there(app->seat))
        return DONE;
    struct text words = { 0 };
    lesson_opens_by(app_lessons(app), lesson, 0, &words);
    for (const char *c = news->follow[1]; *c; c++)
        text_addf(&words, "%s%s%c", c == news->follow[1] ? " \"" : "", *c == '"' || *c == '\\' ? "\\" : "",
                  *c);
    text_add(&words, *news->follow[1] ? "\" --unfold" : "");
    bool opened = app_open(app, text_string(&words));
    text_free(&words);
    return opened ? DONE : DONE_FAILED;
}

// A place that comes while something is typed is shown by the banner alone: nobody is moved later on.
static void follow_along(struct app *app)
{
    struct seat *seat = app->seat;
    if (seat->news.follow_when <= seat->followed)
        return;
    seat->followed = seat->news.follow_when;
    if (!seat->follows || !app->page || is_typed_into(app))
        return;
    char key[24];
    keys_name(&app->keys, app->page->ops->name, "follow", key, sizeof key);
    if (go_there(app) == DONE)
        app_say(app, ROLE_NOTE, "The instructor is here now, and you follow; %s ends that.", key);
}

static int follow(struct app *app)
{
    struct seat *seat = app->seat;
    seat->follows = !seat->follows;
    if (!seat->follows) {
        app_say(app, ROLE_TEXT, "You no longer follow the instructor.");
        return DONE;
    }
    app_say(app, ROLE_TEXT, "From now on you go where the instructor goes; the same again ends that.");
    return *seat->news.follow[0] && !is_there(seat) ? go_there(app) : DONE;
}

// ---- votes and lights --------------------------------------------------------------------------------------------------

// What was done is confirmed as what it is: kept, where it cannot get to the room now.
static void say_told(struct app *app, const char *words)
{
    bool away = seat_is_away(app);
    app_say(app, away ? ROLE_NOTE : ROLE_GOOD, "%s%s", words,
            away ? " It is kept, and sent when the room can be reached." : "");
}

static int vote(struct app *app, const struct words *words)
{
    const struct seat *seat = app->seat;
    const struct poll *poll = &seat->news.poll;
    size_t choices = poll->number ? vote_choices(app_lessons(app), poll) : 0,
           most = choices ? choices : POLL_CHOICES;
    char *end = NULL;
    if (!poll->number) {
        app_refuse(app, "The instructor has not asked for a vote yet.");
        app->seat->voted = hash_bytes(app->message, strlen(app->message));
        return DONE_FAILED;
    }
    if (words->count < 2)
        return app_open(app, "ballot") ? DONE : DONE_FAILED;
    unsigned long choice = strtoul(words->word[1], &end, 10);
    if (!poll_round(poll))
        return app_refuse(app, "Vote %lld is closed.", (long long)poll->number);
    if (*end || choice < 1 || choice > most)
        return app_refuse(app, "The choices of vote %lld are 1 to %zu.", (long long)poll->number, most);
    if (!seat_keep(app, "vote",
                   json_pack("{s:I, s:i, s:i}", "poll", poll->number, "round", poll_round(poll), "choice",
                             (int)choice - 1)))
        return DONE_FAILED;
    char says[80];
    format_into(says, sizeof says, "Your vote in round %d is %lu.", poll_round(poll), choice);
    say_told(app, says);
    app->seat->voted = hash_bytes(app->message, strlen(app->message));
    return DONE;
}

// Sets a light; the same one again, without words, puts it out.
static int light(struct app *app, enum room_light light, const struct words *words)
{
    static const char *const names[] = { "none", "red", "green" }, *const says[] = {
        "Your light is out.",
        "The instructor is told that you are stuck; the same again takes it back.",
        "The instructor is told that you are done; the same again takes it back.",
    };
    const struct member *member = app->seat->member;
    struct text text = { 0 };
    words_add(words, 1, &text);
    enum room_light to = member->light == light && !text.length ? LIGHT_NONE : light;
    json_t *fields = json_pack("{s:s, s:s}", "is", names[to], "text", text_string(&text));
    text_free(&text);
    if (!fields)
        return app_refuse(app, "The words must be UTF-8.");
    if (!seat_keep(app, "light", fields))
        return DONE_FAILED;
    say_told(app, says[to]);
    return DONE;
}

static int hide(struct app *app)
{
    struct seat *seat = app->seat;
    const struct seat_news *news = &seat->news;
    struct error error;
    size_t seen = 0;
    switch (banner_kind(app)) {
    case BANNER_ENDED:
        seat_close(app);
        return DONE;
    case BANNER_TROUBLE:
        seat->trouble_hidden = hash_bytes(news->trouble, strlen(news->trouble));
        return DONE;
    case BANNER_SAID:
        seen = seat->said_hidden = news->said_when;
        break;
    case BANNER_FOLLOW:
        seen = seat->follow_hidden = news->follow_when;
        break;
    case BANNER_POLL:
        seat->poll_hidden = news->poll_when; // a vote that is open is there again at the next start
        return DONE;
    case BANNER_NONE:
        seat->said_hidden = seat->follow_hidden = seat->poll_hidden = 0;
        seat->trouble_hidden = 0;
        if (banner_kind(app) == BANNER_NONE)
            return app_refuse(app, "The instructor has said nothing yet.");
        return DONE;
    }
    if (!member_saw(seat->member, seen, &error))
        app_say(app, ROLE_BAD, "%s", error.text);
    return DONE;
}

static int act_seat(struct app *app, enum act act, const struct words *words)
{
    switch (act) {
    case ACT_GO_THERE:
        return go_there(app);
    case ACT_FOLLOW:
        return follow(app);
    case ACT_VOTE:
        return vote(app, words);
    case ACT_STUCK:
        return light(app, LIGHT_RED, words);
    case ACT_DONE:
        return light(app, LIGHT_GREEN, words);
    case ACT_HIDE:
        return hide(app);
    default:
        return DONE_NOT;
    }
}

static int tend(struct app *app)
{
    int due = seat_tend(app);
    if (app->seat)
        follow_along(app);
    return due;
}

const struct seat_ops banner = { tend, seat_close, rows, draw, title, act_seat };
