// Rooms: what a learner tells reaches the instructor once, in order, whatever else lies in the folder.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/room/room.h"
#include "tests/unit/rooms.h"

static const double NOW = 4e9; // later than any clock of the test

struct class_fixture {
    struct room room;
    struct room_class class;
    struct error error;
};

static void open_room_as(struct class_fixture *fixture, bool claimed)
{
    *fixture = (struct class_fixture){ .error = { 0 } };
    struct room_terms terms = { .title = "CUDA day 1", .claimed = claimed };
    if (!room_make(&terms, &fixture->room, &fixture->error))
        fail_msg("%s", fixture->error.text);
    fixture->class.room = &fixture->room;
}

static void open_room(struct class_fixture *fixture)
{
    open_room_as(fixture, false);
}

static void close_room(struct class_fixture *fixture)
{
    size_t left;
    room_class_free(&fixture->class);
    assert_true(room_end(&fixture->room, true, &left, &fixture->error));
    assert_int_equal(left, 0);
    room_free(&fixture->room);
}

static struct member *join(struct class_fixture *fixture, const char *as)
{
    struct member *member;
    if (!member_join(fixture->room.word, as, "0.1", &member, &fixture->error))
        fail_msg("%s", fixture->error.text);
    return member;
}

static void look(struct class_fixture *fixture)
{
    if (!room_class_look(&fixture->class, NOW, &fixture->error))
        fail_msg("%s", fixture->error.text);
}

static void tell(struct class_fixture *fixture, struct member *member, const char *kind, json_t *fields)
{
    assert_true(member_tell(member, kind, fields, &fixture->error));
}

static void what_is_told_reaches_the_instructor(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct member *member = join(&fixture, "otter-12");
    tell(&fixture, member, "at",
         json_pack("{s:s, s:s, s:s}", "page", "lesson", "lesson", "06-coalescing", "item", "half"));
    tell(&fixture, member, "try", json_pack("{s:s, s:b}", "id", "half", "right", 0));
    tell(&fixture, member, "light", json_pack("{s:s, s:s}", "is", "red", "text", "what is a \033[2Jsector?"));
    look(&fixture);
    assert_int_equal(fixture.class.count, 1);
    const struct room_person *person = &fixture.class.people[0];
    assert_string_equal(person->as, "otter-12");
    assert_true(person->joined);
    assert_string_equal(person->item, "half");
    assert_int_equal(person->tries, 1);
    assert_int_equal(person->light, LIGHT_RED);
    assert_string_equal(person->light_text, "what is a <U+001B>[2Jsector?");
    size_t order[1];
    assert_int_equal(room_class_needs(&fixture.class, NOW, order), 1);
    member_close(member);
    close_room(&fixture);
}

static void look_at_notices(struct class_fixture *fixture, struct member *member)
{
    struct notices notices = { 0 };
    assert_true(member_look(member, &notices, false, &fixture->error));
    member_named(member, notices_name(&notices, member->token));
    notices_free(&notices);
}

// Of two learners who drew the same name the second one gets another, and knows it: then, and when opened again.
static void learners_know_the_names_that_the_class_knows_them_by(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room_as(&fixture, true);
    struct member *first = join(&fixture, "otter-12");
    look(&fixture);
    char *home = mem_copy(getenv("WARPBOOK_HOME")), *other = path_join(getenv("WARPBOOK_ROOMS"), "other");
    setenv("WARPBOOK_HOME", other, 1);
    struct member *second = join(&fixture, "otter-12");
    look(&fixture);
    assert_int_equal(fixture.class.count, 2);
    assert_string_not_equal(fixture.class.people[1].as, "otter-12");
    look_at_notices(&fixture, first);
    look_at_notices(&fixture, second);
    assert_string_equal(first->as, "otter-12");
    assert_string_equal(second->as, fixture.class.people[1].as);
    member_close(second);
    second = member_open(&fixture.error);
    assert_string_equal(second->as, fixture.class.people[1].as);
    setenv("WARPBOOK_HOME", home, 1);
    free(home);
    free(other);
    member_close(first);
    member_close(second);
    close_room(&fixture);
}

