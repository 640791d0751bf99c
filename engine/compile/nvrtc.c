// NVIDIA's run-time compiler, by dlopen: no NVIDIA file is needed to build. It can crash, and a kernel can keep it busy
// for minutes, so it runs in a child: this program again, as `warpbook worker --compile`.
#include "engine/compile/parts.h"

#include "engine/base/confine.h"
#include "kernels/variant.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the library ------------------------------------------------------------------------------------

enum { NVRTC_SUCCESS = 0, NVRTC_OUT_OF_MEMORY = 1, NVRTC_COMPILATION = 6, NVRTC_BUILTINS = 7 };
enum { MOST_STATIC_SHARED = 48 * 1024, MOST_TARGETS = 32 };

typedef struct opaque *handle; // of a program

// F(member, name in the library, parameters) of every function that must be there.
#define NVRTC_FUNCTIONS(F)                                                                                   \
    F(version, "nvrtcVersion", (int *major, int *minor))                                                     \
    F(target_count, "nvrtcGetNumSupportedArchs", (int *count))                                               \
    F(targets, "nvrtcGetSupportedArchs", (int *out))                                                         \
    F(create, "nvrtcCreateProgram",                                                                          \
      (handle * out, const char *source, const char *name, int headers, const char *const *texts,            \
       const char *const *names))                                                                            \
    F(destroy, "nvrtcDestroyProgram", (handle *))                                                            \
    F(compile, "nvrtcCompileProgram", (handle, int count, const char *const *options))                       \
    F(ptx_size, "nvrtcGetPTXSize", (handle, size_t *))                                                       \
    F(ptx, "nvrtcGetPTX", (handle, char *))                                                                  \
    F(cubin_size, "nvrtcGetCUBINSize", (handle, size_t *))                                                   \
    F(cubin, "nvrtcGetCUBIN", (handle, char *))                                                              \
    F(log_size, "nvrtcGetProgramLogSize", (handle, size_t *))                                                \
    F(log, "nvrtcGetProgramLog", (handle, char *))

struct nvrtc {
    int major, minor;
#define NVRTC_MEMBER(member, name, parameters) int(*member) parameters;
    NVRTC_FUNCTIONS(NVRTC_MEMBER)
    const char *(*describe)(int code);
};

// NVRTC opens its builtins by their bare name, which the loader does not find beside a library that was opened by
// its path. Once they are loaded, the name matches.
static void open_builtins(const char *library)
{
    char pattern[PATH_ROOM + 32];
    const char *slash = strrchr(library, '/');
    glob_t found;
    format_into(pattern, sizeof pattern, "%.*s/libnvrtc-builtins.so.*", slash ? (int)(slash - library) : 0,
                library);
    if (!slash || glob(pattern, 0, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_GLOBAL);
    globfree(&found);
}

static bool bind_all(void *library, struct nvrtc *out, const char **missing)
{
#define NVRTC_SYMBOL(member, name, parameters) { name, offsetof(struct nvrtc, member) },
    static const struct {
        const char *name;
        size_t offset;
    } symbols[] = { NVRTC_FUNCTIONS(NVRTC_SYMBOL){ "nvrtcGetErrorString",
                                                   offsetof(struct nvrtc, describe) } };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(library, symbols[i].name);
        memcpy((char *)out + symbols[i].offset, &found, sizeof found);
        *missing = symbols[i].name;
        if (!found)
            return false;
    }
    return true;
}

// The library stays open until the child ends.
static bool nvrtc_open(const char *path, struct nvrtc *out, struct error *error)
{
    const char *missing = "function";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    out->major = out->minor = 0;
    if (!library) {
        error_set(error, EXIT_MISSING, "Cannot open NVRTC: %s.", dlerror());
    } else if (!bind_all(library, out, &missing)) {
        error_set(error, EXIT_MISSING, "%s has no %s: warpbook needs the NVRTC of CUDA 11.2 or newer.", path,
                  missing);
    } else if (out->version(&out->major, &out->minor)) {
        error_set(error, EXIT_MISSING, "%s does not say its version.", path);
    } else {
        open_builtins(path);
        return true;
    }
    return false;
}

static int targets_read(const struct nvrtc *nvrtc, int out[MOST_TARGETS])
{
    int count = 0;
    if (nvrtc->target_count(&count) || count < 1 || count > MOST_TARGETS || nvrtc->targets(out))
        return 0;
    return count;
}

