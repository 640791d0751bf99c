// Each part of a room is killed at random moments: the learner, the pipe, the instructor's end, serving. Nothing that was
// confirmed is lost, nothing is counted twice, and every request is answered once.
// Those of a learner elsewhere and of the screen are killed in room_kills_away.c.
#include "tests/unit/killed.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/room/reach.h"

static const double NOW = 4e9; // later than any clock of the test

// ---- the learner -------------------------------------------------------------------------------------------------

static void tell_and_confirm(int told)
{
    struct error error;
    struct member *member = member_open(&error);
    while (member && member_keep(member, "light", json_pack("{s:s}", "is", "red"), &error)) {
        json_int_t n = member->told;
        if (write(told, &n, sizeof n) != sizeof n) // what a screen says once it is kept
            break;
        (void)member_deliver(member, &error);
    }
    _exit(1);
}

static void a_learner_loses_and_doubles_nothing(void **state)
{
    (void)state;
    struct killed killed;
    json_int_t confirmed = 0;
    open_joined_room(&killed);
    for (unsigned i = 0, kills = setting_of("KILLS", KILLS_WITHOUT); i < kills; i++) {
        struct victim victim;
        if (is_child(&victim))
            tell_and_confirm(victim.told);
        kill_within(&victim, 25000);
        hear_the_rest(&victim, &confirmed);
    }
    struct numbers there;
    struct member *member = member_with_all(&killed, confirmed, &there);
    struct room_class class = { .room = &killed.room };
    for (int look = 0; look < 1000 && (!class.count || class.people[0].n < there.last); look++)
        assert_true(room_class_look(&class, NOW, &killed.error));
    assert_int_equal(class.count, 1);
    assert_int_equal(class.people[0].n, there.last);
    room_class_free(&class);
    member_close(member);
    close_room(&killed);
}

// ---- the pipe ------------------------------------------------------------------------------------------------------

struct carried { // what the courier's end knows
    int in, out;
    struct reach_line lines;
    json_int_t told; // confirmed by the pipe
};

// The next number under this key; -1: the pipe is gone.
static json_int_t hear(struct carried *carried, const char *key)
{
    for (;;) {
        for (json_t *line; (line = reach_next(&carried->lines)); json_decref(line)) {
            const json_t *number = json_object_get(line, key);
            if (number) {
                json_int_t n = json_integer_value(number);
                json_decref(line);
                return n;
            }
        }
        if (!reach_read(carried->out, &carried->lines))
            return -1;
    }
}

static void start_pipe(const struct killed *killed, struct victim *victim, struct carried *carried)
{
    int in[2], out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    victim->pid = fork();
    assert_true(victim->pid >= 0);
    if (victim->pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        _exit(pipe_main(killed->room.folder));
    }
    close(in[0]);
    close(out[1]);
    carried->in = in[1];
    carried->out = out[0];
}

// Tells one line after the other; a child beside it kills the pipe.
static void tell_through(struct carried *carried, const char *token)
{
    json_int_t n;
    if (!reach_send(carried->in, json_pack("{s:{s:s, s:i}}", "hello", "token", token, "notices", 0)) ||
        (n = hear(carried, "delivered")) < 0)
        return;
    assert_true(n >= carried->told); // what was confirmed is there
    carried->told = n;
    while (reach_send(carried->in, json_pack("{s:{s:i, s:I, s:s, s:s}}", "tell", "v", 1, "n", n + 1, "kind",
                                             "light", "is", "red")) &&
           hear(carried, "told") == n + 1)
        carried->told = ++n;
}

static void a_pipe_loses_and_doubles_nothing(void **state)
{
    (void)state;
    struct killed killed;
    struct carried carried = { 0 };
    char token[ROOM_TOKEN];
    open_room(&killed);
    signal(SIGPIPE, SIG_IGN);
    assert_true(room_token_new(token, &killed.error));
    for (unsigned i = 0, kills = setting_of("KILLS", KILLS_WITHOUT); i < kills; i++) {
        struct victim victim, killer;
        start_pipe(&killed, &victim, &carried);
        unsigned us = below(12000);
        if (is_child(&killer)) {
            usleep(us);
            kill(victim.pid, SIGKILL);
            _exit(0);
        }
        close(killer.told);
        tell_through(&carried, token);
        assert_int_equal(waitpid(killer.pid, NULL, 0), killer.pid);
        assert_int_equal(waitpid(victim.pid, NULL, 0), victim.pid);
        close(carried.in);
        close(carried.out);
        text_free(&carried.lines.received);
        carried.lines = (struct reach_line){ .noise = 0 };
    }
    char *below_room = text_format("in/%s.jsonl", token), *path = room_path(&killed.room, below_room);
    struct numbers there = numbers_in(path);
    print_message("%lld lines confirmed, %lld in the room\n", (long long)carried.told, (long long)there.last);
    assert_true(carried.told > 0 && there.last >= carried.told && there.last <= carried.told + 1);
    assert_int_equal(there.wrong, 0);
    free(below_room);
    free(path);
    close_room(&killed);
}

