// warpbook export: a step of a lab, a file that stands alone, or the task of a lesson, as a host program.
#include "engine/run/export.h"
#include "lessons/lessons.h"
#include "tui/text/text.h"
#include "tui/tui.h"

#include <stdlib.h>
#include <string.h>

// ---- a task of a lesson -----------------------------------------------------------------------------------

// An error that lists the lesson's tasks.
static bool no_task(const struct lesson *lesson, const char *name, struct error *error)
{
    struct text tasks = { 0 };
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct live *live = &lesson->blocks[i].live;
        if (lesson->blocks[i].kind == BLOCK_LIVE && live_field(live, "solution"))
            text_addf(&tasks, "%s%s", tasks.length ? ", " : "", live->id);
    }
    error_set(error, EXIT_USAGE, "Lesson %d has no task '%s' with a kernel. It has: %s.", lesson->number,
              name, tasks.length ? tasks.data : "none");
    text_free(&tasks);
    return false;
}

// The learner's copy of the task's file, or what ships; NULL: a challenge that is not begun ships no kernel.
static char *path_of(const struct lesson *lesson, const struct live *live, struct error *error)
{
    const char *file = live_field(live, "file");
    char *own = lesson_copy(lesson, file);
    if (own && file_exists(own))
        return own;
    free(own);
    if (live->kind != LIVE_CHALLENGE)
        return path_join(live->folder, file);
    error_set(error, EXIT_USAGE,
              "This challenge begins with an empty file, and you have not written one: 'warpbook open lesson "
              "%d %s'.",
              lesson->number, live->id);
    return NULL;
}

static bool read_task(const struct lesson *lesson, const char *name, struct target *out, struct error *error)
{
    const struct live *live = NULL;
    for (size_t i = 0; i < lesson->block_count && !live; i++)
        if (lesson->blocks[i].kind == BLOCK_LIVE && lesson->blocks[i].live.id &&
            strcmp(lesson->blocks[i].live.id, name) == 0 && live_field(&lesson->blocks[i].live, "solution"))
            live = &lesson->blocks[i].live;
    if (!live)
        return no_task(lesson, name, error);
    const char *lab = live_field(live, "lab"), *file = live_field(live, "file");
    char *path = path_of(lesson, live, error), *called = text_format("%s%s", lab ? "1-" : "", file);
    struct text text = { 0 };
    bool done = path && file_read(path, &text, error) &&
                variant_parse(&out->file, lab, called, text_string(&text), error);
    if (done) {
        out->lab = lab ? lab_find(lab) : NULL;
        out->variant = &out->file;
        // A standalone file is on no ladder, and its name is the file's.
        out->file.step = 0;
        free(out->file.name);
        out->file.name = mem_copy_n(file, strlen(file) - strlen(".cu"));
    }
    free(path);
    free(called);
    text_free(&text);
    return done;
}

// The lesson in "6/columns"; NULL: no lab and no lesson is called so.
static const struct lesson *lesson_of(const char *text, struct lessons *lessons)
{
    struct error unused;
    const char *slash = strrchr(text, '/');
    const struct lesson *lesson = NULL;
    if (!slash || !lessons_read(NULL, lessons, &unused))
        return NULL;
    char *word = mem_copy_n(text, (size_t)(slash - text));
    if (!lab_find(word))
        lesson = lessons_find(lessons, word);
    free(word);
    return lesson;
}

// ---- what is exported --------------------------------------------------------------------------------------

static bool read_target(const char *text, struct target *out, struct error *error)
{
    struct lessons lessons = { 0 };
    *out = (struct target){ 0 };
    const struct lesson *lesson = string_ends(text, ".cu") ? NULL : lesson_of(text, &lessons);
    bool done =
        lesson ? read_task(lesson, strrchr(text, '/') + 1, out, error) : target_read(text, out, error);
    lessons_free(&lessons);
    if (!done || out->variant || !out->lab)
        return done;
    if (out->cpu)
        error_set(error, EXIT_USAGE, "%s is a CPU implementation; a kernel can be exported.", out->cpu->name);
    else
        error_set(error, EXIT_USAGE,
                  "export takes one step: %s/%s, or another that 'warpbook list %s' names.", out->lab->name,
                  out->ladder.count ? out->ladder.variants[0].name : "STEP", out->lab->name);
    target_free(out);
    return false;
}

// What the program calls itself: the file that it is written into.
static char *name_of(const struct arguments *arguments, const struct variant *variant)
{
    const char *to = arguments_value(arguments, "--to");
    const char *slash = to ? strrchr(to, '/') : NULL;
    const char *name = slash ? slash + 1 : to;
    return name && *name ? mem_copy(name) : export_name(variant);
}

static bool export_target(const struct arguments *arguments, const struct target *target, struct error *error)
{
    struct request request = { .on = ON_GPU };
    struct text program = { 0 };
    char *name = name_of(arguments, target->variant);
    bool done = target_request(target, arguments, 1, &request, error) &&
                export_program(target->variant, &request, name, &program, error) &&
                document_put(arguments, &program, error);
    free(name);
    text_free(&program);
    request_free(&request);
    return done;
}

int command_export(const struct arguments *arguments)
{
    struct target target;
    struct error error;
    if (programs_mean(arguments))
        return programs_do(arguments);
    if (!document_asked(arguments, &error) || !read_target(arguments->operands[0], &target, &error))
        return fail(&error);
    bool done = export_target(arguments, &target, &error);
    target_free(&target);
    return done ? EXIT_RIGHT : fail(&error);
}
