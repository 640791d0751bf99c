// warpbook check: what its files share.
#ifndef WARPBOOK_COMMAND_CHECK_H
#define WARPBOOK_COMMAND_CHECK_H

#include "tui/explore/explore.h"
#include "tui/text/text.h"
#include "tui/tui.h"

enum {
    SOURCE_CELLS = 80, // of a line of a lesson or a term
    KERNEL_CELLS = 72, // of a line of a kernel, which is shown with its number and a border
    TEXT_CELLS = 78    // of a line on a page of 80 columns
};

struct check_names {
    char **list;
    size_t count;
};
enum check_count {
    CHECK_QUESTIONS,
    CHECK_EXERCISES, // and challenges
    CHECK_HUNTS,
    CHECK_ORDERS,
    CHECK_MINUTES,
    CHECK_COUNTS
};
struct check_run { // what came of a run, kept for all texts that speak of it
    char *key;
    json_t *record;
};
struct checking {
    const struct command *commands; // those that a `try` may name
    struct paper paper;
    struct waiting waiting;
    bool fast;
    bool partial; // of this lesson something could not be read
    struct client *client;
    struct glossary terms[2];   // what links may lead to: what ships, and the folder's own
    struct check_names lessons; // NN-name of every lesson that links may lead to
    size_t lesson_count, term_count;
    int counts[CHECK_COUNTS]; // of all lessons
    struct check_run *runs;
    size_t run_count;
    size_t errors;
    struct check_names not_run; // files for which something is missing here
    char *missing;              // what
};

// ---- check_error.c ---------------------------------------------------------------------------------------------

void check_names_add(struct check_names *names, const char *name);
void check_names_free(struct check_names *names);
// An error about `word` in a line of a text (NULL: about the line), with its place.
void check_error_v(struct checking *check, const struct source *source, int line, const char *word,
                   const char *format, va_list args);
void check_lesson_error(struct checking *check, const struct lesson *lesson, int line, const char *word,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));
void check_said(struct checking *check, const struct error *error); // an error that has its place already
// Something could not be run here. The first reason is kept.
void check_not_run(struct checking *check, const struct lesson *lesson, const char *file,
                   const struct error *error);
void check_progress(struct checking *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool check_place(const char *place, struct error *error);    // LAB or LAB/STEP
bool check_explorer(const char *words, struct error *error); // "banks stride=2"
bool check_explorer_settings(const char *words, struct settings *out, struct error *error);

// ---- check_live.c ---------------------------------------------------------------------------------------------

enum check_ran {
    RUN_KNOWN,
    RUN_SKIPPED, // --fast, or ^C was pressed
    RUN_MISSING, // something is missing here; the error says what
    RUN_REFUSED  // the error says why
};
enum check_ran check_run(struct checking *check, const struct lesson_run *trial, const json_t **out,
                         struct error *error);
void check_runs_free(struct checking *check);
void check_live(struct checking *check, const struct lesson *lesson, const struct live *live);

// ---- check_parts.c --------------------------------------------------------------------------------------------

void check_parts(struct checking *check, const struct lesson *lesson);

#endif
