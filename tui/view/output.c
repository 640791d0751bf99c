// output: a command of the command line, run as it would be outside, with what it prints on a page that scrolls.
#include "tui/view/view.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Lives until both the page is closed and the task is done.
struct output_run {
    struct page *page; // NULL: closed
    struct words words;
    pthread_mutex_t lock; // of `out` until the task is done
    struct text out;
    int status;
    bool ended, failed, stopped;
    struct error error;
};
struct output {
    struct reader reader; // first, as a reader page wants it
    struct output_run *run;
    size_t shown; // bytes of its output that the reader holds
};

enum { OUTPUT_MOST = 4 << 20, PRINTED = 80 }; // PRINTED: columns of a command that prints into a pipe

// ---- in the background ---------------------------------------------------------------------------------------

static void read_some(int *fd, struct output_run *run)
{
    char piece[16384];
    ssize_t got = read(*fd, piece, sizeof piece);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        close(*fd);
        *fd = -1;
        return;
    }
    pthread_mutex_lock(&run->lock);
    if (run->out.length < OUTPUT_MOST)
        text_add_n(&run->out, piece, (size_t)got);
    pthread_mutex_unlock(&run->lock);
}

static void listen_once(struct output_run *run, struct child *child)
{
    struct pollfd fds[2] = { { child->out, POLLIN, 0 }, { child->err, POLLIN, 0 } };
    if (poll(fds, 2, 100) <= 0)
        return;
    if (fds[0].revents)
        read_some(&child->out, run);
    if (fds[1].revents)
        read_some(&child->err, run);
}

// A command that is stopped may still print what it had; when that takes too long, it is killed.
static void listen_to(struct task *task, struct output_run *run, struct child *child)
{
    enum { PATIENCE_MS = 2000 };
    double deadline = 0;
    while (child->out >= 0 || child->err >= 0) {
        if (task->stop && !run->stopped) {
            run->stopped = true;
            deadline = clock_ms() + PATIENCE_MS;
            kill(child->pid, SIGINT); // not its worker, of which it would say that it was killed
        }
        if (run->stopped && clock_ms() > deadline)
            break;
        bool silent = !run->out.length;
        listen_once(run, child);
        if (silent && run->out.length)
            task_news(task);
    }
    if (child->out >= 0)
        close(child->out);
    if (child->err >= 0)
        close(child->err);
    while (!child_ended(child->pid, &run->status)) {
        deadline = task->stop && !deadline ? clock_ms() + PATIENCE_MS : deadline;
        if (deadline && clock_ms() > deadline) {
            child_kill(child->pid, &run->status);
            break;
        }
        poll(NULL, 0, 10);
    }
    run->stopped |= task->stop;
}

static void work(struct task *task)
{
    struct output_run *run = task->context;
    const char *argv[40] = { NULL };
    struct child child;
    char *self = path_self();
    size_t count = 0;
    argv[count++] = self ? self : "warpbook";
    for (size_t i = 1; i < run->words.count; i++)
        argv[count++] = run->words.word[i];
    task_says(task, "%s", run->words.word[1]);
    run->failed = !child_start_on(argv, &(struct child_terms){ 0 }, &child, &run->error);
    free(self);
    if (run->failed)
        return;
    close(child.in);
    listen_to(task, run, &child);
}

// ---- the page ----------------------------------------------------------------------------------------------------

static void run_free(struct output_run *run)
{
    words_free(&run->words);
    pthread_mutex_destroy(&run->lock);
    text_free(&run->out);
    free(run);
}

static void done(struct app *app, struct task *task)
{
    struct output_run *run = task->context;
    run->ended = true;
    if (run->page)
        ((struct output *)run->page->state)->reader.sheet.width = 0; // drawn anew
    else
        run_free(run);
    app->dirty = true;
}

static bool open_output(struct page *page, const struct words *words, struct error *error)
{
    struct output *output = page->state;
    if (words->count < 2)
        return error_set(error, EXIT_USAGE, "output takes a command: output list histogram");
    if (strcmp(words->word[1], "worker") == 0 || strcmp(words->word[1], "shell") == 0)
        return error_set(error, EXIT_USAGE, "%s talks on stdin and stdout; it works only outside the screen.",
                         words->word[1]);
    struct output_run *run = output->run = mem_new(sizeof *run);
    struct task *task = mem_new(sizeof *task);
    pthread_mutex_init(&run->lock, NULL);
    run->page = page;
    words_copy(words, 0, &run->words);
    output->reader.selected = -1;
    *task = (struct task){ .work = work, .done = done, .context = run };
    tasks_add(page->app->tasks, LANE_HELP, task);
    return true;
}

