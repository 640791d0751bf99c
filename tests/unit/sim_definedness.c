// Definedness bit by bit: which bits of a result are called undefined when some bits of the operands are. The truth is
// found by running the instruction with every value that the undefined bits can have: a bit that comes out both ways is
// undefined. The simulator has to call all of those undefined and, but for rows that say otherwise, no other.
#include "tests/unit/sim_kernel.h"

enum { SOURCES = 4, MOST_FREE = 10, MOST_TRIES = 1 << MOST_FREE, BITS = 64 };

struct row_of_bits {
    const char
        *text; // %x: 64 bits, %w: 32, %h: 16, %p: a predicate; 0 is the destination, 1 to 4 are the operands
    char to;   // the kind of the destination
    uint64_t value[SOURCES], undefined[SOURCES];
    uint64_t also; // bits that are called undefined although they cannot differ
};

// ---- the kernels ---------------------------------------------------------------------------------------------------

static const char prologue[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 masks, .param .u64 mask)\n{\n"
    ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %w<8>, %r<8>;\n.reg .b64 %x<16>, %a<8>, %m<8>;\n"
    ".shared .align 8 .b8 s[8];\n"
    "mov.u32 %r0, %tid.x;\nld.param.u64 %a0, [in];\nld.param.u64 %a1, [out];\nld.param.u64 %a2, [masks];\n"
    "ld.param.u64 %a3, [mask];\n"
    "mul.wide.u32 %a4, %r0, 8;\nadd.u64 %a1, %a1, %a4;\nmul.wide.u32 %a4, %r0, 32;\nadd.u64 %a0, %a0, %a4;\n"
    "ld.shared.u64 %x9, [s];\n";

static void add_source(char *text, size_t size, int i)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length,
             "ld.global.u64 %%x%d, [%%a0+%d];\nld.global.u64 %%m%d, [%%a2+%d];\n"
             "and.b64 %%m%d, %%m%d, %%x9;\nor.b64 %%x%d, %%x%d, %%m%d;\n"
             "cvt.u32.u64 %%w%d, %%x%d;\ncvt.u16.u64 %%h%d, %%x%d;\nand.b64 %%m%d, %%x%d, 1;\n"
             "setp.ne.u64 %%p%d, %%m%d, 0;\n",
             i, 8 * (i - 1), i, 8 * (i - 1), i, i, i, i, i, i, i, i, i, i, i, i, i);
}

// `probes`: thread t keeps bit t of the result alone.
static struct sim_module *build(const struct row_of_bits *row, bool probes)
{
    static char text[8192];
    const char *widen = row->to == 'x'   ? "mov.b64 %x8, %x0;\n"
                        : row->to == 'w' ? "cvt.u64.u32 %x8, %w0;\n"
                        : row->to == 'h' ? "cvt.u64.u16 %x8, %h0;\n"
                                         : "selp.u64 %x8, 1, 0, %p0;\n";
    snprintf(text, sizeof text, "%s", prologue);
    for (int i = 1; i <= SOURCES; i++)
        add_source(text, sizeof text, i);
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s\n%s%sst.global.u64 [%%a1], %%x8;\nret;\n}\n", row->text,
             widen, probes ? "and.b64 %x8, %x8, %a3;\nshr.u64 %x8, %x8, %r0;\nand.b64 %x8, %x8, 1;\n" : "");
    return read_module(text);
}

static uint64_t launch(const struct row_of_bits *row, bool probes, uint32_t threads, uint64_t *in,
                       uint64_t *masks, uint64_t *out, uint64_t mask)
{
    struct sim_module *module = build(row, probes);
    struct sim_memory *memory = sim_memory_new();
    struct sim_fault fault = { 0 };
    struct sim_result result;
    sim_address at[3] = {
        sim_memory_add(memory, "in", in, threads * SOURCES * sizeof *in, 8, SIM_IN),
        sim_memory_add(memory, "out", out, threads * sizeof *out, 8, SIM_INOUT),
        sim_memory_add(memory, "masks", masks, SOURCES * sizeof *masks, 8, SIM_IN),
    };
    const struct sim_argument arguments[] = {
        { &at[0], sizeof at[0] }, { &at[1], sizeof at[1] }, { &at[2], sizeof at[2] }, { &mask, sizeof mask }
    };
    struct sim_launch run = {
        .grid = { 1, 1, 1 }, .block = { threads, 1, 1 }, .arguments = arguments, .argument_count = 4
    };
    struct sim_options options = { .check = SIM_CHECK_ALL };
    if (!sim_run(module, memory, &run, &options, &result, &fault))
        fail_msg("%s: %s", row->text, fault.text);
    uint64_t count = 0;
    for (size_t i = 0; i < result.finding_count; i++) {
        if (result.findings[i].kind != SIM_UNINITIALISED)
            fail_msg("%s: %s", row->text, result.findings[i].sentence);
        count += result.findings[i].count;
    }
    sim_result_free(&result);
    sim_memory_free(memory);
    sim_module_free(module);
    return count;
}

