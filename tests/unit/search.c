// The search over all that can be read: questions as people type them, and the place that answers.
#include "lessons/lessons.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct glossary glossary;
static struct lessons lessons;
static struct search_index *search;

static int open_shipped(void **state)
{
    struct error error;
    if (!glossary_read(NULL, &glossary, &error) || !lessons_read(NULL, &lessons, &error))
        fail_msg("%s", error.text);
    search = search_new(&glossary, &lessons);
    return 0;
}

static int close_shipped(void **state)
{
    search_free(search);
    lessons_free(&lessons);
    glossary_free(&glossary);
    return 0;
}

// "bank conflict", "lesson 7: Cure one: padding", "step banks/9-padded", "lab banks"
static char *called(const struct search_place *place)
{
    if (place->kind == PLACE_SECTION)
        return text_format("%.*s: %s", (int)strcspn(place->within, ","), place->within, place->name);
    return mem_copy(place->kind == PLACE_TERM ? place->name : place->within);
}

// The names of the first `room` hits, with '|' between.
static char *found(const char *words, size_t room)
{
    struct hit hits[8];
    struct text out = { 0 };
    size_t count = search_find(search, words, hits, room);
    for (size_t i = 0; i < count; i++) {
        char *name = called(hits[i].place);
        text_addf(&out, "%s%s", i ? "|" : "", name);
        free(name);
    }
    return out.data ? text_take(&out) : mem_copy("nothing");
}

static const struct {
    const char *words, *want;
} asked[] = {
    // a term, by its name or another one, whatever is around it
    { "what is a warp", "warp" },
    { "what does __syncthreads do", "barrier" },
    { "race condition", "race" },
    { "kernel launch overhead", "launch overhead" },
    { "coalesced memory access", "coalescing" },
    { "uncoalesced access example", "coalescing" },
    { "atomicAdd slow", "atomic" },
    { "integer division slow", "integer division" },
    { "shared memory bank conflict", "bank conflict" },
    { "transpose bank conflict", "bank conflict" },
    { "warp divergence", "divergence" },
    { "thread divergence example", "divergence" },
    { "warp shuffle example", "warp shuffle" },
    { "register spilling", "spill" },
    { "cuda streams", "stream" },
    { "tensor cores", "tensor core" },
    { "when to use constant memory", "constant memory" },
    { "volatile shared memory", "volatile" },
    { "float4 load", "vector load" },
    { "how fast is pcie", "PCIe" },
    { "printf in kernel", "printf in a kernel" },
    { "parallel sum", "tree reduction" },
    { "matrix multiply", "GEMM" },
    { "prefix sum", "scan" },
    { "array of structs", "structure of arrays" },
    { "unaligned access", "alignment" },
    { "integer overflow index", "integer overflow" },
    { "what is occupancy good for", "occupancy" },
    { "occupancy calculator", "occupancy" },
    { "loop unrolling", "unrolling" },
    { "how many registers per thread", "register" },
    { "registers per thread limit", "occupancy limiter" },
    { "thread index calculation", "global index" },
    { "kernel timeout", "launch timed out" },
    { "nan result", "NaN" },
    { "swizzle instead of padding", "swizzle" },
    // spelling
    { "misaligned adress", "misaligned address" },
    { "bank confilct exmaple", "bank conflict" },
    { "syncronize thread", "barrier" },
    // a section of a lesson
    { "why is my kernel slow", "lesson 12: What to look at first" },
    { "my kernel is too slow", "lesson 12: What to look at first" },
    { "how to make kernel faster", "lesson 12: What to look at first" },
    { "L1 cache size", "lesson 5: Shared memory and L1" },
    { "shared memory size limit", "lesson 5: How much a block takes" },
    { "memory hierarchy", "lesson 5: The map" },
    { "why is shared memory fast", "lesson 5: How fast is shared memory?" },
    { "how to avoid bank conflicts", "lesson 7: Cure one: padding" },
    { "how to time a kernel", "lesson 10: What a clock says" },
    { "kernel never ends", "lesson 11: It never ends" },
    { "kernel hangs", "lesson 11: It never ends" },
    { "wrong result sometimes", "lesson 11: Hunt: different in every run" },
    { "2d grid index", "lesson 2: Two dimensions" },
    { "synchronise all blocks", "lesson 2: All blocks" },
    { "synchronize all blocks", "lesson 2: All blocks" },
    { "if statement in kernel", "lesson 4: A mask with 32 bits" },
    { "GPU vs CPU", "lesson 1: What each is built for" },
    { "when is the gpu faster than the cpu", "lesson 1: What each is built for" },
    { "how to write my own kernel", "lesson 12: Your own kernel" },
    { "atomics in shared memory", "lesson 9: Atomics in shared memory" },
    { "deal out the elements", "lesson 4: Deal out the elements" },
    // a lab or a step
    { "reduction with shuffle", "step reduction/7-shuffle" },
    { "histogram bins in shared memory", "step histogram/3-shared" },
    { "transpose padded tile", "step transpose/4-padded" },
    { "banks/9-padded", "step banks/9-padded" },
};

