// The rows of a ladder and what is known of each: where it ran by itself, and in the simulator.
#include "tui/view/bench.h"

#include <string.h>

int bench_count(const struct bench *bench)
{
    return (int)(bench->lab->cpu_count + bench->ladder.count);
}

struct row bench_row(const struct bench *bench, int index)
{
    int cpus = (int)bench->lab->cpu_count;
    if (index < cpus)
        return (struct row){ &bench->lab->cpu[index], NULL };
    return (struct row){ NULL, &bench->ladder.variants[index - cpus] };
}

struct request bench_request(struct app *app, const struct bench *bench, struct row row, bool simulate)
{
    enum backend on = row.cpu ? ON_CPU : simulate ? ON_SIM : ON_GPU;
    return request_new(on, bench->lab->name, row.variant, row.cpu, bench->preset, bench->data);
}

static const struct run_result *result_on(struct app *app, const struct bench *bench, struct row row,
                                          bool simulate)
{
    struct request request = bench_request(app, bench, row, simulate);
    const struct run_result *result = runs_find(app, &request, row.variant);
    request_free(&request);
    return result;
}

const struct run_result *bench_result(struct app *app, const struct bench *bench, struct row row)
{
    return result_on(app, bench, row, false);
}

const struct run_result *bench_simulated(struct app *app, const struct bench *bench, struct row row)
{
    return row.cpu ? NULL : result_on(app, bench, row, true);
}

enum run_state bench_state(struct app *app, const struct bench *bench, struct row row)
{
    enum run_state state = RUN_NONE;
    for (int simulate = 0; simulate < (row.cpu ? 1 : 2) && state == RUN_NONE; simulate++) {
        struct request request = bench_request(app, bench, row, simulate);
        state = runs_state(app, &request);
        request_free(&request);
    }
    return state;
}

const struct record *bench_fastest_cpu(struct app *app, const struct bench *bench)
{
    const struct record *best = NULL;
    for (size_t i = 0; i < bench->lab->cpu_count; i++) {
        const struct run_result *result = bench_result(app, bench, bench_row(bench, (int)i));
        if (result && !result->error && result->record.status == STATUS_RIGHT &&
            (!best || result->record.median_ms < best->median_ms))
            best = &result->record;
    }
    return best;
}
