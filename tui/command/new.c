// warpbook new lesson: a folder that passes `warpbook check`, to write a lesson in: a copy of assets/new.
#include "tui/tui.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lessons/lessons.h"

// ---- the folder ---------------------------------------------------------------------------------------------------

enum { NAME_ROOM = 60 }; // bytes of a name with its end

static bool name_sound(const char *name, struct error *error)
{
    for (const char *at = name; *at; at++)
        if (!islower((unsigned char)*at) && !isdigit((unsigned char)*at) && *at != '-')
            return error_set(error, EXIT_USAGE,
                             "A lesson's name is made of lower-case letters, digits and '-', not '%s'.",
                             name);
    return (*name && *name != '-' && strlen(name) < NAME_ROOM) ||
           error_set(error, EXIT_USAGE,
                     "A lesson's name starts with a letter or a digit and has 1 to %d characters, not '%s'.",
                     NAME_ROOM - 1, name);
}

// The number after the last lesson of a folder, and whether one has this name.
static int number_after(const char *folder, int number, const char *name, char **taken)
{
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        int other = lesson_number(entry->d_name);
        if (!other)
            continue;
        number = other >= number ? other + 1 : number;
        const char *bare = strchr(entry->d_name, '-');
        if (taken && !*taken && (strcmp(bare + 1, name) == 0 || strcmp(entry->d_name, name) == 0))
            *taken = mem_copy(entry->d_name);
    }
    if (open)
        closedir(open);
    return number;
}

static bool folder_name(const char *name, char *out, size_t size, struct error *error)
{
    char *shipped = path_shipped("lessons"), *own = path_own("lessons"), *taken = NULL;
    int number = number_after(shipped, 1, name, NULL);
    if (own)
        number = number_after(own, number, name, NULL);
    number = number_after(".", number, name, &taken);
    free(own);
    bool numbered = lesson_number(name) > 0;
    free(shipped);
    if (numbered)
        format_into(out, size, "%s", name);
    else
        format_into(out, size, "%02d-%s", number, name);
    bool free_name = !taken && !file_exists(out);
    if (!free_name)
        error_set(error, EXIT_USAGE, "%s already exists; nothing was changed. Use another name.",
                  taken ? taken : out);
    else if (!numbered && number > LESSON_MOST)
        free_name = error_set(error, EXIT_USAGE, "Lesson %d already exists; give the number yourself: NN-%s.",
                              LESSON_MOST, name);
    free(taken);
    return free_name;
}

// Copies one file of the template; a line `title: NAME` gets the lesson's name.
static bool copy_file(const char *from, const char *to, const char *file, const char *name,
                      struct error *error)
{
    static const char title[] = "title: NAME\n";
    struct text text = { 0 }, out = { 0 };
    char *source = path_join(from, file), *copy = path_join(to, file);
    bool done = file_read(source, &text, error);
    const char *at = text_string(&text), *found = strstr(at, title);
    if (found) {
        text_addf(&out, "%.*stitle: %s\n", (int)(found - at), at, name);
        at = found + strlen(title);
    }
    text_add(&out, at);
    done = done && file_replace(copy, text_string(&out), out.length, error);
    text_free(&text);
    text_free(&out);
    free(source);
    free(copy);
    return done;
}

static bool write_all(const char *folder, const char *name, struct error *error)
{
    static const char *const files[] = { "lesson.md", "add.cu", "add-solution.cu", "add-wrong-bound.cu",
                                         "add-wrong-last.cu" };
    char *shipped = path_shipped("assets/new");
    bool written = folder_make(folder, error);
    for (size_t i = 0; written && i < sizeof files / sizeof *files; i++)
        written = copy_file(shipped, folder, files[i], name, error);
    free(shipped);
    return written;
}

static void say_own_folder(const struct paper *paper)
{
    char *own = path_own("lessons");
    struct text words = { 0 };
    text_addf(&words, "Moved into %s it is listed after the others, for whoever learns there.",
              own ? own : "");
    if (own)
        paper_wrap(paper, ROLE_DIM, 0, words.data);
    text_free(&words);
    free(own);
}

int command_new(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    const char *what = arguments->operands[0], *name = arguments->operands[1];
    char folder[100];
    struct error error;
    if (strcmp(what, "lesson") != 0) {
        error_set(&error, EXIT_USAGE, "'new' makes a lesson: warpbook new lesson NAME.");
        return fail(&error);
    }
    if (!name_sound(name, &error) || !folder_name(name, folder, sizeof folder, &error) ||
        !write_all(folder, name, &error))
        return fail(&error);
    paper_put(&paper, ROLE_TITLE, "%s/lesson.md", folder);
    paper_put(&paper, ROLE_TEXT, " and its kernels are written.\n");
    paper_put(&paper, ROLE_DIM,
              "Change them, and look with 'warpbook check %s'.\n"
              "'warpbook open lesson ./%s' takes it, as a learner does.\n",
              folder, folder);
    say_own_folder(&paper);
    return EXIT_RIGHT;
}
