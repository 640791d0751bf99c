// The sentences of findings: the thread, what it does to which element, what is wrong with that, and what helps.
#include "engine/sim/sanitize/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- names ----------------------------------------------------------------------------------------------------------

static const char *space_name(enum ptx_space space)
{
    return space == SPACE_SHARED ? "shared" : space == SPACE_LOCAL ? "local" : "global";
}

static bool all_digits(const char *at)
{
    return *at && strspn(at, "0123456789") == strlen(at);
}

// The name in the source of a mangled name, which ends with the length of that name and the name: _ZZ6kernelPfE4tile → tile.
static void plain_name(const char *name, char *out, size_t size)
{
    const char *split = strstr(name, "_$"); // a part of an array, as in s_$_0
    size_t length = split ? (size_t)(split - name) : strlen(name);
    const char *last = strrchr(name, '_');
    if (!split && strncmp(name, "_Z", 2) == 0 && last > name + 1 && all_digits(last + 1))
        length = (size_t)(last - name); // the second of that name in its function
    for (size_t at = 2; strncmp(name, "_Z", 2) == 0 && at < length; at++) {
        if (name[at] < '1' || name[at] > '9' || (name[at - 1] >= '0' && name[at - 1] <= '9'))
            continue;
        char *rest;
        unsigned long want = strtoul(name + at, &rest, 10);
        if ((size_t)(rest - name) <= length && want == length - (size_t)(rest - name)) {
            snprintf(out, size, "%.*s", (int)want, rest);
            return;
        }
    }
    snprintf(out, size, "%.*s", (int)length, name);
}

// The bytes of the narrowest access to the shared array from `low` to `high`: the type of an array without a size, or with
// the widest alignment, is not known from its declaration.
static size_t narrowest_access(const struct sim_module *module, uint32_t low, uint32_t high)
{
    size_t least = 0;
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; module->functions[f].ops && i < module->functions[f].op_count; i++) {
            const struct op *op = &module->functions[f].ops[i];
            size_t bytes = op->bytes / (op->parts ? op->parts : 1u);
            if (op->space == SPACE_SHARED && op->high == high && op->low == low && bytes)
                least = !least || bytes < least ? bytes : least;
        }
    return least ? least : 4;
}

enum { ANY_ALIGN = 16 };

size_t finding_element_bytes(const struct ptx_variable *variable)
{
    size_t bytes = type_bytes(variable->type);
    if (bytes <= 1 && variable->align > 1)
        bytes = variable->align < ANY_ALIGN ? variable->align : ANY_ALIGN;
    return bytes ? bytes : 1;
}

static size_t element_of(const struct sim_module *module, const struct ptx_variable *variable, uint64_t start)
{
    if (variable->unsized)
        return narrowest_access(module, (uint32_t)start, UINT32_MAX);
    if (type_bytes(variable->type) > 1 || variable->align < ANY_ALIGN)
        return finding_element_bytes(variable);
    return narrowest_access(module, (uint32_t)start, (uint32_t)(start + variable->bytes));
}

static void measure(struct address_name *out, uint64_t offset, uint64_t start, uint64_t bytes)
{
    uint64_t size = out->element_bytes;
    bool before = (int64_t)(offset - start) < 0;
    uint64_t apart = before ? start - offset : offset - start;
    out->elements = bytes / size;
    out->element = before ? (int64_t)(0 - (apart / size + (apart % size != 0))) : (int64_t)(apart / size);
}

struct shared_search {
    const struct op *of; // search for the variable that its address derives from; NULL: for the nearest one
    uint64_t offset, distance;
    const struct ptx_variable *best;
    uint64_t start, bytes;
};

static void consider(struct shared_search *search, const struct ptx_variable *variable, uint64_t start,
                     uint64_t bytes)
{
    uint64_t end = start + bytes, offset = search->offset, distance = 0;
    bool other = search->of && (start != search->of->low || (!variable->unsized && end != search->of->high));
    if (variable->space != SPACE_SHARED || other || (bytes == 0 && !search->of))
        return;
    if (offset < start)
        distance =
            2 * (start - offset) + 1; // past the end of one is likelier than before the start of another
    else if (offset >= end)
        distance = 2 * (offset - end) + 1;
    if (search->best && distance >= search->distance)
        return;
    search->distance = distance;
    search->best = variable;
    search->start = start;
    search->bytes = bytes;
}

