// An address of the program as a file and a line: ELF symbols and the line table of DWARF 2 to 5, of the program and of the
// libraries that it brings along. A table is read whole at the first question and then searched.
#include "engine/exec/exec.h"

#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct line_row { // from `address` on
    uint64_t address;
    uint32_t file, line; // file 0: nothing is known from here on
};
struct line_object { // a loaded ELF file
    struct line_object *next;
    char path[256];
    uintptr_t base;
    const unsigned char *bytes; // mapped
    size_t size;
    struct line_row *rows;
    size_t row_count, row_room;
    const char **files;
    size_t file_count, file_room;
};
static struct line_object *objects;

// ---- sections -------------------------------------------------------------------------------------------------------

struct byte_span {
    const unsigned char *at, *end;
    bool bad;
};

static struct byte_span section(const struct line_object *object, const char *name)
{
    const struct byte_span none = { 0 };
    const Elf64_Ehdr *head = (const void *)object->bytes;
    if (object->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shoff > object->size ||
        (uint64_t)head->e_shnum * sizeof(Elf64_Shdr) > object->size - head->e_shoff ||
        head->e_shstrndx >= head->e_shnum)
        return none;
    const Elf64_Shdr *sections = (const void *)(object->bytes + head->e_shoff);
    const Elf64_Shdr *names = &sections[head->e_shstrndx];
    for (int i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type == SHT_NOBITS || s->sh_flags & SHF_COMPRESSED || s->sh_offset > object->size ||
            s->sh_size > object->size - s->sh_offset || s->sh_name >= names->sh_size ||
            names->sh_offset + names->sh_size > object->size)
            continue;
        if (strcmp((const char *)object->bytes + names->sh_offset + s->sh_name, name) == 0)
            return (struct byte_span){ object->bytes + s->sh_offset,
                                       object->bytes + s->sh_offset + s->sh_size, false };
    }
    return none;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static uint64_t take(struct byte_span *b, unsigned count)
{
    uint64_t value = 0;
    if ((size_t)(b->end - b->at) < count) {
        b->bad = true;
        b->at = b->end;
        return 0;
    }
    memcpy(&value, b->at, count);
    b->at += count;
    return value;
}

