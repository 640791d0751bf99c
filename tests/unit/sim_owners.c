// Threads that touch one place of shared memory between two barriers are found whatever touched it before, and those that
// do not are left alone (engine/sim/sanitize/owners.c). Each kernel first reads what the same thread has just written, so
// that the guess about whole lines is wrong.
#include "tests/unit/sim_kernel.h"

static struct kernel_outcome outcome; // large

// %r10: the address of the thread's word, %r11: of that of its lane in the first warp, %r12: of one for each two lanes,
// %r13: of the word of the thread 32 further or before. %p1: the first warp, %p2: its odd lanes, %p3: those of the second.
static const char own[] = "mov.u32 %r4, s; shl.b32 %r5, %r0, 2; add.u32 %r10, %r4, %r5;\n"
                          "and.b32 %r6, %r5, 124; add.u32 %r11, %r4, %r6;\n"
                          "shr.b32 %r6, %r6, 3; shl.b32 %r6, %r6, 2; add.u32 %r12, %r4, %r6;\n"
                          "xor.b32 %r6, %r5, 128; add.u32 %r13, %r4, %r6;\n"
                          "setp.lt.u32 %p1, %r0, 32; and.b32 %r6, %r0, 33;\n"
                          "setp.eq.u32 %p2, %r6, 1; setp.eq.u32 %p3, %r6, 33;\n"
                          "st.shared.u32 [%r10], %r0; ld.shared.u32 %r7, [%r10];\n";

// %r8: of the even words in the first warp, of the odd ones in the second.
#define EVEN                                                                                                 \
    "and.b32 %r6, %r0, 31; shl.b32 %r6, %r6, 3; add.u32 %r8, %r4, %r6; shr.b32 %r6, %r0, 3; "                \
    "and.b32 %r6, %r6, 4; add.u32 %r8, %r8, %r6; bar.sync 0; "

// %r8: of the thread's own word in the first block, of that of %r13 in the second, in the same pattern. %p4: the odd lanes.
#define LATER                                                                                                \
    "mov.u32 %r9, %ctaid.x; shl.b32 %r9, %r9, 7; xor.b32 %r6, %r5, %r9; add.u32 %r8, %r4, %r6; "             \
    "and.b32 %r6, %r0, 1; setp.eq.u32 %p4, %r6, 1; "
// The same of words that are three words apart; %r9: of the thread's own one.
#define FAR                                                                                                  \
    LATER "mul.lo.u32 %r9, %r5, 3; add.u32 %r9, %r9, %r4; sub.u32 %r8, %r8, %r4; mul.lo.u32 %r8, %r8, 3; "   \
          "add.u32 %r8, %r8, %r4; bar.sync 0; st.shared.u32 [%r9], %r0; "

