// A learner's courier and a learner's screen are killed at random moments. What they have said to be kept or delivered
// is in the room afterwards, nothing counts twice, and every request is answered once.
#include "tui/tui.h"
#include "tui/view/seat.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/room/reach.h"
#include "tests/unit/killed.h"

static const double NOW = 4e9; // later than any clock of the test

// ---- the courier ---------------------------------------------------------------------------------------------------

enum { ROUND_LINES = 20, ROUND_NOTICES = 4, OPEN_REQUESTS = 2, WAITS_MOST = 3000, WAIT_US = 10000 };

struct asked_run {
    char name[QUEUE_NAME];
    unsigned answers; // that the room's end gave
};
struct away { // a learner who is elsewhere, and the room's end of it
    struct killed killed;
    struct member *member; // keeps and puts into the mirror; the courier is this test's own
    struct errand errand;
    json_int_t said; // notices so far
    struct asked_run *runs;
    size_t run_count;
};

// Under this name the courier finds this program as the pipe, behind what a login prints.
static void make_ssh(void)
{
    char *bin = path_join(getenv("WARPBOOK_ROOMS"), "bin"), *ssh = path_join(bin, "ssh"), *self = path_self(),
         *path = text_format("%s:%s", bin, getenv("PATH"));
    assert_int_equal(mkdir(bin, 0755), 0);
    FILE *file = fopen(ssh, "w");
    assert_non_null(file);
    fprintf(
        file,
        "#!/bin/sh\necho Welcome\nwhile [ \"$1\" != gpubox ]; do shift; done\nshift 2\nexec '%s' \"$@\"\n",
        self);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(ssh, 0755), 0);
    setenv("PATH", path, 1);
    free(bin);
    free(ssh);
    free(self);
    free(path);
}

static void join_from_elsewhere(struct away *away)
{
    struct reach_room there;
    struct error *error = &away->killed.error;
    char *at = text_format("%s@gpubox", away->killed.room.word);
    if (!reach_look(at, &there, error))
        fail_msg("%s", error->text);
    char *mirror = reach_mirror(at, &there, error);
    assert_non_null(mirror);
    if (!member_join(mirror, NULL, "0.1", &away->member, error))
        fail_msg("%s", error->text);
    errand_end(away->member->errand);
    free(away->member->errand);
    away->member->errand = NULL;
    reach_room_free(&there);
    free(mirror);
    free(at);
}

static void ask_for_a_run(struct away *away)
{
    struct error error;
    away->runs = array_room(away->runs, away->run_count, sizeof *away->runs);
    struct asked_run *run = &away->runs[away->run_count++];
    *run = (struct asked_run){ .answers = 0 };
    json_t *request = json_pack("{s:I}", "number", (json_int_t)away->run_count);
    assert_true(queue_ask(&away->member->room, away->member->token, request, run->name, &error));
    json_decref(request);
}

// The room's end answers each request with its own number, and as serve does nothing that it has answered.
static void answer_all(struct away *away)
{
    size_t count;
    struct error error;
    struct ticket *tickets = queue_list(&away->killed.room, &count, NULL);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < away->run_count; j++) {
            if (strcmp(tickets[i].name, away->runs[j].name) != 0)
                continue;
            if (queue_answered(&away->killed.room, &tickets[i])) { // put by a pipe that outlived its courier
                queue_withdraw(&away->killed.room, tickets[i].name);
                continue;
            }
            away->runs[j].answers++;
            json_t *answer = json_pack("{s:I}", "result", (json_int_t)j + 1);
            assert_true(queue_reply(&away->killed.room, &tickets[i], answer, &error));
            json_decref(answer);
        }
    free(tickets);
}

static size_t requests_left(const struct away *away)
{
    size_t count;
    free(queue_list(&away->member->room, &count, NULL));
    return count;
}

// One thing of each kind, until the round has enough.
static void goes_on(struct away *away, unsigned step)
{
    struct error error;
    if (step < ROUND_LINES) {
        assert_true(
            member_keep(away->member, "light", json_pack("{s:s}", "is", step % 2 ? "red" : "green"), &error));
        assert_true(member_deliver(away->member, &error));
    }
    if (step < ROUND_NOTICES) {
        char text[24];
        format_into(text, sizeof text, "%lld", (long long)++away->said);
        assert_true(room_tell(&away->killed.room, "say", json_pack("{s:s}", "text", text), &error));
    }
    if (requests_left(away) < OPEN_REQUESTS)
        ask_for_a_run(away);
    answer_all(away);
}

