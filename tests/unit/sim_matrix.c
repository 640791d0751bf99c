// Products of matrices: mma and wmma on the inputs for which an H100 has computed them, bit by bit; and how ldmatrix, stmatrix
// and movmatrix spread a matrix over a warp.
// Parts: wide baseline
#include "engine/sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/sim_kernel.h"
#include "tests/unit/sim_matrix.h"

enum { CASES = PROBE_DISTS * PROBE_CASES, TEXT = 1 << 16 };

static int bits_of_type(enum probe_type type)
{
    switch (type) {
    case P_F64:
        return 64;
    case P_TF32:
    case P_F32:
    case P_S32:
        return 32;
    case P_F16:
    case P_BF16:
        return 16;
    case P_S4:
    case P_U4:
        return 4;
    case P_B1:
        return 1;
    default:
        return 8;
    }
}

static const char *name_of_type(enum probe_type type)
{
    static const char *const names[] = { "f16",  "bf16", "tf32", "f64", "s8", "u8", "e4m3",
                                         "e5m2", "f32",  "s32",  "s4",  "u4", "b1" };
    return names[type];
}

// ---- a buffer of matrices, case after case ----------------------------------------------------------------------------

struct packed {
    unsigned char *bytes;
    size_t stride; // of a case
};

static struct packed packed_new(size_t stride)
{
    struct packed p = { aligned_alloc(256, (CASES * stride + 255) / 256 * 256), stride };
    assert_non_null(p.bytes);
    memset(p.bytes, 0, CASES * stride);
    return p;
}

static void put_bits(unsigned char *to, size_t at, int bits, uint64_t value)
{
    if (bits < 8)
        to[at * (size_t)bits / 8] |= (unsigned char)(value << at * (size_t)bits % 8);
    else
        memcpy(to + at * (size_t)bits / 8, &value, (size_t)bits / 8);
}

static uint64_t get_bits(const unsigned char *from, size_t at, int bits)
{
    uint64_t value = 0;
    memcpy(&value, from + at * (size_t)bits / 8, (size_t)bits / 8);
    return value;
}

// ---- mma: registers as the PTX ISA lays them out, by its own formulas ---------------------------------------------------

struct element_place {
    int row, column;
};

// The product of the first GPUs with tensor cores is four products; here all of them are the same one.
static bool has_quads(const struct probe_kind *kind)
{
    return kind->m == 8 && kind->k == 4 && kind->ab == P_F16;
}

static struct element_place place_in_quad(char matrix, const struct probe_kind *kind, int lane, int element)
{
    const int upper = lane < 16 ? 0 : 4;
    if (matrix == 'c' && kind->cd == P_F32)
        return (struct element_place){ (lane & 1) + (element & 2) + upper,
                                       (element & 4) + (lane & 2) + (element & 1) };
    if (matrix == 'b')
        return (struct element_place){ element, lane % 4 + upper };
    return (struct element_place){ lane % 4 + upper, element };
}

static struct element_place place_of(char matrix, const struct probe_kind *kind, int lane, int reg, int at)
{
    const int bits = bits_of_type(matrix == 'c' ? kind->cd : kind->ab), each = bits < 32 ? 32 / bits : 1;
    const int group = lane / 4, of_group = lane % 4;
    if (has_quads(kind))
        return place_in_quad(matrix, kind, lane, reg * each + at);
    if (matrix == 'c')
        return (struct element_place){ group + 8 * ((reg * each + at) / 2),
                                       of_group * 2 + (reg * each + at) % 2 };
    if (matrix == 'b')
        return (struct element_place){ (of_group + reg * 4) * each + at, group };
    if (kind->m == 8)
        return (struct element_place){ group, (of_group + reg * 4) * each + at };
    return (struct element_place){ group + 8 * (reg % 2), (of_group + reg / 2 * 4) * each + at };
}

static int register_count(char matrix, const struct probe_kind *kind)
{
    const int rows = matrix == 'b' ? kind->k : kind->m, columns = matrix == 'a' ? kind->k : kind->n;
    const int bits = bits_of_type(matrix == 'c' ? kind->cd : kind->ab);
    return rows * columns * (has_quads(kind) ? 4 : 1) / 32 * bits / (bits < 32 ? 32 : bits);
}

