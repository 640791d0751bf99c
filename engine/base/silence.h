// How long somebody has been silent, to a process that looks again and again. Nobody could be heard while this process stood
// still itself, on a machine that was halted or overloaded: between two looks no more than a moment counts.
#ifndef WARPBOOK_SILENCE_H
#define WARPBOOK_SILENCE_H

struct silence { // in clock_ms
    double looked, ms;
};
enum { SILENCE_LOOK_MS = 2000 };

static inline void silence_ends(struct silence *silence, double now)
{
    *silence = (struct silence){ now, 0 };
}

static inline double silence_look(struct silence *silence, double now)
{
    double since = now - silence->looked;
    silence->ms += since < SILENCE_LOOK_MS ? since : SILENCE_LOOK_MS;
    silence->looked = now;
    return silence->ms;
}

// A client that sends a request, or something while one is served, is there. What it sends meanwhile is read only after
// the request: until then it waits in the pipe.
struct hearing {
    unsigned requests; // begun
    int pending;       // bytes that wait
    struct silence silence;
};

static inline double hearing_look(struct hearing *hearing, unsigned requests, int pending, double now)
{
    if (requests != hearing->requests || pending != hearing->pending)
        *hearing = (struct hearing){ requests, pending, { now, 0 } };
    return silence_look(&hearing->silence, now);
}

#endif
