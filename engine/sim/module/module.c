// From a PTX text to a module: its variables laid out; its functions decoded to ops, each a handler and the rows that it works
// on, and analysed. The tables say which decoder knows an opcode.
#include "engine/sim/module/module.h"
#include "engine/sim/access/access.h"
#include "engine/sim/lanes/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- instructions ----

// In the order in which they are asked.
#define TABLES(level)                                                                                        \
    {                                                                                                        \
        control_decoders, lanes_integer_decoders##level, lanes_bit_decoders##level,                          \
            lanes_float_decoders##level, lanes_half_decoders##level, lanes_convert_decoders##level,          \
            lanes_compare_decoders##level, lanes_move_decoders##level, memory_decoders##level,               \
            atomic_decoders##level, lanes_exchange_decoders, lanes_matrix_decoders##level,                   \
            matrix_decoders##level, lanes_byte_decoders##level, mbarrier_decoders##level,                    \
            texture_decoders##level                                                                          \
    }
enum { TABLES_OF_BUILD = 16 };
static const struct decoder *const decoders[][TABLES_OF_BUILD] = EACH_BUILD(TABLES);

static bool decode_by_tables(struct decoding *d, struct op *out)
{
    const struct op empty = *out;
    const char *base = d->in->base;
    const struct decoder *const *tables = decoders[lanes_build()];
    for (int i = 0; i < TABLES_OF_BUILD; i++)
        for (const struct decoder *known = tables[i]; known->base; known++) {
            if (known->base[0] != base[0] || strcmp(known->base, base) != 0)
                continue;
            d->trouble = NULL;
            *out = empty;
            if (known->decode(d, out) && !d->trouble)
                return true;
        }
    if (!d->trouble)
        d->trouble = "the simulator does not know it";
    *out = empty;
    return false;
}

static void decode_guard(struct decoding *d, struct op *out)
{
    if (d->in->guard < 0)
        return;
    struct ptx_operand guard = { .kind = OPERAND_REGISTER, .reg = d->in->guard };
    row at = decode_predicate(d, &guard);
    if (!at) {
        out->kind = OP_UNKNOWN;
        out->trouble = "its guard is not a predicate";
        return;
    }
    out->guarded = true;
    out->guard_negated = d->in->guard_negated;
    out->guard = at;
}

static void decode_one(struct decoding *d, struct op *out)
{
    const struct ptx_instruction *in = d->in;
    struct op start = { .kind = OP_LANES,
                        .access = SIM_ACCESSES,
                        .parts = 1,
                        .reconverge = NO_PC,
                        .high = UINT32_MAX,
                        .from = in,
                        .tally = (int32_t)d->module->tally_count++ };
    *out = start;
    d->trouble = in->broken;
    if (in->broken || !in->base || !decode_by_tables(d, out)) {
        *out = start;
        out->kind = OP_UNKNOWN;
        out->trouble = d->trouble ? d->trouble : "it is broken";
    }
    out->releases = ptx_has(in, "release") || ptx_has(in, "acq_rel");
    out->cluster = out->space == SPACE_SHARED && ptx_has(in, "shared::cluster");
    decode_guard(d, out);
}

bool decode_replacement(struct sim_module *module, struct function *function,
                        const struct ptx_instruction *in, struct op *op)
{
    struct decoding d = {
        .module = module, .function = function, .in = in, .register_rows = function->register_rows
    };
    struct op other = *op;
    other.sub = 0;
    other.imm = 0;
    if (!decode_by_tables(&d, &other))
        return false;
    *op = other;
    return true;
}

