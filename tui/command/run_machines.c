// warpbook run --on h100,l4,here: a ladder on several machines at once, each by a worker of its own, side by side. A
// machine that still queues says so, and what others have measured is shown meanwhile.
#include "tui/command/machines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LOOK_MS = 100 };

// ---- names --------------------------------------------------------------------------------------------------

static const struct site_machine *machine_find(const char *name)
{
    const struct site *site = site_read();
    for (size_t i = 0; i < site->machine_count; i++)
        if (strcmp(site->machines[i].name, name) == 0)
            return &site->machines[i];
    return NULL;
}

static bool no_machine(const char *name, struct error *error)
{
    const struct site *site = site_read();
    struct text known = { 0 };
    for (size_t i = 0; i < site->machine_count; i++)
        text_addf(&known, "%s, ", site->machines[i].name);
    error_set(
        error, EXIT_USAGE,
        "--on takes gpu, cpu, sim, all, or machines with commas between them, not '%s'. Known are %shere; "
        "a line 'machine NAME = ssh NAME warpbook worker' in %s adds one.",
        name, text_string(&known), site->file_count ? site->files[0].path : "a site.conf");
    text_free(&known);
    return false;
}

static bool take_machines(struct machine_table *all, const char *names, struct error *error)
{
    while (*names) {
        size_t length = strcspn(names, ",");
        struct table_machine *machine = &all->machines[all->machine_count];
        if (all->machine_count == MACHINES_MOST)
            return error_set(error, EXIT_USAGE, "--on takes at most %d machines.", MACHINES_MOST);
        *machine = (struct table_machine){ .all = all };
        format_into(machine->name, sizeof machine->name, "%.*s", (int)length, names);
        machine->site = machine_find(machine->name);
        if (!machine->site && strcmp(machine->name, "here") != 0)
            return no_machine(machine->name, error);
        for (size_t i = 0; i < all->machine_count; i++)
            if (strcmp(all->machines[i].name, machine->name) == 0)
                return error_set(error, EXIT_USAGE, "--on names %s twice.", machine->name);
        all->machine_count++;
        names += length + (names[length] == ',');
    }
    return true;
}

static bool take_rows(struct machine_table *all, struct error *error)
{
    const struct target *target = &all->target;
    if (target->cpu)
        return error_set(error, EXIT_USAGE, "%s is a CPU implementation; machines run kernels.",
                         target->cpu->name);
    for (size_t i = 0; target->lab && i < target->ladder.count; i++)
        if (!target->variant || target->variant == &target->ladder.variants[i]) {
            all->rows = array_room((void *)all->rows, all->row_count, sizeof *all->rows);
            all->rows[all->row_count++] = &target->ladder.variants[i];
        }
    if (!target->lab) {
        all->rows = array_room((void *)all->rows, 0, sizeof *all->rows);
        all->rows[all->row_count++] = target->variant;
    }
    return true;
}

// ---- one machine: a thread ----------------------------------------------------------------------------------

static bool note_stage(void *context, const char *stage, double seconds)
{
    struct table_machine *machine = context;
    pthread_mutex_lock(&machine->all->mutex);
    machine->all->changed |= strcmp(machine->stage, stage) != 0;
    format_into(machine->stage, sizeof machine->stage, "%s", stage);
    machine->seconds = seconds;
    pthread_mutex_unlock(&machine->all->mutex);
    return !waiting_stopped();
}

static void *run_rows(void *context)
{
    struct table_machine *machine = context;
    struct machine_table *all = machine->all;
    bool fine = true;
    for (size_t row = 0; row < all->row_count && fine && !waiting_stopped(); row++) {
        struct request request = all->wish;
        struct record record;
        struct error error;
        request.on = ON_GPU;
        request.variant = all->rows[row]->name;
        request.file = all->rows[row]->path;
        request.source = all->rows[row]->text;
        fine = client_run(machine->client, &request, note_stage, machine, &record, &error);
        pthread_mutex_lock(&all->mutex);
        if (fine) {
            machine->cells[row] = (struct machine_cell){ true, record };
            if (all->json)
                machines_json(machine, &record);
            keep_run(&all->keeping, &record);
        } else {
            machine->error = error;
        }
        all->changed = true;
        pthread_mutex_unlock(&all->mutex);
    }
    client_free(machine->client); // by the thread that started the worker
    pthread_mutex_lock(&all->mutex);
    machine->client = NULL;
    machine->over = all->changed = true;
    pthread_mutex_unlock(&all->mutex);
    return NULL;
}

// ---- all of them --------------------------------------------------------------------------------------------

