// The learner's end of a room on the screen: what is told and how often, and what a room that is away, hostile or joined
// meanwhile does to the screen. The clock is that of the seat's own fields, which the tests set back.
#include "tui/view/seat.h"
#include "tests/unit/rooms.h"
#include "tui/tui.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct vocabulary known = { page_list, commands, &banner };

struct fixture {
    struct room room;
    struct app app;
    struct error error;
};

static void face_size(void *context, int *rows, int *cols)
{
    *rows = 24;
    *cols = 80;
}

static void face_show(void *context, const struct canvas *canvas)
{
}

static void face_next(void *context, int wake, int timeout_ms, struct event *out)
{
    struct pollfd fd = { wake, POLLIN, 0 };
    poll(&fd, 1, 100);
    out->kind = EVENT_WOKEN;
}

static void join(struct fixture *fixture)
{
    struct member *member;
    if (!member_join(fixture->room.word, "otter-12", "0.1", &member, &fixture->error))
        fail_msg("%s", fixture->error.text);
    member_close(member);
}

static void open_screen(struct fixture *fixture)
{
    struct face face = { .size = face_size, .show = face_show, .next = face_next };
    fixture->app = (struct app){ .timeless = true };
    app_init(&fixture->app, &known, face, true);
    assert_true(app_open(&fixture->app, "home"));
}

static int start(void **state)
{
    struct fixture *fixture = mem_new(sizeof *fixture);
    struct room_terms terms = { .title = "CUDA day 1" };
    if (!room_make(&terms, &fixture->room, &fixture->error))
        fail_msg("%s", fixture->error.text);
    join(fixture);
    open_screen(fixture);
    *state = fixture;
    return 0;
}

static int end(void **state)
{
    struct fixture *fixture = *state;
    size_t left;
    struct error error;
    app_end(&fixture->app);
    struct member *member = member_open(&error);
    if (member)
        assert_true(member_forget(member, &error));
    member_close(member);
    assert_true(room_end(&fixture->room, true, &left, &fixture->error));
    room_free(&fixture->room);
    free(fixture);
    return 0;
}

// ---- waiting and counting -----------------------------------------------------------------------------------------

// Lets the screen's loop go round until it is so.
static void wait_until(struct fixture *fixture, bool (*is_so)(const struct fixture *fixture))
{
    struct event event;
    for (int i = 0; i < 600 && !is_so(fixture); i++)
        app_wait(&fixture->app, &event);
    if (!is_so(fixture))
        fail_msg("this never comes; trouble: %s",
                 fixture->app.seat ? fixture->app.seat->news.trouble : "no seat");
}

static bool all_is_delivered(const struct fixture *fixture)
{
    const struct seat *seat = fixture->app.seat;
    return seat && seat->news.delivered == seat->member->told;
}

static bool in_trouble(const struct fixture *fixture)
{
    return fixture->app.seat && *fixture->app.seat->news.trouble;
}

static bool has_no_seat(const struct fixture *fixture)
{
    return !fixture->app.seat;
}

struct counting {
    const char *kind;
    int count;
    char lesson[64]; // of the newest
};

static void count_line(void *context, const json_t *line)
{
    struct counting *counting = context;
    if (strcmp(json_string_value(json_object_get(line, "kind")), counting->kind) != 0)
        return;
    counting->count++;
    line_text(line, "lesson", counting->lesson, sizeof counting->lesson);
}

static struct counting told(const struct fixture *fixture, const char *kind)
{
    struct counting counting = { .kind = kind };
    struct journal all = { .path = mem_copy(fixture->app.seat->member->kept.path), .owner = geteuid() };
    journal_look(&all, SIZE_MAX, count_line, &counting);
    journal_free(&all);
    return counting;
}

static void open_page(struct fixture *fixture, const char *words)
{
    assert_int_equal(app_do(&fixture->app, words), DONE);
    app_draw(&fixture->app);
}

// ---- what is told --------------------------------------------------------------------------------------------------

