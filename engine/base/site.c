#include "engine/base/site.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 16384, LINE_MOST = 1000 };

const struct site_setting site_settings[SITE_KEYS] = {
    [SITE_WORKER] = { "worker", "WARPBOOK_WORKER", "the line that starts a worker", false },
    [SITE_BEFORE] = { "before", NULL, "a line of shell that runs before it: module load ...", false },
    [SITE_RESERVATION] = { "reservation", NULL, "the reservation of Slurm that jobs go to", true },
    [SITE_ACCOUNT] = { "account", NULL, "the account of Slurm that jobs are booked on", true },
    [SITE_LOCKS] = { "locks", "WARPBOOK_LOCKS", "the folder of locks, one for all jobs of a machine", false },
    [SITE_ROOMS] = { "rooms", "WARPBOOK_ROOMS", "the folder that rooms are made in", false },
};

static struct site site;

// ---- which files are trusted ------------------------------------------------------------------------------

// The owner of the program could make it do anything, so a file beside it may say what it does.
static bool owner_counts(uid_t owner)
{
    struct stat program;
    return owner == 0 || owner == geteuid() ||
           (stat("/proc/self/exe", &program) == 0 && owner == program.st_uid);
}

static const char *why_not(const struct stat *state)
{
    if (!S_ISREG(state->st_mode))
        return "is no ordinary file";
    if (!owner_counts(state->st_uid))
        return "belongs neither to root nor to you";
    if (state->st_mode & (S_IWGRP | S_IWOTH))
        return "may be written by others (chmod go-w)";
    if (state->st_size > FILE_MOST)
        return "is longer than 16 KiB";
    return NULL;
}

static bool printable(const char *text, size_t length)
{
    char hidden[HIDDEN_SIZE];
    for (size_t i = 0; i < length; i++)
        if (text[i] != '\n' && text[i] != '\t' && text_hidden(text + i, length - i, hidden))
            return false;
    return true;
}

