// Fat binaries: what nvcc puts beside the host's code. A wrapper leads to a container, a header of 16 bytes and then
// entries: machine code, which is passed over, and PTX, which may be compressed. clang embeds a PTX text as it is.
#include "engine/exec/exec.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { CONTAINER_MAGIC = (int)0xba55ed50u, ENTRY_PTX = 1, ENTRY_LEAST = 64 };
enum { COMPRESSED_LZ4 = 0x2000, COMPRESSED_ZSTD = 0x8000 };

struct container_header {
    uint32_t magic;
    uint16_t version, bytes;
    uint64_t entries_bytes;
};
struct entry_header {
    uint16_t kind, version;
    uint32_t bytes; // of this header; what it describes follows
    uint64_t stored;
    uint32_t compressed, options;
    uint16_t minor, major;
    uint32_t arch, name_at, name_bytes;
    uint64_t flags, reserved, plain;
};
_Static_assert(sizeof(struct entry_header) == ENTRY_LEAST, "an entry's header");

// ---- LZ4 ------------------------------------------------------------------------------------------------------------

struct lz4_input {
    const unsigned char *at, *end;
};

// A length of 15 goes on in the bytes that follow, up to one that is not 255. False: the input ends.
static bool lz4_length(struct lz4_input *in, size_t *length)
{
    if (*length != 15)
        return true;
    unsigned char more;
    do {
        if (in->at == in->end)
            return false;
        more = *in->at++;
        *length += more;
    } while (more == 255);
    return true;
}

// A block of LZ4: sequences of a token, literals, and a match in what was written. False: it is not one.
static bool lz4_unpack(const unsigned char *from, size_t bytes, char *out, size_t room)
{
    struct lz4_input in = { from, from + bytes };
    size_t done = 0;
    while (in.at < in.end) {
        unsigned token = *in.at++;
        size_t literals = token >> 4, match = token & 15;
        if (!lz4_length(&in, &literals) || literals > (size_t)(in.end - in.at) || literals > room - done)
            return false;
        memcpy(out + done, in.at, literals);
        in.at += literals;
        done += literals;
        if (in.at == in.end)
            break; // the last sequence has no match
        if (in.end - in.at < 2)
            return false;
        size_t back = in.at[0] | (size_t)in.at[1] << 8;
        in.at += 2;
        if (!lz4_length(&in, &match) || back == 0 || back > done || match + 4 > room - done)
            return false;
        for (match += 4; match > 0; match--, done++)
            out[done] = out[done - back]; // the two may overlap
    }
    return done == room;
}

// ---- Zstandard ------------------------------------------------------------------------------------------------------

// libzstd is looked for when it is needed: most machines have it, as package managers use it.
static bool zstd_unpack(const void *from, size_t bytes, char *out, size_t room, char why[FATBIN_WHY])
{
    static void *library;
    if (!library)
        library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    size_t (*unpack)(void *, size_t, const void *, size_t) =
        library ? (size_t(*)(void *, size_t, const void *, size_t))dlsym(library, "ZSTD_decompress") : NULL;
    if (!unpack) {
        snprintf(why, FATBIN_WHY,
                 "its PTX is compressed by Zstandard, and libzstd.so.1 is not installed: install libzstd, or "
                 "build it "
                 "with nvcc --compress-mode=none");
        return false;
    }
    if (unpack(out, room, from, bytes) == room)
        return true;
    snprintf(why, FATBIN_WHY, "its compressed PTX is damaged");
    return false;
}

// ---- containers -----------------------------------------------------------------------------------------------------

static char *text_of(const struct entry_header *entry, char why[FATBIN_WHY])
{
    enum { MOST = 1 << 28 };
    const unsigned char *from = (const unsigned char *)entry + entry->bytes;
    bool packed = entry->flags & (COMPRESSED_LZ4 | COMPRESSED_ZSTD);
    size_t stored = entry->compressed ? entry->compressed : entry->stored;
    size_t bytes = packed ? entry->plain : entry->stored;
    char *text = bytes < MOST && stored <= entry->stored ? malloc(bytes + 1) : NULL;
    bool good = text != NULL;
    if (good && entry->flags & COMPRESSED_ZSTD)
        good = zstd_unpack(from, stored, text, bytes, why);
    else if (good && packed)
        good = lz4_unpack(from, stored, text, bytes);
    else if (good)
        memcpy(text, from, bytes);
    if (!good) {
        free(text);
        if (!*why)
            snprintf(why, FATBIN_WHY, "its PTX is damaged");
        return NULL;
    }
    text[bytes] = 0; // it is padded
    return text;
}

// Whether PTX for `arch` is a better choice than that for `best` (0: none yet).
static bool is_better(unsigned arch, unsigned best, unsigned most)
{
    if (best == 0 || (arch <= most) != (best <= most))
        return best == 0 || arch <= most;
    return arch <= most ? arch > best : arch < best;
}

char *fatbin_ptx(const void *image, unsigned most, char why[FATBIN_WHY])
{
    const struct container_header *container = image;
    *why = 0;
    if (container->magic != (uint32_t)CONTAINER_MAGIC) { // clang's: a text
        const char *text = image;
        const char *version =
            strncmp(text, "//", 2) == 0 || *text == '\n' || *text == '.' ? strstr(text, ".version") : NULL;
        if (version)
            return strdup(text);
        snprintf(why, FATBIN_WHY, "its device code is of a kind that is not known");
        return NULL;
    }
    const unsigned char *at = (const unsigned char *)image + container->bytes,
                        *end = at + container->entries_bytes;
    const struct entry_header *best = NULL;
    bool machine_code = false;
    while (at + ENTRY_LEAST <= end) {
        const struct entry_header *entry = (const struct entry_header *)(const void *)at;
        if (entry->bytes < ENTRY_LEAST || entry->stored > (uint64_t)(end - at) - entry->bytes)
            break;
        if (entry->kind == ENTRY_PTX && is_better(entry->arch, best ? best->arch : 0, most))
            best = entry;
        machine_code |= entry->kind != ENTRY_PTX;
        at += entry->bytes + entry->stored;
    }
    if (best)
        return text_of(best, why);
    snprintf(why, FATBIN_WHY,
             machine_code
                 ? "it holds machine code only; build it with PTX, as nvcc -arch=compute_80 or -gencode "
                   "arch=compute_80,code=compute_80 does"
                 : "there is no PTX in it");
    return NULL;
}
