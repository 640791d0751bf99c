// Explorers: small pictures that answer while one turns a knob. The same sheet is shown on the page and printed by
// `warpbook explore`; what it says is computed anew each time, by the functions that the simulator itself uses.
#ifndef WARPBOOK_EXPLORE_H
#define WARPBOOK_EXPLORE_H

#include <jansson.h>

#include "engine/compile/compile.h"
#include "engine/model/model.h"
#include "engine/run/modelled.h"
#include "tui/draw/draw.h"

// ---- explorers.c: knobs, and their settings ---------------------------------------------------------------

enum { KNOBS = 8, KNOB_TEXT = 80 };
struct knob {
    const char *name;
    const char *help; // one clause: what it is
    long least, most; // of a number
    long start;
    long step;                // of an arrow key; 0: 1
    unsigned only;            // a bit for each name of the first knob with which it matters; 0: always
    const long *list;         // only these numbers, rising; 0 after the last
    const char *const *words; // names instead of numbers; NULL after the last
    // Other names for the words, in the same order; "": none. NULL: no word has any.
    const char *const *also;
    const char *const *texts; // a text: what the arrows offer, the first to start with; NULL after the last
};
struct explorer;
struct settings { // of the knobs: a number, the index of a name, or a text
    const struct explorer *explorer;
    long number[KNOBS];
    char text[KNOBS][KNOB_TEXT];
    int rows;   // that the sheet has on a screen; 0: not known
    bool waits; // what the picture needs is prepared meanwhile
};
size_t knob_count(const struct explorer *explorer);
int knob_find(const struct explorer *explorer, const char *name, size_t length); // -1: there is none
struct settings settings_new(const struct explorer *explorer);
bool settings_set(struct settings *settings, const char *name, const char *value, struct error *error);
bool settings_read(struct settings *settings, const char *assignment, struct error *error); // "stride=2"
bool settings_check(const struct settings *settings, struct error *error); // all knobs together
bool settings_put(struct settings *settings, size_t knob, const char *value, struct error *error);
// One step up or down; stops at the ends.
void settings_turn(struct settings *settings, size_t knob, int direction);
void knob_range(const struct knob *knob, char *out, size_t size); // "0 to 64", "4, 8 or 16"
const char *knob_value(const struct settings *settings, size_t knob, char *out,
                       size_t size); // as it is typed

// ---- explorers.c: the explorers, and the sheet around their pictures --------------------------------------

struct explorer {
    const char *name, *title, *help; // help: one sentence
    struct knob knobs[KNOBS + 1];
    // Adds the picture, the numbers below it and the words that say why.
    void (*draw)(const struct settings *settings, struct sheet *sheet);
    // What the picture needs and takes seconds: whether it is there; and makes it, on any thread. Where it was not
    // prepared, the picture does that itself. NULL: nothing takes long.
    bool (*ready)(const struct settings *settings);
    bool (*whole)(const struct settings *settings); // nothing is left to prepare; NULL: when it is ready
    void (*prepare)(const struct settings *settings);
    // Whether a text that was set means something; NULL: nothing can be wrong beyond what its knobs refuse.
    bool (*check)(const struct settings *settings, struct error *error);
    // The numbers that lessons may quote, by their names; NULL: none. The caller drops them.
    json_t *(*values)(const struct settings *settings);
};
// Whether the knob has an effect at the present setting of the first one.
static inline bool knob_matters(const struct settings *settings, size_t knob)
{
    unsigned only = settings->explorer->knobs[knob].only;
    return !only || only >> settings->number[0] & 1;
}
extern const struct explorer explore_banks, explore_coalescing, explore_divergence, explore_grid,
    explore_model, explore_occupancy, explore_step, explore_waves;
extern const char *const explore_gpus[];         // those with figures; NULL after the last
extern const struct explorer *const explorers[]; // NULL after the last
struct search_index;
void explorers_index(struct search_index *search); // so that they are found
// The explorer that a word names: "banks", or "histogram/3" for a step of a ladder, which is set already.
bool settings_open(const char *word, struct settings *out, struct error *error);
bool explorer_of(const char *name, const struct explorer **out, struct error *error);
// The knobs are the items 0, 1, ... `chosen`: the one whose help is shown; -1: none.
struct sheet explore_sheet(const struct settings *settings, int width, bool utf8, int chosen);
// The explorers as items, and their knobs. `prompt` is put before a command: "warpbook " or ":".
struct sheet explore_list(int width, bool utf8, const char *prompt);

