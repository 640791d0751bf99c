// What a GPU computes is the key of some questions. The choice that is right on the GPU whose results ship is right on
// every other one of which records are kept, in tests/data/recorded, and where the share of a ceiling is asked for also at
// other bandwidths: the choices lie far enough apart. The goals of tasks can be reached on all of them.
#include "lessons/answer.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KEPT_MOST = 4 };
static size_t wrong; // keys and goals

struct kept_records { // records of one GPU
    const char *path;
    json_t *list;
};

static void read_kept(const char *path, struct kept_records *out)
{
    struct text text = { 0 };
    struct error error;
    *out = (struct kept_records){ path, json_array() };
    assert_true(file_read(path, &text, &error));
    char *rest = text.data;
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        json_t *record = json_loads(line, 0, NULL);
        if (!record)
            fail_msg("%s: line %zu is no record", path, json_array_size(out->list) + 1);
        json_array_append_new(out->list, record);
    }
    text_free(&text);
}

static bool says(const json_t *record, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(record, key));
    return value && strcmp(value, text) == 0;
}

// The record of the very code, size and data; NULL: there is none.
static json_t *kept_of(const struct kept_records *kept, const struct request *request,
                       const struct variant *variant)
{
    char code[20];
    size_t i;
    json_t *record;
    const char *data = request->data ? request->data : lab_find(request->lab)->data[0];
    format_into(code, sizeof code, "%016llx", (unsigned long long)variant_code(variant));
    json_array_foreach(kept->list, i, record)
    {
        if (says(record, "code", code) && says(record, "preset", request_preset(request)) &&
            (!data || says(record, "data", data)))
            return record;
    }
    return NULL;
}

static json_t *shipped_of(const struct request *request, const struct variant *variant)
{
    struct record record;
    if (!recorded_find(request, variant, &record))
        return NULL;
    json_t *json = record_to_json(&record);
    record_free(&record);
    return json;
}

// ---- what comes out on one GPU --------------------------------------------------------------------------------

// False: a run of it is not of a GPU, or was not recorded. `kept`: NULL for what ships.
static bool came(const struct live *live, const struct kept_records *kept, struct outcome *out,
                 double *ceiling)
{
    const char *run;
    bool whole = true;
    *out = (struct outcome){ .state = OUTCOME_CAME };
    for (size_t i = 0; whole && (run = live_nth(live, "run", i)); i++) {
        struct lesson_run trial;
        struct error error;
        assert_true(lesson_run_read(&trial, run, false, &error));
        json_t *record = trial.request.on != ON_GPU ? NULL
                         : kept ? json_incref(kept_of(kept, &trial.request, &trial.variant))
                                : shipped_of(&trial.request, &trial.variant);
        whole = record && live_value(live_field(live, "value"), record, &out->values[out->count++]);
        *ceiling = json_number_value(json_object_get(record, "ceiling_gbps"));
        json_decref(record);
        lesson_run_free(&trial);
    }
    return whole && out->count;
}

static void expect_key(const struct lesson *lesson, const struct live *live, const struct outcome *outcome,
                       int key, const char *where)
{
    int now = outcome_right_choice(live, outcome);
    if (now == key)
        return;
    print_error(
        "%s, %s: %s makes choice %d right (%.4g), and choice %d is right on the GPU whose results ship\n",
        lesson->name, live->id, where, now, outcome->values[0], key);
    wrong++;
}

// ---- at other bandwidths --------------------------------------------------------------------------------------

// A share of the ceiling, carried over to a GPU with more bandwidth on which the kernel takes as long, and to one with
// less bandwidth, whose SMs together do 0.6 times the work of an H100's, as an A100's do.
static void expect_key_elsewhere(const struct lesson *lesson, const struct live *live,
                                 const struct outcome *outcome, int key, double ceiling)
{
    static const struct {
        double gbps, work;
        const char *where;
    } others[] = { { 8000, 1, "a read of 8 TB/s" }, { 1500, 0.6, "a read of 1.5 TB/s" } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct outcome there = *outcome;
        there.values[0] = fmin(100, outcome->values[0] * ceiling / others[i].gbps * others[i].work);
        expect_key(lesson, live, &there, key, others[i].where);
    }
}

// Returns how many GPUs beside the one whose results ship had records for it.
static size_t expect_one_key(const struct lesson *lesson, const struct live *live,
                             const struct kept_records *kept, size_t kept_count)
{
    struct outcome shipped, other;
    double ceiling;
    size_t compared = 0;
    bool share = strcmp(live_field(live, "value"), "ceiling_pct") == 0 && live_count(live, "run") == 1;
    if (!came(live, NULL, &shipped, &ceiling))
        return 0;
    int key = outcome_right_choice(live, &shipped);
    if (share)
        expect_key_elsewhere(lesson, live, &shipped, key, ceiling);
    for (size_t i = 0; i < kept_count; i++) {
        if (!came(live, &kept[i], &other, &ceiling))
            continue;
        expect_key(lesson, live, &other, key, kept[i].path);
        if (share)
            expect_key_elsewhere(lesson, live, &other, key, ceiling);
        compared++;
    }
    return compared;
}

// ---- goals ----------------------------------------------------------------------------------------------------

