// The step page: a launch in the simulator, one instruction after the other. step.c is the page, step_walk.c moves the
// trace in the background, step_draw.c and step_variables.c draw what is kept of it.
#ifndef WARPBOOK_STEP_PAGE_H
#define WARPBOOK_STEP_PAGE_H

#include "engine/run/simulation.h"
#include "tui/text/stepping.h"
#include "tui/view/view.h"

// ---- a trace as it was when nothing moved it ---------------------------------------------------

enum { SEEN_REGISTERS = 16, SEEN_PATHS = 64, SEEN_VARIABLES = 256 };
struct step_seen {
    bool known; // the trace is open
    struct sim_spot spot;
    size_t launch, launches;
    struct sim_register next[SEEN_REGISTERS]; // those of the next instruction
    size_t next_count;
    struct sim_register chosen; // or the variable as one
    bool has_chosen;
    struct sim_variable *variable; // that was chosen; NULL: a register was
    struct sim_variable *variables;
    bool *variable_changed; // in some lane, a move ago
    size_t variable_count;
    bool has_variables;                       // the code names some
    uint32_t threads[32][3];                  // by lane
    uint32_t changed;                         // lanes in which the chosen one was different a move ago
    struct sim_matrix matrices[SIM_MATRICES]; // of the next instruction
    size_t matrix_count;
    bool sparse;
    struct sim_sparsity sparsity;
    bool has_touched;
    struct sim_touched touched;
    uint32_t *shared;
    size_t shared_words;
    struct sim_warp warps[32];
    size_t warp_count;
    struct sim_path paths[SEEN_PATHS];
    size_t path_count;
    struct sim_finding *findings;
    size_t finding_count;
    char *printed;
};

// ---- step_walk.c: moves ------------------------------------------------------------------

enum { MOVES_WAITING = 16 };
struct step_place { // where another build of the same kernel was
    bool known;
    size_t launch;
    uint64_t block;
    uint32_t warp;
    int line;
};
// Lives until both the page is closed and no task is at work. While one is, the walk belongs to it.
struct walker {
    struct page *page; // NULL: closed
    struct request request;
    struct stepper walk;
    bool open;               // walk.trace is there
    bool debug;              // it steps the debug build
    struct step_place place; // that it goes to when it opens
    struct task *task;       // NULL: nobody is at work
    struct move move, waiting[MOVES_WAITING];
    size_t waiting_count;
    bool began, failed, stopped; // stopped: before it was open
    enum sim_arrival arrival;
    struct error error; // why it is not open
    // Called on the screen's thread: what the page shows points into the walk, which is about to be made anew.
    void (*forget)(struct walker *walker);
    // Called on the screen's thread when a move is over.
    void (*arrived)(struct walker *walker, const struct move *move, enum sim_arrival arrival);
};
void walker_go(struct walker *walker, struct move move);
void walker_stop(struct walker *walker);  // the move at work, and those that wait
void walker_leave(struct walker *walker); // the page closes

// ---- step.c -------------------------------------------------------------------------------------------------

enum step_pane {
    STEP_LANES,
    STEP_VARIABLES,
    STEP_MEMORY,
    STEP_SHARED,
    STEP_WARPS,
    STEP_STACK,
    STEP_FINDINGS,
    STEP_PRINTED,
    STEP_MATRIX,
    STEP_PANES
};
extern const char *const step_pane_names[STEP_PANES + 1];
struct step {
    struct target target;
    char *what;                // the words that name it: "histogram/3-shared"
    const char *preset, *data; // NULL: the simulator's own, the lab's first
    struct walker *walker;
    struct walker *coming; // the other build, until it is open; NULL: none is being made
    bool debug;            // `walker` steps the debug build
    int lane;              // whose variables are shown; -1: the first active one
    struct step_seen seen;
    bool is_ptx; // the file itself is PTX
    char *kept;  // the file of a launch that a program kept; NULL: the launches are those of a kernel file
    enum step_pane pane;
    enum walk_format format;
    char chosen[64]; // register; "": one of the next instruction
    struct reader source, ptx, panel;
    bool blames;               // the access before is marked in the place of the next instruction
    int source_line, ptx_line; // that the readers were brought to; 0: none
    struct list shared;        // rows of shared memory
    uint64_t shared_step;      // of the access that it was brought to
    struct tabs tabs;
    struct area lower; // where the view was drawn
    int words_per_row;
};

// The view below: where the screen is wide, the lanes are always there.
static inline enum step_pane step_pane_shown(const struct step *step, bool wide)
{
    return !wide || step->pane != STEP_LANES ? step->pane : step->debug ? STEP_VARIABLES : STEP_MEMORY;
}

// Whose variables are shown: the lane that was chosen, else the first active one.
static inline int step_lane(const struct step *step)
{
    uint32_t mask = step->seen.spot.active ? step->seen.spot.active : step->seen.spot.mask;
    return step->lane >= 0 ? step->lane : mask ? __builtin_ctz(mask) : 0;
}

struct marked { // in the source and the PTX
    int line, ptx_line;
    const char *text; // the instruction
};
static inline struct marked step_marked(const struct step *step)
{
    const struct sim_spot *spot = &step->seen.spot;
    const struct sim_touched *touched = &step->seen.touched;
    return step->blames ? (struct marked){ touched->line, touched->ptx_line, touched->text }
                        : (struct marked){ spot->line, spot->ptx_line, spot->text };
}

// ---- step_variables.c ------------------------------------------------------------------------------------

struct sheet step_variables_sheet(const struct step *step, int width, bool utf8);

// ---- step_draw.c ---------------------------------------------------------------------------------------------

enum { STEP_WIDE = 116 }; // columns from which on everything is beside each other
void step_draw(struct page *page, struct area area);

#endif
