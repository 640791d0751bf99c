// The folder of a room: its word, its permissions, how it is opened without trusting anyone who could write beside it, and how
// it ends.
#include "engine/room/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/site.h"

enum { FILE_FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, TRIES = 50 };

// ---- words ------------------------------------------------------------------------------------------------

// A room's word is said aloud and typed: a tree or a stone, and an animal. It is a name and no secret.
static const char *const things[] = {
    "alder",   "amber",  "ash",    "aspen",  "basalt", "beech", "birch",   "boxwood", "cedar",  "chalk",
    "cherry",  "copper", "coral",  "cork",   "elder",  "elm",   "fir",     "flint",   "garnet", "gorse",
    "granite", "hazel",  "heath",  "holly",  "ivy",    "jade",  "juniper", "larch",   "laurel", "lilac",
    "lime",    "linden", "maple",  "marble", "mica",   "moss",  "oak",     "olive",   "onyx",   "opal",
    "pearl",   "pine",   "plum",   "poplar", "quartz", "reed",  "rose",    "rowan",   "ruby",   "rush",
    "sage",    "sandal", "silver", "slate",  "spruce", "teak",  "thorn",   "thyme",   "topaz",  "tulip",
    "walnut",  "willow", "yew",    "zinc"
};
static const char *const animals[] = {
    "badger", "bear",  "beaver", "bison", "boar",  "camel",  "cat",    "cod",    "crane", "crow",  "deer",
    "dove",   "duck",  "eagle",  "egret", "elk",   "ermine", "falcon", "finch",  "fox",   "frog",  "gecko",
    "goat",   "goose", "gull",   "hare",  "hawk",  "heron",  "horse",  "ibex",   "ibis",  "jay",   "kite",
    "koala",  "lark",  "lemur",  "lion",  "llama", "lynx",   "magpie", "marten", "mole",  "moose", "mouse",
    "newt",   "otter", "owl",    "panda", "perch", "pike",   "puffin", "rabbit", "raven", "robin", "salmon",
    "seal",   "swan",  "tapir",  "tern",  "tiger", "toad",   "trout",  "whale",  "wolf"
};
enum { THINGS = sizeof things / sizeof *things, ANIMALS = sizeof animals / sizeof *animals };

static bool random_bytes(void *out, size_t size)
{
    return getrandom(out, size, 0) == (ssize_t)size;
}

static unsigned random_below(unsigned end)
{
    unsigned number = 0;
    (void)!random_bytes(&number, sizeof number); // 0 then: a name that is taken is drawn again
    return number % end;
}

void room_pseudonym(char *out, size_t size)
{
    format_into(out, size, "%s-%02u", animals[random_below(ANIMALS)], 1 + random_below(99));
}

bool room_pseudonym_fits(const char *as)
{
    size_t letters = strspn(as, "abcdefghijklmnopqrstuvwxyz"),
           digits = strspn(as + letters + (as[letters] == '-'), "0123456789");
    return letters && letters <= 12 && as[letters] == '-' && digits && digits <= 3 &&
           !as[letters + 1 + digits];
}

void room_hash(const char *secret, char out[17])
{
    format_into(out, 17, "%016llx", (unsigned long long)hash_bytes(secret, strlen(secret)));
}

