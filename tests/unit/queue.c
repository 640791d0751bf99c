// The class queue: who is served when, and that each request is answered once, whatever ends serving in between. Workers
// are scripts here that note what they are asked.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/room/queue.h"
#include "tests/unit/rooms.h"

static const char worker_script[] =
    "while read -r line; do\n"
    "  id=$(printf '%s' \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n"
    "  case $line in\n"
    "  *'\"do\":\"hello\"'*) echo '{\"warpbook\":1,\"hello\":{}}'; continue ;;\n"
    "  *'\"do\":\"describe\"'*) printf '{\"id\":%s,\"result\":{\"gpu\":{\"target\":90}}}\\n' \"$id\"; "
    "continue ;;\n"
    "  esac\n"
    "  variant=$(printf '%s' \"$line\" | sed 's/.*\"variant\":\"\\([^\"]*\\)\".*/\\1/')\n"
    "  case $line in *'\"fresh\":true'*) echo fresh >>\"$QUEUE_LOG\" ;; esac\n"
    "  echo \"$variant\" >>\"$QUEUE_LOG\"\n"
    "  printf '%s\\n' \"$line\" | sed -n 's/.*\"seed\":\\([0-9]*\\).*/\\1/p' >>\"$QUEUE_LOG.seeds\"\n"
    "  [ \"$variant\" = \"${QUEUE_KILLS:-}\" ] && kill -9 \"$QUEUE_VICTIM\"\n"
    "  [ \"$variant\" = hangs ] && { while read -r line; do :; done; exit; }\n"
    "  reps=$(printf '%s' \"$line\" | sed -n 's/.*\"reps\":\\([0-9]*\\).*/\\1/p')\n"
    "  printf "
    "'{\"id\":%s,\"result\":{\"variant\":\"%s\",\"backend\":\"gpu\",\"status\":\"right\",\"device\":\"H200\","
    "' "
    "\"$id\" \"$variant\"\n"
    "  printf '\"median_ms\":2,\"low_ms\":1,\"high_ms\":3,\"reps\":%s}}\\n' \"${reps:-5}\"\n"
    "done\n";

enum { LEARNERS = 6 };
struct queue_fixture {
    struct room room;
    struct member *members[LEARNERS];
    char *log;
    struct error error;
};

static volatile sig_atomic_t stop;

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void open_queue(struct queue_fixture *fixture)
{
    *fixture = (struct queue_fixture){ .error = { 0 } };
    struct room_terms terms = { .title = "queue", .claimed = true };
    assert_true(room_make(&terms, &fixture->room, &fixture->error));
    char *script = path_join(getenv("WARPBOOK_ROOMS"), "worker.sh"),
         *command = text_format("exec sh '%s'", script);
    put(script, worker_script);
    setenv("WARPBOOK_WORKER", command, 1);
    fixture->log = path_join(getenv("WARPBOOK_ROOMS"), "log");
    put(fixture->log, "");
    setenv("QUEUE_LOG", fixture->log, 1);
    free(script);
    free(command);
    for (size_t i = 0; i < LEARNERS; i++) { // learners of one account, each with a home
        char as[ROOM_NAME];
        format_into(as, sizeof as, "otter-%02zu", i + 1); // drawn at random, two could be the same
        char *home = text_format("%s/home%zu-%s", getenv("WARPBOOK_ROOMS"), i, fixture->room.word);
        setenv("WARPBOOK_HOME", home, 1);
        assert_true(member_join(fixture->room.word, as, "0.1", &fixture->members[i], &fixture->error));
        free(home);
    }
}

static void close_queue(struct queue_fixture *fixture)
{
    size_t left;
    for (size_t i = 0; i < LEARNERS; i++)
        member_close(fixture->members[i]);
    assert_true(room_end(&fixture->room, true, &left, &fixture->error));
    assert_int_equal(left, 0);
    room_free(&fixture->room);
    free(fixture->log);
}

