// The machine code of a module, read from what an assembler wrote: instructions of 16 bytes, and the line of the PTX
// that each comes from, which the assembler notes when it was asked for line information. Every offset is looked at
// before it is followed, for the bytes may come from anywhere.
#include "engine/model/cubin.h"

#include <stdlib.h>
#include <string.h>

// ---- bytes -------------------------------------------------------------------------------------------------------

struct cubin_span {
    const unsigned char *at;
    size_t length;
};

static uint64_t number(struct cubin_span from, size_t at, unsigned bytes)
{
    uint64_t value = 0;
    if (at > from.length || bytes > from.length - at)
        return 0;
    if (bytes == sizeof value) { // most are, and a compiler makes one load of it
        const unsigned char *b = from.at + at;
        return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
               (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
    }
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | from.at[at + i];
    return value;
}

static struct cubin_span part(struct cubin_span from, uint64_t at, uint64_t length)
{
    if (at > from.length || length > from.length - at)
        return (struct cubin_span){ 0 };
    return (struct cubin_span){ from.at + at, (size_t)length };
}

// ---- sections of ELF ---------------------------------------------------------------------------------------------

enum {
    SECTION_BYTES = 64,
    SYMBOL_BYTES = 24,
    RELOCATION_BYTES = 24,
    SHORT_RELOCATION_BYTES = 16,
    WORD_BYTES = 16,
    KERNELS_MOST = 4096
};

struct elf {
    struct cubin_span all, names, symbols;
    size_t headers;
    int sections;
};

static struct cubin_span header_of(const struct elf *elf, int section)
{
    if (section < 0 || section >= elf->sections)
        return (struct cubin_span){ 0 };
    return part(elf->all, elf->headers + (size_t)section * SECTION_BYTES, SECTION_BYTES);
}

static struct cubin_span content_of(const struct elf *elf, int section)
{
    struct cubin_span header = header_of(elf, section);
    return part(elf->all, number(header, 24, 8), number(header, 32, 8));
}

static bool is_named(const struct elf *elf, int section, const char *name, bool begins)
{
    uint64_t at = number(header_of(elf, section), 0, 4);
    size_t length = strlen(name);
    if (at >= elf->names.length || length >= elf->names.length - at)
        return false;
    const unsigned char *found = elf->names.at + at;
    return !memcmp(found, name, length) && (begins || !found[length]);
}

static int find_section(const struct elf *elf, const char *name)
{
    for (int s = 0; s < elf->sections; s++)
        if (is_named(elf, s, name, false))
            return s;
    return -1;
}

static bool open_elf(struct elf *elf, const void *bytes, size_t size)
{
    *elf = (struct elf){ .all = { bytes, size } };
    if (size < 64 || memcmp(bytes, "\177ELF\2\1", 6) != 0)
        return false;
    uint64_t headers = number(elf->all, 40, 8), count = number(elf->all, 60, 2);
    if (headers > size || count > (size - headers) / SECTION_BYTES)
        return false;
    elf->headers = (size_t)headers;
    elf->sections = (int)count;
    elf->names = content_of(elf, (int)number(elf->all, 62, 2));
    elf->symbols = content_of(elf, find_section(elf, ".symtab"));
    return true;
}

// 90 for compute capability 9.0. Where it stands changed with version 8 of the format.
static int target_of(const struct elf *elf)
{
    uint64_t flags = number(elf->all, 48, 4);
    return (int)(elf->all.at[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff);
}

// ---- instructions ------------------------------------------------------------------------------------------------

enum { DIVIDES = 27, STALL = 41 }; // bits of the upper half: BRA.DIV; the first of the stall field
enum { ULDC_INDEXED = 0x0bb, CONSTANT_LINE = 64 };

// Where a branch leads to, counted in words from the one after it. Since 9.0 its lowest 8 bits stand apart.
static int64_t distance(uint64_t low, uint64_t high, int target)
{
    uint64_t upper = (low >> 34 | high << 30) & 0xffffffffffff;
    int64_t offset = (int64_t)(upper << 16) >> 16;
    if (target >= 90)
        offset = (int64_t)((uint64_t)offset << 8 | (low >> 16 & 0xff));
    return offset / 4; // in units of 4 bytes
}

static enum pipe pipe_of(unsigned opcode)
{
    static const struct {
        unsigned short from, to;
        enum pipe pipe;
    } known[] = {
        { 0x002, 0x003, PIPE_INT },     // MOV, P2R
        { 0x004, 0x01f, PIPE_INT },     // predicates, selections, comparisons, IADD3, LEA, LOP3, shifts
        { 0x020, 0x023, PIPE_FMA },     // FMUL, FADD, FFMA
        { 0x024, 0x027, PIPE_MUL },     // IMAD
        { 0x036, 0x036, PIPE_MUL },     // VIADD
        { 0x028, 0x02b, PIPE_DOUBLE },  // DMUL, DADD, DSETP, DFMA
        { 0x030, 0x035, PIPE_FMA },     // halves
        { 0x037, 0x037, PIPE_TENSOR },  // IMMA
        { 0x03c, 0x03d, PIPE_TENSOR },  // HMMA, BMMA
        { 0x03f, 0x03f, PIPE_TENSOR },  // DMMA
        { 0x038, 0x048, PIPE_INT },     // packing, minima
        { 0x100, 0x113, PIPE_CONVERT }, // bits, conversions; MUFU below
        { 0x119, 0x119, PIPE_MEMORY },  // S2R
        { 0x182, 0x182, PIPE_NONE },    // LDC
        { 0x180, 0x188, PIPE_MEMORY },  // loads, stores
        { 0x189, 0x189, PIPE_SHUFFLE }, { 0x18a, 0x1a9, PIPE_MEMORY }, // atomics, fences; MATCH below
    };
    if (opcode == 0x108)
        return PIPE_SPECIAL;
    if (opcode == 0x1a1)
        return PIPE_SHUFFLE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (opcode >= known[i].from && opcode <= known[i].to)
            return known[i].pipe;
    return PIPE_NONE;
}

// A load of a constant by an index in a uniform register. What lies beside what such a load had just before comes with it.
static bool looks_up(uint64_t low, uint64_t *before)
{
    enum { INDEX = 24, OFFSET = 38 }; // bits: the register, and the words from where it points
    uint64_t index = low >> INDEX & 0xff, offset = (low >> OFFSET & 0xffff) * 4, here = index << 32 | offset;
    if ((low & 0x1ff) != ULDC_INDEXED)
        return false;
    bool beside = *before >> 32 == index && here - *before < CONSTANT_LINE;
    if (!beside)
        *before = here;
    return !beside;
}

// A product of 64 bits, or its upper half, takes as long as two: 4.0 of a scheduler's cycles on an H100, where one of 32 bits takes 2.0
// (2026-11-28).
static unsigned char turns_of(unsigned opcode)
{
    enum { IMAD_HI = 0x027 };
    return opcode == CUBIN_IMAD_WIDE || opcode == IMAD_HI ? 2 : 1;
}

static void read_words(struct cubin_span text, int target, struct cubin_code *out)
{
    uint64_t constant = UINT64_MAX;
    struct register_reuse reuse = { 0 };
    for (int i = 0; i < out->count; i++) {
        uint64_t low = number(text, (size_t)i * WORD_BYTES, 8),
                 high = number(text, (size_t)i * WORD_BYTES + 8, 8);
        struct cubin_word *word = &out->words[i];
        *word = (struct cubin_word){ .opcode = (unsigned short)(low & 0x1ff),
                                     .stall = high >> STALL & 0xf,
                                     .guarded = (low >> 12 & 0xf) != 7,
                                     .target = -1 };
        if (word->opcode == CUBIN_BRA && high >> DIVIDES & 1) {
            word->opcode =
                CUBIN_DIVIDED; // taken only by a warp whose threads have parted against all expectation
        } else if (word->opcode == CUBIN_BRA || word->opcode == CUBIN_CALL) {
            int64_t to = (int64_t)i + 1 + distance(low, high, target);
            word->target = to >= 0 && to < out->count ? (int)to : -1;
            // A branch takes a second predicate along.
            word->guarded = word->guarded || (word->opcode == CUBIN_BRA && (high >> 23 & 0xf) != 7);
        }
        word->pipe = (unsigned char)pipe_of(word->opcode);
        word->turns = turns_of(word->opcode);
        word->looks_up = looks_up(low, &constant);
        cubin_count_reads(low, high, &reuse, word);
    }
}

// ---- the line table ----------------------------------------------------------------------------------------------

struct line_reader {
    struct cubin_span from;
    size_t at;
};

static unsigned next_byte(struct line_reader *r)
{
    return r->at < r->from.length ? r->from.at[r->at++] : 0;
}

static uint64_t next_varying(struct line_reader *r, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0, byte;
    do {
        byte = next_byte(r);
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    } while ((byte & 0x80) && r->at < r->from.length);
    if (is_signed && (byte & 0x40) && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return value;
}

struct line_state {
    struct cubin *out;
    const struct elf *elf;
    struct cubin_span relocations;
    size_t relocation_bytes; // of each
    struct cubin_code *code; // that the sequence is about, or NULL
    uint64_t address;
    int64_t line;
    int64_t row; // the line of the last row, which holds until the next one; 0: there was none
    int sequences;
    size_t
        left; // words that may still get a line: a table that was not written to be read could go on and on
};

// The code whose address a relocation puts at this place of the table.
static struct cubin_code *relocated(const struct line_state *s, size_t at)
{
    for (size_t r = 0;
         r + s->relocation_bytes <= s->relocations.length && r < KERNELS_MOST * s->relocation_bytes;
         r += s->relocation_bytes) {
        if (number(s->relocations, r, 8) != at)
            continue;
        uint64_t symbol = number(s->relocations, r + 8, 8) >> 32;
        if (symbol >= s->elf->symbols.length / SYMBOL_BYTES)
            return NULL;
        int section = (int)number(s->elf->symbols, (size_t)symbol * SYMBOL_BYTES + 6, 2);
        for (int c = 0; c < s->out->count; c++)
            if (s->out->codes[c].section == section)
                return &s->out->codes[c];
    }
    return NULL;
}

static void put_row(struct line_state *s, uint64_t until)
{
    if (!s->code || s->row < 1 || s->row > INT32_MAX)
        return;
    uint64_t words = (uint64_t)s->code->count, to = until / WORD_BYTES < words ? until / WORD_BYTES : words;
    for (uint64_t i = s->address / WORD_BYTES; i < to && s->left; i++, s->left--)
        s->code->words[i].line = (int)s->row;
}

static void advance(struct line_state *s, uint64_t by)
{
    put_row(s, s->address + by);
    s->address += by;
}

static void restart(struct line_state *s)
{
    s->code = NULL;
    s->address = 0;
    s->line = 1;
    s->row = 0;
}

static void extended(struct line_reader *r, struct line_state *s)
{
    uint64_t length = next_varying(r, false);
    size_t from = r->at;
    unsigned code = length ? next_byte(r) : 0;
    if (code == 1) { // the sequence ends
        restart(s);
    } else if (code == 2) {
        s->code = s->sequences++ < KERNELS_MOST ? relocated(s, r->at) : NULL;
        s->address = number(r->from, r->at, 8);
    }
    r->at = length <= r->from.length - from ? from + (size_t)length : r->from.length;
}

struct line_header {
    unsigned step, range, opcodes;
    int base;
};

static void special(struct line_state *s, const struct line_header *h, unsigned opcode)
{
    unsigned at = opcode - h->opcodes;
    advance(s, (uint64_t)(at / h->range) * h->step);
    s->line = (int64_t)((uint64_t)s->line + (uint64_t)(int64_t)(h->base + (int)(at % h->range)));
    s->row = s->line;
}

static void run_lines(struct line_reader *r, size_t end, const struct line_header *h, struct line_state *s)
{
    restart(s);
    while (r->at < end) {
        unsigned opcode = next_byte(r);
        if (opcode >= h->opcodes)
            special(s, h, opcode);
        else if (opcode == 0)
            extended(r, s);
        else if (opcode == 1)
            s->row = s->line;
        else if (opcode == 2)
            advance(s, next_varying(r, false) * h->step);
        else if (opcode == 3)
            s->line = (int64_t)((uint64_t)s->line + next_varying(r, true));
        else if (opcode == 4 || opcode == 5 || opcode == 12)
            next_varying(r, false);
        else if (opcode == 8)
            advance(s, (uint64_t)((255 - h->opcodes) / h->range) * h->step);
        else if (opcode == 9) {
            advance(s, number(r->from, r->at, 2));
            r->at += 2;
        }
    }
}

static void read_lines(struct cubin *out, const struct elf *elf)
{
    struct cubin_span table = content_of(elf, find_section(elf, ".nv_debug_line_sass"));
    int relocations = find_section(elf, ".rela.nv_debug_line_sass");
    struct line_state state = { .out = out, .elf = elf, .relocation_bytes = RELOCATION_BYTES };
    if (relocations < 0) { // before compute capability 9.0
        relocations = find_section(elf, ".rel.nv_debug_line_sass");
        state.relocation_bytes = SHORT_RELOCATION_BYTES;
    }
    state.relocations = content_of(elf, relocations);
    for (int c = 0; c < out->count; c++)
        state.left += 2 * (size_t)out->codes[c].count;
    for (size_t at = 0; at + 15 < table.length && state.left;) {
        uint64_t length = number(table, at, 4), header = number(table, at + 6, 4);
        if (length > table.length - at - 4 || header > length)
            return;
        struct line_header h = { .step = table.at[at + 10],
                                 .base = (signed char)table.at[at + 12],
                                 .range = table.at[at + 13],
                                 .opcodes = table.at[at + 14] };
        size_t end = at + 4 + (size_t)length;
        struct line_reader r = { .from = { table.at, end }, .at = at + 10 + (size_t)header };
        if (number(table, at + 4, 2) > 3 || !h.range || !h.opcodes)
            return;
        run_lines(&r, end, &h, &state);
        at = end;
    }
}

// ---- the whole ---------------------------------------------------------------------------------------------------

static bool read_code(struct cubin *out, const struct elf *elf, int section)
{
    struct cubin_span text = content_of(elf, section);
    struct cubin_code *code = &out->codes[out->count];
    if (text.length < WORD_BYTES || text.length / WORD_BYTES > INT32_MAX / 2)
        return true;
    *code = (struct cubin_code){ .section = section, .count = (int)(text.length / WORD_BYTES) };
    code->words = calloc((size_t)code->count, sizeof *code->words);
    if (!code->words)
        return false;
    out->count++;
    read_words(text, target_of(elf), code);
    return true;
}

bool cubin_read(struct cubin *out, const void *bytes, size_t size)
{
    struct elf elf;
    *out = (struct cubin){ 0 };
    if (!bytes || !open_elf(&elf, bytes, size) || !elf.sections)
        return false;
    out->codes = calloc((size_t)elf.sections, sizeof *out->codes);
    if (!out->codes)
        return false;
    bool ok = true;
    size_t words = 0;
    for (int s = 0; s < elf.sections && ok; s++) {
        if (!is_named(&elf, s, ".text.", true) || out->count == KERNELS_MOST)
            continue;
        words += content_of(&elf, s).length / WORD_BYTES;
        ok = words <= size / WORD_BYTES && read_code(out, &elf, s); // sections do not overlap
    }
    if (ok)
        read_lines(out, &elf);
    struct cubin_span ptx = content_of(&elf, find_section(&elf, ".nv_debug_ptx_txt"));
    out->ptx = (const char *)ptx.at;
    out->ptx_bytes = ptx.length;
    ok = ok && out->count;
    if (!ok)
        cubin_free(out);
    return ok;
}

void cubin_free(struct cubin *cubin)
{
    for (int c = 0; cubin->codes && c < cubin->count; c++)
        free(cubin->codes[c].words);
    free(cubin->codes);
    *cubin = (struct cubin){ 0 };
}