static const struct owners_case {
    const char *name, *body;
    bool races;
} cases[] = {
    { "each its own word", "st.shared.u32 [%r10], %r7; ld.shared.u32 %r7, [%r10];", false },
    { "another's word after a barrier", "bar.sync 0; ld.shared.u32 %r7, [%r13]; st.global.u32 [%rd0], %r7;",
      false },
    { "two readers", "bar.sync 0; ld.shared.u32 %r7, [%r11]; ld.shared.u32 %r8, [%r12];", false },
    { "two readers, then a writer after a barrier",
      "bar.sync 0; ld.shared.u32 %r7, [%r11]; bar.sync 0; st.shared.u32 [%r10], %r7;", false },
    { "sums, then readers after a barrier",
      "bar.sync 0; red.shared.add.u32 [%r11], 1; bar.sync 0; ld.shared.u32 %r7, [%r11];", false },
    { "lanes of one instruction, the same value", "bar.sync 0; @%p1 st.shared.u32 [%r12], 5;", false },
    { "a reader after another warp's writer", "ld.shared.u32 %r7, [%r13];", true },
    { "a writer after another warp's reader",
      "bar.sync 0; ld.shared.u32 %r7, [%r13]; st.shared.u32 [%r10], %r7;", true },
    { "a writer among several readers", "bar.sync 0; ld.shared.u32 %r7, [%r11]; st.shared.u32 [%r10], %r7;",
      true },
    { "two writers", "bar.sync 0; st.shared.u32 [%r11], %r0;", true },
    { "a reader after sums", "bar.sync 0; red.shared.add.u32 [%r11], 1; ld.shared.u32 %r7, [%r10];", true },
    { "sums after a reader", "bar.sync 0; ld.shared.u32 %r7, [%r10]; red.shared.add.u32 [%r11], 1;", true },
    { "a lane after another lane's writer",
      "bar.sync 0; add.u32 %r6, %r10, 4; @%p1 st.shared.u32 [%r10], 5; @%p1 ld.shared.u32 %r7, [%r6];",
      true },
    { "the first lane of an instruction after the last one",
      "bar.sync 0; @%p1 st.shared.u32 [%r12], 5; @%p1 ld.shared.u32 %r7, [%r12];", true },
    { "the last lane of an instruction after the others",
      "bar.sync 0; @%p1 st.shared.u32 [%r12], 5; @%p2 st.shared.u32 [%r12], 6;", true },
    { "the last of several readers writes",
      "bar.sync 0; ld.shared.u32 %r7, [%r12]; @%p3 st.shared.u32 [%r12], %r7;", true },
    { "a reader, then sums of another warp",
      "bar.sync 0; @!%p1 ld.shared.u32 %r7, [%r13]; @%p1 red.shared.add.u32 [%r11], 1;", true },
    { "neighbours exchange after a barrier",
      "bar.sync 0; xor.b32 %r6, %r10, 4; ld.shared.u32 %r7, [%r6]; bar.sync 0; st.shared.u32 [%r6], %r7;",
      false },
    { "a lane after its neighbour's writer",
      "bar.sync 0; xor.b32 %r6, %r10, 4; st.shared.u32 [%r6], 5; ld.shared.u32 %r7, [%r10];", true },
    { "some lanes after others of their warp",
      "bar.sync 0; xor.b32 %r6, %r10, 4; @%p2 st.shared.u32 [%r10], 5; @!%p2 ld.shared.u32 %r7, [%r6];",
      true },
    { "one warp writes even words, the other odd ones",
      EVEN "st.shared.u32 [%r8], 5; ld.shared.u32 %r7, [%r8];", false },
    { "both warps read even words", EVEN "and.b32 %r8, %r8, 0xfffffffb; ld.shared.u32 %r7, [%r8];", false },
    { "one warp reads even words, the other writes them",
      EVEN "and.b32 %r8, %r8, 0xfffffffb; @%p1 ld.shared.u32 %r7, [%r8]; @!%p1 st.shared.u32 [%r8], 5;",
      true },
    { "a reader after another warp's writer, in a later block", LATER "ld.shared.u32 %r7, [%r8];", true },
    { "a writer after another warp's reader, in a later block",
      LATER "bar.sync 0; ld.shared.u32 %r7, [%r10]; st.shared.u32 [%r8], %r7;", true },
    { "another's word after a barrier, in a later block",
      LATER "bar.sync 0; ld.shared.u32 %r7, [%r8]; bar.sync 0; st.shared.u32 [%r8], %r7;", false },
    { "some lanes after another warp's writers, in a later block",
      LATER "@!%p4 st.shared.u32 [%r10], 5; @%p4 ld.shared.u32 %r7, [%r8];", true },
    { "some lanes beside another warp's writers, in a later block",
      LATER "bar.sync 0; @!%p4 st.shared.u32 [%r10], 5; @%p4 ld.shared.u32 %r7, [%r8];", false },
    { "each its own word, far apart", FAR "ld.shared.u32 %r7, [%r9];", false },
    { "another's word, far apart, after a barrier", FAR "bar.sync 0; ld.shared.u32 %r7, [%r8];", false },
    { "a reader, far apart, in a later block", FAR "ld.shared.u32 %r7, [%r8];", true },
    { "a writer, far apart, in a later block",
      FAR "bar.sync 0; ld.shared.u32 %r7, [%r9]; st.shared.u32 [%r8], %r7;", true },
    { "some lanes, far apart, beside writers in a later block",
      FAR "bar.sync 0; @!%p4 st.shared.u32 [%r9], 5; @%p4 ld.shared.u32 %r7, [%r8];", false },
    { "vectors that overlap",
      "and.b32 %r6, %r10, 0xfffffff0; bar.sync 0; st.shared.v4.u32 [%r6], {%r0, %r0, %r0, %r0};", true },
};

static void threads_that_meet_are_found(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[2048];
        snprintf(body, sizeof body, "%s%s\nst.global.u32 [%%rd0], %%r7; ret;", own, cases[i].body);
        struct setting s = { .before = ".shared .align 16 .b8 s[1024];\n",
                             .body = body,
                             .grid = { 2 },
                             .block = { 64 },
                             .options = { .check = SIM_CHECK_ALL, .threads = 1 } };
        for (s.options.seed = 0; s.options.seed < 4; s.options.seed++) { // warps in other orders
            run(&s, &outcome);
            size_t races = 0;
            for (size_t k = 0; k < outcome.result.finding_count; k++)
                races += outcome.result.findings[k].kind == SIM_RACE_SHARED;
            if ((races != 0) != cases[i].races || races != outcome.result.finding_count)
                fail_msg("%s: %zu races of %zu findings", cases[i].name, races, outcome.result.finding_count);
            drop(&outcome);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threads_that_meet_are_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