// Moves a matrix of 64-bit cells into registers, which lie lane after lane, or back.
static void spread(char matrix, const struct probe_kind *kind, uint64_t *cells, unsigned char *registers,
                   bool back)
{
    const int bits = bits_of_type(matrix == 'c' ? kind->cd : kind->ab), each = bits < 32 ? 32 / bits : 1;
    const int columns = matrix == 'a' ? kind->k : kind->n, count = register_count(matrix, kind);
    for (int reg = 0; reg < count; reg++)
        for (int lane = 0; lane < 32; lane++)
            for (int at = 0; at < each; at++) {
                const struct element_place place = place_of(matrix, kind, lane, reg, at);
                uint64_t *cell = &cells[place.row * columns + place.column];
                const size_t index = (size_t)((reg * 32 + lane) * each + at);
                if (back)
                    *cell = get_bits(registers, index, bits);
                else
                    put_bits(registers, index, bits, *cell);
            }
}

static int add_list(char *text, char letter, int count)
{
    int at = sprintf(text, "{");
    for (int i = 0; i < count; i++)
        at += sprintf(text + at, "%s%%%c%d", i ? "," : "", letter, i);
    return at + sprintf(text + at, "}");
}

static const char header[] = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
                             "pa, .param .u64 pb, .param .u64 pc, "
                             ".param .u64 pd)\n{\n.reg .b32 %r<8>;\n.reg .b64 %q<16>;\n"
                             "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n";

// "mma.m16n8k8.f32.f16" to "m16n8k8" and what follows
static void shape_of(const struct probe_kind *kind, char out[32])
{
    const char *from = strchr(kind->name, '.') + 1;
    snprintf(out, 32, "%.*s", (int)strcspn(from, "."), from);
}

static void write_mma(const struct probe_kind *kind, char *text)
{
    const char matrices[] = "abc";
    const bool wide = kind->ab == P_F64;
    char shape[32];
    shape_of(kind, shape);
    int at = sprintf(text, "%s.reg .b%d %%a<8>, %%b<4>, %%c<8>, %%d<8>;\n", header, wide ? 64 : 32);
    for (int i = 0; i < 4; i++)
        at += sprintf(text + at,
                      "ld.param.u64 %%q%d, [p%c];\nmad.wide.u32 %%q%d, %%r1, %d, %%q%d;\nmad.wide.u32 %%q%d, "
                      "%%r0, %d, %%q%d;\n",
                      i, "abcd"[i], i, register_count("abcc"[i], kind) * 32 * (wide ? 8 : 4), i, i,
                      wide ? 8 : 4, i);
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < register_count(matrices[i], kind); r++)
            at += sprintf(text + at, "ld.global.b%d %%%c%d, [%%q%d+%d];\n", wide ? 64 : 32, matrices[i], r, i,
                          r * 32 * (wide ? 8 : 4));
    at += sprintf(text + at, "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s ", shape,
                  strstr(kind->name, "satfinite") ? ".satfinite" : "", name_of_type(kind->cd),
                  name_of_type(kind->ab), name_of_type(kind->ab), name_of_type(kind->cd));
    at += add_list(text + at, 'd', register_count('c', kind));
    for (int i = 0; i < 3; i++) {
        at += sprintf(text + at, ", ");
        at += add_list(text + at, matrices[i], register_count(matrices[i], kind));
    }
    at += sprintf(text + at, ";\n");
    for (int r = 0; r < register_count('c', kind); r++)
        at += sprintf(text + at, "st.global.b%d [%%q3+%d], %%d%d;\n", wide ? 64 : 32, r * 32 * (wide ? 8 : 4),
                      r);
    sprintf(text + at, "ret;\n}\n");
}

// ---- wmma: matrices lie in memory, row after row ---------------------------------------------------------------------------

static int wmma_registers(char matrix, const struct probe_kind *kind)
{
    return matrix != 'c' && kind->ab == P_F16 ? 8 : register_count(matrix, kind);
}

