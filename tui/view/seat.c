// The learner's end of a room: a thread that looks into it and delivers what was told, and what the screen tells: where one
// is, what came of answers, lights and votes. What is told is kept by the screen's own thread, as the workbook is.
#include "tui/view/seat.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_MS = 500,
    LOOKS_TO_DELIVERY = 10, // without being asked: what other programs of the learner could not deliver
    AGAIN_MS = 1000,        // after a failure; then twice as long each time
    AGAIN_MOST_MS = 60000,
    CLOSE_MS = 500 // that the end of the program waits for a room which hangs
};

// ---- the thread ------------------------------------------------------------------------------------------------

struct seat_line {
    pthread_mutex_t lock; // over what follows, but for the member
    pthread_cond_t changed;
    bool ending, ended;
    bool asked;  // there is something to deliver
    bool behind; // the screen shows that something is undelivered
    struct seat_news news;
    int users;             // the screen and the thread: the last one frees it
    int wake;              // of the screen's loop; a descriptor of its own
    struct member *member; // its room's end
};
struct attempt { // at something that fails for a while
    double at, pause;
};

static bool is_due(const struct attempt *attempt)
{
    return clock_ms() >= attempt->at;
}

static void attempted(struct attempt *attempt, bool fine)
{
    double twice = attempt->pause > 0 ? 2 * attempt->pause : AGAIN_MS;
    attempt->pause = fine ? 0 : twice < AGAIN_MOST_MS ? twice : AGAIN_MOST_MS;
    attempt->at = fine ? 0 : clock_ms() + attempt->pause;
}

static void take_counts(struct seat_news *news, const json_t *counts)
{
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < POLL_CHOICES; i++) {
            json_int_t votes = json_integer_value(json_array_get(json_array_get(counts, round), i));
            news->votes[round][i] = votes > 0 && votes <= ROOM_PEOPLE ? (unsigned)votes : 0;
            news->voted[round] += news->votes[round][i];
        }
}

static void read_news(struct seat_news *news, const struct notices *notices, const char *token)
{
    format_into(news->as, sizeof news->as, "%s", notices_name(notices, token));
    memcpy(news->said, notices->said, sizeof news->said);
    memcpy(news->follow, notices->follow, sizeof news->follow);
    news->ended = notices->ended;
    news->version = notices->version;
    news->said_when = notices->said_when;
    news->follow_when = notices->follow_when;
    news->poll_when = notices->poll_when;
    if (!notices->poll_count)
        return;
    news->poll = notices->polls[notices->poll_count - 1];
    take_counts(news, news->poll.shown);
    news->poll.shown = NULL; // counted here: JSON stays in this thread
}

// Wakes the screen when there is something else to show.
static void publish(struct seat_line *line, const struct notices *notices, const char *trouble)
{
    struct seat_news *news = mem_new(sizeof *news);
    read_news(news, notices, line->member->token);
    format_clean(news->trouble, sizeof news->trouble, trouble, strlen(trouble));
    news->delivered = line->member->delivered;
    pthread_mutex_lock(&line->lock);
    bool fresh = news->version != line->news.version || strcmp(news->trouble, line->news.trouble) != 0 ||
                 (line->behind && news->delivered != line->news.delivered);
    news->serial = line->news.serial + fresh;
    line->news = *news;
    pthread_mutex_unlock(&line->lock);
    free(news);
    uint64_t one = 1;
    if (fresh)
        (void)!write(line->wake, &one, sizeof one); // a full counter can be read already
}

static void line_free(struct seat_line *line)
{
    pthread_cond_destroy(&line->changed);
    pthread_mutex_destroy(&line->lock);
    close(line->wake);
    member_close(line->member);
    free(line);
}

// Drops one of the two references: the screen's or the thread's.
static void leave_line(struct seat_line *line)
{
    pthread_mutex_lock(&line->lock);
    bool last = --line->users == 0;
    pthread_mutex_unlock(&line->lock);
    if (last)
        line_free(line);
}

static void until(struct timespec *out, int ms)
{
    clock_gettime(CLOCK_MONOTONIC, out);
    out->tv_sec += ms / 1000;
    out->tv_nsec += (long)(ms % 1000) * 1000000;
    out->tv_sec += out->tv_nsec / 1000000000;
    out->tv_nsec %= 1000000000;
}

