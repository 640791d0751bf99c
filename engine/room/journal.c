// Journals: files of JSON lines that one writer appends to and others follow. A line is one write, on disk before anybody
// is told so; a reader opens the file anew each time, which makes NFS ask the server, and takes whole lines only.
#include "engine/room/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, PIECE = 65536 };

// ---- writing ----------------------------------------------------------------------------------------------

static bool add_failed(const char *path, struct error *error)
{
    return error_set(error, EXIT_MISSING, "%s could not be written: %s.", path, strerror(errno));
}

// -1: it cannot be opened.
static int open_to_add(const char *path, mode_t mode)
{
    int fd = open(path, O_RDWR | O_APPEND | FLAGS);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | FLAGS, mode);
    if (fd >= 0 && fchmod(fd, mode) != 0) { // against the umask
        close(fd);
        return -1;
    }
    return fd;
}

// A line that a crash cut off has no newline; it gets one, so that the next line is whole.
static bool is_torn(int fd, off_t length)
{
    char last = '\n';
    return length > 0 && pread(fd, &last, 1, length - 1) == 1 && last != '\n';
}

static bool add_line(int fd, const char *path, const struct text *line, struct error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return add_failed(path, error);
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || status.st_nlink != 1)
        return error_set(error, EXIT_MISSING, "%s is not a plain file of yours; nothing was written.", path);
    const char *begin = is_torn(fd, status.st_size) ? line->data : line->data + 1;
    size_t length = line->length - (size_t)(begin - line->data);
    ssize_t put = write(fd, begin, length);
    if (put == (ssize_t)length)
        return fdatasync(fd) == 0 || add_failed(path, error);
    int why = put < 0 ? errno : ENOSPC;
    if (put > 0 && ftruncate(fd, status.st_size) != 0)
        why = errno; // the torn line is closed by the next one
    errno = why;
    return add_failed(path, error);
}

bool journal_add(const char *path, mode_t mode, const json_t *line, struct error *error)
{
    char *dumped = json_dumps(line, JSON_COMPACT);
    if (!dumped)
        return error_set(error, EXIT_USAGE, "This is not UTF-8 text.");
    struct text text = { 0 };
    text_addf(&text, "\n%s\n", dumped);
    free(dumped);
    bool fine = text.length <= JOURNAL_LINE_MOST ||
                error_set(error, EXIT_USAGE, "This is too long for a line of a room: it may have %d bytes.",
                          JOURNAL_LINE_MOST - 1);
    int fd = fine ? open_to_add(path, mode) : -1;
    if (fine && fd < 0)
        fine = add_failed(path, error);
    fine = fine && add_line(fd, path, &text, error);
    int why = errno;
    if (fd >= 0)
        close(fd);
    text_free(&text);
    errno = why;
    return fine;
}

// ---- reading ----------------------------------------------------------------------------------------------

// Objects and arrays nested deeper than JOURNAL_DEPTH, before a parser sees them.
static bool too_deep(const char *line, size_t length)
{
    int depth = 0;
    bool string = false;
    for (size_t i = 0; i < length; i++) {
        if (string && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            string = !string;
        else if (!string && (line[i] == '{' || line[i] == '['))
            depth++;
        else if (!string && (line[i] == '}' || line[i] == ']'))
            depth--;
        if (depth > JOURNAL_DEPTH)
            return true;
    }
    return false;
}

static bool take_line(struct journal *journal, const char *line, size_t length,
                      void (*take)(void *context, const json_t *line), void *context)
{
    json_error_t why;
    json_t *json = !length || length >= JOURNAL_LINE_MOST || too_deep(line, length)
                       ? NULL
                       : json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
    bool taken = json_is_object(json);
    if (taken)
        take(context, json);
    else if (length) // an empty one is what a writer closed a torn line with
        journal->bad++;
    json_decref(json);
    return taken;
}

// Reads at most PIECE bytes from read_to on; -1 with a trouble, or where there is no file.
static ssize_t read_piece(struct journal *journal, char *piece)
{
    struct stat status;
    off_t most = journal->most ? journal->most : JOURNAL_MOST;
    int fd = open(journal->path, O_RDONLY | FLAGS);
    if (fd < 0) {
        if (errno != ENOENT) // it may come, or come back
            journal->trouble = errno == ELOOP ? "it is a link" : "it cannot be read";
        return -1;
    }
    ssize_t got = -1;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        journal->trouble = "it is not a plain file";
    else if (status.st_uid != journal->owner)
        journal->trouble = "it belongs to another user";
    else if (status.st_nlink != 1)
        journal->trouble = "it has a second name";
    else if (journal->inode && (status.st_ino != journal->inode || status.st_size < journal->read_to))
        journal->trouble = "it was replaced";
    else if (status.st_size > most && journal->read_to + PIECE > most)
        journal->trouble = "it is too long";
    else {
        journal->inode = status.st_ino;
        got = pread(fd, piece, PIECE, journal->read_to);
    }
    close(fd);
    return got;
}

size_t journal_look(struct journal *journal, size_t most, void (*take)(void *context, const json_t *line),
                    void *context)
{
    size_t taken = 0;
    char *piece = mem_new(PIECE);
    ssize_t got;
    while (taken < most && !journal->trouble && (got = read_piece(journal, piece)) > 0) {
        size_t used = 0;
        const char *end;
        while (taken < most && (end = memchr(piece + used, '\n', (size_t)got - used))) {
            size_t length = (size_t)(end - piece) - used;
            if (!journal->skipping && take_line(journal, piece + used, length, take, context))
                taken++;
            journal->skipping = false;
            used += length + 1;
        }
        // A line that is longer than any may be is passed over as it comes.
        if (taken < most && (size_t)got - used >= JOURNAL_LINE_MOST) {
            journal->bad += !journal->skipping;
            journal->skipping = true;
            used = (size_t)got;
        }
        journal->read_to += (off_t)used;
        if (!used)
            break;
    }
    free(piece);
    return taken;
}

void journal_keep(void *line_out, const json_t *line)
{
    *(json_t **)line_out = json_incref((json_t *)line);
}

void journal_count_on(void *number_out, const json_t *line)
{
    json_int_t *last = number_out, n = json_integer_value(json_object_get(line, "n"));
    if (n > *last)
        *last = n;
}

bool journal_read(const struct journal *journal, struct text *out, struct error *error)
{
    struct journal from = { .path = journal->path, .owner = journal->owner, .most = journal->most };
    char *piece = mem_new(PIECE);
    ssize_t got;
    while (!from.trouble && (got = read_piece(&from, piece)) > 0) {
        text_add_n(out, piece, (size_t)got);
        from.read_to += got;
    }
    free(piece);
    return !from.trouble || out->length ||
           error_set(error, EXIT_MISSING, "%s is not read: %s.", journal->path, from.trouble);
}

void journal_free(struct journal *journal)
{
    free(journal->path);
    *journal = (struct journal){ 0 };
}

void line_text(const json_t *line, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(line, key));
    clean_line(text ? text : "", out, size);
}
