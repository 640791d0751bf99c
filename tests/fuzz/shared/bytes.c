// An input as decisions or on a program's stdin, and a folder for this process.
#include "tests/fuzz/shared/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void must(bool holds)
{
    if (!holds)
        abort();
}

struct bytes bytes_of(const uint8_t *data, size_t size)
{
    return (struct bytes){ data, data + size };
}

bool bytes_left(const struct bytes *bytes)
{
    return bytes->at < bytes->end;
}

uint8_t bytes_one(struct bytes *bytes)
{
    return bytes_left(bytes) ? *bytes->at++ : 0;
}

uint32_t bytes_below(struct bytes *bytes, uint32_t count)
{
    uint32_t value = bytes_one(bytes);
    if (count > 256)
        value |= (uint32_t)bytes_one(bytes) << 8;
    if (count > 65536)
        value |= (uint32_t)bytes_one(bytes) << 16;
    return value % count;
}

uint64_t bytes_word(struct bytes *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)bytes_one(bytes) << 8 * i;
    return value;
}

static size_t until(const uint8_t *at, size_t length, bool line)
{
    size_t i = 0;
    while (i < length && at[i] && !(line && at[i] == '\n'))
        i++;
    return i;
}

char *bytes_line(struct bytes *bytes)
{
    size_t length = until(bytes->at, (size_t)(bytes->end - bytes->at), true);
    char *line = mem_copy_n((const char *)bytes->at, length);
    bytes->at += length;
    bytes->at += bytes_left(bytes);
    return line;
}

char *bytes_rest(struct bytes *bytes)
{
    size_t length = until(bytes->at, (size_t)(bytes->end - bytes->at), false);
    char *rest = mem_copy_n((const char *)bytes->at, length);
    bytes->at = bytes->end;
    return rest;
}

// ---- stdin and stdout -----------------------------------------------------------------------------------------

int bytes_file(const void *bytes, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

void bytes_through(const char *bytes, size_t size, int (*program)(void), struct text *said)
{
    int ends[2] = { bytes_file(bytes, size), bytes_file("", 0) }, before[2];
    char piece[65536];
    ssize_t got;
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        before[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        must(before[i] >= 0 && dup2(ends[i], i) == i);
    }
    must(program() == 0);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        must(dup2(before[i], i) == i);
        close(before[i]);
    }
    lseek(ends[1], 0, SEEK_SET);
    while ((got = read(ends[1], piece, sizeof piece)) > 0)
        text_add_n(said, piece, (size_t)got);
    close(ends[0]);
    close(ends[1]);
}

// ---- a folder -----------------------------------------------------------------------------------------------

const char *fuzz_home(void)
{
    static char home[200];
    const char *folder = getenv("TMPDIR");
    if (*home)
        return home;
    format_into(home, sizeof home, "%s/warpbook-fuzz-XXXXXX", folder && *folder ? folder : "/tmp");
    must(mkdtemp(home) != NULL);
    setenv("HOME", home, 1);
    setenv("WARPBOOK_HOME", home, 1);
    setenv("WARPBOOK_CACHE", home, 1);
    setenv("WARPBOOK_LOCKS", home, 1);
    setenv("WARPBOOK_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
    setenv("WARPBOOK_WORKER", "exec false", 1); // nothing runs outside of this process
    unsetenv("XDG_DATA_HOME");
    unsetenv("XDG_CACHE_HOME");
    return home;
}
