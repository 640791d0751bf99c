// Which products are computed together with the sums that read them, as ptxas does it.
//
// With a = 1 + 1 ulp, a x a rounds to b = 1 + 2 ulp. Less b, a product of its own leaves 0 and a fused one the square of
// an ulp: the result says what was done.
#include "tests/unit/sim_kernel.h"

static struct kernel_outcome outcome; // large

static const struct format {
    const char *type, *bits; // of arithmetic, and of registers
    const char *a, *b;
    uint64_t square, sign; // of an ulp; of every part
} formats[] = {
    { "f32", "f32", "0f3f800001", "0f3f800002", 0x28800000, 1u << 31 },
    { "f64", "f64", "0d3ff0000000000001", "0d3ff0000000000002", 0x3970000000000000, 1ull << 63 },
    { "f16", "b16", "0x3c01", "0x3c02", 0x0010, 0x8000 },
    { "bf16", "b16", "0x3f81", "0x3f82", 0x3880, 0x8000 },
    { "f16x2", "b32", "0x3c013c01", "0x3c023c02", 0x00100010, 0x80008000 },
    { "bf16x2", "b32", "0x3f813f81", "0x3f823f82", 0x38803880, 0x80008000 },
};

// %x1 and %x2 hold a, %x3 and %x4 hold b; TYPE and BITS stand for a format's. The result is %x9.
enum outcome_of { APART, FUSED, MINUS }; // MINUS: fused, and it is the product that is taken away
static const struct contracted {
    enum outcome_of want;
    const char *body;
} kernels[] = {
    { FUSED, "mul.TYPE %x5, %x1, %x2; sub.TYPE %x9, %x5, %x3;" },
    { MINUS, "mul.TYPE %x5, %x1, %x2; sub.TYPE %x9, %x3, %x5;" },
    { FUSED, "neg.TYPE %x6, %x3; mul.TYPE %x5, %x1, %x2; add.TYPE %x9, %x5, %x6;" },
    { FUSED, "neg.TYPE %x6, %x3; mul.TYPE %x5, %x1, %x2; add.TYPE %x9, %x6, %x5;" },
    // a rounding that is named is kept
    { APART, "mul.rn.TYPE %x5, %x1, %x2; sub.TYPE %x9, %x5, %x3;" },
    { APART, "mul.TYPE %x5, %x1, %x2; sub.rn.TYPE %x9, %x5, %x3;" },
    // through copies and signs
    { FUSED, "mul.TYPE %x5, %x1, %x2; mov.BITS %x6, %x5; sub.TYPE %x9, %x6, %x3;" },
    { MINUS, "mul.TYPE %x5, %x1, %x2; neg.TYPE %x6, %x5; add.TYPE %x9, %x6, %x3;" },
    { FUSED, "mul.TYPE %x5, %x1, %x2; neg.TYPE %x6, %x5; neg.TYPE %x7, %x6; sub.TYPE %x9, %x7, %x3;" },
    { APART, "mul.TYPE %x5, %x1, %x2; abs.TYPE %x6, %x5; sub.TYPE %x9, %x6, %x3;" },
    // by all its readers or by none
    { FUSED, "mul.TYPE %x5, %x1, %x2; sub.TYPE %x9, %x5, %x3; sub.TYPE %x8, %x4, %x5;" },
    { APART, "mul.TYPE %x5, %x1, %x2; sub.TYPE %x9, %x5, %x3; mul.TYPE %x8, %x5, %x4;" },
    { APART, "mul.TYPE %x5, %x1, %x2; sub.TYPE %x9, %x5, %x3; fma.rn.TYPE %x8, %x5, %x4, %x4;" },
    { APART, "mul.TYPE %x5, %x1, %x2; sub.TYPE %x9, %x5, %x3; fma.rn.TYPE %x8, %x4, %x4, %x5;" },
    { APART, "mul.TYPE %x5, %x1, %x2; sub.TYPE %x9, %x5, %x3; st.global.BITS [%rd1 + 64], %x5;" },
    { APART,
      "mul.TYPE %x5, %x1, %x2; add.TYPE %x6, %x5, %x5; sub.TYPE %x7, %x6, %x3; sub.TYPE %x9, %x7, %x3;" },
    // of two products the first, but rather one that has fewer readers
    { FUSED, "mul.TYPE %x5, %x1, %x2; mul.TYPE %x6, %x1, %x2; sub.TYPE %x9, %x5, %x6;" },
    { FUSED, "mul.TYPE %x5, %x1, %x2; mul.TYPE %x6, %x1, %x2; sub.TYPE %x9, %x6, %x5;" },
    { MINUS,
      "mul.TYPE %x5, %x1, %x2; mul.TYPE %x6, %x1, %x2; sub.TYPE %x9, %x5, %x6; add.TYPE %x8, %x5, %x3;" },
    { APART,
      "mul.TYPE %x5, %x1, %x2; mul.TYPE %x6, %x1, %x2; sub.TYPE %x8, %x5, %x6; sub.TYPE %x9, %x6, %x3;" },
    // in one basic block, whatever else lies in it
    { FUSED, "mul.TYPE %x5, %x1, %x2; NAMED: sub.TYPE %x9, %x5, %x3;" },
    { FUSED, "mul.TYPE %x5, %x1, %x2; bar.sync 0; sub.TYPE %x9, %x5, %x3;" },
    { APART,
      "mul.TYPE %x5, %x1, %x2; setp.eq.u32 %p1, %r0, 9; @%p1 bra OVER; sub.TYPE %x9, %x5, %x3; OVER:" },
    { FUSED, "mul.TYPE %x5, %x1, %x2; setp.ne.u32 %p1, %r0, 9; @%p1 sub.TYPE %x9, %x5, %x3;" },
    { APART,
      "mov.BITS %x5, %x3; setp.ne.u32 %p1, %r0, 9; @%p1 mul.TYPE %x5, %x1, %x2; sub.TYPE %x9, %x5, %x3;" },
    // what it is made of has to be there still
    { APART, "mul.TYPE %x5, %x1, %x2; mov.BITS %x1, %x3; sub.TYPE %x9, %x5, %x3;" },
};