static bool library_describe(const char *library, struct compiler_state *out, struct error *error)
{
    struct nvrtc nvrtc;
    if (!nvrtc_open(library, &nvrtc, error))
        return false;
    format_into(out->version, sizeof out->version, "%d.%d", nvrtc.major, nvrtc.minor);
    out->target_count = targets_read(&nvrtc, out->targets);
    return true;
}

// The wanted target, or the nearest lower one that this NVRTC knows; 0 when there is none.
static int target_choose(const struct nvrtc *nvrtc, int wanted, int *oldest)
{
    int targets[MOST_TARGETS], count = targets_read(nvrtc, targets), best = 0;
    *oldest = count ? targets[0] : 0;
    for (int i = 0; i < count; i++) {
        if (targets[i] <= wanted && targets[i] > best)
            best = targets[i];
        if (targets[i] < *oldest)
            *oldest = targets[i];
    }
    return best;
}

enum { OPTIONS_MOST = 11 };
struct nvrtc_options {
    char texts[OPTIONS_MOST][PATH_ROOM + 16];
    const char *list[OPTIONS_MOST];
    int count;
};

__attribute__((format(printf, 2, 3))) static void add_option(struct nvrtc_options *options,
                                                             const char *format, ...)
{
    va_list args;
    char *text = options->texts[options->count];
    options->list[options->count++] = text;
    va_start(args, format);
    vsnprintf(text, sizeof *options->texts, format, args);
    va_end(args);
}

static void options_choose(struct nvrtc_options *options, const struct tools *tools, int target, bool cubin,
                           bool debug)
{
    char include[PATH_ROOM];
    *options = (struct nvrtc_options){ 0 };
    add_option(options, "-arch=%s_%d", cubin ? "sm" : "compute", target);
    add_option(options, debug ? "-G" : "-lineinfo");
    add_option(options, "-default-device");
    add_option(options, "--std=c++17");
    add_option(options, "-Dregister="); // C++17 dropped the word; nvcc still lets old code use it
    if (cubin)
        add_option(options, "--ptxas-options=-v");
    if (tools->headers[0]) {
        add_option(options, "-I%s", tools->headers);
        add_option(options, "--pre-include=cuda_runtime.h");
    }
    if (tools_find_include(include, sizeof include)) {
        add_option(options, "-I%s", include);
        add_option(options, "-I%.*s/cccl", PATH_ROOM - 8, include);
    }
}

// A copy, with a terminating 0, of bytes that NVRTC hands out by a pair of functions; NULL when it fails.
static char *fetch(handle program, int (*size_of)(handle, size_t *), int (*get)(handle, char *),
                   size_t *length)
{
    *length = 0;
    if (size_of(program, length) || !*length || *length > 1u << 30)
        return NULL;
    char *bytes = malloc(*length + 1);
    if (!bytes || get(program, bytes)) {
        free(bytes);
        return NULL;
    }
    bytes[*length] = 0;
    return bytes;
}

// The assembler refuses a kernel without a word in NVRTC's log; its shared memory is the usual reason.
static void explain_refusal(const char *log, struct compiled *out)
{
    char text[400];
    for (size_t i = 0; i < out->resource_count; i++) {
        const struct resources *r = &out->resources[i];
        if (r->shared_bytes <= MOST_STATIC_SHARED)
            continue;
        struct text name = { 0 };
        mangled_write(r->kernel, &name);
        format_into(
            text, sizeof text,
            "the kernel %.120s declares %d bytes of __shared__ memory; a block can have %d. More is possible "
            "with extern __shared__ and a size at the launch.",
            text_string(&name), r->shared_bytes, MOST_STATIC_SHARED);
        text_free(&name);
        compiled_add_diagnostic(out, SEVERITY_ERROR, 0, 0, text);
        return;
    }
    char said[300];
    compiled_log_excerpt(log, said, sizeof said);
    format_into(text, sizeof text, "the assembler refused the code; it said: %s", said);
    compiled_add_diagnostic(out, SEVERITY_ERROR, 0, 0, text);
}

