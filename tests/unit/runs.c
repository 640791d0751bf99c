// Runs in the background and their results. The worker is lines of shell in $WARPBOOK_WORKER.
#include "tests/child.h"
#include "tui/view/view.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Serves for ever: DESCRIBED is what the machine has, ANSWER the rest of the line about a run.
#define WORKER(described, answer)                                                                            \
    GREETS "while read -r line; do id=${line##*\\\"id\\\":}; id=${id%%[,\\}]*}; case $line in "              \
           "*'\"do\":\"describe\"'*) echo '{\"id\":'$id',\"result\":" described "}' ;; "                     \
           "*) " answer " ;; esac; done"
#define GPU "{\"gpu\":{\"name\":\"Test\"}}"
#define NO_GPU "{\"gpu_missing\":\"There is no GPU.\"}"
#define FOUND "{\"kind\":\"race in shared memory\",\"severity\":\"error\",\"sentence\":\"…\",\"count\":1}"
#define RIGHT                                                                                                \
    "echo '{\"id\":'$id',\"result\":{\"backend\":\"gpu\",\"status\":\"right\",\"median_ms\":1.5,"            \
    "\"lines\":[{\"line\":1},{\"line\":2}],\"findings\":[" FOUND "," FOUND "," FOUND "," FOUND "," FOUND     \
    "," FOUND "]}}'"

static char said[400];

void app_say(struct app *app, enum role role, const char *format, ...)
{
    struct text text = { 0 };
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    format_into(said, sizeof said, "%s", text_string(&text));
    text_free(&text);
}

static struct app *start(const char *worker)
{
    struct app *app = mem_new(sizeof *app);
    setenv("WARPBOOK_WORKER", worker, 1);
    *said = 0;
    app->tasks = tasks_new(&app->wake);
    runs_open(app);
    runs_ask(app);
    return app;
}

static void settle(struct app *app)
{
    while (tasks_waiting(app->tasks, LANE_RUNS)) {
        struct pollfd fd = { app->wake, POLLIN, 0 };
        assert_int_equal(poll(&fd, 1, 180000), 1);
        tasks_collect(app->tasks, app);
    }
}

static void end(struct app *app)
{
    if (app->workbook)
        workbook_close(app->workbook);
    tasks_free(app->tasks, app);
    runs_close(app);
    free(app);
}

static struct request cpu_request(const char *preset)
{
    const struct lab *lab = lab_find("vecadd");
    return request_new(ON_CPU, "vecadd", NULL, &lab->cpu[0], preset, NULL);
}

static void run(struct app *app, struct request request)
{
    runs_start(app, &request);
    assert_null(request.lab); // taken over
}

static void a_result_is_kept(void **state)
{
    struct app *app = start(WORKER(GPU, RIGHT));
    struct request small = cpu_request("small"), full = cpu_request("full"), plain = cpu_request(NULL);
    assert_null(runs_find(app, &small, NULL));
    run(app, cpu_request("small"));
    assert_int_not_equal(runs_state(app, &small), RUN_NONE);
    assert_int_equal(runs_state(app, &full), RUN_NONE);
    app->dirty = false;
    settle(app);
    assert_true(app->dirty);
    assert_int_equal(runs_state(app, &small), RUN_NONE);
    const struct run_result *result = runs_find(app, &small, NULL);
    assert_non_null(result);
    assert_int_equal(result->record.status, STATUS_RIGHT);
    assert_true(result->record.median_ms == 1.5);
    assert_null(result->error);
    assert_false(result->recorded);
    assert_null(runs_find(app, &full, NULL)); // another size
    run(app, cpu_request(NULL));
    settle(app);
    assert_non_null(runs_find(app, &full, NULL)); // the same as no size
    request_free(&small);
    request_free(&full);
    request_free(&plain);
    end(app);
}

static void the_newest_takes_the_place(void **state)
{
    struct app *app = start(
        WORKER(GPU, "n=$((n + 1)); echo '{\"id\":'$id',\"result\":{\"backend\":\"cpu\",\"status\":\"wrong\","
                    "\"wrong\":'$n',\"compared\":9}}'"));
    struct request request = cpu_request("small");
    run(app, cpu_request("small"));
    run(app, cpu_request("small")); // the very same waits already
    settle(app);
    assert_true(runs_find(app, &request, NULL)->record.wrong == 1);
    run(app, cpu_request("small"));
    settle(app);
    assert_true(runs_find(app, &request, NULL)->record.wrong == 2);
    assert_int_equal(runs_find(app, &request, NULL)->record.status, STATUS_WRONG);
    request_free(&request);
    end(app);
}

static void a_foreign_machine_is_asked_by_the_first_run(void **state)
{
    struct app *app = mem_new(sizeof *app);
    char where[60];
    setenv("WARPBOOK_WORKER", "/bin/sh -c 'echo a reader needs no worker >&2; exit 9'", 1);
    app->tasks = tasks_new(&app->wake);
    runs_open(app);
    assert_int_equal(tasks_waiting(app->tasks, LANE_RUNS), 0);
    assert_false(runs_where(app, where, sizeof where));
    assert_string_equal(where, "GPU by sh");
    setenv("WARPBOOK_WORKER", WORKER(GPU, RIGHT), 1);
    run(app, cpu_request("small"));
    assert_true(runs_where(app, where, sizeof where));
    settle(app);
    assert_true(runs_gpu(app));
    runs_where(app, where, sizeof where);
    assert_string_equal(where, "");
    end(app);
}

