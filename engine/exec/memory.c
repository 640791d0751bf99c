// The memory that the program takes. Device memory has addresses that no process can follow; managed and page-locked memory
// lies where kernels address it, so that both sides have one pointer for it. Every block is known by the number in its
// address, also after it was freed.
#include "engine/exec/exec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_PLACED = 0x200, PLACED_END = 0x7f0, PAGE = 4096 };
static struct exec_block **blocks; // by number; NULL: none
static size_t block_room;
static struct exec_block *registered;
static uint64_t next_placed = FIRST_PLACED, used_bytes;

static uint64_t number_of(sim_address address)
{
    return address / SIM_BUFFER_LIMIT;
}

static bool enter(struct exec_block *block)
{
    uint64_t number = number_of(block->address);
    if (number >= block_room) {
        size_t room = number + number / 2 + 64;
        struct exec_block **more = realloc(blocks, room * sizeof(struct exec_block *));
        if (!more)
            return false;
        memset(more + block_room, 0, (room - block_room) * sizeof(struct exec_block *));
        blocks = more;
        block_room = room;
    }
    free(blocks[number]); // freed long ago
    blocks[number] = block;
    return true;
}

// ---- names: how the program calls a block ----------------------------------------------------------------------------------

// "d_a" of a line such as cudaMalloc((void **)&d_a, n): what the first & of the call's arguments stands before.
static bool name_in_line(const char *line, char *out, size_t size)
{
    const char *call = strstr(line, "lloc");
    const char *at = call ? strchr(call, '&') : NULL;
    size_t length = 0;
    if (!at)
        return false;
    at++;
    at += strspn(at, " (");
    while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.' ||
           (at[length] == '-' && at[length + 1] == '>') ||
           (at[length] == '>' && length && at[length - 1] == '-') || at[length] == '[' || at[length] == ']')
        length++;
    snprintf(out, size, "%.*s", (int)length, at);
    return length > 0;
}

enum { WHERE = 160 };

// The place of the caller, as `where`, and in `out` with the function that it called: "cudaMalloc at main.cu:12".
static void caller_now(struct exec_place *place, char where[WHERE], char *out, size_t size)
{
    place_of_caller(place);
    place_write(place, where, WHERE);
    snprintf(out, size, "%s at %s", exec_function(), where);
}

// Of several allocations in one line, which one this is: lines are told apart by what they call from, in the order in which
// the program first came there.
static size_t number_in_line(const struct exec_place *place)
{
    static struct line_call {
        struct line_call *next;
        const void *from;
        char file[sizeof place->file];
        int line;
    } * calls, **end = &calls;
    size_t number = 0;
    for (const struct line_call *at = calls; at; at = at->next) {
        if (at->from == place->call)
            return number;
        number += at->line == place->line && strcmp(at->file, place->file) == 0;
    }
    struct line_call *new = calloc(1, sizeof *new);
    if (!new)
        return 0;
    new->from = place->call;
    new->line = place->line;
    snprintf(new->file, sizeof new->file, "%s", place->file);
    *end = new;
    end = &new->next;
    return number;
}

// Leaves of a line the allocation with that number, where it has so many.
static void cut_to_call(char *line, size_t number)
{
    char *at = strstr(line, "lloc");
    for (size_t i = 0; i < number && at; i++)
        at = strstr(at + 1, "lloc");
    if (!at)
        return;
    memmove(line, at, strlen(at) + 1);
    char *other = strstr(line + 1, "lloc");
    if (other)
        *other = 0;
}

// Fills in name, place and the size of an element.
static void name_block(struct exec_block *block)
{
    char line[512], where[WHERE];
    caller_now(&block->place, where, block->made, sizeof block->made);
    if (!place_source(&block->place, line, sizeof line))
        *line = 0;
    cut_to_call(line, number_in_line(&block->place));
    if (!name_in_line(line, block->name, sizeof block->name))
        snprintf(block->name, sizeof block->name, "memory of %.50s", where);
    block->element = element_of(&block->place, line, block->name, block->bytes);
}

