// CUDA arrays, texture and surface objects of the runtime that whole programs get: copies count texels where NVIDIA's do, a
// kernel fetches what the host has copied, and mistakes are reported. The structures are laid out as in NVIDIA's headers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if __has_include(<driver_types.h>) && __has_include(<texture_types.h>)
#include <driver_types.h>
#include <texture_types.h>
#define HAS_HEADERS 1
#endif

#include <cmocka.h>

#include "engine/base/base.h"
#include "engine/exec/cuda.h"
#include "tests/unit/exec_start.h"

enum { TO_DEVICE = 1, TO_HOST = 2, WIDTH = 8, HEIGHT = 4 };

// level: word tid.x of p is what texture t has at (1/4, 1/8) of level tid.x / 4.
// fetch: word tid.x of p is what texture t has at column tid.x / 2, row 1.5. mark: byte 4 tid.x of row 2 of surface t is tid.x.
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry fetch(.param .u64 t, .param .u64 p)\n{\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .b64 "
    "%q<8>;\n"
    "ld.param.u64 %q0, [t];\nld.param.u64 %q1, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %q2, %r0, 4;\n"
    "add.u64 %q1, %q1, %q2;\ncvt.rn.f32.u32 %f0, %r0;\nmul.f32 %f0, %f0, 0f3F000000;\nmov.f32 %f1, "
    "0f3FC00000;\n"
    "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%q0, {%f0, %f1}];\nst.global.f32 [%q1], %f4;\nret;\n}\n"
    ".visible .entry mark(.param .u64 t, .param .u64 p)\n{\n.reg .b32 %r<8>;\n.reg .b64 %q<8>;\n"
    "ld.param.u64 %q0, [t];\nmov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, 2;\n"
    "sust.b.2d.b32.trap [%q0, {%r1, %r2}], {%r0};\nret;\n}\n"
    ".visible .entry level(.param .u64 t, .param .u64 p)\n{\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .b64 "
    "%q<8>;\n"
    "ld.param.u64 %q0, [t];\nld.param.u64 %q1, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %q2, %r0, 4;\n"
    "add.u64 %q1, %q1, %q2;\ncvt.rn.f32.u32 %f0, %r0;\nmul.f32 %f0, %f0, 0f3E800000;\nmov.f32 %f1, "
    "0f3E800000;\nmov.f32 %f2, 0f3E000000;\n"
    "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%q0, {%f1, %f2}], %f0;\nst.global.f32 [%q1], "
    "%f4;\nret;\n}\n";

static struct {
    void **(*register_binary)(void *);
    void (*register_function)(void **, const void *, char *, const char *, int, void *, void *, void *,
                              void *, int *);
    cuda_error (*launch)(const void *, struct cuda_dim3, struct cuda_dim3, void **, size_t, void *);
    cuda_error (*allocate)(void **, size_t), (*copy)(void *, const void *, size_t, int), (*synchronize)(void);
    cuda_error (*make_array)(void **, const struct cuda_channel *, size_t, size_t, unsigned),
        (*drop_array)(void *);
    cuda_error (*rows_in)(void *, size_t, size_t, const void *, size_t, size_t, size_t, int),
        (*rows_out)(void *, size_t, const void *, size_t, size_t, size_t, size_t, int),
        (*box)(const struct cuda_copy_3d *);
    cuda_error (*bytes_in)(void *, size_t, size_t, const void *, size_t, int);
    cuda_error (*info)(struct cuda_channel *, struct cuda_extent *, unsigned *, void *);
    cuda_error (*make_texture)(uint64_t *, const struct cuda_resource *, const struct cuda_texture *,
                               const struct cuda_view *),
        (*drop_texture)(uint64_t), (*make_surface)(uint64_t *, const struct cuda_resource *);
    cuda_error (*texture_how)(struct cuda_texture *, uint64_t), (*texture_view)(struct cuda_view *, uint64_t);
    cuda_error (*make_levels)(void **, const struct cuda_channel *, struct cuda_extent, unsigned, unsigned),
        (*level)(void **, const void *, unsigned), (*drop_levels)(void *);
} cuda;
static char fetch, mark, level;

static int start(void **state)
{
    const struct runtime_name names[] = { { &cuda.register_binary, "__cudaRegisterFatBinary" },
                                          { &cuda.register_function, "__cudaRegisterFunction" },
                                          { &cuda.launch, "cudaLaunchKernel" },
                                          { &cuda.allocate, "cudaMalloc" },
                                          { &cuda.copy, "cudaMemcpy" },
                                          { &cuda.synchronize, "cudaDeviceSynchronize" },
                                          { &cuda.make_array, "cudaMallocArray" },
                                          { &cuda.drop_array, "cudaFreeArray" },
                                          { &cuda.rows_in, "cudaMemcpy2DToArray" },
                                          { &cuda.rows_out, "cudaMemcpy2DFromArray" },
                                          { &cuda.box, "cudaMemcpy3D" },
                                          { &cuda.bytes_in, "cudaMemcpyToArray" },
                                          { &cuda.info, "cudaArrayGetInfo" },
                                          { &cuda.make_texture, "cudaCreateTextureObject" },
                                          { &cuda.drop_texture, "cudaDestroyTextureObject" },
                                          { &cuda.make_surface, "cudaCreateSurfaceObject" },
                                          { &cuda.texture_how, "cudaGetTextureObjectTextureDesc" },
                                          { &cuda.texture_view, "cudaGetTextureObjectResourceViewDesc" },
                                          { &cuda.make_levels, "cudaMallocMipmappedArray" },
                                          { &cuda.level, "cudaGetMipmappedArrayLevel" },
                                          { &cuda.drop_levels, "cudaFreeMipmappedArray" } };
    if (!report_begin())
        return -1;
    runtime_load("13", names, sizeof names / sizeof *names);
    static struct {
        int magic, version;
        const void *data;
        void *file;
    } wrapper = { 0x466243b1, 1, ptx, NULL };
    void **handle = cuda.register_binary(&wrapper);
    cuda.register_function(handle, &fetch, NULL, "fetch", -1, NULL, NULL, NULL, NULL, NULL);
    cuda.register_function(handle, &mark, NULL, "mark", -1, NULL, NULL, NULL, NULL, NULL);
    cuda.register_function(handle, &level, NULL, "level", -1, NULL, NULL, NULL, NULL, NULL);
    return 0;
}

static cuda_error run(const char *kernel, uint64_t object, void *out, unsigned threads)
{
    void *arguments[] = { &object, &out };
    return cuda.launch(kernel, (struct cuda_dim3){ 1, 1, 1 }, (struct cuda_dim3){ threads, 1, 1 }, arguments,
                       0, NULL);
}

static void *floats(unsigned flags)
{
    static const struct cuda_channel format = { 32, 0, 0, 0, CHANNEL_FLOAT };
    float texels[HEIGHT][WIDTH];
    void *array;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i / WIDTH][i % WIDTH] = (float)i;
    assert_int_equal(cuda.make_array(&array, &format, WIDTH, HEIGHT, flags), 0);
    assert_int_equal(cuda.rows_in(array, 0, 0, texels, sizeof *texels, sizeof *texels, HEIGHT, TO_DEVICE), 0);
    return array;
}

