// A terminal through curses: opening it, or saying what else there is; keeping it whole whatever comes; lending it;
// leaving it as it was. screen.h lists the other files of the screen.
#include "tui/draw/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <term.h>

enum { SIZE_MOST = 1000 }; // rows and columns; a terminal that claims more is not believed
#define WAY_OUT "'warpbook shell' works without a screen, and 'warpbook help' lists the commands."
static const char marked_pastes[] = "\033[?2004h", plain_pastes[] = "\033[?2004l";

// ---- stderr while the screen is up ------------------------------------------------------------------------

// Words that libraries and the program write to stderr while the screen is up would damage it. They go into memory,
// and are printed when the terminal is back. A stderr that is no terminal is left alone.
static void errors_open(struct screen *screen)
{
    screen->real_errors = screen->held_errors = -1;
    if (!isatty(STDERR_FILENO))
        return;
    screen->real_errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    screen->held_errors = memfd_create("warpbook-stderr", MFD_CLOEXEC);
}

static void errors_hold(const struct screen *screen)
{
    fflush(stderr);
    if (screen->real_errors >= 0 && screen->held_errors >= 0)
        dup2(screen->held_errors, STDERR_FILENO);
}

// Async-signal-safe.
static void errors_release(const struct screen *screen)
{
    if (screen->real_errors >= 0 && screen->held_errors >= 0)
        dup2(screen->real_errors, STDERR_FILENO);
}

static void put(int to, const char *bytes, size_t length)
{
    while (length) {
        ssize_t done = write(to, bytes, length);
        if (done < 0 && errno != EINTR)
            return; // a terminal that is gone ends the program by its own way
        bytes += done > 0 ? done : 0;
        length -= done > 0 ? (size_t)done : 0;
    }
}

static void put_string(int to, const char *text)
{
    put(to, text, strlen(text));
}

// Reads the next bytes of the held stderr; 0 at its end, where it is emptied.
static size_t take_held(const struct screen *screen, char *piece, size_t size, off_t *at)
{
    ssize_t got;
    do
        got = pread(screen->held_errors, piece, size, *at);
    while (got < 0 && errno == EINTR);
    *at += got > 0 ? got : 0;
    if (got <= 0 && ftruncate(screen->held_errors, 0) == 0)
        lseek(screen->held_errors, 0, SEEK_SET);
    return got > 0 ? (size_t)got : 0;
}

// Prints the held stderr as it is, without cleaning it, to be async-signal-safe.
static void errors_print_raw(const struct screen *screen)
{
    char piece[4096];
    off_t at = 0;
    for (size_t length; (length = take_held(screen, piece, sizeof piece, &at)) > 0;)
        put(STDERR_FILENO, piece, length);
}

static void errors_print(const struct screen *screen)
{
    char piece[4096];
    off_t at = 0;
    struct text held = { 0 }, clean = { 0 };
    for (size_t length; (length = take_held(screen, piece, sizeof piece, &at)) > 0;)
        text_add_n(&held, piece, length);
    text_add_clean(&clean, text_string(&held), held.length);
    put(STDERR_FILENO, text_string(&clean), clean.length);
    text_free(&held);
    text_free(&clean);
}

static void errors_close(struct screen *screen)
{
    if (screen->real_errors >= 0)
        close(screen->real_errors);
    if (screen->held_errors >= 0)
        close(screen->held_errors);
}

// ---- signals ----------------------------------------------------------------------------------------------

// Handlers only note what came and wake poll() through a pipe, so nothing is lost and nothing is drawn inside of one.
// A crash, and an exit() that nothing foresaw, put the terminal in order with async-signal-safe calls and the
// terminal's own words, which were looked up when it opened.

// The one thing that handlers can reach: they get no context. NULL while no screen is open.
static struct screen *volatile the_screen;

static const struct {
    int number;
    const char *crash; // the name of a signal that is a crash; NULL: the signal is noted
} handled[SIGNALS] = {
    { SIGWINCH, NULL },
    { SIGINT, NULL },
    { SIGTERM, NULL },
    { SIGHUP, NULL },
    { SIGTSTP, NULL },
    { SIGCONT, NULL },
    { SIGSEGV, "SIGSEGV, a wrong address" },
    { SIGBUS, "SIGBUS, memory that is not there" },
    { SIGABRT, "SIGABRT, it gave up" },
    { SIGFPE, "SIGFPE, a calculation without a result" },
    { SIGILL, "SIGILL, a broken instruction" },
    { SIGSYS, "SIGSYS, a forbidden system call" },
    { SIGQUIT, "SIGQUIT, it was told to" },
};

