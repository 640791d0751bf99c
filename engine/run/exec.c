// Whole programs in the simulator: what kind of program it is, compiling it, running it with our runtime in the place of
// NVIDIA's, and reading what that has written down.
#include "engine/run/exec_parts.h"

#include "engine/base/confine.h"
#include "engine/compile/compile.h"
#include "engine/run/host.h"
#include "engine/run/simulation.h"

#include <elf.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- the report: the lines of engine/exec/report.c, launches added up by kernel and size, findings by cause. They come
// from the user's program, so all text is cleaned. -----------------------------------------------------------------------

static char *clean_of(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));
    return text_clean(value ? value : "");
}

static uint64_t count_at(const json_t *json, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(json, key));
    return value > 0 ? (uint64_t)value : 0;
}

static void three_of(const json_t *json, const char *key, uint32_t out[3])
{
    const json_t *three = json_object_get(json, key);
    for (size_t i = 0; i < 3; i++)
        out[i] = (uint32_t)json_integer_value(json_array_get(three, i));
}

static void counts_of(const json_t *json, const char *key, uint64_t *out, size_t count)
{
    const json_t *counts = json_object_get(json, key);
    for (size_t i = 0; i < count; i++)
        out[i] = (uint64_t)json_integer_value(json_array_get(counts, i));
}

static char *kernel_name(const json_t *json)
{
    struct text name = { 0 };
    struct mangled mangled;
    char *entry = clean_of(json, "kernel");
    mangled_read(entry, &mangled);
    text_addf(&name, "%s%s", mangled.name ? mangled.name : entry,
              mangled.name && mangled.arguments ? mangled.arguments : "");
    mangled_free(&mangled);
    free(entry);
    return text_take(&name);
}

// ---- findings ---------------------------------------------------------------------------------------------------------------

