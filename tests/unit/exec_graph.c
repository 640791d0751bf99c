// Graphs of the runtime that whole programs get: what depends on what, by hand and by capture, in the order of arguments that
// each version of the interface has. Nodes are fills and copies between arrays of bytes, so that no kernel is needed.
#include "engine/exec/cuda.h"
#include "tests/unit/exec_start.h"

enum { DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 3, NO_FLAGS = 0, BYTES = 16 };

static struct {
    cuda_error (*make)(void **, unsigned), (*drop)(void *),
        (*instantiate)(void **, void *, unsigned long long), (*launch)(void *, void *),
        (*clone)(void **, void *);
    cuda_error (*fill)(void **, void *, void *const *, size_t, const struct cuda_fill *),
        (*copy)(void **, void *, void *const *, size_t, void *, const void *, size_t, int),
        (*nothing)(void **, void *, void *const *, size_t),
        (*child)(void **, void *, void *const *, size_t, void *), (*child_graph)(void *, void **);
    cuda_error (*nodes)(void *, void **, size_t *), (*roots)(void *, void **, size_t *),
        (*edges)(void *, void **, void **, void *, size_t *), (*before)(void *, void **, void *, size_t *),
        (*following)(void *, void **, void *, size_t *), (*depend)(void *, void **, void **, void *, size_t),
        (*release)(void *, void **, void **, void *, size_t), (*destroy)(void *),
        (*draw)(void *, const char *, unsigned);
    cuda_error (*update)(void *, void *, void *),
        (*any)(void **, void *, void *const *, void *, size_t, void *);
    cuda_error (*user)(void **, void *, void (*)(void *), unsigned, unsigned),
        (*retain)(void *, void *, unsigned, unsigned);
    cuda_error (*stream)(void **), (*begin)(void *, int), (*end)(void *, void **), (*event)(void **),
        (*record)(void *, void *), (*wait)(void *, void *, unsigned), (*set)(void *, int, size_t, void *),
        (*info)(void *, int *, uint64_t *, void **, void ***, void *, size_t *);
    cuda_error (*allocate)(void **, size_t), (*read)(void *, const void *, size_t, int);
} cuda;

static int start(void **state)
{
    const struct runtime_name names[] = { { &cuda.make, "cudaGraphCreate" },
                                          { &cuda.drop, "cudaGraphDestroy" },
                                          { &cuda.instantiate, "cudaGraphInstantiate" },
                                          { &cuda.launch, "cudaGraphLaunch" },
                                          { &cuda.clone, "cudaGraphClone" },
                                          { &cuda.fill, "cudaGraphAddMemsetNode" },
                                          { &cuda.copy, "cudaGraphAddMemcpyNode1D" },
                                          { &cuda.nothing, "cudaGraphAddEmptyNode" },
                                          { &cuda.child, "cudaGraphAddChildGraphNode" },
                                          { &cuda.child_graph, "cudaGraphChildGraphNodeGetGraph" },
                                          { &cuda.nodes, "cudaGraphGetNodes" },
                                          { &cuda.roots, "cudaGraphGetRootNodes" },
                                          { &cuda.edges, "cudaGraphGetEdges" },
                                          { &cuda.before, "cudaGraphNodeGetDependencies" },
                                          { &cuda.following, "cudaGraphNodeGetDependentNodes" },
                                          { &cuda.depend, "cudaGraphAddDependencies" },
                                          { &cuda.release, "cudaGraphRemoveDependencies" },
                                          { &cuda.destroy, "cudaGraphDestroyNode" },
                                          { &cuda.draw, "cudaGraphDebugDotPrint" },
                                          { &cuda.update, "cudaGraphExecUpdate" },
                                          { &cuda.any, "cudaGraphAddNode" },
                                          { &cuda.user, "cudaUserObjectCreate" },
                                          { &cuda.retain, "cudaGraphRetainUserObject" },
                                          { &cuda.stream, "cudaStreamCreate" },
                                          { &cuda.begin, "cudaStreamBeginCapture" },
                                          { &cuda.end, "cudaStreamEndCapture" },
                                          { &cuda.event, "cudaEventCreate" },
                                          { &cuda.record, "cudaEventRecord" },
                                          { &cuda.wait, "cudaStreamWaitEvent" },
                                          { &cuda.set, "cudaMemsetAsync" },
                                          { &cuda.info, "cudaStreamGetCaptureInfo" },
                                          { &cuda.allocate, "cudaMalloc" },
                                          { &cuda.read, "cudaMemcpy" } };
    if (!report_begin())
        return -1;
    runtime_load("13", names, sizeof names / sizeof *names);
    return 0;
}

