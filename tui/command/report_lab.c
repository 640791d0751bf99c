// A lab in the report: what was measured, as tables and a chart, and what the simulator counted, in tables of its own.
#include "tui/command/report.h"
#include "tui/text/workbook.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---- what both tables say --------------------------------------------------------------------------------------

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

static void cell_step(struct report *report, const struct record *record, const struct ladder *ladder)
{
    uint64_t shipped = shipped_code(ladder, record->variant);
    report_cell(report, "%s", "");
    report_add(report, ROLE_CODE, "%s", record->variant ? record->variant : "");
    if (record->title && (!record->variant || strcmp(record->title, record->variant) != 0))
        report_add(report, ROLE_TEXT, " %s", record->title);
    if (record->code && shipped && strtoull(record->code, NULL, 16) != shipped)
        report_add(report, ROLE_NOTE, " (not the kernel that ships)");
}

static void cell_check(struct report *report, const struct record *record)
{
    struct text words = { 0 };
    bool good = record->status == STATUS_RIGHT, wrong = record->status == STATUS_WRONG;
    record_check_words(record, &words);
    report_cell(report, "%s", "");
    report_add(report, good ? ROLE_GOOD : ROLE_BAD, "%s%s", wrong ? "wrong: " : "", text_string(&words));
    if (record->message)
        report_add(report, ROLE_TEXT, ": %.*s", (int)strcspn(record->message, "\n"), record->message);
    text_free(&words);
}

static void cell_day(struct report *report, const struct kept_run *run)
{
    char day[20];
    report_day(run->event, day, sizeof day);
    report_cell(report, "%s", day);
}

// "" when it is not known.
static void cell_number(struct report *report, double number, const char *unit)
{
    if (isfinite(number))
        report_cell(report, "%.*f%s", fabs(number) < 99.95, number, unit);
    else
        report_cell(report, "%s", "");
}

// ---- measured ------------------------------------------------------------------------------------------------------

// The time of a wrong answer is no time; neither is the simulator's.
static void cell_time(struct report *report, const struct record *record)
{
    char ms[40];
    bool tells = record->status == STATUS_RIGHT || record->status == STATUS_UNCHECKED;
    unit_ms(record->median_ms, ms, sizeof ms);
    report_cell(report, "%s", tells ? ms : "");
}

static void cell_speed(struct report *report, const struct kept_run *run, const struct kept_run *base)
{
    double speed = base && run_timed(run) ? base->record.median_ms / run->record.median_ms : NAN;
    if (isfinite(speed))
        report_cell(report, "%.*f", speed < 9.995 ? 2 : speed < 99.95 ? 1 : 0, speed);
    else
        report_cell(report, "%s", "");
}

static void cell_copies(struct report *report, const struct record *record)
{
    char ms[40] = "";
    unit_ms(record->h2d_ms + record->d2h_ms, ms, sizeof ms);
    report_cell(report, "%s", ms);
}

static void cell_ceiling(struct report *report, const struct record *record)
{
    report_cell(report, "%s", "");
    if (isfinite(record->ceiling_pct))
        report_add(report, ROLE_TEXT, "%.*f %%", record->ceiling_pct < 9.95, record->ceiling_pct);
    if (isfinite(record->ceiling_pct) && record->ceiling_gbps > 0)
        report_add(report, ROLE_TEXT, " of %.0f GB/s", record->ceiling_gbps);
}

