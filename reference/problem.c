// One problem, made of a lab or of a kernel file that needs no lab: its sizes first (plan), then its data and right
// answers (fill).
#include "reference/lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// No buffer that a person means is larger; byte counts below it add up without overflow.
static const int64_t most_bytes = (int64_t)1 << 44;

// Input and answer buffers start on a cache line, so that vector loads of the CPU code are aligned.
enum { ALIGNMENT = 64 };

struct expr_scope problem_scope(const struct problem *problem)
{
    return expr_params_scope(&problem->params);
}

int64_t problem_param(const struct problem *problem, const char *name)
{
    const struct expr_params *params = &problem->params;
    for (size_t p = 0; p < params->count; p++)
        if (strcmp(params->names[p], name) == 0)
            return value_as_int(params->bindings[p].value);
    return 0;
}

struct problem_buffer *problem_buffer_find(const struct problem *problem, const char *name)
{
    for (size_t b = 0; b < problem->buffer_count; b++)
        if (strcmp(problem->buffers[b].name, name) == 0)
            return &problem->buffers[b];
    return NULL;
}

// ---- planning -----------------------------------------------------------------------------------

// Adds a buffer of `count` elements; a count that makes no sense is refused.
static bool add_buffer(struct problem *problem, const char *name, struct type type, int64_t count,
                       struct error *error)
{
    int64_t size = (int64_t)type_size(type);
    if (count < 1)
        return error_set(error, EXIT_USAGE, "The buffer %s would have %lld elements. It needs at least 1.",
                         name, (long long)count);
    if (count > most_bytes / size)
        return error_set(error, EXIT_USAGE, "The buffer %s would have %lld elements. Choose a smaller size.",
                         name, (long long)count);
    struct problem_buffer *buffer = &problem->buffers[problem->buffer_count];
    if (strlen(name) >= sizeof buffer->name)
        return error_set(error, EXIT_USAGE, "The buffer name %s is too long. %zu characters are possible.",
                         name, sizeof buffer->name - 1);
    problem->buffer_count++;
    format_into(buffer->name, sizeof buffer->name, "%s", name);
    buffer->type = type;
    buffer->count = (size_t)count;
    buffer->bytes = (size_t)(count * size);
    return true;
}

static bool plan_lab_buffers(struct problem *problem, struct error *error)
{
    struct expr_scope scope = problem_scope(problem);
    problem->buffers = mem_new(LAB_BUFFERS * sizeof *problem->buffers);
    for (size_t b = 0; b < LAB_BUFFERS && problem->lab->buffers[b].name; b++) {
        const struct lab_buffer *declared = &problem->lab->buffers[b];
        struct expr_value count;
        if (!expr_eval_text(declared->count, &scope, &count, error) ||
            !add_buffer(problem, declared->name, declared->type, value_as_int(count), error))
            return false;
        problem->buffers[b].direction = declared->direction;
        problem->buffers[b].tolerance = declared->tolerance;
        problem->buffers[b].any_order =
            problem->lab->any_order && !strcmp(problem->lab->any_order, declared->name);
    }
    return true;
}

// The distribution by name, NULL for the lab's first.
static bool choose_data(const struct lab *lab, const char *name, const char **out, struct error *error)
{
    struct text names = { 0 };
    *out = name ? NULL : lab->data[0];
    for (size_t d = 0; d < LAB_DATA && lab->data[d]; d++) {
        if (name && strcmp(lab->data[d], name) == 0)
            *out = lab->data[d];
        text_addf(&names, "%s%s", d ? ", " : "", lab->data[d]);
    }
    if (!*out)
        error_set(error, EXIT_USAGE, "The lab %s has no data '%s'. It has: %s.", lab->name, name,
                  text_string(&names));
    text_free(&names);
    return *out != NULL;
}

static bool plan_lab(struct problem *problem, const int64_t *params, const char *data, struct error *error)
{
    const struct lab *lab = problem->lab;
    if (!lab->accept(params, error) || !choose_data(lab, data, &problem->data, error))
        return false;
    for (size_t p = 0; p < LAB_PARAMS && lab->params[p]; p++)
        expr_params_add(&problem->params, lab->params[p], value_int(params[p]));

    struct expr_scope scope = problem_scope(problem);
    struct expr_value bytes, operations;
    if (!expr_eval_text(lab->bytes, &scope, &bytes, error) ||
        !expr_eval_text(lab->operations, &scope, &operations, error))
        return false;
    problem->bytes = value_as_real(bytes);
    problem->operations = value_as_real(operations);
    return plan_lab_buffers(problem, error);
}

bool problem_plan(struct problem *out, const struct lab *lab, const int64_t *params, const char *data,
                  struct error *error)
{
    *out = (struct problem){ .lab = lab, .bytes = NAN, .operations = NAN };
    if (plan_lab(out, params, data, error))
        return true;
    problem_free(out);
    return false;
}

// ---- planning a standalone file -------------------------------------------------------------

static const struct expr_binding *binding_find(const struct expr_scope *scope, const char *name)
{
    for (size_t b = 0; scope && b < scope->count; b++)
        if (strcmp(scope->bindings[b].name, name) == 0)
            return &scope->bindings[b];
    return NULL;
}

// Every name in `given` has to be a param line of the file: a misspelt one must not be lost in silence.
static bool all_declared(const struct variant *variant, const struct expr_scope *given, struct error *error)
{
    for (size_t g = 0; given && g < given->count; g++) {
        size_t p = 0;
        while (p < variant->param_count && strcmp(variant->params[p].name, given->bindings[g].name) != 0)
            p++;
        if (p == variant->param_count)
            return error_set(error, EXIT_USAGE,
                             "%s has no parameter '%s'. Its //@ param lines declare its parameters.",
                             variant->path, given->bindings[g].name);
    }
    return true;
}

