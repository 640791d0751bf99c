// warpbook check: whether lessons keep what they promise. Skeletons fail, solutions pass, wrong answers are rejected for
// the reason meant, predictions come out, links lead somewhere, and all of it fits 80 columns.
#include "tui/command/check.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ==== errors with their places, and what it does now ========================================================

void check_names_add(struct check_names *names, const char *name)
{
    names->list = array_room(names->list, names->count, sizeof *names->list);
    names->list[names->count++] = mem_copy(name);
}

void check_names_free(struct check_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct check_names){ 0 };
}

// ---- errors -------------------------------------------------------------------------------------------------

// The first line in red, the rest as it is.
void check_said(struct checking *check, const struct error *error)
{
    size_t length = strcspn(error->text, "\n");
    check_progress_end(check);
    paper_put(&check->paper, ROLE_BAD, "%.*s", (int)length, error->text);
    paper_put(&check->paper, ROLE_TEXT, "%s\n", error->text + length);
    check->errors++;
}

static void error_v(struct checking *check, const struct source *source, int line, const char *word,
                    const char *format, va_list args)
{
    struct lesson file = { .path = (char *)source->file, .text = (char *)source->text };
    struct text message = { 0 };
    struct error error;
    text_addv(&message, format, args);
    lesson_error(&file, line, word, &error, "%s", text_string(&message));
    text_free(&message);
    check_said(check, &error);
}

void check_error(struct checking *check, const char *path, const char *text, int line, const char *word,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_v(check, &(struct source){ path, text }, line, word, format, args);
    va_end(args);
}

void check_lesson_error(struct checking *check, const struct lesson *lesson, int line, const char *word,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_v(check, &(struct source){ lesson->path, lesson->text }, line, word, format, args);
    va_end(args);
}

void check_detail(struct checking *check, const char *text)
{
    if (text && *text)
        paper_lines(&check->paper, ROLE_TEXT, 4, text);
}

void check_not_run(struct checking *check, const struct lesson *lesson, const char *file,
                   const struct error *error)
{
    char name[200];
    format_into(name, sizeof name, "%s/%s", lesson->name, file);
    check_names_add(&check->not_run, name);
    if (!check->missing)
        check->missing = mem_copy(error->text);
}

// ---- what it does now -----------------------------------------------------------------------------------------

#define WIPE "\r\033[K"

void check_progress(struct checking *check, const char *format, ...)
{
    struct text line = { 0 };
    va_list args;
    if (!check->waiting.paper.terminal)
        return;
    text_add(&line, "  ");
    va_start(args, format);
    text_addv(&line, format, args);
    va_end(args);
    fputs(WIPE, check->waiting.paper.file);
    paper_put(&check->waiting.paper, ROLE_DIM, "%.*s",
              (int)text_fit(line.data, check->waiting.paper.width - 1), line.data);
    fflush(check->waiting.paper.file);
    text_free(&line);
}

void check_progress_end(struct checking *check)
{
    waiting_wipe(&check->waiting);
}

// ---- lines of a file ------------------------------------------------------------------------------------------

static const char *line_next(const char *at)
{
    at += strcspn(at, "\n");
    return at + (*at == '\n');
}

int check_line_of(const char *text, int line, const char *word)
{
    enum { FAR = 60 };
    const char *at = text;
    for (int i = 1; i < line && *at; i++)
        at = line_next(at);
    for (int i = line; i < line + FAR && *at; i++, at = line_next(at))
        if (memmem(at, strcspn(at, "\n"), word, strlen(word)))
            return i;
    return line;
}

// Lines //@ of a kernel are as long as they need to be: they cannot go on over the next one.
void check_widths(struct checking *check, const char *path, const char *text)
{
    int line = 1;
    for (const char *at = text; *at; at = line_next(at), line++) {
        int cells = text_cells_n(at, strcspn(at, "\n"));
        if (cells > SOURCE_CELLS && !string_starts(at + strspn(at, " "), "//@"))
            check_error(check, path, text, line, NULL, "the line is %d columns wide; %d fit", cells,
                        SOURCE_CELLS);
    }
}

// ==== folders of lessons ====================================================================================

// ---- what links may lead to -----------------------------------------------------------------------------------

static bool has_lesson(const char *folder, const char *name)
{
    char *below = path_join(folder, name), *file = path_join(below, "lesson.md");
    bool has = file_exists(file);
    free(file);
    free(below);
    return has;
}

