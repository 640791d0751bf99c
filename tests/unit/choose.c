// Which of several compiled kernels a launch line means: by the template's arguments in the line, else by what is
// passed; and what is said where neither decides.
#include "engine/run/worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// k as overloads, as instances of templates and in namespaces; what a name tells, and what its parameters are.
#define ENTRY(name, parameters) ".visible .entry " name "(" parameters ")\n{ ret; }\n"
#define POINTER ".param .u64 a"
#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static bool buffers(void *context, const char *name, struct placed *out)
{
    static const struct {
        const char *name;
        struct type type;
    } known[] = { { "f", { SCALAR_FLOAT, 1 } },
                  { "n", { SCALAR_INT, 1 } },
                  { "u", { SCALAR_UINT, 1 } },
                  { "f4", { SCALAR_FLOAT, 4 } },
                  { "d", { SCALAR_DOUBLE, 1 } } };
    (void)context;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            *out = (struct placed){ .address = 4096, .type = known[i].type };
            return true;
        }
    return false;
}

// The entry that the line means, or what is said; the caller frees.
static char *chosen(const char *ptx, const char *line)
{
    static const char declared[] = "//@ buffer f float[4]\n//@ buffer n int[4]\n//@ buffer u unsigned[4]\n"
                                   "//@ buffer f4 float4[4]\n//@ buffer d double[4]\n";
    struct text source = { 0 };
    struct variant variant;
    struct sim_kernels kernels;
    struct sim_fault fault;
    struct error error = { 0 };
    const struct sim_kernel *kernel = NULL;
    const struct expr_scope scope = { NULL, 0 };
    text_addf(&source, "%s//@ launch %s\n#define k k\n", declared, line);
    if (!variant_parse(&variant, NULL, "f.cu", source.data, &error))
        fail_msg("%s", error.text);
    if (!sim_kernels_read(ptx, strlen(ptx), &kernels, &fault))
        fail_msg("%s", fault.text);
    bool right =
        launch_kernel(&variant, &variant.launches[0], &kernels, &scope, buffers, NULL, &kernel, &error);
    char *said = mem_copy(right ? kernel->name : error.text);
    sim_kernels_free(&kernels);
    variant_free(&variant);
    text_free(&source);
    return said;
}

static void means(const char *ptx, const char *line, const char *want)
{
    char *got = chosen(ptx, line);
    if (strcmp(got, want) != 0)
        fail_msg("%s: %s, and not %s", line, got, want);
    free(got);
}

static void says(const char *ptx, const char *line, const char *words)
{
    char *got = chosen(ptx, line);
    if (!strstr(got, words))
        fail_msg("%s: '%s' is not in: %s", line, words, got);
    free(got);
}

static void buffers_decide(void **state)
{
    static const char ptx[] = HEAD ENTRY("_Z1kPf", POINTER) ENTRY("_Z1kIiEvPT_", POINTER)
        ENTRY("_Z1kP6float4", POINTER) ENTRY("_Z1kPKj", POINTER);
    means(ptx, "k<<<1, 1>>>(f)", "_Z1kPf");
    means(ptx, "k<<<1, 1>>>(n)", "_Z1kIiEvPT_");
    means(ptx, "k<<<1, 1>>>(f4)", "_Z1kP6float4");
    means(ptx, "k<<<1, 1>>>(u)", "_Z1kPKj");
    says(ptx, "k<<<1, 1>>>(d)",
         "4 kernels are called k: k(float*), k<int>(int*), k(float4*), k(const unsigned int*). These "
         "arguments fit "
         "none of them");
    says(ptx, "k<<<1, 1>>>(f, 1)", "fit none of them");
}

static void numbers_decide(void **state)
{
    static const char ptx[] =
        HEAD ENTRY("_Z1kPfi", POINTER ", .param .u32 b") ENTRY("_Z1kPff", POINTER ", .param .f32 b")
            ENTRY("_Z1kPfii", POINTER ", .param .u32 b, .param .u32 c") ENTRY("_Z1kPf", POINTER);
    means(ptx, "k<<<1, 1>>>(f, 7)", "_Z1kPfi");
    means(ptx, "k<<<1, 1>>>(f, 1.5)", "_Z1kPff");
    means(ptx, "k<<<1, 1>>>(f, 1, 2)", "_Z1kPfii");
    means(ptx, "k<<<1, 1>>>(f)", "_Z1kPf");
    static const char wide[] =
        HEAD ENTRY("_Z1kPfi", POINTER ", .param .u32 b") ENTRY("_Z1kPfx", POINTER ", .param .u64 b");
    says(wide, "k<<<1, 1>>>(f, 7)",
         "2 kernels are called k: k(float*, int), k(float*, long long). These arguments do not decide");
}