static void free_finding(struct exec_finding *f)
{
    free(f->severity);
    free(f->kind);
    free(f->sentence);
    free(f->kernel);
    free(f->file);
    free(f->missing);
    free(f->shared);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_cause(const struct exec_finding *a, const struct exec_finding *b)
{
    return a->line == b->line && same_text(a->kind, b->kind) && same_text(a->kernel, b->kernel) &&
           same_text(a->file, b->file) && same_text(a->missing, b->missing) &&
           (a->line || same_text(a->sentence, b->sentence));
}

// Takes what it holds.
static void add_finding(struct exec_outcome *out, struct exec_finding *new)
{
    for (size_t i = 0; i < out->finding_count; i++)
        if (same_cause(&out->findings[i], new)) {
            out->findings[i].count += new->count;
            free_finding(new);
            return;
        }
    out->findings = array_room(out->findings, out->finding_count, sizeof *out->findings);
    out->findings[out->finding_count++] = *new;
}

static void read_finding(struct exec_outcome *out, const json_t *json, const char *kernel, uint64_t launch)
{
    struct exec_finding new = { .severity = clean_of(json, "severity"),
                                .kind = clean_of(json, "kind"),
                                .sentence = clean_of(json, "sentence"),
                                .kernel = mem_copy(kernel),
                                .file = clean_of(json, "file"),
                                .shared = clean_of(json, "shared"),
                                .line = (int)count_at(json, "line"),
                                .count = count_at(json, "count"),
                                .launch = launch };
    add_finding(out, &new);
}

// Elements of shared arrays get as many indices as their declarations have, where the source is at hand.
static void name_in_sources(struct exec_outcome *out)
{
    enum { SOURCE_MOST = 16 << 20 }; // bytes
    for (size_t i = 0; i < out->finding_count; i++) {
        struct exec_finding *f = &out->findings[i];
        struct text source = { 0 };
        struct error unread;
        struct stat is;
        if (!f->shared || !*f->shared || !*f->file || stat(f->file, &is) != 0 || !S_ISREG(is.st_mode) ||
            is.st_size > SOURCE_MOST || !file_read(f->file, &source, &unread))
            continue;
        char *named = sentence_in_source(text_string(&source), f->shared, f->sentence);
        free(f->sentence);
        f->sentence = named;
        text_free(&source);
    }
}

static void read_host(struct exec_outcome *out, const json_t *json)
{
    struct exec_finding new = { .severity = clean_of(json, "host"),
                                .kind = clean_of(json, "kind"),
                                .sentence = clean_of(json, "sentence"),
                                .file = clean_of(json, "file"),
                                .line = (int)count_at(json, "line"),
                                .count = 1,
                                .launch = count_at(json, "launches") };
    add_finding(out, &new);
}

static void read_missing(struct exec_outcome *out, const json_t *json)
{
    char *what = clean_of(json, "missing"), *advice = clean_of(json, "advice");
    struct exec_finding new = { .severity = mem_copy("error"),
                                .kind = mem_copy("not there"),
                                .sentence = text_format("%s: %s", what, advice),
                                .file = clean_of(json, "file"),
                                .missing = what,
                                .line = (int)count_at(json, "line"),
                                .count = 1,
                                .launch = count_at(json, "launches") };
    free(advice);
    add_finding(out, &new);
}

// ---- launches ---------------------------------------------------------------------------------------------------------------

static struct exec_row *row_of(struct exec_outcome *out, const char *kernel, const uint32_t grid[3],
                               const uint32_t block[3])
{
    for (size_t i = out->row_count; i-- > 0;) {
        struct exec_row *row = &out->rows[i];
        if (memcmp(row->grid, grid, sizeof row->grid) == 0 &&
            memcmp(row->block, block, sizeof row->block) == 0 && strcmp(row->kernel, kernel) == 0)
            return row;
    }
    out->rows = array_room(out->rows, out->row_count, sizeof *out->rows);
    struct exec_row *row = &out->rows[out->row_count++];
    *row = (struct exec_row){ .kernel = mem_copy(kernel) };
    memcpy(row->grid, grid, sizeof row->grid);
    memcpy(row->block, block, sizeof row->block);
    return row;
}

// Of the first launch of its size.
static void read_time(const json_t *json, const char *gpu, struct modelled *out)
{
    if (!json || !gpu || out->name)
        return;
    out->name = mem_copy(gpu);
    out->ms = json_number_value(json_object_get(json, "ms"));
    out->low_ms = json_number_value(json_object_get(json, "low_ms"));
    out->high_ms = json_number_value(json_object_get(json, "high_ms"));
    if (!(out->ms > 0))
        out->why = clean_of(json, "why");
}

static void read_launch(struct exec_outcome *out, const json_t *json)
{
    char *kernel = kernel_name(json);
    uint32_t grid[3], block[3];
    const json_t *findings = json_object_get(json, "findings"), *finding;
    size_t i;
    three_of(json, "grid", grid);
    three_of(json, "block", block);
    struct exec_row *row = row_of(out, kernel, grid, block);
    out->launches = count_at(json, "launch");
    row->numbers = array_room(row->numbers, row->launches, sizeof *row->numbers);
    row->numbers[row->launches++] = out->launches;
    row->ms += json_number_value(json_object_get(json, "ms"));
    row->incomplete += !json_is_true(json_object_get(json, "complete"));
    row->findings += json_array_size(findings);
    if (json_is_true(json_object_get(json, "counted"))) {
        struct sim_counters one = { .warp_inst = count_at(json, "warp_inst"),
                                    .thread_inst = count_at(json, "thread_inst"),
                                    .branches = count_at(json, "branches"),
                                    .divergent = count_at(json, "divergent") };
        counts_of(json, "requests", one.requests, SIM_ACCESSES);
        counts_of(json, "passes", one.passes, SIM_ACCESSES);
        counts_of(json, "ideal", one.ideal, SIM_ACCESSES);
        counts_of(json, "conflicts", one.conflicts, SIM_ACCESSES);
        counts_of(json, "remote_requests", one.remote_requests, SIM_REMOTES);
        counts_of(json, "remote_sectors", one.remote_sectors, SIM_REMOTES);
        counts_of(json, "remote_wavefronts", one.remote_wavefronts, SIM_REMOTES);
        uint64_t constants[2] = { 0 }; // requests, turns
        counts_of(json, "constants", constants, 2);
        one.constant_requests = constants[0];
        one.constant_turns = constants[1];
        sim_counters_add(&row->counters, &one);
        read_time(json_object_get(json, "modelled"), out->gpu, &row->modelled);
        row->reads_clock |= json_is_true(json_object_get(json, "clock"));
        row->counted++;
    }
    json_array_foreach(findings, i, finding) read_finding(out, finding, kernel, out->launches);
    free(out->last);
    out->last = kernel;
}

// A file that is not there has nothing in it: the program used no function of CUDA. A line that was cut off is left out.
static bool report_read(const char *path, struct exec_outcome *out, struct error *error)
{
    struct text lines = { 0 };
    if (!file_exists(path))
        return true;
    if (!file_read(path, &lines, error))
        return false;
    for (const char *at = text_string(&lines); *at;) {
        size_t length = strcspn(at, "\n");
        json_t *json = json_loadb(at, length, 0, NULL);
        if (json_object_get(json, "launch"))
            read_launch(out, json);
        else if (json_object_get(json, "host"))
            read_host(out, json);
        else if (json_object_get(json, "missing"))
            read_missing(out, json);
        else if (count_at(json, "elapsed"))
            *(count_at(json, "copies") ? &out->timed_copies : &out->timed) += 1;
        else
            out->spoilt += count_at(json, "spoilt");
        json_decref(json);
        at += length + (at[length] == '\n');
    }
    text_free(&lines);
    return true;
}

void exec_outcome_free(struct exec_outcome *outcome)
{
    for (size_t i = 0; i < outcome->row_count; i++) {
        free(outcome->rows[i].kernel);
        free(outcome->rows[i].numbers);
        free(outcome->rows[i].modelled.name);
        free(outcome->rows[i].modelled.why);
    }
    for (size_t i = 0; i < outcome->finding_count; i++)
        free_finding(&outcome->findings[i]);
    free(outcome->rows);
    free(outcome->findings);
    free(outcome->last);
    free(outcome->note);
    free(outcome->gpu);
    *outcome = (struct exec_outcome){ 0 };
}

bool exec_finding_is(const struct exec_finding *f, const char *kinds)
{
    for (const char *at = kinds; at && *at;) {
        size_t length = strcspn(at, ",");
        char *kind = mem_copy_n(at, length);
        bool is =
            *kind && (strstr(f->kind, kind) || strcmp(f->severity, kind) == 0 || strcmp(kind, "any") == 0);
        free(kind);
        if (is)
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

// ---- the versions of the runtime --------------------------------------------------------------------------------

static const char *const versions[] = { "11.0", "12", "13" };
enum { VERSIONS = sizeof versions / sizeof *versions };

// ---- the program's file -----------------------------------------------------------------------------------------------

struct elf_view {
    const char *bytes;
    size_t size;
};

static bool elf_section(const struct elf_view *elf, const char *name, const Elf64_Shdr **out)
{
    const Elf64_Ehdr *head = (const void *)elf->bytes;
    if (elf->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shoff > elf->size ||
        head->e_shnum * sizeof(Elf64_Shdr) > elf->size - head->e_shoff || head->e_shstrndx >= head->e_shnum)
        return false;
    const Elf64_Shdr *all = (const void *)(elf->bytes + head->e_shoff), *names = &all[head->e_shstrndx];
    if (names->sh_offset > elf->size || names->sh_size > elf->size - names->sh_offset)
        return false;
    for (int i = 0; i < head->e_shnum; i++)
        if (all[i].sh_name < names->sh_size && all[i].sh_offset <= elf->size &&
            (all[i].sh_type == SHT_NOBITS || all[i].sh_size <= elf->size - all[i].sh_offset) &&
            strncmp(elf->bytes + names->sh_offset + all[i].sh_name, name, names->sh_size - all[i].sh_name) ==
                0) {
            *out = &all[i];
            return true;
        }
    return false;
}

// The libraries that it names, each with a blank after it.
static void add_needed(const struct elf_view *elf, struct text *out)
{
    const Elf64_Shdr *dynamic, *strings;
    if (!elf_section(elf, ".dynamic", &dynamic) || !elf_section(elf, ".dynstr", &strings))
        return;
    for (size_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->sh_size; at += sizeof(Elf64_Dyn)) {
        const Elf64_Dyn *entry = (const void *)(elf->bytes + dynamic->sh_offset + at);
        if (entry->d_tag == DT_NEEDED && entry->d_un.d_val < strings->sh_size)
            text_addf(out, "%.*s ", (int)(strings->sh_size - entry->d_un.d_val),
                      elf->bytes + strings->sh_offset + entry->d_un.d_val);
    }
}

// Whether any of its fat binaries has PTX, and whether they have entries of any kind.
static bool has_ptx(const struct elf_view *elf, const Elf64_Shdr *section, bool *entries)
{
    const char *at = elf->bytes + section->sh_offset, *end = at + section->sh_size;
    *entries = false;
    while (end - at >= 16) {
        uint32_t magic;
        uint64_t bytes;
        memcpy(&magic, at, sizeof magic);
        memcpy(&bytes, at + 8, sizeof bytes);
        if (magic != 0xba55ed50u || bytes > (uint64_t)(end - at) - 16) {
            at += 8;
            continue;
        }
        const char *entry = at + 16, *last = entry + bytes;
        while (last - entry >= 64) {
            uint16_t kind;
            uint32_t header;
            uint64_t stored;
            memcpy(&kind, entry, sizeof kind);
            memcpy(&header, entry + 4, sizeof header);
            memcpy(&stored, entry + 8, sizeof stored);
            if (kind == 1)
                return true;
            *entries = true;
            if (header < 64 || stored > (uint64_t)(last - entry) - header)
                break;
            entry += header + stored;
        }
        at = last;
    }
    return false;
}

static bool runtime_known(const char *needed)
{
    for (int i = 0; i < VERSIONS; i++) {
        char name[40];
        format_into(name, sizeof name, "libcudart.so.%s ", versions[i]);
        if (strstr(needed, name))
            return true;
    }
    return false;
}

// Whether the simulator can run it; a script or a program without CUDA can start one that it can.
static bool program_suits(const char *path, struct text *needed, struct error *error)
{
    struct text file = { 0 };
    const Elf64_Shdr *fat;
    if (!file_read(path, &file, error))
        return false;
    const struct elf_view elf = { file.data, file.length };
    add_needed(&elf, needed);
    const char *cudart = strstr(text_string(needed), "libcudart.so");
    bool good = true, entries = false;
    bool lacks = elf_section(&elf, ".nv_fatbin", &fat) && !has_ptx(&elf, fat, &entries) &&
                 !(elf_section(&elf, "__nv_relfatbin", &fat) && has_ptx(&elf, fat, &entries)); // of -rdc=true
    if (cudart && !runtime_known(text_string(needed)))
        good = error_set(
            error, EXIT_MISSING,
            "%s needs %.*s; 'exec' has libcudart.so.11.0, .12 and .13. Build it with CUDA 11.2 or newer.",
            path, (int)strcspn(cudart, " "), cudart);
    else if (elf_section(&elf, ".nv_fatbin", &fat) && !cudart)
        good = error_set(
            error, EXIT_MISSING,
            "%s contains the CUDA runtime itself, which only works with NVIDIA's driver. Build it with "
            "nvcc -cudart shared, or run its source: warpbook exec FILE.cu",
            path);
    else if (lacks && entries)
        good = error_set(
            error, EXIT_MISSING,
            "%s holds only machine code of its kernels. Build it with PTX: nvcc -arch=compute_80, or "
            "-gencode arch=compute_80,code=compute_80",
            path);
    text_free(&file);
    return good;
}

// ---- compiling --------------------------------------------------------------------------------------------------------------

static bool find_nvcc(char nvcc[PATH_MAX], struct error *error)
{
    return host_nvcc(nvcc, PATH_MAX) ||
           error_set(
               error, EXIT_MISSING,
               "There is no nvcc of NVIDIA's CUDA Toolkit in CUDA_HOME/bin, /usr/local/cuda/bin or on PATH; "
               "it compiles whole programs.");
}

// ---- running ----------------------------------------------------------------------------------------------------------------

// The folder of our libraries; NULL: not there.
static char *runtime_folder(struct error *error)
{
    char name[32];
    format_into(name, sizeof name, "libcudart.so.%s", versions[0]);
    char *library = path_library(name);
    if (library)
        *strrchr(library, '/') = 0;
    else
        error_set(error, EXIT_MISSING, "The runtime of 'exec', libcudart.so, is not beside this program.");
    return library;
}

// "NAME=VALUE" of what the program needs. Our libraries come first, also for programs that have a path to NVIDIA's written
// into them.
enum { ENVIRONMENT = 6 };
struct exec_files {
    const char *libraries, *report;
    const char *figures; // of a GPU, as bytes; NULL: no time is modelled
    const char *keep;    // as in struct exec_wish
};
static void environment_of(const struct exec_files *files, const char *needed, const char *settings,
                           char *out[ENVIRONMENT + 1])
{
    const char *before = getenv("LD_LIBRARY_PATH"), *preloaded = getenv("LD_PRELOAD");
    size_t count = 0;
    out[count++] = text_format("LD_LIBRARY_PATH=%s%s%s", files->libraries, before && *before ? ":" : "",
                               before ? before : "");
    out[count++] = text_format("WARPBOOK_EXEC_REPORT=%s", files->report);
    if (files->figures)
        out[count++] = text_format("WARPBOOK_EXEC_FIGURES=%s", files->figures);
    out[count++] = text_format("WARPBOOK_EXEC=%s%s", settings ? settings : "", files->keep ? ",keep=1" : "");
    if (files->keep)
        out[count++] = text_format("WARPBOOK_EXEC_KEEP=%s", files->keep);
    for (int i = 0; i < VERSIONS && count < ENVIRONMENT; i++) {
        char name[40];
        format_into(name, sizeof name, "libcudart.so.%s ", versions[i]);
        if (strstr(needed, name))
            out[count++] = text_format("LD_PRELOAD=%s/libcudart.so.%s%s%s", files->libraries, versions[i],
                                       preloaded && *preloaded ? ":" : "", preloaded ? preloaded : "");
    }
    out[count] = NULL;
}

// With the terminal, whose signals are the program's while it runs.
static bool run_here(const char *path, const char **argv, const struct exec_files *files, char **environment,
                     int *status, struct error *error)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        if (files->keep && !isatty(STDIN_FILENO) && !freopen("/dev/null", "r", stdin))
            _exit(127); // what is there is for whoever steps
        for (size_t i = 0; environment[i]; i++)
            putenv(environment[i]);
        execv(path, (char *const *)argv);
        fprintf(stderr, "warpbook: %s cannot be started: %s.\n", path, strerror(errno));
        _exit(127);
    }
    if (pid < 0)
        return error_set(error, EXIT_MISSING, "%s cannot be started: %s.", path, strerror(errno));
    struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return true;
}

// Ours, with `more` in it; the caller frees the array.
static const char **environment_with(char *const *more)
{
    size_t count = 0, added = 0, to = 0;
    while (environ[count])
        count++;
    while (more[added])
        added++;
    const char **all = mem_new((count + added + 1) * sizeof *all);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0, name = strcspn(environ[i], "=") + 1;
        while (k < added && strncmp(environ[i], more[k], name) != 0)
            k++;
        if (k == added)
            all[to++] = environ[i];
    }
    for (size_t k = 0; k < added; k++)
        all[to++] = more[k];
    return all;
}