// ---- the truth -----------------------------------------------------------------------------------------------------

static void spread(const uint64_t *undefined, unsigned choice, uint64_t *values)
{
    for (int s = 0; s < SOURCES; s++)
        for (uint64_t left = undefined[s]; left; left &= left - 1, choice >>= 1)
            values[s] |= choice & 1 ? left & -left : 0;
}

static uint64_t bits_that_differ(const struct row_of_bits *row)
{
    static uint64_t in[MOST_TRIES * SOURCES], out[MOST_TRIES];
    uint64_t masks[SOURCES] = { 0 }, differ = 0;
    unsigned bits = 0;
    for (int s = 0; s < SOURCES; s++)
        bits += (unsigned)__builtin_popcountll(row->undefined[s]);
    assert_true(bits <= MOST_FREE);
    unsigned tries = 1u << bits;
    for (unsigned t = 0; t < tries; t++) {
        for (int s = 0; s < SOURCES; s++)
            in[t * SOURCES + (unsigned)s] = row->value[s] & ~row->undefined[s];
        spread(row->undefined, t, &in[t * SOURCES]);
    }
    if (launch(row, false, tries, in, masks, out, 0))
        fail_msg("%s: a finding although all is defined", row->text);
    for (unsigned t = 0; t < tries; t++)
        differ |= out[t] ^ out[0];
    return differ;
}

static uint64_t called_undefined(const struct row_of_bits *row, uint64_t among)
{
    static uint64_t in[BITS * SOURCES], out[BITS];
    uint64_t masks[SOURCES];
    for (int t = 0; t < BITS; t++)
        for (int s = 0; s < SOURCES; s++)
            in[t * SOURCES + s] = row->value[s] & ~row->undefined[s];
    memcpy(masks, row->undefined, sizeof masks);
    return launch(row, true, BITS, in, masks, out, among);
}

static int judge(const struct row_of_bits *rows, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t differ = bits_that_differ(&rows[i]), want = differ | rows[i].also;
        uint64_t found = called_undefined(&rows[i], want), more = called_undefined(&rows[i], ~want);
        if (found == (uint64_t)__builtin_popcountll(want) && more == 0)
            continue;
        print_error("%s: %llx differ, of them %llu are called undefined, and %llu others\n", rows[i].text,
                    (unsigned long long)want, (unsigned long long)found, (unsigned long long)more);
        wrong++;
    }
    return wrong;
}
#define JUDGE(rows)                                                                                          \
    do {                                                                                                     \
        int wrong = judge(rows, sizeof(rows) / sizeof *(rows));                                              \
        if (wrong)                                                                                           \
            fail_msg("%d rows", wrong);                                                                      \
    } while (0)

// ---- the rows --------------------------------------------------------------------------------------------------------

#define U(x) x##ull
static void logic_is_followed_by_the_bit(void **state)
{
    static const struct row_of_bits rows[] = {
        { "and.b32 %w0, %w1, %w2;", 'w', { 0x1234, 0x0f0f }, { 0xff }, 0 },
        { "and.b64 %x0, %x1, %x2;", 'x', { 0, U(0xff00ff0000000000) }, { U(0xf0f0) << 44, 3 }, 0 },
        { "and.b16 %h0, %h1, %h2;", 'h', { 5, 0x7f }, { 0xf0 }, 0 },
        { "and.b32 %w0, %w1, 255;", 'w', { 0 }, { 0xff00 }, 0 },
        { "or.b32 %w0, %w1, %w2;", 'w', { 0x100, 0x3c }, { 0xff }, 0 },
        { "or.b64 %x0, %x1, %x2;", 'x', { 0, U(0xff) << 40 }, { U(0xfff) << 36 & U(0x5f) << 38, 1 }, 0 },
        { "xor.b32 %w0, %w1, %w2;", 'w', { 0x100, 0x3c }, { 0x0f, 0xc }, 0 },
        { "xor.b32 %w0, %w1, %w1;", 'w', { 0 }, { 0x7f }, 0 },
        { "not.b32 %w0, %w1;", 'w', { 0x100 }, { 0x81 }, 0 },
        { "cnot.b32 %w0, %w1;", 'w', { 0x100 }, { 0x81 }, 0 },
        { "cnot.b32 %w0, %w1;", 'w', { 0 }, { 0x81 }, 0 },
        { "lop3.b32 %w0, %w1, %w2, %w3, 0xe8;", 'w', { 0x0f, 0x33, 0x55 }, { 0x7, 0x1, 0x18 }, 0 },
        { "lop3.b32 %w0, %w1, %w2, %w3, 0x1a;", 'w', { 0xf0, 0x33, 0x55 }, { 0x1e, 0x0, 0x60 }, 0 },
        { "lop3.or.b32 %w0|%p0, %w1, %w2, %w3, 0xc0, %p4;", 'p', { 0x0f, 0xff, 0, 1 }, { 0xf0 }, 0 },
        { "lop3.or.b32 %w0|%p0, %w1, %w2, %w3, 0xc0, %p4;", 'w', { 0x0f, 0x3c, 0, 1 }, { 0xf0 }, 0 },
        { "and.pred %p0, %p1, %p2;", 'p', { 0, 0 }, { 1 }, 0 },
        { "and.pred %p0, %p1, %p2;", 'p', { 0, 1 }, { 1 }, 0 },
        { "or.pred %p0, %p1, %p2;", 'p', { 0, 1 }, { 1 }, 0 },
        { "or.pred %p0, %p1, %p2;", 'p', { 0, 0 }, { 1 }, 0 },
        { "not.pred %p0, %p1;", 'p', { 0, 0 }, { 1 }, 0 },
    };
    JUDGE(rows);
}

