// The kernels of tests/data/findings: one for every kind of mistake, with what is to be found in it, and the twins
// without it, which are clean. They are judged from the PTX that lies beside them or from that of a compiler.
#ifndef WARPBOOK_TESTS_SIM_MISTAKES_H
#define WARPBOOK_TESTS_SIM_MISTAKES_H

#include "tests/unit/sim_file.h"

#include <glob.h>
#include <stdio.h>
#include <sys/wait.h>

#define HERE "tests/data/findings/"

static const struct sim_options every_check = { .check = SIM_CHECK_ALL };

struct expected {
    const char *file;
    enum sim_kind kind;
    enum sim_severity severity;
    int line, other; // in either order; other 0: there is no other side
    const char *buffer;
    int64_t element;
    uint64_t count;
    const char *says; // a part of the sentence
};
static const struct expected mistakes[] = {
    { "race-raw", SIM_RACE_SHARED, SIM_ERROR, 9, 11, "s", 32, 256, "Put __syncthreads() between" },
    { "race-war", SIM_RACE_SHARED, SIM_ERROR, 13, 11, "s", 0, 33, "with no barrier between" },
    { "race-waw", SIM_RACE_SHARED, SIM_ERROR, 9, 9, "winner", 0, 1, "writes winner[0]" },
    { "race-warp", SIM_RACE_SHARED, SIM_WARNING, 10, 9, "s", 31, 32, "__syncwarp()" },
    { "race-atomic", SIM_RACE_SHARED, SIM_ERROR, 12, 11, "count", 0, 0, "An atomic only guards" },
    { "race-generic", SIM_RACE_SHARED, SIM_ERROR, 7, 15, "s", 32, 64, "with no barrier between" },
    { "race-bytes", SIM_RACE_SHARED, SIM_ERROR, 9, 8, "s", 32, 64, "with no barrier between" },
    { "race-blocks", SIM_RACE_GLOBAL, SIM_ERROR, 11, 9, "tmp", 63, 3, "blocks run in any order" },
    { "race-blocks-read", SIM_RACE_GLOBAL, SIM_ERROR, 9, 7, "x", 64, 1, "of block (0,0,0) reads it" },
    { "race-blocks-atomic", SIM_RACE_GLOBAL, SIM_ERROR, 10, 7, "total", 0, 0, "blocks run in any order" },
    { "race-global", SIM_RACE_GLOBAL, SIM_ERROR, 9, 8, "tmp", 32, 64, "with no barrier between" },
    { "double-write", SIM_DOUBLE_WRITE, SIM_ERROR, 7, 7, "out", 0, 64, "with another value" },
    { "double-write-warp", SIM_DOUBLE_WRITE, SIM_ERROR, 6, 6, "out", 0, 16,
      "write different values to out[0]" },
    { "never-written", SIM_NEVER_WRITTEN, SIM_ERROR, 0, 0, "out", 192, 64, "64 of its 256 elements" },
    { "uninit-stored", SIM_UNINITIALISED, SIM_ERROR, 11, 0, "s", 64, 1,
      "reads s[64], which no thread has written" },
    { "uninit-branch", SIM_UNINITIALISED, SIM_ERROR, 13, 0, "flag", 0, 1, "uses it to decide" },
    { "uninit-index", SIM_UNINITIALISED, SIM_ERROR, 9, 0, "tmp", 0, 64, "uses it in an address" },
    { "uninit-atomic", SIM_UNINITIALISED, SIM_ERROR, 10, 13, "bins", 0, 64, "and thread (0,0,0) stores" },
    { "uninit-copy", SIM_UNINITIALISED, SIM_ERROR, 12, 15, "a", 32, 32,
      "stores what it computed from it to out[0]" },
    { "uninit-moved", SIM_UNINITIALISED, SIM_ERROR, 13, 17, "s", 128, 1,
      "Thread (0,0,0) of block (0,0,0) reads s[128], which no thread has written, and stores" },
    { "uninit-local-moved", SIM_UNINITIALISED, SIM_ERROR, 9, 10, "", 0, 32,
      "in line 9, and stores what it computed from it to out[0] in line 10" },
    { "uninit-bins", SIM_UNINITIALISED, SIM_ERROR, 9, 12, "bins", 0, 64,
      "and stores what it computed from it to out[0] in line 12" },
    { "uninit-passed-on", SIM_UNINITIALISED, SIM_ERROR, 11, 0, "tmp", 0, 32,
      "holds no value, or one made from memory that no thread has written" },
    { "bounds-end", SIM_OUT_OF_BOUNDS, SIM_ERROR, 9, 0, "x", 100, 28,
      "x[100], past its end: x has 100 elements" },
    { "bounds-start", SIM_OUT_OF_BOUNDS, SIM_ERROR, 8, 0, "x", -1, 1, "x[-1], before its start" },
    { "bounds-shared", SIM_OUT_OF_BOUNDS, SIM_ERROR, 8, 0, "s", 64, 1, "writes s[64], past its end" },
    { "bounds-straddle", SIM_OUT_OF_BOUNDS, SIM_ERROR, 8, 0, "x", 56, 1, "reach past its end" },
    { "heap-end", SIM_OUT_OF_BOUNDS, SIM_ERROR, 8, 0, "heap", 32, 64,
      "from byte 16 on, of memory of which malloc gave 16 bytes" },
    { "heap-freed", SIM_OUT_OF_BOUNDS, SIM_ERROR, 9, 0, "heap", 16, 32, "and that were freed since" },
    { "heap-twice", SIM_OUT_OF_BOUNDS, SIM_ERROR, 14, 0, "heap", 16, 31, "frees what was freed before" },
    { "heap-unwritten", SIM_UNINITIALISED, SIM_ERROR, 8, 0, "heap", 20, 32,
      "reads heap[20], which no thread has written" },
    { "fragment-side", SIM_FRAGMENT, SIM_ERROR, 16, 12, "", 0, 1, "as A that line 12 loads as B" },
    { "fragment-result", SIM_FRAGMENT, SIM_ERROR, 7, 7, "", 0, 1, "holds one f32, and is read as 2 of f16" },
    { "misaligned", SIM_MISALIGNED, SIM_ERROR, 8, 0, "x", 1, 32, "must start at a multiple of its size" },
    { "uninit-call", SIM_UNINITIALISED, SIM_ERROR, 15, 0, "s", 64, 1,
      "stores what it computed from it to out[63]" },
    { "uninit-shuffle", SIM_UNINITIALISED, SIM_ERROR, 12, 15, "s", 16, 8, "which no thread has written" },
    { "bounds-local", SIM_OUT_OF_BOUNDS, SIM_ERROR, 10, 0, "", 0, 32, "outside its local memory" },
    { "barrier", SIM_BARRIER, SIM_ERROR, 10, 0, "", 0, 0, "only 16 of the 32 threads" },
    { "shuffle-absent", SIM_SYNC_MASK, SIM_ERROR, 9, 11, "", 0, 1,
      "from lane 20 of its warp, which does not exist, and thread (0,0,0) stores" },
    { "shuffle-unnamed", SIM_SYNC_MASK, SIM_ERROR, 8, 8, "", 0, 16,
      "from lane 16 of its warp, which its mask does not name, and stores" },
    { "shuffle-returned", SIM_SYNC_MASK, SIM_ERROR, 13, 18, "", 0, 1,
      "which has returned before, and thread (1,0,0) stores" },
    { "sync-mask", SIM_SYNC_MASK, SIM_WARNING, 10, 0, "", 0, 0, "names lanes" },
    { "endless", SIM_ENDLESS, SIM_ERROR, 9, 0, "", 0, 0, "" },
    { "endless-turns", SIM_ENDLESS, SIM_ERROR, 11, 0, "", 0, 0, "nothing changes what it waits for" },
    { "fence", SIM_RACE_GLOBAL, SIM_ERROR, 16, 21, "tmp", 0, 3, "Unless an index is wrong" },
    { "bounds-neighbour", SIM_OUT_OF_BOUNDS, SIM_ERROR, 12, 0, "a", 64, 1, "It hits b[0]." },
    { "bounds-dynamic", SIM_OUT_OF_BOUNDS, SIM_ERROR, 13, 0, "tail", -1, 1, "It hits head[31]." },
    { "bounds-kept", SIM_OUT_OF_BOUNDS, SIM_ERROR, 26, 0, "", 0, 32,
      "shared memory of another block or launch" },
    { "uninit-local", SIM_UNINITIALISED, SIM_ERROR, 10, 0, "", 0, 4,
      "local memory that this thread had never written" },
    { "uninit-local-branch", SIM_UNINITIALISED, SIM_ERROR, 9, 0, "", 0, 32, "uses it to decide" },
    { "race-crowd", SIM_RACE_SHARED, SIM_ERROR, 10, 12, "word", 0, 3, "thread (96,0,0) reads it" },
    { "race-arrive", SIM_RACE_SHARED, SIM_ERROR, 11, 16, "s", 0, 96, "thread (127,0,0) reads it" },
    { "named", SIM_RACE_SHARED, SIM_ERROR, 8, 10, "s", 64, 128, "with no barrier between" },
    { "uninit-bytes", SIM_UNINITIALISED, SIM_ERROR, 10, 0, "words", 31, 32,
      "stores what it computed from it" },
    { "race-own-atomic", SIM_RACE_SHARED, SIM_ERROR, 9, 11, "count", 0, 32, "An atomic only guards" },
    { "race-first-block", SIM_RACE_GLOBAL, SIM_ERROR, 9, 7, "total", 0, 192, "blocks run in any order" },
    { "race-update", SIM_RACE_GLOBAL, SIM_ERROR, 7, 7, "sum", 0, 0, "such as atomicAdd()" },
    { "race-reset", SIM_RACE_GLOBAL, SIM_ERROR, 7, 8, "count", 0, 1, "blocks run in any order" },
    { "race-release", SIM_RACE_GLOBAL, SIM_ERROR, 16, 9, "data", 0, 1, "blocks run in any order" },
    { "race-guess", SIM_RACE_GLOBAL, SIM_ERROR, 7, 8, "total", 0, 0, "An atomic only guards" },
    { "race-guess-shared", SIM_RACE_SHARED, SIM_ERROR, 17, 14, "sum", 0, 0, "An atomic only guards" },
    { "race-masks", SIM_RACE_SHARED, SIM_WARNING, 10, 8, "s", 31, 32, "__syncwarp()" },
    { "race-readers", SIM_RACE_SHARED, SIM_ERROR, 8, 9, "s", 32, 288, "with no barrier between" },
    { "race-parts", SIM_DOUBLE_WRITE, SIM_ERROR, 6, 6, "out", 16, 16, "Then an index is wrong." },
    { "lost-update", SIM_RACE_GLOBAL, SIM_ERROR, 7, 7, "total", 0, 0,
      "Should each thread have an element of its own?" },
    { "compare-store", SIM_RACE_GLOBAL, SIM_ERROR, 8, 9, "largest", 0, 0,
      "no barrier makes the two one step" },
    { "compare-store-shared", SIM_RACE_SHARED, SIM_ERROR, 13, 13, "next", 0, 0, "Use an atomic" },
    { "update-lines", SIM_RACE_GLOBAL, SIM_ERROR, 7, 9, "count", 0, 0, "such as atomicAdd()" },
    { "race-later-blocks", SIM_RACE_GLOBAL, SIM_ERROR, 10, 8, "word", 0, 4, "blocks run in any order" },
    { "race-own-words", SIM_RACE_GLOBAL, SIM_ERROR, 10, 8, "word", 0, 4, "if other blocks touch it too" },
    { "bounds-constant", SIM_OUT_OF_BOUNDS, SIM_ERROR, 8, 0, "table", 40, 24, "table has 40 elements" },
    { "race-copy", SIM_RACE_SHARED, SIM_WARNING, 13, 12, "s", 127, 31, "__syncwarp()" },
    { "race-chain", SIM_RACE_SHARED, SIM_WARNING, 13, 12, "s", 16, 258,
      "4 more lines do the same, up to line 17" },
    { "flight-own", SIM_RACE_SHARED, SIM_ERROR, 13, 11, "s", 0, 64, "its own cp.async from line 11" },
    { "flight-barrier", SIM_RACE_SHARED, SIM_ERROR, 13, 11, "s", 31, 64, "the cp.async of thread (31,0,0)" },
    { "flight-late", SIM_RACE_SHARED, SIM_ERROR, 15, 14, "s", 0, 32, "waits for its copy to it in line 14" },
    { "flight-tiles", SIM_RACE_SHARED, SIM_ERROR, 21, 15, "s", 31, 512, "then all meet at __syncthreads()" },
    { "bulk-early", SIM_RACE_SHARED, SIM_ERROR, 17, 14, "s", 32, 2, "Wait for its mbarrier first" },
    { "cluster-early", SIM_NOT_STARTED, SIM_ERROR, 22, 0, "s", 0, 8, "may not have started yet" },
    { "cluster-late", SIM_HAS_ENDED, SIM_ERROR, 23, 0, "s", 0, 8, "may have ended by then" },
    { "cluster-race", SIM_RACE_SHARED, SIM_ERROR, 25, 23, "s", 0, 256, "Put cluster.sync() between the two" },
    { "cluster-stuck", SIM_DEADLOCK, SIM_ERROR, 7, 0, "", 0, 0, "at the cluster's barrier in line 7" },
    { "grid-race", SIM_RACE_GLOBAL, SIM_ERROR, 26, 27, "tmp", 255, 256, "Put grid.sync() between the two" },
    { "grid-stuck", SIM_DEADLOCK, SIM_ERROR, 17, 0, "", 0, 0, "waits here for the whole grid" },
    { "tensor-row", SIM_UNINITIALISED, SIM_ERROR, 14, 18, "s", 60, 4, "which no thread has written" },
};

