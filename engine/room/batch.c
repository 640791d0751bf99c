// The class queue where nobody may hold a GPU: what waits goes into an array of Slurm's jobs, the next array twenty seconds
// later, or as soon as the one before has ended. A job does a list of requests one after the other and ends. What no job of
// an array that has ended has answered waits again.
//
// An array that Slurm does not take is tried again after a pause, with half as many jobs, for there may be a limit of them;
// so is one whose jobs answered nothing. The pauses grow until something is answered.
//
//   keep/batch-ID.sh     the script of an array
//   keep/batch-ID-K      the requests of its job K, by name
//
// Slurm knows the array by the same ID, which is in its jobs' name. So an array that was submitted by a serve that was
// killed then and there is found again. One that reaches Slurm after its lists were given up does nothing.
#include "engine/room/queue.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/site.h"

enum {
    LIST_MOST = 30,   // requests of one job
    EVERY_MS = 20000, // so often there is a new array while another one has not ended
    LOOK_MS = 2000,   // so often Slurm is asked which have
    SBATCH_MS = 30000,
    SQUEUE_MS = 10000,
    PAUSE_MS = 5000, // the first
    PAUSE_MOST_MS = 300000,
    ARRAYS_MOST = 16
};

struct array {
    char id[24];
    char (*names)[QUEUE_NAME]; // what its jobs are to do
    size_t count;
    bool answers; // something that it was to do is done
    bool unsure;  // whether Slurm has it
};
struct batch {
    const struct room *room;
    const volatile sig_atomic_t *stop;
    size_t at_once, jobs;                      // jobs: of the next array at most
    char *before, options[1024], program[512]; // of the worker's line
    struct array arrays[ARRAYS_MOST];
    size_t array_count, done;
    double submitted, looked;
    double held, pause;      // after trouble there is no array before `held`
    char trouble[ROOM_TEXT]; // why what waits is not at Slurm; "" none
};

// ---- its files ---------------------------------------------------------------------------------------------------

static char *file_of(const struct room *room, const char *id, const char *ending)
{
    char *below = text_format("keep/batch-%s%s", id, ending), *path = room_path(room, below);
    free(below);
    return path;
}

static void add_name(struct array *array, const char *name)
{
    array->names = array_room(array->names, array->count, sizeof *array->names);
    format_into(array->names[array->count++], QUEUE_NAME, "%s", name);
}

static void read_list(const char *path, struct array *array)
{
    struct text text = { 0 };
    struct error unused;
    struct ticket ticket;
    char *rest = private_read(path, &text, &unused) ? text.data : NULL;
    for (char *line; rest && (line = strsep(&rest, "\n"));)
        if (queue_ticket(line, &ticket))
            add_name(array, line);
    text_free(&text);
}

static char *list_of(const struct batch *batch, const struct array *array, size_t job)
{
    char ending[32];
    format_into(ending, sizeof ending, "-%zu", job);
    return file_of(batch->room, array->id, ending);
}

// An array that is over leaves nothing.
static void forget(struct batch *batch, size_t index)
{
    struct array *array = &batch->arrays[index];
    char *script = file_of(batch->room, array->id, ".sh");
    bool there = true;
    (void)unlink(script);
    free(script);
    for (size_t job = 0; there; job++) {
        char *path = list_of(batch, array, job);
        there = unlink(path) == 0;
        free(path);
    }
    free(array->names);
    *array = batch->arrays[--batch->array_count];
}

// What an earlier serve has submitted, or was about to.
static void find_arrays(struct batch *batch)
{
    char *path = room_path(batch->room, "keep");
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) && batch->array_count < ARRAYS_MOST) {
        struct array array = { .count = 0 };
        int used = 0;
        if (sscanf(entry->d_name, "batch-%16[0-9a-f]-0%n", array.id, &used) != 1 || !used ||
            entry->d_name[used])
            continue;
        for (size_t i = 0, before = 1; array.count != before; i++) {
            char *list = list_of(batch, &array, i);
            before = array.count;
            read_list(list, &array);
            free(list);
        }
        array.unsure = true;
        batch->arrays[batch->array_count++] = array;
    }
    if (folder)
        closedir(folder);
    free(path);
}