static void ask(struct queue_fixture *fixture, size_t learner, const char *variant, const char *ptx,
                char name[QUEUE_NAME])
{
    struct request request = { .on = ON_GPU,
                               .variant = (char *)variant,
                               .file = (char *)"k.cu",
                               .source = (char *)"//@ launch k<<<1, 1>>>()\n",
                               .ptx = (char *)ptx };
    json_t *json = request_to_json(&request);
    assert_true(queue_ask(&fixture->room, fixture->members[learner]->token, json, name, &fixture->error));
    json_decref(json);
}

struct until {
    size_t done;
};

static void enter(struct queue_fixture *fixture, size_t learner, const char *kind)
{
    assert_true(member_tell(fixture->members[learner], kind, json_pack("{s:s}", "lab", "histogram"),
                            &fixture->error));
}

static void stop_when_done(void *context, const struct serving_now *now)
{
    const struct until *goal = context;
    if (now->done >= goal->done && !now->waiting && !now->running && !now->starting)
        stop = 1;
}

static void serve_until(struct queue_fixture *fixture, size_t done, int workers)
{
    struct until goal = { done };
    struct serve_terms terms = { .workers = workers, .tell = stop_when_done, .context = &goal };
    stop = 0;
    if (!serve(&fixture->room, &terms, &stop, &fixture->error))
        fail_msg("%s", fixture->error.text);
}

static void assert_log(const struct queue_fixture *fixture, const char *expected)
{
    struct text text = { 0 };
    struct error error;
    assert_true(file_read(fixture->log, &text, &error));
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
}

static void assert_answer(struct queue_fixture *fixture, const char *name, const char *variant)
{
    json_t *answer = queue_answer(&fixture->room, name);
    assert_non_null(answer);
    assert_string_equal(json_string_value(json_object_get(json_object_get(answer, "result"), "variant")),
                        variant);
    json_decref(answer);
}

// Whoever asks for a ladder does not keep those waiting who ask for one run.
static void the_learner_served_least_recently_comes_first(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    char names[7][QUEUE_NAME];
    open_queue(&fixture);
    ask(&fixture, 0, "a1", "p", names[0]);
    ask(&fixture, 0, "a2", "p", names[1]);
    ask(&fixture, 0, "a3", "p", names[2]);
    ask(&fixture, 1, "b1", "p", names[3]);
    ask(&fixture, 1, "b2", "p", names[4]);
    ask(&fixture, 2, "c1", "p", names[5]);
    serve_until(&fixture, 6, 1);
    assert_log(&fixture, "a1\nfresh\nb1\nfresh\nc1\nfresh\na2\nfresh\nb2\nfresh\na3\n");
    assert_answer(&fixture, names[4], "b2");
    size_t left;
    free(queue_list(&fixture.room, &left, NULL));
    assert_int_equal(left, 0);
    close_queue(&fixture);
}

static void serving_that_is_killed_answers_each_request_once(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    char names[5][QUEUE_NAME], victim[32];
    static const char *const variants[] = { "a1", "a2", "a3", "a4", "a5" };
    open_queue(&fixture);
    for (size_t i = 0; i < 5; i++)
        ask(&fixture, 0, variants[i], "p", names[i]);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        format_into(victim, sizeof victim, "%ld", (long)getpid());
        setenv("QUEUE_VICTIM", victim, 1);
        setenv("QUEUE_KILLS", "a3", 1);
        serve_until(&fixture, 5, 1);
        _exit(1); // it is killed before
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    serve_until(&fixture, 3, 1);
    assert_log(&fixture, "a1\na2\na3\na3\na4\na5\n"); // what ran when it was killed runs again
    for (size_t i = 0; i < 5; i++)
        assert_answer(&fixture, names[i], variants[i]);
    close_queue(&fixture);
}

struct change_of_mind { // of a learner, or of the instructor, while a request runs
    const struct queue_fixture *fixture;
    const char *withdrawn; // NULL: the instructor ends the serving
    size_t until_done;
};

