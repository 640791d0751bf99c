// A launch line becomes numbers: its grid, its block, and each argument in the bytes that the kernel expects.
#include "engine/run/worker.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static bool take_dims(uint32_t out[3], const struct dims *dims, const struct scope *scope,
                      struct error *error)
{
    struct dim3 d;
    if (!dims_eval(dims, scope, &d, error))
        return false;
    out[0] = (uint32_t)d.x;
    out[1] = (uint32_t)d.y;
    out[2] = (uint32_t)d.z;
    return true;
}

static bool take_shared(uint32_t *out, const struct variant *variant, const struct launch *launch,
                        const struct scope *scope, struct error *error)
{
    struct value value = { 0 };
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
    struct ptx_parameter parameter;
    int number;
};

// PTX does not tell signed from unsigned: what either can hold fits, so that -1 and 0xffffffff both are 32 bits.
static bool fits_whole(struct value value, size_t size)
{
    if (value.real && !(value.r >= -0x1p63 && value.r < 0x1p63))
        return false;
    if (size >= sizeof value.i)
        return true;
    int64_t i = value_as_int(value), half = (int64_t)1 << (8 * size - 1);
    return i >= -half && i < 2 * half;
}

static bool is_float(const struct ptx_parameter *parameter)
{
    return parameter->real && parameter->size == sizeof(float);
}

static bool is_double(const struct ptx_parameter *parameter)
{
    return parameter->real && parameter->size == sizeof(double);
}

static bool fits(struct value value, const struct ptx_parameter *parameter)
{
    double d = value_as_real(value);
    if (is_float(parameter))
        return !isfinite(d) || isfinite((float)d);
    return is_double(parameter) || fits_whole(value, parameter->size);
}

static bool misfit(const struct slot *slot, struct value value, struct error *error)
{
    char number[48];
    if (value.real)
        format_into(number, sizeof number, "%g", value.r);
    else
        format_into(number, sizeof number, "%lld", (long long)value.i);
    return error_at(error, &slot->variant->source, slot->argument->at,
                    "%s does not fit into parameter %d of %s, which has %zu bits", number, slot->number,
                    slot->launch->kernel, 8 * slot->parameter.size);
}

static bool pack_number(uint64_t *out, const struct slot *slot, struct value value, struct error *error)
{
    const struct ptx_parameter *parameter = &slot->parameter;
    *out = 0;
    if (parameter->size > sizeof *out)
        return error_at(error, &slot->variant->source, slot->argument->at,
                        "parameter %d of %s takes %zu bytes; a launch line gives only numbers and buffers",
                        slot->number, slot->launch->kernel, parameter->size);
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
        memcpy(out, &i, parameter->size);
    }
    return true;
}

static bool pack_argument(uint64_t *out, const struct slot *slot, const struct scope *scope,
                          address_of address, void *context, struct error *error)
{
    gpu_address at;
    if (slot->argument->name && address(context, slot->argument->name, &at)) {
        if (slot->parameter.size != sizeof at)
            return error_at(error, &slot->variant->source, slot->argument->at,
                            "%s is a buffer, but parameter %d of %s is a number", slot->argument->name,
                            slot->number, slot->launch->kernel);
        *out = at;
        return true;
    }
    struct value value;
    return expr_eval(slot->argument->expr, scope, &value, error) && pack_number(out, slot, value, error);
}

bool launch_pack(struct packed_launch *out, const struct variant *variant, const struct launch *launch,
                 const char *ptx, const struct scope *scope, address_of address, void *context,
                 struct error *error)
{
    char entry[512];
    struct ptx_parameter parameters[ARGUMENTS];
    if (!ptx_entry_find(ptx, launch->kernel, entry, sizeof entry))
        return error_at(error, &variant->source, launch->at, "the file has no __global__ function %s",
                        launch->kernel);
    int count = ptx_parameters(ptx, entry, parameters, ARGUMENTS);
    if (count < 0 || count > ARGUMENTS)
        return error_at(error, &variant->source, launch->at, "%s has more than %d parameters", launch->kernel,
                        ARGUMENTS);
    if ((size_t)count != launch->argument_count)
        return error_at(error, &variant->source, launch->at, "%s takes %d arguments, and %zu are given here",
                        launch->kernel, count, launch->argument_count);
    if (!take_dims(out->launch.grid, &launch->grid, scope, error) ||
        !take_dims(out->launch.block, &launch->block, scope, error) ||
        !take_shared(&out->launch.shared_bytes, variant, launch, scope, error))
        return false;
    for (int i = 0; i < count; i++) {
        struct slot slot = { variant, launch, &launch->arguments[i], parameters[i], i + 1 };
        if (!pack_argument(&out->slots[i], &slot, scope, address, context, error))
            return false;
        out->pointers[i] = &out->slots[i];
    }
    out->launch.arguments = out->pointers;
    out->launch.name = launch->kernel;
    return true;
}

struct scope launch_scope(const struct problem *problem, int sm_count,
                          struct binding bindings[SCOPE_BINDINGS])
{
    size_t count = 0;
    for (; count < problem->param_count && count + 1 < SCOPE_BINDINGS; count++)
        bindings[count] = problem->params[count];
    bindings[count++] = (struct binding){ "sm_count", value_int(sm_count) };
    return (struct scope){ bindings, count };
}

bool scratch_bytes(const struct variant *variant, const struct declared *scratch, const struct scope *scope,
                   size_t *bytes, struct error *error)
{
    struct value count;
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
