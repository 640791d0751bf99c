// What one learner did, an event a line. Lines are only ever added, under a lock, each by one write that is on disk
// before anyone says so. A line that did not get there whole is cut off again; where even that fails, the next one
// starts on a line of its own, and only the torn line is lost.
#include "lessons/lessons.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LOCK_TRIES = 400, // 5 ms each: a lock is held no longer than a write takes
    LINE_MOST =
        16 << 20 // bytes, without the newline: a longer one is not written, and is torn where it is read
};

// Each line is parsed when it is read, which finds torn ones, but only its text is kept: as JSON an event takes 2 KiB.
struct workbook_entry {
    char *line;
    size_t length;
    json_t *event;            // NULL: it was not asked for yet
    char *kind, *lesson, *id; // lesson, id: NULL where the event has none
    unsigned marks;           // EVENT_RIGHT, …
};

struct workbook {
    char *path;
    int fd;
    char *unwritable; // why `fd` can only be read; NULL: it can be written as well
    struct workbook_entry *entries;
    size_t count;
    json_t *newest;   // by subject_key: the newest event, counted from 1; answers of a review do not count
    size_t torn;      // whole lines that are no event
    size_t version;   // goes up whenever any of this changes
    off_t read_to;    // the start of the first line that is not read yet
    bool too_long;    // or else a place in a line that is too long, of which the rest is skipped
    bool torn_at_end; // what follows read_to has no newline
};

// ---- subjects -------------------------------------------------------------------------------------------

// The key of events by kind, lesson and id (NULL: any). The lengths keep names apart.
static char *subject_key(const char *kind, const char *lesson, const char *id)
{
    struct text key = { 0 };
    text_addf(&key, "%zu %zu %s%s%s%s", strlen(kind), strlen(lesson), kind, lesson, id ? "=" : "",
              id ? id : "");
    return text_take(&key);
}

static void set_newest(struct workbook *workbook, const char *kind, const char *lesson, const char *id)
{
    char *key = subject_key(kind, lesson, id);
    json_object_set_new(workbook->newest, key, json_integer((json_int_t)workbook->count));
    free(key);
}

// 0: there is none.
static size_t newest_of(const struct workbook *workbook, const char *kind, const char *lesson, const char *id)
{
    char *key = subject_key(kind, lesson, id);
    size_t newest = (size_t)json_integer_value(json_object_get(workbook->newest, key));
    free(key);
    return newest;
}

// ---- events ---------------------------------------------------------------------------------------------

static json_t *parse_line(const char *line, size_t length)
{
    json_error_t why;
    return json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
}

static unsigned marks_of(const json_t *event)
{
    static const char *const keys[] = { "right", "review", "asked_solution" };
    unsigned marks = 0;
    for (unsigned i = 0; i < 3; i++)
        marks |= json_is_true(json_object_get(event, keys[i])) ? 1u << i : 0;
    return marks;
}

// False: the line is no event.
static bool add_event(struct workbook *workbook, const char *line, size_t length)
{
    json_t *event = parse_line(line, length);
    const char *kind = json_string_value(json_object_get(event, "kind")),
               *lesson = json_string_value(json_object_get(event, "lesson")),
               *id = json_string_value(json_object_get(event, "id"));
    if (kind) {
        unsigned marks = marks_of(event);
        workbook->entries = array_room(workbook->entries, workbook->count, sizeof *workbook->entries);
        workbook->entries[workbook->count++] = (struct workbook_entry){ .line = mem_copy_n(line, length),
                                                                        .length = length,
                                                                        .kind = mem_copy(kind),
                                                                        .lesson = mem_copy_if(lesson),
                                                                        .id = mem_copy_if(id),
                                                                        .marks = marks };
        if (lesson && !(marks & EVENT_REVIEW)) {
            set_newest(workbook, kind, lesson, NULL);
            if (id)
                set_newest(workbook, kind, lesson, id);
        }
    }
    json_decref(event);
    return kind;
}

// ---- reading --------------------------------------------------------------------------------------------

static void take_line(struct workbook *workbook, const char *line, size_t length)
{
    size_t blanks = 0;
    while (blanks < length && strchr(" \t\r", line[blanks]) && line[blanks])
        blanks++;
    if (blanks == length)
        return;
    workbook->version++;
    workbook->torn += !add_event(workbook, line, length);
}

static void end_line(struct workbook *workbook, const char *line, size_t length)
{
    if (!workbook->too_long && length <= LINE_MOST) {
        take_line(workbook, line, length);
        return;
    }
    workbook->too_long = false;
    workbook->torn++;
    workbook->version++;
}

