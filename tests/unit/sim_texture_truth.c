// Fetches of the simulator beside those of a GPU: tests/data/textures/h200.txt has a hash of the bits of each case that
// cases.h describes and textures.cu ran there.
// Parts: wide baseline
#include "engine/sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/base.h"
#include "tests/data/textures/cases.h"
#include "tests/unit/sim_kernel.h"

// A thread for each fetch: %q0 is the handle, %f1 to %f3 its coordinates, %r1 its layer, %r2 its index.
static const char begin[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 c, .param "
    ".u64 "
    "l, .param .u64 p)\n{\n"
    ".reg .b32 %r<16>;\n.reg .f32 %f<4>;\n.reg .b64 %q<16>;\n"
    "ld.param.u64 %q0, [t];\nld.param.u64 %q1, [c];\nld.param.u64 %q2, [l];\nld.param.u64 %q3, [p];\n"
    "mov.u32 %r3, %tid.x;\nmul.wide.u32 %q4, %r3, 12;\nadd.u64 %q1, %q1, %q4;\nmul.wide.u32 %q4, %r3, 8;\n"
    "add.u64 %q2, %q2, %q4;\nmul.wide.u32 %q4, %r3, 16;\nadd.u64 %q3, %q3, %q4;\nld.global.f32 %f1, [%q1];\n"
    "ld.global.f32 %f2, [%q1+4];\nld.global.f32 %f3, [%q1+8];\nld.global.v2.u32 {%r1, %r2}, [%q2];\n";
static const char finish[] = "st.global.v4.u32 [%q3], {%r4, %r5, %r6, %r7};\nret;\n}\n";

static void write_kernel(const struct fetch_case *c, char *out, size_t size)
{
    static const char *const fetches[SHAPES] = {
        [SHAPE_1D] = "tex.1d.v4.u32.f32 #, [%q0, {%f1}];\n",
        [SHAPE_2D] = "tex.2d.v4.u32.f32 #, [%q0, {%f1, %f2}];\n",
        [SHAPE_3D] = "tex.3d.v4.u32.f32 #, [%q0, {%f1, %f2, %f3, %f3}];\n",
        [SHAPE_1D_LAYERED] = "tex.a1d.v4.u32.f32 #, [%q0, {%r1, %f1}];\n",
        [SHAPE_2D_LAYERED] = "tex.a2d.v4.u32.f32 #, [%q0, {%r1, %f1, %f2, %f2}];\n",
        [SHAPE_CUBE] = "tex.cube.v4.u32.f32 #, [%q0, {%f1, %f2, %f3, %f3}];\n",
        [SHAPE_CUBE_LAYERED] = "tex.acube.v4.u32.f32 #, [%q0, {%r1, %f1, %f2, %f3}];\n",
        [SHAPE_PITCH] = "tex.2d.v4.u32.f32 #, [%q0, {%f1, %f2}];\n",
        [SHAPE_LINEAR] = "tex.1d.v4.u32.s32 #, [%q0, {%r2}];\n",
        [SHAPE_GATHER] = "tld4.@.2d.v4.u32.f32 #, [%q0, {%f1, %f2}];\n",
        [SHAPE_LEVEL] = "tex.level.2d.v4.u32.f32 #, [%q0, {%f1, %f2}], %f3;\n",
        [SHAPE_GRADIENT] = "tex.grad.2d.v4.u32.f32 #, [%q0, {%f1, %f2}], {%f3, %f3}, {%f3, %f3};\n",
    };
    struct text text = { 0 };
    text_add(&text, begin);
    for (const char *at = fetches[c->shape]; *at; at++)
        if (*at == '#')
            text_add(&text, "{%r4, %r5, %r6, %r7}");
        else
            text_addf(&text, "%c", *at == '@' ? "rgba"[c->component] : *at);
    text_add(&text, finish);
    snprintf(out, size, "%s", text_string(&text));
    text_free(&text);
}

static struct sim_image image_of(const struct fetch_case *c)
{
    int size[3];
    case_size(c, size);
    const size_t texel = (size_t)texel_bytes(c->texel) * (size_t)c->channels;
    const bool layers = c->shape == SHAPE_1D_LAYERED || c->shape == SHAPE_2D_LAYERED ||
                        c->shape == SHAPE_CUBE || c->shape == SHAPE_CUBE_LAYERED;
    struct sim_image out = { .cube = c->shape == SHAPE_CUBE || c->shape == SHAPE_CUBE_LAYERED,
                             .linear = c->linear,
                             .normalised = c->normalised,
                             .unit = c->unit,
                             .pitch = (size_t)size[0] * texel,
                             .width = (uint32_t)size[0],
                             .height = (uint32_t)size[1],
                             .depth = layers ? 0 : (uint32_t)size[2],
                             .layers = layers ? (uint32_t)size[2] : 0,
                             .kind = texel_is_float(c->texel)    ? SIM_TEXEL_FLOAT
                                     : texel_is_signed(c->texel) ? SIM_TEXEL_SIGNED
                                                                 : SIM_TEXEL_UNSIGNED,
                             .channels = (unsigned)c->channels,
                             .bits = 8 * (unsigned)texel_bytes(c->texel) };
    out.slice = out.pitch * (size[1] ? (size_t)size[1] : 1);
    for (int d = 0; d < 3; d++)
        out.edge[d] =
            (enum sim_edge)(!c->normalised && c->address != SIM_EDGE_BORDER ? SIM_EDGE_CLAMP : c->address);
    for (int i = 0; i < 4 && c->border; i++)
        out.border[i] = 0.25f * (float)i + 0.3f;
    return out;
}

static uint64_t hash_of(const struct fetch_case *c)
{
    static unsigned char texels[16384];
    static float coordinates[POINTS][3];
    static int32_t places[POINTS][2];
    static uint32_t got[POINTS][4];
    struct sim_image image = image_of(c);
    char text[4096];
    for (int i = 0; i < POINTS; i++) {
        for (int d = 0; d < 3; d++)
            coordinates[i][d] = coordinate(c, d, i);
        places[i][0] = layer_at(i);
        places[i][1] = index_at(i);
    }
    const size_t slices = image.depth + image.layers, bytes = image.slice * (slices ? slices : 1);
    fill_texels(c, bytes * 8 / image.bits / image.channels, texels);
    write_kernel(c, text, sizeof text);
    struct sim_module *module = read_module(text);
    struct sim_memory *memory = sim_memory_new();
    image.at = sim_memory_add(memory, "texels", texels, bytes, 4, SIM_IN);
    const uint64_t handle = sim_image_add(memory, &image);
    const sim_address at = sim_memory_add(memory, "coordinates", coordinates, sizeof coordinates, 4, SIM_IN),
                      place = sim_memory_add(memory, "places", places, sizeof places, 4, SIM_IN),
                      out = sim_memory_add(memory, "got", got, sizeof got, 4, SIM_OUT);
    const struct sim_argument arguments[] = {
        { &handle, 8 }, { &at, sizeof at }, { &place, sizeof place }, { &out, sizeof out }
    };
    const struct sim_launch launch = {
        .grid = { 1, 1, 1 }, .block = { POINTS, 1, 1 }, .arguments = arguments, .argument_count = 4
    };
    const struct sim_options options = { .check = SIM_CHECK_COUNTERS, .threads = 1 };
    struct sim_result result;
    struct sim_fault fault;
    if (!sim_run(module, memory, &launch, &options, &result, &fault))
        fail_msg("%s", fault.text);
    if (result.finding_count)
        fail_msg("%s", result.findings[0].sentence);
    sim_result_free(&result);
    sim_memory_free(memory);
    sim_module_free(module);
    return hash_bits(&got[0][0], POINTS * 4);
}

// Filters whose last bits are not known: how weights are rounded in three dimensions, how 8 bits with a sign are
// widened, and what becomes of infinities and NaN.
static bool is_near_only(const struct fetch_case *c)
{
    return c->linear && (c->shape == SHAPE_3D || c->texel == TEXEL_S8 || c->texel == TEXEL_SPECIAL);
}

static void fetches_are_those_of_a_gpu(void **state)
{
    struct text table = { 0 };
    struct error error;
    struct fetch_case c;
    int wrong = 0, equal = 0;
    assert_true(file_read("tests/data/textures/h200.txt", &table, &error));
    for (int number = 0; case_at(number, &c); number++) {
        char name[96], line[128];
        case_name(&c, name);
        snprintf(line, sizeof line, "\n%s: %016llx\n", name, (unsigned long long)hash_of(&c));
        const bool same = strstr(text_string(&table), line) != NULL;
        equal += same;
        if (!same && !is_near_only(&c)) {
            print_message("not as on the GPU: %s\n", name);
            wrong++;
        }
    }
    text_free(&table);
    assert_int_equal(wrong, 0);
    assert_true(equal >= 580);
}

int main(void)
{
    const struct CMUnitTest all[] = { cmocka_unit_test(fetches_are_those_of_a_gpu) };
    return cmocka_run_group_tests(all, NULL, NULL);
}
