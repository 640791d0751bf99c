// The learner's end of a room: what is told is kept here first and delivered from here.
#include "engine/room/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- the learner's own files ---------------------------------------------------------------------------------

static char *own_path(const struct member *member, const char *name)
{
    return path_join(member->folder, name);
}

// The learner's folder for the room. Two rooms that had the same word one after the other have a folder each.
static char *own_folder(const struct room *room)
{
    const char *at = json_string_value(json_object_get(room->json, "at"));
    uint64_t hash =
        hash_more(hash_bytes(room->folder, strlen(room->folder)), at ? at : "", at ? strlen(at) : 0);
    char *below = text_format("rooms/%s-%08x", room->word, (unsigned)hash);
    char *path = path_own(below);
    free(below);
    return path;
}

static bool no_home(struct error *error)
{
    return error_set(error, EXIT_MISSING, "There is no folder for what you do in a room; set WARPBOOK_HOME.");
}

// Notes which room was joined last, by the path of the learner's folder for it.
static bool set_current(const char *folder, struct error *error)
{
    char *path = path_own("rooms/current");
    bool fine = path ? private_replace(path, folder, strlen(folder), error) : no_home(error);
    free(path);
    return fine;
}

static bool write_joined(const struct member *member, struct error *error)
{
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:I}", "room", member->place, "word", member->word,
                             "token", member->token, "as", member->as, "owner", (json_int_t)member->owner);
    char *dumped = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    char *path = own_path(member, "joined.json");
    bool fine = dumped ? private_replace(path, dumped, strlen(dumped), error)
                       : error_set(error, EXIT_USAGE, "The room's path must be UTF-8.");
    free(path);
    free(dumped);
    return fine;
}

// The file that joining wrote; NULL: the room was not joined.
static json_t *read_joined(const char *folder)
{
    static const char *const texts[] = { "room", "word", "token", "as" };
    struct error unused;
    struct text text = { 0 };
    char *path = path_join(folder, "joined.json");
    json_error_t why;
    json_t *json = private_read(path, &text, &unused) ? json_loadb(text.data, text.length, 0, &why) : NULL;
    text_free(&text);
    free(path);
    bool whole = json_is_object(json);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        whole = whole && json_is_string(json_object_get(json, texts[i]));
    if (whole && room_token_fits(json_string_value(json_object_get(json, "token"))))
        return json;
    json_decref(json);
    return NULL;
}

static void take_name(const json_t *joined, const char *key, char *out, size_t size)
{
    format_into(out, size, "%s", json_string_value(json_object_get(joined, key)));
}

static size_t read_seen(const struct member *member)
{
    struct error unused;
    struct text text = { 0 };
    char *path = own_path(member, "seen");
    size_t seen = private_read(path, &text, &unused) ? strtoul(text_string(&text), NULL, 10) : 0;
    text_free(&text);
    free(path);
    return seen;
}

static void open_own(struct member *member)
{
    member->kept = (struct journal){ .path = own_path(member, "lines.jsonl"), .owner = geteuid() };
    member->own = (struct journal){ .path = own_path(member, "lines.jsonl"), .owner = geteuid() };
    member->seen = read_seen(member);
    member_refresh(member);
}

// ---- the own end -----------------------------------------------------------------------------------------------

// Of the learner's own processes (a screen, commands beside it) one keeps at a time, and one delivers, which may take
// longer.
static int own_lock(const struct member *member, const char *name, struct error *error)
{
    char *path = own_path(member, name);
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    if (fd < 0)
        error_set(error, EXIT_MISSING, "%s cannot be opened: %s.", path, strerror(errno));
    free(path);
    return fd;
}

static void take_kept(void *context, const json_t *line)
{
    struct member *member = context;
    const char *kind = json_string_value(json_object_get(line, "kind")),
               *is = json_string_value(json_object_get(line, "is"));
    json_int_t n = json_integer_value(json_object_get(line, "n"));
    member->told = n > member->told ? n : member->told;
    if (kind && strcmp(kind, "light") == 0)
        member->light = is && strcmp(is, "red") == 0     ? LIGHT_RED
                        : is && strcmp(is, "green") == 0 ? LIGHT_GREEN
                                                         : LIGHT_NONE;
    if (!kind || strcmp(kind, "vote") != 0)
        return;
    member->vote.poll = json_integer_value(json_object_get(line, "poll"));
    member->vote.round = (int)json_integer_value(json_object_get(line, "round"));
    member->vote.choice = (int)json_integer_value(json_object_get(line, "choice"));
}

