// Polls in two rounds, as in peer instruction: everybody votes alone, neighbours discuss, everybody votes again; what is
// learned shows in who changed to what. A round's votes are those that the instructor had read when it was closed: how far
// each learner's lines had been read is written down then, so that any recount gives the same numbers, whatever the clocks
// say and whatever comes later.
#include "engine/room/room.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLOSE_LINE = 200 }; // learners in one line of closes.jsonl

// ---- closing ------------------------------------------------------------------------------------------------

static bool write_close(const struct room *room, const struct room_class *class, const struct poll *poll,
                        int round, struct error *error)
{
    char *path = room_path(room, "keep/closes.jsonl");
    bool fine = true;
    for (size_t from = 0; fine && (from < class->count || from == 0); from += CLOSE_LINE) {
        json_t *upto = json_array();
        for (size_t i = from; i < class->count && i < from + CLOSE_LINE; i++)
            json_array_append_new(upto, json_integer(class->people[i].n));
        json_t *line = json_pack("{s:I, s:i, s:I, s:o}", "poll", poll->number, "round", round, "from",
                                 (json_int_t)from, "upto", upto);
        fine = journal_add(path, 0600, line, error);
        json_decref(line);
    }
    free(path);
    return fine;
}

static bool tell_state(const struct room *room, struct notices *notices, const struct poll *poll,
                       enum poll_state state, json_t *counts, struct error *error)
{
    json_t *line = poll_line(poll, state);
    if (counts)
        json_object_set_new(line, "counts", counts);
    bool told = room_tell(room, "poll", line, error);
    notices_look(notices);
    return told;
}

static bool close_round(const struct room *room, struct room_class *class, struct notices *notices,
                        const struct poll *poll, struct error *error)
{
    int round = poll_round(poll);
    return room_class_look(class, (double)time(NULL), error) &&
           write_close(room, class, poll, round, error) &&
           tell_state(room, notices, poll, round == 1 ? POLL_CLOSED1 : POLL_CLOSED2, NULL, error);
}

static bool no_poll(struct error *error)
{
    return error_set(error, EXIT_USAGE,
                     "No poll is open. 'room poll LESSON/QUESTION' or 'room poll \"TEXT\" "
                     "--choice ... --choice ...' opens one.");
}

bool poll_begin(const struct room *room, struct room_class *class, struct notices *notices,
                const struct poll *poll, struct error *error)
{
    notices_look(notices);
    const struct poll *before = notices_poll(notices);
    if (before && poll_round(before) && !close_round(room, class, notices, before, error))
        return false;
    struct poll next = *poll;
    next.number = notices->poll_count ? notices->polls[notices->poll_count - 1].number + 1 : 1;
    return tell_state(room, notices, &next, POLL_OPEN1, NULL, error);
}

bool poll_go_on(const struct room *room, struct room_class *class, struct notices *notices,
                struct error *error)
{
    notices_look(notices);
    const struct poll *poll = notices_poll(notices);
    if (!poll)
        return no_poll(error);
    if (poll_round(poll))
        return close_round(room, class, notices, poll, error);
    if (poll->state == POLL_CLOSED1)
        return tell_state(room, notices, poll, POLL_OPEN2, NULL, error);
    return error_set(error, EXIT_USAGE,
                     "Both rounds of vote %lld are closed; 'room show' shows it to the learners.",
                     (long long)poll->number);
}

bool poll_show(const struct room *room, struct room_class *class, struct notices *notices,
               struct error *error)
{
    notices_look(notices);
    const struct poll *poll = notices_poll(notices);
    if (!poll)
        return no_poll(error);
    if (poll_round(poll) && !close_round(room, class, notices, poll, error))
        return false;
    poll = notices_poll(notices); // the board's array may have moved
    struct poll_count count;
    if (!poll)
        return no_poll(error);
    poll_counts(room, class, poll, &count);
    json_t *counts = json_array();
    for (int round = 0; round < 2; round++) {
        json_t *votes = json_array();
        for (size_t i = 0; count.voted[round] >= POLL_SHOWN_LEAST && i < POLL_CHOICES; i++)
            json_array_append_new(votes, json_integer(count.votes[round][i]));
        json_array_append_new(counts, votes);
    }
    return tell_state(room, notices, poll, POLL_SHOWN, counts, error);
}

