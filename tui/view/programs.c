// The bench of a lab of host programs: its programs as rows with their times, live or recorded, and the time line of the
// chosen one, or its source. They run here, compiled by nvcc, and without a size or a simulator.
#include "tui/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum programs_pane { PANE_TIME_LINE, PANE_PROGRAM, PROGRAM_PANES };
static const char *const pane_names[PROGRAM_PANES + 1] = { "time line", "source" };

// A run in the background; lives until both the page has closed and the task is done.
struct program_run {
    struct page *page; // NULL: closed
    struct host_programs programs;
    const struct host_program *program; // one of them
    struct timeline timeline;
    bool came;
    struct error error;
    struct task *task;
};

struct program_row {
    struct timeline timeline;
    bool came;
    char *error; // of the last run, of which no time line came; NULL: none
    bool bad;    // it is the program's fault
    struct program_run *run;
};

struct programs_page {
    struct lab_entry lab;
    struct host_programs programs;
    struct program_row *rows; // as many
    int chosen;
    enum programs_pane pane;
    struct reader time_line, source;
    struct area rows_area;
    struct tabs tabs;
};

static const struct host_program *chosen_program(const struct programs_page *state)
{
    return &state->programs.list[state->chosen];
}

// ---- what is known of a program -----------------------------------------------------------------------------------

static void row_free(struct program_row *row)
{
    if (row->run)
        row->run->page = NULL;
    timeline_free(&row->timeline);
    free(row->error);
    *row = (struct program_row){ .timeline.total_ms = NAN };
}

static void rows_free(struct programs_page *state)
{
    for (size_t i = 0; i < state->programs.count; i++)
        row_free(&state->rows[i]);
    free(state->rows);
    state->rows = NULL;
}

// Reads the programs anew; what is known of one that did not change stays.
static bool read_programs(struct programs_page *state, struct error *error)
{
    struct host_programs programs;
    if (!host_programs_read(state->lab.name, &programs, error))
        return false;
    struct program_row *rows = mem_new(programs.count * sizeof *rows);
    for (size_t i = 0; i < programs.count; i++) {
        bool same =
            i < state->programs.count && strcmp(programs.list[i].code, state->programs.list[i].code) == 0;
        if (same) {
            rows[i] = state->rows[i];
            state->rows[i] = (struct program_row){ 0 };
        } else {
            rows[i].came = host_recorded(&programs.list[i], &rows[i].timeline);
        }
    }
    rows_free(state);
    host_programs_free(&state->programs);
    state->programs = programs;
    state->rows = rows;
    if (state->chosen >= (int)programs.count)
        state->chosen = (int)programs.count - 1;
    return true;
}

static bool is_timed(const struct program_row *row)
{
    return row->came && row->timeline.total_ms > 0;
}

static double slowest(const struct programs_page *state)
{
    double most = 0;
    for (size_t i = 0; i < state->programs.count; i++)
        if (is_timed(&state->rows[i]))
            most = fmax(most, state->rows[i].timeline.total_ms);
    return most;
}

static enum role status_of(const struct program_row *row, char *out, size_t size)
{
    bool recorded = row->came && *row->timeline.date;
    const char *words = row->run               ? row->run->task->started ? "runs" : "waits"
                        : row->error           ? "no result"
                        : !row->came           ? ""
                        : recorded             ? "recorded"
                        : row->timeline.right  ? "right"
                        : *row->timeline.wrong ? "wrong"
                                               : "unchecked";
    format_into(out, size, "%s", words);
    return row->run || recorded                 ? ROLE_NOTE
           : row->error || *row->timeline.wrong ? ROLE_BAD
           : row->came && row->timeline.right   ? ROLE_GOOD
                                                : ROLE_NOTE;
}

// ---- running --------------------------------------------------------------------------------------------------------

static void run_free(struct program_run *run)
{
    host_programs_free(&run->programs);
    timeline_free(&run->timeline);
    free(run);
}