static void fill_in(char *to, size_t room, const char *body, const struct format *format)
{
    size_t at = 0;
    while (*body && at < room - 1) {
        bool type = strncmp(body, "TYPE", 4) == 0, bits = strncmp(body, "BITS", 4) == 0;
        if (type || bits)
            at += (size_t)snprintf(to + at, room - at, "%s", type ? format->type : format->bits);
        else
            to[at++] = *body;
        body += type || bits ? 4 : 1;
    }
    to[at < room ? at : room - 1] = 0;
}

static uint64_t result_of(const char *body, const struct format *format)
{
    char filled[1024], text[2048];
    fill_in(filled, sizeof filled, body, format);
    snprintf(
        text, sizeof text,
        ".reg .%s %%x<10>;\nmov.%s %%x1, %s;\nmov.%s %%x2, %%x1;\nmov.%s %%x3, %s;\nmov.%s %%x4, %%x3;\n%s\n"
        "st.global.%s [%%rd0], %%x9;\nret;",
        format->bits, format->bits, format->a, format->bits, format->bits, format->b, format->bits, filled,
        format->bits);
    struct setting setting = { .body = text };
    uint64_t result;
    run(&setting, &outcome);
    expect_clean(&outcome);
    memcpy(&result, outcome.words, sizeof result);
    drop(&outcome);
    return result;
}

static void products_and_sums_are_fused_as_ptxas_does_it(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            const struct contracted *c = &kernels[k];
            uint64_t want = c->want == APART   ? 0
                            : c->want == FUSED ? formats[f].square
                                               : formats[f].square | formats[f].sign;
            uint64_t got = result_of(c->body, &formats[f]);
            if (got != want)
                fail_msg("%s: %s gave %llx, not %llx", formats[f].type, c->body, (unsigned long long)got,
                         (unsigned long long)want);
        }
}

static void only_what_flushes_alike_is_fused(void **state)
{
    (void)state;
    const struct format *f = &formats[0];
    assert_int_equal(result_of("mul.ftz.f32 %x5, %x1, %x2; sub.ftz.f32 %x9, %x5, %x3;", f), f->square);
    assert_int_equal(result_of("mul.ftz.f32 %x5, %x1, %x2; sub.f32 %x9, %x5, %x3;", f), 0);
    assert_int_equal(result_of("mul.f32 %x5, %x1, %x2; sub.ftz.f32 %x9, %x5, %x3;", f), 0);
    assert_int_equal(result_of("mul.f32 %x5, %x1, %x2; sub.sat.f32 %x9, %x5, %x3;", f), f->square);
    assert_int_equal(result_of("mul.sat.f32 %x5, %x1, %x2; sub.f32 %x9, 0f3f800000, %x5;", f), 0);
}

// What reads a product before it in the code takes the one of the round before: that one has been rounded.
static void a_reader_in_the_next_round_takes_what_was_rounded(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        assert_int_equal(result_of("mov.u32 %r9, 0; ROUND: sub.TYPE %x9, %x5, %x3; mul.TYPE %x5, %x1, %x2;\n"
                                   "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra ROUND;",
                                   &formats[f]),
                         0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_sums_are_fused_as_ptxas_does_it),
        cmocka_unit_test(only_what_flushes_alike_is_fused),
        cmocka_unit_test(a_reader_in_the_next_round_takes_what_was_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
