// Looks of roles: one for each in every palette, legible on its ground, and by weight alone where there is no colour.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/draw/draw.h"

static const enum palette palettes[] = { PALETTE_MONO, PALETTE_8, PALETTE_16, PALETTE_256, PALETTE_TRUE };
static const int32_t most[] = { 0, 8, 16, 256, 0x1000000 };
enum { PALETTES = 5, MARKS_ALL = 8 };

static bool same(struct look a, struct look b)
{
    return a.ink == b.ink && a.ground == b.ground && a.bold == b.bold && a.dim == b.dim &&
           a.underline == b.underline && a.reverse == b.reverse && a.italic == b.italic;
}

static void every_look_is_within_its_palette(void **state)
{
    for (int p = 0; p < PALETTES; p++)
        for (int i = 0; i < ROLES * MARKS_ALL * 2; i++) {
            struct look look =
                theme_look(palettes[p], i & 1, (enum role)(i / 2 / MARKS_ALL), i / 2 % MARKS_ALL);
            assert_true(look.ink >= -1 && look.ink < most[p]);
            assert_true(look.ground >= -1 && look.ground < most[p]);
            if (look.ground >= 0)
                assert_true(look.ink >= 0); // nobody knows the terminal's own ink
        }
}

static void text_is_the_terminals_own(void **state)
{
    for (int p = 0; p < PALETTES; p++) {
        struct look look = theme_look(palettes[p], false, ROLE_TEXT, MARK_NONE);
        assert_true(same(look, (struct look){ -1, -1, false, false, false, false, false }));
    }
}

// What an outcome is, and where one is, must show in every palette, and differ from each other and from plain text.
static void outcomes_differ(void **state)
{
    static const enum role roles[] = { ROLE_TEXT, ROLE_GOOD, ROLE_BAD, ROLE_NOTE, ROLE_DIM, ROLE_BAR };
    enum { COUNT = sizeof roles / sizeof roles[0] };
    for (int p = 0; p < PALETTES; p++)
        for (int light = 0; light < 2; light++)
            for (int a = 0; a < COUNT; a++)
                for (int b = 0; b < a; b++)
                    assert_false(same(theme_look(palettes[p], light, roles[a], 0),
                                      theme_look(palettes[p], light, roles[b], 0)));
}

// A colour has one meaning where there are colours enough.
static void meanings_differ(void **state)
{
    static const enum role roles[] = {
        ROLE_GOOD, ROLE_BAD, ROLE_NOTE, ROLE_CPU, ROLE_GPU, ROLE_SIM, ROLE_LINK
    };
    enum { COUNT = sizeof roles / sizeof roles[0] };
    for (int p = 3; p < PALETTES; p++) // from 256 on
        for (int light = 0; light < 2; light++)
            for (int a = 0; a < COUNT; a++)
                for (int b = 0; b < a; b++)
                    assert_int_not_equal(theme_look(palettes[p], light, roles[a], 0).ink,
                                         theme_look(palettes[p], light, roles[b], 0).ink);
}

static void every_mark_shows(void **state)
{
    for (int p = 0; p < PALETTES; p++)
        for (int i = 0; i < ROLES * 2; i++) {
            struct look without = theme_look(palettes[p], i & 1, (enum role)(i / 2), MARK_NONE);
            for (unsigned mark = 1; mark < MARKS_ALL; mark *= 2) {
                assert_false(same(without, theme_look(palettes[p], i & 1, (enum role)(i / 2), mark)));
            }
        }
}

static void mono_has_weights_only(void **state)
{
    struct look selected = theme_look(PALETTE_MONO, false, ROLE_TEXT, MARK_SELECTED);
    struct look found = theme_look(PALETTE_MONO, false, ROLE_TEXT, MARK_FOUND);
    struct look bad = theme_look(PALETTE_MONO, false, ROLE_BAD, 0);
    assert_true(selected.reverse);
    assert_true(found.underline);
    assert_true(bad.bold && bad.underline);
    for (int i = 0; i < ROLES * MARKS_ALL; i++) {
        struct look dark = theme_look(PALETTE_MONO, false, (enum role)(i / MARKS_ALL), i % MARKS_ALL);
        assert_true(dark.ink == -1 && dark.ground == -1);
        assert_true(same(dark, theme_look(PALETTE_MONO, true, (enum role)(i / MARKS_ALL), i % MARKS_ALL)));
    }
}

// ---- contrast, as WCAG counts it: 1 to 21 ------------------------------------------------------------

static int32_t rgb_of(enum palette palette, int32_t colour)
{
    if (palette == PALETTE_TRUE)
        return colour;
    assert_true(colour >= 16); // the first 16 are the user's
    if (colour >= 232)
        return (8 + 10 * (colour - 232)) * 0x10101;
    int32_t rgb = 0;
    for (int i = 0, of = 36; i < 3; i++, of /= 6) {
        int side = (colour - 16) / of % 6;
        rgb = rgb << 8 | (side ? 55 + 40 * side : 0);
    }
    return rgb;
}

static double luminance(int32_t rgb)
{
    static const double weight[] = { 0.2126, 0.7152, 0.0722 };
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double value = ((rgb >> (16 - 8 * i)) & 0xff) / 255.0;
        sum += weight[i] * (value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(int32_t a, int32_t b)
{
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

static void every_ink_can_be_read(void **state)
{
    static const int32_t own[] = { 0x1e1e1e, 0xf8f8f8 };
    for (int p = 3; p < PALETTES; p++)
        for (int i = 0; i < ROLES * MARKS_ALL * 2; i++) {
            enum role role = (enum role)(i / 2 / MARKS_ALL);
            unsigned marks = (unsigned)i / 2 % MARKS_ALL;
            struct look look = theme_look(palettes[p], i & 1, role, marks);
            if (look.ink < 0 || (role == ROLE_FRAME && marks))
                continue;
            int32_t ground = look.ground < 0 ? own[i & 1] : rgb_of(palettes[p], look.ground);
            double seen = contrast(rgb_of(palettes[p], look.ink), ground);
            if (seen < (role == ROLE_FRAME || marks ? 3 : 4.5))
                fail_msg("palette %d, %s, role %d, marks %u: a contrast of %.1f", p, i & 1 ? "light" : "dark",
                         role, marks, seen);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_look_is_within_its_palette),
        cmocka_unit_test(text_is_the_terminals_own),
        cmocka_unit_test(outcomes_differ),
        cmocka_unit_test(meanings_differ),
        cmocka_unit_test(every_mark_shows),
        cmocka_unit_test(mono_has_weights_only),
        cmocka_unit_test(every_ink_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