// ---- the instructor's end --------------------------------------------------------------------------------------------

struct shown_answers { // what a screen said of a round that it closed
    json_int_t poll;
    int round;
    unsigned votes[POLL_CHOICES];
};

static void lead(const struct room *room, int told)
{
    struct error error;
    struct desk desk;
    struct poll poll = { .ask = "Go on?", .choices = { "yes", "no", "wait" }, .choice_count = 3 };
    if (!desk_open(room->folder, &desk, &error))
        _exit(1);
    for (;;) {
        if (!desk_look(&desk, NOW, &error))
            _exit(2);
        const struct poll *now = notices_poll(&desk.notices);
        bool begins = !now || now->state == POLL_CLOSED2;
        if (!(begins ? poll_begin(&desk.room, &desk.class, &desk.notices, &poll, &error)
                     : poll_go_on(&desk.room, &desk.class, &desk.notices, &error)))
            _exit(3);
        now = notices_poll(&desk.notices);
        if (now->state != POLL_CLOSED1 && now->state != POLL_CLOSED2)
            continue;
        struct poll_count count;
        struct shown_answers shown = { .poll = now->number, .round = now->state == POLL_CLOSED1 ? 1 : 2 };
        poll_counts(&desk.room, &desk.class, now, &count);
        memcpy(shown.votes, count.votes[shown.round - 1], sizeof shown.votes);
        if (write(told, &shown, sizeof shown) != sizeof shown)
            _exit(4);
    }
}

// Each learner's file goes on growing, with votes in polls that are open, closed or still to come.
static void vote(const struct killed *killed, unsigned learner, json_int_t *n, json_int_t poll)
{
    char below_room[64];
    struct error error;
    format_into(below_room, sizeof below_room, "in/%032x.jsonl", learner + 1);
    char *path = room_path(&killed->room, below_room);
    json_t *line =
        *n == 0 ? json_pack("{s:i, s:I, s:s, s:s}", "v", 1, "n", *n + 1, "kind", "join", "as", "")
                : json_pack("{s:i, s:I, s:s, s:I, s:i, s:i}", "v", 1, "n", *n + 1, "kind", "vote", "poll",
                            poll + below(4), "round", 1 + (int)below(2), "choice", (int)below(3));
    ++*n;
    assert_true(journal_add(path, 0644, line, &error));
    json_decref(line);
    free(path);
}

static void assert_as_shown(const struct killed *killed, const struct shown_answers *shown, size_t count,
                            size_t learners)
{
    struct error error;
    struct desk desk;
    assert_true(desk_open(killed->room.folder, &desk, &error));
    size_t before;
    do { // an end that starts anew reads all there is, some of it in each look
        before = desk.class.version;
        assert_true(desk_look(&desk, NOW, &error));
    } while (desk.class.version != before);
    assert_int_equal(desk.class.count, learners);
    for (size_t i = 0; i < desk.class.count; i++)
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(desk.class.people[i].as, desk.class.people[j].as);
            assert_string_not_equal(desk.class.people[i].token, desk.class.people[j].token);
        }
    for (size_t i = 0; i < count; i++) {
        struct poll_count again;
        struct poll poll = { .number = shown[i].poll };
        poll_counts(&desk.room, &desk.class, &poll, &again);
        assert_memory_equal(again.votes[shown[i].round - 1], shown[i].votes, sizeof shown[i].votes);
    }
    desk_close(&desk);
}

static void what_the_instructor_saw_stays_so(void **state)
{
    (void)state;
    struct killed killed;
    struct shown_answers *all = NULL, one;
    size_t count = 0;
    open_room(&killed);
    unsigned kills = setting_of("KILLS", KILLS_WITHOUT), learners = kills < 40 ? kills : 40;
    json_int_t n[40] = { 0 };
    for (unsigned i = 0; i < kills; i++) {
        struct victim victim;
        json_int_t poll = count ? all[count - 1].poll : 1;
        for (unsigned learner = 0; learner < learners && learner <= i; learner++)
            vote(&killed, learner, &n[learner], poll);
        if (is_child(&victim))
            lead(&killed.room, victim.told);
        kill_within(&victim, 40000);
        while (read(victim.told, &one, sizeof one) == sizeof one) {
            all = array_room(all, count, sizeof *all);
            all[count++] = one;
        }
        close(victim.told);
    }
    print_message("%zu rounds were closed and shown\n", count);
    assert_true(count > 0);
    assert_as_shown(&killed, all, count, learners);
    free(all);
    close_room(&killed);
}

// ---- serving ------------------------------------------------------------------------------------------------------------

static const char worker_script[] =
    "while read -r line; do\n"
    "  id=${line#*'\"id\":'} id=${id%%[!0-9]*} variant=${line#*'\"variant\":\"'} variant=${variant%%'\"'*}\n"
    "  case $line in\n"
    "  *'\"do\":\"hello\"'*) echo '{\"warpbook\":1,\"hello\":{}}'; continue ;;\n"
    "  *'\"do\":\"describe\"'*) echo '{\"id\":'$id',\"result\":{\"gpu\":{\"target\":90}}}'; continue ;;\n"
    "  esac\n"
    "  echo \"$variant\" >>\"$QUEUE_LOG\"\n"
    "  echo "
    "'{\"id\":'$id',\"result\":{\"variant\":\"'$variant'\",\"backend\":\"gpu\",\"status\":\"right\",\"median_"
    "ms\":2}}'\n"
    "done\n";