// How far the courier has said that lines are in the room; 0: it has said nothing in this round.
static json_int_t said_delivered(const struct away *away)
{
    struct text text = { 0 };
    struct error unused;
    char *path = room_path(&away->member->room, "courier.json");
    json_t *state = private_read(path, &text, &unused) ? json_loadb(text.data, text.length, 0, NULL) : NULL;
    json_int_t delivered = json_integer_value(json_object_get(state, "delivered"));
    json_decref(state);
    text_free(&text);
    free(path);
    return delivered;
}

static void forget_what_was_said(const struct away *away)
{
    char *path = room_path(&away->member->room, "courier.json");
    (void)unlink(path);
    free(path);
}

struct first_numbers { // of a file in which a line may stand again, which counts for nothing then
    json_int_t last;
    size_t again, left_out;
};

static void take_first(void *context, const json_t *line)
{
    struct first_numbers *numbers = context;
    json_int_t n = json_integer_value(json_object_get(line, "n"));
    numbers->again += n <= numbers->last;
    numbers->left_out += n > numbers->last + 1;
    numbers->last = n > numbers->last ? n : numbers->last;
}

static struct first_numbers in_the_room(const struct away *away)
{
    struct first_numbers numbers = { 0 };
    char *below_room = text_format("in/%s.jsonl", away->member->token);
    struct journal journal = { .path = room_path(&away->killed.room, below_room), .owner = geteuid() };
    journal_look(&journal, SIZE_MAX, take_first, &numbers);
    assert_null(journal.trouble);
    journal_free(&journal);
    free(below_room);
    return numbers;
}

enum moment { WHILE_STARTING, ONCE_GREETED, ONCE_ANSWERED, MOMENTS };

// What the moment is after has come.
static bool has_come(const struct away *away, enum moment moment, size_t runs)
{
    return moment == WHILE_STARTING || (moment == ONCE_GREETED && said_delivered(away) > 0) ||
           (moment == ONCE_ANSWERED &&
            away->run_count > runs); // a further one is asked for when one is answered
}

static void kill_one(struct away *away, enum moment moment)
{
    unsigned step = 0;
    int status;
    size_t runs = away->run_count;
    away->errand.begun = 0; // what is killed here may be started again at once
    forget_what_was_said(away);
    errand_keep(&away->errand, &away->member->room);
    assert_true(away->errand.child.pid > 0);
    for (int i = 0; i < WAITS_MOST && !has_come(away, moment, runs); i++) {
        goes_on(away, step++);
        usleep(WAIT_US / 5);
    }
    assert_true(has_come(away, moment, runs));
    struct victim killer;
    unsigned us = below(moment == WHILE_STARTING ? 60000 : 30000);
    if (is_child(&killer)) { // beside the learner, who need not have finished what is being done
        usleep(us);
        kill(away->errand.child.pid, SIGKILL);
        _exit(0);
    }
    close(killer.told);
    while (waitpid(killer.pid, NULL, WNOHANG) == 0)
        goes_on(away, step++);
    assert_int_equal(waitpid(away->errand.child.pid, &status, 0), away->errand.child.pid);
    if (!WIFSIGNALED(status))
        fail_msg("the courier ended by itself with status %d", status);
    away->errand.child.pid = 0;
    errand_end(&away->errand);
    assert_true(in_the_room(away).last >= said_delivered(away));
}

struct notices_said { // notices in the mirror
    json_int_t last;
    size_t wrong;
};

static void take_said(void *context, const json_t *line)
{
    struct notices_said *said = context;
    char text[24];
    if (strcmp(json_string_value(json_object_get(line, "kind")), "say") != 0)
        return;
    line_text(line, "text", text, sizeof text);
    json_int_t number = strtoll(text, NULL, 10);
    said->wrong += number != said->last + 1;
    said->last = number;
}

static struct notices_said heard(const struct away *away)
{
    struct notices_said said = { 0 };
    struct journal journal = { .path = room_path(&away->member->room, "notices.jsonl"), .owner = geteuid() };
    journal_look(&journal, SIZE_MAX, take_said, &said);
    journal_free(&journal);
    return said;
}

// A courier that nobody kills brings what is left.
static void bring_the_rest(struct away *away)
{
    away->errand.begun = 0;
    forget_what_was_said(away);
    errand_keep(&away->errand, &away->member->room);
    for (int i = 0; i < WAITS_MOST && (said_delivered(away) < away->member->told || requests_left(away) ||
                                       heard(away).last < away->said);
         i++) {
        answer_all(away);
        usleep(WAIT_US);
    }
    errand_end(&away->errand);
}