// Parameters are evaluated in the order of their lines, so that one may use those above it.
static bool plan_file_params(struct problem *problem, const struct variant *variant,
                             const struct expr_scope *given, struct error *error)
{
    if (variant->param_count > EXPR_PARAMS)
        return error_set(error, EXIT_USAGE, "%s has %zu parameters; %d are possible.", variant->path,
                         variant->param_count, EXPR_PARAMS);
    for (size_t p = 0; p < variant->param_count; p++) {
        const struct parameter *declared = &variant->params[p];
        const struct expr_binding *replaced = binding_find(given, declared->name);
        struct expr_scope above = problem_scope(problem);
        struct expr_value value;
        if (replaced)
            value = replaced->value;
        else if (!expr_eval(declared->value, &above, &value, error))
            return false;
        expr_params_add(&problem->params, declared->name, value);
    }
    return true;
}

static bool plan_file_buffers(struct problem *problem, const struct variant *variant, struct error *error)
{
    struct expr_scope scope = problem_scope(problem);
    if (variant->buffer_count)
        problem->buffers = mem_new(variant->buffer_count * sizeof *problem->buffers);
    for (size_t b = 0; b < variant->buffer_count; b++) {
        const struct declared *declared = &variant->buffers[b];
        struct expr_value count;
        if (!expr_eval(declared->count, &scope, &count, error))
            return false;
        struct error refusal;
        if (!add_buffer(problem, declared->name, declared->type, value_as_int(count), &refusal))
            return error_at(error, &variant->source, declared->at, "%s", refusal.text);
        problem->buffers[b].direction = BUFFER_INOUT;
    }
    return true;
}

bool problem_plan_file(struct problem *out, const struct variant *variant, const struct expr_scope *given,
                       struct error *error)
{
    *out = (struct problem){ .bytes = NAN, .operations = NAN };
    if (all_declared(variant, given, error) && plan_file_params(out, variant, given, error) &&
        plan_file_buffers(out, variant, error))
        return true;
    problem_free(out);
    return false;
}

// ---- filling ------------------------------------------------------------------------------------

static bool has_input(enum direction direction)
{
    return direction == BUFFER_IN || direction == BUFFER_INOUT;
}

static bool has_answer(enum direction direction)
{
    return direction == BUFFER_OUT || direction == BUFFER_INOUT;
}

static bool allocate(void **out, const struct problem_buffer *buffer, struct error *error)
{
    if (posix_memalign(out, ALIGNMENT, buffer->bytes) == 0)
        return true;
    *out = NULL;
    return error_set(error, EXIT_MISSING,
                     "No memory for the %.0f MiB of the buffer %s. Choose a smaller size.",
                     (double)buffer->bytes / (1 << 20), buffer->name);
}

static bool generate_lab(struct problem *problem, struct error *error)
{
    for (size_t b = 0; b < problem->buffer_count; b++) {
        struct problem_buffer *buffer = &problem->buffers[b];
        if (has_input(buffer->direction) && !allocate(&buffer->input, buffer, error))
            return false;
    }
    problem->lab->generate(problem);
    return true;
}

static void make_room_for_values(struct problem_buffer *buffer)
{
    const int *want = buffer->want;
    size_t values = 0;
#pragma omp parallel for reduction(max : values)
    for (size_t i = 0; i < buffer->count; i++)
        values = (size_t)want[i] + 1 > values ? (size_t)want[i] + 1 : values;
    buffer->values = mem_new(sizeof *buffer->values);
    buffer->values->below = values;
    buffer->values->left = mem_new((values + 63) / 64 * sizeof *buffer->values->left);
}

static bool solve_lab(struct problem *problem, struct error *error)
{
    for (size_t b = 0; b < problem->buffer_count; b++) {
        struct problem_buffer *buffer = &problem->buffers[b];
        if (has_answer(buffer->direction) && !allocate(&buffer->want, buffer, error))
            return false;
    }
    problem->lab->solve(problem);
    for (size_t b = 0; b < problem->buffer_count; b++)
        if (problem->buffers[b].any_order)
            make_room_for_values(&problem->buffers[b]);
    return true;
}

static bool generate_file(struct problem *problem, const struct variant *file, struct error *error)
{
    struct expr_scope scope = problem_scope(problem);
    for (size_t b = 0; b < problem->buffer_count; b++) {
        struct problem_buffer *buffer = &problem->buffers[b];
        if (!file->buffers[b].initial.given)
            continue;
        if (!allocate(&buffer->input, buffer, error) ||
            !initial_fill(&file->buffers[b], &scope, buffer->count, buffer->input, error))
            return false;
    }
    return true;
}

bool problem_generate(struct problem *problem, const struct variant *file, struct error *error)
{
    return problem->lab ? generate_lab(problem, error) : generate_file(problem, file, error);
}

bool problem_fill(struct problem *problem, const struct variant *file, struct error *error)
{
    return problem_generate(problem, file, error) && (!problem->lab || solve_lab(problem, error));
}

void problem_free(struct problem *problem)
{
    for (size_t b = 0; b < problem->buffer_count; b++) {
        free(problem->buffers[b].input);
        free(problem->buffers[b].want);
        if (problem->buffers[b].values) {
            free(problem->buffers[b].values->left);
            free(problem->buffers[b].values->again);
        }
        free(problem->buffers[b].values);
    }
    expr_params_free(&problem->params);
    free(problem->buffers);
    problem->buffers = NULL;
    problem->buffer_count = 0;
}