// False: it is to end. *asked: something is to be delivered now.
static bool rest(struct seat_line *line, bool *asked)
{
    struct timespec end;
    until(&end, LOOK_MS);
    pthread_mutex_lock(&line->lock);
    int waited = 0;
    while (!line->ending && !line->asked && waited == 0)
        waited = pthread_cond_timedwait(&line->changed, &line->lock, &end);
    *asked = line->asked;
    line->asked = false;
    bool goes_on = !line->ending;
    pthread_mutex_unlock(&line->lock);
    return goes_on;
}

static void *tend_line(void *context)
{
    struct seat_line *line = context;
    void *stack = signal_stack_open();
    struct notices notices = { 0 };
    struct attempt looking = { 0 }, delivering = { 0 };
    struct error unread = { 0 }, undelivered = { 0 };
    bool asked = true, goes_on = true;
    for (unsigned looks = 0; goes_on; looks++) {
        if (is_due(&looking)) {
            unread.text[0] = 0;
            attempted(&looking, member_look(line->member, &notices, false, &unread));
        }
        if (is_due(&delivering) && (asked || delivering.pause > 0 || looks % LOOKS_TO_DELIVERY == 0)) {
            undelivered.text[0] = 0;
            attempted(&delivering, member_deliver(line->member, &undelivered));
        }
        publish(line, &notices, *undelivered.text ? undelivered.text : unread.text);
        goes_on = rest(line, &asked);
    }
    if (asked)
        (void)member_deliver(line->member, &undelivered); // what cannot be delivered is kept
    notices_free(&notices);
    signal_stack_close(stack);
    pthread_mutex_lock(&line->lock);
    line->ended = true;
    pthread_cond_broadcast(&line->changed);
    pthread_mutex_unlock(&line->lock);
    leave_line(line);
    return NULL;
}

// ---- opening and closing --------------------------------------------------------------------------------------

static struct seat_line *line_new(struct member *member, int wake)
{
    struct seat_line *line = mem_new(sizeof *line);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&line->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&line->lock, NULL);
    line->member = member;
    line->wake = dup(wake);
    line->users = 2;
    pthread_t thread;
    if (thread_begin(&thread, tend_line, line)) {
        pthread_detach(thread);
    } else {
        line->users = 1;
        line->ended = true;
        format_into(line->news.trouble, sizeof line->news.trouble,
                    "The system has no thread left to look into the room %s.", member->word);
        line->news.serial = 1;
    }
    return line;
}

// A thread that hangs in the room's file system is left to itself: it frees what it holds when that returns.
static void line_close(struct seat_line *line)
{
    struct timespec end;
    until(&end, CLOSE_MS);
    pthread_mutex_lock(&line->lock);
    line->ending = true;
    pthread_cond_broadcast(&line->changed);
    int waited = 0;
    while (!line->ended && waited == 0)
        waited = pthread_cond_timedwait(&line->changed, &line->lock, &end);
    pthread_mutex_unlock(&line->lock);
    leave_line(line);
}

static void open_seat(struct app *app)
{
    struct error error;
    struct member *member = member_open(&error);
    if (!member)
        return;
    struct seat *seat = app->seat = mem_new(sizeof *seat);
    seat->member = member;
    seat->kept_ms = clock_ms();
    seat->said_hidden = seat->follow_hidden = seat->poll_hidden = member->seen;
    seat->followed = seat->follow_hidden;
    seat->line = line_new(member, app->wake);
    app->dirty = true;
}

// ---- telling ---------------------------------------------------------------------------------------------------

bool seat_is_away(const struct app *app)
{
    const struct seat *seat = app->seat;
    return *seat->news.trouble || (seat->behind_ms > 0 && clock_ms() - seat->behind_ms >= SEAT_BEHIND_MS);
}