static void questions_lead_to_what_answers_them(void **state)
{
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char *first = found(asked[i].words, 1);
        if (strcmp(first, asked[i].want) != 0 && ++wrong)
            print_error("'%s' leads to '%s', not '%s'\n", asked[i].words, first, asked[i].want);
        free(first);
    }
    assert_int_equal(wrong, 0);
}

// Questions of how and why: the first three, in their order.
static const struct {
    const char *words, *want;
} questions[] = {
    { "why is my kernel slow",
      "lesson 12: What to look at first|lesson 10: Let the profile decide|lesson 12: Which line is it?" },
    { "why is my gpu code slower than cpu",
      "lesson 1: What the trip costs|lesson 1: What each is built for|host" },
    { "how many threads per block should I use", "block|lesson 3: What limits it|thread block cluster" },
    { "how do I find bank conflicts", "bank conflict|lesson 7: Cure one: padding|step banks/3-conflicting" },
    { "how do I debug a cuda kernel",
      "lesson 11: What the simulator says|compute-sanitizer|printf in a kernel" },
    { "how do I measure time of a kernel", "lesson 10: What a clock says|event|launch timed out" },
    { "why is the first launch slow",
      "warm-up|lesson 12: What to look at first|lesson 1: Your first speed-up" },
    { "why do I need __syncthreads", "barrier|barrier stall|lesson 4: A sum by shuffles, in order" },
    { "how do I sum an array on the gpu", "tree reduction|lab reduction|lab scan" },
    { "why is atomicAdd slow", "atomic|lesson 12: What to look at first|lesson 1: What the trip costs" },
    { "how do I transpose a matrix fast", "transpose|lab transpose|lesson 16: How fast is that?" },
    { "how do I increase occupancy", "lesson 3: What limits it|occupancy|lesson 3: Occupancy" },
    { "how do I know if my kernel is memory bound", "arithmetic intensity|roofline|bounds check" },
    { "how do I profile my kernel",
      "lesson 10: Asking a profiler|Nsight Compute|lesson 10: Let the profile decide" },
    { "how to overlap copy and compute",
      "lesson 12: Copies beside kernels|copy|lesson 9: Hunt: parts that overlap" },
    { "why is my bandwidth low", "bandwidth|effective bandwidth|PCIe" },
    { "why is my reduction slow", "lesson 12: What to look at first|tree reduction|lab reduction" },
    { "how do I allocate shared memory dynamically",
      "dynamic shared memory|shared memory|lesson 5: How much a block takes" },
    { "how do I make my kernel use less registers",
      "launch bounds|lesson 8: From register to register|lesson 14: From register to register" },
    { "how many blocks should I launch", "lesson 2: The last block|cooperative groups|block" },
    { "what is the difference between shared and global memory",
      "global memory|shared memory|step reduction/2-smem" },
    { "why does my program hang", "deadlock|lesson 11: It never ends|unspecified launch failure" },
    { "how do I check for errors", "lesson 2: Check every call|error|illegal memory access" },
    { "how do I copy data to the gpu", "lesson 1: Copies, and when a GPU pays|copy|lesson 5: Your GPU" },
    { "why are my results wrong", "lesson 11: Hunt: different in every run|lesson 11: When it is "
                                  "wrong|lesson 17: One array for two results" },
};

