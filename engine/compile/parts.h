// Shared by the files of this folder; others include compile.h.
#ifndef WARPBOOK_COMPILE_PARTS_H
#define WARPBOOK_COMPILE_PARTS_H

#include <stdint.h>

#include "engine/compile/compile.h"

enum { PATH_ROOM = 512, CLANG_TARGET = 70, COPIES_TARGET = 80, TARGET_MOST = 10000 };

// The outcome of handing a source to one compiler.
enum compile_outcome {
    OUTCOME_MADE,   // there is PTX
    OUTCOME_WRONG,  // the source has errors: see the diagnostics
    OUTCOME_FAILED, // the compiler crashed, hung or gave no usable answer
    OUTCOME_UNABLE, // it never compiles for this target, or this source; the next compiler may
    OUTCOME_BROKEN  // it cannot start; the next one serves until this one is repaired
};

// ---- tools.c: the compilers and NVIDIA's tools, and how one is run --------------------------------

struct tools { // paths; "" when not there
    char nvrtc[PATH_ROOM], clang[PATH_ROOM];
    char headers[PATH_ROOM]; // our folder of headers, for both
    char prelude[PATH_ROOM]; // our file of declarations, for clang
};
void tools_find(struct tools *out);
// A text that changes whenever another compiler, or another version of it, would be used.
void tools_identity(const struct tools *tools, struct text *out);
// The toolkit's include folder, for cuda_fp16.h and its like; where there is none, ours, which has the most common.
bool tools_find_include(char *out, size_t size);
// For a child that executes `program` and may read, besides what that needs to start, the paths given, NULL at the end.
// `own`: it is this program again.
struct confinement *tools_confinement(const char *program, bool own, const char *const *paths);
bool tools_is_tool(void); // this process was started by tools_run
// Runs a tool in its confinement, with a small environment, from the folder of headers: names that a kernel includes
// may be looked for where a compiler runs. `limit_ms` is processor time; it has COMPILER_WAITS times as long in all.
bool tools_run(const struct tools *tools, const char *const *argv, const struct confinement *confinement,
               const struct text *input, int limit_ms, const atomic_bool *stop, struct child_result *result,
               struct error *error);

// ---- nvrtc.c, clang.c: the compilers --------------------------------------------------------------

// NVRTC runs in a child of its own.
enum compile_outcome nvrtc_compile(const struct tools *tools, const struct compile_request *request,
                                   struct compiled *out, struct error *error);
bool nvrtc_describe(const struct tools *tools, struct compiler_state *out, struct error *error);

enum compile_outcome clang_compile(const struct tools *tools, const struct compile_request *request,
                                   struct compiled *out, struct error *error);
bool clang_describe(const struct tools *tools, char *version, size_t size, struct error *error);
// The name under which compilers see a file: "/kernel/NAME.cu", the same in every folder.
void compile_kernel_name(const char *file, char *out, size_t size);

enum compile_outcome shipped_compile(const struct compile_request *request, struct compiled *out,
                                     struct error *error);
// The first line of a shipped PTX file.
void shipped_header(const char *source, const char *compiler, struct text *out);

// ---- include.c: what a kernel includes ---------------------------------------------------------------

// False, with a diagnostic in `out` for each, when the source includes files that are none of the headers: by a path
// from the root or upwards, or under a name that only a macro has.
bool include_allowed(const char *source, struct compiled *out);

// ---- compiled.c: a result, and what compilers say -------------------------------------------------

// Fills the error with what the diagnostics of a source that does not compile say, and returns false.
bool compiled_explain(const struct compiled *compiled, const struct compile_request *request,
                      struct error *error);
bool compiled_has_errors(const struct compiled *compiled);
void compiled_add_diagnostic(struct compiled *out, enum severity severity, int line, int column,
                             const char *message);
// Appends the messages in a log of NVRTC or of clang to the diagnostics, in the order of their lines. `file` is
// the compiled file; an error in another file gets line 0 and that file's name, its warnings are left out.
void compiled_read_log(const char *log, const char *file, struct compiled *out);
void compiled_read_resources(const char *log, struct compiled *out); // NVRTC's "ptxas info" lines
// The first words of what a compiler printed, on one line, for a sentence about it.
void compiled_log_excerpt(const char *log, char *out, size_t size);

// ---- cache.c: results on disk, and as bytes, for the cache and the pipes ------------------------

// `key` is everything that the result depends on.
bool cache_get(const struct text *key, struct compiled *out);
void cache_put(const struct text *key, const struct compiled *compiled);

void pack_int(struct text *out, int64_t value);
void pack_string(struct text *out, const char *string); // NULL stays NULL
void pack_request(struct text *out, const struct compile_request *request);
void pack_compiled(struct text *out, const struct compiled *compiled);
// Puts a header with length and checksum before what was packed.
void pack_seal(struct text *packed);

struct unpack { // `bad` once anything did not fit; everything read after that is 0 or NULL
    const char *at, *end;
    bool bad;
};
bool unpack_open(struct unpack *in, const char *bytes, size_t length);
int64_t unpack_int(struct unpack *in, int64_t least, int64_t most);
char *unpack_string(struct unpack *in);
bool unpack_compiled(struct unpack *in, struct compiled *out); // false: nothing in `out`
bool unpack_request(struct unpack *in,
                    struct compile_request *out); // its file and source are the caller's to free
// The outcome of a request; the error is packed unless it was made.
void pack_answer(struct text *out, enum compile_outcome outcome, const struct compiled *compiled,
                 const struct error *error);
// False, with nothing in `out` and OUTCOME_FAILED: it is not an answer, or more follows it.
bool unpack_answer(struct unpack *in, struct compiled *out, enum compile_outcome *outcome,
                   struct error *error);
bool unpack_closed(const struct unpack *in); // all of it was read, and it was right

#endif
