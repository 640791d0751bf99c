// Answers are judged by every run that a live block asks for. The worker here is a line of shell that answers with
// records, so that nothing has to be compiled; the last test is a real one.
#include "lessons/lessons.h"
#include "tests/child.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// Answers each request with the next of the records $1, $2, ...; the last one again when there are no more.
#define WORKER                                                                                               \
    GREETS "while read -r line; do id=${line##*\\\"id\\\":}; id=${id%%[,\\}]*}; echo \"$line\" >>$LOG; "     \
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
#define STOPPED                                                                                              \
    "{\"backend\":\"sim\",\"status\":\"unchecked\",\"findings\":[{\"kind\":\"stopped\",\"severity\":"        \
    "\"error\","                                                                                             \
    "\"line\":3,\"sentence\":\"Too much work.\"}]}"
#define FAILED                                                                                               \
    "{\"backend\":\"sim\",\"status\":\"failed\",\"message\":\"1-mine.cu:3:1: error: "                        \
    "no\",\"diagnostics\":[{\"line\":3,\"column\":1,\"severity\":\"error\",\"message\":\"no\"}]}"
#define MISSING(wrong, sentence)                                                                             \
    "{\"backend\":\"sim\",\"status\":\"wrong\",\"compared\":1000,\"wrong\":" #wrong                          \
    ",\"wrong_buffer\":\"c\","                                                                               \
    "\"wrong_index\":32,\"wrong_got\":\"never "                                                              \
    "written\",\"wrong_want\":\"5\",\"findings\":[{\"kind\":\"never "                                        \
    "written\",\"severity\":\"error\",\"line\":1,\"count\":968,\"sentence\":\"" sentence                     \
    "\",\"buffer\":\"c\"}]}"
#define TOO_SMALL "add<<<1, 32>>> runs 32 threads, and 968 of the 1000 elements of c are never written."
#define SKIPPED "{\"backend\":\"sim\",\"status\":\"skipped\",\"message\":\"needs n > 5\"}"

static const char kernel[] = "//@ launch add<<<1, 32>>>(a, b, c, n)\n"
                             "extern \"C\" __global__ void add(const double *a, const double *b, double *c,\n"
                             "int n) { for (int i = threadIdx.x; i < n; i += 32) c[i] = a[i] + b[i]; }\n";

static const char front[] = "---\ntitle: T\nminutes: 1\nafter: do it\n---\n\n```%s id=e\nask: A\n"
                            "file: mine.cu\nsolution: s.cu\nhint: a\nhint: b\nhint: c\n";

struct judge_place {
    struct lesson lesson;
    struct client *client;
    struct starters starters;
    char log[60], folder[60]; // the lesson's, with what ships as mine.cu
};

static void ship(const struct judge_place *place, const char *text)
{
    struct error error;
    char *path = path_join(place->folder, "mine.cu");
    assert_true(file_replace(path, text, strlen(text), &error));
    free(path);
}

static void open_as(struct judge_place *place, const char *kind, const char *fields)
{
    struct text text = { 0 };
    struct error error;
    char *path = path_join(place->folder, "lesson.md");
    text_addf(&text, front, kind);
    text_addf(&text, "%s```\n", fields);
    if (!lesson_parse(&place->lesson, path, text.data, &error))
        fail_msg("%s", error.text);
    text_free(&text);
    free(path);
}

// An exercise with these fields.
static void open_with(struct judge_place *place, const char *fields)
{
    open_as(place, "exercise", fields);
}

