// engine/sim's reading of PTX: every construct that compilers write, lines that make no sense, texts that end
// too early or mean harm.
#include "engine/sim/ptx/ptx.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.7\n.target sm_90a, debug\n.address_size 64\n" // three lines

static struct ptx_text *read_text(const char *text)
{
    struct ptx_text *out;
    struct sim_fault fault;
    if (!ptx_parse(text, strlen(text), 0, &out, &fault))
        fail_msg("line %d: %s", fault.line, fault.text);
    return out;
}

// The text must be refused in this line, with a sentence that holds `word`.
static void refused(const char *text, size_t length, int line, const char *word)
{
    struct ptx_text *out = NULL;
    struct sim_fault fault;
    if (ptx_parse(text, length, 0, &out, &fault))
        fail_msg("'%.60s' was read", text);
    assert_null(out);
    if (fault.line != line || !strstr(fault.text, word))
        fail_msg("line %d: %s", fault.line, fault.text);
}

static struct ptx_text *body(const char *statements)
{
    char *text = NULL;
    assert_true(asprintf(&text, HEAD ".visible .entry k(.param .u64 p)\n{\n%s\n}\n", statements) > 0);
    struct ptx_text *out = read_text(text);
    free(text);
    return out;
}

static const struct ptx_function *function_named(const struct ptx_text *text, const char *name)
{
    for (size_t i = 0; i < text->function_count; i++)
        if (strcmp(text->functions[i].name, name) == 0)
            return &text->functions[i];
    return NULL;
}

static const struct ptx_instruction *instruction(const struct ptx_text *text, size_t index)
{
    const struct ptx_function *function = function_named(text, "k");
    assert_non_null(function);
    assert_true(index < function->instruction_count);
    const struct ptx_instruction *in = &function->instructions[index];
    if (in->broken)
        fail_msg("%s: %s", in->text, in->broken);
    return in;
}

static const char *register_name(const struct ptx_text *text, const struct ptx_operand *operand)
{
    assert_int_equal(operand->kind, OPERAND_REGISTER);
    return function_named(text, "k")->registers[operand->reg].name;
}

static char *file_text(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        fail_msg("%s is missing", name);
    size_t room = 1 << 20;
    char *text = malloc(room);
    assert_non_null(text);
    *length = fread(text, 1, room, file);
    assert_true(*length < room);
    fclose(file);
    return text;
}

static struct ptx_text *read_file(const char *name)
{
    size_t length;
    struct ptx_text *out;
    struct sim_fault fault;
    char *text = file_text(name, &length);
    if (!ptx_parse(text, length, 0, &out, &fault))
        fail_msg("%s:%d: %s", name, fault.line, fault.text);
    free(text);
    return out;
}

static void no_broken_line(const char *name, const struct ptx_text *text)
{
    for (size_t f = 0; f < text->function_count; f++)
        for (size_t i = 0; i < text->functions[f].instruction_count; i++) {
            const struct ptx_instruction *in = &text->functions[f].instructions[i];
            if (in->broken)
                fail_msg("%s:%d: %s: %s", name, in->ptx_line, in->text, in->broken);
        }
}

// ---- the module ---------------------------------------------------------------------------------------

static void the_head_of_a_module(void **state)
{
    struct ptx_text *text =
        read_text("//\n// a comment with .entry x(\n.version 8.10\n.target sm_90a, debug\n"
                  ".address_size 64\n.file 2 \"b.h\", 12, 34\n.file 1 \"a.cu\"\n"
                  "/* .entry y( */ .entry k() { ret; }\n.pragma \"nounroll\";\n"
                  ".section .debug_x { .b8 1\n L: .b32 L }\n.section .debug_loc { }\n");
    assert_int_equal(text->version_major, 8);
    assert_int_equal(text->version_minor, 10);
    assert_int_equal(text->target, 90);
    assert_int_equal(text->file_count, 3);
    assert_null(text->files[0]);
    assert_string_equal(text->files[1], "a.cu");
    assert_string_equal(text->files[2], "b.h");
    assert_int_equal(text->function_count, 1);
    assert_true(text->functions[0].entry);
    ptx_free(text);
}

static const struct ptx_variable *variable(const struct ptx_text *text, const char *name)
{
    for (size_t i = 0; i < text->variable_count; i++)
        if (strcmp(text->variables[i].name, name) == 0)
            return &text->variables[i];
    fail_msg("no variable %s", name);
    return NULL;
}

