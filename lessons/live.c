// Live blocks: the line that opens one, and its fields.
#include "lessons/markdown.h"

#include <stdlib.h>
#include <string.h>

const char *const live_names[LIVES] = { "lab", "widget", "predict", "quiz", "order", "exercise", "bughunt" };

bool live_kind_of(const char *info, enum live_kind *kind)
{
    size_t length = strcspn(info, " \t");
    for (int k = 0; k < LIVES; k++) {
        if (strlen(live_names[k]) != length || memcmp(info, live_names[k], length) != 0)
            continue;
        *kind = (enum live_kind)k;
        return true;
    }
    return false;
}

static bool is_id(const char *id, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!(id[i] == '-' || (id[i] >= 'a' && id[i] <= 'z') || (id[i] >= '0' && id[i] <= '9')))
            return false;
    return length && length <= 60;
}

static bool opening_parse(const struct source *source, const char *info, struct live *live,
                          struct error *error)
{
    const char *kind = live_names[live->kind];
    const char *at = info + strlen(kind);
    at += strspn(at, " \t");
    size_t length = strcspn(at, " \t");
    if (!length && (live->kind == LIVE_LAB || live->kind == LIVE_WIDGET))
        return true;
    if (!string_starts(at, "id=") || at[length + strspn(at + length, " \t")])
        return line_error(source, live->line, *at ? at : kind, error,
                          "behind '%s' only its name stands, as in '%s id=stride-2'", kind, kind);
    if (!is_id(at + 3, length - 3))
        return line_error(source, live->line, at, error,
                          "a name is made of up to 60 small letters, digits and '-'");
    live->id = mem_copy_n(at + 3, length - 3);
    return true;
}

bool live_parse(const struct source *source, int line, const char *info, const char *text, struct live *out,
                struct error *error)
{
    const char *slash = strrchr(source->file, '/');
    *out = (struct live){ .line = line,
                          .folder = slash ? mem_copy_n(source->file, (size_t)(slash - source->file))
                                          : mem_copy(".") };
    struct fields fields = { 0 };
    bool parsed = live_kind_of(info, &out->kind) && opening_parse(source, info, out, error) &&
                  fields_parse(source, text, line + 1, &fields, error);
    out->fields = fields.list;
    out->field_count = fields.count;
    return parsed && live_check(source, out, error);
}

void live_free(struct live *live)
{
    free(live->id);
    free(live->folder);
    fields_free(live->fields, live->field_count);
}

static const struct live_field *find(const struct live *live, const char *key, size_t nth)
{
    for (size_t i = 0; i < live->field_count; i++)
        if (strcmp(live->fields[i].key, key) == 0 && nth-- == 0)
            return &live->fields[i];
    return NULL;
}

const char *live_nth(const struct live *live, const char *key, size_t nth)
{
    const struct live_field *field = find(live, key, nth);
    return field ? field->value : NULL;
}

const char *live_field(const struct live *live, const char *key)
{
    return live_nth(live, key, 0);
}

int live_line(const struct live *live, const char *key, size_t nth)
{
    const struct live_field *field = find(live, key, nth);
    return field ? field->line : live->line;
}

size_t live_count(const struct live *live, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < live->field_count; i++)
        count += strcmp(live->fields[i].key, key) == 0;
    return count;
}
