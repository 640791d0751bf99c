// A terminal through curses: opening it, or saying what else there is; leaving it as it was. The parts are listed in
// screen.h.
#include "tui/draw/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <term.h>

enum { SIZE_MOST = 1000 }; // rows and columns; a terminal that claims more is not believed
#define WAY_OUT "'warpbook shell' works without a screen, and 'warpbook help' lists the commands."
static const char marked_pastes[] = "\033[?2004h", plain_pastes[] = "\033[?2004l";

// ---- coming and going --------------------------------------------------------------------------------

// Somebody else has the terminal: the shell, after ^Z or `bg`.
static bool in_background(void)
{
    pid_t holder = tcgetpgrp(STDIN_FILENO);
    return holder > 0 && holder != getpgrp();
}

// tcsetattr would stand still too, but could not be ended any more: whatever continues it only makes it stop again.
bool screen_regain(struct screen *screen)
{
    while (!screen->came[SIGTERM] && !screen->came[SIGHUP] && in_background()) {
        raise(SIGTTOU);
        if (!signals_took(screen, SIGCONT))
            break; // it cannot be stopped: an orphan, or SIGTTOU is ignored
    }
    return !screen->came[SIGTERM] && !screen->came[SIGHUP];
}

static void say(const char *words)
{
    ssize_t put = write(STDOUT_FILENO, words, strlen(words));
    (void)put; // a terminal that is gone ends the program by its own way
}

void screen_leave(struct screen *screen)
{
    if (!screen->up)
        return;
    say(plain_pastes);
    ground_leave(screen);
    endwin();
    screen->up = 0;
    errors_release(screen);
}

void screen_enter(struct screen *screen)
{
    if (!screen_regain(screen))
        return; // what ends it is told as the next event
    errors_hold(screen);
    screen->up = 1;
    screen_measure(screen);
    clearok(curscr, TRUE);
    wnoutrefresh(stdscr);
    doupdate();
    say(marked_pastes);
}

void screen_measure(struct screen *screen)
{
    struct winsize size;
    int rows = LINES, cols = COLS;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        rows = size.ws_row < SIZE_MOST ? size.ws_row : SIZE_MOST;
        cols = size.ws_col < SIZE_MOST ? size.ws_col : SIZE_MOST;
    }
    if (rows == screen->rows && cols == screen->cols)
        return;
    resizeterm(rows, cols);
    screen->rows = rows;
    screen->cols = cols;
}

// ---- what the terminal can do ------------------------------------------------------------------------

