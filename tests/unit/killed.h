// Processes that are killed at random moments, and the room in which they work.
//
//   KILLS   how many of each part; 40 without it, 200 by make workshop
//   SEED    where chance begins; 1 without it
#ifndef WARPBOOK_TEST_KILLED_H
#define WARPBOOK_TEST_KILLED_H

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/room/room.h"
#include "tests/unit/rooms.h"

enum { KILLS_WITHOUT = 40 };

// ---- chance, and killing -------------------------------------------------------------------------------------

static uint64_t chance;

static inline unsigned setting_of(const char *name, unsigned without)
{
    const char *given = getenv(name);
    return given && *given ? (unsigned)strtoul(given, NULL, 10) : without;
}

static inline void chance_begins(void)
{
    chance = setting_of("SEED", 1) * 0x9e3779b97f4a7c15u + 1;
}

static inline unsigned below(unsigned limit)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (unsigned)((chance >> 11) % limit);
}

struct victim { // a child that tells through a pipe what it has confirmed
    pid_t pid;
    int told;
};

static inline bool is_child(struct victim *victim)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0); // no worker of the child's keeps it open
    victim->pid = fork();
    assert_true(victim->pid >= 0);
    victim->told = ends[victim->pid == 0];
    close(ends[victim->pid != 0]);
    return victim->pid == 0;
}

// After at most so many microseconds; what it had told by then is there to be read.
static inline void kill_within(const struct victim *victim, unsigned us)
{
    int status;
    usleep(below(us));
    assert_int_equal(kill(victim->pid, SIGKILL), 0);
    assert_int_equal(waitpid(victim->pid, &status, 0), victim->pid);
    if (!WIFSIGNALED(status))
        fail_msg("it ended by itself with status %d", status);
}

// ---- a room -----------------------------------------------------------------------------------------------------

struct killed {
    struct room room;
    struct error error;
};

static inline void open_room(struct killed *killed)
{
    *killed = (struct killed){ .error = { 0 } };
    struct room_terms terms = { .title = "kills", .claimed = true };
    if (!room_make(&terms, &killed->room, &killed->error))
        fail_msg("%s", killed->error.text);
    char *home = text_format("%s/home-%s", getenv("WARPBOOK_ROOMS"), killed->room.word);
    setenv("WARPBOOK_HOME", home, 1);
    free(home);
}

static inline void close_room(struct killed *killed)
{
    size_t left;
    assert_true(room_end(&killed->room, true, &left, &killed->error));
    assert_int_equal(left, 0);
    room_free(&killed->room);
}

struct numbers { // of a learner's lines in the room
    json_int_t last;
    size_t wrong; // told twice, left out or out of order
};

static inline void take_number(void *context, const json_t *line)
{
    struct numbers *numbers = context;
    json_int_t n = json_integer_value(json_object_get(line, "n"));
    numbers->wrong += n != numbers->last + 1;
    numbers->last = n;
}

static inline struct numbers numbers_in(const char *path)
{
    struct numbers numbers = { 0 };
    struct journal journal = { .path = mem_copy(path), .owner = geteuid() };
    journal_look(&journal, SIZE_MAX, take_number, &numbers);
    assert_null(journal.trouble);
    journal_free(&journal);
    return numbers;
}

// ---- a learner, before and after -----------------------------------------------------------------------------------

static inline void open_joined_room(struct killed *killed)
{
    struct member *member;
    open_room(killed);
    assert_true(member_join(killed->room.folder, NULL, "0.1", &member, &killed->error));
    member_close(member);
}

// Takes what the victim had told by its end.
static inline void hear_the_rest(const struct victim *victim, json_int_t *confirmed)
{
    json_int_t n;
    while (read(victim->told, &n, sizeof n) == sizeof n)
        *confirmed = n;
    close(victim->told);
}

// All that was confirmed is in the room once it is delivered, each line once and in order. The caller closes the member.
static inline struct member *member_with_all(struct killed *killed, json_int_t confirmed,
                                             struct numbers *there)
{
    struct member *member = member_open(&killed->error);
    assert_non_null(member);
    assert_true(member_deliver(member, &killed->error));
    *there = numbers_in(member->there.path);
    print_message("%lld lines confirmed, %lld in the room\n", (long long)confirmed, (long long)there->last);
    assert_true(confirmed > 0 && there->last >= confirmed);
    assert_int_equal(there->wrong, 0);
    return member;
}

#endif
