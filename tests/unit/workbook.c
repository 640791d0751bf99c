// The workbook: what was confirmed is there, whoever else writes, whatever dies or fills up.
#include "lessons/lessons.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct workbook_place {
    char *folder, *path;
};

static int make_place(void **state)
{
    struct workbook_place *place = mem_new(sizeof *place);
    place->folder = mem_copy("/tmp/warpbook-workbook-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    place->path = path_join(place->folder, "workbook.jsonl");
    *state = place;
    return 0;
}

static int drop_place(void **state)
{
    struct workbook_place *place = *state;
    unlink(place->path);
    rmdir(place->folder);
    free(place->path);
    free(place->folder);
    free(place);
    return 0;
}

static struct workbook *open_it(const struct workbook_place *place)
{
    struct error error;
    struct workbook *workbook = workbook_open(place->path, &error);
    if (!workbook)
        fail_msg("%s", error.text);
    return workbook;
}

static bool add(struct workbook *workbook, const char *kind, int number, struct error *error)
{
    return workbook_add(workbook, kind, json_pack("{s:i}", "number", number), error);
}

static void add_right(struct workbook *workbook, int number)
{
    struct error error;
    if (!add(workbook, "note", number, &error))
        fail_msg("%s", error.text);
}

static int event_number(const json_t *event)
{
    return (int)json_integer_value(json_object_get(event, "number"));
}

static void write_file(const struct workbook_place *place, const char *text)
{
    struct error error;
    assert_true(file_replace(place->path, text, strlen(text), &error));
}

static char *read_file(const struct workbook_place *place)
{
    struct text text = { 0 };
    struct error error;
    assert_true(file_read(place->path, &text, &error));
    return text.data ? text_take(&text) : mem_copy("");
}

static off_t size_of(const struct workbook_place *place)
{
    struct stat state;
    assert_int_equal(stat(place->path, &state), 0);
    return state.st_size;
}

// ---- one learner ----------------------------------------------------------------------------------------

static void what_was_added_is_there_after_opening_again(void **state)
{
    struct workbook *workbook = open_it(*state);
    assert_int_equal(workbook_count(workbook), 0);
    add_right(workbook, 1);
    add_right(workbook, 2);
    assert_int_equal(workbook_count(workbook), 2);
    workbook_close(workbook);
    workbook = open_it(*state);
    assert_int_equal(workbook_count(workbook), 2);
    assert_int_equal(workbook_torn(workbook), 0);
    const json_t *event = workbook_event(workbook, 1);
    assert_int_equal(event_number(event), 2);
    assert_string_equal(json_string_value(json_object_get(event, "kind")), "note");
    assert_int_equal(strlen(json_string_value(json_object_get(event, "date"))), 20);
    assert_null(workbook_event(workbook, 2));
    workbook_close(workbook);
}

static void the_folder_is_made(void **state)
{
    const struct workbook_place *place = *state;
    char *below = path_join(place->folder, "a"), *path = path_join(below, "b.jsonl");
    struct error error;
    struct workbook *workbook = workbook_open(path, &error);
    assert_non_null(workbook);
    add_right(workbook, 1);
    workbook_close(workbook);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(below), 0);
    free(path);
    free(below);
}

// Kinds, backends and statuses that only a later version knows are events as well: their lines stay as they are, and what
// is added comes after them.
static void events_of_a_later_version_stay_as_they_are(void **state)
{
    static const char lines[] =
        "{\"kind\":\"run\",\"lab\":\"vecadd\",\"backend\":\"tpu\",\"status\":\"right\",\"more\":[1]}\n"
        "{\"kind\":\"run\",\"lab\":\"vecadd\",\"backend\":\"sim\",\"status\":\"dreamt\"}\n"
        "{\"kind\":\"dream\",\"lesson\":7,\"id\":{\"of\":\"sheep\"}}\n";
    const struct workbook_place *place = *state;
    struct error error;
    struct text kept = { 0 };
    write_file(place, lines);
    struct workbook *workbook = open_it(place);
    assert_int_equal(workbook_count(workbook), 3);
    assert_int_equal(workbook_torn(workbook), 0);
    for (size_t i = 0; i < 2; i++) {
        struct record record;
        assert_true(workbook_is(workbook, i, "run"));
        assert_false(record_from_json(&record, workbook_event(workbook, i), &error));
    }
    assert_true(workbook_add(workbook, "note", json_pack("{s:s}", "text", "words"), &error));
    assert_int_equal(workbook_count(workbook), 4);
    workbook_close(workbook);
    assert_true(file_read(place->path, &kept, &error));
    assert_true(string_starts(text_string(&kept), lines));
    assert_true(kept.length > sizeof lines);
    text_free(&kept);
}

