// What libraries and the program itself write to stderr while the screen is up would damage it. It goes into memory,
// and is printed when the terminal is back. A stderr that is no terminal is left alone.
#include "tui/draw/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void errors_open(struct screen *screen)
{
    screen->real_errors = screen->held_errors = -1;
    if (!isatty(STDERR_FILENO))
        return;
    screen->real_errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    screen->held_errors = memfd_create("warpbook-stderr", MFD_CLOEXEC);
}

void errors_hold(struct screen *screen)
{
    fflush(stderr);
    if (screen->real_errors >= 0 && screen->held_errors >= 0)
        dup2(screen->held_errors, STDERR_FILENO);
}

void errors_release(struct screen *screen)
{
    if (screen->real_errors >= 0 && screen->held_errors >= 0)
        dup2(screen->real_errors, STDERR_FILENO);
}

// Calls `put` for all that was held, and forgets it.
static void each_piece(int from, void (*put)(void *context, const char *bytes, size_t length), void *context)
{
    char piece[4096];
    off_t at = 0;
    ssize_t got;
    while ((got = pread(from, piece, sizeof piece, at)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0) {
            put(context, piece, (size_t)got);
            at += got;
        }
    if (ftruncate(from, 0) == 0)
        lseek(from, 0, SEEK_SET);
}

static void put_raw(void *context, const char *bytes, size_t length)
{
    while (length) {
        ssize_t put = write(STDERR_FILENO, bytes, length);
        if (put < 0 && errno != EINTR)
            return;
        bytes += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
}

static void put_text(void *context, const char *bytes, size_t length)
{
    text_add_n(context, bytes, length);
}

void errors_print_raw(struct screen *screen)
{
    if (screen->held_errors >= 0)
        each_piece(screen->held_errors, put_raw, NULL);
}

void errors_print(struct screen *screen)
{
    if (screen->held_errors < 0)
        return;
    struct text held = { 0 }, clean = { 0 };
    each_piece(screen->held_errors, put_text, &held);
    text_add_clean(&clean, text_string(&held), held.length);
    put_raw(NULL, text_string(&clean), clean.length);
    text_free(&held);
    text_free(&clean);
}

void errors_close(struct screen *screen)
{
    if (screen->real_errors >= 0)
        close(screen->real_errors);
    if (screen->held_errors >= 0)
        close(screen->held_errors);
}
