// Random keys at the whole program in a terminal whose size changes all the time: it ends when it is told to, with status
// 0, and leaves the terminal as it was. Clicks, pastes, ^Z, broken sequences and commands are among the keys.
//
//   KEYS   how many keys (a paste counts as one); 600 without it
//   SEED   where chance begins. A round that fails prints its own, with which it is the first one; 1 without it
#include "tests/unit/terminal.h"

#include <locale.h>

enum { ROUND_KEYS = 300, ROWS_MOST = 100, COLS_MOST = 300, PASTE_BOMB = 30000 };

static const char *const starts[] = { "home",
                                      "lesson",
                                      "lesson 1",
                                      "lesson 3",
                                      "lesson 6",
                                      "lesson 11",
                                      "bench vecadd",
                                      "bench histogram",
                                      "source histogram/3",
                                      "source banks/1",
                                      "step histogram/3",
                                      "explore banks",
                                      "explore coalescing",
                                      "explore divergence",
                                      "explore grid",
                                      "explore occupancy",
                                      "explore waves",
                                      "terms",
                                      "find",
                                      "terms warp",
                                      "workbook",
                                      "machine",
                                      "help lesson" };
static const char *const special[] = { "\033[A",  "\033[B",
                                       "\033[C",  "\033[D",
                                       "\033[5~", "\033[6~",
                                       "\033[H",  "\033[F",
                                       "\033[3~", "\033[2~",
                                       "\033OP",  "\033[Z",
                                       "\t",      "\r",
                                       "\033",    "\177",
                                       "\003",    "\007",
                                       "\014",    "\032",
                                       "\033x",   "\033[99",
                                       "\033O",   "\033[M",
                                       "\033[<1", "\033]11;rgb:0/0/0\007" };
static const char *const lines[] = { "lesson 4",
                                     "bench banks",
                                     "source matvec/2",
                                     "step reduction/5",
                                     "explore grid",
                                     "set stride=7",
                                     "explain bank",
                                     "note a word",
                                     "help bench",
                                     "workbook runs",
                                     "list vecadd",
                                     "pane lanes",
                                     "size full",
                                     "data x",
                                     "answer lanes 32",
                                     "run",
                                     "edit",
                                     "reset",
                                     "search warp",
                                     "mouse",
                                     "save shot",
                                     "review",
                                     "show histogram/2",
                                     "run-all",
                                     "home",
                                     "explain",
                                     "source ../\xe2\x80\xae",
                                     "back",
                                     "watch",
                                     "to-end",
                                     "warp 1 0",
                                     "register %r1" };
static const char letters[] =
    "jjjkkkhlnpgGdubfrRsSeEoOtTwWxXcCvVaAiIzZqyYmM0123456789?K+-[]{}()<>=*;,.'\"!@#$%^&| NPLDQF";

// ---- chance ------------------------------------------------------------------------------------------

static uint64_t chance;

static unsigned below(unsigned limit)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (unsigned)((chance >> 11) % limit);
}

#define ANY(list) (list)[below(sizeof(list) / sizeof *(list))]

static void add_bytes(struct text *keys, unsigned count)
{
    static const char *const pieces[] = {
        "\xe6\x97\xa5", "e\xcc\x81", "\xe2\x80\xae", "\xf0\x9f\x8e\x89", "\xff", "\xc2\x9b", "\n",
        "\r",           "\t",        "\033",         "\033[31m",         " ",    "x",        "\"",
        "\x01"
    };
    for (unsigned i = 0; i < count; i++)
        text_add(keys, ANY(pieces));
}

static void add_mouse(struct text *keys)
{
    static const unsigned buttons[] = { 0, 0, 64, 65, 1, 2, 32 };
    unsigned button = ANY(buttons), row = below(ROWS_MOST + 2), col = below(COLS_MOST + 2);
    text_addf(keys, "\033[<%u;%u;%uM", button, col, row);
    if (below(2))
        text_addf(keys, "\033[<%u;%u;%um", button, col, row);
}

static void add_key(struct text *keys)
{
    unsigned kind = below(100);
    if (kind < 60) {
        text_add_n(keys, &letters[below(sizeof letters - 1)], 1);
    } else if (kind < 78) {
        text_add(keys, ANY(special));
    } else if (kind < 86) {
        text_addf(keys, ":%s%s", ANY(lines), below(8) ? "\r" : "\t\033");
    } else if (kind < 89) {
        text_addf(keys, "/%c%c\r", 'a' + (int)below(26), 'a' + (int)below(26));
    } else if (kind < 94) {
        add_mouse(keys);
    } else if (kind < 97) {
        add_bytes(keys, 1 + below(6));
    } else {
        text_add(keys, "\033[200~");
        add_bytes(keys, below(10) ? below(40) : below(PASTE_BOMB / 4));
        text_add(keys, "\033[201~");
    }
}

static unsigned long sizes;

static void change_size(struct terminal *terminal)
{
    bool small = below(2);
    int rows = 1 + (int)below(small ? 14 : ROWS_MOST), cols = 1 + (int)below(small ? 60 : COLS_MOST);
    if (terminal->ended)
        return;
    terminal_resize(terminal, rows, cols);
    sizes++;
}

// ---- one round -----------------------------------------------------------------------------------------

