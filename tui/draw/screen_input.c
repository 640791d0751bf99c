// What comes next: a key, a paste, a click, a new size, a signal, a descriptor, the end of waiting. One poll() waits for
// all of it and sleeps meanwhile. curses turns escape sequences into keys; characters are put together here, because
// they may arrive in pieces.
#include "tui/draw/screen.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    CODE_PASTE = 2000, // behind the codes that curses hands out itself
    CODE_PASTE_END,
    CODE_OTHER,               // + index in `others`
    PASTE_MOST = 1 << 20,     // more of a paste is dropped
    PASTE_PATIENCE_MS = 1000, // a paste whose end is lost ends after this silence; so does an answer
    SEQUENCE_MOST = 64,
    WHEEL_LINES = 3
};

// What terminals send although their description says otherwise.
static const struct {
    const char *sequence;
    int key;
} others[] = {
    { "\033[A", PRESS_UP },       { "\033[B", PRESS_DOWN },     { "\033[C", PRESS_RIGHT },
    { "\033[D", PRESS_LEFT },     { "\033[H", PRESS_HOME },     { "\033[F", PRESS_END },
    { "\033OA", PRESS_UP },       { "\033OB", PRESS_DOWN },     { "\033OC", PRESS_RIGHT },
    { "\033OD", PRESS_LEFT },     { "\033OH", PRESS_HOME },     { "\033OF", PRESS_END },
    { "\033[1~", PRESS_HOME },    { "\033[4~", PRESS_END },     { "\033[2~", PRESS_INSERT },
    { "\033[3~", PRESS_DELETE },  { "\033[5~", PRESS_PAGE_UP }, { "\033[6~", PRESS_PAGE_DOWN },
    { "\033[Z", PRESS_BACK_TAB }, { "\033OM", PRESS_ENTER },
};
enum { OTHERS = sizeof others / sizeof others[0] };

static int key_of_code(int code)
{
    static const struct {
        int code, key;
    } known[] = {
        { KEY_UP, PRESS_UP },
        { KEY_DOWN, PRESS_DOWN },
        { KEY_LEFT, PRESS_LEFT },
        { KEY_RIGHT, PRESS_RIGHT },
        { KEY_HOME, PRESS_HOME },
        { KEY_FIND, PRESS_HOME },
        { KEY_END, PRESS_END },
        { KEY_SELECT, PRESS_END },
        { KEY_PPAGE, PRESS_PAGE_UP },
        { KEY_NPAGE, PRESS_PAGE_DOWN },
        { KEY_IC, PRESS_INSERT },
        { KEY_DC, PRESS_DELETE },
        { KEY_BACKSPACE, PRESS_BACKSPACE },
        { KEY_ENTER, PRESS_ENTER },
        { KEY_BTAB, PRESS_BACK_TAB },
    };
    if (code >= KEY_F(1) && code <= KEY_F(12))
        return PRESS_F1 + code - KEY_F(1);
    if (code >= CODE_OTHER && code < CODE_OTHER + OTHERS)
        return others[code - CODE_OTHER].key;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].code == code)
            return known[i].key;
    return 0;
}

void screen_keys(struct screen *screen)
{
    screen->keys = newpad(1, 1);
    keypad(screen->keys, TRUE);
    nodelay(screen->keys, TRUE);
    meta(screen->keys, TRUE);
    define_key("\033[200~", CODE_PASTE);
    define_key("\033[201~", CODE_PASTE_END);
    for (int i = 0; i < OTHERS; i++)
        if (key_defined(others[i].sequence) == 0)
            define_key(others[i].sequence, CODE_OTHER + i);
}

// ---- one key -----------------------------------------------------------------------------------------

static bool key_event(int key, bool alt, struct event *out)
{
    bool character = key > 0 && key < PRESS_UP;
    out->kind = EVENT_KEY;
    out->key = alt && character ? key | PRESS_ALT : key;
    return key > 0;
}

