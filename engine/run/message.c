// Messages over pipes; see message.h.
#include "engine/run/message.h"

#include "engine/base/base.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

struct head {
    uint32_t kind, length;
};

// After a call that moved nothing: whether another may. Waits where the descriptor is not ready.
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
    struct head head = { kind, (uint32_t)length };
    return length <= MESSAGE_MOST && write_whole(fd, (const char *)&head, sizeof head) &&
           write_whole(fd, bytes, length);
}

// In pieces, so that a length alone takes no memory.
bool message_receive(int fd, enum message_kind *kind, struct text *out)
{
    struct head head;
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
