// Files of key bindings, and lines as the prompt takes them.
#include "tests/fuzz/shared/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "tui/app/app.h"
#include "tui/tui.h"
#include "tui/view/view.h"

static const struct vocabulary known = { page_list, commands, NULL };

static void split(const char *line)
{
    struct words words;
    struct error error;
    if (!words_split(line, &words, &error))
        return;
    struct text joined = { 0 };
    must(words.count <= sizeof words.word / sizeof *words.word);
    words_add(&words, 0, &joined);
    text_free(&joined);
    words_free(&words);
}

static void ask(const struct keys *keys)
{
    char name[24];
    for (size_t i = 0; i < keys->count; i++) {
        const struct key_binding *binding = &keys->bindings[i];
        const char *page = binding->page ? binding->page : "bench";
        must(binding->key && binding->words);
        keys_words(keys, page, binding->key);
        keys_name(keys, page, binding->words, name, sizeof name);
        split(binding->words);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = bytes_of(data, size), lines = bytes;
    struct keys keys = { 0 };
    struct error error = { 0 };
    char *text = bytes_rest(&bytes);
    must(keys_parse(&keys, &known, "keys", text, &error) || error.text[0]);
    ask(&keys);
    keys_free(&keys);
    free(text);
    while (bytes_left(&lines)) {
        char *line = bytes_line(&lines);
        split(line);
        free(line);
    }
    return 0;
}