static void work(struct task *task)
{
    struct program_run *run = task->context;
    task_says(task, "%s: compiled by nvcc, then run", run->program->name);
    const struct host_terms terms = { .stop = &task->stop };
    run->came = host_obtain(run->program, &terms, &run->timeline, &run->error);
}

static void take(struct program_row *row, struct program_run *run)
{
    free(row->error);
    row->error = run->came ? NULL : mem_copy(run->error.text);
    row->bad = run->error.code != EXIT_MISSING;
    if (!run->came)
        return;
    timeline_free(&row->timeline);
    row->timeline = run->timeline;
    row->came = true;
    run->timeline = (struct timeline){ 0 };
}

static void done(struct app *app, struct task *task)
{
    struct program_run *run = task->context;
    struct programs_page *state = run->page ? run->page->state : NULL;
    if (run->came && !*run->timeline.date)
        app_keep(app, "run", host_event(run->program, &run->timeline));
    for (size_t i = 0; state && i < state->programs.count; i++)
        if (state->rows[i].run == run) {
            state->rows[i].run = NULL;
            if (task->started || run->came)
                take(&state->rows[i], run);
        }
    app->dirty = true;
    run_free(run);
}

// The task has programs of its own: those of the page may be read anew meanwhile.
static void start(struct page *page, int index)
{
    struct programs_page *state = page->state;
    struct program_row *row = &state->rows[index];
    struct error error;
    struct program_run *run = mem_new(sizeof *run);
    if (row->run || !host_programs_read(state->lab.name, &run->programs, &error)) {
        if (!row->run)
            app_say(page->app, ROLE_BAD, "%s", error.text);
        free(run);
        return;
    }
    struct task *task = mem_new(sizeof *task);
    *run = (struct program_run){ .page = page, .programs = run->programs, .task = task };
    run->program = &run->programs.list[index];
    *task = (struct task){ .work = work, .done = done, .context = run };
    row->run = run;
    tasks_add(page->app->tasks, LANE_RUNS, task);
}

// Whether they can run here; if not, why is said.
static bool can_run(struct page *page)
{
    const struct programs_page *state = page->state;
    const struct program_row *row = &state->rows[state->chosen];
    struct error error;
    if (host_ready(&error) || host_compiles(&state->programs.list[state->chosen]))
        return true;
    app_say(page->app, ROLE_BAD, "%s%s", error.text,
            row->came && *row->timeline.date ? " What is shown was recorded." : "");
    return false;
}

static int run_chosen(struct page *page)
{
    struct programs_page *state = page->state;
    if (!can_run(page))
        return DONE_FAILED;
    start(page, state->chosen);
    state->pane = PANE_TIME_LINE;
    return DONE;
}

static int run_all(struct page *page)
{
    struct programs_page *state = page->state;
    if (!can_run(page))
        return DONE_FAILED;
    for (int i = 0; i < (int)state->programs.count; i++)
        start(page, i);
    return DONE;
}

// ---- one's own copy ---------------------------------------------------------------------------------------------------

// The program as a step of a ladder, so that copies of it are made, kept and put aside as those of kernels are.
static struct variant variant_of(const struct host_program *program)
{
    return (struct variant){ .lab = (char *)program->lab,
                             .name = program->name,
                             .path = program->path,
                             .text = program->source,
                             .own = !program->shipped };
}

static int edit(struct page *page)
{
    struct programs_page *state = page->state;
    struct variant variant = variant_of(chosen_program(state));
    struct error error;
    int changed = own_change(page->app, &variant, 1);
    if (changed != DONE)
        return changed;
    if (!read_programs(state, &error))
        return app_refuse(page->app, "%s", error.text);
    if (can_run(page))
        start(page, state->chosen);
    state->pane = PANE_TIME_LINE;
    return DONE;
}

