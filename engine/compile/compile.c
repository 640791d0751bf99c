// The one entry: the cache first, then the compilers in the order of preference. A compiler that cannot do a
// request leaves it to the next; an error in the source ends the search.
#include "engine/compile/parts.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char what_to_install[] = "Install clang (for example: apt install clang), or NVIDIA's CUDA "
                                      "Toolkit for its library NVRTC; warpbook doctor "
                                      "says where they are looked for.";

// Everything that a result depends on.
static struct text key_for(const struct compile_request *request, const struct tools *tools)
{
    struct text key = { 0 };
    char name[PATH_ROOM];
    compile_kernel_name(request->file, name, sizeof name);
    text_addf(&key, "%d %d %s\n", request->target, request->cubin, name); // the PTX names its file
    tools_identity(tools, &key);
    text_add(&key, request->source);
    return key;
}

// Keeps what an earlier compiler said, so that all of it can be told when none succeeds.
static void keep_reason(struct text *reasons, const struct error *error)
{
    if (reasons->length)
        text_add(reasons, "\n");
    text_add(reasons, error->text);
}

static bool is_stopped(const struct compile_request *request)
{
    return request->stop && *request->stop;
}

static enum compile_outcome try_all(const struct compile_request *request, const struct tools *tools,
                                    bool *lasting, struct compiled *out, struct error *error)
{
    struct text reasons = { 0 };
    enum compile_outcome outcome = OUTCOME_UNABLE;
    *lasting = true;
    for (int kind = COMPILER_NVRTC; kind <= COMPILER_SHIPPED; kind++) {
        bool there = kind == COMPILER_SHIPPED || (kind == COMPILER_NVRTC ? tools->nvrtc[0] : tools->clang[0]);
        if (!there)
            continue;
        compiled_free(out);
        if (kind == COMPILER_NVRTC)
            outcome = nvrtc_compile(tools, request, out, error);
        else if (kind == COMPILER_CLANG)
            outcome = clang_compile(tools, request, out, error);
        else
            outcome = shipped_compile(request, out, error);
        if (outcome == OUTCOME_MADE || outcome == OUTCOME_WRONG || outcome == OUTCOME_FAILED ||
            is_stopped(request))
            break;
        *lasting = *lasting && outcome != OUTCOME_BROKEN;
        keep_reason(&reasons, error);
    }
    if (outcome == OUTCOME_UNABLE || outcome == OUTCOME_BROKEN)
        error_set(error, EXIT_MISSING, "Nothing here can compile %s for sm_%d.\n%s\n%s", request->file,
                  request->target, text_string(&reasons), what_to_install);
    text_free(&reasons);
    return outcome;
}

// A result that came about because a better compiler is broken is not kept: once that one is repaired, nothing
// else would tell.
static bool make(const struct compile_request *request, const struct tools *tools, const struct text *key,
                 struct compiled *out, struct error *error)
{
    bool lasting = false;
    enum compile_outcome outcome =
        include_allowed(request->source, out) ? try_all(request, tools, &lasting, out, error) : OUTCOME_WRONG;
    if (outcome != OUTCOME_MADE && is_stopped(request)) {
        compiled_free(out);
        return error_set(error, EXIT_WRONG, "The compile of %s was stopped.", request->file);
    }
    if (outcome == OUTCOME_MADE) {
        if (lasting && out->by != COMPILER_SHIPPED)
            cache_put(key, out);
        return true;
    }
    if (outcome == OUTCOME_WRONG)
        return compiled_explain(out, request, error);
    if (outcome == OUTCOME_FAILED) {
        struct error said = *error;
        error_set(error, said.code, "%s could not be compiled. %s", request->file, said.text);
    }
    compiled_free(out);
    return false;
}

bool compile(const struct compile_request *request, struct compiled *out, struct error *error)
{
    double start = clock_ms();
    struct tools tools;
    *out = (struct compiled){ 0 };
    tools_find(&tools);
    struct text key = key_for(request, &tools);
    bool cached = cache_get(&key, out);
    bool right = cached || make(request, &tools, &key, out, error);
    text_free(&key);
    out->cached = cached;
    out->ms = clock_ms() - start;
    return right;
}

// ---- for a process that may start no compiler: it asks another, over a pipe that the two share ------

enum { TARGET_MOST = 10000 };

void compile_ask(const struct compile_request *request, struct text *out)
{
    pack_string(out, request->file);
    pack_string(out, request->source);
    pack_int(out, request->target);
    pack_int(out, request->cubin);
    pack_int(out, request->limit_ms);
    pack_seal(out);
}

static void answer_with(struct text *out, bool right, const struct compiled *compiled,
                        const struct error *error)
{
    pack_int(out, right);
    pack_int(out, right ? EXIT_RIGHT : error->code);
    pack_string(out, right ? "" : error->text);
    pack_compiled(out, compiled);
    pack_int(out, compiled->cached);
    pack_int(out, (int64_t)(compiled->ms * 1e3));
    pack_seal(out);
}

