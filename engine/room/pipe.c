// The room's end of a learner who is on another machine: does in the room's folder, by the learner's account there, what
// the learner's courier asks for, and tells what is new.
#include "engine/room/reach.h"

#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICK_MS = 100, QUEUE_EVERY_MS = 500 };

struct pipe_end {
    struct room room;
    char token[ROOM_TOKEN]; // "" before hello
    struct journal there, notices;
    json_int_t delivered;
    bool greeted;   // the courier knows that
    size_t told;    // notices that the courier has
    size_t noticed; // and that were read here
    json_t *asked;  // names of requests that are not answered: true; of turns that last: false
    char queue_at[40];
    bool gone; // nobody reads what is said
};

static void say(struct pipe_end *end, json_t *line)
{
    if (!end->gone && !reach_send(STDOUT_FILENO, line))
        end->gone = true;
    else if (end->gone)
        json_decref(line);
}

static void say_error(struct pipe_end *end, const struct error *error)
{
    say(end, json_pack("{s:s}", "error", error->text));
}

// ---- what is asked ---------------------------------------------------------------------------------------------

static void do_hello(struct pipe_end *end, const json_t *hello)
{
    struct error error;
    const char *token = json_string_value(json_object_get(hello, "token"));
    if (*end->token || !token || !room_token_fits(token)) {
        error_set(&error, EXIT_USAGE, "The courier's greeting has no token.");
        say_error(end, &error);
        return;
    }
    char below[64];
    format_into(end->token, sizeof end->token, "%s", token);
    format_into(below, sizeof below, "in/%s.jsonl", token);
    end->there = (struct journal){ .path = room_path(&end->room, below), .owner = geteuid() };
    end->told = (size_t)json_integer_value(json_object_get(hello, "notices"));
    journal_look(&end->there, SIZE_MAX, journal_count_on, &end->delivered);
}

static void tell_notice(void *context, const json_t *line)
{
    struct pipe_end *end = context;
    if (end->noticed++ >= end->told)
        say(end, json_pack("{s:O}", "notice", line));
}

// What a learner told counts when the room had not ended by then: so the end is said before it is confirmed.
static void do_tell(struct pipe_end *end, const json_t *line)
{
    struct error error;
    json_int_t n = json_integer_value(json_object_get(line, "n"));
    if (n > end->delivered && !journal_add(end->there.path, 0644, line, &error)) {
        say_error(end, &error);
        return;
    }
    journal_look(&end->notices, SIZE_MAX, tell_notice, end);
    end->delivered = n > end->delivered ? n : end->delivered;
    say(end, json_pack("{s:I}", "told", n));
}

// A request of this learner and no other's; one that is there or was answered is not put there twice.
static void do_ask(struct pipe_end *end, const char *name, const json_t *request)
{
    struct error error;
    struct ticket ticket;
    if (!name || !queue_ticket(name, &ticket) || strcmp(ticket.token, end->token) != 0 || !request) {
        error_set(&error, EXIT_USAGE, "The courier asked for a run without its name.");
        say_error(end, &error);
        return;
    }
    if (!queue_put(&end->room, name, request, &error)) {
        say(end, json_pack("{s:{s:s, s:{s:{s:i, s:s}}}}", "answer", "name", name, "answer", "error", "code",
                           (int)error.code, "text", error.text));
        return;
    }
    json_object_set_new(end->asked, name, json_true());
}

static void do_line(struct pipe_end *end, const json_t *line)
{
    const json_t *ask = json_object_get(line, "ask"), *what;
    const char *name;
    if ((what = json_object_get(line, "hello")))
        do_hello(end, what);
    else if (!*end->token)
        return;
    else if ((what = json_object_get(line, "tell")))
        do_tell(end, what);
    else if (ask)
        do_ask(end, json_string_value(json_object_get(ask, "name")), json_object_get(ask, "request"));
    else if ((name = json_string_value(json_object_get(line, "withdraw"))) &&
             json_object_get(end->asked, name)) {
        queue_withdraw(&end->room, name);
        json_object_del(end->asked, name);
    }
}

// ---- what is new -----------------------------------------------------------------------------------------------

static void tell_queue(struct pipe_end *end)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(end->asked, next, name, value)
    {
        json_t *answer = json_is_true(value) ? queue_answer(&end->room, name) : NULL;
        bool turn = json_object_get(answer, "go");
        if (!answer)
            continue;
        say(end, json_pack("{s:{s:s, s:o}}", "answer", "name", name, "answer", answer));
        if (turn)
            json_object_set_new(end->asked, name, json_false()); // until the learner takes it back
        else
            json_object_del(end->asked, name);
    }
    char at[sizeof end->queue_at];
    json_t *state = queue_state(&end->room);
    line_text(state, "at", at, sizeof at);
    bool first = !*end->queue_at; // then it is said as well that there is none
    if (first || strcmp(at, end->queue_at) != 0) {
        format_into(end->queue_at, sizeof end->queue_at, "%s", *at ? at : "none");
        say(end, json_pack("{s:o}", "queue", state ? json_incref(state) : json_object()));
    }
    json_decref(state);
}

// ---- the loop --------------------------------------------------------------------------------------------------

static void greet(struct pipe_end *end)
{
    const struct passwd *user = getpwuid(end->room.owner);
    int length = user ? (int)strcspn(user->pw_gecos, ",") : 0; // of the full name
    char *owner = text_format(length ? "%s (%.*s)" : "%s", user ? user->pw_name : "a user without a name",
                              length, user ? user->pw_gecos : "");
    char *clean = text_clean(owner);
    say(end, json_pack("{s:O, s:s}", "room", end->room.json, "owner", clean));
    free(owner);
    free(clean);
}

static void serve_learner(struct pipe_end *end)
{
    struct reach_line lines = { 0 };
    double said = clock_ms(), queued = 0;
    struct silence heard = { said, 0 };
    bool open = true;
    while (open && !end->gone && silence_look(&heard, clock_ms()) < REACH_SILENT_MS) {
        struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
        if (poll(&fd, 1, TICK_MS) > 0) {
            open = reach_read(STDIN_FILENO, &lines);
            silence_ends(&heard, clock_ms());
        }
        for (json_t *line; (line = reach_next(&lines)); json_decref(line))
            do_line(end, line);
        if (*end->token)
            journal_look(&end->notices, SIZE_MAX, tell_notice, end);
        if (*end->token && clock_ms() - queued > QUEUE_EVERY_MS) {
            tell_queue(end);
            queued = clock_ms();
        }
        if (*end->token && !end->greeted) {
            say(end, json_pack("{s:I}", "delivered", end->delivered));
            end->greeted = true;
        }
        if (clock_ms() - said > REACH_ALIVE_MS) {
            say(end, json_pack("{s:b}", "alive", 1));
            said = clock_ms();
        }
    }
    text_free(&lines.received);
}

int pipe_main(const char *word)
{
    struct error error;
    struct pipe_end end = { .asked = json_object() };
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGPIPE, &ignore, NULL);
    bool opened = room_open(word, &end.room, &error);
    if (opened) {
        end.notices =
            (struct journal){ .path = room_path(&end.room, "notices.jsonl"), .owner = end.room.owner };
        greet(&end);
        serve_learner(&end);
    } else {
        say_error(&end, &error);
    }
    journal_free(&end.there);
    journal_free(&end.notices);
    room_free(&end.room);
    json_decref(end.asked);
    return opened ? EXIT_RIGHT : EXIT_MISSING;
}
