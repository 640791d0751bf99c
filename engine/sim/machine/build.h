// The builds of the files that work on 32 lanes at once: one for any processor and, on x86-64, one for AVX2 and FMA and one for
// AVX-512. The Makefile compiles these files again with LANES_BUILD set to the level of x86-64 and the compiler's flags for it;
// what such a build exports has the level in its name, so that nothing of it runs where lanes_build() has not asked the
// processor.
#ifndef WARPBOOK_SIM_BUILD_H
#define WARPBOOK_SIM_BUILD_H

enum build { BUILD_ANY, BUILD_V3, BUILD_V4, BUILDS };

#if LANES_BUILD == 4
#define BUILD_NAME(name) name##_v4
#define THIS_BUILD BUILD_V4
#elif LANES_BUILD == 3
#define BUILD_NAME(name) name##_v3
#define THIS_BUILD BUILD_V3
#else
#define BUILD_NAME(name) name
#define THIS_BUILD BUILD_ANY
#endif

// The prototype of a function that each build exports.
#define BUILT(type, name, ...) type name(__VA_ARGS__), name##_v3(__VA_ARGS__), name##_v4(__VA_ARGS__)

// A table with a row for each build that is there, made of the names without and with their level.
#ifdef __x86_64__
#define EACH_BUILD(row)                                                                                      \
    {                                                                                                        \
        row(), row(_v3), row(_v4)                                                                            \
    }
#else
#define EACH_BUILD(row)                                                                                      \
    {                                                                                                        \
        row()                                                                                                \
    }
#endif

#endif