// An array without a size follows all other variables and has the dynamic shared memory of the launch.
static void consider_at(struct shared_search *search, const struct ptx_variable *variable, uint64_t start,
                        const struct block *block)
{
    uint64_t dynamic = block->machine->module->shared_bytes;
    if (!variable->unsized)
        consider(search, variable, start, variable->bytes);
    else
        consider(search, variable, dynamic, block->machine->launch->shared_bytes);
}

static void search_function(struct shared_search *search, const struct function *function,
                            const struct block *block)
{
    for (size_t i = 0; function->from && i < function->from->variable_count; i++)
        consider_at(search, &function->from->variables[i], function->variable_at[i], block);
}

static void name_shared(const struct warp *warp, uint64_t offset, const struct op *of,
                        struct address_name *out)
{
    const struct block *block = warp->block;
    const struct sim_module *module = block->machine->module;
    struct shared_search search = { .of = of, .offset = offset };
    search_function(&search, block->machine->kernel, block);
    for (size_t f = 0; f < module->function_count; f++)
        if (module->functions[f].from && !module->functions[f].from->entry)
            search_function(&search, &module->functions[f], block);
    for (size_t i = 0; i < module->variable_count; i++)
        consider_at(&search, module->variables[i].from, module->variables[i].address, block);
    if (!search.best)
        return;
    plain_name(search.best->name, out->buffer, sizeof out->buffer);
    out->element_bytes = element_of(module, search.best, search.start);
    measure(out, offset, search.start, search.bytes);
}

// The number of the allocation that the address is in, or near; 0: of none.
static uint64_t owner_of(const struct sim_memory *memory, uint64_t address)
{
    uint64_t owner = address >> OFFSET_BITS;
    bool before = (address & OFFSETS) >> (OFFSET_BITS - 1); // a negative offset has borrowed from the number
    if (before && owner + 1 < memory->count && memory->allocations[owner + 1].bytes)
        owner++;
    return owner < memory->count && memory->allocations[owner].bytes ? owner : 0;
}

static void name_global(const struct warp *warp, uint64_t address, struct address_name *out)
{
    const struct sim_memory *memory = warp->block->machine->memory;
    const uint64_t owner = owner_of(memory, address), offset = address - (owner << OFFSET_BITS);
    if (!owner)
        return;
    const struct allocation *allocation = &memory->allocations[owner];
    plain_name(allocation->name, out->buffer, sizeof out->buffer);
    out->element_bytes = allocation->element_bytes ? allocation->element_bytes : 1;
    uint64_t start = allocation->heap ? heap_start(allocation) : 0;
    measure(out, offset, start, allocation->bytes - start);
}

void finding_name_address(const struct warp *warp, enum ptx_space space, uint64_t address,
                          struct address_name *out)
{
    *out = (struct address_name){ .space = space_name(space), .element_bytes = 1 };
    if (space == SPACE_SHARED)
        name_shared(warp, address, NULL, out);
    else if (space != SPACE_LOCAL)
        name_global(warp, address, out);
}

const char *finding_name_lane(const struct warp *warp, int lane, char out[80])
{
    uint32_t thread[3];
    warp_thread_of_lane(warp, lane, thread);
    const uint32_t *block = warp->block->id;
    snprintf(out, 80, "Thread (%u,%u,%u) of block (%u,%u,%u)", thread[0], thread[1], thread[2], block[0],
             block[1], block[2]);
    return out;
}

// "line 12", or the line of the PTX when the source's is not known.
const char *finding_say_line(const struct op *op, char out[40])
{
    const struct ptx_instruction *in = op ? op->from : NULL;
    if (!in)
        snprintf(out, 40, "another line");
    else if (in->line)
        snprintf(out, 40, "line %d", in->line);
    else
        snprintf(out, 40, "line %d of the PTX", in->ptx_line);
    return out;
}

