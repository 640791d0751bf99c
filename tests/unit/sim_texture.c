// Textures and surfaces of the simulator: fetches equal to what is computed here from the texels, loads and stores of
// surfaces, and what is found when a kernel uses them wrongly. tests/data/textures compares many more with a GPU.
#include "engine/sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/sim_kernel.h"

// %f0: tid.x / 8 - 2, %r0: tid.x - 4, %q0: the handle, %q1: the address of four words for the thread.
static const char begin[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 t)\n{\n"
    ".reg .b16 %h<8>;\n.reg .b32 %r<16>;\n.reg .f32 %f<16>;\n.reg .b64 %q<8>;\n.reg .pred %b<4>;\n"
    "ld.param.u64 %q1, [p];\nld.param.u64 %q0, [t];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %q2, %r1, 16;\n"
    "add.u64 %q1, %q1, %q2;\nsub.s32 %r0, %r1, 4;\ncvt.rn.f32.u32 %f0, %r1;\nmov.f32 %f1, 0f3e000000;\n"
    "mul.f32 %f0, %f0, %f1;\nadd.f32 %f0, %f0, 0fc0000000;\nmov.u32 %r2, 0;\n";
static const char floats[] = "st.global.v4.f32 [%q1], {%f4, %f5, %f6, %f7};\nret;\n}\n";
static const char words[] = "st.global.v4.u32 [%q1], {%r4, %r5, %r6, %r7};\nret;\n}\n";

enum { THREADS = 64, WIDTH = 8, HEIGHT = 4 };
enum accident { NONE, DESTROYED, FREED, NUMBER, UNWRITTEN };
struct scene {
    struct sim_memory *memory;
    struct sim_result result;
    unsigned char texels[512];
    union {
        float f[THREADS][4];
        uint32_t u[THREADS][4];
    } out;
};

static float coordinate(int thread)
{
    return (float)thread / 8 - 2;
}

// Texels are bytes 1, 4, 7 …; those of floats are 0.5, 3, 5.5 …
static void texels_fill(struct scene *s, bool real)
{
    for (size_t i = 0; i < sizeof s->texels; i++)
        s->texels[i] = (unsigned char)(3 * i + 1);
    for (int i = 0; real && i < WIDTH * HEIGHT; i++) {
        const float f = 2.5f * (float)i + 0.5f;
        memcpy(s->texels + 4 * i, &f, sizeof f);
    }
}

static void run_scene(struct scene *s, struct sim_image image, const char *body, const char *end,
                      enum accident accident)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", begin, body, end);
    struct sim_module *module = read_module(text);
    s->memory = sim_memory_new();
    memset(&s->out, 0, sizeof s->out);
    texels_fill(s, image.kind == SIM_TEXEL_FLOAT);
    const sim_address out = sim_memory_add(s->memory, "out", &s->out, sizeof s->out, 4, SIM_INOUT);
    image.at = sim_memory_add(s->memory, "picture", s->texels, sizeof s->texels, 4,
                              accident == UNWRITTEN ? SIM_SCRATCH : SIM_INOUT);
    uint64_t handle = sim_image_add(s->memory, &image);
    if (accident == DESTROYED)
        sim_image_remove(s->memory, handle);
    if (accident == FREED)
        sim_memory_remove(s->memory, image.at);
    handle += accident == NUMBER;
    const struct sim_argument arguments[] = { { &out, sizeof out }, { &handle, sizeof handle } };
    const struct sim_launch launch = {
        .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 }, .arguments = arguments, .argument_count = 2
    };
    const struct sim_options options = { .check = SIM_CHECK_ALL, .threads = 1 };
    struct sim_fault fault;
    if (!sim_run(module, s->memory, &launch, &options, &s->result, &fault))
        fail_msg("%s", fault.text);
    sim_memory_free(s->memory);
    sim_module_free(module);
}

static void expect_no_finding(struct scene *s)
{
    if (s->result.finding_count)
        fail_msg("%s", s->result.findings[0].sentence);
    sim_result_free(&s->result);
}

