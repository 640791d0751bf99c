// warpbook: which command, and what it returns.
#include "tui/tui.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

int fail(const struct error *error)
{
    struct text clean = { 0 }; // it may quote a file, a name or a compiler
    text_add_clean(&clean, error->text, strlen(error->text));
    fprintf(stderr, "warpbook: %s\n", text_string(&clean));
    text_free(&clean);
    return (int)error->code;
}

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
    if (strcmp(word, "--version") == 0) {
        puts("warpbook " WARPBOOK_VERSION);
        return finish(EXIT_RIGHT);
    }
    struct error error;
    const struct command *command;
    if (!command_of(word, &command, &error))
        return fail(&error);
    if (asks_help(count - 2, words + 2)) {
        struct paper paper = paper_open(stdout);
        command_help(&paper, command);
        return finish(EXIT_RIGHT);
    }
    struct arguments arguments;
    if (!arguments_read(command, count - 2, words + 2, &arguments, &error))
        return fail(&error);
    return finish(command->run(&arguments));
}