static void variables_and_their_initial_values(void **state)
{
    struct ptx_text *text =
        read_text(HEAD ".extern .shared .align 16 .b8 dyn[];\n"
                       ".visible .global .align 4 .u32 n = 5, m[3] = {1, -2};\n"
                       ".const .f32 f[2][2] = {{0f3F800000}, {1.5, 2}};\n"
                       ".global .f64 d = 0d4000000000000000;\n.weak .global .v4 .f32 quad = {1.0, 2.0};\n"
                       ".extern .global .b64 later;\n.global .b64 later = 017;\n"
                       ".global .attribute(.managed) .align 1 .b8 zeros[3];\n.entry k() {}\n");
    const struct ptx_variable *v = variable(text, "dyn");
    assert_true(v->unsized && v->external && v->bytes == 0 && v->align == 16 && v->space == SPACE_SHARED);
    v = variable(text, "m");
    assert_int_equal(v->bytes, 12);
    assert_int_equal(v->space, SPACE_GLOBAL);
    assert_memory_equal(v->initial, "\1\0\0\0\376\377\377\377\0\0\0\0", 12);
    v = variable(text, "f");
    assert_int_equal(v->space, SPACE_CONST);
    const float rows[] = { 1.0f, 0.0f, 1.5f, 2.0f };
    assert_memory_equal(v->initial, rows, sizeof rows);
    v = variable(text, "d");
    const double two = 2.0;
    assert_memory_equal(v->initial, &two, sizeof two);
    v = variable(text, "quad");
    const float quad[] = { 1.0f, 2.0f, 0.0f, 0.0f };
    assert_int_equal(v->align, 16);
    assert_int_equal(v->bytes, 16);
    assert_memory_equal(v->initial, quad, sizeof quad);
    v = variable(text, "later");
    assert_false(v->external);
    assert_memory_equal(v->initial, "\17\0\0\0\0\0\0\0", 8);
    v = variable(text, "zeros");
    assert_null(v->initial);
    assert_int_equal(v->bytes, 3);
    ptx_free(text);
}

static void addresses_in_initial_values(void **state)
{
    struct ptx_text *text =
        read_text(HEAD ".global .u32 n[4];\n.func f() { ret; }\n"
                       ".global .u64 to[4] = {n, generic(n)+4, f, n+8};\n"
                       ".global .align 1 .b8 packed[9] = {97, 0XFF(generic(n)+12), 0xFF00(generic(n)+12)};\n"
                       ".entry k() {}\n");
    const struct ptx_variable *to = variable(text, "to");
    assert_int_equal(to->relocation_count, 4);
    static const struct {
        const char *symbol;
        int64_t offset;
    } expected[] = { { "n", 0 }, { "n", 4 }, { "f", 0 }, { "n", 8 } };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(to->relocations[i].at, 8 * i);
        assert_string_equal(to->relocations[i].symbol, expected[i].symbol);
        assert_int_equal(to->relocations[i].offset, expected[i].offset);
    }
    const struct ptx_variable *packed = variable(text, "packed");
    assert_int_equal(packed->relocation_count, 1);
    assert_int_equal(packed->relocations[0].at, 1);
    assert_int_equal(packed->relocations[0].offset, 12);
    assert_int_equal(packed->initial[0], 97);
    ptx_free(text);
}

static void a_function_and_what_stands_around_it(void **state)
{
    struct ptx_text *text = read_text(
        HEAD ".extern .func (.param .b32 func_retval0) vprintf\n(\n.param .b64 a,\n.param .b64 b\n)\n;\n"
             ".func f(.param .b32 x);\n.func (.param .align 16 .b8 r[16]) g() .noreturn { ret; }\n"
             ".func also(.param .b32 x);\n"
             ".visible .entry k(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 s[24],\n"
             ".param .u8 c)\n.maxntid 16, 8, 2\n.minnctapersm 2\n.pragma \"nounroll\";\n{ ret; }\n"
             ".weak .func f(.param .b32 x) { trap; ret; }\n.alias also, f;\n");
    assert_int_equal(text->function_count, 5);
    const struct ptx_function *vprintf_ = function_named(text, "vprintf");
    assert_true(vprintf_->declared && vprintf_->param_count == 2 && vprintf_->return_count == 1);
    const struct ptx_function *f = function_named(text, "f");
    assert_true(!f->declared && !f->entry && f->instruction_count == 2);
    assert_ptr_equal(function_named(text, "also")->instructions, f->instructions);
    assert_int_equal(function_named(text, "g")->returns[0].bytes, 16);
    const struct ptx_function *k = function_named(text, "k");
    assert_int_equal(k->max_threads, 256);
    assert_int_equal(k->param_count, 3);
    assert_true(k->params[0].type == TYPE_U64 && k->params[0].space == SPACE_PARAM);
    assert_true(k->params[1].bytes == 24 && k->params[1].align == 8 && k->params[2].bytes == 1);
    assert_null(function_named(text, "h"));
    ptx_free(text);
}