struct batch *batch_open(const struct room *room, int at_once, const volatile sig_atomic_t *stop,
                         struct error *error)
{
    struct batch *batch = mem_new(sizeof *batch);
    const char *line = site_worker(), *srun = line ? strstr(line, "srun ") : NULL;
    batch->room = room;
    batch->stop = stop;
    batch->at_once = batch->jobs = (size_t)at_once;
    batch->submitted = -EVERY_MS;
    if (srun &&
        site_srun(srun, batch->options, sizeof batch->options, batch->program, sizeof batch->program)) {
        batch->before = mem_copy_n(line, (size_t)(srun - line));
        find_arrays(batch);
        return batch;
    }
    free(batch);
    error_set(
        error, EXIT_USAGE,
        "Jobs are started by sbatch with the options of srun, and the worker's line is not 'srun OPTIONS "
        "warpbook worker': give that by --worker or in the site's file.");
    return NULL;
}

// ---- Slurm ----------------------------------------------------------------------------------------------------------

enum slurm { SLURM_DONE, SLURM_REFUSED, SLURM_SILENT }; // silent: what it did is not known

static bool may_go_on(pid_t child, void *context)
{
    const struct batch *batch = context;
    (void)child;
    return !*batch->stop;
}

// What the command said is in the error, unless it is done. Where a batch is given, its end ends the command.
static enum slurm run(struct batch *batch, const char *line, int limit_ms, struct text *out,
                      struct error *error)
{
    const char *const argv[] = { "sh", "-c", line, NULL };
    const struct child_terms terms = { .may_go_on = batch ? may_go_on : NULL, .context = batch };
    struct child_result result = { 0 };
    char said[ROOM_TEXT];
    if (!child_run_on(argv, &terms, "", 0, limit_ms, NULL, &result, error))
        return SLURM_REFUSED;
    enum slurm done = result.timed_out ? SLURM_SILENT : result.status ? SLURM_REFUSED : SLURM_DONE;
    clean_line(text_string(&result.err), said, sizeof said);
    if (done == SLURM_SILENT)
        error_set(error, EXIT_MISSING, "Slurm has not answered within %d s. %s", limit_ms / 1000, said);
    else if (done == SLURM_REFUSED)
        error_set(error, EXIT_MISSING, "%s", *said ? said : "Slurm refused it without a word.");
    else if (out)
        text_add(out, text_string(&result.out));
    child_result_free(&result);
    return done;
}

static void hold(struct batch *batch, const char *why)
{
    double longer = 2 * batch->pause;
    batch->pause = longer < PAUSE_MS ? PAUSE_MS : longer > PAUSE_MOST_MS ? PAUSE_MOST_MS : longer;
    batch->held = clock_ms() + batch->pause;
    batch->jobs = (batch->jobs + 1) / 2;
    format_into(batch->trouble, sizeof batch->trouble, "%s", why);
}

// The name of an array's jobs.
static char *job_name(const struct array *array)
{
    return text_format("warpbook-%s", array->id);
}