// Without one: it ends with us, or when it is to stop.
static bool run_apart(const char *path, const char **argv, const struct exec_wish *wish, char **environment,
                      struct exec_outcome *out, struct error *error)
{
    enum { EVER_MS = 1 << 30 };
    struct child_result child = { 0 };
    const char **all = environment_with(environment);
    const struct child_terms terms = {
        .bound = true, .environment = all, .hears = wish->hears, .context = wish->context
    };
    argv[0] = path;
    bool started = child_run_on(argv, &terms, "", 0, EVER_MS, wish->stop, &child, error);
    free(all);
    if (!started)
        return false;
    out->status = child.status;
    out->stopped = child.timed_out;
    child_result_free(&child);
    return true;
}

static bool start_and_wait(const char *path, const struct exec_wish *wish, const struct exec_files *files,
                           const char *needed, struct exec_outcome *out, struct error *error)
{
    size_t count = 0;
    char *environment[ENVIRONMENT + 1];
    while (wish->arguments && wish->arguments[count])
        count++;
    const char **argv = mem_new((count + 2) * sizeof *argv);
    argv[0] = string_ends(wish->program, ".cu") ? path : wish->program;
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = wish->arguments[i];
    environment_of(files, needed, wish->settings, environment);
    bool ran = wish->hears ? run_apart(path, argv, wish, environment, out, error)
                           : run_here(path, argv, files, environment, &out->status, error);
    for (size_t i = 0; environment[i]; i++)
        free(environment[i]);
    free(argv);
    return ran;
}

