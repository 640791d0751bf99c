// A line that one types into, with the keys that shells have taught everybody.
#include "tui/view/view.h"

#include <string.h>

static size_t before(const struct field *field)
{
    const char *text = text_string(&field->text);
    size_t at = field->at;
    while (at && (text[--at] & 0xc0) == 0x80)
        ;
    return at;
}

static size_t after(const struct field *field)
{
    const char *text = text_string(&field->text);
    size_t at = field->at + (text[field->at] != 0);
    while ((text[at] & 0xc0) == 0x80)
        at++;
    return at;
}

static void cut(struct field *field, size_t from, size_t to)
{
    struct text rest = { 0 };
    text_add(&rest, text_string(&field->text) + to);
    field->text.length = field->at = from;
    text_add(&field->text, text_string(&rest));
    text_free(&rest);
}

static size_t word_before(const struct field *field)
{
    const char *text = text_string(&field->text);
    size_t at = field->at;
    while (at && text[at - 1] == ' ')
        at--;
    while (at && text[at - 1] != ' ')
        at--;
    return at;
}

void field_add(struct field *field, const char *text, size_t most)
{
    struct text clean = { 0 }, rest = { 0 };
    text_add_typed(&clean, text, strcspn(text, "\r\n"));
    size_t room = most - field->text.length, length = clean.length < room ? clean.length : room;
    while (length && length < clean.length && (clean.data[length] & 0xc0) == 0x80)
        length--;
    text_add(&rest, text_string(&field->text) + field->at);
    field->text.length = field->at;
    text_add_n(&field->text, text_string(&clean), length);
    field->at = field->text.length;
    text_add(&field->text, text_string(&rest));
    text_free(&rest);
    text_free(&clean);
}

void field_clear(struct field *field)
{
    text_free(&field->text);
    *field = (struct field){ 0 };
}

enum {
    CONTROL_A = 1,
    CONTROL_B = 2,
    CONTROL_D = 4,
    CONTROL_E,
    CONTROL_F,
    CONTROL_H = 8,
    CONTROL_K = 11,
    CONTROL_U = 21,
    CONTROL_W = 23,
    RUBOUT = 127
};

static bool edit(struct field *field, int key)
{
    switch (key) {
    case PRESS_LEFT:
    case CONTROL_B:
        field->at = before(field);
        return true;
    case PRESS_RIGHT:
    case CONTROL_F:
        field->at = after(field);
        return true;
    case PRESS_HOME:
    case CONTROL_A:
        field->at = 0;
        return true;
    case PRESS_END:
    case CONTROL_E:
        field->at = field->text.length;
        return true;
    case PRESS_BACKSPACE:
    case CONTROL_H:
    case RUBOUT:
        cut(field, before(field), field->at);
        return true;
    case PRESS_DELETE:
    case CONTROL_D:
        cut(field, field->at, after(field));
        return true;
    case CONTROL_K:
        cut(field, field->at, field->text.length);
        return true;
    case CONTROL_U:
        cut(field, 0, field->at);
        return true;
    case CONTROL_W:
        cut(field, word_before(field), field->at);
        return true;
    default:
        return false;
    }
}

bool field_type(struct field *field, const struct event *event, size_t most)
{
    if (event->kind == EVENT_PASTE) {
        field_add(field, event->text, most);
        return true;
    }
    if (event->kind != EVENT_KEY)
        return false;
    if (edit(field, event->key))
        return true;
    if (event->key < ' ' || event->key >= PRESS_UP)
        return false;
    char character[5];
    utf8_write((uint32_t)event->key, character);
    field_add(field, character, most);
    return true;
}