static void open_challenge(struct judge_place *place, const char *fields)
{
    open_as(place, "challenge", fields);
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
    if (!judge(place->client, live_of(place), "/nowhere/mine.cu", text, &place->starters, NULL, NULL,
               &verdict, &error))
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

static void what_is_missing_comes_before_what_is_right(void **state)
{
    static const char half[] = "The other 32 are right.", free_line[] = "The launch line is yours to change.",
                      fixed[] = "The launch line stays, so each thread has more than that to write.";
    struct judge_place *place = *state;
    const unsigned reasons = 1u << VERDICT_RESULT | 1u << VERDICT_FINDING;
    const struct {
        const char *kind, *fields, *records, *after;
    } cases[] = {
        { "exercise", "lab: vecadd\nmay: launch\n", "'" MISSING(968, TOO_SMALL) "'", free_line },
        { "exercise", "lab: vecadd\nmay: launch add\n", "'" MISSING(968, TOO_SMALL) "'", free_line },
        { "exercise", "lab: vecadd\nmay: launch adds\n", "'" MISSING(968, TOO_SMALL) "'", fixed },
        { "exercise", "lab: vecadd\n", "'" MISSING(968, TOO_SMALL) "'", fixed },
        { "bughunt", "lab: vecadd\nmay: launch\n", "'" MISSING(968, TOO_SMALL) "'", NULL },
        { "exercise", "lab: vecadd\n", "'" MISSING(968, "No thread writes c[32] and others.") "'", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text words = { 0 };
        lesson_free(&place->lesson);
        open_as(place, cases[i].kind, cases[i].fields);
        text_addf(&words, "%s %s%s%s",
                  strstr(cases[i].records, TOO_SMALL) ? TOO_SMALL : "No thread writes c[32] and others.",
                  half, cases[i].after ? "\n" : "", cases[i].after ? cases[i].after : "");
        client_free(place->client);
        place->client = client_new();
        expect(place, cases[i].records, VERDICT_RESULT, reasons, words.data);
        text_free(&words);
    }
    lesson_free(&place->lesson);
    open_with(place, "lab: vecadd\n");
    client_free(place->client);
    place->client = client_new();
    expect(place, "'" MISSING(970, TOO_SMALL) "'", VERDICT_RESULT, reasons,
           TOO_SMALL "\n970 of 1000 wrong, first c[32]: never written, should be 5.\n"
                     "The launch line stays, so each thread has more than that to write.");
}

static void a_budget_is_for_answers_that_are_right(void **state)
{
    open_with(*state, "lab: vecadd\nbudget: counters.gld_sec / counters.gld_req <= 4.1\n"
                      "check: --set n=8\ncheck: --set n=9\n");
    expect(*state, "'" RIGHT "' '" SLOW "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
           "With n = 9: 32.0 sectors a load; at most 4.1.");
}

static void what_weighs_most_is_told(void **state)
{
    open_with(*state, "lab: vecadd\nbudget: counters.gld_sec <= 4\ncheck: --set n=7\ncheck: --set n=8\n"
                      "check: --set n=9\n");
    expect(*state, "'" SLOW "' '" RACE("error") "' '" WRONG "'", VERDICT_RESULT,
           1u << VERDICT_BUDGET | 1u << VERDICT_FINDING | 1u << VERDICT_RESULT,
           "With n = 9: 3 of 1000 wrong, first c[997]: 0, should be 5.");
}

static void a_run_that_is_stopped_says_least(void **state)
{
    static const char late[] = "With n = 9: 32.0 sectors a load; at most 4.1.",
                      early[] = "With n = 8: 32.0 sectors a load; at most 4.1.";
    const unsigned both = 1u << VERDICT_BUDGET | 1u << VERDICT_FINDING;
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.gld_sec / counters.gld_req <= 4.1\n"
                     "check: --set n=8\ncheck: --set n=9\n");
    expect(place, "'" STOPPED "' '" SLOW "'", VERDICT_BUDGET, both, late);
    client_free(place->client);
    place->client = client_new();
    expect(place, "'" SLOW "' '" STOPPED "'", VERDICT_BUDGET, both, early);
    client_free(place->client);
    place->client = client_new();
    expect(place, "'" RIGHT "' '" STOPPED "'", VERDICT_FINDING, 1u << VERDICT_FINDING,
           "With n = 9: stopped, line 3: Too much work.");
    answers("'" STOPPED "' '" SLOW "'");
    client_free(place->client);
    place->client = client_new();
    struct judge_verdict verdict = judged(place, kernel);
    assert_string_equal(verdict.stopped, "n = 8"); // whose numbers the others are not
    assert_string_equal(verdict.with, "n = 9");
    verdict_free(&verdict);
}

static void a_number_that_no_run_has_is_no_pass(void **state)
{
    open_with(*state, "lab: vecadd\nbudget: counters.gold <= 4\n");
    expect(*state, "'" RIGHT "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
           "counters.gold: this is not known of this run.");
}

static void a_serial_answer_is_told_in_words(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.busiest <= 1.5\n");
    expect(
        place, "'" COUNTED(1000, 970, 31) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
        "one warp does 97 % of the work: the others wait. It runs 31.0 times the instructions of the average "
        "one; at most 1.5.");
    client_free(place->client);
    place->client = client_new();
    expect(
        place, "'" COUNTED(1000, 125, 8) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
        "the work is not shared evenly: the busiest warp runs 8.0 times the instructions of the average one; "
        "at most 1.5.");
    client_free(place->client);
    place->client = client_new();
    expect(place, "'" COUNTED(1000, 40, 1.25) "'", VERDICT_ACCEPTED, 0, NULL);
}

static void long_ways_and_zeros_are_told_in_words(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.inst <= 2000\nbudget: counters.inst_longest <= 50\n");
    expect(place, "'" COUNTED(1000, 125, 8) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
           "one warp runs 125 instructions, one after the other; at most 50.");
    client_free(place->client);
    place->client = client_new();
    lesson_free(&place->lesson);
    open_with(place, "lab: vecadd\nbudget: counters.inst <= 0\n");
    expect(place, "'" COUNTED(1000, 125, 8) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
           "1,000 instructions; none allowed.");
}

// ---- limits ---------------------------------------------------------------------------------------------------

#define LOADS(sectors) "\"counters\":{\"gld_sec\":" #sectors ",\"gld_req\":4}"
#define SHIPPED "{\"backend\":\"sim\",\"status\":\"right\"," LOADS(64) ",\"findings\":[]}"
#define MINE "{\"backend\":\"sim\",\"status\":\"right\"," LOADS(16) ",\"findings\":[]}"
#define MINE_WRONG                                                                                           \
    "{\"backend\":\"sim\",\"status\":\"wrong\",\"wrong\":3,\"compared\":9," LOADS(16) ",\"findings\":[]}"

static const char changed[] =
    "//@ launch add<<<1, 32>>>(a, b, c, n)\n"
    "extern \"C\" __global__ void add(const double *a, const double *b, double *c,\n"
    "int n) { int mine; }\n";

static void expect_limit_at(const struct judge_verdict *verdict, size_t index, const char *words)
{
    struct text said = { 0 };
    assert_true(verdict->limit_count > index);
    limit_words(&verdict->limits[index], &said);
    assert_string_equal(said.data, words);
    text_free(&said);
}

static void expect_limit(const struct judge_verdict *verdict, const char *words)
{
    expect_limit_at(verdict, 0, words);
}

static size_t requests_of(const struct judge_place *place)
{
    struct text log = { 0 };
    struct error error;
    size_t count = 0;
    assert_true(file_read(place->log, &log, &error));
    for (const char *at = text_string(&log); (at = strstr(at, "\"on\"")); at++)
        count++;
    text_free(&log);
    return count;
}

static void a_verdict_stands_beside_the_shipped_file(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\ncheck: --set n=8\ncheck: --set n=9\n"
                     "budget: counters.gld_sec / counters.gld_req <= 4.1\n");
    answers("'" MINE "' '" MINE "' '" SHIPPED "'");
    struct judge_verdict verdict = judged(place, changed);
    assert_int_equal(verdict.kind, VERDICT_ACCEPTED);
    assert_string_equal(verdict.with, "n = 8");
    expect_limit(&verdict, "sectors a load: 16.0, yours 4.0, at most 4.1; a quarter of the traffic");
    verdict_free(&verdict);
    assert_int_equal(requests_of(place), 3);
    verdict = judged(place, changed); // the shipped file is not run again
    assert_int_equal(requests_of(place), 5);
    expect_limit(&verdict, "sectors a load: 16.0, yours 16.0, at most 4.1");
    verdict_free(&verdict);
}