static void shifts_move_undefined_bits(void **state)
{
    static const struct row_of_bits rows[] = {
        { "shl.b32 %w0, %w1, 4;", 'w', { 0xff }, { 0xf0000003 }, 0 },
        { "shl.b32 %w0, %w1, %w2;", 'w', { 0xff, 31 }, { 0x3 }, 0 },
        { "shl.b32 %w0, %w1, %w2;", 'w', { 0xff, 32 }, { 0x3 }, 0 },
        { "shl.b32 %w0, %w1, %w2;", 'w', { 0x1, 0 }, { 0, 1 }, 0xfffffffc },
        { "shl.b64 %x0, %x1, 36;", 'x', { 1 }, { 0x3c }, 0 },
        { "shr.u32 %w0, %w1, %w2;", 'w', { 0xff, 5 }, { 0xf0000030 }, 0 },
        { "shr.s32 %w0, %w1, %w2;", 'w', { 0xff, 5 }, { 0x80000030 }, 0 },
        { "shr.s32 %w0, %w1, 40;", 'w', { 0xff }, { 0x40000000 }, 0 },
        { "shr.s64 %x0, %x1, 60;", 'x', { 0xff }, { U(3) << 62 }, 0 },
        { "shr.u16 %h0, %h1, 4;", 'h', { 0xffff }, { 0xc0c0 }, 0 },
        { "shr.s16 %h0, %h1, 4;", 'h', { 0xfff }, { 0x80c0 }, 0 },
        { "shf.l.wrap.b32 %w0, %w1, %w2, %w3;", 'w', { 0x80000000, 3, 36 }, { 0xf0000000, 0x11 }, 0 },
        { "shf.l.wrap.b32 %w0, %w1, %w2, %w3;", 'w', { 0x80000000, 3, 36 }, { 1, 0x11, 0x40 }, 0 },
        { "shf.l.clamp.b32 %w0, %w1, %w2, %w3;", 'w', { 0x80000000, 3, 36 }, { 0xf0000000, 0x11 }, 0 },
        { "shf.r.wrap.b32 %w0, %w1, %w2, %w3;", 'w', { 0x80000000, 3, 8 }, { 0xff, 0x18 }, 0 },
        { "shf.r.clamp.b32 %w0, %w1, %w2, %w3;", 'w', { 0x80000000, 3, 99 }, { 0xff, 0x1 }, 0 },
    };
    JUDGE(rows);
}

