// Both ends of the compiling child. One request and one answer travel, each packed with a length and a checksum,
// so that an answer which was cut off or mixed with other output is noticed.
#include "engine/compile/parts.h"

#include "engine/base/confine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum task { TASK_COMPILE, TASK_DESCRIBE };

// ---- the child's end ----------------------------------------------------------------------------

struct asked { // a request as it arrives
    enum task task;
    char *library, *file, *source;
    struct compile_request request;
};

static bool asked_read(struct unpack *in, struct asked *out)
{
    *out = (struct asked){ .task = (enum task)unpack_int(in, TASK_COMPILE, TASK_DESCRIBE) };
    out->library = unpack_string(in);
    out->file = unpack_string(in);
    out->source = unpack_string(in);
    out->request = (struct compile_request){ .file = out->file, .source = out->source };
    out->request.target = (int)unpack_int(in, 0, 10000);
    out->request.cubin = unpack_int(in, 0, 1);
    return unpack_closed(in) && out->library && out->file && out->source;
}

static bool read_all(int fd, struct text *out)
{
    char piece[65536];
    ssize_t got;
    while ((got = read(fd, piece, sizeof piece)) > 0)
        text_add_n(out, piece, (size_t)got);
    return got == 0;
}

static bool write_all(int fd, const struct text *bytes)
{
    for (size_t at = 0; at < bytes->length;) {
        ssize_t put = write(fd, bytes->data + at, bytes->length - at);
        if (put <= 0)
            return false;
        at += (size_t)put;
    }
    return true;
}

static void answer_compile(const struct asked *asked, struct text *out)
{
    struct compiled compiled = { 0 };
    struct error error = { 0 };
    pack_int(out, nvrtc_compile(asked->library, &asked->request, &compiled, &error));
    pack_int(out, error.code);
    pack_string(out, error.text);
    pack_compiled(out, &compiled);
    compiled_free(&compiled);
}

static void answer_describe(const struct asked *asked, struct text *out)
{
    struct compiler_state state = { 0 };
    struct error error = { 0 };
    pack_int(out, nvrtc_describe(asked->library, &state, &error));
    pack_string(out, error.text);
    pack_string(out, state.version);
    pack_int(out, state.target_count);
    for (int i = 0; i < state.target_count; i++)
        pack_int(out, state.targets[i]);
}

static bool answer(const struct text *input, struct text *out)
{
    struct unpack in;
    struct asked asked = { 0 };
    bool understood = unpack_open(&in, text_string(input), input->length) && asked_read(&in, &asked);
    if (understood && asked.task == TASK_COMPILE)
        answer_compile(&asked, out);
    else if (understood)
        answer_describe(&asked, out);
    free(asked.library);
    free(asked.file);
    free(asked.source);
    return understood;
}

