// Labs in the report: what was measured, as tables and a chart; what the simulator counted, in tables of its own; and the
// kernels that the learner edited.
#include "engine/sim/sim.h"
#include "tui/command/report.h"
#include "tui/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct latest_run {
    struct record record;
    const json_t *event;
    size_t rank; // of its step on the ladder
};
// Runs that can be compared: of one lab, with one size and one kind of data, all timed or all simulated.
struct run_group {
    struct latest_run *runs; // in the order of the ladder, the CPU's first
    size_t count;
    size_t all; // runs of the workbook that are in it, also the older ones
    bool simulated;
};
struct run_groups { // by lab
    struct run_group *list;
    size_t count;
    size_t unread; // events that are no runs
};

// ---- runs -------------------------------------------------------------------------------------------------

enum { RANK_GPU = 100, RANK_NONE = 1000000 };

static bool same(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "") == 0;
}

static bool is_sim(const struct record *record)
{
    return record->backend == ON_SIM;
}

static const char *run_group_lab(const struct run_group *group)
{
    return group->runs[0].record.lab ? group->runs[0].record.lab : "";
}

// ---- which runs belong together ---------------------------------------------------------------------------

static bool is_comparable(const struct run_group *group, const struct record *record)
{
    const struct record *other = &group->runs[0].record;
    bool alike = same(other->lab, record->lab) && same(other->data, record->data) &&
                 same(other->preset, record->preset);
    return alike && group->simulated == is_sim(record) && record_same_params(other, record);
}

static struct run_group *group_of(struct run_groups *groups, const struct record *record)
{
    for (size_t i = 0; i < groups->count; i++)
        if (is_comparable(&groups->list[i], record))
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
    struct latest_run run = { *record, event, rank_of(record) };
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

// ---- their order ------------------------------------------------------------------------------------------

static size_t lab_rank(const char *name)
{
    size_t i = 0;
    while (i < lab_count && strcmp(lab_list[i]->name, name) != 0)
        i++;
    return *name ? i : lab_count + 1; // files that stand alone come last
}

static int by_step(const void *one, const void *other)
{
    const struct latest_run *a = one, *b = other;
    const char *first = a->record.device, *second = b->record.device;
    if (a->rank != b->rank && (a->rank < RANK_GPU) != (b->rank < RANK_GPU))
        return a->rank < b->rank ? -1 : 1;
    if (!same(first, second))
        return strcmp(first ? first : "", second ? second : "");
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return strcmp(a->record.variant ? a->record.variant : "", b->record.variant ? b->record.variant : "");
}

// Sorts groups by lab; the timed groups of a lab come first, then the older ones.
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

static void run_groups_read(struct run_groups *out, const struct workbook *workbook)
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

static void run_groups_free(struct run_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        for (size_t r = 0; r < groups->list[i].count; r++)
            record_free(&groups->list[i].runs[r].record);
        free(groups->list[i].runs);
    }
    free(groups->list);
    *groups = (struct run_groups){ 0 };
}

// ---- asking -----------------------------------------------------------------------------------------------

static bool run_timed(const struct latest_run *run)
{
    return run->record.status == STATUS_RIGHT && run->record.median_ms > 0 && !is_sim(&run->record);
}

static const struct latest_run *run_group_base(const struct run_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (run_timed(&group->runs[i]))
            return &group->runs[i];
    return NULL;
}

// ---- labs of a lesson ----------------------------------------------------------------------------------------------------------

// "LAB", "LAB/STEP --size small"
static bool names_lab(const char *value, const char *lab)
{
    size_t length = strlen(lab);
    return value && length && strncmp(value, lab, length) == 0 && strchr("/ ", value[length]);
}

static bool lesson_shows(const struct lesson *lesson, const char *lab)
{
    static const char *const keys[] = { "show", "run", "lab" };
    for (size_t i = 0; lesson && i < lesson->block_count; i++)
        for (size_t k = 0; lesson->blocks[i].kind == BLOCK_LIVE && k < COUNT(keys); k++)
            for (size_t n = 0; n < live_count(&lesson->blocks[i].live, keys[k]); n++)
                if (names_lab(live_nth(&lesson->blocks[i].live, keys[k], n), lab))
                    return true;
    return !lesson;
}