static void expect_one(struct scene *s, enum sim_kind kind, const char *words_of_it)
{
    assert_true(s->result.finding_count > 0);
    const struct sim_finding *f = &s->result.findings[0];
    if (f->kind != kind || !strstr(f->sentence, words_of_it))
        fail_msg("%s: %s", sim_kind_name(f->kind), f->sentence);
    sim_result_free(&s->result);
}

static struct sim_image picture(enum sim_texel kind, unsigned bits, unsigned channels)
{
    const unsigned texel = bits / 8 * channels;
    return (struct sim_image){ .width = WIDTH,
                               .height = HEIGHT,
                               .pitch = WIDTH * texel,
                               .kind = kind,
                               .bits = bits,
                               .channels = channels,
                               .edge = { SIM_EDGE_CLAMP, SIM_EDGE_CLAMP, SIM_EDGE_CLAMP } };
}

// ---- fetches -----------------------------------------------------------------------------------------------------------

static int clamped(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static int wrapped(int i, int n)
{
    return ((i % n) + n) % n;
}

static int mirrored(int i, int n)
{
    const int at = wrapped(i, 2 * n);
    return at < n ? at : 2 * n - 1 - at;
}

static void a_linear_filter_weighs_neighbours(void **state)
{
    struct scene s;
    struct sim_image line = picture(SIM_TEXEL_FLOAT, 32, 1);
    line.linear = true;
    line.height = 0;
    run_scene(&s, line, "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%q0, {%f0}];\n", floats, NONE);
    for (int t = 0; t < THREADS; t++) {
        const float at = coordinate(t) - 0.5f, weight = at - floorf(at);
        const int first = (int)floorf(at);
        const float a = 2.5f * (float)clamped(first, WIDTH) + 0.5f,
                    b = 2.5f * (float)clamped(first + 1, WIDTH) + 0.5f;
        assert_true(s.out.f[t][0] == (1 - weight) * a + weight * b);
    }
    expect_no_finding(&s);
}

static void addresses_outside_come_back_by_the_mode(void **state)
{
    static int (*const modes[])(
        int, int) = { [SIM_EDGE_WRAP] = wrapped, [SIM_EDGE_CLAMP] = clamped, [SIM_EDGE_MIRROR] = mirrored };
    for (int mode = SIM_EDGE_WRAP; mode <= SIM_EDGE_BORDER; mode++) {
        struct scene s;
        struct sim_image p = picture(SIM_TEXEL_UNSIGNED, 8, 4);
        p.unit = p.normalised = true;
        p.edge[0] = p.edge[1] = (enum sim_edge)mode;
        p.border[2] = 0.75f;
        run_scene(&s, p,
                  "mov.f32 %f2, 0f3f000000;\ntex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%q0, {%f0, %f2}];\n",
                  floats, NONE);
        for (int t = 0; t < THREADS; t++) {
            const int x = (int)floorf(coordinate(t) * WIDTH);
            const bool outside = mode == SIM_EDGE_BORDER && (x < 0 || x >= WIDTH);
            const int column = outside ? 0 : mode == SIM_EDGE_BORDER ? x : modes[mode](x, WIDTH);
            for (int c = 0; c < 4; c++) {
                const int byte = (3 * (4 * (2 * WIDTH + column) + c) + 1) & 255;
                assert_true(s.out.f[t][c] == (float)(outside ? (c == 2 ? 191 : 0) : byte) / 255);
            }
        }
        expect_no_finding(&s);
    }
}

static void elements_of_memory_are_fetched_by_number(void **state)
{
    struct scene s;
    struct sim_image line = picture(SIM_TEXEL_SIGNED, 16, 2);
    line.height = 0;
    run_scene(&s, line, "tex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%q0, {%r0}];\n", words, NONE);
    for (int t = 0; t < THREADS; t++)
        for (int c = 0; c < 2; c++) {
            int16_t value;
            const int at = t - 4;
            memcpy(&value, s.texels + 4 * (at >= 0 && at < WIDTH ? at : 0) + 2 * c, sizeof value);
            assert_int_equal((int32_t)s.out.u[t][c], at >= 0 && at < WIDTH ? value : 0);
        }
    expect_no_finding(&s);
}

static void a_gather_takes_four_texels(void **state)
{
    static const int right[] = { 0, 1, 1, 0 }, down[] = { 1, 1, 0, 0 };
    struct scene s;
    run_scene(&s, picture(SIM_TEXEL_UNSIGNED, 8, 4),
              "mov.f32 %f2, 0f3fc00000;\ntld4.g.2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%q0, {%f0, %f2}];\n",
              words, NONE);
    for (int t = 0; t < THREADS; t++)
        for (int k = 0; k < 4; k++) {
            const int x = clamped((int)floorf(coordinate(t) - 0.5f) + right[k], WIDTH), y = 1 + down[k];
            assert_int_equal(s.out.u[t][k], s.texels[4 * (y * WIDTH + x) + 1]);
        }
    expect_no_finding(&s);
}

static void layers_and_sizes_are_known(void **state)
{
    struct scene s;
    struct sim_image layered = picture(SIM_TEXEL_UNSIGNED, 8, 1);
    layered.layers = 3;
    layered.slice = WIDTH * HEIGHT;
    run_scene(
        &s, layered,
        "mov.f32 %f2, 0f3fc00000;\ntex.a2d.v4.u32.f32 {%r4, %r5, %r6, %r7}, [%q0, {%r0, %f2, %f2, %f2}];\n"
        "txq.width.b32 %r5, [%q0];\ntxq.height.b32 %r6, [%q0];\ntxq.array_size.b32 %r7, [%q0];\n",
        words, NONE);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(s.out.u[t][0],
                         s.texels[(t - 4 < 0 || t - 4 > 2 ? 2 : t - 4) * WIDTH * HEIGHT + WIDTH + 1]);
        assert_int_equal(s.out.u[t][1], WIDTH);
        assert_int_equal(s.out.u[t][2], HEIGHT);
        assert_int_equal(s.out.u[t][3], 3);
    }
    expect_no_finding(&s);
}

