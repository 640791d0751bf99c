// Managed memory that the host touches before it has waited for a kernel which wrote there. Kernels end at their launch here, so
// that the host finds what they wrote; on a GPU it may come too early, and that is a finding. Kernels that use atomics or
// fences of the whole system work with the host on purpose, and are not watched.
//
// A block of managed memory has up to 64 parts. At a launch they cannot be written, until the kernel tries; those that it wrote
// are closed to the host until a function of the interface has waited. Inside of such functions they are open.
#include "engine/exec/exec.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PARTS = 64, WATCHED_MOST = 64 };
static struct watched {
    unsigned char *host;
    size_t part;      // bytes: whole pages
    size_t bytes;     // all of it
    uint64_t written; // a bit for each part that the kernel has written
    const struct exec_block *block;
} watched[WATCHED_MOST];
static size_t count;
static bool launching, pending, told;
static pthread_t launcher; // the thread that kernels run on, where they are checked
static char kernel[KERNEL_NAME];
static uint64_t launch; // its number

static void protect(const struct watched *w, uint64_t parts, int protection)
{
    bool good = true;
    for (unsigned from = 0, to; from < PARTS; from = to + 1) {
        for (to = from; to < PARTS && (parts >> to & 1); to++)
            ;
        const size_t at = from * w->part, bytes = (to - from) * w->part;
        if (to > from && at < w->bytes)
            good &= mprotect(w->host + at, at + bytes < w->bytes ? bytes : w->bytes - at, protection) == 0;
    }
    if (!good) // the process has too many mappings
        (void)mprotect(w->host, w->bytes, PROT_READ | PROT_WRITE);
}

static void watch(const struct exec_block *block, void *context)
{
    if (block->kind != MEMORY_MANAGED || count == WATCHED_MOST)
        return;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), parts = (block->mapped + PARTS - 1) / PARTS;
    watched[count] =
        (struct watched){ block->host, (parts + page - 1) / page * page, block->mapped, 0, block };
    protect(&watched[count++], UINT64_MAX, PROT_READ);
}

void managed_watch(void)
{
    // What an earlier launch wrote may still be closed, and one finding is enough.
    if (pending || told || !fault_is_watched())
        return;
    count = 0;
    launcher = pthread_self();
    launching = true;
    memory_each(watch, NULL);
}

void managed_launched(const struct exec_function *function)
{
    if (!launching)
        return;
    launching = false;
    for (size_t i = 0; i < count; i++) {
        protect(&watched[i], UINT64_MAX, PROT_READ | PROT_WRITE);
        pending |= watched[i].written != 0;
    }
    launch = exec.launches;
    module_function_name(function, kernel, sizeof kernel);
}

void managed_waited(void)
{
    pending = false;
}

void managed_open(bool open)
{
    if (pending && !open && !fault_is_watched())
        pending = false;
    for (size_t i = 0; pending && i < count; i++)
        protect(&watched[i], watched[i].written, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

bool managed_touched(const void *address, const void *code)
{
    struct exec_place place;
    for (size_t i = 0; i < count; i++) {
        struct watched *w = &watched[i];
        const size_t at = (size_t)((const unsigned char *)address - w->host);
        if (at >= w->bytes)
            continue;
        const uint64_t part = 1ull << at / w->part;
        if (launching) {
            w->written |= pthread_equal(launcher, pthread_self()) ? part : 0;
            protect(w, part, PROT_READ | PROT_WRITE);
            return true;
        }
        if (!pending || !(w->written & part))
            return false;
        managed_open(true);
        pending = false;
        told = true;
        place_of_address(code, &place);
        report_host(
            REPORT_WARNING, "missing synchronisation", &place,
            "The host touches %s (made by %s), which %s has written in launch %llu, without waiting for it. "
            "Call cudaDeviceSynchronize before.",
            w->block->name, w->block->made, kernel, (unsigned long long)launch);
        return true;
    }
    return false;
}