// ---- columns of both tables -------------------------------------------------------------------------------

static enum role place_role(const struct record *record)
{
    return record->backend == ON_CPU ? ROLE_CPU : record->backend == ON_GPU ? ROLE_GPU : ROLE_SIM;
}

static const char *place_name(const struct record *record)
{
    return record->backend == ON_CPU ? "CPU" : record->backend == ON_GPU ? "GPU" : "simulator";
}

// The code of the kernel that ships under this name; 0: there is none.
static uint64_t shipped_code(const struct ladder *ladder, const char *variant)
{
    const struct variant *shipped = variant ? ladder_find(ladder, variant) : NULL;
    return shipped ? variant_code(shipped) : 0;
}

static void cell_step(struct report_page *report, const struct record *record, const struct ladder *ladder)
{
    uint64_t shipped = shipped_code(ladder, record->variant);
    report_cell(report, ROLE_CODE, "%s", record->variant ? record->variant : "");
    if (record->title && (!record->variant || strcmp(record->title, record->variant) != 0))
        report_add(report, ROLE_TEXT, " %s", record->title);
    if (record->code && shipped && strtoull(record->code, NULL, 16) != shipped)
        report_add(report, ROLE_NOTE, " (not the kernel that ships)");
}

static void cell_check(struct report_page *report, const struct record *record)
{
    struct text words = { 0 };
    bool good = record->status == STATUS_RIGHT, wrong = record->status == STATUS_WRONG;
    record_check_words(record, &words);
    report_cell(report, good ? ROLE_GOOD : ROLE_BAD, "%s%s", wrong ? "wrong: " : "", text_string(&words));
    if (record->message)
        report_add(report, ROLE_TEXT, ": %.*s", (int)strcspn(record->message, "\n"), record->message);
    text_free(&words);
}

static void cell_day(struct report_page *report, const struct latest_run *run)
{
    char day[20];
    report_day(run->event, day, sizeof day);
    report_cell(report, ROLE_TEXT, "%s", day);
}

// A cell with the number; empty when it is not known.
static void cell_number(struct report_page *report, double number, int decimals, const char *unit)
{
    report_cell(report, ROLE_TEXT, "%s", "");
    if (isfinite(number))
        report_add(report, ROLE_TEXT, "%.*f%s", decimals, number, unit);
}

// The decimals that give a number three digits.
static int decimals_of(double number)
{
    return fabs(number) < 99.95;
}

// ---- measured ---------------------------------------------------------------------------------------------

static void cell_time(struct report_page *report, double ms)
{
    char words[40] = "";
    unit_ms(ms, words, sizeof words);
    report_cell(report, ROLE_TEXT, "%s", words);
}

static void cell_ceiling(struct report_page *report, const struct record *record)
{
    report_cell(report, ROLE_TEXT, "%s", "");
    if (isfinite(record->ceiling_pct))
        report_add(report, ROLE_TEXT, "%.*f %%", record->ceiling_pct < 9.95, record->ceiling_pct);
    struct rate rate = rate_of(record);
    if (isfinite(record->ceiling_pct) && rate.ceiling > 0)
        report_add(report, ROLE_TEXT, " of %.0f %s", rate.ceiling, rate.unit);
}

static void measured_row(struct report_page *report, const struct latest_run *run,
                         const struct latest_run *base, const struct ladder *ladder)
{
    const struct record *record = &run->record;
    bool timed = run_timed(run), told = record->status == STATUS_RIGHT || record->status == STATUS_UNCHECKED;
    double spread = timed ? record->spread_pct : NAN, rate = timed ? rate_of(record).value : NAN;
    double speed = base && timed ? base->record.median_ms / record->median_ms : NAN;
    cell_step(report, record, ladder);
    report_cell(report, place_role(record), "%s", place_name(record));
    report_add(report, ROLE_TEXT, "%s%s", record->device ? " " : "", record->device ? record->device : "");
    cell_time(report, told ? record->median_ms : NAN); // the time of a wrong answer is no time
    cell_number(report, spread, decimals_of(spread), " %");
    cell_number(report, speed, speed < 9.995 ? 2 : speed < 99.95, "");
    cell_number(report, rate, decimals_of(rate), "");
    cell_ceiling(report, record);
    cell_time(report, record->h2d_ms + record->d2h_ms);
    cell_check(report, record);
    cell_day(report, run);
}

