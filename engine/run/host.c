// Host programs: where they lie and what they include; the time lines that were recorded of them, and those that they
// print when they are compiled by nvcc and run.
#include "engine/run/host.h"

#include "engine/base/confine.h"
#include "engine/run/worker.h"
#include "kernels/variant.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- what a program prints -------------------------------------------------------------------------------

static void add_span(struct timeline *out, int stream, const char *what, double from, double to)
{
    if (out->count == TIMELINE_SPANS || !(from >= 0) || !(to >= from) || !(to < 1e9) || stream < -1 ||
        stream >= TIMELINE_STREAMS)
        return;
    out->spans = array_room(out->spans, out->count, sizeof *out->spans);
    struct time_span *span = &out->spans[out->count++];
    *span = (struct time_span){ .stream = stream, .from = from, .to = to };
    format_into(span->what, sizeof span->what, "%s", what);
}

// Reads a line after its "timeline: "; false: a line of no known kind.
static bool read_line(struct timeline *out, const char *line)
{
    char word[80];
    double from, to;
    int stream;
    if (sscanf(line, "stream %d, %15[a-z -], %lf to %lf ms", &stream, word, &from, &to) == 4)
        add_span(out, stream, word, from, to);
    else if (sscanf(line, "CPU in the call, %lf to %lf ms", &from, &to) == 2)
        add_span(out, 0, "", from, to);
    else if (sscanf(line, "%lf ms on %79[^\n]", &from, word) == 2 && from >= 0 && from < 1e9) {
        out->total_ms = from;
        format_into(out->gpu, sizeof out->gpu, "%s", word);
    } else if (string_starts(line, "wrong"))
        format_into(out->wrong, sizeof out->wrong, "%s", line);
    else if (strcmp(line, "right") == 0)
        out->right = true;
    else
        return false;
    return true;
}

void timeline_read(const char *printed, struct timeline *out)
{
    static const char mark[] = "timeline: ";
    char *clean = text_clean(printed);
    *out = (struct timeline){ .total_ms = NAN };
    for (char *line = clean; *line;) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        line[length] = 0;
        if (!string_starts(line, mark) || !read_line(out, line + strlen(mark)))
            text_addf(&out->said, "%s\n", line);
        line = next;
    }
    out->right = out->right && !*out->wrong;
    free(clean);
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->spans);
    text_free(&timeline->said);
    *timeline = (struct timeline){ .total_ms = NAN };
}

// ---- what was recorded ----------------------------------------------------------------------------------

static const char *string_of(const json_t *json, const char *key)
{
    const char *value = json_string_value(json_object_get(json, key));
    return value ? value : "";
}

static void read_json(const json_t *json, struct timeline *out)
{
    *out = (struct timeline){ .total_ms = json_number_value(json_object_get(json, "total_ms")) };
    format_into(out->gpu, sizeof out->gpu, "%s", string_of(json, "device"));
    format_into(out->date, sizeof out->date, "%.10s", string_of(json, "date"));
    out->right = strcmp(string_of(json, "status"), "right") == 0;
    const json_t *spans = json_object_get(json, "spans"), *span;
    size_t i;
    json_array_foreach(spans, i, span)
    {
        const char *what = json_string_value(json_array_get(span, 1));
        add_span(out, (int)json_integer_value(json_array_get(span, 0)), what ? what : "",
                 json_number_value(json_array_get(span, 2)), json_number_value(json_array_get(span, 3)));
    }
}

bool host_recorded(const struct host_program *program, struct timeline *out)
{
    struct text lines = { 0 };
    struct error ignored;
    char *name = text_format("assets/timelines/%s.jsonl", program->lab), *path = path_shipped(name);
    bool found = false;
    *out = (struct timeline){ .total_ms = NAN };
    if (program->shipped && path && file_read(path, &lines, &ignored)) {
        for (const char *at = text_string(&lines); *at && !found;) {
            size_t length = strcspn(at, "\n");
            json_t *json = json_loadb(at, length, JSON_REJECT_DUPLICATES, NULL);
            found = strcmp(string_of(json, "variant"), program->name) == 0 &&
                    strcmp(string_of(json, "code"), program->code) == 0;
            if (found)
                read_json(json, out);
            json_decref(json);
            at += length + (at[length] == '\n');
        }
    }
    text_free(&lines);
    free(path);
    free(name);
    return found;
}