void member_refresh(struct member *member)
{
    journal_look(&member->kept, SIZE_MAX, take_kept, member);
}

// Whether the journal has room for a line of this kind: what is not read to its end counts for nothing.
static bool has_room(const struct member *member, const char *kind, struct error *error)
{
    bool passing = strcmp(kind, "at") == 0 || strcmp(kind, "here") == 0;
    off_t most = passing ? JOURNAL_MOST / 2 : JOURNAL_MOST - 2 * JOURNAL_LINE_MOST;
    if (member->kept.trouble)
        return error_set(error, EXIT_MISSING, "%s cannot be read: %s.", member->kept.path,
                         member->kept.trouble);
    return member->kept.read_to < most ||
           error_set(error, EXIT_MISSING, "You have told the room %s as much as one may: %d KiB.",
                     member->word, JOURNAL_MOST >> 10);
}

static bool keep(struct member *member, const char *kind, json_t *fields, struct error *error)
{
    char now[32];
    member_refresh(member);
    if (!has_room(member, kind, error))
        return false;
    clock_date(now, sizeof now);
    json_t *line = json_pack("{s:i, s:I, s:s, s:s}", "v", 1, "n", member->told + 1, "at", now, "kind", kind);
    if (fields)
        json_object_update_missing(line, fields);
    bool kept = journal_add(member->kept.path, 0600, line, error);
    json_decref(line);
    member_refresh(member);
    return kept;
}

bool member_keep(struct member *member, const char *kind, json_t *fields, struct error *error)
{
    int lock = own_lock(member, "lock", error);
    bool kept = lock >= 0 && keep(member, kind, fields, error);
    if (lock >= 0)
        close(lock);
    json_decref(fields);
    return kept;
}

// One who types commands one after the other is told of once.
static bool told_lately(const struct member *member)
{
    enum { LATELY_S = 20 };
    struct stat status;
    return stat(member->kept.path, &status) == 0 && time(NULL) - status.st_mtime < LATELY_S &&
           member->told > 1;
}

// By a process that nobody waits for.
static void deliver_beside(struct member *member)
{
    struct error unused;
    pid_t pid = fork();
    if (pid > 0)
        (void)waitpid(pid, NULL, 0);
    if (pid != 0)
        return;
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        (void)dup2(nothing, fd);
    if (setsid() > 0 && fork() == 0)
        (void)member_deliver(member, &unused);
    if (member->errand)
        errand_end(member->errand);
    _exit(EXIT_RIGHT);
}

void member_works(const char *command)
{
    struct error unused;
    struct member *member = member_stamp() ? member_open(&unused) : NULL;
    if (!member || told_lately(member)) {
        member_close(member);
        return;
    }
    json_t *fields = json_pack("{s:s, s:s}", "in", "shell", "by", command);
    bool kept = member_keep(member, "here", fields, &unused) && member->link->reach(member, &unused);
    bool open = false, mirror = kept && room_is_mirror(&member->room, &open);
    if (kept && !mirror)
        (void)member_deliver(member, &unused);
    else if (open)
        deliver_beside(member);
    member_close(member);
}

bool member_saw(struct member *member, size_t version, struct error *error)
{
    member->seen = version;
    char number[24];
    char *path = own_path(member, "seen");
    format_into(number, sizeof number, "%zu", version);
    bool fine = private_replace(path, number, strlen(number), error);
    free(path);
    return fine;
}

// ---- the room's end, through its folder -------------------------------------------------------------------------

// A room that has the word and the folder of one that was joined need not be that one.
static bool is_joined(const struct member *member, const struct room *room, struct error *error)
{
    if (room->owner != member->owner)
        return error_set(
            error, EXIT_MISSING,
            "The room %s belongs to another user than when you joined it; nothing is told to it.",
            member->word);
    json_int_t version = json_integer_value(json_object_get(room->json, "v"));
    if (version != ROOM_VERSION)
        return error_set(error, EXIT_MISSING,
                         "The room %s is of version %lld and this warpbook knows version %d. Install the "
                         "instructor's warpbook.",
                         member->word, (long long)version, ROOM_VERSION);
    char *folder = own_folder(room);
    bool same =
        folder && strcmp(strrchr(folder, '/'), strrchr(member->folder, '/')) == 0; // however it is led to
    free(folder);
    return same || error_set(error, EXIT_MISSING,
                             "The room that you joined is closed, and another one is called %s now. "
                             "'join %s' joins that.",
                             member->word, member->word);
}