static void fields_and_permutes_are_followed(void **state)
{
    static const struct row_of_bits rows[] = {
        { "bfe.u32 %w0, %w1, 8, 8;", 'w', { 0x1234 }, { 0xff }, 0 },
        { "bfe.u32 %w0, %w1, 8, 8;", 'w', { 0x1234 }, { 0x1880 }, 0 },
        { "bfe.s32 %w0, %w1, 8, 8;", 'w', { 0x1234 }, { 0x1880 }, 0 },
        { "bfe.s32 %w0, %w1, 8, 8;", 'w', { 0x1234 }, { 0x8080 }, 0 },
        { "bfe.s32 %w0, %w1, 28, 8;", 'w', { 0x1234 }, { 0x80000080 }, 0 },
        { "bfe.u64 %x0, %x1, 30, 12;", 'x', { 0 }, { U(0xff) << 26 }, 0 },
        { "bfe.s64 %x0, %x1, %w2, %w3;", 'x', { 0, 40, 24 }, { U(0x81) << 56, 0x100, 0x300 }, 0 },
        { "bfe.u32 %w0, %w1, %w2, 1;", 'w', { 0x2, 0 }, { 0, 1 }, 0xfffffffe },
        { "bfi.b32 %w0, %w1, %w2, 8, 8;", 'w', { 0, 0 }, { 0xf00, 0xf00 }, 0 },
        { "bfi.b32 %w0, %w1, %w2, 8, 8;", 'w', { 0, 0 }, { 0xf0, 0x1001 }, 0 },
        { "bfi.b64 %x0, %x1, %x2, 60, 8;", 'x', { 0, 0 }, { 0x33, U(0x18) << 56 }, 0 },
        { "bmsk.wrap.b32 %w0, %w1, %w2;", 'w', { 3, 4 }, { 0x60, 0x80 }, 0 },
        { "bmsk.clamp.b32 %w0, %w1, %w2;", 'w', { 0, 31 }, { 0x20, 0 }, 0xffffffff },
        { "szext.wrap.u32 %w0, %w1, %w2;", 'w', { 0, 40 }, { 0xff0, 0 }, 0 },
        { "szext.wrap.s32 %w0, %w1, %w2;", 'w', { 0, 40 }, { 0xff0, 0 }, 0 },
        { "szext.clamp.s32 %w0, %w1, %w2;", 'w', { 0x80, 8 }, { 0xf01, 0 }, 0 },
        { "szext.wrap.s32 %w0, %w1, %w2;", 'w', { 0x80, 8 }, { 0x1, 0x20 }, 0 },
        { "prmt.b32 %w0, %w1, %w2, 0x7531;", 'w', { 0, 0 }, { 0x0ff0, 0 }, 0 },
        { "prmt.b32 %w0, %w1, %w2, 0x4440;", 'w', { 0, 0 }, { 0xff00, 0 }, 0 },
        { "prmt.b32 %w0, %w1, %w2, 0xc984;", 'w', { 0x7f, 0 }, { 0x8100, 0x42 }, 0 },
        { "prmt.b32 %w0, %w1, %w2, %w3;", 'w', { 0xff00, 0, 0x3230 }, { 0, 0, 1 }, 0 },
        { "prmt.b32 %w0, %w1, %w2, %w3;", 'w', { 0xff00, 0, 0x3230 }, { 0, 0x7f, 0x70000 }, 0 },
        { "prmt.b32.f4e %w0, %w1, %w2, %w3;", 'w', { 0, 0, 2 }, { 0xf000f0, 0 }, 0 },
        { "prmt.b32.rc16 %w0, %w1, %w2, %w3;", 'w', { 0, 0, 1 }, { 0xf000f0, 0, 0x10 }, 0 },
        { "brev.b32 %w0, %w1;", 'w', { 0 }, { 0x13 }, 0 },
        { "brev.b64 %x0, %x1;", 'x', { 0 }, { 0x130000 }, 0 },
    };
    JUDGE(rows);
}

static void counts_keep_the_bits_that_are_sure(void **state)
{
    static const struct row_of_bits rows[] = {
        { "popc.b32 %w0, %w1;", 'w', { 0xff00 }, { 0x7 }, 0 },
        { "popc.b64 %w0, %x1;", 'w', { 0xf }, { U(1) << 40 }, 0 },
        { "clz.b32 %w0, %w1;", 'w', { 0x00800000 }, { 0xff }, 0 },
        { "clz.b32 %w0, %w1;", 'w', { 0x00400000 }, { 0x800000 }, 0 },
        { "clz.b64 %w0, %x1;", 'w', { U(1) << 62 }, { 0xff }, 0 },
        { "bfind.u32 %w0, %w1;", 'w', { 0x00800000 }, { 0xff }, 0 },
        { "bfind.u32 %w0, %w1;", 'w', { 0x00800000 }, { 0x1000000 }, 0x7 },
        { "bfind.u32 %w0, %w1;", 'w', { 0 }, { 0x81 }, 0 },
        { "bfind.s32 %w0, %w1;", 'w', { 0xff7f0000 }, { 0xff }, 0 },
        { "bfind.s64 %w0, %x1;", 'w', { U(1) << 50 }, { 0xff }, 0 },
        { "bfind.shiftamt.u32 %w0, %w1;", 'w', { 0x00800000 }, { 0xff }, 0 },
        { "fns.b32 %w0, %w1, %w2, %w3;", 'w', { 0x30, 0, 2 }, { 0xff00, 0, 0 }, 0 },
        { "fns.b32 %w0, %w1, %w2, %w3;", 'w', { 0x30, 8, U(0xffffffff) }, { 0xf, 0, 0 }, 0 },
        { "fns.b32 %w0, %w1, %w2, %w3;", 'w', { 0x30, 0, 2 }, { 0x1, 0, 0 }, 0xffffffff },
        { "fns.b32 %w0, %w1, %w2, %w3;", 'w', { 0x30, 4, 0 }, { 0xf, 0, 0 }, 0 },
    };
    JUDGE(rows);
}