#define RAN(on, ms, device)                                                                                  \
    "{\"backend\":\"" on "\",\"status\":\"right\",\"params\":{\"n\":65536},\"device\":\"" device             \
    "\",\"median_ms\":" #ms "}"
#define BESIDE                                                                                               \
    "lab: vecadd\ncheck: --set n=8\ntime: --size small\nbeside: vecadd/plain one core\n"                     \
    "beside: vecadd/1-one-thread\n"

static void expect_beside(const struct beside_row *beside, const char *what, const char *how, double in_a_row)
{
    assert_string_equal(beside->what, what);
    assert_memory_equal(beside->how, how, strlen(how));
    assert_int_equal(isfinite(beside->ms), *how != 0);
    assert_int_equal(isfinite(beside->in_a_row), in_a_row != 0);
    if (in_a_row)
        assert_float_equal(beside->in_a_row, in_a_row, 0);
}

static struct judge_verdict set_beside(struct judge_place *place, bool gpu)
{
    struct judge_verdict verdict = judged(place, changed);
    if (gpu)
        judge_times(place->client, live_of(place), "mine.cu", changed, &place->starters, NULL, NULL,
                    &verdict);
    judge_beside(place->client, live_of(place), "mine.cu", changed, gpu, &place->starters, NULL, NULL,
                 &verdict);
    return verdict;
}

// The CPU is measured, a kernel's time was recorded, and the simulator counts for both kernels.
static void what_is_named_stands_beside_an_answer(void **state)
{
    struct judge_place *place = *state;
    open_with(place, BESIDE);
    answers("'" RIGHT "' '" RAN("cpu", 0.5, "C") "' '" COUNTED(700, 700, 1) "' '" COUNTED(90, 3, 1) "'");
    struct judge_verdict verdict = set_beside(place, false);
    assert_int_equal(verdict.kind, VERDICT_ACCEPTED);
    assert_int_equal(verdict.beside_count, 3);
    expect_beside(&verdict.beside[0], "one core", "measured here, on the CPU C", 0);
    expect_beside(&verdict.beside[1], "One thread", "recorded on NVIDIA H100", 700);
    expect_beside(&verdict.beside[2], "yours", "", 3);
    assert_int_equal(requests_of(place), 4);
    verdict_free(&verdict);
    verdict = set_beside(place, false); // what is named is not run again
    assert_int_equal(verdict.beside_count, 3);
    expect_beside(&verdict.beside[1], "One thread", "recorded on NVIDIA H100", 700);
    assert_int_equal(requests_of(place), 6);
    verdict_free(&verdict);
}

static void beside_each_other_all_are_timed_on_a_gpu(void **state)
{
    struct judge_place *place = *state;
    open_with(place, BESIDE);
    answers("'" RIGHT "' '" RAN("gpu", 0.2, "G") "' '" WRONG
                                                 "' '" RAN("cpu", 0.5, "C") "' '" RAN("gpu", 9, "G") "'");
    struct judge_verdict verdict = set_beside(place, true);
    assert_int_equal(verdict.beside_count, 3);
    expect_beside(&verdict.beside[0], "one core", "measured here, on the CPU C", 0);
    expect_beside(&verdict.beside[1], "One thread", "measured here, on G", 0);
    expect_beside(&verdict.beside[2], "yours", "measured here, on G", 0);
    assert_float_equal(verdict.beside[1].ms, 9, 0);
    assert_float_equal(verdict.beside[2].ms, 0.2, 0);
    assert_string_equal(verdict.beside[0].with, "n = 65536");
    verdict_free(&verdict);
}

static void beside_a_wrong_answer_stands_nothing(void **state)
{
    struct judge_place *place = *state;
    open_with(place, BESIDE);
    answers("'" WRONG "'");
    struct judge_verdict verdict = set_beside(place, false);
    assert_int_equal(verdict.beside_count, 0);
    verdict_free(&verdict);
}

