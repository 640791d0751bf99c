// Messages between the worker and its executors, over pipes: a head with a kind and a length, then the bytes.
#include "engine/run/worker.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

struct message_head {
    uint32_t kind, length;
};

// Whether a call that transferred nothing may be repeated. Waits for a descriptor that is not ready.
static bool may_go_on(int fd, short events)
{
    struct pollfd ready = { fd, events, 0 };
    if (errno == EINTR)
        return true;
    return errno == EAGAIN && (poll(&ready, 1, -1) >= 0 || errno == EINTR);
}

static bool write_whole(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t put = write(fd, bytes, length);
        if (put > 0) {
            bytes += put;
            length -= (size_t)put;
        } else if (put == 0 || !may_go_on(fd, POLLOUT)) {
            return false;
        }
    }
    return true;
}

static bool read_whole(int fd, char *bytes, size_t length)
{
    while (length) {
        ssize_t got = read(fd, bytes, length);
        if (got > 0) {
            bytes += got;
            length -= (size_t)got;
        } else if (got == 0 || !may_go_on(fd, POLLIN)) {
            return false;
        }
    }
    return true;
}

bool message_send(int fd, enum message_kind kind, const void *bytes, size_t length)
{
    struct message_head head = { kind, (uint32_t)length };
    return length <= MESSAGE_MOST && write_whole(fd, (const char *)&head, sizeof head) &&
           write_whole(fd, bytes, length);
}

// Reads in pieces, so that a false length takes no memory.
bool message_receive(int fd, enum message_kind *kind, struct text *out)
{
    struct message_head head;
    char piece[65536];
    out->length = 0;
    if (!read_whole(fd, (char *)&head, sizeof head) || head.kind >= MESSAGE_KINDS ||
        head.length > MESSAGE_MOST)
        return false;
    *kind = (enum message_kind)head.kind;
    for (size_t left = head.length; left;) {
        size_t next = left < sizeof piece ? left : sizeof piece;
        if (!read_whole(fd, piece, next))
            return false;
        text_add_n(out, piece, next);
        left -= next;
    }
    return true;
}

json_t *message_error(json_int_t id, const struct error *error)
{
    char *clean = text_clean(error->text);
    json_t *line =
        json_pack("{s:I, s:{s:i, s:s}}", "id", id, "error", "code", (int)error->code, "text", clean);
    free(clean);
    return line;
}
