// PTX that ships with the program, for machines where nothing can compile. A file's first line says which source
// it was made from; a source that was changed since has no shipped PTX.
#include "engine/compile/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    struct text below = { 0 };
    text_addf(&below, "assets/ptx/%.*s%.*s.ptx", (int)length, lab, (int)(strlen(name) - strlen(".cu")), name);
    char *path = path_shipped(below.data);
    text_free(&below);
    return path;
}

// The shipped PTX of this very source; false when there is none, or of another version of it.
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

bool shipped_fresh(const char *file, const char *source)
{
    struct text ptx = { 0 };
    bool stale, fresh = shipped_read(file, source, &ptx, &stale);
    text_free(&ptx);
    return fresh;
}

enum compile_outcome shipped_compile(const struct compile_request *request, struct compiled *out,
                                     struct error *error)
{
    struct text ptx = { 0 };
    bool stale;
    *out = (struct compiled){ .by = COMPILER_SHIPPED };
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

// Shipped PTX is clang's, because its PTX 7.0 for sm_70 is what the oldest drivers can load.
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
                                           .target = CLANG_TARGET };
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