static void change_mind(void *context, const struct serving_now *now)
{
    const struct change_of_mind *change = context;
    struct text log = { 0 };
    struct error unused;
    (void)file_read(change->fixture->log, &log, &unused);
    if (log.length && change->withdrawn)
        queue_withdraw(&change->fixture->room, change->withdrawn);
    if (change->withdrawn ? now->done >= change->until_done : log.length)
        stop = 1;
    text_free(&log);
}

static void what_a_learner_takes_back_is_stopped_and_counts_nowhere(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    char hangs[QUEUE_NAME], waits[QUEUE_NAME], later[QUEUE_NAME];
    open_queue(&fixture);
    ask(&fixture, 0, "hangs", "p", hangs);
    ask(&fixture, 0, "never", "p", waits);
    ask(&fixture, 1, "b1", "p", later);
    queue_withdraw(&fixture.room, waits);
    struct change_of_mind change = { &fixture, hangs, 1 };
    struct serve_terms terms = { .workers = 1, .tell = change_mind, .context = &change };
    stop = 0;
    assert_true(serve(&fixture.room, &terms, &stop, &fixture.error));
    assert_log(&fixture, "hangs\nfresh\nb1\n");
    assert_null(queue_answer(&fixture.room, hangs));
    assert_null(queue_answer(&fixture.room, waits));
    assert_answer(&fixture, later, "b1");
    close_queue(&fixture);
}

static void serving_that_ends_stops_what_runs_and_leaves_what_waits(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    char hangs[QUEUE_NAME], waits[QUEUE_NAME];
    open_queue(&fixture);
    ask(&fixture, 0, "hangs", "p", hangs);
    ask(&fixture, 1, "b1", "p", waits);
    struct change_of_mind change = { &fixture, NULL, 0 };
    struct serve_terms terms = { .workers = 1, .tell = change_mind, .context = &change };
    stop = 0;
    assert_true(serve(&fixture.room, &terms, &stop, &fixture.error));
    json_t *told = queue_answer(&fixture.room, hangs), *now = queue_state(&fixture.room);
    assert_non_null(
        strstr(json_string_value(json_object_get(json_object_get(told, "error"), "text")), "was ended"));
    assert_true(json_is_true(json_object_get(now, "ended")));
    assert_int_equal(json_array_size(json_object_get(now, "waiting")), 1);
    assert_int_equal(json_array_size(json_object_get(now, "running")), 0);
    json_decref(told);
    json_decref(now);
    serve_until(&fixture, 1, 1);
    assert_answer(&fixture, waits, "b1");
    close_queue(&fixture);
}

// What counts in a leaderboard beside a result that the learner has already is done when no other request waits.
static void what_nobody_waits_for_comes_last(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    char names[2][QUEUE_NAME];
    struct request request = { .on = ON_SIM,
                               .lab = (char *)"histogram",
                               .preset = (char *)"small",
                               .variant = (char *)"later",
                               .file = (char *)"k.cu",
                               .source = (char *)"//@ launch k<<<1, 1>>>()\n",
                               .ptx = (char *)"p" };
    json_t *json = request_to_json(&request);
    open_queue(&fixture);
    enter(&fixture, 1, "enter");
    assert_true(queue_ask_later(&fixture.room, fixture.members[1]->token, json, &fixture.error));
    ask(&fixture, 0, "a1", "p", names[0]);
    ask(&fixture, 0, "a2", "p", names[1]);
    serve_until(&fixture, 3, 1);
    assert_log(&fixture, "a1\na2\nfresh\nlater\n");
    json_decref(json);
    close_queue(&fixture);
}

