// Notices: what the instructor tells all, as one state, for learners and instructor alike.
#include "engine/room/room.h"

#include <stdlib.h>
#include <string.h>

enum { POLLS_MOST = 1000 };

static const char *const state_names[POLL_STATES] = { "open1", "closed1", "open2", "closed2", "shown" };

static struct poll *poll_of(struct notices *notices, json_int_t number)
{
    for (size_t i = 0; i < notices->poll_count; i++)
        if (notices->polls[i].number == number)
            return &notices->polls[i];
    if (number < 1 || notices->poll_count >= POLLS_MOST)
        return NULL;
    notices->polls = array_room(notices->polls, notices->poll_count, sizeof *notices->polls);
    notices->polls[notices->poll_count] = (struct poll){ .number = number };
    return &notices->polls[notices->poll_count++];
}

static void take_choices(struct poll *poll, const json_t *line)
{
    const json_t *choices = json_object_get(line, "choices");
    poll->choice_count = 0;
    for (size_t i = 0; i < json_array_size(choices) && i < POLL_CHOICES; i++) {
        const char *choice = json_string_value(json_array_get(choices, i));
        clean_line(choice ? choice : "", poll->choices[i], sizeof poll->choices[i]);
        poll->choice_count++;
    }
}

static void take_poll(struct notices *notices, const json_t *line)
{
    struct poll *poll = poll_of(notices, json_integer_value(json_object_get(line, "poll")));
    const char *name = json_string_value(json_object_get(line, "state"));
    size_t state = 0;
    while (name && state < POLL_STATES && strcmp(name, state_names[state]) != 0)
        state++;
    if (!poll || !name || state == POLL_STATES)
        return;
    notices->poll_when = notices->version;
    poll->state = (enum poll_state)state;
    if (state == POLL_OPEN1) {
        line_text(line, "lesson", poll->lesson, sizeof poll->lesson);
        line_text(line, "id", poll->id, sizeof poll->id);
        line_text(line, "ask", poll->ask, sizeof poll->ask);
        take_choices(poll, line);
    } else if (state == POLL_SHOWN) {
        json_decref(poll->shown);
        poll->shown = json_incref(json_object_get(line, "counts"));
    }
}

static void take_name(struct notices *notices, const json_t *line)
{
    const char *hash = json_string_value(json_object_get(line, "hash"));
    char as[ROOM_NAME];
    line_text(line, "as", as, sizeof as);
    if (!notices->names)
        notices->names = json_object();
    if (hash && json_object_size(notices->names) < ROOM_PEOPLE)
        json_object_set_new(notices->names, hash, json_string(as));
}

static void take_notice(void *context, const json_t *line)
{
    struct notices *notices = context;
    const char *kind = json_string_value(json_object_get(line, "kind"));
    notices->version++;
    if (!kind)
        return;
    if (strcmp(kind, "poll") == 0) {
        take_poll(notices, line);
    } else if (strcmp(kind, "say") == 0) {
        line_text(line, "text", notices->said, sizeof notices->said);
        notices->said_when = notices->version;
    } else if (strcmp(kind, "follow") == 0) {
        line_text(line, "lesson", notices->follow[0], sizeof notices->follow[0]);
        line_text(line, "item", notices->follow[1], sizeof notices->follow[1]);
        notices->follow_when = notices->version;
    } else if (strcmp(kind, "name") == 0) {
        take_name(notices, line);
    } else if (strcmp(kind, "end") == 0) {
        notices->ended = true;
    }
}

void notices_look(struct notices *notices)
{
    journal_look(&notices->journal, SIZE_MAX, take_notice, notices);
}

void notices_free(struct notices *notices)
{
    for (size_t i = 0; i < notices->poll_count; i++)
        json_decref(notices->polls[i].shown);
    free(notices->polls);
    json_decref(notices->names);
    journal_free(&notices->journal);
    *notices = (struct notices){ 0 };
}

const char *notices_name(const struct notices *notices, const char *token)
{
    char hash[17];
    room_hash(token, hash);
    const char *as = json_string_value(json_object_get(notices->names, hash));
    return as ? as : "";
}

const struct poll *notices_poll(const struct notices *notices)
{
    const struct poll *newest = notices->poll_count ? &notices->polls[notices->poll_count - 1] : NULL;
    return newest && newest->state != POLL_SHOWN ? newest : NULL;
}

int poll_round(const struct poll *poll)
{
    return poll->state == POLL_OPEN1 ? 1 : poll->state == POLL_OPEN2 ? 2 : 0;
}

json_t *poll_line(const struct poll *poll, enum poll_state state)
{
    json_t *line = json_pack("{s:I, s:s}", "poll", poll->number, "state", state_names[state]);
    if (state != POLL_OPEN1)
        return line;
    if (*poll->lesson) {
        json_object_set_new(line, "lesson", json_string(poll->lesson));
        json_object_set_new(line, "id", json_string(poll->id));
    } else {
        json_object_set_new(line, "ask", json_string(poll->ask));
    }
    json_t *choices = json_array();
    for (size_t i = 0; i < poll->choice_count; i++)
        json_array_append_new(choices, json_string(poll->choices[i]));
    json_object_set_new(line, "choices", choices);
    return line;
}