// A screen says each minute that it is there; a command in the shell is a sign of life for longer.
static void who_came_first_has_the_name_and_the_first_row(void **state)
{
    (void)state;
    enum { LEARNERS = 12 };
    struct class_fixture fixture;
    char tokens[LEARNERS][ROOM_TOKEN];
    open_room_as(&fixture, true);
    for (int i = 0; i < LEARNERS; i++) { // the last file is that of who came first
        char below[64], at[32];
        assert_true(room_token_new(tokens[i], &fixture.error));
        format_into(below, sizeof below, "in/%s.jsonl", tokens[i]);
        format_into(at, sizeof at, "2026-11-23T16:00:%02dZ", LEARNERS - 1 - i);
        json_t *line = json_pack("{s:i, s:i, s:s, s:s, s:s}", "v", 1, "n", 1, "at", at, "kind", "join", "as",
                                 "otter-01");
        char *path = room_path(&fixture.room, below);
        assert_true(journal_add(path, 0644, line, &fixture.error));
        json_decref(line);
        free(path);
    }
    look(&fixture);
    assert_int_equal(fixture.class.count, LEARNERS);
    for (int i = 0; i < LEARNERS; i++)
        assert_string_equal(fixture.class.people[i].token, tokens[LEARNERS - 1 - i]);
    assert_string_equal(fixture.class.people[0].as, "otter-01");
    close_room(&fixture);
}

static void who_works_in_the_shell_is_there(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct member *member = join(&fixture, "otter-12");
    tell(&fixture, member, "here", json_pack("{s:s, s:s}", "in", "shell", "by", "run"));
    look(&fixture);
    const struct room_person *person = &fixture.class.people[0];
    assert_string_equal(person->shell, "run");
    assert_true(room_class_here(person, person->heard + ROOM_GONE_S + 1));
    assert_false(room_class_here(person, person->heard + ROOM_SHELL_S + 1));
    tell(&fixture, member, "here", NULL); // of a screen
    look(&fixture);
    assert_string_equal(person->shell, "");
    assert_false(room_class_here(person, person->heard + ROOM_GONE_S + 1));
    member_close(member);
    close_room(&fixture);
}

static void the_state_is_that_of_the_files(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct member *member = join(&fixture, NULL);
    tell(&fixture, member, "light", json_pack("{s:s}", "is", "red"));
    look(&fixture);
    tell(&fixture, member, "light", json_pack("{s:s}", "is", "green"));
    look(&fixture);
    struct room_class again = { .room = &fixture.room };
    assert_true(room_class_look(&again, NOW, &fixture.error));
    assert_int_equal(again.people[0].light, LIGHT_GREEN);
    assert_int_equal(again.people[0].n, fixture.class.people[0].n);
    room_class_free(&again);
    member_close(member);
    close_room(&fixture);
}

static void a_room_that_cannot_be_written_to_loses_nothing(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct member *member = join(&fixture, NULL);
    char *in = room_path(&fixture.room, "in"), *away = room_path(&fixture.room, "away");
    assert_int_equal(rename(in, away), 0);
    tell(&fixture, member, "light", json_pack("{s:s}", "is", "red"));
    assert_int_equal(rename(away, in), 0);
    assert_true(member_deliver(member, &fixture.error));
    assert_true(member_deliver(member, &fixture.error)); // a second time it tells nothing twice
    look(&fixture);
    assert_int_equal(fixture.class.people[0].light, LIGHT_RED);
    assert_int_equal(fixture.class.people[0].n, 2);
    free(in);
    free(away);
    member_close(member);
    close_room(&fixture);
}

