// PTX and SASS beside a source: compiled behind the screen, with the lines that the chosen line became lit.
#include "tui/view/source.h"

#include "engine/compile/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TARGET = 90 };

// ---- behind the screen ---------------------------------------------------------------------------------------------

static void make(struct task *task)
{
    struct beside *beside = task->context;
    struct compiled compiled = { 0 };
    bool sass = beside->side == SIDE_SASS;
    struct compile_request request = { .file = beside->file,
                                       .source = beside->source,
                                       .target = beside->target,
                                       .cubin = sass,
                                       .stop = &task->stop };
    task_says(task, "compiling");
    bool done = compile(&request, &compiled, &beside->error);
    if (done && sass)
        done = disassemble(&compiled, &beside->text, &beside->error);
    else if (done)
        text_add(&beside->text, compiled.ptx);
    if (done)
        *beside->error.text = 0;
    compiled_free(&compiled);
}

static void beside_free(struct beside *beside)
{
    text_free(&beside->text);
    free(beside->file);
    free(beside->source);
    free(beside);
}

static void made(struct app *app, struct task *task)
{
    struct beside *beside = task->context;
    beside->made = true;
    if (!beside->text.length && !*beside->error.text) // it never began
        error_set(&beside->error, EXIT_WRONG, "It was stopped before it began.");
    app->dirty = true;
    if (!beside->page)
        beside_free(beside);
}

void beside_drop(struct source_page *source, enum side side)
{
    struct beside *beside = source->beside[side];
    source->beside[side] = NULL;
    if (!beside)
        return;
    beside->page = NULL;
    if (beside->made)
        beside_free(beside);
    else
        beside->task->stop = true;
}

void beside_show(struct page *page, enum side side)
{
    struct source_page *source = page->state;
    struct beside *beside = mem_new(sizeof *beside);
    struct task *task = mem_new(sizeof *task);
    const json_t *gpu = json_object_get(runs_machine(page->app), "gpu");
    int target = (int)json_integer_value(json_object_get(gpu, "target"));
    *beside = (struct beside){ .page = page,
                               .side = side,
                               .task = task,
                               .file = mem_copy(source->target.variant->path),
                               .source = variant_source(source->target.variant),
                               .target = target ? target : DEFAULT_TARGET };
    *task = (struct task){ .work = make, .done = made, .context = beside };
    beside_drop(source, side);
    source->beside[side] = beside;
    source->beside_reader[side].top = 0;
    tasks_add(page->app->tasks, LANE_HELP, task);
}

// ---- which line it came from --------------------------------------------------------------------------------------------

// ".loc 1 12 9" and "//## File "x.cu", line 12": from here on, until the next.
static int line_of(const char *line, size_t length, int now)
{
    char text[200];
    int file, number;
    format_into(text, sizeof text, "%.*s", (int)length, line);
    const char *loc = strstr(text, ".loc"), *mark = strstr(text, ", line ");
    if (loc && sscanf(loc, ".loc %d %d", &file, &number) == 2)
        return number;
    if (mark && strstr(text, "File") && sscanf(mark, ", line %d", &number) == 1)
        return number;
    return now;
}

static bool is_noise(const char *line, size_t length)
{
    size_t blanks = strspn(line, " \t");
    return blanks >= length || strncmp(line + blanks, ".loc", 4) == 0 ||
           strncmp(line + blanks, ".file", 5) == 0 || strncmp(line + blanks, "//##", 4) == 0;
}

// Where what debuggers read begins, behind the functions.
static bool is_debugging(const char *line)
{
    line += strspn(line, " \t");
    return strncmp(line, ".section\t.debug", 15) == 0;
}

// The lines, without what only says where they come from; those of the chosen source line are marked with a sign.
static struct sheet beside_sheet(const struct beside *beside, int chosen, int width, bool utf8, int *first)
{
    struct sheet sheet = sheet_new(width, utf8);
    int now = 0;
    *first = -1;
    for (const char *at = text_string(&beside->text); *at;) {
        size_t length = strcspn(at, "\n");
        if (is_debugging(at))
            break;
        now = line_of(at, length, now);
        if (!is_noise(at, length)) {
            bool lit = now == chosen && chosen > 0;
            if (lit && *first < 0)
                *first = (int)sheet.line_count;
            sheet.item = lit ? 0 : -1;
            sheet_add(&sheet, lit ? ROLE_TITLE : ROLE_DIM, "%s", lit ? glyph(utf8, GLYPH_RIGHT) : " ");
            sheet_add(&sheet, ROLE_DIM, now ? "%3d " : "    ", now);
            sheet_add_n(&sheet, lit ? ROLE_TITLE : ROLE_TEXT, at, length);
            sheet_end(&sheet);
        }
        if (*at == '}') // the function ends; what follows came from no line
            now = 0;
        at += length + (at[length] == '\n');
    }
    return sheet;
}

static void draw_why_not(const struct beside *beside, const struct command *commands, struct area area)
{
    struct sheet sheet = sheet_new(area.cols, area.canvas->utf8);
    struct text words = { 0 };
    prompt_words(&words, beside->error.text, commands);
    if (beside->made)
        sheet_paragraph(&sheet, ROLE_BAD, 1, text_string(&words));
    else
        sheet_paragraph(&sheet, ROLE_DIM, 1, "Compiling.");
    sheet_draw(&sheet, area, 0, -1, NULL);
    sheet_free(&sheet);
    text_free(&words);
}

void beside_draw(struct page *page, enum side side, struct area area)
{
    struct source_page *source = page->state;
    const struct beside *beside = source->beside[side];
    struct reader *reader = &source->beside_reader[side];
    struct area body = area_part(area, 1, 0, area.rows, area.cols);
    area_line(area, 0, ROLE_FRAME);
    int behind = area_put(area, 0, 1, ROLE_TITLE, "[%s]", side == SIDE_PTX ? "PTX" : "SASS");
    if (!beside->made || *beside->error.text) {
        draw_why_not(beside, page->app->known.commands, body);
        return;
    }
    int first, chosen = source->reader.selected + 1;
    reader_show(reader, beside_sheet(beside, chosen, body.cols, body.canvas->utf8, &first), 0);
    size_t rows = (size_t)(body.rows > 0 ? body.rows : 1), top = reader->top;
    bool in_sight = first >= (int)top && first < (int)(top + rows);
    if (first >= 0 && !in_sight)
        reader->top = (size_t)first > rows / 3 ? (size_t)first - rows / 3 : 0;
    reader_draw(reader, body);
    tabs_more(area, behind, reader_more(reader));
}
