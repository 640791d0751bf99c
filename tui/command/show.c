// warpbook show: a kernel's source, what it takes of a GPU, and what it compiles to. All but the source is written as C
// comments, so that the output is a kernel file again; only what is hidden in the source is shown.
#include "tui/tui.h"

#include "engine/compile/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TARGET = 90 };

struct show_view {
    struct paper paper;
    const struct target *target;
    const struct variant *variant;
    int gpu; // the compute capability × 10 to compile for
};

static void emit_line(void *context, char sign, const char *line, size_t length)
{
    const struct paper *paper = context;
    enum role role = sign == '+' ? ROLE_GOOD : sign == '-' ? ROLE_BAD : ROLE_TEXT;
    paper_put(paper, role, "%c %.*s\n", sign, (int)length, line);
}

static int show_diff(const struct show_view *shown, struct error *error)
{
    const struct ladder *ladder = &shown->target->ladder;
    size_t index = (size_t)(shown->variant - ladder->variants);
    if (!shown->target->lab || index == 0) {
        error_set(error, EXIT_USAGE, "%s has no step before it to differ from.", shown->variant->name);
        return fail(error);
    }
    const struct variant *before = &ladder->variants[index - 1];
    paper_put(&shown->paper, ROLE_DIM, "- %s/%s\n+ %s/%s\n", before->lab, before->name, before->lab,
              shown->variant->name);
    diff_lines(before->text, shown->variant->text, emit_line, (void *)&shown->paper);
    return EXIT_RIGHT;
}

// ---- what it takes of a GPU --------------------------------------------------------------------------

// Threads in a block of the first launch at the lab's full size, or 0 when only a real GPU would tell.
static int block_threads(const struct show_view *shown)
{
    struct expr_binding bindings[LAB_PARAMS + 1];
    const struct lab *lab = shown->target->lab;
    const struct lab_preset *full = lab ? lab_preset_find(lab, "full") : NULL;
    size_t count = 0;
    for (int i = 0; full && i < LAB_PARAMS && lab->params[i]; i++)
        bindings[count++] = (struct expr_binding){ lab->params[i], value_int(full->value[i]) };
    bindings[count++] = (struct expr_binding){ "sm_count", value_int(1) };
    struct expr_scope scope = { bindings, count };
    struct dims_value block;
    struct error unused;
    if (!dims_eval(&shown->variant->launches[0].block, &scope, &block, &unused))
        return 0;
    return (int)(block.x * block.y * block.z);
}

static void add_occupancy(struct text *out, const struct show_view *shown, const struct resources *r)
{
    const struct arch *arch = occupancy_arch(shown->gpu);
    int threads = block_threads(shown);
    if (!arch || threads <= 0 || threads > 1024 || r->registers < 0 || shown->variant->launches[0].shared)
        return;
    struct occupancy o = occupancy_of(arch, threads, r->registers, r->shared_bytes);
    text_addf(out, "; blocks of %d: %d on an SM, occupancy %.0f %%", threads, o.blocks, o.percent);
    if (o.percent < 100)
        text_addf(out, ", limited by %s", occupancy_limiter_name(o.limiter));
}

// The kernel of the first launch, as far as its name tells; NULL: several have it, or none.
static const struct resources *launched(const struct show_view *shown, const struct compiled *compiled)
{
    const struct resources *found = NULL;
    for (size_t i = 0; i < compiled->resource_count; i++) {
        const struct resources *r = &compiled->resources[i];
        if (!launch_may_mean(&shown->variant->launches[0], r->kernel))
            continue;
        if (found)
            return NULL;
        found = r;
    }
    return found;
}

static void show_resources(const struct show_view *shown, const struct compiled *compiled)
{
    for (size_t i = 0; i < compiled->resource_count; i++) {
        const struct resources *r = &compiled->resources[i];
        if (r->registers < 0)
            continue;
        struct text line = { 0 };
        text_add(&line, "// ");
        mangled_write(r->kernel, &line);
        text_addf(&line, " on sm_%d: %d registers, %d bytes of shared memory", compiled->target, r->registers,
                  r->shared_bytes);
        if (r->spill_bytes > 0)
            text_addf(&line, ", %d bytes spilled", r->spill_bytes);
        if (launched(shown, compiled) == r)
            add_occupancy(&line, shown, r);
        paper_put(&shown->paper, ROLE_DIM, "%s\n", text_string(&line));
        text_free(&line);
    }
    paper_put(&shown->paper, ROLE_DIM, "// %s\n", compiled->compiler);
}