static bool find_program(const char *name, char path[PATH_MAX], struct error *error)
{
    format_into(path, PATH_MAX, "%s", name);
    if (strchr(name, '/') ? access(name, X_OK) == 0 : program_find(name, path, PATH_MAX))
        return true;
    if (!strchr(name, '/') && access(name, X_OK) == 0) {
        format_into(path, PATH_MAX, "./%s", name);
        return true;
    }
    return error_set(error, EXIT_USAGE, "There is no program '%s' that can be started.", name);
}

// A library that computes on a GPU by code of its own. Its functions fail here, which few programs look at. The first two are
// often linked without need.
static char *note_of(const char *needed, bool failed)
{
    enum { OFTEN = 2 };
    static const char *const libraries[] = { "libcuda.so", "libnvrtc",    "libcublas",   "libcufft",
                                             "libcurand",  "libcusparse", "libcusolver", "libcudnn",
                                             "libnccl",    "libnpp" };
    for (size_t i = failed ? 0 : OFTEN; i < sizeof libraries / sizeof *libraries; i++) {
        const char *at = strstr(needed, libraries[i]);
        if (at)
            return text_format(
                "It needs %.*s: 'exec' has only the CUDA runtime, and no other NVIDIA library.",
                (int)strcspn(at, " "), at);
    }
    return NULL;
}

