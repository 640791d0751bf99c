// PTX without any NVIDIA file: made by clang, with the declarations of assets/clang/cuda.h, or shipped, for machines where
// nothing can compile. Both are for sm_70, or for sm_80 where a kernel copies asynchronously, whatever the GPU is: every
// driver since 450 can take that, and assembles it.
#include "engine/compile/parts.h"

#include "engine/base/confine.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

void compile_kernel_name(const char *file, char *out, size_t size)
{
    const char *slash = strrchr(file, '/');
    format_into(out, size, "/kernel/%s", slash ? slash + 1 : file);
    for (char *at = out; *at; at++)
        if ((unsigned char)*at < ' ' || strchr("\"\\()", *at))
            *at = '_'; // these would confuse a line marker, or the reading of the log
}

// ---- the files that clang sees -------------------------------------------------------------------------

// What confinement refuses to open can still be told from what is not there. So clang gets a view of the file system, an
// "overlay", in which there is nothing but the headers.

static void view_add(struct text *view, const char *pattern)
{
    glob_t found;
    if (glob(pattern, GLOB_MARK, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct text name = { 0 };
        if (string_ends(found.gl_pathv[i], "/"))
            continue;
        for (const char *c = found.gl_pathv[i]; *c; c++)
            text_addf(&name, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        text_addf(view, "%s{\"type\":\"file\",\"name\":\"%s\",\"external-contents\":\"%s\"}",
                  string_ends(text_string(view), "}") ? "," : "", text_string(&name), text_string(&name));
        text_free(&name);
    }
    globfree(&found);
}

// The folder of the prelude, of what it includes, and of headers that a Toolkit would have; the caller frees.
static char *declarations_folder(const struct tools *tools)
{
    const char *slash = strrchr(tools->prelude, '/');
    return mem_copy_n(tools->prelude, slash ? (size_t)(slash - tools->prelude) : 0);
}

// Opens the view, which the child reads by its number, and writes its path; -1: there can be none here.
static int view_open(const struct tools *tools, char *path, size_t size)
{
    struct text view = { 0 };
    char *folder = declarations_folder(tools), *headers = path_join(tools->headers, "*"),
         *declarations = path_join(folder, "*"), *below = path_join(folder, "cooperative_groups/*");
    text_add(&view, "{\"version\":0,\"case-sensitive\":\"true\",\"fallthrough\":\"false\",\"roots\":[");
    view_add(&view, headers);
    view_add(&view, declarations);
    view_add(&view, below);
    text_add(&view, "]}\n");
    int fd = memfd_create("view", 0);
    bool written = fd >= 0 && write(fd, view.data, view.length) == (ssize_t)view.length;
    format_into(path, size, "/proc/self/fd/%d", fd);
    if (fd >= 0 && (!written || access(path, R_OK) != 0)) {
        close(fd);
        fd = -1;
    }
    free(folder);
    free(headers);
    free(declarations);
    free(below);
    text_free(&view);
    return fd;
}

// ---- clang -----------------------------------------------------------------------------------------------

// "Debian clang version 14.0.6" -> "14.0.6"
bool clang_describe(const struct tools *tools, char *version, size_t size, struct error *error)
{
    struct child_result child;
    const char *argv[] = { tools->clang, "--version", NULL };
    struct confinement *confinement = tools_confinement(tools->clang, false, (const char *const[]){ NULL });
    *version = 0;
    bool ran = tools_run(tools, argv, confinement, &(struct text){ 0 }, COMPILER_MS, NULL, &child, error);
    confinement_free(confinement);
    if (!ran)
        return false;
    const char *at = strstr(text_string(&child.out), "clang version ");
    if (at && !child.timed_out && child.status == 0) {
        at += strlen("clang version ");
        format_clean(version, size, at, strcspn(at, " \t\r\n"));
    }
    child_result_free(&child);
    return *version || error_set(error, EXIT_MISSING, "%s does not say that it is clang.", tools->clang);
}

static bool looks_like_ptx(const struct text *text)
{
    const char *ptx = text_string(text);
    return strlen(ptx) == text->length && strstr(ptx, ".version ") && strstr(ptx, ".target ");
}

// Inline assembly may hold instructions that only newer GPUs have. Which GPU a text is for decides what `__CUDA_ARCH__` is in
// it, and whether ptxas takes them.
static int target_of(const struct compile_request *request)
{
    static const char *const newer_words[] = { "cp.async.", "\"mma.sync.", "ldmatrix.", "bfloat16",
                                               "memcpy_async" };
    bool newer = false;
    for (size_t i = 0; i < sizeof newer_words / sizeof *newer_words; i++)
        newer |= strstr(request->source, newer_words[i]) != NULL;
    return newer && request->target >= COPIES_TARGET ? COPIES_TARGET : CLANG_TARGET;
}

static enum compile_outcome judge(struct child_result *child, int limit_ms, struct compiled *out,
                                  struct error *error)
{
    char how[128], said[256];
    if (child->timed_out) {
        error_set(error, EXIT_WRONG, "clang did not finish within %g s and was stopped.", limit_ms / 1000.0);
        return OUTCOME_FAILED;
    }
    if (child->status == 0 && looks_like_ptx(&child->out)) {
        out->ptx = text_take(&child->out);
        return OUTCOME_MADE;
    }
    if (child->status == 0) {
        error_set(error, EXIT_WRONG, "clang succeeded but printed no PTX (%zu bytes of something else).",
                  child->out.length);
        return OUTCOME_FAILED;
    }
    if (WIFEXITED(child->status) && WEXITSTATUS(child->status) == 1 && compiled_has_errors(out))
        return OUTCOME_WRONG;
    child_describe(child->status, how, sizeof how);
    compiled_log_excerpt(text_string(&child->err), said, sizeof said);
    error_set(error, EXIT_WRONG, "clang %s; it said: %s", how, said);
    bool started = !WIFEXITED(child->status) ||
                   (WEXITSTATUS(child->status) != NOT_EXECUTABLE && WEXITSTATUS(child->status) != NOT_FOUND);
    return started ? OUTCOME_FAILED : OUTCOME_BROKEN;
}

enum compile_outcome clang_compile(const struct tools *tools, const struct compile_request *request,
                                   struct compiled *out, struct error *error)
{
    char name[PATH_ROOM], version[64], view[48], arch[32];
    struct child_result child;
    struct text input = { 0 };
    struct error no_version;
    *out = (struct compiled){ .by = COMPILER_CLANG, .target = target_of(request) };
    if (!tools->prelude[0] || !tools->headers[0]) {
        error_set(error, EXIT_MISSING,
                  "clang needs warpbook's assets/clang/cuda.h and assets/include, which are not where "
                  "warpbook looks for its files.");
        return OUTCOME_BROKEN;
    }
    if (request->target < CLANG_TARGET) {
        error_set(error, EXIT_MISSING, "clang is used only for sm_%d and newer GPUs, not for sm_%d.",
                  CLANG_TARGET, request->target);
        return OUTCOME_UNABLE;
    }
    clang_describe(tools, version, sizeof version, &no_version);
    format_into(out->compiler, sizeof out->compiler, "clang%s%s (sm_%d)", *version ? " " : "", version,
                out->target);
    format_into(arch, sizeof arch, "--cuda-gpu-arch=sm_%d", out->target);

    compile_kernel_name(request->file, name, sizeof name);
    text_addf(&input, "# 1 \"%s\"\n%s\n", name, request->source);
    int seen = view_open(tools, view, sizeof view);
    char *declarations = declarations_folder(tools);
    const char *const argv[] = {
        tools->clang, "-x", "cuda", "-std=c++17", "-fdeclspec", "--cuda-device-only", arch,
        // Without NVIDIA's library of device functions clang does not choose a PTX version by itself.
        "-Xclang", "-target-feature", "-Xclang", "+ptx70",
        // No header but ours; a toolkit that is newer than clang only confuses it.
        "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-nostdinc",
        // Optimised PTX with line numbers, or every variable in memory and where it is; diagnostics without colour,
        // carets and hints.
        request->debug ? "-O0" : "-O2", request->debug ? "-g" : "-gline-tables-only",
        "-fdebug-compilation-dir=/kernel", "-Wall", "-Wno-unused-function",
        "-Wno-unused-command-line-argument", "-Wno-unknown-cuda-version", "-Wno-register",
        "-fno-color-diagnostics", "-fno-caret-diagnostics", "-fno-diagnostics-fixit-info",
        "-fno-crash-diagnostics", "-ferror-limit=100",
        // As nvcc does, it leaves malloc and free where they are.
        "-fno-builtin-malloc", "-fno-builtin-free",
        // The source comes from stdin, the PTX goes to stdout.
        "-isystem", tools->headers, "-isystem", declarations, "-include", tools->prelude, "-S", "-o", "-",
        "-", seen >= 0 ? "-ivfsoverlay" : NULL, view, NULL
    };
    int limit_ms = request->limit_ms > 0 ? request->limit_ms : COMPILER_MS;
    struct confinement *confinement =
        tools_confinement(tools->clang, false, (const char *const[]){ tools->headers, declarations, NULL });
    bool started = tools_run(tools, argv, confinement, &input, limit_ms, request->stop, &child, error);
    confinement_free(confinement);
    free(declarations);
    text_free(&input);
    if (seen >= 0)
        close(seen);
    if (!started)
        return OUTCOME_BROKEN;
    compiled_read_log(text_string(&child.err), name, out);
    enum compile_outcome outcome = judge(&child, limit_ms, out, error);
    child_result_free(&child);
    return outcome;
}

// ---- PTX that ships ----------------------------------------------------------------------------------

// A shipped file's first line says which source it was made from; a source that was changed since has no shipped PTX.

static const char header_start[] = "// warpbook source ";

void shipped_header(const char *source, const char *compiler, struct text *out)
{
    text_addf(out, "%s%016" PRIx64 " compiler %s\n", header_start, hash_bytes(source, strlen(source)),
              compiler);
}

// kernels/LAB/NAME.cu, wherever it lies -> assets/ptx/LAB/NAME.ptx. NULL for a file without a folder.
static char *shipped_path(const char *file)
{
    const char *name = strrchr(file, '/');
    if (!name || !string_ends(name, ".cu"))
        return NULL;
    const char *lab = name;
    while (lab > file && lab[-1] != '/')
        lab--;
    size_t length = (size_t)(name - lab);
    if (!length || (length <= 2 && !strncmp(lab, "..", length)))
        return NULL;
    char *below =
        text_format("assets/ptx/%.*s%.*s.ptx", (int)length, lab, (int)(strlen(name) - strlen(".cu")), name);
    char *path = path_shipped(below);
    free(below);
    return path;
}

// The shipped PTX of this very source; false when there is none, or only that of another version of the source.
static bool shipped_read(const char *file, const char *source, struct text *ptx, bool *stale)
{
    struct error ignored;
    struct text wanted = { 0 };
    char *path = shipped_path(file);
    *stale = false;
    if (path && file_exists(path) && file_read(path, ptx, &ignored)) {
        shipped_header(source, "", &wanted);
        *stale = strncmp(text_string(ptx), wanted.data, wanted.length - 1) != 0;
    }
    bool right = ptx->length && !*stale;
    text_free(&wanted);
    free(path);
    return right;
}

enum compile_outcome shipped_compile(const struct compile_request *request, struct compiled *out,
                                     struct error *error)
{
    struct text ptx = { 0 };
    bool stale;
    *out = (struct compiled){ .by = COMPILER_SHIPPED };
    if (request->debug) {
        error_set(error, EXIT_MISSING,
                  "The compiled code that ships is optimised code; it names no variables.");
        return OUTCOME_UNABLE;
    }
    if (!shipped_read(request->file, request->source, &ptx, &stale)) {
        if (stale)
            error_set(error, EXIT_MISSING, "%s was changed, so the compiled code that ships does not fit it.",
                      request->file);
        else
            error_set(error, EXIT_MISSING, "No compiled code ships for %s.", request->file);
        text_free(&ptx);
        return OUTCOME_UNABLE;
    }
    const char *target = strstr(ptx.data, ".target sm_");
    out->target = target ? atoi(target + strlen(".target sm_")) : CLANG_TARGET;
    if (out->target > request->target) {
        error_set(error, EXIT_MISSING, "The compiled code that ships is for sm_%d, not for sm_%d.",
                  out->target, request->target);
        text_free(&ptx);
        return OUTCOME_UNABLE;
    }
    format_into(out->compiler, sizeof out->compiler, "shipped PTX (sm_%d)", out->target);
    out->ptx = text_take(&ptx);
    return OUTCOME_MADE;
}

// Shipped PTX is clang's, because its PTX 7.0, for sm_70 unless the file has newer instructions, is what the oldest drivers
// can load.
int compile_ptx_main(const char *file)
{
    struct tools tools;
    struct text source = { 0 }, header = { 0 };
    struct compiled compiled = { 0 };
    struct error error = { 0 };
    tools_find(&tools);
    enum compile_outcome outcome = OUTCOME_BROKEN;
    if (!tools.clang[0])
        error_set(&error, EXIT_MISSING, "Making shipped PTX needs clang, which was not found.");
    else if (file_read(file, &source, &error)) {
        struct compile_request request = { .file = file,
                                           .source = text_string(&source),
                                           .target = COPIES_TARGET };
        outcome = clang_compile(&tools, &request, &compiled, &error);
        if (outcome == OUTCOME_WRONG)
            compiled_explain(&compiled, &request, &error);
    }
    if (outcome == OUTCOME_MADE) {
        shipped_header(text_string(&source), compiled.compiler, &header);
        if (printf("%s%s", text_string(&header), compiled.ptx) < 0 || fflush(stdout)) {
            error_set(&error, EXIT_MISSING, "Cannot write the PTX of %s.", file);
            outcome = OUTCOME_FAILED;
        }
    }
    if (outcome != OUTCOME_MADE)
        fprintf(stderr, "%s\n", error.text);
    compiled_free(&compiled);
    text_free(&source);
    text_free(&header);
    return outcome == OUTCOME_MADE ? EXIT_RIGHT : (int)error.code;
}