static void a_kernel_fetches_what_was_copied(void **state)
{
    void *array = floats(0), *out;
    float got[16];
    const struct cuda_resource resource = { .type = RESOURCE_ARRAY, .of.array = array };
    const struct cuda_texture how = { .address = { 1, 1, 1 }, .filter = 1 };
    struct cuda_texture same;
    uint64_t texture;
    assert_int_equal(cuda.make_texture(&texture, &resource, &how, NULL), 0);
    assert_int_equal(cuda.allocate(&out, sizeof got), 0);
    assert_int_equal(run(&fetch, texture, out, 16), 0);
    assert_int_equal(cuda.copy(got, out, sizeof got, TO_HOST), 0);
    for (int i = 0; i < 16; i++) {
        const float column = (float)i / 2 - 0.5f;
        assert_true(got[i] == WIDTH + (column < 0 ? 0 : column));
    }
    assert_int_equal(cuda.texture_how(&same, texture), 0);
    assert_memory_equal(&same, &how, sizeof how);
    assert_int_equal(cuda.drop_texture(texture), 0);
    assert_int_equal(cuda.drop_array(array), 0);
}

static void a_surface_changes_its_array(void **state)
{
    void *array = floats(ARRAY_SURFACE);
    uint32_t row[WIDTH];
    const struct cuda_resource resource = { .type = RESOURCE_ARRAY, .of.array = array };
    uint64_t surface;
    assert_int_equal(cuda.make_surface(&surface, &resource), 0);
    assert_int_equal(run(&mark, surface, NULL, WIDTH), 0);
    assert_int_equal(cuda.rows_out(row, sizeof row, array, 0, 2, sizeof row, 1, TO_HOST), 0);
    for (uint32_t i = 0; i < WIDTH; i++)
        assert_int_equal(row[i], i);
    assert_int_equal(cuda.drop_array(array), 0);
    void *plain = floats(0);
    const struct cuda_resource other = { .type = RESOURCE_ARRAY, .of.array = plain };
    assert_int_equal(cuda.make_surface(&surface, &other), 0); // as on an H200
    expect_reported("without the flag cudaArraySurfaceLoadStore");
    assert_int_equal(cuda.drop_array(plain), 0);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Levels of 8 x 4, 4 x 2, 2 x 1 and 1 x 1 texels, that of number l with texels 10 l + column: between two levels, and
// between texels of each, as an H200 has them.
static void a_mipmap_has_levels(void **state)
{
    static const struct cuda_channel format = { 32, 0, 0, 0, CHANNEL_FLOAT };
    void *mipmap, *array, *out;
    float got[24];
    assert_int_equal(cuda.make_levels(&mipmap, &format, (struct cuda_extent){ WIDTH, HEIGHT, 0 }, 9, 0), 0);
    for (unsigned l = 0; l < 4; l++) {
        struct cuda_extent extent;
        float texels[HEIGHT][WIDTH];
        assert_int_equal(cuda.level(&array, mipmap, l), 0);
        assert_int_equal(cuda.info(NULL, &extent, NULL, array), 0);
        assert_int_equal(extent.width, WIDTH >> l);
        assert_int_equal(extent.height, l < 3 ? HEIGHT >> l : 1);
        for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
            texels[i / WIDTH][i % WIDTH] = (float)(10 * l + i % WIDTH);
        assert_int_equal(cuda.rows_in(array, 0, 0, texels, sizeof *texels, extent.width * sizeof(float),
                                      extent.height, TO_DEVICE),
                         0);
    }
    assert_int_equal(cuda.level(&array, mipmap, 4), CUDA_INVALID_VALUE);
    assert_int_equal(cuda.allocate(&out, sizeof got), 0);
    const struct cuda_resource resource = { .type = RESOURCE_MIPMAPPED, .of.array = mipmap };
    struct cuda_texture how = { .address = { 1, 1, 1 }, .normalised = 1, .mipmap_most = 9 };
    uint64_t texture;
    for (int filter = 0; filter < 4; filter++) {
        how.filter = filter & 1;
        how.mipmap_filter = filter >> 1;
        assert_int_equal(cuda.make_texture(&texture, &resource, &how, NULL), 0);
        assert_int_equal(run(&level, texture, out, 16), 0);
        assert_int_equal(cuda.copy(got, out, 16 * sizeof *got, TO_HOST), 0);
        for (int i = 0; i < 16; i++) {
            const float exact[2][4] = { { 2, 11, 20, 30 }, { 1.5f, 10.5f, 20, 30 } };
            const float *values = exact[filter & 1];
            const int near = i / 4 + (i % 4 >= 2), below = i / 4, above = below < 3 ? below + 1 : 3;
            const float part = (float)(i % 4) / 4;
            const float want = filter & 2 ? values[below] + (values[above] - values[below]) * part
                                          : values[near < 3 ? near : 3];
            if (got[i] != want)
                fail_msg("filter %d, level %g: %g for %g", filter, (double)i / 4, (double)got[i],
                         (double)want);
        }
    }
    how.mipmap_least = 1.25f;
    how.mipmap_most = 2;
    how.mipmap_bias = -0.5f;
    assert_int_equal(cuda.make_texture(&texture, &resource, &how, NULL), 0);
    assert_int_equal(run(&level, texture, out, 16), 0);
    assert_int_equal(cuda.copy(got, out, 16 * sizeof *got, TO_HOST), 0);
    assert_true(got[0] == 10.5f + 9.5f / 4);
    assert_true(got[8] == 10.5f + 9.5f / 2);
    assert_true(got[15] == 20);
    assert_int_equal(cuda.drop_array(array), 0);
    expect_reported("cudaFreeMipmappedArray frees all of its levels");
    assert_int_equal(cuda.drop_levels(mipmap), 0);
    assert_int_equal(cuda.level(&array, mipmap, 0), CUDA_INVALID_HANDLE);
    expect_reported("which was freed by cudaFreeMipmappedArray");
}

// Texels of four bytes read as floats, and levels from the second one on.
static void a_view_shows_a_part_in_another_format(void **state)
{
    static const struct cuda_channel format = { 8, 8, 8, 8, CHANNEL_UNSIGNED };
    enum { FLOAT_1 = 22, HALF_4 = 21 };
    void *mipmap, *array, *out;
    float got[16];
    assert_int_equal(cuda.make_levels(&mipmap, &format, (struct cuda_extent){ WIDTH, HEIGHT, 0 }, 4, 0), 0);
    for (unsigned l = 0; l < 4; l++) {
        float texels[HEIGHT * WIDTH];
        for (int i = 0; i < HEIGHT * WIDTH; i++)
            texels[i] = (float)(10 * l);
        assert_int_equal(cuda.level(&array, mipmap, l), 0);
        const size_t width = WIDTH >> l, height = l < 3 ? HEIGHT >> l : 1;
        assert_int_equal(cuda.rows_in(array, 0, 0, texels, WIDTH * 4, width * 4, height, TO_DEVICE), 0);
    }
    assert_int_equal(cuda.allocate(&out, sizeof got), 0);
    const struct cuda_resource resource = { .type = RESOURCE_MIPMAPPED, .of.array = mipmap };
    const struct cuda_texture how = { .address = { 1, 1, 1 }, .normalised = 1, .mipmap_most = 9 };
    struct cuda_view view = { FLOAT_1, WIDTH, HEIGHT, 0, { 1, 2 }, { 0, 0 } }, same;
    uint64_t texture;
    assert_int_equal(cuda.make_texture(&texture, &resource, &how, &view), 0);
    assert_int_equal(run(&level, texture, out, 16), 0);
    assert_int_equal(cuda.copy(got, out, sizeof got, TO_HOST), 0);
    assert_true(got[0] == 10 && got[4] == 20 && got[12] == 20);
    assert_int_equal(cuda.texture_view(&same, texture), 0);
    assert_memory_equal(&same, &view, sizeof view);
    view.level[1] = 4;
    assert_int_equal(cuda.make_texture(&texture, &resource, &how, &view), CUDA_INVALID_VALUE);
    expect_reported("makes no texture of this view: the array does not have these levels");
    view.level[1] = 2;
    view.format = HALF_4;
    assert_int_equal(cuda.make_texture(&texture, &resource, &how, &view), CUDA_INVALID_VALUE);
    expect_reported("the texels of its format have another size");
    view.format = VIEW_COMPRESSED;
    assert_int_equal(cuda.make_texture(&texture, &resource, &how, &view), CUDA_NOT_SUPPORTED);
    expect_reported("a view of an array as a compressed format");
    assert_int_equal(cuda.drop_levels(mipmap), 0);
}

static void fields_without_effect_here_are_named(void **state)
{
    static const struct cuda_channel format = { 32, 0, 0, 0, CHANNEL_FLOAT };
    void *mipmap;
    uint64_t texture;
    assert_int_equal(cuda.make_levels(&mipmap, &format, (struct cuda_extent){ WIDTH, HEIGHT, 0 }, 4, 0), 0);
    struct cuda_resource resource = { .type = RESOURCE_MIPMAPPED, .of.array = mipmap };
    struct cuda_texture how = { .filter = 1, .normalised = 1, .anisotropy = 8 };
    assert_int_equal(cuda.make_texture(&texture, &resource, &how, NULL), 0);
    expect_reported("the field maxAnisotropy is 8");
    assert_int_equal(cuda.drop_levels(mipmap), 0);
}

// Values of an H200: of a texel, and of a filter, which takes less of each.
static void srgb_is_straightened(void **state)
{
    static const struct cuda_channel format = { 8, 0, 0, 0, CHANNEL_UNSIGNED };
    static const unsigned char texels[4] = { 236, 20, 100, 255 };
    void *array, *out;
    float got[4];
    uint64_t texture;
    assert_int_equal(cuda.make_array(&array, &format, 4, 1, 0), 0);
    assert_int_equal(cuda.rows_in(array, 0, 0, texels, 4, 4, 1, TO_DEVICE), 0);
    assert_int_equal(cuda.allocate(&out, sizeof got), 0);
    const struct cuda_resource resource = { .type = RESOURCE_ARRAY, .of.array = array };
    struct cuda_texture how = { .address = { 1, 1, 1 }, .unit = 1, .srgb = 1 };
    for (how.filter = 0; how.filter < 2; how.filter++) {
        const uint32_t wanted[2][4] = { { 0x3f570000, 0x3f570000, 0x3be60000, 0x3be60000 },
                                        { 0x3f570000, 0x3f570000, 0x3ed80000, 0x3be60000 } };
        assert_int_equal(cuda.make_texture(&texture, &resource, &how, NULL), 0);
        assert_int_equal(run(&fetch, texture, out, 4), 0);
        assert_int_equal(cuda.copy(got, out, sizeof got, TO_HOST), 0);
        for (int i = 0; i < 4; i++)
            if (bits_of(got[i]) != wanted[how.filter][i])
                fail_msg("filter %d, texel %d: %08x", how.filter, i, bits_of(got[i]));
    }
}

// Both sides of a box count texels; bytes that go on in the next row count bytes.
static void copies_count_texels(void **state)
{
    void *array = floats(0);
    float host[HEIGHT][WIDTH] = { { 0 } }, back[HEIGHT][WIDTH];
    struct cuda_channel format;
    struct cuda_extent extent;
    for (int i = 0; i < WIDTH; i++)
        host[1][i] = (float)(100 + i);
    const struct cuda_copy_3d box = { .from = { host, sizeof *host, WIDTH, HEIGHT },
                                      .from_position = { 2, 1, 0 },
                                      .to_array = array,
                                      .to_position = { 5, 3, 0 },
                                      .extent = { 3, 1, 1 },
                                      .kind = TO_DEVICE };
    assert_int_equal(cuda.box(&box), 0);
    assert_int_equal(cuda.bytes_in(array, 24, 0, host[1], 16, TO_DEVICE), 0);
    assert_int_equal(cuda.rows_out(back, sizeof *back, array, 0, 0, sizeof *back, HEIGHT, TO_HOST), 0);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const float *at = &back[0][0] + i;
        assert_true(*at == (i >= 29            ? 102 + (float)(i - 29)
                            : i >= 6 && i < 10 ? 100 + (float)(i - 6)
                                               : (float)i));
    }
    assert_int_equal(cuda.info(&format, &extent, NULL, array), 0);
    assert_int_equal(format.x, 32);
    assert_int_equal(extent.height, HEIGHT);
    assert_int_equal(cuda.rows_in(array, 8, 0, host, sizeof *host, sizeof *host, 1, TO_DEVICE),
                     CUDA_INVALID_VALUE);
    expect_reported("cudaMemcpy2DToArray writes 8 x 1 x 1 texels at (2, 0, 0) of the array");
    assert_int_equal(cuda.drop_array(array), 0);
    assert_int_equal(cuda.rows_in(array, 0, 0, host, sizeof *host, 4, 1, TO_DEVICE), CUDA_INVALID_VALUE);
    expect_reported("which was freed by cudaFreeArray");
}

