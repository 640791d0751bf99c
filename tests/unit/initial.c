// Structures of a kernel file: how they lie in memory, what their parts are at first, and every mistake in a value.
#include "kernels/variant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CODE                                                                                                 \
    "#define DIMS 3\n"                                                                                       \
    "enum { WIDE = 2 };\n"                                                                                   \
    "using real = double;\n"                                                                                 \
    "struct jumble { char a; short b; int c; char d; double e; unsigned char f; };\n"                        \
    "struct vectors { float3 a; float2 b; char c; float4 d; uchar4 e; };\n"                                  \
    "typedef struct inner_tag { real x; bool on; } inner;\n"                                                 \
    "struct nest { int n; inner parts[DIMS][WIDE]; const char *name, *names[2]; struct nest *next; };\n"     \
    "struct __align__(16) wide { float x; alignas(8) int y; };\n"                                            \
    "struct ours { static const int k = 4; float v[k]; __device__ float sum() const { return v[0]; }\n"      \
    "  ours() = default; void set(int); using t = int; private: int hidden = 7, other[2] = { 1, 2 }; };\n"   \
    "namespace n { struct same { long a; unsigned short b; size_t c; }; }\n"                                 \
    "template <typename T> struct couple { T a, b; };\n"                                                     \
    "struct derived : jumble { int g; };\n"                                                                  \
    "struct bit_fields { int a : 3; };\n"                                                                    \
    "struct odd { couple<int> p; };\n"                                                                       \
    "typedef loop_b loop_a; typedef loop_a loop_b;\n"                                                        \
    "struct grows { grows inside; };\n"                                                                      \
    "__global__ void k(float *x, int n) {}\n"

static bool reads(struct variant *out, const char *line, struct error *error)
{
    char *text = text_format("%s\n//@ buffer x float[8]\n//@ launch k<<<1, 32>>>(x, 1)\n" CODE, line);
    bool read = variant_parse(out, NULL, "f.cu", text, error);
    free(text);
    return read;
}

static struct variant read_it(const char *line)
{
    struct variant variant;
    struct error error = { 0 };
    if (!reads(&variant, line, &error))
        fail_msg("%s", error.text);
    return variant;
}

static void wrong(const char *line, const char *want)
{
    struct variant variant;
    struct error error = { 0 };
    if (reads(&variant, line, &error))
        fail_msg("no error where this one should be: %s", want);
    if (!strstr(error.text, want))
        fail_msg("%s\nis not: %s", error.text, want);
}

static const struct leaf *leaf_of(const struct declared *declared, const char *path)
{
    for (size_t l = 0; l < declared->layout.leaf_count; l++)
        if (strcmp(declared->layout.leaves[l].path, path) == 0)
            return &declared->layout.leaves[l];
    fail_msg("there is no %s", path);
    return NULL;
}

static void lies_at(const struct declared *declared, const char *path, size_t offset, enum scalar scalar)
{
    assert_int_equal(leaf_of(declared, path)->offset, offset);
    assert_int_equal(leaf_of(declared, path)->scalar, scalar);
}

static void sized(const struct declared *declared, size_t bytes, size_t align)
{
    assert_int_equal(declared->layout.bytes, bytes);
    assert_int_equal(declared->layout.align, align);
    assert_int_equal(type_size(declared->type), bytes);
    assert_int_equal(declared->type.scalar, SCALAR_STRUCTURE);
}

// The same definitions by this compiler, whose layout of such structures is that of CUDA's.
struct host_jumble {
    char a;
    short b;
    int c;
    char d;
    double e;
    unsigned char f;
};
struct host_nest {
    int n;
    struct {
        double x;
        unsigned char on;
    } parts[3][2];
    const char *name, *names[2];
    struct host_nest *next;
};