static void *bytes(void)
{
    void *memory;
    assert_int_equal(cuda.allocate(&memory, BYTES), 0);
    return memory;
}

static struct cuda_fill with(void *memory, unsigned value)
{
    return (struct cuda_fill){ memory, BYTES, value, 1, BYTES, 1 };
}

static int first_byte(void *memory)
{
    unsigned char got[BYTES];
    assert_int_equal(cuda.read(got, memory, sizeof got, DEVICE_TO_HOST), 0);
    return got[0];
}

// a -> b -> d, a -> c -> d
struct diamond {
    void *graph, *a, *b, *c, *d;
};

static struct diamond diamond(void)
{
    struct diamond g;
    assert_int_equal(cuda.make(&g.graph, NO_FLAGS), 0);
    assert_int_equal(cuda.nothing(&g.a, g.graph, NULL, 0), 0);
    assert_int_equal(cuda.nothing(&g.b, g.graph, &g.a, 1), 0);
    assert_int_equal(cuda.nothing(&g.c, g.graph, &g.a, 1), 0);
    assert_int_equal(cuda.nothing(&g.d, g.graph, (void *[]){ g.b, g.c }, 2), 0);
    return g;
}

static void a_graph_tells_its_edges(void **state)
{
    struct diamond g = diamond();
    void *from[6], *to[6];
    size_t count = 0;
    assert_int_equal(cuda.roots(g.graph, NULL, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(cuda.roots(g.graph, from, &count), 0);
    assert_ptr_equal(from[0], g.a);
    assert_int_equal(cuda.edges(g.graph, NULL, NULL, NULL, &count), 0);
    assert_int_equal(count, 4);
    count = 6;
    assert_int_equal(cuda.edges(g.graph, from, to, NULL, &count), 0);
    assert_int_equal(count, 4);
    assert_true(from[0] == g.a && to[0] == g.b && from[3] == g.c && to[3] == g.d && !from[4] && !to[5]);
    assert_int_equal(cuda.before(g.d, from, NULL, &count), 0);
    assert_true(count == 2 && from[0] == g.b && from[1] == g.c);
    assert_int_equal(cuda.following(g.a, NULL, NULL, &count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(cuda.destroy(g.b), 0);
    assert_int_equal(cuda.edges(g.graph, NULL, NULL, NULL, &count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(cuda.drop(g.graph), 0);
}

static void a_copy_has_the_same_edges(void **state)
{
    struct diamond g = diamond();
    void *copy, *nodes[4], *before[2];
    size_t count = 4;
    assert_int_equal(cuda.clone(&copy, g.graph), 0);
    assert_int_equal(cuda.drop(g.graph), 0);
    assert_int_equal(cuda.nodes(copy, nodes, &count), 0);
    assert_int_equal(count, 4);
    count = 2;
    assert_int_equal(cuda.before(nodes[3], before, NULL, &count), 0);
    assert_true(before[0] == nodes[1] && before[1] == nodes[2]);
    assert_int_equal(cuda.drop(copy), 0);
}

// A node that was added first is done last when it comes to depend on the others.
static void dependencies_decide_the_order(void **state)
{
    void *graph, *ready, *memory = bytes(), *first, *second;
    const struct cuda_fill one = with(memory, 1), two = with(memory, 2);
    assert_int_equal(cuda.make(&graph, NO_FLAGS), 0);
    assert_int_equal(cuda.fill(&first, graph, NULL, 0, &one), 0);
    assert_int_equal(cuda.fill(&second, graph, NULL, 0, &two), 0);
    assert_int_equal(cuda.depend(graph, &second, &first, NULL, 1), 0);
    assert_int_equal(cuda.instantiate(&ready, graph, 0), 0);
    assert_int_equal(cuda.launch(ready, NULL), 0);
    assert_int_equal(first_byte(memory), 1);
    void *other;
    assert_int_equal(cuda.depend(graph, &first, &second, NULL, 1), 0);
    assert_int_equal(cuda.instantiate(&other, graph, 0), CUDA_INVALID_VALUE);
    expect_reported("in a circle");
    assert_int_equal(cuda.release(graph, &first, &second, NULL, 1), 0);
    assert_int_equal(cuda.depend(graph, &second, &first, NULL, 1), CUDA_INVALID_VALUE);
    expect_reported("depends on the other already");
    assert_int_equal(cuda.release(graph, &second, &first, NULL, 1), 0);
    assert_int_equal(cuda.depend(graph, &first, &second, NULL, 1), 0);
    assert_int_equal(cuda.drop(ready), 0);
    assert_int_equal(cuda.instantiate(&ready, graph, 0), 0);
    assert_int_equal(cuda.launch(ready, NULL), 0);
    assert_int_equal(first_byte(memory), 2);
    assert_int_equal(cuda.drop(ready), 0);
    assert_int_equal(cuda.drop(graph), 0);
}

static void what_cannot_be_depended_on_is_told(void **state)
{
    struct diamond g = diamond(), other = diamond();
    void *node, *none = NULL;
    size_t count;
    assert_int_equal(cuda.nothing(&node, g.graph, &none, 1), CUDA_INVALID_VALUE);
    expect_reported("a node to depend on is null: it has not been added yet");
    assert_int_equal(cuda.nothing(&node, g.graph, &other.a, 1), CUDA_INVALID_VALUE);
    expect_reported("of another graph");
    assert_int_equal(cuda.nothing(&node, g.graph, (void *[]){ g.a, g.a }, 2), CUDA_INVALID_VALUE);
    expect_reported("a node to depend on twice");
    assert_int_equal(cuda.nodes(g.graph, NULL, &count), 0);
    assert_int_equal(count, 4);
    assert_int_equal(cuda.drop(g.graph), 0);
    assert_int_equal(cuda.drop(other.graph), 0);
}

// A fork by an event and its join: two nodes that depend on the first, and one on both. Without the join there is no graph.
static void a_capture_notes_forks_and_joins(void **state)
{
    void *main, *side, *forked, *joined, *graph, *memory = bytes(), *nodes[4], *before[4], *now, **last;
    size_t count = 4;
    uint64_t number;
    int status;
    assert_int_equal(cuda.stream(&main), 0);
    assert_int_equal(cuda.stream(&side), 0);
    assert_int_equal(cuda.event(&forked), 0);
    assert_int_equal(cuda.event(&joined), 0);
    for (int joins = 1; joins >= 0; joins--) {
        assert_int_equal(cuda.begin(main, 0), 0);
        assert_int_equal(cuda.set(memory, 1, BYTES, main), 0);
        assert_int_equal(cuda.record(forked, main), 0);
        assert_int_equal(cuda.wait(side, forked, 0), 0);
        assert_int_equal(cuda.set(memory, 2, BYTES, side), 0);
        assert_int_equal(cuda.set(memory, 3, BYTES, main), 0);
        if (joins) {
            assert_int_equal(cuda.record(joined, side), 0);
            assert_int_equal(cuda.wait(main, joined, 0), 0);
            assert_int_equal(cuda.info(main, &status, &number, &now, &last, NULL, &count), 0);
            assert_true(status == 1 && count == 2 && now && last[0] != last[1]);
        }
        assert_int_equal(cuda.set(memory, 4, BYTES, main), 0);
        assert_int_equal(cuda.end(main, &graph), joins ? 0 : CUDA_CAPTURE_UNJOINED);
        if (!joins)
            break;
        count = 4;
        assert_int_equal(cuda.nodes(graph, nodes, &count), 0);
        assert_int_equal(count, 4);
        assert_int_equal(cuda.before(nodes[1], before, NULL, &count), 0);
        assert_true(count == 1 && before[0] == nodes[0]);
        count = 4;
        assert_int_equal(cuda.before(nodes[3], before, NULL, &count), 0);
        assert_int_equal(count, 2);
        assert_int_equal(cuda.drop(graph), 0);
    }
    assert_null(graph);
    expect_reported("whose last work this stream does not wait for");
}

static void a_graph_is_updated_where_it_has_the_same_shape(void **state)
{
    void *one, *two, *ready, *node, *memory = bytes();
    struct {
        int result;
        void *node, *from;
    } info;
    const struct cuda_fill first = with(memory, 1), second = with(memory, 2);
    assert_int_equal(cuda.make(&one, NO_FLAGS), 0);
    assert_int_equal(cuda.make(&two, NO_FLAGS), 0);
    assert_int_equal(cuda.fill(&node, one, NULL, 0, &first), 0);
    assert_int_equal(cuda.fill(&node, two, NULL, 0, &second), 0);
    assert_int_equal(cuda.instantiate(&ready, one, 0), 0);
    assert_int_equal(cuda.update(ready, two, &info), 0);
    assert_int_equal(cuda.launch(ready, NULL), 0);
    assert_int_equal(first_byte(memory), 2);
    assert_int_equal(cuda.nothing(&node, two, &node, 1), 0);
    assert_int_equal(cuda.update(ready, two, &info), CUDA_GRAPH_UPDATE);
    expect_reported("other nodes, or other dependencies");
    assert_int_equal(cuda.drop(ready), 0);
    assert_int_equal(cuda.drop(one), 0);
    assert_int_equal(cuda.drop(two), 0);
}

static void nodes_of_any_type_and_graphs_in_graphs(void **state)
{
    struct {
        int type, reserved[3];
        union {
            long long room[29];
            struct cuda_fill fill;
        } of;
        long long end;
    } any = { .type = 2 };
    void *inner, *outer, *node, *ready, *found, *memory = bytes();
    size_t count;
    any.of.fill = with(memory, 7);
    assert_int_equal(cuda.make(&inner, NO_FLAGS), 0);
    assert_int_equal(cuda.make(&outer, NO_FLAGS), 0);
    assert_int_equal(cuda.any(&node, inner, NULL, NULL, 0, &any), 0);
    assert_int_equal(cuda.child(&node, outer, NULL, 0, inner), 0);
    assert_int_equal(cuda.child_graph(node, &found), 0);
    assert_int_equal(cuda.nodes(found, NULL, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(cuda.instantiate(&ready, outer, 0), 0);
    assert_int_equal(cuda.launch(ready, NULL), 0);
    assert_int_equal(first_byte(memory), 7);
    any.type = 13;
    assert_int_equal(cuda.any(&node, inner, NULL, NULL, 0, &any), CUDA_NOT_SUPPORTED);
    expect_reported("a graph node with a condition");
    assert_int_equal(cuda.drop(ready), 0);
    assert_int_equal(cuda.drop(inner), 0);
    assert_int_equal(cuda.drop(outer), 0);
}

static void count_up(void *at)
{
    ++*(int *)at;
}

static void an_object_lives_as_long_as_a_graph_holds_it(void **state)
{
    enum { MOVE = 1 };
    void *graph, *ready, *object;
    int destroyed = 0;
    assert_int_equal(cuda.make(&graph, NO_FLAGS), 0);
    assert_int_equal(cuda.user(&object, &destroyed, count_up, 1, 1), 0);
    assert_int_equal(cuda.retain(graph, object, 1, MOVE), 0);
    assert_int_equal(cuda.instantiate(&ready, graph, 0), 0);
    assert_int_equal(cuda.drop(graph), 0);
    assert_int_equal(destroyed, 0);
    assert_int_equal(cuda.drop(ready), 0);
    assert_int_equal(destroyed, 1);
}

static void a_graph_is_drawn(void **state)
{
    struct diamond g = diamond();
    struct text text = { 0 };
    struct error error;
    char *path = text_format("%s.dot", report);
    assert_int_equal(cuda.draw(g.graph, path, 0), 0);
    assert_true(file_read(path, &text, &error));
    assert_non_null(strstr(text_string(&text), "node_2 -> node_3"));
    text_free(&text);
    unlink(path);
    free(path);
    assert_int_equal(cuda.drop(g.graph), 0);
}

// Before CUDA 13 no data of edges come before their number.
static void older_programs_have_other_arguments(void **state)
{
    cuda_error (*make)(void **, unsigned), (*nothing)(void **, void *, void *const *, size_t),
        (*depend)(void *, void **, void **, size_t), (*edges)(void *, void **, void **, size_t *),
        (*update)(void *, void *, void **, int *);
    const struct runtime_name names[] = { { &make, "cudaGraphCreate" },
                                          { &nothing, "cudaGraphAddEmptyNode" },
                                          { &depend, "cudaGraphAddDependencies" },
                                          { &edges, "cudaGraphGetEdges" },
                                          { &update, "cudaGraphExecUpdate" } };
    runtime_load("11.0", names, sizeof names / sizeof *names);
    void *graph, *a, *b, *from[1], *to[1], *wrong = &graph;
    size_t count = 1;
    int result = -1;
    assert_int_equal(make(&graph, NO_FLAGS), 0);
    assert_int_equal(nothing(&a, graph, NULL, 0), 0);
    assert_int_equal(nothing(&b, graph, NULL, 0), 0);
    assert_int_equal(depend(graph, &a, &b, 1), 0);
    assert_int_equal(edges(graph, from, to, &count), 0);
    assert_true(count == 1 && from[0] == a && to[0] == b);
    assert_int_equal(update(graph, graph, &wrong, &result), 0);
    assert_null(wrong);
    assert_int_equal(result, 0);
}

// From 12.3 on, CUDA 12 has both: data of the edges go to names of their own.
static void second_versions_take_data_of_edges(void **state)
{
    enum { SET = 1, EMPTY = 5 };
    cuda_error (*make)(void **, unsigned), (*nothing)(void **, void *, void *const *, size_t),
        (*any)(void **, void *, void *const *, const void *, size_t, void *),
        (*depend)(void *, void **, void **, const void *, size_t),
        (*release)(void *, void **, void **, const void *, size_t),
        (*edges)(void *, void **, void **, uint64_t *, size_t *),
        (*before)(void *, void **, uint64_t *, size_t *), (*following)(void *, void **, uint64_t *, size_t *),
        (*stream)(void **), (*begin)(void *, int),
        (*info)(void *, int *, uint64_t *, void **, void ***, const void **, size_t *),
        (*set)(void *, void **, const void *, size_t, unsigned), (*end)(void *, void **);
    const struct runtime_name names[] = { { &make, "cudaGraphCreate" },
                                          { &nothing, "cudaGraphAddEmptyNode" },
                                          { &any, "cudaGraphAddNode_v2" },
                                          { &depend, "cudaGraphAddDependencies_v2" },
                                          { &release, "cudaGraphRemoveDependencies_v2" },
                                          { &edges, "cudaGraphGetEdges_v2" },
                                          { &before, "cudaGraphNodeGetDependencies_v2" },
                                          { &following, "cudaGraphNodeGetDependentNodes_v2" },
                                          { &stream, "cudaStreamCreate" },
                                          { &begin, "cudaStreamBeginCapture" },
                                          { &info, "cudaStreamGetCaptureInfo_v3" },
                                          { &set, "cudaStreamUpdateCaptureDependencies_v2" },
                                          { &end, "cudaStreamEndCapture" } };
    struct {
        int type, reserved[3];
        long long room[30];
    } what = { .type = EMPTY };
    uint64_t data[2] = { 7, 7 };
    void *graph, *a, *b, *c, *from[2], *to[2];
    size_t count = 2;
    runtime_load("12", names, sizeof names / sizeof *names);
    assert_int_equal(make(&graph, NO_FLAGS), 0);
    assert_int_equal(nothing(&a, graph, NULL, 0), 0);
    assert_int_equal(any(&b, graph, &a, NULL, 1, &what), 0);
    assert_int_equal(nothing(&c, graph, NULL, 0), 0);
    assert_int_equal(depend(graph, &b, &c, NULL, 1), 0);
    assert_int_equal(edges(graph, from, to, data, &count), 0);
    assert_true(count == 2 && data[0] == 0);
    assert_int_equal(release(graph, &a, &b, NULL, 1), 0);
    count = 2;
    assert_int_equal(before(c, from, data, &count), 0);
    assert_true(count == 1 && from[0] == b);
    count = 2;
    assert_int_equal(following(a, to, data, &count), 0);
    assert_int_equal(count, 0);

    void *work, *within, **after, *captured;
    const void *no_data = &work;
    uint64_t number;
    int status;
    assert_int_equal(stream(&work), 0);
    assert_int_equal(begin(work, 0), 0);
    assert_int_equal(info(work, &status, &number, &within, &after, &no_data, &count), 0);
    assert_true(status == 1 && count == 0 && !no_data);
    assert_int_equal(nothing(&a, within, NULL, 0), 0);
    assert_int_equal(set(work, &a, NULL, 1, SET), 0);
    assert_int_equal(info(work, &status, &number, &within, &after, &no_data, &count), 0);
    assert_true(count == 1 && after[0] == a);
    assert_int_equal(end(work, &captured), 0);
    assert_ptr_equal(captured, within);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_graph_tells_its_edges),
        cmocka_unit_test(a_copy_has_the_same_edges),
        cmocka_unit_test(dependencies_decide_the_order),
        cmocka_unit_test(what_cannot_be_depended_on_is_told),
        cmocka_unit_test(a_capture_notes_forks_and_joins),
        cmocka_unit_test(a_graph_is_updated_where_it_has_the_same_shape),
        cmocka_unit_test(nodes_of_any_type_and_graphs_in_graphs),
        cmocka_unit_test(an_object_lives_as_long_as_a_graph_holds_it),
        cmocka_unit_test(a_graph_is_drawn),
        cmocka_unit_test(older_programs_have_other_arguments),
        cmocka_unit_test(second_versions_take_data_of_edges),
    };
    return cmocka_run_group_tests(all, start, report_end);
}