static void what_makes_no_texture_is_told(void **state)
{
    void *memory;
    uint64_t texture;
    const struct cuda_texture how = { .filter = 0 }, linear = { .filter = 1 };
    assert_int_equal(cuda.allocate(&memory, 4096), 0);
    struct cuda_resource rows = { .type = RESOURCE_PITCH };
    rows.of.pitch.pointer = memory;
    rows.of.pitch.format = (struct cuda_channel){ 32, 0, 0, 0, CHANNEL_SIGNED };
    rows.of.pitch.width = 8;
    rows.of.pitch.height = 4;
    rows.of.pitch.pitch = 36;
    assert_int_equal(cuda.make_texture(&texture, &rows, &how, NULL), CUDA_INVALID_VALUE);
    expect_reported("its pitch is no multiple of 32 bytes");
    rows.of.pitch.pitch = 32;
    assert_int_equal(cuda.make_texture(&texture, &rows, &linear, NULL), CUDA_INVALID_FILTER);
    expect_reported("a linear filter needs floats");
    assert_int_equal(cuda.make_texture(&texture, &rows, &how, NULL), 0);
    assert_int_equal(cuda.drop_texture(texture), 0);
    assert_int_equal(cuda.drop_texture(texture), 0);
    expect_reported("which was destroyed before");
}