static void members_lie_where_the_compiler_puts_them(void **state)
{
    struct variant v = read_it("//@ buffer m jumble[4]\n//@ buffer o nest[2]");
    const struct declared *m = &v.buffers[0], *o = &v.buffers[1];
    sized(m, sizeof(struct host_jumble), _Alignof(struct host_jumble));
    lies_at(m, ".a", offsetof(struct host_jumble, a), SCALAR_CHAR);
    lies_at(m, ".b", offsetof(struct host_jumble, b), SCALAR_SHORT);
    lies_at(m, ".c", offsetof(struct host_jumble, c), SCALAR_INT);
    lies_at(m, ".d", offsetof(struct host_jumble, d), SCALAR_CHAR);
    lies_at(m, ".e", offsetof(struct host_jumble, e), SCALAR_DOUBLE);
    lies_at(m, ".f", offsetof(struct host_jumble, f), SCALAR_UCHAR);
    sized(o, sizeof(struct host_nest), _Alignof(struct host_nest));
    lies_at(o, ".parts[0][0].x", offsetof(struct host_nest, parts[0][0].x), SCALAR_DOUBLE);
    lies_at(o, ".parts[2][1].on", offsetof(struct host_nest, parts[2][1].on), SCALAR_UCHAR);
    lies_at(o, ".name", offsetof(struct host_nest, name), SCALAR_ULLONG);
    lies_at(o, ".names[1]", offsetof(struct host_nest, names[1]), SCALAR_ULLONG);
    lies_at(o, ".next", offsetof(struct host_nest, next), SCALAR_ULLONG);
    assert_true(leaf_of(o, ".names[0]")->pointer && leaf_of(o, ".next")->pointer);
    assert_false(leaf_of(o, ".n")->pointer);
    variant_free(&v);
}

// CUDA's vectors of two and four are aligned as a whole, up to 16 bytes; those of three as their numbers.
static void vectors_are_aligned_as_in_cuda(void **state)
{
    struct variant v = read_it("//@ buffer a vectors[4]\n//@ scratch w wide[2]\n//@ value s n::same = {}");
    const struct declared *a = &v.buffers[0], *w = &v.scratch[0], *s = &v.values[0];
    sized(a, 64, 16);
    lies_at(a, ".a.z", 8, SCALAR_FLOAT);
    lies_at(a, ".b.x", 16, SCALAR_FLOAT);
    lies_at(a, ".c", 24, SCALAR_CHAR);
    lies_at(a, ".d.w", 44, SCALAR_FLOAT);
    lies_at(a, ".e.y", 49, SCALAR_UCHAR);
    sized(w, 16, 16);
    lies_at(w, ".y", 8, SCALAR_INT);
    sized(s, 24, 8);
    lies_at(s, ".b", 8, SCALAR_USHORT);
    assert_string_equal(s->layout.name, "n::same");
    variant_free(&v);
}

// Functions, statics and other names take no room.
static void only_members_take_room(void **state)
{
    struct variant v = read_it("//@ buffer o ours[4]");
    sized(&v.buffers[0], 28, 4);
    lies_at(&v.buffers[0], ".v[3]", 12, SCALAR_FLOAT);
    lies_at(&v.buffers[0], ".hidden", 16, SCALAR_INT);
    lies_at(&v.buffers[0], ".other[1]", 24, SCALAR_INT);
    variant_free(&v);
}

static void what_cannot_be_laid_out_is_an_error(void **state)
{
    wrong("//@ buffer b couple[4]", "f.cu:1:14: error: this structure is a template");
    wrong("//@ buffer b derived[4]", "f.cu:1:14: error: this structure has a base");
    wrong("//@ buffer b bit_fields[4]",
          "error: bit-fields are not known to the //@ lines\n  struct bit_fields { int a : 3; };\n");
    wrong("//@ buffer b odd[4]", "error: this structure is a template");
    wrong("//@ buffer b grows[4]", "error: this type is made of too many others");
    wrong("//@ buffer b loop_a[4]", "error: this type is made of too many others");
    wrong("//@ buffer b nothing[4]", "f.cu:1:14: error: expected a type: char,");
    wrong("//@ buffer b n[4]", "f.cu:1:14: error: expected a type: char,");
}

// ---- values -----------------------------------------------------------------------------------------------------

