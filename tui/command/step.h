// Stepping, `warpbook sim --step`: step.c holds the session and reads its commands, step_verbs.c has the table of
// them, step_move.c goes where they say, step_show.c writes what they show.
#ifndef WARPBOOK_STEP_H
#define WARPBOOK_STEP_H

#include "engine/run/simulation.h"
#include "tui/text/stepping.h"
#include "tui/tui.h"

// ---- step_show.c ------------------------------------------------------------------------------------------------

struct stepping {
    const struct sim_trace *trace;
    const char *file, *source; // source: NULL for a file that is PTX
    struct text out;           // cleaned before it is printed
};
void step_where(struct stepping *s);
void step_lanes(struct stepping *s);
void step_register(struct stepping *s, const char *name);
void step_registers(struct stepping *s);
void step_access(struct stepping *s);
void step_shared(struct stepping *s, size_t from, size_t count);
void step_stack(struct stepping *s);
void step_warps(struct stepping *s);
void step_finding(struct stepping *s, const struct sim_finding *finding);

// ---- step.c ---------------------------------------------------------------------------------------------------

struct session {
    struct walk walk;
    struct stepping show;
    bool error_seen, quit;
};
enum { WORDS = 4 };
struct step_words {
    const char *word[WORDS];
    size_t count;
};
// The word at `index` as a number, or `otherwise` without one; says what is wrong with it.
bool step_number(struct session *s, const struct step_words *words, size_t index, uint64_t otherwise,
                 uint64_t *out);

// ---- step_move.c ------------------------------------------------------------------------------------------------

void step_forward(struct session *s, const struct step_words *words);
void step_back(struct session *s, const struct step_words *words);
void step_line(struct session *s, const struct step_words *words);
void step_line_back(struct session *s, const struct step_words *words);
void step_barrier(struct session *s, const struct step_words *words);
void step_conflict(struct session *s, const struct step_words *words);
void step_to_finding(struct session *s, const struct step_words *words);
void step_goto(struct session *s, const struct step_words *words);
void step_start(struct session *s, const struct step_words *words);
void step_end(struct session *s, const struct step_words *words);
void step_next_launch(struct session *s, const struct step_words *words);

// ---- step_verbs.c -----------------------------------------------------------------------------------------------

struct verb {
    const char *name, *letter, *takes, *help;
    void (*run)(struct session *s, const struct step_words *words);
};
extern const struct verb step_verbs[];
extern const size_t step_verb_count;

#endif
