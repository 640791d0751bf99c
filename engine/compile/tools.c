// The compilers and NVIDIA's tools: where they are, and how one is run. Finding them only looks at names of files, so
// that a result in the cache costs no more than that: NVRTC has 100 MB and is opened in the compiling child alone. A
// tool that reads a kernel is confined, since a compiler can be made to read files, and to crash in ways that an attacker
// chose; engine/base/confine.h says how.
#include "engine/compile/parts.h"

#include "engine/base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// ---- finding compilers and toolkits -----------------------------------------------------------------

static const char *const nvrtc_names[] = { "libnvrtc.so.14", "libnvrtc.so.13", "libnvrtc.so.12",
                                           "libnvrtc.so.11.2", "libnvrtc.so" };
static const char *const clang_names[] = { "clang",    "clang-20", "clang-19", "clang-18",
                                           "clang-17", "clang-16", "clang-15", "clang-14" };
enum {
    NVRTC_NAMES = sizeof nvrtc_names / sizeof *nvrtc_names,
    CLANG_NAMES = sizeof clang_names / sizeof *clang_names
};

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

// The path with all links followed, if it is a file and fits.
static bool resolve(const char *path, char *out, size_t size)
{
    char real[PATH_MAX];
    struct stat state;
    if (!realpath(path, real) || stat(real, &state) || !S_ISREG(state.st_mode) || strlen(real) >= size)
        return false;
    format_into(out, size, "%s", real);
    return true;
}

static bool resolve_in(const char *folder, const char *name, char *out, size_t size)
{
    char *path = path_join(folder, name);
    bool found = resolve(path, out, size);
    free(path);
    return found;
}

// Names that a library may have, the best first.
struct library_names {
    const char *const *names;
    size_t count;
};

static bool library_in(const char *folder, struct library_names of, char *out, size_t size)
{
    for (size_t i = 0; i < of.count; i++)
        if (resolve_in(folder, of.names[i], out, size))
            return true;
    return false;
}

// The folders of a toolkit in which its libraries can be.
static bool library_in_toolkit(const char *root, struct library_names of, char *out, size_t size)
{
    static const char *const folders[] = { "lib64", "lib", "targets/x86_64-linux/lib",
                                           "targets/sbsa-linux/lib" };
    bool found = false;
    for (size_t i = 0; root && !found && i < sizeof folders / sizeof *folders; i++) {
        char *folder = path_join(root, folders[i]);
        found = library_in(folder, of, out, size);
        free(folder);
    }
    return found;
}

static bool library_in_path(struct library_names of, char *out, size_t size)
{
    const char *at = variable("LD_LIBRARY_PATH");
    bool found = false;
    while (at && *at && !found) {
        size_t length = strcspn(at, ":;");
        char *folder = mem_copy_n(at, length);
        found = length && library_in(folder, of, out, size);
        free(folder);
        at += length + (at[length] != 0);
    }
    return found;
}

// The loader's own list, /etc/ld.so.cache, holds the full paths as strings between zeros.
static bool library_in_cache(struct library_names of, char *out, size_t size)
{
    struct text cache = { 0 };
    struct error ignored;
    bool found = false;
    if (!file_read("/etc/ld.so.cache", &cache, &ignored))
        return false;
    for (size_t i = 0; i < of.count && !found; i++) {
        char name[64];
        format_into(name, sizeof name, "/%s", of.names[i]);
        const char *at = memmem(cache.data, cache.length, name, strlen(name) + 1);
        while (at && at > cache.data && at[-1])
            at--;
        found = at && *at == '/' && resolve(at, out, size);
    }
    text_free(&cache);
    return found;
}

// /usr/local/cuda-12.4 and its like, newest first.
static bool library_in_versions(struct library_names of, char *out, size_t size)
{
    glob_t roots;
    bool found = false;
    if (glob("/usr/local/cuda-[0-9]*", 0, NULL, &roots))
        return false;
    for (size_t i = roots.gl_pathc; i > 0 && !found; i--)
        found = library_in_toolkit(roots.gl_pathv[i - 1], of, out, size);
    globfree(&roots);
    return found;
}

bool toolkit_library(const char *given, const char *const *names, size_t count, char *out, size_t size)
{
    struct library_names of = { names, count };
    const char *chosen = getenv(given);
    if (chosen)
        return resolve(chosen, out, size);
    return library_in_toolkit(variable("CUDA_HOME"), of, out, size) ||
           library_in_toolkit(variable("CUDA_PATH"), of, out, size) || library_in_path(of, out, size) ||
           library_in_cache(of, out, size) || library_in_toolkit(variable("CONDA_PREFIX"), of, out, size) ||
           library_in_toolkit("/usr/local/cuda", of, out, size) ||
           library_in_toolkit("/opt/cuda", of, out, size) || library_in_versions(of, out, size);
}