struct asked_requests {
    char name[QUEUE_NAME], variant[16];
    ino_t answer; // 0: there was none yet
};
struct asking_learners {
    struct killed killed;
    struct member *member;
    struct asked_requests *all;
    size_t count;
    char *log;
};
static volatile sig_atomic_t stop;

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void ask(struct asking_learners *asking)
{
    struct error error;
    asking->all = array_room(asking->all, asking->count, sizeof *asking->all);
    struct asked_requests *asked = &asking->all[asking->count++];
    *asked = (struct asked_requests){ .answer = 0 };
    format_into(asked->variant, sizeof asked->variant, "v%zu", asking->count);
    struct request request = { .on = ON_GPU,
                               .variant = asked->variant,
                               .file = (char *)"k.cu",
                               .source = (char *)"//@ launch k<<<1, 1>>>()\n",
                               .ptx = (char *)"p" };
    json_t *json = request_to_json(&request);
    assert_true(queue_ask(&asking->killed.room, asking->member->token, json, asked->name, &error));
    json_decref(json);
}

// An answer that is there stays the file that it is. Returns how many requests have none yet.
static size_t look_at_answers(struct asking_learners *asking)
{
    size_t open = 0;
    for (size_t i = 0; i < asking->count; i++) {
        struct asked_requests *asked = &asking->all[i];
        struct stat status;
        char *below_room = text_format("out/%s", asked->name),
             *path = room_path(&asking->killed.room, below_room);
        bool there = stat(path, &status) == 0;
        if (asked->answer)
            assert_true(there && status.st_ino == asked->answer);
        else if (there)
            asked->answer = status.st_ino;
        open += !there;
        free(path);
        free(below_room);
    }
    return open;
}

static void stop_when_none_waits(void *context, const struct serving_now *now)
{
    stop = stop || (!now->waiting && !now->running && !now->starting);
}

static void serve_room(const struct room *room, bool to_the_end)
{
    struct error error;
    struct serve_terms terms = { .workers = 2, .tell = to_the_end ? stop_when_none_waits : NULL };
    stop = 0;
    if (!serve(room, &terms, &stop, &error))
        fail_msg("%s", error.text);
}

static size_t lines_of(const char *path)
{
    struct text text = { 0 };
    struct error error;
    size_t lines = 0;
    assert_true(file_read(path, &text, &error));
    for (size_t i = 0; i < text.length; i++)
        lines += text.data[i] == '\n';
    text_free(&text);
    return lines;
}

static void every_request_is_answered_once(void **state)
{
    (void)state;
    struct asking_learners asking = { .count = 0 };
    struct killed *killed = &asking.killed;
    open_room(killed);
    char *script = path_join(getenv("WARPBOOK_ROOMS"), "worker.sh"),
         *command = text_format("exec sh '%s'", script);
    asking.log = path_join(getenv("WARPBOOK_ROOMS"), "log");
    put(script, worker_script);
    put(asking.log, "");
    setenv("WARPBOOK_WORKER", command, 1);
    setenv("QUEUE_LOG", asking.log, 1);
    assert_true(member_join(killed->room.folder, NULL, "0.1", &asking.member, &killed->error));
    unsigned kills = setting_of("KILLS", KILLS_WITHOUT);
    for (unsigned i = 0; i < kills; i++) {
        struct victim victim;
        while (look_at_answers(&asking) < 4)
            ask(&asking);
        if (is_child(&victim)) {
            serve_room(&killed->room, false);
            _exit(1);
        }
        kill_within(&victim, 60000);
        close(victim.told);
    }
    serve_room(&killed->room, true);
    size_t left, runs = lines_of(asking.log);
    assert_int_equal(look_at_answers(&asking), 0);
    free(queue_list(&killed->room, &left, NULL));
    assert_int_equal(left, 0);
    for (size_t i = 0; i < asking.count; i++) {
        json_t *answer = queue_answer(&killed->room, asking.all[i].name);
        assert_string_equal(json_string_value(json_object_get(json_object_get(answer, "result"), "variant")),
                            asking.all[i].variant);
        json_decref(answer);
    }
    print_message("%zu requests were answered once, after %zu runs\n", asking.count, runs);
    assert_true(runs >= asking.count && runs <= asking.count + 2 * (size_t)kills);
    member_close(asking.member);
    free(asking.all);
    free(asking.log);
    free(script);
    free(command);
    close_room(killed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_learner_loses_and_doubles_nothing),
        cmocka_unit_test(a_pipe_loses_and_doubles_nothing),
        cmocka_unit_test(what_the_instructor_saw_stays_so),
        cmocka_unit_test(every_request_is_answered_once),
    };
    chance_begins();
    return cmocka_run_group_tests(tests, own_rooms, NULL);
}