static void the_newest_event_is_found(void **state)
{
    struct workbook *workbook = open_it(*state);
    struct error error;
    for (int i = 0; i < 4; i++)
        assert_true(workbook_add(
            workbook, i == 3 ? "hint" : "answer",
            json_pack("{s:s, s:s, s:i}", "lesson", "06-coalescing", "id", i == 2 ? "b" : "a", "number", i),
            &error));
    assert_int_equal(event_number(workbook_find(workbook, "answer", "06-coalescing", "a")), 1);
    assert_int_equal(event_number(workbook_find(workbook, "answer", "06-coalescing", "b")), 2);
    assert_int_equal(event_number(workbook_find(workbook, "hint", "06-coalescing", NULL)), 3);
    assert_null(workbook_find(workbook, "answer", "07-banks", "a"));
    workbook_close(workbook);
}

static void an_event_is_one_line_whatever_it_says(void **state)
{
    struct workbook *workbook = open_it(*state);
    struct error error;
    assert_true(workbook_add(workbook, "note",
                             json_pack("{s:s}", "text", "one\ntwo \"three\" \xe2\x82\xac\x01"), &error));
    add_right(workbook, 7);
    workbook_close(workbook);
    workbook = open_it(*state);
    assert_int_equal(workbook_count(workbook), 2);
    assert_string_equal(json_string_value(json_object_get(workbook_event(workbook, 0), "text")),
                        "one\ntwo \"three\" \xe2\x82\xac\x01");
    workbook_close(workbook);
}

// ---- many events ----------------------------------------------------------------------------------------

static long kept, taken; // allocations of jansson's that were not freed; and all since it was set to 0

static void *count_kept(size_t size)
{
    taken++;
    kept++;
    return malloc(size);
}

static void count_freed(void *memory)
{
    kept -= memory != NULL;
    free(memory);
}

static void answers_of(struct text *lines, int count, int ids)
{
    for (int i = 0; i < count; i++)
        text_addf(lines,
                  "{\"kind\": \"answer\", \"lesson\": \"06-coalescing\", \"id\": \"q%d\", \"number\": %d, "
                  "\"chosen\": [1], \"right\": true, \"value\": 0.5}\n",
                  i % ids, i);
}

