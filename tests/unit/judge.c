// Answers are judged by every run that a live block asks for. The worker here is a line of shell that answers with
// records, so that nothing has to be compiled; the last test is a real one.
#include "lessons/lessons.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// Answers each request with the next of the records $1, $2, ...; the last one again when there are no more.
#define WORKER                                                                                               \
    "while read -r line; do id=${line##*\\\"id\\\":}; id=${id%%[,\\}]*}; echo \"$line\" >>$LOG; "            \
    "echo '{\"id\":'$id',\"result\":'\"$1\"'}'; [ $# -gt 1 ] && shift; done"
#define RIGHT                                                                                                \
    "{\"backend\":\"sim\",\"status\":\"right\",\"counters\":{\"gld_sec\":4,\"gld_req\":1},\"findings\":[]}"
#define SLOW                                                                                                 \
    "{\"backend\":\"sim\",\"status\":\"right\",\"counters\":{\"gld_sec\":32,\"gld_req\":1},\"findings\":[]}"
#define WRONG                                                                                                \
    "{\"backend\":\"sim\",\"status\":\"wrong\",\"compared\":1000,\"wrong\":3,\"wrong_buffer\":\"c\","        \
    "\"wrong_index\":997,\"wrong_got\":\"0\",\"wrong_want\":\"5\",\"findings\":[]}"
#define RACE(severity)                                                                                       \
    "{\"backend\":\"sim\",\"status\":\"right\",\"findings\":[{\"kind\":\"race in shared memory\","           \
    "\"severity\":\"" severity "\",\"line\":3,\"sentence\":\"Thread 1 reads.\"}]}"
#define COUNTED(inst, longest, busiest)                                                                      \
    "{\"backend\":\"sim\",\"status\":\"right\",\"counters\":{\"inst\":" #inst ",\"inst_longest\":" #longest  \
    ",\"busiest\":" #busiest "},\"findings\":[]}"
#define FAILED                                                                                               \
    "{\"backend\":\"sim\",\"status\":\"failed\",\"message\":\"1-mine.cu:3:1: error: "                        \
    "no\",\"diagnostics\":[{\"line\":3,\"column\":1,\"severity\":\"error\",\"message\":\"no\"}]}"
#define SKIPPED "{\"backend\":\"sim\",\"status\":\"skipped\",\"message\":\"needs n > 5\"}"

static const char kernel[] = "//@ launch add<<<1, 32>>>(a, b, c, n)\n"
                             "extern \"C\" __global__ void add(const double *a, const double *b, double *c,\n"
                             "int n) { for (int i = threadIdx.x; i < n; i += 32) c[i] = a[i] + b[i]; }\n";

static const char front[] = "---\ntitle: T\nminutes: 1\nafter: do it\n---\n\n```exercise id=e\nask: A\n"
                            "file: mine.cu\nsolution: s.cu\nhint: a\nhint: b\nhint: c\n";

struct judge_place {
    struct lesson lesson;
    struct client *client;
    char log[60], folder[60]; // the lesson's, with what ships as mine.cu
};

static void ship(const struct judge_place *place, const char *text)
{
    struct error error;
    char *path = path_join(place->folder, "mine.cu");
    assert_true(file_replace(path, text, strlen(text), &error));
    free(path);
}

// An exercise with these fields.
static void open_with(struct judge_place *place, const char *fields)
{
    struct text text = { 0 };
    struct error error;
    char *path = path_join(place->folder, "lesson.md");
    text_addf(&text, "%s%s```\n", front, fields);
    if (!lesson_parse(&place->lesson, path, text.data, &error))
        fail_msg("%s", error.text);
    text_free(&text);
    free(path);
}

static const struct live *live_of(const struct judge_place *place)
{
    return &place->lesson.blocks[0].live;
}