static int index_of(int number)
{
    int i = 0;
    while (handled[i].number != number)
        i++;
    return i;
}

// ---- noting -----------------------------------------------------------------------------------------------

static void note(int number)
{
    int saved = errno;
    struct screen *screen = the_screen;
    if (screen) {
        screen->came[number] = 1;
        ssize_t done = write(screen->pipe[1], "", 1); // a full pipe wakes as well
        (void)done;
    }
    errno = saved;
}

static bool signals_took(struct screen *screen, int number)
{
    bool came = screen->came[number];
    screen->came[number] = 0;
    return came;
}

// ---- putting the terminal in order ------------------------------------------------------------------------

static void rescue(struct screen *screen)
{
    if (!screen->up)
        return;
    screen->up = 0;
    put(STDOUT_FILENO, screen->words, screen->word_count);
    tcsetattr(STDIN_FILENO, TCSANOW, &screen->modes);
    errors_release(screen);
    errors_print_raw(screen);
}

static void crash(int number, siginfo_t *info, void *context)
{
    struct screen *screen = the_screen;
    if (!screen || getpid() != screen->owner) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    rescue(screen);
    const char *name = handled[index_of(number)].crash;
    put_string(STDERR_FILENO, "warpbook: It ended by ");
    put_string(STDERR_FILENO, name);
    put_string(STDERR_FILENO, ". The terminal is as it was.\n");
    // The handler from before us takes over: when this one returns to the faulting instruction, or because the signal is
    // raised again.
    sigaction(number, &screen->before[index_of(number)], NULL);
    if (info->si_code <= 0)
        raise(number);
}

// exit() from anywhere, also from another thread: no curses then.
static void guard(void)
{
    struct screen *screen = the_screen;
    if (screen && getpid() == screen->owner)
        rescue(screen);
}

// ---- opening and closing ----------------------------------------------------------------------------------

void *signal_stack_open(void)
{
    stack_t now;
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return NULL;
    stack_t ours = { .ss_sp = mem_new(SIGNAL_STACK), .ss_size = SIGNAL_STACK };
    if (sigaltstack(&ours, NULL) == 0)
        return ours.ss_sp;
    free(ours.ss_sp);
    return NULL;
}

void signal_stack_close(void *stack)
{
    stack_t none = { .ss_flags = SS_DISABLE };
    if (stack)
        sigaltstack(&none, NULL);
    free(stack);
}

static void install(struct screen *screen, int i)
{
    struct sigaction ours = { .sa_flags = SA_RESTART };
    sigaction(handled[i].number, NULL, &screen->before[i]);
    if (handled[i].crash) {
        sigfillset(&ours.sa_mask); // and SIGTTOU, which tcsetattr would stop at in the background
        ours.sa_flags |= SA_SIGINFO | SA_ONSTACK;
        ours.sa_sigaction = crash;
    } else {
        ours.sa_handler = note;
    }
    // A signal that is ignored stays ignored: nohup, shells without job control.
    if (screen->before[i].sa_handler != SIG_IGN)
        sigaction(handled[i].number, &ours, NULL);
}