// Jansson's allocations are counted: as JSON an event would take 2 KiB.
static void of_many_events_only_those_that_are_asked_for_are_kept(void **state)
{
    enum { MANY = 5000, IDS = 200 };
    struct text lines = { 0 };
    json_set_alloc_funcs(count_kept, count_freed);
    kept = 0;
    answers_of(&lines, IDS, IDS);
    write_file(*state, lines.data);
    struct workbook *workbook = open_it(*state);
    const long index = kept; // of what there are answers to, however many
    assert_true(index <= 3 * IDS);
    workbook_close(workbook);
    assert_int_equal(kept, 0);
    lines.length = 0;
    answers_of(&lines, MANY, IDS);
    write_file(*state, lines.data);
    text_free(&lines);
    workbook = open_it(*state);
    assert_int_equal(workbook_count(workbook), MANY);
    assert_int_equal(kept, index);
    taken = 0;
    assert_true(workbook_is(workbook, 7, "answer") && workbook_about(workbook, 7, "06-coalescing", "q7"));
    assert_false(workbook_is(workbook, 7, "answers") || workbook_about(workbook, 7, "06", NULL));
    assert_false(workbook_about(workbook, 7, "06-coalescing", "q8"));
    assert_int_equal(workbook_marks(workbook, 7), EVENT_RIGHT);
    assert_int_equal(taken, 0);
    const json_t *event = workbook_find(workbook, "answer", "06-coalescing", "q3");
    long one = taken;
    assert_int_equal(event_number(event), MANY - IDS + 3);
    assert_in_range(one, 1, 100);
    assert_ptr_equal(workbook_find(workbook, "answer", "06-coalescing", "q3"), event);
    assert_null(workbook_find(workbook, "answer", "06-coalescing", "q200"));
    assert_null(workbook_find(workbook, "predict", "06-coalescing", NULL));
    assert_int_equal(taken, one);
    workbook_close(workbook);
    assert_int_equal(kept, 0);
    json_set_alloc_funcs(malloc, free);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Takes 0.3 s on an idle machine.
static void the_events_of_years_open_at_once(void **state)
{
    enum { MANY = 100000, IDS = 5000 };
    struct text lines = { 0 };
    answers_of(&lines, MANY, IDS);
    write_file(*state, lines.data);
    text_free(&lines);
    double start = cpu_seconds();
    struct workbook *workbook = open_it(*state);
    double took = cpu_seconds() - start;
    assert_int_equal(workbook_count(workbook), MANY);
    assert_int_equal(event_number(workbook_find(workbook, "answer", "06-coalescing", "q4999")), MANY - 1);
    workbook_close(workbook);
    if (took > 5)
        fail_msg("%.1f s of CPU time", took);
}

static void each_of_many_is_found(void **state)
{
    enum { IDS = 700 };
    struct text lines = { 0 };
    char id[16];
    answers_of(&lines, IDS, IDS);
    write_file(*state, lines.data);
    text_free(&lines);
    struct workbook *workbook = open_it(*state);
    for (int i = 0; i < IDS; i++) {
        format_into(id, sizeof id, "q%d", i);
        assert_int_equal(event_number(workbook_find(workbook, "answer", "06-coalescing", id)), i);
    }
    write_file(*state, "{\"kind\":\"answer\",\"lesson\":\"06-coalescing\",\"id\":\"q1\",\"number\":9}\n");
    assert_true(workbook_refresh(workbook));
    assert_int_equal(event_number(workbook_find(workbook, "answer", "06-coalescing", "q1")), 9);
    assert_null(workbook_find(workbook, "answer", "06-coalescing", "q2"));
    workbook_close(workbook);
}

static void an_answer_of_a_review_is_not_the_newest(void **state)
{
    write_file(*state,
               "{\"kind\":\"answer\",\"lesson\":\"a\",\"id\":\"q\",\"number\":1}\n"
               "{\"kind\":\"answer\",\"lesson\":\"a\",\"id\":\"q\",\"number\":2,\"review\":true}\n"
               "{\"kind\":\"answer\",\"lesson\":\"a\",\"id\":\"\xc3\xa9\",\"number\":3,\"review\":false}\n"
               "{\"kind\":\"answer\",\"lesson\":\"a\",\"id\":\"\xc3\xa9\",\"number\":4,\"review\":true}\n");
    struct workbook *workbook = open_it(*state);
    assert_int_equal(event_number(workbook_find(workbook, "answer", "a", "q")), 1);
    assert_int_equal(event_number(workbook_find(workbook, "answer", "a", "\xc3\xa9")), 3);
    assert_int_equal(event_number(workbook_find(workbook, "answer", "a", NULL)), 3);
    workbook_close(workbook);
}

static void lessons_that_were_opened_are_known_once_each(void **state)
{
    write_file(*state,
               "{\"kind\":\"lesson\",\"lesson\":\"b\"}\n{\"kind\":\"lesson\",\"lesson\":\"/x/01-a\"}\n"
               "{\"kind\":\"lesson\",\"lesson\":\"b\"}\n{\"kind\":\"answer\",\"lesson\":\"c\"}\n");
    struct workbook *workbook = open_it(*state);
    size_t count;
    char **names = workbook_lessons(workbook, &count);
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "/x/01-a");
    assert_string_equal(names[1], "b");
    free(names[0]);
    free(names[1]);
    free(names);
    workbook_close(workbook);
}

// ---- lines that are broken --------------------------------------------------------------------------------

