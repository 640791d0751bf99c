// The full-screen program measured: in a pseudo-terminal of its own, as a person meets it, and within this process,
// over a face that shows nothing.
#include "tests/bench/bench.h"
#include "tests/child.h"
#include "tui/tui.h"
#include "tui/view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static const struct vocabulary known = { page_list, commands, NULL };

enum { TURNS = 21, PATIENCE_MS = 10000, QUIET_MS = 60 };

// ---- a terminal with the program in it -----------------------------------------------------------------------

struct pty {
    int fd;
    pid_t pid;
    size_t bytes; // since the last one asked
    char tail[4096];
    size_t tail_length;
};

static _Noreturn void become(const char *slave, const char *const *argv, int rows, int cols)
{
    struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols };
    setsid();
    int fd = open(slave, O_RDWR);
    if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) != 0 || ioctl(fd, TIOCSWINSZ, &size) != 0)
        _exit(126);
    for (int i = 0; i < 3; i++)
        dup2(fd, i);
    setenv("TERM", "xterm-256color", 1);
    unsetenv("NO_COLOR");
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

static bool pty_start(struct pty *pty, const char *const *argv, int rows, int cols)
{
    *pty = (struct pty){ .fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) };
    if (pty->fd < 0 || grantpt(pty->fd) != 0 || unlockpt(pty->fd) != 0)
        return false;
    const char *slave = ptsname(pty->fd);
    pty->pid = slave ? fork() : -1;
    if (pty->pid == 0)
        become(slave, argv, rows, cols);
    return pty->pid > 0;
}

// Takes what comes within this time; false: nothing.
static bool pty_take(struct pty *pty, int ms)
{
    struct pollfd fd = { pty->fd, POLLIN, 0 };
    char piece[65536];
    if (poll(&fd, 1, ms) != 1)
        return false;
    ssize_t got = read(pty->fd, piece, sizeof piece);
    if (got <= 0)
        return false;
    size_t size = (size_t)got, keep = size < sizeof pty->tail - 1 ? size : sizeof pty->tail - 1;
    size_t old = pty->tail_length + keep < sizeof pty->tail ? pty->tail_length : sizeof pty->tail - 1 - keep;
    memmove(pty->tail, pty->tail + pty->tail_length - old, old);
    memcpy(pty->tail + old, piece + size - keep, keep);
    pty->tail_length = old + keep;
    pty->tail[pty->tail_length] = 0;
    pty->bytes += size;
    return true;
}

static bool pty_until(struct pty *pty, const char *words)
{
    double end = clock_ms() + PATIENCE_MS;
    while (clock_ms() < end) {
        if (strstr(pty->tail, words))
            return true;
        if (!pty_take(pty, 1000) && waitpid(pty->pid, NULL, WNOHANG) != 0)
            return false;
    }
    return false;
}

static size_t pty_quiet(struct pty *pty, int ms)
{
    while (pty_take(pty, ms))
        ;
    size_t bytes = pty->bytes;
    pty->bytes = 0;
    return bytes;
}

static void pty_end(struct pty *pty)
{
    if (pty->pid > 0) {
        kill(pty->pid, SIGTERM);
        double end = clock_ms() + 2000;
        while (waitpid(pty->pid, NULL, WNOHANG) == 0 && clock_ms() < end)
            pty_take(pty, 20);
    }
    close(pty->fd);
}

// The hints in the last line are the last thing that a frame draws.
static const char last_words[] = "help";

// ---- start -------------------------------------------------------------------------------------------------------

static void start_to_frame(const char *program, const char *page, int rows, int cols)
{
    double times[TURNS];
    size_t count = 0;
    for (int i = 0; i < TURNS; i++) {
        const char *argv[] = { program, "open", page, NULL };
        struct pty pty;
        double start = clock_ms();
        if (pty_start(&pty, argv, rows, cols) && pty_until(&pty, last_words))
            times[count++] = clock_ms() - start;
        pty_end(&pty);
    }
    if (count)
        printf("start to %-10s %3d x %2d  %8.2f ms\n", page, cols, rows,
               outcome_statistics(times, count).median);
    else
        printf("start to %s: no frame came\n", page);
}

// ---- a key through the terminal, memory, idleness -----------------------------------------------------------------------

static void key_in_terminal(struct pty *pty, const char *what)
{
    double times[TURNS], bytes[TURNS];
    size_t count = 0;
    for (int i = 0; i < TURNS; i++) {
        double start = clock_ms();
        const char *key = i % 4 < 2 ? "j" : "k";
        if (write(pty->fd, key, 1) != 1 || !pty_take(pty, 1000))
            continue;
        times[count] = clock_ms() - start;
        bytes[count++] = (double)pty_quiet(pty, QUIET_MS);
    }
    if (count)
        printf("  a key on %-16s %8.2f ms %8.0f bytes\n", what, outcome_statistics(times, count).median,
               outcome_statistics(bytes, count).median);
}