static bool signals_open(struct screen *screen, struct error *error)
{
    static bool guarded; // atexit cannot be taken back
    if (pipe2(screen->pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return error_set(error, EXIT_MISSING, "Cannot make a pipe for signals: %s.", strerror(errno));
    screen->owner = getpid();
    tcgetattr(STDIN_FILENO, &screen->modes);
    the_screen = screen;
    screen->stack = signal_stack_open();
    for (int i = 0; i < SIGNALS; i++)
        install(screen, i);
    if (!guarded)
        guarded = atexit(guard) == 0;
    return true;
}

static void signals_close(struct screen *screen)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(handled[i].number, &screen->before[i], NULL);
    the_screen = NULL;
    signal_stack_close(screen->stack);
    close(screen->pipe[0]);
    close(screen->pipe[1]);
}

static void signals_as_before(struct screen *screen, int number, struct sigaction *ours)
{
    sigaction(number, &screen->before[index_of(number)], ours);
}

// Adds a terminal's word without its `$<5>`, which asks for a pause.
static void add_word(struct screen *screen, const char *word)
{
    while (*word) {
        if (word[0] == '$' && word[1] == '<') {
            word += strcspn(word, ">");
            word += *word == '>';
        } else if (screen->word_count < WORDS_LAST) {
            screen->words[screen->word_count++] = *word++;
        } else {
            return;
        }
    }
}

static void signals_words(struct screen *screen)
{
    static const char *const ends[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
    screen->word_count = 0;
    add_word(screen, "\033[?1000l\033[?1006l\033[?2004l"); // mouse, marked pastes
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const char *word = tigetstr(ends[i]);
        if (word && word != (const char *)-1)
            add_word(screen, word);
        else if (strcmp(ends[i], "rmcup") == 0)
            add_word(screen, "\r\n"); // there is only one screen: below its last line
    }
}

// ---- coming and going -------------------------------------------------------------------------------------

// Another process group has the terminal: the shell, after ^Z or `bg`.
static bool in_background(void)
{
    pid_t holder = tcgetpgrp(STDIN_FILENO);
    return holder > 0 && holder != getpgrp();
}

// Stops until the terminal is ours again. False: SIGTERM or SIGHUP came, and the program has to end as it is. tcsetattr
// would stop it too, but then nothing could end it: SIGCONT would only make it stop again.
static bool screen_regain(struct screen *screen)
{
    while (!screen->came[SIGTERM] && !screen->came[SIGHUP] && in_background()) {
        raise(SIGTTOU);
        if (!signals_took(screen, SIGCONT))
            break; // it cannot be stopped: an orphan, or SIGTTOU is ignored
    }
    return !screen->came[SIGTERM] && !screen->came[SIGHUP];
}

static void screen_measure(struct screen *screen)
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

// Restores the terminal as it was before us, and stderr.
static void screen_leave(struct screen *screen)
{
    if (!screen->up)
        return;
    put_string(STDOUT_FILENO, plain_pastes);
    input_leave(screen);
    endwin();
    screen->up = 0;
    errors_release(screen);
}

// Shows the screen again, repainted as a whole.
static void screen_enter(struct screen *screen)
{
    if (!screen_regain(screen))
        return; // what ends it is reported as the next event
    errors_hold(screen);
    screen->up = 1;
    screen_measure(screen);
    clearok(curscr, TRUE);
    wnoutrefresh(stdscr);
    doupdate();
    put_string(STDOUT_FILENO, marked_pastes);
}

// ---- lending the terminal to an editor, or to the shell after ^Z ------------------------------------------

enum { NOT_STARTED = 127 }; // as a shell's, for a program that cannot be started

static bool exists(const char *program)
{
    char path[4096];
    return strchr(program, '/') ? access(program, X_OK) == 0 : program_find(program, path, sizeof path);
}

// The program gets every signal as a shell would hand it over. fork, not vfork or posix_spawn: a ^Z that stops the
// child before its exec would hold us inside of those, and our shell would never see us stop.
static pid_t start_child(const char *const *argv)
{
    static const int reset[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTERM, SIGHUP, SIGPIPE, SIGCONT, SIGWINCH };
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        struct sigaction plain = { .sa_handler = SIG_DFL };
        for (size_t i = 0; i < sizeof reset / sizeof reset[0]; i++)
            sigaction(reset[i], &plain, NULL);
        sigemptyset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        execvp(argv[0], (char *const *)argv);
        _exit(NOT_STARTED);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

// The child is in our process group, so ^Z and fg mostly reach both of us. A child that stopped only itself takes us
// along, so that the shell sees its job stop.
static bool wait_for_child(pid_t pid, int *status)
{
    for (;;) {
        siginfo_t info = { 0 };
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) != 0) {
            if (errno != EINTR)
                return false;
            continue;
        }
        if (info.si_code != CLD_STOPPED)
            return waitpid(pid, status, 0) == pid;
        info = (siginfo_t){ 0 }; // after ^Z it goes on again by now
        if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid) {
            waitpid(pid, status, WUNTRACED);
            raise(SIGSTOP);
            kill(pid, SIGCONT);
        }
    }
}