// The runtime reads no JSON: it gets the struct.
static bool write_figures(const char *key, const char *path, char **name, struct error *error)
{
    struct gpu_figures gpu;
    char *usual = key ? NULL : modelled_usual_gpu();
    memset(&gpu, 0, sizeof gpu);
    bool good = figures_find(key ? key : usual, &gpu, error) &&
                file_replace(path, (const char *)&gpu, sizeof gpu, error);
    free(usual);
    *name = good ? mem_copy(gpu.name) : NULL;
    return good;
}

static bool run_in(const char *folder, const struct exec_wish *wish, struct exec_outcome *out,
                   struct error *error)
{
    char path[PATH_MAX], *program = NULL;
    struct text needed = { 0 };
    bool source = string_ends(wish->program, ".cu");
    char *libraries = runtime_folder(error), *report = path_join(folder, "report"),
         *figures = path_join(folder, "figures");
    const struct exec_files files = { libraries, report, figures, wish->keep };
    bool good = libraries && write_figures(wish->gpu, figures, &out->gpu, error) &&
                (source ? exec_compile(wish, folder, libraries, &program, error)
                        : find_program(wish->program, path, error));
    if (good && source)
        format_into(path, sizeof path, "%s", program);
    good = good && program_suits(path, &needed, error) &&
           start_and_wait(path, wish, &files, text_string(&needed), out, error) &&
           report_read(report, out, error);
    if (good)
        name_in_sources(out);
    if (good && !out->stopped)
        out->note = note_of(text_string(&needed), !WIFEXITED(out->status) || WEXITSTATUS(out->status) != 0);
    unlink(report);
    unlink(figures);
    if (program)
        unlink(program);
    text_free(&needed);
    free(program);
    free(libraries);
    free(report);
    free(figures);
    return good;
}

