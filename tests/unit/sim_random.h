// Random kernels that any order of threads, any check and any instruction set of the host must run alike: what a
// thread reads is given, its own, or came before a barrier, and what several threads change they only add to.
#ifndef WARPBOOK_TESTS_SIM_RANDOM_H
#define WARPBOOK_TESTS_SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/base.h"
#include "engine/sim/lanes/lanes.h"
#include "engine/sim/machine/machine.h"

// ---- decisions ----------------------------------------------------------------------------------------------

struct choices { // bytes that somebody else chose, and past their end those of a seed
    const uint8_t *at, *end;
    uint64_t seed;
};

static inline uint32_t choose(struct choices *choices, uint32_t count)
{
    if (choices->at < choices->end)
        return *choices->at++ % count;
    choices->seed = choices->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(choices->seed >> 33) % count;
}

// ---- a kernel -----------------------------------------------------------------------------------------------

enum { SLOTS_EACH = 8, SUMS = 64, GIVEN = 1024, RANDOM_WARPS = 2, RANDOM_BLOCKS = 2, DEPTH_MOST = 3 };

// `$` and a letter is an operand: R, W, F, D, H, P a register of 32 and 64 bits, single, double, of 16 bits, a
// predicate; r, w the same or a number; n a number from 0 to 31.
static const char *const random_lines[] = {
    "add.u32 $R, $R, $r",
    "sub.s32 $R, $r, $R",
    "add.u64 $W, $W, $w",
    "sub.s64 $W, $w, $W",
    "add.cc.u32 $R, $R, $r;\n addc.u32 $R, $R, $r",
    "sub.cc.u32 $R, $R, $r;\n subc.u32 $R, $R, $r",
    "mul.lo.u32 $R, $R, $r",
    "mul.hi.u32 $R, $R, $r",
    "mul.hi.s32 $R, $R, $r",
    "mul.wide.u32 $W, $R, $r",
    "mul.wide.s32 $W, $R, $r",
    "mul.lo.s64 $W, $W, $w",
    "mul.hi.u64 $W, $W, $w",
    "mul24.lo.u32 $R, $R, $r",
    "mad.lo.u32 $R, $R, $r, $R",
    "mad.hi.s32 $R, $R, $R, $r",
    "mad.wide.u32 $W, $R, $r, $W",
    "mad.lo.u64 $W, $W, $w, $W",
    "div.u32 $R, $R, $r",
    "div.s32 $R, $R, $r",
    "rem.u32 $R, $r, $R",
    "rem.s32 $R, $R, $r",
    "div.u64 $W, $W, $w",
    "rem.s64 $W, $W, $w",
    "min.s32 $R, $R, $r",
    "max.u32 $R, $R, $r",
    "min.u64 $W, $W, $w",
    "max.s64 $W, $W, $w",
    "abs.s32 $R, $R",
    "neg.s32 $R, $R",
    "abs.s64 $W, $W",
    "neg.s64 $W, $W",
    "sad.u32 $R, $R, $r, $R",
    "sad.s32 $R, $R, $r, $R",
    "and.b32 $R, $R, $r",
    "or.b32 $R, $R, $r",
    "xor.b32 $R, $R, $r",
    "not.b32 $R, $R",
    "and.b64 $W, $W, $w",
    "xor.b64 $W, $W, $w",
    "not.b64 $W, $W",
    "shl.b32 $R, $R, $r",
    "shr.u32 $R, $R, $r",
    "shr.s32 $R, $R, $R",
    "shl.b64 $W, $W, $r",
    "shr.s64 $W, $W, $R",
    "shf.l.wrap.b32 $R, $R, $R, $r",
    "shf.r.clamp.b32 $R, $R, $R, $r",
    "prmt.b32 $R, $R, $r, $R",
    "lop3.b32 $R, $R, $R, $R, $n",
    "popc.b32 $R, $R",
    "popc.b64 $R, $W",
    "clz.b32 $R, $R",
    "clz.b64 $R, $W",
    "brev.b32 $R, $R",
    "brev.b64 $W, $W",
    "vmin4.u32.u32.u32 $R, $R, $R, $R",
    "vmax4.s32.s32.s32 $R, $R, $R, $R",
    "bfind.u32 $R, $R",
    "bfind.s64 $R, $W",
    "bfe.u32 $R, $R, $n, $n",
    "bfe.s32 $R, $R, $R, $n",
    "bfe.u64 $W, $W, $n, $n",
    "bfi.b32 $R, $R, $R, $n, $n",
    "bfi.b64 $W, $W, $W, $n, $n",
    "dp4a.u32.u32 $R, $R, $r, $R",
    "dp4a.s32.s32 $R, $R, $R, $R",
    "dp2a.lo.s32.u32 $R, $R, $R, $R",
    "mov.u32 $R, $r",
    "mov.b64 $W, {$R, $R}",
    "mov.b64 {$R, $R}, $W",
    "mov.b32 $R, {$H, $H}",
    "mov.b32 {$H, $H}, $R",
    "mov.b32 $F, $R",
    "mov.b32 $R, $F",
    "mov.b64 $D, $W",
    "mov.b64 $W, $D",
    "selp.b32 $R, $R, $r, $P",
    "selp.f32 $F, $F, $F, $P",
    "selp.b64 $W, $W, $w, $P",
    "slct.u32.s32 $R, $R, $r, $R",
    "slct.f32.f32 $F, $F, $F, $F",
    "set.lt.u32.s32 $R, $R, $r",
    "set.geu.f32.f32 $F, $F, $F",
    "setp.lt.s32 $P, $R, $r",
    "setp.hs.u32 $P, $R, $r",
    "setp.eq.b32 $P, $R, $r",
    "setp.ne.s64 $P, $W, $w",
    "setp.gt.f32 $P, $F, $F",
    "setp.leu.f32 $P, $F, $F",
    "setp.nan.f64 $P, $D, $D",
    "setp.lt.and.u32 $P, $R, $r, $P",
    "setp.ge.xor.s32 $P, $R, $r, !$P",
    "and.pred $P, $P, $P",
    "xor.pred $P, $P, $P",
    "not.pred $P, $P",
    "add.f32 $F, $F, $F",
    "sub.rz.f32 $F, $F, $F",
    "mul.f32 $F, $F, $F",
    "mul.rm.f32 $F, $F, $F",
    "fma.rn.f32 $F, $F, $F, $F",
    "fma.rp.f32 $F, $F, $F, $F",
    "add.ftz.f32 $F, $F, $F",
    "mul.sat.f32 $F, $F, $F",
    "min.f32 $F, $F, $F",
    "max.f32 $F, $F, $F",
    "abs.f32 $F, $F",
    "neg.f32 $F, $F",
    "div.rn.f32 $F, $F, $F",
    "div.full.f32 $F, $F, $F",
    "sqrt.rn.f32 $F, $F",
    "rcp.rn.f32 $F, $F",
    "rcp.approx.ftz.f32 $F, $F",
    "rsqrt.approx.f32 $F, $F",
    "ex2.approx.f32 $F, $F",
    "lg2.approx.f32 $F, $F",
    "sin.approx.f32 $F, $F",
    "cos.approx.f32 $F, $F",
    "tanh.approx.f32 $F, $F",
    "add.f64 $D, $D, $D",
    "mul.rz.f64 $D, $D, $D",
    "fma.rn.f64 $D, $D, $D, $D",
    "div.rn.f64 $D, $D, $D",
    "sqrt.rn.f64 $D, $D",
    "min.f64 $D, $D, $D",
    "cvt.rn.f32.u32 $F, $R",
    "cvt.rz.f32.s64 $F, $W",
    "cvt.rn.f64.s32 $D, $R",
    "cvt.f64.f32 $D, $F",
    "cvt.rn.f32.f64 $F, $D",
    "cvt.rzi.s32.f32 $R, $F",
    "cvt.rni.u32.f32 $R, $F",
    "cvt.rmi.s64.f64 $W, $D",
    "cvt.rpi.f32.f32 $F, $F",
    "cvt.u64.u32 $W, $R",
    "cvt.s64.s32 $W, $R",
    "cvt.u32.u64 $R, $W",
    "cvt.u16.u32 $H, $R",
    "cvt.s32.s16 $R, $H",
    "cvt.sat.u8.s32 $R, $R",
    "cvt.s32.s8 $R, $R",
    "cvt.rn.f16.f32 $H, $F",
    "cvt.f32.f16 $F, $H",
    "add.u16 $H, $H, $H",
    "mul.lo.u16 $H, $H, $H",
    "min.s16 $H, $H, $H",
    "shr.u16 $H, $H, $n",
    "add.f16 $H, $H, $H",
    "mul.f16 $H, $H, $H",
    "fma.rn.f16 $H, $H, $H, $H",
    "add.f16x2 $R, $R, $R",
    "fma.rn.f16x2 $R, $R, $R, $R",
    "max.f16x2 $R, $R, $R",
    "copysign.f32 $F, $F, $F",
    "testp.finite.f32 $P, $F",
    "isspacep.global $P, $W",
};