static void what_cannot_stand_beside_says_why(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\ncheck: --set n=8\nbeside: vecadd/nobody somebody\n"
                     "beside: vecadd/1-one-thread\n");
    answers("'" RIGHT "' '" FAILED "' '" COUNTED(90, 3, 1) "'");
    struct judge_verdict verdict = set_beside(place, false);
    assert_int_equal(verdict.kind, VERDICT_ACCEPTED);
    assert_int_equal(verdict.beside_count, 3);
    assert_string_equal(verdict.beside[0].why, "The lab vecadd has no step 'nobody'.");
    assert_string_equal(verdict.beside[1].why, "1-mine.cu:3:1: error: no");
    expect_beside(&verdict.beside[2], "yours", "", 3);
    verdict_free(&verdict);
}

static void a_miss_is_compared_in_the_run_that_misses(void **state)
{
    struct judge_place *place = *state;
    struct text log = { 0 };
    struct error error;
    open_with(place, "lab: vecadd\ncheck: --set n=8\ncheck: --set n=9\n"
                     "budget: counters.gld_sec / counters.gld_req <= 4.1\n");
    answers("'" MINE "' '" SLOW "' '" SHIPPED "'");
    struct judge_verdict verdict = judged(place, changed);
    assert_int_equal(verdict.kind, VERDICT_BUDGET);
    assert_string_equal(verdict.with, "n = 9");
    expect_limit(&verdict, "sectors a load: 16.0, yours 32.0, at most 4.1; half the traffic");
    assert_true(file_read(place->log, &log, &error));
    const char *last = strrchr(log.data, '{'); // its params
    assert_non_null(last);
    assert_non_null(strstr(last, "\"n\":9"));
    text_free(&log);
    verdict_free(&verdict);
}

static void what_did_not_run_still_says_what_is_asked(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.gld_sec / counters.gld_req <= 4.1\n");
    answers("'" SHIPPED "'");
    struct judge_verdict verdict = judged(place, "//@ lunch add\n");
    assert_int_equal(verdict.kind, VERDICT_COMPILE);
    expect_limit(&verdict, "sectors a load: 16.0 before, at most 4.1");
    verdict_free(&verdict);
}

static void a_wrong_answer_has_its_numbers(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.gld_sec / counters.gld_req <= 4.1\n");
    answers("'" MINE_WRONG "' '" SHIPPED "'");
    struct judge_verdict verdict = judged(place, changed);
    assert_int_equal(verdict.kind, VERDICT_RESULT);
    expect_limit(&verdict, "sectors a load: 16.0, yours 4.0, at most 4.1; a quarter of the traffic");
    verdict_free(&verdict);
}

static void a_share_names_what_was_counted(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.inst_longest <= 50\n");
    answers("'" COUNTED(1000, 40, 1.25) "' '" COUNTED(9000, 160000, 1.25) "'");
    struct judge_verdict verdict = judged(place, changed);
    expect_limit(&verdict, "instructions of the busiest warp: 160,000, yours 40, at most 50; "
                           "1/4000 of the busiest warp's work");
    verdict_free(&verdict);
}

static void a_shipped_file_without_numbers_says_why(void **state)
{
    static const struct {
        const char *record, *why;
    } shipped[] = { { WRONG, "its result is wrong" },
                    { FAILED, "it does not compile" },
                    { SKIPPED, "it does not run there" },
                    { RACE("error"), "it does not run there" },
                    { "{\"backend\":\"sim\",\"status\":\"failed\",\"message\":\"it never ends\"}",
                      "it does not run to its end" } };
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.gld_sec / counters.gld_req <= 4.1\n");
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        char records[2000];
        client_free(place->client);
        place->client = client_new();
        place->starters = (struct starters){ 0 };
        format_into(records, sizeof records, "'%s' '%s'", MINE, shipped[i].record);
        answers(records);
        struct judge_verdict verdict = judged(place, changed);
        assert_int_equal(verdict.kind, VERDICT_ACCEPTED);
        assert_string_equal(verdict.starter_why, shipped[i].why);
        expect_limit(&verdict, "sectors a load: yours 4.0, at most 4.1");
        verdict_free(&verdict);
    }
}

// The shipped text itself has nothing before it, and without a budget nothing is compared.
static void the_shipped_file_is_run_where_it_tells_something(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.gld_sec / counters.gld_req <= 4.1\n");
    answers("'" SHIPPED "'");
    struct judge_verdict verdict = judged(place, kernel);
    expect_limit(&verdict, "sectors a load: yours 16.0, at most 4.1");
    assert_null(verdict.starter_why);
    assert_int_equal(requests_of(place), 1);
    verdict_free(&verdict);
    lesson_free(&place->lesson);
    open_with(place, "lab: vecadd\nguard: counters.gld_sec / counters.gld_req <= 40\n");
    verdict = judged(place, changed);
    assert_int_equal(requests_of(place), 2);
    verdict_free(&verdict);
}

#define MODELLED(ms)                                                                                         \
    "{\"backend\":\"sim\",\"status\":\"right\",\"modelled\":{\"gpu\":\"h100\",\"ms\":" #ms                   \
    ",\"low_ms\":0.1,"                                                                                       \
    "\"high_ms\":1,\"fixed_ms\":0.003,\"limiter\":\"dram\",\"terms\":{\"issue\":0,\"arithmetic\":0,"         \
    "\"shared\":0,"                                                                                          \
    "\"l2\":0,\"dram\":0.1,\"atomics\":0,\"launching\":0,\"latency\":0}}}"
#define UNKNOWN                                                                                              \
    "{\"backend\":\"sim\",\"status\":\"right\",\"modelled\":{\"gpu\":\"h100\",\"why\":\"no figure\"}}"