static void sums_and_products_keep_their_low_bits(void **state)
{
    static const struct row_of_bits rows[] = {
        { "add.s32 %w0, %w1, %w2;", 'w', { 0x100, 0x20 }, { 0xf0 }, 0 },
        { "add.u64 %x0, %x1, %x2;", 'x', { U(1) << 40, 7 }, { U(0x30) << 40 }, 0 },
        { "add.s32 %w0, %w1, %w2;", 'w', { 0, 1 }, { 0x10, 0x10 }, 0 },
        { "sub.s32 %w0, %w1, %w2;", 'w', { 0x1000, 0x20 }, { 0xf0 }, 0 },
        { "sub.s32 %w0, %w1, %w2;", 'w', { 0x1000, 0x20 }, { 0, 0x30 }, 0 },
        { "sub.s32 %w0, %w1, %w1;", 'w', { 0x1000 }, { 0x30 }, 0 },
        { "neg.s32 %w0, %w1;", 'w', { 0x1000 }, { 0x30 }, 0 },
        { "abs.s32 %w0, %w1;", 'w', { 0x80001000 }, { 0x30 }, 0 },
        { "abs.s32 %w0, %w1;", 'w', { 0x1001 }, { 0x30 }, 0 },
        { "mul.lo.s32 %w0, %w1, 8;", 'w', { 5 }, { 0x30 }, 0 },
        { "mul.lo.s32 %w0, %w1, %w2;", 'w', { 5, 0 }, { 0x30 }, 0 },
        { "mul.lo.u32 %w0, %w1, %w2;", 'w', { 3, 5 }, { 0x300 }, 0xffffff00 },
        { "mul.wide.u32 %x0, %w1, 4;", 'x', { 5 }, { 0xf0000000 }, 0 },
        { "mul.wide.s32 %x0, %w1, 4;", 'x', { 5 }, { 0x80000010 }, 0 },
        { "mul.wide.u16 %w0, %h1, 16;", 'w', { 5 }, { 0xf000 }, 0 },
        { "mul.wide.s16 %w0, %h1, %h2;", 'w', { 5, 12 }, { 0, 0 }, 0 },
        { "mul.hi.u32 %w0, %w1, %w2;", 'w', { 0, U(0x80000000) }, { 0x6 }, 0 },
        { "mul.hi.s64 %x0, %x1, %x2;", 'x', { 0, U(1) << 60 }, { 0x60 }, ~U(0) << 1 },
        { "mad.lo.s32 %w0, %w1, 4, %w2;", 'w', { 1, 0x200 }, { 0x30 }, 0 },
        { "mad.wide.u32 %x0, %w1, 8, %x2;", 'x', { 1, U(0x1000) << 32 }, { 0x30000000 }, 0 },
        { "mul24.lo.u32 %w0, %w1, 2;", 'w', { 1 }, { 0x3c000000 }, 0 },
        { "mul24.hi.u32 %w0, %w1, %w2;", 'w', { 1, 0x10000 }, { 0x30 }, 0 },
        { "mad24.lo.s32 %w0, %w1, 2, %w2;", 'w', { 1, 0x1000 }, { 0xf0000030 }, 0 },
        { "dp4a.u32.u32 %w0, %w1, %w2, %w3;", 'w', { 0, 0x04000400, 1 }, { 0x00030003 }, 0 },
        { "dp4a.s32.u32 %w0, %w1, %w2, %w3;", 'w', { 0, 0x00100000, 1 }, { 0x00080000 }, 0 },
        { "vmin4.u32.u32.u32 %w0, %w1, %w2, %w3;",
          'w',
          { 0x10203040, 0x11223344, 0 },
          { 0x700, 0, 3 },
          0xfc00 },
        { "vmax4.s32.s32.s32 %w0, %w1, %w2, %w3;",
          'w',
          { 0, 0xf0000000, 0 },
          { 0x80000000, 0, 3 },
          0x0f000000 },
        { "vabsdiff4.u32.u32.u32 %w0, %w1, %w2, %w3;", 'w', { 0, 0, 0 }, { 2, 0, 3 }, 0xfd },
        { "vabsdiff2.u32.u32.u32 %w0, %w1, %w2, %w3;", 'w', { 0, 0, 0 }, { 0x10000, 0, 3 }, 0xfffe0000 },
        { "dp2a.lo.u32.u32 %w0, %w1, %w2, %w3;", 'w', { 0, 0x0408, 1 }, { 0x00030000 }, 0 },
        { "dp2a.hi.u32.u32 %w0, %w1, %w2, %w3;", 'w', { 0, 0x00040000, 1 }, { 0x00030003 }, 0 },
    };
    JUDGE(rows);
}