// ---- surfaces ----------------------------------------------------------------------------------------------------------

static struct sim_image surface(void)
{
    struct sim_image s = picture(SIM_TEXEL_UNSIGNED, 16, 2);
    s.surface = true;
    return s;
}

static void a_surface_is_read_and_written_by_byte(void **state)
{
    struct scene s;
    // Thread t writes t and 7 to column t % 8 of row t / 16; what lies outside is left alone.
    run_scene(&s, surface(),
              "and.b32 %r3, %r1, 7;\nshl.b32 %r3, %r3, 2;\nshr.u32 %r8, %r1, 4;\nsetp.ge.u32 %b0, %r1, 56;\n"
              "@%b0 add.u32 %r3, %r3, 100;\ncvt.u16.u32 %h0, %r1;\nmov.u16 %h1, 7;\nand.b32 %r9, %r1, 8;\n"
              "setp.eq.u32 %b1, %r9, 0;\n@%b1 sust.b.2d.v2.b16.zero [%q0, {%r3, %r8}], {%h0, %h1};\n"
              "@!%b1 suld.b.2d.v2.b16.clamp {%h2, %h3}, [%q0, {%r0, %r0}];\n",
              "ret;\n}\n", NONE);
    for (int t = 0; t < 56; t++) {
        uint16_t got[2];
        memcpy(got, s.texels + 4 * (t / 16 * WIDTH + t % 8), sizeof got);
        if (!(t & 8)) {
            assert_int_equal(got[0], t);
            assert_int_equal(got[1], 7);
        }
    }
    sim_result_free(&s.result);
}