// ---- the programs that ship -------------------------------------------------------------------------------

static char *folder_of_lab(const char *lab)
{
    char *name = text_format("assets/programs/%s", lab), *folder = path_shipped(name);
    free(name);
    return folder;
}

// "//@ title   ..." without its mark; NULL: there is none. The caller frees.
static char *directive_of_text(const char *text, const char *name)
{
    char *mark = text_format("\n//@ %s ", name);
    const char *at = strstr(text, mark);
    free(mark);
    if (!at)
        return NULL;
    at += strlen("\n//@ ") + strlen(name);
    at += strspn(at, " ");
    return mem_copy_n(at, strcspn(at, "\r\n"));
}

static void program_of(const char *lab, const char *name, const char *path, const char *source,
                       struct host_program *out)
{
    *out = (struct host_program){ .lab = lab, .shipped = true };
    out->name = mem_copy(name);
    out->path = mem_copy(path);
    out->source = mem_copy(source);
    out->title = directive_of_text(source, "title");
    out->why = directive_of_text(source, "why");
}

static void replace(char **text, char *with)
{
    free(*text);
    *text = with;
}

// The learner's copy of it, if there is one, takes its place.
static bool read_own(struct host_program *program, struct error *error)
{
    struct text source = { 0 };
    char *below = text_format("kernels/%s/%s.cu", program->lab, program->name), *path = path_own(below);
    bool there = path && file_exists(path), read = !there || file_read(path, &source, error);
    free(below);
    if (!there || !read) {
        free(path);
        return read;
    }
    char *title = directive_of_text(text_string(&source), "title"),
         *why = directive_of_text(text_string(&source), "why");
    program->shipped = false;
    replace(&program->path, path);
    replace(&program->source, mem_copy(text_string(&source)));
    if (title)
        replace(&program->title, title);
    if (why)
        replace(&program->why, why);
    text_free(&source);
    return true;
}

static void program_free(struct host_program *program)
{
    free(program->name);
    free(program->title);
    free(program->why);
    free(program->source);
    free(program->text);
    free(program->path);
}