static void a_torn_last_line_is_counted_and_healed(void **state)
{
    write_file(*state, "{\"kind\":\"note\",\"number\":1}\n{\"kind\":\"note\",\"num");
    struct workbook *workbook = open_it(*state);
    assert_int_equal(workbook_count(workbook), 1);
    assert_int_equal(workbook_torn(workbook), 1);
    add_right(workbook, 2);
    add_right(workbook, 3);
    assert_int_equal(workbook_torn(workbook), 1);
    workbook_close(workbook);
    workbook = open_it(*state);
    assert_int_equal(workbook_count(workbook), 3);
    assert_int_equal(workbook_torn(workbook), 1);
    assert_int_equal(event_number(workbook_event(workbook, 2)), 3);
    workbook_close(workbook);
}

static void a_last_line_that_lacks_only_its_end_is_kept(void **state)
{
    write_file(*state, "{\"kind\":\"note\",\"number\":1}");
    struct workbook *workbook = open_it(*state);
    add_right(workbook, 2);
    assert_int_equal(workbook_count(workbook), 2);
    assert_int_equal(workbook_torn(workbook), 0);
    assert_int_equal(event_number(workbook_event(workbook, 0)), 1);
    workbook_close(workbook);
}

static void lines_that_are_no_events_cost_only_themselves(void **state)
{
    const struct workbook_place *place = *state;
    struct text text = { 0 };
    text_add(&text, "{\"kind\":\"note\",\"number\":1}\r\n\n  \nnot json\n[1]\n{}\n{\"kind\":3}\n\xff\xfe\n");
    text_add_n(&text, "{\"kind\":\"a\0b\"}\n", 15);
    for (int i = 0; i < 9999; i++)
        text_add(&text, "[");
    text_add(&text, "\n{\"kind\":\"note\",\"number\":2}\n");
    struct error error;
    assert_true(file_replace(place->path, text.data, text.length, &error));
    text_free(&text);
    struct workbook *workbook = open_it(*state);
    assert_int_equal(workbook_count(workbook), 2);
    assert_int_equal(workbook_torn(workbook), 7);
    assert_int_equal(event_number(workbook_event(workbook, 1)), 2);
    workbook_close(workbook);
}

static const char *const sound_lines[] = {
    "{\"kind\":\"hint\",\"right\":true,\"asked_solution\":true}",
    " { \"kind\" : \"note\" , \"text\":\"one two\" } \r",
    "{\"kind\":\"answer\",\"lesson\":\"06-coalescing\",\"id\":\"a\",\"right\":false,\"review\":true,\"came\":"
    "[8.0,1]}",
    "{\"lesson\":3,\"id\":null,\"kind\":\"run\",\"ms\":-0.25e-3,\"n\":-0,\"x\":{\"kind\":\"y\",\"a\":[{},[]]}"
    "}",
    "{\"kind\":\"a\",\"text\":\"\\u00e9 \xc3\xa9\"}",
    "{\"kind\":\"a\",\"a\":[[[[[[[[1]]]]]]]]}",
};
static const char *const torn_lines[] = {
    "[]",
    "{}",
    "{\"kind\":3}",
    "{\"kind\":\"a\",\"kind\":\"b\"}",
    "{\"kind\":\"a\"} x",
    "{\"kind\":\"a\",}",
    "{\"kind\":\"a\",\"a\":{\"b\":1,\"b\":2}}",
    "{\"kind\":\"a\",\"n\":01}",
    "{\"kind\":\"a\",\"n\":1.}",
    "{\"kind\":\"a\",\"n\":9999999999999999999}",
    "{\"kind\":\"a\",\"n\":1e999}",
    "{\"kind\":\"a\",\"text\":\"open",
    "{\"kind\":\"a\",\"n\":truely}",
    "{\"kind\":\"a\",\"text\":\"\\u0000\"}",
    "{\"kind\":\"a\",\"text\":\"\xc3\"}",
};