static bool screen_lend(void *context, const char *const *argv, int *status, struct error *error)
{
    struct screen *screen = context;
    if (!exists(argv[0]))
        return error_set(error, EXIT_MISSING, "The program '%.200s' was not found.", argv[0]);
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit, stop;
    screen_leave(screen);
    sigaction(SIGINT, &ignore, &interrupt); // ^C is for the child
    sigaction(SIGQUIT, &ignore, &quit);
    signals_as_before(screen, SIGTSTP, &stop);
    pid_t pid = start_child(argv);
    int why = errno;
    bool ended = pid > 0 && wait_for_child(pid, status);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    sigaction(SIGTSTP, &stop, NULL);
    signals_took(screen, SIGCONT);
    screen_enter(screen);
    if (pid < 0)
        return error_set(error, EXIT_MISSING, "Cannot start '%.200s': %s.", argv[0], strerror(why));
    return ended || error_set(error, EXIT_MISSING, "'%.200s' was lost: %s.", argv[0], strerror(errno));
}

// Stops this process until SIGCONT; `group`: its whole process group.
static void screen_stop(struct screen *screen, bool group)
{
    struct sigaction ours;
    screen_leave(screen);
    if (group)
        kill(0, SIGTSTP); // the others of our job; we only note it
    signals_as_before(screen, SIGTSTP, &ours);
    raise(SIGTSTP); // the program stops here until fg
    sigaction(SIGTSTP, &ours, NULL);
    signals_took(screen, SIGTSTP);
    signals_took(screen, SIGCONT);
    screen_enter(screen);
}

static bool resize_event(const struct screen *screen, struct event *out)
{
    *out = (struct event){ .kind = EVENT_RESIZE, .rows = screen->rows, .cols = screen->cols };
    return true;
}

bool screen_signalled(struct screen *screen, struct event *out)
{
    *out = (struct event){ .kind = EVENT_END };
    if (signals_took(screen, SIGTERM) || signals_took(screen, SIGHUP))
        screen->ended = true;
    if (screen->ended)
        return true;
    if (signals_took(screen, SIGTSTP)) {
        screen_stop(screen, false);
        return screen->up ? resize_event(screen, out) : screen_signalled(screen, out);
    }
    if (signals_took(screen, SIGCONT)) { // it was stopped by something that cannot be caught
        if (screen_regain(screen))
            screen_leave(screen);
        screen_enter(screen);
        return screen_regain(screen) ? resize_event(screen, out) : screen_signalled(screen, out);
    }
    if (signals_took(screen, SIGWINCH)) {
        screen_measure(screen);
        clearok(curscr, TRUE); // a terminal that shrank and grew again has lost something
        return resize_event(screen, out);
    }
    out->kind = EVENT_STOP;
    return signals_took(screen, SIGINT);
}

// ---- abilities of the terminal ----------------------------------------------------------------------------

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

// Looks the terminal up before newterm does, which leaks memory when it fails. The entry that libedit, which uses the
// same library, has set up stays.
// `clip` (NULL: not asked) gets its word for the clipboard, which the entry that curses takes need not have; the caller
// frees.
enum terminal_kind { TERMINAL_UNKNOWN, TERMINAL_DUMB, TERMINAL_FIT };
static enum terminal_kind look_up(const char *term, char **clip)
{
    TERMINAL *before = cur_term;
    int found = 0;
    if (setupterm(term, STDOUT_FILENO, &found) == ERR)
        return TERMINAL_UNKNOWN;
    const char *place = tigetstr("cup");
    bool fit = place && place != (const char *)-1;
    const char *ms = clip ? tigetstr("Ms") : NULL;
    if (ms && ms != (const char *)-1)
        *clip = mem_copy(ms);
    del_curterm(cur_term);
    set_curterm(before);
    return fit ? TERMINAL_FIT : TERMINAL_DUMB;
}