static bool has_value(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

// COLORFGBG is "INK;GROUND" or "INK;SOMETHING;GROUND", in numbers of the 16 colours.
static bool is_light(int wish)
{
    const char *colours = getenv("COLORFGBG"), *ground = colours ? strrchr(colours, ';') : NULL;
    if (wish >= 0 || !ground)
        return wish > 0;
    char *end;
    long number = strtol(ground + 1, &end, 10);
    return end != ground + 1 && (number == 7 || (number >= 9 && number <= 15));
}

static enum palette find_palette(bool mono)
{
    if (mono || has_value("NO_COLOR") || !has_colors() || start_color() == ERR || COLORS < 8)
        return PALETTE_MONO;
    return COLORS >= 1 << 24 ? PALETTE_TRUE
           : COLORS >= 256   ? PALETTE_256
           : COLORS >= 16    ? PALETTE_16
                             : PALETTE_8;
}

// Looks the terminal up before newterm does, which keeps memory when it fails. What was set up before (libedit uses the
// same library) stays.
enum terminal_kind { TERMINAL_UNKNOWN, TERMINAL_DUMB, TERMINAL_FIT };
static enum terminal_kind look_up(const char *term)
{
    TERMINAL *before = cur_term;
    int found = 0;
    if (setupterm(term, STDOUT_FILENO, &found) == ERR)
        return TERMINAL_UNKNOWN;
    const char *place = tigetstr("cup");
    bool fit = place && place != (const char *)-1;
    del_curterm(cur_term);
    set_curterm(before);
    return fit ? TERMINAL_FIT : TERMINAL_DUMB;
}

// The terminal of stdin once more, as a file that does not block: curses reads on where a report of the mouse is cut off,
// and would be deaf until the rest comes. Others share stdin, which stays as it is; without another one it will do.
static FILE *keyboard(void)
{
    enum { HOW = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
    int fd = open("/proc/self/fd/0", HOW);
    if (fd < 0) // a terminal that belongs to another user
        fd = open("/dev/tty", HOW);
    return fd >= 0 ? fdopen(fd, "r") : NULL;
}

// A terminal that says it has true colour is described better by the entry "…-direct", where that is installed.
static SCREEN *start(const char *term, FILE *input, bool mono)
{
    static const char ending[] = "-256color";
    const char *says = getenv("COLORTERM");
    bool claims = !mono && says && (strcmp(says, "truecolor") == 0 || strcmp(says, "24bit") == 0);
    char direct[80] = "";
    if (claims && string_ends(term, ending))
        format_into(direct, sizeof direct, "%.*s-direct", (int)(strlen(term) - strlen(ending)), term);
    bool better = direct[0] && look_up(direct) == TERMINAL_FIT;
    return newterm(better ? direct : term, stdout, input ? input : stdin);
}

static void set_up(struct screen *screen, const struct screen_wish *wish)
{
    set_escdelay(25);
    typeahead(-1); // a frame is sent whole
    raw();
    noecho();
    nonl();
    scrollok(stdscr, FALSE);
    intrflush(stdscr, FALSE);
    mouseinterval(0);
    screen->light = is_light(wish->light);
    screen->palette = find_palette(wish->mono);
    screen->grounded = screen->palette != PALETTE_MONO && use_default_colors() == OK;
    screen->cursor = -1;
    screen_keys(screen);
    signals_words(screen);
}

// ---- opening and closing -----------------------------------------------------------------------------

static bool unknown(const char *term, struct error *error)
{
    return error_set(error, EXIT_USAGE,
                     "The terminal '%.80s' is not known here; TERM=xterm-256color fits most. " WAY_OUT, term);
}

static bool check(const char *term, struct error *error)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return error_set(error, EXIT_USAGE,
                         "The full screen needs a terminal for what is typed and shown. " WAY_OUT);
    if (!*term)
        return error_set(error, EXIT_USAGE,
                         "TERM is not set, so nobody knows which terminal this is; TERM=xterm-256color fits "
                         "most. " WAY_OUT);
    enum terminal_kind kind = look_up(term);
    if (kind == TERMINAL_DUMB)
        return error_set(
            error, EXIT_USAGE,
            "The terminal '%.80s' cannot place its cursor, which the full screen needs. " WAY_OUT, term);
    return kind == TERMINAL_FIT || unknown(term, error);
}

static void destroy(struct screen *screen)
{
    signals_close(screen);
    errors_close(screen);
    free(screen->pairs);
    text_free(&screen->paste);
    if (screen->keys)
        delwin(screen->keys);
    if (screen->curses)
        delscreen(screen->curses);
    if (screen->input)
        fclose(screen->input);
    free(screen);
}

bool screen_open(const struct screen_wish *wish, struct screen **out, struct error *error)
{
    const char *value = getenv("TERM"), *term = value ? value : "";
    *out = NULL;
    if (!check(term, error))
        return false;
    fflush(stdout);
    struct screen *screen = mem_new(sizeof *screen);
    screen->speaks_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    screen->utf8 = screen->speaks_utf8 && !wish->ascii;
    errors_open(screen);
    if (!signals_open(screen, error)) {
        errors_close(screen);
        free(screen);
        return false;
    }
    screen->input = keyboard();
    screen->curses = start(term, screen->input, wish->mono || has_value("NO_COLOR"));
    if (!screen->curses) {
        destroy(screen);
        return unknown(term, error);
    }
    set_up(screen, wish);
    screen_enter(screen);
    if (wish->light < 0 && !has_value("COLORFGBG"))
        ground_ask(screen, term);
    *out = screen;
    return true;
}

// In the background the modes are those of whoever has the terminal, and nothing may stop it on its way out.
void screen_close(struct screen *screen)
{
    struct termios theirs;
    sigset_t quiet, before;
    if (!screen)
        return;
    bool others = in_background() && tcgetattr(STDIN_FILENO, &theirs) == 0;
    sigemptyset(&quiet);
    sigaddset(&quiet, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &quiet, &before);
    screen_leave(screen);
    tcsetattr(STDIN_FILENO, TCSADRAIN, others ? &theirs : &screen->modes);
    errors_print(screen);
    destroy(screen);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool screen_utf8(const struct screen *screen)
{
    return screen->utf8;
}

// ---- its face ----------------------------------------------------------------------------------------

static void face_size(void *context, int *rows, int *cols)
{
    const struct screen *screen = context;
    *rows = screen->rows;
    *cols = screen->cols;
}

static void face_show(void *context, const struct canvas *canvas)
{
    screen_show(context, canvas);
}

static void face_next(void *context, int wake, int timeout_ms, struct event *out)
{
    screen_next(context, wake, timeout_ms, out);
}

static bool face_lend(void *context, const char *const *argv, int *status, struct error *error)
{
    return screen_lend(context, argv, status, error);
}

static void face_suspend(void *context)
{
    screen_stop(context, true);
}

static void face_mouse(void *context, bool on)
{
    struct screen *screen = context;
    screen->mouse = on;
    mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

static void face_repaint(void *context)
{
    clearok(curscr, TRUE);
    wnoutrefresh(stdscr);
    doupdate();
}

struct face screen_face(struct screen *screen)
{
    return (struct face){ screen,    face_size,    face_show,  face_next,
                          face_lend, face_suspend, face_mouse, face_repaint };
}
