// warpbook run --on gpubox,here,l4: a ladder on several machines at once, each by a worker of its own, side by side. A
// machine that still queues says so, and what others have measured is shown meanwhile. A name that is no machine's and
// a GPU's is one to model: a simulation here, with the figures of all such GPUs, gives the times on them.
#include "tui/command/machines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LOOK_MS = 100, SIMULATION_MS = 60000 };

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
    char clean[80], *gpus = figures_list();
    format_clean(clean, sizeof clean, name, strlen(name));
    for (size_t i = 0; i < site->machine_count; i++)
        text_addf(&known, "%s, ", site->machines[i].name);
    error_set(
        error, EXIT_USAGE,
        "--on takes gpu, cpu, sim, all, or machines and GPUs with commas between them, not '%s'. Known are "
        "the machines %shere, and for modelled times the GPUs %s; a line 'machine NAME = ssh NAME "
        "warpbook worker' in %s adds a machine.",
        clean, text_string(&known), gpus, site->file_count ? site->files[0].path : "a site.conf");
    text_free(&known);
    free(gpus);
    return false;
}

static struct table_machine *add_machine(struct machine_table *all, const char *name)
{
    struct table_machine *machine = &all->machines[all->machine_count++];
    *machine = (struct table_machine){ .all = all, .site = machine_find(name) };
    format_into(machine->name, sizeof machine->name, "%s", name);
    return machine;
}

static bool is_gpu(const char *name)
{
    char *gpus = figures_list(), *rest = gpus;
    bool found = string_starts(name, "model:") || strchr(name, '/');
    for (char *key; !found && (key = strsep(&rest, " "));)
        found = strcmp(key, name) == 0;
    free(gpus);
    return found;
}

static bool take_name(struct machine_table *all, const char *name, struct error *error)
{
    bool machine = machine_find(name) || strcmp(name, "here") == 0;
    if (!machine)
        return is_gpu(name) ? machines_take_gpu(all, name, error) : no_machine(name, error);
    for (size_t i = 0; i < all->machine_count; i++)
        if (strcmp(all->machines[i].name, name) == 0)
            return error_set(error, EXIT_USAGE, "--on names %s twice.", name);
    if (all->machine_count == MACHINES_MOST)
        return error_set(error, EXIT_USAGE, "--on takes at most %d machines.", MACHINES_MOST);
    add_machine(all, name);
    return true;
}

static bool take_names(struct machine_table *all, const char *names, struct error *error)
{
    char *copy = mem_copy(names), *rest = copy;
    bool taken = true;
    for (char *name; taken && (name = strsep(&rest, ","));)
        taken = take_name(all, name, error);
    free(copy);
    return taken;
}

// Where only GPUs are named, the one that is here is measured beside them.
static void add_here(struct machine_table *all)
{
    struct client *client = client_new();
    struct error unused;
    json_t *report = NULL;
    client_command(client, "");
    if (client_describe(client, false, waiting_quietly, NULL, &report, &unused) &&
        json_object_get(report, "gpu"))
        add_machine(all, "here");
    json_decref(report);
    client_free(client);
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
        request.on = machine->models ? ON_SIM : ON_GPU;
        request.check = REQUEST_CHECK_COUNTERS;
        if (machine->models && !arguments_has(all->arguments, "--limit"))
            request.limit_ms = SIMULATION_MS;
        request.gpus = machine->models ? all->wish.gpus : NULL;
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

static bool fits_screen(const struct paper *paper, const struct machine_table *all)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
           size.ws_row > machines_lines(paper, all) + 2 + (int)all->machine_count;
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

static void print_title(const struct paper *paper, const struct machine_table *all)
{
    paper_put(paper, ROLE_TITLE, "%s, %s", all->target.lab->name, request_preset(&all->wish));
    paper_put(paper, ROLE_DIM, "%s\n",
              all->gpu_count && !arguments_has(all->arguments, "--size")
                  ? ", as the simulator usually runs it; --size full takes longer"
                  : "");
}

static int run_all(struct machine_table *all, const char *unused)
{
    struct paper paper = paper_open(stdout);
    struct waiting waiting = { .what = "machines" };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    const char *term = getenv("TERM");
    bool live = !all->json && paper.terminal && term && strcmp(term, "dumb") != 0 && fits_screen(&paper, all);
    waiting_begin(&waiting);
    sigaction(SIGPIPE, &ignore, &before); // for all threads: each would bring back what it found
    if (!all->json && all->target.lab)
        print_title(&paper, all);
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

// All columns have one size: the simulator's own where it takes part and no other is asked for.
static bool prepare_model(struct machine_table *all, struct error *error)
{
    struct text gpus = { 0 };
    if (!all->gpu_count)
        return true;
    if (arguments_has(all->arguments, "--later"))
        return error_set(error, EXIT_USAGE,
                         "--later is for machines: %s is modelled, which takes no machine. Leave it out.",
                         all->gpus[0]);
    if (!all->machine_count)
        add_here(all);
    add_machine(all, "the simulator")->models = true;
    if (all->target.lab && !arguments_has(all->arguments, "--size") &&
        !request_set_size(&all->wish, all->target.lab, "small", error))
        return false;
    for (size_t i = 0; i < all->gpu_count; i++)
        text_addf(&gpus, "%s%s", i ? "," : "", all->gpus[i]);
    bool read = request_model(&all->wish, text_string(&gpus), error);
    text_free(&gpus);
    return read;
}

static bool prepare(struct machine_table *all, struct error *error)
{
    if (!target_read(all->arguments->operands[0], &all->target, error))
        return false;
    if (arguments_has(all->arguments, "--chart"))
        return error_set(error, EXIT_USAGE, "--chart draws the ladder of one machine: leave it out.");
    if (!take_names(all, arguments_value(all->arguments, "--on"), error) || !take_rows(all, error) ||
        !target_request(&all->target, all->arguments, 10, &all->wish, error) || !prepare_model(all, error))
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
