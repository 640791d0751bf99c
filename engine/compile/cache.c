// Results on disk: one file per result, named by the hash of its key, which is repeated inside. Processes share
// the folder without a lock: a file appears whole, by renaming, and one that is damaged or gone, or that another user
// could have written, is made again.
#include "engine/compile/parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

// NULL when there is no place for a cache.
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
