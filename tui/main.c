// warpbook: which command, and what it returns.
#include "engine/room/room.h"
#include "tui/app/app.h"
#include "tui/tui.h"
#include "tui/view/view.h"

#include <fcntl.h>
#include <jansson.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// Output that could not be written whole is a failure, unless the reader had enough of it.
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("warpbook: The output could not be written in full.\n", stderr);
    return status ? status : EXIT_MISSING;
}

// `--help` helps wherever it is among the words of a command; of one that passes words on, only right after it.
static bool asks_help(const struct command *command, int count, char *const *words)
{
    bool asks = false;
    if (command->passes_on && count > 1)
        count = 1;
    for (int i = 0; i < count && !asks && strcmp(words[i], "--") != 0; i++) {
        asks = strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0;
        if (command->passes_after && command_passes(command, words[i]))
            break;
    }
    return asks;
}

static bool opens(const struct command *open, const char *word)
{
    bool found = false;
    for (size_t i = 0; i < FLAGS && open->flags[i].name && !found; i++)
        found = strcmp(open->flags[i].name, word) == 0;
    return found;
}

// The screen's flags may precede a command too: `--light open bench`. They are moved after it.
static void put_command_first(const struct command *open, int count, char **words)
{
    int at = 1;
    while (at < count && opens(open, words[at]))
        at++;
    if (at == 1 || at == count || !command_find(commands, words[at]) || page_find(page_list, words[at]))
        return;
    char *command = words[at];
    memmove(words + 2, words + 1, (size_t)(at - 1) * sizeof *words);
    words[1] = command;
}

// A stream that was closed must not become a file or a pipe that is opened later. Writing to it fails as before.
static void fill_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

// Text is put together on the stack, here and in the threads that simulate.
static bool has_stack(void)
{
    enum { LEAST = 256 << 10 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= LEAST)
        return true;
    fprintf(
        stderr,
        "warpbook: A stack may have %llu KiB here, and warpbook needs %d. Raise the limit: ulimit -s 8192\n",
        (unsigned long long)limit.rlim_cur >> 10, LEAST >> 10);
    return false;
}

// Terminal descriptions that come with the program (make bundle) are the last that are looked at.
static void offer_terminals(void)
{
    char *shipped = path_shipped("terminfo");
    struct text folders = { 0 };
    if (file_exists(shipped)) {
        text_addf(&folders, "/etc/terminfo:/lib/terminfo:/usr/share/terminfo:/usr/lib/terminfo:%s", shipped);
        setenv("TERMINFO_DIRS", folders.data, 0);
    }
    text_free(&folders);
    free(shipped);
}

// What a learner types beside the screen is a sign of life for the class.
static void tell_class(const char *command)
{
    static const char *const works[] = { "run",     "sim",    "show",   "exec",     "lesson", "explain",
                                         "explore", "export", "review", "workbook", "list",   "report" };
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(command, works[i]) == 0)
            member_works(command);
}

int main(int count, char **words)
{
    fill_streams();
    if (!has_stack())
        return EXIT_MISSING;
    json_set_alloc_funcs(mem_new, free); // else an object that finds no memory is left out in silence
    signal(SIGXFSZ, SIG_IGN);            // a full disk is an error with a sentence
    signal(SIGCHLD, SIG_DFL);            // a parent that ignores it would hide how our children end
    // Character types only: numbers are written with a point everywhere.
    if (!setlocale(LC_CTYPE, "") && !setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "C");
    offer_terminals();
    const char *wants_flat = getenv("WARPBOOK_FLAT");
    drawn_flat = wants_flat && *wants_flat;
    if (count < 2)
        return finish(command_alone(commands));
    put_command_first(command_find(commands, "open"), count, words);
    const char *word = words[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        word = "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "version") == 0) {
        puts("warpbook " WARPBOOK_VERSION);
        return finish(EXIT_RIGHT);
    }
    struct error error;
    const struct command *command = command_find(commands, "open");
    int first = opens(command, word) ? 1 : 2; // the screen's own flags need no command
    if (first == 2 && !(command = command_named(commands, word, &error)))
        return fail(&error);
    if (asks_help(command, count - first, words + first)) {
        struct paper paper = paper_open(stdout);
        command_help(&paper, command);
        return finish(EXIT_RIGHT);
    }
    struct arguments arguments;
    if (!arguments_read(command, count - first, words + first, &arguments, &error))
        return fail(&error);
    arguments.commands = commands;
    tell_class(command->name);
    return finish(command->run(&arguments));
}
