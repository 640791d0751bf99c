// A command that waits for a worker says what goes on, and listens for ^C.
#include "tui/tui.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/site.h"

#define WIPE "\r\033[K"

// The one thing that a signal handler may touch.
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

// A line of the site's that is ignored may be why the worker is not the one that was meant.
static void tell_site(const struct paper *paper)
{
    const struct site *site = site_read();
    for (size_t i = 0; i < site->file_count; i++)
        if (site->files[i].trouble.length)
            paper_put(paper, ROLE_NOTE, "%s: %s\n", site->files[i].path, site->files[i].trouble.data);
}

void waiting_begin(struct waiting *waiting)
{
    struct sigaction note = { .sa_handler = on_interrupt, .sa_flags = SA_RESTART };
    const char *term = getenv("TERM");
    waiting->paper = paper_open(stderr);
    if (!term || strcmp(term, "dumb") == 0)
        waiting->paper.terminal = false;
    sigaction(SIGINT, &note, &waiting->before);
    tell_site(&waiting->paper);
}

int waiting_end(struct waiting *waiting)
{
    sigaction(SIGINT, &waiting->before, NULL);
    return interrupted ? 128 + SIGINT : 0;
}

struct client *waiting_client(const struct arguments *arguments, struct error *error)
{
    enum { DAY_S = 86400 };
    long seconds = 0;
    if (!arguments_number(arguments, "--wait", 1, DAY_S, &seconds, error))
        return NULL;
    struct client *client = client_new();
    if (seconds)
        client_wait(client, (int)seconds);
    return client;
}

bool waiting_stopped(void)
{
    return interrupted != 0;
}

// Where no line can be written over, a command that waits for another process says so once, and once what a scheduler
// says. What follows the colon changes while it waits for its turn.
static void tell_waiting(struct waiting *waiting, const char *stage, double seconds)
{
    bool turn = string_starts(stage, "waiting ");
    size_t colon = turn ? strcspn(stage, ":") : sizeof waiting->told;
    bool queues = seconds >= 1 && string_starts(stage, "starting: "); // sooner it is what a login prints
    if ((!turn && !queues) || strncmp(stage, waiting->told, colon) == 0)
        return;
    format_into(waiting->told, sizeof waiting->told, "%s", stage);
    paper_put(&waiting->paper, ROLE_DIM, "%s: %s\n", waiting->what, stage);
    fflush(waiting->paper.file);
}

bool waiting_show(void *context, const char *stage, double seconds)
{
    struct waiting *waiting = context;
    struct text line = { 0 };
    if (!waiting->paper.terminal)
        tell_waiting(waiting, stage, seconds);
    text_addf(&line, "  %s: %s %.1f s", waiting->what, stage, seconds);
    for (size_t i = 0; i < line.length; i++) // the name of a file may hold any
        line.data[i] = line.data[i] == '\n' || line.data[i] == '\t' ? ' ' : line.data[i];
    if (waiting->paper.terminal) { // one line, or the next one would not wipe all of it out
        fputs(WIPE, waiting->paper.file);
        paper_put(&waiting->paper, ROLE_DIM, "%.*s",
                  (int)text_fit(text_string(&line), waiting->paper.width - 1), line.data);
    }
    text_free(&line);
    return !interrupted;
}

bool waiting_quietly(void *unused, const char *stage, double seconds)
{
    return !interrupted;
}

void waiting_wipe(const struct waiting *waiting)
{
    if (!waiting->paper.terminal)
        return;
    fputs(WIPE, waiting->paper.file);
    fflush(waiting->paper.file);
}
