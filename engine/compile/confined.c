// What is left to a tool that reads a kernel: a compiler can be made to read files, and to crash in ways that somebody
// chose. See engine/base/confine.h for how.
#include "engine/compile/parts.h"

#include "engine/base/confine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY_GIB = 4, CPU_SECONDS = 600 };
static const char tool_mark[] = "WARPBOOK_TOOL=1"; // in the environment of every tool

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// A script starts the real tool itself, and so does a program that stands in the tool's place, such as ccache.
static bool starts_others(const char *path)
{
    char head[2] = "", *real = realpath(path, NULL);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool script = fd >= 0 && read(fd, head, sizeof head) == sizeof head && memcmp(head, "#!", 2) == 0;
    bool another = real && strncmp(base_name(real), base_name(path), strcspn(base_name(path), "-")) != 0;
    if (fd >= 0)
        close(fd);
    free(real);
    return script || another;
}

// The folder of the program, and lib/ beside it, for one that is installed in a tree of its own.
struct surroundings {
    char folder[PATH_ROOM], libraries[PATH_ROOM];
};

static void look_around(const char *program, struct surroundings *out)
{
    char *real = realpath(program, NULL), *slash = real ? strrchr(real, '/') : NULL;
    *out = (struct surroundings){ "", "" };
    if (slash) {
        *slash = 0;
        format_into(out->folder, sizeof out->folder, "%s", real);
        format_into(out->libraries, sizeof out->libraries, "%s/../lib", real);
    }
    free(real);
}

struct confinement *tool_confinement(const char *program, bool own, const char *const *paths)
{
    struct surroundings around;
    struct confine_plan plan = { .calls = CALLS_TOOL,
                                 .files = true,
                                 .libraries = true,
                                 .program = program,
                                 .own = own,
                                 .memory_bytes = (uint64_t)MEMORY_GIB << 30,
                                 .cpu_seconds = CPU_SECONDS };
    look_around(program, &around);
    if (!own && starts_others(program)) {
        static const char *const for_scripts[] = { "/bin", "/usr/bin", "/usr/local/bin", "/opt",
                                                   "/nix/store" };
        plan.calls = CALLS_SCRIPT;
        for (size_t i = 0; i < sizeof for_scripts / sizeof *for_scripts; i++)
            confine_read(&plan, for_scripts[i]);
    }
    if (!own) {
        confine_read(&plan, around.folder);
        confine_read(&plan, around.libraries);
        confine_read(&plan, "/etc/clang"); // how a distribution sets its clang up
    }
    confine_change(&plan, "/dev/null");
    for (size_t i = 0; paths[i]; i++)
        confine_read(&plan, paths[i]);
    return confinement_new(&plan);
}

bool headers_alone(const struct tools *tools)
{
    char include[PATH_ROOM] = "";
    struct confine_plan plan = { .calls = CALLS_TOOL, .files = true, .own = true };
    confine_read(&plan, tools->headers);
    if (cuda_include_find(include, sizeof include))
        confine_read(&plan, include);
    struct confinement *confinement = confinement_new(&plan);
    bool applied = confinement_apply(confinement);
    confinement_free(confinement);
    return applied;
}

bool is_tool(void)
{
    return getenv("WARPBOOK_TOOL") != NULL;
}

bool tool_run(const char *const *argv, const struct confinement *confinement, const struct text *input,
              int limit_ms, const atomic_bool *stop, struct child_result *result, struct error *error)
{
    const char *const more[] = { tool_mark, "CCACHE_DISABLE=1", NULL };
    const char **environment = confine_environment(more);
    struct tools tools;
    tools_find(&tools);
    struct child_terms terms = { .bound = true,
                                 .folder = tools.headers[0] ? tools.headers : "/",
                                 .environment = environment,
                                 .confinement = confinement };
    bool ran = child_run_on(argv, &terms, input->data, input->length, limit_ms, stop, result, error);
    free(environment);
    return ran;
}