// A return follows the last instruction, so that no function runs off its end.
static bool decode_function(struct sim_module *module, struct function *f)
{
    struct decoding d = { .module = module, .function = f };
    f->op_count = f->from->instruction_count;
    f->ops = arena_take(module->arena, (f->op_count + 1) * sizeof *f->ops);
    if (!f->ops || !decode_registers(&d))
        return false;
    for (size_t i = 0; i < f->op_count; i++) {
        if (deadline_passed(&module->deadline))
            return false;
        d.in = &f->from->instructions[i];
        decode_one(&d, &f->ops[i]);
    }
    if (module->deadline.passed)
        return false;
    static const struct ptx_instruction end = { .text = "ret", .base = "ret", .guard = -1 };
    f->ops[f->op_count] = (struct op){ .kind = f->from->entry ? OP_EXIT : OP_RETURN,
                                       .access = SIM_ACCESSES,
                                       .reconverge = NO_PC,
                                       .from = f->op_count ? &f->from->instructions[f->op_count - 1] : &end,
                                       .tally = (int32_t)module->tally_count++ };
    return true;
}

// A module: its text parsed, its variables laid out, its functions decoded and analysed; its kernels and their
// parameters.

static bool no_memory(struct sim_fault *fault)
{
    return fault_set(fault, "There is not enough memory to read this PTX. Shorten it, or allow more memory.");
}

static bool too_long(const struct ptx_function *function, struct sim_fault *fault)
{
    return fault_set(
        fault,
        "Reading this PTX takes longer than %d s, with %zu instructions and %zu labels in %.80s. Make it "
        "smaller, or divide it among several kernels.",
        READ_SECONDS, function->instruction_count, function->label_count, function->name);
}

static size_t align_up(size_t at, size_t to)
{
    return to > 1 ? (at + to - 1) / to * to : at;
}

enum {
    MOST_BYTES = 1 << 28,  // of one variable that is not in global memory
    DECODED_MOST = 1 << 30 // bytes of a module's instructions, apart from its text
};

// Gives a variable the next free place after `*used` bytes.
static size_t variable_place(size_t *used, const struct ptx_variable *v)
{
    size_t at = align_up(*used, v->align ? v->align : type_bytes(v->type));
    *used = at + v->bytes;
    return at;
}

// ---- variables --------------------------------------------------------------------------------------------

static bool lay_module_variables(struct sim_module *module, size_t *shared, struct sim_fault *fault)
{
    const struct ptx_text *text = module->text;
    module->variable_count = text->variable_count;
    module->variables = arena_take(module->arena, (text->variable_count + 1) * sizeof *module->variables);
    if (!module->variables)
        return no_memory(fault);
    uint64_t number = FIRST_VARIABLE;
    for (size_t i = 0; i < text->variable_count; i++)
        if (text->variables[i].space == SPACE_SHARED && text->variables[i].bytes > MOST_BYTES)
            return fault_set(fault, "This PTX asks for more shared memory than any GPU has.");
    for (size_t i = 0; i < text->variable_count; i++) {
        struct module_variable *v = &module->variables[i];
        v->from = &text->variables[i];
        if (v->from->space == SPACE_SHARED) {
            v->address = v->from->unsized ? 0 : variable_place(shared, v->from);
            continue;
        }
        if (number == WORKSPACE || v->from->bytes >> OFFSET_BITS)
            return fault_set(fault,
                             "This PTX has more or larger global variables than the simulator can hold.");
        v->address = number++ << OFFSET_BITS;
    }
    return true;
}

// The size of local memory is checked when the kernel is launched.
static bool is_huge(const struct ptx_variable *variables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (variables[i].space != SPACE_LOCAL && variables[i].bytes > MOST_BYTES)
            return true;
    return false;
}

