// The PTX or the machine code of a kernel, made in the background.
#include "tui/view/view.h"

#include "engine/compile/compile.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TARGET = 90 };

static void make(struct task *task)
{
    struct assembly *assembly = task->context;
    struct compiled compiled = { 0 };
    struct compile_request request = { .file = assembly->file,
                                       .source = assembly->source,
                                       .target = assembly->target,
                                       .cubin = assembly->sass,
                                       .stop = &task->stop };
    task_says(task, "compiling");
    bool done = compile(&request, &compiled, &assembly->error);
    if (done && assembly->sass)
        done = disassemble(&compiled, &assembly->text, &assembly->error);
    else if (done)
        text_add(&assembly->text, compiled.ptx);
    if (done)
        *assembly->error.text = 0;
    compiled_free(&compiled);
}

static void assembly_free(struct assembly *assembly)
{
    text_free(&assembly->text);
    free(assembly->file);
    free(assembly->source);
    free(assembly);
}

static void made(struct app *app, struct task *task)
{
    struct assembly *assembly = task->context;
    assembly->made = true;
    if (!assembly->text.length && !*assembly->error.text) // it never began
        error_set(&assembly->error, EXIT_WRONG, "It was stopped before it began.");
    app->dirty = true;
    if (assembly->dropped)
        assembly_free(assembly);
}

struct assembly *assembly_make(struct app *app, const struct variant *variant, bool sass)
{
    struct assembly *assembly = mem_new(sizeof *assembly);
    struct task *task = mem_new(sizeof *task);
    const json_t *gpu = json_object_get(runs_machine(app), "gpu");
    int target = (int)json_integer_value(json_object_get(gpu, "target"));
    *assembly = (struct assembly){ .sass = sass,
                                   .task = task,
                                   .file = mem_copy(variant->path),
                                   .source = variant_source(variant),
                                   .target = target ? target : DEFAULT_TARGET };
    *task = (struct task){ .work = make, .done = made, .context = assembly };
    tasks_add(app->tasks, LANE_HELP, task);
    return assembly;
}

void assembly_drop(struct assembly *assembly)
{
    if (!assembly)
        return;
    assembly->dropped = true;
    if (assembly->made)
        assembly_free(assembly);
    else
        assembly->task->stop = true;
}

void assembly_why_not(const struct assembly *assembly, const struct command *commands, struct area area)
{
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    if (assembly->made)
        message_add(&sheet, ROLE_BAD, assembly->error.text, commands);
    else
        sheet_paragraph(&sheet, ROLE_DIM, 1, "Compiling.");
    sheet_draw(&sheet, area, 0, -1, NULL);
    sheet_free(&sheet);
}

bool assembly_is_noise(const char *line, size_t length)
{
    size_t blanks = strspn(line, " \t");
    return blanks >= length || strncmp(line + blanks, ".loc", 4) == 0 ||
           strncmp(line + blanks, ".file", 5) == 0 || strncmp(line + blanks, "//##", 4) == 0;
}

bool assembly_ends(const char *line)
{
    line += strspn(line, " \t");
    return strncmp(line, ".section\t.debug", 15) == 0;
}