// Takes what the program shows, and lets it go on where ^Z stopped it.
static void look(struct terminal *terminal, int ms)
{
    while (terminal_wait(terminal, ms))
        ms = 0;
    if (terminal->stopped && !terminal->ended)
        terminal_continue(terminal);
}

// Neither waits for the other: what is shown is taken while keys are written.
static void send(struct terminal *terminal, const struct text *keys)
{
    double patience = clock_ms() + 3 * TERMINAL_PATIENCE_MS;
    for (size_t at = 0; at < keys->length && !terminal->ended;) {
        struct pollfd fd = { terminal->fd, POLLOUT, 0 };
        size_t rest = keys->length - at;
        ssize_t put = poll(&fd, 1, 20) == 1 && fd.revents & POLLOUT
                          ? write(terminal->fd, keys->data + at, rest < 64 ? rest : 64)
                          : 0;
        at += put > 0 ? (size_t)put : 0;
        patience = put > 0 ? clock_ms() + 3 * TERMINAL_PATIENCE_MS : patience;
        look(terminal, 0);
        if (clock_ms() > patience)
            terminal_give_up(terminal, "a look at the keys");
    }
}

// Waits until the program has read all keys: one that does not hangs.
static void settle(struct terminal *terminal, int keyboard)
{
    double patience = clock_ms() + 3 * TERMINAL_PATIENCE_MS;
    int unread = 0;
    while (!terminal->ended && ioctl(keyboard, FIONREAD, &unread) == 0 && unread) {
        look(terminal, 1);
        if (clock_ms() > patience)
            terminal_give_up(terminal, "an end to the keys");
    }
}

// It may be about to end by itself; then it has left the screen.
static void end(struct terminal *terminal)
{
    double patience = clock_ms() + 3 * TERMINAL_PATIENCE_MS;
    bool told = false;
    while (!terminal->ended && clock_ms() < patience) {
        look(terminal, 50);
        if (!told && terminal->alternate && !terminal->ended)
            told = kill(terminal->program, SIGTERM) == 0;
    }
    look(terminal, 0);
}

// Once it has left the screen ^C is a signal again, and takes what it wrote last off its way to us.
static bool left_by_interrupt(const struct terminal *terminal)
{
    struct termios now;
    return terminal->ended && WIFSIGNALED(terminal->status) && WTERMSIG(terminal->status) == SIGINT &&
           tcgetattr(terminal->fd, &now) == 0 && now.c_lflag == terminal->before.c_lflag;
}

// Returns how many keys there were before it ended.
static unsigned play(uint64_t seed, unsigned count)
{
    unsigned done = 0;
    struct terminal terminal;
    char page[40], *word;
    const char *argv[8] = { getenv("WARPBOOK"), "open" };
    size_t words = 2;
    chance = seed * 0x9e3779b97f4a7c15u + 1;
    format_into(page, sizeof page, "%s", ANY(starts));
    for (char *at = page; (word = strtok(at, " ")); at = NULL)
        argv[words++] = word;
    terminal_start(&terminal, 1 + (int)below(40), 1 + (int)below(160), argv);
    int keyboard = open(ptsname(terminal.fd), O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    assert_true(keyboard >= 0);
    while (!terminal.alternate && !terminal.ended) // before, ^C ends it as any program
        terminal_wait(&terminal, 100);
    while (done < count && !terminal.ended) {
        struct text keys = { 0 };
        for (unsigned burst = 1 + below(12); burst && done < count; burst--, done++)
            add_key(&keys);
        send(&terminal, &keys);
        settle(&terminal, keyboard);
        text_free(&keys);
        if (!below(3))
            change_size(&terminal);
        look(&terminal, (int)below(30));
    }
    close(keyboard);
    end(&terminal);
    bool left = left_by_interrupt(&terminal), right = left || (terminal.ended && terminal.status == 0);
    if (!right) {
        size_t tail = terminal.output.length < 6000 ? terminal.output.length : 6000;
        fprintf(stderr, "%s\n", terminal.output.data + terminal.output.length - tail);
        fail_msg("SEED=%llu, '%s': wait status %#x, ended %d", (unsigned long long)seed, argv[2],
                 terminal.status, terminal.ended);
    }
    if (!left)
        terminal_expect_whole(&terminal);
    terminal_end(&terminal);
    return done;
}

static unsigned long setting_of(const char *name, unsigned long without)
{
    const char *given = getenv(name);
    return given && *given ? strtoul(given, NULL, 10) : without;
}

static void whatever_is_pressed_it_goes_on(void **state)
{
    unsigned long keys = setting_of("KEYS", 600), seed = setting_of("SEED", 1), done = 0, rounds = 0;
    for (; done < keys; rounds++) {
        if (getenv("KEYS")) // the last one is the one that failed
            fprintf(stderr, "# SEED=%lu\n", seed + rounds);
        done += play(seed + rounds, keys - done < ROUND_KEYS ? (unsigned)(keys - done) : ROUND_KEYS);
    }
    print_message("%lu keys in %lu rounds, %lu sizes\n", done, rounds, sizes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(whatever_is_pressed_it_goes_on) };
    setlocale(LC_CTYPE, "C.UTF-8");
    setenv("TERM", "xterm-256color", 1);
    setenv("VISUAL", "true", 1);
    setenv("WARPBOOK_LIBCUDA", "/nonexistent", 1);
    const char *home = getenv("HOME");
    if (!home || chdir(home) != 0) // `save` writes where the program runs
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