// The queue is a line for each job, with its name.
static bool is_queued(const char *queue, const struct array *array)
{
    char *name = job_name(array);
    size_t length = strlen(name);
    bool queued = false;
    for (const char *line = queue; line && !queued; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        queued = strncmp(line, name, length) == 0 && (!line[length] || line[length] == '\n');
    free(name);
    return queued;
}

static void look_at_jobs(struct batch *batch)
{
    struct text queue = { 0 };
    struct error unused; // it is asked again
    if (!batch->array_count || clock_ms() - batch->looked < LOOK_MS)
        return;
    batch->looked = clock_ms();
    if (run(batch, "squeue -h --me -o %j", SQUEUE_MS, &queue, &unused) == SLURM_DONE)
        for (size_t i = batch->array_count; i-- > 0;) {
            if (is_queued(text_string(&queue), &batch->arrays[i]))
                continue;
            const struct array *array = &batch->arrays[i];
            if (array->count && !array->answers && !array->unsure)
                hold(batch, "The jobs have ended, and have answered nothing.");
            forget(batch, i);
        }
    text_free(&queue);
}

// What was answered or withdrawn is held no longer.
static void look_at_answers(struct batch *batch)
{
    struct ticket ticket;
    struct stat status;
    for (size_t i = 0; i < batch->array_count; i++) {
        struct array *array = &batch->arrays[i];
        size_t kept = 0;
        for (size_t j = 0; j < array->count; j++) {
            char *below = text_format("q/%s", array->names[j]), *path = room_path(batch->room, below);
            bool answered = queue_ticket(array->names[j], &ticket) && queue_answered(batch->room, &ticket);
            bool waits = lstat(path, &status) == 0;
            batch->done += answered;
            if (!answered && waits)
                memmove(array->names[kept++], array->names[j], QUEUE_NAME);
            else
                array->answers = true;
            free(path);
            free(below);
        }
        array->count = kept;
        if (array->answers)
            batch->pause = 0;
    }
}

// The lists of an array's jobs. They take turns, so that who comes first is done first.
static bool write_lists(const struct batch *batch, struct array *array, const struct ticket *tickets,
                        size_t count, size_t jobs, struct error *error)
{
    bool written = true;
    for (size_t job = 0; written && job < jobs; job++) {
        struct text list = { 0 };
        for (size_t i = job; i < count; i += jobs) {
            text_addf(&list, "%s\n", tickets[i].name);
            add_name(array, tickets[i].name);
        }
        char *path = list_of(batch, array, job);
        written = private_replace(path, text_string(&list), list.length, error);
        free(path);
        text_free(&list);
    }
    return written;
}

static bool write_script(const struct batch *batch, const struct array *array, const char *path,
                         struct error *error)
{
    char *lists = file_of(batch->room, array->id, "");
    char *script = text_format("#!/bin/sh\nWARPBOOK_WORKER= ; export WARPBOOK_WORKER\nexec %s room task "
                               "'%s'-$SLURM_ARRAY_TASK_ID\n",
                               batch->program, lists);
    bool written = private_replace(path, script, strlen(script), error);
    free(script);
    free(lists);
    return written;
}

// Whether the tickets are held now. What is not known to have failed may still begin, so it holds them until squeue shows
// that it is not there.
static bool submit(struct batch *batch, const struct ticket *tickets, size_t count)
{
    struct array *array = &batch->arrays[batch->array_count++];
    struct timespec now;
    struct error error;
    size_t jobs = count < batch->jobs ? count : batch->jobs;
    clock_gettime(CLOCK_REALTIME, &now);
    *array = (struct array){ .count = 0 };
    format_into(array->id, sizeof array->id, "%016llx",
                (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec);
    char *script = file_of(batch->room, array->id, ".sh"), *name = job_name(array);
    char *line = text_format("%ssbatch --output=/dev/null --array=0-%zu%%%zu %s --job-name=%s '%s'",
                             batch->before, jobs - 1, batch->at_once, batch->options, name, script);
    bool written =
        write_lists(batch, array, tickets, count, jobs, &error) && write_script(batch, array, script, &error);
    enum slurm done = written ? run(batch, line, SBATCH_MS, NULL, &error) : SLURM_REFUSED;
    array->unsure = done == SLURM_SILENT;
    batch->submitted = clock_ms();
    *batch->trouble = 0;
    if (done != SLURM_DONE)
        hold(batch, error.text);
    if (done == SLURM_REFUSED)
        forget(batch, batch->array_count - 1);
    free(line);
    free(script);
    free(name);
    return done != SLURM_REFUSED;
}

void batch_look(struct batch *batch, const struct ticket *tickets, size_t *count)
{
    look_at_answers(batch);
    look_at_jobs(batch);
    double now = clock_ms();
    if (!*count && !batch->array_count && now >= batch->held) { // nothing is left to try
        batch->jobs = batch->at_once;
        *batch->trouble = 0;
    }
    bool due = now >= batch->held && (!batch->array_count || now - batch->submitted > EVERY_MS);
    size_t taken = *count < LIST_MOST * batch->jobs ? *count : LIST_MOST * batch->jobs;
    if (!taken || !due || batch->array_count == ARRAYS_MOST || !submit(batch, tickets, taken))
        taken = 0;
    *count = taken;
}

void batch_close(struct batch *batch)
{
    if (!batch)
        return;
    while (batch->array_count) {
        struct error unused; // a job that is over cannot be cancelled
        char *name = job_name(&batch->arrays[0]), *line = text_format("scancel --name=%s", name);
        (void)run(NULL, line, SQUEUE_MS, NULL, &unused);
        free(line);
        free(name);
        forget(batch, 0);
    }
    free(batch->before);
    free(batch);
}

// ---- what it holds ---------------------------------------------------------------------------------------------------

bool batch_holds(const struct batch *batch, const char *name)
{
    for (size_t i = 0; i < batch->array_count; i++)
        for (size_t j = 0; j < batch->arrays[i].count; j++)
            if (strcmp(batch->arrays[i].names[j], name) == 0)
                return true;
    return false;
}

void batch_running(const struct batch *batch, json_t *hashes)
{
    char hash[17];
    struct ticket ticket;
    for (size_t i = 0; i < batch->array_count; i++)
        for (size_t j = 0; j < batch->arrays[i].count; j++)
            if (queue_ticket(batch->arrays[i].names[j], &ticket)) {
                room_hash(ticket.name, hash);
                json_array_append_new(hashes, json_string(hash));
            }
}

struct serving_now batch_now(const struct batch *batch)
{
    double left = (batch->held - clock_ms()) / 1e3;
    struct serving_now now = { .done = batch->done,
                               .trouble = batch->trouble,
                               .again_s = left > 0 ? left : 0 };
    for (size_t i = 0; i < batch->array_count; i++)
        now.running += batch->arrays[i].count;
    return now;
}

// ---- a job ------------------------------------------------------------------------------------------------------------

// A request that was withdrawn, or answered by another job, is passed over.
static bool do_request(const struct desk *desk, struct service *service, const char *name,
                       struct error *error)
{
    struct ticket ticket;
    struct stat status;
    char *below = text_format("q/%s", name), *path = room_path(&desk->room, below);
    bool there = queue_ticket(name, &ticket) && lstat(path, &status) == 0;
    free(path);
    free(below);
    const struct room_person *person = there ? room_class_person(&desk->class, ticket.token) : NULL;
    if (!person || person->uid != status.st_uid || queue_answered(&desk->room, &ticket))
        return true;
    ticket.uid = status.st_uid;
    return queue_serve(service, &ticket, person->as, person->entered, error);
}

int task_main(const char *list)
{
    struct error error;
    struct desk desk;
    struct array array = { .count = 0 };
    char *folder = mem_copy(list), *slash = strstr(folder, "/keep/");
    bool fine = slash || error_set(&error, EXIT_USAGE, "%s is not a list of requests.", list);
    if (slash)
        *slash = 0;
    fine = fine && desk_open(folder, &desk, &error);
    free(folder);
    if (fine) {
        struct service service = { &desk.room, .client = client_new() };
        client_command(service.client, ""); // the GPU of this job
        read_list(list, &array);
        fine = desk_read(&desk, (double)time(NULL), &error);
        for (size_t i = 0; fine && i < array.count; i++)
            fine = do_request(&desk, &service, array.names[i], &error);
        client_free(service.client);
        free(array.names);
        desk_close(&desk);
    }
    if (!fine)
        fprintf(stderr, "warpbook: %s\n", error.text);
    return fine ? EXIT_RIGHT : EXIT_MISSING;
}
