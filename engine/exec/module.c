// What the program registers before main: its fat binaries, the kernels and variables in them, and by which address of the
// host it names each. Code is read when a kernel or a variable of it is first used.
#include "engine/exec/exec.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, MOST_TARGET = 90 };
static struct exec_module *modules;
static struct exec_function *functions[BUCKETS];
static struct exec_symbol *symbols;

static void *made(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory)
        abort();
    return memory;
}

static unsigned bucket_of(const void *host)
{
    return (unsigned)((uintptr_t)host * 0x9e3779b97f4a7c15ull >> 54);
}

// ---- what the compiler's code calls --------------------------------------------------------------------------------

enum { WRAPPER_LINKED = 2 };
struct fatbin_wrapper {
    int magic, version;
    const void *image;
    void *linked; // with WRAPPER_LINKED: the images that nvcc -rdc=true linked, up to a NULL
};

API_OF(void **, __cudaRegisterFatBinary, void *wrapper)
{
    ENTER();
    const struct fatbin_wrapper *from = wrapper;
    struct exec_module *module = made(sizeof *module);
    module->image = from->image;
    if (from->version == WRAPPER_LINKED)
        module->linked = from->linked;
    module->next = modules;
    modules = module;
    struct exec_module **handle = made(sizeof(void *));
    *handle = module;
    return (void **)(void *)handle;
}

API_OF(void, __cudaRegisterFatBinaryEnd, void **handle)
{
}
API_OF(void, __cudaUnregisterFatBinary, void **handle)
{
}
API_OF(char, __cudaInitModule, void **handle)
{
    return 1;
}

API_OF(void, __cudaRegisterFunction, void **handle, const void *host, char *device, const char *name,
       int limit, void *a, void *b, void *c, void *d, int *warp_size)
{
    ENTER();
    struct exec_function *function = made(sizeof *function);
    function->host = host;
    function->module = *(struct exec_module **)(void *)handle;
    function->name = strdup(name);
    function->kernel = -1;
    function->next = functions[bucket_of(host)];
    functions[bucket_of(host)] = function;
}

static char *managed_start, *managed_end;
static bool any_managed;

// The host sees a managed variable's first value before a kernel has run.
static void share(struct exec_symbol *symbol, size_t bytes)
{
    struct sim_module_variable variable;
    if (!module_ready(symbol->module) ||
        !sim_memory_variable(exec.memory, symbol->module->code, symbol->name, &variable))
        return;
    symbol->shared = bytes < variable.bytes ? bytes : variable.bytes;
    symbol->managed = any_managed = true;
    memcpy((void *)(uintptr_t)symbol->host, variable.at, symbol->shared); // NOLINT(performance-no-int-to-ptr)
}

bool module_has_managed(void)
{
    return any_managed;
}

void module_share(bool with_host)
{
    for (const struct exec_symbol *at = any_managed ? symbols : NULL; at; at = at->next) {
        struct sim_module_variable v;
        if (!at->shared || !sim_memory_variable(exec.memory, at->module->code, at->name, &v))
            continue;
        void *host = (void *)(uintptr_t)at->host; // NOLINT(performance-no-int-to-ptr)
        memcpy(with_host ? host : v.at, with_host ? v.at : host, at->shared);
    }
}

// The managed variable that the host has at an address, which is in it at `from`; false: there is none.
static bool managed_at(uint64_t pointer, struct sim_module_variable *out, uint64_t *from)
{
    for (const struct exec_symbol *at = any_managed ? symbols : NULL; at; at = at->next) {
        if (!at->managed || !sim_memory_variable(exec.memory, at->module->code, at->name, out))
            continue;
        *from = pointer - (uintptr_t)(at->shared ? at->host : out->at);
        if (*from < out->bytes)
            return true;
    }
    return false;
}

uint64_t module_address_of_managed(uint64_t pointer)
{
    struct sim_module_variable v;
    uint64_t from;
    return managed_at(pointer, &v, &from) ? v.address + from : pointer;
}

size_t module_managed_left(const void *pointer)
{
    struct sim_module_variable v;
    uint64_t from;
    return managed_at((uintptr_t)pointer, &v, &from) ? v.bytes - (size_t)from : 0;
}

