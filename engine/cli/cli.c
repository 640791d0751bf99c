// A line as words, and words as a line; the words after a command, read by the command's own table of flags; what a run or a
// show is about: a lab, one step of its ladder, or a kernel file that belongs to no lab; and what its flags ask for: the
// size, the data, the repeats and the limit.
#include "engine/cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- A line as words --------------------------------------------------------------------------------------

enum { WORDS = sizeof((struct words *)0)->word / sizeof(char *) };

// One word from *at on: 'as it is', "with \ before a quote", or bare. False: a quote was left open.
static bool word_next(const char **at, struct text *out)
{
    char quote = 0;
    const char *p = *at;
    for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
        if (quote && *p == quote)
            quote = 0;
        else if (!quote && (*p == '\'' || *p == '"'))
            quote = *p;
        else if (*p == '\\' && quote != '\'' && p[1])
            text_add_n(out, ++p, 1);
        else
            text_add_n(out, p, 1);
    }
    *at = p;
    return !quote;
}

bool words_split(const char *line, struct words *out, struct error *error)
{
    *out = (struct words){ 0 };
    for (const char *at = line + strspn(line, " \t\n"); *at; at += strspn(at, " \t\n")) {
        struct text word = { 0 };
        bool closed = word_next(&at, &word);
        if (closed && out->count < WORDS) {
            out->word[out->count++] = mem_copy(text_string(&word));
            text_free(&word);
            continue;
        }
        text_free(&word);
        words_free(out);
        return error_set(error, EXIT_USAGE,
                         closed ? "More than %d words in one line." : "A quote was left open.", WORDS);
    }
    return true;
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    *words = (struct words){ 0 };
}

void words_copy(const struct words *words, size_t first, struct words *out)
{
    for (size_t i = first; i < words->count; i++)
        out->word[out->count++] = mem_copy(words->word[i]);
}

void words_add(const struct words *words, size_t first, struct text *out)
{
    for (size_t i = first; i < words->count; i++)
        text_addf(out, "%s%s", i > first ? " " : "", words->word[i]);
}

// ---- The words after a command ----------------------------------------------------------------------------

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