// Each line alone in a file, which stays as it is.
static void a_line_alone(const struct workbook_place *place, const char *line, size_t length, bool sound)
{
    struct error error;
    struct text text = { 0 };
    text_add_n(&text, line, length);
    text_add(&text, "\n");
    assert_true(file_replace(place->path, text.data, text.length, &error));
    struct workbook *workbook = open_it(place);
    if (workbook_count(workbook) != sound || workbook_torn(workbook) != !sound)
        fail_msg("%.*s: %zu events, %zu torn", (int)length, line, workbook_count(workbook),
                 workbook_torn(workbook));
    workbook_close(workbook);
    char *after = read_file(place);
    assert_memory_equal(after, text.data, text.length);
    free(after);
    text_free(&text);
}

static void what_is_an_event_and_what_is_torn(void **state)
{
    for (size_t i = 0; i < sizeof sound_lines / sizeof *sound_lines; i++)
        a_line_alone(*state, sound_lines[i], strlen(sound_lines[i]), true);
    for (size_t i = 0; i < sizeof torn_lines / sizeof *torn_lines; i++)
        a_line_alone(*state, torn_lines[i], strlen(torn_lines[i]), false);
}

static void event_says(const struct workbook *workbook, size_t index, const char *line, size_t length)
{
    json_t *want = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_equal(workbook_event(workbook, index), want));
    const json_t *lesson = json_object_get(want, "lesson"), *id = json_object_get(want, "id");
    assert_true(workbook_is(workbook, index, json_string_value(json_object_get(want, "kind"))));
    if (json_is_string(lesson))
        assert_true(workbook_about(workbook, index, json_string_value(lesson), json_string_value(id)));
    static const char *const keys[] = { "right", "review", "asked_solution" };
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(workbook_marks(workbook, index) >> i & 1,
                         json_is_true(json_object_get(want, keys[i])));
    json_decref(want);
}

// Bytes are changed, left out and doubled by a fixed chance; jansson and the workbook agree on each line.
static void broken_lines_are_torn_and_the_others_say_what_they_said(void **state)
{
    static const char bytes[] = "\"\\{}[]:,0123456789.eE+- \ttruefalsnkid\x01\x7f\xc3\xa9";
    enum { ROUNDS = 20000 };
    struct text text = { 0 };
    size_t starts[ROUNDS + 1], torn = 0, count = 0;
    struct error error;
    uint64_t chance = 1;
    for (int round = 0; round < ROUNDS; round++) {
        char line[300];
        const char *from = sound_lines[round % 5];
        size_t length = strlen(from);
        memcpy(line, from, length + 1);
        for (int change = 0; change <= round % 3; change++) {
            chance = hash_more(chance, &round, sizeof round);
            size_t at = (size_t)(chance >> 8) % length;
            if (chance & 1)
                line[at] = bytes[(chance >> 40) % (sizeof bytes - 1)];
            else if (chance & 2 && length > 1)
                memmove(line + at, line + at + 1, --length - at);
            else
                memmove(line + at + 1, line + at, length++ - at);
        }
        starts[round] = text.length;
        text_add_n(&text, line, length);
        text_add(&text, "\n");
    }
    starts[ROUNDS] = text.length;
    const struct workbook_place *place = *state;
    assert_true(file_replace(place->path, text.data, text.length, &error));
    struct workbook *workbook = open_it(place);
    for (int round = 0; round < ROUNDS; round++) {
        const char *line = text.data + starts[round];
        size_t length = starts[round + 1] - starts[round] - 1;
        json_t *event = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
        if (json_is_string(json_object_get(event, "kind")))
            event_says(workbook, count++, line, length);
        else
            torn++;
        json_decref(event);
    }
    assert_int_equal(workbook_count(workbook), count);
    assert_int_equal(workbook_torn(workbook), torn);
    assert_in_range(count, ROUNDS / 20, ROUNDS / 2);
    workbook_close(workbook);
    text_free(&text);
}

// A line of `bytes` in the file, which nobody who writes through workbook_add leaves there.
static void append_long(const struct workbook_place *place, size_t bytes, const char *end)
{
    FILE *file = fopen(place->path, "a");
    assert_non_null(file);
    fputs("{\"kind\":\"note\",\"text\":\"", file);
    for (size_t i = 0; i < bytes; i += 1024)
        fprintf(file, "%01024d", 0);
    fprintf(file, "\"}%s", end);
    assert_int_equal(fclose(file), 0);
}