// $o: the address of the thread's own slots in `out`; $g, $s: one that a register chooses, in what is given and in the
// sums; $l, $b: in local memory, of the thread's own slot in shared memory.
static const char *const random_accesses[] = {
    "ld.global.u32 $R, [$g]",
    "ld.global.nc.f32 $F, [$g]",
    "ld.global.u8 $R, [$g+1]",
    "ld.global.s8 $R, [$g+3]",
    "ld.global.s16 $R, [$g+2]",
    "ld.global.u16 $H, [$g]",
    "ld.global.s32 $W, [$g]",
    "ld.global.v2.u32 {$R, $R}, [$g]",
    "ld.global.v2.u32 {_, $R}, [$g]",
    "ld.global.v4.f32 {$F, _, $F, $F}, [$g]",
    "ld.global.v2.u64 {$W, $W}, [$g]",
    "ld.global.v4.u8 {$R, $R, _, $R}, [$g+4]",
    "ld.global.v4.u16 {$R, $H, $R, $R}, [$g+8]",
    "ld.global.f64 $D, [$g+8]",
    "ld.u32 $R, [$g]",
    "st.global.u32 [$o], $R",
    "st.global.u64 [$o+8], $W",
    "st.global.v2.f32 [$o+16], {$F, $F}",
    "st.global.u8 [$o+5], $R",
    "st.global.u16 [$o+6], $H",
    "st.f64 [$o+24], $D",
    "st.global.v4.u32 [$o], {$R, $R, $R, $R}",
    "ld.global.u32 $R, [$o+12]",
    "red.global.add.u32 [$s], $R",
    "red.global.xor.b32 [$s+4], $R",
    "red.global.min.s32 [$s+16], $R",
    "red.global.max.u32 [$s+20], $R",
    "red.global.add.u64 [$s+8], $W",
    "st.local.u32 [$l], $R",
    "ld.local.u32 $R, [$l]",
    "st.local.v2.u32 [$l], {$R, $R}",
    "ld.local.u64 $W, [$l]",
    "st.shared.u32 [$b], $R",
    "ld.shared.f32 $F, [$b]",
    "st.shared.u64 [$b+8], $W",
    "ld.shared.v4.u32 {$R, $R, $R, $R}, [$b]",
    "ld.shared.u16 $R, [$b+2]",
};

