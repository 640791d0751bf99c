// Our own declarations of the driver's functions against NVIDIA's cuda.h, where that is installed: a wrong
// type or number here would corrupt memory on a real GPU and show nowhere else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

// cuda.h gives some names to newer functions of the same type; here the plain ones are meant.
#ifdef cuDeviceGetUuid
#undef cuDeviceGetUuid
__typeof__(cuDeviceGetUuid_v2) cuDeviceGetUuid;
#endif
#ifdef cuEventElapsedTime
#undef cuEventElapsedTime
__typeof__(cuEventElapsedTime_v2) cuEventElapsedTime;
#endif

#define cu_result CUresult
#define cu_device_attribute CUdevice_attribute
#define cu_function_attribute CUfunction_attribute
#define cu_jit_option CUjit_option
#define cu_uuid CUuuid
#define cu_launch_config CUlaunchConfig
#define cu_array_description CUDA_ARRAY3D_DESCRIPTOR
#define cu_copy_3d CUDA_MEMCPY3D
#define cu_resource CUDA_RESOURCE_DESC
#define cu_texture_description CUDA_TEXTURE_DESC
#define cu_resource_view CUDA_RESOURCE_VIEW_DESC
#include "engine/gpu/driver.h"

static void functions_have_nvidias_types(void **state)
{
#define COMPARE(name, parameters)                                                                            \
    { #name, __builtin_types_compatible_p(__typeof__(((struct driver *)0)->name), __typeof__(&name)) },
    static const struct {
        const char *name;
        bool same;
    } functions[] = { DRIVER_FUNCTIONS(COMPARE) DRIVER_OPTIONAL(COMPARE) };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!functions[i].same)
            fail_msg("%s is declared differently in cuda.h", functions[i].name);
}

// As cuLaunchKernelEx takes a launch.
static void a_launch_is_laid_out_as_nvidias(void **state)
{
    static const size_t ours[] = { sizeof(struct driver_launch_config),
                                   offsetof(struct driver_launch_config, block),
                                   offsetof(struct driver_launch_config, shared_bytes),
                                   offsetof(struct driver_launch_config, stream),
                                   offsetof(struct driver_launch_config, attributes),
                                   offsetof(struct driver_launch_config, attribute_count),
                                   sizeof(struct driver_launch_attribute),
                                   offsetof(struct driver_launch_attribute, value) },
                        nvidias[] = { sizeof(CUlaunchConfig),
                                      offsetof(CUlaunchConfig, blockDimX),
                                      offsetof(CUlaunchConfig, sharedMemBytes),
                                      offsetof(CUlaunchConfig, hStream),
                                      offsetof(CUlaunchConfig, attrs),
                                      offsetof(CUlaunchConfig, numAttrs),
                                      sizeof(CUlaunchAttribute),
                                      offsetof(CUlaunchAttribute, value) };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        assert_int_equal(ours[i], nvidias[i]);
}

#define SAME_PLACE(ours, member, nvidias, other)                                                             \
    assert_int_equal(offsetof(struct ours, member), offsetof(nvidias, other))