bool library_at(const char *given, const char *path, char *out, size_t size)
{
    const char *chosen = getenv(given);
    if (chosen)
        path = chosen;
    return path && resolve(path, out, size);
}

// A link stays as it is: what it points to may be a program that looks at the name by which it is called.
static bool keep(const char *path, char *out, size_t size)
{
    char real[PATH_ROOM];
    if (!resolve(path, real, sizeof real) || strlen(path) >= size)
        return false;
    format_into(out, size, "%s", *path == '/' ? path : real);
    return true;
}

// $WARPBOOK_CLANG alone if it is set: a path, or a name on $PATH; "none" or nothing in it: no clang.
static bool clang_find(char *out, size_t size)
{
    const char *given = getenv("WARPBOOK_CLANG");
    char path[PATH_MAX];
    if (given && strchr(given, '/'))
        return keep(given, out, size);
    if (given)
        return *given && program_find(given, path, sizeof path) && keep(path, out, size);
    for (int i = 0; i < CLANG_NAMES; i++)
        if (program_find(clang_names[i], path, sizeof path) && keep(path, out, size))
            return true;
    return false;
}

static void find_shipped(const char *below, char *out, size_t size)
{
    char *path = path_shipped(below), real[PATH_MAX];
    *out = 0;
    if (path && realpath(path, real) && strlen(real) < size)
        format_into(out, size, "%s", real);
    free(path);
}

void tools_find(struct tools *out)
{
    *out = (struct tools){ 0 };
    toolkit_library("WARPBOOK_NVRTC", nvrtc_names, NVRTC_NAMES, out->nvrtc, sizeof out->nvrtc);
    clang_find(out->clang, sizeof out->clang);
    find_shipped("assets/include", out->headers, sizeof out->headers);
    find_shipped("assets/clang/cuda.h", out->prelude, sizeof out->prelude);
}

static void add_identity(struct text *out, const char *path)
{
    struct stat state = { 0 };
    if (*path && stat(path, &state) == 0)
        text_addf(out, "%s %lld %lld.%09ld\n", path, (long long)state.st_size,
                  (long long)state.st_mtim.tv_sec, state.st_mtim.tv_nsec);
    else
        text_add(out, "none\n");
}

// The headers that ship belong to the identity, so that a changed header has its effect.
static void add_headers(struct text *out, const char *below)
{
    char *folder = path_shipped(below), *pattern = folder ? path_join(folder, "*.h") : NULL;
    glob_t found;
    if (pattern && glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_identity(out, found.gl_pathv[i]);
        globfree(&found);
    }
    free(pattern);
    free(folder);
}

void tools_identity(const struct tools *tools, struct text *out)
{
    char include[PATH_ROOM] = "", *self = path_self();
    tools_find_include(include, sizeof include);
    add_identity(out, self ? self : ""); // how it is compiled and how logs are read
    free(self);
    add_identity(out, tools->nvrtc);
    add_identity(out, tools->clang);
    add_headers(out, "assets/include");
    add_headers(out, "assets/clang");
    add_headers(out, "assets/clang/cooperative_groups");
    add_headers(out, "assets/clang/cuda");
    add_identity(out, include);
}

static bool find_in_toolkits(const char *below, char *out, size_t size)
{
    const char *roots[] = { variable("CUDA_HOME"), variable("CUDA_PATH"), "/usr/local/cuda" };
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (!roots[i] || strlen(roots[i]) + 1 + strlen(below) >= size)
            continue;
        format_into(out, size, "%s/%s", roots[i], below);
        if (file_exists(out))
            return true;
    }
    return false;
}

// NAME in $CUDA_HOME/bin, /usr/local/cuda/bin or on $PATH.
static bool tools_find_program(const char *name, char *out, size_t size)
{
    char below[64], path[PATH_ROOM];
    format_into(below, sizeof below, "bin/%s", name);
    return (find_in_toolkits(below, path, sizeof path) && resolve(path, out, size)) ||
           program_find(name, out, size);
}

bool tools_find_include(char *out, size_t size)
{
    if (!find_in_toolkits("include/cuda_fp16.h", out, size))
        find_shipped("assets/clang/cuda_fp16.h", out, size);
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = 0;
    return slash != NULL;
}

