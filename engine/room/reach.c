// JSON lines over a connection that a login shell may have spoken on first.
#include "engine/room/reach.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOISE_MOST = 65536 };

bool reach_read(int fd, struct reach_line *lines)
{
    char piece[65536];
    ssize_t got = read(fd, piece, sizeof piece);
    if (got > 0)
        text_add_n(&lines->received, piece, (size_t)got);
    return (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) &&
           lines->received.length <= REACH_LINE_MOST;
}

static json_t *take_line(struct reach_line *lines, size_t length)
{
    json_error_t why;
    json_t *json = json_loadb(lines->received.data, length, JSON_REJECT_DUPLICATES, &why);
    size_t rest = lines->received.length - length - 1;
    memmove(lines->received.data, lines->received.data + length + 1, rest);
    lines->received.length = rest;
    if (!json_is_object(json)) {
        json_decref(json);
        return NULL;
    }
    return json;
}

json_t *reach_next(struct reach_line *lines)
{
    const char *end;
    while (lines->received.length && (end = memchr(lines->received.data, '\n', lines->received.length)) &&
           lines->noise <= NOISE_MOST) {
        size_t length = (size_t)(end - lines->received.data);
        json_t *json = take_line(lines, length);
        if (json) {
            lines->begun = true;
            return json;
        }
        lines->noise += length + 1;
    }
    return NULL;
}

bool reach_send(int fd, json_t *line)
{
    char *dumped = json_dumps(line, JSON_COMPACT);
    json_decref(line);
    if (!dumped)
        return false;
    struct text text = { 0 };
    text_addf(&text, "%s\n", dumped);
    free(dumped);
    size_t put = 0;
    double end = clock_ms() + REACH_SILENT_MS;
    while (put < text.length && clock_ms() < end) {
        ssize_t more = write(fd, text.data + put, text.length - put);
        put += more > 0 ? (size_t)more : 0;
        if (more < 0 && errno == EAGAIN) {
            struct pollfd ready = { fd, POLLOUT, 0 };
            (void)poll(&ready, 1, 100);
        } else if (more < 0 && errno != EINTR) {
            break;
        }
    }
    bool sent = put == text.length;
    text_free(&text);
    return sent;
}
