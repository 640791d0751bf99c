// A file of lines under libedit's history: the newest are read at the start, and each one given is appended.
#include "tui/app/history.h"
#include "engine/base/base.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HISTORY_MOST = 500, TAIL_MOST = 64 << 10 }; // lines in memory; bytes of the file that are read

History *history_new(void)
{
    HistEvent event;
    History *made = history_init();
    history(made, &event, H_SETSIZE, HISTORY_MOST);
    history(made, &event, H_SETUNIQUE, 1);
    return made;
}

// The end of the file, from the start of a line; NULL: there is none.
static char *read_tail(void)
{
    char *path = path_own("history");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    free(path);
    if (fd < 0)
        return NULL;
    off_t end = lseek(fd, 0, SEEK_END), from = end > TAIL_MOST ? end - TAIL_MOST : 0;
    char *tail = mem_new(TAIL_MOST + 1);
    ssize_t got = pread(fd, tail, TAIL_MOST, from);
    close(fd);
    tail[got > 0 ? got : 0] = 0;
    char *line = from ? strchr(tail, '\n') : NULL;
    if (from)
        memmove(tail, line ? line + 1 : "", strlen(line ? line + 1 : "") + 1);
    return tail;
}

void history_load(History *to)
{
    HistEvent event;
    char *tail = read_tail(), *rest = tail;
    for (char *line = tail ? strtok_r(tail, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        history(to, &event, H_ENTER, line);
    free(tail);
}

// A history that cannot be kept is no reason to disturb.
void history_keep(History *to, const char *line)
{
    struct error error;
    HistEvent event;
    history(to, &event, H_ENTER, line);
    char *folder = path_own("."), *path = path_own("history");
    bool there = folder && path && folder_make(folder, &error);
    int fd = there ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    free(folder);
    free(path);
    if (fd < 0)
        return;
    struct text text = { 0 };
    text_addf(&text, "%s\n", line);
    ssize_t put = write(fd, text.data, text.length);
    (void)put;
    close(fd);
    text_free(&text);
}

void history_bind(EditLine *line)
{
    static const char *const keys[] = { "\\033x", "\\033X" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        el_set(line, EL_BIND, keys[i], "ed-unassigned", NULL);
}
