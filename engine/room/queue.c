// The files of the class queue. A file appears under its name when it is whole: it is written under another name in the
// same folder first. Requests belong to learners, answers and the state to the instructor.
#include "engine/room/queue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY };
// In one look at the queue's folder, so that nobody who floods it keeps the others waiting.
enum { NAMES_MOST = 2000000, REMOVING_MS = 200 };

// ---- whole files -------------------------------------------------------------------------------------------

static bool write_failed(const char *path, struct error *error)
{
    return error_set(error, EXIT_MISSING, "%s could not be written: %s.", path, strerror(errno));
}

static bool write_whole(const char *path, const char *bytes, size_t length, struct error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | FLAGS, 0644);
    if (fd < 0)
        return write_failed(path, error);
    bool fine = fchmod(fd, 0644) == 0;
    for (size_t put = 0; fine && put < length;) {
        ssize_t more = write(fd, bytes + put, length - put);
        fine = more > 0 || (more < 0 && errno == EINTR);
        put += more > 0 ? (size_t)more : 0;
    }
    fine = fine && fdatasync(fd) == 0;
    if (!fine)
        write_failed(path, error);
    close(fd);
    return fine;
}

// Puts the JSON in the place of what is there under this name.
static bool put_json(const struct room *room, const char *folder, const char *name, const json_t *json,
                     struct error *error)
{
    char *dumped = json_dumps(json, JSON_COMPACT);
    if (!dumped)
        return error_set(error, EXIT_USAGE, "This is not UTF-8 text.");
    char *below = text_format("%s/%s", folder, name),
         *aside = text_format("%s/.%s.%ld", folder, name, (long)getpid());
    char *path = room_path(room, below), *temporary = room_path(room, aside);
    (void)unlink(temporary); // of a process that had this number before
    bool fine = write_whole(temporary, dumped, strlen(dumped), error);
    if (fine && rename(temporary, path) != 0)
        fine = write_failed(path, error);
    if (!fine)
        (void)unlink(temporary);
    free(path);
    free(temporary);
    free(below);
    free(aside);
    free(dumped);
    return fine;
}

// The bytes of a plain file of this owner; false with the reason in `why`, "" where there is no file.
static bool read_owned(const struct room *room, const char *below, uid_t owner, size_t most, struct text *out,
                       const char **why)
{
    char *path = room_path(room, below);
    int fd = open(path, O_RDONLY | FLAGS);
    struct stat status;
    free(path);
    *why = fd < 0 && errno == ENOENT                             ? ""
           : fd < 0                                              ? "it cannot be read"
           : fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ? "it is not a plain file"
           : status.st_uid != owner || status.st_nlink != 1      ? "it belongs to somebody else"
           : status.st_size < 0 || (size_t)status.st_size > most ? "it is too long"
                                                                 : NULL;
    char piece[65536];
    ssize_t got = 1;
    while (!*why && got > 0 && out->length <= most)
        if ((got = read(fd, piece, sizeof piece)) > 0)
            text_add_n(out, piece, (size_t)got);
    if (fd >= 0)
        close(fd);
    if (!*why && (got < 0 || out->length > most))
        *why = "it cannot be read";
    return !*why;
}

static json_t *read_json(const struct room *room, const char *below, uid_t owner, size_t most,
                         const char **why)
{
    struct text text = { 0 };
    json_error_t unused;
    json_t *json = NULL;
    if (read_owned(room, below, owner, most, &text, why) &&
        !(json = json_loadb(text_string(&text), text.length, JSON_REJECT_DUPLICATES, &unused)))
        *why = "it is no JSON";
    text_free(&text);
    return json;
}

// ---- for a learner -------------------------------------------------------------------------------------------

static void name_request(const char *token, unsigned long long kind, char name[QUEUE_NAME])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    format_into(name, QUEUE_NAME, "%s-%016llx.json", token,
                kind | ((unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec));
}

bool queue_ask(const struct room *room, const char *token, const json_t *request, char name[QUEUE_NAME],
               struct error *error)
{
    name_request(token, 0, name);
    return put_json(room, "q", name, request, error);
}

bool queue_ask_later(const struct room *room, const char *token, const json_t *request, struct error *error)
{
    char name[QUEUE_NAME];
    name_request(token, 1ull << 63, name);
    return put_json(room, "q", name, request, error);
}

static bool is_there(const struct room *room, const char *folder, const char *name, uid_t owner)
{
    struct stat status;
    char *below = text_format("%s/%s", folder, name), *path = room_path(room, below);
    bool there = lstat(path, &status) == 0 && status.st_uid == owner;
    free(path);
    free(below);
    return there;
}

bool queue_put(const struct room *room, const char *name, const json_t *request, struct error *error)
{
    return is_there(room, "q", name, geteuid()) || is_there(room, "out", name, room->owner) ||
           put_json(room, "q", name, request, error);
}

void queue_withdraw(const struct room *room, const char *name)
{
    char *below = text_format("q/%s", name), *path = room_path(room, below);
    (void)unlink(path); // it may have been served
    free(path);
    free(below);
}