static void structures_are_laid_out_as_nvidias(void **state)
{
#ifdef HAS_HEADERS
#define SAME(ours, member, theirs, other)                                                                    \
    assert_int_equal(offsetof(struct ours, member), offsetof(struct theirs, other))
    assert_int_equal(sizeof(struct cuda_channel), sizeof(struct cudaChannelFormatDesc));
    assert_int_equal(sizeof(struct cuda_copy_3d), sizeof(struct cudaMemcpy3DParms));
    assert_true(sizeof(struct cuda_resource) <= sizeof(struct cudaResourceDesc));
    assert_true(sizeof(struct cuda_texture) <= sizeof(struct cudaTextureDesc));
    SAME(cuda_resource, of.array, cudaResourceDesc, res.array.array);
    SAME(cuda_resource, of.linear.format, cudaResourceDesc, res.linear.desc);
    SAME(cuda_resource, of.linear.bytes, cudaResourceDesc, res.linear.sizeInBytes);
    SAME(cuda_resource, of.pitch.width, cudaResourceDesc, res.pitch2D.width);
    SAME(cuda_resource, of.pitch.pitch, cudaResourceDesc, res.pitch2D.pitchInBytes);
    SAME(cuda_texture, filter, cudaTextureDesc, filterMode);
    SAME(cuda_texture, unit, cudaTextureDesc, readMode);
    SAME(cuda_texture, srgb, cudaTextureDesc, sRGB);
    SAME(cuda_texture, border, cudaTextureDesc, borderColor);
    SAME(cuda_texture, normalised, cudaTextureDesc, normalizedCoords);
    SAME(cuda_texture, mipmap_most, cudaTextureDesc, maxMipmapLevelClamp);
    SAME(cuda_texture, no_trilinear, cudaTextureDesc, disableTrilinearOptimization);
    assert_true(sizeof(struct cuda_view) <= sizeof(struct cudaResourceViewDesc));
    SAME(cuda_texture, seamless, cudaTextureDesc, seamlessCubemap);
    SAME(cuda_view, level, cudaResourceViewDesc, firstMipmapLevel);
    SAME(cuda_view, layer, cudaResourceViewDesc, firstLayer);
    assert_int_equal(VIEW_COMPRESSED, cudaResViewFormatUnsignedBlockCompressed1);
    SAME(cuda_copy_3d, to_array, cudaMemcpy3DParms, dstArray);
    assert_int_equal(RESOURCE_PITCH, cudaResourceTypePitch2D);
    assert_int_equal(ARRAY_GATHER, cudaArrayTextureGather);
    assert_int_equal(CHANNEL_FLOAT, cudaChannelFormatKindFloat);
#else
    skip();
#endif
}

