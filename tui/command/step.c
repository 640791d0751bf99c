// warpbook sim --step: walks through one launch, told by commands on stdin.
#include "tui/command/step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 200 };

// ---- numbers --------------------------------------------------------------------------------------------------

bool step_number(struct session *s, const struct step_words *words, size_t index, uint64_t otherwise,
                 uint64_t *out)
{
    char *end;
    *out = otherwise;
    if (index >= words->count)
        return true;
    const char *word = words->word[index];
    errno = 0;
    *out = strtoull(word, &end, 0);
    if (*word >= '0' && *word <= '9' && !*end && !errno)
        return true;
    text_addf(&s->show.out, "'%s' is not a number.\n", word);
    return false;
}

// ---- reading --------------------------------------------------------------------------------------------------

// Reads one line; what is longer than `room` is left out and makes *too_long. False at the end of the input.
static bool read_line(FILE *in, char *line, size_t room, bool *too_long)
{
    size_t length = 0;
    int c = getc(in);
    *too_long = false;
    if (c == EOF)
        return false;
    for (; c != EOF && c != '\n'; c = getc(in)) {
        if (length + 1 < room)
            line[length++] = (char)c;
        else
            *too_long = true;
    }
    line[length] = 0;
    return true;
}

static void obey(struct session *s, char *line)
{
    struct step_words words = { .count = 0 };
    const char *names[64];
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r", &rest); word && words.count < WORDS;
         word = strtok_r(NULL, " \t\r", &rest))
        words.word[words.count++] = word;
    if (!words.count)
        return;
    for (; count < step_verb_count && count < 64; count++) {
        const struct verb *verb = &step_verbs[count];
        names[count] = verb->name;
        if (strcmp(words.word[0], verb->name) == 0 ||
            (*verb->letter && strcmp(words.word[0], verb->letter) == 0)) {
            verb->run(s, &words);
            return;
        }
    }
    const char *nearest = string_nearest(words.word[0], names, count);
    if (nearest)
        text_addf(&s->show.out, "There is no command '%s'. Did you mean %s?\n", words.word[0], nearest);
    else
        text_addf(&s->show.out, "There is no command '%s'. 'help' lists them.\n", words.word[0]);
}

static void print(struct session *s)
{
    struct text clean = { 0 }; // it may quote the kernel file, its PTX or the input
    text_add_clean(&clean, text_string(&s->show.out), s->show.out.length);
    fputs(text_string(&clean), stdout);
    fflush(stdout);
    text_free(&clean);
    text_free(&s->show.out);
}

static void converse(struct session *s)
{
    char line[LINE_MOST];
    bool too_long;
    step_where(&s->show);
    print(s);
    while (!s->quit && read_line(stdin, line, sizeof line, &too_long)) {
        if (too_long)
            text_addf(&s->show.out, "A command has at most %d characters.\n", LINE_MOST - 1);
        else
            obey(s, line);
        print(s);
    }
}

// ---- the session ----------------------------------------------------------------------------------------------

static bool begin(struct session *s, const struct request *request, struct error *error)
{
    if (!walk_open(&s->walk, request, error))
        return false;
    s->show.trace = s->walk.trace;
    s->show.file = request->file;
    s->show.source = string_ends(request->file, ".ptx") ? NULL : request->source;
    return true;
}

int step_through(const struct request *request)
{
    struct session *s = mem_new(sizeof *s);
    struct error error;
    int status;
    if (begin(s, request, &error)) {
        converse(s);
        status = s->error_seen ? EXIT_WRONG : EXIT_RIGHT;
    } else {
        status = fail(&error);
    }
    text_free(&s->show.out);
    walk_close(&s->walk);
    free(s);
    return status;
}
