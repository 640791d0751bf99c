// Waiting for the next event: a key, a paste, a click, a new size, a signal, a descriptor, the end of waiting. One
// poll() waits for all of it and sleeps meanwhile. curses turns escape sequences into keys; characters are put
// together here, because they may arrive in pieces.
#include "tui/draw/screen.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wctype.h>

// ---- keys and their names ---------------------------------------------------------------------------------

// A key that a terminal knows by two names (^M is Enter, ^I is Tab) is one key here.
static const struct {
    const char *name;
    int key;
} named[] = {
    { "Up", PRESS_UP },
    { "Down", PRESS_DOWN },
    { "Left", PRESS_LEFT },
    { "Right", PRESS_RIGHT },
    { "Home", PRESS_HOME },
    { "End", PRESS_END },
    { "PageUp", PRESS_PAGE_UP },
    { "PageDown", PRESS_PAGE_DOWN },
    { "Insert", PRESS_INSERT },
    { "Delete", PRESS_DELETE },
    { "Backspace", PRESS_BACKSPACE },
    { "Enter", PRESS_ENTER },
    { "Tab", PRESS_TAB },
    { "BackTab", PRESS_BACK_TAB },
    { "Escape", PRESS_ESCAPE },
    { "Esc", PRESS_ESCAPE },
    { "Space", ' ' },
    { "Hash", '#' }, // which starts a comment where bindings are written
};
enum { NAMED = sizeof named / sizeof named[0], F_KEYS = 12 };

// The key of this name; 0: there is no such key.
static int key_of_character(int character)
{
    switch (character) {
    case '\t':
        return PRESS_TAB;
    case '\r':
    case '\n':
        return PRESS_ENTER;
    case '\b':
    case 0x7f:
        return PRESS_BACKSPACE;
    case 0x1b:
        return PRESS_ESCAPE;
    default:
        return character >= 0x80 && character < 0xa0 ? 0 : character;
    }
}