static void textures_are_laid_out_as_nvidias(void **state)
{
    assert_int_equal(sizeof(struct driver_array), sizeof(CUDA_ARRAY3D_DESCRIPTOR));
    SAME_PLACE(driver_array, format, CUDA_ARRAY3D_DESCRIPTOR, Format);
    SAME_PLACE(driver_array, channels, CUDA_ARRAY3D_DESCRIPTOR, NumChannels);
    SAME_PLACE(driver_array, flags, CUDA_ARRAY3D_DESCRIPTOR, Flags);
    assert_int_equal(sizeof(struct driver_copy), sizeof(CUDA_MEMCPY3D));
    SAME_PLACE(driver_copy, from.kind, CUDA_MEMCPY3D, srcMemoryType);
    SAME_PLACE(driver_copy, from.device, CUDA_MEMCPY3D, srcDevice);
    SAME_PLACE(driver_copy, from.array, CUDA_MEMCPY3D, srcArray);
    SAME_PLACE(driver_copy, from.pitch, CUDA_MEMCPY3D, srcPitch);
    SAME_PLACE(driver_copy, from.height, CUDA_MEMCPY3D, srcHeight);
    SAME_PLACE(driver_copy, to.kind, CUDA_MEMCPY3D, dstMemoryType);
    SAME_PLACE(driver_copy, to.array, CUDA_MEMCPY3D, dstArray);
    SAME_PLACE(driver_copy, to.height, CUDA_MEMCPY3D, dstHeight);
    SAME_PLACE(driver_copy, width_bytes, CUDA_MEMCPY3D, WidthInBytes);
    SAME_PLACE(driver_copy, depth, CUDA_MEMCPY3D, Depth);
    assert_int_equal(sizeof(struct driver_resource), sizeof(CUDA_RESOURCE_DESC));
    SAME_PLACE(driver_resource, of.array, CUDA_RESOURCE_DESC, res.array.hArray);
    SAME_PLACE(driver_resource, of.linear.at, CUDA_RESOURCE_DESC, res.linear.devPtr);
    SAME_PLACE(driver_resource, of.linear.format, CUDA_RESOURCE_DESC, res.linear.format);
    SAME_PLACE(driver_resource, of.linear.channels, CUDA_RESOURCE_DESC, res.linear.numChannels);
    SAME_PLACE(driver_resource, of.linear.bytes, CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
    SAME_PLACE(driver_resource, flags, CUDA_RESOURCE_DESC, flags);
    assert_int_equal(sizeof(struct driver_texture), sizeof(CUDA_TEXTURE_DESC));
    SAME_PLACE(driver_texture, filter, CUDA_TEXTURE_DESC, filterMode);
    SAME_PLACE(driver_texture, flags, CUDA_TEXTURE_DESC, flags);
    SAME_PLACE(driver_texture, border, CUDA_TEXTURE_DESC, borderColor);
}

static void numbers_are_nvidias(void **state)
{
    const int pairs[][2] = {
        { MEMORY_DEVICE, CU_MEMORYTYPE_DEVICE },
        { MEMORY_ARRAY, CU_MEMORYTYPE_ARRAY },
        { ARRAY_LAYERED, CUDA_ARRAY3D_LAYERED },
        { ARRAY_SURFACE, CUDA_ARRAY3D_SURFACE_LDST },
        { FORMAT_UNSIGNED, CU_AD_FORMAT_UNSIGNED_INT8 },
        { FORMAT_UNSIGNED + 2, CU_AD_FORMAT_UNSIGNED_INT32 },
        { FORMAT_SIGNED, CU_AD_FORMAT_SIGNED_INT8 },
        { FORMAT_SIGNED + 2, CU_AD_FORMAT_SIGNED_INT32 },
        { FORMAT_HALF, CU_AD_FORMAT_HALF },
        { FORMAT_FLOAT, CU_AD_FORMAT_FLOAT },
        { RESOURCE_ARRAY, CU_RESOURCE_TYPE_ARRAY },
        { RESOURCE_LINEAR, CU_RESOURCE_TYPE_LINEAR },
        { TEXTURE_ELEMENTS, CU_TRSF_READ_AS_INTEGER },
        { TEXTURE_NORMALISED, CU_TRSF_NORMALIZED_COORDINATES },
        { GPU_EDGE_WRAP, CU_TR_ADDRESS_MODE_WRAP },
        { GPU_EDGE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP },
        { GPU_EDGE_MIRROR, CU_TR_ADDRESS_MODE_MIRROR },
        { GPU_EDGE_BORDER, CU_TR_ADDRESS_MODE_BORDER },
        { DEVICE_MAX_BLOCK_THREADS, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK },
        { DEVICE_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE },
        { DEVICE_SM_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT },
        { DEVICE_MEMORY_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE },
        { DEVICE_MEMORY_BUS_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH },
        { DEVICE_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE },
        { DEVICE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR },
        { DEVICE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR },
        { DEVICE_SHARED_BLOCK_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN },
        { FUNCTION_MAX_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK },
        { FUNCTION_SHARED_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES },
        { FUNCTION_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS },
        { FUNCTION_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES },
        { JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER },
        { JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES },
        { CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY },
        { CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE },
        { CU_NOT_READY, CUDA_ERROR_NOT_READY },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        assert_int_equal(pairs[i][0], pairs[i][1]);
    assert_int_equal(sizeof(CUuuid), 16);
    assert_int_equal(sizeof(CUdeviceptr), sizeof(gpu_address));
}

#else

static void textures_are_laid_out_as_nvidias(void **state)
{
    print_message("skipped: NVIDIA's cuda.h is not here\n");
    skip();
}

static void functions_have_nvidias_types(void **state)
{
    print_message("skipped: NVIDIA's cuda.h is not here\n");
    skip();
}

static void a_launch_is_laid_out_as_nvidias(void **state)
{
    print_message("skipped: NVIDIA's cuda.h is not here\n");
    skip();
}

static void numbers_are_nvidias(void **state)
{
    print_message("skipped: NVIDIA's cuda.h is not here\n");
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_nvidias_types),
        cmocka_unit_test(a_launch_is_laid_out_as_nvidias),
        cmocka_unit_test(textures_are_laid_out_as_nvidias),
        cmocka_unit_test(numbers_are_nvidias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
