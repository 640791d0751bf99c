// The table of commands, which the command line and the prompt take.
#ifndef WARPBOOK_TUI_H
#define WARPBOOK_TUI_H

#include <signal.h>

#include "engine/cli/cli.h"
#include "tui/text/text.h"

// ---- commands.c: the table of commands ---------------------------------------------------------------------

extern const struct command commands[];

// ---- command/: the commands ---------------------------------------------------------------------------------

// The full-screen program, or the overview where there is no terminal.
int command_alone(const struct command *table);
int command_open(const struct arguments *arguments);
int command_lesson(const struct arguments *arguments);
int command_list(const struct arguments *arguments);
int command_show(const struct arguments *arguments);
int command_run(const struct arguments *arguments);
int command_export(const struct arguments *arguments);
int command_sim(const struct arguments *arguments);
int command_exec(const struct arguments *arguments);
int command_explore(const struct arguments *arguments);
int command_explain(const struct arguments *arguments);
int command_check(const struct arguments *arguments);
int command_new(const struct arguments *arguments);
int command_workbook(const struct arguments *arguments);
int command_review(const struct arguments *arguments);
int command_report(const struct arguments *arguments);
int command_note(const struct arguments *arguments);
int command_shell(const struct arguments *arguments);
int command_site(const struct arguments *arguments);
int command_connect(const struct arguments *arguments);
bool connect_for(const char *host); // a kept connection to this machine; false: there can be none
int command_doctor(const struct arguments *arguments);
int command_worker(const struct arguments *arguments);
int command_room(const struct arguments *arguments);
int command_rehearse(const struct arguments *arguments);
int command_join(const struct arguments *arguments);
int command_leave(const struct arguments *arguments);
int command_enter(const struct arguments *arguments);
int command_withdraw(const struct arguments *arguments);
int command_leaders(const struct arguments *arguments);
int command_show_my_code(const struct arguments *arguments);
int command_hand_in(const struct arguments *arguments);
int command_light(const struct arguments *arguments);
int command_vote(const struct arguments *arguments);
int command_shares(const struct arguments *arguments);
int command_ready(const struct arguments *arguments);
int command_help_page(const struct arguments *arguments);
// The full-screen program with the page that these words open.
int screen_on(const struct command *table, const char *words);
void command_help(const struct paper *paper, const struct command *command); // what it does and takes

// ---- command/run.c: what run and sim print alike --------------------------------------------------------------

void run_print_json(const struct record *record, bool recorded); // a line
// run_machines.c: a ladder on the machines that --on names, side by side; what came of --later.
int run_machines(const struct arguments *arguments);
// profile.c: hardware counters beside the simulator's.
int run_profile(const struct arguments *arguments);

void run_print_params(const struct paper *paper, const struct record *record);

// ---- command/document.c: what a command makes, printed or written into a file ----------------------------------

// Whether --to and --force make sense together; first of all, before any work.
bool document_asked(const struct arguments *arguments, struct error *error);
// Into the file of --to, whole or not at all, or else to stdout.
bool document_put(const struct arguments *arguments, const struct text *page, struct error *error);

// ---- command/measure.c: doctor --measure model -------------------------------------------------------------------

int measure_model(const struct arguments *arguments);

// ---- command/programs.c: host programs: the lab streams, and files with a function main ---------------------------

bool programs_mean(const struct arguments *arguments); // the operand is one
int programs_do(const struct arguments *arguments);    // run, export or list it

// ---- command/probe.c: a room on a file system that several hosts share -------------------------------------------

struct room;
// Prints how soon this host sees what is written into the room here.
bool probe_room(const struct room *room, const char *host, struct error *error);

// ---- command/hand_in.c: what learners hand in ----------------------------------------------------------------

struct room_class;
// A workbook and a page for each learner who handed in something whole, and class.csv, in the folder; *count: of how many.
// `sent`: files of learners who could not reach the room.
bool hand_in_collect(const struct room *room, const struct room_class *class, const char *folder,
                     const char *const *sent, size_t sent_count, size_t *count, struct error *error);

// How many learners have handed in something that was not collected since.
size_t hand_in_uncollected(const struct room *room, const struct room_class *class);

// ---- command/code.c: code that learners show -----------------------------------------------------------------

struct room_person;
// The newest that this learner has shown, cleaned; false: none.
bool code_print(const struct room_person *person, struct error *error);

// ---- command/waiting.c: a command that waits for a worker -------------------------------------------------

// The line that says for what, and ^C, which ends the run and not the program, so that the worker is stopped and what came
// before is kept.
struct waiting {
    const char *what;        // runs now: "shared"
    struct paper paper;      // stderr; no terminal where a line could not be wiped out again
    struct sigaction before; // what ^C did
    char told[200];          // the last stage that was said where there is no terminal
};
void waiting_begin(struct waiting *waiting); // from here on ^C is noted
int waiting_end(struct waiting *waiting);    // 0, or the exit status of a command that ^C stopped

// A worker for the command, which waits for its start as long as --wait says; NULL: it says nonsense.
struct client *waiting_client(const struct arguments *arguments, struct error *error);
bool waiting_stopped(void); // by ^C
// Both are a client_progress, and stop the run after ^C. waiting_show wants a struct waiting.
bool waiting_show(void *context, const char *stage, double seconds);
bool waiting_quietly(void *unused, const char *stage, double seconds);
void waiting_wipe(const struct waiting *waiting); // the line

#endif
