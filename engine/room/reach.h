// Reaching a room on another machine: one ssh connection for as long as the learner is there. The room's folder is
// mirrored below the learner's own folder, so all that works in a room works in its mirror; a courier carries what is
// new both ways.
//
//   learner's machine                            room's machine, the learner's account
//   mirror/  <->  warpbook room courier  -- ssh --  warpbook room pipe WORD  <->  WORD/
//
// Both ways travel JSON lines. To the pipe: hello {token, notices}, tell {line}, ask {name, request}, withdraw {name},
// alive. From the pipe: room {the room's description, owner}, delivered {n}, told {n}, notice {line}, queue {state},
// answer {name, answer}, error {text}, alive. The notices and the queue's state come before `delivered`, so that who waits
// for that has read what is new. What is no such line before the first one is what a login prints.
#ifndef WARPBOOK_ROOM_REACH_H
#define WARPBOOK_ROOM_REACH_H

#include "engine/base/silence.h"
#include "engine/room/queue.h"

enum {
    REACH_LINE_MOST = 1 << 23,
    REACH_ALIVE_MS = 5000,  // so often each side says that it is there
    REACH_SILENT_MS = 20000 // a side that was not heard for so long is gone
};

// ---- reach.c: what both sides share ----------------------------------------------------------------------------

struct reach_line { // lines as they come
    struct text received;
    size_t noise; // bytes before the first line that is one
    bool begun;
};
// Reads what is there; false at the end of the stream, or when a line is longer than any may be.
bool reach_read(int fd, struct reach_line *lines);
json_t *reach_next(struct reach_line *lines); // the next whole line that is an object; NULL: none yet
// Writes a line, and waits as long as that takes while the reader is there; `line` is freed.
bool reach_send(int fd, json_t *line);

// ---- pipe.c: on the room's machine -------------------------------------------------------------------------------

// `warpbook room pipe WORD`: serves one learner on stdin and stdout.
int pipe_main(const char *word);

// ---- courier.c: on the learner's machine -----------------------------------------------------------------------------

struct reach_room { // what the other side says of the room
    char word[ROOM_WORD], title[ROOM_TEXT], owner[ROOM_TEXT];
    json_t *json; // room.json
};
// Whether this is WORD@HOST, and not a word or a path.
bool reach_means(const char *word);
bool reach_fits(const char *word_at_host, struct error *error); // and is written as it should be
bool reach_look(const char *word_at_host, struct reach_room *out, struct error *error);
void reach_room_free(struct reach_room *room);
// The path of the mirror of this room, which is made where there is none; the caller frees. NULL: an error.
char *reach_mirror(const char *word_at_host, const struct reach_room *room, struct error *error);
// `warpbook room courier MIRROR`: carries until stdin ends. One courier serves a mirror; a second one waits
// until that has ended, which may be in this moment.
int courier_main(const char *mirror);
bool room_is_mirror(const struct room *room,
                    bool *open); // *open (or NULL): 'connect' keeps a connection to that room's machine
struct errand {                  // the courier that a process of the learner keeps; zero-initialise
    struct child child;
    double begun; // in clock_ms; 0: never
};
// Starts a courier where this process has none that runs, now and then.
void errand_keep(struct errand *errand, const struct room *mirror);
void errand_end(struct errand *errand);
// Whether the courier is connected and has delivered the line of this number. Waits for it as long as a short command may;
// not where it was known already that there is no connection and `fresh` says that nothing is new.
bool errand_done(struct errand *errand, const struct room *mirror, json_int_t number, bool fresh,
                 struct error *error);

#endif
