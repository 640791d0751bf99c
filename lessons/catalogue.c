// All lessons: those that ship, those in the learner's own folder, and those of any other folder that is opened. What
// ships must be sound; a learner's own lesson that is broken is listed with its error and hides no other.
#include "lessons/markdown.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define OWN                                                                                                  \
    "own/" // begins the names of lessons in the own folder; lessons elsewhere are named by their paths
static const char lesson_file[] = "lesson.md";

struct taken_lesson {
    struct lesson lesson;
    struct taken_lesson *next;
};

// ---- names ------------------------------------------------------------------------------------------------

const char *lesson_folder(const struct lesson *lesson)
{
    const char *slash = strrchr(lesson->name, '/');
    return slash ? slash + 1 : lesson->name;
}

const struct lesson *lesson_beside(const struct lessons *lessons, const struct lesson *lesson, int by)
{
    size_t at = 0;
    while (at < lessons->count && strcmp(lessons->list[at].name, lesson->name) != 0)
        at++;
    if (by < 0) // one that is not listed comes after all others
        return at ? &lessons->list[at - 1] : NULL;
    return at + 1 < lessons->count ? &lessons->list[at + 1] : NULL;
}

bool lesson_is_own(const struct lesson *lesson)
{
    return strchr(lesson->name, '/');
}

// `word` is a lesson's whole name, its folder, or the folder without the number.
static bool is_called(const char *name, const char *word)
{
    const char *slash = strrchr(name, '/'), *folder = slash ? slash + 1 : name, *dash = strchr(folder, '-');
    return strcmp(name, word) == 0 || strcmp(folder, word) == 0 || (dash && strcmp(dash + 1, word) == 0);
}

const struct lesson *lessons_find(const struct lessons *lessons, const char *word)
{
    char *end;
    long number = strtol(word, &end, 10);
    bool is_number = isdigit((unsigned char)*word) && !*end;
    for (size_t i = 0; i < lessons->count; i++) {
        const struct lesson *lesson = &lessons->list[i];
        if (is_number ? lesson->number == number : is_called(lesson->name, word))
            return lesson;
    }
    return NULL;
}

// The number, unless another one comes first with it.
void lesson_opens_by(const struct lessons *lessons, const struct lesson *lesson, size_t part,
                     struct text *out)
{
    char number[12], dotted[24] = "";
    format_into(number, sizeof number, "%d", lesson->number);
    if (part)
        format_into(dotted, sizeof dotted, ".%zu", part);
    const struct lesson *first = lessons_find(lessons, number);
    bool clear = first ? strcmp(first->name, lesson->name) == 0 : !lesson_is_own(lesson);
    if (clear) {
        text_addf(out, "lesson %s%s", number, dotted);
        return;
    }
    text_add(out, "lesson \"");
    for (const char *c = lesson->name; *c; c++)
        text_addf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    text_addf(out, "%s\"", dotted);
}

// Beside a lesson of one's own, in the same folder of the own folder, a copy would take the place of its file.
char *lesson_copy(const struct lesson *lesson, const char *file)
{
    struct text below = { 0 };
    text_addf(&below, "lessons/%s/%s", lesson->name, lesson_file);
    char *path = lesson_is_own(lesson) ? NULL : path_own(below.data);
    bool apart = lesson_is_own(lesson) || (path && file_exists(path));
    free(path);
    below.length = 0;
    if (apart)
        text_addf(&below, "copies/%s%s/%s", *lesson->name == '/' ? "elsewhere" : "", lesson->name, file);
    else
        text_addf(&below, "lessons/%s/%s", lesson->name, file);
    path = path_own(below.data);
    text_free(&below);
    return path;
}

// ---- folders ------------------------------------------------------------------------------------------------

static void rename_lesson(struct lesson *lesson, const char *name)
{
    free(lesson->name);
    lesson->name = mem_copy(name);
}

static void add_broken(struct lessons *lessons, const char *name, const char *words)
{
    lessons->broken = array_room(lessons->broken, lessons->broken_count, sizeof *lessons->broken);
    lessons->broken[lessons->broken_count++] =
        (struct broken_lesson){ .name = mem_copy(name), .words = mem_copy(words) };
}

static bool add_lesson(struct lessons *lessons, const char *path, struct error *error)
{
    lessons->list = array_room(lessons->list, lessons->count, sizeof *lessons->list);
    bool read = lesson_read(&lessons->list[lessons->count], path, error);
    lessons->count += read;
    return read;
}

static void add_own(struct lessons *lessons, const char *name, const char *path)
{
    struct error error;
    if (add_lesson(lessons, path, &error))
        rename_lesson(&lessons->list[lessons->count - 1], name);
    else
        add_broken(lessons, name, error.text);
}

