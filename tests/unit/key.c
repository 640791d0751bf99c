// Names of keys, both ways.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/draw/draw.h"

static int key(const char *name)
{
    return key_of_name(name, strlen(name));
}

static void names(void **state)
{
    static const struct {
        const char *name;
        int key;
    } all[] = {
        { "j", 'j' },
        { "G", 'G' },
        { "/", '/' },
        { ":", ':' },
        { "?", '?' },
        { "^", '^' },
        { "<", '<' },
        { "#", '#' },
        { "-", '-' },
        { "M", 'M' },
        { "é", 0xe9 },
        { "日", 0x65e5 },
        { "^D", 4 },
        { "^Z", 26 },
        { "^\\", 28 },
        { "^_", 31 },
        { "M-x", 'x' | PRESS_ALT },
        { "M-é", 0xe9 | PRESS_ALT },
        { "M--", '-' | PRESS_ALT },
        { "M-^D", 4 | PRESS_ALT },
        { "M-<Space>", ' ' | PRESS_ALT },
        { "<Space>", ' ' },
        { "<Up>", PRESS_UP },
        { "<Down>", PRESS_DOWN },
        { "<Left>", PRESS_LEFT },
        { "<Right>", PRESS_RIGHT },
        { "<Home>", PRESS_HOME },
        { "<End>", PRESS_END },
        { "<PageUp>", PRESS_PAGE_UP },
        { "<PageDown>", PRESS_PAGE_DOWN },
        { "<Insert>", PRESS_INSERT },
        { "<Delete>", PRESS_DELETE },
        { "<Backspace>", PRESS_BACKSPACE },
        { "<Enter>", PRESS_ENTER },
        { "<Tab>", PRESS_TAB },
        { "<BackTab>", PRESS_BACK_TAB },
        { "<Escape>", PRESS_ESCAPE },
        { "<F1>", PRESS_F1 },
        { "<F12>", PRESS_F1 + 11 },
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char name[32];
        assert_int_equal(key(all[i].name), all[i].key);
        key_name(all[i].key, name, sizeof name);
        assert_string_equal(name, all[i].name);
    }
}

// Terminals send the same for both, so they are one key.
static void other_names(void **state)
{
    assert_int_equal(key("^M"), PRESS_ENTER);
    assert_int_equal(key("^J"), PRESS_ENTER);
    assert_int_equal(key("^I"), PRESS_TAB);
    assert_int_equal(key("^H"), PRESS_BACKSPACE);
    assert_int_equal(key("^?"), PRESS_BACKSPACE);
    assert_int_equal(key("^["), PRESS_ESCAPE);
    assert_int_equal(key("^d"), 4);
    assert_int_equal(key("<Esc>"), PRESS_ESCAPE);
    assert_int_equal(key("<pagedown>"), PRESS_PAGE_DOWN);
    assert_int_equal(key("<f3>"), PRESS_F1 + 2);
    assert_int_equal(key("<Hash>"), '#');
}

static void no_names(void **state)
{
    static const char *const wrong[] = {
        "",      "jj",    "<>",   "<Up",      "<Upp>",        "<F0>", "<F13>", "<F>",
        "<F1x>", "<F01>", "M-",   "M-<Up>",   "^1",           "^@",   " ",     "\x01",
        "\x7f",  "\xff",  "\xc3", "\xc0\x80", "\xed\xa0\x80", "éé",   "M-M-x", "C-x"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (key(wrong[i]))
            fail_msg("\"%s\" is key 0x%x", wrong[i], (unsigned)key(wrong[i]));
}

// Every character and every named key has a name that leads back to it.
static void round_trip(void **state)
{
    for (int code = 1; code < PRESS_F1 + 12; code = code == 0x2fff    ? 0x1f600
                                                    : code == 0x1f6ff ? PRESS_UP
                                                                      : code + 1) {
        char name[32];
        if (code == '\b' || code == '\t' || code == '\n' || code == '\r' || code == 27 ||
            (code >= 127 && code < 160))
            continue; // such a key has another number
        key_name(code, name, sizeof name);
        if (key(name) != code)
            fail_msg("key 0x%x is called \"%s\", which is key 0x%x", (unsigned)code, name,
                     (unsigned)key(name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(other_names),
        cmocka_unit_test(no_names),
        cmocka_unit_test(round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