// These wait for each other: they are outside of branches. $m: a mask of all lanes.
static const char *const random_meetings[] = {
    "shfl.sync.bfly.b32 $R, $R, $n, 31, $m",
    "shfl.sync.up.b32 $R, $R, $n, 0, $m",
    "shfl.sync.idx.b32 $R|$P, $R, $n, 31, $m",
    "shfl.sync.down.b32 $R, $R, $R, 31, $m",
    "vote.sync.ballot.b32 $R, $P, $m",
    "vote.sync.any.pred $P, $P, $m",
    "vote.sync.all.pred $P, !$P, $m",
    "match.any.sync.b32 $R, $R, $m",
    "redux.sync.add.u32 $R, $R, $m",
    "redux.sync.min.s32 $R, $R, $m",
    "activemask.b32 $R",
    "bar.red.popc.u32 $R, 0, $P",
    "bar.sync 0;\n $x;\n bar.sync 0",
    "bar.red.and.pred $P, 0, $P",
    "call.uni ($R), mix, ($R, $W)",
};

struct making {
    struct choices *choices;
    struct text *out;
    int labels, depth;
};

static inline void add_number(struct making *m, bool wide)
{
    static const char *const numbers[] = { "0",   "1",    "2",     "-1",         "7",           "31",  "32",
                                           "255", "4096", "65535", "2147483647", "-2147483648", "100", "3" };
    uint32_t which = choose(m->choices, 14 + (wide ? 2 : 0));
    text_add(m->out, which < 14    ? numbers[which]
                     : which == 14 ? "9223372036854775807"
                                   : "-81985529216486896");
}