// `own`: a lesson is named OWN and its folder, and numbers need not be unique.
static bool folder_read(const char *folder, bool own, struct lessons *out, struct error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, lesson_is_folder, alphasort);
    if (count < 0)
        return error_set(error, EXIT_MISSING, "Cannot read the folder %s: %s.", folder, strerror(errno));
    bool read = true;
    for (int i = 0; i < count; i++) {
        struct text name = { 0 };
        char *below = path_join(folder, entries[i]->d_name), *path = path_join(below, lesson_file);
        text_addf(&name, OWN "%s", entries[i]->d_name);
        if (file_exists(path) && own)
            add_own(out, name.data, path);
        else if (read && file_exists(path))
            read = add_lesson(out, path, error);
        text_free(&name);
        free(path);
        free(below);
        free(entries[i]);
    }
    free(entries);
    return read;
}

static void own_read(struct lessons *out)
{
    struct error error;
    char *folder = path_own("lessons");
    if (folder && file_exists(folder) && !folder_read(folder, true, out, &error))
        add_broken(out, OWN, error.text);
    free(folder);
}

// ---- all of them ------------------------------------------------------------------------------------------------

// 0: it ships; 1: it lies in the own folder; 2: elsewhere.
static int group_of(const struct lesson *lesson)
{
    return !lesson_is_own(lesson) ? 0 : *lesson->name != '/' ? 1 : 2;
}

static int by_number(const void *one, const void *other)
{
    const struct lesson *a = one, *b = other;
    if (group_of(a) != group_of(b))
        return group_of(a) - group_of(b);
    return a->number != b->number ? a->number - b->number : strcmp(a->name, b->name);
}

static void sort(struct lessons *lessons)
{
    if (lessons->count)
        qsort(lessons->list, lessons->count, sizeof *lessons->list, by_number);
}

static bool numbers_check(const struct lessons *lessons, struct error *error)
{
    for (size_t i = 1; i < lessons->count; i++) {
        const struct lesson *one = &lessons->list[i - 1], *other = &lessons->list[i];
        if (one->number == other->number)
            return error_set(error, EXIT_USAGE, "%s and %s are both lesson %d; give one another number.",
                             one->path, other->path, one->number);
    }
    return true;
}

bool lessons_read(const char *folder, struct lessons *out, struct error *error)
{
    *out = (struct lessons){ 0 };
    char *shipped = folder ? NULL : path_shipped("lessons");
    bool read = folder_read(folder ? folder : shipped, false, out, error);
    free(shipped);
    sort(out);
    read = read && numbers_check(out, error);
    if (!read) {
        lessons_free(out);
    } else if (!folder) {
        own_read(out);
        sort(out);
    }
    return read;
}

void lessons_recall(struct lessons *lessons, const struct workbook *workbook)
{
    size_t count = 0;
    char **names = workbook ? workbook_lessons(workbook, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        char *path = path_join(names[i], lesson_file);
        if (*names[i] == '/' && file_exists(path))
            add_own(lessons, names[i], path);
        free(path);
        free(names[i]);
    }
    free(names);
    sort(lessons);
}

void lessons_free(struct lessons *lessons)
{
    for (size_t i = 0; i < lessons->count; i++)
        lesson_free(&lessons->list[i]);
    for (size_t i = 0; i < lessons->broken_count; i++) {
        free(lessons->broken[i].name);
        free(lessons->broken[i].words);
    }
    while (lessons->taken) {
        struct taken_lesson *taken = lessons->taken;
        lessons->taken = taken->next;
        lesson_free(&taken->lesson);
        free(taken);
    }
    free(lessons->list);
    free(lessons->broken);
    *lessons = (struct lessons){ 0 };
}

// ---- opening one --------------------------------------------------------------------------------------------------

static bool same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Pages hold on to lessons, so one that has changed stays beside the new one.
static const struct lesson *keep_taken(struct lessons *lessons, struct lesson *lesson)
{
    for (const struct taken_lesson *taken = lessons->taken; taken; taken = taken->next)
        if (strcmp(taken->lesson.name, lesson->name) == 0 && strcmp(taken->lesson.text, lesson->text) == 0) {
            lesson_free(lesson);
            return &taken->lesson;
        }
    struct taken_lesson *taken = mem_new(sizeof *taken);
    *taken = (struct taken_lesson){ *lesson, lessons->taken };
    lessons->taken = taken;
    return &taken->lesson;
}

// The lesson of this file as it is now; it is called `name`, unless it is one of the list.
static bool take(struct lessons *lessons, const char *path, const char *name, const struct lesson **out,
                 struct error *error)
{
    const struct lesson *known = NULL;
    struct lesson fresh;
    for (size_t i = 0; i < lessons->count && !known; i++)
        known = same_file(lessons->list[i].path, path) ? &lessons->list[i] : NULL;
    *out = known;
    if (known && !lesson_is_own(known))
        return true;
    if (!lesson_read(&fresh, path, error))
        return false;
    rename_lesson(&fresh, known ? known->name : name);
    if (known && strcmp(known->text, fresh.text) == 0)
        lesson_free(&fresh);
    else
        *out = keep_taken(lessons, &fresh);
    return true;
}