// With the text of the lab's header, "streams.h", in the place of its #include.
static bool make_whole(struct host_program *program, struct error *error)
{
    struct text header = { 0 }, whole = { 0 };
    char *include = text_format("#include \"%s.h\"", program->lab), *name = text_format("%s.h", program->lab);
    char *folder = folder_of_lab(program->lab), *path = folder ? path_join(folder, name) : NULL;
    bool read = path && file_read(path, &header, error);
    for (const char *at = program->source; read && *at;) {
        size_t length = strcspn(at, "\n");
        if (string_starts(at, include))
            text_addf(&whole, "\n%s", text_string(&header));
        else if (!directive_marked(at))
            text_addf(&whole, "%.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    free(path);
    free(folder);
    free(name);
    free(include);
    text_free(&header);
    replace(&program->text, text_take(&whole));
    format_into(program->code, sizeof program->code, "%016" PRIx64,
                hash_bytes(program->text, strlen(program->text)));
    return read;
}

static int is_step(const struct dirent *entry)
{
    return entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && string_ends(entry->d_name, ".cu");
}

static bool read_step(struct host_programs *out, const char *folder, const char *file, struct error *error)
{
    struct text text = { 0 };
    char *path = path_join(folder, file), *name = mem_copy_n(file, strlen(file) - strlen(".cu"));
    bool read = file_read(path, &text, error);
    if (read) {
        out->list = array_room(out->list, out->count, sizeof *out->list);
        struct host_program *program = &out->list[out->count++];
        program_of(out->lab, name, path, text_string(&text), program);
        read = read_own(program, error) && make_whole(program, error);
    }
    text_free(&text);
    free(name);
    free(path);
    return read;
}

bool host_programs_read(const char *lab, struct host_programs *out, struct error *error)
{
    struct dirent **entries = NULL;
    char *folder = folder_of_lab(lab);
    *out = (struct host_programs){ .lab = lab };
    int count = folder ? scandir(folder, &entries, is_step, alphasort) : -1;
    bool read = count > 0 || error_set(error, EXIT_MISSING,
                                       "The programs of the lab %s are not found. Set WARPBOOK_DATA.", lab);
    for (int i = 0; i < count; i++) {
        read = read && read_step(out, folder, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    free(folder);
    if (!read)
        host_programs_free(out);
    return read;
}

void host_programs_free(struct host_programs *programs)
{
    for (size_t i = 0; i < programs->count; i++)
        program_free(&programs->list[i]);
    free(programs->list);
    *programs = (struct host_programs){ 0 };
}

const struct host_program *host_program_find(const struct host_programs *programs, const char *name,
                                             struct error *error)
{
    for (size_t i = 0; i < programs->count; i++) {
        const char *own = programs->list[i].name, *dash = strchr(own, '-');
        size_t digits = dash ? (size_t)(dash - own) : strlen(own);
        if (strcmp(own, name) == 0 || (dash && strcmp(dash + 1, name) == 0) ||
            (strlen(name) == digits && strncmp(own, name, digits) == 0))
            return &programs->list[i];
    }
    error_set(error, EXIT_USAGE, "The lab %s has no step '%s'. 'warpbook list %s' names them.", programs->lab,
              name, programs->lab);
    return NULL;
}

// ---- the workbook ------------------------------------------------------------------------------------------------

json_t *host_event(const struct host_program *program, const struct timeline *timeline)
{
    const char *status = timeline->right ? "right" : *timeline->wrong ? "wrong" : "unchecked";
    json_t *event = json_pack("{s:s*, s:s, s:s, s:s, s:s}", "lab", program->lab, "variant", program->name,
                              "backend", "gpu", "status", status, "device", timeline->gpu);
    if (isfinite(timeline->total_ms))
        json_object_set_new(event, "median_ms", json_real(timeline->total_ms));
    if (*program->code)
        json_object_set_new(event, "code", json_string(program->code));
    return event;
}

enum { COMPILE_MS = 180000, RUN_MS = 60000, COMPILE_CPU_S = 300, COMPILE_GIB = 4 };

// ---- what it takes ------------------------------------------------------------------------------------------

// $WARPBOOK_NVCC alone if it is set: a path; "none" or nothing in it: no nvcc.
bool host_nvcc(char *out, size_t size)
{
    const char *given = getenv("WARPBOOK_NVCC");
    const char *const roots[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda" };
    if (given) {
        format_into(out, size, "%s", given);
        return *given == '/' && access(given, X_OK) == 0;
    }
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        format_into(out, size, "%s/bin/nvcc", roots[i] ? roots[i] : "");
        if (roots[i] && *roots[i] == '/' && access(out, X_OK) == 0)
            return true;
    }
    return program_find("nvcc", out, size);
}

// Guesses without the driver, which this process does not load.
static bool gpu_is_likely(void)
{
    const char *library = getenv("WARPBOOK_LIBCUDA");
    if (library)
        return access(library, F_OK) == 0;
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

bool host_ready(struct error *error)
{
    char nvcc[PATH_MAX];
    if (!gpu_is_likely())
        return error_set(error, EXIT_MISSING, "There is no NVIDIA GPU here.");
    if (host_nvcc(nvcc, sizeof nvcc))
        return true;
    return error_set(
        error, EXIT_MISSING,
        "There is no nvcc of NVIDIA's CUDA Toolkit in CUDA_HOME/bin, /usr/local/cuda/bin or on PATH; "
        "it compiles host programs.");
}

bool host_compiles(const struct host_program *program)
{
    char nvcc[PATH_MAX];
    return !program->shipped && host_nvcc(nvcc, sizeof nvcc);
}

// A folder for the program alone, with its source in it.
static char *folder_new(const char *source, struct error *error)
{
    char *folder = folder_temporary(error);
    if (!folder)
        return NULL;
    char *path = path_join(folder, "program.cu");
    bool written = file_replace(path, source, strlen(source), error);
    free(path);
    if (written)
        return folder;
    rmdir(folder);
    free(folder);
    return NULL;
}

static void folder_drop(char *folder)
{
    static const char *const names[] = { "program.cu", "program.so" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = path_join(folder, names[i]);
        unlink(path);
        free(path);
    }
    rmdir(folder);
    free(folder);
}

// ---- its memory -----------------------------------------------------------------------------------------------

struct memory_watch {
    struct memory_gauge *gauge;
    double most, left_least; // bytes it may take, and that stay free in the machine
    double took, left;       // what ended it; NAN: that did not
};

static struct memory_watch watch_begin(const struct host_terms *terms)
{
    enum { SHARE_LEFT = 8 }; // of what is free now
    struct memory_watch watch = { .gauge = memory_gauge_open(""), .took = NAN, .left = NAN };
    double free = memory_gauge_free(watch.gauge);
    watch.most = terms->memory_bytes > 0 ? (double)terms->memory_bytes : budget_default(free);
    watch.left_least = isnan(free) ? 0 : free / SHARE_LEFT;
    return watch;
}

static bool within_memory(pid_t program, void *context)
{
    struct memory_watch *watch = context;
    double takes = memory_of_process(program), left = memory_gauge_free(watch->gauge);
    if (takes > watch->most)
        watch->took = takes;
    else if (left < watch->left_least)
        watch->left = left;
    return isnan(watch->took) && isnan(watch->left);
}

// False: it was ended for its memory, as the error says.
static bool watch_end(struct memory_watch *watch, struct error *error)
{
    char most[32], number[32];
    bool fits = isnan(watch->took) && isnan(watch->left);
    format_bytes(watch->most, most, sizeof most);
    format_bytes(isnan(watch->took) ? watch->left : watch->took, number, sizeof number);
    if (!isnan(watch->took))
        error_set(error, EXIT_WRONG,
                  "The program was ended: it had taken %s of memory, and may take %s. --memory allows more.",
                  number, most);
    else if (!fits)
        error_set(error, EXIT_WRONG,
                  "The program was ended: only %s of memory was left on this machine. Let it take less.",
                  number);
    memory_gauge_close(watch->gauge);
    return fits;
}

// ---- starting -------------------------------------------------------------------------------------------------

// `plan` NULL: it confines itself. `go_on` NULL: its memory is limited otherwise.
static bool start(const char *const *argv, const struct confine_plan *plan, const char *folder, int limit_ms,
                  bool (*go_on)(pid_t child, void *context), void *context, const atomic_bool *stop,
                  struct child_result *out, struct error *error)
{
    char *temporary = text_format("TMPDIR=%s", folder);
    const char *const more[] = { temporary, "CCACHE_DISABLE=1", NULL };
    const char **environment = confine_environment(more);
    struct confinement *confinement = plan ? confinement_new(plan) : NULL;
    struct child_terms terms = { .bound = true,
                                 .folder = folder,
                                 .environment = environment,
                                 .confinement = confinement,
                                 .may_go_on = go_on,
                                 .context = context };
    bool started = child_run_on(argv, &terms, "", 0, limit_ms, stop, out, error);
    confinement_free(confinement);
    free(environment);
    free(temporary);
    return started;
}

// The user no longer wants it.
static bool is_stopped(const atomic_bool *stop, struct error *error)
{
    return stop && *stop && !error_set(error, EXIT_MISSING, "It was stopped.");
}

// ---- compiling ------------------------------------------------------------------------------------------

static bool compiled_well(const struct child_result *child, struct error *error)
{
    char how[128];
    if (child->timed_out)
        return error_set(error, EXIT_MISSING, "nvcc did not finish within %d s.", COMPILE_MS / 1000);
    if (child->status == 0)
        return true;
    char *said = text_clean(child->err.length ? text_string(&child->err) : text_string(&child->out));
    child_describe(child->status, how, sizeof how);
    error_set(error, EXIT_WRONG, "nvcc %s:\n%.1200s", how, said);
    free(said);
    return false;
}

// The driver makes code for its GPU of nvcc's PTX: asking for the GPU here would need its device files. nvcc starts
// compilers of the toolkit and of the system, which are confined as it is.
bool host_build(const char *folder, const char *const *argv, bool (*go_on)(pid_t nvcc, void *context),
                void *context, const atomic_bool *stop, struct error *error)
{
    static const char *const system[] = { "/bin",       "/usr",        "/opt", "/etc/alternatives",
                                          "/nix/store", "/dev/urandom" };
    struct confine_plan plan = { .calls = CALLS_SCRIPT,
                                 .files = true,
                                 .libraries = true,
                                 .program = argv[0],
                                 .memory_bytes = (uint64_t)COMPILE_GIB << 30, // each process of it
                                 .cpu_seconds = COMPILE_CPU_S };
    struct child_result child;
    char *real = realpath(argv[0], NULL), *toolkit = real ? text_format("%s/../..", real) : NULL;
    confine_read(&plan, toolkit);
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        confine_read(&plan, system[i]);
    confine_change(&plan, folder);
    confine_change(&plan, "/dev/null");
    bool built = start(argv, &plan, folder, COMPILE_MS, go_on, context, stop, &child, error);
    free(toolkit);
    free(real);
    if (!built)
        return false;
    built = !is_stopped(stop, error) && compiled_well(&child, error);
    child_result_free(&child);
    return built;
}

static bool build(const char *folder, const char *nvcc, const atomic_bool *stop, struct error *error)
{
    const char *const argv[] = { nvcc, "-O3",        "-shared",    "-Xcompiler", "-fPIC,-fopenmp",
                                 "-o", "program.so", "program.cu", NULL };
    return host_build(folder, argv, NULL, NULL, stop, error);
}

// ---- running -------------------------------------------------------------------------------------------

static bool ended_well(const struct child_result *child, struct timeline *out, struct error *error)
{
    char how[128];
    timeline_read(text_string(&child->out), out);
    if (child->timed_out)
        error_set(error, EXIT_WRONG, "The program did not end within %d s.", RUN_MS / 1000);
    else if (child->status != 0 && !*out->wrong) {
        char *said = text_clean(text_string(&child->err));
        child_describe(child->status, how, sizeof how);
        error_set(error, EXIT_WRONG, "The program %s.%s%.600s", how, *said ? " It said:\n" : "", said);
        free(said);
    } else
        return true;
    timeline_free(out);
    return false;
}

// Its process confines itself, after it has opened the GPU (host_child.c).
static bool launch(const char *folder, const struct host_terms *terms, struct timeline *out,
                   struct error *error)
{
    struct memory_watch watch = watch_begin(terms);
    char *self = path_self(), *library = path_join(folder, "program.so");
    struct child_result child;
    const char *const argv[] = { self ? self : "warpbook", "worker", "--program", library, NULL };
    bool ran = start(argv, NULL, folder, RUN_MS, within_memory, &watch, terms->stop, &child, error);
    free(self);
    free(library);
    bool fits = watch_end(&watch, error);
    if (!ran)
        return false;
    ran = fits && !is_stopped(terms->stop, error) && ended_well(&child, out, error);
    child_result_free(&child);
    return ran;
}

// `out` is NULL: it is compiled only.
static bool run_here(const struct host_program *program, const struct host_terms *terms, struct timeline *out,
                     struct error *error)
{
    char nvcc[PATH_MAX];
    char *folder = host_nvcc(nvcc, sizeof nvcc) ? folder_new(program->text, error) : NULL;
    bool done =
        folder && build(folder, nvcc, terms->stop, error) && (!out || launch(folder, terms, out, error));
    if (folder)
        folder_drop(folder);
    return done;
}

bool host_obtain(const struct host_program *program, const struct host_terms *terms, struct timeline *out,
                 struct error *error)
{
    bool ready = host_ready(error);
    if (!ready && !host_compiles(program))
        return host_recorded(program, out);
    if (terms->begins)
        terms->begins(program);
    if (ready)
        return run_here(program, terms, out, error);
    return run_here(program, terms, NULL, error) &&
           error_set(error, EXIT_MISSING,
                     "It compiles. There is no NVIDIA GPU here to run it and check what it computes.");
}