// ---- statements ---------------------------------------------------------------------------------------

static void an_instruction_taken_apart(void **state)
{
    struct ptx_text *text = body(".reg .pred %p<2>; .reg .b32 %r<4>;\n"
                                 "@!%p1 ld.global.L2::128B.v2.f32 \t{%r1, _},   [%r2+-16]; // why\n"
                                 "cvt .rn.f16x2\t.f32 %r1, %r2, %r3;");
    const struct ptx_instruction *in = instruction(text, 0);
    assert_string_equal(in->text, "@!%p1 ld.global.L2::128B.v2.f32 {%r1, _}, [%r2+-16];");
    assert_string_equal(in->base, "ld");
    assert_int_equal(in->modifier_count, 4);
    assert_true(ptx_has(in, "global") && ptx_has(in, "L2::128B") && ptx_has(in, "v2") && !ptx_has(in, "v"));
    assert_int_equal(in->type_count, 1);
    assert_int_equal(in->types[0], TYPE_F32);
    assert_int_equal(in->guard, 1);
    assert_true(in->guard_negated);
    assert_int_equal(in->ptx_line, 7);
    assert_int_equal(in->operand_count, 2);
    assert_int_equal(in->operands[0].kind, OPERAND_VECTOR);
    assert_int_equal(in->operands[0].part_count, 2);
    assert_string_equal(register_name(text, &in->operands[0].parts[0]), "%r1");
    assert_int_equal(in->operands[0].parts[1].kind, OPERAND_SINK);
    assert_int_equal(in->operands[1].kind, OPERAND_MEMORY);
    assert_int_equal(in->operands[1].offset, -16);
    in = instruction(text, 1);
    assert_string_equal(in->base, "cvt");
    assert_true(in->type_count == 2 && in->types[0] == TYPE_F16X2 && in->types[1] == TYPE_F32);
    assert_int_equal(in->guard, -1);
    ptx_free(text);
}