static int reset(struct page *page)
{
    struct programs_page *state = page->state;
    struct variant variant = variant_of(chosen_program(state));
    struct error error;
    if (!own_restore(page->app, &variant))
        return DONE_FAILED;
    return read_programs(state, &error) ? DONE : app_refuse(page->app, "%s", error.text);
}

// ---- opening ------------------------------------------------------------------------------------------------------------

static bool open_programs(struct page *page, const struct words *words, struct error *error)
{
    struct programs_page *state = page->state;
    const char *what = words->word[1], *step = strchr(what, '/');
    char name[64];
    format_into(name, sizeof name, "%.*s", (int)strcspn(what, "/"), what);
    state->time_line.selected = state->source.selected = -1;
    if (!lab_entry_find(name, &state->lab))
        return error_set(error, EXIT_USAGE, "There is no lab '%s'. 'warpbook list' names them.", name);
    if (!read_programs(state, error))
        return false;
    const struct host_program *program = step ? host_program_find(&state->programs, step + 1, error) : NULL;
    if (step && !program) {
        rows_free(state);
        host_programs_free(&state->programs);
        return false;
    }
    state->chosen = program ? (int)(program - state->programs.list) : 0;
    return true;
}

static void title_programs(struct page *page, struct text *out)
{
    text_add(out, ((const struct programs_page *)page->state)->lab.name);
}

static void close_programs(struct page *page)
{
    struct programs_page *state = page->state;
    rows_free(state);
    host_programs_free(&state->programs);
    reader_free(&state->time_line);
    reader_free(&state->source);
}

// ---- drawing: the rows ------------------------------------------------------------------------------------------------------

enum { TIME = 9, BAR_LEAST = 14, BAR_MOST = 80, STATUS = 12, TITLE_LEAST = 20, TITLE_MOST = 50 };

// Where the times come from.
static void put_heading(const struct programs_page *state, struct area area)
{
    const char *here = "", *recorded = "", *date = "";
    for (size_t i = 0; i < state->programs.count; i++) {
        const struct timeline *timeline = &state->rows[i].timeline;
        if (state->rows[i].came && *timeline->date) {
            recorded = timeline->gpu;
            date = timeline->date;
        } else if (state->rows[i].came) {
            here = timeline->gpu;
        }
    }
    int col = area_put(area, 0, 1, ROLE_GPU, "GPU") + 2;
    if (*here)
        col = area_put(area, 0, col, ROLE_DIM, "%s%s", here, *recorded ? "; " : "");
    if (*recorded)
        area_put(area, 0, col, ROLE_NOTE, "recorded on %s, %s", recorded, date);
    else if (!*here)
        area_put(area, 0, col, ROLE_DIM, "not run yet");
}

static void title_of(const struct host_program *program, struct text *out)
{
    text_addf(out, "%.*s %s", (int)strcspn(program->name, "-"), program->name,
              program->title ? program->title : program->name);
}

// "3 Sixteen parts in four streams, 6.731 ms, recorded, 9.5 % of the slowest": what matters most comes first.
static void say_row(const struct programs_page *state, struct area area, int line, int index)
{
    const struct program_row *row = &state->rows[index];
    struct text words = { 0 };
    char time[40] = "", status[40], share[40] = "";
    title_of(&state->programs.list[index], &words);
    text_add(&words, state->programs.list[index].shipped ? "" : " (yours)");
    status_of(row, status, sizeof status);
    if (is_timed(row)) {
        unit_ms(row->timeline.total_ms, time, sizeof time);
        unit_of_slowest(row->timeline.total_ms, slowest(state), share, sizeof share);
    }
    const char *const parts[] = { time, status, share };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        text_addf(&words, "%s%s", *parts[i] ? ", " : "", parts[i]);
    area_cell(area, line, 2, ROLE_TEXT, area.cols - 2, "%s", text_string(&words));
    text_free(&words);
}

