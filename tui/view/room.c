// room: the class that meets in a room, for its instructor: the votes, who needs help, where everybody is. The room is read
// and written in a lane of its own, so that a key never waits for its file system; what comes of a look is a picture that
// nothing changes, and the page draws that.
#include "tui/text/text.h"
#include "tui/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK_MS = 500 };

struct room_work {                // lives until both the page is closed and the lane has done with it
    struct page *page;            // NULL: closed
    struct desk desk;             // the lane's
    size_t pending;               // tasks
    bool timeless;                // tests: it is as late as what was told last
    struct room_picture *picture; // of the newest look; NULL: none yet
    char trouble[400];            // why there is no newer one; "" there is none
};
enum room_deed { DEED_LOOK, DEED_POLL, DEED_GO_ON, DEED_SHOW, DEED_FOLLOW, DEED_SAY };
struct room_task { // a deed, and a look after it
    struct room_work *work;
    enum room_deed deed;
    struct poll poll;
    json_t *fields;             // of a notice; taken over by it
    bool failed;                // the deed
    struct error error, unseen; // unseen: why the look failed; text "" it did not
    struct room_picture *picture;
};
struct room_page {
    struct reader reader, one; // the class, and one learner
    struct room_work *work;
    struct room_shown shown;
    char token[ROOM_TOKEN];  // of the learner who is shown; "" the class is
    char needed[ROOM_TOKEN]; // of the one to whom `next-need` went last
    bool projected;
    bool stale;   // the sheets are to be made anew
    bool renewed; // of another picture, in which `chosen` is to be selected
    char chosen[ROOM_TOKEN];
};

// ---- in the lane ---------------------------------------------------------------------------------------------

static double told_last(const struct room_class *class)
{
    double last = 0;
    for (size_t i = 0; i < class->count; i++)
        last = fmax(last, class->people[i].heard);
    return last;
}

static bool do_deed(struct room_task *task)
{
    struct desk *desk = &task->work->desk;
    json_t *fields = task->fields;
    task->fields = NULL;
    switch (task->deed) {
    case DEED_POLL:
        return poll_begin(&desk->room, &desk->class, &desk->notices, &task->poll, &task->error);
    case DEED_GO_ON:
        return poll_go_on(&desk->room, &desk->class, &desk->notices, &task->error);
    case DEED_SHOW:
        return poll_show(&desk->room, &desk->class, &desk->notices, &task->error);
    case DEED_FOLLOW:
        return room_tell(&desk->room, "follow", fields, &task->error);
    case DEED_SAY:
        return room_tell(&desk->room, "say", fields, &task->error);
    default:
        return true;
    }
}

static void work(struct task *lane)
{
    const double late = 4e9; // than any line
    struct room_task *task = lane->context;
    struct room_work *work = task->work;
    double now = work->timeless ? late : (double)time(NULL);
    task->failed = !do_deed(task);
    *task->unseen.text = 0;
    if (desk_look(&work->desk, now, &task->unseen))
        task->picture = room_picture_make(&work->desk, work->timeless ? told_last(&work->desk.class) : now);
}

// ---- on the screen's thread ------------------------------------------------------------------------------------

static void work_free(struct room_work *work)
{
    desk_close(&work->desk);
    room_picture_free(work->picture);
    free(work);
}

// The token of the learner whose row is selected; "" none is.
static void selected_token(const struct room_page *state, char out[ROOM_TOKEN])
{
    int at = state->reader.selected;
    *out = 0;
    if (at >= 0 && (size_t)at < state->shown.item_count)
        memcpy(out, state->work->picture->people[state->shown.items[at]].token, ROOM_TOKEN);
}

static void take_picture(struct app *app, struct room_work *work, struct room_task *task)
{
    struct room_page *state = work->page->state;
    if (task->failed) {
        app_say(app, ROLE_BAD, "%s", task->error.text);
    } else if (task->deed == DEED_SAY) {
        app_say(app, ROLE_GOOD, "Said to all.");
    } else if (task->deed == DEED_FOLLOW) {
        app_say(app, ROLE_GOOD, "Learners are shown the way to where you are.");
    }
    format_into(work->trouble, sizeof work->trouble, "%s", task->unseen.text);
    if (task->picture) {
        if (!state->renewed)
            selected_token(state, state->chosen);
        room_picture_free(work->picture);
        state->shown.picture = work->picture = task->picture;
        task->picture = NULL;
        state->shown.item_count = 0; // they were of the picture before
        state->renewed = true;
    }
    state->stale = true;
    app->dirty = true;
}