bool finding_same_line(const struct op *a, const struct op *b)
{
    if (a == b || !a || !b || !a->from || !b->from)
        return a == b;
    return a->from->line ? a->from->line == b->from->line : a->from->ptx_line == b->from->ptx_line;
}

// ---- out of bounds, misaligned ----------------------------------------------------------------------------------------

static void fill(struct finding_report *report, const struct op *op, int lane,
                 const struct address_name *named, uint64_t address, uint32_t lanes)
{
    report->severity = SIM_ERROR;
    report->op = op;
    report->lane = lane;
    report->space = named->space;
    report->buffer = named->buffer;
    report->address = address;
    report->element = named->element;
    report->count = (uint64_t)__builtin_popcount(lanes);
}

static bool is_dynamic(const struct warp *warp, const struct op *op)
{
    return op->high == UINT32_MAX && op->low == warp->block->machine->module->shared_bytes;
}

static bool has_origin(const struct warp *warp, const struct op *op)
{
    return op->low != 0 || op->high != UINT32_MAX || is_dynamic(warp, op);
}

// "a[64], past its end: a has 64 elements, a[0] to a[63]"
static void say_where(const struct address_name *n, unsigned bytes, char *out, size_t size)
{
    const char *name = n->buffer;
    long long last = (long long)n->elements - 1;
    char has[280];
    if (n->elements > 1)
        snprintf(has, sizeof has, "%s has %lld elements, %s[0] to %s[%lld]", name, last + 1, name, name,
                 last);
    else
        snprintf(has, sizeof has, "%s has %lld element%s", name, last + 1, last ? "s" : "");
    if (n->element < 0)
        snprintf(out, size, "%s[%lld], before its start: %s", name, (long long)n->element, has);
    else if (n->element >= (int64_t)n->elements)
        snprintf(out, size, "%s[%lld], past its end: %s", name, (long long)n->element, has);
    else
        snprintf(out, size, "%u bytes from %s[%lld] on, which reach past its end: %s", bytes, name,
                 (long long)n->element, has);
}

// The variable that the access hits instead of the one that it derives from.
static void say_hit(const struct warp *warp, uint64_t address, const struct address_name *meant, char *out,
                    size_t size)
{
    struct address_name hit;
    finding_name_address(warp, SPACE_SHARED, address, &hit);
    out[0] = '\0';
    bool inside =
        address < warp->block->shared_bytes && hit.element >= 0 && hit.element < (int64_t)hit.elements;
    if (inside && strcmp(hit.buffer, meant->buffer) != 0)
        snprintf(out, size, " It hits %s[%lld].", hit.buffer, (long long)hit.element);
}

static void report_named(struct warp *warp, const struct finding_report *report, const struct address_name *n,
                         unsigned bytes, const char *action)
{
    char where[440], hit[128] = "";
    uint64_t address = report->address;
    if (strcmp(n->space, "shared") == 0 && is_dynamic(warp, report->op) && n->elements == 0 &&
        n->element >= 0) {
        finding_add(warp, report,
                    "%s %s[%lld], but the launch gives the block no dynamic shared memory: give the array a "
                    "size, or name the bytes as the third value in <<<…>>>.",
                    action, n->buffer, (long long)n->element);
        return;
    }
    if (strcmp(n->space, "shared") == 0)
        say_hit(warp, address, n, hit, sizeof hit);
    say_where(n, bytes, where, sizeof where);
    finding_add(warp, report, "%s %s.%s %s", action, where, hit,
                strcmp(n->space, "shared") == 0 ? "Is the index wrong, or the array too small?"
                                                : "Check the index before it is used.");
}

// Whether a pointer into shared or local memory was kept from another block or launch, which its upper bits identify.
static bool is_kept(enum ptx_space space, uint64_t address)
{
    int64_t offset = (int64_t)address;
    bool far = offset >= 1ll << (OFFSET_BITS - 1) || offset < -(1ll << (OFFSET_BITS - 1));
    return space == SPACE_SHARED || space == SPACE_LOCAL ? far : address >= LOCAL_WINDOW;
}