bool exec_run(const struct exec_wish *wish, struct exec_outcome *out, struct error *error)
{
    char *folder = folder_temporary(error);
    *out = (struct exec_outcome){ 0 };
    if (!folder)
        return false;
    bool good = run_in(folder, wish, out, error);
    rmdir(folder);
    free(folder);
    return good;
}

// ---- programs of tasks -------------------------------------------------------------------------------------------------

struct exec_task {
    struct exec_bounds bounds;
    char *folder, *libraries, *source, *program, *report;
    struct text needed;
    const char *stage;
    bool ended, heavy; // it was asked to end; it took too much memory
};
enum { TASK_GIB = 4 };

static bool task_goes_on(pid_t child, void *context)
{
    struct exec_task *task = context;
    task->ended |= !task->bounds.go_on(task->bounds.context, task->stage);
    task->heavy |= memory_of_process(child) > (double)TASK_GIB * (1 << 30);
    return !task->ended && !task->heavy;
}

static bool task_build(struct exec_task *task, const char *name, struct error *error)
{
    char nvcc[PATH_MAX];
    const char *const argv[] = { nvcc, "-cudart", "shared", "-lineinfo", "-g", "-arch=compute_90",
                                 "-o", "program", name,     NULL };
    task->stage = "compiling";
    if (find_nvcc(nvcc, error) && host_build(task->folder, argv, task_goes_on, task, NULL, error))
        return chmod(task->program, 0700) == 0; // which the linker, confined, could not do
    if (task->ended)
        error_set(error, EXIT_MISSING, "It was stopped.");
    return false;
}

