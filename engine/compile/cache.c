// Results as bytes, for the pipes between processes and for the cache on disk. Both come from outside this process, so
// reading checks every length, and a checksum guards the whole.
#include "engine/compile/parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The number changes whenever the packed form of anything does.
static const char magic[16] = "warpbook pack 1";

struct seal {
    char magic[16];
    uint64_t length, hash;
};

void pack_int(struct text *out, int64_t value)
{
    text_add_n(out, (const char *)&value, sizeof value);
}

static void pack_bytes(struct text *out, const void *bytes, size_t length)
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

// Reads bytes as a copy with a terminating 0.
static char *unpack_bytes(struct unpack *in, size_t *length)
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
    out->target = (int)unpack_int(in, 0, TARGET_MOST);
    unpack_diagnostics(in, out);
    unpack_resources(in, out);
    if (!in->bad)
        return true;
    compiled_free(out);
    return false;
}

void pack_request(struct text *out, const struct compile_request *request)
{
    pack_string(out, request->file);
    pack_string(out, request->source);
    pack_int(out, request->target);
    pack_int(out, request->cubin);
    pack_int(out, request->debug);
    pack_int(out, request->limit_ms);
}

bool unpack_request(struct unpack *in, struct compile_request *out)
{
    *out = (struct compile_request){ .file = unpack_string(in) };
    out->source = unpack_string(in);
    out->target = (int)unpack_int(in, 0, TARGET_MOST);
    out->cubin = unpack_int(in, 0, 1);
    out->debug = unpack_int(in, 0, 1);
    out->limit_ms = (int)unpack_int(in, 0, INT_MAX);
    return unpack_closed(in) && out->file && out->source;
}

void pack_answer(struct text *out, enum compile_outcome outcome, const struct compiled *compiled,
                 const struct error *error)
{
    bool made = outcome == OUTCOME_MADE;
    pack_int(out, outcome);
    pack_int(out, made ? EXIT_RIGHT : error->code);
    pack_string(out, made ? "" : error->text);
    pack_compiled(out, compiled);
    pack_int(out, compiled->cached);
    pack_int(out, (int64_t)(compiled->ms * 1e3));
}

bool unpack_answer(struct unpack *in, struct compiled *out, enum compile_outcome *outcome,
                   struct error *error)
{
    *out = (struct compiled){ 0 };
    *outcome = (enum compile_outcome)unpack_int(in, OUTCOME_MADE, OUTCOME_BROKEN);
    enum exit_code code = (enum exit_code)unpack_int(in, EXIT_RIGHT, EXIT_MISSING);
    char *text = unpack_string(in);
    bool whole = unpack_compiled(in, out);
    out->cached = unpack_int(in, 0, 1);
    out->ms = (double)unpack_int(in, 0, INT64_MAX) / 1e3;
    whole = whole && unpack_closed(in) && text && (*outcome != OUTCOME_MADE || out->ptx);
    if (!whole) {
        compiled_free(out);
        *outcome = OUTCOME_FAILED;
    } else if (*outcome != OUTCOME_MADE) {
        error_set(error, code, "%s", text);
    }
    free(text);
    return whole;
}

// ---- compiles by request, for a process that may start no compiler ----------------------------------

void compile_ask(const struct compile_request *request, struct text *out)
{
    pack_request(out, request);
    pack_seal(out);
}

void compile_answer(const char *asked, size_t length, struct text *out)
{
    struct unpack in;
    struct error error = { 0 };
    struct compiled compiled = { 0 };
    struct compile_request request = { 0 };
    bool right = false;
    if (unpack_open(&in, asked, length) && unpack_request(&in, &request))
        right = compile(&request, &compiled, &error);
    else
        error_set(&error, EXIT_MISSING, "A request to compile cannot be read.");
    pack_answer(out, right ? OUTCOME_MADE : OUTCOME_FAILED, &compiled, &error);
    pack_seal(out);
    compiled_free(&compiled);
    free((char *)request.file);
    free((char *)request.source);
}

bool compile_answered(const char *answer, size_t length, struct compiled *out, struct error *error)
{
    struct unpack in;
    enum compile_outcome outcome;
    (void)unpack_open(&in, answer, length); // unpack_answer refuses what is not an answer
    if (!unpack_answer(&in, out, &outcome, error))
        return error_set(error, EXIT_MISSING, "The answer to a request to compile cannot be read.");
    return outcome == OUTCOME_MADE;
}

// ---- results on disk ---------------------------------------------------------------------------------