static void fill(const struct declared *declared, size_t count, void *out)
{
    const struct expr_binding n = { "n", value_int(5) };
    const struct expr_scope scope = { &n, 1 };
    struct error error = { 0 };
    memset(out, 0xa5, count * declared->layout.bytes);
    if (!initial_fill(declared, &scope, count, out, &error))
        fail_msg("%s", error.text);
}

static void parts_get_values_by_place_and_by_name(void **state)
{
    struct host_jumble all[3];
    struct variant v = read_it("//@ param n = 5\n"
                               "//@ buffer p jumble[3] = {1, i, .e = i / 2.0, n, .c = -1}\n"
                               "//@ buffer q jumble[3] = i + 1\n"
                               "//@ buffer r jumble[3] = {}");
    fill(&v.buffers[0], 3, all);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(all[i].a, 1);
        assert_int_equal(all[i].b, i);
        assert_int_equal(all[i].c, -1);
        assert_int_equal(all[i].d, 0);
        assert_true(all[i].e == i / 2.0);
        assert_int_equal(all[i].f, 5); // what comes after .e
    }
    fill(&v.buffers[1], 3, all);
    assert_int_equal(all[2].a, 3);
    assert_true(all[2].e == 3);
    fill(&v.buffers[2], 3, all);
    const struct host_jumble nothing = { 0 };
    assert_memory_equal(&all[1], &nothing, sizeof nothing);
    variant_free(&v);
}

static void parts_lie_in_each_other(void **state)
{
    struct host_nest all[2];
    struct variant v = read_it("//@ buffer o nest[2] = {\n"
                               "//@     .parts = {{{i, 1}, 7}, {0, {.on = i + 2}}},\n"
                               "//@     .parts[2][1].x = 4.5, .n = 3}");
    fill(&v.buffers[0], 2, all);
    for (int i = 0; i < 2; i++) {
        assert_true(all[i].parts[0][0].x == i && all[i].parts[0][0].on == 1);
        assert_true(all[i].parts[0][1].x == 7 && all[i].parts[0][1].on == 7); // a value for every number
        assert_true(all[i].parts[1][0].x == 0 && all[i].parts[1][1].on == i + 2);
        assert_true(all[i].parts[2][1].x == 4.5 && all[i].parts[2][1].on == 0);
        assert_true(all[i].n == 3 && !all[i].next);
    }
    variant_free(&v);
}

static void elements_are_listed_one_by_one(void **state)
{
    float numbers[5];
    struct {
        float x, y;
    } pairs[4];
    struct variant v = read_it("//@ symbol w float[5] = {1, 0.5, i * 10}\n"
                               "//@ symbol s float[5] = {[3] = 7, i, [0] = -1}\n"
                               "//@ symbol p float2[4] = {[1] = {2, i}, [3] = i}\n"
                               "//@ symbol q float2[4] = {i, 9}");
    fill(&v.symbols[0], 5, numbers);
    assert_memory_equal(numbers, ((float[]){ 1, 0.5f, 20, 0, 0 }), sizeof numbers);
    fill(&v.symbols[1], 5, numbers);
    assert_memory_equal(numbers, ((float[]){ -1, 0, 0, 7, 4 }), sizeof numbers);
    fill(&v.symbols[2], 4, pairs);
    assert_memory_equal(pairs, ((float[]){ 0, 0, 2, 1, 0, 0, 3, 3 }), sizeof pairs);
    fill(&v.symbols[3], 4, pairs);
    assert_memory_equal(pairs, ((float[]){ 0, 9, 1, 9, 2, 9, 3, 9 }), sizeof pairs);
    struct error error = { 0 };
    assert_false(initial_fill(&v.symbols[0], &(struct expr_scope){ 0 }, 2, numbers, &error));
    assert_non_null(strstr(error.text, "f.cu:1:34: error: this is element 2 of w, which has 2"));
    variant_free(&v);
}

