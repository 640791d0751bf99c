// The screen is killed at random moments while a lesson is answered: what it showed as done stands in the workbook, and
// no line is torn but the one that was being written.
//
//   KILLS   how many; 12 without it
//   SEED    where chance begins; 1 without it
#include "engine/compile/parts.h"
#include "lessons/lessons.h"
#include "tests/unit/terminal.h"

#include <locale.h>

static const char body[] =
    "---\ntitle: Killed\nminutes: 1\nafter: know what is kept\n---\n"
    "```quiz id=typed\nask: How many?\nright: 4\n```\n\n"
    "```predict id=guess\nask: How many threads?\nright: 1024\nunit: threads\n```\n\n"
    "```exercise id=double\nask: Double it.\nfile: mine.cu\nsolution: mine-solution.cu\n"
    "hint: The first hint.\nhint: Two.\nhint: Three.\n```\n\n"
    "```order id=lines\nask: In order.\nline: one\nline: two\nline: three\n```\n";

// ---- chance ------------------------------------------------------------------------------------------

static uint64_t chance;

static unsigned below(unsigned limit)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (unsigned)((chance >> 11) % limit);
}

// ---- what is done, how that shows, and what it leaves -----------------------------------------------------

enum deed { DEED_ANSWER, DEED_PREDICT, DEED_HINT, DEED_ORDER, DEED_EDIT, DEED_NOTE, DEED_TASK, DEEDS };
struct done {
    enum deed deed;
    int number;   // answered or noted
    char *lesson; // its folder
};
struct deeds {
    struct done *list; // what was shown as done
    size_t count;
    size_t of[DEEDS];
};

static void words_of(const struct done *done, char *out, size_t size)
{
    static const char *const words[DEEDS] = { ":answer typed %d\r",    ":answer guess %d\r",
                                              ":answer double hint\r", ":answer lines check\r",
                                              ":answer double edit\r", ":note number %d\r",
                                              ":answer double judge\r" };
    format_into(out, size, words[done->deed], done->number); // NOLINT(clang-diagnostic-format-nonliteral)
}

static bool shows(const struct terminal *terminal, const struct done *done)
{
    char words[80];
    switch (done->deed) {
    case DEED_ANSWER:
        format_into(words, sizeof words, "%d  not this", done->number);
        return terminal_shows(terminal, words);
    case DEED_PREDICT:
        format_into(words, sizeof words, "%d threads", done->number);
        return terminal_shows(terminal, words) && terminal_shows(terminal, "off by");
    case DEED_HINT:
        return terminal_shows(terminal, "The first hint.");
    case DEED_ORDER:
        return terminal_shows(terminal, "not right yet from line");
    case DEED_EDIT:
        return terminal_shows(terminal, "Nothing was changed.");
    case DEED_TASK:
        return terminal_shows(terminal, "output is missing");
    default:
        return terminal_shows(terminal, "Written into your workbook.");
    }
}

static bool is_it(const struct workbook *workbook, size_t at, const struct done *done)
{
    const json_t *event = workbook_event(workbook, at);
    char text[40];
    const char *typed = json_string_value(json_object_get(event, "typed"));
    const char *said = json_string_value(json_object_get(event, "text"));
    switch (done->deed) {
    case DEED_ANSWER:
        format_into(text, sizeof text, "%d", done->number);
        return workbook_about(workbook, at, done->lesson, "typed") && typed && strcmp(typed, text) == 0;
    case DEED_PREDICT:
        return workbook_is(workbook, at, "predict") && workbook_about(workbook, at, done->lesson, "guess") &&
               json_number_value(json_object_get(event, "number")) == done->number;
    case DEED_HINT:
        return workbook_is(workbook, at, "hint") && workbook_about(workbook, at, done->lesson, "double");
    case DEED_ORDER:
        return workbook_is(workbook, at, "answer") && workbook_about(workbook, at, done->lesson, "lines");
    case DEED_TASK:
        return workbook_is(workbook, at, "answer") && workbook_about(workbook, at, done->lesson, "double");
    default:
        format_into(text, sizeof text, "number %d", done->number);
        return workbook_is(workbook, at, "note") && said && strcmp(said, text) == 0;
    }
}

// An edit leaves the copy.
static bool was_kept(const struct workbook *workbook, const struct done *done)
{
    bool kept = false;
    if (done->deed == DEED_EDIT) {
        struct lesson lesson = { .name = done->lesson };
        char *path = lesson_copy(&lesson, "mine.cu");
        kept = file_exists(path);
        free(path);
        return kept;
    }
    for (size_t at = workbook_count(workbook); at-- > 0 && !kept;)
        kept = is_it(workbook, at, done);
    return kept;
}

// ---- one kill -------------------------------------------------------------------------------------------

static void put_file(const char *folder, const char *name, const char *text)
{
    struct error error;
    char *path = path_join(folder, name);
    if (!file_replace(path, text, strlen(text), &error))
        fail_msg("%s", error.text);
    free(path);
}