static void what_may_not_run_is_answered_and_does_not(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    char source[QUEUE_NAME], many[QUEUE_EACH + 1][QUEUE_NAME];
    open_queue(&fixture);
    ask(&fixture, 0, "source", NULL, source);
    for (size_t i = 0; i <= QUEUE_EACH; i++)
        ask(&fixture, 1, "b", "p", many[i]);
    serve_until(&fixture, QUEUE_EACH + 1, 1);
    json_t *refused = queue_answer(&fixture.room, source),
           *last = queue_answer(&fixture.room, many[QUEUE_EACH]);
    assert_non_null(
        strstr(json_string_value(json_object_get(json_object_get(refused, "error"), "text")), "PTX"));
    assert_non_null(
        strstr(json_string_value(json_object_get(json_object_get(last, "error"), "text")), "too many"));
    assert_log(&fixture, "b\nb\nb\nb\nb\nb\nb\nb\n");
    json_decref(refused);
    json_decref(last);
    close_queue(&fixture);
}

struct flood_heard {
    char by[100];
    size_t files;
};

static void stop_when_flooded(void *context, const struct serving_now *now)
{
    struct flood_heard *heard = context;
    if (!now->flooder || !*now->flooder)
        return;
    format_into(heard->by, sizeof heard->by, "%s", now->flooder);
    heard->files = now->flood_files;
    stop = 1;
}

static void who_floods_the_queue_is_named(void **state)
{
    (void)state;
    struct room room;
    struct member *member;
    struct error error;
    struct room_terms terms = { .title = "accounts of their own" };
    struct flood_heard heard = { .by = "" };
    struct serve_terms serving = { .own = true, .workers = 1, .tell = stop_when_flooded, .context = &heard };
    char hash[17];
    size_t left;
    assert_true(room_make(&terms, &room, &error));
    char *script = path_join(getenv("WARPBOOK_ROOMS"), "worker.sh"),
         *command = text_format("exec sh '%s'", script);
    put(script, worker_script);
    setenv("WARPBOOK_WORKER", command, 1);
    assert_true(member_join(room.word, "otter-01", "0.1", &member, &error));
    for (int i = 0; i < QUEUE_FILES + 36; i++) {
        char *below = i % 2 ? text_format("q/%s-%016x.json", member->token, i) : text_format("q/%d", i);
        char *path = room_path(&room, below);
        put(path, "{}");
        free(path);
        free(below);
    }
    stop = 0;
    if (!serve(&room, &serving, &stop, &error))
        fail_msg("%s", error.text);
    assert_non_null(strstr(heard.by, "otter-01"));
    assert_int_equal(heard.files, QUEUE_FILES + 36);
    json_t *said = queue_state(&room), *flood = json_object_get(said, "flood");
    room_hash(member->token, hash);
    assert_string_equal(json_string_value(json_object_get(flood, "by")), hash); // learners read it too
    assert_int_equal(json_integer_value(json_object_get(flood, "files")), QUEUE_FILES + 36);
    json_decref(said);
    member_close(member);
    assert_true(room_end(&room, true, &left, &error));
    room_free(&room);
    free(script);
    free(command);
}

static void note(struct queue_fixture *fixture, size_t learner, double median, double half, double pct)
{
    struct request request = { .on = ON_GPU,
                               .lab = (char *)"histogram",
                               .variant = (char *)"7",
                               .preset = (char *)"full",
                               .source = (char *)"x" };
    struct record record;
    record_init(&record);
    record.status = STATUS_RIGHT;
    record.device = (char *)"H200";
    record.data = (char *)"uniform";
    record.date = (char *)"2026-11-23T10:00:00Z";
    record.median_ms = median;
    record.low_ms = median - half;
    record.high_ms = median + half;
    record.ceiling_pct = pct;
    record.reps = LEADERS_REPS - 1;
    assert_false(leaders_may_enter(&request, &record)); // too few repeats
    record.reps = LEADERS_REPS;
    assert_true(leaders_may_enter(&request, &record));
    assert_true(
        leaders_note(&fixture->room, fixture->members[learner]->as, &request, &record, &fixture->error));
}