// A buffer gives a pointer its address; nothing else can have one.
static void pointers_get_the_addresses_of_buffers(void **state)
{
    struct host_nest one;
    struct variant v = read_it("//@ value o nest = {.name = x, .n = 1}");
    const struct expr_binding x = { "x", value_int(0x7000) };
    struct error error = { 0 };
    assert_true(initial_fill(&v.values[0], &(struct expr_scope){ &x, 1 }, 1, &one, &error));
    assert_true((uintptr_t)one.name == 0x7000);
    assert_true(initial_names(&v.values[0].initial, "x") && !initial_names(&v.values[0].initial, "n"));
    assert_true(variant_uses(&v, "x") && variant_may_change(&v, "x"));
    variant_free(&v);
    v = read_it("//@ value o nest = 3");
    assert_true(initial_fill(&v.values[0], &(struct expr_scope){ 0 }, 1, &one, &error));
    assert_true(one.n == 3 && !one.name && !one.next); // a value for all numbers is none for pointers
    variant_free(&v);
    wrong("//@ value o nest = {.n = x}", "error: nothing is called x here");
    wrong("//@ value o nest = {.name = x + 8}", "error: nothing is called x here");
    wrong("//@ buffer o nest[2] = {.name = x}", "error: nothing is called x here");
}

static void mistakes_in_values(void **state)
{
    wrong("//@ buffer m jumble[2] = {1, 2, 3, 4, 5, 6, 7}",
          "f.cu:1:45: error: expected '}': there are no more parts");
    wrong("//@ buffer m jumble[2] = {.z = 1}",
          "f.cu:1:27: error: there is no .z here; there are .a, .b, .c, .d, .e, .f");
    wrong("//@ value o nest = {.parts[3] = 1}", "there is no [3] here; there are [0], [1], [2]");
    wrong("//@ value o nest = {.n.x = 1}", "there is no .x here");
    wrong("//@ value o nest = {.n 1}", "f.cu:1:24: error: expected '=' and the value of this part");
    wrong("//@ value o nest = {.n = 1", "f.cu:1:27: error: expected ',' and another part, or '}'");
    wrong("//@ value o nest = {1} + 1", "error: expected the end of the line");
    wrong("//@ value o nest", "f.cu:1:17: error: expected '=' and a value");
    wrong("//@ value o nest[2] = {1}", "f.cu:1:17: error: expected '=' and a value");
    wrong("//@ symbol w float[3] = {[x] = 1}", "error: expected the number of an element, as in [2] = 1");
    wrong("//@ symbol w float[3] = {[1] 1}", "error: expected ']', '=' and the value of this element");
    wrong("//@ symbol w float[3] = {1 2}", "error: expected ',' and another element, or '}'");
    wrong("//@ symbol x float = 1", "f.cu:2:12: error: x is declared already, in line 1");
    wrong("//@ symbol n::= 1", "error: expected the name of a variable in this namespace");
    wrong("//@ launch k<<<1, 1>>>(w, 1)\n//@ symbol w float = 1", "error: nothing is called w here");
    char deep[400] = "//@ value o nest = ";
    memset(deep + strlen(deep), '{', 40);
    wrong(deep, "error: ");
}

// The compiler is asked to compare; of a number there is nothing to compare.
static void the_compiler_checks_layouts(void **state)
{
    struct variant v = read_it("//@ param p = 1\n//@ buffer m jumble[2]\n//@ symbol w float[3] = 1");
    char *source = variant_source(&v);
    assert_non_null(strstr(source, "#line 2\nstatic_assert(sizeof(jumble) == 32 && alignof(jumble) == 8 && "
                                   "sizeof(((jumble *)0)->a) == 1 && "));
    assert_null(strstr(source, "sizeof(float)"));
    free(source);
    variant_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_lie_where_the_compiler_puts_them),
        cmocka_unit_test(vectors_are_aligned_as_in_cuda),
        cmocka_unit_test(only_members_take_room),
        cmocka_unit_test(what_cannot_be_laid_out_is_an_error),
        cmocka_unit_test(parts_get_values_by_place_and_by_name),
        cmocka_unit_test(parts_lie_in_each_other),
        cmocka_unit_test(elements_are_listed_one_by_one),
        cmocka_unit_test(pointers_get_the_addresses_of_buffers),
        cmocka_unit_test(mistakes_in_values),
        cmocka_unit_test(the_compiler_checks_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