// The rest of an escape sequence that nobody knows, so that it is not taken for keys.
static void skip_sequence(struct screen *screen, int kind)
{
    for (int i = 0; i < SEQUENCE_MOST; i++) {
        int c = wgetch(screen->keys);
        bool within = c >= ' ' && c < 0x7f;
        if (!within && c != ERR)
            ungetch(c);
        if (!within || kind == 'O' || c >= '@')
            return;
    }
}

// Behind an escape: it was the key, or Alt with the character that follows at once, or something unknown.
static bool escape(struct screen *screen, struct event *out)
{
    int follows = wgetch(screen->keys);
    if (follows == '[' || follows == 'O') {
        int more = wgetch(screen->keys);
        if (more == ERR)
            return key_event(follows, true, out);
        ungetch(more);
        skip_sequence(screen, follows);
        return false;
    }
    if (follows != ERR)
        ungetch(follows);
    screen->alt = follows != ERR && follows != 0x1b && follows < KEY_MIN;
    return !screen->alt && key_event(PRESS_ESCAPE, false, out);
}

static bool byte(struct screen *screen, int c, struct event *out)
{
    if (c == 0x1b) {
        screen->partial_length = 0;
        return escape(screen, out);
    }
    if (c >= 0x80 && !screen->speaks_utf8)
        return false;
    if ((c & 0xc0) != 0x80)
        screen->partial_length = 0; // a new character starts; the last one was never finished
    int code = 0;
    screen->partial[screen->partial_length++] = (char)c;
    size_t used = utf8_read(screen->partial, screen->partial_length, &code);
    if (used == 0)
        return false;
    bool alt = screen->alt;
    screen->partial_length = 0;
    screen->alt = false;
    return used != UTF8_BROKEN && key_event(key_of_character(code), alt, out);
}

static bool mouse_event(struct event *out)
{
    MEVENT mouse;
    if (getmouse(&mouse) != OK)
        return false;
    out->kind = EVENT_MOUSE;
    out->row = mouse.y;
    out->col = mouse.x;
    out->wheel = mouse.bstate & BUTTON4_PRESSED   ? -WHEEL_LINES
                 : mouse.bstate & BUTTON5_PRESSED ? WHEEL_LINES
                                                  : 0;
    return mouse.bstate & (BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED);
}

static bool paste_event(struct screen *screen, struct event *out)
{
    struct text clean = { 0 };
    screen->pasting = false;
    text_add_typed(&clean, text_string(&screen->paste), screen->paste.length);
    text_free(&screen->paste);
    out->kind = EVENT_PASTE;
    text_add(&clean, "");
    out->text = text_take(&clean);
    return true;
}

// Lines of a paste end with \r, as the Enter key does.
static void paste_byte(struct screen *screen, int c)
{
    char now = c == '\r' ? '\n' : (char)c;
    if (screen->paste.length < PASTE_MOST && (screen->speaks_utf8 || !(c & 0x80)))
        text_add_n(&screen->paste, &now, 1);
}

static bool code_event(struct screen *screen, int code, struct event *out)
{
    if (code == KEY_RESIZE) // from resizeterm, which SIGWINCH called for
        return false;
    screen->partial_length = 0;
    screen->alt = false;
    if (code == CODE_PASTE)
        screen->pasting = true;
    else if (code == CODE_GROUND)
        ground_begins(screen);
    else if (code == KEY_MOUSE)
        return mouse_event(out);
    else
        return key_event(key_of_code(code), false, out);
    return false;
}

static bool resize_event(struct screen *screen, struct event *out)
{
    *out = (struct event){ .kind = EVENT_RESIZE, .rows = screen->rows, .cols = screen->cols };
    return true;
}