static void questions_of_how_and_why_lead_to_three_that_answer(void **state)
{
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        char *three = found(questions[i].words, 3);
        if (strcmp(three, questions[i].want) != 0 && ++wrong)
            print_error("'%s' leads to '%s', not '%s'\n", questions[i].words, three, questions[i].want);
        free(three);
    }
    assert_int_equal(wrong, 0);
}

static void assert_among(const char *words, const char *want)
{
    char *names = found(words, 4);
    if (!strstr(names, want))
        fail_msg("'%s' finds %s", words, names);
    free(names);
}

static void what_else_answers_comes_next(void **state)
{
    assert_among("atomicAdd slow", "lesson 12: What to look at first");
    assert_among("L1 cache size", "|L1");
    assert_among("warp shuffle example", "step reduction/7-shuffle");
    assert_among("matrix transpose", "lab transpose");
    assert_among("latency hiding", "lesson 3: Hiding latency");
}

static void every_term_lesson_lab_and_step_is_found_by_its_name(void **state)
{
    size_t kinds[PLACE_EXPLORER] = { 0 };
    for (size_t i = 0; i < glossary.count; i++) {
        struct hit hits[3];
        size_t count = search_find(search, glossary.list[i].name, hits, 3);
        bool there = false;
        for (size_t h = 0; h < count; h++)
            there = there || hits[h].place->term == &glossary.list[i];
        if (!there)
            fail_msg("the term '%s' is not among the first three", glossary.list[i].name);
    }
    struct hit *all = mem_new(4000 * sizeof *all);
    size_t count = search_find(search, "kernel memory thread warp block", all, 4000);
    for (size_t i = 0; i < count; i++) {
        struct hit first;
        kinds[all[i].place->kind]++;
        assert_int_equal(search_find(search, all[i].place->opens, &first, 1), 1);
    }
    free(all);
    for (size_t kind = 0; kind < PLACE_EXPLORER; kind++)
        assert_true(kinds[kind] > 0);
}

static void how_a_place_was_found_is_told(void **state)
{
    struct hit hit;
    assert_int_equal(search_find(search, "what is a warp?", &hit, 1), 1);
    assert_int_equal(hit.how, HIT_NAMED);
    assert_int_equal(search_find(search, "atomicAdd slow", &hit, 1), 1);
    assert_int_equal(hit.how, HIT_HOLDS);
    assert_int_equal(search_find(search, "bank conflit", &hit, 1), 1);
    assert_int_equal(hit.how, HIT_WORDS); // what is only near is not what it is called
    assert_int_equal(search_find(search, "xyzzyxyzzy", &hit, 1), 0);
    assert_int_equal(search_find(search, "", &hit, 1), 0);
    assert_int_equal(search_find(search, " ?! ", &hit, 1), 0);
    assert_int_equal(search_find(search, "\xff\xfe \xe4", &hit, 1), 0);
}

static void words_alone_that_say_nothing_are_searched(void **state)
{
    char *first = found("if", 1);
    assert_string_not_equal(first, "nothing");
    free(first);
}

static void what_the_first_words_of_a_section_answer_is_not_told(void **state)
{
    struct hit hits[200];
    size_t count = search_find(search, "sector", hits, 200);
    for (size_t i = 0; i < count; i++)
        if (hits[i].place->kind == PLACE_SECTION)
            assert_null(strstr(hits[i].place->says, "because"));
    struct lesson lesson;
    struct error error;
    const char *text = "---\ntitle: T\nminutes: 5\nafter: know\n---\n# T\n\n## Guess\n\n"
                       "```quiz id=q\nask: Red or blue?\nright: 1\nchoice: red\nchoice: blue\n"
                       "because: It is crimson.\n```\n\nIt is vermilion.\n";
    if (!lesson_parse(&lesson, "x/06-name/lesson.md", text, &error))
        fail_msg("%s", error.text);
    struct lessons one = { .list = &lesson, .count = 1 };
    struct glossary none = { 0 };
    struct search_index *own = search_new(&none, &one);
    assert_int_equal(search_find(own, "guess", hits, 1), 1);
    assert_string_equal(hits[0].place->says, "");
    assert_string_equal(hits[0].place->opens, "lesson 6 \"Guess\"");
    assert_int_equal(search_find(own, "vermilion", hits, 1), 1); // it is found by it
    assert_int_equal(search_find(own, "crimson", hits, 1), 0);   // but not by the answer of a question
    search_free(own);
    lesson_free(&lesson);
}