static uint64_t take_leb(struct byte_span *b, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    unsigned char byte;
    do {
        byte = (unsigned char)take(b, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && !b->bad);
    if (is_signed && shift < 64 && byte & 64)
        value |= ~0ull << shift;
    return value;
}

static const char *take_string(struct byte_span *b)
{
    const unsigned char *nul = b->at < b->end ? memchr(b->at, 0, (size_t)(b->end - b->at)) : NULL;
    const char *text = (const char *)b->at;
    if (!nul) {
        b->bad = true;
        return "";
    }
    b->at = nul + 1;
    return text;
}

static const char *string_at(struct byte_span strings, uint64_t at)
{
    if (!strings.at || at >= (uint64_t)(strings.end - strings.at))
        return "";
    strings.at += at;
    return take_string(&strings);
}

// ---- the line table -------------------------------------------------------------------------------------------------

enum dwarf_form {
    FORM_STRING = 0x08,
    FORM_UDATA = 0x0f,
    FORM_STRP = 0x0e,
    FORM_LINE_STRP = 0x1f,
    FORM_DATA1 = 0x0b,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_DATA16 = 0x1e,
    FORM_BLOCK = 0x09
};
enum { CONTENT_PATH = 1, CONTENT_FOLDER = 2, MOST_FILES = 65536, MOST_FORMATS = 16 };

struct line_unit {
    struct line_object *object;
    struct byte_span strings, line_strings;
    unsigned offset_bytes, version;
    const char **folders;
    size_t folder_count;
    size_t first_file; // in the object's list: that of the unit's number 0
    size_t file_count;
};

static void *grown(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room ? 2 * *room : 64;
    void *more = realloc(items, *room * size);
    if (!more)
        abort();
    return more;
}

static void add_file(struct line_object *object, const char *folder, const char *name)
{
    object->files = grown(object->files, object->file_count, &object->file_room, sizeof *object->files);
    char *path = NULL;
    if (*name == '/' || !folder || !*folder)
        path = strdup(name);
    else if (asprintf(&path, "%s/%s", folder, name) < 0)
        path = NULL;
    object->files[object->file_count++] = path ? path : "";
}

// The value of one form: a string, or a number.
static const char *take_form(struct line_unit *unit, struct byte_span *b, unsigned form, uint64_t *number)
{
    *number = 0;
    switch (form) {
    case FORM_STRING:
        return take_string(b);
    case FORM_STRP:
        return string_at(unit->strings, take(b, unit->offset_bytes));
    case FORM_LINE_STRP:
        return string_at(unit->line_strings, take(b, unit->offset_bytes));
    case FORM_UDATA:
        *number = take_leb(b, false);
        break;
    case FORM_DATA1:
        *number = take(b, 1);
        break;
    case FORM_DATA2:
        *number = take(b, 2);
        break;
    case FORM_DATA4:
        *number = take(b, 4);
        break;
    case FORM_DATA8:
        *number = take(b, 8);
        break;
    case FORM_DATA16:
        take(b, 8), take(b, 8);
        break;
    case FORM_BLOCK: {
        uint64_t bytes = take_leb(b, false);
        if (bytes > (uint64_t)(b->end - b->at))
            b->bad = true;
        else
            b->at += bytes;
        break;
    }
    default:
        b->bad = true;
    }
    return "";
}

// Of version 5: folders, or files when `files`.
static void read_entries(struct line_unit *unit, struct byte_span *b, bool files)
{
    unsigned formats = (unsigned)take(b, 1), content[MOST_FORMATS], form[MOST_FORMATS];
    for (unsigned i = 0; i < formats; i++) {
        unsigned one = (unsigned)take_leb(b, false), its = (unsigned)take_leb(b, false);
        if (i < MOST_FORMATS)
            content[i] = one, form[i] = its;
    }
    uint64_t count = take_leb(b, false);
    if (formats > MOST_FORMATS || count > MOST_FILES)
        b->bad = true;
    if (!files && !b->bad)
        unit->folders = calloc(count + 1, sizeof *unit->folders);
    for (uint64_t i = 0; i < count && !b->bad; i++) {
        const char *path = "";
        uint64_t folder = 0, number;
        for (unsigned k = 0; k < formats; k++) {
            const char *text = take_form(unit, b, form[k], &number);
            if (content[k] == CONTENT_PATH)
                path = text;
            else if (content[k] == CONTENT_FOLDER)
                folder = number;
        }
        if (files)
            add_file(unit->object, folder < unit->folder_count ? unit->folders[folder] : "", path);
        else if (unit->folders)
            unit->folders[unit->folder_count++] = path;
    }
}

// Of versions 2 to 4: lists that end with an empty string; the first folder and the first file have number 1.
static void read_lists(struct line_unit *unit, struct byte_span *b)
{
    unit->folders = calloc(MOST_FILES, sizeof *unit->folders);
    if (!unit->folders)
        abort();
    unit->folders[unit->folder_count++] = "";
    for (const char *folder = take_string(b); *folder && unit->folder_count < MOST_FILES;
         folder = take_string(b))
        unit->folders[unit->folder_count++] = folder;
    add_file(unit->object, "", "");
    for (const char *file = take_string(b); *file && !b->bad; file = take_string(b)) {
        uint64_t folder = take_leb(b, false);
        take_leb(b, false), take_leb(b, false);
        add_file(unit->object, folder < unit->folder_count ? unit->folders[folder] : "", file);
    }
}

struct line_registers {
    uint64_t address, file, line;
};

static void add_row(struct line_unit *unit, const struct line_registers *state, bool ends)
{
    struct line_object *object = unit->object;
    object->rows = grown(object->rows, object->row_count, &object->row_room, sizeof *object->rows);
    bool known = !ends && state->file < unit->file_count;
    object->rows[object->row_count++] =
        (struct line_row){ state->address, known ? (uint32_t)(unit->first_file + state->file) : UINT32_MAX,
                           (uint32_t)state->line };
}

struct line_program {
    unsigned least, range, opcode_base;
    int line_base;
    const unsigned char *operands;
};

static void extended(struct line_unit *unit, struct byte_span *b, struct line_registers *s)
{
    uint64_t bytes = take_leb(b, false);
    if (bytes == 0 || bytes > (uint64_t)(b->end - b->at)) {
        b->bad = true;
        return;
    }
    struct byte_span one = { b->at, b->at + bytes, false };
    b->at += bytes;
    switch (take(&one, 1)) {
    case 1: // end of sequence
        add_row(unit, s, true);
        *s = (struct line_registers){ .file = 1, .line = 1 };
        break;
    case 2:
        s->address = take(&one, bytes - 1 < 8 ? (unsigned)bytes - 1 : 8);
        break;
    default:
        break;
    }
}

static void run_program(struct line_unit *unit, const struct line_program *p, struct byte_span *b)
{
    struct line_registers s = { .file = 1, .line = 1 };
    while (b->at < b->end && !b->bad) {
        unsigned op = (unsigned)take(b, 1);
        if (op >= p->opcode_base) {
            op -= p->opcode_base;
            s.address += (uint64_t)p->least * (op / p->range);
            s.line += (uint64_t)(int64_t)(p->line_base + (int)(op % p->range));
            add_row(unit, &s, false);
            continue;
        }
        switch (op) {
        case 0:
            extended(unit, b, &s);
            break;
        case 1:
            add_row(unit, &s, false);
            break;
        case 2:
            s.address += p->least * take_leb(b, false);
            break;
        case 3:
            s.line += take_leb(b, true);
            break;
        case 4:
            s.file = take_leb(b, false);
            break;
        case 8:
            s.address += (uint64_t)p->least * ((255 - p->opcode_base) / p->range);
            break;
        case 9:
            s.address += take(b, 2);
            break;
        default:
            for (unsigned i = 0; i < p->operands[op - 1]; i++)
                take_leb(b, false);
        }
    }
}

// The unit that begins there; moves to the next one.
static void read_unit(struct line_object *object, struct byte_span *all)
{
    struct line_unit unit = { .object = object,
                              .strings = section(object, ".debug_str"),
                              .line_strings = section(object, ".debug_line_str"),
                              .first_file = object->file_count,
                              .offset_bytes = 4 };
    uint64_t bytes = take(all, 4);
    if (bytes == 0xffffffff) {
        unit.offset_bytes = 8;
        bytes = take(all, 8);
    }
    if (bytes > (uint64_t)(all->end - all->at)) {
        all->bad = true;
        return;
    }
    struct byte_span b = { all->at, all->at + bytes, false };
    all->at += bytes;
    unit.version = (unsigned)take(&b, 2);
    if (unit.version < 2 || unit.version > 5)
        return;
    if (unit.version == 5)
        take(&b, 2); // sizes of an address and of a segment
    uint64_t header = take(&b, unit.offset_bytes);
    if (header > (uint64_t)(b.end - b.at))
        return;
    struct byte_span code = { b.at + header, b.end, false };
    struct line_program p = { .least = (unsigned)take(&b, 1) };
    if (unit.version >= 4)
        take(&b, 1);                                // operations of an instruction
    take(&b, 1);                                    // whether a row is a statement's by default
    p.line_base = ((int)take(&b, 1) ^ 0x80) - 0x80; // a signed byte
    p.range = (unsigned)take(&b, 1);
    p.opcode_base = (unsigned)take(&b, 1);
    p.operands = b.at;
    for (unsigned i = 1; i < p.opcode_base; i++)
        take(&b, 1);
    if (b.bad || p.range == 0 || p.opcode_base == 0)
        return;
    if (unit.version == 5) {
        read_entries(&unit, &b, false);
        read_entries(&unit, &b, true);
    } else
        read_lists(&unit, &b);
    unit.file_count = object->file_count - unit.first_file;
    if (!b.bad)
        run_program(&unit, &p, &code);
    free(unit.folders);
}

static int by_address(const void *left, const void *right)
{
    const struct line_row *x = left, *y = right;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->file == UINT32_MAX) < (y->file == UINT32_MAX)   ? 1
           : (x->file == UINT32_MAX) > (y->file == UINT32_MAX) ? -1
                                                               : 0;
}

