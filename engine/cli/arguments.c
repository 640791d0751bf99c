// The words after a command, read by the command's own table of flags.
#include "engine/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct command *command_find(const struct command *table, const char *name)
{
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

static const struct flag *flag_find(const struct command *command, const char *word, size_t length)
{
    for (int f = 0; f < FLAGS && command->flags[f].name; f++)
        if (strlen(command->flags[f].name) == length && strncmp(command->flags[f].name, word, length) == 0)
            return &command->flags[f];
    return NULL;
}

// For a line of a lesson, which no command reads: "A check takes --set and --size, not '--reps'."
static bool not_taken(const struct command *line, const char *word, struct error *error)
{
    struct text flags = { 0 };
    for (int f = 0; f < FLAGS && line->flags[f].name; f++) {
        bool last = f + 1 == FLAGS || !line->flags[f + 1].name;
        text_addf(&flags, "%s%s", !f ? "" : last ? " and " : ", ", line->flags[f].name);
    }
    error_set(error, EXIT_USAGE, "A %s takes %s, not '%s'.", line->name, text_string(&flags), word);
    text_free(&flags);
    return false;
}

static bool unknown_flag(const struct command *command, const char *given, size_t length, struct error *error)
{
    char word[64];
    const char *names[FLAGS];
    size_t count = 0;
    format_into(word, sizeof word, "%.*s", (int)length, given);
    if (!command->run)
        return not_taken(command, word, error);
    while (count < FLAGS && command->flags[count].name) {
        names[count] = command->flags[count].name;
        count++;
    }
    const char *nearest = string_nearest(word, names, count);
    if (nearest)
        return error_set(error, EXIT_USAGE, "'%s' has no flag %s. Did you mean %s?", command->name, word,
                         nearest);
    return error_set(error, EXIT_USAGE, "'%s' has no flag %s. 'warpbook help %s' lists them.", command->name,
                     word, command->name);
}

// Reads the flag at words[*at], and its value, which may be the next word.
static bool take_flag(const struct command *command, int count, char *const *words, int *at,
                      struct arguments *out, struct error *error)
{
    const char *word = words[*at], *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const struct flag *flag = flag_find(command, word, length);
    if (!flag)
        return unknown_flag(command, word, length, error);
    if (!flag->value && equals)
        return error_set(error, EXIT_USAGE, "%s takes no value.", flag->name);
    const char *value = equals ? equals + 1 : NULL;
    if (flag->value && !equals) {
        if (*at + 1 >= count)
            return error_set(error, EXIT_USAGE, "%s needs a value: %s %s.", flag->name, flag->name,
                             flag->value);
        value = words[++*at];
    }
    if (out->given_count == GIVEN)
        return error_set(error, EXIT_USAGE, "There are more than %d flags.", GIVEN);
    out->given[out->given_count].flag = flag->name;
    out->given[out->given_count++].value = value;
    return true;
}

// A number below 0 is no flag. Nor are several words in one, such as a note's, where the command has no flags.
static bool is_flag(const struct command *command, const char *word)
{
    bool words = !command->flags[0].name && strchr(word, ' ');
    return word[0] == '-' && word[1] && !strchr("0123456789.", word[1]) && !words;
}

bool arguments_read(const struct command *command, int count, char *const *words, struct arguments *out,
                    struct error *error)
{
    bool flags = true;
    *out = (struct arguments){ .command = command };
    for (int i = 0; i < count; i++) {
        if (flags && strcmp(words[i], "--") == 0) {
            flags = false;
        } else if (flags && is_flag(command, words[i])) {
            if (!take_flag(command, count, words, &i, out, error))
                return false;
        } else if (out->operand_count >= (size_t)command->most) {
            if (!command->run)
                return not_taken(command, words[i], error);
            return error_set(error, EXIT_USAGE, "'%s' is one word too many: warpbook %s%s%s", words[i],
                             command->name, *command->operands ? " " : "", command->operands);
        } else {
            out->operands[out->operand_count++] = words[i];
        }
    }
    if (out->operand_count < (size_t)command->least)
        return error_set(error, EXIT_USAGE, "'%s' needs one word more: warpbook %s %s", command->name,
                         command->name, command->operands);
    return true;
}

const char *arguments_value(const struct arguments *arguments, const char *flag)
{
    for (size_t i = arguments->given_count; i-- > 0;)
        if (strcmp(arguments->given[i].flag, flag) == 0)
            return arguments->given[i].value;
    return NULL;
}

bool arguments_has(const struct arguments *arguments, const char *flag)
{
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].flag, flag) == 0)
            return true;
    return false;
}

bool arguments_number(const struct arguments *arguments, const char *flag, long least, long most, long *out,
                      struct error *error)
{
    const char *value = arguments_value(arguments, flag);
    char *end;
    if (!value)
        return true;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (!*value || *end || errno || number < least || number > most)
        return error_set(error, EXIT_USAGE, "%s takes a whole number from %ld to %ld, not '%s'.", flag, least,
                         most, value);
    *out = number;
    return true;
}