static bool lay_function(struct sim_module *module, struct function *f, size_t *shared,
                         struct sim_fault *fault)
{
    const struct ptx_function *from = f->from;
    f->param_at = arena_take(module->arena, (from->param_count + 1) * sizeof *f->param_at);
    f->return_at = arena_take(module->arena, (from->return_count + 1) * sizeof *f->return_at);
    f->variable_at = arena_take(module->arena, (from->variable_count + 1) * sizeof *f->variable_at);
    if (!f->param_at || !f->return_at || !f->variable_at)
        return no_memory(fault);
    if (is_huge(from->params, from->param_count) || is_huge(from->returns, from->return_count) ||
        is_huge(from->variables, from->variable_count))
        return fault_set(fault,
                         "This PTX asks for more shared memory or larger parameters than any GPU has.");
    size_t formals = 0;
    for (size_t i = 0; i < from->param_count; i++)
        f->param_at[i] = variable_place(&formals, &from->params[i]);
    f->param_bytes = from->entry ? 0 : formals;
    for (size_t i = 0; i < from->return_count; i++)
        f->return_at[i] = variable_place(&f->param_bytes, &from->returns[i]);
    for (size_t i = 0; i < from->variable_count; i++) {
        const struct ptx_variable *v = &from->variables[i];
        size_t *used = v->space == SPACE_PARAM   ? &f->param_bytes
                       : v->space == SPACE_LOCAL ? &f->local_bytes
                                                 : shared;
        f->variable_at[i] = v->unsized ? 0 : variable_place(used, v);
    }
    f->param_bytes = align_up(f->param_bytes, 16);
    f->local_bytes = align_up(f->local_bytes, 16);
    return true;
}

// Shared memory holds the module's variables, then those of device functions, then those of the kernel that runs: the
// kernels' own variables overlap, since only one kernel runs at a time.
static bool lay_functions(struct sim_module *module, size_t shared, struct sim_fault *fault)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (!module->functions[i].from->entry && !lay_function(module, &module->functions[i], &shared, fault))
            return false;
    module->shared_bytes = shared;
    for (size_t i = 0; i < module->function_count; i++) {
        struct function *f = &module->functions[i];
        size_t own = shared;
        if (f->from->entry && !lay_function(module, f, &own, fault))
            return false;
        f->shared_bytes = own;
        if (own > module->shared_bytes)
            module->shared_bytes = own;
    }
    module->shared_bytes = align_up(module->shared_bytes, 128);
    if (module->shared_bytes > (size_t)16 << 20)
        return fault_set(fault, "This PTX asks for more shared memory than any GPU has.");
    return true;
}

// ---- kernels and their parameters -------------------------------------------------------------------------

static bool is_kernel(const struct ptx_function *function)
{
    return function->entry && !function->declared;
}

static bool list_parameters(const struct ptx_function *from, struct arena *arena, struct sim_kernel *out)
{
    struct sim_parameter *parameters = arena_take(arena, (from->param_count + 1) * sizeof *parameters);
    size_t used = 0;
    for (size_t i = 0; parameters && i < from->param_count; i++) {
        const struct ptx_variable *v = &from->params[i];
        parameters[i].offset = variable_place(&used, v);
        parameters[i].bytes = v->bytes;
        parameters[i].structure = v->bytes != type_bytes(v->type);
        parameters[i].real = (v->type == TYPE_F32 || v->type == TYPE_F64) && v->bytes == type_bytes(v->type);
    }
    *out = (struct sim_kernel){ .name = from->name, parameters, from->param_count };
    return parameters != NULL;
}

// The kernels and what they take, in this arena; names stay in the text. False: no memory.
static bool kernels_list(const struct ptx_text *text, struct arena *arena, struct sim_kernels *out)
{
    struct sim_kernel *all = arena_take(arena, (text->function_count + 1) * sizeof *all);
    *out = (struct sim_kernels){ .all = all };
    for (size_t i = 0; all && i < text->function_count; i++)
        if (is_kernel(&text->functions[i]) &&
            !list_parameters(&text->functions[i], arena, &all[out->count++]))
            return false;
    return all != NULL;
}

// ---- reading ----------------------------------------------------------------------------------------------

static bool read_function(struct sim_module *module, struct function *f)
{
    if (!decode_function(module, f) || !contraction_mark(module, f))
        return false;
    f->frame_bytes = (f->frame_bytes + 63) & ~(size_t)63;
    return flow_mark(module, f) && loops_mark(module, f) && alike_mark(module, f);
}