// Who cannot be told apart shares a place; what is faster than memory allows is no place at all.
static void leaders_are_ranked_by_what_can_be_told_apart(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    struct leader *leaders;
    open_queue(&fixture);
    enter(&fixture, 0, "enter");
    enter(&fixture, 1, "enter");
    enter(&fixture, 2, "enter");
    note(&fixture, 0, 0.179, 0.002, 91);
    note(&fixture, 0, 0.250, 0.002, 70); // the best counts
    note(&fixture, 1, 0.178, 0.002, 92);
    note(&fixture, 2, 0.190, 0.001, 86);
    note(&fixture, 2, 0.001, 0.0001, 9000);
    struct room_class class = { .room = &fixture.room };
    assert_true(room_class_look(&class, 4e9, &fixture.error));
    assert_int_equal(leaders_of(&fixture.room, &class, "histogram", &leaders), 4);
    assert_string_equal(leaders[0].as, fixture.members[1]->as);
    assert_int_equal(leaders[0].place, 1);
    assert_int_equal(leaders[1].place, 1); // the intervals overlap
    assert_float_equal(leaders[1].median_ms, 0.179, 1e-9);
    assert_int_equal(leaders[2].place, 3);
    assert_true(leaders[3].aside);
    free(leaders);
    struct journal results = { .path = room_path(&fixture.room, "keep/results.jsonl") };
    json_t *wrong = json_pack("{s:s, s:s, s:s, s:s, s:b}", "as", fixture.members[0]->as, "lab", "histogram",
                              "device", "H200", "data", "uniform", "again", 1);
    assert_true(journal_add(results.path, 0600, wrong, &fixture.error));
    journal_free(&results);
    json_decref(wrong);
    assert_int_equal(leaders_of(&fixture.room, &class, "histogram", &leaders), 4);
    assert_true(leaders[2].aside && leaders[3].aside); // one who was wrong when measured again is as well
    assert_int_equal(leaders[1].place, 2);
    free(leaders);
    enter(&fixture, 1, "withdraw");
    assert_true(room_class_look(&class, 4e9, &fixture.error));
    assert_int_equal(leaders_of(&fixture.room, &class, "histogram", &leaders), 3);
    free(leaders);
    assert_int_equal(leaders_of(&fixture.room, &class, "vecadd", &leaders), 0);
    free(leaders);
    room_class_free(&class);
    close_queue(&fixture);
}

static void note_counts(struct queue_fixture *fixture, size_t learner, double sectors, double waves)
{
    struct request request = {
        .on = ON_SIM, .lab = (char *)"histogram", .variant = (char *)"7", .source = (char *)"x"
    };
    struct record record;
    record_init(&record);
    record.status = STATUS_RIGHT;
    record.data = (char *)"uniform";
    record.date = (char *)"2026-11-23T10:00:00Z";
    record.bytes = 32 * 100;
    assert_false(leaders_may_enter(&request, &record)); // it counted nothing
    struct record_counters counters = {
        .gld_sec = sectors, .gst_sec = 1, .l1_wave_shared = waves, .inst = 7
    };
    record.counters = &counters;
    assert_true(leaders_may_enter(&request, &record));
    assert_true(
        leaders_note(&fixture->room, fixture->members[learner]->as, &request, &record, &fixture->error));
}

// Counts are exact: a place is shared only where all of them are the same. Who read less than there is has not read it.
static void counts_rank_without_a_gpu(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    struct leader *leaders;
    open_queue(&fixture);
    for (size_t i = 0; i < 4; i++)
        enter(&fixture, i, "enter");
    note_counts(&fixture, 0, 200, 5);
    note_counts(&fixture, 1, 200, 4);
    note_counts(&fixture, 2, 300, 1);
    note_counts(&fixture, 2, 200, 4);
    note_counts(&fixture, 3, 50, 1);
    note(&fixture, 0, 0.179, 0.002, 91); // another table
    struct room_class class = { .room = &fixture.room };
    assert_true(room_class_look(&class, 4e9, &fixture.error));
    assert_int_equal(leaders_of(&fixture.room, &class, "histogram", &leaders), 5);
    static const int places[] = { 1, 1, 3, 1, 1 };
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(leaders[i].place, places[i]);
    assert_float_equal(leaders[2].counts[1], 5, 0);
    assert_true(leaders[3].aside);
    assert_string_equal(leaders[4].device, "H200");
    free(leaders);
    room_class_free(&class);
    close_queue(&fixture);
}

