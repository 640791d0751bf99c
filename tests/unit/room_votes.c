// Votes that come torn, late and twice: what the instructor's end counts, look by look, is what a recount from the files
// gives, and what a model of the rules gives.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/room/room.h"
#include "tests/unit/rooms.h"

enum { SEQUENCES = 1000, LEARNERS = 4, STEPS = 24 };
static const double NOW = 4e9; // later than any line

struct voter {
    char *path;
    int n;        // of the newest line
    int whole[2]; // by round: the choice that counts; -1: none
    bool torn;
};

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void append(const struct voter *voter, const char *bytes)
{
    int fd = open(voter->path, O_WRONLY | O_APPEND | O_CREAT, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, strlen(bytes)), strlen(bytes));
    close(fd);
}

// A vote, told once, twice, or torn by a crash before its end.
static void vote(struct voter *voter, int round, bool open, uint32_t *seed)
{
    char line[200];
    int choice = (int)(next_random(seed) % 3), how = (int)(next_random(seed) % 5);
    if (voter->torn)
        append(voter, "\n"); // as a writer does that comes again
    voter->torn = how == 0;
    voter->n += how != 0;
    snprintf(line, sizeof line,
             "{\"v\":1,\"n\":%d,\"kind\":\"vote\",\"poll\":1,\"round\":%d,\"choice\":%d}\n",
             how ? voter->n : voter->n + 1, round + 1, choice);
    if (how == 0)
        line[strlen(line) / 2] = 0;
    append(voter, line);
    if (how == 1)
        append(voter, line);
    if (how && open)
        voter->whole[round] = choice;
}

static void compare(const struct poll_count *count, const struct voter *voters)
{
    for (int round = 0; round < 2; round++) {
        unsigned votes[POLL_CHOICES] = { 0 };
        for (int i = 0; i < LEARNERS; i++)
            if (voters[i].whole[round] >= 0)
                votes[voters[i].whole[round]]++;
        for (int i = 0; i < POLL_CHOICES; i++)
            assert_int_equal(count->votes[round][i], votes[i]);
    }
}

static void recount(const struct desk *desk, struct poll_count *out)
{
    struct error error;
    struct room_class again = { .room = &desk->room };
    assert_true(room_class_look(&again, NOW, &error));
    poll_counts(&desk->room, &again, &desk->notices.polls[0], out);
    room_class_free(&again);
}

static void one_sequence(uint32_t seed)
{
    struct error error;
    struct room room;
    struct desk desk;
    struct voter voters[LEARNERS];
    struct poll asked = { .ask = "Which?", .choices = { "a", "b", "c" }, .choice_count = 3 };
    struct room_terms terms = { .title = "votes", .claimed = true };
    assert_true(room_make(&terms, &room, &error));
    assert_true(desk_open(room.folder, &desk, &error));
    for (int i = 0; i < LEARNERS; i++) {
        char name[64];
        snprintf(name, sizeof name, "in/%032x.jsonl", i + 1);
        voters[i] = (struct voter){ .path = room_path(&room, name), .n = 1, .whole = { -1, -1 } };
        append(&voters[i], "{\"v\":1,\"n\":1,\"kind\":\"join\"}\n");
    }
    assert_true(poll_begin(&desk.room, &desk.class, &desk.notices, &asked, &error));
    struct poll_count seen, again;
    for (int step = 0; step < STEPS; step++) {
        const struct poll *poll = notices_poll(&desk.notices);
        int open = poll_round(poll) - 1; // -1: between the rounds, or after them
        int round = open >= 0 ? open : poll->state == POLL_CLOSED2;
        uint32_t deed = next_random(&seed) % 8;
        if (deed < 5)
            // Late in the round that is open now: for the one before.
            vote(&voters[next_random(&seed) % LEARNERS], deed == 4 ? 0 : round,
                 open >= 0 && (deed < 4 || open == 0), &seed);
        else if (deed == 5)
            assert_true(desk_look(&desk, NOW, &error));
        else if (deed == 6 && poll->state != POLL_CLOSED2)
            assert_true(poll_go_on(&desk.room, &desk.class, &desk.notices, &error));
    }
    assert_true(desk_look(&desk, NOW, &error));
    poll_counts(&desk.room, &desk.class, &desk.notices.polls[0], &seen);
    recount(&desk, &again);
    assert_memory_equal(&seen, &again, sizeof seen);
    compare(&seen, voters);
    size_t left;
    assert_true(room_end(&desk.room, true, &left, &error));
    for (int i = 0; i < LEARNERS; i++)
        free(voters[i].path);
    room_free(&room);
    desk_close(&desk);
}

