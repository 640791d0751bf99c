// A folder for rooms of a test's own, which the tests of rooms share.
#ifndef WARPBOOK_TEST_ROOMS_H
#define WARPBOOK_TEST_ROOMS_H

#include <stdlib.h>
#include <sys/stat.h>

#include "engine/base/base.h"

// For cmocka, as the setup of a group of tests.
static inline int own_rooms(void **state)
{
    (void)state;
    const char *folder = getenv("TMPDIR");
    char *rooms = path_join(folder ? folder : "/tmp", "rooms.XXXXXX");
    bool fine = mkdtemp(rooms) && setenv("WARPBOOK_ROOMS", rooms, 1) == 0 && chmod(rooms, 0755) == 0;
    free(rooms);
    return fine ? 0 : -1;
}

#endif