static void numbers(void **state)
{
    static const struct {
        const char *written;
        uint64_t bits;
        bool is_single, is_double;
    } cases[] = { { "12", 12, false, false },
                  { "-1", UINT64_MAX, false, false },
                  { "0x1fU", 31, false, false },
                  { "0XFFFFFFFFFFFFFFFF", UINT64_MAX, false, false },
                  { "18446744073709551615", UINT64_MAX, false, false },
                  { "017", 15, false, false },
                  { "0", 0, false, false },
                  { "0b1101", 13, false, false },
                  { "~0", UINT64_MAX, false, false },
                  { "WARP_SZ", 32, false, false },
                  { "0f3F800000", 0x3f800000, true, false },
                  { "-0f3F800000", 0xbf800000, true, false },
                  { "0dBFF0000000000000", 0xbff0000000000000, false, true },
                  { "1.5", 0x3ff8000000000000, false, true },
                  { "-25e-1", 0xc004000000000000, false, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[80];
        snprintf(line, sizeof line, ".reg .b64 a;\nmov.b64 a, %s;", cases[i].written);
        struct ptx_text *text = body(line);
        const struct ptx_operand *operand = &instruction(text, 0)->operands[1];
        assert_int_equal(operand->kind, OPERAND_IMMEDIATE);
        if (operand->bits != cases[i].bits)
            fail_msg("%s was read as %llx", cases[i].written, (unsigned long long)operand->bits);
        assert_int_equal(operand->is_single, cases[i].is_single);
        assert_int_equal(operand->is_double, cases[i].is_double);
        ptx_free(text);
    }
}

static void operands_of_every_kind(void **state)
{
    struct ptx_text *text = body(".reg .pred p, q; .reg .b32 %r<9>, one; .shared .b8 tile[64];\n"
                                 "setp.eq.and.s32 p|q, %r1, %tid.x, !p;\n"
                                 "mov.u32 one, tile+4;\n"
                                 "ld.shared.u32 one, [tile+-8];\n"
                                 "ld.u32 one, [16];\n"
                                 "tex.2d.v4.f32.s32 {%r1,%r2,%r3,%r4}, [tile, {%r5, %r6}];\n"
                                 "mov.u64 %r1, %clock64; mov.u32 %r1, %envreg3; mov.u32 %r1, k;\n"
                                 "shfl.sync.down.b32 %r1|_, %r2, 1, 31, -1;");
    const struct ptx_operand *o = instruction(text, 0)->operands;
    assert_int_equal(o[0].kind, OPERAND_PAIR);
    assert_string_equal(register_name(text, &o[0].parts[1]), "q");
    assert_int_equal(o[2].kind, OPERAND_SPECIAL);
    assert_string_equal(o[2].name, "%tid.x");
    assert_true(o[3].negated && o[3].kind == OPERAND_REGISTER);
    o = instruction(text, 1)->operands;
    assert_true(o[1].kind == OPERAND_SYMBOL && o[1].offset == 4);
    assert_string_equal(o[1].name, "tile");
    o = instruction(text, 2)->operands;
    assert_true(o[1].kind == OPERAND_MEMORY && o[1].offset == -8 && o[1].reg == -1);
    assert_string_equal(o[1].name, "tile");
    o = instruction(text, 3)->operands;
    assert_true(o[1].kind == OPERAND_MEMORY && o[1].offset == 16 && o[1].reg == -1 && !o[1].name);
    o = instruction(text, 4)->operands;
    assert_int_equal(o[1].parts[0].kind, OPERAND_VECTOR);
    assert_int_equal(instruction(text, 5)->operands[1].kind, OPERAND_SPECIAL);
    assert_int_equal(instruction(text, 6)->operands[1].kind, OPERAND_SPECIAL);
    assert_int_equal(instruction(text, 7)->operands[1].kind, OPERAND_SYMBOL);
    assert_int_equal(instruction(text, 8)->operands[0].parts[1].kind, OPERAND_SINK);
    ptx_free(text);
}

static void calls(void **state)
{
    struct ptx_text *text = body(".reg .b64 %rd<3>; .reg .b32 %r1; .param .b32 a; .param .b32 r;\n"
                                 "call.uni \n (r), // the result\n f, \n (\n a, \n r\n );\n"
                                 "call f;\ncall f, ();\n"
                                 "proto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                                 "call (r), %rd1, (a), proto;");
    const struct ptx_instruction *in = instruction(text, 0);
    assert_string_equal(in->text, "call.uni (r), f, ( a, r );");
    assert_true(in->operand_count == 1 && in->call_return_count == 1 && in->call_argument_count == 2);
    assert_string_equal(in->operands[0].name, "f");
    assert_string_equal(in->call_returns[0].name, "r");
    assert_string_equal(in->call_arguments[0].name, "a");
    assert_int_equal(in->ptx_line, 7);
    assert_int_equal(instruction(text, 1)->ptx_line, 14);
    assert_int_equal(instruction(text, 2)->call_argument_count, 0);
    in = instruction(text, 3);
    assert_string_equal(register_name(text, &in->operands[0]), "%rd1");
    assert_int_equal(in->call_argument_count, 1);
    assert_string_equal(in->operands[1].name, "proto");
    assert_int_equal(function_named(text, "k")->label_count, 0);
    ptx_free(text);
}

static void sibling_blocks_may_use_the_same_names(void **state)
{
    struct ptx_text *text = body(".reg .b32 x;\n"
                                 "{ .reg .b32 x; .param .b32 a; mov.b32 x, 1; st.param.b32 [a], x; }\n"
                                 "{ .reg .b32 x; .param .b64 a; mov.b32 x, 2; st.param.b32 [a], x; }\n"
                                 "mov.b32 x, 3; .reg .b32 %r<2>; mov.b32 %r1, 4;\n"
                                 "{ .reg .b32 %r1; mov.b32 %r1, 5; } mov.b32 %r1, 6;");
    const struct ptx_function *k = function_named(text, "k");
    assert_int_equal(k->variable_count, 2);
    assert_string_not_equal(k->variables[0].name, k->variables[1].name);
    int reg[9];
    for (size_t i = 0; i < 8; i++)
        reg[i] = instruction(text, i)->operands[0].reg;
    assert_string_equal(instruction(text, 1)->operands[0].name, k->variables[0].name);
    assert_string_equal(instruction(text, 3)->operands[0].name, k->variables[1].name);
    assert_true(reg[0] != reg[2] && reg[2] != reg[4] && reg[0] != reg[4]);
    assert_true(reg[5] != reg[6] && reg[5] == reg[7]);
    ptx_free(text);
}

static size_t label_at(const struct ptx_text *text, const char *name)
{
    const struct ptx_function *k = function_named(text, "k");
    for (size_t i = 0; i < k->label_count; i++)
        if (strcmp(k->labels[i].name, name) == 0)
            return k->labels[i].at;
    fail_msg("no label %s", name);
    return 0;
}

static void labels_belong_to_their_blocks(void **state)
{
    struct ptx_text *text = body("{ W: bra D; bra W; bra OUT; D: }\n"
                                 "{ W: { W: bra W; } bra W; bra D; D: ret; }\n"
                                 "OUT: bra.uni W; W:\n"
                                 "T: .branchtargets W, OUT, W;\n"
                                 "$x : ret; end:");
    static const size_t to[] = { 3, 0, 7, 3, 3, 6 };
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        assert_int_equal(label_at(text, instruction(text, i)->operands[0].name), to[i]);
    assert_int_equal(label_at(text, instruction(text, 7)->operands[0].name), 8);
    assert_int_equal(label_at(text, "end"), 9);
    const struct ptx_function *k = function_named(text, "k");
    assert_int_equal(k->target_count, 1);
    assert_string_equal(k->targets[0].name, "T");
    assert_int_equal(k->targets[0].count, 3);
    assert_string_equal(k->targets[0].labels[1], "OUT");
    ptx_free(text);
}

static void families_of_registers(void **state)
{
    struct ptx_text *text = body(".reg .b32 %r<3>, %q1<12>; .reg .pred %p1; .reg .b128 %w<2>;\n"
                                 "mov.b32 %r2, %q111; mov.b32 %q10, %r0;");
    assert_string_equal(register_name(text, &instruction(text, 0)->operands[0]), "%r2");
    assert_string_equal(register_name(text, &instruction(text, 0)->operands[1]), "%q111");
    assert_string_equal(register_name(text, &instruction(text, 1)->operands[0]), "%q10");
    const struct ptx_function *k = function_named(text, "k");
    assert_int_equal(k->register_count, 18);
    assert_int_equal(k->registers[15].type, TYPE_PRED);
    assert_int_equal(k->registers[17].type, TYPE_B128);
    ptx_free(text);
}

// ---- lines of the source ------------------------------------------------------------------------------

static void lines_of_the_source(void **state)
{
    struct ptx_text *text =
        body("nop;\n.loc 3 10 2\nnop;\n.loc\t1 99 1\nnop;\n" // the kernel's own file is 3
             ".loc 3 11 5\n.loc 1 7 1, function_name $x+4, inlined_at 3 11 5\nnop;\n"
             ".loc 1 8 1, function_name $x, inlined_at 1 7 1\nnop;\n"
             ".loc 3 20 1, function_name $y, inlined_at 3 12 6\nnop;\n"
             ".loc 1 9 1, function_name $x, inlined_at 3 20 1\nnop;\n.loc 3 0 0\nnop;\n.loc 3 oh\nnop;");
    static const int lines[][2] = { { 0, 0 },  { 10, 2 }, { 10, 2 }, { 11, 5 }, { 11, 5 },
                                    { 20, 1 }, { 12, 6 }, { 12, 6 }, { 12, 6 } };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_int_equal(instruction(text, i)->line, lines[i][0]);
        assert_int_equal(instruction(text, i)->column, lines[i][1]);
    }
    ptx_free(text);
}

static void inlined_code_belongs_to_the_kernels_own_file(void **state)
{
    // own() is in the kernel's file and calls inner() of a header, which only nvcc tells with inlined_at.
    static const struct {
        const char *file, *text;
        int line;
    } cases[] = { { "tests/data/parse/inlined-nvcc.ptx", "add.rn.f32 %f4, %f1, %f3;", 2 },
                  { "tests/data/parse/inlined-nvcc.ptx", "mad.lo.s32 %r29, %r27, 3, %r28;", 6 },
                  { "tests/data/parse/inlined-clang.ptx", "mad.lo.s32 %r29, %r27, 3, %r28;", 10 } };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct ptx_text *text = read_file(cases[n].file);
        const struct ptx_function *kernel = function_named(text, "_Z2swPiif");
        assert_non_null(kernel);
        int line = 0;
        for (size_t i = 0; i < kernel->instruction_count; i++) {
            assert_true(kernel->instructions[i].line > 0);
            if (strcmp(kernel->instructions[i].text, cases[n].text) == 0)
                line = kernel->instructions[i].line;
        }
        assert_int_equal(line, cases[n].line);
        ptx_free(text);
    }
}

