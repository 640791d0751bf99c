// warpbook: which command, and what it returns.
#include "tui/tui.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

int fail(const struct error *error)
{
    fprintf(stderr, "warpbook: %s\n", error->text);
    return (int)error->code;
}

static int unknown_command(const char *word)
{
    const char *names[32];
    size_t count = 0;
    struct error error;
    for (; count < command_count && count < 32; count++)
        names[count] = commands[count].name;
    const char *nearest = string_nearest(word, names, count);
    if (nearest)
        error_set(&error, EXIT_USAGE, "There is no command '%s'. Did you mean %s?", word, nearest);
    else
        error_set(&error, EXIT_USAGE, "There is no command '%s'. 'warpbook help' lists them.", word);
    return fail(&error);
}

// Output that could not be written whole is a failure, unless the reader had enough of it.
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("warpbook: The output could not be written whole.\n", stderr);
    return status ? status : EXIT_MISSING;
}

int main(int count, char **words)
{
    // Character types only: numbers are written with a point everywhere.
    if (!setlocale(LC_CTYPE, "") && !setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "C");
    if (count < 2)
        return finish(command_overview());
    const char *word = words[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        word = "help";
    const struct command *command = command_find(word);
    if (!command)
        return unknown_command(words[1]);
    if (count == 3 && (strcmp(words[2], "--help") == 0 || strcmp(words[2], "-h") == 0)) {
        struct paper paper = paper_open(stdout);
        command_help(&paper, command);
        return finish(EXIT_RIGHT);
    }
    struct error error;
    struct arguments arguments;
    if (!arguments_read(command, count - 2, words + 2, &arguments, &error))
        return fail(&error);
    return finish(command->run(&arguments));
}
