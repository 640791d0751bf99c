// A launch line becomes numbers: its grid, its block, and each argument in the bytes that the kernel expects.
#include "engine/run/worker.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static bool take_dims(uint32_t out[3], const struct dims *dims, const struct expr_scope *scope,
                      struct error *error)
{
    struct dims_value d;
    if (!dims_eval(dims, scope, &d, error))
        return false;
    out[0] = (uint32_t)d.x;
    out[1] = (uint32_t)d.y;
    out[2] = (uint32_t)d.z;
    return true;
}

static bool take_shared(uint32_t *out, const struct variant *variant, const struct launch *launch,
                        const struct expr_scope *scope, struct error *error)
{
    struct expr_value value = { 0 };
    if (launch->shared && !expr_eval(launch->shared, scope, &value, error))
        return false;
    int64_t bytes = value_as_int(value);
    if (bytes < 0 || bytes > INT_MAX)
        return error_at(error, &variant->source, launch->at,
                        "%lld bytes of dynamic shared memory cannot be asked for", (long long)bytes);
    *out = (uint32_t)bytes;
    return true;
}

// What one argument is packed from; `number` counts from 1.
struct slot {
    const struct variant *variant;
    const struct launch *launch;
    const struct argument *argument;
    struct sim_parameter parameter;
    int number;
};

// PTX does not tell signed from unsigned: what either can hold fits, so that -1 and 0xffffffff both are 32 bits.
static bool fits_whole(struct expr_value value, size_t size)
{
    if (value.real && !(value.r >= -0x1p63 && value.r < 0x1p63))
        return false;
    if (size >= sizeof value.i)
        return true;
    int64_t i = value_as_int(value), half = (int64_t)1 << (8 * size - 1);
    return i >= -half && i < 2 * half;
}

static bool is_float(const struct sim_parameter *parameter)
{
    return parameter->real && parameter->bytes == sizeof(float);
}

static bool is_double(const struct sim_parameter *parameter)
{
    return parameter->real && parameter->bytes == sizeof(double);
}

static bool fits(struct expr_value value, const struct sim_parameter *parameter)
{
    double d = value_as_real(value);
    if (is_float(parameter))
        return !isfinite(d) || isfinite((float)d);
    return is_double(parameter) || fits_whole(value, parameter->bytes);
}

static bool misfit(const struct slot *slot, struct expr_value value, struct error *error)
{
    char number[48];
    if (value.real)
        format_into(number, sizeof number, "%g", value.r);
    else
        format_into(number, sizeof number, "%lld", (long long)value.i);
    return error_at(error, &slot->variant->source, slot->argument->at,
                    "%s does not fit into parameter %d of %s, which has %zu bits", number, slot->number,
                    slot->launch->spelled, 8 * slot->parameter.bytes);
}

static bool pack_number(uint64_t *out, const struct slot *slot, struct expr_value value, struct error *error)
{
    const struct sim_parameter *parameter = &slot->parameter;
    *out = 0;
    if (!parameter->bytes || parameter->bytes > sizeof *out || parameter->structure)
        return error_at(error, &slot->variant->source, slot->argument->at,
                        "parameter %d of %s takes %zu bytes; a launch line gives only numbers and buffers",
                        slot->number, slot->launch->spelled, parameter->bytes);
    if (!fits(value, parameter))
        return misfit(slot, value, error);
    if (is_float(parameter)) {
        float f = (float)value_as_real(value);
        memcpy(out, &f, sizeof f);
    } else if (is_double(parameter)) {
        double d = value_as_real(value);
        memcpy(out, &d, sizeof d);
    } else {
        int64_t i = value_as_int(value); // little-endian: the low bytes come first
        memcpy(out, &i, parameter->bytes);
    }
    return true;
}