static void order_is_decided_by_what_is_known(void **state)
{
    static const struct row_of_bits rows[] = {
        { "min.u32 %w0, %w1, %w2;", 'w', { 0x100, 0x80 }, { 0xf }, 0 },
        { "min.u32 %w0, %w1, %w2;", 'w', { 0x10, 0x80 }, { 0xf }, 0 },
        { "min.s32 %w0, %w1, %w2;", 'w', { 0x80000000, 0 }, { 0xf }, 0 },
        { "max.s32 %w0, %w1, %w2;", 'w', { 0x80000000, 0 }, { 0xf }, 0 },
        { "max.u32 %w0, %w1, %w2;", 'w', { 0x88, 0x87 }, { 0xf }, 0xfffffff0 },
        { "setp.eq.s32 %p0, %w1, %w2;", 'p', { 0x100, 0 }, { 0xf }, 0 },
        { "setp.eq.s32 %p0, %w1, %w2;", 'p', { 0, 0 }, { 0xf }, 0 },
        { "setp.ne.b64 %p0, %x1, %x2;", 'p', { U(1) << 50, 0 }, { 0xf }, 0 },
        { "setp.lt.u32 %p0, %w1, %w2;", 'p', { 0x100, 0x10 }, { 0xf }, 0 },
        { "setp.lt.s32 %p0, %w1, %w2;", 'p', { 0x80000000, 0x10 }, { 0xff }, 0 },
        { "setp.le.u32 %p0, %w1, 15;", 'p', { 0 }, { 0xf }, 0 },
        { "setp.ge.u32 %p0, %w1, 15;", 'p', { 0 }, { 0xf }, 0 },
        { "setp.hi.u32 %p0, %w1, 15;", 'p', { 0 }, { 0xf }, 0 },
        { "setp.gt.s16 %p0, %h1, 15;", 'p', { 0x8000 }, { 0xf }, 0 },
        { "setp.lt.and.u32 %p0, %w1, 8, %p2;", 'p', { 0, 0 }, { 0xf }, 0 },
        { "setp.lt.and.u32 %p0, %w1, 8, %p2;", 'p', { 0, 1 }, { 0xf }, 0 },
        { "setp.lt.or.u32 %p0, %w1, 8, !%p2;", 'p', { 0, 0 }, { 0xf }, 0 },
        { "setp.lt.and.u32 %p7|%p0, %w1, 8, %p2;", 'p', { 9, 0 }, { 0, 1 }, 0 },
        { "setp.lt.and.u32 %p7|%p0, %w1, 8, %p2;", 'p', { 7, 0 }, { 0, 1 }, 0 },
        { "setp.lt.f32 %p0, %w1, %w2;", 'p', { 0x3f800000, 0x40000000 }, { 0x00800000 }, 1 },
        { "set.lt.u32.u32 %w0, %w1, %w2;", 'w', { 0x100, 0x10 }, { 0xf }, 0 },
        { "set.lt.u32.u32 %w0, %w1, %w2;", 'w', { 0x10, 0x18 }, { 0xf }, 0 },
        { "selp.b32 %w0, %w1, %w2, %p3;", 'w', { 1, 2, 1 }, { 0xf0, 0x3 }, 0 },
        { "selp.b32 %w0, %w1, %w2, %p3;", 'w', { 1, 2, 0 }, { 0xf0, 0x3 }, 0 },
        { "selp.b32 %w0, %w1, %w2, %p3;", 'w', { 0x31, 0x13, 0 }, { 0, 0, 1 }, 0 },
        { "slct.b32.s32 %w0, %w1, %w2, %w3;", 'w', { 0x31, 0x13, 0 }, { 0xf00, 0, 0xf }, 0 },
        { "slct.b32.s32 %w0, %w1, %w2, %w3;", 'w', { 0x31, 0x13, 0 }, { 0, 0, 0x80000000 }, 0 },
        { "slct.b64.f32 %x0, %x1, %x2, %w3;", 'x', { 0x31, 0x13, 0x80000000 }, { 0xf, 0, 0 }, 0 },
    };
    JUDGE(rows);
}

static void conversions_cut_and_extend(void **state)
{
    static const struct row_of_bits rows[] = {
        { "cvt.u32.u8 %w0, %w1;", 'w', { 0 }, { 0xff00 }, 0 },
        { "cvt.u32.u8 %w0, %w1;", 'w', { 0 }, { 0xff0 }, 0 },
        { "cvt.s32.s8 %w0, %w1;", 'w', { 0 }, { 0x8100 }, 0 },
        { "cvt.s32.s8 %w0, %w1;", 'w', { 0 }, { 0x81 }, 0 },
        { "cvt.u16.u32 %h0, %w1;", 'h', { 0 }, { 0x18001 }, 0 },
        { "cvt.s64.s32 %x0, %w1;", 'x', { 0 }, { 0x80000001 }, 0 },
        { "cvt.u64.u32 %x0, %w1;", 'x', { 0 }, { 0x80000001 }, 0 },
        { "cvt.u8.u32 %w0, %w1;", 'w', { 0 }, { 0x1f0 }, 0 },
        { "cvt.s8.s32 %w0, %w1;", 'w', { 0 }, { 0x1f0 }, 0 },
        { "cvt.u32.u64 %w0, %x1;", 'w', { 0 }, { U(0xff) << 28 }, 0 },
        { "cvt.sat.u8.s32 %w0, %w1;", 'w', { 0 }, { 0xff }, 0 },
        { "cvt.pack.sat.u8.s32.b32 %w0, %w1, %w2, %w3;", 'w', { 1, 0x10, 3 }, { 0xff, 0, 0 }, 0 },
        { "cvt.pack.sat.u8.s32.b32 %w0, %w1, %w2, %w3;", 'w', { 1, 0x10, 3 }, { 0, 0, 0x8001 }, 0 },
        { "cvt.rn.f16x2.f32 %w0, %w1, %w2;", 'w', { 0x3f800000, 0x40000000 }, { 0x800000, 0 }, 0xffff0000 },
        { "cvt.rn.f32.s32 %w0, %w1;", 'w', { 3 }, { 0x80 }, 0xffffffff },
        { "cvt.rzi.s32.f32 %w0, %w1;", 'w', { 0x3f800000 }, { 1 }, 0xffffffff },
        { "mov.b32 %w0, %w1;", 'w', { 3 }, { 0x81 }, 0 },
        { "mov.b64 %x0, {%w1, %w2};", 'x', { 3, 4 }, { 0x81, 0x18 }, 0 },
        { "mov.b64 {%w5, %w0}, %x1;", 'w', { 3 }, { U(0x1818) << 28 }, 0 },
        { "mov.b64 {%w0, _}, %x1;", 'w', { 3 }, { U(0x18181) << 24 & U(0xffffff) << 24 }, 0 },
        { "mov.b32 %w0, {%h1, %h2};", 'w', { 3, 4 }, { 0x81, 0x18 }, 0 },
        { "mov.b32 {%h5, %h0}, %w1;", 'h', { 3 }, { 0x81810 }, 0 },
        { "cvta.to.global.u64 %x0, %x1;", 'x', { 3 }, { 0x81810 }, 0 },
    };
    JUDGE(rows);
}