static void write_wmma(const struct probe_kind *kind, char *text)
{
    const bool wide = kind->ab == P_F64;
    char shape[32];
    shape_of(kind, shape);
    const int bytes[] = { bits_of_type(kind->ab) * kind->m * kind->k / 8,
                          bits_of_type(kind->ab) * kind->k * kind->n / 8,
                          bits_of_type(kind->cd) * kind->m * kind->n / 8 };
    int at = sprintf(text, "%s.reg .b%d %%a<8>, %%b<8>, %%c<8>, %%d<8>;\n", header, wide ? 64 : 32);
    for (int i = 0; i < 4; i++)
        at += sprintf(text + at, "ld.param.u64 %%q%d, [p%c];\nmad.wide.u32 %%q%d, %%r1, %d, %%q%d;\n", i,
                      "abcd"[i], i, bytes[i < 3 ? i : 2], i);
    for (int i = 0; i < 3; i++) {
        at += sprintf(text + at, "wmma.load.%c.sync.aligned.row.%s.global.%s ", "abc"[i], shape,
                      name_of_type(i < 2 ? kind->ab : kind->cd));
        at += add_list(text + at, "abc"[i], wmma_registers("abc"[i], kind));
        at += sprintf(text + at, ", [%%q%d], %d;\n", i, i ? kind->n : kind->k);
    }
    at += sprintf(text + at, "wmma.mma.sync.aligned.row.row.%s.", shape);
    if (kind->ab == P_F16)
        at += sprintf(text + at, "%s.%s ", name_of_type(kind->cd), name_of_type(kind->cd));
    else
        at += sprintf(text + at, "%s.%s.%s.%s ", name_of_type(kind->cd), name_of_type(kind->ab),
                      name_of_type(kind->ab), name_of_type(kind->cd));
    for (int i = 0; i < 4; i++) {
        at += add_list(text + at, "dabc"[i], wmma_registers("cabc"[i], kind));
        at += sprintf(text + at, i < 3 ? ", " : ";\n");
    }
    at += sprintf(text + at, "wmma.store.d.sync.aligned.row.%s.global.%s [%%q3], ", shape,
                  name_of_type(kind->cd));
    at += add_list(text + at, 'd', register_count('c', kind));
    sprintf(text + at, ", %d;\nret;\n}\n", kind->n);
}

// ---- against an H100 ------------------------------------------------------------------------------------------------------

static void launch(const char *text, struct packed packed[4])
{
    struct sim_module *module = read_module(text);
    struct sim_memory *memory = sim_memory_new();
    sim_address at[4];
    struct sim_argument arguments[4];
    for (int i = 0; i < 4; i++) {
        at[i] = sim_memory_add(memory, "matrices", packed[i].bytes, CASES * packed[i].stride, 4, SIM_INOUT);
        arguments[i] = (struct sim_argument){ &at[i], sizeof at[i] };
    }
    const struct sim_launch launch = {
        .grid = { CASES, 1, 1 }, .block = { 32, 1, 1 }, .arguments = arguments, .argument_count = 4
    };
    const struct sim_options options = { .check = SIM_CHECK_ALL };
    struct sim_result result;
    struct sim_fault fault;
    if (!sim_run(module, memory, &launch, &options, &result, &fault))
        fail_msg("%s", fault.text);
    if (result.finding_count)
        fail_msg("%s\n%s", result.findings[0].sentence, text);
    sim_result_free(&result);
    sim_memory_free(memory);
    sim_module_free(module);
}

static uint64_t digest(uint64_t hash, const uint64_t *cells, int count)
{
    for (int i = 0; i < count * 8; i++)
        hash = (hash ^ (cells[i / 8] >> 8 * (i % 8) & 255)) * 0x100000001b3ull;
    return hash;
}