// ---- lines that make no sense -------------------------------------------------------------------------

static void a_line_that_makes_no_sense_is_one_broken_instruction(void **state)
{
    static const struct {
        const char *line, *why;
    } cases[] = { { "add.s32 %r1, %r9, 1;", "register %r9 is not declared" },
                  { "add.s32 %r1 %r2;", "';' is expected" },
                  { "add.s32 %r1, %r2", "';' is expected" }, // the next line is not lost
                  { "ld.u32 %r1, [%r2;", "']' is expected" },
                  { "ld.v2.u32 {%r1, %r2, [%r2];", "expected" },
                  { "mov.b32 %r1, 99999999999999999999;", "64 bits" },
                  { "mov.b32 %r1, 0f123;", "floating-point" },
                  { "mov.b32 %r1, 12abc;", "letters after it" },
                  { "mov.b32 %r1, 1e;", "without digits" },
                  { "mov.b32 %r1, ?;", "a number is expected" },
                  { "@%r1 ret;", "not a predicate" },
                  { "@nothing ret;", "predicate" },
                  { "a.b.c.d.e.f.g.h.i.j.k.l.m.n %r1;", "modifiers" },
                  { "a 1,2,3,4,5,6,7,8,9;", "operands" },
                  { "call (%r1, f;", "expected" },
                  { "ld.u32 %r1, [%r1+%r2];", "whole number" },
                  { "mov.u32 %r1, %tid.q;", "not declared" },
                  { ".reg .b33 %x;", "type" },
                  { ".shared .align 3 .b8 x[4];", "alignment" },
                  { ".unknown 1, 2;", "statement" },
                  { "\x01\x02;", "byte" },
                  { ") ( ] ;", "instruction" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char lines[200];
        snprintf(lines, sizeof lines, ".reg .b32 %%r<3>;\nmov.b32 %%r1, 1;\n%s\nmov.b32 %%r2, 2;",
                 cases[i].line);
        struct ptx_text *text = body(lines);
        const struct ptx_function *k = function_named(text, "k");
        const char *why = k->instructions[1].broken;
        if (k->instruction_count != 3 || !why)
            fail_msg("%s: %zu instructions", cases[i].line, k->instruction_count);
        else if (!strstr(why, cases[i].why))
            fail_msg("%s: %s", cases[i].line, why);
        assert_int_equal(k->instructions[1].ptx_line, 8);
        assert_false(k->instructions[0].broken || k->instructions[2].broken);
        assert_string_equal(k->instructions[2].text, "mov.b32 %r2, 2;");
        ptx_free(text);
    }
}

static void what_is_not_known_is_kept_as_it_is_written(void **state)
{
    struct ptx_text *text = body(".reg .b32 %r<3>;\nfrobnicate.very.much %r1, %r2;");
    const struct ptx_instruction *in = instruction(text, 0);
    assert_string_equal(in->base, "frobnicate");
    assert_string_equal(in->modifiers[1], "much");
    ptx_free(text);
}

// ---- texts that are refused ---------------------------------------------------------------------------

static void texts_without_structure_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *word;
    } cases[] = { { "", 0, "no kernel" },
                  { HEAD, 0, "no kernel" },
                  { HEAD ".func f() { ret; }", 0, "no kernel" },
                  { HEAD ".extern .entry k();", 0, "no kernel" },
                  { HEAD ".entry k()\n{\nret;\n", 7, "begins in line 4: a '}' is missing" },
                  { HEAD ".entry k()\n", 5, "text ends" },
                  { HEAD ".entry k(.param .u32 a\n{ }", 5, "')' is expected" },
                  { HEAD ".entry k() { L: L: ret; }", 4, "label L is defined twice" },
                  { HEAD ".entry k() { }\n.entry k() { }", 5, "defined twice" },
                  { HEAD ".global .u32 n;\n.global .u32 n;", 5, "defined twice" },
                  { HEAD ".global .u32 n = {1, 2};", 4, "more initial values than room" },
                  { HEAD ".global .u32 n = 1 2;", 4, "';' is expected" },
                  { HEAD ".global .u32 n = m;", 4, "8 bytes" },
                  { HEAD ".global .b8 n[] = {1};", 4, "no size" },
                  { HEAD ".global .b8 n[99999999999];", 4, "too large" },
                  { HEAD ".global .b64 n[4294967296][4294967296];", 4, "larger than 2^36" },
                  { HEAD ".entry k() { .reg .b32 %r<4000000000>; }", 4, "at most 1048576" },
                  { HEAD ".entry k() { .reg .b32 a<999999>, b<999999>; }", 4, "more than 1048576" },
                  { HEAD ".file 4000000000 \"x\"", 4, ".file" },
                  { HEAD "}\n", 4, "a directive" },
                  { HEAD ".section .debug_x {\n", 4, "a '}' is missing" },
                  { ".version nine", 1, "a version" },
                  { ".address_size 32", 1, "32 bits" },
                  { "hello", 1, "'hello'" },
                  { "\n\n\x7f\x45LF", 3, "byte" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].word);
}

