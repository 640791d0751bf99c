// The one entry: the cache first, then the compilers in the order of preference. A compiler that cannot do a
// request leaves it to the next; an error in the source ends the search.
#include "engine/compile/parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 8 };

static const char what_to_install[] = "Install clang (for example: apt install clang), or NVIDIA's CUDA "
                                      "Toolkit for its library NVRTC; warpbook doctor "
                                      "says where they are looked for.";

void compiled_free(struct compiled *compiled)
{
    for (size_t i = 0; i < compiled->diagnostic_count; i++)
        free(compiled->diagnostics[i].message);
    for (size_t i = 0; i < compiled->resource_count; i++)
        free(compiled->resources[i].kernel);
    free(compiled->diagnostics);
    free(compiled->resources);
    free(compiled->ptx);
    free(compiled->cubin);
    *compiled = (struct compiled){ 0 };
}

const struct resources *compiled_resources(const struct compiled *compiled, const char *entry)
{
    for (size_t i = 0; i < compiled->resource_count; i++)
        if (strcmp(compiled->resources[i].kernel, entry) == 0)
            return &compiled->resources[i];
    return NULL;
}

// Warnings stay in the diagnostics: they would hide the errors.
bool compiled_explain(const struct compiled *compiled, const struct compile_request *request,
                      struct error *error)
{
    struct text all = { 0 }, one = { 0 };
    int shown = 0, left = 0;
    bool before = false; // the message that a note would belong to is shown
    for (size_t i = 0; i < compiled->diagnostic_count; i++) {
        const struct diagnostic *d = &compiled->diagnostics[i];
        bool note = d->severity == SEVERITY_NOTE;
        if (d->severity == SEVERITY_WARNING || (note && !before)) {
            before = false;
            continue;
        }
        text_free(&one);
        diagnostic_write(&one, request->file, request->source, d);
        before = (note || shown < MOST_SHOWN) && !left && all.length + one.length < sizeof error->text - 64;
        if (before)
            text_addf(&all, "%s%s", all.length ? "\n" : "", text_string(&one));
        shown += before && !note;
        left += !before && !note;
    }
    if (!shown)
        text_addf(&all, "%s does not compile.", request->file);
    if (shown && left)
        text_addf(&all, "\nand %d more.", left);
    error_set(error, EXIT_WRONG, "%s", text_string(&all));
    text_free(&all);
    text_free(&one);
    return false;
}

// Everything that a result depends on.
static struct text key_for(const struct compile_request *request, const struct tools *tools)
{
    struct text key = { 0 };
    char name[PATH_ROOM];
    kernel_name(request->file, name, sizeof name);
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

static enum outcome try_all(const struct compile_request *request, const struct tools *tools, bool *lasting,
                            struct compiled *out, struct error *error)
{
    struct text reasons = { 0 };
    enum outcome outcome = OUTCOME_UNABLE;
    *lasting = true;
    for (int kind = COMPILER_NVRTC; kind <= COMPILER_SHIPPED; kind++) {
        bool there = kind == COMPILER_SHIPPED || (kind == COMPILER_NVRTC ? tools->nvrtc[0] : tools->clang[0]);
        if (!there)
            continue;
        compiled_free(out);
        if (kind == COMPILER_NVRTC)
            outcome = service_compile(tools->nvrtc, request, out, error);
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

// A result that came about because a better compiler is broken is not kept: once that one is mended, nothing
// else would tell.
static bool make(const struct compile_request *request, const struct tools *tools, const struct text *key,
                 struct compiled *out, struct error *error)
{
    bool lasting = false;
    enum outcome outcome = includes_allowed(request->source, out)
                               ? try_all(request, tools, &lasting, out, error)
                               : OUTCOME_WRONG;
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
