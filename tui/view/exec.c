// exec: a whole program in the simulator, with what it launched and did wrong. It runs in the background, without the terminal:
// it reads nothing, and what it prints is shown as it comes, and below the rest when it has ended.
#include "engine/run/exec.h"
#include "tui/view/view.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Lives until both the page is closed and the task is done.
struct exec_process {
    struct page *page;  // NULL: closed
    struct words words; // as after `warpbook exec`
    struct arguments arguments;
    struct words flags; // of --flags
    struct text settings;
    char *keep; // the file for a launch to step through; NULL: the program runs to its end
    struct exec_outcome outcome;
    pthread_mutex_t lock; // of `printed` while it runs
    struct text printed;  // no more than PRINTED_MOST and a piece
    struct error error;
    bool ran; // else the error says why not
};
struct exec_page {
    struct reader reader;         // first, as a reader page wants it
    struct exec_process *process; // the one that is shown; NULL: none has ended yet
    struct task *running;         // NULL: none
    struct words words;           // as after `warpbook exec`
    char *folder, *kept;          // of a launch to step through; NULL: none was yet
    char *excerpt;                // of the source of the open finding
    int open;                     // as in struct exec_shown
    uint64_t stepped; // the launch that was stepped through last, by its number in the program; 0: none
    size_t shown;     // bytes of the running one's output that the reader holds
};

enum { PRINTED_MOST = 1 << 20 };

static void process_free(struct exec_process *process)
{
    words_free(&process->words);
    words_free(&process->flags);
    text_free(&process->settings);
    free(process->keep);
    text_free(&process->printed);
    pthread_mutex_destroy(&process->lock);
    exec_outcome_free(&process->outcome);
    free(process);
}

static const char *program_of(const struct exec_process *process)
{
    return process->arguments.operands[0];
}

// ---- in the background ---------------------------------------------------------------------------------------

static void hear(const char *bytes, size_t count, void *context)
{
    struct task *task = context;
    struct exec_process *process = task->context;
    pthread_mutex_lock(&process->lock);
    bool first = !process->printed.length;
    if (process->printed.length <= PRINTED_MOST)
        text_add_n(&process->printed, bytes, count);
    pthread_mutex_unlock(&process->lock);
    if (first)
        task_news(task);
}

static void work(struct task *task)
{
    struct exec_process *process = task->context;
    const struct exec_wish wish = { .program = program_of(process),
                                    .arguments = process->arguments.passed,
                                    .flags = process->flags.count ? process->flags.word : NULL,
                                    .settings = text_string(&process->settings),
                                    .gpu = arguments_value(&process->arguments, "--gpu"),
                                    .keep = process->keep,
                                    .hears = hear,
                                    .context = task,
                                    .stop = &task->stop };
    task_says(task, "%s", program_of(process));
    process->ran = exec_run(&wish, &process->outcome, &process->error);
}

static void step_there(struct exec_page *page, struct app *app, const struct exec_process *process)
{
    if (!process->ran && *process->error.text)
        app_say(app, ROLE_BAD, "%s", process->error.text);
    else if (!process->ran || process->outcome.stopped)
        app_say(app, ROLE_NOTE, "It was stopped before the launch.");
    else if (!file_exists(page->kept))
        app_say(app, ROLE_BAD, "%s did not come to launch %llu again; there is nothing to step through.",
                program_of(process), (unsigned long long)page->stepped);
    else
        app_open_on(app, "step", page->kept);
}

static void done(struct app *app, struct task *task)
{
    struct exec_process *process = task->context;
    app->dirty = true;
    if (!process->page) {
        process_free(process);
        return;
    }
    struct exec_page *page = process->page->state;
    page->running = NULL;
    if (process->keep) {
        if (app->page == process->page) // who has gone on is not taken away from there
            step_there(page, app, process);
        process_free(process);
        return;
    }
    if (page->process)
        process_free(page->process);
    else
        reader_act(&page->reader, app, ACT_TOP, NULL); // from the output, in which somebody may have gone on
    page->process = process;
    page->open = -1;
    page->reader.sheet.width = 0; // drawn anew
}