static void the_machine_is_asked(void **state)
{
    struct app *app = start(WORKER(GPU, RIGHT));
    assert_null(runs_machine(app));
    assert_false(runs_gpu(app));
    settle(app);
    assert_true(runs_gpu(app));
    end(app);
    app = start(WORKER(NO_GPU, RIGHT));
    settle(app);
    assert_false(runs_gpu(app));
    assert_string_equal(json_string_value(json_object_get(runs_machine(app), "gpu_missing")),
                        "There is no GPU.");
    end(app);
    app = start("exit 3");
    settle(app);
    assert_false(runs_gpu(app));
    assert_non_null(
        strstr(json_string_value(json_object_get(runs_machine(app), "gpu_missing")), "ended with status 3"));
    end(app);
}

// What a page showed of a run is known by its serial: the memory of a record may be that of one before.
static void each_run_has_a_serial_of_its_own(void **state)
{
    struct app *app = start(WORKER(GPU, RIGHT));
    struct request small = cpu_request("small"), full = cpu_request("full");
    unsigned last = 0;
    for (int i = 0; i < 3; i++) {
        run(app, cpu_request("small"));
        run(app, cpu_request("full"));
        settle(app);
        const struct run_result *first = runs_find(app, &small, NULL), *second = runs_find(app, &full, NULL);
        assert_true(first->serial > last);
        assert_true(second->serial > first->serial);
        last = second->serial;
    }
    request_free(&small);
    request_free(&full);
    end(app);
}

static void without_a_gpu_the_recorded_one(void **state)
{
    struct app *app =
        start(WORKER(NO_GPU, "echo '{\"id\":'$id',\"error\":{\"code\":3,\"text\":\"There is no GPU.\"}}'"));
    struct ladder ladder;
    struct error error;
    assert_true(ladder_read("vecadd", &ladder, &error));
    const struct variant *variant = &ladder.variants[0];
    struct request full = request_new(ON_GPU, "vecadd", variant, NULL, "full", NULL);
    struct request other = request_new(ON_GPU, "vecadd", variant, NULL, "full", "skewed");
    const struct run_result *result = runs_find(app, &full, variant);
    assert_non_null(result);
    assert_true(result->recorded);
    assert_non_null(result->record.device);
    assert_ptr_equal(runs_find(app, &full, variant), result); // and is not looked for again
    assert_null(runs_find(app, &other, variant));             // none was recorded of that data
    run(app, request_new(ON_GPU, "vecadd", variant, NULL, "full", NULL));
    run(app, request_new(ON_GPU, "vecadd", variant, NULL, "full", "skewed"));
    settle(app);
    assert_string_equal(said, "1-one-thread: There is no GPU.");
    assert_true(runs_find(app, &full, variant)->recorded); // an error hides no result
    result = runs_find(app, &other, variant);
    assert_string_equal(result->error, "There is no GPU.");
    assert_int_equal(result->record.status, STATUS_NONE);
    assert_true(result->code == variant_code(variant));
    request_free(&full);
    request_free(&other);
    ladder_free(&ladder);
    end(app);
}

static void a_run_is_stopped(void **state)
{
    struct app *app =
        start(WORKER(GPU, "echo '{\"id\":'$id',\"stage\":\"running\",\"limit_ms\":60000}'; sleep 1000"));
    struct request small = cpu_request("small"), full = cpu_request("full");
    run(app, cpu_request("small"));
    run(app, cpu_request("full"));
    while (runs_state(app, &small) != RUN_RUNS)
        poll(NULL, 0, 1);
    assert_int_equal(runs_state(app, &full), RUN_WAITS);
    runs_stop(app);
    assert_int_equal(runs_state(app, &full), RUN_NONE);
    settle(app);
    assert_string_equal(said, "Stopped.");
    assert_null(runs_find(app, &small, NULL));
    assert_null(runs_find(app, &full, NULL));
    request_free(&small);
    request_free(&full);
    end(app);
}

static void ending_in_the_middle(void **state)
{
    struct app *app = start(WORKER(GPU, "sleep 1000"));
    struct request small = cpu_request("small");
    run(app, cpu_request("small"));
    run(app, cpu_request("full"));
    while (runs_state(app, &small) != RUN_RUNS)
        poll(NULL, 0, 1);
    request_free(&small);
    end(app);
}

static void the_workbook_knows_it(void **state)
{
    struct app *app = start(WORKER(GPU, RIGHT));
    struct error error;
    char path[200];
    format_into(path, sizeof path, "%s/runs-test.jsonl", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    app->workbook = workbook_open(path, &error);
    assert_non_null(app->workbook);
    size_t before = workbook_count(app->workbook);
    run(app, cpu_request("small"));
    settle(app);
    assert_int_equal(workbook_count(app->workbook), before + 1);
    const json_t *event = workbook_event(app->workbook, before);
    assert_string_equal(json_string_value(json_object_get(event, "kind")), "run");
    assert_string_equal(json_string_value(json_object_get(event, "status")), "right");
    assert_null(json_object_get(event, "lines"));
    assert_int_equal(json_array_size(json_object_get(event, "findings")), 4);
    end(app);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_kept),
        cmocka_unit_test(the_newest_takes_the_place),
        cmocka_unit_test(a_foreign_machine_is_asked_by_the_first_run),
        cmocka_unit_test(the_machine_is_asked),
        cmocka_unit_test(each_run_has_a_serial_of_its_own),
        cmocka_unit_test(without_a_gpu_the_recorded_one),
        cmocka_unit_test(a_run_is_stopped),
        cmocka_unit_test(ending_in_the_middle),
        cmocka_unit_test(the_workbook_knows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