static char *lesson_of(unsigned round)
{
    struct text folder = { 0 }, kernel = { 0 };
    struct error error;
    text_addf(&folder, "%s/lessons/01-k%u", getenv("HOME"), round);
    assert_true(folder_make(folder.data, &error));
    put_file(folder.data, "lesson.md", body);
    assert_true(file_read("tests/data/lessons-tasks/04-tasks/mine.cu", &kernel, &error));
    put_file(folder.data, "mine.cu", kernel.data);
    kernel.length = 0;
    assert_true(file_read("tests/data/lessons-tasks/04-tasks/mine-solution.cu", &kernel, &error));
    put_file(folder.data, "mine-solution.cu", kernel.data);
    text_free(&kernel);
    return text_take(&folder);
}

static void note(struct deeds *deeds, const struct done *done)
{
    deeds->list = array_room(deeds->list, deeds->count, sizeof *deeds->list);
    deeds->list[deeds->count] = *done;
    deeds->list[deeds->count++].lesson = mem_copy(done->lesson);
    deeds->of[done->deed]++;
}

// Without a compiler no answer to an exercise is judged.
static bool can_compile(void)
{
    struct tools tools;
    tools_find(&tools);
    return tools.nvrtc[0] || tools.clang[0];
}

// Something that does not show yet, so that its showing means this one.
static struct done choose(const struct terminal *terminal, char *lesson, int *number)
{
    unsigned deeds = can_compile() ? DEEDS : DEED_TASK;
    struct done done = { .deed = DEED_NOTE, .lesson = lesson };
    do {
        done.deed = (enum deed)below(deeds);
        done.number = done.deed == DEED_PREDICT ? 200 + (int)below(800) : 1000 + *number;
    } while (shows(terminal, &done) || (done.deed == DEED_PREDICT && terminal_shows(terminal, "off by")));
    ++*number;
    return done;
}

static void wait_until(struct terminal *terminal, double end)
{
    do
        terminal_wait(terminal, 0);
    while (clock_ms() < end && !terminal->ended);
}

static void one_kill(char *lesson, struct deeds *deeds, int *number)
{
    struct terminal terminal;
    const char *argv[] = { getenv("WARPBOOK"), "open", "lesson", lesson, NULL };
    terminal_start(&terminal, 50, 100, argv);
    terminal_type(&terminal, ":unfold --all\r"); // what is typed is about all of its questions
    terminal_expect(&terminal, "In order.");
    for (bool alive = true; alive;) {
        char words[80];
        struct done done = choose(&terminal, lesson, number);
        words_of(&done, words, sizeof words);
        terminal_type(&terminal, words);
        alive = below(4) != 0;
        double end = clock_ms() + (alive ? TERMINAL_PATIENCE_MS : below(12000) / 1e3);
        while (!shows(&terminal, &done) && clock_ms() < end)
            wait_until(&terminal, alive ? clock_ms() + 1 : end);
        if (!alive) {
            kill(terminal.program, SIGKILL);
            terminal_expect_end(&terminal);
        }
        if (shows(&terminal, &done))
            note(deeds, &done);
        else if (alive)
            terminal_give_up(&terminal, words);
    }
    terminal_end(&terminal);
}

// ---- all of them ------------------------------------------------------------------------------------------

static unsigned long setting_of(const char *name, unsigned long without)
{
    const char *given = getenv(name);
    return given && *given ? strtoul(given, NULL, 10) : without;
}

static size_t expect_kept(const struct deeds *deeds, size_t from, unsigned round)
{
    struct error error;
    struct workbook *workbook = workbook_open(NULL, &error);
    if (!workbook)
        fail_msg("%s", error.text);
    for (size_t i = from; i < deeds->count; i++)
        if (!was_kept(workbook, &deeds->list[i]))
            fail_msg("kill %u lost deed %d, number %d", round, deeds->list[i].deed, deeds->list[i].number);
    size_t torn = workbook_torn(workbook);
    workbook_close(workbook);
    return torn;
}

static void what_was_shown_as_done_is_kept(void **state)
{
    struct deeds deeds = { 0 };
    unsigned kills = (unsigned)setting_of("KILLS", 12);
    size_t torn = 0;
    int number = 0;
    chance = setting_of("SEED", 1) * 0x9e3779b97f4a7c15u + 1;
    for (unsigned round = 0; round < kills; round++) {
        size_t before = deeds.count;
        char *lesson = lesson_of(round);
        one_kill(lesson, &deeds, &number);
        size_t now = expect_kept(&deeds, before, round);
        if (now > torn + 1)
            fail_msg("kill %u tore %zu lines", round, now - torn);
        torn = now;
        free(lesson);
    }
    expect_kept(&deeds, 0, kills);
    print_message(
        "%u kills, %d deeds, %zu shown: %zu answers, %zu predictions, %zu hints, %zu orders, %zu edits, "
        "%zu notes, %zu judged exercises; %zu lines torn\n",
        kills, number, deeds.count, deeds.of[DEED_ANSWER], deeds.of[DEED_PREDICT], deeds.of[DEED_HINT],
        deeds.of[DEED_ORDER], deeds.of[DEED_EDIT], deeds.of[DEED_NOTE], deeds.of[DEED_TASK], torn);
    for (size_t i = 0; i < deeds.count; i++)
        free(deeds.list[i].lesson);
    free(deeds.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_was_shown_as_done_is_kept) };
    setlocale(LC_CTYPE, "C.UTF-8");
    setenv("TERM", "xterm-256color", 1);
    setenv("VISUAL", "true", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
