// What lesson 1 promises to somebody who opens it for the first time: its first page teaches six keys by their use, the
// first kernel comes within five minutes of reading, and the first speed-up of one's own within twenty.
#include "lessons/lessons.h"
#include "tui/tui.h"
#include "tui/view/live.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct vocabulary known = { page_list, commands, NULL };

static int set_up(void **state)
{
    struct lesson *lesson = mem_new(sizeof *lesson);
    struct error error;
    if (!lesson_read(lesson, "lessons/01-two-machines/lesson.md", &error))
        fail_msg("%s", error.text);
    *state = lesson;
    return 0;
}

static int tear_down(void **state)
{
    lesson_free(*state);
    free(*state);
    return 0;
}

// The first live block of one of these kinds with this key (NULL: any).
static size_t first_of(const struct lesson *lesson, unsigned kinds, const char *key)
{
    for (size_t i = 0; i < lesson->block_count; i++) {
        const struct live *live = &lesson->blocks[i].live;
        if (lesson->blocks[i].kind == BLOCK_LIVE && (kinds & 1u << live->kind) &&
            (!key || live_field(live, key)))
            return i;
    }
    fail_msg("there is none");
    return 0;
}

enum { TASKS = 1 << LIVE_EXERCISE | 1 << LIVE_BUGHUNT, ANY = (1 << LIVES) - 1 };

// ---- the first page -------------------------------------------------------------------------------------------

// The key that a word is, "q" or "Space"; 0: it is none.
static int key_meant(const char *word)
{
    char name[40];
    format_into(name, sizeof name, strlen(word) > 1 ? "<%s>" : "%s", word);
    return key_of_name(name, strlen(name));
}

static void the_first_page_teaches_six_keys(void **state)
{
    enum { ROWS = 21, SIX = 6 }; // of 24, without the bars
    const struct lesson *lesson = *state;
    struct keys keys = { 0 };
    struct error error;
    int taught[20], count = 0;
    assert_true(keys_read(&keys, &known, &error));
    size_t question = first_of(lesson, ANY, NULL);
    for (size_t b = 0; b < question; b++)
        for (size_t i = 0; i < lesson->blocks[b].piece_count; i++) {
            const struct inline_piece *piece = &lesson->blocks[b].pieces[i];
            int key = piece->kind == INLINE_CODE ? key_meant(piece->text) : 0, at = 0;
            while (at < count && taught[at] != key)
                at++;
            if (piece->kind == INLINE_CODE && (!key || !keys_words(&keys, "lesson", key)))
                fail_msg("'%s' does nothing in a lesson", piece->text);
            if (key && at == count && count < 20)
                taught[count++] = key;
        }
    assert_int_equal(count, SIX);
    keys_free(&keys);
    struct lesson_setting paper = { .width = TEXT_MOST, .utf8 = true };
    struct lesson_text text = lesson_text_new(lesson, &paper);
    if (text.ends[0] > ROWS)
        fail_msg("the first question ends on line %zu; a screen of 80x24 shows %d", text.ends[0], ROWS);
    lesson_text_free(&text);
}

// ---- the first kernel and the first speed-up --------------------------------------------------------------------

static void the_first_kernel_stands_within_five_minutes(void **state)
{
    const struct lesson *lesson = *state;
    size_t at = first_of(lesson, TASKS, NULL);
    const struct live *live = &lesson->blocks[at].live;
    double minutes = lesson_minutes(lesson, 0, at);
    if (minutes > 5)
        fail_msg("the first task comes after %.1f minutes", minutes);
    assert_int_equal(live->kind, LIVE_EXERCISE);
    assert_string_equal(live_nth(live, "beside", 0), "vecadd/plain one core of the CPU");
    assert_string_equal(live_nth(live, "beside", 1), "vecadd/1-one-thread one thread of the GPU");
}

static struct judge_verdict judged(const struct live *live, const char *key, struct starters *starters)
{
    struct judge_verdict verdict = { 0 };
    struct error error;
    struct text text = { 0 };
    struct client *client = client_new();
    char *path = path_join(live->folder, live_field(live, key));
    if (!file_read(path, &text, &error) ||
        !judge(client, live, path, text_string(&text), starters, NULL, NULL, &verdict, &error))
        fail_msg("%s", error.text);
    client_free(client);
    text_free(&text);
    free(path);
    return verdict;
}

// It begins with a kernel that is right and only too slow, and what was saved has a number.
static void the_first_speed_up_stands_within_twenty_minutes(void **state)
{
    const struct lesson *lesson = *state;
    size_t at = first_of(lesson, TASKS, "budget");
    const struct live *live = &lesson->blocks[at].live;
    double minutes = lesson_minutes(lesson, 0, at + 1);
    if (minutes > 20)
        fail_msg("the first task with a budget is done after %.1f minutes", minutes);
    if (system("\"$WARPBOOK\" show tests/data/good/print.cu --ptx >/dev/null 2>&1") != 0) {
        printf("skipped: no compiler\n");
        skip();
    }
    struct text worker = { 0 };
    struct starters starters = { 0 };
    text_addf(&worker, "%s worker", getenv("WARPBOOK"));
    setenv("WARPBOOK_WORKER", worker.data, 1);
    text_free(&worker);
    struct judge_verdict before = judged(live, "file", NULL), after = judged(live, "solution", &starters);
    assert_int_equal(before.reasons, 1u << VERDICT_BUDGET);
    assert_int_equal(after.kind, VERDICT_ACCEPTED);
    assert_true(after.limit_count > 0);
    assert_true(after.limits[0].got < after.limits[0].had / 2);
    verdict_free(&before);
    verdict_free(&after);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_page_teaches_six_keys),
        TEST(the_first_kernel_stands_within_five_minutes),
        TEST(the_first_speed_up_stands_within_twenty_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