static void a_part_is_found_and_opened_by_its_number(void **state)
{
    struct lesson lesson;
    struct error error;
    struct hit hits[4];
    const char *text = "---\ntitle: T\nafter: know\n---\n# T\n\n# Ultramarine\n\nBlue.\n\n# Vermilion\n\n"
                       "Red.\n\n## Crimson\n\nRed, too.\n";
    assert_true(lesson_parse(&lesson, "x/06-name/lesson.md", text, &error));
    struct lessons one = { .list = &lesson, .count = 1 };
    struct glossary none = { 0 };
    struct search_index *own = search_new(&none, &one);
    assert_int_equal(search_find(own, "vermilion", hits, 4), 1);
    assert_string_equal(hits[0].place->name, "Vermilion");
    assert_string_equal(hits[0].place->opens, "lesson 6.2");
    assert_int_equal(search_find(own, "crimson", hits, 4), 1);
    assert_string_equal(hits[0].place->opens, "lesson 6 \"Crimson\"");
    search_free(own);
    lesson_free(&lesson);
}

// A glossary in Chinese: no blanks between words, and what is asked is part of a longer run.
static void other_scripts_are_found(void **state)
{
    static const char text[] = "---\nname: 共享内存\nalso: Geteilter Speicher, ОБЩАЯ память\n---\n"
                               "每个线程块都有自己的共享内存，由块内的所有线程使用。\n";
    static const char other[] = "---\nname: 全局内存\n---\n所有线程都可以访问全局内存。\n";
    char *folder = mem_copy("/tmp/warpbook-search-XXXXXX");
    assert_non_null(mkdtemp(folder));
    char *path = path_join(folder, "a.md"), *next = path_join(folder, "b.md");
    struct error error;
    struct glossary chinese;
    struct lessons none = { 0 };
    assert_true(file_replace(path, text, strlen(text), &error));
    assert_true(file_replace(next, other, strlen(other), &error));
    assert_true(glossary_read(folder, &chinese, &error));
    struct search_index *own = search_new(&chinese, &none);
    static const struct {
        const char *words, *want;
    } cases[] = {
        { "共享内存", "共享内存" },     { "什么是共享内存？", "共享内存" },
        { "线程块", "共享内存" },       { "访问全局", "全局内存" },
        { "共", "共享内存" },           { "GETEILTER speicher", "共享内存" },
        { "общая ПАМЯТЬ", "共享内存" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hit hit;
        if (!search_find(own, cases[i].words, &hit, 1) || strcmp(hit.place->name, cases[i].want) != 0)
            fail_msg("'%s' does not lead to '%s'", cases[i].words, cases[i].want);
    }
    search_free(own);
    glossary_free(&chinese);
    unlink(path);
    unlink(next);
    rmdir(folder);
    free(path);
    free(next);
    free(folder);
}

static void what_is_added_is_found(void **state)
{
    struct glossary none = { 0 };
    struct lessons empty = { 0 };
    struct search_index *own = search_new(&none, &empty);
    struct hit hit;
    search_add(own, PLACE_EXPLORER, "Zebra stripes", "explorer zebra", "explore zebra",
               "Stripes of a zebra.");
    assert_int_equal(search_find(own, "zebra", &hit, 1), 1);
    assert_string_equal(hit.place->opens, "explore zebra");
    assert_int_equal(hit.place->kind, PLACE_EXPLORER);
    search_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_lead_to_what_answers_them),
        cmocka_unit_test(questions_of_how_and_why_lead_to_three_that_answer),
        cmocka_unit_test(what_else_answers_comes_next),
        cmocka_unit_test(every_term_lesson_lab_and_step_is_found_by_its_name),
        cmocka_unit_test(how_a_place_was_found_is_told),
        cmocka_unit_test(words_alone_that_say_nothing_are_searched),
        cmocka_unit_test(what_the_first_words_of_a_section_answer_is_not_told),
        cmocka_unit_test(a_part_is_found_and_opened_by_its_number),
        cmocka_unit_test(other_scripts_are_found),
        cmocka_unit_test(what_is_added_is_found),
    };
    return cmocka_run_group_tests(tests, open_shipped, close_shipped);
}
