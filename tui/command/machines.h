// One ladder on several machines, and modelled on GPUs that need not be there: what has come so far, and the table of it.
// run_machines.c runs it at once, run_later.c through jobs of Slurm.
#ifndef WARPBOOK_MACHINES_H
#define WARPBOOK_MACHINES_H

#include <pthread.h>

#include "engine/base/site.h"
#include "engine/run/modelled.h"
#include "tui/tui.h"

enum { MACHINES_MOST = 8, STAGE_ROOM = 200 };

struct machine_cell {
    bool done;
    struct record record;
};

struct table_machine {
    struct machine_table *all;
    char name[40];
    const struct site_machine *site; // NULL: this machine's own worker
    bool models; // it simulates; each record has a time for each of all->gpus, and none of its own
    struct client *client;
    pthread_t thread;
    struct machine_cell *cells; // a row each
    bool over;                  // nothing more comes from it
    char stage[STAGE_ROOM], told[STAGE_ROOM];
    double seconds;
    struct error error; // text "": none
};

struct machine_table {
    const struct arguments *arguments;
    struct target target;
    struct request wish; // what all runs share
    const struct variant **rows;
    size_t row_count;
    struct table_machine machines[MACHINES_MOST + 1]; // the one that models is the last
    size_t machine_count;
    char gpus[MODELLED_GPUS][40]; // whose times are modelled, as --on names them, in its order
    size_t gpu_count;
    struct keeping keeping;
    bool json;
    pthread_mutex_t mutex; // over cells, stages and what is printed
    bool changed;
    int painted; // lines on the screen that will be overwritten
};

// run_machines.c: reads what the flags and --on ask for and does something with it; returns an exit status.
typedef int (*machines_act)(struct machine_table *all, const char *context);
int machines_do(const struct arguments *arguments, machines_act act, const char *context);

// machines_table.c
// Paints the table over the one that it painted before; `end`: for good, with what went wrong.
void machines_paint(const struct paper *paper, struct machine_table *all, bool end);
int machines_lines(const struct paper *paper,
                   const struct machine_table *all); // of the table on paper so wide
int machines_status(const struct machine_table *all);
void machines_json(const struct table_machine *machine, const struct record *record); // a line

// machines_modelled.c
// The names of --on that are GPUs' figures: "h100", "model:h100", "./mine.json".
bool machines_take_gpu(struct machine_table *all, const char *name, struct error *error);
// The run on this GPU, by its place in all->gpus; NULL: not known.
const struct modelled *machines_modelled(const struct machine_table *all, size_t row, size_t gpu);
// Which step is the fastest on each GPU, and which pays on one and not on another.
void machines_modelled_words(const struct paper *paper, const struct machine_table *all);

// run_later.c: --later and --collect
int run_later(const struct arguments *arguments);

#endif