// What the page shows has no other form.
static bool suits_page(const struct arguments *arguments, struct error *error)
{
    static const char *const others[] = { "--step", "--fail-on", "--report", "--json", "--sarif", "--junit" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (arguments_has(arguments, others[i]))
            return error_set(error, EXIT_USAGE,
                             "The page has no %s; 'output exec ...' shows what the command prints.",
                             others[i]);
    return true;
}

// To be run to its end, or to launch `number` of those that it makes; NULL: it cannot be asked for so.
static struct exec_process *process_new(struct page *page, uint64_t number, struct error *error)
{
    const struct exec_page *exec = page->state;
    struct exec_process *process = mem_new(sizeof *process);
    process->page = page;
    pthread_mutex_init(&process->lock, NULL);
    words_copy(&exec->words, 0, &process->words);
    const struct command *command = command_find(page->app->known.commands, "exec");
    bool good =
        arguments_read(command, (int)process->words.count, process->words.word, &process->arguments, error) &&
        suits_page(&process->arguments, error) &&
        exec_settings(&process->arguments, &process->settings, error);
    const char *flags = good ? arguments_value(&process->arguments, "--flags") : NULL;
    if (!good || (flags && !words_split(flags, &process->flags, error))) {
        process_free(process);
        return NULL;
    }
    if (number) {
        text_free(&process->settings);
        text_addf(&process->settings, "check=all,launch=%llu", (unsigned long long)number);
        process->keep = mem_copy(exec->kept);
    }
    text_add(&process->settings, ",lines=1"); // who watches sees them as they come
    return process;
}

static bool begin(struct page *page, uint64_t number, struct error *error)
{
    struct exec_page *exec = page->state;
    struct exec_process *process = process_new(page, number, error);
    if (!process)
        return false;
    struct task *task = mem_new(sizeof *task);
    *task = (struct task){ .work = work, .done = done, .context = process };
    exec->running = task;
    tasks_add(page->app->tasks, LANE_HELP, task);
    return true;
}

// ---- the page ----------------------------------------------------------------------------------------------------

static bool open_exec(struct page *page, const struct words *words, struct error *error)
{
    struct exec_page *exec = page->state;
    words_copy(words, 1, &exec->words);
    exec->open = -1;
    exec->reader.selected = -1;
    if (begin(page, 0, error))
        return true;
    words_free(&exec->words);
    return false;
}

static void add_printed(struct sheet *sheet, const struct text *printed)
{
    struct text front = { 0 };
    bool more = printed->length > PRINTED_MOST;
    if (!printed->length)
        return;
    text_add_clean(&front, text_string(printed), more ? PRINTED_MOST : printed->length);
    sheet_gap(sheet);
    sheet_add(sheet, ROLE_DIM, "It printed%s:", more ? " this first" : "");
    sheet_end(sheet);
    sheet_lines(sheet, ROLE_TEXT, 0, text_string(&front));
    text_free(&front);
}

static struct sheet running_sheet(struct exec_process *process, int width, bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    sheet_paragraph(&sheet, ROLE_DIM, 0, "It runs. What it launches is shown when it has ended.");
    add_printed(&sheet, &process->printed);
    return sheet;
}

static struct sheet page_sheet(const struct exec_page *page, int width, bool utf8)
{
    const struct exec_process *process = page->process;
    struct sheet sheet;
    if (!process->ran) {
        sheet = sheet_new(width, utf8);
        sheet_lines(&sheet, ROLE_BAD, 0, *process->error.text ? process->error.text : "It was stopped.");
        return sheet;
    }
    sheet = exec_sheet(
        &(struct exec_shown){ program_of(process), &process->outcome, true, page->open, page->excerpt },
        width, utf8);
    add_printed(&sheet, &process->printed);
    return sheet;
}

static int items_of(const struct exec_process *process)
{
    return process && process->ran ? (int)(process->outcome.row_count + process->outcome.finding_count) : 0;
}

// The first time that the program runs: later the page shows what came of the time before.
static void draw_running(struct exec_page *page, struct area area)
{
    struct exec_process *process = page->running->context;
    pthread_mutex_lock(&process->lock);
    if (page->shown != process->printed.length || page->reader.sheet.width != area.cols)
        reader_grow(&page->reader, running_sheet(process, area.cols, area.canvas->utf8));
    page->shown = process->printed.length;
    pthread_mutex_unlock(&process->lock);
}

static void draw_exec(struct page *page, struct area area)
{
    struct exec_page *exec = page->state;
    int margin = area.cols > 80;
    area = area_part(area, 0, margin, area.rows, area.cols - margin);
    if (!exec->process)
        draw_running(exec, area);
    else if (exec->reader.sheet.width != area.cols)
        reader_show(&exec->reader, page_sheet(exec, area.cols, area.canvas->utf8), items_of(exec->process));
    reader_draw(&exec->reader, area);
}

static void title_exec(struct page *page, struct text *out)
{
    words_add(&((struct exec_page *)page->state)->words, 0, out);
}

// ---- what is chosen ------------------------------------------------------------------------------------------------

static const struct exec_row *chosen_row(const struct exec_page *page)
{
    int chosen = page->reader.selected;
    const struct exec_process *process = page->process;
    return process && process->ran && chosen >= 0 && (size_t)chosen < process->outcome.row_count
               ? &process->outcome.rows[chosen]
               : NULL;
}

static const struct exec_finding *chosen_finding(const struct exec_page *page)
{
    const struct exec_process *process = page->process;
    if (!process || !process->ran || page->reader.selected < (int)process->outcome.row_count)
        return NULL;
    size_t i = (size_t)page->reader.selected - process->outcome.row_count;
    return i < process->outcome.finding_count ? &process->outcome.findings[i] : NULL;
}

// The lines around that of the finding, which a sign points to; NULL: the file is not there, or has no such line.
static char *excerpt_of(const struct exec_finding *f)
{
    enum { AROUND = 3 };
    struct text file = { 0 }, out = { 0 };
    struct error unread;
    if (!f->line || !*f->file || !file_read(f->file, &file, &unread))
        return NULL;
    int line = 1;
    bool reached = false;
    for (const char *at = text_string(&file); *at && line <= f->line + AROUND; line++) {
        size_t length = strcspn(at, "\n");
        reached |= line == f->line;
        if (line >= f->line - AROUND) {
            text_addf(&out, "%s%4d ", line == f->line ? ">" : " ", line);
            text_add_clean(&out, at, length);
            text_add(&out, "\n");
        }
        at += length + (at[length] == '\n');
    }
    text_free(&file);
    if (reached)
        return text_take(&out);
    text_free(&out);
    return NULL;
}

static int open_chosen(struct page *page)
{
    struct exec_page *exec = page->state;
    const struct exec_finding *finding = chosen_finding(exec);
    int chosen = exec->reader.selected;
    if (!finding && !chosen_row(exec))
        return app_refuse(page->app, "Nothing is chosen; the arrow keys choose a launch or a finding.");
    free(exec->excerpt);
    exec->excerpt = NULL;
    exec->open = exec->open == chosen ? -1 : chosen;
    if (finding && exec->open >= 0 && !(exec->excerpt = excerpt_of(finding))) {
        exec->open = -1;
        return app_refuse(
            page->app,
            finding->line ? "Its source, %s, cannot be read."
                          : "No line of the source is known; -lineinfo and -g give nvcc's programs lines.",
            finding->file);
    }
    exec->reader.sheet.width = 0;
    return DONE;
}

// To its end, or to launch `number`.
static int run_again(struct page *page, uint64_t number)
{
    struct exec_page *exec = page->state;
    struct error error;
    if (exec->running)
        return app_refuse(page->app, "It runs already.");
    if (exec->kept)
        unlink(exec->kept);
    exec->stepped = number ? number : exec->stepped;
    return begin(page, number, &error) ? DONE : app_refuse(page->app, "%s", error.text);
}

static int step_through(struct page *page, uint64_t number)
{
    struct exec_page *exec = page->state;
    struct error error;
    if (!number)
        return app_refuse(page->app, "No launch is chosen; the arrow keys choose one.");
    if (!exec->folder && !(exec->folder = folder_temporary(&error)))
        return app_refuse(page->app, "%s", error.text);
    if (!exec->kept)
        exec->kept = path_join(exec->folder, "launch");
    return run_again(page, number);
}

static int step_at(struct page *page)
{
    const struct exec_row *row = chosen_row(page->state);
    const struct exec_finding *finding = chosen_finding(page->state);
    return step_through(page, row ? row->numbers[0] : finding && finding->kernel ? finding->launch : 0);
}

// Which of the row's launches was stepped through last, from 1; 0: none of them.
static uint64_t turn_of(const struct exec_row *row, uint64_t number)
{
    for (uint64_t i = 0; i < row->launches; i++)
        if (row->numbers[i] == number)
            return i + 1;
    return 0;
}

static int step_at_launch(struct page *page, const struct words *words)
{
    const struct exec_page *exec = page->state;
    const struct exec_row *row = chosen_row(exec);
    char nothing[] = "", *end = nothing;
    if (!row)
        return app_refuse(page->app, "Choose a row of launches; the arrow keys do.");
    const uint64_t turn =
        words->count > 1 ? strtoull(words->word[1], &end, 10) : turn_of(row, exec->stepped) + 1;
    if (*end || turn < 1 || turn > row->launches)
        return app_refuse(page->app, "The row has %llu launch%s.", (unsigned long long)row->launches,
                          row->launches == 1 ? "" : "es");
    return step_through(page, row->numbers[turn - 1]);
}

static int edit_there(struct page *page)
{
    const struct exec_finding *finding = chosen_finding(page->state);
    if (!finding || !finding->line || !*finding->file)
        return app_refuse(page->app, "Choose a finding with a line of the source; that is edited.");
    return own_edit(page->app, finding->file, finding->line);
}

static int act_exec(struct page *page, enum act act, const struct words *words)
{
    struct exec_page *exec = page->state;
    switch (act) {
    case ACT_ENTER:
        return open_chosen(page);
    case ACT_RUN:
        return run_again(page, 0);
    case ACT_STEP_PAGE:
        return step_at(page);
    case ACT_LAUNCH:
        return step_at_launch(page, words);
    case ACT_EDIT:
        return edit_there(page);
    default:
        return reader_act(&exec->reader, page->app, act, words);
    }
}

static bool click_exec(struct page *page, int row, int col)
{
    return reader_click(&((struct exec_page *)page->state)->reader, row, col);
}

static bool offers_exec(const struct page *page, enum act act)
{
    const struct exec_page *exec = page->state;
    const struct exec_finding *finding = chosen_finding(exec);
    switch (act) {
    case ACT_ENTER:
        return chosen_row(exec) || finding;
    case ACT_STEP_PAGE:
        return !exec->running && (chosen_row(exec) || (finding && finding->kernel));
    case ACT_LAUNCH:
        return !exec->running && chosen_row(exec);
    case ACT_EDIT:
        return finding && finding->line && *finding->file;
    case ACT_RUN:
        return !exec->running;
    default:
        return true;
    }
}

static const char *hints(const struct page *page)
{
    return "enter counters or source, step-page step, edit edit, run run again";
}

static void close_exec(struct page *page)
{
    struct exec_page *exec = page->state;
    reader_free(&exec->reader);
    if (exec->running) {
        ((struct exec_process *)exec->running->context)->page = NULL;
        exec->running->stop = true;
    }
    if (exec->process)
        process_free(exec->process);
    if (exec->kept)
        unlink(exec->kept);
    if (exec->folder)
        rmdir(exec->folder);
    words_free(&exec->words);
    free(exec->kept);
    free(exec->folder);
    free(exec->excerpt);
}

const struct page_ops exec_page = { .name = "exec",
                                    .operands = "PROGRAM | FILE.cu [ARGUMENTS ...]",
                                    .help =
                                        "A whole program in the simulator: its launches and its mistakes.",
                                    .most = 30,
                                    .size = sizeof(struct exec_page),
                                    .open = open_exec,
                                    .title = title_exec,
                                    .draw = draw_exec,
                                    .act = act_exec,
                                    .click = click_exec,
                                    .word = reader_page_word,
                                    .offers = offers_exec,
                                    .hints = hints,
                                    .copy = reader_page_copy,
                                    .close = close_exec };
