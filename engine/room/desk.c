// The instructor's end of a room: the class and the notices as one, and which room was opened last.
#include "engine/room/room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool desk_note(const struct room *room, struct error *error)
{
    char *path = path_own("rooms/opened");
    bool noted = path ? private_replace(path, room->folder, strlen(room->folder), error)
                      : error_set(error, EXIT_MISSING,
                                  "There is no folder to note in which room you opened; set WARPBOOK_HOME.");
    free(path);
    return noted;
}

// The room that was opened last is no more: nobody typed its word, so nobody mistyped it.
static bool is_forgotten(const char *folder, struct error *error)
{
    static const char prefix[] = "warpbook-room-";
    const char *name = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;
    if (access(folder, F_OK) == 0 || errno != ENOENT)
        return false;
    error_set(error, EXIT_USAGE,
              "The room %s is forgotten; nothing of it is left here. 'room open \"TITLE\"' opens another, "
              "'room list' lists yours.",
              string_starts(name, prefix) ? name + strlen(prefix) : name);
    return true;
}

static bool open_last(struct room *out, struct error *error)
{
    struct error unused;
    struct text last = { 0 };
    char *path = path_own("rooms/opened");
    bool known = path && private_read(path, &last, &unused) && last.length;
    bool fine = known ? !is_forgotten(last.data, error) && room_open(last.data, out, error)
                      : error_set(error, EXIT_USAGE,
                                  "You have opened no room here. 'room open \"TITLE\"' opens one.");
    free(path);
    text_free(&last);
    return fine;
}

bool desk_open(const char *word, struct desk *out, struct error *error)
{
    *out = (struct desk){ .room = { 0 } };
    if (!(word ? room_open(word, &out->room, error) : open_last(&out->room, error)))
        return false;
    bool helps = out->room.owner != geteuid() && helper_is(&out->room, geteuid());
    if (helps ? !helper_ask(&out->room, out->class.desk, error)
              : out->room.owner != geteuid() &&
                    !error_set(error, EXIT_MISSING,
                               "The room %s is another user's; only its instructor can do this.",
                               out->room.word)) {
        room_free(&out->room);
        return false;
    }
    out->class.room = &out->room;
    out->notices.journal =
        (struct journal){ .path = room_path(&out->room, "notices.jsonl"), .owner = out->room.owner };
    return true;
}

bool desk_look(struct desk *desk, double now, struct error *error)
{
    notices_look(&desk->notices);
    return desk->notices.ended || room_class_look(&desk->class, now, error);
}

bool desk_read(struct desk *desk, double now, struct error *error)
{
    notices_look(&desk->notices);
    return desk->notices.ended || room_class_read(&desk->class, now, error);
}

void desk_close(struct desk *desk)
{
    room_class_free(&desk->class);
    notices_free(&desk->notices);
    room_free(&desk->room);
}