// ---- counting -----------------------------------------------------------------------------------------------

struct close { // which of the closes is looked for, and how far each learner's lines had been read
    json_int_t poll;
    int round;
    json_int_t *upto; // by place on the roster; -1: no line says
    size_t count;
    bool closed;
};

static void take_close(void *context, const json_t *line)
{
    struct close *close = context;
    if (json_integer_value(json_object_get(line, "poll")) != close->poll ||
        json_integer_value(json_object_get(line, "round")) != close->round)
        return;
    const json_t *upto = json_object_get(line, "upto");
    json_int_t from = json_integer_value(json_object_get(line, "from"));
    close->closed = true;
    for (size_t i = 0; i < json_array_size(upto) && from >= 0 && (size_t)from + i < close->count; i++)
        close->upto[(size_t)from + i] = json_integer_value(json_array_get(upto, i));
}

static void look_at_closes(const struct room *room, const struct room_class *class, struct close *close)
{
    struct journal closes = { .path = room_path(room, "keep/closes.jsonl"), .owner = room->owner };
    const json_t *told = json_object_get(class->told, "closes");
    for (size_t i = 0; i < json_array_size(told); i++)
        take_close(close, json_array_get(told, i));
    if (!*class->desk)
        journal_look(&closes, SIZE_MAX, take_close, close);
    journal_free(&closes);
}

// The choice of this learner in this round; -1: none.
static int choice_of(const struct room_person *person, json_int_t poll, int round, bool closed,
                     json_int_t upto)
{
    char key[64];
    format_into(key, sizeof key, "%lld.%d", (long long)poll, round);
    const json_t *votes = json_object_get(person->votes, key);
    int choice = -1;
    for (size_t i = 0; i < json_array_size(votes); i++) {
        const json_t *vote = json_array_get(votes, i);
        json_int_t chosen = json_integer_value(json_array_get(vote, 1));
        if ((!closed || json_integer_value(json_array_get(vote, 0)) <= upto) && chosen >= 0 &&
            chosen < POLL_CHOICES)
            choice = (int)chosen;
    }
    return choice;
}

void poll_counts(const struct room *room, const struct room_class *class, const struct poll *poll,
                 struct poll_count *out)
{
    *out = (struct poll_count){ .voted = { 0 } };
    size_t count = class->count;
    int *choices[2] = { mem_new((count + 1) * sizeof(int)), mem_new((count + 1) * sizeof(int)) };
    json_int_t *upto = mem_new((count + 1) * sizeof *upto);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < count; i++)
            upto[i] = -1;
        struct close close = { poll->number, round + 1, upto, count, false };
        look_at_closes(room, class, &close);
        for (size_t i = 0; i < count; i++) {
            int choice = choice_of(&class->people[i], poll->number, round + 1, close.closed, upto[i]);
            choices[round][i] = choice;
            if (choice >= 0) {
                out->votes[round][choice]++;
                out->voted[round]++;
            }
        }
    }
    for (size_t i = 0; i < count; i++)
        if (choices[0][i] >= 0 && choices[1][i] >= 0)
            out->moved[choices[0][i]][choices[1][i]]++;
    free(choices[0]);
    free(choices[1]);
    free(upto);
}

enum poll_advice poll_advice(unsigned right, unsigned voted)
{
    unsigned share = voted ? 100 * right / voted : 0;
    return share < 35 ? POLL_EXPLAIN : share <= 70 ? POLL_DISCUSS : POLL_GO_ON;
}