// The whole lines in what was read, and the start of one that is too long already; returns the bytes they take.
static size_t take_lines(struct workbook *workbook, const char *bytes, size_t length)
{
    size_t taken = 0;
    const char *end;
    while (taken < length && (end = memchr(bytes + taken, '\n', length - taken))) {
        end_line(workbook, bytes + taken, (size_t)(end - bytes) - taken);
        taken = (size_t)(end - bytes) + 1;
    }
    workbook->too_long |= length - taken > LINE_MOST;
    return workbook->too_long ? length : taken;
}

// Reads from read_to on; `end`: the size that the file has, unless another program cuts it off meanwhile.
static bool read_on(struct workbook *workbook, off_t end)
{
    struct text rest = { 0 };
    off_t at = workbook->read_to;
    bool sound = true;
    while (sound && at < end) {
        char piece[65536];
        ssize_t got = pread(workbook->fd, piece, sizeof piece, at);
        if (got < 0 && errno == EINTR)
            continue;
        sound = got >= 0;
        if (got <= 0)
            break;
        text_add_n(&rest, piece, (size_t)got);
        at += got;
        bool ends = memchr(piece, '\n', (size_t)got) || workbook->too_long || rest.length > LINE_MOST;
        size_t taken = ends ? take_lines(workbook, rest.data, rest.length) : 0;
        workbook->read_to += (off_t)taken;
        memmove(rest.data, rest.data + taken, rest.length - taken);
        rest.length -= taken;
    }
    bool torn = rest.length > 0 || workbook->too_long;
    workbook->version += workbook->torn_at_end != torn;
    workbook->torn_at_end = torn;
    text_free(&rest);
    return sound;
}

static void forget(struct workbook *workbook)
{
    for (size_t i = 0; i < workbook->count; i++) {
        struct workbook_entry *entry = &workbook->entries[i];
        json_decref(entry->event);
        free(entry->line);
        free(entry->kind);
        free(entry->lesson);
        free(entry->id);
    }
    json_object_clear(workbook->newest);
    workbook->count = workbook->torn = 0;
    workbook->read_to = 0;
    workbook->torn_at_end = workbook->too_long = false;
    workbook->version++;
}

// ---- the file -------------------------------------------------------------------------------------------

// A file that cannot be written, or made, is opened to be read; -1: neither, errno says why.
static int open_either(const char *path, int *unwritable)
{
    enum { FLAGS = O_CLOEXEC | O_NONBLOCK | O_NOCTTY };
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | FLAGS, 0600);
    *unwritable = fd < 0 ? errno : 0;
    if (fd >= 0 || (errno != EACCES && errno != EPERM && errno != EROFS))
        return fd;
    fd = open(path, O_RDONLY | FLAGS);
    if (fd < 0)
        errno = *unwritable;
    return fd;
}

// False, with what was open before left as it was, when the file cannot be had.
static bool open_file(struct workbook *workbook, struct error *error)
{
    int unwritable, fd = open_either(workbook->path, &unwritable);
    struct stat state;
    if (fd < 0)
        return error_set(error, EXIT_MISSING, "Cannot open the workbook %s: %s.", workbook->path,
                         strerror(errno));
    if (fstat(fd, &state) != 0 || !S_ISREG(state.st_mode)) {
        close(fd);
        return error_set(error, EXIT_MISSING, "The workbook %s is not an ordinary file.", workbook->path);
    }
    if (workbook->fd >= 0)
        close(workbook->fd);
    workbook->fd = fd;
    free(workbook->unwritable);
    workbook->unwritable = unwritable ? mem_copy(strerror(unwritable)) : NULL;
    return true;
}

// A new file's name must be on disk as well as its lines.
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? mem_copy_n(path, (size_t)(slash - path) + 1) : mem_copy(".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd); // a file system that cannot do this keeps names by itself
        close(fd);
    }
    free(folder);
}

// An editor that saved the workbook has put another file in its place.
static bool was_replaced(const struct workbook *workbook)
{
    struct stat ours, named;
    return fstat(workbook->fd, &ours) == 0 &&
           (stat(workbook->path, &named) != 0 || ours.st_ino != named.st_ino || ours.st_dev != named.st_dev);
}