static void the_newest_place_is_told_every_two_seconds(void **state)
{
    struct fixture *fixture = *state;
    wait_until(fixture, all_is_delivered);
    int before = told(fixture, "at").count;
    fixture->app.seat->placed_ms = clock_ms() - SEAT_PLACE_MS;
    open_page(fixture, "lesson 6");
    banner.tend(&fixture->app);
    assert_int_equal(told(fixture, "at").count, before + 1);
    assert_string_equal(told(fixture, "at").lesson, "06-coalescing");
    open_page(fixture, "lesson 7");
    banner.tend(&fixture->app);
    open_page(fixture, "lesson 8");
    int due = banner.tend(&fixture->app);
    assert_int_equal(told(fixture, "at").count, before + 1);
    assert_true(due >= 0 && due <= SEAT_PLACE_MS + 1);
    fixture->app.seat->placed_ms -= SEAT_PLACE_MS;
    banner.tend(&fixture->app);
    assert_int_equal(told(fixture, "at").count, before + 2);
    assert_string_equal(told(fixture, "at").lesson, "08-reduction");
}

static void a_bench_is_a_place_in_the_lesson_below_it(void **state)
{
    struct fixture *fixture = *state;
    wait_until(fixture, all_is_delivered);
    open_page(fixture, "lesson 6");
    open_page(fixture, "bench coalescing");
    banner.tend(&fixture->app);
    assert_string_equal(fixture->app.seat->now.page, "bench");
    assert_string_equal(fixture->app.seat->now.lesson, "06-coalescing");
}

static void silence_is_broken_once_a_minute(void **state)
{
    struct fixture *fixture = *state;
    wait_until(fixture, all_is_delivered);
    banner.tend(&fixture->app);
    assert_int_equal(told(fixture, "here").count, 0);
    fixture->app.seat->kept_ms -= SEAT_HERE_MS;
    banner.tend(&fixture->app);
    banner.tend(&fixture->app);
    assert_int_equal(told(fixture, "here").count, 1);
}

// ---- a room that is away --------------------------------------------------------------------------------------------

static void what_is_told_while_the_room_is_away_gets_there_once(void **state)
{
    struct fixture *fixture = *state;
    wait_until(fixture, all_is_delivered);
    char *in = room_path(&fixture->room, "in"), *away = room_path(&fixture->room, "away");
    assert_int_equal(rename(in, away), 0);
    assert_int_equal(app_do(&fixture->app, "stuck what is a sector"), DONE);
    wait_until(fixture, in_trouble);
    int places = told(fixture, "at").count;
    fixture->app.seat->placed_ms -= SEAT_PLACE_MS;
    open_page(fixture, "lesson 6");
    assert_int_equal(told(fixture, "at").count, places); // of a place nobody hears later
    assert_int_equal(app_do(&fixture->app, "done"), DONE);
    assert_int_equal(rename(away, in), 0);
    wait_until(fixture, all_is_delivered);
    struct room_class class = { .room = &fixture->room };
    assert_true(room_class_look(&class, 4e9, &fixture->error));
    assert_int_equal(class.count, 1);
    assert_int_equal(class.people[0].light, LIGHT_GREEN);
    assert_int_equal(class.people[0].n, fixture->app.seat->member->told);
    room_class_free(&class);
    free(in);
    free(away);
}

// A file system that hangs: who looks into the room comes back when the test says so.
static int entered[2], gate[2];
static bool hang(struct member *member, struct notices *notices, struct error *error)
{
    char byte = 'x';
    if (write(entered[1], &byte, 1) != 1 || read(gate[0], &byte, 1) != 1)
        return error_set(error, EXIT_MISSING, "the test's pipes are broken");
    return error_set(error, EXIT_MISSING, "it hung");
}

static void a_room_that_hangs_holds_up_no_key_and_not_the_end(void **state)
{
    struct fixture *fixture = *state;
    struct app *app = &fixture->app;
    char byte;
    wait_until(fixture, all_is_delivered);
    static struct member_link hangs;
    hangs = *app->seat->member->link;
    hangs.look = hang;
    assert_true(pipe(entered) == 0 && pipe(gate) == 0);
    app->seat->member->link = &hangs;
    assert_int_equal(read(entered[0], &byte, 1), 1);
    assert_int_equal(app_do(app, "stuck"), DONE);
    assert_int_equal(app->seat->member->light, LIGHT_RED); // kept, though nobody can deliver it
    banner.tend(app);
    assert_false(seat_is_away(app));
    app->seat->behind_ms -= SEAT_BEHIND_MS;
    assert_true(seat_is_away(app));
    seat_close(app);
    assert_null(app->seat);
    assert_int_equal(write(gate[1], &byte, 1), 1); // the thread goes by itself
}

