// Messages over pipes, and what an executor says in them to the worker while it serves a request.
#include "engine/run/message.h"

#include "engine/run/worker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- over a pipe ------------------------------------------------------------------------------------

struct message_head {
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
    struct message_head head = { kind, (uint32_t)length };
    return length <= MESSAGE_MOST && write_whole(fd, (const char *)&head, sizeof head) &&
           write_whole(fd, bytes, length);
}

// In pieces, so that a length alone takes no memory.
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

// ---- an executor to its worker ------------------------------------------------------------------------

static void say(const struct worker *worker, enum message_kind kind, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT);
    if (!text || !message_send(worker->answers, kind, text, strlen(text)))
        _exit(EXIT_MISSING); // nobody can hear it any more
    free(text);
    json_decref(line);
}

void worker_stage(struct worker *worker, int limit_ms, const char *format, ...)
{
    struct text stage = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&stage, format, args);
    va_end(args);
    json_t *clean = json_string(text_string(&stage));
    say(worker, MESSAGE_STAGE,
        json_pack("{s:I, s:o, s:i}", "id", worker->id, "stage", clean ? clean : json_string("working"),
                  "limit_ms", limit_ms));
    text_free(&stage);
}

// The last message about a request. A GPU that is lost, or could not be opened, is left to the next executor.
void worker_finish(const struct worker *worker, json_t *line)
{
    bool ends = worker->ends || (worker->gpu && gpu_lost(worker->gpu));
    say(worker, ends ? MESSAGE_FAREWELL : MESSAGE_RESULT, line);
    if (ends)
        _exit(EXIT_RIGHT); // the driver's own clean-up would wait for the kernel that hangs
}

void worker_finish_with_error(const struct worker *worker, const struct error *error)
{
    struct text clean = { 0 };
    text_add_clean(&clean, error->text, strlen(error->text));
    json_t *line = json_pack("{s:I, s:{s:i, s:s}}", "id", worker->id, "error", "code", (int)error->code,
                             "text", text_string(&clean));
    text_free(&clean);
    worker_finish(worker, line);
}

bool worker_compile(void *context, const struct compile_request *request, struct compiled *out,
                    struct error *error)
{
    const struct worker *worker = context;
    enum message_kind kind;
    struct text text = { 0 };
    compile_ask(request, &text);
    if (!message_send(worker->answers, MESSAGE_COMPILE, text.data, text.length) ||
        !message_receive(STDIN_FILENO, &kind, &text) || kind != MESSAGE_COMPILED)
        _exit(EXIT_MISSING);
    bool right = compile_answered(text_string(&text), text.length, out, error);
    text_free(&text);
    return right;
}