// `length` bytes of `piece` again and again after the start of a kernel.
static char *repeated(const char *piece, size_t length)
{
    static const char start[] = HEAD ".entry k() {\n";
    char *text = malloc(length);
    assert_non_null(text);
    memcpy(text, start, sizeof start - 1);
    for (size_t i = sizeof start - 1, k = 0; i < length; i++, k++)
        text[i] = piece[k % strlen(piece)];
    return text;
}

static void hostile_texts_are_refused(void **state)
{
    static const struct {
        const char *piece;
        int line;
        const char *word;
    } cases[] = { { "{", 5, "inside each other" }, { "a", 5, "missing" },          { "9", 5, "missing" },
                  { ";", 5, "missing" },           { "{L:bra L;}", 5, "missing" }, { "a {", 5, "missing" },
                  { "call (", 5, "missing" },      { "/*", 5, "missing" },         { "\"", 5, "missing" },
                  { "-", 5, "missing" },           { "@", 5, "missing" },          { "a;", 5, "" } };
    const size_t length = 1 << 20;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeated(cases[i].piece, length);
        refused(text, length, cases[i].line, cases[i].word);
        free(text);
    }
    refused(HEAD ".entry k() {\n\0}", sizeof(HEAD ".entry k() {\n\0}") - 1, 5, "zero byte");
    char *text = repeated(" ", (size_t)65 << 20);
    refused(text, (size_t)65 << 20, 0, "longer than 64 MiB");
    free(text);
}