static const char paced[] = "lab: vecadd\nbudget: counters.gld_sec / counters.gld_req <= 4.1\n"
                            "pace: h100 <= 0.30 --set n=4096\n";

static void a_pace_is_told_as_other_limits_are(void **state)
{
    struct judge_place *place = *state;
    struct text log = { 0 };
    struct error error;
    open_with(place, paced);
    answers("'" RIGHT "' '" MODELLED(0.2) "' '" SHIPPED "' '" MODELLED(0.4) "'");
    struct judge_verdict verdict = judged(place, changed);
    assert_int_equal(verdict.kind, VERDICT_ACCEPTED);
    assert_int_equal(verdict.limit_count, 2);
    expect_limit_at(
        &verdict, 1,
        "milliseconds on an H100, modelled with n = 4096: 0.4, yours 0.2, at most 0.3; half the time");
    assert_int_equal(requests_of(place), 4);
    assert_true(file_read(place->log, &log, &error));
    assert_non_null(strstr(text_string(&log), "\"gpus\":[{\"key\":\"h100\",\"name\":\"NVIDIA H100"));
    text_free(&log);
    verdict_free(&verdict);
    answers("'" RIGHT "' '" MODELLED(0.25) "'"); // what the shipped file takes is remembered
    client_free(place->client);
    place->client = client_new();
    verdict = judged(place, changed);
    expect_limit_at(
        &verdict, 1,
        "milliseconds on an H100, modelled with n = 4096: 0.40, yours 0.25, at most 0.3; 62 % of the time");
    verdict_free(&verdict);
}

static void a_pace_that_is_missed_rejects(void **state)
{
    struct judge_place *place = *state;
    open_with(place, paced);
    expect(place, "'" RIGHT "' '" MODELLED(0.4) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
           "0.4 milliseconds on an H100, modelled with n = 4096; at most 0.3.");
    assert_int_equal(requests_of(place), 2);
}

static void a_pace_is_for_answers_within_the_budgets(void **state)
{
    struct judge_place *place = *state;
    open_with(place, paced);
    expect(place, "'" SLOW "' '" MODELLED(0.2) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
           "32.0 sectors a load; at most 4.1.");
    assert_int_equal(requests_of(place), 1);
}

static void a_time_that_is_not_known_rejects_nothing(void **state)
{
    struct judge_place *place = *state;
    open_with(place, paced);
    answers("'" RIGHT "' '" UNKNOWN "' '" SHIPPED "'");
    struct judge_verdict verdict = judged(place, changed);
    assert_int_equal(verdict.kind, VERDICT_ACCEPTED);
    assert_int_equal(verdict.limit_count, 1);
    verdict_free(&verdict);
}

#define TIMED(ms) "{\"backend\":\"gpu\",\"status\":\"right\",\"median_ms\":" #ms "}"

static bool timed(struct judge_place *place, const char *text, struct judge_verdict *verdict)
{
    return judge_times(place->client, live_of(place), "mine.cu", text, &place->starters, NULL, NULL, verdict);
}

#define SHARE(ms, pct)                                                                                       \
    "{\"backend\":\"gpu\",\"status\":\"right\",\"device\":\"Test\",\"median_ms\":" #ms                       \
    ",\"ceiling_pct\":" #pct "}"
#define GOAL                                                                                                 \
    "lab: vecadd\ncheck: --set n=8\ntime: --size full\ngoal: ceiling_pct >= 45\nreached: vecadd/3\n"         \
    "budget: counters.gld_sec / counters.gld_req <= 4.1\n"

static void more_warps_that_each_do_all_are_half_a_share(void **state)
{
    static const struct {
        const char *records;
        bool repeats;
    } cases[] = {
        { "'" COUNTED(29000, 2900, 1) "' '" COUNTED(3100, 2900, 10) "'", true },
        { "'" COUNTED(3100, 2901, 10) "' '" COUNTED(3100, 2900, 10) "'", false }, // one warp still
        { "'" COUNTED(4000, 400, 1) "' '" COUNTED(3100, 2900, 10) "'", false },   // shared, but not enough
        { "'" COUNTED(900, 90, 1) "' '" COUNTED(100, 90, 1) "'", false },
    };
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nbudget: counters.inst_longest <= 100\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        client_free(place->client);
        place->client = client_new();
        place->starters.count = 0;
        answers(cases[i].records);
        struct judge_verdict verdict = judged(place, changed);
        assert_int_equal(verdict.note != NULL, cases[i].repeats);
        verdict_free(&verdict);
    }
}

static void a_goal_is_told_beside_the_limits(void **state)
{
    struct judge_place *place = *state;
    open_with(place, GOAL);
    answers("'" MINE "' '" SHIPPED "' '" SHARE(0.1, 31.25) "' '" TIMED(0.4) "'");
    struct judge_verdict verdict = judged(place, changed);
    assert_int_equal(verdict.limit_count, 1);
    assert_true(timed(place, changed, &verdict));
    assert_int_equal(verdict.kind, VERDICT_ACCEPTED); // in an exercise it decides nothing
    assert_int_equal(verdict.limit_count, 2);
    assert_false(verdict.limits[1].met);
    assert_string_equal(verdict.device, "Test");
    struct text words = { 0 };
    limit_words(&verdict.limits[1], &words);
    assert_string_equal(words.data, "% of the ceiling on the GPU: yours 31.2, at least 45");
    text_free(&words);
    verdict_free(&verdict);
}