static bool keep(struct seat *seat, const char *kind, json_t *fields, struct error *error)
{
    if (seat->news.ended) {
        json_decref(fields);
        return error_set(error, EXIT_MISSING, "The room %s has ended.", seat->member->word);
    }
    if (!member_keep(seat->member, kind, fields, error))
        return false;
    seat->kept_ms = clock_ms();
    pthread_mutex_lock(&seat->line->lock);
    seat->line->asked = true;
    pthread_cond_broadcast(&seat->line->changed);
    pthread_mutex_unlock(&seat->line->lock);
    return true;
}

bool seat_keep(struct app *app, const char *kind, json_t *fields)
{
    struct error error;
    bool kept = keep(app->seat, kind, fields, &error);
    if (!kept)
        app_say(app, ROLE_BAD, "%s", error.text);
    return kept;
}

// While the room cannot be reached only the newest place waits to be told: where a learner was an hour ago helps nobody.
static bool can_tell_of_now(const struct app *app)
{
    return !app->seat->news.ended && !seat_is_away(app);
}

void seat_close(struct app *app)
{
    if (!app->seat)
        return;
    struct error unused;
    if (can_tell_of_now(app)) // what follows is typed in the shell
        (void)keep(app->seat, "here", json_pack("{s:s, s:s}", "in", "shell", "by", "-"), &unused);
    line_close(app->seat->line);
    free(app->seat);
    app->seat = NULL;
    app->dirty = true;
}

static bool is_elsewhere(const struct seat *seat)
{
    return *seat->now.page && memcmp(&seat->now, &seat->told, sizeof seat->now) != 0;
}

static void tell_place(struct app *app)
{
    struct seat *seat = app->seat;
    if (!is_elsewhere(seat) || !can_tell_of_now(app) ||
        (seat->placed_ms > 0 && clock_ms() - seat->placed_ms < SEAT_PLACE_MS))
        return;
    struct error unused; // a journal that is full of places has room for answers yet
    json_t *place = json_pack("{s:s, s:s, s:s}", "page", seat->now.page, "lesson", seat->now.lesson, "item",
                              seat->now.item);
    seat->told = seat->now;
    seat->placed_ms = clock_ms();
    (void)keep(seat, "at", place, &unused);
}

static void tell_here(struct app *app)
{
    struct error unused;
    if (!can_tell_of_now(app) || clock_ms() - app->seat->kept_ms < SEAT_HERE_MS)
        return;
    (void)keep(app->seat, "here", NULL, &unused);
    app->seat->kept_ms = clock_ms(); // also where there is no room for it any more
}

static void put_field(const struct text *text, char *out, size_t size)
{
    size_t length = text->length < size ? text->length : size - 1;
    while (length && length < text->length && (text->data[length] & 0xc0) == 0x80)
        length--; // whole characters
    memset(out, 0, size);
    memcpy(out, text_string(text), length);
}

// Of the pages that lie over each other the nearest one that is a place: a bench that was opened from a lesson is one in
// the lesson, with the kernel in the page's name.
static void find_place(struct app *app)
{
    struct text lesson = { 0 }, item = { 0 };
    if (!app->page)
        return;
    for (const struct page *page = app->page; page && !lesson.length; page = page->below)
        if (page->ops->place)
            page->ops->place(page, &lesson, &item);
    if (!lesson.length && app->page->ops->about)
        app->page->ops->about(app->page, &item);
    struct seat_place *now = &app->seat->now;
    memset(now, 0, sizeof *now);
    format_into(now->page, sizeof now->page, "%s", app->page->ops->name);
    put_field(&lesson, now->lesson, sizeof now->lesson);
    put_field(&item, now->item, sizeof now->item);
    text_free(&lesson);
    text_free(&item);
}

// A first answer with one choice, while a vote on that very question is open, is a vote too: it was chosen before anything
// was revealed. Later answers are none: they know what was wrong.
static void vote_by_answer(struct app *app, const struct live *live, const char *lesson, const json_t *event)
{
    const struct seat *seat = app->seat;
    const struct poll *poll = &seat->news.poll;
    const json_t *chosen = json_object_get(event, "chosen");
    if (!poll->number || !poll_round(poll) || seat_chosen(seat) || strcmp(poll->lesson, lesson) != 0 ||
        strcmp(poll->id, live->id) != 0)
        return;
    if (json_array_size(chosen) == 1)
        chosen = json_array_get(chosen, 0);
    if (!json_is_integer(chosen))
        return;
    if (seat_keep(app, "vote",
                  json_pack("{s:I, s:i, s:I}", "poll", poll->number, "round", poll_round(poll), "choice",
                            json_integer_value(chosen) - 1)))
        app_say(app, ROLE_NOTE, "It counts as your vote %lld, too.", (long long)poll->number);
}