static void done(struct app *app, struct task *lane)
{
    struct room_task *task = lane->context;
    struct room_work *work = task->work;
    work->pending--;
    if (work->page)
        take_picture(app, work, task);
    room_picture_free(task->picture);
    json_decref(task->fields);
    free(task);
    if (!work->page && !work->pending)
        work_free(work);
}

// Who helps sees the class; votes and words are its instructor's. Fixed when the room's page opens.
static bool only_helps(const struct room_page *state)
{
    return *state->work->desk.class.desk;
}

static void begin(struct page *page, enum room_deed deed, const struct poll *poll, json_t *fields)
{
    struct room_page *state = page->state;
    if (deed != DEED_LOOK && state->work->picture && state->work->picture->ended) {
        app_refuse(page->app, "The room is closed. 'warpbook room open \"TITLE\"' opens another.");
        json_decref(fields);
        return;
    }
    struct room_task *context = mem_new(sizeof *context);
    struct task *task = mem_new(sizeof *task);
    *context = (struct room_task){ .work = state->work, .deed = deed, .fields = fields };
    if (poll)
        context->poll = *poll;
    *task = (struct task){ .work = work, .done = done, .context = context };
    state->work->pending++;
    tasks_add(page->app->tasks, LANE_ROOM, task);
}

static bool open_room(struct page *page, const struct words *words, struct error *error)
{
    struct room_page *state = page->state;
    struct room_work *work = mem_new(sizeof *work);
    state->reader.selected = state->one.selected = -1;
    state->projected = words->count > 1;
    if (!desk_open(NULL, &work->desk, error)) {
        free(work);
        return false;
    }
    work->page = page;
    work->timeless = page->app->timeless;
    state->work = work;
    begin(page, DEED_LOOK, NULL, NULL);
    return true;
}

static int tick_ms(const struct page *page)
{
    return LOOK_MS;
}

static void tick_room(struct page *page)
{
    struct room_page *state = page->state;
    if (!state->work->pending)
        begin(page, DEED_LOOK, NULL, NULL);
}

// ---- drawing ---------------------------------------------------------------------------------------------------

static const struct room_person *person_shown(const struct room_page *state)
{
    const struct room_picture *picture = state->work->picture;
    for (size_t i = 0; picture && *state->token && i < picture->count; i++)
        if (strcmp(picture->people[i].token, state->token) == 0)
            return &picture->people[i];
    return NULL;
}

static struct sheet waiting_sheet(const struct room_page *state, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    bool trouble = *state->work->trouble;
    sheet_paragraph(&sheet, trouble ? ROLE_BAD : ROLE_DIM, 1,
                    trouble ? state->work->trouble : "The room is being read.");
    return sheet;
}

// The item of the learner, within the rows of the class rather than among what is wrong; -1: none.
static int item_of(const struct room_page *state, const char *token)
{
    for (size_t i = state->shown.item_count; *token && i-- > 0;)
        if (strcmp(state->work->picture->people[state->shown.items[i]].token, token) == 0)
            return (int)i;
    return -1;
}

static void make_sheet(struct page *page, int width, bool utf8)
{
    struct room_page *state = page->state;
    const struct room_person *person = person_shown(state);
    state->shown.lessons = app_lessons(page->app);
    state->shown.workbook = page->app->workbook;
    if (!state->work->picture) {
        reader_show(&state->reader, waiting_sheet(state, width, utf8), 0);
    } else if (person) {
        reader_show(&state->one, room_person_sheet(&state->shown, person, width, utf8), 0);
    } else if (state->projected) {
        reader_show(&state->reader, room_projected(&state->shown, width, utf8), 0);
    } else {
        free(state->shown.items);
        struct sheet sheet = room_sheet(&state->shown, width, utf8);
        if (state->renewed)
            state->reader.selected = item_of(state, state->chosen);
        bool begins = !state->reader.top; // what is new comes into sight there
        reader_show(&state->reader, sheet, (int)state->shown.item_count);
        state->reader.top = begins ? 0 : state->reader.top;
        state->renewed = false;
    }
    state->stale = false;
}

static struct reader *reader_of(struct room_page *state)
{
    return person_shown(state) ? &state->one : &state->reader;
}

