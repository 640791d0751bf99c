// The class queue where nobody may hold a GPU: all that waits goes into an array of Slurm's jobs, the next array twenty
// seconds later, or as soon as the one before has ended. A job does a list of requests one after the other and ends. What
// no job of an array that has ended has answered waits again.
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
    ARRAYS_MOST = 16
};

struct array {
    char id[24];
    char (*names)[QUEUE_NAME]; // what its jobs are to do
    size_t count;
};
struct batch {
    const struct room *room;
    int at_once;
    char *before, options[1024], program[512]; // of the worker's line
    struct array arrays[ARRAYS_MOST];
    size_t array_count, done;
    double submitted, looked;
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
        batch->arrays[batch->array_count++] = array;
    }
    if (folder)
        closedir(folder);
    free(path);
}

struct batch *batch_open(const struct room *room, int at_once, struct error *error)
{
    struct batch *batch = mem_new(sizeof *batch);
    const char *line = site_worker(), *srun = line ? strstr(line, "srun ") : NULL;
    batch->room = room;
    batch->at_once = at_once;
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
        "warpbook worker'.");
    return NULL;
}

// ---- Slurm ----------------------------------------------------------------------------------------------------------

// False with what the command said.
static bool run(const char *line, int limit_ms, struct text *out, struct error *error)
{
    const char *const argv[] = { "sh", "-c", line, NULL };
    struct child_result result = { 0 };
    char said[200];
    bool done = child_run_on(argv, &(struct child_terms){ 0 }, "", 0, limit_ms, NULL, &result, error);
    if (done && (result.timed_out || result.status)) {
        format_clean(said, sizeof said, text_string(&result.err), strcspn(text_string(&result.err), "\n"));
        done = error_set(error, EXIT_MISSING, "%s", *said ? said : "Slurm does not answer.");
    }
    if (done)
        text_add(out, text_string(&result.out));
    child_result_free(&result);
    return done;
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
    if (run("squeue -h --me -o %j", SQUEUE_MS, &queue, &unused))
        for (size_t i = batch->array_count; i-- > 0;)
            if (!is_queued(text_string(&queue), &batch->arrays[i]))
                forget(batch, i);
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
            free(path);
            free(below);
        }
        array->count = kept;
    }
}

// The lists of an array's jobs. Those that run at the same time take turns, so that who comes first is done first.
static size_t write_lists(const struct batch *batch, struct array *array, const struct ticket *tickets,
                          size_t count, struct error *error)
{
    size_t jobs = 0, wide = (size_t)batch->at_once, most = LIST_MOST * wide;
    for (size_t i = 0; i < count; i++) {
        size_t job = i / most * wide + i % most % wide;
        jobs = job + 1 > jobs ? job + 1 : jobs;
        add_name(array, tickets[i].name);
    }
    for (size_t job = 0; job < jobs; job++) {
        struct text list = { 0 };
        for (size_t i = 0; i < count; i++)
            if (i / most * wide + i % most % wide == job)
                text_addf(&list, "%s\n", tickets[i].name);
        char *path = list_of(batch, array, job);
        bool written = private_replace(path, text_string(&list), list.length, error);
        free(path);
        text_free(&list);
        if (!written)
            return 0;
    }
    return jobs;
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

static bool submit(struct batch *batch, const struct ticket *tickets, size_t count, struct error *error)
{
    struct array *array = &batch->arrays[batch->array_count++];
    struct timespec now;
    struct text said = { 0 };
    clock_gettime(CLOCK_REALTIME, &now);
    *array = (struct array){ .count = 0 };
    format_into(array->id, sizeof array->id, "%016llx",
                (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec);
    char *script = file_of(batch->room, array->id, ".sh"), *name = job_name(array);
    size_t jobs = write_lists(batch, array, tickets, count, error);
    bool fine = jobs && write_script(batch, array, script, error);
    char *line = text_format("%ssbatch --output=/dev/null --array=0-%zu%%%d %s --job-name=%s '%s'",
                             batch->before, jobs - 1, batch->at_once, batch->options, name, script);
    fine = fine && run(line, SBATCH_MS, &said, error);
    if (!fine)
        forget(batch, batch->array_count - 1);
    free(line);
    free(script);
    free(name);
    text_free(&said);
    return fine;
}

bool batch_look(struct batch *batch, const struct ticket *tickets, size_t *count, struct error *error)
{
    look_at_answers(batch);
    look_at_jobs(batch);
    bool due = !batch->array_count || clock_ms() - batch->submitted > EVERY_MS;
    if (!*count || !due || batch->array_count == ARRAYS_MOST) {
        *count = 0;
        return true;
    }
    batch->submitted = clock_ms();
    return submit(batch, tickets, *count, error);
}

void batch_close(struct batch *batch)
{
    if (!batch)
        return;
    while (batch->array_count) {
        struct text out = { 0 };
        struct error unused; // a job that is over cannot be cancelled
        char *name = job_name(&batch->arrays[0]), *line = text_format("scancel --name=%s", name);
        (void)run(line, SQUEUE_MS, &out, &unused);
        free(line);
        free(name);
        text_free(&out);
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

size_t batch_count(const struct batch *batch, size_t *done)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->array_count; i++)
        count += batch->arrays[i].count;
    if (done)
        *done = batch->done;
    return count;
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
