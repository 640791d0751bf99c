// The NVIDIA driver, found when the program runs: libcuda.so.1 comes with the driver and nothing else does,
// so a machine without one still starts warpbook, which says in a sentence what is missing.
#include "engine/gpu/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct driver_symbol {
    const char *name;
    size_t offset; // of its pointer in struct driver
    bool optional;
};

#define NEEDED(name, parameters) { #name, offsetof(struct driver, name), false },
#define OPTIONAL(name, parameters) { #name, offsetof(struct driver, name), true },
static const struct driver_symbol symbols[] = { DRIVER_FUNCTIONS(NEEDED) DRIVER_OPTIONAL(OPTIONAL) };

static bool symbols_load(struct driver *driver, void *library, struct error *error)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address && !symbols[i].optional)
            return error_set(error, EXIT_MISSING,
                             "%s has no %s, so the NVIDIA driver is too old (or is not one).\n"
                             "Install driver 450 or newer; what runs on the CPU works without.",
                             driver->path, symbols[i].name);
        memcpy((char *)driver + symbols[i].offset, &address, sizeof address);
    }
    return true;
}

static void path_note(struct driver *driver, void *library, const char *asked)
{
    Dl_info info;
    void *address = dlsym(library, "cuInit");
    bool known = address && dladdr(address, &info) != 0 && info.dli_fname;
    format_into(driver->path, sizeof driver->path, "%s", known ? info.dli_fname : asked);
}

static void *library_open(struct driver *driver, struct error *error)
{
    const char *chosen = getenv("WARPBOOK_LIBCUDA");
    bool given = chosen && *chosen;
    const char *name = given ? chosen : "libcuda.so.1";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) {
        path_note(driver, library, name);
        return library;
    }
    const char *reason = dlerror();
    if (given)
        error_set(error, EXIT_MISSING,
                  "The driver that $WARPBOOK_LIBCUDA names cannot be opened: %s.\n"
                  "Correct the variable, or unset it to use the system's driver.",
                  reason ? reason : name);
    else
        error_set(error, EXIT_MISSING,
                  "There is no NVIDIA driver here (%s).\n"
                  "With an NVIDIA GPU in this machine, install its driver; in a container, pass the GPU "
                  "through (--gpus all). What runs on the CPU works without.",
                  reason ? reason : name);
    return NULL;
}

static bool driver_start(struct driver *driver, struct error *error)
{
    const char *doing = "Starting the NVIDIA driver";
    int devices = 0;
    int code = driver->cuInit(0);
    if (code != 0)
        return driver_fault(driver, code, "cuInit", doing, error);
    if (driver->cuDriverGetVersion(&driver->version) != 0)
        driver->version = 0; // unknown: only said, never decided by
    code = driver->cuDeviceGetCount(&devices);
    if (code != 0)
        return driver_fault(driver, code, "cuDeviceGetCount", doing, error);
    if (devices < 1)
        return driver_fault(driver, CU_NO_DEVICE, "cuDeviceGetCount", doing, error);
    return true;
}

bool driver_open(struct driver **out, struct error *error)
{
    *out = NULL;
    struct driver *driver = mem_new(sizeof *driver);
    void *library = library_open(driver, error);
    if (library && symbols_load(driver, library, error) && driver_start(driver, error)) {
        *out = driver;
        return true;
    }
    free(driver);
    return false;
}

void driver_close(struct driver *driver)
{
    // The library stays loaded: the driver starts threads of its own, which would lose their code.
    free(driver);
}

int driver_version(const struct driver *driver)
{
    return driver->version;
}

const char *driver_path(const struct driver *driver)
{
    return driver->path;
}

static void add_device(struct driver_files *out, const char *format, int number)
{
    char *path = out->paths[out->change_count];
    if (out->change_count == DRIVER_FILES)
        return;
    format_into(path, sizeof out->paths[0], format, number);
    if (access(path, F_OK) == 0)
        out->change[out->change_count++] = path;
}

void driver_files(const struct driver *driver, struct driver_files *out)
{
    static const char *const devices[] = { "/dev/nvidiactl",      "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
                                           "/dev/nvidia-caps",    "/dev/null",       "/dev/zero",
                                           "/dev/nvidia-modeset", "/dev/shm" };
    *out = (struct driver_files){ .read = { "/proc", "/sys", "/dev/urandom" }, .read_count = 3 };
    char *real = realpath(driver->path, NULL), *slash = real ? strrchr(real, '/') : NULL;
    format_into(out->folder, sizeof out->folder, "%.*s", slash ? (int)(slash - real) : 0, real ? real : "");
    out->read[out->read_count++] = out->folder;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        add_device(out, devices[i], 0);
    for (int i = 0; i < DRIVER_FILES; i++)
        add_device(out, "/dev/nvidia%d", i);
    free(real);
}