static void floats_are_undefined_as_a_whole(void **state)
{
    static const struct row_of_bits rows[] = {
        { "add.f32 %w0, %w1, %w2;", 'w', { 0x3f800000, 0 }, { 1 }, 0xffffffff },
        { "fma.rn.f64 %x0, %x1, %x2, %x3;", 'x', { 0, 0, 0 }, { 0, 0, 1 }, ~U(0) },
        { "neg.f32 %w0, %w1;", 'w', { 0x3f800000 }, { 0x11 }, 0 },
        { "abs.f32 %w0, %w1;", 'w', { 0x3f800000 }, { 0x80000011 }, 0 },
        { "copysign.f32 %w0, %w1, %w2;", 'w', { 0x3f800000, 0x40000000 }, { 0x80000001, 0x3 }, 0 },
        { "add.f16x2 %w0, %w1, %w2;", 'w', { 0x3c003c00, 0x3c003c00 }, { 0x10 }, 0xffff },
        { "add.u16x2 %w0, %w1, %w2;", 'w', { 0x3c003c00, 0x3c003c00 }, { 0x100000 }, 0xffff0000 },
        { "div.u32 %w0, %w1, %w2;", 'w', { 9, 3 }, { 1 }, 0xffffffff },
        { "add.sat.s32 %w0, %w1, %w2;", 'w', { 9, 3 }, { 1 }, 0xffffffff },
        { "sad.u32 %w0, %w1, %w2, %w3;", 'w', { 9, 3 }, { 1 }, 0xffffffff },
    };
    JUDGE(rows);
}

static void a_carry_is_followed(void **state)
{
    static const struct row_of_bits rows[] = {
        { "add.cc.u32 %w5, %w1, %w2; addc.u32 %w0, %w3, %w4;",
          'w',
          { 0xfffffff0, 0x10, 1, 2 },
          { 0x10 },
          0xffffffff },
        { "add.cc.u32 %w5, %w1, %w2; add.cc.u32 %w5, %w2, %w2; addc.u32 %w0, %w3, %w4;",
          'w',
          { 0xfffffff0, 0x10, 1, 2 },
          { 0x10 },
          0 },
    };
    JUDGE(rows);
}

// ---- lanes with each other -------------------------------------------------------------------------------------------

static struct kernel_outcome outcome; // large

// Lane i has 8 defined bits and 24 undefined ones; lanes below 16 have none undefined. The findings' count.
static uint64_t undefined_lanes(const char *body)
{
    static char text[4096];
    snprintf(text, sizeof text,
             ".shared .align 4 .b8 s[128];\nmov.u32 %%r20, s;\nmad.lo.u32 %%r20, %%r0, 4, %%r20;\n"
             "ld.shared.u32 %%r10, [%%r20];\nshl.b32 %%r10, %%r10, 8;\n"
             "or.b32 %%r10, %%r10, %%r0;\nsetp.lt.u32 %%p1, %%r0, 16;\nselp.b32 %%r10, %%r0, %%r10, %%p1;\n"
             "%s\nst.global.u32 [%%rd0], %%r11;\nret;",
             body);
    struct setting s = { .body = text, .block = { 32 }, .options = { .check = SIM_CHECK_ALL } };
    run(&s, &outcome);
    uint64_t count = 0;
    for (size_t i = 0; i < outcome.result.finding_count; i++) {
        assert_int_equal(outcome.result.findings[i].kind, SIM_UNINITIALISED);
        count += outcome.result.findings[i].count;
    }
    drop(&outcome);
    return count;
}

