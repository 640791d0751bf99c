// The events of the workbook: how a line becomes one, and what can be asked of them.
#include "lessons/workbook.h"

#include <stdlib.h>
#include <string.h>

// ---- a line ---------------------------------------------------------------------------------------------------

static json_t *json_of(const char *line, size_t length)
{
    json_error_t why;
    return json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
}

static struct span span_of(const json_t *event, const char *key)
{
    const json_t *text = json_object_get(event, key);
    return (struct span){ json_string_value(text), json_string_length(text) };
}

static unsigned marks_of(json_t *event)
{
    unsigned marks = 0;
    const char *key;
    json_t *value;
    json_object_foreach(event, key, value)
    {
        marks |= json_is_true(value) ? mark_of(key, strlen(key)) : 0;
    }
    return marks;
}

// False: it is no event.
static bool read_line(struct entry *entry, const char *line, size_t length)
{
    json_t *event = json_of(line, length);
    *entry = (struct entry){ .event = event,
                             .kind = span_of(event, "kind"),
                             .lesson = span_of(event, "lesson"),
                             .id = span_of(event, "id"),
                             .marks = marks_of(event) };
    if (entry->kind.at)
        return true;
    json_decref(event);
    return false;
}

static void move_span(struct span *span, const char *from, const char *to)
{
    if (span->at)
        span->at = to + (span->at - from);
}

// Of a plain line; its spans are moved into the copy. False: it is no event.
static bool keep_line(struct entry *entry, const char *line, size_t length)
{
    if (!entry->kind.at)
        return false;
    entry->line = mem_copy_n(line, length);
    entry->length = length;
    move_span(&entry->kind, line, entry->line);
    move_span(&entry->lesson, line, entry->line);
    move_span(&entry->id, line, entry->line);
    return true;
}

bool entry_read(struct entry *out, const char *line, size_t length)
{
    return line_plain(line, length, out) ? keep_line(out, line, length) : read_line(out, line, length);
}

// ---- asking -------------------------------------------------------------------------------------------------

size_t workbook_count(const struct workbook *workbook)
{
    return workbook->count;
}

size_t workbook_version(const struct workbook *workbook)
{
    return workbook->version;
}

const json_t *workbook_event(const struct workbook *workbook, size_t index)
{
    if (index >= workbook->count)
        return NULL;
    struct entry *entry = &workbook->entries[index];
    if (!entry->event)
        entry->event = json_of(entry->line, entry->length);
    if (!entry->event) // line_plain promises that this cannot be; an event without words harms nobody
        entry->event = json_object();
    return entry->event;
}

static bool says(const struct span *own, const char *word)
{
    return own->at && own->length == strlen(word) && memcmp(own->at, word, own->length) == 0;
}

bool workbook_is(const struct workbook *workbook, size_t index, const char *kind)
{
    return says(&workbook->entries[index].kind, kind);
}

bool workbook_about(const struct workbook *workbook, size_t index, const char *lesson, const char *id)
{
    const struct entry *entry = &workbook->entries[index];
    return (!id || says(&entry->id, id)) && says(&entry->lesson, lesson);
}

unsigned workbook_marks(const struct workbook *workbook, size_t index)
{
    return workbook->entries[index].marks;
}

bool workbook_unwritable(const struct workbook *workbook, struct error *why)
{
    return workbook->unwritable &&
           !error_set(why, EXIT_MISSING, "Nothing can be added to the workbook %s: %s.", workbook->path,
                      workbook->unwritable);
}

size_t workbook_torn(const struct workbook *workbook)
{
    return workbook->torn + workbook->torn_at_end;
}

const json_t *workbook_find(const struct workbook *workbook, const char *kind, const char *lesson,
                            const char *id)
{
    size_t event;
    bool found = index_find(&workbook->index, workbook->entries, kind, lesson, id, &event);
    return found ? workbook_event(workbook, event) : NULL;
}

static int by_letters(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

char **workbook_lessons(const struct workbook *workbook, size_t *count)
{
    char **names = NULL;
    *count = 0;
    for (size_t i = 0; i < workbook->index.room; i++) {
        const struct index_place *place = &workbook->index.places[i];
        if (!place->any || !place->event || !workbook_is(workbook, place->event - 1, "lesson"))
            continue;
        const struct span *lesson = &workbook->entries[place->event - 1].lesson;
        names = array_room(names, *count, sizeof *names);
        names[(*count)++] = mem_copy_n(lesson->at, lesson->length);
    }
    if (*count)
        qsort(names, *count, sizeof *names, by_letters);
    return names;
}