// The compilers that the program may not find, so that one is left; NULL: the PTX beside the file.
struct compiled_by {
    const char *name, *without;
};

// False: that compiler is not here.
static inline bool ptx_of(const struct compiled_by *compiler, const char *path, char *out, size_t size)
{
    char command[1024];
    if (!compiler) {
        format_into(out, size, "%.*s.ptx", (int)(strrchr(path, '.') - path), path);
        return true;
    }
    format_into(out, size, "%s/compiled.ptx", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    format_into(command, sizeof command, "%s \"$WARPBOOK\" show %s --ptx >%s 2>&1", compiler->without, path,
                out);
    int status = system(command);
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MISSING)
        return false;
    if (status != 0)
        fail_msg("%s cannot compile %s", compiler->name, path);
    return true;
}

static inline void run_file(struct sim_file *file, const char *name, const struct compiled_by *compiler,
                            const struct sim_options *options)
{
    char path[256], ptx[256];
    format_into(path, sizeof path, HERE "%s.cu", name);
    if (!ptx_of(compiler, path, ptx, sizeof ptx))
        fail_msg("%s has gone", compiler ? compiler->name : path);
    sim_file_run(file, NULL, path, ptx, options);
}

// Says what was found in a file, unless that is right; returns 1 then, else 0.
static inline int tell_unless(bool right, const char *path, const struct sim_finding *const *found,
                              size_t count, const char *more)
{
    if (right)
        return 0;
    print_error("%s: %zu findings%s\n", path, count, more);
    for (size_t i = 0; i < count; i++) {
        const struct sim_finding *f = found[i];
        print_error("    %s, severity %d, line %d and %d, %s %s[%lld], %llu times: %s\n",
                    sim_kind_name(f->kind), (int)f->severity, f->here.line,
                    f->there.known ? f->there.line : 0, f->space, f->buffer, (long long)f->element,
                    (unsigned long long)f->count, f->sentence);
    }
    return 1;
}