static void a_seat_comes_and_goes_while_the_screen_is_open(void **state)
{
    struct fixture *fixture = *state;
    wait_until(fixture, all_is_delivered);
    struct member *member = member_open(&fixture->error);
    assert_true(member_leave(member, &fixture->error));
    member_close(member);
    wait_until(fixture, has_no_seat);
    assert_int_equal(app_do(&fixture->app, "vote 1"), DONE_FAILED);
    assert_non_null(strstr(fixture->app.message, "You are not in a room"));
    join(fixture);
    wait_until(fixture, all_is_delivered);
}

// ---- hostile notices -------------------------------------------------------------------------------------------------

// Writes as the instructor, or as whoever could in the instructor's place.
static void notices_are(struct fixture *fixture, const char *text, size_t length)
{
    char *path = room_path(&fixture->room, "notices.jsonl");
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, text, length), length);
    close(fd);
    free(path);
}

// The lines up to the size that is read count, what comes after them does not, and the learner's lines go on.
static void a_flood_of_notices_stops_no_line_of_the_learner(void **state)
{
    struct fixture *fixture = *state;
    static const char said[] = "{\"kind\":\"say\",\"text\":\"\\u001b[2J\\u202e\"}\n";
    struct text flood = { 0 };
    text_add(&flood, "[[[[[[[[1]]]]]]]]\n{\"kind\":{\"kind\":[]}}\n");
    text_add(&flood, said);
    while (flood.length < 2 * JOURNAL_MOST)
        text_add(
            &flood,
            "{}\n{\"kind\":\"poll\",\"poll\":1e99}\n{\"kind\":\"poll\",\"poll\":-1,\"state\":\"open1\"}\n");
    notices_are(fixture, flood.data, flood.length);
    text_free(&flood);
    wait_until(fixture, in_trouble);
    assert_non_null(strstr(fixture->app.seat->news.trouble, "too long"));
    assert_string_equal(fixture->app.seat->news.said, "<U+001B>[2J<U+202E>");
    assert_int_equal(app_do(&fixture->app, "stuck"), DONE);
    wait_until(fixture, all_is_delivered);
}

static void notices_of_another_user_are_not_read(void **state)
{
    struct fixture *fixture = *state;
    static const char end[] = "{\"kind\":\"end\"}\n";
    if (geteuid() != 0) {
        print_message("skipped: only root can give a file away\n");
        skip();
    }
    char *path = room_path(&fixture->room, "notices.jsonl");
    wait_until(fixture, all_is_delivered);
    assert_int_equal(chown(path, 65534, 65534), 0);
    notices_are(fixture, end, strlen(end));
    wait_until(fixture, in_trouble);
    assert_non_null(strstr(fixture->app.seat->news.trouble, "belongs to another user"));
    assert_false(fixture->app.seat->news.ended);
    assert_int_equal(chown(path, geteuid(), getegid()), 0);
    free(path);
}

static int begin(void **state)
{
    setenv("WARPBOOK_WORKER", "exec false", 1); // this program would else be taken for the worker
    return setlocale(LC_ALL, "") ? own_rooms(state) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_newest_place_is_told_every_two_seconds, start, end),
        cmocka_unit_test_setup_teardown(a_bench_is_a_place_in_the_lesson_below_it, start, end),
        cmocka_unit_test_setup_teardown(silence_is_broken_once_a_minute, start, end),
        cmocka_unit_test_setup_teardown(what_is_told_while_the_room_is_away_gets_there_once, start, end),
        cmocka_unit_test_setup_teardown(a_room_that_hangs_holds_up_no_key_and_not_the_end, start, end),
        cmocka_unit_test_setup_teardown(a_seat_comes_and_goes_while_the_screen_is_open, start, end),
        cmocka_unit_test_setup_teardown(a_flood_of_notices_stops_no_line_of_the_learner, start, end),
        cmocka_unit_test_setup_teardown(notices_of_another_user_are_not_read, start, end),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