// A line as it is; what does not fit goes on below, after a blank where one is near.
static void add_line(struct sheet *sheet, const char *at, size_t bytes)
{
    enum { NEAR = 20, DEEPER = 4 };
    size_t blanks = 0;
    while (blanks < bytes && at[blanks] == ' ')
        blanks++;
    int indent = (int)blanks + DEEPER < sheet->width / 2 ? (int)blanks + DEEPER : 0;
    while (bytes && sheet->used + text_cells_n(at, bytes) > sheet->width) {
        size_t fits = text_fit_n(at, bytes, sheet->width - sheet->used), cut = fits;
        while (cut && fits - cut < NEAR && at[cut - 1] != ' ')
            cut--;
        cut = cut > blanks && at[cut - 1] == ' ' ? cut : fits ? fits : bytes;
        sheet_add_n(sheet, ROLE_TEXT, at, cut);
        sheet_end(sheet);
        sheet_to(sheet, indent);
        at += cut;
        bytes -= cut;
        blanks = 0;
    }
    sheet_add_n(sheet, ROLE_TEXT, at, bytes);
    sheet_end(sheet);
}

// Commands that it names are written as the prompt takes them.
static void add_output(struct sheet *sheet, const char *output, const struct command *commands)
{
    struct text words = { 0 };
    prompt_words(&words, output, commands);
    const char *at = text_string(&words);
    for (size_t length; *at; at += length + (at[length] == '\n')) {
        length = strcspn(at, "\n");
        add_line(sheet, at, length);
    }
    text_free(&words);
}

static struct sheet output_sheet(const struct output_run *run, const struct command *commands, int width,
                                 bool utf8)
{
    struct sheet sheet = sheet_new(width, utf8);
    char how[200];
    if (!run->ended && !run->out.length) {
        sheet_paragraph(&sheet, ROLE_DIM, 0, "It runs.");
        return sheet;
    }
    if (run->failed)
        sheet_paragraph(&sheet, ROLE_BAD, 0, run->error.text);
    else
        add_output(&sheet, text_string(&run->out), commands);
    if (run->ended && run->stopped) {
        sheet_gap(&sheet);
        sheet_add(&sheet, ROLE_NOTE, "It was stopped.");
        sheet_end(&sheet);
    } else if (!run->failed && run->ended && run->status) {
        child_describe(run->status, how, sizeof how);
        sheet_gap(&sheet);
        sheet_add(&sheet, ROLE_NOTE, "It %s.", how);
        sheet_end(&sheet);
    }
    return sheet;
}

// What it prints about a step or a lab of which an open prediction asks is folded as a whole.
static const char *asked_word(const struct page *page)
{
    const struct words *words = &((const struct output *)page->state)->run->words;
    for (size_t i = 2; i < words->count; i++)
        if (asked_about(page, words->word[i]))
            return words->word[i];
    return NULL;
}

static void draw_output(struct page *page, struct area area)
{
    struct output *output = page->state;
    struct output_run *run = output->run;
    if (asked_word(page)) {
        asked_line(page, area, "");
        output->reader.sheet.width = 0; // made when it is shown
        return;
    }
    int margin = area.cols > PRINTED;
    area = area_part(area, 0, margin, area.rows, area.cols - margin);
    pthread_mutex_lock(&run->lock);
    bool more = output->shown != run->out.length || !output->reader.sheet.width;
    if (more || output->reader.sheet.width != area.cols)
        reader_grow(&output->reader,
                    output_sheet(run, page->app->known.commands, area.cols, area.canvas->utf8));
    output->shown = run->out.length;
    pthread_mutex_unlock(&run->lock);
    reader_draw(&output->reader, area);
}

static void title_output(struct page *page, struct text *out)
{
    words_add(&((struct output *)page->state)->run->words, 1, out);
}

static int act_output(struct page *page, enum act act, const struct words *words)
{
    const char *asked;
    int done = DONE_NOT;
    while (act == ACT_UNFOLD && (asked = asked_word(page)) && asked_show(page, asked) == DONE)
        done = DONE;
    if (act == ACT_UNFOLD && done == DONE_NOT)
        return app_refuse(page->app, "Nothing is folded here.");
    return done == DONE_NOT ? reader_page_act(page, act, words) : done;
}

// Lines are not broken there, and what is folded stays so.
static void copy_output(struct page *page, int lines, struct text *out)
{
    struct output *output = page->state;
    if (asked_word(page))
        return;
    if (lines) {
        reader_copy(&output->reader, lines, out);
        return;
    }
    pthread_mutex_lock(&output->run->lock);
    text_add_n(out, text_string(&output->run->out), output->run->out.length);
    pthread_mutex_unlock(&output->run->lock);
}

static void close_output(struct page *page)
{
    struct output *output = page->state;
    reader_free(&output->reader);
    output->run->page = NULL;
    if (output->run->ended)
        run_free(output->run);
}

static const char *hints(const struct page *page)
{
    return "page-down page, search, copy copy";
}

const struct page_ops output_page = { .name = "output",
                                      .operands = "COMMAND ...",
                                      .help = "What a command of the command line prints.",
                                      .most = 31,
                                      .size = sizeof(struct output),
                                      .open = open_output,
                                      .title = title_output,
                                      .draw = draw_output,
                                      .act = act_output,
                                      .word = reader_page_word,
                                      .hints = hints,
                                      .copy = copy_output,
                                      .offers = reader_page_offers,
                                      .close = close_output };