// The next event out of what was typed so far.
static bool typed(struct screen *screen, struct event *out)
{
    for (;;) {
        *out = (struct event){ 0 };
        errno = 0;
        int c = wgetch(screen->keys);
        if (c == ERR) {
            screen->ended = screen->ended || errno == EIO;
            return false;
        }
        if (screen->ground == GROUND_ANSWERS && !screen->pasting) {
            if (ground_byte(screen, c))
                return resize_event(screen, out);
            continue;
        }
        if (!screen->pasting ? (c < KEY_MIN ? byte(screen, c, out) : code_event(screen, c, out))
                             : c == CODE_PASTE_END && paste_event(screen, out))
            return true;
        if (screen->pasting && c < KEY_MIN)
            paste_byte(screen, c);
    }
}

// ---- signals -----------------------------------------------------------------------------------------

static bool signalled(struct screen *screen, struct event *out)
{
    *out = (struct event){ .kind = EVENT_END };
    if (signals_took(screen, SIGTERM) || signals_took(screen, SIGHUP))
        screen->ended = true;
    if (screen->ended)
        return true;
    if (signals_took(screen, SIGTSTP)) {
        screen_stop(screen, false);
        return screen->up ? resize_event(screen, out) : signalled(screen, out);
    }
    if (signals_took(screen, SIGCONT)) { // it was stopped by something that cannot be caught
        if (screen_regain(screen))
            screen_leave(screen);
        screen_enter(screen);
        return screen_regain(screen) ? resize_event(screen, out) : signalled(screen, out);
    }
    if (signals_took(screen, SIGWINCH)) {
        screen_measure(screen);
        clearok(curscr, TRUE); // a terminal that shrank and grew again has lost something
        return resize_event(screen, out);
    }
    out->kind = EVENT_STOP;
    return signals_took(screen, SIGINT);
}

static void drain(int from)
{
    char bytes[64];
    while (read(from, bytes, sizeof bytes) > 0)
        continue;
}

// ---- waiting -----------------------------------------------------------------------------------------

// Readable, but nothing to read: the terminal is gone.
static bool at_end(void)
{
    struct pollfd again = { STDIN_FILENO, POLLIN, 0 };
    int waiting = 0;
    return poll(&again, 1, 0) == 1 &&
           (!(again.revents & POLLIN) || ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting == 0);
}

// In ms for poll(): until the deadline, and not over the patience with a paste.
static int patience(const struct screen *screen, double deadline)
{
    double rest = deadline - clock_ms();
    bool unfinished = screen->pasting || screen->ground == GROUND_ANSWERS;
    if (unfinished && rest > PASTE_PATIENCE_MS)
        rest = PASTE_PATIENCE_MS;
    return isinf(rest) ? -1 : rest <= 0 ? 0 : rest > 1e9 ? 1000000000 : (int)ceil(rest);
}

// True: `out` is an event; false: there is something to look at.
static bool wait_for(struct screen *screen, int wake, double deadline, struct event *out)
{
    struct pollfd fds[3] = { { STDIN_FILENO, POLLIN, 0 },
                             { screen->pipe[0], POLLIN, 0 },
                             { wake, POLLIN, 0 } };
    int ready = poll(fds, 3, patience(screen, deadline));
    *out = (struct event){ .kind = EVENT_TICK };
    if (ready == 0)
        ground_lapses(screen);
    if (ready == 0)
        return clock_ms() >= deadline || (screen->pasting && paste_event(screen, out));
    if (ready < 0) {
        screen->ended = errno != EINTR;
        return false;
    }
    if (fds[1].revents)
        drain(screen->pipe[0]);
    if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        screen->ended = true;
    else if (fds[0].revents) {
        if (typed(screen, out))
            return true;
        screen->ended = screen->ended || at_end();
    }
    out->kind = EVENT_WOKEN;
    return !screen->ended && !fds[1].revents && fds[2].revents != 0;
}

void screen_next(struct screen *screen, int wake, int timeout_ms, struct event *out)
{
    double deadline = timeout_ms < 0 ? INFINITY : clock_ms() + timeout_ms;
    while (!signalled(screen, out) && !typed(screen, out) && !wait_for(screen, wake, deadline, out))
        continue;
}
