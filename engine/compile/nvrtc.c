// NVIDIA's run-time compiler, by dlopen: no NVIDIA file is needed to build. Runs only in the compiling child,
// because it can crash, and a kernel can keep it busy for minutes.
#include "engine/compile/parts.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum { NVRTC_SUCCESS = 0, NVRTC_OUT_OF_MEMORY = 1, NVRTC_COMPILATION = 6, NVRTC_BUILTINS = 7 };
enum { MOST_STATIC_SHARED = 48 * 1024, MOST_TARGETS = 32 };

typedef struct opaque *handle; // of a program

struct nvrtc {
    int major, minor;
    int (*version)(int *major, int *minor);
    int (*target_count)(int *count);
    int (*targets)(int *out);
    int (*create)(handle *, const char *source, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*destroy)(handle *);
    int (*compile)(handle, int count, const char *const *options);
    int (*ptx_size)(handle, size_t *);
    int (*ptx)(handle, char *);
    int (*cubin_size)(handle, size_t *);
    int (*cubin)(handle, char *);
    int (*log_size)(handle, size_t *);
    int (*log)(handle, char *);
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

static bool bind(void *library, const char *name, void *slot, const char **missing)
{
    void *found = dlsym(library, name);
    memcpy(slot, &found, sizeof found);
    if (!found)
        *missing = name;
    return found;
}

static bool bind_all(void *library, struct nvrtc *out, const char **missing)
{
    return bind(library, "nvrtcVersion", &out->version, missing) &&
           bind(library, "nvrtcGetNumSupportedArchs", &out->target_count, missing) &&
           bind(library, "nvrtcGetSupportedArchs", &out->targets, missing) &&
           bind(library, "nvrtcCreateProgram", &out->create, missing) &&
           bind(library, "nvrtcDestroyProgram", &out->destroy, missing) &&
           bind(library, "nvrtcCompileProgram", &out->compile, missing) &&
           bind(library, "nvrtcGetPTXSize", &out->ptx_size, missing) &&
           bind(library, "nvrtcGetPTX", &out->ptx, missing) &&
           bind(library, "nvrtcGetCUBINSize", &out->cubin_size, missing) &&
           bind(library, "nvrtcGetCUBIN", &out->cubin, missing) &&
           bind(library, "nvrtcGetProgramLogSize", &out->log_size, missing) &&
           bind(library, "nvrtcGetProgramLog", &out->log, missing) &&
           bind(library, "nvrtcGetErrorString", &out->describe, missing);
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

bool nvrtc_describe(const char *library, struct compiler_state *out, struct error *error)
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

struct options {
    char texts[8][PATH_ROOM + 16];
    const char *list[8];
    int count;
};

__attribute__((format(printf, 2, 3))) static void add_option(struct options *options, const char *format, ...)
{
    va_list args;
    struct text text = { 0 };
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    int i = options->count++;
    format_into(options->texts[i], sizeof options->texts[i], "%s", text_string(&text));
    options->list[i] = options->texts[i];
    text_free(&text);
}

static void options_choose(struct options *options, int target, bool cubin)
{
    struct tools tools;
    char include[PATH_ROOM];
    *options = (struct options){ 0 };
    tools_find(&tools);
    add_option(options, "-arch=%s_%d", cubin ? "sm" : "compute", target);
    add_option(options, "-lineinfo");
    add_option(options, "-default-device");
    if (cubin)
        add_option(options, "--ptxas-options=-v");
    if (tools.headers[0])
        add_option(options, "-I%s", tools.headers);
    if (cuda_include_find(include, sizeof include)) {
        add_option(options, "-I%s", include);
        add_option(options, "-I%.*s/cccl", PATH_ROOM - 8, include);
    }
}

// What NVRTC hands out by a pair of functions, as a copy with a 0 behind it; NULL when it does not.
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
        diagnostic_add(out, SEVERITY_ERROR, 0, 0, text);
        return;
    }
    char said[300];
    log_excerpt(log, said, sizeof said);
    format_into(text, sizeof text, "the assembler refused the code; it said: %s", said);
    diagnostic_add(out, SEVERITY_ERROR, 0, 0, text);
}

static enum outcome judge(const struct nvrtc *nvrtc, int code, const char *log, struct compiled *out,
                          struct error *error)
{
    if (code == NVRTC_SUCCESS)
        return OUTCOME_MADE;
    if (code == NVRTC_COMPILATION) {
        if (!has_errors(out))
            explain_refusal(log, out);
        return OUTCOME_WRONG;
    }
    if (code == NVRTC_OUT_OF_MEMORY) {
        error_set(error, EXIT_WRONG, "NVRTC ran out of memory on this file.");
        return OUTCOME_FAILED;
    }
    char said[300];
    const char *name = nvrtc->describe(code);
    log_excerpt(log, said, sizeof said);
    error_set(error, EXIT_MISSING, "NVRTC failed (%s); it said: %s", name ? name : "unknown error", said);
    return code == NVRTC_BUILTINS ? OUTCOME_BROKEN : OUTCOME_FAILED;
}

static enum outcome compile_for(const struct nvrtc *nvrtc, const struct compile_request *request, bool cubin,
                                struct compiled *out, struct error *error)
{
    handle program = NULL;
    struct options options;
    struct tools tools;
    char name[PATH_ROOM];
    size_t length;
    tools_find(&tools);
    if (!headers_alone(&tools)) {
        error_set(error, EXIT_MISSING, "The process that compiles cannot give up its rights to files.");
        return OUTCOME_FAILED;
    }
    options_choose(&options, out->target, cubin);
    kernel_name(request->file, name, sizeof name);
    if (nvrtc->create(&program, request->source, name, 0, NULL, NULL)) {
        error_set(error, EXIT_MISSING, "NVRTC cannot begin to compile %s.", request->file);
        return OUTCOME_FAILED;
    }
    int code = nvrtc->compile(program, options.count, options.list);
    char *log = fetch(program, nvrtc->log_size, nvrtc->log, &length);
    log_read(log ? log : "", name, out);
    log_read_resources(log ? log : "", out);
    enum outcome outcome = judge(nvrtc, code, log ? log : "", out, error);
    if (outcome == OUTCOME_MADE) {
        out->ptx = fetch(program, nvrtc->ptx_size, nvrtc->ptx, &length);
        out->cubin = cubin ? fetch(program, nvrtc->cubin_size, nvrtc->cubin, &out->cubin_bytes) : NULL;
        if (!out->ptx) {
            error_set(error, EXIT_MISSING, "NVRTC compiled %s but hands out no PTX.", request->file);
            outcome = OUTCOME_FAILED;
        }
    }
    free(log);
    nvrtc->destroy(&program);
    return outcome;
}

enum outcome nvrtc_compile(const char *library, const struct compile_request *request, struct compiled *out,
                           struct error *error)
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