// All that was found in one run of a file, whatever launch it was in.
static inline size_t all_findings(const struct sim_file *file, const struct sim_finding *out[64])
{
    size_t count = 0;
    for (size_t l = 0; l < file->launch_count; l++)
        for (size_t i = 0; i < file->results[l].finding_count && count < 64; i++)
            out[count++] = &file->results[l].findings[i];
    for (size_t i = 0; i < file->never_count && count < 64; i++)
        out[count++] = &file->never[i];
    return count;
}

static inline bool fits(const struct sim_finding *f, const struct expected *want)
{
    bool lines = want->line == f->here.line && (!want->other || want->other == f->there.line);
    bool swapped = want->other == f->here.line && want->line == f->there.line;
    return f->kind == want->kind && f->severity == want->severity && (lines || swapped) &&
           strcmp(f->buffer, want->buffer) == 0 && f->element == want->element &&
           (!want->count || f->count == want->count) && strstr(f->sentence, want->says);
}

// clang keeps the function that NVRTC puts into its caller: there the line is that of the function.
static inline struct expected expected_of(const struct compiled_by *compiler, size_t i)
{
    struct expected want = mistakes[i];
    if (compiler && strcmp(compiler->name, "clang") == 0 && strcmp(want.file, "bounds-kept") == 0)
        want.line = 8;
    return want;
}