static void a_line_that_is_too_long_costs_only_itself(void **state)
{
    enum { TOO_LONG = 17 << 20 };
    const struct workbook_place *place = *state;
    for (int ends = 0; ends < 2; ends++) {
        struct workbook *workbook = open_it(place);
        add_right(workbook, 1);
        append_long(place, TOO_LONG, ends ? "\n" : "");
        workbook_refresh(workbook);
        assert_int_equal(workbook_torn(workbook), 1);
        assert_false(workbook_refresh(workbook)); // nothing is new
        add_right(workbook, 2);
        assert_int_equal(workbook_torn(workbook), 1);
        workbook_close(workbook);
        workbook = open_it(place);
        assert_int_equal(workbook_torn(workbook), 1);
        assert_int_equal(workbook_count(workbook), 2);
        assert_int_equal(event_number(workbook_event(workbook, 1)), 2);
        workbook_close(workbook);
        unlink(place->path);
    }
}

static void what_no_line_holds_is_refused_before_it_is_written(void **state)
{
    enum { TOO_LONG = 17 << 20 };
    const struct workbook_place *place = *state;
    struct workbook *workbook = open_it(place);
    struct error error;
    struct stat before, after;
    char *words = mem_new(TOO_LONG + 1);
    memset(words, 'x', TOO_LONG);
    add_right(workbook, 1);
    assert_int_equal(stat(place->path, &before), 0);
    assert_false(workbook_add(workbook, "note", json_pack("{s:s}", "text", words), &error));
    assert_string_equal(error.text,
                        "This is too long for the workbook: it takes 18 MiB, and a line has room for 16.");
    assert_int_equal(stat(place->path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    words[(16 << 20) - 200] = 0; // with its date and kind it just fits
    assert_true(workbook_add(workbook, "note", json_pack("{s:s}", "text", words), &error));
    add_right(workbook, 2);
    assert_int_equal(workbook_count(workbook), 3);
    assert_int_equal(workbook_torn(workbook), 0);
    workbook_close(workbook);
    free(words);
}

static void every_cut_of_the_file_keeps_the_whole_lines(void **state)
{
    struct workbook *workbook = open_it(*state);
    for (int i = 0; i < 3; i++)
        add_right(workbook, i);
    workbook_close(workbook);
    char *whole = read_file(*state);
    for (size_t length = strlen(whole); length-- > 0;) {
        whole[length] = 0;
        size_t lines = 0;
        for (const char *c = whole; *c; c++)
            lines += *c == '\n';
        write_file(*state, whole);
        workbook = open_it(*state);
        assert_int_equal(workbook_count(workbook), lines);
        add_right(workbook, 99);
        workbook_close(workbook);
        workbook = open_it(*state);
        assert_true(workbook_count(workbook) >= lines + 1);
        assert_int_equal(event_number(workbook_event(workbook, workbook_count(workbook) - 1)), 99);
        workbook_close(workbook);
    }
    free(whole);
}

// ---- several at once -----------------------------------------------------------------------------------------

static void what_others_added_is_read(void **state)
{
    struct workbook *one = open_it(*state), *other = open_it(*state);
    add_right(one, 1);
    assert_int_equal(workbook_count(other), 0);
    assert_true(workbook_refresh(other));
    assert_false(workbook_refresh(other));
    assert_int_equal(workbook_count(other), 1);
    add_right(one, 2);
    add_right(other, 3); // and with it what came before
    assert_int_equal(workbook_count(other), 3);
    assert_int_equal(event_number(workbook_event(other, 1)), 2);
    workbook_close(one);
    workbook_close(other);
}

static void a_file_that_was_replaced_is_read_again(void **state)
{
    struct workbook *workbook = open_it(*state);
    add_right(workbook, 1);
    write_file(*state, "{\"kind\":\"note\",\"number\":8}\n{\"kind\":\"note\",\"number\":9}\n");
    add_right(workbook, 10);
    assert_int_equal(workbook_count(workbook), 3);
    assert_int_equal(event_number(workbook_event(workbook, 0)), 8);
    write_file(*state, "");
    assert_true(workbook_refresh(workbook));
    assert_int_equal(workbook_count(workbook), 0);
    workbook_close(workbook);
}

static void a_new_file_of_the_same_length_is_a_change(void **state)
{
    write_file(*state, "{\"kind\":\"note\",\"number\":8}\n");
    struct workbook *workbook = open_it(*state);
    size_t version = workbook_version(workbook);
    assert_false(workbook_refresh(workbook));
    assert_int_equal(workbook_version(workbook), version);
    write_file(*state, "{\"kind\":\"note\",\"number\":9}\n");
    assert_true(workbook_refresh(workbook));
    assert_int_not_equal(workbook_version(workbook), version);
    assert_int_equal(event_number(workbook_event(workbook, 0)), 9);
    workbook_close(workbook);
}

enum { WRITERS = 3, EVENTS = 60 };

static void write_events(const struct workbook_place *place, int writer)
{
    struct error error;
    struct workbook *workbook = workbook_open(place->path, &error);
    bool added = workbook;
    for (int i = 0; i < EVENTS && added; i++)
        added = add(workbook, "note", writer * EVENTS + i, &error);
    _exit(added ? 0 : 1);
}

static void writers_in_several_processes_lose_nothing(void **state)
{
    for (int writer = 0; writer < WRITERS; writer++)
        if (fork() == 0)
            write_events(*state, writer);
    for (int writer = 0; writer < WRITERS; writer++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    struct workbook *workbook = open_it(*state);
    assert_int_equal(workbook_count(workbook), WRITERS * EVENTS);
    assert_int_equal(workbook_torn(workbook), 0);
    int next[WRITERS] = { 0 };
    for (size_t i = 0; i < workbook_count(workbook); i++) {
        int number = event_number(workbook_event(workbook, i));
        assert_int_equal(number % EVENTS, next[number / EVENTS]++);
    }
    workbook_close(workbook);
}

// Adds without an end, and says through the pipe which number is confirmed.
static void write_until_killed(const struct workbook_place *place, int confirm)
{
    struct error error;
    struct workbook *workbook = workbook_open(place->path, &error);
    for (int i = 0; workbook && add(workbook, "note", i, &error); i++)
        if (write(confirm, &i, sizeof i) != sizeof i)
            break;
    _exit(1);
}

static void a_kill_loses_nothing_that_was_confirmed(void **state)
{
    int ends[2], number = -1, confirmed = -1;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        write_until_killed(*state, ends[1]);
    close(ends[1]);
    while (read(ends[0], &number, sizeof number) == sizeof number) {
        confirmed = number;
        if (number == 40)
            kill(child, SIGKILL);
    }
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    struct workbook *workbook = open_it(*state); // the dead writer holds no lock
    assert_true(confirmed >= 40);
    assert_true(workbook_count(workbook) > (size_t)confirmed);
    for (int i = 0; i <= confirmed; i++)
        assert_int_equal(event_number(workbook_event(workbook, (size_t)i)), i);
    size_t count = workbook_count(workbook);
    add_right(workbook, 1000);
    assert_int_equal(event_number(workbook_event(workbook, count)), 1000);
    workbook_close(workbook);
}

// ---- no room ----------------------------------------------------------------------------------------------------

static void limit(rlim_t bytes)
{
    struct rlimit now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
    now.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

static void without_room_an_event_is_not_confirmed_and_spoils_nothing(void **state)
{
    signal(SIGXFSZ, SIG_IGN);
    struct workbook *workbook = open_it(*state);
    add_right(workbook, 1);
    off_t size = size_of(*state);
    for (rlim_t room = 0; room < 20; room += 5) { // nothing of the line fits, or a part of it
        struct error error = { 0 };
        limit((rlim_t)size + room);
        bool added = add(workbook, "note", 2, &error);
        limit(RLIM_INFINITY);
        assert_false(added);
        assert_non_null(strstr(error.text, "could not be written into the workbook"));
        assert_non_null(strstr(error.text, "File too large"));
        assert_int_equal(size_of(*state), size);
        assert_int_equal(workbook_count(workbook), 1);
        assert_int_equal(workbook_torn(workbook), 0);
    }
    add_right(workbook, 3);
    assert_int_equal(event_number(workbook_event(workbook, 1)), 3);
    workbook_close(workbook);
}

static void what_is_no_file_is_refused(void **state)
{
    const struct workbook_place *place = *state;
    struct error error;
    assert_null(workbook_open("/dev/full", &error));
    assert_string_equal(error.text, "The workbook /dev/full is not an ordinary file.");
    assert_null(workbook_open(place->folder, &error));
    assert_null(workbook_open("/proc/nowhere/workbook.jsonl", &error));
    assert_int_equal(symlink("/dev/full", place->path), 0);
    assert_null(workbook_open(place->path, &error));
}

// In a process without the right to write there, even where the tests have all rights.
static void read_what_cannot_be_written(const struct workbook_place *place)
{
    struct error error;
    bool all = geteuid() == 0;
    if (all && seteuid(65534) != 0)
        _exit(1);
    struct workbook *workbook = workbook_open(place->path, &error);
    bool shown = workbook && workbook_count(workbook) == 1 && workbook_unwritable(workbook, &error) &&
                 strstr(error.text, "Nothing can be added to the workbook") &&
                 strstr(error.text, "Permission denied");
    bool refused = shown && !add(workbook, "note", 2, &error) &&
                   strstr(error.text, "could not be written into the workbook") &&
                   workbook_count(workbook) == 1;
    if (all && seteuid(0) != 0)
        _exit(1);
    bool good = refused && chmod(place->path, 0666) == 0 && (!all || seteuid(65534) == 0) &&
                add(workbook, "note", 3, &error) && workbook_count(workbook) == 2 &&
                !workbook_unwritable(workbook, &error);
    workbook_close(workbook);
    _exit(good ? 0 : 2);
}

static void what_cannot_be_written_is_read_until_it_can(void **state)
{
    const struct workbook_place *place = *state;
    int status;
    write_file(place, "{\"kind\":\"note\",\"number\":1}\n");
    assert_int_equal(chmod(place->folder, 0755), 0);
    assert_int_equal(chmod(place->path, 0444), 0);
    pid_t child = fork();
    if (child == 0)
        read_what_cannot_be_written(place);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void only_the_learner_can_read_it(void **state)
{
    const struct workbook_place *place = *state;
    workbook_close(open_it(place));
    struct stat now;
    assert_int_equal(stat(place->path, &now), 0);
    assert_int_equal(now.st_mode & 077, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_place, drop_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_added_is_there_after_opening_again),
        TEST(the_folder_is_made),
        TEST(events_of_a_later_version_stay_as_they_are),
        TEST(the_newest_event_is_found),
        TEST(an_event_is_one_line_whatever_it_says),
        TEST(of_many_events_only_those_that_are_asked_for_are_kept),
        TEST(the_events_of_years_open_at_once),
        TEST(each_of_many_is_found),
        TEST(an_answer_of_a_review_is_not_the_newest),
        TEST(lessons_that_were_opened_are_known_once_each),
        TEST(a_torn_last_line_is_counted_and_healed),
        TEST(a_last_line_that_lacks_only_its_end_is_kept),
        TEST(lines_that_are_no_events_cost_only_themselves),
        TEST(what_is_an_event_and_what_is_torn),
        TEST(broken_lines_are_torn_and_the_others_say_what_they_said),
        TEST(a_line_that_is_too_long_costs_only_itself),
        TEST(what_no_line_holds_is_refused_before_it_is_written),
        TEST(every_cut_of_the_file_keeps_the_whole_lines),
        TEST(what_others_added_is_read),
        TEST(a_file_that_was_replaced_is_read_again),
        TEST(a_new_file_of_the_same_length_is_a_change),
        TEST(writers_in_several_processes_lose_nothing),
        TEST(a_kill_loses_nothing_that_was_confirmed),
        TEST(without_room_an_event_is_not_confirmed_and_spoils_nothing),
        TEST(what_is_no_file_is_refused),
        TEST(what_cannot_be_written_is_read_until_it_can),
        TEST(only_the_learner_can_read_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