// Learners see a table once there are five, the first five by name, and nothing that is set aside.
static void learners_see_the_first_five_and_themselves(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    char hash[17];
    open_queue(&fixture);
    struct room_class class = { .room = &fixture.room };
    for (size_t i = 0; i < LEARNERS; i++) {
        json_t *none = leaders_boards(&fixture.room, &class);
        assert_int_equal(json_array_size(none), i < BOARD_LEAST ? 0 : 1);
        json_decref(none);
        enter(&fixture, i, "enter");
        note(&fixture, i, 1 + (double)i, 0.1, 90);
        note(&fixture, i, 0.001, 0.0001, 9000);
        assert_true(room_class_look(&class, 4e9, &fixture.error));
    }
    json_t *boards = leaders_boards(&fixture.room, &class), *board = json_array_get(boards, 0),
           *rows = json_object_get(board, "rows");
    assert_int_equal(json_array_size(boards), 1);
    assert_string_equal(json_string_value(json_object_get(board, "lab")), "histogram");
    assert_int_equal(json_array_size(rows), LEARNERS);
    for (size_t i = 0; i < LEARNERS; i++) {
        const json_t *row = json_array_get(rows, i), *as = json_object_get(row, "as");
        room_hash(fixture.members[i]->token, hash);
        assert_string_equal(json_string_value(json_object_get(row, "hash")), hash);
        assert_int_equal(json_integer_value(json_object_get(row, "place")), i + 1);
        if (i < BOARD_NAMED)
            assert_string_equal(json_string_value(as), fixture.members[i]->as);
        else
            assert_null(as);
    }
    json_decref(boards);
    room_class_free(&class);
    close_queue(&fixture);
}

// A run of a lab that was entered is repeated often enough, and what serve measured is kept.
static void what_serve_measures_enters(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    char name[QUEUE_NAME];
    struct leader *leaders;
    open_queue(&fixture);
    enter(&fixture, 0, "enter");
    struct request request = { .on = ON_GPU,
                               .lab = (char *)"histogram",
                               .variant = (char *)"7",
                               .preset = (char *)"full",
                               .file = (char *)"k.cu",
                               .source = (char *)"x",
                               .ptx = (char *)"p" };
    json_t *json = request_to_json(&request);
    assert_true(queue_ask(&fixture.room, fixture.members[0]->token, json, name, &fixture.error));
    assert_true(
        queue_ask(&fixture.room, fixture.members[1]->token, json, name, &fixture.error)); // has not entered
    json_decref(json);
    enter(&fixture, 2, "enter");
    request.source = request.ptx = NULL; // a library's row: nobody's kernel
    json = request_to_json(&request);
    assert_true(queue_ask(&fixture.room, fixture.members[2]->token, json, name, &fixture.error));
    json_decref(json);
    serve_until(&fixture, 3, 1);
    assert_answer(&fixture, name, "7");
    struct room_class class = { .room = &fixture.room };
    assert_true(room_class_look(&class, 4e9, &fixture.error));
    assert_int_equal(leaders_of(&fixture.room, &class, "histogram", &leaders), 1);
    assert_string_equal(leaders[0].device, "H200");
    free(leaders);
    room_class_free(&class);
    close_queue(&fixture);
}

// One after the other, six times over; who is on no table is not among them.
// What is shown meanwhile: "round 2 of 6, otter-1: ..."
static bool hear_round(void *context, const char *stage, double seconds)
{
    unsigned *rounds = context;
    unsigned round = 0;
    if (sscanf(stage, "round %u of 6, ", &round) == 1 && strchr(stage, ':'))
        *rounds |= 1u << round;
    else
        *rounds |= 1;
    return true;
}

