// Launch lines as numbers: every argument in the bytes that the kernel's parameter has, or an error that points at it.
#include "engine/run/worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ENTRY ".version 8.0\n.target sm_70\n.visible .entry k(.param .%s a)\n{ ret; }\n"

static bool no_buffer(void *context, const char *name, struct placed *out)
{
    (void)context;
    (void)name;
    (void)out;
    return false;
}

// k<<<1, 32>>>(VALUE), of which the one parameter has this PTX type.
static bool pack(const char *type, const char *value, uint64_t *out, struct error *error)
{
    struct text source = { 0 }, ptx = { 0 };
    struct variant variant;
    struct packed_launch packed = { 0 };
    const struct expr_scope scope = { NULL, 0 };
    text_addf(&source, "//@ launch k<<<1, 32>>>(%s)\n__global__ void k(int a) {}\n", value);
    struct sim_kernels kernels;
    struct sim_fault fault;
    text_addf(&ptx, ENTRY, type);
    if (!sim_kernels_read(ptx.data, ptx.length, &kernels, &fault))
        fail_msg("%s", fault.text);
    if (!variant_parse(&variant, NULL, "f.cu", source.data, error))
        fail_msg("%s", error->text);
    bool packs =
        launch_pack(&packed, &variant, &variant.launches[0], &kernels, &scope, no_buffer, NULL, error);
    *out = packed.slots[0];
    sim_kernels_free(&kernels);
    variant_free(&variant);
    text_free(&source);
    text_free(&ptx);
    return packs;
}

static void is(const char *type, const char *value, uint64_t want)
{
    struct error error = { 0 };
    uint64_t got;
    if (!pack(type, value, &got, &error))
        fail_msg("%s", error.text);
    assert_int_equal(got, want);
}

static void refused(const char *type, const char *value, const char *want)
{
    struct error error = { 0 };
    uint64_t got;
    if (pack(type, value, &got, &error))
        fail_msg("%s is taken for a .%s", value, type);
    assert_int_equal(error.code, EXIT_USAGE);
    if (!strstr(error.text, want))
        fail_msg("'%s' is not in: %s", want, error.text);
}

static void whole_numbers_have_the_bytes_of_their_parameter(void **state)
{
    is("u32", "7", 7);
    is("u32", "2147483648", 0x80000000);
    is("u32", "0xffffffff", 0xffffffff);
    is("u32", "-1", 0xffffffff);
    is("u32", "-2147483648", 0x80000000);
    is("u32", "2.9", 2); // as C does
    is("u8", "255", 255);
    is("u8", "-128", 0x80);
    is("u16", "65535", 0xffff);
    is("u64", "-1", UINT64_MAX);
    is("u64", "4294967298", 4294967298);
}

static void what_does_not_fit_is_refused(void **state)
{
    refused("u32", "4294967298",
            "f.cu:1:25: error: 4294967298 does not fit into parameter 1 of k, which has 32 bits\n"
            "  //@ launch k<<<1, 32>>>(4294967298)\n"
            "                          ^");
    refused("u32", "-2147483649", "-2147483649 does not fit into parameter 1 of k, which has 32 bits");
    refused("u8", "256", "256 does not fit into parameter 1 of k, which has 8 bits");
    refused("u8", "-129", "which has 8 bits");
    refused("u16", "1 << 16", "65536 does not fit");
    refused("u32", "5e9", "5e+09 does not fit");
    refused("u64", "1e30", "1e+30 does not fit into parameter 1 of k, which has 64 bits");
}

static void decimals_do_too(void **state)
{
    is("f32", "1.5", 0x3fc00000);
    is("f32", "2", 0x40000000);
    is("f32", "1e-60", 0); // the nearest float
    is("f64", "1e300", 0x7e37e43c8800759c);
    refused("f32", "1e300", "1e+300 does not fit into parameter 1 of k, which has 32 bits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_have_the_bytes_of_their_parameter),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(decimals_do_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