static void a_shuffle_takes_its_lane(void **state)
{
    assert_int_equal(undefined_lanes("shfl.sync.bfly.b32 %r11, %r10, 16, 31, -1;"), 16);
    assert_int_equal(undefined_lanes("shfl.sync.idx.b32 %r11, %r10, 3, 31, -1;"), 0);
    assert_int_equal(undefined_lanes("shfl.sync.idx.b32 %r11, %r10, 20, 31, -1;"), 32);
    assert_int_equal(undefined_lanes("shfl.sync.idx.b32 %r11, %r10, 20, 31, -1; and.b32 %r11, %r11, 255;"),
                     0);
    assert_int_equal(
        undefined_lanes("shfl.sync.down.b32 %r12|%p2, %r10, 1, 31, -1; selp.u32 %r11, 1, 0, %p2;"), 0);
}

static void a_vote_is_decided_by_what_is_known(void **state)
{
    assert_int_equal(undefined_lanes("setp.gt.u32 %p2, %r10, 99; vote.sync.any.pred %p3, %p2, -1;"
                                     "selp.u32 %r11, 1, 0, %p3;"),
                     32);
    assert_int_equal(undefined_lanes("setp.gt.u32 %p2, %r10, 99; vote.sync.all.pred %p3, %p2, -1;"
                                     "selp.u32 %r11, 1, 0, %p3;"),
                     0);
    assert_int_equal(undefined_lanes("setp.gt.u32 %p2, %r10, 99; vote.sync.ballot.b32 %r11, %p2, -1;"
                                     "and.b32 %r11, %r11, 0xffff;"),
                     0);
    assert_int_equal(undefined_lanes("setp.gt.u32 %p2, %r10, 99; vote.sync.ballot.b32 %r11, %p2, -1;"
                                     "and.b32 %r11, %r11, 0x10000;"),
                     32);
}

static void a_reduction_keeps_the_bits_that_are_sure(void **state)
{
    assert_int_equal(undefined_lanes("redux.sync.or.b32 %r11, %r10, -1; and.b32 %r11, %r11, 255;"), 0);
    assert_int_equal(undefined_lanes("redux.sync.or.b32 %r11, %r10, -1; and.b32 %r11, %r11, 256;"), 32);
    assert_int_equal(undefined_lanes("redux.sync.and.b32 %r11, %r10, -1;"), 0); // some lane has a 0
    assert_int_equal(undefined_lanes("redux.sync.add.u32 %r11, %r10, -1; and.b32 %r11, %r11, 255;"), 0);
    assert_int_equal(undefined_lanes("redux.sync.add.u32 %r11, %r10, -1; and.b32 %r11, %r11, 512;"), 32);
    assert_int_equal(undefined_lanes("redux.sync.max.u32 %r11, %r10, -1;"), 32);
    assert_int_equal(undefined_lanes("match.any.sync.b32 %r11, %r10, -1;"), 32);
}

// ---- memory ----------------------------------------------------------------------------------------------------------

static void a_bit_field_waits_in_memory(void **state)
{
    static const char set[] = "st.shared.u32 [%r20], %r10; ld.shared.u32 %r12, [%r20];";
    static char body[512];
    snprintf(body, sizeof body, "%s and.b32 %%r11, %%r12, 0xff;", set);
    assert_int_equal(undefined_lanes(body), 0);
    snprintf(body, sizeof body, "%s bfe.u32 %%r11, %%r12, 8, 1;", set);
    assert_int_equal(undefined_lanes(body), 16);
    // Three bits of an unwritten word are set, and then used; then one beside them.
    static const char field[] = "ld.shared.u32 %r12, [%r20]; and.b32 %r12, %r12, -8; or.b32 %r12, %r12, 5;"
                                "st.shared.u32 [%r20], %r12; ld.shared.u8 %r13, [%r20];";
    snprintf(body, sizeof body, "%s and.b32 %%r11, %%r13, 7;", field);
    assert_int_equal(undefined_lanes(body), 0);
    snprintf(body, sizeof body, "%s and.b32 %%r11, %%r13, 8;", field);
    assert_int_equal(undefined_lanes(body), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logic_is_followed_by_the_bit),
        cmocka_unit_test(shifts_move_undefined_bits),
        cmocka_unit_test(fields_and_permutes_are_followed),
        cmocka_unit_test(counts_keep_the_bits_that_are_sure),
        cmocka_unit_test(sums_and_products_keep_their_low_bits),
        cmocka_unit_test(order_is_decided_by_what_is_known),
        cmocka_unit_test(conversions_cut_and_extend),
        cmocka_unit_test(floats_are_undefined_as_a_whole),
        cmocka_unit_test(a_carry_is_followed),
        cmocka_unit_test(a_shuffle_takes_its_lane),
        cmocka_unit_test(a_vote_is_decided_by_what_is_known),
        cmocka_unit_test(a_reduction_keeps_the_bits_that_are_sure),
        cmocka_unit_test(a_bit_field_waits_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
