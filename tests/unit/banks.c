// The index patterns of the banks lab, taken from the kernels' own text: each lane meets every value of its tile's
// rows once in a sweep, so that all variants get the same sums, and each read takes the turns that its file states.
#include "kernels/variant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 32, WORDS = SIDE * SIDE, WARPS = 8, MOST_WORDS = 2 * WORDS };

static const struct {
    const char *name;
    int turns; // different words in the busiest bank
} variants[] = {
    { "1-in-order", 1 }, { "2-permuted", 1 }, { "3-conflicting", 4 }, { "4-stride-2", 2 },
    { "5-stride-4", 4 }, { "6-stride-8", 8 }, { "7-stride-16", 16 },  { "8-stride-32", 32 },
    { "9-padded", 1 },   { "10-xor", 1 },     { "11-broadcast", 1 },
};

// ---- expressions of a kernel's text -------------------------------------------------------------

struct pattern {
    char *text[5];
    struct source source[5];
    struct expr *size, *store, *place, *first, *read; // place may be NULL
    int64_t words;
};

// What is between the two marks, as an expression; NULL when the first mark is not there.
static struct expr *between(struct pattern *pattern, int slot, const char *code, const char *before,
                            const char *after)
{
    const char *from = strstr(code, before);
    if (!from)
        return NULL;
    from += strlen(before);
    const char *to = strstr(from, after);
    assert_non_null(to);
    char *text = mem_copy_n(from, (size_t)(to - from));
    char *thread = strstr(text, "threadIdx.x");
    if (thread)
        memset(thread + strlen("thread"), ' ', strlen("Idx.x"));
    pattern->text[slot] = text;
    pattern->source[slot] = (struct source){ before, text };
    const char *at = text;
    struct error error;
    struct expr *expr = expr_parse(&pattern->source[slot], &at, NULL, &error);
    if (!expr)
        fail_msg("%s", error.text);
    return expr;
}

static int64_t eval(const struct expr *expr, const struct expr_binding *bindings, size_t count)
{
    struct expr_scope scope = { bindings, count };
    struct expr_value value;
    struct error error;
    if (!expr_eval(expr, &scope, &value, &error))
        fail_msg("%s", error.text);
    return value_as_int(value);
}

static struct pattern pattern_read(const char *name)
{
    char path[100];
    struct text text = { 0 }, code = { 0 };
    struct error error;
    struct pattern pattern = { 0 };
    format_into(path, sizeof path, "kernels/banks/%s.cu", name);
    if (!file_read(path, &text, &error))
        fail_msg("%s", error.text);
    code_squeeze(text_string(&text), text.length, &code); // its lines may be broken anywhere
    text_free(&text);
    pattern.size = between(&pattern, 0, code.data, "__shared__ unsigned tile[", "]");
    pattern.store = between(&pattern, 1, code.data, ";tile[", "]=x[");
    pattern.place = between(&pattern, 2, code.data, "int place=", ";");
    pattern.first = between(&pattern, 3, code.data, "*mine=tile+", ";");
    pattern.read = between(&pattern, 4, code.data, "sum+=mine[", "];");
    assert_true(pattern.size && pattern.store && pattern.first && pattern.read);
    pattern.words = eval(pattern.size, NULL, 0);
    assert_true(pattern.words >= WORDS && pattern.words <= MOST_WORDS);
    text_free(&code);
    return pattern;
}

static void pattern_free(struct pattern *pattern)
{
    expr_free(pattern->size);
    expr_free(pattern->store);
    expr_free(pattern->first);
    expr_free(pattern->read);
    if (pattern->place)
        expr_free(pattern->place);
    for (int slot = 0; slot < 5; slot++)
        free(pattern->text[slot]);
}

// ---- one block, as the kernel runs it -----------------------------------------------------------

// The tile as it lies in shared memory: the value of row r, column c is r ^ c; -1 where nothing was stored.
static void store_tile(const struct pattern *pattern, int *tile)
{
    for (int w = 0; w < MOST_WORDS; w++)
        tile[w] = -1;
    for (int word = 0; word < WORDS; word++) {
        struct expr_binding binding = { "word", value_int(word) };
        int64_t at = eval(pattern->store, &binding, 1);
        assert_true(at >= 0 && at < pattern->words);
        assert_int_equal(tile[at], -1);
        tile[at] = word / SIDE ^ word % SIDE;
    }
}

static int64_t address(const struct pattern *pattern, int thread, int step)
{
    struct expr_binding bindings[4] = { { "thread", value_int(thread) },
                                        { "lane", value_int(thread % SIDE) },
                                        { "step", value_int(step) } };
    size_t count = 3;
    if (pattern->place)
        bindings[count++] = (struct expr_binding){ "place", value_int(eval(pattern->place, bindings, 3)) };
    int64_t at = eval(pattern->first, bindings, count) + eval(pattern->read, bindings, count);
    assert_true(at >= 0 && at < pattern->words);
    return at;
}

// Different words in the busiest bank.
static int turns_of(const int64_t *addresses)
{
    int busiest = 0, words[SIDE] = { 0 };
    for (int lane = 0; lane < SIDE; lane++) {
        bool again = false;
        for (int other = 0; other < lane; other++)
            again = again || addresses[other] == addresses[lane];
        int *in_bank = &words[addresses[lane] % SIDE];
        *in_bank += !again;
        busiest = *in_bank > busiest ? *in_bank : busiest;
    }
    return busiest;
}

static void check_warp(const struct pattern *pattern, const int *tile, int warp, const char *name, int turns)
{
    uint32_t met[SIDE] = { 0 }; // bit v of lane l: lane l has read value v
    for (int step = 0; step < SIDE; step++) {
        int64_t addresses[SIDE];
        for (int lane = 0; lane < SIDE; lane++) {
            addresses[lane] = address(pattern, warp * SIDE + lane, step);
            assert_true(tile[addresses[lane]] >= 0);
            met[lane] |= UINT32_C(1) << tile[addresses[lane]];
        }
        if (turns_of(addresses) != turns)
            fail_msg("%s: step %d takes %d turns, not %d", name, step, turns_of(addresses), turns);
    }
    for (int lane = 0; lane < SIDE; lane++)
        if (met[lane] != UINT32_MAX)
            fail_msg("%s: lane %d of warp %d meets only the values %08x", name, lane, warp, met[lane]);
}

static void patterns_meet_all_values_in_the_stated_turns(void **state)
{
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        int tile[MOST_WORDS];
        struct pattern pattern = pattern_read(variants[v].name);
        store_tile(&pattern, tile);
        for (int warp = 0; warp < WARPS; warp++)
            check_warp(&pattern, tile, warp, variants[v].name, variants[v].turns);
        pattern_free(&pattern);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(patterns_meet_all_values_in_the_stated_turns) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