static void compute(int number, uint64_t digests[PROBE_DISTS])
{
    const struct probe_kind *kind = &probe_kinds[number];
    const bool wmma = kind->name[0] == 'w';
    const size_t counts[] = { (size_t)(kind->m * kind->k), (size_t)(kind->k * kind->n),
                              (size_t)(kind->m * kind->n), (size_t)(kind->m * kind->n) };
    static uint64_t cells[3][PROBE_MOST];
    struct packed packed[4];
    static char text[TEXT];
    for (int i = 0; i < 4; i++)
        packed[i] = packed_new(counts[i] * (size_t)bits_of_type(i < 2 ? kind->ab : kind->cd) / 8 *
                               (has_quads(kind) ? 4 : 1));
    for (int c = 0; c < CASES; c++) {
        probe_matrices(number, c / PROBE_CASES, c % PROBE_CASES, cells[0], cells[1], cells[2]);
        for (int i = 0; i < 3; i++) {
            unsigned char *to = packed[i].bytes + (size_t)c * packed[i].stride;
            for (size_t k = 0; wmma && k < counts[i]; k++)
                put_bits(to, k, bits_of_type(i < 2 ? kind->ab : kind->cd), cells[i][k]);
            if (!wmma)
                spread("abc"[i], kind, cells[i], to, false);
        }
    }
    (wmma ? write_wmma : write_mma)(kind, text);
    launch(text, packed);
    for (int dist = 0; dist < PROBE_DISTS; dist++) {
        digests[dist] = 1469598103934665603ull;
        for (int c = dist * PROBE_CASES; c < (dist + 1) * PROBE_CASES; c++) {
            unsigned char *from = packed[3].bytes + (size_t)c * packed[3].stride;
            for (size_t k = 0; wmma && k < counts[3]; k++)
                cells[0][k] = get_bits(from, k, bits_of_type(kind->cd));
            if (!wmma)
                spread('c', kind, cells[0], from, true);
            digests[dist] = digest(digests[dist], cells[0], (int)counts[3]);
        }
    }
    for (int i = 0; i < 4; i++)
        free(packed[i].bytes);
}

static void products_are_those_of_an_h100(void **state)
{
    (void)state;
    FILE *table = fopen("tests/data/truth/mma.csv", "r");
    char line[128], name[64];
    int wrong = 0;
    assert_non_null(table);
    assert_non_null(fgets(line, sizeof line, table));
    for (int number = 0; number < PROBE_KINDS; number++) {
        uint64_t digests[PROBE_DISTS] = { 0 };
        compute(number, digests);
        for (int dist = 0; dist < PROBE_DISTS; dist++) {
            unsigned long long wanted;
            int at;
            assert_non_null(fgets(line, sizeof line, table));
            assert_int_equal(sscanf(line, "%63[^,],%d,%llx", name, &at, &wanted), 3);
            assert_string_equal(name, probe_kinds[number].name);
            assert_int_equal(at, dist);
            if (wanted != digests[dist]) {
                print_error("%s differs from an H100's on distribution %d\n", name, dist);
                wrong++;
            }
        }
    }
    fclose(table);
    assert_int_equal(wrong, 0);
}

// ---- matrices that a warp loads ----------------------------------------------------------------------------------------------

#define SHARED ".shared .align 16 .b8 s[4096];\n"
#define FILL                                                                                                 \
    "mov.u32 %r4, s;\nmov.u32 %r5, 0;\nF: shl.b32 %r6, %r5, 2;\nadd.u32 %r6, %r4, %r6;\nmul.lo.u32 %r7, "    \
    "%r5, 0x20002;\n"                                                                                        \
    "add.u32 %r7, %r7, 0x10000;\nst.shared.u32 [%r6], %r7;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p0, %r5, "    \
    "1024;\n@%p0 bra F;\nbar.sync 0;\n"
#define ROWS_OF(bytes) "and.b32 %r8, %r0, 31;\nmul.lo.u32 %r8, %r8, " bytes ";\nadd.u32 %r8, %r4, %r8;\n"
#define GIVE(count)                                                                                          \
    "mul.lo.u32 %r9, %r0, 16;\ncvt.u64.u32 %rd3, %r9;\nadd.u64 %rd3, %rd1, %rd3;\nst.global.v" count         \
    ".u32 [%rd3], "

static uint32_t half_at(const struct kernel_outcome *o, int lane, int reg, int at)
{
    return o->words[lane * 4 + reg] >> 16 * at & 0xffff;
}