// The share of its ceiling that a step reaches on one GPU, and the bandwidth of that; false: it was not recorded.
static bool share_of(const struct lesson_run *trial, const struct kept_records *kept, double *share,
                     double *ceiling)
{
    json_t *record = kept ? json_incref(kept_of(kept, &trial->request, &trial->variant))
                          : shipped_of(&trial->request, &trial->variant);
    bool known = record && live_value("ceiling_pct", record, share);
    *ceiling = json_number_value(json_object_get(record, "ceiling_gbps"));
    json_decref(record);
    return known;
}

static void expect_reached(const struct lesson *lesson, const struct live *live, double share,
                           const char *where)
{
    double goal = strtod(strstr(live_field(live, "goal"), ">=") + 2, NULL);
    if (share >= goal)
        return;
    print_error("%s, %s: %s reaches %.1f %% on %s, and the goal is %.0f\n", lesson->name, live->id,
                live_field(live, "reached"), share, where, goal);
    wrong++;
}

// A kernel takes at most as long on a GPU with 8 TB/s as on the fastest that was measured, so that each record promises a
// share there, and the largest holds; on one with 1.5 TB/s, see above.
static void expect_goal(const struct lesson *lesson, const struct live *live, const struct kept_records *kept,
                        size_t kept_count)
{
    struct lesson_run trial;
    struct error error;
    struct text run = { 0 };
    double share, ceiling, slow = 0, fast = 0;
    text_addf(&run, "%s --on gpu %s", live_field(live, "reached"), live_field(live, "time"));
    if (!lesson_run_read(&trial, run.data, false, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i <= kept_count; i++) {
        if (!share_of(&trial, i ? &kept[i - 1] : NULL, &share, &ceiling))
            continue;
        expect_reached(lesson, live, share, i ? kept[i - 1].path : "the GPU whose results ship");
        slow = fmax(slow, fmin(100, share * ceiling / 1500 * 0.6));
        fast = fmax(fast, share * ceiling / 8000);
    }
    expect_reached(lesson, live, slow, "a GPU with 1.5 TB/s");
    expect_reached(lesson, live, fast, "a GPU with 8 TB/s");
    lesson_run_free(&trial);
    text_free(&run);
}

// ---- all of them ----------------------------------------------------------------------------------------------

static void keys_and_goals_hold_on_every_gpu(void **state)
{
    struct lessons lessons;
    struct error error;
    struct kept_records kept[KEPT_MOST];
    size_t kept_count = 0, compared = 0, goals = 0;
    glob_t files;
    assert_int_equal(glob("tests/data/recorded/*.jsonl", 0, NULL, &files), 0);
    for (; kept_count < files.gl_pathc && kept_count < KEPT_MOST; kept_count++)
        read_kept(files.gl_pathv[kept_count], &kept[kept_count]);
    assert_true(lessons_read(NULL, &lessons, &error));
    for (size_t l = 0; l < lessons.count; l++)
        for (size_t b = 0; b < lessons.list[l].block_count; b++) {
            const struct lesson_block *block = &lessons.list[l].blocks[b];
            if (block->kind == BLOCK_LIVE && block->live.kind == LIVE_PREDICT &&
                live_field(&block->live, "run") && live_field(&block->live, "choice"))
                compared += expect_one_key(&lessons.list[l], &block->live, kept, kept_count);
            if (block->kind == BLOCK_LIVE && live_field(&block->live, "goal")) {
                expect_goal(&lessons.list[l], &block->live, kept, kept_count);
                goals++;
            }
        }
    assert_true(compared > 0 && goals > 0);
    assert_int_equal(wrong, 0);
    lessons_free(&lessons);
    for (size_t i = 0; i < kept_count; i++)
        json_decref(kept[i].list);
    globfree(&files);
}

// "at most 0.05 ms": whether a text names this number of milliseconds.
static bool names_milliseconds(const char *text, double bound)
{
    for (const char *unit = text; (unit = strstr(unit, " ms")); unit++) {
        const char *number = unit;
        while (number > text && strchr("0123456789.", number[-1]))
            number--;
        if (number < unit && fabs(strtod(number, NULL) - bound) < 1e-9)
            return true;
    }
    return false;
}

// A goal in time is known before one tries, and that it takes no GPU.
static void a_pace_is_named_where_the_task_is_set(void **state)
{
    struct lessons lessons;
    struct error error;
    struct pace pace;
    size_t paces = 0;
    assert_true(lessons_read(NULL, &lessons, &error));
    for (size_t l = 0; l < lessons.count; l++)
        for (size_t b = 0; b < lessons.list[l].block_count; b++) {
            const struct lesson_block *block = &lessons.list[l].blocks[b];
            const char *text = block->kind == BLOCK_LIVE ? live_field(&block->live, "pace") : NULL;
            if (!text)
                continue;
            const char *ask = live_field(&block->live, "ask");
            paces++;
            assert_true(pace_read(text, &pace));
            if (!names_milliseconds(ask, pace.bound) || !(strstr(ask, "odelled")))
                fail_msg("%s: %s does not say that %g ms, modelled, are the goal", lessons.list[l].path,
                         block->live.id, pace.bound);
        }
    assert_true(paces > 0);
    lessons_free(&lessons);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_and_goals_hold_on_every_gpu),
        cmocka_unit_test(a_pace_is_named_where_the_task_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