// ---- taking -----------------------------------------------------------------------------------------------------------------

static bool take_device(struct exec_block *block)
{
    block->mapped = (block->bytes + PAGE - 1) / PAGE * PAGE;
    void *host =
        mmap(NULL, block->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED)
        return false;
    block->host = host;
    block->address =
        sim_memory_add(exec.memory, block->name, host, block->bytes, block->element, SIM_SCRATCH);
    return block->address != 0;
}

// At the next of the addresses that a process can have and that nothing lies at.
static bool take_placed(struct exec_block *block)
{
    block->mapped = (block->bytes + PAGE - 1) / PAGE * PAGE;
    for (int tries = 0; tries < PLACED_END - FIRST_PLACED; tries++) {
        uint64_t number = next_placed++;
        if (next_placed == PLACED_END)
            next_placed = FIRST_PLACED;
        void *at = (void *)(uintptr_t)(number * SIM_BUFFER_LIMIT); // NOLINT(performance-no-int-to-ptr)
        if (number < block_room && blocks[number] && !blocks[number]->freed)
            continue;
        void *host = mmap(at, block->mapped, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (host != at) {
            if (host != MAP_FAILED)
                munmap(host, block->mapped);
            continue;
        }
        block->host = host;
        block->address = number * SIM_BUFFER_LIMIT;
        if (sim_memory_add_at(exec.memory, block->address, block->name, host, block->bytes, block->element,
                              SIM_INOUT))
            return true;
        munmap(host, block->mapped);
    }
    report_missing("managed and page-locked memory in more than 1500 pieces",
                   "Take fewer and larger pieces.");
    return false;
}

static cuda_error take(void **out, size_t bytes, enum exec_kind kind)
{
    struct exec_block *block = out ? calloc(1, sizeof *block) : NULL;
    if (!block)
        return exec_answer(CUDA_INVALID_VALUE);
    block->kind = kind;
    block->bytes = bytes;
    if (bytes >= SIM_BUFFER_LIMIT) {
        free(block);
        return exec_answer(CUDA_NO_MEMORY);
    }
    name_block(block);
    bool good = kind == MEMORY_DEVICE ? take_device(block) : take_placed(block);
    if (!good || !enter(block)) {
        free(block);
        return exec_answer(CUDA_NO_MEMORY);
    }
    used_bytes += bytes;
    *out = (void *)(uintptr_t)block->address; // NOLINT(performance-no-int-to-ptr)
    return CUDA_OK;
}

static cuda_error take_on_device(void **out, size_t bytes)
{
    if (exec_ready())
        return exec.sticky;
    if (out && bytes == 0) {
        *out = NULL;
        return CUDA_OK;
    }
    return take(out, bytes, MEMORY_DEVICE);
}

API(cudaMalloc, void **out, size_t bytes)
{
    ENTER();
    const cuda_error code = graph_unsafe();
    return code ? code : take_on_device(out, bytes);
}

cuda_error memory_take_for_graph(void **out, size_t bytes)
{
    cuda_error code = take_on_device(out, bytes);
    struct exec_block *b = code ? NULL : memory_block(*out, false);
    if (b)
        b->of_graph = true;
    return code;
}

API(cudaMallocFromPoolAsync, void **out, size_t bytes, struct exec_pool *pool,
    const struct exec_stream *stream)
{
    ENTER();
    if (!stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    if (graph_takes(stream)) {
        cuda_error code = memory_take_for_graph(out, bytes);
        return code ? code : graph_memory(stream, GRAPH_TAKES, *out, bytes);
    }
    cuda_error code = graph_unsafe();
    if (code || !pool_takes(&pool, bytes))
        return code ? code : exec_answer(CUDA_NO_MEMORY);
    code = take_on_device(out, bytes);
    struct exec_block *b = code ? NULL : memory_block(*out, false);
    if (b)
        b->pool = pool;
    else
        pool_gets(pool, bytes);
    return code;
}
API_ALSO(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

API(cudaMallocAsync, void **out, size_t bytes, const struct exec_stream *stream)
{
    ENTER();
    return cudaMallocFromPoolAsync(out, bytes, NULL, stream);
}
API_ALSO(cudaMallocAsync_ptsz, cudaMallocAsync);

API(cudaMallocManaged, void **out, size_t bytes, unsigned flags)
{
    ENTER();
    enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };
    const cuda_error code = graph_unsafe();
    if (code || exec_ready())
        return code ? code : exec.sticky;
    if (!out || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST))
        return exec_answer(CUDA_INVALID_VALUE);
    if (bytes)
        return take(out, bytes, MEMORY_MANAGED);
    *out = NULL;
    return CUDA_OK;
}

API(cudaHostAlloc, void **out, size_t bytes, unsigned flags)
{
    ENTER();
    cuda_error code = graph_unsafe();
    if (!code)
        code = take(out, bytes ? bytes : 1, MEMORY_HOST);
    if (!code)
        memory_block(*out, false)->flags = flags;
    return code;
}

API(cudaMallocHost, void **out, size_t bytes)
{
    ENTER();
    const cuda_error code = graph_unsafe();
    return code ? code : take(out, bytes ? bytes : 1, MEMORY_HOST);
}

API(cudaMallocPitch, void **out, size_t *pitch, size_t width, size_t height)
{
    ENTER();
    enum { ROWS_START = 512 };
    if (!pitch || width > SIM_BUFFER_LIMIT || (height && width > SIM_BUFFER_LIMIT / height))
        return exec_answer(pitch ? CUDA_NO_MEMORY : CUDA_INVALID_VALUE);
    *pitch = (width + ROWS_START - 1) / ROWS_START * ROWS_START;
    return cudaMalloc(out, *pitch * height);
}

API(cudaMalloc3D, struct cuda_pitched *out, struct cuda_extent extent)
{
    ENTER();
    if (!out || (extent.depth && extent.height > SIM_BUFFER_LIMIT / extent.depth))
        return exec_answer(CUDA_INVALID_VALUE);
    cuda_error code = cudaMallocPitch(&out->pointer, &out->pitch, extent.width, extent.height * extent.depth);
    out->width = extent.width;
    out->height = extent.height;
    return code;
}

// ---- what an address belongs to ------------------------------------------------------------------------------------------

struct exec_block *memory_block(const void *pointer, bool near)
{
    uintptr_t at = (uintptr_t)pointer;
    for (struct exec_block *b = registered; b; b = b->next)
        if (at - (uintptr_t)b->host < b->bytes || at - b->address < b->bytes)
            return b;
    uint64_t number = number_of(at);
    struct exec_block *b = number < block_room ? blocks[number] : NULL;
    if (!b)
        return NULL;
    return near || (!b->freed && at - b->address < b->bytes) ? b : NULL;
}

bool memory_is_host(sim_address address)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *const at = (void *)(uintptr_t)(address / page * page); // NOLINT(performance-no-int-to-ptr)
    unsigned char resident;
    return !memory_block((const void *)(uintptr_t)address, true) && // NOLINT(performance-no-int-to-ptr)
           mincore(at, 1, &resident) == 0;
}

