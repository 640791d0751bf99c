// Results as bytes: the same form for a cache entry and for the answer of the compiling child. Both come from
// outside this process, so reading checks every length, and a checksum guards the whole.
#include "engine/compile/parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// The number changes with the form of anything that is packed.
static const char magic[16] = "warpbook pack 1";

struct seal {
    char magic[16];
    uint64_t length, hash;
};

void pack_int(struct text *out, int64_t value)
{
    text_add_n(out, (const char *)&value, sizeof value);
}

void pack_bytes(struct text *out, const void *bytes, size_t length)
{
    pack_int(out, bytes ? (int64_t)length : -1);
    if (bytes)
        text_add_n(out, bytes, length);
}

void pack_string(struct text *out, const char *string)
{
    pack_bytes(out, string, string ? strlen(string) : 0);
}

void pack_seal(struct text *packed)
{
    struct seal seal = { .length = packed->length, .hash = hash_bytes(text_string(packed), packed->length) };
    memcpy(seal.magic, magic, sizeof magic);
    struct text sealed = { 0 };
    text_add_n(&sealed, (const char *)&seal, sizeof seal);
    text_add_n(&sealed, text_string(packed), packed->length);
    text_free(packed);
    *packed = sealed;
}

bool unpack_open(struct unpack *in, const char *bytes, size_t length)
{
    struct seal seal;
    *in = (struct unpack){ .bad = true };
    if (length < sizeof seal)
        return false;
    memcpy(&seal, bytes, sizeof seal);
    bytes += sizeof seal;
    length -= sizeof seal;
    if (memcmp(seal.magic, magic, sizeof magic) || seal.length != length ||
        seal.hash != hash_bytes(bytes, length))
        return false;
    *in = (struct unpack){ .at = bytes, .end = bytes + length };
    return true;
}

int64_t unpack_int(struct unpack *in, int64_t least, int64_t most)
{
    int64_t value = 0;
    if (in->bad || (size_t)(in->end - in->at) < sizeof value) {
        in->bad = true;
        return 0;
    }
    memcpy(&value, in->at, sizeof value);
    in->at += sizeof value;
    if (value < least || value > most) {
        in->bad = true;
        return 0;
    }
    return value;
}

char *unpack_bytes(struct unpack *in, size_t *length)
{
    *length = 0;
    int64_t count = unpack_int(in, -1, INT_MAX);
    if (in->bad || count < 0)
        return NULL;
    if (count > in->end - in->at) {
        in->bad = true;
        return NULL;
    }
    char *copy = mem_copy_n(in->at, (size_t)count);
    in->at += count;
    *length = (size_t)count;
    return copy;
}

char *unpack_string(struct unpack *in)
{
    size_t length;
    char *string = unpack_bytes(in, &length);
    if (string && strlen(string) != length)
        in->bad = true;
    return string;
}

bool unpack_closed(const struct unpack *in)
{
    return !in->bad && in->at == in->end;
}

void pack_compiled(struct text *out, const struct compiled *compiled)
{
    pack_string(out, compiled->ptx);
    pack_bytes(out, compiled->cubin, compiled->cubin_bytes);
    pack_string(out, compiled->compiler);
    pack_int(out, compiled->by);
    pack_int(out, compiled->target);
    pack_int(out, (int64_t)compiled->diagnostic_count);
    for (size_t i = 0; i < compiled->diagnostic_count; i++) {
        const struct diagnostic *d = &compiled->diagnostics[i];
        pack_int(out, d->severity);
        pack_int(out, d->line);
        pack_int(out, d->column);
        pack_string(out, d->message);
    }
    pack_int(out, (int64_t)compiled->resource_count);
    for (size_t i = 0; i < compiled->resource_count; i++) {
        const struct resources *r = &compiled->resources[i];
        pack_string(out, r->kernel);
        const int numbers[] = { r->registers, r->shared_bytes, r->spill_bytes, r->stack_bytes, r->barriers };
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            pack_int(out, numbers[k]);
    }
}

static void unpack_diagnostics(struct unpack *in, struct compiled *out)
{
    int64_t count = unpack_int(in, 0, INT_MAX);
    for (int64_t i = 0; i < count && !in->bad; i++) {
        int severity = (int)unpack_int(in, SEVERITY_NOTE, SEVERITY_ERROR);
        int line = (int)unpack_int(in, 0, INT_MAX);
        int column = (int)unpack_int(in, 0, INT_MAX);
        char *message = unpack_string(in);
        if (message)
            compiled_add_diagnostic(out, (enum severity)severity, line, column, message);
        else
            in->bad = true;
        free(message);
    }
}

static void unpack_resources(struct unpack *in, struct compiled *out)
{
    int64_t count = unpack_int(in, 0, INT_MAX);
    for (int64_t i = 0; i < count && !in->bad; i++) {
        struct resources r = { .kernel = unpack_string(in) };
        int *numbers[] = { &r.registers, &r.shared_bytes, &r.spill_bytes, &r.stack_bytes, &r.barriers };
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            *numbers[k] = (int)unpack_int(in, -1, INT_MAX);
        if (!r.kernel) {
            in->bad = true;
            return;
        }
        out->resources = array_room(out->resources, out->resource_count, sizeof r);
        out->resources[out->resource_count++] = r;
    }
}

bool unpack_compiled(struct unpack *in, struct compiled *out)
{
    *out = (struct compiled){ 0 };
    out->ptx = unpack_string(in);
    out->cubin = unpack_bytes(in, &out->cubin_bytes);
    char *compiler = unpack_string(in);
    format_into(out->compiler, sizeof out->compiler, "%s", compiler ? compiler : "");
    free(compiler);
    out->by = (enum compiler)unpack_int(in, COMPILER_NONE, COMPILER_SHIPPED);
    out->target = (int)unpack_int(in, 0, 10000);
    unpack_diagnostics(in, out);
    unpack_resources(in, out);
    if (!in->bad)
        return true;
    compiled_free(out);
    return false;
}