static enum compile_outcome judge(const struct nvrtc *nvrtc, int code, const char *log, struct compiled *out,
                                  struct error *error)
{
    if (code == NVRTC_SUCCESS)
        return OUTCOME_MADE;
    if (code == NVRTC_COMPILATION) {
        if (!compiled_has_errors(out))
            explain_refusal(log, out);
        return OUTCOME_WRONG;
    }
    if (code == NVRTC_OUT_OF_MEMORY) {
        error_set(error, EXIT_WRONG, "NVRTC ran out of memory on this file.");
        return OUTCOME_FAILED;
    }
    char said[300];
    const char *name = nvrtc->describe(code);
    compiled_log_excerpt(log, said, sizeof said);
    error_set(error, EXIT_MISSING, "NVRTC failed (%s); it said: %s", name ? name : "unknown error", said);
    return code == NVRTC_BUILTINS ? OUTCOME_BROKEN : OUTCOME_FAILED;
}

// In the child that has opened NVRTC: from now on only the headers that a kernel may include can be read.
static bool confine_to_headers(const struct tools *tools)
{
    char include[PATH_ROOM] = "";
    struct confine_plan plan = { .calls = CALLS_TOOL, .files = true, .own = true };
    confine_read(&plan, tools->headers);
    if (tools_find_include(include, sizeof include))
        confine_read(&plan, include);
    struct confinement *confinement = confinement_new(&plan);
    bool applied = confinement_apply(confinement);
    confinement_free(confinement);
    return applied;
}

// Where the code before this place ends: blanks and comments are none.
static const char *code_end(const char *source, const char *place)
{
    const char *end = source;
    for (struct code_piece piece = piece_next(source); piece.kind != PIECE_END && piece.at < place;
         piece = piece_next(piece.at + piece.length))
        if (piece.kind != PIECE_BLANK && piece.kind != PIECE_COMMENT)
            end = piece.at + piece.length;
    return end;
}

// NVRTC notices that a statement has no `;` at what comes next, lines below it where that begins a line. The message goes
// to where the `;` is missing.
static void end_statements(const char *source, struct compiled *out)
{
    for (size_t i = 0; i < out->diagnostic_count; i++) {
        struct diagnostic *d = &out->diagnostics[i];
        const char *line = source;
        if (!string_starts(d->message, "expected a \";\"") || d->line < 2)
            continue;
        for (int n = 1; n < d->line && line; n++)
            line = (line = strchr(line, '\n')) ? line + 1 : NULL;
        if (!line || strspn(line, " \t") != (size_t)(d->column ? d->column - 1 : 0))
            continue;
        const char *end = code_end(source, line);
        if (end == source)
            continue;
        d->line = text_line_of(source, end);
        d->column = 1;
        while (end > source && end[-1] != '\n') {
            end--;
            d->column++;
        }
    }
}

static enum compile_outcome compile_for(const struct nvrtc *nvrtc, const struct compile_request *request,
                                        bool cubin, struct compiled *out, struct error *error)
{
    handle program = NULL;
    struct nvrtc_options options;
    struct tools tools;
    char name[PATH_ROOM];
    size_t length;
    tools_find(&tools);
    if (!confine_to_headers(&tools)) {
        error_set(error, EXIT_MISSING, "The process that compiles cannot give up its rights to files.");
        return OUTCOME_FAILED;
    }
    options_choose(&options, &tools, out->target, cubin, request->debug);
    compile_kernel_name(request->file, name, sizeof name);
    if (nvrtc->create(&program, request->source, name, 0, NULL, NULL)) {
        error_set(error, EXIT_MISSING, "NVRTC cannot begin to compile %s.", request->file);
        return OUTCOME_FAILED;
    }
    int code = nvrtc->compile(program, options.count, options.list);
    char *log = fetch(program, nvrtc->log_size, nvrtc->log, &length);
    compiled_read_log(log ? log : "", name, out);
    end_statements(request->source, out);
    compiled_read_resources(log ? log : "", out);
    enum compile_outcome outcome = judge(nvrtc, code, log ? log : "", out, error);
    if (outcome == OUTCOME_MADE) {
        out->ptx = fetch(program, nvrtc->ptx_size, nvrtc->ptx, &length);
        out->cubin = cubin ? fetch(program, nvrtc->cubin_size, nvrtc->cubin, &out->cubin_bytes) : NULL;
        if (!out->ptx) {
            error_set(error, EXIT_MISSING, "NVRTC compiled %s but returned no PTX.", request->file);
            outcome = OUTCOME_FAILED;
        }
    }
    free(log);
    nvrtc->destroy(&program);
    return outcome;
}