static void a_challenge_begins_empty_and_ends_at_its_goal(void **state)
{
    struct judge_place *place = *state;
    ship(place, "// Nothing but this comment.\n");
    open_challenge(place, GOAL);
    answers("'" MINE "' '" SHARE(0.1, 44.9) "' '" MINE "' '" SHARE(0.1, 45.5) "' '" SLOW "'");
    struct judge_verdict verdict = judged(place, kernel); // with a launch of its own
    assert_int_equal(verdict.kind, VERDICT_ACCEPTED);
    assert_true(timed(place, kernel, &verdict));
    assert_int_equal(verdict.kind, VERDICT_BUDGET);
    assert_string_equal(verdict.words, "44.9 % of the ceiling on the GPU; at least 45.");
    verdict_free(&verdict);
    verdict = judged(place, kernel);
    assert_true(timed(place, kernel, &verdict));
    assert_int_equal(verdict.kind, VERDICT_ACCEPTED);
    assert_true(verdict.ceiling_pct == 45.5);
    verdict_free(&verdict);
    verdict = judged(place, kernel);
    assert_int_equal(verdict.kind, VERDICT_BUDGET);
    assert_int_equal(requests_of(place), 5); // the empty file is never run
    verdict_free(&verdict);
}

static void a_file_without_a_kernel_is_no_answer_to_a_challenge(void **state)
{
    static const char *const texts[] = { "", "// Nothing.\n", "\x01\x02\xff\xfe",
                                         "//@ launch f<<<1, 1>>>(a)\n", "}{" };
    struct judge_place *place = *state;
    ship(place, "// Nothing but this comment.\n");
    open_challenge(place, GOAL);
    answers("'" FAILED "'");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct judge_verdict verdict = judged(place, texts[i]);
        assert_int_equal(verdict.kind, VERDICT_COMPILE);
        assert_non_null(verdict.words);
        assert_false(timed(place, texts[i], &verdict));
        verdict_free(&verdict);
    }
}

static void a_huge_file_is_judged_as_any_other(void **state)
{
    enum { LINES = 200000 };
    struct judge_place *place = *state;
    struct text text = { 0 };
    ship(place, "// Nothing but this comment.\n");
    open_challenge(place, GOAL);
    answers("'" MINE "'");
    for (int i = 0; i < LINES; i++)
        text_add(&text, "// Four megabytes of comments.\n");
    struct judge_verdict verdict = judged(place, text.data);
    assert_int_equal(verdict.kind, VERDICT_COMPILE); // there is no kernel in it
    verdict_free(&verdict);
    text_add(&text, kernel);
    verdict = judged(place, text.data);
    assert_int_equal(verdict.kind, VERDICT_ACCEPTED);
    verdict_free(&verdict);
    text_free(&text);
}

static void what_is_right_is_timed_where_there_is_a_gpu(void **state)
{
    struct judge_place *place = *state;
    struct text log = { 0 }, said = { 0 };
    struct error error;
    open_with(place, "lab: vecadd\ncheck: --set n=8\ntime: --set n=4096\n"
                     "budget: counters.gld_sec / counters.gld_req <= 4.1\n");
    answers("'" MINE "' '" SHIPPED "' '" TIMED(0.1) "' '" TIMED(0.4) "' '" MINE_WRONG "'");
    struct judge_verdict verdict = judged(place, changed);
    assert_int_equal(requests_of(place), 2); // the verdict waits for no clock
    assert_true(timed(place, changed, &verdict));
    limit_time_words(verdict.timed, verdict.had_ms, verdict.ms, &said);
    assert_string_equal(said.data,
                        "time on the GPU with n = 4096: 0.400 ms, yours 0.100 ms; 4.0 times as fast");
    assert_true(file_read(place->log, &log, &error));
    assert_non_null(strstr(log.data, "\"on\":\"gpu\""));
    assert_non_null(strstr(log.data, "\"n\":4096"));
    verdict_free(&verdict);
    verdict = judged(place, kernel); // what is wrong has no time
    assert_false(timed(place, kernel, &verdict));
    assert_null(verdict.timed);
    assert_true(isnan(verdict.ms));
    assert_int_equal(requests_of(place), 5);
    verdict_free(&verdict);
    text_free(&log);
    text_free(&said);
}

static void times_are_compared_in_words(void **state)
{
    static const struct {
        double had, got;
        const char *words;
    } known[] = { { NAN, 0.2, "time on the GPU: yours 0.200 ms" },
                  { 300, 12, "time on the GPU: 300 ms, yours 12.0 ms; 25 times as fast" },
                  { 1, 1.02, "time on the GPU: 1.000 ms, yours 1.020 ms; as fast as before" },
                  { 1, 2, "time on the GPU: 1.000 ms, yours 2.000 ms; it takes 2.0 times as long" },
                  { 1, NAN, "" },
                  { 1, 0, "" } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct text said = { 0 };
        limit_time_words("", known[i].had, known[i].got, &said);
        assert_string_equal(text_string(&said), known[i].words);
        text_free(&said);
    }
}

// 0.25 is a quarter of 1, and 0.2 would not be.
static void a_small_number_is_not_rounded_away(void **state)
{
    struct limit limit = { .got = 0.25, .had = 1, .bound = 0.4, .share = 0.25, .most = true };
    struct text said = { 0 };
    format_into(limit.what, sizeof limit.what, "barriers for each load request");
    format_into(limit.of, sizeof limit.of, "barriers");
    limit_words(&limit, &said);
    assert_string_equal(said.data,
                        "barriers for each load request: 1.00, yours 0.25, at most 0.4; a quarter of "
                        "the barriers");
    text_free(&said);
}