// `word`: a lesson's folder or the file in it. False with `error` untouched: neither is there.
static bool take_folder(struct lessons *lessons, const char *word, const struct lesson **out,
                        struct error *error)
{
    char real[PATH_MAX];
    char *path = realpath(word, real) ? mem_copy(real) : mem_copy("");
    bool file = string_ends(path, "/lesson.md"), there = *path;
    if (file)
        *strrchr(path, '/') = 0;
    char *whole = path_join(path, lesson_file);
    bool taken = there && file_exists(whole) && take(lessons, whole, path, out, error);
    free(whole);
    free(path);
    return taken;
}

static bool find_broken(const struct lessons *lessons, const char *word, struct error *error)
{
    for (size_t i = 0; i < lessons->broken_count; i++) {
        const struct broken_lesson *broken = &lessons->broken[i];
        const char *slash = strrchr(broken->name, '/');
        char number[12];
        format_into(number, sizeof number, "%d", lesson_number(slash ? slash + 1 : broken->name));
        if (strcmp(number, word) == 0 || is_called(broken->name, word))
            return !error_set(error, EXIT_USAGE, "%s", broken->words);
    }
    return false;
}

static bool no_lesson(const struct lessons *lessons, const char *word, struct error *error)
{
    const char *names[LESSON_MOST];
    size_t count = 0;
    if (strchr(word, '/'))
        return error_set(error, EXIT_USAGE,
                         "There is no lesson in %s: it is a folder NN-name with a file lesson.md.", word);
    for (; count < lessons->count && count < LESSON_MOST; count++)
        names[count] = lesson_folder(&lessons->list[count]);
    const char *near = string_nearest(word, names, count);
    if (near)
        return error_set(error, EXIT_USAGE, "There is no lesson '%s'. Did you mean %s?", word, near);
    return error_set(error, EXIT_USAGE, "There is no lesson '%s'. 'warpbook lesson' lists them.", word);
}

static bool open_whole(struct lessons *lessons, const char *word, const struct lesson **out,
                       struct error *error)
{
    const struct lesson *known = lessons_find(lessons, word);
    *out = known;
    if (known && lesson_is_own(known)) // it may have changed
        return take(lessons, known->path, known->name, out, error);
    if (known)
        return true;
    error->text[0] = 0;
    bool number = !word[strspn(word, "0123456789")];
    if (find_broken(lessons, word, error))
        return false;
    if (!number && take_folder(lessons, word, out, error))
        return true;
    return *error->text ? false : no_lesson(lessons, word, error);
}

// The '.' of "6.2" or "./13-mine.2", which ends the lesson's name; NULL: a whole lesson is meant. What names a lesson or a
// folder that is there is that one, whatever it ends with.
static const char *part_dot(const struct lessons *lessons, const char *word)
{
    const char *dot = strrchr(word, '.');
    if (!dot || dot == word || lessons_find(lessons, word) || file_exists(word))
        return NULL;
    char *stem = mem_copy_n(word, (size_t)(dot - word));
    bool number = dot[1] && !dot[1 + strspn(dot + 1, "0123456789")];
    bool named =
        lessons_find(lessons, stem) || !stem[strspn(stem, "0123456789")] || (number && file_exists(stem));
    free(stem);
    return named ? dot : NULL;
}

// "1 One kernel, two machines; 2 ..."
static bool no_part(const struct lesson *lesson, const char *word, struct error *error)
{
    struct text parts = { 0 };
    if (!lesson->part_count)
        return error_set(error, EXIT_USAGE, "There is no '%s': lesson %d has no parts.", word,
                         lesson->number);
    for (size_t i = 0; i < lesson->part_count; i++)
        text_addf(&parts, "%s%zu %s", i ? "; " : "", i + 1, lesson->parts[i].title);
    error_set(error, EXIT_USAGE, "There is no '%s'. The parts of lesson %d: %s.", word, lesson->number,
              parts.data);
    text_free(&parts);
    return false;
}

bool lessons_open(struct lessons *lessons, const char *word, const struct lesson **out, size_t *part,
                  struct error *error)
{
    const char *dot = part_dot(lessons, word);
    *part = 0;
    if (!dot)
        return open_whole(lessons, word, out, error);
    char *stem = mem_copy_n(word, (size_t)(dot - word)), *end;
    bool open = open_whole(lessons, stem, out, error) && *out;
    free(stem);
    if (!open)
        return false;
    unsigned long number = isdigit((unsigned char)dot[1]) ? strtoul(dot + 1, &end, 10) : 0;
    if (!number || *end || number > (*out)->part_count)
        return no_part(*out, word, error);
    *part = number;
    return true;
}