API_OF(void, __cudaRegisterVar, void **handle, char *host, char *address, const char *name, int external,
       size_t bytes, int constant, int global)
{
    ENTER();
    struct exec_symbol *symbol = made(sizeof *symbol);
    symbol->host = host;
    symbol->module = *(struct exec_module **)(void *)handle;
    symbol->name = strdup(name);
    symbol->next = symbols;
    symbols = symbol;
    if (host >= managed_start && host < managed_end)
        share(symbol, bytes);
}

// Of programs that clang compiled, whose managed variables are bytes of the host in [start, end) by the name of the device's;
// more files than one have the same range.
API_OF(void, __cudaShareManagedVars, char *start, char *end)
{
    managed_start = start;
    managed_end = end;
}

// A managed variable is used by the host through a pointer that the runtime fills in.
API_OF(void, __cudaRegisterManagedVar, void **handle, void **host, char *address, const char *name,
       int external, size_t bytes, int constant, int global)
{
    ENTER();
    struct sim_module_variable variable;
    __cudaRegisterVar(handle, (char *)(void *)host, address, name, external, bytes, constant, global);
    if (!module_symbol(host, &variable))
        return;
    *host = variable.at;
    symbols->managed = any_managed = true; // the one that was just added
}

// ---- reading ------------------------------------------------------------------------------------------------------------

static int target_of(const char *ptx)
{
    const char *target = strstr(ptx, ".target sm_");
    return target ? (int)strtol(target + strlen(".target sm_"), NULL, 10) : 0;
}

// The PTX of each file. The device runtime, which programs of several files are linked with, has some for the newest GPUs
// alone, and is left out.
static char **texts_of(const struct exec_module *module, size_t *texts_count, char why[FATBIN_WHY])
{
    const void *const alone[] = { module->image, NULL };
    const void *const *images = module->linked ? module->linked : alone;
    size_t count = 0, found = 0;
    while (images[count])
        count++;
    char **texts = made((count + 1) * sizeof *texts);
    bool older = false;
    for (size_t i = 0; i < count; i++) {
        char *text = fatbin_ptx(images[i], MOST_TARGET, why);
        if (text)
            texts[found++] = text;
        older |= text && target_of(text) <= MOST_TARGET;
    }
    count = 0;
    for (size_t i = 0; i < found; i++)
        if (older && target_of(texts[i]) > MOST_TARGET)
            free(texts[i]);
        else
            texts[count++] = texts[i];
    *texts_count = count;
    return texts;
}

// Frees the texts, but for one that stands alone.
static char *link_texts(char **texts, size_t count, struct linked_source *sources, char why[FATBIN_WHY])
{
    char *linked = NULL;
    if (count == 1) {
        linked = texts[0];
        if (sources)
            *sources = (struct linked_source){ ptx_source(linked), 1 };
    } else if (count) {
        linked = link_ptx(texts, count, sources);
        if (!linked)
            snprintf(why, FATBIN_WHY, "there is not enough memory to link its PTX");
        for (size_t i = 0; i < count; i++)
            free(texts[i]);
    }
    free(texts);
    return linked;
}

// Whether the text has this kernel.
static bool has_kernel(const char *ptx, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(ptx, ".entry"); at; at = strstr(at, ".entry")) {
        at += strlen(".entry");
        at += strspn(at, " \t");
        if (strncmp(at, name, length) == 0 && strchr(" \t\n(", at[length]))
            return true;
    }
    return false;
}

char *module_ptx(const struct exec_module *module, const char *kernel, char why[FATBIN_WHY])
{
    size_t count, first = 0;
    char **texts = texts_of(module, &count, why);
    while (first < count && !has_kernel(texts[first], kernel))
        first++;
    if (first < count) {
        char *text = texts[0];
        texts[0] = texts[first];
        texts[first] = text;
    }
    return link_texts(texts, count, NULL, why);
}

const char *module_source(const struct exec_module *module, int ptx_line)
{
    const char *file = NULL;
    for (size_t i = 0; i < module->source_count && module->sources[i].line <= ptx_line; i++)
        file = module->sources[i].file;
    return file;
}

bool module_ready(struct exec_module *module)
{
    if (module->tried)
        return module->code != NULL;
    module->tried = true;
    struct sim_fault fault;
    char **texts = texts_of(module, &module->source_count, module->why);
    module->sources = made((module->source_count + 1) * sizeof *module->sources);
    char *ptx = link_texts(texts, module->source_count, module->sources, module->why);
    if (!ptx)
        return false;
    if (!sim_module_read(ptx, strlen(ptx), &module->code, &fault)) {
        snprintf(module->why, sizeof module->why, "its PTX cannot be read: line %d: %.160s", fault.line,
                 fault.text);
        module->code = NULL;
    }
    module->target = target_of(ptx);
    module->with_host =
        strstr(ptx, ".sys") || strstr(ptx, ".volatile.global"); // atomics and fences of the system
    free(ptx);
    return module->code != NULL;
}

