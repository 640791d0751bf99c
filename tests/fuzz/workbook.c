// A workbook of any bytes: what is a whole event in it is read, as a JSON reader of its own finds it; an event that is
// added is there afterwards, and nothing that was there is lost.
#include "tests/fuzz/shared/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lessons/lessons.h"
#include "tui/text/text.h"

enum { EVENTS_MOST = 4096 };

// What every whole line says, read one by one; `rest`: what follows the last newline.
static size_t expect(const char *bytes, size_t size, json_t **events)
{
    size_t count = 0;
    for (const char *at = bytes, *end; (end = memchr(at, '\n', size - (size_t)(at - bytes))); at = end + 1) {
        json_t *event = json_loadb(at, (size_t)(end - at), JSON_REJECT_DUPLICATES, NULL);
        if (json_is_string(json_object_get(event, "kind")) && count < EVENTS_MOST)
            events[count++] = event;
        else
            json_decref(event);
    }
    return count;
}

static void compare(const struct workbook *workbook, json_t *const *events, size_t count)
{
    must(workbook_count(workbook) >= count);
    for (size_t i = 0; i < count; i++) {
        const char *kind = json_string_value(json_object_get(events[i], "kind"));
        const json_t *lesson = json_object_get(events[i], "lesson"), *id = json_object_get(events[i], "id");
        must(json_equal(workbook_event(workbook, i), events[i]));
        must(strlen(kind) < json_string_length(json_object_get(events[i], "kind")) ||
             workbook_is(workbook, i, kind));
        bool right = json_is_true(json_object_get(events[i], "right"));
        must(right == ((workbook_marks(workbook, i) & EVENT_RIGHT) != 0));
        if (json_is_string(lesson) && strlen(json_string_value(lesson)) == json_string_length(lesson)) {
            must(workbook_about(workbook, i, json_string_value(lesson), NULL));
            workbook_find(workbook, kind, json_string_value(lesson), json_string_value(id));
        }
    }
}

static struct workbook *open_it(const char *path)
{
    struct error error = { 0 };
    struct workbook *workbook = workbook_open(path, &error);
    must(workbook != NULL);
    return workbook;
}

// The newest of its kind, so that it is found by the index and no other is.
static void add(struct workbook *workbook)
{
    struct error error;
    must(workbook_add(workbook, "note", json_pack("{s:s, s:s}", "lesson", "fuzz", "id", "new"), &error));
    const json_t *found = workbook_find(workbook, "note", "fuzz", "new");
    must(found && found == workbook_event(workbook, workbook_count(workbook) - 1));
}

static void ask(const struct workbook *workbook)
{
    struct lessons none = { 0 };
    struct review review;
    size_t count;
    char **names = workbook_lessons(workbook, &count);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    review_read(workbook, &none, &review);
    review_free(&review);
    struct sheet sheet = sheet_new(80, true);
    struct links links = { 0 };
    boards_add(&sheet, workbook, &links);
    links_free(&links);
    sheet_free(&sheet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *path;
    json_t *events[EVENTS_MOST];
    struct error error;
    if (!path)
        path = path_join(fuzz_home(), "workbook.jsonl");
    must(file_replace(path, data, size, &error));
    size_t count = expect((const char *)data, size, events);
    struct workbook *workbook = open_it(path);
    must(workbook_count(workbook) == count);
    compare(workbook, events, count);
    ask(workbook);
    add(workbook);
    compare(workbook, events, count);
    size_t after = workbook_count(workbook), torn = workbook_torn(workbook);
    workbook_close(workbook);
    workbook = open_it(path);
    must(workbook_count(workbook) == after && workbook_torn(workbook) == torn);
    compare(workbook, events, count);
    workbook_close(workbook);
    for (size_t i = 0; i < count; i++)
        json_decref(events[i]);
    return 0;
}