// One file per result, named by the hash of its key, which is repeated inside. Processes share the folder without a lock:
// a file appears whole, by renaming, and one that is damaged or gone, or that another user could have written, is made
// again.

enum { USUAL_LIMIT = 64 << 20 };

struct cache_entry {
    char *path;
    size_t bytes;
    struct timespec used;
};

struct cache_listing {
    struct cache_entry *entries;
    size_t count, bytes;
};

static size_t limit_bytes(void)
{
    const char *given = getenv("WARPBOOK_CACHE_LIMIT");
    char *end;
    if (!given || !*given)
        return USUAL_LIMIT;
    unsigned long long value = strtoull(given, &end, 10);
    return *end ? USUAL_LIMIT : (size_t)value;
}

// The path of the entry for a key; NULL when there is no place for a cache.
static char *path_for(const struct text *key)
{
    char name[32];
    char *folder = path_cache("compile");
    if (!folder)
        return NULL;
    format_into(name, sizeof name, "%016" PRIx64, hash_bytes(text_string(key), key->length));
    char *path = path_join(folder, name);
    free(folder);
    return path;
}

static bool entry_read(const struct text *bytes, const struct text *key, struct compiled *out)
{
    struct unpack in;
    size_t length;
    if (!unpack_open(&in, text_string(bytes), bytes->length))
        return false;
    char *kept = unpack_bytes(&in, &length);
    bool same = kept && length == key->length && !memcmp(kept, key->data, length);
    free(kept);
    if (!same || !unpack_compiled(&in, out))
        return false;
    if (unpack_closed(&in) && out->ptx)
        return true;
    compiled_free(out);
    return false;
}

bool cache_get(const struct text *key, struct compiled *out)
{
    struct text bytes = { 0 };
    struct error ignored;
    char *path = path_for(key);
    bool found =
        path && file_exists(path) && private_read(path, &bytes, &ignored) && entry_read(&bytes, key, out);
    if (found)
        utimensat(AT_FDCWD, path, NULL, 0); // now: the entries that were not used for longest go first
    text_free(&bytes);
    free(path);
    return found;
}

static void listing_free(struct cache_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++)
        free(listing->entries[i].path);
    free(listing->entries);
}

static struct cache_listing listing_read(const char *folder)
{
    struct cache_listing listing = { 0 };
    struct dirent *found;
    DIR *stream = opendir(folder);
    while (stream && (found = readdir(stream))) {
        struct stat state;
        struct cache_entry entry = { .path = path_join(folder, found->d_name) };
        if (lstat(entry.path, &state) || !S_ISREG(state.st_mode)) {
            free(entry.path);
            continue;
        }
        entry.bytes = (size_t)state.st_size;
        entry.used = state.st_mtim;
        listing.bytes += entry.bytes;
        listing.entries = array_room(listing.entries, listing.count, sizeof entry);
        listing.entries[listing.count++] = entry;
    }
    if (stream)
        closedir(stream);
    return listing;
}

static int by_use(const void *a, const void *b)
{
    const struct cache_entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

// Removes what was not used for longest until the folder fits; what another process removed already is fine.
static void shrink(const char *folder, size_t limit)
{
    struct cache_listing listing = listing_read(folder);
    if (listing.count)
        qsort(listing.entries, listing.count, sizeof *listing.entries, by_use);
    for (size_t i = 0; i < listing.count && listing.bytes > limit; i++) {
        unlink(listing.entries[i].path);
        listing.bytes -= listing.entries[i].bytes;
    }
    listing_free(&listing);
}

void cache_put(const struct text *key, const struct compiled *compiled)
{
    struct text bytes = { 0 };
    struct error ignored;
    char *folder = path_cache("compile"), *path = path_for(key);
    pack_bytes(&bytes, text_string(key), key->length);
    pack_compiled(&bytes, compiled);
    pack_seal(&bytes);
    // Without a place to write to, every compile is a first one; that is no error.
    if (folder && path && bytes.length <= limit_bytes() &&
        private_replace(path, bytes.data, bytes.length, &ignored))
        shrink(folder, limit_bytes());
    text_free(&bytes);
    free(folder);
    free(path);
}

void cache_describe(struct cache_state *out)
{
    *out = (struct cache_state){ .path = path_cache("compile"), .limit_bytes = limit_bytes() };
    if (!out->path)
        return;
    struct cache_listing listing = listing_read(out->path);
    out->entries = listing.count;
    out->bytes = listing.bytes;
    listing_free(&listing);
}

void cache_state_free(struct cache_state *state)
{
    free(state->path);
    *state = (struct cache_state){ 0 };
}
