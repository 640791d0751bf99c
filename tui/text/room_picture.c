// What one look at a room found, as a copy that another thread can draw from.
#include "tui/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/room/queue.h"

// "2026-11-23T16:00:00Z" as the clock on the wall here, with its day where that is not today.
static void wall_clock(const char *date, double now, char *out, size_t size)
{
    struct tm utc = { 0 }, local, today;
    const char *end = date ? strptime(date, "%Y-%m-%dT%H:%M:%SZ", &utc) : NULL;
    time_t at = end && !*end ? timegm(&utc) : (time_t)-1, moment = (time_t)now;
    if (at == (time_t)-1 || !localtime_r(&at, &local) || !localtime_r(&moment, &today))
        return;
    bool same = local.tm_yday == today.tm_yday && local.tm_year == today.tm_year;
    if (!strftime(out, size, same ? "%H:%M" : "%Y-%m-%d %H:%M", &local) && size)
        *out = 0;
}

static void copy_people(struct room_picture *picture, const struct room_class *class)
{
    picture->count = class->count;
    picture->people = mem_new((class->count + 1) * sizeof *picture->people);
    picture->needs = mem_new((class->count + 1) * sizeof *picture->needs);
    for (size_t i = 0; i < class->count; i++) {
        struct room_person *person = &picture->people[i];
        *person = class->people[i];
        person->journal.path = NULL;
        person->votes = person->entered = NULL;
        picture->here += room_class_here(person, picture->now);
    }
    picture->need_count = room_class_needs(class, picture->now, picture->needs);
}

static void copy_poll(struct room_picture *picture, const struct desk *desk)
{
    const struct notices *notices = &desk->notices;
    if (!notices->poll_count)
        return;
    picture->poll = notices->polls[notices->poll_count - 1];
    picture->poll.shown = NULL;
    poll_counts(&desk->room, &desk->class, &picture->poll, &picture->votes);
}

static void copy_flood(struct room_picture *picture, const json_t *flood)
{
    const char *by = json_string_value(json_object_get(flood, "by"));
    char hash[17];
    for (size_t i = 0; by && i < picture->count; i++) {
        room_hash(picture->people[i].token, hash);
        if (strcmp(hash, by) == 0)
            picture->queue.flooder = &picture->people[i];
    }
    picture->queue.flood_files = (size_t)json_integer_value(json_object_get(flood, "files"));
}

static void copy_queue(struct room_picture *picture, const struct room *room)
{
    json_t *state = queue_state(room);
    const char *at = json_string_value(json_object_get(state, "at"));
    struct tm tm = { 0 };
    const char *end = at ? strptime(at, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
    picture->queue.known = state != NULL;
    picture->queue.waiting = json_array_size(json_object_get(state, "waiting"));
    picture->queue.running = json_array_size(json_object_get(state, "running"));
    picture->queue.each_ms = json_number_value(json_object_get(state, "each_ms"));
    picture->queue.silent_s = end && !*end ? fmax(0, picture->now - (double)timegm(&tm)) : 0;
    copy_flood(picture, json_object_get(state, "flood"));
    const json_t *machine = json_object_get(state, "machine");
    line_text(state, "trouble", picture->queue.trouble, sizeof picture->queue.trouble);
    line_text(json_object_get(machine, "gpu"), "name", picture->queue.gpu, sizeof picture->queue.gpu);
    json_decref(state);
}

struct room_picture *room_picture_make(const struct desk *desk, double now)
{
    struct room_picture *picture = mem_new(sizeof *picture);
    picture->now = now;
    picture->claimed = room_claimed(&desk->room);
    picture->ended = desk->notices.ended;
    picture->untold = *desk->class.desk && !desk->class.told;
    picture->files = desk->class.files;
    picture->strange = desk->class.strange;
    format_into(picture->word, sizeof picture->word, "%s", desk->room.word);
    format_into(picture->title, sizeof picture->title, "%s", desk->room.title);
    wall_clock(json_string_value(json_object_get(desk->room.json, "ends")), now, picture->ends,
               sizeof picture->ends);
    copy_people(picture, &desk->class);
    copy_poll(picture, desk);
    if (!picture->ended)
        copy_queue(picture, &desk->room);
    return picture;
}

void room_picture_free(struct room_picture *picture)
{
    if (!picture)
        return;
    free(picture->people);
    free(picture->needs);
    free(picture);
}
