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

struct fatbin_wrapper {
    int magic, version;
    const void *image;
    void *file;
};

API_OF(void **, __cudaRegisterFatBinary, void *wrapper)
{
    ENTER();
    const struct fatbin_wrapper *from = wrapper;
    struct exec_module *module = made(sizeof *module);
    module->image = from->image;
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
}

// A managed variable is used by the host through a pointer that the runtime fills in.
API_OF(void, __cudaRegisterManagedVar, void **handle, void **host, char *address, const char *name,
       int external, size_t bytes, int constant, int global)
{
    ENTER();
    struct sim_module_variable variable;
    __cudaRegisterVar(handle, (char *)(void *)host, address, name, external, bytes, constant, global);
    if (module_symbol(host, &variable))
        *host = variable.at;
}

// ---- reading ------------------------------------------------------------------------------------------------------------

// A number after a directive, and the text after it; NULL: there is none.
static const char *number_after(const char *at, long *number)
{
    char *end;
    *number = strtol(at, &end, 10);
    return end == at ? NULL : end + strspn(end, " \t");
}

// The file that lines of the kernels are of: that of the first .loc in one.
static char *source_of(const char *ptx)
{
    const char *loc = strstr(ptx, ".entry");
    long wanted, number;
    do
        loc = loc ? strstr(loc + 1, ".loc") : NULL;
    while (loc && !number_after(loc + strlen(".loc"), &wanted)); // .local begins like it
    if (!loc)
        return NULL;
    for (const char *at = strstr(ptx, ".file"); at; at = strstr(at, ".file")) {
        at += strlen(".file");
        const char *name = number_after(at, &number);
        if (name && number == wanted && *name == '"')
            return strndup(name + 1, strcspn(name + 1, "\"\n"));
    }
    return NULL;
}

char *module_ptx(const struct exec_module *module, char why[FATBIN_WHY])
{
    return fatbin_ptx(module->image, MOST_TARGET, why);
}

bool module_ready(struct exec_module *module)
{
    if (module->tried)
        return module->code != NULL;
    module->tried = true;
    struct sim_fault fault;
    char *ptx = module_ptx(module, module->why);
    if (!ptx)
        return false;
    if (!sim_module_read(ptx, strlen(ptx), &module->code, &fault)) {
        snprintf(module->why, sizeof module->why, "its PTX cannot be read: line %d: %.160s", fault.line,
                 fault.text);
        module->code = NULL;
    }
    module->file = source_of(ptx);
    const char *target = strstr(ptx, ".target sm_");
    module->target = target ? (int)strtol(target + strlen(".target sm_"), NULL, 10) : 0;
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

void module_name_as_written(const char *mangled, char *out, size_t size)
{
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

bool module_symbol(const void *host, struct sim_module_variable *out)
{
    const struct exec_symbol *at = symbols;
    while (at && at->host != host)
        at = at->next;
    return at && module_ready(at->module) &&
           sim_memory_variable(exec.memory, at->module->code, at->name, out);
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