void compile_answer(const char *asked, size_t length, struct text *out)
{
    struct unpack in;
    struct error error = { 0 };
    struct compiled compiled = { 0 };
    bool right = false, open = unpack_open(&in, asked, length);
    char *file = open ? unpack_string(&in) : NULL, *source = open ? unpack_string(&in) : NULL;
    struct compile_request request = { .file = file, .source = source };
    request.target = (int)unpack_int(&in, 0, TARGET_MOST);
    request.cubin = unpack_int(&in, 0, 1);
    request.limit_ms = (int)unpack_int(&in, 0, INT_MAX);
    if (unpack_closed(&in) && file && source)
        right = compile(&request, &compiled, &error);
    else
        error_set(&error, EXIT_MISSING, "A compile was asked for in a way that nobody understands.");
    answer_with(out, right, &compiled, &error);
    compiled_free(&compiled);
    free(file);
    free(source);
}

bool compile_answered(const char *answer, size_t length, struct compiled *out, struct error *error)
{
    struct unpack in;
    *out = (struct compiled){ 0 };
    bool whole = unpack_open(&in, answer, length);
    bool right = unpack_int(&in, 0, 1);
    enum exit_code code = (enum exit_code)unpack_int(&in, EXIT_RIGHT, EXIT_MISSING);
    char *text = whole ? unpack_string(&in) : NULL;
    whole = whole && unpack_compiled(&in, out);
    bool cached = unpack_int(&in, 0, 1);
    double ms = (double)unpack_int(&in, 0, INT64_MAX) / 1e3;
    if (!whole || !unpack_closed(&in) || !text || (right && !out->ptx)) {
        compiled_free(out);
        error_set(error, EXIT_MISSING, "The answer to a compile cannot be read.");
        right = false;
    } else if (!right) {
        error_set(error, code, "%s", text);
    }
    out->cached = cached;
    out->ms = ms;
    free(text);
    return right;
}

// ---- what is there, for doctor ----------------------------------------------------------------------

static void advise(struct compiler_state *state, const char *variable, const char *otherwise)
{
    const char *given = getenv(variable);
    if (given)
        format_into(state->advice, sizeof state->advice,
                    "%s is set to '%s', which names no file; unset it to search.", variable, given);
    else
        format_into(state->advice, sizeof state->advice, "%s", otherwise);
}

static void probe_nvrtc(const struct tools *tools, struct compiler_state *out)
{
    struct error error;
    out->kind = COMPILER_NVRTC;
    format_into(out->path, sizeof out->path, "%s", tools->nvrtc);
    if (!tools->nvrtc[0])
        advise(out, "WARPBOOK_NVRTC",
               "libnvrtc.so was not found under CUDA_HOME, CUDA_PATH, LD_LIBRARY_PATH, the loader's list, "
               "CONDA_PREFIX, "
               "/usr/local/cuda*, /opt/cuda. It comes with NVIDIA's CUDA Toolkit; if it lies elsewhere, set "
               "WARPBOOK_NVRTC to its path.");
    else if (nvrtc_describe(tools, out, &error))
        out->found = true;
    else
        format_into(out->advice, sizeof out->advice, "%.500s", error.text);
}

static void probe_clang(const struct tools *tools, struct compiler_state *out)
{
    struct error error;
    out->kind = COMPILER_CLANG;
    format_into(out->path, sizeof out->path, "%s", tools->clang);
    if (!tools->clang[0])
        advise(out, "WARPBOOK_CLANG",
               "No clang is on PATH. Install it (apt install clang, dnf install clang, pacman -S clang, "
               "zypper install "
               "clang), or set WARPBOOK_CLANG to its path.");
    else if (!tools->prelude[0] || !tools->headers[0])
        format_into(out->advice, sizeof out->advice,
                    "clang is here, but warpbook's own assets/clang/cuda.h and "
                    "assets/include are not; install warpbook again.");
    else if (clang_describe(tools, out->version, sizeof out->version, &error))
        out->found = true;
    else
        format_into(out->advice, sizeof out->advice, "%.500s", error.text);
    out->targets[0] = CLANG_TARGET;
    out->target_count = out->found;
}

static int count_in(const char *folder, const char *ending, int depth)
{
    struct dirent *found;
    int count = 0;
    DIR *stream = opendir(folder);
    while (stream && (found = readdir(stream))) {
        if (found->d_name[0] == '.')
            continue;
        char *path = path_join(folder, found->d_name);
        count += string_ends(path, ending);
        if (depth > 0)
            count += count_in(path, ending, depth - 1);
        free(path);
    }
    if (stream)
        closedir(stream);
    return count;
}

static void probe_shipped(struct compiler_state *out)
{
    char *folder = path_shipped("assets/ptx");
    int count = folder ? count_in(folder, ".ptx", 1) : 0;
    out->kind = COMPILER_SHIPPED;
    format_into(out->path, sizeof out->path, "%s", folder ? folder : "");
    out->found = count > 0;
    if (out->found)
        format_into(out->version, sizeof out->version, "%d kernel files", count);
    else
        format_into(out->advice, sizeof out->advice, "No compiled kernels ship here; make ptx builds them.");
    out->targets[0] = CLANG_TARGET;
    out->target_count = out->found;
    free(folder);
}

int compile_probe(struct compiler_state out[3])
{
    struct tools tools;
    tools_find(&tools);
    memset(out, 0, 3 * sizeof *out);
    probe_nvrtc(&tools, &out[0]);
    probe_clang(&tools, &out[1]);
    probe_shipped(&out[2]);
    return 3;
}
