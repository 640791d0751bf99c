// What travels between the worker and its executors, over pipes: a kind, a length, and so many bytes. The worker trusts
// no more of it than of anything else that comes from a process which has met a kernel.
#ifndef WARPBOOK_MESSAGE_H
#define WARPBOOK_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

struct text;

enum message_kind {
    MESSAGE_REQUEST,  // to an executor: a line of the protocol
    MESSAGE_STAGE,    // from it: a line of the protocol, and more will follow
    MESSAGE_RESULT,   // the last line of an answer; the executor waits for the next request
    MESSAGE_FAREWELL, // the same, and the executor ends
    MESSAGE_COMPILE,  // it wants something compiled: what compile_ask packs
    MESSAGE_COMPILED, // to it: what compile_answer packs
    MESSAGE_KINDS
};
enum { MESSAGE_MOST = 256 << 20 }; // bytes

// These wait, even on a non-blocking descriptor. False: the other end is gone, or broke the protocol.
bool message_send(int fd, enum message_kind kind, const void *bytes, size_t length);
bool message_receive(int fd, enum message_kind *kind, struct text *out); // replaces what `out` held

#endif