// The last one: the device is in error afterwards.
static void a_destroyed_texture_is_found(void **state)
{
    void *array = floats(0), *out;
    const struct cuda_resource resource = { .type = RESOURCE_ARRAY, .of.array = array };
    const struct cuda_texture how = { .filter = 0 };
    uint64_t texture;
    assert_int_equal(cuda.make_texture(&texture, &resource, &how, NULL), 0);
    assert_int_equal(cuda.allocate(&out, 64), 0);
    assert_int_equal(cuda.drop_texture(texture), 0);
    assert_int_equal(run(&fetch, texture, out, 16), 0);
    assert_int_equal(cuda.synchronize(), CUDA_ILLEGAL_ADDRESS);
    expect_reported("fetches from a texture object that was destroyed before this launch");
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_kernel_fetches_what_was_copied),
        cmocka_unit_test(a_surface_changes_its_array),
        cmocka_unit_test(a_mipmap_has_levels),
        cmocka_unit_test(a_view_shows_a_part_in_another_format),
        cmocka_unit_test(fields_without_effect_here_are_named),
        cmocka_unit_test(srgb_is_straightened),
        cmocka_unit_test(copies_count_texels),
        cmocka_unit_test(what_makes_no_texture_is_told),
        cmocka_unit_test(structures_are_laid_out_as_nvidias),
        cmocka_unit_test(a_destroyed_texture_is_found),
    };
    return cmocka_run_group_tests(all, start, report_end);
}