// Shared memory holds its own index in each half.
static void ldmatrix_spreads_rows_over_lanes(void **state)
{
    (void)state;
    static struct kernel_outcome o, t;
    const struct setting plain = {
        .body = FILL
            ROWS_OF("32") "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r8];\n" GIVE(
                "4") "{%r10,%r11,%r12,%r13};\nret;",
        .before = SHARED,
        .block = { 32 },
        .options = { .check = SIM_CHECK_ALL }
    };
    const struct setting turned = { .body = FILL ROWS_OF("32") "ldmatrix.sync.aligned.m8n8.x4.trans.shared."
                                                               "b16 {%r10,%r11,%r12,%r13}, [%r8];\n" GIVE(
                                                                   "4") "{%r10,%r11,%r12,%r13};\nret;",
                                    .before = SHARED,
                                    .block = { 32 },
                                    .options = { .check = SIM_CHECK_ALL } };
    run(&plain, &o);
    run(&turned, &t);
    expect_clean(&o);
    expect_clean(&t);
    for (int lane = 0; lane < 32; lane++)
        for (int matrix = 0; matrix < 4; matrix++)
            for (int at = 0; at < 2; at++) {
                const int row = lane / 4, column = lane % 4 * 2 + at;
                assert_int_equal(half_at(&o, lane, matrix, at), (8 * matrix + row) * 16 + column);
                assert_int_equal(half_at(&t, lane, matrix, at), (8 * matrix + column) * 16 + row);
            }
    // Rows of 32 bytes: those of four rows fill all banks, so that a matrix needs two wavefronts.
    assert_int_equal(o.result.counters.passes[SIM_SHARED_LOAD], 8);
    assert_int_equal(o.result.counters.conflicts[SIM_SHARED_LOAD], 4);
    assert_int_equal(o.result.counters.requests[SIM_SHARED_LOAD], 1);
    sim_result_free(&o.result);
    sim_result_free(&t.result);
}

static void stmatrix_and_movmatrix_bring_them_back(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    const struct setting setting = {
        .body = FILL ROWS_OF(
            "16") "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10,%r11}, [%r8];\n"
                  "movmatrix.sync.aligned.m8n8.trans.b16 %r12, %r10;\nmovmatrix.sync.aligned.m8n8.trans.b16 "
                  "%r13, %r11;\n"
                  "bar.sync 0;\nadd.u32 %r14, %r8, 1024;\nstmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
                  "[%r14], {%r12,%r13};\nbar.sync 0;\n"
                  "mul.lo.u32 %r9, %r0, 8;\nadd.u32 %r15, %r4, %r9;\nld.shared.v2.u32 {%r16,%r17}, "
                  "[%r15+1024];\n"
                  "cvt.u64.u32 %rd3, %r9;\nadd.u64 %rd3, %rd1, %rd3;\nst.global.v2.u32 [%rd3], "
                  "{%r16,%r17};\nret;",
        .before = SHARED,
        .block = { 32 },
        .options = { .check = SIM_CHECK_ALL }
    };
    run(&setting, &o);
    expect_clean(&o);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(o.words[i], 2 * i | (2 * i + 1) << 16);
    sim_result_free(&o.result);
}

// The rows of each matrix lie at hashed multiples of 16 bytes, as in tests/data/truth/tensor/programs/probes.cu.
static uint64_t row_of(uint32_t seed, uint32_t range, uint32_t lane)
{
    uint32_t x = seed * 4099 + lane;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return (uint64_t)(x % range) * 16;
}

static void wavefronts_are_those_of_an_h100(void **state)
{
    (void)state;
    FILE *table = fopen("tests/data/truth/matrices.csv", "r");
    char line[128], name[32];
    int count = 0;
    assert_non_null(table);
    assert_non_null(fgets(line, sizeof line, table));
    while (fgets(line, sizeof line, table)) {
        uint32_t matrices, seed, range, wanted, got = 0;
        assert_int_equal(sscanf(line, "%31[^,],%u,%u,%u,%u", name, &matrices, &seed, &range, &wanted), 5);
        for (uint32_t matrix = 0; matrix < matrices; matrix++) {
            uint64_t at[32];
            for (uint32_t lane = 0; lane < 32; lane++)
                at[lane] = row_of(seed, range, 8 * matrix + lane / 4) + lane % 4 * 4;
            got += sim_wavefronts(at, ~0u, 4, name[0] == 's');
        }
        assert_int_equal(got, wanted);
        count++;
    }
    fclose(table);
    assert_int_equal(count, 190);
}

// ---- findings ------------------------------------------------------------------------------------------------------------------