// The words that say that a copy is the learner's own are never cut off.
static void put_title(struct area area, int line, int cells, const struct host_program *program)
{
    static const char yours[] = " (yours)";
    struct text title = { 0 };
    title_of(program, &title);
    int room = program->shipped ? cells : cells - text_cells(yours), used = text_cells(text_string(&title));
    area_cell(area, line, 2, ROLE_TEXT, room, "%s", text_string(&title));
    if (!program->shipped)
        area_put(area, line, 2 + (used < room ? used : room), ROLE_TEXT, "%s", yours);
    text_free(&title);
}

static void put_row(const struct programs_page *state, struct area area, int line, int index, bool utf8)
{
    const struct program_row *row = &state->rows[index];
    int room = area.cols - 2 - TIME - STATUS - 2, bar = room >= TITLE_LEAST + BAR_LEAST ? BAR_LEAST : 0;
    int cells = room - bar < TITLE_MOST ? room - bar : TITLE_MOST;
    if (bar)
        bar = room - cells < BAR_MOST ? room - cells : BAR_MOST;
    put_title(area, line, cells, &state->programs.list[index]);
    struct text words = { 0 };
    char time[40] = "", status[40];
    enum role role = status_of(row, status, sizeof status);
    if (is_timed(row)) {
        unit_ms(row->timeline.total_ms, time, sizeof time);
        area_cell(area, line, 2 + cells, *row->timeline.wrong ? ROLE_BAD : ROLE_TITLE, -TIME, "%s", time);
        if (bar)
            bar_text(&words, utf8, row->timeline.total_ms / slowest(state), bar - 2);
        area_put(area, line, 2 + cells + TIME + 1, *row->timeline.date ? ROLE_NOTE : ROLE_GPU, "%s",
                 text_string(&words));
        text_free(&words);
    }
    area_cell(area, line, 2 + cells + TIME + bar + 1, role, STATUS, "%s", status);
}

static void draw_rows(struct programs_page *state, struct area area)
{
    bool utf8 = area.canvas->utf8;
    put_heading(state, area);
    int room = area.rows - 1, top = state->chosen >= room ? state->chosen - room + 1 : 0;
    state->rows_area = area_part(area, 1, 0, room, area.cols);
    for (int line = 1; line < area.rows && top + line - 1 < (int)state->programs.count; line++) {
        int index = top + line - 1;
        bool chosen = index == state->chosen;
        area_put(area, line, 0, ROLE_TITLE, "%s", chosen ? glyph(utf8, GLYPH_RIGHT) : " ");
        if (drawn_flat)
            say_row(state, area, line, index);
        else
            put_row(state, area, line, index, utf8);
        if (chosen) {
            area_mark(area, line, 0, area.cols, MARK_SELECTED);
            area_cursor(area, line, 0);
        }
    }
}

// ---- drawing: the views -----------------------------------------------------------------------------------------------------

static struct sheet time_line_sheet(const struct programs_page *state, int width, bool utf8)
{
    const struct host_program *program = chosen_program(state);
    const struct program_row *row = &state->rows[state->chosen];
    struct sheet sheet = sheet_new(width, utf8);
    struct error error;
    if (program->why)
        sheet_paragraph(&sheet, ROLE_DIM, 1, program->why);
    if (row->error)
        sheet_lines(&sheet, row->bad ? ROLE_BAD : ROLE_TEXT, 1, row->error);
    if (row->came && row->timeline.said.length)
        sheet_lines(&sheet, ROLE_TEXT, 1, text_string(&row->timeline.said));
    if (row->came) {
        char legend[240];
        timeline_add(&sheet, &row->timeline);
        timeline_legend(utf8, legend, sizeof legend);
        sheet_gap(&sheet);
        if (!drawn_flat)
            sheet_paragraph(&sheet, ROLE_DIM, 1, legend);
    } else if (!row->error) {
        bool ready = host_ready(&error);
        sheet_paragraph(&sheet, ROLE_DIM, 1,
                        ready ? "It did not run yet: press r." : "Nothing is recorded of this copy.");
        if (!ready)
            sheet_paragraph(&sheet, ROLE_DIM, 1, error.text);
        if (!ready && host_compiles(chosen_program(state)))
            sheet_paragraph(&sheet, ROLE_DIM, 1,
                            "nvcc is here, though: r compiles it, and says what is wrong.");
    }
    return sheet;
}

