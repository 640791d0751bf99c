// DWARF 2 to 4, as NVRTC (-G) and clang (-g) write it into PTX, to variables and their types. It comes from a compiler, or
// from the writer of the PTX, and is not trusted: every read is checked, recursion and time have limits, and an entry that
// is not understood is one variable less.
//
// PTX has no addresses and no register numbers. An address is a link to a label of the code or to a variable; a register
// is DW_OP_regx with the letters of its name as a number, "%r1" as 0x257231.
#include "engine/sim/module/debug.h"

#include <stdlib.h>

enum {
    TAG_ARRAY = 0x01,
    TAG_CLASS = 0x02,
    TAG_ENUMERATION = 0x04,
    TAG_PARAMETER = 0x05,
    TAG_BLOCK = 0x0b,
    TAG_MEMBER = 0x0d,
    TAG_POINTER = 0x0f,
    TAG_REFERENCE = 0x10,
    TAG_STRUCTURE = 0x13,
    TAG_TYPEDEF = 0x16,
    TAG_UNION = 0x17,
    TAG_SUBRANGE = 0x21,
    TAG_BASE = 0x24,
    TAG_CONST = 0x26,
    TAG_SUBPROGRAM = 0x2e,
    TAG_VARIABLE = 0x34,
    TAG_VOLATILE = 0x35,
    TAG_RESTRICT = 0x37
};
enum {
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_BYTES = 0x0b,
    AT_BITS = 0x0d,
    AT_LOW = 0x11,
    AT_HIGH = 0x12,
    AT_CONSTANT = 0x1c,
    AT_UPPER = 0x2f,
    AT_COUNT = 0x37,
    AT_MEMBER = 0x38,
    AT_ENCODING = 0x3e,
    AT_TYPE = 0x49,
    ATTRIBUTES = 0x50
};
enum { OP_ADDRESS = 0x03, OP_PLUS = 0x23, OP_REGISTER = 0x90 };
enum { MOST_ABBREVIATIONS = 4096, MOST_VARIABLES = 1 << 14, MOST_TYPES = 1 << 16, MOST_MEMORY = 64 << 20 };
enum { SCOPES = 64, LONGEST_NAME = 200 };

// ---- bytes ----------------------------------------------------------------------------------------------

struct bytes_reader { // `bad` once anything was missing; everything read after that is 0
    const struct ptx_section *section;
    size_t at, end;
    bool bad;
};

static uint64_t take(struct bytes_reader *r, unsigned bytes)
{
    uint64_t value = 0;
    if (r->bad || r->end - r->at < bytes) {
        r->bad = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)r->section->bytes[r->at + i] << 8 * i;
    r->at += bytes;
    return value;
}

static uint64_t take_leb(struct bytes_reader *r, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned shift = 0; !r->bad; shift += 7) {
        uint64_t byte = take(r, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        if (is_signed && byte & 0x40 && shift + 7 < 64)
            value |= ~0ull << (shift + 7);
        return value;
    }
    return 0;
}

// A text with its end inside the section; NULL: there is none.
static const char *text_at(const struct ptx_section *section, size_t at)
{
    bool inside = section && at < section->count && memchr(section->bytes + at, 0, section->count - at);
    return inside ? (const char *)section->bytes + at : NULL;
}

