// Lines of the workbook that are known for events without being read as JSON: jansson would say the same of each.
#include "lessons/workbook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool same_span(const struct span *span, const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? span->at && span->length == strlen(text) && memcmp(span->at, text, span->length) == 0
                : !span->at;
}

// What is called plain, jansson reads, and finds the same words in it.
static bool plain_and_sound(const char *line, size_t length)
{
    struct entry entry;
    json_error_t why;
    if (!line_plain(line, length, &entry))
        return false;
    json_t *event = json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
    if (!json_is_object(event))
        fail_msg("jansson does not take %.*s: %s", (int)length, line, why.text);
    assert_true(same_span(&entry.kind, event, "kind") && same_span(&entry.lesson, event, "lesson") &&
                same_span(&entry.id, event, "id"));
    static const char *const keys[] = { "right", "review", "asked_solution" };
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(entry.marks >> i & 1, json_is_true(json_object_get(event, keys[i])));
    json_decref(event);
    return true;
}

static const char *const plain_lines[] = {
    "{}",
    "{\"kind\":\"hint\",\"right\":true,\"asked_solution\":true}",
    " { \"kind\" : \"note\" , \"text\":\"one two\" } \r",
    "{\"kind\":\"answer\",\"lesson\":\"06-coalescing\",\"id\":\"a\",\"right\":false,\"review\":true,\"came\":"
    "[8.0,1]}",
    "{\"lesson\":3,\"id\":null,\"kind\":\"run\",\"ms\":-0.25e-3,\"n\":-0,\"x\":{\"kind\":\"y\",\"a\":[{},[]]}"
    "}",
};

static void plain_lines_are_what_jansson_says(void **state)
{
    for (size_t i = 0; i < sizeof plain_lines / sizeof *plain_lines; i++)
        assert_true(plain_and_sound(plain_lines[i], strlen(plain_lines[i])));
    (void)state;
}

// Bytes are changed, left out and doubled by a fixed chance.
static void no_broken_line_is_called_plain(void **state)
{
    static const char bytes[] = "\"\\{}[]:,0123456789.eE+- \ttruefalsnkid\x01\x7f\xc3\xa9";
    uint64_t chance = 1;
    (void)state;
    for (int round = 0; round < 40000; round++) {
        char line[300];
        const char *from = plain_lines[round % 5];
        size_t length = strlen(from);
        memcpy(line, from, length + 1);
        for (int change = 0; change <= round % 3; change++) {
            chance = hash_more(chance, &round, sizeof round);
            size_t at = (size_t)(chance >> 8) % length;
            if (chance & 1)
                line[at] = bytes[(chance >> 40) % (sizeof bytes - 1)];
            else if (chance & 2 && length > 1)
                memmove(line + at, line + at + 1, --length - at);
            else
                memmove(line + at + 1, line + at, length++ - at);
        }
        plain_and_sound(line, length);
    }
}

static void what_is_not_plain_is_left_to_jansson(void **state)
{
    static const char *const lines[] = {
        "",
        "[]",
        "{\"kind\":\"a\",\"kind\":\"b\"}",
        "{\"kind\":\"a\"} x",
        "{\"kind\":\"a\",}",
        "{\"a\":{\"b\":1,\"b\":2}}",
        "{\"n\":01}",
        "{\"n\":1.}",
        "{\"n\":9999999999999999999}",
        "{\"n\":1e999}",
        "{\"text\":\"\\u00e9\"}",
        "{\"text\":\"\xc3\xa9\"}",
        "{\"text\":\"open",
        "{\"n\":truely}",
        "{\"a\":[[[[[[[[1]]]]]]]]}",
    };
    struct entry entry;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (line_plain(lines[i], strlen(lines[i]), &entry))
            fail_msg("%s", lines[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines_are_what_jansson_says),
        cmocka_unit_test(no_broken_line_is_called_plain),
        cmocka_unit_test(what_is_not_plain_is_left_to_jansson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