json_t *queue_answer(const struct room *room, const char *name)
{
    const char *why;
    char *below = text_format("out/%s", name);
    json_t *answer = read_json(room, below, room->owner, QUEUE_ANSWER_MOST, &why);
    free(below);
    return answer;
}

json_t *queue_state(const struct room *room)
{
    const char *why;
    return read_json(room, "out/queue.json", room->owner, QUEUE_STATE_MOST, &why);
}

// ---- for serve -----------------------------------------------------------------------------------------------

bool queue_ticket(const char *name, struct ticket *out)
{
    size_t length = strlen(name);
    if (length != ROOM_TOKEN - 1 + strlen("-0123456789abcdef.json") || name[ROOM_TOKEN - 1] != '-' ||
        !string_ends(name, ".json") || strspn(name + ROOM_TOKEN, "0123456789abcdef") != 16)
        return false;
    format_into(out->name, sizeof out->name, "%s", name);
    format_into(out->token, sizeof out->token, "%.*s", ROOM_TOKEN - 1, name);
    return room_token_fits(out->token);
}

struct crowd {
    const struct room *room;
    int folder;
    struct ticket *tickets;
    struct flood *owners; // and how many files each has
    size_t ticket_count, owner_count;
    double remove_until; // in clock_ms
};

// Whether this owner has no more files than honest ones have. Where an account is shared, all are of one owner.
static bool has_few(struct crowd *crowd, uid_t uid)
{
    size_t i = 0;
    while (i < crowd->owner_count && crowd->owners[i].uid != uid)
        i++;
    if (i == crowd->owner_count) {
        crowd->owners = array_room(crowd->owners, i, sizeof *crowd->owners);
        crowd->owners[crowd->owner_count++] = (struct flood){ .uid = uid };
    }
    return ++crowd->owners[i].files <= QUEUE_FILES || room_claimed(crowd->room);
}

// A file that is still being written has a hidden name; what is neither that nor a request does not belong there. A learner's
// folder with something in it can be removed by nobody else.
static void list_name(struct crowd *crowd, const char *name)
{
    struct ticket ticket;
    struct stat status;
    bool hidden = name[0] == '.', fits = queue_ticket(name, &ticket);
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        fstatat(crowd->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    bool few = has_few(crowd, status.st_uid);
    if ((!hidden && !fits) || !S_ISREG(status.st_mode) || !few) {
        if (clock_ms() < crowd->remove_until)
            (void)unlinkat(crowd->folder, name, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
        return;
    }
    if (hidden)
        return;
    ticket.uid = status.st_uid;
    crowd->tickets = array_room(crowd->tickets, crowd->ticket_count, sizeof *crowd->tickets);
    crowd->tickets[crowd->ticket_count++] = ticket;
}

static struct flood worst_of(const struct crowd *crowd)
{
    struct flood worst = { 0 };
    for (size_t i = 0; i < crowd->owner_count; i++)
        if (crowd->owners[i].files > QUEUE_FILES && crowd->owners[i].files > worst.files)
            worst = crowd->owners[i];
    return worst;
}

struct ticket *queue_list(const struct room *room, size_t *count, struct flood *flood)
{
    char *path = room_path(room, "q");
    DIR *folder = opendir(path);
    const struct dirent *entry;
    struct crowd crowd = { .room = room,
                           .folder = folder ? dirfd(folder) : -1,
                           .remove_until = clock_ms() + REMOVING_MS };
    for (int names = 0; folder && names < NAMES_MOST && (entry = readdir(folder)); names++)
        list_name(&crowd, entry->d_name);
    if (folder)
        closedir(folder);
    free(path);
    if (flood)
        *flood = room_claimed(room) ? (struct flood){ 0 } : worst_of(&crowd);
    free(crowd.owners);
    *count = crowd.ticket_count;
    return crowd.tickets;
}

bool queue_read(const struct room *room, const struct ticket *ticket, json_t **out, struct error *error)
{
    const char *why;
    char *below = text_format("q/%s", ticket->name);
    *out = read_json(room, below, ticket->uid, QUEUE_REQUEST_MOST, &why);
    free(below);
    return *out || error_set(error, EXIT_USAGE, "The queue cannot take the request: %s.", why);
}

bool queue_wanted(const struct room *room, const struct ticket *ticket)
{
    return is_there(room, "q", ticket->name, ticket->uid);
}

bool queue_answered(const struct room *room, const struct ticket *ticket)
{
    return is_there(room, "out", ticket->name, room->owner);
}

bool queue_reply(const struct room *room, const struct ticket *ticket, const json_t *answer,
                 struct error *error)
{
    bool replied = put_json(room, "out", ticket->name, answer, error);
    if (replied)
        queue_withdraw(room, ticket->name);
    return replied;
}

bool queue_say(const struct room *room, const char *name, const json_t *what, struct error *error)
{
    return put_json(room, "out", name, what, error);
}