static void open_there(struct member *member)
{
    char below[64];
    format_into(below, sizeof below, "in/%s.jsonl", member->token);
    journal_free(&member->there);
    member->there = (struct journal){ .path = room_path(&member->room, below), .owner = geteuid() };
    if (room_is_mirror(&member->room, NULL) && !member->errand)
        member->errand = mem_new(sizeof *member->errand);
}

static bool reach_folder(struct member *member, struct error *error)
{
    if (!member->room.folder) {
        struct stat status;
        if (lstat(member->place, &status) != 0 && errno == ENOENT)
            return error_set(error, EXIT_MISSING, "The room %s is gone: there is no %s any more.",
                             member->word, member->place);
        struct room room;
        if (!room_open(member->place, &room, error))
            return false;
        if (!is_joined(member, &room, error)) {
            room_free(&room);
            return false;
        }
        member->room = room;
        open_there(member);
    }
    // Lines that another process of this learner delivered count too.
    journal_look(&member->there, SIZE_MAX, journal_count_on, &member->delivered);
    return !member->there.trouble || error_set(error, EXIT_MISSING, "What you told the room %s: %s.",
                                               member->word, member->there.trouble);
}

// The next operation opens the room's folder anew.
static void lose_folder(struct member *member)
{
    room_free(&member->room);
}

// A line in the mirror of a room is not in the room yet: the courier says when it is.
static bool is_carried(struct member *member, bool fresh, struct error *error)
{
    return !member->errand || !member->room.folder ||
           errand_done(member->errand, &member->room, member->delivered, fresh, error);
}

static bool put_folder(struct member *member, const json_t *line, struct error *error)
{
    errno = 0;
    if (journal_add(member->there.path, 0644, line, error))
        return true;
    int why = errno;
    lose_folder(member);
    return why ? error_set(error, EXIT_MISSING, "The room %s cannot be written to: %s.", member->word,
                           strerror(why))
               : false;
}

static bool look_folder(struct member *member, struct notices *notices, struct error *error)
{
    if (!notices->journal.path)
        notices->journal = (struct journal){ .path = room_path(&member->room, "notices.jsonl"),
                                             .owner = member->room.owner };
    notices_look(notices);
    if (!notices->journal.trouble)
        return true;
    error_set(error, EXIT_MISSING, "What the instructor of %s says cannot be read: %s.", member->word,
              notices->journal.trouble);
    notices->journal.trouble = NULL; // it may pass
    return false;
}

static const struct member_link folder_link = { reach_folder, put_folder, look_folder };

// ---- telling ---------------------------------------------------------------------------------------------------

static bool deliver_line(struct member *member, const json_t *line, struct error *error)
{
    json_int_t n = json_integer_value(json_object_get(line, "n"));
    if (n <= member->delivered)
        return true;
    if (!member->link->put(member, line, error))
        return false;
    member->delivered = n;
    return true;
}

// Before the first line is delivered, the room is asked how far it has read.
static bool deliver(struct member *member, struct error *error)
{
    bool fine = true, reached = false;
    json_t *line = NULL;
    for (off_t before = member->own.read_to; fine && journal_look(&member->own, 1, journal_keep, &line);
         before = member->own.read_to) {
        fine = (reached || member->link->reach(member, error)) && deliver_line(member, line, error);
        reached = true;
        json_decref(line);
        line = NULL;
        if (!fine)
            member->own.read_to = before; // for the next time
    }
    return fine && is_carried(member, reached, error);
}

bool member_deliver(struct member *member, struct error *error)
{
    int lock = own_lock(member, "delivering", error);
    bool fine = lock >= 0 && deliver(member, error);
    if (lock >= 0)
        close(lock);
    return fine;
}

bool member_reach(struct member *member, struct error *error)
{
    if (!member->room.folder && !member->link->reach(member, error))
        return false;
    if (member->errand)
        errand_keep(member->errand, &member->room);
    return true;
}

bool member_look(struct member *member, struct notices *notices, bool fresh, struct error *error)
{
    struct error away;
    bool reached = member_reach(member, error);
    if (reached && fresh)
        (void)is_carried(member, true, &away);
    return reached && member->link->look(member, notices, error);
}

void member_named(struct member *member, const char *as)
{
    struct error unkept; // the room says it again
    if (!*as || strcmp(member->as, as) == 0)
        return;
    format_into(member->as, sizeof member->as, "%s", as);
    (void)write_joined(member, &unkept);
}

