// Keys and their names: "j", "^D", "<Up>", "<F5>", "M-x". A key that a terminal knows by two names (^M is Enter, ^I is
// Tab) is one key here.
#include "tui/draw/screen.h"

#include <strings.h>
#include <wctype.h>

static const struct {
    const char *name;
    int key;
} named[] = {
    { "Up", PRESS_UP },
    { "Down", PRESS_DOWN },
    { "Left", PRESS_LEFT },
    { "Right", PRESS_RIGHT },
    { "Home", PRESS_HOME },
    { "End", PRESS_END },
    { "PageUp", PRESS_PAGE_UP },
    { "PageDown", PRESS_PAGE_DOWN },
    { "Insert", PRESS_INSERT },
    { "Delete", PRESS_DELETE },
    { "Backspace", PRESS_BACKSPACE },
    { "Enter", PRESS_ENTER },
    { "Tab", PRESS_TAB },
    { "BackTab", PRESS_BACK_TAB },
    { "Escape", PRESS_ESCAPE },
    { "Esc", PRESS_ESCAPE },
    { "Space", ' ' },
    { "Hash", '#' }, // which starts a comment where bindings are written
};
enum { NAMED = sizeof named / sizeof named[0], F_KEYS = 12 };

int key_of_character(int character)
{
    switch (character) {
    case '\t':
        return PRESS_TAB;
    case '\r':
    case '\n':
        return PRESS_ENTER;
    case '\b':
    case 0x7f:
        return PRESS_BACKSPACE;
    case 0x1b:
        return PRESS_ESCAPE;
    default:
        return character >= 0x80 && character < 0xa0 ? 0 : character;
    }
}

static int of_angle(const char *name, size_t length)
{
    for (int i = 0; i < NAMED; i++)
        if (strlen(named[i].name) == length && strncasecmp(named[i].name, name, length) == 0)
            return named[i].key;
    if (length < 2 || length > 3 || (name[0] != 'F' && name[0] != 'f'))
        return 0;
    int number = 0;
    for (size_t i = 1; i < length; i++) {
        if (name[i] < '0' || name[i] > '9')
            return 0;
        number = number * 10 + name[i] - '0';
    }
    return name[1] != '0' && number <= F_KEYS ? PRESS_F1 + number - 1 : 0;
}

// "^D", "^?": a control character.
static int of_caret(char letter)
{
    if (letter == '?')
        return PRESS_BACKSPACE;
    int upper = letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter;
    return upper > '@' && upper <= '_' ? key_of_character(upper - '@') : 0;
}

// One character in UTF-8, whatever the locale is: bindings are a file.
static int of_character(const char *name, size_t length)
{
    int code = 0;
    size_t used = utf8_read(name, length, &code);
    return used == length && code > ' ' && code != 0x7f ? key_of_character(code) : 0;
}

int key_of_name(const char *name, size_t length)
{
    if (length > 2 && name[0] == 'M' && name[1] == '-') {
        int key = key_of_name(name + 2, length - 2);
        return key && key < PRESS_UP ? key | PRESS_ALT : 0;
    }
    if (length == 2 && name[0] == '^')
        return of_caret(name[1]);
    if (length > 2 && name[0] == '<' && name[length - 1] == '>')
        return of_angle(name + 1, length - 2);
    return length ? of_character(name, length) : 0;
}

void key_name(int key, char *out, size_t size)
{
    const char *before = key & PRESS_ALT ? "M-" : "";
    key &= ~PRESS_ALT;
    for (int i = 0; i < NAMED; i++)
        if (named[i].key == key && key != '#') {
            format_into(out, size, "%s<%s>", before, named[i].name);
            return;
        }
    char character[5];
    if (key >= PRESS_F1 && key < PRESS_F1 + F_KEYS) {
        format_into(out, size, "%s<F%d>", before, key - PRESS_F1 + 1);
    } else if (key > 0 && key < ' ') {
        format_into(out, size, "%s^%c", before, key + '@');
    } else {
        utf8_write((uint32_t)key, character);
        format_into(out, size, "%s%s", before, character);
    }
}

size_t utf8_read(const char *text, size_t length, int *code)
{
    static const int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *bytes = (const unsigned char *)text;
    size_t need = !length            ? 1
                  : bytes[0] < 0x80  ? 1
                  : bytes[0] < 0xc2  ? 0
                  : bytes[0] < 0xe0  ? 2
                  : bytes[0] < 0xf0  ? 3
                  : bytes[0] <= 0xf4 ? 4
                                     : 0;
    if (!need)
        return UTF8_BROKEN;
    int value = need == 1 ? (length ? bytes[0] : 0) : bytes[0] & (0xff >> (need + 1));
    for (size_t i = 1; i < need && i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return UTF8_BROKEN;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (length < need)
        return 0;
    *code = value;
    bool whole = value >= least[need] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
    return whole ? need : UTF8_BROKEN;
}
