// How soon another host of a cluster sees what is written into a room: a file system that several share may show a new
// file, or a line more in one that is known, only seconds later. `room open --probe HOST` finds out before a class does.
#include "tui/tui.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/room/reach.h"

enum { PROBE_MOST_MS = 90000, SLOW_MS = 3000 };

// What runs there reads as a room is read: new files by listing the folder, known ones by opening them.
static const char script[] = "f='%s'; ls \"${f%%/*}\" >/dev/null && echo ready; "
                             "until ls \"${f%%/*}\" | grep -q \"^${f##*/}$\"; do sleep 0.1; done; echo new; "
                             "until grep -q second \"$f\"; do sleep 0.1; done; echo more";

static bool write_line(const char *path, const char *line, struct error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool fine = fd >= 0 && write(fd, line, strlen(line)) == (ssize_t)strlen(line) && fdatasync(fd) == 0;
    if (!fine)
        error_set(error, EXIT_MISSING, "%s cannot be written: %s.", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return fine;
}

// Waits until the other host has said this, whatever a login says before it.
static bool hears(const struct child *child, struct text *said, const char *word, const char *host,
                  struct error *error)
{
    char piece[4096], line[64];
    double end = clock_ms() + PROBE_MOST_MS;
    format_into(line, sizeof line, "%s\n", word);
    while (!strstr(text_string(said), line)) {
        struct pollfd fd = { child->out, POLLIN, 0 };
        if (clock_ms() > end)
            return error_set(error, EXIT_MISSING, "%s has not seen what was written here after %d s.", host,
                             PROBE_MOST_MS / 1000);
        if (poll(&fd, 1, 1000) <= 0)
            continue;
        ssize_t got = read(child->out, piece, sizeof piece);
        if (got <= 0)
            return error_set(error, EXIT_MISSING,
                             "%s cannot be asked, or does not see the room's folder; ssh said why.", host);
        text_add_n(said, piece, (size_t)got);
    }
    return true;
}

static bool measure(const struct child *child, const char *path, const char *host, double ms[2],
                    struct error *error)
{
    static const char *const lines[] = { "first\n", "second\n" }, *const words[] = { "new", "more" };
    struct text said = { 0 };
    bool fine = hears(child, &said, "ready", host, error);
    for (int i = 0; fine && i < 2; i++) {
        double begun = clock_ms();
        fine = write_line(path, lines[i], error) && hears(child, &said, words[i], host, error);
        ms[i] = clock_ms() - begun;
    }
    text_free(&said);
    return fine;
}

bool probe_room(const struct room *room, const char *host, struct error *error)
{
    char *at = text_format("%s@%s", room->word, host);
    bool fine = reach_fits(at, error);
    free(at);
    if (fine && strchr(room->folder, '\''))
        fine = error_set(error, EXIT_USAGE, "--probe cannot name a folder with an apostrophe: %s.",
                         room->folder);
    if (!fine)
        return false;
    char *path = room_path(room, "keep/probe"), *command = text_format(script, path);
    const char *const argv[] = { "ssh", "-o", "BatchMode=yes", "-T", host, command, NULL };
    struct child child;
    struct child_terms terms = { .errors_here = true };
    double ms[2];
    int status;
    fine = child_start_on(argv, &terms, &child, error);
    if (fine) {
        fine = measure(&child, path, host, ms, error);
        close(child.in);
        close(child.out);
        (void)child_kill(child.pid, &status);
    }
    if (fine)
        printf("On %s a new learner is seen after %.1f s, and what a known one tells after %.1f s.\n", host,
               ms[0] / 1e3, ms[1] / 1e3);
    if (fine && (ms[0] > SLOW_MS || ms[1] > SLOW_MS))
        printf("That is slow for a vote: let those on other hosts join over ssh, as above.\n");
    (void)unlink(path);
    free(command);
    free(path);
    return fine;
}