void seat_answered(struct app *app, const char *kind, const char *lesson, const struct live *live,
                   const json_t *event, bool first)
{
    const json_t *right = json_object_get(event, "right");
    if (!app->seat || app->seat->news.ended || !live->id)
        return;
    bool answers = strcmp(kind, "answer") == 0, tries = strcmp(kind, "attempt") == 0;
    bool task = live->kind == LIVE_EXERCISE || live->kind == LIVE_BUGHUNT || live->kind == LIVE_CHALLENGE;
    if ((answers || tries) && json_is_boolean(right))
        seat_keep(
            app, task ? "try" : "answer",
            json_pack("{s:s, s:s, s:b}", "lesson", lesson, "id", live->id, "right", json_is_true(right)));
    if (first && (answers || strcmp(kind, "predict") == 0))
        vote_by_answer(app, live, lesson, event);
}

// ---- between events ---------------------------------------------------------------------------------------------

static void take_news(struct app *app)
{
    struct seat *seat = app->seat;
    struct seat_line *line = seat->line;
    size_t before = seat->news.serial, poll_before = seat->news.poll_when;
    bool away = seat_is_away(app);
    pthread_mutex_lock(&line->lock);
    seat->news = line->news;
    bool behind = seat->member->told > seat->news.delivered;
    seat->behind_ms = !behind ? 0 : seat->behind_ms > 0 ? seat->behind_ms : clock_ms();
    line->behind = behind && away;
    pthread_mutex_unlock(&line->lock);
    if (seat->news.poll_when != poll_before && seat->voted == hash_bytes(app->message, strlen(app->message)))
        *app->message = 0; // it was said of the vote as it was before
    member_named(seat->member, seat->news.as);
    if (seat->news.serial != before)
        member_refresh(seat->member); // a vote may have been given beside the screen
    app->dirty |= seat->news.serial != before || seat_is_away(app) != away;
}

// A room that has ended is no longer the learner's at the next start.
static void end_seat(struct app *app)
{
    struct error unused;
    if (!app->seat->news.ended)
        return;
    (void)member_forget(app->seat->member, &unused);
    app->seat_stamp = member_stamp();
}

static double sooner(double ms, double from, double after)
{
    double left = from + after - clock_ms();
    left = left > 0 ? left : 0;
    return ms < 0 || left < ms ? left : ms;
}

static int due_ms(const struct app *app)
{
    const struct seat *seat = app->seat;
    double ms = -1;
    if (seat->news.ended)
        return -1;
    if (seat->behind_ms > 0 && !seat_is_away(app))
        ms = sooner(ms, seat->behind_ms, SEAT_BEHIND_MS);
    if (can_tell_of_now(app)) {
        ms = sooner(ms, seat->kept_ms, SEAT_HERE_MS);
        ms = is_elsewhere(seat) ? sooner(ms, seat->placed_ms, SEAT_PLACE_MS) : ms;
    }
    return ms < 0 ? -1 : (int)ms + 1;
}

int seat_tend(struct app *app)
{
    uint64_t stamp = member_stamp();
    if (stamp != app->seat_stamp) { // joined or left, here or in another program
        app->seat_stamp = stamp;
        seat_close(app);
        if (stamp)
            open_seat(app);
    }
    if (!app->seat)
        return -1;
    take_news(app);
    end_seat(app);
    find_place(app);
    tell_place(app);
    tell_here(app);
    return due_ms(app);
}

int seat_chosen(const struct seat *seat)
{
    const struct poll *poll = &seat->news.poll;
    int round = poll->number ? poll_round(poll) : 0;
    bool voted = round && seat->member->vote.poll == poll->number && seat->member->vote.round == round;
    return voted ? seat->member->vote.choice + 1 : 0;
}