static const struct ptx_link *link_at(const struct ptx_section *section, size_t at)
{
    size_t low = 0, high = section->link_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (section->links[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < section->link_count && section->links[low].at == at ? &section->links[low] : NULL;
}

static const struct ptx_section *section_named(const struct ptx_text *text, const char *name)
{
    for (size_t i = 0; i < text->section_count; i++)
        if (strcmp(text->sections[i].name, name) == 0)
            return &text->sections[i];
    return NULL;
}

// ---- the state ------------------------------------------------------------------------------------------

struct abbreviation {
    uint64_t code, tag;
    bool children;
    size_t at; // of its attributes
};
struct code_label { // a place in the code
    const char *name;
    size_t length;
    size_t function, at;
};
struct debug_scope { // an entry whose children are read
    size_t function, from, to;
    bool code;               // inside a function: variables count
    struct debug_type *type; // an array or a structure
    struct debug_member **next;
};
struct dwarf {
    const struct sim_module *module;
    const struct ptx_section *info, *codes, *locations, *strings;
    struct debug_info *out;
    struct abbreviation *abbreviations;
    size_t abbreviation_count;
    struct code_label *labels; // by name
    size_t label_count;
    struct debug_type **types; // by `at`
    size_t type_count, variable_count;
    struct debug_scope scopes[SCOPES];
    int depth;
    struct deadline deadline;
};

struct attribute {
    bool there;
    uint64_t number;
    const char *text;
    const struct ptx_link *link;
    size_t block, bytes;     // of a block: where it is, its length
    bool is_block, is_place; // is_place: an offset in a section
};

// ---- labels ---------------------------------------------------------------------------------------------

// A label in an inner block has a number after its name.
static size_t label_length(const char *name)
{
    const char *number = strchr(name, '@');
    return number ? (size_t)(number - name) : strlen(name);
}

static int by_name(const void *left, const void *right)
{
    const struct code_label *a = left, *b = right;
    size_t least = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->name, b->name, least);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

static bool labels_list(struct dwarf *d)
{
    const struct ptx_text *text = d->module->text;
    size_t count = 0;
    for (size_t f = 0; f < text->function_count; f++)
        count += text->functions[f].label_count;
    d->labels = arena_take(d->out->arena, (count + 1) * sizeof *d->labels);
    for (size_t f = 0; d->labels && f < text->function_count; f++)
        for (size_t i = 0; i < text->functions[f].label_count; i++) {
            const struct ptx_label *label = &text->functions[f].labels[i];
            d->labels[d->label_count++] =
                (struct code_label){ label->name, label_length(label->name), f, label->at };
        }
    if (d->labels)
        qsort(d->labels, d->label_count, sizeof *d->labels, by_name);
    return d->labels != NULL;
}

// The one label of that name; NULL: there is none, or more than one.
static const struct code_label *label_find(const struct dwarf *d, const struct ptx_link *link)
{
    if (!link || !d->label_count)
        return NULL;
    struct code_label key = { .name = link->name, .length = label_length(link->name) };
    const struct code_label *found = bsearch(&key, d->labels, d->label_count, sizeof key, by_name);
    if (!found || (found > d->labels && by_name(found - 1, found) == 0) ||
        (found + 1 < d->labels + d->label_count && by_name(found + 1, found) == 0))
        return NULL;
    return found;
}

static bool label_in(const struct dwarf *d, const struct ptx_link *link, size_t function, size_t *at)
{
    const struct code_label *label = label_find(d, link);
    if (!label || label->function != function)
        return false;
    *at = label->at;
    return true;
}

// ---- attributes -----------------------------------------------------------------------------------------

static bool abbreviations_read(struct dwarf *d, size_t at)
{
    struct bytes_reader r = {
        .section = d->codes, .at = at, .end = d->codes->count, .bad = at > d->codes->count
    };
    d->abbreviations = NULL;
    d->abbreviation_count = 0;
    for (;;) {
        struct abbreviation one = { .code = take_leb(&r, false) };
        if (r.bad || !one.code)
            return !r.bad;
        one.tag = take_leb(&r, false);
        one.children = take(&r, 1) != 0;
        one.at = r.at;
        for (uint64_t name = 1, form = 1; (name || form) && !r.bad;) {
            name = take_leb(&r, false);
            form = take_leb(&r, false);
        }
        if (r.bad || d->abbreviation_count == MOST_ABBREVIATIONS)
            return false;
        d->abbreviations =
            arena_grow(d->out->arena, d->abbreviations, d->abbreviation_count, sizeof *d->abbreviations);
        if (!d->abbreviations)
            return false;
        d->abbreviations[d->abbreviation_count++] = one;
    }
}

static const struct abbreviation *abbreviation_of(const struct dwarf *d, uint64_t code)
{
    if (code && code <= d->abbreviation_count && d->abbreviations[code - 1].code == code)
        return &d->abbreviations[code - 1];
    for (size_t i = 0; i < d->abbreviation_count; i++)
        if (d->abbreviations[i].code == code)
            return &d->abbreviations[i];
    return NULL;
}

static void take_block(struct bytes_reader *r, uint64_t bytes, struct attribute *out)
{
    out->is_block = true;
    out->block = r->at;
    out->bytes = (size_t)bytes;
    if (bytes > r->end - r->at)
        r->bad = true;
    else
        r->at += (size_t)bytes;
}

static void take_text(struct bytes_reader *r, struct attribute *out)
{
    out->text = r->bad ? NULL : text_at(r->section, r->at);
    size_t length = out->text ? strlen(out->text) + 1 : 0;
    if (!out->text || length > r->end - r->at)
        r->bad = true;
    else
        r->at += length;
}

static uint64_t place_in(const struct ptx_section *section, const struct ptx_link *link, uint64_t number)
{
    if (!link)
        return number;
    for (size_t i = 0; section && i < section->label_count; i++)
        if (section->labels[i].name == link->name)
            return section->labels[i].at + link->offset;
    return link->offset;
}

static void take_linked(struct bytes_reader *r, unsigned bytes, struct attribute *out)
{
    out->link = link_at(r->section, r->at);
    out->number = take(r, bytes);
}

// DW_FORM_block and its kind, exprloc. False: the form is none of them.
static bool take_block_form(struct bytes_reader *r, uint64_t form, struct attribute *out)
{
    switch (form) {
    case 0x03: // block2
        take_block(r, take(r, 2), out);
        return true;
    case 0x04: // block4
        take_block(r, take(r, 4), out);
        return true;
    case 0x0a: // block1
        take_block(r, take(r, 1), out);
        return true;
    case 0x09: // block
    case 0x18: // exprloc
        take_block(r, take_leb(r, false), out);
        return true;
    default:
        return false;
    }
}

// A reference to another entry: its place in the section. False: the form is none.
static bool take_reference(const struct dwarf *d, struct bytes_reader *r, uint64_t form, size_t unit,
                           struct attribute *out)
{
    switch (form) {
    case 0x10: // ref_addr
        take_linked(r, 4, out);
        out->number = place_in(d->info, out->link, out->number);
        return true;
    case 0x11: // ref1 to ref8
    case 0x12:
    case 0x13:
    case 0x14:
        out->number = unit + take(r, 1u << (form - 0x11));
        return true;
    case 0x15: // ref_udata
        out->number = unit + take_leb(r, false);
        return true;
    case 0x20: // ref_sig8
        take(r, 8);
        out->there = false;
        return true;
    default:
        return false;
    }
}

// DW_FORM_…; a form that is not known makes the rest unreadable.
static struct attribute take_attribute(const struct dwarf *d, struct bytes_reader *r, uint64_t form,
                                       size_t unit)
{
    struct attribute out = { .there = true };
    if (take_block_form(r, form, &out) || take_reference(d, r, form, unit, &out))
        return out;
    switch (form) {
    case 0x01: // addr
    case 0x07: // data8
        take_linked(r, 8, &out);
        break;
    case 0x05: // data2
        out.number = take(r, 2);
        break;
    case 0x06: // data4
    case 0x17: // sec_offset
        out.is_place = true;
        take_linked(r, 4, &out);
        break;
    case 0x0b: // data1
    case 0x0c: // flag
        out.number = take(r, 1);
        break;
    case 0x08: // string
        take_text(r, &out);
        break;
    case 0x0e: // strp
        take_linked(r, 4, &out);
        out.text = text_at(d->strings, (size_t)place_in(d->strings, out.link, out.number));
        break;
    case 0x0d: // sdata
        out.number = take_leb(r, true);
        break;
    case 0x0f: // udata
        out.number = take_leb(r, false);
        break;
    case 0x19: // flag_present
        out.number = 1;
        break;
    default:
        r->bad = true;
    }
    return out;
}

static void attributes_read(struct dwarf *d, struct bytes_reader *r, const struct abbreviation *of,
                            size_t unit, struct attribute out[ATTRIBUTES])
{
    struct bytes_reader names = { .section = d->codes, .at = of->at, .end = d->codes->count };
    memset(out, 0, ATTRIBUTES * sizeof *out);
    while (!r->bad) {
        uint64_t name = take_leb(&names, false), form = take_leb(&names, false);
        if ((!name && !form) || names.bad)
            return;
        struct attribute one = take_attribute(d, r, form, unit);
        if (name < ATTRIBUTES)
            out[name] = one;
    }
}

// The name that an entry has; "": none, or one that is not for a screen.
static const char *name_of(const struct attribute all[ATTRIBUTES])
{
    const char *name = all[AT_NAME].there ? all[AT_NAME].text : NULL;
    for (const char *at = name; at && *at; at++)
        if (*at < ' ' || *at > '~' || at - name > LONGEST_NAME)
            return "";
    return name ? name : "";
}

// ---- types ----------------------------------------------------------------------------------------------

static enum sim_number number_of(uint64_t encoding, uint64_t bytes)
{
    switch (encoding) {
    case 2:
        return SIM_BOOL;
    case 4:
        return bytes == 4 || bytes == 8 ? SIM_FLOAT : SIM_UNSIGNED;
    case 5:
    case 6:
        return SIM_SIGNED;
    default:
        return SIM_UNSIGNED;
    }
}

static void type_fill(struct debug_type *type, uint64_t tag, const struct attribute all[ATTRIBUTES])
{
    type->bytes = all[AT_BYTES].number;
    type->qualifier = tag == TAG_CONST       ? "const"
                      : tag == TAG_VOLATILE  ? "volatile"
                      : tag == TAG_POINTER   ? " *"
                      : tag == TAG_REFERENCE ? " &"
                                             : "";
    switch (tag) {
    case TAG_BASE:
        type->kind = DEBUG_NUMBER;
        type->is = number_of(all[AT_ENCODING].number, type->bytes);
        break;
    case TAG_ENUMERATION:
        type->kind = DEBUG_NUMBER;
        type->is = SIM_SIGNED;
        break;
    case TAG_POINTER:
    case TAG_REFERENCE:
        type->kind = DEBUG_POINTER;
        type->is = SIM_POINTER;
        type->bytes = 8;
        break;
    case TAG_ARRAY:
        type->kind = DEBUG_ARRAY;
        break;
    case TAG_STRUCTURE:
    case TAG_CLASS:
        type->kind = DEBUG_STRUCT;
        break;
    case TAG_TYPEDEF:
    case TAG_CONST:
    case TAG_VOLATILE:
    case TAG_RESTRICT:
        type->kind = DEBUG_SAME;
        break;
    default:
        type->kind = DEBUG_OTHER;
    }
    if (type->kind == DEBUG_NUMBER && type->bytes != 1 && type->bytes != 2 && type->bytes != 4 &&
        type->bytes != 8)
        type->kind = DEBUG_OTHER;
}

static struct debug_type *type_add(struct dwarf *d, size_t at, uint64_t tag,
                                   const struct attribute all[ATTRIBUTES])
{
    if (d->type_count == MOST_TYPES)
        return NULL;
    struct debug_type *type = arena_take(d->out->arena, sizeof *type);
    d->types = type ? arena_grow(d->out->arena, d->types, d->type_count, sizeof *d->types) : NULL;
    if (!d->types)
        return NULL;
    type->name = name_of(all);
    type->at = at;
    type->to_at = all[AT_TYPE].there ? (size_t)all[AT_TYPE].number : 0;
    type_fill(type, tag, all);
    d->types[d->type_count++] = type;
    return type;
}

static const struct debug_type *type_find(const struct dwarf *d, size_t at)
{
    size_t low = 0, high = at ? d->type_count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->types[middle]->at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->type_count && d->types[low]->at == at ? d->types[low] : NULL;
}

static void dimension_add(struct debug_type *array, const struct attribute all[ATTRIBUTES])
{
    uint64_t count = all[AT_COUNT].there   ? all[AT_COUNT].number
                     : all[AT_UPPER].there ? all[AT_UPPER].number + 1
                                           : 0;
    if (array->dimensions == DEBUG_DIMENSIONS || count > UINT32_MAX)
        array->kind = DEBUG_OTHER;
    else
        array->counts[array->dimensions++] = count;
}

// The place of a member is a number, or DW_OP_plus_uconst and a number.
static uint64_t member_place(const struct dwarf *d, const struct attribute *at)
{
    if (!at->is_block)
        return at->number;
    struct bytes_reader r = { .section = d->info, .at = at->block, .end = at->block + at->bytes };
    return take(&r, 1) == OP_PLUS ? take_leb(&r, false) : UINT64_MAX;
}

static bool member_add(struct dwarf *d, struct debug_scope *scope, const struct attribute all[ATTRIBUTES])
{
    uint64_t at = member_place(d, &all[AT_MEMBER]);
    if (all[AT_BITS].there || at > UINT32_MAX || !all[AT_TYPE].there) // a bit field
        return true;
    struct debug_member *member = arena_take(d->out->arena, sizeof *member);
    if (!member)
        return false;
    *member = (struct debug_member){ .name = name_of(all), .at = at, .type_at = (size_t)all[AT_TYPE].number };
    *scope->next = member;
    scope->next = &member->next;
    return true;
}

// ---- where variables are --------------------------------------------------------------------------------

// 0x257231 → %r1
static int register_of(const struct ptx_function *f, uint64_t code)
{
    char name[9];
    int length = 0;
    for (uint64_t rest = code; rest; rest >>= 8)
        length++;
    for (int i = 0; i < length; i++)
        name[i] = (char)(code >> 8 * (length - 1 - i));
    name[length] = '\0';
    for (size_t i = 0; length && i < f->register_count; i++)
        if (strcmp(f->registers[i].name, name) == 0)
            return (int)i;
    return -1;
}

// A block that is DW_OP_regx alone.
static int register_in(const struct dwarf *d, const struct ptx_section *section, size_t at, size_t bytes,
                       size_t function)
{
    struct bytes_reader r = { .section = section, .at = at, .end = at + bytes };
    if (take(&r, 1) != OP_REGISTER)
        return -1;
    uint64_t code = take_leb(&r, false);
    return r.bad || r.at != r.end ? -1 : register_of(&d->module->text->functions[function], code);
}

static void memory_find(const struct dwarf *d, const char *name, size_t function, struct debug_variable *out)
{
    const struct function *f = &d->module->functions[function];
    for (size_t i = 0; i < f->from->variable_count; i++) {
        const struct ptx_variable *v = &f->from->variables[i];
        bool held = v->space == SPACE_LOCAL || (v->space == SPACE_SHARED && !v->unsized);
        if (!held || strcmp(v->name, name) != 0)
            continue;
        out->place = v->space == SPACE_LOCAL ? DEBUG_IN_LOCAL : DEBUG_IN_SHARED;
        out->at += f->variable_at[i];
        out->stack = f->variable_at[i];
        return;
    }
    for (size_t i = 0; i < d->module->variable_count; i++) {
        const struct module_variable *v = &d->module->variables[i];
        if (v->from->space != SPACE_SHARED || v->from->unsized || strcmp(v->from->name, name) != 0)
            continue;
        out->place = DEBUG_IN_SHARED;
        out->at += v->address;
    }
}

// DW_OP_addr, and DW_OP_plus_uconst if it is a part of what is there.
static void read_address(const struct dwarf *d, const struct attribute *location, size_t function,
                         struct debug_variable *out)
{
    struct bytes_reader r = { .section = d->info,
                              .at = location->block,
                              .end = location->block + location->bytes };
    if (take(&r, 1) != OP_ADDRESS)
        return;
    const struct ptx_link *link = link_at(d->info, r.at);
    take(&r, 8);
    out->at = link ? link->offset : 0;
    if (r.at < r.end && !r.bad)
        out->at += take(&r, 1) == OP_PLUS ? take_leb(&r, false) : UINT32_MAX;
    if (link && !r.bad && r.at == r.end && out->at < UINT32_MAX)
        memory_find(d, link->name, function, out);
}

// One entry of a list of places. False: its end.
static bool take_claim(struct dwarf *d, struct bytes_reader *r, size_t function, struct debug_claim *out,
                       bool *good)
{
    const struct ptx_link *from = link_at(r->section, r->at);
    uint64_t first = take(r, 8);
    const struct ptx_link *to = link_at(r->section, r->at);
    uint64_t last = take(r, 8);
    if (r->bad || (!from && !to && !first && !last))
        return false;
    size_t bytes = (size_t)take(r, 2);
    *good = *good && bytes <= r->end - r->at && label_in(d, from, function, &out->from) &&
            label_in(d, to, function, &out->to);
    if (r->bad || !*good)
        return false;
    out->reg = register_in(d, r->section, r->at, bytes, function);
    r->at += bytes;
    return true;
}

// Takes a whole list or nothing of it: a location that is not understood may end the validity of another.
static bool read_list(struct dwarf *d, uint64_t at, size_t function, struct debug_variable *out)
{
    struct bytes_reader r = { .section = d->locations, .at = (size_t)at };
    struct debug_claim claim;
    bool good = true;
    if (!d->locations || at > d->locations->count)
        return true;
    r.end = d->locations->count;
    while (take_claim(d, &r, function, &claim, &good)) {
        if (deadline_passed(&d->deadline))
            return false;
        out->claims = arena_grow(d->out->arena, out->claims, out->claim_count, sizeof claim);
        if (!out->claims)
            return false;
        out->claims[out->claim_count++] = claim;
    }
    if (good && !r.bad)
        out->place = DEBUG_MOVES;
    return true;
}

static bool variable_add(struct dwarf *d, bool parameter, const struct attribute all[ATTRIBUTES])
{
    const struct debug_scope *scope = &d->scopes[d->depth - 1];
    const struct attribute *location = &all[AT_LOCATION];
    struct debug_variable one = { .name = name_of(all),
                                  .type_at = (size_t)all[AT_TYPE].number,
                                  .from = scope->from,
                                  .to = scope->to,
                                  .parameter = parameter,
                                  .reg = -1 };
    if (!scope->code || !*one.name || !all[AT_TYPE].there || d->variable_count == MOST_VARIABLES)
        return true;
    d->variable_count++;
    if (location->is_block) {
        one.reg = register_in(d, d->info, location->block, location->bytes, scope->function);
        if (one.reg >= 0)
            one.place = DEBUG_IN_REGISTER;
        else
            read_address(d, location, scope->function, &one);
    } else if (location->is_place) {
        if (!read_list(d, place_in(d->locations, location->link, location->number), scope->function, &one))
            return false;
    } else if (!location->there && all[AT_CONSTANT].there && !all[AT_CONSTANT].is_block) {
        one.place = DEBUG_CONSTANT;
        one.at = all[AT_CONSTANT].number;
    }
    struct debug_function *f = &d->out->functions[scope->function];
    f->variables = arena_grow(d->out->arena, f->variables, f->count, sizeof one);
    if (!f->variables)
        return false;
    f->variables[f->count++] = one;
    return true;
}

// ---- entries --------------------------------------------------------------------------------------------

// The code of a function, or of a block inside one.
static void scope_place(const struct dwarf *d, const struct attribute all[ATTRIBUTES], bool function,
                        const struct debug_scope *outer, struct debug_scope *out)
{
    const struct code_label *low = all[AT_LOW].there ? label_find(d, all[AT_LOW].link) : NULL;
    size_t to = 0;
    out->code = low && (function || (outer->code && low->function == outer->function)) &&
                label_in(d, all[AT_HIGH].link, low->function, &to) && low->at <= to &&
                !d->module->text->functions[low->function].declared;
    if (!out->code)
        return;
    *out = (struct debug_scope){ low->function, low->at, to, true, NULL, NULL };
    if (function) // up to its last instruction, and to the return that follows it
        out->to = d->module->functions[low->function].op_count + 1;
}

static bool is_type(uint64_t tag)
{
    static const unsigned char tags[] = { TAG_ARRAY,     TAG_CLASS,     TAG_ENUMERATION, TAG_POINTER,
                                          TAG_REFERENCE, TAG_STRUCTURE, TAG_TYPEDEF,     TAG_UNION,
                                          TAG_BASE,      TAG_CONST,     TAG_VOLATILE,    TAG_RESTRICT };
    return tag < 256 && memchr(tags, (int)tag, sizeof tags);
}

// An entry of a kind that is not listed has no meaning here, and neither have the variables in it, as those of a function
// that was put into another. `inner` is what its children are in.
static bool entry_read(struct dwarf *d, size_t at, uint64_t tag, const struct attribute all[ATTRIBUTES],
                       struct debug_scope *inner)
{
    struct debug_scope *outer = &d->scopes[d->depth - 1];
    *inner = (struct debug_scope){ 0 };
    if (tag == TAG_SUBPROGRAM || tag == TAG_BLOCK) {
        scope_place(d, all, tag == TAG_SUBPROGRAM, outer, inner);
    } else if (tag == TAG_PARAMETER || tag == TAG_VARIABLE) {
        return variable_add(d, tag == TAG_PARAMETER, all);
    } else if (tag == TAG_SUBRANGE && outer->type && outer->type->kind == DEBUG_ARRAY) {
        dimension_add(outer->type, all);
    } else if (tag == TAG_MEMBER && outer->next) {
        return member_add(d, outer, all);
    } else if (is_type(tag)) {
        inner->type = type_add(d, at, tag, all);
        if (inner->type && inner->type->kind == DEBUG_STRUCT)
            inner->next = &inner->type->members;
        return inner->type != NULL;
    }
    return true;
}

// The entries of a unit. False: there is no memory or no time for more of them.
static bool entries_read(struct dwarf *d, struct bytes_reader *r, size_t unit)
{
    struct attribute all[ATTRIBUTES];
    d->depth = 1;
    d->scopes[0] = (struct debug_scope){ 0 };
    while (!r->bad && r->at < r->end && d->depth) {
        size_t at = r->at;
        uint64_t code = take_leb(r, false);
        if (deadline_passed(&d->deadline))
            return false;
        if (!code) {
            d->depth--;
            continue;
        }
        const struct abbreviation *of = abbreviation_of(d, code);
        struct debug_scope inner;
        if (!of)
            return true;
        attributes_read(d, r, of, unit, all);
        if (r->bad)
            return true;
        if (!entry_read(d, at, of->tag, all, &inner))
            return false;
        if (of->children && d->depth == SCOPES)
            return true;
        if (of->children)
            d->scopes[d->depth++] = inner;
    }
    return true;
}

static bool unit_read(struct dwarf *d, struct bytes_reader *r)
{
    size_t unit = r->at;
    uint64_t length = take(r, 4);
    struct bytes_reader inner = *r;
    if (r->bad || length > r->end - r->at)
        return false;
    inner.end = r->at + (size_t)length;
    r->at = inner.end;
    uint64_t version = take(&inner, 2);
    const struct ptx_link *link = link_at(d->info, inner.at);
    uint64_t codes = take(&inner, 4);
    if (take(&inner, 1) != 8 || inner.bad || version < 2 || version > 4)
        return true;
    return !abbreviations_read(d, (size_t)place_in(d->codes, link, codes)) || entries_read(d, &inner, unit);
}

// ---- all of it ------------------------------------------------------------------------------------------

static void types_join(struct dwarf *d)
{
    for (size_t i = 0; i < d->type_count; i++) {
        struct debug_type *type = d->types[i];
        type->to = type_find(d, type->to_at);
        for (struct debug_member *member = type->members; member; member = member->next)
            member->type = type_find(d, member->type_at);
    }
    for (size_t f = 0; f < d->module->function_count; f++)
        for (size_t i = 0; i < d->out->functions[f].count; i++) {
            struct debug_variable *variable = &d->out->functions[f].variables[i];
            variable->type = type_find(d, variable->type_at);
        }
}

struct debug_info *debug_read(const struct sim_module *module)
{
    struct dwarf d = { .module = module,
                       .info = section_named(module->text, ".debug_info"),
                       .codes = section_named(module->text, ".debug_abbrev"),
                       .locations = section_named(module->text, ".debug_loc"),
                       .strings = section_named(module->text, ".debug_str") };
    struct arena *arena = d.info && d.codes ? arena_new() : NULL;
    if (!arena)
        return NULL;
    arena_limit(arena, MOST_MEMORY);
    deadline_start(&d.deadline);
    d.out = arena_take(arena, sizeof *d.out);
    if (d.out) {
        d.out->arena = arena;
        d.out->functions = arena_take(arena, (module->function_count + 1) * sizeof *d.out->functions);
    }
    struct bytes_reader r = { .section = d.info, .end = d.info->count };
    if (!d.out || !d.out->functions || !labels_list(&d)) {
        arena_free(arena);
        return NULL;
    }
    while (r.at < r.end && unit_read(&d, &r)) {
    }
    types_join(&d);
    return d.out;
}