void *memory_bytes(const void *pointer, size_t bytes, const char *does)
{
    uintptr_t at = (uintptr_t)pointer;
    struct exec_block *b = memory_block(pointer, true);
    size_t left;
    if (!b) {
        void *variable = module_variable_at(at, &left);
        if (variable && bytes <= left)
            return variable;
        if (variable)
            report_host(REPORT_ERROR, "out of bounds", NULL,
                        "%s %s %zu bytes of a variable that has %zu there.", exec_function(), does, bytes,
                        left);
        if (variable || at >> 47) { // no process has such an address
            if (!variable)
                report_host(REPORT_ERROR, "out of bounds", NULL,
                            "%s %s %p, which is no memory of the host or of the device.", exec_function(),
                            does, pointer);
            return NULL;
        }
        return (void *)(uintptr_t)pointer;
    }
    if (b->kind == MEMORY_REGISTERED) {
        size_t offset = at - (uintptr_t)b->host < b->bytes ? at - (uintptr_t)b->host : at - b->address;
        return b->host + offset;
    }
    size_t offset = at - b->address;
    if (b->freed) {
        report_host(REPORT_ERROR, "use after free", NULL, "%s %s %s, which was freed by %s (made by %s).",
                    exec_function(), does, b->name, b->gone, b->made);
        return NULL;
    }
    if (offset <= b->bytes && bytes <= b->bytes - offset)
        return b->host + offset;
    report_host(REPORT_ERROR, "out of bounds", NULL,
                "%s %s %zu bytes at byte %zu of %s, which has %zu bytes (made by %s).", exec_function(), does,
                bytes, offset, b->name, b->bytes, b->made);
    return NULL;
}