static void draw_room(struct page *page, struct area area)
{
    struct room_page *state = page->state;
    struct rect rest = { 0, 0, area.rows, area.cols };
    bool utf8 = area.canvas->utf8;
    const struct sheet *sheet = &reader_of(state)->sheet;
    if (state->stale || sheet->width != area.cols || sheet->utf8 != utf8)
        make_sheet(page, area.cols, utf8);
    if (*state->work->trouble && state->work->picture) {
        struct area line = area_rect(area, rect_bottom(&rest, 1, 0));
        area_cell(line, 0, 1, ROLE_BAD, line.cols - 1, "%s", state->work->trouble);
    }
    reader_draw(reader_of(state), area_rect(area, rest));
}

static void title_room(struct page *page, struct text *out)
{
    const struct room_page *state = page->state;
    const struct room_person *person = person_shown(state);
    text_addf(out, "%s%s%s", state->work->desk.room.word, person ? ", " : "", person ? person->as : "");
}

// ---- acting ----------------------------------------------------------------------------------------------------

static int open_person(struct page *page)
{
    struct room_page *state = page->state;
    if (!state->projected)
        selected_token(state, state->token);
    if (!*state->token)
        return DONE_NOT;
    state->one.sheet.width = 0;
    state->stale = true;
    return DONE;
}

static int close_person(struct room_page *state)
{
    if (!*state->token)
        return DONE_NOT;
    *state->token = 0;
    state->stale = true;
    return DONE;
}

// The learner after the one who is shown, of those who need help.
static int next_need(struct page *page)
{
    struct room_page *state = page->state;
    const struct room_picture *picture = state->work->picture;
    char now[ROOM_TOKEN];
    if (!picture || !picture->need_count)
        return app_refuse(page->app, "Nobody asks for help.");
    memcpy(now, state->token, sizeof now);
    if (!*now)
        selected_token(state, now);
    if (!*state->token && strcmp(now, state->needed) != 0) // the first time, to the one who waits longest
        *now = 0;
    size_t next = 0;
    for (size_t i = 0; i < picture->need_count; i++)
        if (strcmp(picture->people[picture->needs[i]].token, now) == 0)
            next = (i + 1) % picture->need_count;
    const struct room_person *person = &picture->people[picture->needs[next]];
    memcpy(state->needed, person->token, sizeof state->needed);
    if (*state->token)
        memcpy(state->token, person->token, sizeof state->token);
    else if (item_of(state, person->token) >= 0)
        reader_choose(&state->reader, item_of(state, person->token));
    state->stale = true;
    return DONE;
}

// Where the instructor is: the place of the nearest page below that has one.
static bool place_below(const struct page *page, struct text *lesson, struct text *item)
{
    for (const struct page *below = page->below; below && !lesson->length; below = below->below)
        if (below->ops->place)
            below->ops->place(below, lesson, item);
    return lesson->length > 0;
}

static int poll_at(struct page *page, const char *place)
{
    struct error error;
    struct poll poll;
    if (!poll_from_lesson(app_lessons(page->app), place, &poll, &error))
        return app_refuse(page->app, "%s", error.text);
    begin(page, DEED_POLL, &poll, NULL);
    return DONE;
}

static int poll_here(struct page *page)
{
    struct text lesson = { 0 }, item = { 0 };
    int did = DONE_FAILED;
    if (place_below(page, &lesson, &item) && item.length) {
        text_addf(&lesson, "/%s", item.data);
        did = poll_at(page, lesson.data);
    } else {
        app_refuse(page->app,
                   "Open a lesson at a question first and come back by ':room', or name one: ':poll "
                   "06-coalescing/sectors-of-stride-2'.");
    }
    text_free(&lesson);
    text_free(&item);
    return did;
}

// One key leads through a vote: it opens, round 1 closes, round 2 opens, round 2 closes.
static int poll(struct page *page, const struct words *words)
{
    struct room_page *state = page->state;
    const struct room_picture *picture = state->work->picture;
    if (words->count > 1)
        return poll_at(page, words->word[1]);
    if (!picture || !picture->poll.number || picture->poll.state == POLL_SHOWN)
        return poll_here(page);
    begin(page, DEED_GO_ON, NULL, NULL);
    return DONE;
}

static int follow_me(struct page *page)
{
    struct text lesson = { 0 }, item = { 0 };
    json_t *fields = NULL;
    if (place_below(page, &lesson, &item))
        fields = json_pack("{s:s, s:s}", "lesson", lesson.data, "item", text_string(&item));
    text_free(&lesson);
    text_free(&item);
    if (!fields)
        return app_refuse(page->app,
                          "Open a lesson first, and come back by ':room': learners are led to where "
                          "you are in it.");
    begin(page, DEED_FOLLOW, NULL, fields);
    return DONE;
}