#define PRODUCT                                                                                              \
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r10,%r11}, {%r12}, "              \
    "{%f4,%f4,%f4,%f4};\n"
#define NO_ROW_9 /* of A, which has its rows 16 bytes apart: lane 9 stores nothing */                        \
    ".reg .f32 %f<5>;\nmov.f32 %f4, 0f00000000;\nmov.u32 %r4, s;\n" ROWS_OF(                                 \
        "16") "setp.ne.u32 %p1, %r0, 9;\nmov.u32 %r9, 0x3c003c00;\n@%p1 st.shared.v4.u32 [%r8], "            \
              "{%r9,%r9,%r9,%r9};\nbar.sync 0;\n"                                                            \
              "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10,%r11}, [%r8];\nmov.u32 %r12, "                 \
              "0x3c003c00;\n" PRODUCT

static void one_undefined_row_makes_one_row_undefined(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    // Row 9 is row 1 of the lower half: in lanes 4 to 7, registers 2 and 3.
    const struct setting others = {
        .body = NO_ROW_9
        "st.global.f32 [%rd0], %f1;\nshr.u32 %r14, %r0, 2;\n"
        "setp.ne.u32 %p2, %r14, 1;\nadd.u64 %rd3, %rd0, 1024;\n@%p2 st.global.f32 [%rd3], %f2;\nret;",
        .before = SHARED,
        .block = { 32 },
        .options = { .check = SIM_CHECK_ALL }
    };
    struct setting all = others;
    all.body = NO_ROW_9 "st.global.f32 [%rd0], %f3;\nret;";
    struct setting aligned = others;
    aligned.body = NO_ROW_9 "st.global.f32 [%rd0], %f0;\nret;";
    run(&aligned, &o);
    expect_clean(&o);
    assert_int_equal(o.words[0], 0x41000000); // 8
    assert_int_equal(o.result.counters.tensor, 1);
    sim_result_free(&o.result);
    run(&others, &o);
    expect_clean(&o);
    sim_result_free(&o.result);
    run(&all, &o);
    assert_int_equal(o.result.finding_count, 1);
    assert_int_equal(o.result.findings[0].kind, SIM_UNINITIALISED);
    assert_int_equal(o.result.findings[0].count, 4); // lanes 4 to 7
    sim_result_free(&o.result);
}

// All of A is 1, all of B 2, and lane 5 has no metadata: it is the one that selector 1 takes for rows 1 and 9.
#define SPARSE(selector)                                                                                     \
    ".reg .f32 %f<5>;\nmov.f32 %f4, 0f00000000;\nmov.u32 %r4, s;\nshl.b32 %r8, %r0, 2;\n"                    \
    "add.u32 %r8, %r4, %r8;\nsetp.ne.u32 %p1, %r0, 5;\nmov.u32 %r9, 0x94e4c849;\n"                           \
    "@%p1 st.shared.u32 [%r8], %r9;\nld.shared.u32 %r10, [%r8];\nmov.u32 %r11, 0x3c003c00;\n"                \
    "mov.u32 %r12, 0x40004000;\n"                                                                            \
    "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, "             \
    "{%r11,%r11}, {%r12,%r12}, {%f4,%f4,%f4,%f4}, %r10, " selector ";\n"
static void undefined_metadata_make_their_rows_undefined(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    struct setting setting = { .body = SPARSE("0") "st.global.f32 [%rd0], %f0;\nret;",
                               .before = SHARED,
                               .block = { 32 },
                               .options = { .check = SIM_CHECK_ALL } };
    run(&setting, &o);
    expect_clean(&o);
    assert_int_equal(o.words[0], 0x41800000); // 16: eight of each row are there
    assert_int_equal(o.result.counters.tensor, 1);
    sim_result_free(&o.result);
    setting.body =
        SPARSE("1") "shr.u32 %r14, %r0, 2;\nsetp.ne.u32 %p2, %r14, 1;\n@%p2 st.global.f32 [%rd0], %f0;\nret;";
    run(&setting, &o);
    expect_clean(&o);
    sim_result_free(&o.result);
    setting.body = SPARSE("1") "st.global.f32 [%rd0], %f2;\nret;";
    run(&setting, &o);
    assert_int_equal(o.result.finding_count, 1);
    assert_int_equal(o.result.findings[0].kind, SIM_UNINITIALISED);
    assert_int_equal(o.result.findings[0].count, 4); // lanes 4 to 7
    sim_result_free(&o.result);
    setting.body = SPARSE("4") "ret;"; // there are four
    run(&setting, &o);
    assert_non_null(
        strstr(expect_finding(&o, SIM_UNKNOWN, SIM_ERROR)->sentence, "no such sparsity selector"));
    sim_result_free(&o.result);
}

