// Graphs, for the files that keep them: what a node does, and which nodes of its graph it depends on.
#ifndef WARPBOOK_EXEC_GRAPH_H
#define WARPBOOK_EXEC_GRAPH_H

#include "engine/exec/exec.h"

enum node_type { // as cudaGraphNodeType
    NODE_KERNEL,
    NODE_COPY,
    NODE_FILL,
    NODE_HOST,
    NODE_CHILD,
    NODE_EMPTY,
    NODE_WAIT,
    NODE_RECORD,
    NODE_TAKES = GRAPH_TAKES,
    NODE_GIVES = GRAPH_GIVES
};

struct cuda_kernel_node {
    const void *function;
    struct cuda_dim3 grid, block;
    unsigned shared_bytes;
    void **arguments, **extra;
};
struct node_attributes { // what it asks for besides its grid
    struct cuda_launch_attribute all[LAUNCH_ATTRIBUTES];
    unsigned count;
};
struct cuda_host_node {
    void (*function)(void *);
    void *data;
};

struct exec_node {
    struct exec_node *next;
    struct exec_graph *graph;
    const struct exec_node *model; // of which it is a copy
    enum node_type type;
    bool off;
    uint64_t capture; // that it was noted in; 0: none
    struct exec_nodes after;
    size_t rank;                       // scratch: its number in the order of the graph
    struct node_attributes attributes; // of a kernel
    union {
        struct cuda_kernel_node kernel; // the arguments are its own
        struct cuda_copy_3d copy;
        struct cuda_fill fill;
        struct cuda_host_node host;
        struct exec_graph *child;
        struct exec_event *event;
        struct graph_piece {
            void *pointer;
            size_t bytes;
        } memory;
    };
};
struct cuda_take_node { // of memory
    char pool[88];
    const void *access;
    size_t access_count;
    size_t bytes;
    void *pointer; // to the memory, filled in
};
struct graph_user;
struct exec_graph {
    struct exec_node *first, **end; // in an order that their dependencies allow
    struct graph_user *users;
    unsigned long long flags; // with which it was instantiated
    // Of one with nodes of memory: the graph that was instantiated from it, and of that one, this. NULL: there is none.
    struct exec_graph *twin;
};

// ---- graph.c ---------------------------------------------------------------------------------------------------------

struct exec_graph *graph_new(void);
bool graph_has_memory(const struct exec_graph *graph); // nodes that take memory, or give it back
// An error, reported: a graph that has them "cannot be cloned".
cuda_error graph_has_memory_error(const char *rule);
struct exec_graph *graph_copy_of(struct exec_graph *from); // NULL: no memory
struct exec_node *graph_copy_in(const struct exec_graph *graph, const struct exec_node *model);
cuda_error graph_do(const struct exec_graph *graph);
struct exec_node *node_add(struct exec_graph *graph, enum node_type type); // NULL: no memory
void node_remove(struct exec_node *node);
cuda_error node_set_kernel(struct exec_node *node,
                           const struct cuda_kernel_node *what); // copies the arguments

// ---- graph_memory.c ------------------------------------------------------------------------------------------------------

cuda_error cudaGraphAddMemAllocNode(struct exec_node **out, struct exec_graph *graph,
                                    struct exec_node *const *after, size_t count,
                                    struct cuda_take_node *what);
cuda_error cudaGraphAddMemFreeNode(struct exec_node **out, struct exec_graph *graph,
                                   struct exec_node *const *after, size_t count, void *pointer);

// ---- graph_nodes.c -------------------------------------------------------------------------------------------------------

cuda_error graph_add_memory(struct exec_node **out, struct exec_graph *graph, struct exec_node *const *after,
                            size_t count, enum graph_memory does, void *pointer, size_t bytes);
void *graph_memory_of(const struct exec_node *node, enum graph_memory does,
                      size_t *bytes); // NULL: it does not
void node_set_attribute(struct exec_node *node, int id, const void *value);

// ---- graph_capture.c -----------------------------------------------------------------------------------------------------

// An error, reported: what is asked of the stream, which "why", ends its capture.
cuda_error graph_breaks(const struct exec_stream *stream, const char *why);
// A node for what was asked of a stream that is captured; NULL: there is none, and `code` is the error.
struct exec_node *graph_note(const struct exec_stream *stream, enum node_type type, cuda_error *code);

// ---- graph_edges.c -------------------------------------------------------------------------------------------------------

bool graph_order(struct exec_graph *graph); // false: dependencies make a circle, and its order is as before
cuda_error graph_refuse(const char *why);   // reports an invalid graph
void nodes_drop(struct exec_nodes *nodes);
bool nodes_have(const struct exec_nodes *nodes, const struct exec_node *node);
bool nodes_add(struct exec_nodes *nodes, struct exec_node *node);          // once; false: no memory
bool nodes_remove(struct exec_nodes *nodes, const struct exec_node *node); // false: it was not in it
// Makes a node that was added last depend on others of its graph. They are NULL, twice the same, or of another graph: an
// error, which is reported, and the node is removed.
cuda_error node_after(struct exec_node *node, struct exec_node *const *after, size_t count);

// ---- graph_user.c --------------------------------------------------------------------------------------------------------

void graph_users_drop(struct exec_graph *graph);
bool graph_users_copy(struct exec_graph *to, const struct exec_graph *from); // false: no memory

#endif
