// The bench page: the ladder of a lab, the chosen step's source, and what came out of it.
#ifndef WARPBOOK_BENCH_H
#define WARPBOOK_BENCH_H

#include "tui/view/view.h"

enum bench_pane { PANE_SOURCE, PANE_RESULT, PANE_COUNTERS, PANE_MODEL, PANE_CHART, PANE_ROOFLINE, PANES };
enum bench_gains { GAINS_NONE, GAINS_WHAT_IF, GAINS_WHY }; // what the model's view has of them

struct bench {
    const struct lab *lab;
    struct ladder ladder;
    struct error broken;       // why the learner's copies could not be read; text "" when they could
    unsigned *asked;           // by row, as asked_about says; NULL: nothing is asked
    int chosen;                // a row: CPU implementations first, then the kernels, then the library
    int top;                   // the first display line of the ladder that is shown
    int kept_top, kept_row;    // that line when the row was chosen: what sizes do to it since is not for good
    const char *preset, *data; // NULL: the backend's own, the lab's first
    enum bench_pane pane;
    enum bench_gains gains;
    int models;              // cells for times where the ladder shows a modelled one; 0: it shows none
    enum bench_pane picture; // the last of chart and roofline; 0: neither yet
    bool both;               // result and counters are in sight together
    struct reader source, panel, other; // other: result or counters, whichever the panel does not show
    bool unfolded;                      // the opening of the source is in sight, also where room is short
    int placed;              // the row whose source was brought to the line that matters first; -1: none
    size_t placed_top;       // where that left it: as long as nobody scrolls, it is brought there anew
    unsigned told;           // the serial of the run whose compiler messages were brought into sight
    bool tell;               // they are still to be brought there
    int judged;              // the row whose run was asked for and is still to be judged; -1: none
    char *found;             // what is searched for; NULL: nothing yet
    struct reader *found_in; // NULL: among the rows
    struct watch watch;      // of the copy of which a save starts a run
    size_t chart_more;       // rows below those that the chart shows
    struct sheet flat;       // the ladder in words; only as --flat
    struct area rows_area;   // where the ladder was drawn
    struct tabs tabs;
};

struct row {
    const struct cpu_variant *cpu; // one of the three
    const struct variant *variant;
    const struct lab_library *library;
    unsigned asked; // what of it is folded
};
static inline int bench_count(const struct bench *bench)
{
    return (int)(bench->lab->cpu_count + bench->ladder.count) + (bench->lab->library != NULL);
}

struct row bench_row(const struct bench *bench, int index);

static inline struct row bench_kernel(const struct bench *bench, const struct variant *variant)
{ // of its ladder
    return bench_row(bench, (int)(bench->lab->cpu_count + (size_t)(variant - bench->ladder.variants)));
}

static inline const char *bench_name(struct row row)
{
    return row.variant ? row.variant->name : row.library ? row.library->name : row.cpu ? row.cpu->name : "";
}

static inline const char *bench_title(struct row row) // a kernel's without its number; folded: its name
{
    return row.asked     ? bench_name(row)
           : row.variant ? row.variant->title
           : row.library ? row.library->title
           : row.cpu     ? row.cpu->title
                         : "";
}

struct request bench_request(struct app *app, const struct bench *bench, struct row row, bool simulate);
// What gives a kernel a modelled time of the size that the title names. Where none is chosen, that is a larger one than
// counters are taken of, so nothing is looked for that is wrong.
struct request bench_model_request(const struct bench *bench, struct row row);

int bench_row_at(const struct bench *bench,
                 int line);                           // a line of the ladder with its headings; -1: a heading
void bench_draw(struct page *page, struct area area); // bench_draw.c
extern const char *const bench_pane_names[PANES + 1];

// ---- what is known of a row ------------------------------------------------------------------------------------------

// The newest result where it runs by itself, CPU, GPU or else recorded; NULL: none, or it is folded.
const struct run_result *bench_result(struct app *app, const struct bench *bench, struct row row);
static inline const struct record *bench_record(const struct run_result *result)
{
    return result && !result->error ? &result->record : NULL;
}

static inline bool bench_shows_time(const struct run_result *result)
{
    return bench_record(result) && result->record.median_ms > 0 && result->record.status == STATUS_RIGHT;
}

bool bench_has_time(struct app *app, const struct bench *bench,
                    struct row row); // measured or recorded, folded or not
// The simulator's answer, folded or not; NULL: none.
const struct run_result *bench_counted(struct app *app, const struct bench *bench, struct row row);
enum run_state bench_state(struct app *app, const struct bench *bench, struct row row);

// Where the recorded rows come from: "H100, 2026-11-21", or of several GPUs "H100, from 6 on H200".
void bench_recorded_on(struct app *app, const struct bench *bench, struct text *out);

// What it is doing, or how it ended.
void bench_state_words(struct app *app, const struct bench *bench, struct row row, struct text *out);
// Above the rows of the CPU or the GPU: where their times come from. Its role.
enum role bench_heading(struct app *app, const struct bench *bench, bool cpu, struct text *out);

// ---- bench_flat.c ----------------------------------------------------------------------------------------------------

struct sheet bench_flat(struct app *app, const struct bench *bench, int width); // an item is a row

// ---- bench_model.c ---------------------------------------------------------------------------------------------------

// The modelled time that it shows: nothing was measured or recorded, and the simulator's answer was right. NULL: none.
const struct modelled *bench_modelled(struct app *app, const struct bench *bench, struct row row);
const struct run_result *bench_model_result(struct app *app, const struct bench *bench, struct row row);
void bench_find_models(struct app *app, struct bench *bench);
struct sheet bench_model_sheet(struct app *app, const struct bench *bench, int width, bool utf8);

// ---- bench_pictures.c ------------------------------------------------------------------------------------------------

struct bench_pictures {
    void (*chart)(struct app *app, struct bench *bench, struct area area);
    void (*roofline)(struct app *app, const struct bench *bench, struct area area);
};
extern const struct bench_pictures bench_pictures;

#endif
