// The directives of kernel files and the expressions in them: whatever the text is, it is refused with a sentence or can
// be planned, filled and evaluated; one element alone has the value that it has among all.
#include "tests/fuzz/shared/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "engine/run/worker.h"

enum { ELEMENTS_MOST = 1 << 14 };

static struct error error;

static void evaluate_launch(const struct variant *variant, const struct launch *launch,
                            const struct expr_scope *scope)
{
    struct dims_value dim;
    struct expr_value value;
    struct kernel_parameter parameters[ARGUMENTS];
    dims_eval(&launch->grid, scope, &dim, &error);
    dims_eval(&launch->block, scope, &dim, &error);
    if (launch->shared)
        expr_eval(launch->shared, scope, &value, &error);
    for (size_t i = 0; i < launch->argument_count; i++)
        expr_eval(launch->arguments[i].expr, scope, &value, &error);
    signature_find(variant->text, launch->kernel, parameters, ARGUMENTS);
}

static void evaluate_owner(const struct owner *owner, const struct expr_scope *scope)
{
    struct expr_binding bindings[SCOPE_BINDINGS + 1];
    struct dims_value block, thread;
    memcpy(bindings, scope->bindings, scope->count * sizeof *bindings);
    for (int64_t i = -1; i < 5000; i += 1667) {
        bindings[scope->count] = (struct expr_binding){ "i", value_int(i) };
        struct expr_scope indexed = { bindings, scope->count + 1 };
        owner_eval(owner, &indexed, &block, &thread, &error);
    }
}

static void compare_elements(const struct expr *part, const struct problem_buffer *made,
                             const struct expr_scope *scope)
{
    struct expr_binding bindings[SCOPE_BINDINGS + 1];
    const struct leaf real = { .scalar = SCALAR_DOUBLE };
    const struct expr_places places = { &real, 1, sizeof(double) };
    struct expr_value value;
    double *all = mem_new((made->count + 1) * sizeof *all);
    memcpy(bindings, scope->bindings, scope->count * sizeof *bindings);
    if (expr_fill(part, scope, &places, 0, made->count, all, &error))
        for (size_t i = 0; i < made->count; i += 1 + made->count / 3) {
            bindings[scope->count] = (struct expr_binding){ "i", value_int((int64_t)i) };
            struct expr_scope indexed = { bindings, scope->count + 1 };
            must(expr_eval(part, &indexed, &value, &error));
            double alone = value_as_real(value);
            must(alone == all[i] || (alone != alone && all[i] != all[i]));
        }
    free(all);
}

// One whose data is small is made.
static void fill(const struct variant *variant, struct problem *problem, const struct expr_scope *scope)
{
    size_t elements = 0;
    for (size_t i = 0; i < problem->buffer_count; i++)
        elements =
            problem->buffers[i].bytes > ELEMENTS_MOST ? SIZE_MAX / 2 : elements + problem->buffers[i].count;
    if (elements > ELEMENTS_MOST || !problem_generate(problem, variant, &error))
        return;
    for (size_t i = 0; i < variant->buffer_count && i < problem->buffer_count; i++)
        for (size_t p = 0; p < variant->buffers[i].initial.part_count; p++)
            compare_elements(variant->buffers[i].initial.parts[p].expr, &problem->buffers[i], scope);
}

// What a symbol or value line gives, if that is little.
static void fill_declared(const struct variant *variant, const struct declared *declared,
                          const struct expr_scope *scope)
{
    size_t bytes;
    if (!launch_declared_bytes(variant, declared, scope, &bytes, &error) || bytes > ELEMENTS_MOST)
        return;
    void *all = mem_new(bytes);
    must(declared->layout.bytes == type_size(declared->type));
    initial_fill(declared, scope, bytes / declared->layout.bytes, all, &error);
    free(all);
}

static void evaluate(const struct variant *variant, struct problem *problem)
{
    struct expr_binding bindings[SCOPE_BINDINGS];
    struct expr_scope scope = launch_scope(problem, 132, bindings);
    struct record record;
    bool suits;
    size_t bytes;
    record_init(&record);
    outcome_suits(variant, &scope, &suits, &record, &error);
    record_free(&record);
    for (size_t i = 0; i < variant->launch_count; i++)
        evaluate_launch(variant, &variant->launches[i], &scope);
    for (size_t i = 0; i < variant->scratch_count; i++)
        launch_declared_bytes(variant, &variant->scratch[i], &scope, &bytes, &error);
    for (size_t i = 0; i < variant->symbol_count; i++)
        fill_declared(variant, &variant->symbols[i], &scope);
    for (size_t i = 0; i < variant->value_count; i++)
        fill_declared(variant, &variant->values[i], &scope);
    for (size_t i = 0; i < variant->owner_count; i++)
        evaluate_owner(&variant->owners[i], &scope);
    fill(variant, problem, &scope);
}

// A file that stands alone is planned by its own lines, that of a lab by the lab's.
static void plan(const struct variant *variant)
{
    struct problem problem;
    const struct lab *lab = variant->lab ? lab_find(variant->lab) : NULL;
    const int64_t params[LAB_PARAMS] = { 256, 64, 8, 4 };
    bool planned = lab ? problem_plan(&problem, lab, params, lab->data[0], &error)
                       : problem_plan_file(&problem, variant, NULL, &error);
    if (!planned) {
        must(error.text[0] != 0);
        return;
    }
    if (problem.params.count + 1 < SCOPE_BINDINGS)
        evaluate(variant, &problem);
    problem_free(&problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const labs[] = { NULL, "histogram", "vecadd" };
    struct bytes bytes = bytes_of(data, size);
    char *text = bytes_rest(&bytes);
    for (size_t i = 0; i < sizeof labs / sizeof *labs; i++) {
        struct variant variant;
        error.text[0] = 0;
        if (variant_parse(&variant, labs[i], "kernels/x/3-kernel.cu", text, &error)) {
            variant_code(&variant);
            free(variant_source(&variant));
            plan(&variant);
            variant_free(&variant);
        } else {
            must(error.text[0] != 0);
        }
    }
    free(text);
    return 0;
}