static void draw_views(struct programs_page *state, struct area area)
{
    enum { BESIDE = 150 };
    bool utf8 = area.canvas->utf8, both = area.cols >= BESIDE;
    int half = both ? area.cols / 2 : area.cols;
    struct area left = area_part(area, 0, 0, area.rows, half - both),
                right = both ? area_part(area, 0, half + 1, area.rows, area.cols - half - 1) : left;
    const struct listing listing = { .text = chosen_program(state)->source, .numbers = true };
    if (both || state->pane == PANE_TIME_LINE) {
        reader_show(&state->time_line, time_line_sheet(state, left.cols, utf8), 0);
        reader_draw(&state->time_line, left);
    }
    if (both || state->pane == PANE_PROGRAM) {
        reader_show(&state->source, listing_sheet(&listing, right.cols, utf8), 0);
        reader_draw(&state->source, right);
    }
}

static struct reader *shown(struct programs_page *state)
{
    return state->pane == PANE_TIME_LINE ? &state->time_line : &state->source;
}

static void draw_below(struct programs_page *state, struct area area)
{
    struct area line = area_part(area, 0, 0, 1, area.cols);
    area_line(line, 0, ROLE_FRAME);
    state->tabs = tabs_draw(line, pane_names, 0, PROGRAM_PANES - 1, (int)state->pane);
    draw_views(state, area_part(area, 1, 0, area.rows - 1, area.cols));
    size_t more = reader_more(shown(state));
    if (more)
        tabs_more(state->tabs.line, state->tabs.cells, more);
}

static void draw_programs(struct page *page, struct area area)
{
    struct programs_page *state = page->state;
    int rows = 1 + (int)state->programs.count, most = area.rows / 2;
    rows = rows < most ? rows : most;
    if (rows + 1 < area.rows)
        draw_below(state, area_part(area, rows, 0, area.rows - rows, area.cols));
    draw_rows(state, area_part(area, 0, 0, rows, area.cols)); // the cursor is on one of them
}

// ---- acting ------------------------------------------------------------------------------------------------------------------

static int to_program(struct programs_page *state, int index)
{
    if (index < 0 || index >= (int)state->programs.count)
        return DONE_FAILED;
    if (index != state->chosen)
        state->time_line.top = state->source.top = 0;
    state->chosen = index;
    return DONE;
}

static int move(struct programs_page *state, enum act act)
{
    struct list list = { .selected = state->chosen };
    list_fit(&list, (int)state->programs.count, (int)state->programs.count);
    int moved = list_act(&list, act);
    to_program(state, list.selected);
    return moved;
}

static int set_pane(struct page *page, int by, const struct words *words)
{
    struct programs_page *state = page->state;
    int pane = ((int)state->pane + by + PROGRAM_PANES) % PROGRAM_PANES;
    if (words && words->count > 1)
        pane = choose_name(page->app, "view", pane_names, PROGRAM_PANES, words->word[1]);
    if (pane < 0)
        return DONE_FAILED;
    state->pane = (enum programs_pane)pane;
    return DONE;
}

static int beside(struct page *page, int by)
{
    struct programs_page *state = page->state;
    if (to_program(state, state->chosen + by) == DONE)
        return DONE;
    return app_refuse(page->app, by > 0 ? "This is the last program." : "This is the first program.");
}

