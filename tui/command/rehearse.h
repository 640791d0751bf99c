// What the two halves of a rehearsal share.
#ifndef WARPBOOK_REHEARSE_H
#define WARPBOOK_REHEARSE_H

#include "engine/room/queue.h"

// rehearse_runs.c: each of the made-up learners, whose folders are HOME/0, HOME/1..., runs a ladder through the room's queue.
// False: it could not be served. *right stays true only when all of them were.
bool rehearse_runs(const struct room *room, const char *home, long count, const struct serve_terms *terms,
                   bool *right, struct error *error);

#endif