static inline void add_operand(struct making *m, char letter)
{
    switch (letter) {
    case 'R':
        text_addf(m->out, "%%r%u", choose(m->choices, 12));
        break;
    case 'W':
        text_addf(m->out, "%%w%u", choose(m->choices, 6));
        break;
    case 'F':
        text_addf(m->out, "%%f%u", choose(m->choices, 6));
        break;
    case 'D':
        text_addf(m->out, "%%d%u", choose(m->choices, 4));
        break;
    case 'H':
        text_addf(m->out, "%%h%u", choose(m->choices, 4));
        break;
    case 'P':
        text_addf(m->out, "%%p%u", choose(m->choices, 4));
        break;
    case 'n':
        text_addf(m->out, "%u", choose(m->choices, 32));
        break;
    case 'm':
        text_add(m->out, "-1");
        break;
    default: // r, w
        if (choose(m->choices, 3))
            add_operand(m, letter == 'r' ? 'R' : 'W');
        else
            add_number(m, letter == 'w');
    }
}

// The address that a line wants, in %a; and what follows it.
static inline void add_address(struct making *m, char letter)
{
    struct text *out = m->out;
    uint32_t reg = choose(m->choices, 12);
    switch (letter) {
    case 'g':
        text_addf(out, " and.b32 %%i, %%r%u, %d;\n mul.wide.u32 %%a, %%i, 16;\n add.u64 %%a, %%a, %%given;\n",
                  reg, GIVEN / 4 - 1);
        break;
    case 's':
        text_addf(out, " and.b32 %%i, %%r%u, %d;\n mul.wide.u32 %%a, %%i, 32;\n add.u64 %%a, %%a, %%sums;\n",
                  reg, SUMS / 8 - 1);
        break;
    case 'l':
        text_addf(out, " and.b32 %%i, %%r%u, 3;\n mul.wide.u32 %%a, %%i, 8;\n add.u64 %%a, %%a, %%own;\n",
                  reg);
        break;
    case 'b':
        text_add(out, " mov.u64 %a, %mine;\n");
        break;
    default:
        text_add(out, " mov.u64 %a, %out;\n");
    }
}

// One line, with a guard now and then where it may have one.
static inline void add_random(struct making *m, const char *line, bool may_guard)
{
    const char *at = line;
    for (const char *c = line; *c; c++)
        if (*c == '$' && strchr("gslbo", c[1]))
            add_address(m, c[1]);
    text_add(m->out, " ");
    if (may_guard && !choose(m->choices, 4) && !strchr(line, '\n')) {
        text_addf(m->out, "@%s", choose(m->choices, 2) ? "!" : "");
        add_operand(m, 'P');
        text_add(m->out, " ");
    }
    for (; *at; at++) {
        if (*at != '$')
            text_add_n(m->out, at, 1);
        else if (strchr("gslbo", *++at))
            text_add(m->out, "%a");
        else if (*at == 'x') // another thread's slot of shared memory
            text_addf(m->out,
                      "xor.b32 %%i, %%me, %u;\n mul.wide.u32 %%a, %%i, 32;\n add.u64 %%a, %%a, %%all;\n"
                      " ld.shared.u32 %%r%u, [%%a]",
                      choose(m->choices, 32), choose(m->choices, 12));
        else
            add_operand(m, *at);
    }
    text_add(m->out, ";\n");
}