// What a learner's file may hold instead of lines costs that learner's lines alone.
static void torn_and_hostile_lines_are_passed_over(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct member *member = join(&fixture, NULL);
    int fd = open(member->there.path, O_WRONLY | O_APPEND);
    struct text lines = { 0 };
    text_add(
        &lines,
        "no json\n{\"n\":2,\"n\":3}\n[[[[[[1]]]]]]\n{\"n\":9,\"kind\":\"at\",\"item\":{\"a\":[[[1]]]}}\n");
    for (int i = 0; i < 3 * JOURNAL_LINE_MOST; i++)
        text_add(&lines, "x");
    text_add(&lines, "\n{\"n\":2,\"kind\":\"light\",\"is\":\"red\"}\n{\"n\":3,\"kind\":\"li");
    assert_int_equal(write(fd, lines.data, lines.length), lines.length);
    close(fd);
    look(&fixture);
    assert_int_equal(fixture.class.people[0].light, LIGHT_RED);
    assert_int_equal(fixture.class.people[0].journal.bad, 5);
    tell(&fixture, member, "light", json_pack("{s:s}", "is", "green")); // n 2 again: told before
    tell(&fixture, member, "light", json_pack("{s:s}", "is", "green"));
    look(&fixture);
    assert_int_equal(fixture.class.people[0].light, LIGHT_GREEN);
    text_free(&lines);
    member_close(member);
    close_room(&fixture);
}

static void a_file_that_is_none_is_not_read(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    char *link = room_path(&fixture.room, "in/00000000000000000000000000000001.jsonl"),
         *pipe = room_path(&fixture.room, "in/00000000000000000000000000000002.jsonl"),
         *folder = room_path(&fixture.room, "in/00000000000000000000000000000003.jsonl");
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(mkfifo(pipe, 0644), 0);
    assert_int_equal(mkdir(folder, 0755), 0);
    look(&fixture);
    assert_int_equal(fixture.class.count, 0);
    free(link);
    free(pipe);
    free(folder);
    close_room(&fixture);
}

static void who_left_is_not_there_any_more(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct member *member = join(&fixture, NULL);
    assert_true(member_leave(member, &fixture.error));
    look(&fixture);
    assert_true(fixture.class.people[0].left);
    assert_null(member_open(&fixture.error));
    assert_int_equal(fixture.error.code, EXIT_RIGHT);
    member_close(member);
    close_room(&fixture);
}

static void a_folder_that_others_can_change_is_no_room(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct room again;
    char *rooms = path_join(fixture.room.folder, "..");
    assert_int_equal(chmod(rooms, 0777), 0);
    assert_false(room_open(fixture.room.word, &again, &fixture.error));
    assert_non_null(strstr(fixture.error.text, "can be changed by others"));
    assert_int_equal(chmod(rooms, 0755), 0);
    assert_false(room_open("../etc", &again, &fixture.error));
    assert_false(room_open("no-such", &again, &fixture.error));
    assert_non_null(strstr(fixture.error.text, "no-such"));
    free(rooms);
    close_room(&fixture);
}

static void vote(struct class_fixture *fixture, struct member *member, int poll, int round, int choice)
{
    tell(fixture, member, "vote",
         json_pack("{s:i, s:i, s:i}", "poll", poll, "round", round, "choice", choice));
}

// A round has the votes that were there when it was closed, for whoever counts, and again from nothing.
static void a_closed_round_counts_what_was_there(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct notices notices = { .journal = { .path = room_path(&fixture.room, "notices.jsonl"),
                                            .owner = geteuid() } };
    struct member *member = join(&fixture, NULL);
    struct poll asked = { .ask = "Ready to go on?", .choices = { "yes", "no" }, .choice_count = 2 };
    assert_true(poll_begin(&fixture.room, &fixture.class, &notices, &asked, &fixture.error));
    vote(&fixture, member, 1, 1, 0);
    vote(&fixture, member, 1, 1, 1); // the last one counts
    assert_true(poll_go_on(&fixture.room, &fixture.class, &notices, &fixture.error));
    vote(&fixture, member, 1, 1, 0); // too late
    vote(&fixture, member, 1, 9, 0); // no such round
    vote(&fixture, member, 1, 2, 0);
    look(&fixture);
    assert_int_equal(notices_poll(&notices)->state, POLL_CLOSED1);
    assert_true(poll_go_on(&fixture.room, &fixture.class, &notices, &fixture.error));
    assert_int_equal(poll_round(notices_poll(&notices)), 2);
    vote(&fixture, member, 1, 2, 0);
    assert_true(poll_go_on(&fixture.room, &fixture.class, &notices, &fixture.error));
    assert_false(poll_go_on(&fixture.room, &fixture.class, &notices, &fixture.error));
    struct room_class again = { .room = &fixture.room };
    assert_true(room_class_look(&again, NOW, &fixture.error));
    struct poll_count count;
    poll_counts(&fixture.room, &again, notices_poll(&notices), &count);
    assert_int_equal(count.votes[0][0], 0);
    assert_int_equal(count.votes[0][1], 1);
    assert_int_equal(count.votes[1][0], 1);
    assert_int_equal(count.moved[1][0], 1);
    assert_true(poll_show(&fixture.room, &fixture.class, &notices, &fixture.error));
    assert_null(notices_poll(&notices));
    assert_int_equal(json_array_size(json_array_get(notices.polls[0].shown, 0)),
                     0); // one vote names the voter
    room_class_free(&again);
    notices_free(&notices);
    member_close(member);
    close_room(&fixture);
}

