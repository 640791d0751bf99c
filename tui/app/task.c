// Work in the background. Each lane is one thread that does its tasks in order; a task that ended waits here until the
// screen's own thread collects it. A descriptor becomes readable whenever there is something new to show.
#include "tui/app/app.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct queue {
    struct task *first, *last;
};
struct task_line { // one lane
    struct tasks *tasks;
    pthread_t thread;
    bool begun; // the thread exists
    pthread_cond_t more;
    struct queue waiting, ended;
    struct task *now;
    size_t open; // whose `done` was not called yet
};
struct tasks {
    pthread_mutex_t lock; // over everything here and in the tasks, but for their context and `stop`
    int wake;
    bool ending;
    struct task_line lines[LANES];
};

static void queue_put(struct queue *queue, struct task *task)
{
    task->next = NULL;
    if (queue->last)
        queue->last->next = task;
    else
        queue->first = task;
    queue->last = task;
}

static struct task *queue_take(struct queue *queue)
{
    struct task *task = queue->first;
    if (task)
        queue->first = task->next;
    if (!queue->first)
        queue->last = NULL;
    return task;
}

// A full counter is readable already, so a failed write loses nothing.
static void wake_up(const struct tasks *tasks)
{
    uint64_t one = 1;
    ssize_t put = write(tasks->wake, &one, sizeof one);
    (void)put;
}

// ---- the lane's own thread --------------------------------------------------------------------------------

// The next task, or NULL at the end. One that was stopped while it waited ends without work.
static struct task *begin(struct task_line *line)
{
    struct tasks *tasks = line->tasks;
    struct task *task = NULL;
    pthread_mutex_lock(&tasks->lock);
    for (;;) {
        task = queue_take(&line->waiting);
        if (task && !task->stop)
            break;
        if (task) {
            queue_put(&line->ended, task);
            wake_up(tasks);
        } else if (tasks->ending) {
            break;
        } else {
            pthread_cond_wait(&line->more, &tasks->lock);
        }
    }
    line->now = task;
    if (task)
        task->started = clock_ms();
    pthread_mutex_unlock(&tasks->lock);
    return task;
}

static void *work(void *context)
{
    struct task_line *line = context;
    struct tasks *tasks = line->tasks;
    void *stack = signal_stack_open();
    for (struct task *task; (task = begin(line));) {
        wake_up(tasks);
        task->work(task);
        pthread_mutex_lock(&tasks->lock);
        line->now = NULL;
        queue_put(&line->ended, task);
        pthread_mutex_unlock(&tasks->lock);
        wake_up(tasks);
    }
    signal_stack_close(stack);
    return NULL;
}

void task_says(struct task *task, const char *format, ...)
{
    struct text text = { 0 };
    char stage[sizeof task->stage];
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    format_into(stage, sizeof stage, "%s", text_string(&text));
    text_free(&text);
    pthread_mutex_lock(&task->tasks->lock);
    bool news = strcmp(task->stage, stage) != 0;
    memcpy(task->stage, stage, sizeof stage);
    pthread_mutex_unlock(&task->tasks->lock);
    if (news)
        wake_up(task->tasks);
}

void task_news(struct task *task)
{
    wake_up(task->tasks);
}

// Signals are for the screen's thread, except those that a fault raises where it happens: their handler leaves the
// terminal whole.
bool thread_begin(pthread_t *thread, void *(*body)(void *context), void *context)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
    sigset_t quiet, before;
    sigfillset(&quiet);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&quiet, faults[i]);
    pthread_sigmask(SIG_SETMASK, &quiet, &before);
    bool begun = pthread_create(thread, NULL, body, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}

// ---- the screen's thread ----------------------------------------------------------------------------------

struct tasks *tasks_new(int *wake)
{
    struct tasks *tasks = mem_new(sizeof *tasks);
    tasks->wake = *wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&tasks->lock, NULL);
    for (int i = 0; i < LANES; i++) {
        tasks->lines[i].tasks = tasks;
        pthread_cond_init(&tasks->lines[i].more, NULL);
    }
    return tasks;
}

// A task for which no thread can be had ends as if it was stopped.
void tasks_add(struct tasks *tasks, enum lane lane, struct task *task)
{
    struct task_line *line = &tasks->lines[lane];
    task->tasks = tasks;
    if (!line->begun && !tasks->ending)
        line->begun = thread_begin(&line->thread, work, line);
    pthread_mutex_lock(&tasks->lock);
    line->open++;
    if (!line->begun || tasks->ending) {
        task->stop = true;
        queue_put(&line->ended, task);
        wake_up(tasks);
    } else {
        queue_put(&line->waiting, task);
        pthread_cond_signal(&line->more);
    }
    pthread_mutex_unlock(&tasks->lock);
}

static struct task *take_ended(struct tasks *tasks)
{
    struct task *task = NULL;
    pthread_mutex_lock(&tasks->lock);
    for (int i = 0; i < LANES && !task; i++) {
        task = queue_take(&tasks->lines[i].ended);
        if (task)
            tasks->lines[i].open--;
    }
    pthread_mutex_unlock(&tasks->lock);
    return task;
}

void tasks_collect(struct tasks *tasks, struct app *app)
{
    uint64_t count;
    ssize_t got = read(tasks->wake, &count, sizeof count); // empties it; nothing there is fine too
    (void)got;
    for (struct task *task; (task = take_ended(tasks));) {
        task->done(app, task);
        free(task);
    }
}

void tasks_stop(struct tasks *tasks, enum lane lane)
{
    struct task_line *line = &tasks->lines[lane];
    pthread_mutex_lock(&tasks->lock);
    if (line->now)
        line->now->stop = true;
    for (struct task *task = line->waiting.first; task; task = task->next)
        task->stop = true;
    pthread_mutex_unlock(&tasks->lock);
}

size_t tasks_waiting(struct tasks *tasks, enum lane lane)
{
    pthread_mutex_lock(&tasks->lock);
    size_t open = tasks->lines[lane].open;
    pthread_mutex_unlock(&tasks->lock);
    return open;
}

bool tasks_now(struct tasks *tasks, enum lane lane, char *out, size_t size, double *seconds)
{
    pthread_mutex_lock(&tasks->lock);
    const struct task *now = tasks->lines[lane].now;
    format_into(out, size, "%s", now ? now->stage : "");
    *seconds = now ? (clock_ms() - now->started) / 1e3 : 0;
    pthread_mutex_unlock(&tasks->lock);
    return now != NULL;
}

void tasks_free(struct tasks *tasks, struct app *app)
{
    if (!tasks)
        return;
    for (int i = 0; i < LANES; i++)
        tasks_stop(tasks, (enum lane)i);
    pthread_mutex_lock(&tasks->lock);
    tasks->ending = true;
    for (int i = 0; i < LANES; i++)
        pthread_cond_signal(&tasks->lines[i].more);
    pthread_mutex_unlock(&tasks->lock);
    for (int i = 0; i < LANES; i++)
        if (tasks->lines[i].begun)
            pthread_join(tasks->lines[i].thread, NULL);
    tasks_collect(tasks, app);
    for (int i = 0; i < LANES; i++)
        pthread_cond_destroy(&tasks->lines[i].more);
    pthread_mutex_destroy(&tasks->lock);
    if (tasks->wake >= 0)
        close(tasks->wake);
    free(tasks);
}
