// warpbook run --on NAMES --later: a job of Slurm for each machine, for those who do not want to wait; --collect joins
// what they leave.
//
// A folder of one's own, later/N, holds what was asked for (`request`, words as JSON) and for each machine NAME.sh (the
// job's script), NAME.job (its number), NAME.part (records so far), then NAME.jsonl; NAME.err is what the job wrote to its
// stderr. The job itself keeps its runs in the workbook.
#include "tui/command/machines.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/site.h"

enum { BATCH_MOST = 9999, SBATCH_MS = 30000, SQUEUE_MS = 10000 };

static char *batch_folder(int number)
{
    char below[32];
    format_into(below, sizeof below, "later/%d", number);
    return path_own(below);
}

static char *batch_file(const char *folder, const char *name, const char *ending)
{
    char *file = text_format("%s/%s%s", folder, name, ending);
    return file;
}

static int last_batch(void)
{
    int number = 0;
    for (bool there = true; there && number < BATCH_MOST;) {
        char *folder = batch_folder(number + 1);
        there = folder && file_exists(folder);
        number += there;
        free(folder);
    }
    return number;
}

static void add_quoted(struct text *out, const char *word)
{
    text_add(out, " '");
    for (; *word; word++)
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_n(out, word, 1);
    text_add(out, "'");
}

// What the job does: the same run there, on the GPU that it was given.
static bool write_script(const struct machine_table *all, const struct table_machine *machine,
                         const char *folder, const char *program, struct error *error)
{
    static const char *const passed[] = { "--size", "--set", "--data", "--reps", "--limit" };
    const struct arguments *arguments = all->arguments;
    const char *target = arguments->operands[0];
    char *file = all->target.lab ? NULL : realpath(target, NULL);
    char *path = batch_file(folder, machine->name, ".sh");
    struct text text = { 0 };
    text_addf(&text, "#!/bin/sh\nWARPBOOK_WORKER= ; export WARPBOOK_WORKER\n%s run", program);
    add_quoted(&text, file ? file : target);
    for (size_t i = 0; i < arguments->given_count; i++)
        for (size_t j = 0; j < sizeof passed / sizeof passed[0]; j++)
            if (strcmp(arguments->given[i].flag, passed[j]) == 0) {
                add_quoted(&text, passed[j]);
                add_quoted(&text, arguments->given[i].value);
            }
    text_add(&text, " --on gpu --json >");
    for (int ending = 0; ending < 4; ending++) {
        static const char *const endings[] = { ".part", ".err", ".part", ".jsonl" };
        static const char *const before[] = { "", " 2>", "\nmv", "" };
        char *name = batch_file(folder, machine->name, endings[ending]);
        text_add(&text, before[ending]);
        add_quoted(&text, name);
        free(name);
    }
    text_add(&text, "\n");
    bool written = private_replace(path, text.data, text.length, error);
    text_free(&text);
    free(path);
    free(file);
    return written;
}

static bool submit(const struct machine_table *all, const struct table_machine *machine, const char *folder,
                   struct error *error)
{
    const struct site_machine *site = machine->site;
    char options[1024], program[512], said[200];
    if (!site || !site_srun(site->line + site->own, options, sizeof options, program, sizeof program))
        return error_set(error, EXIT_USAGE,
                         "%s cannot be left for later: its line is not 'srun OPTIONS warpbook worker'.",
                         machine->name);
    if (!write_script(all, machine, folder, program, error))
        return false;
    struct text line = { 0 };
    struct child_result result = { 0 };
    char *script = batch_file(folder, machine->name, ".sh"), *job = batch_file(folder, machine->name, ".job");
    text_addf(&line, "%.*ssbatch --parsable --job-name=warpbook --output=/dev/null %s", (int)site->own,
              site->line, options);
    add_quoted(&line, script);
    const char *const argv[] = { "sh", "-c", line.data, NULL };
    bool done = child_run_on(argv, &(struct child_terms){ 0 }, "", 0, SBATCH_MS, NULL, &result, error);
    const char *number = text_string(&result.out);
    size_t digits = strspn(number, "0123456789");
    if (done && (result.timed_out || result.status || !digits)) {
        format_clean(said, sizeof said, text_string(&result.err), strcspn(text_string(&result.err), "\n"));
        done = error_set(error, EXIT_MISSING, "%s: sbatch took no job%s%s", machine->name, *said ? ": " : ".",
                         said);
    }
    done = done && private_replace(job, number, digits, error);
    if (done)
        printf("%s: job %.*s\n", machine->name, (int)digits, number);
    child_result_free(&result);
    text_free(&line);
    free(script);
    free(job);
    return done;
}