static inline void add_lines(struct making *m, uint32_t count);

static inline void add_branch(struct making *m)
{
    int label = m->labels++;
    m->depth++;
    text_addf(m->out, " @%s", choose(m->choices, 2) ? "!" : "");
    add_operand(m, 'P');
    text_addf(m->out, " bra ELSE%d;\n", label);
    add_lines(m, 1 + choose(m->choices, 4));
    text_addf(m->out, " bra END%d;\nELSE%d:\n", label, label);
    add_lines(m, choose(m->choices, 4));
    text_addf(m->out, "END%d:\n", label);
    m->depth--;
}

// As often as the thread's number says, or all alike.
static inline void add_loop(struct making *m)
{
    int label = m->labels++, depth = m->depth++;
    text_addf(m->out, choose(m->choices, 2) ? " and.b32 %%n%d, %%me, 3;\n" : " mov.u32 %%n%d, 3;\n", depth);
    text_addf(m->out, "LOOP%d:\n", label);
    add_lines(m, 1 + choose(m->choices, 4));
    text_addf(m->out, " sub.u32 %%n%d, %%n%d, 1;\n setp.gt.s32 %%q, %%n%d, 0;\n @%%q bra LOOP%d;\n", depth,
              depth, depth, label);
    m->depth--;
}

static inline void add_lines(struct making *m, uint32_t count)
{
    enum {
        LINES = sizeof random_lines / sizeof *random_lines,
        ACCESSES = sizeof random_accesses / sizeof *random_accesses,
        MEETINGS = sizeof random_meetings / sizeof *random_meetings
    };
    while (count--) {
        uint32_t what = choose(m->choices, 16);
        if (what < 9)
            add_random(m, random_lines[choose(m->choices, LINES)], true);
        else if (what < 13)
            add_random(m, random_accesses[choose(m->choices, ACCESSES)], true);
        else if (what < 14 && m->depth < DEPTH_MOST)
            add_branch(m);
        else if (what < 15 && m->depth < DEPTH_MOST)
            add_loop(m);
        else if (m->depth == 0)
            add_random(m, random_meetings[choose(m->choices, MEETINGS)], false);
    }
}

