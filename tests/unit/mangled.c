// engine/compile/mangled.c: names as NVRTC 13 and clang 14 write them, and what they were in CUDA C.
#include "engine/compile/compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void is(const char *entry, const char *want)
{
    struct text got = { 0 };
    mangled_write(entry, &got);
    assert_string_equal(text_string(&got), want);
    text_free(&got);
}

static void functions(void **state)
{
    is("_Z4nonev", "none()");
    is("_Z1kPfi", "k(float*, int)");
    is("_Z3arrPA4_iPvastdPVi",
       "arr(int (*)[4], void*, signed char, short, unsigned short, double, volatile int*)");
    is("_Z4fptrPFviEPi", "fptr(void (*)(int), int*)");
    is("_Z4samePfS_S_PKfS1_", "same(float*, float*, float*, const float*, const float*)");
    is("_Z2alPjm", "al(unsigned int*, unsigned long)");
    is("_ZL6staticPx", "static(long long*)");
    is("_Z1kPKPKi", "k(const int* const*)");
}

static void names_in_namespaces(void **state)
{
    is("_ZN2ns5plainEPKfP6float4hlbPKPKi",
       "ns::plain(const float*, float4*, unsigned char, long, bool, const int* const*)");
    is("_ZN12_GLOBAL__N_16hiddenEPi", "(anonymous namespace)::hidden(int*)");
    is("_ZN38_GLOBAL__N__00000000_6_t_m_cu_41ee89546hiddenEPi", "(anonymous namespace)::hidden(int*)");
    is("_ZN2ns2in1kIfEEvPT_NS0_3bigE", "ns::in::k<float>(float*, ns::in::big)");
    is("_ZN2ns5paintILNS_5colorE1EEEvPi", "ns::paint<(ns::color)1>(int*)");
}

static void templates(void **state)
{
    is("_Z1kIiEvPT_", "k<int>(int*)");
    is("_Z1kIyEvPT_", "k<unsigned long long>(unsigned long long*)");
    is("_Z1kI6float2EvPT_", "k<float2>(float2*)");
    is("_Z4valsILi4ELb1ELj7ELxn9ELc97EEvPi", "vals<4, true, 7u, -9ll, (char)97>(int*)");
    is("_Z3twoIfdEvPT_PT0_S0_", "two<float, double>(float*, double*, float)");
    is("_Z3twoIKfN2ns2in3bigEEvPT_PT0_S4_",
       "two<const float, ns::in::big>(const float*, ns::in::big*, const float)");
    is("_Z5boxed3boxIfLi3EEPS_IiLi2EE", "boxed(box<float, 3>, box<int, 2>*)");
    is("_Z2ttI3boxEvPT_IiLi3EE", "tt<box>(box<int, 3>*)");
    is("_Z3depIiEvPN6traitsIT_E4typeES1_", "dep<int>(traits<int>::type*, int)");
}

static void what_is_not_read_stays(void **state)
{
    static const char *const entries[] = { "plain",
                                           "_Z4manyIJiPfEEvDpT_",
                                           "_Z2fnIXadL_Z6helperPiEEEvS0_",
                                           "_Z4exprILi3EEvPAplT_Li1E_i",
                                           "_Z",
                                           "_Z1",
                                           "_Z99x",
                                           "_Z1kS_",
                                           "_Z1kT_",
                                           "_Z1kIiE",
                                           "_ZN1aI",
                                           "_Z1kM1aFvvE",
                                           "_Z1kPfQ",
                                           "_Z1kRK" };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        is(entries[i], entries[i]);
}

// The name is known where only what follows it is not; a part of a name is none.
static void a_name_may_be_all_there_is(void **state)
{
    static const struct {
        const char *entry, *name;
        bool known;
    } cases[] = { { "plain", "plain", false },
                  { "_Z4manyIJiPfEEvDpT_", "many", false },
                  { "_Z1kPfQ", "k", false },
                  { "_ZN2ns2fnIXadL_Z1hvEEEEvv", "ns::fn", false },
                  { "_ZN2nsQ1kEv", NULL, false },
                  { "_Z99x", NULL, false },
                  { "_ZN2ns1kIiEEvPT_", "ns::k", true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mangled mangled;
        mangled_read(cases[i].entry, &mangled);
        assert_int_equal(mangled.known, cases[i].known);
        if (cases[i].name)
            assert_string_equal(mangled.name, cases[i].name);
        else
            assert_null(mangled.name);
        mangled_free(&mangled);
    }
}

// Substitutions can name each other twice each: the text has a bound.
static void a_name_cannot_grow_without_end(void **state)
{
    struct text entry = { 0 };
    struct mangled mangled;
    text_add(&entry, "_Z1kP1aFvS0_S0_E");
    for (int i = 1; i < 30; i++)
        text_addf(&entry, "FvS%c_S%c_E", i < 9 ? '0' + i + 1 : 'A' + i - 9,
                  i < 9 ? '0' + i + 1 : 'A' + i - 9);
    mangled_read(entry.data, &mangled);
    assert_false(mangled.known);
    mangled_free(&mangled);
    text_free(&entry);
    text_add(&entry, "_Z1k");
    for (int i = 0; i < 100000; i++)
        text_add(&entry, "P");
    mangled_read(entry.data, &mangled);
    assert_false(mangled.known);
    mangled_free(&mangled);
    text_free(&entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),
        cmocka_unit_test(names_in_namespaces),
        cmocka_unit_test(templates),
        cmocka_unit_test(what_is_not_read_stays),
        cmocka_unit_test(a_name_may_be_all_there_is),
        cmocka_unit_test(a_name_cannot_grow_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