// ---- real files ---------------------------------------------------------------------------------------

static void every_kernel_that_ships_is_understood(void **state)
{
    glob_t found;
    assert_int_equal(glob("assets/ptx/*/*.ptx", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 40);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct ptx_text *text = read_file(found.gl_pathv[i]);
        no_broken_line(found.gl_pathv[i], text);
        ptx_free(text);
    }
    globfree(&found);
}

static void what_compilers_write_is_understood(void **state)
{
    static const struct {
        const char *name;
        size_t functions, instructions;
    } files[] = { { "tests/data/parse/anchors.ptx", 3, 94 }, { "tests/data/parse/features.ptx", 8, 234 } };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct ptx_text *text = read_file(files[i].name);
        no_broken_line(files[i].name, text);
        size_t instructions = 0;
        for (size_t f = 0; f < text->function_count; f++)
            instructions += text->functions[f].instruction_count;
        assert_int_equal(text->function_count, files[i].functions);
        assert_int_equal(instructions, files[i].instructions);
        ptx_free(text);
    }
}

static void a_file_cut_anywhere_is_read_or_refused(void **state)
{
    static const char *const names[] = { "tests/data/parse/anchors.ptx", "tests/data/parse/features.ptx" };
    size_t whole = 0;
    for (size_t n = 0; n < 2; n++) {
        size_t length;
        char *text = file_text(names[n], &length);
        for (size_t cut = 0; cut <= length; cut += n ? 7 : 1) {
            char *part = malloc(cut + 1); // its own memory, so that a read beyond its end is seen
            assert_non_null(part);
            memcpy(part, text, cut);
            struct ptx_text *out;
            struct sim_fault fault;
            bool read = ptx_parse(part, cut, 0, &out, &fault);
            whole += read;
            if (!read)
                assert_true(fault.text[0] != '\0');
            ptx_free(out);
            free(part);
        }
        free(text);
    }
    assert_true(whole > 0);
}