// Sets the folder of the room aside, or brings it back.
static void set_aside(struct class_fixture *fixture, bool aside)
{
    char *away = text_format("%s.away", fixture->room.folder);
    assert_int_equal(aside ? rename(fixture->room.folder, away) : rename(away, fixture->room.folder), 0);
    free(away);
}

// The learner's next program knows the room, and what was told, before the room can be reached.
static void a_room_that_is_gone_is_said_and_what_is_told_is_kept(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    member_close(join(&fixture, "otter-12"));
    set_aside(&fixture, true);
    struct member *member = member_open(&fixture.error);
    assert_string_equal(member->as, "otter-12");
    tell(&fixture, member, "light", json_pack("{s:s}", "is", "red"));
    vote(&fixture, member, 3, 2, 4);
    assert_false(member_deliver(member, &fixture.error));
    assert_non_null(strstr(fixture.error.text, "is gone"));
    member_close(member);
    set_aside(&fixture, false);
    member = member_open(&fixture.error);
    assert_int_equal(member->light, LIGHT_RED);
    assert_int_equal(member->vote.poll, 3);
    assert_int_equal(member->vote.round, 2);
    assert_int_equal(member->vote.choice, 4);
    assert_true(member_deliver(member, &fixture.error));
    look(&fixture);
    assert_int_equal(fixture.class.people[0].n, 3);
    member_close(member);
    close_room(&fixture);
}

static void another_room_of_the_same_name_is_told_nothing(void **state)
{
    (void)state;
    struct class_fixture fixture, other;
    open_room(&fixture);
    struct member *member = join(&fixture, NULL);
    member_close(member);
    open_room(&other);
    char *folder = mem_copy(other.room.folder);
    set_aside(&fixture, true);
    assert_int_equal(rename(folder, fixture.room.folder), 0);
    member = member_open(&fixture.error);
    tell(&fixture, member, "light", json_pack("{s:s}", "is", "red"));
    assert_false(member_deliver(member, &fixture.error));
    assert_non_null(strstr(fixture.error.text, "is closed, and another one"));
    assert_int_equal(rename(fixture.room.folder, folder), 0);
    set_aside(&fixture, false);
    look(&other);
    assert_int_equal(other.class.count, 0);
    free(folder);
    member_close(member);
    close_room(&fixture);
    close_room(&other);
}

// Where one was is let go before what one answered.
static void a_full_journal_refuses_what_passes_first(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct member *member = join(&fixture, NULL);
    static char words[JOURNAL_LINE_MOST - 200];
    memset(words, 'x', sizeof words - 1);
    while (member_keep(member, "at", json_pack("{s:s}", "item", words), &fixture.error))
        continue;
    assert_true(member->kept.read_to < JOURNAL_MOST / 2 + JOURNAL_LINE_MOST);
    json_int_t told = member->told;
    while (member_keep(member, "answer", json_pack("{s:s}", "id", words), &fixture.error))
        told++;
    assert_int_equal(member->told, told);
    assert_true(member->kept.read_to < JOURNAL_MOST);
    assert_non_null(strstr(fixture.error.text, "as much as one may"));
    assert_true(member_deliver(member, &fixture.error));
    look(&fixture);
    member_close(member);
    close_room(&fixture);
}

