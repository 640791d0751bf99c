// Words as two halves or four bytes: each part by itself. A GPU since Maxwell computes most of them in several instructions,
// and so does this.
#pragma clang system_header
#ifndef WARPBOOK_VIDEO_H
#define WARPBOOK_VIDEO_H

// `value` of part a of one word and part b of another, as ints; P is the unsigned type of a part, S the one that is read.
#define WB_PARTS(NAME, P, S, VALUE)                                                                          \
    WB unsigned NAME(unsigned one, unsigned two)                                                             \
    {                                                                                                        \
        const int bits = 8 * sizeof(P);                                                                      \
        unsigned out = 0;                                                                                    \
        _Pragma("unroll") for (int at = 0; at < 32; at += bits)                                              \
        {                                                                                                    \
            const int a = (S)(one >> at), b = (S)(two >> at);                                                \
            out |= (unsigned)(P)(VALUE) << at;                                                               \
        }                                                                                                    \
        return out;                                                                                          \
    }
#define WB_PART(NAME, P, S, VALUE)                                                                           \
    WB_PARTS(wb_one##NAME, P, S, VALUE)                                                                      \
    WB1(unsigned, NAME, unsigned, wb_one##NAME(a, 0))
#define WB_SUM(NAME, P, S)                                                                                   \
    WB unsigned NAME(unsigned one, unsigned two)                                                             \
    {                                                                                                        \
        const int bits = 8 * sizeof(P);                                                                      \
        unsigned sum = 0;                                                                                    \
        _Pragma("unroll") for (int at = 0; at < 32; at += bits)                                              \
        {                                                                                                    \
            const int a = (S)(one >> at), b = (S)(two >> at);                                                \
            sum += (unsigned)(a > b ? a - b : b - a);                                                        \
        }                                                                                                    \
        return sum;                                                                                          \
    }
// All ones, or one, where a comparison holds.
#define WB_COMPARE(COUNT, P, S, KIND, SIGN)                                                                  \
    WB_PARTS(__vcmp##KIND##COUNT, P, S, a SIGN b ? -1 : 0)                                                   \
    WB_PARTS(__vset##KIND##COUNT, P, S, a SIGN b)
#define WB_WORDS(COUNT, P, S, LEAST, MOST, MOST_UNSIGNED)                                                    \
    WB_PARTS(__vadd##COUNT, P, P, a + b)                                                                     \
    WB_PARTS(__vsub##COUNT, P, P, a - b)                                                                     \
    WB_PARTS(__vaddss##COUNT, P, S, a + b > MOST ? MOST : a + b < LEAST ? LEAST : a + b)                     \
    WB_PARTS(__vsubss##COUNT, P, S, a - b > MOST ? MOST : a - b < LEAST ? LEAST : a - b)                     \
    WB_PARTS(__vaddus##COUNT, P, P, a + b > MOST_UNSIGNED ? MOST_UNSIGNED : a + b)                           \
    WB_PARTS(__vsubus##COUNT, P, P, a < b ? 0 : a - b)                                                       \
    WB_PARTS(__vavgs##COUNT, P, S, (a + b + (a + b >= 0)) >> 1)                                              \
    WB_PARTS(__vavgu##COUNT, P, P, (a + b + 1) >> 1)                                                         \
    WB_PARTS(__vhaddu##COUNT, P, P, (a + b) >> 1)                                                            \
    WB_PARTS(__vmaxs##COUNT, P, S, a > b ? a : b)                                                            \
    WB_PARTS(__vmaxu##COUNT, P, P, a > b ? a : b)                                                            \
    WB_PARTS(__vmins##COUNT, P, S, a < b ? a : b)                                                            \
    WB_PARTS(__vminu##COUNT, P, P, a < b ? a : b)                                                            \
    WB_PARTS(__vabsdiffs##COUNT, P, S, a > b ? a - b : b - a)                                                \
    WB_PARTS(__vabsdiffu##COUNT, P, P, a > b ? a - b : b - a)                                                \
    WB_PART(__vneg##COUNT, P, S, -a)                                                                         \
    WB_PART(__vnegss##COUNT, P, S, a == LEAST ? MOST : -a)                                                   \
    WB_PART(__vabs##COUNT, P, S, a < 0 ? -a : a)                                                             \
    WB_PART(__vabsss##COUNT, P, S, a == LEAST ? MOST : a < 0 ? -a : a)                                       \
    WB_SUM(__vsads##COUNT, P, S)                                                                             \
    WB_SUM(__vsadu##COUNT, P, P)                                                                             \
    WB_COMPARE(COUNT, P, P, eq, ==)                                                                          \
    WB_COMPARE(COUNT, P, P, ne, !=)                                                                          \
    WB_COMPARE(COUNT, P, S, gts, >)                                                                          \
    WB_COMPARE(COUNT, P, S, ges, >=)                                                                         \
    WB_COMPARE(COUNT, P, S, lts, <)                                                                          \
    WB_COMPARE(COUNT, P, S, les, <=)                                                                         \
    WB_COMPARE(COUNT, P, P, gtu, >)                                                                          \
    WB_COMPARE(COUNT, P, P, geu, >=)                                                                         \
    WB_COMPARE(COUNT, P, P, ltu, <)                                                                          \
    WB_COMPARE(COUNT, P, P, leu, <=)
WB_WORDS(2, unsigned short, short, -32768, 32767, 65535)
WB_WORDS(4, unsigned char, signed char, -128, 127, 255)
#undef WB_WORDS
#undef WB_COMPARE
#undef WB_SUM
#undef WB_PART
#undef WB_PARTS

#endif
