// What comes back from the compiling child and out of the cache, and what compilers and assemblers print.
#include "tests/fuzz/shared/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "engine/compile/parts.h"

// What can be read is written as it was, so that a second reading finds the same.
static void unpack(const char *packed, size_t length)
{
    struct unpack in, again;
    struct compiled compiled, second;
    if (!unpack_open(&in, packed, length) || !unpack_compiled(&in, &compiled))
        return;
    bool closed = unpack_closed(&in);
    struct text first = { 0 }, other = { 0 };
    pack_compiled(&first, &compiled);
    pack_seal(&first);
    must(unpack_open(&again, first.data, first.length) && unpack_compiled(&again, &second));
    must(unpack_closed(&again));
    pack_compiled(&other, &second);
    pack_seal(&other);
    must(first.length == other.length && !memcmp(first.data, other.data, first.length));
    must(!closed || first.length <= length);
    if (compiled.resource_count)
        compiled_resources(&compiled, compiled.resources[0].kernel);
    compiled_free(&compiled);
    compiled_free(&second);
    text_free(&first);
    text_free(&other);
}

static void read_logs(const char *log)
{
    struct compiled compiled = { 0 };
    struct compile_request request = { .file = "kernel.cu", .source = "int a;\nint b;\n" };
    struct error error;
    char words[120];
    compiled_read_log(log, "kernel.cu", &compiled);
    compiled_read_resources(log, &compiled);
    compiled_log_excerpt(log, words, sizeof words);
    for (size_t i = 0; i < compiled.diagnostic_count; i++)
        must(compiled.diagnostics[i].message && compiled.diagnostics[i].line >= 0);
    if (compiled_has_errors(&compiled))
        must(!compiled_explain(&compiled, &request, &error) && error.text[0]);
    compiled_free(&compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = bytes_of(data, size);
    struct text sealed = { 0 };
    text_add_n(&sealed, (const char *)data, size);
    pack_seal(&sealed); // a checksum that is right, which chance would not find
    unpack(sealed.data, sealed.length);
    unpack((const char *)data, size);
    text_free(&sealed);
    char *log = bytes_rest(&bytes);
    read_logs(log);
    free(log);
    return 0;
}
