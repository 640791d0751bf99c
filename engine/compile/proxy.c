// A compile for a process that may start no other: it packs what it asks, somebody else carries that to a process that
// may, and brings the answer.
#include "engine/compile/parts.h"

#include <limits.h>
#include <stdlib.h>

enum { TARGET_MOST = 10000 };

void compile_ask(const struct compile_request *request, struct text *out)
{
    pack_string(out, request->file);
    pack_string(out, request->source);
    pack_int(out, request->target);
    pack_int(out, request->cubin);
    pack_int(out, request->limit_ms);
    pack_seal(out);
}

static void answer_with(struct text *out, bool right, const struct compiled *compiled,
                        const struct error *error)
{
    pack_int(out, right);
    pack_int(out, right ? EXIT_RIGHT : error->code);
    pack_string(out, right ? "" : error->text);
    pack_compiled(out, compiled);
    pack_int(out, compiled->cached);
    pack_int(out, (int64_t)(compiled->ms * 1e3));
    pack_seal(out);
}

void compile_answer(const char *asked, size_t length, struct text *out)
{
    struct unpack in;
    struct error error = { 0 };
    struct compiled compiled = { 0 };
    bool right = false, open = unpack_open(&in, asked, length);
    char *file = open ? unpack_string(&in) : NULL, *source = open ? unpack_string(&in) : NULL;
    struct compile_request request = { .file = file, .source = source };
    request.target = (int)unpack_int(&in, 0, TARGET_MOST);
    request.cubin = unpack_int(&in, 0, 1);
    request.limit_ms = (int)unpack_int(&in, 0, INT_MAX);
    if (unpack_closed(&in) && file && source)
        right = compile(&request, &compiled, &error);
    else
        error_set(&error, EXIT_MISSING, "A compile was asked for in a way that nobody understands.");
    answer_with(out, right, &compiled, &error);
    compiled_free(&compiled);
    free(file);
    free(source);
}

bool compile_answered(const char *answer, size_t length, struct compiled *out, struct error *error)
{
    struct unpack in;
    *out = (struct compiled){ 0 };
    bool whole = unpack_open(&in, answer, length);
    bool right = unpack_int(&in, 0, 1);
    enum exit_code code = (enum exit_code)unpack_int(&in, EXIT_RIGHT, EXIT_MISSING);
    char *text = whole ? unpack_string(&in) : NULL;
    whole = whole && unpack_compiled(&in, out);
    bool cached = unpack_int(&in, 0, 1);
    double ms = (double)unpack_int(&in, 0, INT64_MAX) / 1e3;
    if (!whole || !unpack_closed(&in) || !text || (right && !out->ptx)) {
        compiled_free(out);
        error_set(error, EXIT_MISSING, "The answer to a compile cannot be read.");
        right = false;
    } else if (!right) {
        error_set(error, code, "%s", text);
    }
    out->cached = cached;
    out->ms = ms;
    free(text);
    return right;
}