// The whole content, or why it is not believed. *there: a file of this name exists.
static const char *read_trusted(const char *path, bool *there, struct text *out)
{
    struct stat state;
    char piece[FILE_MOST + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *there = fd >= 0 || errno != ENOENT;
    if (fd < 0)
        return *there && errno != ENOTDIR ? strerror(errno) : NULL;
    const char *why = fstat(fd, &state) == 0 ? why_not(&state) : strerror(errno);
    ssize_t got = why ? 0 : read(fd, piece, sizeof piece);
    if (got < 0)
        why = strerror(errno);
    else if (got > FILE_MOST)
        why = "is longer than 16 KiB";
    else if (got && !printable(piece, (size_t)got))
        why = "holds control characters";
    else if (got)
        text_add_n(out, piece, (size_t)got);
    close(fd);
    return why;
}

// ---- lines --------------------------------------------------------------------------------------------------

static void trouble(struct site_file *file, int line, const char *what, const char *word)
{
    char clean[80];
    format_clean(clean, sizeof clean, word, strlen(word));
    text_addf(&file->trouble, "%sline %d: %s%s", file->trouble.length ? "\n" : "", line, what, clean);
}

static char *trim(char *text)
{
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = 0;
    return text + strspn(text, " \t");
}

static int key_find(const char *name)
{
    for (int key = 0; key < SITE_KEYS; key++)
        if (strcmp(site_settings[key].key, name) == 0)
            return key;
    return -1;
}

static bool is_word(const char *value)
{
    return strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,@:+-") ==
           strlen(value);
}

static void take_machine(size_t which, int number, const char *name, const char *line)
{
    struct site_file *file = &site.files[which];
    size_t i = 0;
    while (i < site.machine_count && strcmp(site.machines[i].name, name) != 0)
        i++;
    if (!*name || !is_word(name) || strchr(name, ',') || strlen(name) > 30)
        trouble(file, number, "a machine's name is one word of letters, digits and _.@:+-: ", name);
    else if (!*line || strlen(line) > LINE_MOST)
        trouble(file, number, "nothing or more than 1000 bytes for the machine ", name);
    else if (i < site.machine_count && site.machines[i].from == which)
        trouble(file, number, "it is set a second time: the machine ", name);
    else if (i == SITE_MACHINES)
        trouble(file, number, "there are 16 machines already, so this one is left out: ", name);
    else if (i == site.machine_count) {
        site.machines[site.machine_count++] =
            (struct site_machine){ mem_copy(name), mem_copy(line), 0, which };
        file->used = true;
    }
}

// The files come in the order in which they win, so what is set already stays.
static void take_line(size_t which, int number, char *line, bool seen[SITE_KEYS])
{
    struct site_file *file = &site.files[which];
    char *equals = strchr(line, '=');
    line = trim(line);
    if (!*line || *line == '#')
        return;
    if (!equals) {
        trouble(file, number, "this is not 'key = value': ", line);
        return;
    }
    *equals = 0;
    char *value = trim(equals + 1);
    if (string_starts(line, "machine ") || string_starts(line, "machine\t")) {
        take_machine(which, number, trim(line + strlen("machine ")), value);
        return;
    }
    int key = key_find(trim(line));
    if (key < 0)
        trouble(file, number, "there is no setting ", trim(line));
    else if (seen[key])
        trouble(file, number, "it is set a second time: ", line);
    else if (strlen(value) > LINE_MOST)
        trouble(file, number, "more than 1000 bytes for ", line);
    else if (site_settings[key].word && !is_word(value))
        trouble(file, number, "this must be one word of letters, digits and _.,@:+-: ", value);
    else if (!site.values[key] && *value) {
        site.values[key] = mem_copy(value);
        site.from[key] = which;
        file->used = true;
    }
    if (key >= 0)
        seen[key] = true;
}

static void take_file(const char *who, char *path)
{
    struct site_file *file = &site.files[site.file_count];
    struct text content = { 0 };
    bool seen[SITE_KEYS] = { false };
    if (!path)
        return;
    *file = (struct site_file){ .who = who, .path = path };
    const char *why = read_trusted(path, &file->there, &content);
    if (why)
        text_addf(&file->trouble, "it is ignored because it %s", why);
    int number = 0;
    for (char *line = content.data, *next; line && *line; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        line[length] = 0;
        number++;
        if (number < 1000)
            take_line(site.file_count, number, line, seen);
    }
    text_free(&content);
    site.file_count++;
}

// Slurm takes the reservation and the account from variables, whatever the line is that starts the job.
static char *compose(const char *worker, size_t *own)
{
    const char *reservation = site.values[SITE_RESERVATION], *account = site.values[SITE_ACCOUNT],
               *before = site.values[SITE_BEFORE];
    struct text line = { 0 };
    if (reservation)
        text_addf(&line, "export SLURM_RESERVATION=%s SBATCH_RESERVATION=%s; ", reservation, reservation);
    if (account)
        text_addf(&line, "export SLURM_ACCOUNT=%s SBATCH_ACCOUNT=%s; ", account, account);
    if (before)
        text_addf(&line, "{ %s\n} >&2; ", before); // what it says is no answer of the worker
    *own = line.length;
    text_add(&line, worker);
    return text_take(&line);
}

static void compose_all(void)
{
    size_t unused;
    if (site.values[SITE_WORKER])
        site.worker = compose(site.values[SITE_WORKER], &unused);
    for (size_t i = 0; i < site.machine_count; i++) {
        struct site_machine *machine = &site.machines[i];
        char *line = machine->line;
        machine->line = compose(line, &machine->own);
        free(line);
    }
}

static void read_all(void)
{
    const char *alone = getenv("WARPBOOK_SITE");
    if (alone && *alone) {
        if (strcmp(alone, "none") != 0)
            take_file("WARPBOOK_SITE", mem_copy(alone));
    } else {
        take_file("yours", path_own("site.conf"));
        take_file("beside the program", path_shipped("site.conf"));
        take_file("the system's", mem_copy("/etc/warpbook.conf"));
    }
    compose_all();
}

const struct site *site_read(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all);
    return &site;
}

// ---- values -------------------------------------------------------------------------------------------------

// A variable that is set to nothing takes back what a file says.
static const char *variable(enum site_key key)
{
    return site_settings[key].variable ? getenv(site_settings[key].variable) : NULL;
}

const char *site_value(enum site_key key)
{
    const char *value = variable(key);
    value = value ? value : site_read()->values[key];
    return value && *value ? value : NULL;
}

const char *site_worker(void)
{
    const char *value = variable(SITE_WORKER);
    value = value ? value : site_read()->worker;
    return value && *value ? value : NULL;
}

bool site_srun(const char *line, char *options, size_t size, char *program, size_t program_size)
{
    const char *end = line + strlen(line), *start;
    if (!string_starts(line, "srun ") || !string_ends(line, " worker"))
        return false;
    end -= strlen(" worker");
    for (start = end; start > line && start[-1] != ' ';)
        start--;
    format_into(program, program_size, "%.*s", (int)(end - start), start);
    format_into(options, size, "%.*s", (int)(start - line - strlen("srun ")), line + strlen("srun "));
    return start > line + strlen("srun");
}