// For a line of a lesson, which belongs to no command, the error lists the flags: "A check takes --set and --size, not
// '--reps'."
static bool unknown_word(const struct command *command, const char *word, struct error *error)
{
    struct text flags = { 0 };
    const char *names[FLAGS];
    size_t count = 0;
    while (count < FLAGS && command->flags[count].name) {
        names[count] = command->flags[count].name;
        count++;
    }
    const char *nearest = string_nearest(word, names, count);
    for (size_t f = 0; f < count; f++)
        text_addf(&flags, "%s%s", !f ? "" : f + 1 == count ? " and " : ", ", names[f]);
    if (!command->run)
        error_set(error, EXIT_USAGE, "A %s takes %s, not '%s'.%s%s%s", command->name, text_string(&flags),
                  word, nearest ? " Did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    else if (nearest)
        error_set(error, EXIT_USAGE, "'%s' has no flag %s. Did you mean %s?", command->name, word, nearest);
    else
        error_set(error, EXIT_USAGE, "'%s' has no flag %s. 'warpbook help %s' lists them.", command->name,
                  word, command->name);
    text_free(&flags);
    return false;
}

static bool unknown_flag(const struct command *command, const char *given, size_t length, struct error *error)
{
    char word[64];
    format_into(word, sizeof word, "%.*s", (int)length, given);
    return unknown_word(command, word, error);
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

// A negative number is no flag. Nor, where the command has no flags, is an argument of several words, such as a note.
static bool is_flag(const struct command *command, const char *word)
{
    bool words = !command->flags[0].name && strchr(word, ' ');
    return word[0] == '-' && word[1] && !strchr("0123456789.", word[1]) && !words;
}

// The flag whose value the word is in some lab: an input's name, or a size's. NULL: none.
static const char *flag_of_value(const char *word)
{
    for (size_t i = 0; i < lab_count; i++) {
        const struct lab *lab = lab_list[i];
        for (int d = 0; d < LAB_DATA && lab->data[d]; d++)
            if (strcmp(lab->data[d], word) == 0)
                return "--data";
        for (int p = 0; p < LAB_PRESETS && lab->presets[p].name; p++)
            if (strcmp(lab->presets[p].name, word) == 0)
                return "--size";
    }
    return NULL;
}

static bool one_too_many(const struct command *command, const char *word, struct error *error)
{
    const char *flag = flag_of_value(word);
    if (flag && flag_find(command, flag, strlen(flag)))
        return error_set(error, EXIT_USAGE, "'%s' alone says nothing here: write %s %s.", word, flag, word);
    return error_set(error, EXIT_USAGE, "'%s' is one word too many: warpbook %s%s%s", word, command->name,
                     *command->operands ? " " : "", command->operands);
}

bool command_passes(const struct command *command, const char *operand)
{
    bool passes = command->passes_on;
    for (const char *const *after = command->passes_after; after && *after && !passes; after++)
        passes = strcmp(*after, operand) == 0;
    return passes;
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
                return unknown_word(command, words[i], error);
            return one_too_many(command, words[i], error);
        } else {
            out->operands[out->operand_count++] = words[i];
            if (command_passes(command, words[i])) {
                out->passed = &words[i + 1];
                break;
            }
        }
    }
    if (out->operand_count < (size_t)command->least)
        return error_set(error, EXIT_USAGE, "'%s' needs one more word: warpbook %s %s", command->name,
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

// ---- What a command is about ------------------------------------------------------------------------------

bool target_lab(const char *name, const struct lab **out, struct error *error)
{
    *out = lab_find(name);
    if (*out)
        return true;
    struct lab_entry entry;
    if (lab_entry_find(name, &entry))
        return error_set(
            error, EXIT_USAGE,
            "The programs of the lab %s have no ladder and no kernel to step: "
            "'warpbook run %s' runs them and draws their time lines, 'warpbook open bench %s' shows "
            "them.",
            name, name, name);
    const char **names = array_room(NULL, 0, lab_entry_count() * sizeof *names);
    for (size_t i = 0; i < lab_entry_count(); i++)
        names[i] = lab_entry(i).name;
    const char *nearest = string_nearest(name, names, lab_entry_count());
    free(names);
    if (nearest)
        return error_set(error, EXIT_USAGE, "There is no lab '%s'. Did you mean %s?", name, nearest);
    return error_set(error, EXIT_USAGE, "There is no lab '%s'. 'warpbook list' names them.", name);
}

static bool is_file(const char *text)
{
    return string_ends(text, ".cu") || string_ends(text, ".ptx") || string_starts(text, "./") ||
           string_starts(text, "/") || string_starts(text, "../");
}

static bool unknown_step(const struct target *target, const char *name, struct error *error)
{
    const struct lab *lab = target->lab;
    if (lab->library && strcmp(lab->library->name, name) == 0)
        return error_set(error, EXIT_USAGE,
                         "%s is no step: it has no source here. 'warpbook run %s' measures it below the "
                         "ladder, and 'warpbook open bench %s' shows its call.",
                         lab->library->title, lab->name, lab->name);
    const char **names = mem_new((target->ladder.count + lab->cpu_count + 1) * sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < target->ladder.count; i++)
        names[count++] = strchr(target->ladder.variants[i].name, '-') + 1;
    for (size_t i = 0; i < lab->cpu_count; i++)
        names[count++] = lab->cpu[i].name;
    const char *nearest = string_nearest(name, names, count);
    free(names);
    if (nearest)
        return error_set(error, EXIT_USAGE, "The lab %s has no step '%s'. Did you mean %s/%s?", lab->name,
                         name, lab->name, nearest);
    return error_set(error, EXIT_USAGE, "The lab %s has no step '%s'. 'warpbook list %s' names them.",
                     lab->name, name, lab->name);
}

bool target_read(const char *text, struct target *out, struct error *error)
{
    *out = (struct target){ 0 };
    if (is_file(text)) {
        if (!variant_read(&out->file, text, error))
            return false;
        out->variant = &out->file;
        return true;
    }
    char name[64];
    const char *slash = strchr(text, '/');
    format_into(name, sizeof name, "%.*s", slash ? (int)(slash - text) : (int)strlen(text), text);
    if (!target_lab(name, &out->lab, error) || !ladder_read(out->lab->name, &out->ladder, error))
        return false;
    if (!slash)
        return true;
    out->variant = ladder_find(&out->ladder, slash + 1);
    for (size_t i = 0; !out->variant && i < out->lab->cpu_count; i++)
        if (strcmp(out->lab->cpu[i].name, slash + 1) == 0)
            out->cpu = &out->lab->cpu[i];
    if (out->variant || out->cpu)
        return true;
    unknown_step(out, slash + 1, error);
    target_free(out);
    return false;
}

void target_free(struct target *target)
{
    ladder_free(&target->ladder);
    variant_free(&target->file);
}

// ---- the flags of a run -----------------------------------------------------------------------------------

static bool take_request_flag(const struct target *target, const char *flag, const char *value,
                              struct request *out, struct error *error)
{
    if (strcmp(flag, "--set") == 0)
        return request_set_param(out, target->lab, target->variant, value, error);
    if (strcmp(flag, "--size") == 0)
        return request_set_size(out, target->lab, value, error);
    if (strcmp(flag, "--memory") == 0)
        return request_set_memory(out, value, error);
    return strcmp(flag, "--data") != 0 || request_set_data(out, target->lab, value, error);
}

bool target_request(const struct target *target, const struct arguments *arguments, int limit_s,
                    struct request *out, struct error *error)
{
    long reps = 0, limit = limit_s;
    if (!arguments_number(arguments, "--reps", 1, REPS_MOST, &reps, error) ||
        !arguments_number(arguments, "--limit", 1, LIMIT_MOST_MS / 1000, &limit, error))
        return false;
    for (size_t i = 0; i < arguments->given_count; i++)
        if (!take_request_flag(target, arguments->given[i].flag, arguments->given[i].value, out, error))
            return false;
    out->lab = mem_copy_if(target->lab ? target->lab->name : NULL);
    out->reps = (int)reps;
    out->limit_ms = (int)limit * 1000;
    return true;
}
