// Runs in the workbook.
#include "lessons/lessons.h"

// What only a page needs that was there is left out: the workbook is for years.
static json_t *event_of(const struct record *record)
{
    enum { FEW = 4 };
    static const char *const large[] = { "lines", "instructions", "ncu", "digests", "printed" };
    static const char *const cut[] = { "findings", "diagnostics" };
    json_t *event = record_to_json(record);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        json_object_del(event, large[i]);
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        json_t *first = json_array();
        json_t *all = json_object_get(event, cut[i]);
        for (size_t j = 0; j < json_array_size(all) && j < FEW; j++)
            json_array_append(first, json_array_get(all, j));
        if (json_array_size(first))
            json_object_set_new(event, cut[i], first);
        else
            json_decref(first);
    }
    return event;
}

bool workbook_add_run(struct workbook *workbook, const struct record *record, struct error *error)
{
    return workbook_add(workbook, "run", event_of(record), error);
}