// The words of this command, for --collect to read again.
static bool write_request(const struct arguments *arguments, const char *folder, struct error *error)
{
    char *path = path_join(folder, "request");
    json_t *words = json_array();
    json_array_append_new(words, json_string(arguments->operands[0]));
    for (size_t i = 0; i < arguments->given_count; i++) {
        const char *flag = arguments->given[i].flag, *value = arguments->given[i].value;
        if (!value)
            continue;
        json_array_append_new(words, json_string(flag));
        json_array_append_new(words, json_string(value));
    }
    char *text = json_dumps(words, JSON_COMPACT);
    bool written = text && private_replace(path, text, strlen(text), error);
    if (!text)
        error_set(error, EXIT_USAGE, "What was asked for is not UTF-8, so it cannot be kept for --collect.");
    free(text);
    json_decref(words);
    free(path);
    return written;
}

static int submit_all(struct machine_table *all, const char *unused)
{
    struct error error;
    int number = last_batch() + 1;
    char *folder = batch_folder(number);
    bool fine = folder && number <= BATCH_MOST;
    if (!fine)
        error_set(&error, EXIT_MISSING, "There is no folder to keep jobs in; remove old ones from later/.");
    fine = fine && write_request(all->arguments, folder, &error);
    size_t jobs = 0;
    for (size_t i = 0; fine && i < all->machine_count; i++) {
        if (submit(all, &all->machines[i], folder, &error))
            jobs++;
        else
            fail(&error);
    }
    free(folder);
    if (!fine)
        return fail(&error);
    if (jobs)
        printf("'warpbook run --collect %d' shows what came of them, as it comes.\n", number);
    return jobs == all->machine_count ? EXIT_RIGHT : (int)error.code;
}

// ---- --collect ----------------------------------------------------------------------------------------------

// Records of a file into the machine's column.
static bool take_records(struct table_machine *machine, const char *path)
{
    struct machine_table *all = machine->all;
    struct text text = { 0 };
    struct error unused;
    bool there = file_exists(path) && private_read(path, &text, &unused);
    char *rest = text.data;
    for (char *line; there && (line = strsep(&rest, "\n"));) {
        json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        struct record record;
        size_t row = 0;
        if (json && record_from_json(&record, json, &unused)) {
            while (row < all->row_count &&
                   (!record.variant || strcmp(record.variant, all->rows[row]->name) != 0))
                row++;
            if (row < all->row_count && !machine->cells[row].done) {
                machine->cells[row] = (struct machine_cell){ true, record };
                if (all->json)
                    machines_json(machine, &record);
            } else {
                record_free(&record);
            }
        }
        json_decref(json);
    }
    text_free(&text);
    return there;
}

// What Slurm says of a job that has not ended: "PENDING (Resources)"; "" where it knows none.
static void ask_slurm(const char *job, char *out, size_t size)
{
    const char *const argv[] = { "squeue", "-h", "-o", "%T (%r)", "-j", job, NULL };
    struct child_result result = { 0 };
    struct error unused;
    *out = 0;
    if (!child_run_on(argv, &(struct child_terms){ 0 }, "", 0, SQUEUE_MS, NULL, &result, &unused))
        return;
    if (!result.timed_out && result.status == 0)
        format_clean(out, size, text_string(&result.out), strcspn(text_string(&result.out), "\n"));
    child_result_free(&result);
}

static void no_result(struct table_machine *machine, const char *folder, const char *job)
{
    struct text err = { 0 };
    struct error unused;
    char said[300] = "", *path = batch_file(folder, machine->name, ".err");
    if (file_exists(path) && private_read(path, &err, &unused))
        format_clean(said, sizeof said, text_string(&err), strnlen(text_string(&err), sizeof said - 1));
    error_set(&machine->error, EXIT_MISSING, "Its job %.20s has ended without a result.%s%s", job,
              *said ? " It wrote:\n" : "", said);
    machine->over = true;
    text_free(&err);
    free(path);
}