// On a file system without locks every program gets in.
static bool lock(struct workbook *workbook, int how)
{
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        if (flock(workbook->fd, how | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return true;
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    }
    return false;
}

static void unlock(struct workbook *workbook)
{
    flock(workbook->fd, LOCK_UN);
}

// The lock on the file that has the workbook's name now.
static bool lock_current(struct workbook *workbook, int how, struct error *error)
{
    for (int tries = 0; tries < 3; tries++) {
        if (!lock(workbook, how))
            return error_set(error, EXIT_MISSING, "Another program holds the workbook %s.", workbook->path);
        if (!was_replaced(workbook))
            return true;
        unlock(workbook);
        if (!open_file(workbook, error))
            return false;
        forget(workbook);
    }
    return error_set(error, EXIT_MISSING, "The workbook %s is being replaced again and again.",
                     workbook->path);
}

// With the lock held: what others have added, or everything where the file became shorter.
static bool catch_up(struct workbook *workbook, off_t *end, struct error *error)
{
    struct stat state;
    if (fstat(workbook->fd, &state) != 0)
        return error_set(error, EXIT_MISSING, "Cannot read the workbook %s: %s.", workbook->path,
                         strerror(errno));
    if (state.st_size < workbook->read_to)
        forget(workbook);
    *end = state.st_size;
    return read_on(workbook, state.st_size) ||
           error_set(error, EXIT_MISSING, "Cannot read the workbook %s: %s.", workbook->path,
                     strerror(errno));
}

struct workbook *workbook_open(const char *path, struct error *error)
{
    struct workbook *workbook = mem_new(sizeof *workbook);
    workbook->fd = -1;
    workbook->newest = json_object();
    workbook->path = path ? mem_copy(path) : path_own("workbook.jsonl");
    if (!workbook->path) {
        error_set(error, EXIT_MISSING,
                  "Cannot tell where the workbook is kept; set WARPBOOK_HOME to a folder.");
        workbook_close(workbook);
        return NULL;
    }
    char *slash = strrchr(workbook->path, '/');
    bool made = true;
    if (slash && slash > workbook->path) {
        *slash = 0;
        made = folder_make(workbook->path, error);
        *slash = '/';
    }
    off_t end = 0;
    bool opened = made && open_file(workbook, error) && lock_current(workbook, LOCK_SH, error);
    bool read = opened && catch_up(workbook, &end, error);
    if (opened)
        unlock(workbook);
    if (!read) {
        workbook_close(workbook);
        return NULL;
    }
    if (end == 0)
        sync_folder(workbook->path);
    return workbook;
}

void workbook_close(struct workbook *workbook)
{
    if (!workbook)
        return;
    forget(workbook);
    json_decref(workbook->newest);
    free(workbook->entries);
    free(workbook->unwritable);
    if (workbook->fd >= 0)
        close(workbook->fd);
    free(workbook->path);
    free(workbook);
}

bool workbook_refresh(struct workbook *workbook)
{
    struct error error;
    off_t end;
    struct stat state;
    size_t before = workbook->version;
    if (!was_replaced(workbook) && fstat(workbook->fd, &state) == 0 && state.st_size == workbook->read_to)
        return false;
    if (lock_current(workbook, LOCK_SH, &error)) {
        catch_up(workbook, &end, &error);
        unlock(workbook);
    }
    return workbook->version != before;
}

// ---- asking -------------------------------------------------------------------------------------------------

size_t workbook_count(const struct workbook *workbook)
{
    return workbook->count;
}

size_t workbook_version(const struct workbook *workbook)
{
    return workbook->version;
}

const json_t *workbook_event(const struct workbook *workbook, size_t index)
{
    if (index >= workbook->count)
        return NULL;
    struct workbook_entry *entry = &workbook->entries[index];
    if (!entry->event)
        entry->event = parse_line(entry->line, entry->length);
    return entry->event;
}

bool workbook_is(const struct workbook *workbook, size_t index, const char *kind)
{
    return strcmp(workbook->entries[index].kind, kind) == 0;
}

static bool same(const char *one, const char *other) // NULL is NULL
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

bool workbook_about(const struct workbook *workbook, size_t index, const char *lesson, const char *id)
{
    const struct workbook_entry *entry = &workbook->entries[index];
    return same(entry->lesson, lesson) && (!id || same(entry->id, id));
}

unsigned workbook_marks(const struct workbook *workbook, size_t index)
{
    return workbook->entries[index].marks;
}

bool workbook_unwritable(const struct workbook *workbook, struct error *why)
{
    return workbook->unwritable &&
           !error_set(why, EXIT_MISSING, "Nothing can be added to the workbook %s: %s.", workbook->path,
                      workbook->unwritable);
}

size_t workbook_torn(const struct workbook *workbook)
{
    return workbook->torn + workbook->torn_at_end;
}

const json_t *workbook_find(const struct workbook *workbook, const char *kind, const char *lesson,
                            const char *id)
{
    size_t newest = newest_of(workbook, kind, lesson, id);
    return newest ? workbook_event(workbook, newest - 1) : NULL;
}

static int by_letters(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

char **workbook_lessons(const struct workbook *workbook, size_t *count)
{
    char **names = NULL;
    *count = 0;
    for (size_t i = 0; i < workbook->count; i++) {
        const struct workbook_entry *entry = &workbook->entries[i];
        bool opens = strcmp(entry->kind, "lesson") == 0 && entry->lesson;
        if (!opens || newest_of(workbook, "lesson", entry->lesson, NULL) != i + 1)
            continue;
        names = array_room(names, *count, sizeof *names);
        names[(*count)++] = mem_copy(entry->lesson);
    }
    if (*count)
        qsort(names, *count, sizeof *names, by_letters);
    return names;
}

// ---- adding -----------------------------------------------------------------------------------------------

// One write; where only a part of it fits, the next one says why. Returns the bytes that got there, *why: 0, or the
// errno that stopped it.
static size_t write_line(int fd, const struct text *line, int *why)
{
    size_t done = 0;
    *why = 0;
    while (done < line->length && !*why) {
        ssize_t put = write(fd, line->data + done, line->length - done);
        if (put >= 0)
            done += (size_t)put;
        else if (errno != EINTR)
            *why = errno;
    }
    return done;
}

// On disk. What got there of a line that did not get there whole is cut off.
static bool put(struct workbook *workbook, const struct text *line, off_t end, struct error *error)
{
    int why;
    size_t done = write_line(workbook->fd, line, &why);
    bool whole = done == line->length;
    if (whole && fdatasync(workbook->fd) != 0) {
        why = errno;
        whole = why == EINVAL || why == EROFS; // nothing to wait for there
    }
    if (whole)
        return true;
    bool cut = !done || ftruncate(workbook->fd, end) == 0;
    return error_set(error, EXIT_MISSING, "This could not be written into the workbook %s: %s.%s",
                     workbook->path, strerror(why),
                     cut ? "" : " A torn line is left at its end, which harms nothing.");
}

// It may be writable by now.
static bool make_writable(struct workbook *workbook, struct error *error)
{
    if (!workbook->unwritable)
        return true;
    bool replaced = was_replaced(workbook);
    if (!open_file(workbook, error))
        return false;
    if (replaced)
        forget(workbook);
    return !workbook->unwritable ||
           error_set(error, EXIT_MISSING, "This could not be written into the workbook %s: %s.",
                     workbook->path, workbook->unwritable);
}

static bool add_line(struct workbook *workbook, const char *json, struct error *error)
{
    off_t end = 0;
    if (strlen(json) > LINE_MOST)
        return error_set(error, EXIT_USAGE,
                         "This is too long for the workbook: it takes %zu MiB, and a line has room for %d.",
                         (strlen(json) >> 20) + 1, LINE_MOST >> 20);
    if (!make_writable(workbook, error) || !lock_current(workbook, LOCK_EX, error))
        return false;
    bool added = catch_up(workbook, &end, error);
    if (added) {
        struct text line = { 0 };
        text_addf(&line, "%s%s\n", workbook->torn_at_end ? "\n" : "", json);
        added = put(workbook, &line, end, error);
        struct error unread; // what is on disk stays there, whether we can read it or not
        if (added)
            catch_up(workbook, &end, &unread);
        text_free(&line);
    }
    unlock(workbook);
    return added;
}

bool workbook_add(struct workbook *workbook, const char *kind, json_t *event, struct error *error)
{
    char date[40];
    clock_date(date, sizeof date);
    bool named = json_object_set_new(event, "date", json_string(date)) == 0 &&
                 json_object_set_new(event, "kind", json_string(kind)) == 0;
    char *json = named ? json_dumps(event, JSON_COMPACT) : NULL;
    json_decref(event);
    if (!json)
        return error_set(error, EXIT_MISSING, "This cannot be written into the workbook: it is not text.");
    bool added = add_line(workbook, json, error);
    free(json);
    return added;
}

// ---- runs ---------------------------------------------------------------------------------------------------

// Fields that only a page of the moment needs are left out: the workbook is for years.
static json_t *event_of(const struct record *record)
{
    enum { FEW = 4 };
    static const char *const large[] = { "lines", "instructions", "ncu", "digests", "printed" };
    static const char *const cut[] = { "findings", "diagnostics" };
    json_t *event = record_to_json(record);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        json_object_del(event, large[i]);
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        json_t *first = json_array();
        json_t *all = json_object_get(event, cut[i]);
        for (size_t j = 0; j < json_array_size(all) && j < FEW; j++)
            json_array_append(first, json_array_get(all, j));
        if (json_array_size(first))
            json_object_set_new(event, cut[i], first);
        else
            json_decref(first);
    }
    return event;
}

bool workbook_add_run(struct workbook *workbook, const struct record *record, struct error *error)
{
    return workbook_add(workbook, "run", event_of(record), error);
}