static bool all_over(const struct machine_table *all)
{
    for (size_t i = 0; i < all->machine_count; i++)
        if (!all->machines[i].over)
            return false;
    return true;
}

static bool fits_screen(const struct machine_table *all)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
           (size_t)size.ws_row > 4 + all->row_count + all->machine_count;
}

// Where no line can be overwritten, prints once what a scheduler says of a machine that queues.
static void tell(struct machine_table *all)
{
    for (size_t i = 0; i < all->machine_count; i++) {
        struct table_machine *machine = &all->machines[i];
        if (!string_starts(machine->stage, "starting: ") || strcmp(machine->stage, machine->told) == 0)
            continue;
        memcpy(machine->told, machine->stage, sizeof machine->told);
        fprintf(stderr, "%s: %s\n", machine->name, machine->stage);
    }
}

static void watch(struct machine_table *all, const struct paper *paper, bool live)
{
    double last = 0;
    for (bool over = false; !over;) {
        usleep(LOOK_MS * 1000);
        pthread_mutex_lock(&all->mutex);
        over = all_over(all);
        if (!live)
            tell(all);
        else if (all->changed || clock_ms() - last > 1000) {
            machines_paint(paper, all, false);
            last = clock_ms();
        }
        all->changed = false;
        pthread_mutex_unlock(&all->mutex);
    }
}

static int run_all(struct machine_table *all, const char *unused)
{
    struct paper paper = paper_open(stdout);
    struct waiting waiting = { .what = "machines" };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    const char *term = getenv("TERM");
    bool live = !all->json && paper.terminal && term && strcmp(term, "dumb") != 0 && fits_screen(all);
    waiting_begin(&waiting);
    sigaction(SIGPIPE, &ignore, &before); // for all threads: each would bring back what it found
    if (!all->json && all->target.lab)
        paper_put(&paper, ROLE_TITLE, "%s, %s\n", all->target.lab->name, request_preset(&all->wish));
    size_t started = 0;
    while (started < all->machine_count &&
           pthread_create(&all->machines[started].thread, NULL, run_rows, &all->machines[started]) == 0)
        started++;
    for (size_t i = started; i < all->machine_count; i++) {
        error_set(&all->machines[i].error, EXIT_MISSING, "No thread could be started for it.");
        all->machines[i].over = true;
    }
    watch(all, &paper, live);
    for (size_t i = 0; i < started; i++)
        pthread_join(all->machines[i].thread, NULL);
    sigaction(SIGPIPE, &before, NULL);
    machines_paint(&paper, all, true);
    keep_end(&all->keeping);
    int stopped = waiting_end(&waiting);
    return stopped ? stopped : machines_status(all);
}

static bool prepare(struct machine_table *all, struct error *error)
{
    if (!target_read(all->arguments->operands[0], &all->target, error))
        return false;
    if (arguments_has(all->arguments, "--chart"))
        return error_set(error, EXIT_USAGE, "--chart draws the ladder of one machine: leave it out.");
    if (!take_machines(all, arguments_value(all->arguments, "--on"), error) || !take_rows(all, error) ||
        !target_request(&all->target, all->arguments, 10, &all->wish, error))
        return false;
    all->wish.on = ON_GPU;
    for (size_t i = 0; i < all->machine_count; i++) {
        struct table_machine *machine = &all->machines[i];
        machine->client = waiting_client(all->arguments, error);
        if (!machine->client)
            return false;
        client_command(machine->client, machine->site ? machine->site->line : "");
        machine->cells = mem_new(all->row_count * sizeof *machine->cells);
    }
    return true;
}

static void table_free(struct machine_table *all)
{
    for (size_t i = 0; i < all->machine_count; i++) {
        struct table_machine *machine = &all->machines[i];
        client_free(machine->client);
        for (size_t row = 0; machine->cells && row < all->row_count; row++)
            if (machine->cells[row].done)
                record_free(&machine->cells[row].record);
        free(machine->cells);
    }
    free((void *)all->rows);
    request_free(&all->wish);
    target_free(&all->target);
    pthread_mutex_destroy(&all->mutex);
    free(all);
}

int machines_do(const struct arguments *arguments, machines_act act, const char *context)
{
    struct machine_table *all = mem_new(sizeof *all);
    struct error error;
    all->arguments = arguments;
    all->json = arguments_has(arguments, "--json");
    pthread_mutex_init(&all->mutex, NULL);
    int status = prepare(all, &error) ? act(all, context) : fail(&error);
    table_free(all);
    return status;
}

int run_machines(const struct arguments *arguments)
{
    bool later = arguments_has(arguments, "--later") || arguments_has(arguments, "--collect");
    return later ? run_later(arguments) : machines_do(arguments, run_all, NULL);
}
