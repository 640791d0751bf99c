// Results that ship, from a real GPU. They are shown where there is no GPU, and only for the code, size and data that they
// were measured with. A library's have no code.
#include "engine/run/run.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool fits(const struct record *record, const struct request *request, const char *code)
{
    const char *preset = request->preset ? request->preset : "full";
    const struct lab *lab = lab_find(request->lab);
    const char *data = request->data ? request->data : lab->data[0];
    bool same =
        *code ? same_text(record->code, code) : !record->code && same_text(record->variant, request->variant);
    return request->params.count == 0 && same && same_text(record->preset, preset) &&
           (!data || same_text(record->data, data));
}

bool recorded_find(const struct request *request, const struct variant *variant, struct record *out)
{
    char name[128], code[20] = "";
    struct error unused;
    struct text text = { 0 };
    bool found = false;
    if (!request->lab)
        return false;
    format_into(name, sizeof name, "assets/recorded/%s.jsonl", request->lab);
    if (variant)
        format_into(code, sizeof code, "%016llx", (unsigned long long)variant_code(variant));
    char *path = path_shipped(name);
    bool read = file_read(path, &text, &unused);
    char *rest = text.data;
    for (char *line; read && !found && (line = strsep(&rest, "\n"));) {
        json_t *json = json_loads(line, 0, NULL);
        if (json && record_from_json(out, json, &unused)) {
            found = fits(out, request, code);
            if (!found)
                record_free(out);
        }
        json_decref(json);
    }
    text_free(&text);
    free(path);
    return found;
}
