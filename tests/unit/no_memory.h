// An allocator whose calls fail by plan, and tries of a task in processes of their own: once with its first allocation
// failing, once with its second, and so on until none fails any more; at every other try all allocations that follow fail
// too. Each time the task succeeds, fails with an error that says something, or ends with the program's sentence that
// there is no memory; nothing crashes, hangs or leaks. The linker puts these functions in the place of the C library's.
#ifndef WARPBOOK_TESTS_NO_MEMORY_H
#define WARPBOOK_TESTS_NO_MEMORY_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/base.h"

// ---- the allocator ------------------------------------------------------------------------------------

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
void __wrap_exit(int status);

enum { BLOCKS = 1 << 16 }; // a power of two
static struct {
    pthread_mutex_t lock;
    bool counting, all_after; // all_after: not one allocation fails but all from that one on
    size_t calls, fails_at, failed;
    const void *blocks[BLOCKS]; // those that are not freed yet; the place of one is near its hash
    size_t live;
} heap = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t block_place(const void *memory)
{
    size_t at = ((uintptr_t)memory >> 4) * 0x9e3779b97f4a7c15u >> 48 & (BLOCKS - 1);
    while (heap.blocks[at] && heap.blocks[at] != memory)
        at = (at + 1) & (BLOCKS - 1);
    return at;
}

static bool allocation_fails(void)
{
    pthread_mutex_lock(&heap.lock);
    bool fails =
        heap.counting && (++heap.calls == heap.fails_at || (heap.all_after && heap.calls > heap.fails_at));
    heap.failed += fails;
    pthread_mutex_unlock(&heap.lock);
    return fails;
}

static void *block_taken(void *memory)
{
    pthread_mutex_lock(&heap.lock);
    if (heap.counting && memory && heap.live < BLOCKS / 2) {
        heap.blocks[block_place(memory)] = memory;
        heap.live++;
    }
    pthread_mutex_unlock(&heap.lock);
    return memory;
}

// What was allocated inside the C library is not known here, and not counted.
static void block_given(const void *memory)
{
    pthread_mutex_lock(&heap.lock);
    size_t hole = block_place(memory);
    if (memory && heap.blocks[hole]) {
        heap.live--;
        heap.blocks[hole] = NULL;
        for (size_t at = (hole + 1) & (BLOCKS - 1); heap.blocks[at]; at = (at + 1) & (BLOCKS - 1)) {
            const void *moved = heap.blocks[at];
            heap.blocks[at] = NULL;
            heap.blocks[block_place(moved)] = moved;
        }
    }
    pthread_mutex_unlock(&heap.lock);
}

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : block_taken(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : block_taken(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (allocation_fails())
        return NULL;
    block_given(memory);
    return block_taken(__real_realloc(memory, size));
}

char *__wrap_strdup(const char *text)
{
    return allocation_fails() ? NULL : block_taken(__real_strdup(text));
}

void __wrap_free(void *memory)
{
    block_given(memory);
    __real_free(memory);
}

// Without what the test program itself does at its end.
void __wrap_exit(int status)
{
    _exit(status);
}

// ---- tries --------------------------------------------------------------------------------------------

enum { NOTHING_FAILED = 40, DONE_ALL_THE_SAME, SAID_WHY, SAID_NOTHING, LEAKED };

// True: done. What it allocates it frees, whatever fails.
typedef bool (*task)(struct error *error);

__attribute__((noreturn)) static void try_once(task body, size_t fails_at, bool all_after)
{
    struct error error = { 0 };
    signal(SIGSEGV, SIG_DFL); // cmocka's handler would go on with the next test here
    alarm(60);
    heap.fails_at = fails_at;
    heap.all_after = all_after;
    heap.counting = true;
    bool done = body(&error);
    heap.counting = false;
    if (heap.live)
        dprintf(STDERR_FILENO, "%zu blocks are left, after %s\n", heap.live, done ? "success" : error.text);
    bool said = error.text[0] && error.code != EXIT_RIGHT;
    if (!heap.failed && !done)
        dprintf(STDERR_FILENO, "it fails without cause: %s\n", error.text);
    _exit(heap.live              ? LEAKED
          : !heap.failed && done ? NOTHING_FAILED
          : !heap.failed         ? SAID_NOTHING
          : done                 ? DONE_ALL_THE_SAME
          : said                 ? SAID_WHY
                                 : SAID_NOTHING);
}

// Has the task done in a process where an allocation fails; true: there are no more that could.
static bool ends_well(task body, size_t fails_at, bool all_after)
{
    char said[4096] = "";
    int status, words = memfd_create("stderr", MFD_CLOEXEC);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(words, STDERR_FILENO);
        try_once(body, fails_at, all_after);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(pread(words, said, sizeof said - 1, 0) >= 0);
    close(words);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    bool told = code == EXIT_MISSING && strstr(said, "There is no memory left");
    if (!told && code != NOTHING_FAILED && code != DONE_ALL_THE_SAME && code != SAID_WHY)
        fail_msg("allocation %zu%s: wait status %d: %s", fails_at, all_after ? " and all after it" : "",
                 status, said);
    return code == NOTHING_FAILED;
}

// `between` is called after each try; NULL: nothing is.
static void survives(task body, void (*between)(void))
{
    size_t fails_at = 1;
    for (bool over = false; !over; fails_at += !over) {
        over = ends_well(body, fails_at, fails_at % 2);
        if (between)
            between();
    }
    print_message("%zu allocations\n", fails_at - 1);
    assert_true(fails_at > 3); // or nothing was tried
}

#endif