static void loads_outside_a_surface(void **state)
{
    static const char *const modes[] = { "zero", "clamp" };
    for (int mode = 0; mode < 2; mode++) {
        struct scene s;
        char body[160];
        snprintf(body, sizeof body,
                 "shl.b32 %%r3, %%r0, 2;\nsuld.b.2d.b32.%s {%%r4}, [%%q0, {%%r3, %%r2}];\n", modes[mode]);
        run_scene(&s, surface(), body, words, NONE);
        for (int t = 0; t < THREADS; t++) {
            uint32_t texel;
            memcpy(&texel, s.texels + 4 * clamped(t - 4, WIDTH), sizeof texel);
            assert_int_equal(s.out.u[t][0], t < 4 || t >= 12 ? (mode ? texel : 0) : texel);
        }
        expect_no_finding(&s);
    }
}

// ---- mistakes ----------------------------------------------------------------------------------------------------------

static void mistakes_are_found(void **state)
{
    static const char fetch[] = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%q0, {%f0, %f0}];\n";
    static const char load[] =
        "shl.b32 %r3, %r1, 2;\nand.b32 %r3, %r3, 31;\nsuld.b.2d.b32.trap {%r4}, [%q0, {%r3, %r2}];\n";
    const struct {
        bool surface;
        const char *body;
        enum accident accident;
        enum sim_kind kind;
        const char *words;
    } mistakes[] = {
        { false, fetch, DESTROYED, SIM_OUT_OF_BOUNDS, "fetches from a texture object that was destroyed" },
        { false, fetch, FREED, SIM_OUT_OF_BOUNDS, "fetches from a texture whose memory was freed" },
        { false, fetch, NUMBER, SIM_OUT_OF_BOUNDS, "uses a number that is no texture object" },
        { false, fetch, UNWRITTEN, SIM_UNINITIALISED, "fetches it" },
        { true, fetch, NONE, SIM_OUT_OF_BOUNDS, "fetches from a surface object" },
        { true, load, DESTROYED, SIM_OUT_OF_BOUNDS, "uses a surface object that was destroyed" },
        { true, load, FREED, SIM_OUT_OF_BOUNDS, "uses a surface whose array was freed" },
        { true, "suld.b.2d.b32.trap {%r4}, [%q0, {%r0, %r2}];\n", NONE, SIM_OUT_OF_BOUNDS,
          "reads from a surface at byte -4 of row 0: it has 32 bytes in each row" },
        { true, "suld.b.2d.b32.clamp {%r4}, [%q0, {%r1, %r2}];\n", NONE, SIM_MISALIGNED, "a multiple of 4" },
        { true, "sust.b.2d.b32.trap [%q0, {%r2, %r2}], {%r1};\n", NONE, SIM_DOUBLE_WRITE, "picture" },
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct scene s;
        run_scene(&s, mistakes[i].surface ? surface() : picture(SIM_TEXEL_FLOAT, 32, 1), mistakes[i].body,
                  "ret;\n}\n", mistakes[i].accident);
        expect_one(&s, mistakes[i].kind, mistakes[i].words);
    }
}

static void what_is_not_known_is_named(void **state)
{
    static const char *const bodies[][2] = {
        { "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%q0, {%f0, %f0}], {%r1, %r1};\n", "offsets" },
        { "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [picture, {%f0}];\n", "references" },
        { "sust.p.2d.v4.b32.trap [%q0, {%r2, %r2}], {%r1, %r1, %r1, %r1};\n", "format" },
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct scene s;
        run_scene(&s, picture(SIM_TEXEL_FLOAT, 32, 1), bodies[i][0], "ret;\n}\n", NONE);
        expect_one(&s, SIM_UNKNOWN, bodies[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_linear_filter_weighs_neighbours),
        cmocka_unit_test(addresses_outside_come_back_by_the_mode),
        cmocka_unit_test(elements_of_memory_are_fetched_by_number),
        cmocka_unit_test(a_gather_takes_four_texels),
        cmocka_unit_test(layers_and_sizes_are_known),
        cmocka_unit_test(a_surface_is_read_and_written_by_byte),
        cmocka_unit_test(loads_outside_a_surface),
        cmocka_unit_test(mistakes_are_found),
        cmocka_unit_test(what_is_not_known_is_named),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
