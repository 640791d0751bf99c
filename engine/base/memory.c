// Memory: small allocations that never fail, the one way an array grows, and how much can still be taken: of the machine,
// of the control groups (containers) that this process is in, and by its own limits.
#include "engine/base/base.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void mem_exhausted(void)
{
    fputs("warpbook: There is no memory left. Free some, or raise the limit (ulimit -v).\n", stderr);
    exit(EXIT_MISSING);
}

static void *must(void *memory)
{
    if (!memory)
        mem_exhausted();
    return memory;
}

void *mem_new(size_t size)
{
    return must(calloc(1, size ? size : 1));
}

char *mem_copy(const char *string)
{
    return must(strdup(string));
}

char *mem_copy_n(const char *bytes, size_t length)
{
    char *copy = mem_new(length + 1);
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}

char *mem_copy_if(const char *string)
{
    return string ? mem_copy(string) : NULL;
}

// Room is always a power of two, at least 4, so the count alone tells when it is full.
void *array_room(void *items, size_t count, size_t item_size)
{
    bool full = count == 0 || (count >= 4 && (count & (count - 1)) == 0);
    if (!full)
        return items;
    size_t room = count < 4 ? 4 : 2 * count;
    return must(realloc(items, room * item_size));
}

// ---- free memory -------------------------------------------------------------------------------------

// The files are opened once, so that a process that may open no files later can still ask.

enum { LEVELS = 16, PIECE = 8192 };
struct level { // a control group, or an ancestor of it
    int limit, used, stat;
};
struct memory_gauge { // descriptors; -1: there is no such file
    int machine, own;
    struct level levels[LEVELS];
    size_t level_count;
};

// ---- files ----------------------------------------------------------------------------------------------------

static int open_file(const char *folder, const char *name)
{
    char path[4096];
    format_into(path, sizeof path, "%s/%s", folder, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

// The file's beginning as it is now; false: there is none.
static bool read_file(int fd, char out[PIECE])
{
    ssize_t length = fd < 0 ? -1 : pread(fd, out, PIECE - 1, 0);
    out[length > 0 ? length : 0] = 0;
    return length > 0;
}

// The number that begins a file ("max" is no limit), or the one after `name` at the start of a line.
static double number_in(int fd, const char *name)
{
    char text[PIECE], *at = text, *end;
    if (!read_file(fd, text))
        return NAN;
    if (name) {
        size_t length = strlen(name);
        while (at && strncmp(at, name, length) != 0)
            at = (at = strchr(at, '\n')) ? at + 1 : NULL;
        if (!at)
            return NAN;
        at += length;
    }
    double number = strtod(at, &end);
    return end == at ? NAN : number;
}

// ---- control groups -------------------------------------------------------------------------------------------

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void add_level(struct memory_gauge *gauge, const char *folder, bool second)
{
    struct level level = { open_file(folder, second ? "memory.max" : "memory.limit_in_bytes"),
                           open_file(folder, second ? "memory.current" : "memory.usage_in_bytes"),
                           open_file(folder, "memory.stat") };
    const int fds[] = { level.limit, level.used, level.stat };
    if (level.limit < 0 || gauge->level_count == LEVELS)
        close_all(fds, 3);
    else
        gauge->levels[gauge->level_count++] = level;
}

// Adds the group at `path` under `mount` and its ancestors. In a container the path may be the one outside of it: then
// only the mount itself exists.
static void add_group(struct memory_gauge *gauge, const char *mount, const char *path, bool second)
{
    char folder[4096];
    format_into(folder, sizeof folder, "%s%s", mount, path);
    for (size_t least = strlen(mount);;) {
        size_t length = strlen(folder);
        while (length > least && folder[length - 1] == '/')
            folder[--length] = 0;
        add_level(gauge, folder, second);
        char *slash = length > least ? strrchr(folder, '/') : NULL;
        if (!slash)
            return;
        *slash = 0;
    }
}

// Lines of /proc/self/cgroup: "0::/user.slice" of the second version, "4:memory:/docker/0123" of the first.
static void add_groups(struct memory_gauge *gauge, const char *root, char *text)
{
    char mount[4096], *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *kinds = strchr(line, ':'), *path = kinds ? strchr(kinds + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = 0;
        bool second = !kinds[1];
        if (!second && !strstr(kinds + 1, "memory"))
            continue;
        format_into(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, second ? "" : "/memory");
        add_group(gauge, mount, path, second);
    }
}

// ---- the gauge --------------------------------------------------------------------------------------------------

struct memory_gauge *memory_gauge_open(const char *root)
{
    struct memory_gauge *gauge = mem_new(sizeof *gauge);
    char folder[4096], text[PIECE];
    format_into(folder, sizeof folder, "%s/proc", root);
    gauge->machine = open_file(folder, "meminfo");
    gauge->own = open_file(folder, "self/statm");
    int groups = open_file(folder, "self/cgroup");
    if (read_file(groups, text))
        add_groups(gauge, root, text);
    if (groups >= 0)
        close(groups);
    return gauge;
}

void memory_gauge_close(struct memory_gauge *gauge)
{
    if (!gauge)
        return;
    const int own[] = { gauge->machine, gauge->own };
    close_all(own, 2);
    for (size_t i = 0; i < gauge->level_count; i++) {
        const int fds[] = { gauge->levels[i].limit, gauge->levels[i].used, gauge->levels[i].stat };
        close_all(fds, 3);
    }
    free(gauge);
}

static double least(double a, double b)
{
    return isnan(a) || b < a ? b : a;
}

// The page cache counts as used, but is given up when memory is needed.
static double left_in(const struct level *level)
{
    double limit = number_in(level->limit, NULL), used = number_in(level->used, NULL);
    double files = number_in(level->stat, "inactive_file ");
    if (isnan(limit) || isnan(used))
        return NAN;
    used -= isnan(files) ? 0 : fmin(files, used);
    return fmax(limit - used, 0);
}

// The process's own limits: address space (ulimit -v) and data (ulimit -d).
static double left_of_own(const struct memory_gauge *gauge)
{
    char text[PIECE];
    unsigned long long space = 0, data = 0;
    struct rlimit limit;
    double left = NAN, page = (double)sysconf(_SC_PAGESIZE);
    if (!read_file(gauge->own, text) || sscanf(text, "%llu %*u %*u %*u %*u %llu", &space, &data) != 2)
        return NAN;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        left = least(left, (double)limit.rlim_cur - (double)space * page);
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        left = least(left, (double)limit.rlim_cur - (double)data * page);
    return left < 0 ? 0 : left;
}

double memory_of_process(pid_t pid)
{
    char folder[64], text[PIECE];
    unsigned long long pages = 0;
    format_into(folder, sizeof folder, "/proc/%ld", (long)pid);
    int statm = open_file(folder, "statm");
    bool known = statm >= 0 && read_file(statm, text) && sscanf(text, "%*u %llu", &pages) == 1;
    if (statm >= 0)
        close(statm);
    return known ? (double)pages * (double)sysconf(_SC_PAGESIZE) : NAN;
}

double memory_gauge_free(const struct memory_gauge *gauge)
{
    double left = number_in(gauge->machine, "MemAvailable:") * 1024;
    for (size_t i = 0; i < gauge->level_count; i++)
        left = least(left, left_in(&gauge->levels[i]));
    return least(left, left_of_own(gauge));
}