static bool compile_shown(const struct show_view *shown, bool cubin, struct compiled *out,
                          struct error *error)
{
    char *source = variant_source(shown->variant);
    struct compile_request request = {
        .file = shown->variant->path, .source = source, .target = shown->gpu, .cubin = cubin
    };
    bool compiled = compile(&request, out, error);
    free(source);
    return compiled;
}

static int show_source(const struct show_view *shown)
{
    struct compiled compiled = { 0 };
    struct error error;
    const char *text = shown->variant->text;
    paper_put(&shown->paper, ROLE_TEXT, "%s", text);
    if (!string_ends(text, "\n"))
        paper_put(&shown->paper, ROLE_TEXT, "\n");
    // Without a compiler the source is all there is to show; with errors in it, they are worth showing.
    bool done = compile_shown(shown, true, &compiled, &error);
    if (done)
        show_resources(shown, &compiled);
    compiled_free(&compiled);
    return done || error.code == EXIT_MISSING ? EXIT_RIGHT : fail(&error);
}

static int show_ptx(const struct show_view *shown)
{
    struct compiled compiled = { 0 };
    struct error error;
    bool done = compile_shown(shown, false, &compiled, &error);
    if (done)
        paper_put(&shown->paper, ROLE_TEXT, "%s", compiled.ptx);
    compiled_free(&compiled);
    return done ? EXIT_RIGHT : fail(&error);
}

static int show_sass(const struct show_view *shown)
{
    struct compiled compiled = { 0 };
    struct error error;
    struct text sass = { 0 };
    bool done = compile_shown(shown, true, &compiled, &error) && disassemble(&compiled, &sass, &error);
    if (done)
        paper_put(&shown->paper, ROLE_TEXT, "%s", text_string(&sass));
    text_free(&sass);
    compiled_free(&compiled);
    return done ? EXIT_RIGHT : fail(&error);
}

// ---- which of them -------------------------------------------------------------------------------------

static bool take_target(const struct arguments *arguments, int *out, struct error *error)
{
    const char *text = arguments_value(arguments, "--target");
    const char *number = text && string_starts(text, "sm_") ? text + 3 : text;
    char *end;
    *out = DEFAULT_TARGET;
    if (!text)
        return true;
    errno = 0;
    long target = strtol(number, &end, 10);
    if (!*number || *end || errno || target < 50 || target > 200)
        return error_set(error, EXIT_USAGE, "--target takes a GPU such as sm_75 or sm_90, not '%s'.", text);
    *out = (int)target;
    return true;
}

static int show_variant(const struct arguments *arguments, const struct target *target)
{
    struct error error;
    struct show_view shown = { .paper = paper_open(stdout), .target = target, .variant = target->variant };
    if (!take_target(arguments, &shown.gpu, &error))
        return fail(&error);
    if (arguments_has(arguments, "--diff"))
        return show_diff(&shown, &error);
    if (arguments_has(arguments, "--ptx"))
        return show_ptx(&shown);
    return arguments_has(arguments, "--sass") ? show_sass(&shown) : show_source(&shown);
}

// A lab without a step: the whole ladder, each with its name above it.
static int show_ladder(const struct arguments *arguments, struct target *target)
{
    struct paper paper = paper_open(stdout);
    int status = EXIT_RIGHT;
    bool diff = arguments_has(arguments, "--diff");
    for (size_t i = diff ? 1 : 0; i < target->ladder.count; i++) {
        target->variant = &target->ladder.variants[i];
        paper_put(&paper, ROLE_TITLE, "%s// ---- %s/%s: %s\n", i > (diff ? 1 : 0) ? "\n" : "",
                  target->lab->name, target->variant->name, target->variant->title);
        int one = show_variant(arguments, target);
        status = status ? status : one;
    }
    return status;
}

int command_show(const struct arguments *arguments)
{
    struct error error;
    struct target target;
    int status;
    if (!target_read(arguments->operands[0], &target, &error))
        return fail(&error);
    if (target.cpu) {
        error_set(&error, EXIT_USAGE, "%s is a CPU implementation; its source is reference/%s.c.",
                  target.cpu->name, target.lab->name);
        status = fail(&error);
    } else {
        status = target.variant ? show_variant(arguments, &target) : show_ladder(arguments, &target);
    }
    target_free(&target);
    return status;
}