void memory_wrote(const void *pointer, size_t bytes)
{
    const struct exec_block *b = memory_block(pointer, false);
    if (b && b->kind == MEMORY_DEVICE)
        sim_memory_written(exec.memory, (sim_address)(uintptr_t)pointer, bytes);
}

size_t memory_of_graphs(void)
{
    size_t bytes = 0;
    for (size_t i = 0; i < block_room; i++)
        bytes += blocks[i] && !blocks[i]->freed && blocks[i]->of_graph ? blocks[i]->bytes : 0;
    return bytes;
}

void memory_each(void (*visit)(const struct exec_block *, void *), void *context)
{
    for (size_t i = 0; i < block_room; i++)
        if (blocks[i] && !blocks[i]->freed)
            visit(blocks[i], context);
    for (const struct exec_block *b = registered; b; b = b->next)
        visit(b, context);
}

void memory_wrote_unseen(void)
{
    for (size_t i = 0; i < block_room; i++)
        if (blocks[i] && !blocks[i]->freed && blocks[i]->kind == MEMORY_DEVICE)
            sim_memory_written(exec.memory, blocks[i]->address, blocks[i]->bytes);
}

// ---- giving back -------------------------------------------------------------------------------------------------------------

static void release(struct exec_block *block)
{
    struct exec_place place;
    char where[WHERE];
    sim_memory_remove(exec.memory, block->address);
    munmap(block->host, block->mapped);
    used_bytes -= block->bytes;
    if (block->pool)
        pool_gets(block->pool, block->bytes);
    block->freed = true;
    caller_now(&place, where, block->gone, sizeof block->gone);
}

static cuda_error give(void *pointer, bool host)
{
    struct exec_block *b = memory_block(pointer, true);
    if (!pointer)
        return CUDA_OK;
    if (!b || b->kind == MEMORY_REGISTERED) {
        report_host(REPORT_ERROR, "invalid free", NULL, "%s gets %p, which no CUDA function returned.",
                    exec_function(), pointer);
        return exec_answer(CUDA_INVALID_VALUE);
    }
    if (b->freed) {
        report_host(REPORT_ERROR, "double free", NULL, "%s frees %s again: it was freed by %s (made by %s).",
                    exec_function(), b->name, b->gone, b->made);
        return exec_answer(CUDA_INVALID_VALUE);
    }
    if ((uintptr_t)pointer != b->address) {
        report_host(REPORT_ERROR, "invalid free", NULL,
                    "%s gets a pointer to byte %zu of %s; only its start can be freed (made by %s).",
                    exec_function(), (size_t)((uintptr_t)pointer - b->address), b->name, b->made);
        return exec_answer(CUDA_INVALID_VALUE);
    }
    if (host != (b->kind == MEMORY_HOST)) {
        report_host(REPORT_ERROR, "invalid free", NULL, "%s gets %s, which is freed by %s (made by %s).",
                    exec_function(), b->name, host ? "cudaFree" : "cudaFreeHost", b->made);
        return exec_answer(CUDA_INVALID_VALUE);
    }
    if (b->of_graph && !b->taken) {
        report_host(REPORT_ERROR, "invalid free", NULL,
                    "%s gets %s, which a launch of its graph takes: it has not done so, or it was given back "
                    "since (made by %s).",
                    exec_function(), b->name, b->made);
        return exec_answer(CUDA_INVALID_VALUE);
    }
    b->taken = false;
    if (!b->of_graph)
        release(b);
    return exec_wait();
}

