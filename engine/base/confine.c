// A confinement as a whole: limits, Landlock for files, and the order in which they are applied.
#include "engine/base/confine.h"

#include "engine/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZER 1
#endif
#endif
#ifndef SANITIZER
#define SANITIZER 0
#endif

// ---- Landlock, as linux/landlock.h has it; headers of older systems lack the file or parts of it -------------

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 }; // the same on every architecture
enum { RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };
enum { // rights on files
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_DIR = 1 << 4,
    REMOVE_FILE = 1 << 5,
    MAKE_DIR = 1 << 7,
    MAKE_REG = 1 << 8,
    FIRST_VERSION = (1 << 13) - 1, // all rights of version 1
    REFER = 1 << 13,               // version 2
    TRUNCATE = 1 << 14,            // version 3
    IOCTL_DEV = 1 << 15            // version 5
};
enum { TCP = 3, SCOPES = 3 }; // bind and connect, version 4; abstract sockets and signals, version 6

struct ruleset_attributes {
    uint64_t files, network, scoped;
};
struct __attribute__((packed)) path_rule {
    uint64_t allowed;
    int32_t folder;
};

static int landlock_version(void)
{
    long version = syscall(CREATE_RULESET, NULL, 0, RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

static uint64_t known_rights(int version)
{
    uint64_t rights = FIRST_VERSION;
    if (version >= 2)
        rights |= REFER;
    if (version >= 3)
        rights |= TRUNCATE;
    if (version >= 5)
        rights |= IOCTL_DEV;
    return rights;
}

// A path that is not there needs no rule. Rights on the entries of a folder mean nothing for a file, and are refused for one.
static void allow(int ruleset, const char *path, uint64_t rights)
{
    const uint64_t of_files = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
    struct stat state;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    struct path_rule rule = { rights, fd };
    if (fstat(fd, &state) == 0 && !S_ISDIR(state.st_mode))
        rule.allowed &= of_files;
    (void)syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0); // refused: the path stays closed
    close(fd);
}

static void allow_libraries(int ruleset, uint64_t rights)
{
    static const char *const usual[] = {
        "/lib",           "/lib64",           "/usr/lib",         "/usr/lib64",
        "/usr/local/lib", "/usr/local/lib64", "/etc/ld.so.cache", "/etc/ld.so.preload"
    };
    const char *at = getenv("LD_LIBRARY_PATH");
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        allow(ruleset, usual[i], rights);
    while (at && *at) {
        size_t length = strcspn(at, ":;");
        char *folder = mem_copy_n(at, length);
        if (*folder == '/')
            allow(ruleset, folder, rights);
        free(folder);
        at += length + (at[length] != 0);
    }
}

static void allow_all(int ruleset, const struct confine_plan *plan, uint64_t known)
{
    const uint64_t starting = plan->calls == CALLS_SCRIPT ? EXECUTE : 0;
    const uint64_t reading = READ_FILE | READ_DIR | starting;
    const uint64_t changing = (reading | WRITE_FILE | TRUNCATE | REMOVE_FILE | REMOVE_DIR | MAKE_DIR |
                               MAKE_REG | REFER | IOCTL_DEV) &
                              known;
    if (plan->libraries)
        allow_libraries(ruleset, reading);
    for (size_t i = 0; i < plan->read_count; i++)
        allow(ruleset, plan->read[i], reading);
    for (size_t i = 0; i < plan->change_count; i++)
        allow(ruleset, plan->change[i], changing);
    if (!plan->program)
        return;
    allow(ruleset, plan->program, reading | EXECUTE);
    static const char *const loaders[] = { "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1" };
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
        allow(ruleset, loaders[i], reading | EXECUTE); // a program's interpreter is executed with it
}

// The descriptor of a ruleset, or -1 where there is no Landlock.
static int ruleset_new(const struct confine_plan *plan)
{
    int version = landlock_version();
    if (!version || !plan->files)
        return -1;
    uint64_t known = known_rights(version);
    struct ruleset_attributes attributes = { known, version >= 4 ? TCP : 0, version >= 6 ? SCOPES : 0 };
    size_t size = version >= 6   ? sizeof attributes
                  : version >= 4 ? offsetof(struct ruleset_attributes, scoped)
                                 : offsetof(struct ruleset_attributes, network);
    int ruleset = (int)syscall(CREATE_RULESET, &attributes, size, 0);
    if (ruleset >= 0)
        allow_all(ruleset, plan, known);
    return ruleset;
}

// NVIDIA's profilers and compute-sanitizer put libraries of theirs into a program and what it starts, and talk to them
// over sockets.
static bool is_profiled(void)
{
    static const char *const signs[] = { "NV_NSIGHT_INJECTION_", "NV_SANITIZER_INJECTION_",
                                         "NV_COMPUTE_PROFILER_", "NVIDIA-PROCESS-TRACKING-",
                                         "CUDA_INJECTION64_PATH=" };
    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (string_starts(*entry, signs[i]))
                return true;
    return false;
}

// ---- the plan -----------------------------------------------------------------------------------------------

static void add_path(const char **paths, size_t *count, const char *path)
{
    if (path && *path && *count < CONFINE_PATHS)
        paths[(*count)++] = path;
}

void confine_read(struct confine_plan *plan, const char *path)
{
    add_path(plan->read, &plan->read_count, path);
}

void confine_change(struct confine_plan *plan, const char *path)
{
    add_path(plan->change, &plan->change_count, path);
}

void confine_descriptors(void)
{
    enum { CLOSE_RANGE = 436, FIRST = STDERR_FILENO + 1, MOST = 1024 };
    if (is_profiled() || syscall(CLOSE_RANGE, FIRST, ~0u, 0) == 0)
        return;
    for (int fd = FIRST; fd < MOST; fd++)
        close(fd);
}

static bool is_set(const char *const *list, const char *entry)
{
    size_t name = strcspn(entry, "=") + 1;
    for (; *list; list++)
        if (strncmp(*list, entry, name) == 0)
            return true;
    return false;
}

// The rest of an environment is for other programs: names of hosts, tokens, passwords.
const char **confine_environment(const char *const *more)
{
    static const char *const kept[] = {
        "PATH=",  "HOME=", "TMPDIR=",   "TERM=", "LANG",  "LC_",   "LD_LIBRARY_PATH=",
        "XDG_",   "CUDA_", "WARPBOOK_", "OMP_",  "GOMP_", "ASAN_", "LSAN_",
        "UBSAN_", "NIX_",  "CCACHE_"
    };
    bool whole = is_profiled();
    size_t count = 0, added = 0, to = 0;
    while (environ[count])
        count++;
    while (more[added])
        added++;
    const char **few = mem_new((count + added + 1) * sizeof *few);
    for (size_t i = 0; i < added; i++)
        few[to++] = more[i];
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            if ((whole || string_starts(environ[i], kept[k])) && !is_set(more, environ[i])) {
                few[to++] = environ[i];
                break;
            }
    return few;
}

// ---- the confinement ----------------------------------------------------------------------------------------

struct confinement {
    int ruleset; // -1: files stay as they are
    uint64_t memory_bytes;
    int cpu_seconds;
    bool bare;     // nothing is given up but core files and time: a sanitizer's program goes on
    char *program; // at an address that is unknown outside of this process; NULL: none
    size_t program_room;
    bool filtered;
    struct sock_filter code[FILTER_MOST];
    struct sock_fprog filter;
};

// The filter allows execve with one pointer alone. The program that it starts neither knows that pointer nor can find it
// without calling execve, so it can start nothing in its turn.
static char *place_program(const char *path, size_t *room)
{
    *room = strlen(path) + 1;
    char *page = mmap(NULL, *room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    memcpy(page, path, *room);
    return page;
}

struct confinement *confinement_new(const struct confine_plan *plan)
{
    struct confinement *c = mem_new(sizeof *c);
    c->bare = (SANITIZER && plan->own) || is_profiled();
    c->ruleset = c->bare ? -1 : ruleset_new(plan);
    c->memory_bytes = c->bare ? 0 : plan->memory_bytes; // a sanitizer reserves terabytes of addresses
    c->cpu_seconds = plan->cpu_seconds;
    if (plan->program)
        c->program = place_program(plan->program, &c->program_room);
    c->filter.len = confine_filter(plan->calls, c->ruleset >= 0, (uintptr_t)c->program, c->code);
    c->filter.filter = c->code;
    c->filtered = c->filter.len && confine_state().seccomp; // some containers refuse what their Linux has
    return c;
}

void confinement_free(struct confinement *confinement)
{
    if (!confinement)
        return;
    if (confinement->ruleset >= 0)
        close(confinement->ruleset);
    if (confinement->program)
        munmap(confinement->program, confinement->program_room);
    free(confinement);
}

const char *confinement_program(const struct confinement *confinement)
{
    return confinement->program;
}

static bool lower(int resource, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return false;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most)
        most = now.rlim_max;
    return setrlimit(resource, &(struct rlimit){ most, most }) == 0;
}

static bool apply_limits(const struct confinement *c)
{
    bool set = lower(RLIMIT_CORE, 0);
    if (c->cpu_seconds)
        set = lower(RLIMIT_CPU, (rlim_t)c->cpu_seconds) && set;
    if (c->memory_bytes)
        set = lower(RLIMIT_AS, (rlim_t)c->memory_bytes) && set;
    return set;
}

// The filter applies to all threads of this process where Linux can do that, else to the calling thread and those that
// it starts. Landlock applies to the latter alone: threads that an open library has started keep their rights to files.
static bool apply_filter(const struct confinement *c)
{
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &c->filter) == 0)
        return true;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &c->filter, 0, 0) == 0;
}

bool confinement_apply(const struct confinement *c)
{
    bool applied = apply_limits(c);
    if (c->bare)
        return applied;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    if (c->ruleset >= 0 && syscall(RESTRICT_SELF, c->ruleset, 0) != 0)
        applied = false;
    return (!c->filtered || apply_filter(c)) && applied;
}

// ---- the parts that this machine has ------------------------------------------------------------------------

struct confine_state confine_state(void)
{
    // A filter at no address is refused as a bad address where filters exist, and as unknown where they don't.
    bool filters = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0 && errno == EFAULT;
    return (struct confine_state){
        .landlock = landlock_version(), .seccomp = filters, .sanitizer = SANITIZER, .profiler = is_profiled()
    };
}