// ---- running one ------------------------------------------------------------------------------------

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

struct confinement *tools_confinement(const char *program, bool own, const char *const *paths)
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

bool tools_is_tool(void)
{
    return getenv("WARPBOOK_TOOL") != NULL;
}

static bool has_time(pid_t child, void *context)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(child, &clock) || clock_gettime(clock, &used))
        return true; // it has ended
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6 < *(const int *)context;
}

bool tools_run(const struct tools *tools, const char *const *argv, const struct confinement *confinement,
               const struct text *input, int limit_ms, const atomic_bool *stop, struct child_result *result,
               struct error *error)
{
    const char *const more[] = { tool_mark, "CCACHE_DISABLE=1", NULL };
    const char **environment = confine_environment(more);
    struct child_terms terms = { .bound = true,
                                 .folder = tools->headers[0] ? tools->headers : "/",
                                 .environment = environment,
                                 .confinement = confinement,
                                 .may_go_on = has_time,
                                 .context = &limit_ms };
    int most_ms = limit_ms < INT_MAX / COMPILER_WAITS ? limit_ms * COMPILER_WAITS : INT_MAX;
    bool ran = child_run_on(argv, &terms, input->data, input->length, most_ms, stop, result, error);
    free(environment);
    return ran;
}

// ---- SASS, by NVIDIA's disassembler ------------------------------------------------------------------

// The disassembler reads files only, so the CUBIN goes through a temporary one.

enum { DISASSEMBLE_LIMIT_MS = 20000 };

static bool temporary_write(const struct compiled *compiled, char *path, size_t size, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    format_into(path, size, "%s/warpbook-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        return error_set(error, EXIT_MISSING, "Cannot make a temporary file %s: %s.", path, strerror(errno));
    ssize_t put = write(fd, compiled->cubin, compiled->cubin_bytes);
    if (close(fd) == 0 && put == (ssize_t)compiled->cubin_bytes)
        return true;
    unlink(path);
    return error_set(error, EXIT_MISSING, "Cannot write the temporary file %s.", path);
}

static bool judge(const struct child_result *child, const char *program, struct text *out,
                  struct error *error)
{
    char how[128], said[256];
    if (child->timed_out)
        return error_set(error, EXIT_MISSING, "%s did not finish within %d s.", program,
                         DISASSEMBLE_LIMIT_MS / 1000);
    if (child->status == 0 && child->out.length) {
        text_add_clean(out, child->out.data, child->out.length);
        return true;
    }
    child_describe(child->status, how, sizeof how);
    compiled_log_excerpt(text_string(&child->err), said, sizeof said);
    return error_set(error, EXIT_MISSING, "%s %s; it said: %s", program, how, said);
}

bool disassemble(const struct compiled *compiled, struct text *out, struct error *error)
{
    char program[PATH_ROOM], path[PATH_ROOM];
    const char *option = "-c"; // of nvdisasm: code only
    struct child_result child;
    struct tools tools;
    if (!compiled->cubin)
        return error_set(
            error, EXIT_MISSING,
            "SASS needs machine code, and %s makes only PTX. NVRTC of NVIDIA's CUDA Toolkit makes both.",
            compiled->compiler[0] ? compiled->compiler : "the compiler that is here");
    if (!tools_find_program("nvdisasm", program, sizeof program)) {
        option = "-sass";
        if (!tools_find_program("cuobjdump", program, sizeof program))
            return error_set(
                error, EXIT_MISSING,
                "SASS needs nvdisasm or cuobjdump of NVIDIA's CUDA Toolkit; neither is in CUDA_HOME/bin, "
                "/usr/local/cuda/bin or on PATH.");
    }
    tools_find(&tools);
    if (!temporary_write(compiled, path, sizeof path, error))
        return false;
    char *file = realpath(path, NULL); // the tool runs in another folder, and $TMPDIR may be any word
    const char *argv[] = { program, option, file ? file : path, NULL };
    struct confinement *confinement =
        tools_confinement(program, false, (const char *const[]){ argv[2], NULL });
    bool right =
        tools_run(&tools, argv, confinement, &(struct text){ 0 }, DISASSEMBLE_LIMIT_MS, NULL, &child, error);
    confinement_free(confinement);
    free(file);
    if (right) {
        right = judge(&child, program, out, error);
        child_result_free(&child);
    }
    unlink(path);
    return right;
}