// ---- loaded objects ---------------------------------------------------------------------------------------------------

static void read_object(struct line_object *object)
{
    enum { MOST = 1 << 30 };
    struct stat stat;
    int file = open(object->path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &stat) != 0 || stat.st_size <= 0 || stat.st_size > MOST) {
        if (file >= 0)
            close(file);
        return;
    }
    void *bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return;
    object->bytes = bytes;
    object->size = (size_t)stat.st_size;
    struct byte_span lines = section(object, ".debug_line");
    while (lines.at && lines.at < lines.end && !lines.bad)
        read_unit(object, &lines);
    if (object->row_count)
        qsort(object->rows, object->row_count, sizeof *object->rows, by_address);
}

struct asked_object {
    uintptr_t address;
    bool found, own;
    uintptr_t base;
    char path[256];
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct asked_object *asked = context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || asked->address < from || asked->address - from >= part->p_memsz)
            continue;
        asked->found = true;
        asked->base = info->dlpi_addr;
        snprintf(asked->path, sizeof asked->path, "%s",
                 *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
        return 1;
    }
    return 0;
}

// The object that contains an address, read; NULL: none.
static struct line_object *object_of(const void *address)
{
    struct asked_object asked = { .address = (uintptr_t)address };
    for (struct line_object *o = objects; o; o = o->next)
        if (o->size && (uintptr_t)address - o->base < o->size)
            return o;
    dl_iterate_phdr(look_at_object, &asked);
    if (!asked.found)
        return NULL;
    for (struct line_object *o = objects; o; o = o->next)
        if (o->base == asked.base && strcmp(o->path, asked.path) == 0)
            return o;
    struct line_object *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->base = asked.base;
    snprintf(made->path, sizeof made->path, "%s", asked.path);
    made->next = objects;
    objects = made;
    read_object(made);
    return made;
}

