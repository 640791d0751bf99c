// The worker's end of the protocol: requests of any bytes on its stdin, and below a line "--" what an executor answers
// that has met a hostile kernel. Each request gets an answer, what the worker says itself is JSON, and it ends when its
// input does.
#include "tests/fuzz/shared/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/run/worker.h"

bool __wrap_child_start_on(const char *const *argv, const struct child_terms *terms, struct child *child,
                           struct error *error);
bool __wrap_message_receive(int fd, enum message_kind *kind, struct text *out);
bool __wrap_compile(const struct compile_request *request, struct compiled *out, struct error *error);
int __wrap_compile_probe(struct compiler_state out[3]);

// ---- an executor that is none -----------------------------------------------------------------------------------

static struct bytes answers;
static const pid_t nobody = 0x3ffffff0; // more than any system gives

bool __wrap_child_start_on(const char *const *argv, const struct child_terms *terms, struct child *child,
                           struct error *error)
{
    int in = open("/dev/null", O_WRONLY | O_CLOEXEC), out = open("/dev/null", O_RDONLY | O_CLOEXEC);
    must(in >= 0 && out >= 0);
    *child = (struct child){ nobody, in, out, -1 };
    return true;
}

// A kind by a byte and a line; when there are no more, results. Framing is protocol_executor's.
bool __wrap_message_receive(int fd, enum message_kind *kind, struct text *out)
{
    static const enum message_kind kinds[] = { MESSAGE_STAGE, MESSAGE_STAGE, MESSAGE_RESULT, MESSAGE_FAREWELL,
                                               MESSAGE_COMPILE };
    *kind = bytes_left(&answers) ? kinds[bytes_one(&answers) % 5] : MESSAGE_RESULT;
    char *line = bytes_left(&answers) ? bytes_line(&answers) : mem_copy("{\"id\": 1, \"result\": {}}");
    out->length = 0;
    text_add(out, line);
    free(line);
    return true;
}

bool __wrap_compile(const struct compile_request *request, struct compiled *out, struct error *error)
{
    must(request->source && request->file);
    *out = (struct compiled){ 0 };
    return error_set(error, EXIT_MISSING, "There is no compiler here.");
}

int __wrap_compile_probe(struct compiler_state out[3])
{
    return 0;
}

// ---- the worker ---------------------------------------------------------------------------------------------------

static size_t count_lines(const char *bytes, size_t size)
{
    size_t count = 0;
    for (const char *at = bytes, *end = at + size; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        count++;
    return count;
}

static void serve(const char *requests, size_t size)
{
    struct text said = { 0 };
    bytes_through(requests, size, worker_main, &said);
    must(count_lines(text_string(&said), said.length) >= count_lines(requests, size));
    text_free(&said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = size ? memmem(data, size, "\n--\n", 4) : NULL;
    size_t asked = cut ? (size_t)(cut - data) + 1 : size;
    fuzz_home();
    answers = cut ? bytes_of(cut + 4, size - asked - 3) : bytes_of(data, 0);
    serve((const char *)data, asked);
    answers = bytes_of(data, 0); // an honest one
    serve((const char *)data, asked);
    return 0;
}