static void a_courier_loses_and_doubles_nothing(void **state)
{
    (void)state;
    struct away away = { .said = 0 };
    open_room(&away.killed);
    make_ssh();
    join_from_elsewhere(&away);
    for (unsigned i = 0, kills = setting_of("KILLS", KILLS_WITHOUT); i < kills; i++)
        kill_one(&away, i % MOMENTS);
    bring_the_rest(&away);
    struct first_numbers there = in_the_room(&away);
    print_message("%lld lines, %zu of them there again; %lld notices, %zu runs\n", (long long)there.last,
                  there.again, (long long)away.said, away.run_count);
    assert_int_equal(there.last, away.member->told);
    assert_int_equal(there.left_out, 0);
    assert_int_equal(heard(&away).last, away.said);
    assert_int_equal(heard(&away).wrong, 0);
    for (size_t i = 0; i < away.run_count; i++) {
        json_t *answer = queue_answer(&away.member->room, away.runs[i].name);
        assert_int_equal(json_integer_value(json_object_get(answer, "result")), i + 1);
        assert_int_equal(away.runs[i].answers, 1);
        json_decref(answer);
    }
    struct room_class class = { .room = &away.killed.room };
    for (int look = 0; look < 1000 && (!class.count || class.people[0].n < there.last); look++)
        assert_true(room_class_look(&class, NOW, &away.killed.error));
    assert_int_equal(class.count, 1);
    assert_int_equal(class.people[0].n, there.last);
    room_class_free(&class);
    free(away.runs);
    member_close(away.member);
    close_room(&away.killed);
}

// ---- the screen ----------------------------------------------------------------------------------------------------

static const struct vocabulary known = { page_list, commands, &banner };

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
    poll(&fd, 1, 1);
    out->kind = EVENT_WOKEN;
}

// A screen on which a learner moves about, answers and asks for help; it confirms what its journal has.
static void sit(int told)
{
    struct app app = { .timeless = true };
    struct face face = { .size = face_size, .show = face_show, .next = face_next };
    struct event event;
    app_init(&app, &known, face, true);
    if (!app_open(&app, "lesson 7"))
        _exit(1);
    for (unsigned turn = 0;; turn++) {
        app_draw(&app);
        app_wait(&app, &event);
        if (!app.seat)
            _exit(2);
        if (turn % 8 == 4 && app_do(&app, turn % 16 == 4 ? "lesson 6" : "lesson 7") != DONE)
            _exit(3);
        if (turn % 8 == 4)
            app.seat->placed_ms -= SEAT_PLACE_MS;
        json_int_t n = app.seat->member->told + 1;
        if (!seat_keep(&app, "light", json_pack("{s:s}", "is", turn % 2 ? "red" : "none")))
            _exit(4);
        n = app.seat->member->told > n ? app.seat->member->told : n;
        if (write(told, &n, sizeof n) != sizeof n)
            _exit(5);
    }
}

static void a_screen_loses_and_doubles_nothing(void **state)
{
    (void)state;
    struct killed killed;
    json_int_t confirmed = 0, n;
    open_joined_room(&killed);
    for (unsigned i = 0, kills = setting_of("KILLS", KILLS_WITHOUT); i < kills; i++) {
        struct victim victim;
        if (is_child(&victim))
            sit(victim.told);
        if (i % 2 &&
            read(victim.told, &n, sizeof n) == sizeof n) // every other one once it has told something
            confirmed = n;
        kill_within(&victim, i % 2 ? 20000 : 60000);
        hear_the_rest(&victim, &confirmed);
    }
    struct numbers there;
    struct member *member = member_with_all(&killed, confirmed, &there);
    member_close(member);
    close_room(&killed);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_courier_loses_and_doubles_nothing),
        cmocka_unit_test(a_screen_loses_and_doubles_nothing),
    };
    // It is its own courier, and that one's pipe; and nothing else that would start itself without end.
    if (count == 4 && strcmp(words[1], "room") == 0)
        return strcmp(words[2], "pipe") == 0 ? pipe_main(words[3]) : courier_main(words[3]);
    if (count > 1)
        return EXIT_FAILURE;
    setenv("WARPBOOK_WORKER", "exit 1", 1); // the screen's worker would be this program
    chance_begins();
    return cmocka_run_group_tests(tests, own_rooms, NULL);
}