static enum compile_outcome library_compile(const char *library, const struct compile_request *request,
                                            struct compiled *out, struct error *error)
{
    struct nvrtc nvrtc;
    int oldest;
    if (!nvrtc_open(library, &nvrtc, error))
        return OUTCOME_BROKEN;
    out->by = COMPILER_NVRTC;
    format_into(out->compiler, sizeof out->compiler, "NVRTC %d.%d", nvrtc.major, nvrtc.minor);
    out->target = target_choose(&nvrtc, request->target, &oldest);
    if (!out->target) {
        error_set(error, EXIT_MISSING, "%s does not compile for sm_%d; its oldest target is sm_%d.",
                  out->compiler, request->target, oldest);
        return OUTCOME_UNABLE;
    }
    // Machine code runs on its own target alone, so for a newer GPU there is only PTX.
    bool cubin = request->cubin && out->target == request->target;
    return compile_for(&nvrtc, request, cubin, out, error);
}

// ---- the child's end ----------------------------------------------------------------------------------

// One request and one answer travel, each packed with a length and a checksum, so that an answer which was cut off or
// mixed with other output is noticed.
enum nvrtc_task { TASK_COMPILE, TASK_DESCRIBE };

struct nvrtc_asked { // a request as it arrives
    enum nvrtc_task task;
    char *library;
    struct compile_request request;
};

static bool asked_read(struct unpack *in, struct nvrtc_asked *out)
{
    *out = (struct nvrtc_asked){ .task = (enum nvrtc_task)unpack_int(in, TASK_COMPILE, TASK_DESCRIBE) };
    out->library = unpack_string(in);
    return unpack_request(in, &out->request) && out->library;
}

static void answer_compile(const struct nvrtc_asked *asked, struct text *out)
{
    struct compiled compiled = { 0 };
    struct error error = { 0 };
    pack_answer(out, library_compile(asked->library, &asked->request, &compiled, &error), &compiled, &error);
    compiled_free(&compiled);
}

static void answer_describe(const struct nvrtc_asked *asked, struct text *out)
{
    struct compiler_state state = { 0 };
    struct error error = { 0 };
    pack_int(out, library_describe(asked->library, &state, &error));
    pack_string(out, error.text);
    pack_string(out, state.version);
    pack_int(out, state.target_count);
    for (int i = 0; i < state.target_count; i++)
        pack_int(out, state.targets[i]);
}

static bool answer(const struct text *input, struct text *out)
{
    struct unpack in;
    struct nvrtc_asked asked = { 0 };
    bool understood = unpack_open(&in, text_string(input), input->length) && asked_read(&in, &asked);
    if (understood && asked.task == TASK_COMPILE)
        answer_compile(&asked, out);
    else if (understood)
        answer_describe(&asked, out);
    free(asked.library);
    free((char *)asked.request.file);
    free((char *)asked.request.source);
    return understood;
}

int compile_child_main(void)
{
    struct text input = { 0 }, packed = { 0 };
    confine_descriptors();
    // The answer has a descriptor of its own: whatever the compiler prints goes to stderr.
    FILE *answers = fdopen(dup(STDOUT_FILENO), "w");
    char piece[65536];
    int status = EXIT_MISSING;
    if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return EXIT_MISSING;
    for (size_t got; (got = fread(piece, 1, sizeof piece, stdin));)
        text_add_n(&input, piece, got);
    if (ferror(stdin) || !answer(&input, &packed)) {
        fputs("This is how warpbook compiles in a process of its own; it is not for people.\n", stderr);
        status = EXIT_USAGE;
    } else {
        pack_seal(&packed);
        bool written = fwrite(packed.data, packed.length, 1, answers) == 1 && fflush(answers) == 0;
        status = written ? EXIT_RIGHT : EXIT_MISSING;
    }
    fclose(answers);
    text_free(&input);
    text_free(&packed);
    return status;
}

// ---- the parent's end ---------------------------------------------------------------------------