static int refuse(struct page *page, enum act act)
{
    const struct programs_page *state = page->state;
    if (act == ACT_EXPORT)
        return app_refuse(
            page->app, "':export %s/%.*s --to FILE' writes it into a file, with what it includes.",
            state->lab.name, (int)strcspn(chosen_program(state)->name, "-"), chosen_program(state)->name);
    return app_refuse(page->app, "A host program runs on a GPU alone, at the size that its text says.");
}

static int act_programs(struct page *page, enum act act, const struct words *words)
{
    struct programs_page *state = page->state;
    switch (act) {
    case ACT_UP:
    case ACT_DOWN:
    case ACT_TOP:
    case ACT_BOTTOM:
        return move(state, act);
    case ACT_VARIANT_NEXT:
        return beside(page, 1);
    case ACT_VARIANT_PREVIOUS:
        return beside(page, -1);
    case ACT_RUN:
        return run_chosen(page);
    case ACT_RUN_ALL:
        return run_all(page);
    case ACT_PANE:
    case ACT_RIGHT:
    case ACT_NEXT:
        return set_pane(page, 1, words);
    case ACT_LEFT:
    case ACT_PREVIOUS:
        return set_pane(page, -1, NULL);
    case ACT_ENTER:
    case ACT_SOURCE:
        state->pane = state->pane == PANE_PROGRAM && act == ACT_ENTER ? PANE_TIME_LINE : PANE_PROGRAM;
        return DONE;
    case ACT_EDIT:
        return edit(page);
    case ACT_RESET:
        return reset(page);
    case ACT_SIM:
    case ACT_SIZE:
    case ACT_DATA:
    case ACT_STEP_PAGE:
    case ACT_WATCH:
    case ACT_BASELINE:
    case ACT_EXPORT:
        return refuse(page, act);
    default:
        return reader_act(shown(state), page->app, act, words);
    }
}

static bool click_programs(struct page *page, int row, int col)
{
    struct programs_page *state = page->state;
    int line = row + page->area.row - state->rows_area.row, count = (int)state->programs.count;
    int pane = tabs_at(&state->tabs, row + page->area.row, col + page->area.col);
    if (pane >= 0)
        state->pane = (enum programs_pane)pane;
    int room = state->rows_area.rows, top = state->chosen >= room ? state->chosen - room + 1 : 0;
    if (line < 0 || line >= room || top + line >= count)
        return pane >= 0;
    return to_program(state, top + line) == DONE;
}

static void word_programs(struct page *page, struct text *out)
{
    reader_word(shown(page->state), out);
}

static void about_programs(struct page *page, struct text *out)
{
    const struct programs_page *state = page->state;
    text_addf(out, "%s/%s", state->lab.name, chosen_program(state)->name);
}

// The row with its time, and the view.
static void copy_programs(struct page *page, int lines, struct text *out)
{
    struct programs_page *state = page->state;
    const struct program_row *row = &state->rows[state->chosen];
    char time[40] = "", status[40];
    about_programs(page, out);
    status_of(row, status, sizeof status);
    if (is_timed(row))
        unit_ms(row->timeline.total_ms, time, sizeof time);
    text_addf(out, "  %s  %s  %s\n\n", chosen_program(state)->title ? chosen_program(state)->title : "", time,
              status);
    reader_copy(shown(state), lines, out);
}

static const char *hints(const struct page *page)
{
    return "run, run-all run all, pane view, source, edit, variant-next next";
}

const struct page_ops programs_page = { .name = "bench",
                                        .operands = "[LAB[/STEP]]",
                                        .help = "The programs of a lab: what they overlap, and when.",
                                        .most = 1,
                                        .size = sizeof(struct programs_page),
                                        .open = open_programs,
                                        .title = title_programs,
                                        .draw = draw_programs,
                                        .act = act_programs,
                                        .click = click_programs,
                                        .word = word_programs,
                                        .hints = hints,
                                        .copy = copy_programs,
                                        .about = about_programs,
                                        .panes = pane_names,
                                        .close = close_programs };