static inline void random_kernel(struct choices *choices, struct text *out)
{
    struct making making = { .choices = choices, .out = out };
    text_add(out, ".version 8.0\n.target sm_80\n.address_size 64\n"
                  ".func (.param .b32 back) mix(.param .b32 x, .param .b64 y)\n{\n .reg .b32 %a<4>;\n .reg "
                  ".b64 %b<2>;\n"
                  " ld.param.u32 %a0, [x];\n ld.param.u64 %b0, [y];\n cvt.u32.u64 %a1, %b0;\n mul.lo.u32 "
                  "%a2, %a0, 31;\n"
                  " xor.b32 %a3, %a2, %a1;\n st.param.b32 [back], %a3;\n ret;\n}\n");
    text_addf(
        out,
        ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 p3)\n{\n"
        " .reg .pred %%p<4>, %%q;\n .reg .b16 %%h<4>;\n .reg .b32 %%r<12>, %%n<4>, %%i, %%me, %%gid;\n"
        " .reg .b64 %%w<6>, %%a, %%given, %%out, %%sums, %%own, %%mine, %%all;\n .reg .f32 %%f<6>;\n .reg "
        ".f64 %%d<4>;\n"
        " .local .align 16 .b8 depot[48];\n .shared .align 16 .b8 tile[%d];\n"
        " ld.param.u64 %%given, [p0];\n ld.param.u64 %%out, [p1];\n ld.param.u64 %%sums, [p2];\n"
        " mov.u32 %%me, %%tid.x;\n mov.u32 %%r1, %%ctaid.x;\n mov.u32 %%r2, %%ntid.x;\n"
        " mad.lo.u32 %%gid, %%r1, %%r2, %%me;\n mul.wide.u32 %%a, %%gid, 32;\n add.u64 %%out, %%out, %%a;\n"
        " mov.u64 %%own, depot;\n mov.u64 %%all, tile;\n mul.wide.u32 %%a, %%me, 32;\n add.u64 %%mine, "
        "%%all, %%a;\n"
        " ld.param.u32 %%r0, [p3];\n",
        RANDOM_WARPS * 32 * 32);
    for (int i = 0; i < 12; i++)
        text_addf(
            out,
            " mul.wide.u32 %%a, %%gid, 4;\n add.u64 %%a, %%a, %%given;\n ld.global.u32 %%r%d, [%%a+%d];\n", i,
            i * 128);
    for (int i = 0; i < 6; i++)
        text_addf(out, " mov.b64 %%w%d, {%%r%d, %%r%d};\n mov.b32 %%f%d, %%r%d;\n", i, i, i + 5, i, i + 3);
    for (int i = 0; i < 4; i++)
        text_addf(out,
                  " mov.b64 %%d%d, %%w%d;\n cvt.u16.u32 %%h%d, %%r%d;\n setp.lt.s32 %%p%d, %%r%d, 0;\n"
                  " mov.u32 %%n%d, 0;\n",
                  i, i, i, i + 4, i, i + 7, i);
    text_add(
        out,
        " st.local.v4.u32 [%own], {%r0, %r1, %r2, %r3};\n st.local.v4.u32 [%own+16], {%r4, %r5, %r6, %r7};\n"
        " st.local.v4.u32 [%own+32], {%r4, %r5, %r6, %r7};\n"
        " st.shared.v4.u32 [%mine], {%r0, %r1, %r2, %r3};\n st.shared.v4.u32 [%mine+16], {%r4, %r5, %r6, "
        "%r7};\n"
        " st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3};\n st.global.v4.u32 [%out+16], {%r4, %r5, %r6, "
        "%r7};\n"
        " bar.sync 0;\n");
    add_lines(&making, 6 + choose(choices, 24));
    text_add(out, " st.global.v4.u32 [%out], {%r8, %r9, %r10, %r11};\n st.global.v2.u64 [%out+16], {%w0, "
                  "%w1};\n ret;\n}\n");
}

// ---- running it ------------------------------------------------------------------------------------------------

struct random_run {
    uint32_t given[GIVEN + 2048], sums[SUMS];
    uint32_t out[RANDOM_BLOCKS * RANDOM_WARPS * 32 * SLOTS_EACH];
    struct sim_result result;
};
struct random_way {
    enum sim_check check;
    int threads;
    uint64_t seed;
    enum build build; // where the processor has no such one, the widest that it has
};
// The first is what the others are compared with.
static const struct random_way random_ways[] = {
    { SIM_CHECK_COUNTERS, 1, 0, BUILD_ANY }, { SIM_CHECK_COUNTERS, 1, 0, BUILD_V4 },
    { SIM_CHECK_COUNTERS, 2, 0, BUILD_V3 },  { SIM_CHECK_COUNTERS, 2, 7, BUILD_ANY },
    { SIM_CHECK_ALL, 1, 0, BUILD_V4 },       { SIM_CHECK_ALL, 1, 0, BUILD_V3 },
    { SIM_CHECK_ALL, 1, 3, BUILD_ANY },      { SIM_CHECK_NONE, 1, 0, BUILD_V4 },
    { SIM_CHECK_NONE, 2, 5, BUILD_ANY },     { SIM_CHECK_NONE, 1, 0, BUILD_V3 },
    { SIM_CHECK_NONE, 1, 0, BUILD_ANY },
};
enum { RANDOM_WAYS = sizeof random_ways / sizeof *random_ways };