static void a_matrix_that_another_warp_still_writes_is_a_race(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    struct setting setting = { .body = "mov.u32 %r4, s;\nand.b32 %r8, %r0, 31;\nmul.lo.u32 %r8, %r8, "
                                       "16;\nadd.u32 %r8, %r4, %r8;\nsetp.lt.u32 %p1, %r0, 32;\n"
                                       "@%p1 st.shared.v4.u32 [%r8], {%r0,%r0,%r0,%r0};\n"
                                       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, "
                                       "[%r8];\nst.global.u32 [%rd0], %r10;\nret;",
                               .before = SHARED,
                               .block = { 64 },
                               .options = { .check = SIM_CHECK_ALL } };
    run(&setting, &o);
    assert_true(o.result.finding_count > 0);
    assert_int_equal(o.result.findings[0].kind, SIM_RACE_SHARED);
    sim_result_free(&o.result);
    setting.body = "mov.u32 %r4, s;\nand.b32 %r8, %r0, 31;\nmul.lo.u32 %r8, %r8, 16;\nadd.u32 %r8, %r4, "
                   "%r8;\nsetp.lt.u32 %p1, %r0, 32;\n"
                   "@%p1 st.shared.v4.u32 [%r8], {%r0,%r0,%r0,%r0};\nbar.sync 0;\n"
                   "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r8];\nst.global.u32 "
                   "[%rd0], %r10;\nret;";
    run(&setting, &o);
    expect_clean(&o);
    sim_result_free(&o.result);
}

static void rows_must_be_aligned_and_inside(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    struct setting setting = { .body = FILL ROWS_OF(
                                   "24") "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, "
                                         "[%r8];\nst.global.u32 [%rd0], %r10;\nret;",
                               .before = SHARED,
                               .block = { 32 },
                               .options = { .check = SIM_CHECK_ALL } };
    run(&setting, &o);
    assert_int_equal(o.result.findings[0].kind, SIM_MISALIGNED);
    sim_result_free(&o.result);
    setting.body = FILL ROWS_OF("144") "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, "
                                       "[%r8];\nst.global.u32 [%rd0], %r10;\nret;";
    run(&setting, &o);
    assert_int_equal(o.result.findings[0].kind, SIM_OUT_OF_BOUNDS);
    sim_result_free(&o.result);
}

// Half of a warp cannot multiply: the other lanes do not come.
static void all_lanes_take_part(void **state)
{
    (void)state;
    static struct kernel_outcome o;
    const struct setting setting = { .body = ".reg .f32 %f<5>;\nmov.f32 %f4, 0f00000000;\nmov.u32 %r10, "
                                             "0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\n"
                                             "setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra D;\n" PRODUCT
                                             "st.global.f32 [%rd0], %f0;\nD: ret;",
                                     .block = { 32 },
                                     .options = { .check = SIM_CHECK_ALL } };
    run(&setting, &o);
    assert_true(o.result.finding_count > 0);
    assert_int_equal(o.result.findings[0].kind, SIM_SYNC_MASK);
    sim_result_free(&o.result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_an_h100),
        cmocka_unit_test(ldmatrix_spreads_rows_over_lanes),
        cmocka_unit_test(stmatrix_and_movmatrix_bring_them_back),
        cmocka_unit_test(wavefronts_are_those_of_an_h100),
        cmocka_unit_test(one_undefined_row_makes_one_row_undefined),
        cmocka_unit_test(undefined_metadata_make_their_rows_undefined),
        cmocka_unit_test(a_matrix_that_another_warp_still_writes_is_a_race),
        cmocka_unit_test(rows_must_be_aligned_and_inside),
        cmocka_unit_test(all_lanes_take_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