static void an_instance_is_named(void **state)
{
    static const char ptx[] = HEAD ENTRY("_Z1kIjLi4EEvPT_", POINTER) ENTRY("_Z1kIjLi8EEvPT_", POINTER)
        ENTRY("_Z1kIPKfLi4EEvPT_", POINTER) ENTRY("_Z1kIaLi4EEvPT_", POINTER);
    means(ptx, "k<unsigned, 4><<<1, 1>>>(u)", "_Z1kIjLi4EEvPT_");
    means(ptx, "k< unsigned int,0x8u ><<<1, 1>>>(u)", "_Z1kIjLi8EEvPT_");
    means(ptx, "k<const float *, 4><<<1, 1>>>(u)", "_Z1kIPKfLi4EEvPT_");
    means(ptx, "k<float const*><<<1, 1>>>(u)", "_Z1kIPKfLi4EEvPT_");
    means(ptx, "k<signed char><<<1, 1>>>(u)", "_Z1kIaLi4EEvPT_");
    says(ptx, "k<unsigned><<<1, 1>>>(u)",
         "2 kernels are called k<unsigned>: k<unsigned int, 4>(unsigned int*), "
         "k<unsigned int, 8>(unsigned int*). These arguments do not decide");
    says(ptx, "k<char><<<1, 1>>>(u)", "no kernel k<char> was compiled; there are k<unsigned int, 4>");
    says(ptx, "k<unsigned, 4, 1><<<1, 1>>>(u)", "no kernel k<unsigned, 4, 1> was compiled");
}

static void namespaces_may_be_left_out(void **state)
{
    static const char ptx[] =
        HEAD ENTRY("_ZN2ns1kEPf", POINTER) ENTRY("_ZN2ns2in1kEPf", POINTER) ENTRY("_Z2xkPf", POINTER);
    static const char both[] = HEAD ENTRY("_ZN2ns1kEPf", POINTER) ENTRY("_Z1kPf", POINTER);
    static const char hidden[] = HEAD ENTRY("_ZN12_GLOBAL__N_11kEPf", POINTER);
    means(ptx, "ns::k<<<1, 1>>>(f)", "_ZN2ns1kEPf");
    means(ptx, "in::k<<<1, 1>>>(f)", "_ZN2ns2in1kEPf");
    means(ptx, "ns :: in::k<<<1, 1>>>(f)", "_ZN2ns2in1kEPf");
    says(ptx, "k<<<1, 1>>>(f)", "2 kernels are called k: ns::k(float*), ns::in::k(float*). These");
    says(ptx, "s::k<<<1, 1>>>(f)", "no __global__ function s::k");
    means(both, "k<<<1, 1>>>(f)", "_Z1kPf");
    means(hidden, "k<<<1, 1>>>(f)", "_ZN12_GLOBAL__N_11kEPf");
}

// Of a plain name nothing is known but the sizes of its parameters.
static void nothing_is_chosen_by_chance(void **state)
{
    static const char plain[] = HEAD ENTRY("k", POINTER) ENTRY("_Z1kPf", POINTER);
    static const char large[] =
        HEAD ENTRY("k", POINTER ", .param .align 8 .b8 b[512]") ENTRY("_Z1kPfy", POINTER ", .param .u64 b");
    static const char unread[] = HEAD ENTRY("_Z1kIJPfEEvDpT_", POINTER) ENTRY("_Z1kPf", POINTER);
    static const char alone[] = HEAD ENTRY("_Z1kIJPfEEvDpT_", POINTER);
    says(plain, "k<<<1, 1>>>(f)",
         "2 kernels are called k: k with 1 parameter, k(float*). These arguments do not decide");
    means(large, "k<<<1, 1>>>(f, 7)", "_Z1kPfy");
    says(unread, "k<<<1, 1>>>(f)", "2 kernels are called k: _Z1kIJPfEEvDpT_");
    means(alone, "k<<<1, 1>>>(f)", "_Z1kIJPfEEvDpT_");
    static const char liar[] =
        HEAD ENTRY("_Z1kx", POINTER ", .param .u64 b") ENTRY("_Z1kPfx", POINTER ", .param .u64 b");
    says(liar, "k<<<1, 1>>>(f, 7)", "These arguments do not decide");
    says(alone, "k<float *><<<1, 1>>>(f)", "no kernel k<float*> was compiled; there is _Z1kIJPfEEvDpT_");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_decide),
        cmocka_unit_test(numbers_decide),
        cmocka_unit_test(an_instance_is_named),
        cmocka_unit_test(namespaces_may_be_left_out),
        cmocka_unit_test(nothing_is_chosen_by_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
