// Whether the terminal's ground is light: it is asked once (OSC 11), and whoever knows answers as if it was typed, some
// time later or never. Nobody waits for it; the screen is painted anew when the answer says light.
#include "tui/draw/screen.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    FRESH_MS = 1000,   // as long an answer may still be on its way when the terminal is left
    WAIT_MS = 100,     // and is waited for
    ANSWER_LEAST = 16, // bytes of an answer
    CAREFUL_DELAY =
        200, // ms in which the rest of an answer follows its escape; a key is told from it by that
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

void ground_ask(struct screen *screen, const char *term)
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

// ---- the answer --------------------------------------------------------------------------------------

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

void ground_begins(struct screen *screen)
{
    screen->ground = GROUND_ANSWERS;
    screen->answer_length = 0;
}

bool ground_byte(struct screen *screen, int c)
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

void ground_lapses(struct screen *screen)
{
    if (screen->ground == GROUND_ANSWERS)
        settle(screen);
    else if (screen->ground == GROUND_ASKED && clock_ms() - screen->asked > FRESH_MS)
        set_escdelay(USUAL_DELAY);
}

// An answer that comes after the terminal was left would be typed into the shell. What was typed ahead is shorter.
void ground_leave(struct screen *screen)
{
    struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
    int waiting = 0;
    if (screen->ground == GROUND_KNOWN || clock_ms() - screen->asked > FRESH_MS)
        return;
    settle(screen);
    if (ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0 && waiting < ANSWER_LEAST)
        return;
    if (poll(&fd, 1, WAIT_MS) == 1)
        tcflush(STDIN_FILENO, TCIFLUSH);
}