// Whether times of several devices of one kind stand side by side.
static bool several_devices(const struct run_group *group, enum backend backend)
{
    const char *device = NULL;
    for (size_t i = 0; i < group->count; i++) {
        const struct record *record = &group->runs[i].record;
        if (!run_timed(&group->runs[i]) || record->backend != backend || !record->device)
            continue;
        if (device && strcmp(device, record->device) != 0)
            return true;
        device = record->device;
    }
    return false;
}

static void add_chart(struct report_page *report, const struct run_group *group, const char *what)
{
    size_t timed = 0;
    for (size_t i = 0; i < group->count; i++)
        timed += run_timed(&group->runs[i]);
    if (timed < 2)
        return;
    report_chart(report, "Measured times of right answers: %s", what);
    for (size_t i = 0; i < group->count; i++) {
        const struct record *record = &group->runs[i].record;
        bool named = record->device && several_devices(group, record->backend);
        if (run_timed(&group->runs[i]))
            report_bar(report, place_role(record), record->median_ms, "%s %s%s%s", place_name(record),
                       record->variant ? record->variant : "", named ? ", " : "",
                       named ? record->device : "");
    }
}

static void add_base(struct report_page *report, const struct run_group *group, const struct latest_run *base)
{
    const struct record *record = &base->record;
    bool gpu = false;
    for (size_t i = 0; i < group->count; i++)
        gpu |= group->runs[i].record.backend == ON_GPU;
    report_words(report, ROLE_TEXT, "Speed-ups are against ");
    report_add(report, ROLE_CODE, "%s", record->variant ? record->variant : "");
    report_add(report, ROLE_TEXT, " on the %s.", place_name(record));
    if (gpu)
        report_add(report, ROLE_TEXT,
                   " A GPU's times are those of the kernels alone; copies to the GPU and back are given "
                   "beside them.");
}

static void measured(struct report_page *report, const struct run_group *group, const struct ladder *ladder,
                     const char *what)
{
    const char *const unit = group->count ? rate_of(&group->runs[0].record).unit : "GB/s";
    const char *const head[] = { "step", "measured on",    "time",   "spread", "speed-up",
                                 unit,   "of the ceiling", "copies", "check",  "day" };
    const struct latest_run *base = run_group_base(group);
    report_table(report, head, COUNT(head), 0x2fc);
    for (size_t i = 0; i < group->count; i++)
        measured_row(report, &group->runs[i], base, ladder);
    report_table_end(report);
    if (base)
        add_base(report, group, base);
    add_chart(report, group, what);
}

// ---- simulated --------------------------------------------------------------------------------------------

static void cell_findings(struct report_page *report, const struct record *record)
{
    report_cell(report, ROLE_TEXT, "%s", "");
    for (size_t i = 0; i < record->finding_count; i++) {
        const struct sim_finding *finding = &record->findings[i];
        report_add(report, ROLE_BAD, "%s%s", i ? "; " : "", sim_kind_name(finding->kind));
        if (finding->here.line)
            report_add(report, ROLE_TEXT, ", line %d", finding->here.line);
    }
    if (!record->finding_count)
        report_add(report, ROLE_TEXT, "none");
}

static void simulated_row(struct report_page *report, const struct latest_run *run,
                          const struct ladder *ladder)
{
    const struct record *record = &run->record;
    double lanes = record->counters ? record->counters->lanes_per_inst : NAN;
    cell_step(report, record, ladder);
    cell_number(report, record_sectors_per_request(record->counters), 2, "");
    cell_number(report, record_wavefronts_per_access(record->counters), 2, "");
    cell_number(report, lanes, decimals_of(lanes), "");
    cell_findings(report, record);
    cell_check(report, record);
    cell_day(report, run);
}

