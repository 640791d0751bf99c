// Signals while the screen is up. Handlers only note what came and wake poll() through a pipe, so nothing is lost and
// nothing is drawn inside of one. A crash, and an exit() that nobody foresaw, put the terminal in order with
// async-signal-safe calls and the terminal's own words, which were looked up when it opened.
#include "tui/draw/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <term.h>

// The one thing that handlers can reach: they get no context. NULL while no screen is open.
static struct screen *volatile the_screen;

static const struct {
    int number;
    const char *crash; // NULL: is noted; else what it is called
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

// ---- noting ------------------------------------------------------------------------------------------

static void note(int number)
{
    int saved = errno;
    struct screen *screen = the_screen;
    if (screen) {
        screen->came[number] = 1;
        ssize_t put = write(screen->pipe[1], "", 1); // a full pipe wakes as well
        (void)put;
    }
    errno = saved;
}

bool signals_took(struct screen *screen, int number)
{
    bool came = screen->came[number];
    screen->came[number] = 0;
    return came;
}

// ---- putting the terminal in order -------------------------------------------------------------------

static void put(int to, const char *text, size_t length)
{
    ssize_t done = write(to, text, length);
    (void)done; // nobody is left to be told
}

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
    put(STDERR_FILENO, "warpbook: It ended by ", 22);
    put(STDERR_FILENO, name, strlen(name));
    put(STDERR_FILENO, ". The terminal is as it was.\n", 29);
    // What was there before us takes over: at once when this returns to a wrong instruction, else as it is raised
    // again.
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

// ---- opening and closing -----------------------------------------------------------------------------

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
    // What is ignored stays ignored: nohup, shells without job control.
    if (screen->before[i].sa_handler != SIG_IGN)
        sigaction(handled[i].number, &ours, NULL);
}

bool signals_open(struct screen *screen, struct error *error)
{
    static bool guarded; // atexit cannot be taken back
    if (pipe2(screen->pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return error_set(error, EXIT_MISSING, "No pipe for signals can be had: %s.", strerror(errno));
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

void signals_close(struct screen *screen)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(handled[i].number, &screen->before[i], NULL);
    the_screen = NULL;
    signal_stack_close(screen->stack);
    close(screen->pipe[0]);
    close(screen->pipe[1]);
}

void signals_as_before(struct screen *screen, int number, struct sigaction *ours)
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

void signals_words(struct screen *screen)
{
    static const char *const ends[] = { "sgr0", "op", "rmkx", "cnorm", "rmcup" };
    screen->word_count = 0;
    add_word(screen, "\033[?1000l\033[?1006l\033[?2004l"); // mouse, marked pastes
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const char *word = tigetstr(ends[i]);
        if (word && word != (const char *)-1)
            add_word(screen, word);
        else if (strcmp(ends[i], "rmcup") == 0)
            add_word(screen, "\r\n"); // there is only one screen: below what stands there
    }
}