// After an error of a kernel nothing is freed; memory that the program would have freed does not leak by its mistake.
static cuda_error give_if_ready(void *pointer)
{
    if (!exec_ready())
        return give(pointer, false);
    struct exec_block *b = memory_block(pointer, false);
    if (b && b->address == (uintptr_t)pointer)
        b->kept_by_error = true;
    return exec.sticky;
}

API(cudaFree, void *pointer)
{
    ENTER();
    const cuda_error code = graph_unsafe();
    return code ? code : give_if_ready(pointer);
}

API(cudaFreeAsync, void *pointer, const struct exec_stream *stream)
{
    ENTER();
    if (!stream_is_there(stream))
        return exec_answer(CUDA_INVALID_HANDLE);
    const bool noted = graph_takes(stream);
    const cuda_error unsafe = noted ? CUDA_OK : graph_unsafe();
    if (unsafe)
        return unsafe;
    const struct exec_block *b = noted ? memory_block(pointer, false) : NULL;
    if (b)
        return b->of_graph ? graph_memory(stream, GRAPH_GIVES, pointer, 0) : exec_answer(CUDA_INVALID_VALUE);
    return give_if_ready(pointer);
}
API_ALSO(cudaFreeAsync_ptsz, cudaFreeAsync);

API(cudaFreeHost, void *pointer)
{
    ENTER();
    const cuda_error code = graph_unsafe();
    return code ? code : give(pointer, true);
}

void memory_end(void)
{
    size_t count = 0, bytes = 0;
    const struct exec_block *first = NULL;
    for (size_t i = 0; i < block_room; i++)
        if (blocks[i] && !blocks[i]->freed && !blocks[i]->kept_by_error && !blocks[i]->of_graph) {
            count++;
            bytes += blocks[i]->bytes;
            if (!first)
                first = blocks[i];
        }
    if (count == 1)
        report_host(REPORT_NOTE, "leak", &first->place, "%s is not freed at the end: %zu bytes (made by %s).",
                    first->name, bytes, first->made);
    else if (count)
        report_host(
            REPORT_NOTE, "leak", &first->place,
            "%zu allocations are not freed at the end, %zu bytes in all; the first of them: %s (made by %s).",
            count, bytes, first->name, first->made);
}

API(cudaDeviceReset, void)
{
    ENTER();
    (void)exec_wait();
    for (size_t i = 0; i < block_room; i++)
        if (blocks[i] && !blocks[i]->freed)
            release(blocks[i]);
    streams_end();
    exec.sticky = exec.pending = CUDA_OK;
    return CUDA_OK;
}
API_ALSO(cudaThreadExit, cudaDeviceReset);

// ---- registered memory ------------------------------------------------------------------------------------------------------

API(cudaHostRegister, void *pointer, size_t bytes, unsigned flags)
{
    ENTER();
    enum { REGISTER_FLAGS = 15 };
    const cuda_error unsafe = graph_unsafe();
    if (unsafe)
        return unsafe;
    const struct exec_block *there = memory_block(pointer, false);
    if (!pointer || !bytes || flags & ~(unsigned)REGISTER_FLAGS ||
        (there && there->kind != MEMORY_REGISTERED))
        return exec_answer(CUDA_INVALID_VALUE);
    if (there)
        return exec_answer(CUDA_ALREADY_REGISTERED);
    struct exec_block *block = calloc(1, sizeof *block);
    if (!block)
        return exec_answer(CUDA_NO_MEMORY);
    *block =
        (struct exec_block){ .kind = MEMORY_REGISTERED, .host = pointer, .bytes = bytes, .flags = flags };
    name_block(block);
    block->address = sim_memory_add(exec.memory, block->name, pointer, bytes, block->element, SIM_INOUT);
    block->next = registered;
    registered = block;
    return CUDA_OK;
}

