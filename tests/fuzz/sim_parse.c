// The PTX parser under a fuzzer: whatever the bytes are, it ends, and what it gives can be walked.
#include "engine/sim/ptx/ptx.h"
#include "tests/fuzz/shared/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void walk_operand(const struct ptx_function *function, const struct ptx_operand *operand, int depth)
{
    must(depth < 4 && operand->reg < (int)function->register_count);
    must(operand->kind != OPERAND_REGISTER || operand->reg >= 0);
    must((operand->kind != OPERAND_SYMBOL && operand->kind != OPERAND_SPECIAL) || operand->name);
    for (int i = 0; i < operand->part_count; i++)
        walk_operand(function, &operand->parts[i], depth + 1);
}

static void walk_instruction(const struct ptx_function *function, const struct ptx_instruction *in)
{
    must(in->text && in->base && in->ptx_line > 0 && in->line >= 0);
    must(in->guard < (int)function->register_count);
    must(in->modifier_count <= PTX_MODIFIERS && in->operand_count <= PTX_OPERANDS);
    must(in->broken || in->base[0]);
    for (int i = 0; i < in->modifier_count; i++)
        ptx_has(in, in->modifiers[i]);
    for (int i = 0; i < in->operand_count; i++)
        walk_operand(function, &in->operands[i], 0);
    for (int i = 0; i < in->call_return_count; i++)
        walk_operand(function, &in->call_returns[i], 0);
    for (int i = 0; i < in->call_argument_count; i++)
        walk_operand(function, &in->call_arguments[i], 0);
}

static void walk_variable(const struct ptx_variable *variable)
{
    must(variable->name && variable->align > 0 && (variable->align & (variable->align - 1)) == 0);
    for (size_t i = 0; i < variable->relocation_count; i++)
        must(variable->relocations[i].at + 8 <= variable->bytes && variable->relocations[i].symbol);
    unsigned char sum = 0;
    for (size_t i = 0; variable->initial && i < variable->bytes; i++)
        sum ^= variable->initial[i];
    must(sum <= 255);
}

static void walk_function(const struct ptx_function *function)
{
    must(function->name && *function->name);
    for (size_t i = 0; i < function->param_count; i++)
        walk_variable(&function->params[i]);
    for (size_t i = 0; i < function->return_count; i++)
        walk_variable(&function->returns[i]);
    for (size_t i = 0; i < function->variable_count; i++)
        walk_variable(&function->variables[i]);
    for (size_t i = 0; i < function->register_count; i++)
        must(strlen(function->registers[i].name) > 0);
    for (size_t i = 0; i < function->instruction_count; i++)
        walk_instruction(function, &function->instructions[i]);
    for (size_t i = 0; i < function->label_count; i++)
        must(function->labels[i].name && function->labels[i].at <= function->instruction_count);
    for (size_t i = 0; i < function->target_count; i++)
        for (size_t k = 0; k < function->targets[i].count; k++)
            must(function->targets[i].labels[k] != NULL);
}

static void walk_section(const struct ptx_section *section)
{
    unsigned char sum = 0;
    must(section->name && section->name[0] == '.');
    for (size_t i = 0; i < section->count; i++)
        sum ^= section->bytes[i];
    for (size_t i = 0; i < section->link_count; i++)
        must(section->links[i].name && section->links[i].at < section->count &&
             (i == 0 || section->links[i - 1].at < section->links[i].at));
    for (size_t i = 0; i < section->label_count; i++)
        must(section->labels[i].name && section->labels[i].at <= section->count);
    must(sum <= 255);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_text *text;
    struct sim_fault fault;
    if (!ptx_parse((const char *)data, size, 0, &text, &fault)) {
        must(!text && fault.text[0]);
        return 0;
    }
    for (size_t i = 0; i < text->variable_count; i++)
        walk_variable(&text->variables[i]);
    for (size_t i = 0; i < text->function_count; i++)
        walk_function(&text->functions[i]);
    for (size_t i = 0; i < text->section_count; i++)
        walk_section(&text->sections[i]);
    ptx_free(text);
    return 0;
}