static void find_lessons(const char *folder, struct check_names *out)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, lesson_is_folder, alphasort);
    for (int i = 0; i < count; i++) {
        if (has_lesson(folder, entries[i]->d_name))
            check_names_add(out, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

// ---- folders ----------------------------------------------------------------------------------------------------

static void say_error(void *context, const struct error *error)
{
    check_said(context, error);
}

static void check_path(struct checking *check, const char *folder)
{
    struct lesson lesson;
    char *path = path_join(folder, "lesson.md");
    size_t errors = check->errors;
    if (lesson_read_around(&lesson, path, say_error, check)) {
        check->partial = check->errors > errors;
        check_lesson(check, &lesson, errors);
        lesson_free(&lesson);
    }
    free(path);
}

static void check_all_lessons(struct checking *check, const char *folder, const struct check_names *names)
{
    for (size_t i = 0; i < names->count && !waiting_stopped(); i++) {
        char *below = path_join(folder, names->list[i]);
        struct error error;
        int number = lesson_number(names->list[i]);
        if (i && number && number == lesson_number(names->list[i - 1])) {
            error_set(&error, EXIT_WRONG, "%s: error: %s has the same number; give one another", below,
                      names->list[i - 1]);
            check_said(check, &error);
        }
        check_path(check, below);
        free(below);
    }
}

static void read_terms(struct checking *check, const char *folder)
{
    struct error error;
    glossary_free(&check->terms[1]);
    if (!glossary_read_around(folder, say_error, check, &check->terms[1], &error))
        check_said(check, &error);
}

static char *parent_of(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    return slash == folder ? mem_copy("/")
           : slash         ? mem_copy_n(folder, (size_t)(slash - folder))
                           : mem_copy(".");
}

// A folder of lessons, with its glossary.
static bool check_room(struct checking *check, const char *folder, struct error *error)
{
    struct check_names names = { 0 };
    char *glossary = path_join(folder, "glossary");
    bool terms = file_exists(glossary);
    find_lessons(folder, &names);
    bool found = names.count || terms;
    if (!found)
        error_set(error, EXIT_USAGE,
                  "%s holds no lessons. A lesson is a folder NN-name with a lesson.md, and terms lie in a "
                  "folder glossary.",
                  folder);
    for (size_t i = 0; i < names.count; i++)
        check_names_add(&check->lessons, names.list[i]);
    if (terms)
        read_terms(check, glossary);
    check_all_lessons(check, folder, &names);
    if (terms && !waiting_stopped())
        check_terms(check, glossary, &check->terms[1]);
    check_names_free(&names);
    free(glossary);
    return found;
}

// One lesson, a glossary, or a folder of lessons.
static bool check_folder(struct checking *check, const char *given, struct error *error)
{
    size_t length = strlen(given);
    while (length > 1 && given[length - 1] == '/')
        length--;
    char *plain = mem_copy_n(given, length), *real = realpath(plain, NULL);
    if (!real || plain[length - 1] != '.') {
        free(real);
        real = mem_copy(plain);
    }
    char *file = path_join(real, "lesson.md"), *parent = parent_of(real),
         *beside = path_join(parent, "glossary");
    bool done = true;
    if (!file_exists(real)) {
        done = error_set(error, EXIT_USAGE, "There is no folder %s.", real);
    } else if (file_exists(file)) {
        find_lessons(parent, &check->lessons);
        if (file_exists(beside))
            read_terms(check, beside);
        check_path(check, real);
    } else if (string_ends(real, "glossary")) {
        find_lessons(parent, &check->lessons);
        read_terms(check, real);
        check_terms(check, real, &check->terms[1]);
    } else {
        done = check_room(check, real, error);
    }
    free(beside);
    free(parent);
    free(file);
    free(real);
    free(plain);
    return done;
}

static bool check_folders(struct checking *check, const struct arguments *arguments, struct error *error)
{
    char *shipped = path_shipped("lessons"), here[4096];
    bool done = glossary_read(NULL, &check->terms[0], error);
    if (!done && file_exists(shipped)) { // the folder's own errors are said where it is checked
        error->text[0] = 0;
        done = true;
    }
    if (done)
        find_lessons(shipped, &check->lessons);
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = length && strncmp(shipped, here, length) == 0 && shipped[length] == '/';
    if (done && !arguments->operand_count)
        done = check_folder(check, below ? shipped + length + 1 : shipped, error);
    for (size_t i = 0; done && !waiting_stopped() && i < arguments->operand_count; i++)
        done = check_folder(check, arguments->operands[i], error);
    free(shipped);
    return done;
}

// ---- what came out --------------------------------------------------------------------------------------------

static void print_missing(const struct checking *check)
{
    struct text names = { 0 };
    if (!check->not_run.count)
        return;
    text_addf(&names, "Not run, for something is missing here: ");
    for (size_t i = 0; i < check->not_run.count; i++)
        text_addf(&names, "%s%s", i ? ", " : "", check->not_run.list[i]);
    paper_wrap(&check->paper, ROLE_NOTE, 0, names.data);
    paper_lines(&check->paper, ROLE_TEXT, 2, check->missing);
    text_free(&names);
}

static int print_end(const struct checking *check)
{
    const struct check_counts *counts = &check->counts;
    const struct paper *paper = &check->paper;
    char sum[40];
    format_into(sum, sizeof sum, "%zu lesson%s", counts->lessons, counts->lessons == 1 ? "" : "s");
    paper_put(paper, ROLE_TITLE, "%-24s %9zu %9zu %9zu %6zu %7d\n", sum, counts->questions, counts->exercises,
              counts->hunts, counts->orders, counts->minutes);
    if (counts->terms)
        paper_put(paper, ROLE_TITLE, "%zu term%s\n", counts->terms, counts->terms == 1 ? "" : "s");
    print_missing(check);
    if (check->errors)
        paper_put(paper, ROLE_BAD, "%zu error%s\n", check->errors, check->errors == 1 ? "" : "s");
    else if (!check->not_run.count)
        paper_put(paper, ROLE_GOOD, check->fast ? "No errors; no kernel was run.\n" : "No errors.\n");
    return check->errors ? EXIT_WRONG : check->not_run.count ? EXIT_MISSING : EXIT_RIGHT;
}

int command_check(const struct arguments *arguments)
{
    struct checking check = { .commands = arguments->commands, .paper = paper_open(stdout) };
    struct error error;
    check.fast = arguments_has(arguments, "--fast");
    waiting_begin(&check.waiting);
    check.client = client_new();
    bool done = check_folders(&check, arguments, &error);
    check_progress_end(&check);
    fflush(stdout);
    client_free(check.client);
    int stopped = waiting_end(&check.waiting);
    int status = stopped ? stopped : done ? print_end(&check) : fail(&error);
    glossary_free(&check.terms[0]);
    glossary_free(&check.terms[1]);
    check_names_free(&check.lessons);
    check_names_free(&check.not_run);
    check_runs_free(&check);
    free(check.missing);
    return status;
}