static int set_up(void **state)
{
    struct judge_place *place = mem_new(sizeof *place);
    strcpy(place->log, "/tmp/warpbook-judge-XXXXXX");
    strcpy(place->folder, "/tmp/01-warpbook-judge-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    ship(place, kernel);
    int file = mkstemp(place->log);
    assert_true(file >= 0);
    place->client = client_new();
    setenv("LOG", place->log, 1);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct judge_place *place = *state;
    client_free(place->client);
    lesson_free(&place->lesson);
    unsetenv("WARPBOOK_WORKER");
    remove(place->log);
    char *path = path_join(place->folder, "mine.cu");
    remove(path);
    free(path);
    rmdir(place->folder);
    free(place);
    return 0;
}

// The worker answers with these records from here on; each is in single quotes.
static void answers(const char *records)
{
    struct text worker = { 0 };
    text_addf(&worker, "set -- %s; " WORKER, records);
    setenv("WARPBOOK_WORKER", worker.data, 1);
    text_free(&worker);
}

static struct judge_verdict judged(struct judge_place *place, const char *text)
{
    struct judge_verdict verdict;
    struct error error;
    if (!judge(place->client, live_of(place), "/nowhere/mine.cu", text, NULL, NULL, &verdict, &error))
        fail_msg("%s", error.text);
    return verdict;
}

static void expect(struct judge_place *place, const char *records, enum verdict_kind kind, unsigned reasons,
                   const char *words)
{
    answers(records);
    struct judge_verdict verdict = judged(place, kernel);
    assert_int_equal(verdict.kind, kind);
    assert_int_equal(verdict.reasons, reasons);
    if (words)
        assert_string_equal(verdict.words, words);
    else
        assert_null(verdict.words);
    verdict_free(&verdict);
}

// ---- verdicts -----------------------------------------------------------------------------------------------

static void all_runs_must_be_right(void **state)
{
    open_with(*state, "lab: vecadd\ncheck: --set n=1000\ncheck: --set n=0x10 --size small\n");
    expect(*state, "'" RIGHT "' '" RIGHT "'", VERDICT_ACCEPTED, 0, NULL);
}

static void a_wrong_run_is_told_with_its_size(void **state)
{
    open_with(*state, "lab: vecadd\ncheck: --set n=8\ncheck: --set n=1000\n");
    expect(*state, "'" RIGHT "' '" WRONG "'", VERDICT_RESULT, 1u << VERDICT_RESULT,
           "With n = 1000: 3 of 1000 wrong, first c[997]: 0, should be 5.");
}

static void a_finding_rejects_and_a_note_does_not(void **state)
{
    open_with(*state, "lab: vecadd\n");
    expect(*state, "'" RACE("error") "'", VERDICT_FINDING, 1u << VERDICT_FINDING,
           "race in shared memory, line 3: Thread 1 reads.");
    client_free(((struct judge_place *)*state)->client);
    ((struct judge_place *)*state)->client = client_new();
    expect(*state, "'" RACE("warning") "'", VERDICT_FINDING, 1u << VERDICT_FINDING,
           "race in shared memory, line 3: Thread 1 reads.");
    client_free(((struct judge_place *)*state)->client);
    ((struct judge_place *)*state)->client = client_new();
    expect(*state, "'" RACE("note") "'", VERDICT_ACCEPTED, 0, NULL);
}

static void a_budget_is_for_answers_that_are_right(void **state)
{
    open_with(*state, "lab: vecadd\nbudget: counters.gld_sec / counters.gld_req <= 4.1\n"
                      "check: --set n=8\ncheck: --set n=9\n");
    expect(*state, "'" RIGHT "' '" SLOW "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
           "With n = 9: gld_sec / gld_req is 32; at most 4.1 is asked for.");
}

static void what_weighs_most_is_told(void **state)
{
    open_with(*state, "lab: vecadd\nbudget: counters.gld_sec <= 4\ncheck: --set n=7\ncheck: --set n=8\n"
                      "check: --set n=9\n");
    expect(*state, "'" SLOW "' '" RACE("error") "' '" WRONG "'", VERDICT_RESULT,
           1u << VERDICT_BUDGET | 1u << VERDICT_FINDING | 1u << VERDICT_RESULT,
           "With n = 9: 3 of 1000 wrong, first c[997]: 0, should be 5.");
}

static void a_number_that_no_run_has_is_no_pass(void **state)
{
    open_with(*state, "lab: vecadd\nbudget: counters.gold <= 4\n");
    expect(*state, "'" RIGHT "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET, "gold is not known of this run.");
}

static void a_serial_answer_is_told_in_words(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.busiest <= 1.5\n");
    expect(
        place, "'" COUNTED(1000, 970, 31) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
        "one warp does 97 % of the work: the others wait. It runs 31.0 times the instructions of the average "
        "one; at most 1.5 is asked for.");
    client_free(place->client);
    place->client = client_new();
    expect(
        place, "'" COUNTED(1000, 125, 8) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
        "the work is not shared evenly: the busiest warp runs 8.0 times the instructions of the average one; "
        "at most 1.5 is asked for.");
    client_free(place->client);
    place->client = client_new();
    expect(place, "'" COUNTED(1000, 40, 1.25) "'", VERDICT_ACCEPTED, 0, NULL);
}

static void long_ways_and_zeros_are_told_in_words(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.inst <= 2000\nbudget: counters.inst_longest <= 50\n");
    expect(place, "'" COUNTED(1000, 125, 8) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
           "one warp runs 125 instructions, one after the other; at most 50 is asked for.");
    client_free(place->client);
    place->client = client_new();
    lesson_free(&place->lesson);
    open_with(place, "lab: vecadd\nbudget: counters.inst <= 0\n");
    expect(place, "'" COUNTED(1000, 125, 8) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
           "inst is 1000; it has to be 0.");
}

static void what_does_not_compile_is_run_once(void **state)
{
    struct judge_place *place = *state;
    struct text log = { 0 };
    struct error error;
    open_with(place, "lab: vecadd\ncheck: --set n=1\ncheck: --set n=2\n");
    expect(place, "'" FAILED "'", VERDICT_COMPILE, 1u << VERDICT_COMPILE, "mine.cu:3:1: error: no");
    assert_true(file_read(place->log, &log, &error));
    assert_null(strstr(log.data, "\"n\":2"));
    assert_non_null(strstr(log.data, "\"on\":\"sim\""));
    assert_non_null(strstr(log.data, "\"check\":\"all\""));
    text_free(&log);
}

static void what_does_not_run_is_no_pass(void **state)
{
    open_with(*state, "lab: vecadd\n");
    expect(*state, "'" SKIPPED "'", VERDICT_RESULT, 1u << VERDICT_RESULT,
           "it does not run, for it needs n > 5.");
}

// Where the editor opens.
static void a_verdict_knows_its_line(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\ncheck: --set n=7\ncheck: --set n=8\n");
    static const struct {
        const char *records, *text;
        int line;
    } known[] = { { "'" RIGHT "' '" RACE("error") "'", kernel, 3 },
                  { "'" FAILED "'", kernel, 3 },
                  { "'" WRONG "'", kernel, 0 },
                  { "'" RIGHT "'", kernel, 0 },
                  { "", "// mine\n//@ lunch add\n", 2 },
                  { "", "// mine\n//@ launch add<<<1, 1>>>(a, b, c, n)\n__global__ void add() { }\n", 2 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        client_free(place->client);
        place->client = client_new();
        answers(known[i].records);
        struct judge_verdict verdict = judged(place, known[i].text);
        assert_int_equal(verdict.line, known[i].line);
        verdict_free(&verdict);
    }
}

static void a_kernel_line_that_cannot_be_read(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\n");
    struct judge_verdict verdict = judged(place, "//@ lunch add\n");
    assert_int_equal(verdict.kind, VERDICT_COMPILE);
    assert_non_null(strstr(verdict.words, "mine.cu:1:"));
    assert_null(strstr(verdict.words, "1-mine.cu"));
    verdict_free(&verdict);
}

// ---- what cannot be judged ------------------------------------------------------------------------------------

static bool stop_at_once(void *context, const char *stage, double seconds)
{
    return false;
}

static void without_a_worker_nothing_is_judged(void **state)
{
    struct judge_place *place = *state;
    struct judge_verdict verdict;
    struct error error;
    open_with(place, "lab: vecadd\n");
    setenv("WARPBOOK_WORKER", "exit 4", 1);
    assert_false(judge(place->client, live_of(place), "mine.cu", kernel, NULL, NULL, &verdict, &error));
    assert_int_equal(error.code, EXIT_MISSING);
}

static void it_can_be_stopped(void **state)
{
    struct judge_place *place = *state;
    struct judge_verdict verdict;
    struct error error;
    open_with(place, "lab: vecadd\n");
    setenv("WARPBOOK_WORKER", "read -r line; sleep 1000", 1);
    assert_false(
        judge(place->client, live_of(place), "mine.cu", kernel, stop_at_once, NULL, &verdict, &error));
}

// ---- check lines ------------------------------------------------------------------------------------------------

static void check_lines_are_flags_of_run(void **state)
{
    struct request request;
    struct error error;
    if (!judge_flags("--set n=1<<10 --data=uniform\n --size small --limit 3", "histogram", NULL, &request,
                     &error))
        fail_msg("%s", error.text);
    assert_int_equal(request.on, ON_SIM);
    assert_int_equal(request.params.count, 1);
    assert_int_equal(request.params.bindings[0].value.i, 1024);
    assert_string_equal(request.data, "uniform");
    assert_string_equal(request.preset, "small");
    assert_int_equal(request.limit_ms, 3000);
    request_free(&request);
}

static void other_check_lines_are_refused(void **state)
{
    static const struct {
        const char *flags, *lab, *words;
    } wrong[] = {
        { "--set n", "vecadd", "--set takes NAME=VALUE" },
        { "--set n=", "vecadd", "--set takes NAME=VALUE" },
        { "--set", "vecadd", "--set needs a value" },
        { "--set n=many", "vecadd", "is not a number" },
        { "--set m=1", "vecadd", "The lab vecadd has no parameter 'm'" },
        { "--size huge", "vecadd", "has no size 'huge'; it has small, full" },
        { "--data odd", "vecadd", "has no data 'odd'" },
        { "--reps 3", "vecadd", "A check takes" },
        { "n=3", "vecadd", "A check takes" },
        { "--limit 0", "vecadd", "from 1 to 60" },
        { "--size small", NULL, "--size belongs to labs" },
        { "--data odd", NULL, "--data belongs to labs" },
        { "", "no-such", "There is no lab 'no-such'" },
    };
    struct request request;
    struct error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(judge_flags(wrong[i].flags, wrong[i].lab, NULL, &request, &error));
        if (!strstr(error.text, wrong[i].words))
            fail_msg("expected '%s' in: %s", wrong[i].words, error.text);
    }
}

// ---- order ----------------------------------------------------------------------------------------------------

static void an_order_becomes_a_kernel(void **state)
{
    struct judge_place *place = *state;
    struct text out = { 0 };
    struct error error;
    static const char text[] = "---\ntitle: T\nminutes: 1\nafter: do it\n---\n\n```order id=o\nask: A\n"
                               "line: a = 1;\nline:   b = 2;\nextra: c = 3;\n```\n";
    if (!lesson_parse(&place->lesson, "/nowhere/01-t/lesson.md", text, &error))
        fail_msg("%s", error.text);
    assert_true(judge_order_text(live_of(place), "{\n    //@order\n}\n", (const int[]){ 2, 1, 0 }, 3, &out));
    assert_string_equal(out.data, "{\n    c = 3;\n      b = 2;\n    a = 1;\n}\n");
    text_free(&out);
    assert_true(judge_order_text(live_of(place), "//@order", (const int[]){ 0 }, 1, &out));
    assert_string_equal(out.data, "a = 1;");
    text_free(&out);
    assert_false(judge_order_text(live_of(place), "no mark\n", (const int[]){ 0 }, 1, &out));
    text_free(&out);
}

// ---- for real ---------------------------------------------------------------------------------------------------

static bool can_compile(void)
{
    return system("\"$WARPBOOK\" show tests/data/good/print.cu --ptx >/dev/null 2>&1") == 0;
}

static void a_real_kernel_is_judged(void **state)
{
    struct judge_place *place = *state;
    if (!can_compile()) {
        printf("skipped: no compiler\n");
        skip();
    }
    open_with(place, "lab: vecadd\ncheck: --set n=100\nbudget: counters.gld_sec / counters.gld_req <= 8\n");
    struct text worker = { 0 };
    text_addf(&worker, "%s worker", getenv("WARPBOOK"));
    setenv("WARPBOOK_WORKER", worker.data, 1);
    text_free(&worker);
    struct judge_verdict verdict = judged(place, kernel);
    if (verdict.kind != VERDICT_ACCEPTED)
        fail_msg("%s", verdict.words);
    verdict_free(&verdict);
    struct text wrong = { 0 };
    text_add(&wrong, kernel);
    *strchr(strstr(wrong.data, "= a[i]"), '+') = '-';
    verdict = judged(place, wrong.data);
    assert_int_equal(verdict.kind, VERDICT_RESULT);
    assert_non_null(strstr(verdict.words, "With n = 100: "));
    verdict_free(&verdict);
    text_free(&wrong);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_runs_must_be_right),
        TEST(a_wrong_run_is_told_with_its_size),
        TEST(a_finding_rejects_and_a_note_does_not),
        TEST(a_budget_is_for_answers_that_are_right),
        TEST(what_weighs_most_is_told),
        TEST(a_number_that_no_run_has_is_no_pass),
        TEST(a_serial_answer_is_told_in_words),
        TEST(long_ways_and_zeros_are_told_in_words),
        TEST(what_does_not_compile_is_run_once),
        TEST(what_does_not_run_is_no_pass),
        TEST(a_verdict_knows_its_line),
        TEST(a_kernel_line_that_cannot_be_read),
        TEST(without_a_worker_nothing_is_judged),
        TEST(it_can_be_stopped),
        TEST(an_order_becomes_a_kernel),
        TEST(a_real_kernel_is_judged),
        cmocka_unit_test(check_lines_are_flags_of_run),
        cmocka_unit_test(other_check_lines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