static inline void expect_mistakes(const struct compiled_by *compiler)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct sim_file file;
        const struct sim_finding *found[64];
        run_file(&file, mistakes[i].file, compiler, &every_check);
        size_t count = all_findings(&file, found);
        const struct expected want = expected_of(compiler, i);
        wrong += tell_unless(count == 1 && fits(found[0], &want), mistakes[i].file, found, count, "");
        sim_file_free(&file);
    }
    if (wrong)
        fail_msg("%d of %zu mistakes were not told as they should be", wrong,
                 sizeof mistakes / sizeof *mistakes);
}

static inline void expect_run_clean(const char *path, const struct sim_file *file, int *wrong)
{
    const struct sim_finding *found[64];
    size_t count = all_findings(file, found);
    bool complete = true;
    for (size_t l = 0; l < file->launch_count; l++)
        complete = complete && file->results[l].complete;
    *wrong += tell_unless(!count && complete, path, found, count, complete ? "" : ", and it did not end");
}

static inline void expect_clean(const char *lab, const char *path, const char *ptx, int *wrong)
{
    struct sim_file file;
    sim_file_run(&file, lab, path, ptx, &every_check);
    expect_run_clean(path, &file, wrong);
    sim_file_free(&file);
}

static inline void expect_clean_twins(const struct compiled_by *compiler)
{
    glob_t files;
    int wrong = 0;
    assert_int_equal(glob(HERE "*-fixed.cu", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char ptx[256];
        assert_true(ptx_of(compiler, files.gl_pathv[i], ptx, sizeof ptx));
        expect_clean(NULL, files.gl_pathv[i], ptx, &wrong);
    }
    globfree(&files);
    if (wrong)
        fail_msg("%d twins are not clean", wrong);
}

#endif