struct exec_task *exec_task_new(const char *name, const char *text, const struct exec_bounds *bounds,
                                struct error *error)
{
    struct exec_task *task = mem_new(sizeof *task);
    *task = (struct exec_task){ .bounds = *bounds };
    task->libraries = runtime_folder(error);
    task->folder = task->libraries ? folder_temporary(error) : NULL;
    if (task->folder) {
        task->source = path_join(task->folder, name);
        task->program = path_join(task->folder, "program");
        task->report = path_join(task->folder, "report");
        if (file_replace(task->source, text, strlen(text), error) && task_build(task, name, error) &&
            program_suits(task->program, &task->needed, error))
            return task;
    }
    exec_task_free(task);
    return NULL;
}

// With its folder to write into, and no network, no other process and none of the user's files.
static bool task_start(struct exec_task *task, const char *const *argv, const char *settings,
                       struct child_result *out, struct error *error)
{
    struct confine_plan plan = { .calls = CALLS_TOOL,
                                 .files = true,
                                 .libraries = true,
                                 .program = task->program,
                                 .cpu_seconds = 1 + task->bounds.limit_ms / 250 };
    char *more[ENVIRONMENT + 1];
    confine_read(&plan, task->libraries);
    confine_change(&plan, task->folder);
    environment_of(&(struct exec_files){ .libraries = task->libraries, .report = task->report },
                   text_string(&task->needed), settings, more);
    const char **environment = confine_environment((const char *const *)more);
    struct confinement *confinement = confinement_new(&plan);
    const struct child_terms terms = { .bound = true,
                                       .folder = task->folder,
                                       .environment = environment,
                                       .confinement = confinement,
                                       .may_go_on = task_goes_on,
                                       .context = task };
    task->stage = "running";
    bool started = child_run_on(argv, &terms, "", 0, task->bounds.limit_ms, NULL, out, error);
    confinement_free(confinement);
    free(environment);
    for (size_t i = 0; more[i]; i++)
        free(more[i]);
    return started;
}

bool exec_task_run(struct exec_task *task, const char *argument, const char *settings,
                   struct exec_outcome *out, struct text *printed, struct error *error)
{
    struct child_result child = { 0 };
    struct error unread;
    const char *const argv[] = { task->program, argument, NULL };
    *out = (struct exec_outcome){ 0 };
    unlink(task->report);
    if (!task_start(task, argv, settings, &child, error))
        return false;
    bool ran = !task->ended && !task->heavy && !child.timed_out;
    out->status = child.status;
    text_add_clean(printed, text_string(&child.out), child.out.length);
    text_add_clean(printed, text_string(&child.err), child.err.length);
    if (task->ended)
        error_set(error, EXIT_MISSING, "It was stopped.");
    else if (task->heavy)
        error_set(error, EXIT_WRONG, "it takes more than %d GiB of memory.", TASK_GIB);
    else if (!ran)
        error_set(error, EXIT_WRONG, "it does not end within %d s.", task->bounds.limit_ms / 1000);
    child_result_free(&child);
    return report_read(task->report, out, ran ? error : &unread) && ran;
}

void exec_task_free(struct exec_task *task)
{
    char *files[] = { task->source, task->program, task->report };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i])
            unlink(files[i]);
        free(files[i]);
    }
    if (task->folder)
        rmdir(task->folder);
    text_free(&task->needed);
    free(task->folder);
    free(task->libraries);
    free(task);
}
