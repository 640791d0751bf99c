// Command lines: a line as words, words as the flags and operands of a command, an operand as a lab or a kernel, flags as
// a request. The shell, the prompt and the runs that a lesson names are all read here.
#ifndef WARPBOOK_CLI_H
#define WARPBOOK_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/base.h"
#include "engine/run/run.h"
#include "kernels/variant.h"
#include "reference/lab.h"

// ---- a line as words ----------------------------------------------------------------------------

struct words {
    char *word[32];
    size_t count;
};
bool words_split(const char *line, struct words *out, struct error *error); // "quotes" and \ as in a shell
void words_free(struct words *words);
// Copies of the words from `first` on, into words that are empty.
void words_copy(const struct words *words, size_t first, struct words *out);
// The words from `first` on, with blanks between.
void words_add(const struct words *words, size_t first, struct text *out);

// ---- the words after a command --------------------------------------------------------------

struct flag {
    const char *name;  // "--size"
    const char *value; // what follows it, for the help: "small|full"; NULL: nothing follows
    const char *help;
};
enum { FLAGS = 18 };

struct arguments;
struct command {
    const char *name;
    const char *operands;            // for the help: "LAB[/STEP] | FILE.cu"
    const char *help;                // one sentence
    int least, most;                 // how many operands
    bool passes_on;                  // what follows the first operand is another program's: flags too
    const char *const *passes_after; // so it is after one of these operands, up to a NULL; NULL: after none
    struct flag flags[FLAGS];
    bool asks;                    // reads answers from the terminal, but with a flag that only prints
    const char *page_flag, *page; // with that flag, the page that does it on the screen; NULL: none
    int (*run)(
        const struct arguments *arguments); // returns the exit status; NULL: a line of flags in a lesson
};
// Whether what follows this operand is passed on as it is.
bool command_passes(const struct command *command, const char *operand);
// Finds a command in a table whose last row has no name; NULL: there is none of this name.
const struct command *command_find(const struct command *table, const char *name);

enum { GIVEN = 64, OPERANDS = 32 };
struct arguments {
    const struct command *command;
    const struct command *commands; // the table that it is from; set by the program that runs it
    struct {
        const char *flag, *value;
    } given[GIVEN];
    size_t given_count;
    const char *operands[OPERANDS];
    size_t operand_count;
    char *const *passed; // the words that a command passes on, up to a NULL; NULL: it has passed none on
};
// `--flag value` and `--flag=value`; flags and operands in any order; `--` ends the flags. What is passed on is not read.
// What is read points into
// `words`.
bool arguments_read(const struct command *command, int count, char *const *words, struct arguments *out,
                    struct error *error);
bool arguments_has(const struct arguments *arguments, const char *flag);
const char *arguments_value(const struct arguments *arguments,
                            const char *flag); // the last one; NULL if none
bool arguments_number(const struct arguments *arguments, const char *flag, long least, long most, long *out,
                      struct error *error);

// ---- the target of a run or a show --------------------------------------------------------------

// LAB, LAB/STEP, LAB/CPU-IMPLEMENTATION, or a kernel file that belongs to no lab.
struct target {
    const struct lab *lab;         // NULL: a file
    struct ladder ladder;          // of the lab
    const struct variant *variant; // the one that was named, or the file; NULL: the whole ladder
    const struct cpu_variant *cpu; // the CPU implementation that was named
    struct variant file;
};
bool target_read(const char *text, struct target *out, struct error *error);
void target_free(struct target *target);
bool target_lab(const char *name, const struct lab **out,
                struct error *error); // with the nearest name on failure
// Reads --size, --set, --data, --memory, --reps and --limit into a request. The caller frees it, also after a failure.
bool target_request(const struct target *target, const struct arguments *arguments, int limit_s,
                    struct request *out, struct error *error);

// ---- a whole program ----------------------------------------------------------------------------

// What flags of `warpbook exec` tell its runtime, as exec_wish.settings has it.
bool exec_settings(const struct arguments *arguments, struct text *out, struct error *error);

#endif