struct exec_function *module_function(const void *host)
{
    struct exec_function *at = functions[bucket_of(host)];
    while (at && at->host != host)
        at = at->next;
    if (at)
        return at;
    for (int i = 0; i < BUCKETS; i++) // a cudaKernel_t
        for (at = functions[i]; at; at = at->next)
            if (at == host)
                return at;
    return NULL;
}

// The name in one that nvcc -rdc=true made of a static function's: "__nv_static_", the length of what the file is called
// there and that, and the name.
const char *module_name_without_file(const char *mangled)
{
    static const char prefix[] = "__nv_static_";
    if (strncmp(mangled, prefix, sizeof prefix - 1) != 0)
        return mangled;
    char *file;
    unsigned long length = strtoul(mangled + sizeof prefix - 1, &file, 10);
    bool whole = *file == '_' && length < strlen(file + 1) && file[1 + length] == '_';
    return whole ? file + 1 + length + 1 : mangled;
}

void module_name_as_written(const char *mangled, char *out, size_t size)
{
    mangled = module_name_without_file(mangled);
    char *(*demangle)(const char *, char *, size_t *, int *) =
        (char *(*)(const char *, char *, size_t *, int *))dlsym(RTLD_DEFAULT, "__cxa_demangle");
    int status = 1;
    char *name = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    const char *whole = name && status == 0 ? name : mangled;
    size_t length = strlen(whole), returns = strncmp(whole, "void ", 5) == 0 ? 5 : 0; // of a template
    if (length && whole[length - 1] == ')') { // parameters, in which there may be parentheses as well
        int depth = 0;
        do {
            length--;
            depth += (whole[length] == ')') - (whole[length] == '(');
        } while (depth > 0 && length > returns);
    }
    snprintf(out, size, "%.*s", (int)(length - returns), whole + returns);
    free(name);
}

void module_function_name(const struct exec_function *function, char *out, size_t size)
{
    module_name_as_written(function->name, out, size);
}

// A variable with the bytes that the host has of it.
static const struct exec_symbol *symbol_of(const void *host, struct sim_module_variable *out)
{
    const struct exec_symbol *at = symbols;
    while (at && at->host != host)
        at = at->next;
    if (at) {
        if (!module_ready(at->module) || !sim_memory_variable(exec.memory, at->module->code, at->name, out))
            return NULL;
        if (at->shared)
            out->at = (void *)(uintptr_t)at->host; // NOLINT(performance-no-int-to-ptr)
        return at;
    }
    // Programs of nvcc name a managed variable by where its bytes are, too.
    for (at = any_managed ? symbols : NULL; at; at = at->next)
        if (at->managed && sim_memory_variable(exec.memory, at->module->code, at->name, out) &&
            out->at == host)
            return at;
    return NULL;
}

bool module_symbol(const void *host, struct sim_module_variable *out)
{
    return symbol_of(host, out);
}

void *module_symbol_pointer(const void *host)
{
    struct sim_module_variable v;
    const struct exec_symbol *symbol = symbol_of(host, &v);
    return !symbol           ? NULL
           : symbol->managed ? v.at
                             : (void *)(uintptr_t)v.address; // NOLINT(performance-no-int-to-ptr)
}

void module_each_variable(const struct exec_module *module,
                          void (*visit)(const char *name, const struct sim_module_variable *, void *),
                          void *context)
{
    for (const struct exec_symbol *at = symbols; at; at = at->next) {
        struct sim_module_variable v;
        if (at->module == module && sim_memory_variable(exec.memory, module->code, at->name, &v))
            visit(at->name, &v, context);
    }
}

void *module_variable_at(sim_address address, size_t *left)
{
    for (const struct exec_symbol *at = symbols; at; at = at->next) {
        struct sim_module_variable v;
        if (!at->module->code || !sim_memory_variable(exec.memory, at->module->code, at->name, &v))
            continue;
        if (address >= v.address && address - v.address < v.bytes) {
            *left = v.bytes - (size_t)(address - v.address);
            return (char *)v.at + (address - v.address);
        }
    }
    return NULL;
}