static void simulated(struct report_page *report, const struct run_group *group, const struct ladder *ladder)
{
    static const char *const head[] = {
        "step", "sectors per request", "wavefronts per request", "lanes per instruction", "findings", "check",
        "day"
    };
    report_table(report, head, COUNT(head), 0x4e);
    for (size_t i = 0; i < group->count; i++)
        simulated_row(report, &group->runs[i], ladder);
    report_table_end(report);
}

// ---- a lab ------------------------------------------------------------------------------------------------

// "full, uniform, n = 67,108,864"
static void describe(const struct run_group *group, struct text *out)
{
    const struct record *record = &group->runs[0].record;
    struct lab_entry lab;
    bool programs = record->lab && lab_entry_find(record->lab, &lab) && lab.kind == LAB_PROGRAMS;
    text_add(out, record->preset ? record->preset : programs ? "host programs" : "a size set by hand");
    if (record->data)
        text_addf(out, ", %s", record->data);
    for (size_t i = 0; record->params && i < record->params->count; i++) {
        char count[40];
        unit_count(value_as_real(record->params->bindings[i].value), count, sizeof count);
        text_addf(out, ", %s = %s", record->params->bindings[i].name, count);
    }
}

static void add_group(struct report_page *report, const struct run_group *group, const struct ladder *ladder)
{
    struct text size = { 0 }, what = { 0 };
    const char *lab = run_group_lab(group);
    describe(group, &size);
    text_addf(&what, "%s%s%s", lab, *lab ? ", " : "", text_string(&size));
    report_words(report, ROLE_TITLE, "%s", group->simulated ? "Simulated" : "Measured");
    report_add(report, ROLE_TEXT, ": %s.", text_string(&size));
    if (group->simulated)
        report_add(report, ROLE_SIM, " Counted in the simulator, not timed.");
    if (group->all > group->count)
        report_add(report, ROLE_DIM, " The newest run of each step; there were %zu.", group->all);
    if (group->simulated)
        simulated(report, group, ladder);
    else
        measured(report, group, ladder, text_string(&what));
    text_free(&size);
    text_free(&what);
}

static size_t report_lab(struct report_page *report, const struct run_groups *groups, size_t first)
{
    const char *name = run_group_lab(&groups->list[first]);
    const struct lab *lab = lab_find(name);
    struct ladder ladder = { 0 };
    struct error unused;
    size_t at = first;
    if (!*name)
        report_heading(report, 3, "Files outside the labs");
    else
        report_heading(report, 3, "%s%s%s", name, lab ? ": " : "", lab ? lab->title : "");
    bool known = lab && ladder_read_shipped(name, &ladder, &unused);
    for (; at < groups->count && strcmp(run_group_lab(&groups->list[at]), name) == 0; at++)
        add_group(report, &groups->list[at], &ladder);
    if (known)
        ladder_free(&ladder);
    return at;
}

// ---- kernels of the ladders that were edited --------------------------------------------------------------

struct edited {
    const json_t *last;
    size_t count;
};
struct edits {
    struct edited *list;
    size_t count;
};

static struct edited *edited_of(struct edits *edits, const json_t *event)
{
    for (size_t i = 0; i < edits->count; i++)
        if (event_same(edits->list[i].last, event, "lab") &&
            event_same(edits->list[i].last, event, "variant"))
            return &edits->list[i];
    edits->list = array_room(edits->list, edits->count, sizeof *edits->list);
    edits->list[edits->count] = (struct edited){ .last = event };
    return &edits->list[edits->count++];
}

static void put(struct report_page *report, const struct edits *edits)
{
    static const char *const head[] = { "kernel", "times", "last" };
    report_heading(report, 3, "Kernels that were edited");
    report_table(report, head, 3, 0x6);
    for (size_t i = 0; i < edits->count; i++) {
        struct text name = { 0 };
        char day[20];
        event_name(edits->list[i].last, &name);
        report_day(edits->list[i].last, day, sizeof day);
        report_cell(report, ROLE_CODE, "%s", text_string(&name));
        report_cell(report, ROLE_TEXT, "%zu", edits->list[i].count);
        report_cell(report, ROLE_TEXT, "%s", day);
        text_free(&name);
    }
}