// ---- explorers.c: what the pictures share -----------------------------------------------------------------

enum { WARP_LANES = 32 };
#define ALL_LANES UINT32_MAX // a mask, and so without a sign, which no constant of an enum has for certain
int draw_width(const struct sheet *sheet); // of prose: not wider than people read
// "lane", "lane * 2 + 1"
void draw_affine(struct text *out, long factor, long offset);
// The lanes of a mask: "lane 3", "lanes 0, 2, 5-9".
void draw_lanes(struct text *out, uint32_t mask);
void draw_ruler(struct sheet *sheet, int column, int cells); // numbers above lanes of so many cells
// Sentences below a picture.
void draw_words(struct sheet *sheet, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void draw_more(struct sheet *sheet, long more, const char *one, const char *many); // "... and 24 more lines"

// ---- results of each explorer -----------------------------------------------------------------------------

struct banks_view { // banks.c
    uint64_t address[WARP_LANES];
    unsigned bytes, row; // row: elements of a row with its padding
    bool write;
    int pass[WARP_LANES]; // in which each lane is served
    unsigned passes, ideal, banks;
    unsigned fullest, words; // the bank that most different words are wanted of at a time, and how many
    uint32_t fullest_lanes;  // the lanes that want them
};
struct banks_view banks_compute(const struct settings *settings);
// Which lanes each bank serves in each pass: a row for each of the passes that are shown; those beyond `ideal` are bad.
// passes[lane] is -1 where the lane asks nothing. Returns whether a bank serves several lanes at once.
bool banks_draw(struct sheet *sheet, const uint64_t *address, const int *passes, unsigned bytes,
                unsigned ideal, unsigned shown);

enum { MOST_LINES = 2 * WARP_LANES };
struct coalescing_view { // coalescing.c
    uint64_t address[WARP_LANES];
    unsigned bytes;
    size_t line_count;
    struct coalescing_line {
        uint64_t at; // of its first byte
        uint64_t used[2];
        uint32_t lanes;
        unsigned sectors; // a bit each
    } line[MOST_LINES];
    unsigned used, fetched; // bytes
    unsigned sectors, ideal;
};
struct coalescing_view coalescing_compute(const struct settings *settings);

struct grid_view { // grid.c
    long grid[3], block[3];
    long threads, blocks, total; // threads: of a block
    long thread;                 // the chosen one, counted through the whole grid
    long at_block, at_thread;    // counted in the grid, in the block
    long block_index[3], thread_index[3], global[3], element;
    long n, warps, warp, lane;
    long idle;     // threads whose element is n or more
    bool too_many; // threads in a block
    bool clamped;  // there is no thread with the number that was asked for
};
struct grid_view grid_compute(const struct settings *settings);

struct divergence_view { // divergence.c
    int threads, warps;
    struct divergence_warp {
        uint32_t exists, then;
        int passes;
        double share; // of the lanes' time that does work
    } warp[WARP_LANES];
    double share;
    int split;       // warps that take both sides
    long time, best; // instructions that are issued; the same if no warp split
};
bool divergence_compute(const struct settings *settings, struct divergence_view *out, struct error *error);

struct occupancy_view { // occupancy.c
    const struct arch *arch;
    int block, registers, shared, warps_full;
    struct occupancy now;
    int by[LIMIT_SHARED + 1]; // blocks that each limit alone lets in
};
struct occupancy_view occupancy_compute(const struct settings *settings);

struct model_view { // model.c
    char gpu[64];
    bool measured; // its figures
    long sms, blocks;
    struct occupancy fits;
    struct model_time time[8]; // for each size of the block
    size_t count, now;         // now: which of them is chosen
};
bool model_compute(const struct settings *settings, struct model_view *out, struct error *error);

struct waves_view { // occupancy.c
    const char *gpu;
    long sms, slots, blocks, waves, tail; // slots: blocks that run at a time; tail: blocks of the last wave
    double busy;                          // share of the slots' time
};
struct waves_view waves_compute(const struct settings *settings);

#endif