// Numbers as kernels meet them: small and large ones, and bits of decimals, infinities and no numbers among them.
static inline void random_fill(struct random_run *run)
{
    static const uint32_t rare[] = { 0,           1,           0x80000000u, 0xffffffffu,
                                     0x7fffffffu, 0x7f800000u, 0xff800000,  0x7fc00000,
                                     0x3f800000,  0x00000001,  0x80000001,  0x7f7fffff,
                                     0x4b000000,  0xcf000000,  31,          32 };
    for (uint32_t i = 0; i < sizeof run->given / sizeof *run->given; i++) {
        uint32_t x = i * 2654435761u;
        x ^= x >> 15;
        run->given[i] = x % 5 == 0   ? rare[x / 5 % 16]
                        : x % 5 == 1 ? x >> 20
                        : x % 5 == 2 ? 0x3f000000u + (x >> 8)
                                     : x * 2246822519u;
    }
    memset(run->out, 0, sizeof run->out);
    memset(run->sums, 0, sizeof run->sums);
}

// The kernel as each build decodes it.
struct random_modules {
    struct sim_module *by_build[BUILDS];
};

// False: the simulator would not take it, and `fault` says why.
static inline bool random_read(const struct text *kernel, struct random_modules *out, struct sim_fault *fault)
{
    *out = (struct random_modules){ 0 };
    for (enum build build = 0; build < BUILDS; build++) {
        lanes_widest = (int)build;
        bool read = sim_module_read(kernel->data, kernel->length, &out->by_build[build], fault);
        lanes_widest = BUILD_V4;
        if (!read)
            return false;
    }
    return true;
}

static inline void random_drop(struct random_modules *modules)
{
    for (enum build build = 0; build < BUILDS; build++)
        sim_module_free(modules->by_build[build]);
}

// False: the launch could not start, and `fault` says why.
static inline bool random_run(const struct random_modules *modules, const struct random_way *way,
                              struct random_run *run, struct sim_fault *fault)
{
    struct sim_memory *memory = sim_memory_new();
    random_fill(run);
    sim_address given = sim_memory_add(memory, "given", run->given, sizeof run->given, 4, SIM_IN);
    sim_address out = sim_memory_add(memory, "out", run->out, sizeof run->out, 4, SIM_INOUT);
    sim_address sums = sim_memory_add(memory, "sums", run->sums, sizeof run->sums, 4, SIM_INOUT);
    uint32_t number = 77;
    const struct sim_argument arguments[] = {
        { &given, sizeof given }, { &out, sizeof out }, { &sums, sizeof sums }, { &number, sizeof number }
    };
    struct sim_launch launch = { .grid = { RANDOM_BLOCKS, 1, 1 },
                                 .block = { RANDOM_WARPS * 32, 1, 1 },
                                 .arguments = arguments,
                                 .argument_count = sizeof arguments / sizeof *arguments };
    struct sim_options options = {
        .check = way->check, .threads = way->threads, .seed = way->seed, .instruction_limit = 1000000
    };
    bool ran = sim_run(modules->by_build[way->build], memory, &launch, &options, &run->result, fault);
    sim_memory_free(memory);
    return ran;
}

// What was counted differently; NULL: nothing.
static inline const char *random_counted(const struct sim_result *one, const struct sim_result *other)
{
    if (memcmp(&one->counters, &other->counters, sizeof one->counters) != 0)
        return "the counters";
    if (one->instruction_count != other->instruction_count)
        return "how many instructions were executed";
    for (size_t i = 0; i < one->instruction_count; i++) {
        const struct sim_line *a = &one->instructions[i], *b = &other->instructions[i];
        if (a->index != b->index || memcmp(&a->counters, &b->counters, sizeof a->counters) != 0)
            return "the counters of an instruction";
    }
    return NULL;
}

// What differs between two runs of one kernel; NULL: nothing.
static inline const char *random_difference(const struct random_run *one, const struct random_run *other,
                                            bool counted)
{
    if (one->result.complete != other->result.complete)
        return "whether it came to its end";
    if (memcmp(one->out, other->out, sizeof one->out) != 0)
        return "what the threads wrote";
    if (memcmp(one->sums, other->sums, sizeof one->sums) != 0)
        return "the sums";
    if (memcmp(one->given, other->given, sizeof one->given) != 0)
        return "what was given";
    return counted ? random_counted(&one->result, &other->result) : NULL;
}

#endif