static void idle_lanes_are_told_in_words(void **state)
{
    struct judge_place *place = *state;
    open_with(place, "lab: vecadd\nguard: counters.lanes_per_inst >= 24\n");
    expect(
        place,
        "'{\"backend\":\"sim\",\"status\":\"right\",\"counters\":{\"lanes_per_inst\":1.04},\"findings\":[]}'",
        VERDICT_BUDGET, 1u << VERDICT_BUDGET, "on average 1.0 of the 32 lanes of a warp work; at least 24.");
}

static void a_guard_speaks_when_it_is_missed(void **state)
{
    struct judge_place *place = *state;
    struct limit limits[LIMITS_MOST];
    open_with(place, "lab: vecadd\nbudget: counters.inst <= 2000\nguard: counters.busiest <= 1.5\n");
    expect(
        place, "'" COUNTED(1000, 970, 31) "'", VERDICT_BUDGET, 1u << VERDICT_BUDGET,
        "one warp does 97 % of the work: the others wait. It runs 31.0 times the instructions of the average "
        "one; at most 1.5.");
    assert_int_equal(limits_of(live_of(place), NULL, limits, NULL), 2);
    assert_false(limits[0].quiet);
    assert_true(limits[1].quiet);
}

static void every_bound_of_the_lessons_has_words(void **state)
{
    static const struct {
        const char *lab, *budget, *words;
    } known[] = {
        { "vecadd", "counters.gst_sec / counters.gst_req >= 7", "sectors a store: at least 7" },
        { "vecadd", "counters.gst_sec / operations <= 0.26",
          "sectors stored for each operation: at most 0.26" },
        { "vecadd", "counters.gld_req / params.n <= 0.04", "load requests for each element: at most 0.04" },
        { "histogram", "counters.gld_sec / params.n <= 0.035",
          "sectors loaded for each byte: at most 0.035" },
        { "histogram", "counters.satom_inst <= 0", "shared atomics: none allowed" },
        { "reduction", "counters.gld_sec / bytes <= 0.0375", "sectors loaded for each byte: at most 0.0375" },
        { "banks", "counters.sld_wave / counters.sld_inst <= 1.01",
          "wavefronts a shared load: at most 1.01" },
        { "banks", "counters.satom_wave / counters.satom_inst <= 1",
          "wavefronts a shared atomic: at most 1" },
        { "banks", "counters.sld_inst / counters.gld_req <= 6",
          "shared loads for each load request: at most 6" },
        { "matvec", "counters.l2_sectors / counters.l2_sectors_ideal <= 1.3",
          "sectors moved for each sector needed: at most 1.3" },
        { "matvec", "counters.barriers / counters.gst_req <= 1",
          "barriers for each store request: at most 1" },
        { "matvec", "counters.barriers <= 18500", "barriers: at most 18,500" },
        { "divergence", "counters.divergent / counters.gld_req <= 0.4",
          "warp splits for each load request: at most 0.4" },
        { "divergence", "counters.inst / counters.gld_req <= 115",
          "instructions for each load request: at most 115" },
        { "divergence", "counters.lanes_per_inst >= 31", "lanes an instruction: at least 31" },
        { "divergence", "counters.busiest <= 1.5", "work of the busiest warp over the average: at most 1.5" },
        { "divergence", "counters.inst_longest <= 250", "instructions of the busiest warp: at most 250" },
        { "divergence", "counters.atom_sec / counters.atom_req <= 2", "passes an atomic: at most 2" },
    };
    struct judge_place *place = *state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char fields[200];
        struct judge_verdict none = { 0 };
        lesson_free(&place->lesson);
        format_into(fields, sizeof fields, "lab: %s\nbudget: %s\n", known[i].lab, known[i].budget);
        open_with(place, fields);
        none.limit_count = limits_of(live_of(place), NULL, none.limits, NULL);
        expect_limit(&none, known[i].words);
    }
}