static void the_end_of_a_string_may_be_counted(void **state)
{
    static const char text[] = ".version 9.0\n.entry k() { ret; }";
    struct ptx_text *out;
    struct sim_fault fault;
    assert_true(ptx_parse(text, sizeof text, 0, &out, &fault));
    ptx_free(out);
}

// ---- the arena ----------------------------------------------------------------------------------------

static void an_array_grows_and_keeps_its_items(void **state)
{
    struct arena *arena = arena_new();
    assert_non_null(arena);
    struct item {
        uint32_t value, zero[20];
    } *items = NULL;
    for (uint32_t i = 0; i < 5000; i++) {
        items = arena_grow(arena, items, i, sizeof *items);
        assert_non_null(items);
        assert_int_equal((uintptr_t)items % 16, 0);
        assert_true(items[i].value == 0 && items[i].zero[19] == 0);
        items[i].value = i;
        if (i % 7 == 0)
            memset(arena_take(arena, 100 + i), 0xff, 100 + i);
    }
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(items[i].value, i);
    arena_free(arena);
}

static void an_arena_has_its_limit(void **state)
{
    struct arena *arena = arena_new();
    assert_non_null(arena);
    arena_limit(arena, 1 << 20);
    assert_null(arena_take(arena, 2 << 20));
    assert_null(arena_take(arena, SIZE_MAX - 8));
    assert_null(arena_grow(arena, NULL, 0, SIZE_MAX / 2));
    assert_non_null(arena_take(arena, 1 << 19));
    assert_null(arena_take(arena, (1 << 19) + 16));
    assert_string_equal(arena_copy(arena, "abc", 2), "ab");
    arena_free(arena);
    arena_free(NULL);
}

static void types_by_name(void **state)
{
    assert_int_equal(type_from_name("bf16x2"), TYPE_BF16X2);
    assert_int_equal(type_from_name("u3"), TYPE_NONE);
    assert_int_equal(type_from_name(""), TYPE_NONE);
    assert_int_equal(type_bytes(TYPE_B128), 16);
    assert_int_equal(type_bytes(TYPE_F16X2), 4);
    assert_int_equal(type_bytes(TYPE_NONE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_of_a_module),
        cmocka_unit_test(variables_and_their_initial_values),
        cmocka_unit_test(addresses_in_initial_values),
        cmocka_unit_test(a_function_and_what_stands_around_it),
        cmocka_unit_test(an_instruction_taken_apart),
        cmocka_unit_test(numbers),
        cmocka_unit_test(operands_of_every_kind),
        cmocka_unit_test(calls),
        cmocka_unit_test(sibling_blocks_may_use_the_same_names),
        cmocka_unit_test(labels_belong_to_their_blocks),
        cmocka_unit_test(families_of_registers),
        cmocka_unit_test(lines_of_the_source),
        cmocka_unit_test(inlined_code_belongs_to_the_kernels_own_file),
        cmocka_unit_test(a_line_that_makes_no_sense_is_one_broken_instruction),
        cmocka_unit_test(what_is_not_known_is_kept_as_it_is_written),
        cmocka_unit_test(texts_without_structure_are_refused_with_their_line),
        cmocka_unit_test(hostile_texts_are_refused),
        cmocka_unit_test(every_kernel_that_ships_is_understood),
        cmocka_unit_test(what_compilers_write_is_understood),
        cmocka_unit_test(a_file_cut_anywhere_is_read_or_refused),
        cmocka_unit_test(the_end_of_a_string_may_be_counted),
        cmocka_unit_test(an_array_grows_and_keeps_its_items),
        cmocka_unit_test(an_arena_has_its_limit),
        cmocka_unit_test(types_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
