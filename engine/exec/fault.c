// A pointer to device memory that the host follows. Such an address cannot be one of a process, so the processor stops the
// program without saying which address it was: it is looked for in the registers. What is known is reported, then the
// program ends by its signal, as it would have.
#include "engine/exec/exec.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

static struct sigaction before[2];

static const void *code_address(const ucontext_t *at)
{
#if defined(__x86_64__)
    return (const void *)at->uc_mcontext.gregs[REG_RIP]; // NOLINT(performance-no-int-to-ptr)
#elif defined(__aarch64__)
    return (const void *)at->uc_mcontext.pc; // NOLINT(performance-no-int-to-ptr)
#else
    return NULL;
#endif
}

// The block that a register points into: of those that the host cannot reach.
static const struct exec_block *block_in_registers(const ucontext_t *at, uint64_t *address)
{
#if defined(__x86_64__)
    enum { COUNT = REG_RIP };
    const greg_t *registers = at->uc_mcontext.gregs;
#elif defined(__aarch64__)
    enum { COUNT = 31 };
    const unsigned long long *registers = at->uc_mcontext.regs;
#else
    enum { COUNT = 0 };
    const unsigned long long *registers = NULL;
#endif
    for (int i = 0; i < COUNT; i++) {
        *address = (uint64_t)registers[i];
        const struct exec_block *b =
            memory_block((const void *)*address, true); // NOLINT(performance-no-int-to-ptr)
        if (b && (b->kind == MEMORY_DEVICE || b->freed))
            return b;
    }
    return NULL;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *at = context;
    struct exec_place place;
    if (managed_touched(info->si_addr, code_address(at)))
        return;
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    sigaction(signal, &before[signal == SIGBUS], NULL); // what follows is done once
    const struct exec_block *b = address ? memory_block(info->si_addr, true) : NULL;
    char byte[40] = "";
    if (b)
        snprintf(byte, sizeof byte, "byte %lld of ", (long long)(address - b->address));
    else
        b = block_in_registers(at, &address); // an element of it, or its start
    place_of_address(code_address(at), &place);
    if (b && b->freed)
        report_host(REPORT_ERROR, "use after free", &place,
                    "The host touches %s, which was freed by %s (made by %s).", b->name, b->gone, b->made);
    else if (b && b->kind == MEMORY_DEVICE)
        report_host(
            REPORT_ERROR, "device pointer on the host", &place,
            "The host follows a pointer to memory of the device: %s%s (made by %s). Copy it to the host "
            "by cudaMemcpy first, or use cudaMallocManaged.",
            byte, b->name, b->made);
    else if (b)
        report_host(REPORT_ERROR, "out of bounds", &place,
                    "The host touches byte %lld of %s, which has %zu bytes (made by %s).",
                    (long long)(address - b->address), b->name, b->bytes, b->made);
}

bool fault_is_watched(void)
{
    struct sigaction now;
    return sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault;
}

void fault_watch(void)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before[0]);
    sigaction(SIGBUS, &action, &before[1]);
}