static double cpu_ms(pid_t pid)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, system = 0;
    format_into(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return NAN;
    size_t got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = 0;
    const char *past_name = strrchr(text, ')');
    if (!past_name ||
        sscanf(past_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        return NAN;
    return (double)(user + system) * 1000.0 / (double)sysconf(_SC_CLK_TCK);
}

// Heap, stack, written data and relocated tables: what the program has to itself and no file holds.
static double private_mib(pid_t pid)
{
    char path[64], line[256];
    double kib = NAN, found;
    format_into(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Dirty: %lf kB", &found) == 1)
            kib = found;
    if (file)
        fclose(file);
    return kib / 1024;
}

static void measure_open(const char *program, const char *page, const char *what)
{
    enum { IDLE_MS = 2000 };
    const char *argv[] = { program, "open", page, what, NULL };
    struct pty pty;
    if (!pty_start(&pty, argv, 60, 200) || !pty_until(&pty, last_words)) {
        printf("  %s: no frame came\n", page);
        pty_end(&pty);
        return;
    }
    pty_quiet(&pty, 1000); // the machine has been described
    key_in_terminal(&pty, page);
    double before = cpu_ms(pty.pid);
    size_t bytes = pty_quiet(&pty, IDLE_MS);
    printf("    idle for 2 s: %.0f ms of CPU, %zu bytes; %.1f MiB private\n", cpu_ms(pty.pid) - before, bytes,
           private_mib(pty.pid));
    pty_end(&pty);
}

// ---- a key within the process -----------------------------------------------------------------------------------------

static void null_size(void *context, int *rows, int *cols)
{
    *rows = 60;
    *cols = 200;
}

static void null_show(void *context, const struct canvas *canvas)
{
}

static void null_next(void *context, int wake, int timeout_ms, struct event *out)
{
    struct pollfd fd = { wake, POLLIN, 0 };
    poll(&fd, 1, timeout_ms >= 0 ? timeout_ms : 100);
    out->kind = EVENT_WOKEN;
}

static void settle(struct app *app)
{
    struct event event;
    while (tasks_waiting(app->tasks, LANE_RUNS) || tasks_waiting(app->tasks, LANE_HELP))
        app_wait(app, &event);
}

static void key_on_page(struct app *app, const char *words)
{
    enum { KEYS = 40 };
    double times[KEYS];
    if (!app_open(app, words)) {
        printf("  %-24s %s\n", words, app->message);
        return;
    }
    settle(app);
    app_draw(app);
    for (int i = 0; i < KEYS; i++) {
        struct event event = { .kind = EVENT_KEY, .key = i % 8 < 4 ? 'j' : 'k' };
        double start = clock_ms();
        app_event(app, &event);
        app_draw(app);
        times[i] = clock_ms() - start;
    }
    struct statistics found = outcome_statistics(times, KEYS);
    double most = 0;
    for (int i = 0; i < KEYS; i++)
        most = times[i] > most ? times[i] : most;
    printf("  %-24s %8.3f ms, at most %8.3f ms\n", words, found.median, most);
}

static void measure_keys(void)
{
    static const char *const pages[] = {
        "home",          "bench histogram",   "bench banks",      "source histogram/7",
        "explore banks", "explore occupancy", "step histogram/3", "lesson 6",
        "terms",         "workbook",          "machine",          "help bench"
    };
    struct app app = { 0 };
    struct face face = { .size = null_size, .show = null_show, .next = null_next };
    app_init(&app, &known, face, true);
    app_open(&app, "home");
    settle(&app);
    printf("a key to its frame at 200 x 60, without the terminal:\n");
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        key_on_page(&app, pages[i]);
    app_end(&app);
}

// ---- explain ------------------------------------------------------------------------------------------------------------

static void measure_explain(const char *program)
{
    const char *argv[] = { program, "explain", "coalescing", NULL };
    double times[TURNS];
    for (int i = 0; i < TURNS; i++) {
        struct child_result result;
        struct error error;
        double start = clock_ms();
        if (!child_run(argv, NULL, 0, PATIENCE_MS, &result, &error))
            return;
        times[i] = clock_ms() - start;
        bool done = WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0;
        child_result_free(&result);
        if (!done) {
            printf("explain one word: it failed\n");
            return;
        }
    }
    printf("explain one word            %8.2f ms\n", outcome_statistics(times, TURNS).median);
}

void measure_screen(const char *program)
{
    char own[] = "/tmp/warpbook-bench-own-XXXXXX"; // an empty workbook
    if (!mkdtemp(own) || setenv("WARPBOOK_HOME", own, 1) != 0) {
        printf("screen: cannot make a folder\n");
        return;
    }
    start_to_frame(program, "home", 24, 80);
    start_to_frame(program, "bench", 60, 200);
    printf("in a terminal of 200 x 60:\n");
    measure_open(program, "home", NULL);
    measure_open(program, "bench", "histogram");
    measure_open(program, "source", "histogram/7");
    measure_open(program, "explore", "banks");
    measure_keys();
    measure_explain(program);
    const char *const argv[] = { "rm", "-rf", own, NULL };
    struct child_result result;
    struct error error;
    if (child_run(argv, NULL, 0, PATIENCE_MS, &result, &error))
        child_result_free(&result);
    unsetenv("WARPBOOK_HOME");
}
