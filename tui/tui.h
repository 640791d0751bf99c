// What a person touches. This header is the map: the table of commands, and what they share.
#ifndef WARPBOOK_TUI_H
#define WARPBOOK_TUI_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/base.h"
#include "engine/run/run.h"
#include "kernels/variant.h"
#include "reference/lab.h"
#include "tui/draw/draw.h"

#define WARPBOOK_VERSION "0.1"

// ---- commands.c: the table of commands --------------------------------------------------------------

struct flag {
    const char *name;  // "--size"
    const char *value; // what follows it, for the help: "small|full"; NULL: nothing follows
    const char *help;
};
enum { FLAGS = 14 };

struct arguments;
struct command {
    const char *name;
    const char *operands; // for the help: "LAB[/STEP] | FILE.cu"
    const char *help;     // one sentence
    int least, most;      // how many operands
    struct flag flags[FLAGS];
    int (*run)(const struct arguments *arguments); // returns the exit status
};
extern const struct command commands[];
extern const size_t command_count;
const struct command *command_find(const char *name);
bool command_of(const char *name, const struct command **out,
                struct error *error); // with the nearest name on failure

// ---- arguments.c: the words after a command -----------------------------------------------------------

enum { GIVEN = 64, OPERANDS = 32 };
struct arguments {
    const struct command *command;
    struct {
        const char *flag, *value;
    } given[GIVEN];
    size_t given_count;
    const char *operands[OPERANDS];
    size_t operand_count;
};
// `--flag value` and `--flag=value`; flags and operands in any order; `--` ends the flags.
bool arguments_read(const struct command *command, int count, char *const *words, struct arguments *out,
                    struct error *error);
bool arguments_has(const struct arguments *arguments, const char *flag);
const char *arguments_value(const struct arguments *arguments,
                            const char *flag); // the last one; NULL if none
bool arguments_number(const struct arguments *arguments, const char *flag, long least, long most, long *out,
                      struct error *error);
void command_help(const struct paper *paper, const struct command *command);

// ---- target.c: what a run or a show is about ------------------------------------------------------------

// LAB, LAB/STEP, LAB/CPU-IMPLEMENTATION, or a kernel file that stands alone.
struct target {
    const struct lab *lab;         // NULL: a file
    struct ladder ladder;          // of the lab
    const struct variant *variant; // the one that was named, or the file; NULL: the whole ladder
    const struct cpu_variant *cpu; // the CPU implementation that was named
    struct variant file;
};
bool target_read(const char *text, struct target *out, struct error *error);
void target_free(struct target *target);
bool lab_of(const char *name, const struct lab **out,
            struct error *error); // with the nearest name on failure

// ---- wish.c: what the flags wish of a run ----------------------------------------------------------------

// Reads --size, --set, --data, --reps and --limit; the caller frees the request, also after a failure.
bool wish_read(const struct arguments *arguments, const struct target *target, int limit_s,
               struct request *out, struct error *error);

// ---- keep.c: runs of the command line, kept in the workbook -----------------------------------------------

struct workbook;
struct keeping { // zero-initialise
    struct workbook *workbook;
    bool failed; // and was said
};
void keep_run(struct keeping *keeping, const struct record *record);
void keep_end(struct keeping *keeping);
// Says on stderr where nothing can be added to what is shown.
void keep_warn(const struct workbook *workbook);

// ---- command/: one file per command -----------------------------------------------------------------------

int command_alone(void); // open.c: the full-screen program, or the overview where there is no terminal
int command_open(const struct arguments *arguments);
int command_overview(void);
int command_lesson(const struct arguments *arguments);
int command_list(const struct arguments *arguments);
int command_show(const struct arguments *arguments);
int command_run(const struct arguments *arguments);
int command_sim(const struct arguments *arguments);
int command_explore(const struct arguments *arguments);
int step_through(const struct request *request); // sim --step: command/step.c
int command_explain(const struct arguments *arguments);
int command_check(const struct arguments *arguments);
int command_new(const struct arguments *arguments);
int command_workbook(const struct arguments *arguments);
int command_review(const struct arguments *arguments);
int command_report(const struct arguments *arguments);
int command_note(const struct arguments *arguments); // workbook.c
int command_shell(const struct arguments *arguments);
int command_doctor(const struct arguments *arguments);
int command_worker(const struct arguments *arguments);
int command_help_page(const struct arguments *arguments);

// ---- fail.c

int fail(const struct error *error); // writes it to stderr and returns its code

#endif