static void report_kept(struct warp *warp, const struct finding_report *report, enum ptx_space space,
                        unsigned bytes, const char *action)
{
    if (space != SPACE_SHARED && space != SPACE_LOCAL)
        space = report->address >= SHARED_WINDOW ? SPACE_SHARED : SPACE_LOCAL;
    if (space == SPACE_SHARED)
        finding_add(warp, report,
                    "%s %u bytes through a pointer into the shared memory of another block or launch. Shared "
                    "memory lasts only as long as its block: keep such data in global memory.",
                    action, bytes);
    else
        finding_add(
            warp, report,
            "%s %u bytes through a pointer into the local memory of another block or launch. Local memory "
            "lasts only as long as its thread: keep such data in global memory.",
            action, bytes);
}

// Reports an access beside a buffer that was added without a name.
static void report_unnamed(struct warp *warp, const struct finding_report *report,
                           const struct address_name *n, unsigned bytes, const char *action)
{
    finding_add(
        warp, report,
        "%s %u bytes at 0x%llx, %s of a buffer of %llu bytes that has no name. Check the index before "
        "it is used.",
        action, bytes, (unsigned long long)report->address,
        n->element < 0 ? "before the start" : "past the end",
        (unsigned long long)(n->elements * n->element_bytes));
}

static bool is_host(const struct warp *warp, enum ptx_space space, uint64_t address)
{
    const struct sim_memory *memory = warp->block->machine->memory;
    return space != SPACE_SHARED && space != SPACE_LOCAL && memory->is_host && memory->is_host(address);
}

static void report_nowhere(struct warp *warp, const struct finding_report *report, unsigned bytes,
                           const char *action)
{
    const struct sim_memory *memory = warp->block->machine->memory;
    uint64_t number = report->address >> OFFSET_BITS;
    unsigned long long at = report->address;
    if (is_host(warp, SPACE_GLOBAL, report->address))
        finding_add(warp, report,
                    "%s %u bytes at 0x%llx, which is memory of the host. Kernels cannot reach it: give them "
                    "memory of cudaMalloc and copy, or memory of cudaMallocManaged.",
                    action, bytes, at);
    else if (number == 0)
        finding_add(warp, report,
                    "%s %u bytes at 0x%llx: that is a null pointer. Give the pointer a buffer first.", action,
                    bytes, at);
    else if (number >= FIRST_BUFFER && number < memory->count)
        finding_add(warp, report,
                    "%s %u bytes at 0x%llx, in memory that was freed before this launch. Free it later, or "
                    "pass a pointer that is still valid.",
                    action, bytes, at);
    else
        finding_add(warp, report,
                    "%s %u bytes at 0x%llx, which is in no buffer. Is the pointer the one that you meant?",
                    action, bytes, at);
}

static const struct allocation *heap_at(const struct warp *warp, uint64_t address)
{
    const struct sim_memory *memory = warp->block->machine->memory;
    return memory->heap && address >> OFFSET_BITS == memory->heap ? &memory->allocations[memory->heap] : NULL;
}

static void report_heap(struct warp *warp, const struct finding_report *report, const struct allocation *heap,
                        unsigned bytes, const char *action)
{
    uint64_t offset = report->address & OFFSETS;
    struct heap_piece piece;
    if (!heap_piece(heap, offset, &piece))
        finding_add(warp, report, "%s %u bytes in the heap of malloc where malloc gave none.", action, bytes);
    else if (piece.freed && offset - piece.at < piece.bytes)
        finding_add(
            warp, report,
            "%s %u bytes, from byte %llu on, of %llu that malloc gave and that were freed since. Free "
            "them after their last use.",
            action, bytes, (unsigned long long)(offset - piece.at), (unsigned long long)piece.bytes);
    else
        finding_add(warp, report,
                    "%s %u bytes, from byte %llu on, of memory of which malloc gave %llu bytes. Check the "
                    "index, or ask malloc for more.",
                    action, bytes, (unsigned long long)(offset - piece.at), (unsigned long long)piece.bytes);
}

