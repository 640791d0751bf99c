// Runs of the workbook: of each step the newest in each place, beside those that it can be compared with.
#include "tui/command/report.h"
#include "tui/text/workbook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_GPU = 100, RANK_NONE = 1000000 };

static bool same(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "") == 0;
}

static bool is_sim(const struct record *record)
{
    return record->backend == ON_SIM;
}

// ---- which runs belong together -----------------------------------------------------------------------------------

static bool belongs(const struct run_group *group, const struct record *record)
{
    const struct record *other = &group->runs[0].record;
    bool alike = same(other->lab, record->lab) && same(other->data, record->data) &&
                 same(other->preset, record->preset);
    return alike && group->simulated == is_sim(record) && record_same_params(other, record);
}

static struct run_group *group_of(struct run_groups *groups, const struct record *record)
{
    for (size_t i = 0; i < groups->count; i++)
        if (belongs(&groups->list[i], record))
            return &groups->list[i];
    groups->list = array_room(groups->list, groups->count, sizeof *groups->list);
    groups->list[groups->count] = (struct run_group){ .simulated = is_sim(record) };
    return &groups->list[groups->count++];
}

// The CPU's steps in their order, then the GPU's by number; what is on no ladder comes last.
static size_t rank_of(const struct record *record)
{
    const struct lab *lab = record->lab ? lab_find(record->lab) : NULL;
    const char *variant = record->variant ? record->variant : "";
    if (record->backend == ON_CPU) {
        for (size_t i = 0; lab && i < lab->cpu_count; i++)
            if (same(lab->cpu[i].name, variant))
                return i;
        return RANK_GPU - 1;
    }
    size_t digits = strspn(variant, "0123456789");
    return digits && digits < 5 ? RANK_GPU + (size_t)atoi(variant) : RANK_NONE;
}

// The newest takes the place of the one before.
static void take_run(struct run_groups *groups, const json_t *event, struct record *record)
{
    struct run_group *group = group_of(groups, record);
    struct kept_run run = { *record, event, rank_of(record) };
    group->all++;
    for (size_t i = 0; i < group->count; i++) {
        struct record *old = &group->runs[i].record;
        if (!same(old->variant, record->variant) || old->backend != record->backend ||
            !same(old->device, record->device))
            continue;
        record_free(old);
        group->runs[i] = run;
        return;
    }
    group->runs = array_room(group->runs, group->count, sizeof *group->runs);
    group->runs[group->count++] = run;
}

// ---- their order ------------------------------------------------------------------------------------------------------

static size_t lab_rank(const char *name)
{
    size_t i = 0;
    while (i < lab_count && strcmp(lab_list[i]->name, name) != 0)
        i++;
    return *name ? i : lab_count + 1; // files that stand alone come last
}

static int by_step(const void *one, const void *other)
{
    const struct kept_run *a = one, *b = other;
    const char *first = a->record.device, *second = b->record.device;
    if (a->rank != b->rank && (a->rank < RANK_GPU) != (b->rank < RANK_GPU))
        return a->rank < b->rank ? -1 : 1;
    if (!same(first, second))
        return strcmp(first ? first : "", second ? second : "");
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(a->record.variant ? a->record.variant : "", b->record.variant ? b->record.variant : "");
}

// Of one lab the timed ones first, then as they came.
static int by_lab(const void *one, const void *other)
{
    const struct run_group *a = one, *b = other;
    const char *first = run_group_lab(a), *second = run_group_lab(b);
    size_t rank = lab_rank(first), other_rank = lab_rank(second);
    if (rank != other_rank)
        return rank < other_rank ? -1 : 1;
    if (strcmp(first, second) != 0)
        return strcmp(first, second);
    if (a->simulated != b->simulated)
        return a->simulated ? 1 : -1;
    return strcmp(event_text(a->runs[0].event, "date"), event_text(b->runs[0].event, "date"));
}

void run_groups_read(struct run_groups *out, const struct workbook *workbook)
{
    *out = (struct run_groups){ 0 };
    for (size_t i = 0; i < workbook_count(workbook); i++) {
        struct record record;
        struct error unused;
        if (!workbook_is(workbook, i, "run"))
            continue;
        const json_t *event = workbook_event(workbook, i);
        if (record_from_json(&record, event, &unused))
            take_run(out, event, &record);
        else
            out->unread++;
    }
    for (size_t i = 0; i < out->count; i++)
        qsort(out->list[i].runs, out->list[i].count, sizeof *out->list[i].runs, by_step);
    if (out->count)
        qsort(out->list, out->count, sizeof *out->list, by_lab);
}

void run_groups_free(struct run_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        for (size_t r = 0; r < groups->list[i].count; r++)
            record_free(&groups->list[i].runs[r].record);
        free(groups->list[i].runs);
    }
    free(groups->list);
    *groups = (struct run_groups){ 0 };
}

// ---- asking -----------------------------------------------------------------------------------------------------------

const char *run_group_lab(const struct run_group *group)
{
    return group->runs[0].record.lab ? group->runs[0].record.lab : "";
}

bool run_timed(const struct kept_run *run)
{
    return run->record.status == STATUS_RIGHT && run->record.median_ms > 0 && !is_sim(&run->record);
}

const struct kept_run *run_group_base(const struct run_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (run_timed(&group->runs[i]))
            return &group->runs[i];
    return NULL;
}