bool room_token_new(char out[ROOM_TOKEN], struct error *error)
{
    unsigned char bytes[(ROOM_TOKEN - 1) / 2];
    if (!random_bytes(bytes, sizeof bytes))
        return error_set(error, EXIT_MISSING, "The system gives no random numbers: %s.", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        format_into(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool room_token_fits(const char *token)
{
    return strlen(token) == ROOM_TOKEN - 1 && strspn(token, "0123456789abcdef") == ROOM_TOKEN - 1;
}

bool room_word_fits(const char *word)
{
    return strspn(word, "abcdefghijklmnopqrstuvwxyz-") == strlen(word) && strchr(word, '-') &&
           strlen(word) < ROOM_WORD;
}

// ---- places -----------------------------------------------------------------------------------------------

// The folder that a word means. The folder for rooms is the site's choice; without one, each room lies in /tmp by itself.
static char *folder_of(const char *word)
{
    const char *rooms = site_value(SITE_ROOMS);
    if (strchr(word, '/'))
        return mem_copy(word);
    return rooms ? path_join(rooms, word) : text_format("/tmp/warpbook-room-%s", word);
}

char *room_path(const struct room *room, const char *below)
{
    return path_join(room->folder, below);
}

bool room_claimed(const struct room *room)
{
    return json_is_true(json_object_get(room->json, "claimed"));
}

void room_free(struct room *room)
{
    free(room->folder);
    free(room->title);
    json_decref(room->json);
    *room = (struct room){ 0 };
}

// ---- making one -------------------------------------------------------------------------------------------

static bool make_failed(const char *path, struct error *error)
{
    return error_set(
        error, EXIT_MISSING,
        "The room's folder %s could not be made: %s. Set WARPBOOK_ROOMS to a folder that you may "
        "write to and the learners may read.",
        path, strerror(errno));
}

// A folder that did not exist, with exactly these permissions.
static bool make_folder(const char *path, mode_t mode, struct error *error)
{
    return (mkdir(path, mode & 0700) == 0 && chmod(path, mode) == 0) || make_failed(path, error);
}

static bool make_room(const struct room *room, struct error *error)
{
    static const struct {
        const char *name;
        mode_t mode;
    } parts[] = { { "in", 03733 }, { "q", 03733 }, { "out", 0711 }, { "keep", 0700 } };
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof parts / sizeof *parts; i++) {
        char *path = room_path(room, parts[i].name);
        fine = make_folder(path, parts[i].mode, error);
        free(path);
    }
    char *path = room_path(room, "room.json");
    fine = fine && journal_add(path, 0644, room->json, error);
    free(path);
    path = room_path(room, "notices.jsonl");
    json_t *begin = json_pack("{s:i, s:s}", "v", 1, "kind", "open");
    fine = fine && journal_add(path, 0644, begin, error);
    json_decref(begin);
    free(path);
    return fine;
}

static json_t *describe(const struct room_terms *terms, const char *word)
{
    char now[32];
    clock_date(now, sizeof now);
    json_t *json = json_pack("{s:i, s:s, s:s, s:s, s:s*, s:s*, s:b, s:O*}", "v", ROOM_VERSION, "at", now,
                             "word", word, "title", terms->title, "lessons", terms->lessons, "ends",
                             terms->ends, "claimed", terms->claimed, "with", terms->with);
    return json;
}

bool room_make(const struct room_terms *terms, struct room *out, struct error *error)
{
    *out = (struct room){ .owner = geteuid(), .title = text_clean(terms->title) };
    int why = EEXIST;
    for (int i = 0; why == EEXIST && i < TRIES; i++) {
        free(out->folder);
        format_into(out->word, sizeof out->word, "%s-%s", things[random_below(THINGS)],
                    animals[random_below(ANIMALS)]);
        out->folder = folder_of(out->word);
        why = mkdir(out->folder, 0700) == 0 ? 0 : errno;
    }
    errno = why;
    bool fine = why ? make_failed(out->folder, error) : true;
    if (fine && !(out->json = describe(terms, out->word)))
        fine = error_set(error, EXIT_USAGE, "The title must be UTF-8.");
    fine = fine && make_room(out, error);
    if (fine && chmod(out->folder, 0755) != 0) // only now can others see it
        fine = make_failed(out->folder, error);
    if (!fine)
        room_free(out);
    return fine;
}

// ---- opening one ------------------------------------------------------------------------------------------

// A user who can rename the room's folder can replace it: its owner, root, and the owner of the folder above it.
static bool place_is_safe(const char *folder, uid_t owner, struct error *error)
{
    struct stat above;
    char *parent = path_join(folder, "..");
    bool known = stat(parent, &above) == 0;
    free(parent);
    if (!known)
        return error_set(error, EXIT_MISSING, "The folder that holds %s cannot be looked at: %s.", folder,
                         strerror(errno));
    bool ours = above.st_uid == 0 || above.st_uid == owner || above.st_uid == geteuid();
    bool closed = !(above.st_mode & (S_IWGRP | S_IWOTH)) || (above.st_mode & S_ISVTX);
    return (ours && closed) ||
           error_set(
               error, EXIT_MISSING,
               "The folder that holds %s can be changed by others than the room's owner; nothing was read "
               "from it. The instructor should set WARPBOOK_ROOMS to a folder of mode 1777 or 0755.",
               folder);
}

static int by_word(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **room_words(size_t *out)
{
    enum { ROOMS_MOST = 1000 };
    char *some = folder_of("x"), *name = strrchr(some, '/') + 1, **words = NULL;
    size_t count = 0, before = strlen(name) - strlen("x");
    char *prefix = text_format("%.*s", (int)before, name);
    name[-1] = 0;
    DIR *folder = opendir(*some ? some : "/");
    const struct dirent *entry;
    while (folder && count < ROOMS_MOST && (entry = readdir(folder)))
        if (string_starts(entry->d_name, prefix) && room_word_fits(entry->d_name + before)) {
            words = array_room(words, count, sizeof *words);
            words[count++] = mem_copy(entry->d_name + before);
        }
    if (folder)
        closedir(folder);
    free(prefix);
    free(some);
    if (count)
        qsort(words, count, sizeof *words, by_word);
    *out = count;
    return words;
}

// Of the rooms that there are here, the one whose word is nearest; "" none.
static void near_word(const char *word, char out[ROOM_WORD])
{
    size_t count;
    char **words = room_words(&count);
    const char *near = string_nearest(word, (const char *const *)words, count);
    format_into(out, ROOM_WORD, "%s", near ? near : "");
    for (size_t i = 0; i < count; i++)
        free(words[i]);
    free(words);
}

static bool no_room(const char *word, const char *folder, struct error *error)
{
    int why = errno;
    char near[ROOM_WORD] = "";
    if (why != ENOENT && why != ENOTDIR)
        return error_set(error, EXIT_MISSING, "The room's folder %s cannot be opened: %s.", folder,
                         strerror(why));
    if (!strchr(word, '/'))
        near_word(word, near);
    if (*near)
        return error_set(error, EXIT_MISSING, "There is no room %s here. Did you mean %s?", word, near);
    return error_set(
        error, EXIT_MISSING,
        "There is no room %s here: %s does not exist. Is the word right, is this the machine that "
        "the room is on, and is WARPBOOK_ROOMS what the instructor's is?",
        word, folder);
}

static bool read_description(struct room *out, struct error *error)
{
    struct journal journal = { .path = room_path(out, "room.json"), .owner = out->owner };
    journal_look(&journal, 1, journal_keep, &out->json);
    const char *trouble = journal.trouble;
    journal_free(&journal);
    const char *title = json_string_value(json_object_get(out->json, "title")),
               *word = json_string_value(json_object_get(out->json, "word"));
    if (!title || !word || !room_word_fits(word))
        return error_set(error, EXIT_MISSING, "%s is not a room: its room.json %s.", out->folder,
                         trouble ? trouble : "does not describe one");
    char clean[ROOM_TEXT];
    format_clean(clean, sizeof clean, title, strlen(title));
    out->title = mem_copy(clean);
    format_into(out->word, sizeof out->word, "%s", word);
    return true;
}

bool room_open(const char *word, struct room *out, struct error *error)
{
    *out = (struct room){ 0 };
    if (!strchr(word, '/') && !room_word_fits(word)) {
        char clean[ROOM_TEXT];
        format_clean(clean, sizeof clean, word, strlen(word));
        return error_set(error, EXIT_USAGE, "A room has a word such as maple-otter, not '%s'.", clean);
    }
    char *folder = folder_of(word);
    struct stat status;
    out->folder = lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) ? realpath(folder, NULL) : NULL;
    bool fine = out->folder || no_room(word, folder, error);
    free(folder);
    out->owner = fine ? status.st_uid : 0;
    fine = fine && place_is_safe(out->folder, out->owner, error) && read_description(out, error);
    if (!fine)
        room_free(out);
    return fine;
}

// ---- the notices --------------------------------------------------------------------------------------------

// Instructor's processes that write at the same time take turns by a lock in the folder that only they can open.
int room_lock(const struct room *room, struct error *error)
{
    char *path = room_path(room, "keep/lock");
    int fd = open(path, O_RDWR | O_CREAT | FILE_FLAGS, 0600);
    bool locked = fd >= 0 && flock(fd, LOCK_EX) == 0;
    if (!locked) {
        error_set(error, EXIT_MISSING, "%s: only the instructor who opened the room can do this (%s).", path,
                  strerror(errno));
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    free(path);
    return fd;
}

bool room_tell_locked(const struct room *room, const char *kind, json_t *fields, struct error *error)
{
    char now[32];
    clock_date(now, sizeof now);
    json_t *line = json_pack("{s:i, s:s, s:s}", "v", 1, "at", now, "kind", kind);
    if (fields)
        json_object_update(line, fields);
    json_decref(fields);
    char *path = room_path(room, "notices.jsonl");
    bool told = journal_add(path, 0644, line, error);
    free(path);
    json_decref(line);
    return told;
}

bool room_tell(const struct room *room, const char *kind, json_t *fields, struct error *error)
{
    int lock = room_lock(room, error);
    if (lock < 0) {
        json_decref(fields);
        return false;
    }
    bool told = room_tell_locked(room, kind, fields, error);
    close(lock);
    return told;
}

// ---- the end ----------------------------------------------------------------------------------------------

// Removes the files in a folder of the room, and the folder itself when that made it empty. What a learner made beside
// files, such as a folder, stays and is counted.
static void remove_part(const struct room *room, const char *name, size_t *left)
{
    char *path = room_path(room, name);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlinkat(dirfd(folder), entry->d_name, 0) != 0 &&
            unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR) != 0)
            (*left)++;
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    (void)rmdir(path); // what is left in it was counted
    free(path);
}

bool room_end(const struct room *room, bool forget, size_t *left, struct error *error)
{
    *left = 0;
    if (room->owner != geteuid())
        return error_set(error, EXIT_MISSING, "Only the instructor who opened the room %s can close it.",
                         room->word);
    static const char *const parts[] = { "in", "q", "out", "keep" };
    for (size_t i = 0; i < (forget ? 4 : 3); i++)
        remove_part(room, parts[i], left);
    if (forget && !*left) {
        static const char *const files[] = { "notices.jsonl", "room.json" };
        for (size_t i = 0; i < 2; i++) {
            char *path = room_path(room, files[i]);
            *left += unlink(path) != 0;
            free(path);
        }
        *left += rmdir(room->folder) != 0;
    }
    return true;
}