static void measured_row(struct report *report, const struct kept_run *run, const struct kept_run *base,
                         const struct ladder *ladder)
{
    const struct record *record = &run->record;
    bool right = run_timed(run);
    cell_step(report, record, ladder);
    report_cell(report, "%s", "");
    report_add(report, place_role(record), "%s", place_name(record));
    report_add(report, ROLE_TEXT, "%s%s", record->device ? " " : "", record->device ? record->device : "");
    cell_time(report, record);
    cell_number(report, right ? record->spread_pct : NAN, " %");
    cell_speed(report, run, base);
    cell_number(report, right ? record->bandwidth_gbps : NAN, "");
    cell_ceiling(report, record);
    cell_copies(report, record);
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

static void add_chart(struct report *report, const struct run_group *group, const char *what)
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

static void add_base(struct report *report, const struct run_group *group, const struct kept_run *base)
{
    const struct record *record = &base->record;
    bool gpu = false;
    for (size_t i = 0; i < group->count; i++)
        gpu |= group->runs[i].record.backend == ON_GPU;
    report_words(report, "Speed-ups are against ");
    report_add(report, ROLE_CODE, "%s", record->variant ? record->variant : "");
    report_add(report, ROLE_TEXT, " on the %s.", place_name(record));
    if (gpu)
        report_add(
            report, ROLE_TEXT,
            " A GPU's times are those of the kernels alone; copies to the GPU and back stand beside them.");
}

static void measured(struct report *report, const struct run_group *group, const struct ladder *ladder,
                     const char *what)
{
    static const char *const head[] = { "step", "measured on",    "time",   "spread", "speed-up",
                                        "GB/s", "of the ceiling", "copies", "check",  "day" };
    const struct kept_run *base = run_group_base(group);
    report_table(report, head, COUNT(head), 0x2fc);
    for (size_t i = 0; i < group->count; i++)
        measured_row(report, &group->runs[i], base, ladder);
    report_table_end(report);
    if (base)
        add_base(report, group, base);
    add_chart(report, group, what);
}

// ---- simulated -------------------------------------------------------------------------------------------------------

static void cell_ratio(struct report *report, double ratio)
{
    if (isfinite(ratio))
        report_cell(report, "%.2f", ratio);
    else
        report_cell(report, "%s", "");
}

static void cell_findings(struct report *report, const struct record *record)
{
    report_cell(report, "%s", "");
    for (size_t i = 0; i < record->finding_count; i++) {
        const struct sim_finding *finding = &record->findings[i];
        report_add(report, ROLE_BAD, "%s%s", i ? "; " : "", sim_kind_name(finding->kind));
        if (finding->here.line)
            report_add(report, ROLE_TEXT, ", line %d", finding->here.line);
    }
    if (!record->finding_count)
        report_add(report, ROLE_TEXT, "none");
}

static void simulated_row(struct report *report, const struct kept_run *run, const struct ladder *ladder)
{
    const struct record *record = &run->record;
    cell_step(report, record, ladder);
    cell_ratio(report, record_sectors_per_request(record->counters));
    cell_ratio(report, record_wavefronts_per_access(record->counters));
    cell_number(report, record->counters ? record->counters->lanes_per_inst : NAN, "");
    cell_findings(report, record);
    cell_check(report, record);
    cell_day(report, run);
}

static void simulated(struct report *report, const struct run_group *group, const struct ladder *ladder)
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

// ---- a lab -------------------------------------------------------------------------------------------------------------

// "full, uniform, n = 67,108,864"
static void describe(const struct run_group *group, struct text *out)
{
    const struct record *record = &group->runs[0].record;
    text_add(out, record->preset ? record->preset : "a size of one's own");
    if (record->data)
        text_addf(out, ", %s", record->data);
    for (size_t i = 0; i < record->param_count; i++) {
        char count[40];
        unit_count(value_as_real(record->params[i].value), count, sizeof count);
        text_addf(out, ", %s = %s", record->params[i].name, count);
    }
}

static void add_group(struct report *report, const struct run_group *group, const struct ladder *ladder)
{
    struct text size = { 0 }, what = { 0 };
    const char *lab = run_group_lab(group);
    describe(group, &size);
    text_addf(&what, "%s%s%s", lab, *lab ? ", " : "", text_string(&size));
    report_words(report, "%s", "");
    report_add(report, ROLE_TITLE, "%s", group->simulated ? "Simulated" : "Measured");
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

size_t report_lab(struct report *report, const struct run_groups *groups, size_t first)
{
    const char *name = run_group_lab(&groups->list[first]);
    const struct lab *lab = lab_find(name);
    struct ladder ladder = { 0 };
    struct error unused;
    size_t at = first;
    if (!*name)
        report_heading(report, 3, "Files of one's own");
    else
        report_heading(report, 3, "%s%s%s", name, lab ? ": " : "", lab ? lab->title : "");
    bool known = lab && ladder_read_shipped(name, &ladder, &unused);
    for (; at < groups->count && strcmp(run_group_lab(&groups->list[at]), name) == 0; at++)
        add_group(report, &groups->list[at], &ladder);
    if (known)
        ladder_free(&ladder);
    return at;
}