static void the_first_are_measured_again_in_turns(void **state)
{
    (void)state;
    struct queue_fixture fixture;
    char name[QUEUE_NAME];
    struct leader *leaders;
    struct text log = { 0 }, expected = { 0 };
    size_t count;
    open_queue(&fixture);
    for (size_t i = 0; i < 3; i++) {
        const char *const variants[] = { "one", "two", "three" };
        struct request request = { .on = ON_GPU,
                                   .lab = (char *)"histogram",
                                   .variant = (char *)variants[i],
                                   .preset = (char *)"full",
                                   .file = (char *)"k.cu",
                                   .source = (char *)"x",
                                   .ptx = (char *)"p" };
        json_t *json = request_to_json(&request);
        if (i < 2)
            enter(&fixture, i, "enter");
        assert_true(queue_ask(&fixture.room, fixture.members[i]->token, json, name, &fixture.error));
        json_decref(json);
    }
    serve_until(&fixture, 3, 1);
    struct room_class class = { .room = &fixture.room };
    assert_true(room_class_look(&class, 4e9, &fixture.error));
    put(fixture.log, "");
    char *seeds_path = text_format("%s.seeds", fixture.log);
    put(seeds_path, "");
    struct client *client = client_new();
    unsigned rounds = 0;
    assert_true(leaders_again(&fixture.room, &class, "histogram", client, hear_round, &rounds, &count,
                              &fixture.error));
    client_free(client);
    assert_int_equal(rounds, 0x7e); // the rounds 1 to 6, and nothing else
    assert_int_equal(count, 2);
    assert_int_equal(leaders_of(&fixture.room, &class, "histogram", &leaders), 2);
    for (int round = 0; round < 6; round++)
        for (size_t i = 0; i < 2; i++)
            text_addf(&expected, "fresh\n%s\n",
                      strcmp(leaders[i].as, fixture.members[0]->as) == 0 ? "one" : "two");
    assert_true(file_read(fixture.log, &log, &fixture.error));
    assert_string_equal(text_string(&log), text_string(&expected));
    log.length = 0;
    assert_true(file_read(seeds_path, &log, &fixture.error));
    unlink(seeds_path);
    free(seeds_path);
    char *rest = log.data;
    for (long round = 0, before = 0; round < 6;
         round++) { // both have the same data in each, and other data in the next
        long seed = strtol(rest, &rest, 10);
        assert_int_equal(strtol(rest, &rest, 10), seed);
        assert_true(seed > 0 && seed != before);
        before = seed;
    }
    for (size_t i = 0; i < 2; i++) {
        assert_true(leaders[i].again);
        assert_float_equal(leaders[i].median_ms, 2, 0);
        assert_float_equal(leaders[i].high_ms, 2, 0); // a single run said 3
    }
    free(leaders);
    text_free(&log);
    text_free(&expected);
    room_class_free(&class);
    close_queue(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_learner_served_least_recently_comes_first),
        cmocka_unit_test(serving_that_is_killed_answers_each_request_once),
        cmocka_unit_test(what_a_learner_takes_back_is_stopped_and_counts_nowhere),
        cmocka_unit_test(serving_that_ends_stops_what_runs_and_leaves_what_waits),
        cmocka_unit_test(what_nobody_waits_for_comes_last),
        cmocka_unit_test(what_may_not_run_is_answered_and_does_not),
        cmocka_unit_test(who_floods_the_queue_is_named),
        cmocka_unit_test(leaders_are_ranked_by_what_can_be_told_apart),
        cmocka_unit_test(counts_rank_without_a_gpu),
        cmocka_unit_test(learners_see_the_first_five_and_themselves),
        cmocka_unit_test(what_serve_measures_enters),
        cmocka_unit_test(the_first_are_measured_again_in_turns),
    };
    return cmocka_run_group_tests(tests, own_rooms, NULL);
}
