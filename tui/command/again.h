// What review and check share: the answer to a question with numbers that were drawn.
#ifndef WARPBOOK_COMMAND_AGAIN_H
#define WARPBOOK_COMMAND_AGAIN_H

#include "engine/run/run.h"
#include "lessons/answer.h"

// A number of an explorer: of "banks stride=2" the value "wavefronts".
bool explore_value(const char *words, const char *value, double *out, struct error *error);
// Computes the answer to the draw; runs are made through *client, which is started where it is NULL, so long as
// `progress` lets them. EXIT_MISSING: something is not here that a run needs.
bool again_answer(const struct live *live, struct drawn *drawn, struct client **client,
                  client_progress progress, struct error *error);

#endif