static int say(struct page *page, const struct words *words)
{
    struct text said = { 0 };
    words_add(words, 1, &said);
    json_t *fields = said.length ? json_pack("{s:s}", "text", said.data) : NULL;
    text_free(&said);
    if (!fields)
        return app_refuse(page->app, "say takes the words: say ten minutes for exercise 2");
    begin(page, DEED_SAY, NULL, fields);
    return DONE;
}

static bool leads(enum act act)
{
    return act == ACT_POLL || act == ACT_SHOW_VOTE || act == ACT_FOLLOW_ME || act == ACT_SAY;
}

static int act_room(struct page *page, enum act act, const struct words *words)
{
    struct room_page *state = page->state;
    if (leads(act) && only_helps(state))
        return app_refuse(page->app, "You help in this room; its instructor leads votes, and speaks to all.");
    switch (act) {
    case ACT_ENTER:
        return *state->token ? DONE_NOT : open_person(page);
    case ACT_BACK:
    case ACT_LEFT:
        return close_person(state);
    case ACT_POLL:
        return poll(page, words);
    case ACT_SHOW_VOTE:
        begin(page, DEED_SHOW, NULL, NULL);
        return DONE;
    case ACT_FOLLOW_ME:
        return follow_me(page);
    case ACT_NEXT_NEED:
        return next_need(page);
    case ACT_SAY:
        return say(page, words);
    case ACT_PROJECTOR:
        close_person(state);
        state->projected = !state->projected;
        state->reader.selected = -1;
        state->stale = true;
        return DONE;
    default:
        return reader_act(reader_of(state), page->app, act, words);
    }
}

static bool click_room(struct page *page, int row, int col)
{
    struct room_page *state = page->state;
    int before = state->reader.selected;
    if (*state->token || !reader_click(&state->reader, row, col))
        return false;
    if (state->reader.selected == before)
        open_person(page);
    return true;
}

static void word_room(struct page *page, struct text *out)
{
    reader_word(reader_of(page->state), out);
}

static void copy_room(struct page *page, int lines, struct text *out)
{
    reader_copy(reader_of(page->state), lines, out);
}

// What leads a class is offered to its instructor alone, and while the room is open.
static bool offers(const struct page *page, enum act act)
{
    const struct room_page *state = page->state;
    bool closed = state->work->picture && state->work->picture->ended;
    return !leads(act) || (!closed && !only_helps(state));
}

static const char *hints(const struct page *page)
{
    static const char *const by_state[POLL_STATES] = {
        "poll close the vote, next-need need, say, projector",
        "poll vote again, show-vote show, next-need need",
        "poll close the vote, next-need need, say, projector", "show-vote show, next-need need",
        "poll vote here, next-need need, follow-me, projector"
    };
    const struct room_page *state = page->state;
    const struct room_picture *picture = state->work->picture;
    if (only_helps(state))
        return state->projected ? "projector back to names" : "next-need need, projector";
    if (picture && picture->ended)
        return "";
    if (state->projected)
        return "projector back to names, poll vote, show-vote show";
    if (picture && picture->poll.state == POLL_CLOSED1 && picture->poll.number && !*picture->poll.id)
        return "show-vote end and show, poll vote again, next-need need";
    return by_state[picture && picture->poll.number ? picture->poll.state : POLL_SHOWN];
}

static void close_room(struct page *page)
{
    struct room_page *state = page->state;
    reader_free(&state->reader);
    reader_free(&state->one);
    free(state->shown.items);
    if (!state->work)
        return;
    state->work->page = NULL;
    if (!state->work->pending)
        work_free(state->work);
}

const struct page_ops room_page = { .name = "room",
                                    .operands = "[--projector]",
                                    .help =
                                        "Your class in a room: votes, who needs help, where everybody is.",
                                    .size = sizeof(struct room_page),
                                    .open = open_room,
                                    .title = title_room,
                                    .draw = draw_room,
                                    .act = act_room,
                                    .click = click_room,
                                    .word = word_room,
                                    .offers = offers,
                                    .hints = hints,
                                    .copy = copy_room,
                                    .tick_ms = tick_ms,
                                    .tick = tick_room,
                                    .close = close_room };
