// Objects of the program's own that graphs hold: what they need to live until the last graph that uses it is gone.
#include "engine/exec/graph.h"

#include <stdlib.h>

struct exec_user {
    void *object;
    void (*destroy)(void *);
    size_t held; // by the program and by graphs
};
struct graph_user {
    struct graph_user *next;
    struct exec_user *user;
    size_t held;
};
enum { MOVED = 1 }; // the graph takes over what the program held

static void release(struct exec_user *user, size_t count)
{
    user->held -= count < user->held ? count : user->held;
    if (user->held)
        return;
    user->destroy(user->object);
    free(user);
}

void graph_users_drop(struct exec_graph *graph)
{
    struct graph_user *next;
    for (struct graph_user *at = graph->users; at; at = next) {
        next = at->next;
        release(at->user, at->held);
        free(at);
    }
    graph->users = NULL;
}

static bool hold(struct exec_graph *graph, struct exec_user *user, size_t count)
{
    struct graph_user *new = malloc(sizeof *new);
    if (!new)
        return false;
    *new = (struct graph_user){ graph->users, user, count };
    graph->users = new;
    return true;
}

bool graph_users_copy(struct exec_graph *to, const struct exec_graph *from)
{
    for (const struct graph_user *at = from->users; at; at = at->next) {
        if (!hold(to, at->user, 1))
            return false;
        at->user->held++;
    }
    return true;
}

API(cudaUserObjectCreate, struct exec_user **out, void *object, void (*destroy)(void *), unsigned count,
    unsigned flags)
{
    ENTER();
    enum { NO_DESTRUCTOR_SYNC = 1 }; // the only one, and it has to be
    if (!out || !destroy || !count || flags != NO_DESTRUCTOR_SYNC)
        return exec_answer(CUDA_INVALID_VALUE);
    *out = malloc(sizeof **out);
    if (!*out)
        return exec_answer(CUDA_NO_MEMORY);
    **out = (struct exec_user){ object, destroy, count };
    return exec_ready();
}

API(cudaUserObjectRetain, struct exec_user *user, unsigned count)
{
    ENTER();
    if (!user || !count)
        return exec_answer(CUDA_INVALID_VALUE);
    user->held += count;
    return exec_ready();
}

API(cudaUserObjectRelease, struct exec_user *user, unsigned count)
{
    ENTER();
    if (!user || !count)
        return exec_answer(CUDA_INVALID_VALUE);
    release(user, count);
    return exec_ready();
}

API(cudaGraphRetainUserObject, struct exec_graph *graph, struct exec_user *user, unsigned count,
    unsigned flags)
{
    ENTER();
    if (!graph || !user || !count)
        return exec_answer(CUDA_INVALID_VALUE);
    if (!hold(graph, user, count))
        return exec_answer(CUDA_NO_MEMORY);
    user->held += flags & MOVED ? 0 : count;
    return exec_ready();
}

API(cudaGraphReleaseUserObject, struct exec_graph *graph, struct exec_user *user, unsigned count)
{
    ENTER();
    struct graph_user **at = graph ? &graph->users : NULL;
    while (at && *at && ((*at)->user != user || (*at)->held < count))
        at = &(*at)->next;
    if (!at || !*at || !count)
        return exec_answer(CUDA_INVALID_VALUE);
    struct graph_user *found = *at;
    found->held -= count;
    if (!found->held) {
        *at = found->next;
        free(found);
    }
    release(user, count);
    return exec_ready();
}