bool member_ended(struct member *member, struct notices *notices)
{
    struct error unread;
    if (!member_look(member, notices, false, &unread))
        return false;
    char *out = room_path(&member->room, "out");
    bool gone = access(out, F_OK) != 0 && errno == ENOENT;
    free(out);
    return notices->ended || gone;
}

bool member_tell(struct member *member, const char *kind, json_t *fields, struct error *error)
{
    struct error later;
    bool kept = member_keep(member, kind, fields, error);
    if (kept)
        (void)member_deliver(member, &later); // what cannot be delivered now is kept for later
    return kept;
}

// ---- joining and leaving ---------------------------------------------------------------------------------------

void member_close(struct member *member)
{
    if (!member)
        return;
    if (member->errand)
        errand_end(member->errand);
    free(member->errand);
    room_free(&member->room);
    journal_free(&member->kept);
    journal_free(&member->own);
    journal_free(&member->there);
    free(member->folder);
    free(member->place);
    free(member);
}

// A member of the room that is open in member->room, which is the learner's first time there or another.
static bool join(struct member *member, const char *as, struct error *error)
{
    member->link = &folder_link;
    member->folder = own_folder(&member->room);
    member->place = mem_copy(member->room.folder);
    member->owner = member->room.owner;
    format_into(member->word, sizeof member->word, "%s", member->room.word);
    if (!member->folder)
        return no_home(error);
    json_t *before = read_joined(member->folder);
    bool fine = is_joined(member, &member->room, error);
    if (before) {
        take_name(before, "token", member->token, sizeof member->token);
        take_name(before, "as", member->as, sizeof member->as);
    } else if ((fine = fine && room_token_new(member->token, error))) {
        room_pseudonym(member->as, sizeof member->as);
    }
    json_decref(before);
    if (as)
        format_into(member->as, sizeof member->as, "%s", as);
    fine = fine && write_joined(member, error);
    open_there(member);
    open_own(member);
    return fine;
}

bool member_join(const char *word, const char *as, const char *version, struct member **out,
                 struct error *error)
{
    struct member *member = mem_new(sizeof *member);
    bool fine =
        room_open(word, &member->room, error) && join(member, as, error) &&
        member_keep(member, "join", json_pack("{s:s, s:s}", "as", member->as, "warpbook", version), error) &&
        member_deliver(member, error) && set_current(member->folder, error);
    if (!fine) {
        member_close(member);
        member = NULL;
    }
    *out = member;
    return fine;
}

// The own folder of the room that was joined last; NULL: there is none.
static char *current_folder(void)
{
    struct error unused;
    struct text text = { 0 };
    char *path = path_own("rooms/current");
    bool there = path && private_read(path, &text, &unused) && text.length;
    free(path);
    char *folder = there ? text_take(&text) : NULL;
    text_free(&text);
    return folder;
}

uint64_t member_stamp(void)
{
    struct stat status;
    char *path = path_own("rooms/current");
    bool there = path && stat(path, &status) == 0;
    free(path);
    uint64_t stamp = there ? hash_bytes(&status.st_mtim, sizeof status.st_mtim) : 0;
    return there ? hash_more(stamp, &status.st_ino, sizeof status.st_ino) : 0;
}

struct member *member_open(struct error *error)
{
    char *folder = current_folder();
    json_t *joined = folder ? read_joined(folder) : NULL;
    error->code = EXIT_RIGHT;
    if (!joined) {
        free(folder);
        return NULL;
    }
    struct member *member = mem_new(sizeof *member);
    member->link = &folder_link;
    member->folder = folder;
    member->place = mem_copy(json_string_value(json_object_get(joined, "room")));
    member->owner = (uid_t)json_integer_value(json_object_get(joined, "owner"));
    take_name(joined, "word", member->word, sizeof member->word);
    take_name(joined, "token", member->token, sizeof member->token);
    take_name(joined, "as", member->as, sizeof member->as);
    json_decref(joined);
    open_own(member);
    return member;
}

bool member_forget(const struct member *member, struct error *error)
{
    char *current = current_folder();
    bool is_this = current && strcmp(current, member->folder) == 0; // another may have been joined since
    free(current);
    return !is_this || set_current("", error);
}

bool member_leave(struct member *member, struct error *error)
{
    return member_tell(member, "leave", NULL, error) && member_forget(member, error);
}