// Sets the error to what happened to a child without a usable answer.
static void explain(const struct child_result *child, int limit_ms, struct error *error)
{
    char how[128], said[256];
    if (child->timed_out) {
        error_set(error, EXIT_WRONG, "NVRTC did not finish within %g s and was stopped.", limit_ms / 1000.0);
        return;
    }
    child_describe(child->status, how, sizeof how);
    compiled_log_excerpt(text_string(&child->err), said, sizeof said);
    if (child->status)
        error_set(error, EXIT_WRONG, "The process that compiles with NVRTC %s; it said: %s", how, said);
    else
        error_set(error, EXIT_WRONG,
                  "The process that compiles with NVRTC sent an answer that cannot be read (%zu bytes).",
                  child->out.length);
}

// Besides libraries the child may read NVRTC's folder, for its builtins, and the headers.
static struct confinement *confinement_for(const char *self, const struct tools *tools)
{
    char include[PATH_ROOM] = "", folder[PATH_ROOM];
    const char *slash = strrchr(tools->nvrtc, '/');
    tools_find_include(include, sizeof include);
    format_into(folder, sizeof folder, "%.*s", slash ? (int)(slash - tools->nvrtc) : 0, tools->nvrtc);
    return tools_confinement(self, true, (const char *const[]){ folder, tools->headers, include, NULL });
}

// Starts the child and opens its answer, which `child` keeps.
static bool ask(const struct tools *tools, const struct text *packed, int limit_ms, const atomic_bool *stop,
                struct child_result *child, struct unpack *in, struct error *error)
{
    char *self = path_self();
    const char *argv[] = { self, "worker", "--compile", NULL };
    *child = (struct child_result){ 0 };
    // A child whose main() does not pass `worker --compile` on would start itself without end.
    if (!self || tools_is_tool()) {
        free(self);
        return error_set(error, EXIT_MISSING, "This program cannot start itself as a compiler.");
    }
    struct confinement *confinement = confinement_for(self, tools);
    bool started = tools_run(tools, argv, confinement, packed, limit_ms, stop, child, error);
    confinement_free(confinement);
    free(self);
    if (!started)
        return false;
    if (!child->timed_out && child->status == 0 &&
        unpack_open(in, text_string(&child->out), child->out.length))
        return true;
    explain(child, limit_ms, error);
    return false;
}

static struct text pack_asked(enum nvrtc_task task, const struct tools *tools,
                              const struct compile_request *request)
{
    struct text packed = { 0 };
    pack_int(&packed, task);
    pack_string(&packed, tools->nvrtc);
    pack_request(&packed, request);
    pack_seal(&packed);
    return packed;
}

enum compile_outcome nvrtc_compile(const struct tools *tools, const struct compile_request *request,
                                   struct compiled *out, struct error *error)
{
    struct text packed = pack_asked(TASK_COMPILE, tools, request);
    struct child_result child;
    struct unpack in;
    enum compile_outcome outcome = OUTCOME_FAILED;
    *out = (struct compiled){ 0 };
    if (ask(tools, &packed, request->limit_ms > 0 ? request->limit_ms : COMPILER_MS, request->stop, &child,
            &in, error) &&
        !unpack_answer(&in, out, &outcome, error))
        error_set(error, EXIT_WRONG,
                  "The process that compiles with NVRTC sent an answer that cannot be read.");
    child_result_free(&child);
    text_free(&packed);
    return outcome;
}

bool nvrtc_describe(const struct tools *tools, struct compiler_state *out, struct error *error)
{
    struct text packed =
        pack_asked(TASK_DESCRIBE, tools, &(struct compile_request){ .file = "", .source = "" });
    struct child_result child;
    struct unpack in;
    bool right = ask(tools, &packed, COMPILER_MS, NULL, &child, &in, error);
    if (right) {
        bool described = unpack_int(&in, 0, 1);
        char *text = unpack_string(&in), *version = unpack_string(&in);
        int room = sizeof out->targets / sizeof *out->targets;
        out->target_count = (int)unpack_int(&in, 0, room);
        for (int i = 0; i < out->target_count; i++)
            out->targets[i] = (int)unpack_int(&in, 0, TARGET_MOST);
        format_into(out->version, sizeof out->version, "%s", version ? version : "");
        right = described && unpack_closed(&in);
        if (!right)
            error_set(error, EXIT_MISSING, "%s", text ? text : "NVRTC does not answer.");
        free(text);
        free(version);
    }
    child_result_free(&child);
    text_free(&packed);
    return right;
}