static void ask_job(struct table_machine *machine, const char *folder, const char *job)
{
    char state[80];
    ask_slurm(job, state, sizeof state);
    bool pending = string_starts(state, "PENDING");
    format_into(machine->stage, sizeof machine->stage, "%s: job %.20s %s", pending ? "starting" : "running",
                job, pending ? "queued" : state);
    if (!*state)
        no_result(machine, folder, job);
}

static bool any_measured(const struct table_machine *machine)
{
    for (size_t row = 0; row < machine->all->row_count; row++)
        if (machine->cells[row].done)
            return true;
    return false;
}

static void collect_machine(struct table_machine *machine, const char *folder)
{
    char *whole = batch_file(folder, machine->name, ".jsonl"),
         *part = batch_file(folder, machine->name, ".part");
    char *path = batch_file(folder, machine->name, ".job");
    struct text job = { 0 };
    struct error error;
    machine->over = true;
    if (!file_exists(path) || !private_read(path, &job, &error)) {
        error_set(&machine->error, EXIT_MISSING, "No job was started for it.");
    } else if (take_records(machine, whole)) {
        if (!any_measured(machine))
            no_result(machine, folder, text_string(&job));
    } else {
        machine->over = false;
        take_records(machine, part);
        ask_job(machine, folder, text_string(&job));
    }
    text_free(&job);
    free(whole);
    free(part);
    free(path);
}

static int collect(struct machine_table *all, const char *folder)
{
    struct paper paper = paper_open(stdout);
    bool open = false;
    for (size_t i = 0; i < all->machine_count; i++) {
        collect_machine(&all->machines[i], folder);
        open |= !all->machines[i].over;
    }
    if (!all->json && all->target.lab)
        paper_put(&paper, ROLE_TITLE, "%s, %s\n", all->target.lab->name, request_preset(&all->wish));
    machines_paint(&paper, all, true);
    int status = machines_status(all);
    return open && status == EXIT_RIGHT ? EXIT_MISSING : status;
}

static bool read_request(const char *folder, const struct arguments *arguments, json_t **words,
                         struct arguments *asked, struct error *error)
{
    struct text text = { 0 };
    char *path = path_join(folder, "request");
    const char *each[2 * GIVEN];
    size_t count = 0;
    bool read = private_read(path, &text, error);
    *words = read ? json_loads(text_string(&text), 0, NULL) : NULL;
    while (count + 1 < 2 * GIVEN && count < json_array_size(*words) &&
           (each[count] = json_string_value(json_array_get(*words, count))))
        count++;
    if (arguments_has(arguments, "--json"))
        each[count++] = "--json";
    bool fine = read && arguments_read(arguments->command, (int)count, (char *const *)each, asked, error) &&
                asked->operand_count == 1 && arguments_value(asked, "--on");
    if (read && !fine)
        error_set(error, EXIT_MISSING, "%s does not say what was asked for.", path);
    text_free(&text);
    free(path);
    return fine;
}

static int run_collect(const struct arguments *arguments)
{
    struct error error;
    struct arguments asked;
    json_t *words = NULL;
    const char *operand = arguments->operand_count ? arguments->operands[0] : NULL;
    int number = operand ? atoi(operand) : last_batch(), status;
    char *folder = number > 0 ? batch_folder(number) : NULL;
    if (!folder || !file_exists(folder)) {
        error_set(&error, EXIT_USAGE,
                  "There is nothing to collect%s%s: 'warpbook run LAB --on NAMES --later' starts jobs.",
                  operand ? " of the number " : "", operand ? operand : "");
        status = fail(&error);
    } else {
        status = read_request(folder, arguments, &words, &asked, &error)
                     ? machines_do(&asked, collect, folder)
                     : fail(&error);
    }
    json_decref(words);
    free(folder);
    return status;
}

int run_later(const struct arguments *arguments)
{
    return arguments_has(arguments, "--collect") ? run_collect(arguments)
                                                 : machines_do(arguments, submit_all, NULL);
}