// The function's name, and the address where it begins; 0: not known.
static uint64_t function_of(const struct line_object *object, uint64_t address, char *out, size_t size)
{
    struct byte_span symbols = section(object, ".symtab"), names = section(object, ".strtab");
    if (!symbols.at)
        symbols = section(object, ".dynsym"), names = section(object, ".dynstr");
    for (; symbols.at && (size_t)(symbols.end - symbols.at) >= sizeof(Elf64_Sym);
         symbols.at += sizeof(Elf64_Sym)) {
        const Elf64_Sym *s = (const void *)symbols.at;
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || address < s->st_value ||
            address - s->st_value >= s->st_size)
            continue;
        snprintf(out, size, "%s", string_at(names, s->st_name));
        return s->st_value;
    }
    return 0;
}

// Headers that wrap functions of the runtime in templates.
static bool is_toolkit(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    return strncmp(name, "cuda_", 5) == 0 || strstr(file, "/cuda/include/") ||
           strstr(file, "/targets/x86_64-linux/") || strncmp(name, "crt", 3) == 0 ||
           strcmp(name, "host_runtime.h") == 0 || strncmp(name, "tmpxft_", 7) == 0;
}

static const struct line_row *row_of(const struct line_object *object, uint64_t address)
{
    size_t low = 0, high = object->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (object->rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &object->rows[low - 1] : NULL;
}

static bool is_users(const struct line_object *object, const struct line_row *row)
{
    return row->file != UINT32_MAX && row->line && object->files[row->file][0] &&
           !is_toolkit(object->files[row->file]);
}

static void place_in(const struct line_object *object, const void *address, struct exec_place *out)
{
    enum { BACK = 24 }; // rows: where a wrapper was inlined, the call's own line is shortly before
    *out = (struct exec_place){ 0 };
    uint64_t at = (uintptr_t)address - object->base;
    uint64_t start = function_of(object, at, out->function, sizeof out->function);
    out->start = start ? (const void *)(object->base + start) : NULL; // NOLINT(performance-no-int-to-ptr)
    const struct line_row *row = row_of(object, at);
    for (int i = 0;
         row && row > object->rows && row[-1].address >= start && !is_users(object, row) && i < BACK; i++)
        row--;
    if (row && is_users(object, row)) {
        snprintf(out->file, sizeof out->file, "%s", object->files[row->file]);
        out->line = (int)row->line;
    }
}

void place_of_address(const void *address, struct exec_place *out)
{
    const struct line_object *object = object_of(address);
    *out = (struct exec_place){ 0 };
    if (object)
        place_in(object, address, out);
}

void place_of_caller(struct exec_place *out)
{
    enum { FRAMES = 24 };
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);
    static uintptr_t own;
    if (!own) {
        struct asked_object asked = { .address = (uintptr_t)(void *)place_of_caller };
        dl_iterate_phdr(look_at_object, &asked);
        own = asked.base;
    }
    struct exec_place first = { 0 };
    for (int i = 0; i < count; i++) {
        const void *call = (const char *)frames[i] - 1; // within the call, not after it
        struct asked_object asked = { .address = (uintptr_t)call };
        dl_iterate_phdr(look_at_object, &asked);
        if (!asked.found || asked.base == own)
            continue;
        place_of_address(call, out);
        out->call = call;
        if (strstr(out->function, "__device_stub") || (out->start && module_function(out->start)))
            continue; // what nvcc puts between a launch and the runtime
        if (out->line)
            return;
        if (strstr(out->function, exec_function()))
            continue; // a template of CUDA's headers around it
        if (!first.function[0])
            first = *out;
    }
    *out = first;
}

void place_write(const struct exec_place *place, char *out, size_t size)
{
    const char *slash = strrchr(place->file, '/');
    if (place->line)
        snprintf(out, size, "%s:%d", slash ? slash + 1 : place->file, place->line);
    else if (place->function[0]) {
        char name[KERNEL_NAME];
        module_name_as_written(place->function, name, sizeof name);
        snprintf(out, size, "the function %s", name);
    } else
        snprintf(out, size, "the program");
}

bool place_source(const struct exec_place *place, char *out, size_t size)
{
    char line[1024];
    *out = 0;
    FILE *file = place->line ? fopen(place->file, "re") : NULL;
    if (!file)
        return false;
    bool found = false;
    for (int i = 1; !found && fgets(line, sizeof line, file);) {
        found = i == place->line;
        i += strchr(line, '\n') != NULL;
    }
    fclose(file);
    if (found)
        snprintf(out, size, "%s", line + strspn(line, " \t"));
    return found;
}