// Opens the terminal of stdin once more, as a file that does not block: where a report of the mouse is cut off, curses
// reads on, and would otherwise wait for the rest. stdin itself is shared with other processes, and stays blocking.
// NULL: the terminal cannot be opened again, and curses reads stdin.
static FILE *keyboard(void)
{
    enum { HOW = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
    int fd = open("/proc/self/fd/0", HOW);
    if (fd < 0) // a terminal that belongs to another user
        fd = open("/dev/tty", HOW);
    return fd >= 0 ? fdopen(fd, "r") : NULL;
}

// The entry "…-direct" describes a terminal with true colour better, where that is installed.
static SCREEN *start_curses(const char *term, FILE *input, bool mono)
{
    static const char ending[] = "-256color";
    const char *says = getenv("COLORTERM");
    bool claims = !mono && says && (strcmp(says, "truecolor") == 0 || strcmp(says, "24bit") == 0);
    char direct[80] = "";
    if (claims && string_ends(term, ending))
        format_into(direct, sizeof direct, "%.*s-direct", (int)(strlen(term) - strlen(ending)), term);
    bool better = direct[0] && look_up(direct, NULL) == TERMINAL_FIT;
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
    input_open(screen);
    signals_words(screen);
}

// ---- opening and closing ----------------------------------------------------------------------------------

static bool unknown(const char *term, struct error *error)
{
    return error_set(error, EXIT_USAGE,
                     "The terminal '%.80s' is not known here; TERM=xterm-256color fits most. " WAY_OUT, term);
}

static bool check(const char *term, char **clip, struct error *error)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return error_set(error, EXIT_USAGE,
                         "The full screen needs a terminal for what is typed and shown. " WAY_OUT);
    if (!*term)
        return error_set(error, EXIT_USAGE,
                         "TERM is not set, so it is not known which terminal this is; TERM=xterm-256color "
                         "fits most. " WAY_OUT);
    enum terminal_kind kind = look_up(term, clip);
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
    free(screen->clip);
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
    char *clip = NULL;
    *out = NULL;
    if (!check(term, &clip, error)) {
        free(clip);
        return false;
    }
    fflush(stdout);
    struct screen *screen = mem_new(sizeof *screen);
    screen->clip = clip;
    screen->speaks_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    screen->utf8 = screen->speaks_utf8 && !wish->ascii;
    errors_open(screen);
    if (!signals_open(screen, error)) {
        errors_close(screen);
        free(screen->clip);
        free(screen);
        return false;
    }
    screen->input = keyboard();
    screen->curses = start_curses(term, screen->input, wish->mono || has_value("NO_COLOR"));
    if (!screen->curses) {
        destroy(screen);
        return unknown(term, error);
    }
    set_up(screen, wish);
    screen_enter(screen);
    if (wish->light < 0 && !has_value("COLORFGBG"))
        input_ask_ground(screen, term);
    *out = screen;
    return true;
}

// When we are in the background, the terminal keeps the modes of the process that has it, and no SIGTTOU stops us on the
// way out.
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

// ---- the clipboard ------------------------------------------------------------------------------------------

static void add_base64(struct text *out, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        unsigned three =
            (unsigned)bytes[i] << 16 | (left > 1 ? bytes[i + 1] : 0u) << 8 | (left > 2 ? bytes[i + 2] : 0u);
        char four[4];
        for (unsigned k = 0; k < 4; k++)
            four[k] = k > left ? '=' : digits[three >> (18 - 6 * k) & 63];
        text_add_n(out, four, 4);
    }
}

// Ms with its two strings: which selection, and the text. False: it holds something else, which no terminal's has.
static bool fill_in(const char *ms, const char *text, struct text *out)
{
    while (*ms) {
        if (string_starts(ms, "%p1%s") || string_starts(ms, "%p2%s")) {
            text_add(out, ms[2] == '1' ? "c" : text);
            ms += strlen("%p1%s");
        } else if (*ms == '%') {
            return false;
        } else {
            text_add_n(out, ms++, 1);
        }
    }
    return true;
}

static bool face_copy(void *context, const char *text, size_t length)
{
    const struct screen *screen = context;
    struct text base64 = { 0 }, out = { 0 };
    add_base64(&base64, (const unsigned char *)text, length);
    bool can = screen->clip && fill_in(screen->clip, text_string(&base64), &out);
    if (can)
        put(STDOUT_FILENO, out.data, out.length);
    text_free(&base64);
    text_free(&out);
    return can;
}

// ---- its face ---------------------------------------------------------------------------------------------

static void face_size(void *context, int *rows, int *cols)
{
    const struct screen *screen = context;
    *rows = screen->rows;
    *cols = screen->cols;
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
    return (struct face){ screen,       face_size,  screen_show,  screen_next, screen_lend,
                          face_suspend, face_mouse, face_repaint, face_copy };
}