static bool pack_argument(uint64_t *out, const struct slot *slot, const struct expr_scope *scope,
                          placed_of placed, void *context, struct error *error)
{
    struct placed buffer;
    if (slot->argument->name && placed(context, slot->argument->name, &buffer)) {
        if (slot->parameter.bytes != sizeof buffer.address || slot->parameter.real)
            return error_at(error, &slot->variant->source, slot->argument->at,
                            "%s is a buffer, but parameter %d of %s is a number", slot->argument->name,
                            slot->number, slot->launch->spelled);
        *out = buffer.address;
        return true;
    }
    struct expr_value value;
    return expr_eval(slot->argument->expr, scope, &value, error) && pack_number(out, slot, value, error);
}

static bool check_count(const struct variant *variant, const struct launch *launch, size_t takes,
                        struct error *error)
{
    if (takes > ARGUMENTS)
        return error_at(error, &variant->source, launch->at,
                        "%s has %zu parameters; a launch line gives at most %d", launch->spelled, takes,
                        ARGUMENTS);
    return takes == launch->argument_count ||
           error_at(error, &variant->source, launch->at, "%s takes %zu argument%s, and here %s %zu",
                    launch->spelled, takes, takes == 1 ? "" : "s", launch->argument_count == 1 ? "is" : "are",
                    launch->argument_count);
}

bool launch_pack(struct packed_launch *out, const struct variant *variant, const struct launch *launch,
                 const struct sim_kernels *kernels, const struct expr_scope *scope, placed_of placed,
                 void *context, struct error *error)
{
    const struct sim_kernel *kernel;
    if (!kernel_choose(variant, launch, kernels, scope, placed, context, &kernel, error) ||
        !check_count(variant, launch, kernel->parameter_count, error))
        return false;
    if (!take_dims(out->launch.grid, &launch->grid, scope, error) ||
        !take_dims(out->launch.block, &launch->block, scope, error) ||
        !take_shared(&out->launch.shared_bytes, variant, launch, scope, error))
        return false;
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        struct slot slot = { variant, launch, &launch->arguments[i], kernel->parameters[i], (int)i + 1 };
        if (!pack_argument(&out->slots[i], &slot, scope, placed, context, error))
            return false;
        out->pointers[i] = &out->slots[i];
        out->arguments[i] = (struct sim_argument){ &out->slots[i], kernel->parameters[i].bytes };
    }
    out->kernel = kernel;
    out->launch.arguments = out->pointers;
    out->launch.name = launch->spelled;
    return true;
}

bool ptx_error(const struct variant *variant, const struct sim_fault *fault, struct error *error)
{
    const char *file = variant->path;
    if (fault->no_kernel && variant->launch_count)
        return kernel_missing(variant, &variant->launches[0], error);
    if (!fault->line)
        return error_set(error, EXIT_WRONG, "%s: %s", file, fault->text);
    return error_set(error, EXIT_WRONG, "%s: line %d of its PTX: %s", file, fault->line, fault->text);
}

struct expr_scope launch_scope(const struct problem *problem, int sm_count,
                               struct expr_binding bindings[SCOPE_BINDINGS])
{
    size_t count = 0;
    for (; count < problem->params.count && count + 1 < SCOPE_BINDINGS; count++)
        bindings[count] = problem->params.bindings[count];
    bindings[count++] = (struct expr_binding){ "sm_count", value_int(sm_count) };
    return (struct expr_scope){ bindings, count };
}

bool scratch_bytes(const struct variant *variant, const struct declared *scratch,
                   const struct expr_scope *scope, size_t *bytes, struct error *error)
{
    struct expr_value count;
    if (!expr_eval(scratch->count, scope, &count, error))
        return false;
    int64_t elements = value_as_int(count);
    size_t size = type_size(scratch->type);
    if (elements < 1 || elements > INT64_MAX / (int64_t)size)
        return error_at(error, &variant->source, scratch->at, "%s would have %lld elements", scratch->name,
                        (long long)elements);
    *bytes = (size_t)elements * size;
    return true;
}