static void counts_are_those_of_a_recount(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= SEQUENCES; seed++)
        one_sequence(seed);
}

// ---- what hostile learners put there --------------------------------------------------------------------------------

static void put(const struct room *room, const char *below, const char *bytes)
{
    struct voter file = { .path = room_path(room, below) };
    append(&file, bytes);
    free(file.path);
}

// Of everything that is no learner's file, the row of its owner tells, and nothing else changes.
static void strange_files_are_counted_and_laid_to_their_owner(void **state)
{
    (void)state;
    struct error error;
    struct room room;
    struct desk desk;
    struct room_terms terms = { .title = "hostile" };
    assert_true(room_make(&terms, &room, &error));
    assert_true(desk_open(room.folder, &desk, &error));
    put(&room, "in/00000000000000000000000000000001.jsonl",
        "{\"n\":1,\"kind\":\"join\",\"as\":\"otter-12\"}\n{\"n\":2,\"kind\":\"light\",\"is\":\"red\","
        "\"text\":\"a\\u001b[2Jb\"}\n");
    assert_true(desk_look(&desk, NOW, &error));
    assert_int_equal(desk.class.count, 1);
    put(&room, "in/00000000000000000000000000000002.jsonl", "{\"n\":1,\"kind\":\"join\"}\n");
    put(&room, "in/no token", "x");
    char *link = room_path(&room, "in/00000000000000000000000000000003.jsonl"),
         *pipe = room_path(&room, "in/00000000000000000000000000000004.jsonl");
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(mkfifo(pipe, 0644), 0);
    assert_true(desk_look(&desk, NOW, &error));
    const struct room_person *person = &desk.class.people[0];
    assert_int_equal(desk.class.count, 1);
    assert_int_equal(desk.class.files, 5);
    assert_int_equal(desk.class.strange, 3);
    assert_int_equal(person->extra, 4);
    assert_int_equal(person->light, LIGHT_RED);
    assert_string_equal(person->light_text, "a<U+001B>[2Jb");
    assert_null(person->journal.trouble);
    // A file that is longer than any may be is read no further, and what was read stays.
    char *path = room_path(&room, "in/00000000000000000000000000000001.jsonl");
    assert_int_equal(truncate(path, (off_t)1 << 30), 0);
    for (int i = 0; i < 3; i++)
        assert_true(desk_look(&desk, NOW, &error));
    assert_string_equal(person->journal.trouble, "it is too long");
    assert_int_equal(person->light, LIGHT_RED);
    // The same account in a second place: where it came last is where it is.
    put(&room, "in/00000000000000000000000000000005.jsonl",
        "{\"n\":1,\"at\":\"2099-01-01T00:00:00Z\",\"kind\":\"join\"}\n{\"n\":2,\"kind\":\"light\",\"is\":"
        "\"green\"}\n");
    assert_true(desk_look(&desk, NOW + 9, &error));
    assert_int_equal(desk.class.count, 1);
    assert_int_equal(desk.class.people[0].light, LIGHT_GREEN);
    assert_string_equal(desk.class.people[0].as, "otter-12");
    assert_true(desk.class.people[0].moved);
    free(link);
    free(pipe);
    free(path);
    size_t left;
    assert_true(room_end(&desk.room, true, &left, &error));
    assert_int_equal(left, 0);
    room_free(&room);
    desk_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_a_recount),
        cmocka_unit_test(strange_files_are_counted_and_laid_to_their_owner),
    };
    return cmocka_run_group_tests(tests, own_rooms, NULL);
}
