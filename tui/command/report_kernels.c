// The learner's own copies of kernels, as they are now: of exercises and bug hunts, and of steps on the ladders.
#include "tui/command/report.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 64 << 10 }; // bytes of a file that is not copied into a report

struct adding {
    struct report *report;
    bool begun;
};

static void add_kernel(struct adding *adding, const char *name, const char *text)
{
    if (!adding->begun)
        report_heading(adding->report, 2, "Kernels");
    adding->begun = true;
    report_heading(adding->report, 3, "%s", name);
    if (strlen(text) > LARGE)
        report_words(adding->report, "It has more than %d KiB and is left out.", LARGE >> 10);
    else
        report_code(adding->report, text);
}

static void add_task(struct adding *adding, const struct lesson *lesson, const struct live *live)
{
    struct text below = { 0 }, text = { 0 };
    struct error unused;
    char *path = lesson_copy(lesson, live_field(live, "file"));
    text_addf(&below, "Lesson %d, %s", lesson->number, live->id);
    if (path && file_exists(path) && file_read(path, &text, &unused))
        add_kernel(adding, below.data, text_string(&text));
    text_free(&text);
    text_free(&below);
    free(path);
}

static void add_steps(struct adding *adding, const struct lab *lab)
{
    struct ladder ladder;
    struct error unused;
    if (!ladder_read(lab->name, &ladder, &unused))
        return;
    for (size_t i = 0; i < ladder.count; i++) {
        struct text name = { 0 };
        text_addf(&name, "%s/%s", lab->name, ladder.variants[i].name);
        if (ladder.variants[i].own)
            add_kernel(adding, name.data, ladder.variants[i].text);
        text_free(&name);
    }
    ladder_free(&ladder);
}

void report_kernels(struct report *report, const struct lessons *lessons, const struct lesson *only)
{
    struct adding adding = { .report = report };
    for (size_t i = 0; i < lessons->count; i++) {
        const struct lesson *lesson = &lessons->list[i];
        for (size_t b = 0; b < lesson->block_count && (!only || only == lesson); b++) {
            const struct live *live = &lesson->blocks[b].live;
            bool task = lesson->blocks[b].kind == BLOCK_LIVE &&
                        (live->kind == LIVE_EXERCISE || live->kind == LIVE_BUGHUNT);
            if (task)
                add_task(&adding, lesson, live);
        }
    }
    for (size_t i = 0; i < lab_count; i++)
        if (lesson_shows(only, lab_list[i]->name))
            add_steps(&adding, lab_list[i]);
}
