// Lessons and terms: whatever the text is, it is refused with a place, or it can be set on any width and its live blocks
// be asked.
#include "tests/fuzz/shared/fuzz.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lessons/answer.h"
#include "lessons/lessons.h"
#include "tui/view/view.h"

static const json_t *some_record(void)
{
    static json_t *record;
    if (!record)
        record = json_pack("{s:f, s:s, s:{s:i, s:i, s:i}, s:[]}", "median_ms", 0.5, "status", "right",
                           "counters", "gld_req", 4, "gld_sec", 16, "bank_conflicts", 0, "findings");
    return record;
}

static void set(const struct lesson_block *blocks, size_t count)
{
    static const int widths[] = { 1, 7, 40, 80, 200 };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct sheet sheet = sheet_new(widths[i], i % 2);
        struct links links = { .addresses = i % 2 };
        typeset_blocks(&sheet, blocks, count, &links);
        sheet_free(&sheet);
        links_free(&links);
    }
    struct text words = { 0 };
    blocks_text(blocks, count, &words);
    text_free(&words);
}

static void judge_it(const struct live *live)
{
    static const char kernel[] = "__global__ void f(int *x)\n{\n    //@order\n    x[0] = 1; // keep\n}\n";
    int order[64];
    struct text out = { 0 };
    struct record record;
    struct limit limits[LIMITS_MOST];
    struct error error;
    int lines = (int)live_count(live, "line"), at;
    for (int i = 0; i < 64; i++)
        order[i] = lines - 1 - i > 0 ? lines - 1 - i : 0;
    if (lines && lines <= 64)
        judge_order_text(live, kernel, order, lines, &out);
    judge_kept(live, kernel, "__global__ void f(int *x) { }\n", &out, &at);
    if (record_from_json(&record, some_record(), &error)) {
        size_t count = limits_of(live, &record, limits, &out);
        for (size_t i = 0; i < count; i++)
            limit_words(&limits[i], &out);
        record_free(&record);
    }
    text_free(&out);
}

static bool no_call(void *unused, const char *call, const char *subject, const char *value, double *out,
                    struct error *error)
{
    (void)unused;
    (void)call;
    *out = (double)strlen(subject) / (double)(1 + strlen(value));
    return *out > 0 || error_set(error, EXIT_WRONG, "nothing is asked");
}

static void draw_it(const struct live *live)
{
    struct drawn drawn;
    struct error error;
    if (!drawn_read(live, 0, &drawn, &error))
        return;
    must(drawn.others > 0 && drawn.others <= 1 << 16);
    must(drawn_read(live, drawn.others, &drawn, &error));
    struct text text = { 0 };
    drawn_answer(live, &drawn, no_call, NULL, &error);
    if (live_field(live, "again"))
        drawn_text(&drawn, live_field(live, "again"), &text, &error);
    text_free(&text);
}

static void ask(const struct live *live)
{
    double value;
    for (size_t i = 0; i < live->field_count; i++) {
        const struct live_field *field = &live->fields[i];
        struct request request = { 0 };
        struct error error;
        size_t count;
        live_value(field->value, some_record(), &value);
        if (strcmp(field->key, "check") == 0 && judge_flags(field->value, "vecadd", NULL, &request, &error))
            request_free(&request);
        struct inline_piece *pieces = pieces_read(field->value, &count);
        pieces_free(pieces, count);
        must(live_line(live, field->key, 0) > 0);
    }
    draw_it(live);
    judge_it(live);
}

static void read_term(const char *text)
{
    struct glossary glossary;
    struct error error;
    char *folder = path_join(fuzz_home(), "terms"), *path = path_join(folder, "term.md");
    must(folder_make(folder, &error) && file_replace(path, text, strlen(text), &error));
    if (glossary_read(folder, &glossary, &error)) {
        const struct term *found[4];
        for (size_t i = 0; i < glossary.count; i++) {
            const struct term *term = &glossary.list[i];
            set(term->blocks, term->block_count);
            glossary_search(&glossary, term->sentence, found, 4);
            glossary_find(&glossary, term->name);
            glossary_message(&glossary, term->sentence);
            glossary_links(&glossary, term, found, 4);
            if (term->also_count)
                glossary_near(&glossary, term->also[0]);
        }
        glossary_free(&glossary);
    } else {
        must(error.text[0] != 0);
    }
    free(folder);
    free(path);
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = bytes_of(data, size);
    struct lesson lesson;
    struct error error = { 0 };
    char *text = bytes_rest(&bytes);
    if (strstr(text, "\nname:"))
        read_term(text);
    if (lesson_parse(&lesson, "x/07-banks/lesson.md", text, &error)) {
        set(lesson.blocks, lesson.block_count);
        for (size_t i = 0; i < lesson.block_count; i++)
            if (lesson.blocks[i].kind == BLOCK_LIVE)
                ask(&lesson.blocks[i].live);
        lesson_free(&lesson);
    } else {
        must(error.text[0] != 0);
    }
    free(text);
    return 0;
}