static bool read_functions(struct sim_module *module, struct sim_fault *fault)
{
    const struct ptx_text *text = module->text;
    module->function_count = text->function_count;
    module->functions = arena_take(module->arena, (text->function_count + 1) * sizeof *module->functions);
    if (!module->functions)
        return no_memory(fault);
    for (size_t i = 0; i < text->function_count; i++) {
        module->functions[i].from = &text->functions[i];
        module->functions[i].index = i;
    }
    deadline_start(&module->deadline);
    size_t shared = 0;
    if (!kernels_list(text, module->arena, &module->kernels))
        return no_memory(fault);
    if (!lay_module_variables(module, &shared, fault) || !lay_functions(module, shared, fault))
        return false;
    for (size_t i = 0; i < text->function_count; i++)
        if (!text->functions[i].declared && !read_function(module, &module->functions[i]))
            return module->deadline.passed ? too_long(&text->functions[i], fault) : no_memory(fault);
    return true;
}

bool sim_module_read(const char *ptx, size_t length, struct sim_module **out, struct sim_fault *fault)
{
    return sim_module_read_within(ptx, length, 0, out, fault);
}

// The decoded functions may take the rest of the limit after the parsed text.
static void limit_decoding(struct sim_module *module, size_t memory_limit)
{
    size_t text = arena_used(module->text->arena), most = DECODED_MOST;
    if (memory_limit && memory_limit - text < most)
        most = memory_limit - text;
    arena_limit(module->arena, most);
}

bool sim_module_read_within(const char *ptx, size_t length, size_t memory_limit, struct sim_module **out,
                            struct sim_fault *fault)
{
    *out = NULL;
    struct sim_module *module = calloc(1, sizeof *module);
    if (!module)
        return no_memory(fault);
    module->arena = arena_new();
    if (!module->arena) {
        free(module);
        return no_memory(fault);
    }
    bool good = ptx_parse(ptx, length, memory_limit, &module->text, fault);
    if (good) {
        limit_decoding(module, memory_limit);
        good = read_functions(module, fault);
    }
    if (good)
        *out = module;
    else
        sim_module_free(module);
    return good;
}

void sim_module_free(struct sim_module *module)
{
    if (!module)
        return;
    if (module->text)
        ptx_free(module->text);
    arena_free(module->arena);
    free(module);
}

size_t sim_module_bytes(const struct sim_module *module)
{
    return arena_used(module->text->arena) + arena_used(module->arena);
}

// ---- queries ----------------------------------------------------------------------------------------------

bool sim_kernels_read(const char *ptx, size_t length, struct sim_kernels *out, struct sim_fault *fault)
{
    struct ptx_text *text;
    *out = (struct sim_kernels){ 0 };
    if (!ptx_parse(ptx, length, 0, &text, fault))
        return false;
    if (kernels_list(text, text->arena, out)) {
        out->owner = text;
        return true;
    }
    ptx_free(text);
    return fault_set(fault, "There is not enough memory to read this PTX. Shorten it, or allow more memory.");
}

void sim_kernels_free(struct sim_kernels *kernels)
{
    if (kernels->owner)
        ptx_free(kernels->owner);
    *kernels = (struct sim_kernels){ 0 };
}

const struct sim_kernels *sim_module_kernels(const struct sim_module *module)
{
    return &module->kernels;
}

int sim_kernel_find(const struct sim_module *module, const char *name)
{
    for (size_t i = 0; i < module->kernels.count; i++)
        if (strcmp(module->kernels.all[i].name, name) == 0)
            return (int)i;
    return -1;
}

struct sim_kernel_needs sim_kernel_needs(const struct sim_module *module, int kernel)
{
    const struct function *f = module_kernel(module, (size_t)kernel);
    struct sim_kernel_needs out = { .shared_bytes = f->shared_bytes,
                                    .local_bytes = f->local_bytes,
                                    .max_threads = f->from->max_threads };
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].from->space == SPACE_CONST)
            out.constant_bytes += module->variables[i].from->bytes;
    return out;
}

const struct function *module_kernel(const struct sim_module *module, size_t index)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (is_kernel(module->functions[i].from) && index-- == 0)
            return &module->functions[i];
    return NULL;
}
