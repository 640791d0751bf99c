// warpbook new lesson: a folder that passes `warpbook check`, to write a lesson in.
#include "tui/tui.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lessons/lessons.h"

struct new_file {
    const char *name, *text;
};

// ---- what it starts with ------------------------------------------------------------------------------------------

#define KERNEL_HEAD                                                                                          \
    "//@ title   Add\n"                                                                                      \
    "//@ launch  add<<<(n + 255) / 256, 256>>>(a, b, c, n)\n"                                                \
    "extern \"C\" __global__ void add(const double *a, const double *b, double *c,\n"                        \
    "                               int n)\n"                                                                \
    "{\n"                                                                                                    \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"

static const char lesson_text[] = "---\n"
                                  "title: %s\n"
                                  "minutes: 10\n"
                                  "after: say what one will be able to do, a line for each\n"
                                  "---\n"
                                  "\n"
                                  "Say what this is about. Every [thread](term:thread) runs the same text.\n"
                                  "\n"
                                  "<!-- instructor: minutes, mistakes to expect, what to say. -->\n"
                                  "\n"
                                  "## One idea\n"
                                  "\n"
                                  "About 20 lines are a screen. Ask before you tell.\n"
                                  "\n"
                                  "```predict id=sectors\n"
                                  "ask: A warp loads 32 doubles in a row. How many sectors does it touch?\n"
                                  "choice: 4\n"
                                  "choice: 8\n"
                                  "choice: 32\n"
                                  "unit: sectors per request\n"
                                  "run: vecadd/3 --on sim\n"
                                  "value: counters.gld_sec / counters.gld_req\n"
                                  "because: 32 lanes take 8 bytes each, and a sector has 32 bytes.\n"
                                  "```\n"
                                  "\n"
                                  "```quiz id=threads\n"
                                  "ask: 300 elements, blocks of 256 threads. How many blocks are needed?\n"
                                  "choice: 1\n"
                                  "choice: 2\n"
                                  "right: 2\n"
                                  "because: The last block is not full, so the kernel has to look at `n`.\n"
                                  "```\n"
                                  "\n"
                                  "## An exercise\n"
                                  "\n"
                                  "```exercise id=add\n"
                                  "ask: Let each thread add one element.\n"
                                  "file: add.cu\n"
                                  "solution: add-solution.cu\n"
                                  "lab: vecadd\n"
                                  "check: --set n=1000\n"
                                  "check: --set n=1024\n"
                                  "wrong: add-wrong-bound.cu finding\n"
                                  "wrong: add-wrong-last.cu result\n"
                                  "hint: Which element belongs to this thread?\n"
                                  "hint: The grid may have more threads than there are elements.\n"
                                  "hint: `if (i < n) c[i] = a[i] + b[i];`\n"
                                  "because: The last block has threads without an element.\n"
                                  "```\n";

static const struct new_file kernels[] = {
    { "add.cu",
      "// Adds two vectors.\n" KERNEL_HEAD "    // TODO: add the element of this thread, if there is one.\n"
      "}\n" },
    { "add-solution.cu", "// Adds two vectors.\n" KERNEL_HEAD "    if (i < n)\n"
                         "        c[i] = a[i] + b[i];\n"
                         "}\n" },
    { "add-wrong-bound.cu",
      "// Wrong: every thread writes, also behind the end.\n" KERNEL_HEAD "    c[i] = a[i] + b[i];\n"
      "}\n" },
    { "add-wrong-last.cu", "// Wrong: the last element is left out.\n" KERNEL_HEAD "    if (i < n - 1)\n"
                           "        c[i] = a[i] + b[i];\n"
                           "}\n" },
};

// ---- the folder ---------------------------------------------------------------------------------------------------

enum { NAME_ROOM = 60 }; // bytes of a name with its end

static bool name_sound(const char *name, struct error *error)
{
    for (const char *at = name; *at; at++)
        if (!islower((unsigned char)*at) && !isdigit((unsigned char)*at) && *at != '-')
            return error_set(error, EXIT_USAGE,
                             "A lesson's name is made of small letters, digits and '-', not '%s'.", name);
    return (*name && *name != '-' && strlen(name) < NAME_ROOM) ||
           error_set(error, EXIT_USAGE,
                     "A lesson's name starts with a letter or a digit and has 1 to %d characters, not '%s'.",
                     NAME_ROOM - 1, name);
}

// The number behind the last lesson of a folder, and whether one has this name.
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
        error_set(error, EXIT_USAGE, "%s is here already; nothing was changed. Take another name.",
                  taken ? taken : out);
    else if (!numbered && number > LESSON_MOST)
        free_name = error_set(error, EXIT_USAGE, "Lesson %d is there; give the number yourself: NN-%s.",
                              LESSON_MOST, name);
    free(taken);
    return free_name;
}

static bool write_file(const char *folder, const char *name, const char *text, struct error *error)
{
    char *path = path_join(folder, name);
    bool written = file_replace(path, text, strlen(text), error);
    free(path);
    return written;
}

static bool write_all(const char *folder, const char *name, struct error *error)
{
    struct text lesson = { 0 };
    text_addf(&lesson, lesson_text, name);
    bool written = folder_make(folder, error) && write_file(folder, "lesson.md", lesson.data, error);
    for (size_t i = 0; written && i < sizeof kernels / sizeof *kernels; i++)
        written = write_file(folder, kernels[i].name, kernels[i].text, error);
    text_free(&lesson);
    return written;
}

static void say_own_folder(const struct paper *paper)
{
    char *own = path_own("lessons");
    struct text words = { 0 };
    text_addf(&words, "Moved into %s it is listed behind the others, for whoever learns there.",
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
