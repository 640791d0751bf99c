// Locks between processes: one measures at a time, first come, first served. A lock belongs to a name and to
// all users of a machine; the end of its holder, however it comes, frees it.
#ifndef WARPBOOK_LOCK_H
#define WARPBOOK_LOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/base.h"

struct lock;
// Makes its files where they are missing; never NULL. `what` it is for, "GPU", must live on.
struct lock *lock_open(const char *name, const char *what);
void lock_close(struct lock *lock); // which releases it
enum { LOCK_FILES = 3 };
const char *lock_file(const struct lock *lock, size_t which); // their paths

struct lock_queue { // what a waiting process can be told
    const char *what;
    char holder[96];           // "ada (pid 12)"
    double held_ms, waited_ms; // held_ms: since this holder was first seen from here
    int before;                // how many are served first, the holder among them; 0: the system does not say
};
// Called when the waiting begins and then each second. False ends it.
typedef bool (*lock_wait)(void *context, const struct lock_queue *queue);
// Waits for the lock; false when `wait` ended that, and the error names the holder. Where this machine has no place for
// the lock, it goes on without.
bool lock_take(struct lock *lock, lock_wait wait, void *context, struct error *error);
bool lock_held(const struct lock *lock); // false: it went on without
void lock_release(struct lock *lock);
struct lock_others {
    int open;   // how many other processes have it open, as far as the system says
    bool waits; // one of them waits for what is held here
};
struct lock_others lock_others(const struct lock *lock);

struct lock_place { // where the locks lie
    const char *folder;
    bool usable;  // files can be made there
    bool own;     // of this job or container: others on this machine do not see it
    bool distant; // on a file system of another machine, where locks may not hold
};
struct lock_place lock_place(const char *proc); // "/proc", but for tests

#endif
