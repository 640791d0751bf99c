// The class queue where learners have GPUs of their own account: what waits gets a turn, so that no more than a few jobs of
// the class are at the scheduler at a time, and the learner served least recently comes first here too. A turn is an answer
// that says "go"; it lasts until the learner takes the request back, or as long as somebody who vanished may keep it.
#include "engine/room/queue.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS_MOST = 64, TURN_MS = 120000 };

struct given_turn {
    char name[QUEUE_NAME];
    double begun;
};
struct turns {
    const struct room *room;
    size_t at_once, count, done;
    struct given_turn list[TURNS_MOST];
};

struct turns *turns_new(const struct room *room, int at_once)
{
    struct turns *turns = mem_new(sizeof *turns);
    turns->room = room;
    turns->at_once = at_once < TURNS_MOST ? (size_t)at_once : TURNS_MOST;
    return turns;
}

void turns_free(struct turns *turns)
{
    for (size_t i = 0; turns && i < turns->count; i++)
        queue_withdraw(turns->room, turns->list[i].name);
    free(turns);
}

bool turns_hold(const struct turns *turns, const char *name)
{
    for (size_t i = 0; i < turns->count; i++)
        if (strcmp(turns->list[i].name, name) == 0)
            return true;
    return false;
}

static bool is_among(const struct ticket *tickets, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tickets[i].name, name) == 0)
            return true;
    return false;
}

void turns_look(struct turns *turns, const struct ticket *tickets, size_t count)
{
    for (size_t i = turns->count; i-- > 0;) {
        bool old = clock_ms() - turns->list[i].begun > TURN_MS;
        if (old)
            queue_withdraw(turns->room, turns->list[i].name);
        if (!old && is_among(tickets, count, turns->list[i].name))
            continue;
        turns->list[i] = turns->list[--turns->count];
        turns->done++;
    }
}

bool turns_give(struct turns *turns, const char *name, struct error *error)
{
    json_t *go = json_pack("{s:b}", "go", 1);
    bool given = turns->count < TURNS_MOST && queue_say(turns->room, name, go, error);
    json_decref(go);
    if (given) {
        struct given_turn *turn = &turns->list[turns->count++];
        format_into(turn->name, sizeof turn->name, "%s", name);
        turn->begun = clock_ms();
    }
    return given;
}

size_t turns_free_now(const struct turns *turns)
{
    return turns->count < turns->at_once ? turns->at_once - turns->count : 0;
}

void turns_running(const struct turns *turns, json_t *hashes)
{
    char hash[17];
    struct ticket ticket;
    for (size_t i = 0; i < turns->count; i++) {
        if (!queue_ticket(turns->list[i].name, &ticket))
            continue;
        room_hash(ticket.name, hash);
        json_array_append_new(hashes, json_string(hash));
    }
}

size_t turns_count(const struct turns *turns, size_t *done)
{
    *done = turns->done;
    return turns->count;
}