int compile_child_main(void)
{
    struct text input = { 0 }, packed = { 0 };
    confine_descriptors();
    // The answer has a descriptor of its own: whatever the compiler prints goes to stderr.
    int answer_fd = dup(STDOUT_FILENO), status = EXIT_MISSING;
    if (answer_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return EXIT_MISSING;
    if (!read_all(STDIN_FILENO, &input) || !answer(&input, &packed)) {
        fputs("This is how warpbook compiles in a process of its own; it is not for people.\n", stderr);
        status = EXIT_USAGE;
    } else {
        pack_seal(&packed);
        status = write_all(answer_fd, &packed) ? EXIT_RIGHT : EXIT_MISSING;
    }
    text_free(&input);
    text_free(&packed);
    return status;
}

// ---- the parent's end ---------------------------------------------------------------------------

// What happened to a child that did not answer as it should.
static void explain(const struct child_result *child, int limit_ms, struct error *error)
{
    char how[128], said[256];
    if (child->timed_out) {
        error_set(error, EXIT_WRONG, "NVRTC did not finish within %g s and was stopped.", limit_ms / 1000.0);
        return;
    }
    child_describe(child->status, how, sizeof how);
    log_excerpt(text_string(&child->err), said, sizeof said);
    if (child->status)
        error_set(error, EXIT_WRONG, "The process that compiles with NVRTC %s; it said: %s", how, said);
    else
        error_set(error, EXIT_WRONG, "The process that compiles with NVRTC answered nonsense (%zu bytes).",
                  child->out.length);
}

// What the child may read besides libraries: NVRTC's folder, for its builtins, and the headers.
static struct confinement *confinement_for(const char *self, const char *library)
{
    struct tools tools;
    char include[PATH_ROOM] = "", folder[PATH_ROOM];
    const char *slash = strrchr(library, '/');
    tools_find(&tools);
    cuda_include_find(include, sizeof include);
    format_into(folder, sizeof folder, "%.*s", slash ? (int)(slash - library) : 0, library);
    return tool_confinement(self, true, (const char *const[]){ folder, tools.headers, include, NULL });
}

// Starts the child and opens its answer, which `child` keeps.
static bool ask(const char *library, const struct text *packed, int limit_ms, const atomic_bool *stop,
                struct child_result *child, struct unpack *in, struct error *error)
{
    char *self = path_self();
    const char *argv[] = { self, "worker", "--compile", NULL };
    *child = (struct child_result){ 0 };
    // A child whose main() does not pass `worker --compile` on would start itself without end.
    if (!self || is_tool()) {
        free(self);
        return error_set(error, EXIT_MISSING, "This program cannot start itself as a compiler.");
    }
    struct confinement *confinement = confinement_for(self, library);
    bool started = tool_run(argv, confinement, packed, limit_ms, stop, child, error);
    confinement_free(confinement);
    free(self);
    if (!started)
        return false;
    if (!child->timed_out && child->status == 0 &&
        unpack_open(in, text_string(&child->out), child->out.length))
        return true;
    explain(child, limit_ms, error);
    return false;
}

static struct text pack_asked(enum task task, const char *library, const struct compile_request *request)
{
    struct text packed = { 0 };
    pack_int(&packed, task);
    pack_string(&packed, library);
    pack_string(&packed, request->file);
    pack_string(&packed, request->source);
    pack_int(&packed, request->target);
    pack_int(&packed, request->cubin);
    pack_seal(&packed);
    return packed;
}

enum outcome service_compile(const char *library, const struct compile_request *request, struct compiled *out,
                             struct error *error)
{
    struct text packed = pack_asked(TASK_COMPILE, library, request);
    struct child_result child;
    struct unpack in;
    enum outcome outcome = OUTCOME_FAILED;
    *out = (struct compiled){ 0 };
    if (ask(library, &packed, request->limit_ms > 0 ? request->limit_ms : LIMIT_MS, request->stop, &child,
            &in, error)) {
        outcome = (enum outcome)unpack_int(&in, OUTCOME_MADE, OUTCOME_BROKEN);
        enum exit_code code = (enum exit_code)unpack_int(&in, EXIT_RIGHT, EXIT_MISSING);
        char *text = unpack_string(&in);
        bool whole =
            unpack_compiled(&in, out) && unpack_closed(&in) && text && (outcome != OUTCOME_MADE || out->ptx);
        if (!whole) {
            compiled_free(out);
            outcome = OUTCOME_FAILED;
            error_set(error, EXIT_WRONG, "The process that compiles with NVRTC answered nonsense.");
        } else if (outcome != OUTCOME_MADE) {
            error_set(error, code, "%s", text);
        }
        free(text);
    }
    child_result_free(&child);
    text_free(&packed);
    return outcome;
}

bool service_describe(const char *library, struct compiler_state *out, struct error *error)
{
    struct text packed =
        pack_asked(TASK_DESCRIBE, library, &(struct compile_request){ .file = "", .source = "" });
    struct child_result child;
    struct unpack in;
    bool right = ask(library, &packed, LIMIT_MS, NULL, &child, &in, error);
    if (right) {
        bool described = unpack_int(&in, 0, 1);
        char *text = unpack_string(&in), *version = unpack_string(&in);
        int room = sizeof out->targets / sizeof *out->targets;
        out->target_count = (int)unpack_int(&in, 0, room);
        for (int i = 0; i < out->target_count; i++)
            out->targets[i] = (int)unpack_int(&in, 0, 10000);
        format_into(out->version, sizeof out->version, "%s", version ? version : "");
        right = described && unpack_closed(&in);
        if (!right)
            error_set(error, EXIT_MISSING, "%s", text ? text : "NVRTC does not answer.");
        free(text);
        free(version);
    }
    child_result_free(&child);
    text_free(&packed);
    return right;
}