// A line each minute of eight hours, thirty times; one look has them all.
static void a_month_on_a_screen_has_room(void **state)
{
    (void)state;
    enum { LINES = 30 * 8 * 60 };
    struct class_fixture fixture;
    open_room(&fixture);
    struct member *member = join(&fixture, NULL);
    assert_true(member_deliver(member, &fixture.error));
    struct text month = { 0 };
    for (int n = 100; n < 100 + LINES; n++)
        text_addf(&month,
                  "{\"v\":1,\"n\":%d,\"at\":\"2026-11-26T12:00:00Z\",\"kind\":\"at\",\"page\":\"lesson\","
                  "\"lesson\":\"06-coalescing\",\"item\":\"item-%d\"}\n",
                  n, n);
    assert_true(month.length < JOURNAL_MOST / 2);
    FILE *file = fopen(member->there.path, "a");
    assert_non_null(file);
    assert_int_equal(fwrite(month.data, 1, month.length, file), month.length);
    assert_int_equal(fclose(file), 0);
    text_free(&month);
    look(&fixture);
    assert_int_equal(fixture.class.people[0].n, 99 + LINES);
    assert_string_equal(fixture.class.people[0].item, "item-14499");
    member_close(member);
    close_room(&fixture);
}

static void what_was_seen_is_known_again(void **state)
{
    (void)state;
    struct class_fixture fixture;
    open_room(&fixture);
    struct member *member = join(&fixture, NULL);
    struct notices notices = { 0 };
    assert_int_equal(member->seen, 0);
    assert_true(room_tell(&fixture.room, "say", json_pack("{s:s}", "text", "a\033[2Jb"), &fixture.error));
    assert_true(room_tell(&fixture.room, "follow",
                          json_pack("{s:s, s:s}", "lesson", "06-coalescing", "item", "half"),
                          &fixture.error));
    assert_true(member_look(member, &notices, false, &fixture.error));
    assert_string_equal(notices.said, "a<U+001B>[2Jb");
    assert_true(notices.said_when && notices.said_when < notices.follow_when);
    assert_true(member_saw(member, notices.version, &fixture.error));
    member_close(member);
    member = member_open(&fixture.error);
    assert_int_equal(member->seen, notices.version);
    notices_free(&notices);
    member_close(member);
    close_room(&fixture);
}

static void advice_follows_the_share_of_right_votes(void **state)
{
    (void)state;
    assert_int_equal(poll_advice(0, 0), POLL_EXPLAIN);
    assert_int_equal(poll_advice(34, 100), POLL_EXPLAIN);
    assert_int_equal(poll_advice(35, 100), POLL_DISCUSS);
    assert_int_equal(poll_advice(70, 100), POLL_DISCUSS);
    assert_int_equal(poll_advice(71, 100), POLL_GO_ON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_reaches_the_instructor),
        cmocka_unit_test(learners_know_the_names_that_the_class_knows_them_by),
        cmocka_unit_test(who_came_first_has_the_name_and_the_first_row),
        cmocka_unit_test(who_works_in_the_shell_is_there),
        cmocka_unit_test(the_state_is_that_of_the_files),
        cmocka_unit_test(a_room_that_cannot_be_written_to_loses_nothing),
        cmocka_unit_test(torn_and_hostile_lines_are_passed_over),
        cmocka_unit_test(a_file_that_is_none_is_not_read),
        cmocka_unit_test(who_left_is_not_there_any_more),
        cmocka_unit_test(a_folder_that_others_can_change_is_no_room),
        cmocka_unit_test(a_closed_round_counts_what_was_there),
        cmocka_unit_test(a_room_that_is_gone_is_said_and_what_is_told_is_kept),
        cmocka_unit_test(another_room_of_the_same_name_is_told_nothing),
        cmocka_unit_test(a_full_journal_refuses_what_passes_first),
        cmocka_unit_test(a_month_on_a_screen_has_room),
        cmocka_unit_test(what_was_seen_is_known_again),
        cmocka_unit_test(advice_follows_the_share_of_right_votes),
    };
    return cmocka_run_group_tests(tests, own_rooms, NULL);
}
