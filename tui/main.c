// warpbook: which command, and what it returns.
#include "tui/tui.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

// Output that could not be written whole is a failure, unless the reader had enough of it.
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("warpbook: The output could not be written whole.\n", stderr);
    return status ? status : EXIT_MISSING;
}

// `--help` helps wherever it stands among the words of a command.
static bool asks_help(int count, char *const *words)
{
    bool asks = false;
    for (int i = 0; i < count && !asks && strcmp(words[i], "--") != 0; i++)
        asks = strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0;
    return asks;
}

static bool opens(const struct command *open, const char *word)
{
    bool found = false;
    for (size_t i = 0; i < FLAGS && open->flags[i].name && !found; i++)
        found = strcmp(open->flags[i].name, word) == 0;
    return found;
}

int main(int count, char **words)
{
    signal(SIGXFSZ, SIG_IGN); // a full disk is an error with a sentence
    // Character types only: numbers are written with a point everywhere.
    if (!setlocale(LC_CTYPE, "") && !setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "C");
    if (count < 2)
        return finish(command_alone());
    const char *word = words[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        word = "help";
    if (strcmp(word, "--version") == 0) {
        puts("warpbook " WARPBOOK_VERSION);
        return finish(EXIT_RIGHT);
    }
    struct error error;
    const struct command *command = command_find("open");
    int first = opens(command, word) ? 1 : 2; // the screen's own flags need no command
    if (first == 2 && !command_of(word, &command, &error))
        return fail(&error);
    if (asks_help(count - first, words + first)) {
        struct paper paper = paper_open(stdout);
        command_help(&paper, command);
        return finish(EXIT_RIGHT);
    }
    struct arguments arguments;
    if (!arguments_read(command, count - first, words + first, &arguments, &error))
        return fail(&error);
    return finish(command->run(&arguments));
}