enum { UTF8_BROKEN = 8 };
// The length of the first character; 0: more bytes are needed; UTF8_BROKEN.
static size_t utf8_read(const char *text, size_t length, int *code)
{
    static const int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *bytes = (const unsigned char *)text;
    size_t need = !length            ? 1
                  : bytes[0] < 0x80  ? 1
                  : bytes[0] < 0xc2  ? 0
                  : bytes[0] < 0xe0  ? 2
                  : bytes[0] < 0xf0  ? 3
                  : bytes[0] <= 0xf4 ? 4
                                     : 0;
    if (!need)
        return UTF8_BROKEN;
    int value = need == 1 ? (length ? bytes[0] : 0) : bytes[0] & (0xff >> (need + 1));
    for (size_t i = 1; i < need && i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return UTF8_BROKEN;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (length < need)
        return 0;
    *code = value;
    bool whole = value >= least[need] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
    return whole ? need : UTF8_BROKEN;
}

static int of_angle(const char *name, size_t length)
{
    for (int i = 0; i < NAMED; i++)
        if (strlen(named[i].name) == length && strncasecmp(named[i].name, name, length) == 0)
            return named[i].key;
    if (length < 2 || length > 3 || (name[0] != 'F' && name[0] != 'f'))
        return 0;
    int number = 0;
    for (size_t i = 1; i < length; i++) {
        if (name[i] < '0' || name[i] > '9')
            return 0;
        number = number * 10 + name[i] - '0';
    }
    return name[1] != '0' && number <= F_KEYS ? PRESS_F1 + number - 1 : 0;
}

// "^D", "^?": a control character.
static int of_caret(char letter)
{
    if (letter == '?')
        return PRESS_BACKSPACE;
    int upper = letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter;
    return upper > '@' && upper <= '_' ? key_of_character(upper - '@') : 0;
}

// One character in UTF-8, whatever the locale is: bindings are a file.
static int of_character(const char *name, size_t length)
{
    int code = 0;
    size_t used = utf8_read(name, length, &code);
    return used == length && code > ' ' && code != 0x7f ? key_of_character(code) : 0;
}

int key_of_name(const char *name, size_t length)
{
    if (length > 2 && name[0] == 'M' && name[1] == '-') {
        int key = key_of_name(name + 2, length - 2);
        return key && key < PRESS_UP ? key | PRESS_ALT : 0;
    }
    if (length == 2 && name[0] == '^')
        return of_caret(name[1]);
    if (length > 2 && name[0] == '<' && name[length - 1] == '>')
        return of_angle(name + 1, length - 2);
    return length ? of_character(name, length) : 0;
}

void key_name(int key, char *out, size_t size)
{
    const char *before = key & PRESS_ALT ? "M-" : "";
    key &= ~PRESS_ALT;
    for (int i = 0; i < NAMED; i++)
        if (named[i].key == key && key != '#') {
            format_into(out, size, "%s<%s>", before, named[i].name);
            return;
        }
    char character[5];
    if (key >= PRESS_F1 && key < PRESS_F1 + F_KEYS) {
        format_into(out, size, "%s<F%d>", before, key - PRESS_F1 + 1);
    } else if (key > 0 && key < ' ') {
        format_into(out, size, "%s^%c", before, key + '@');
    } else {
        utf8_write((uint32_t)key, character);
        format_into(out, size, "%s%s", before, character);
    }
}

// ---- codes of keys ----------------------------------------------------------------------------------------

enum {
    CODE_GROUND = 1999, // an answer about the ground begins
    CODE_PASTE,         // after the codes that curses hands out itself
    CODE_PASTE_END,
    CODE_OTHER,               // + index in `others`
    PASTE_MOST = 1 << 20,     // more of a paste is dropped
    PASTE_PATIENCE_MS = 1000, // a paste whose end is lost ends after this silence; so does an answer
    SEQUENCE_MOST = 64,
    WHEEL_LINES = 3
};

// Sequences that terminals send although their description says otherwise.
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

void input_open(struct screen *screen)
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

// ---- the ground -------------------------------------------------------------------------------------------

// The terminal is asked once (OSC 11) whether its ground is light, and answers as if the answer was typed, some time
// later or never. Nothing waits for it; the screen is painted anew when the answer says light.

enum {
    FRESH_MS = 1000,   // for so long an answer may still be on its way when the terminal is left
    WAIT_MS = 100,     // and is waited for
    ANSWER_LEAST = 16, // bytes of an answer
    CAREFUL_DELAY =
        200, // ms in which the rest of an answer follows its escape character, which tells it from a key
    USUAL_DELAY = 25
};
static const char question[] = "\033]11;?\033\\";

// Terminals that take the question for something else are not asked.
static bool understands(const char *term)
{
    static const char *const known[] = {
        "xterm", "tmux",  "rxvt", "alacritty", "foot",    "konsole", "vte",
        "gnome", "kitty", "st-",  "wezterm",   "contour", "ghostty", "mintty"
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (string_starts(term, known[i]))
            return true;
    return false;
}

void input_ask_ground(struct screen *screen, const char *term)
{
    if (!understands(term) || screen->palette == PALETTE_MONO)
        return;
    define_key("\033]11;rgb:", CODE_GROUND);
    define_key("\033]11;rgba:", CODE_GROUND);
    set_escdelay(CAREFUL_DELAY);
    ssize_t put = write(STDOUT_FILENO, question, sizeof question - 1);
    screen->ground = put == sizeof question - 1 ? GROUND_ASKED : GROUND_KNOWN;
    screen->asked = clock_ms();
}

// "RRRR/GGGG/BBBB", one to four hexadecimal digits each; 0 to 1, or -1.
static double brightness(const char *answer)
{
    static const double weights[] = { 0.299, 0.587, 0.114 };
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        size_t digits = strspn(answer, "0123456789abcdefABCDEF");
        if (digits < 1 || digits > 4 || (i < 2 && answer[digits] != '/'))
            return -1;
        sum += weights[i] * (double)strtol(answer, NULL, 16) / (double)((1 << 4 * digits) - 1);
        answer += digits + 1;
    }
    return sum;
}

static void settle(struct screen *screen)
{
    screen->ground = GROUND_KNOWN;
    set_escdelay(USUAL_DELAY);
}

static void ground_begins(struct screen *screen)
{
    screen->ground = GROUND_ANSWERS;
    screen->answer_length = 0;
}

// True: the whole screen must be painted anew.
static bool ground_byte(struct screen *screen, int c)
{
    bool ends = c == '\a' || c == '\\' || c == 0x9c;
    if (c == 0x1b) // of the \033\\ that ends it
        return false;
    if (!ends && c >= ' ' && c < 0x7f && screen->answer_length + 1 < sizeof screen->answer) {
        screen->answer[screen->answer_length++] = (char)c;
        return false;
    }
    screen->answer[screen->answer_length] = 0;
    settle(screen);
    double bright = ends ? brightness(screen->answer) : -1;
    bool light = bright < 0 ? screen->light : bright > 0.5;
    if (light == screen->light)
        return false;
    screen->light = light;
    memset(screen->styles, 0, sizeof screen->styles);
    return true;
}

// An answer that is overdue is no longer expected, whether keys come meanwhile or not.
static void question_lapses(struct screen *screen)
{
    if (screen->ground == GROUND_ASKED && clock_ms() - screen->asked > FRESH_MS)
        set_escdelay(USUAL_DELAY);
}

// An answer that comes after the terminal was left would be typed into the shell, so it is waited for and dropped; what is
// shorter than any answer was typed ahead and stays.
void input_leave(struct screen *screen)
{
    struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
    int waiting = 0;
    if (screen->ground == GROUND_KNOWN || clock_ms() - screen->asked > FRESH_MS)
        return;
    settle(screen);
    if (poll(&fd, 1, WAIT_MS) == 1 && ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting >= ANSWER_LEAST)
        tcflush(STDIN_FILENO, TCIFLUSH);
}

// ---- from bytes to a key ----------------------------------------------------------------------------------

static bool key_event(int key, bool alt, struct event *out)
{
    bool character = key > 0 && key < PRESS_UP;
    out->kind = EVENT_KEY;
    out->key = alt && character ? key | PRESS_ALT : key;
    return key > 0;
}

// Drops the rest of an unknown escape sequence, so that it is not taken for keys.
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

// After an escape character: it was the key, or Alt with the character that follows at once, or something unknown.
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

// The next event out of what was typed so far.
static bool typed(struct screen *screen, struct event *out)
{
    question_lapses(screen);
    for (;;) {
        *out = (struct event){ 0 };
        errno = 0;
        int c = wgetch(screen->keys);
        if (c == ERR) {
            screen->ended = screen->ended || errno == EIO;
            return false;
        }
        if (screen->ground == GROUND_ANSWERS && !screen->pasting) {
            if (ground_byte(screen, c)) {
                *out = (struct event){ .kind = EVENT_RESIZE, .rows = screen->rows, .cols = screen->cols };
                return true;
            }
            continue;
        }
        if (!screen->pasting ? (c < KEY_MIN ? byte(screen, c, out) : code_event(screen, c, out))
                             : c == CODE_PASTE_END && paste_event(screen, out))
            return true;
        if (screen->pasting && c < KEY_MIN)
            paste_byte(screen, c);
    }
}

// ---- waiting ----------------------------------------------------------------------------------------------

// A terminal that is readable and gives nothing is gone.
static bool at_end(void)
{
    struct pollfd again = { STDIN_FILENO, POLLIN, 0 };
    int waiting = 0;
    return poll(&again, 1, 0) == 1 &&
           (!(again.revents & POLLIN) || ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting == 0);
}

static void drain(int from)
{
    char bytes[64];
    while (read(from, bytes, sizeof bytes) > 0)
        continue;
}

// The timeout of poll() in ms: until the deadline, and at most the patience with a paste.
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
    if (ready == 0 && screen->ground == GROUND_ANSWERS) // no byte has come for a while: its end is lost
        settle(screen);
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

void screen_next(void *context, int wake, int timeout_ms, struct event *out)
{
    struct screen *screen = context;
    double deadline = timeout_ms < 0 ? INFINITY : clock_ms() + timeout_ms;
    while (!screen_signalled(screen, out) && !typed(screen, out) && !wait_for(screen, wake, deadline, out))
        continue;
}