bool memory_has_registered(void)
{
    return registered != NULL;
}

uint64_t memory_of_registered(uint64_t pointer)
{
    for (const struct exec_block *b = registered; b; b = b->next)
        if (pointer - (uintptr_t)b->host < b->bytes)
            return b->address + (pointer - (uintptr_t)b->host);
    return pointer;
}

API(cudaHostUnregister, void *pointer)
{
    ENTER();
    const cuda_error unsafe = graph_unsafe();
    if (unsafe)
        return unsafe;
    for (struct exec_block **at = &registered; *at; at = &(*at)->next)
        if ((*at)->host == pointer) {
            struct exec_block *gone = *at;
            *at = gone->next;
            sim_memory_remove(exec.memory, gone->address);
            free(gone);
            return CUDA_OK;
        }
    return exec_answer(memory_block(pointer, false) ? CUDA_INVALID_VALUE : CUDA_NOT_REGISTERED);
}

API(cudaHostGetDevicePointer, void **out, void *pointer, unsigned flags)
{
    ENTER();
    const struct exec_block *b = memory_block(pointer, false);
    if (!b || !out || flags)
        return exec_answer(CUDA_INVALID_VALUE);
    uintptr_t base = (uintptr_t)(b->kind == MEMORY_REGISTERED ? (uintptr_t)b->host : b->address);
    *out = (void *)(uintptr_t)(b->address + ((uintptr_t)pointer - base)); // NOLINT(performance-no-int-to-ptr)
    return CUDA_OK;
}

API(cudaHostGetFlags, unsigned *flags, void *pointer)
{
    ENTER();
    if (!flags || !memory_block(pointer, false))
        return exec_answer(CUDA_INVALID_VALUE);
    enum { MAPPED = 2 }; // all of it is
    *flags = memory_block(pointer, false)->flags | MAPPED;
    return CUDA_OK;
}

// ---- questions ---------------------------------------------------------------------------------------------------------------

API(cudaPointerGetAttributes, struct cuda_pointer *out, const void *pointer)
{
    ENTER();
    const struct exec_block *b = memory_block(pointer, false);
    if (!out)
        return exec_answer(CUDA_INVALID_VALUE);
    size_t left;
    if (!b && module_variable_at((sim_address)(uintptr_t)pointer, &left)) {
        *out = (struct cuda_pointer){ .type = MEMORY_DEVICE, .device_pointer = (void *)(uintptr_t)pointer };
        return CUDA_OK;
    }
    void *address = (void *)(uintptr_t)pointer, *mapped = address;
    if (!b && module_managed_left(pointer)) {
        *out = (struct cuda_pointer){ .type = MEMORY_MANAGED,
                                      .device_pointer = address,
                                      .host_pointer = address };
        return CUDA_OK;
    }
    if (!b) {
        *out = (struct cuda_pointer){ .type = 0, .device = -2, .host_pointer = (void *)(uintptr_t)pointer };
        return CUDA_OK;
    }
    if (b->kind == MEMORY_REGISTERED)
        cudaHostGetDevicePointer(&mapped, address, 0);
    *out = (struct cuda_pointer){ .type = b->kind == MEMORY_REGISTERED ? MEMORY_HOST : (int)b->kind,
                                  .device_pointer = mapped,
                                  .host_pointer = b->kind == MEMORY_DEVICE ? NULL : address };
    return CUDA_OK;
}

API(cudaMemGetInfo, size_t *free_bytes, size_t *total)
{
    ENTER();
    const size_t all = DEVICE_BYTES;
    if (total)
        *total = all;
    if (free_bytes)
        *free_bytes = all - (used_bytes < all ? used_bytes : all);
    return exec_ready();
}