static void numbers_stand_on_their_side_of_the_bound(void **state)
{
    static const struct {
        struct limit limit;
        const char *words;
    } known[] = {
        { { .what = "sectors a load",
            .of = "traffic",
            .bound = 4.1,
            .got = 4.12,
            .had = 16,
            .share = 0.5,
            .most = true },
          "sectors a load: 16.00, yours 4.12, at most 4.1; half the traffic" },
        { { .what = "lanes", .of = "", .bound = 24, .got = 23.96, .had = 1, .share = NAN },
          "lanes: 1.00, yours 23.96, at least 24" },
        { { .what = "lanes", .of = "", .bound = 24, .got = 32, .had = NAN, .share = NAN },
          "lanes: yours 32, at least 24" },
        { { .what = "instructions",
            .of = "work",
            .bound = 150,
            .got = 75,
            .had = 3000,
            .share = 0.025,
            .most = true },
          "instructions: 3,000, yours 75, at most 150; 1/40 of the work" },
        { { .what = "wavefronts",
            .of = "wavefronts",
            .bound = 1.1,
            .got = 1,
            .had = 32,
            .share = 0.031,
            .most = true },
          "wavefronts: 32.0, yours 1.0, at most 1.1; 1/32 of the wavefronts" },
        { { .what = "sectors",
            .of = "traffic",
            .bound = 9,
            .got = 7,
            .had = 16,
            .share = 0.4375,
            .most = true },
          "sectors: 16, yours 7, at most 9; 44 % of the traffic" },
        { { .what = "sectors", .of = "traffic", .bound = 9, .got = 8, .had = 8, .share = 1, .most = true },
          "sectors: 8, yours 8, at most 9" },
        { { .what = "sectors", .of = "traffic", .bound = 9, .got = 16, .had = 8, .share = 2, .most = true },
          "sectors: 8, yours 16, at most 9; twice the traffic" },
        { { .what = "sectors", .of = "traffic", .bound = 9, .got = 28, .had = 8, .share = 3.5, .most = true },
          "sectors: 8, yours 28, at most 9; 3.5 times the traffic" },
        { { .what = "atomics", .of = "atomics", .bound = 0, .got = 0, .had = 8, .share = 0, .most = true },
          "atomics: 8, yours 0, none allowed; none of the atomics" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct text said = { 0 };
        limit_words(&known[i].limit, &said);
        assert_string_equal(said.data, known[i].words);
        text_free(&said);
    }
}

static void limits_come_back_from_the_workbook(void **state)
{
    struct limit all[] = { { .what = "sectors a load",
                             .of = "traffic",
                             .bound = 4.1,
                             .got = 4,
                             .had = 16,
                             .share = 0.25,
                             .most = true },
                           { .what = "lanes", .of = "", .bound = 24, .got = NAN, .had = NAN, .share = NAN },
                           { .what = "work",
                             .of = "",
                             .bound = 1.5,
                             .got = 1,
                             .had = 1,
                             .share = NAN,
                             .most = true,
                             .met = true,
                             .quiet = true }, // a guard that holds
                           { .what = "work",
                             .of = "",
                             .bound = 1.5,
                             .got = 3,
                             .had = 1,
                             .share = NAN,
                             .most = true,
                             .quiet = true } }, // one that does not
        back[LIMITS_MOST];
    json_t *event = json_pack("{s:o}", "limits", limits_event(all, 4));
    assert_int_equal(limits_read(event, back), 3);
    for (size_t i = 0; i < 3; i++) {
        struct text said = { 0 }, again = { 0 };
        limit_words(&all[i == 2 ? 3 : i], &said);
        limit_words(&back[i], &again);
        assert_string_equal(again.data, said.data);
        text_free(&said);
        text_free(&again);
    }
    assert_true(back[0].met);
    json_object_set_new(event, "counts", json_false()); // the numbers of a wrong result
    assert_int_equal(limits_read(event, back), 3);
    assert_true(isnan(back[0].share));
    assert_false(back[0].met);
    json_decref(event);
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
           "it does not run, because it needs n > 5.");
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
    assert_false(judge(place->client, live_of(place), "mine.cu", kernel, NULL, NULL, NULL, &verdict, &error));
    assert_int_equal(error.code, EXIT_MISSING);
}

static void it_can_be_stopped(void **state)
{
    struct judge_place *place = *state;
    struct judge_verdict verdict;
    struct error error;
    open_with(place, "lab: vecadd\n");
    setenv("WARPBOOK_WORKER", GREETS "read -r line; sleep 1000", 1);
    assert_false(
        judge(place->client, live_of(place), "mine.cu", kernel, NULL, stop_at_once, NULL, &verdict, &error));
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
        TEST(what_is_missing_comes_before_what_is_right),
        TEST(a_budget_is_for_answers_that_are_right),
        TEST(what_weighs_most_is_told),
        TEST(a_run_that_is_stopped_says_least),
        TEST(a_number_that_no_run_has_is_no_pass),
        TEST(a_serial_answer_is_told_in_words),
        TEST(long_ways_and_zeros_are_told_in_words),
        TEST(a_verdict_stands_beside_the_shipped_file),
        TEST(what_is_named_stands_beside_an_answer),
        TEST(beside_each_other_all_are_timed_on_a_gpu),
        TEST(beside_a_wrong_answer_stands_nothing),
        TEST(what_cannot_stand_beside_says_why),
        TEST(a_miss_is_compared_in_the_run_that_misses),
        TEST(what_did_not_run_still_says_what_is_asked),
        TEST(a_wrong_answer_has_its_numbers),
        TEST(a_share_names_what_was_counted),
        TEST(a_shipped_file_without_numbers_says_why),
        TEST(the_shipped_file_is_run_where_it_tells_something),
        TEST(a_pace_is_told_as_other_limits_are),
        TEST(a_pace_that_is_missed_rejects),
        TEST(a_pace_is_for_answers_within_the_budgets),
        TEST(a_time_that_is_not_known_rejects_nothing),
        TEST(more_warps_that_each_do_all_are_half_a_share),
        TEST(a_goal_is_told_beside_the_limits),
        TEST(a_challenge_begins_empty_and_ends_at_its_goal),
        TEST(a_file_without_a_kernel_is_no_answer_to_a_challenge),
        TEST(a_huge_file_is_judged_as_any_other),
        TEST(what_is_right_is_timed_where_there_is_a_gpu),
        cmocka_unit_test(times_are_compared_in_words),
        cmocka_unit_test(a_small_number_is_not_rounded_away),
        TEST(idle_lanes_are_told_in_words),
        TEST(a_guard_speaks_when_it_is_missed),
        TEST(every_bound_of_the_lessons_has_words),
        cmocka_unit_test(numbers_stand_on_their_side_of_the_bound),
        cmocka_unit_test(limits_come_back_from_the_workbook),
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