static void report_edits(struct report_page *report, const struct workbook *workbook,
                         const struct lesson *lesson)
{
    struct edits edits = { 0 };
    const json_t *event;
    for (size_t i = 0; (event = workbook_event(workbook, i)); i++) {
        bool edit = event_is(event, "edit") && !*event_text(event, "lesson");
        if (!edit || !lesson_shows(lesson, event_text(event, "lab")))
            continue;
        struct edited *edited = edited_of(&edits, event);
        edited->count++;
        edited->last = event;
    }
    if (edits.count)
        put(report, &edits);
    free(edits.list);
}

void report_labs(struct report_page *report, const struct workbook *workbook, const struct lesson *lesson)
{
    struct run_groups groups;
    bool begun = false;
    run_groups_read(&groups, workbook);
    for (size_t i = 0; i < groups.count;) {
        if (!lesson_shows(lesson, run_group_lab(&groups.list[i]))) {
            i++;
            continue;
        }
        if (!begun)
            report_heading(report, 2, "Labs");
        begun = true;
        i = report_lab(report, &groups, i);
    }
    report_edits(report, workbook, lesson);
    if (groups.unread)
        report_words(report, ROLE_TEXT,
                     "%zu run%s of the workbook cannot be read: a field is missing or wrong.", groups.unread,
                     groups.unread == 1 ? "" : "s");
    run_groups_free(&groups);
}

// ---- the learner's own copies, as they are now ------------------------------------------------------------

enum { LARGE = 64 << 10 }; // bytes of a file that is not copied into a report

struct adding {
    struct report_page *report;
    bool begun;
};

static void add_kernel(struct adding *adding, const char *name, const char *text)
{
    if (!adding->begun)
        report_heading(adding->report, 2, "Kernels");
    adding->begun = true;
    report_heading(adding->report, 3, "%s", name);
    if (strlen(text) > LARGE)
        report_words(adding->report, ROLE_TEXT, "It has more than %d KiB and is left out.", LARGE >> 10);
    else
        report_code(adding->report, text);
}

static void add_task(struct adding *adding, const struct lesson *lesson, const struct live *live)
{
    struct text below = { 0 }, text = { 0 };
    struct error unused;
    char *path = lesson_copy(lesson, live_field(live, "file"));
    text_addf(&below, "Lesson %d, %s", lesson->number, live->id);
    if (path && file_exists(path) && file_read(path, &text, &unused))
        add_kernel(adding, below.data, text_string(&text));
    text_free(&text);
    text_free(&below);
    free(path);
}

static void add_steps(struct adding *adding, const struct lab *lab)
{
    struct ladder ladder;
    struct error unused;
    if (!ladder_read(lab->name, &ladder, &unused))
        return;
    for (size_t i = 0; i < ladder.count; i++) {
        struct text name = { 0 };
        text_addf(&name, "%s/%s", lab->name, ladder.variants[i].name);
        if (ladder.variants[i].own)
            add_kernel(adding, name.data, ladder.variants[i].text);
        text_free(&name);
    }
    ladder_free(&ladder);
}

void report_kernels(struct report_page *report, const struct lessons *lessons, const struct lesson *only)
{
    struct adding adding = { .report = report };
    for (size_t i = 0; i < lessons->count; i++) {
        const struct lesson *lesson = &lessons->list[i];
        for (size_t b = 0; b < lesson->block_count && (!only || only == lesson); b++) {
            const struct live *live = &lesson->blocks[b].live;
            if (lesson->blocks[b].kind == BLOCK_LIVE && review_is_task(live))
                add_task(&adding, lesson, live);
        }
    }
    for (size_t i = 0; i < lab_count; i++)
        if (lesson_shows(only, lab_list[i]->name))
            add_steps(&adding, lab_list[i]);
}