void finding_free(struct warp *warp, const struct op *op, uint64_t address, int lane, bool again)
{
    struct finding_report report = { .kind = SIM_OUT_OF_BOUNDS };
    struct address_name n;
    char name[80];
    finding_name_address(warp, SPACE_GLOBAL, address, &n);
    fill(&report, op, lane, &n, address, 1u << lane);
    finding_add(warp, &report,
                again ? "%s frees what was freed before. Free it once: one thread may do it, after all have "
                        "used it."
                      : "%s frees an address that malloc in a kernel did not return. Memory of cudaMalloc is "
                        "freed by the host.",
                finding_name_lane(warp, lane, name));
}

// A place by which finding_out_of_bounds names a buffer; 0: what it names depends on more.
static uint64_t place_of(const struct warp *warp, enum ptx_space space, uint64_t address)
{
    return space == SPACE_SHARED || space == SPACE_LOCAL || is_kept(space, address) ||
                   is_host(warp, space, address)
               ? 0
               : owner_of(warp->block->machine->memory, address);
}

void finding_out_of_bounds(struct warp *warp, const struct op *op, enum ptx_space space,
                           const uint64_t *address, uint32_t lanes, unsigned bytes, bool write)
{
    int lane = __builtin_ctz(lanes);
    struct address_name n;
    char name[80], action[96];
    const struct finding_place at = { op, SIM_OUT_OF_BOUNDS, place_of(warp, space, address[lane]) };
    if (at.place && finding_count(warp, &at, (unsigned)__builtin_popcount(lanes)))
        return;
    finding_name_address(warp, space, address[lane], &n);
    if (is_kept(space, address[lane]) || is_host(warp, space, address[lane])) // near nothing that has a name
        n = (struct address_name){ .space = n.space };
    else if (space == SPACE_SHARED && has_origin(warp, op))
        name_shared(warp, address[lane], op, &n);
    struct finding_report report = { .kind = SIM_OUT_OF_BOUNDS };
    fill(&report, op, lane, &n, address[lane], lanes);
    if (finding_repeats(warp, &report)) {
        if (at.place)
            finding_remember(warp, &at, &report);
        return;
    }
    snprintf(action, sizeof action, "%s %s", finding_name_lane(warp, lane, name), write ? "writes" : "reads");
    const struct allocation *heap = heap_at(warp, address[lane]);
    if (heap && space != SPACE_SHARED && space != SPACE_LOCAL)
        report_heap(warp, &report, heap, bytes, action);
    else if (is_kept(space, address[lane]))
        report_kept(warp, &report, space, bytes, action);
    else if (space == SPACE_LOCAL)
        finding_add(warp, &report,
                    "%s %u bytes outside its local memory: an index into an array of its own is too large or "
                    "negative. Check the index before it is used.",
                    action, bytes);
    else if (n.buffer[0])
        report_named(warp, &report, &n, bytes, action);
    else if (space == SPACE_SHARED)
        finding_add(warp, &report,
                    "%s %u bytes at %llu in shared memory, of which the block has %zu bytes. Check the index "
                    "before it is used.",
                    action, bytes, (unsigned long long)address[lane], warp->block->shared_bytes);
    else if (n.elements)
        report_unnamed(warp, &report, &n, bytes, action);
    else
        report_nowhere(warp, &report, bytes, action);
}

void finding_misaligned(struct warp *warp, const struct op *op, enum ptx_space space, const uint64_t *address,
                        uint32_t lanes, unsigned bytes, bool write)
{
    int lane = __builtin_ctz(lanes);
    struct address_name n;
    char name[80], where[128];
    finding_name_address(warp, space, address[lane], &n);
    struct finding_report report = { .kind = SIM_MISALIGNED };
    fill(&report, op, lane, &n, address[lane], lanes);
    if (finding_repeats(warp, &report))
        return;
    if (n.buffer[0])
        snprintf(where, sizeof where, "at %s[%lld]", n.buffer, (long long)n.element);
    else
        snprintf(where, sizeof where, "in %s memory", n.space);
    finding_add(warp, &report,
                "%s %s %u bytes at once %s, whose address is %llu more than a multiple of %u: such an "
                "access must start at a multiple of its size.",
                finding_name_lane(warp, lane, name), write ? "writes" : "reads", bytes, where,
                (unsigned long long)(address[lane] % bytes), bytes);
}
