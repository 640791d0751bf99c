// warpbook sim: one kernel in the simulator. What it computes, what its memory accesses cost, what is wrong. With --step it
// walks through one launch, told by commands on stdin. A place, a value, an access, a path and a finding have the words that
// the step page has for them (stepping.h); here they are plain lines, for a person and for a script.
#include "engine/run/modelled.h"
#include "engine/run/simulation.h"
#include "tui/command/exec.h"
#include "tui/text/stepping.h"
#include "tui/text/text.h"
#include "tui/tui.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 200, WORDS_MOST = 4, PER_ROW = 8, NEXT_REGISTERS = 16 };

struct step_session {
    struct stepper walk;
    const char *file, *source; // source: NULL for a file that is PTX
    struct text out;           // cleaned before it is printed
    bool error_seen, quit;
};
struct step_words {
    const char *word[WORDS_MOST];
    size_t count;
};
struct step_verb {
    const char *name, *letter, *takes, *help;
    void (*run)(struct step_session *s, const struct step_words *words); // NULL: it is a move
    enum go go;
    bool warp; // only while a warp runs
};

// The word at `index` as a number, or `otherwise` without one; says what is wrong with it.
static bool read_number(struct step_session *s, const struct step_words *words, size_t index,
                        uint64_t otherwise, uint64_t *out)
{
    const char *word = index < words->count ? words->word[index] : NULL;
    if (walk_number(word, otherwise, out))
        return true;
    text_addf(&s->out, "'%s' is not a number.\n", word);
    return false;
}

// ---- places -----------------------------------------------------------------------------------------------

static void add_lanes(struct text *out, uint32_t mask)
{
    for (int i = 0; i < WALK_LANES; i++)
        text_add(out, mask >> i & 1 ? "#" : ".");
}

// Line `line` of the source without what it is indented by, and its length; NULL: it has none, or is not known.
static const char *source_line(const char *source, int line, int *length)
{
    const char *at = line < 1 ? NULL : source;
    for (int i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    at = at ? at + strspn(at, " \t") : NULL;
    *length = at ? (int)strcspn(at, "\r\n") : 0;
    return at;
}

// A line of the source and its instruction; nothing of the source when it is not known.
static void add_place(struct step_session *s, int line, int ptx_line, const char *ptx)
{
    int length;
    const char *at = source_line(s->source, line, &length);
    if (at)
        text_addf(&s->out, "  line %d: %.*s\n", line, length, at);
    text_addf(&s->out, "  ptx %d: %s\n", ptx_line, walk_trimmed(ptx));
}

static void show_where(struct step_session *s, const struct step_words *words)
{
    struct sim_spot spot;
    sim_trace_where(s->walk.trace, &spot);
    text_addf(&s->out, "step %llu: ", (unsigned long long)spot.step);
    if (spot.ended) {
        text_addf(&s->out, "%s\n", walk_end(&spot));
        return;
    }
    walk_add_who(&s->out, &spot);
    text_addf(&s->out, ", %s\n", spot.function);
    add_place(s, spot.line, spot.ptx_line, spot.text);
    text_add(&s->out, "  ");
    walk_add_active(&s->out, &spot);
    text_addf(&s->out, ", mask %08x\n", spot.active);
}

static void show_lanes(struct step_session *s, const struct step_words *words)
{
    struct sim_spot spot;
    uint32_t first[3], last[3];
    sim_trace_where(s->walk.trace, &spot);
    const struct {
        const char *name;
        uint32_t mask;
    } rows[] = { { "exist", spot.exists },
                 { "running", spot.live },
                 { "on this path", spot.mask },
                 { "active", spot.active } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_addf(&s->out, "%-13s %08x  ", rows[i].name, rows[i].mask);
        add_lanes(&s->out, rows[i].mask);
        text_addf(&s->out, "  %d\n", __builtin_popcount(rows[i].mask));
    }
    sim_trace_thread(s->walk.trace, 0, first);
    sim_trace_thread(s->walk.trace, 31 - __builtin_clz(spot.exists | 1), last);
    text_addf(&s->out, "lane 0 is thread (%u,%u,%u), the last one thread (%u,%u,%u)\n", first[0], first[1],
              first[2], last[0], last[1], last[2]);
}

static void show_stack(struct step_session *s, const struct step_words *words)
{
    struct sim_path paths[64];
    size_t depth = sim_trace_stack(s->walk.trace, paths, 64);
    for (size_t i = 0; i < depth && i < 64; i++) {
        text_addf(&s->out, "%-8s %08x  ", i ? "waits" : "runs", paths[i].mask);
        add_lanes(&s->out, paths[i].mask);
        text_add(&s->out, "  ");
        walk_add_path(&s->out, &paths[i]);
        text_add(&s->out, "\n");
    }
}

static void show_warps(struct step_session *s, const struct step_words *words)
{
    struct sim_warp warps[WALK_LANES];
    size_t count = sim_trace_warps(s->walk.trace, warps);
    for (size_t i = 0; i < count; i++) {
        walk_add_warp(&s->out, i, &warps[i]);
        text_add(&s->out, "\n");
    }
}

// ---- values -----------------------------------------------------------------------------------------------

static void add_uses(struct text *out, const struct sim_register *reg)
{
    text_addf(out, "%s%s%s", reg->bytes == 1 ? " a predicate" : "",
              reg->read ? " read by the next instruction" : "",
              reg->written ? " written by the next instruction" : "");
}

static void add_register(struct step_session *s, const struct sim_register *reg)
{
    text_addf(&s->out, "%s ", reg->name);
    add_uses(&s->out, reg);
    text_add(&s->out, "\n");
    if (walk_uniform(reg)) {
        text_add(&s->out, "  all lanes: ");
        walk_add_value(&s->out, WALK_AS_USED, reg->is, reg->bytes, reg->value[0]);
        text_add(&s->out, "\n");
        return;
    }
    for (int i = 0; i < WALK_LANES; i++) {
        if (i % PER_ROW == 0)
            text_addf(&s->out, "  lane %2d:", i);
        text_add(&s->out, " ");
        walk_add_value(&s->out, WALK_AS_USED, reg->is, reg->bytes, reg->value[i]);
        if (i % PER_ROW == PER_ROW - 1)
            text_add(&s->out, "\n");
    }
}

static void show_register(struct step_session *s, const struct step_words *words)
{
    struct sim_register reg;
    const char *names[512], *name = words->count > 1 ? words->word[1] : NULL;
    size_t count = 0;
    if (!name) {
        text_add(&s->out, "'reg' takes the name of a register, such as 'reg %r1'.\n");
        return;
    }
    if (sim_trace_register(s->walk.trace, name, &reg)) {
        add_register(s, &reg);
        return;
    }
    while (count < 512 && (names[count] = sim_trace_register_name(s->walk.trace, count)))
        count++;
    const char *nearest = string_nearest(name, names, count);
    text_addf(&s->out, "There is no register '%.40s' here. ", name);
    if (nearest)
        text_addf(&s->out, "Did you mean %s?\n", nearest);
    else
        text_add(&s->out, "'regs' lists those of the next instruction.\n");
}

static void show_registers(struct step_session *s, const struct step_words *words)
{
    struct sim_register regs[NEXT_REGISTERS];
    size_t count = sim_trace_registers(s->walk.trace, regs, NEXT_REGISTERS);
    if (!count)
        text_add(&s->out, "The next instruction uses no register.\n");
    for (size_t i = 0; i < count && i < NEXT_REGISTERS; i++)
        add_register(s, &regs[i]);
}

static void add_variable(struct step_session *s, const struct sim_variable *v)
{
    text_addf(&s->out, "%s %s: ", v->type, v->name);
    if (v->known != SIM_HAS_VALUE) {
        text_addf(&s->out, "%s\n", walk_no_value(v));
        return;
    }
    if (walk_same(v)) {
        text_addf(&s->out, "%d lane%s ", __builtin_popcount(v->lanes), v->lanes & (v->lanes - 1) ? "s" : "");
        walk_add_variable(&s->out, WALK_AS_USED, v, __builtin_ctz(v->lanes));
        text_add(&s->out, "\n");
        return;
    }
    text_add(&s->out, "\n");
    for (int i = 0; i < WALK_LANES; i++) {
        if (i % PER_ROW == 0)
            text_addf(&s->out, "  lane %2d:", i);
        text_add(&s->out, " ");
        if (!walk_add_variable(&s->out, WALK_AS_USED, v, i))
            text_add(&s->out, "-");
        if (i % PER_ROW == PER_ROW - 1)
            text_add(&s->out, "\n");
    }
}

static void show_variables(struct step_session *s, const struct step_words *words)
{
    enum { MOST = 256 };
    struct sim_variable one, *all;
    const struct sim_trace *trace = s->walk.trace;
    if (!sim_trace_has_variables(trace)) {
        text_add(&s->out,
                 "This code names no variables of the source; 'sim --step --debug' builds code that does.\n");
    } else if (words->count > 1) {
        if (sim_trace_variable(trace, words->word[1], &one))
            add_variable(s, &one);
        else
            text_addf(&s->out, "There is no variable '%.40s' here; 'vars' lists the others.\n",
                      words->word[1]);
    } else {
        all = mem_new(MOST * sizeof *all);
        size_t count = sim_trace_variables(trace, all, MOST);
        if (!count)
            text_add(&s->out, "No variable is in scope here.\n");
        for (size_t i = 0; i < count && i < MOST; i++)
            add_variable(s, &all[i]);
        free(all);
    }
}

static void show_access(struct step_session *s, const struct step_words *words)
{
    struct sim_touched t;
    if (!sim_trace_touched(s->walk.trace, &t)) {
        text_add(&s->out, "No memory instruction has run yet.\n");
        return;
    }
    text_addf(&s->out, "step %llu, block (%u,%u,%u), warp %u: ", (unsigned long long)t.step, t.block[0],
              t.block[1], t.block[2], t.warp);
    walk_add_touched(&s->out, &t);
    text_add(&s->out, "\n");
    add_place(s, t.line, t.ptx_line, t.text);
    text_add(&s->out, "  ");
    walk_add_cost(&s->out, &t);
    text_add(&s->out, "\n");
    for (int i = 0; i < WALK_LANES; i++) {
        if (!(t.lanes >> i & 1))
            continue;
        text_add(&s->out, "  ");
        walk_add_touched_lane(&s->out, &t, i);
        text_add(&s->out, "\n");
    }
}

static void show_shared(struct step_session *s, const struct step_words *words)
{
    uint32_t memory[1024];
    uint64_t from, most;
    size_t bytes = sim_trace_shared_bytes(s->walk.trace);
    if (!read_number(s, words, 1, 0, &from) || !read_number(s, words, 2, 32, &most))
        return;
    if (!bytes) {
        text_add(&s->out, "This block has no shared memory.\n");
        return;
    }
    size_t count = sim_trace_shared(s->walk.trace, from, most < 1024 ? most : 1024, memory);
    text_addf(&s->out, "words %zu to %zu of %zu\n", (size_t)from, (size_t)(count ? from + count - 1 : from),
              bytes / 4);
    for (size_t i = 0; i < count; i++) {
        if (i % PER_ROW == 0)
            text_addf(&s->out, "  %5zu:", (size_t)from + i);
        text_addf(&s->out, " %08x%s", memory[i], i % PER_ROW == PER_ROW - 1 || i + 1 == count ? "\n" : "");
    }
}

// ---- findings, and what was printed -----------------------------------------------------------------------

static void add_finding(struct step_session *s, const struct sim_finding *finding)
{
    walk_add_finding(&s->out, finding, s->file);
    text_addf(&s->out, "\n  %s\n", finding->sentence);
}

static void show_findings(struct step_session *s, const struct step_words *words)
{
    struct sim_finding *findings;
    size_t count = stepper_findings(&s->walk, &findings);
    if (!count)
        text_add(&s->out, "No findings so far.\n");
    for (size_t i = 0; i < count; i++)
        add_finding(s, &findings[i]);
    free(findings);
}

static void show_printed(struct step_session *s, const struct step_words *words)
{
    char *printed = sim_trace_printed(s->walk.trace);
    text_add(&s->out, printed ? printed : "The kernel has printed nothing so far.\n");
    free(printed);
}

// ---- moves ------------------------------------------------------------------------------------------------

static void look_for_errors(struct step_session *s)
{
    struct sim_finding *findings;
    size_t count = stepper_findings(&s->walk, &findings);
    for (size_t i = 0; i < count; i++)
        s->error_seen |= findings[i].severity == SIM_ERROR;
    free(findings);
}

static void arrive(struct step_session *s, enum sim_arrival arrival)
{
    struct sim_spot spot;
    sim_trace_where(s->walk.trace, &spot);
    const char *why = walk_arrival(arrival, &spot);
    look_for_errors(s);
    if (why)
        text_addf(&s->out, "%s\n", why);
    show_where(s, NULL);
}

enum { MATRICES_WIDTH = 110 }; // A, 16 x 16, beside D

static void show_matrices(struct step_session *s, const struct step_words *words)
{
    static struct sim_matrix matrices[SIM_MATRICES];
    static struct sim_sparsity sparsity;
    uint64_t lane;
    if (!read_number(s, words, 1, 0, &lane))
        return;
    const bool sparse = sim_trace_sparsity(s->walk.trace, &sparsity);
    struct sheet sheet =
        walk_matrices(matrices, sim_trace_matrices(s->walk.trace, matrices), sparse ? &sparsity : NULL,
                      (int)(lane % 32), "matrices N: lane N", MATRICES_WIDTH, false);
    sheet_plain(&sheet, 0, sheet.line_count, &s->out);
    sheet_free(&sheet);
}

static void make_move(struct step_session *s, const struct step_words *words, enum go go)
{
    struct move move = { .go = go, .steps = 1 };
    struct sim_finding finding;
    uint64_t warp = 0;
    bool counted = go == GO_FORWARD || go == GO_BACK;
    if (counted && !read_number(s, words, 1, 1, &move.steps))
        return;
    if (go == GO_WARP && words->count < 3) {
        text_add(&s->out, "'goto' takes a block and a warp, such as 'goto 2 0'.\n");
        return;
    }
    if (go == GO_WARP && (!read_number(s, words, 1, 0, &move.block) || !read_number(s, words, 2, 0, &warp)))
        return;
    move.warp = warp < UINT32_MAX ? (uint32_t)warp : UINT32_MAX;
    enum sim_arrival arrival = walk_move(s->walk.trace, &move);
    if (arrival == SIM_THERE && go == GO_CONFLICT)
        show_access(s, NULL);
    if (arrival == SIM_THERE && go == GO_FINDING && sim_trace_latest(s->walk.trace, &finding))
        add_finding(s, &finding);
    arrive(s, arrival);
    if (arrival == SIM_THERE && go == GO_MATRIX)
        show_matrices(s, &(struct step_words){ .count = 1 });
}

static void go_next_launch(struct step_session *s, const struct step_words *words)
{
    struct error error;
    if (s->walk.launch + 1 >= s->walk.setup.variant.launch_count) {
        text_add(&s->out, "This is the last launch of the file.\n");
        return;
    }
    enum sim_arrival arrival = walk_move(s->walk.trace, &(struct move){ .go = GO_END });
    look_for_errors(s);
    if (!stepper_goes_on(&s->walk)) {
        arrive(s, arrival);
    } else if (stepper_launch(&s->walk, s->walk.launch + 1, &error)) {
        show_where(s, NULL);
    } else {
        text_addf(&s->out, "%s\n", error.text);
        s->quit = true;
    }
}

// ---- commands ---------------------------------------------------------------------------------------------

static void leave(struct step_session *s, const struct step_words *words)
{
    s->quit = true;
}

static void show_help(struct step_session *s, const struct step_words *words);

static const struct step_verb verbs[] = {
    { "step", "s", "[N]", "one instruction of a warp, or N", NULL, GO_FORWARD, false },
    { "back", "b", "[N]", "one instruction back, or N", NULL, GO_BACK, false },
    { "line", "l", "", "until this warp is at another line of the source", NULL, GO_LINE, false },
    { "line-back", "", "", "back to where this warp came to its line, or to the line before", NULL,
      GO_LINE_BACK, false },
    { "barrier", "", "", "until the next instruction is a barrier", NULL, GO_BARRIER, false },
    { "conflict", "c", "", "until an access takes more passes than it needs", NULL, GO_CONFLICT, false },
    { "matrix", "m", "", "until the next instruction spreads matrices over the lanes", NULL, GO_MATRIX,
      false },
    { "finding", "f", "", "until something new is found", NULL, GO_FINDING, false },
    { "goto", "g", "BLOCK WARP", "until this warp runs next; from the start if it is over", NULL, GO_WARP,
      false },
    { "start", "", "", "back to the start of the launch", NULL, GO_START, false },
    { "end", "", "", "to the end of the launch", NULL, GO_END, false },
    { "launch", "", "", "to the start of the next launch of the file", go_next_launch, 0, false },
    { "where", "w", "", "the next instruction and who runs it", show_where, 0, false },
    { "lanes", "", "", "which lanes exist, run and are active", show_lanes, 0, true },
    { "reg", "r", "NAME", "a register in every lane", show_register, 0, true },
    { "regs", "", "", "the registers of the next instruction", show_registers, 0, true },
    { "vars", "v", "[NAME]", "the variables of the source, with --debug; or one, or a part of one: acc[2]",
      show_variables, 0, true },
    { "matrices", "", "[LANE]", "which lane holds which element of the next instruction's matrices",
      show_matrices, 0, true },
    { "access", "a", "", "what the last memory instruction touched", show_access, 0, false },
    { "shared", "", "[FROM COUNT]", "words of shared memory", show_shared, 0, true },
    { "stack", "", "", "the paths of this warp and where they meet", show_stack, 0, true },
    { "warps", "", "", "what the warps of this block do", show_warps, 0, true },
    { "findings", "", "", "what was found so far", show_findings, 0, false },
    { "printed", "", "", "what the kernel has printed so far", show_printed, 0, false },
    { "help", "h", "", "these commands", show_help, 0, false },
    { "quit", "q", "", "ends; so does the end of the input", leave, 0, false },
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static void show_help(struct step_session *s, const struct step_words *words)
{
    for (size_t i = 0; i < VERBS; i++) {
        char usage[40];
        format_into(usage, sizeof usage, "%s%s%s %s", verbs[i].name, *verbs[i].letter ? ", " : "",
                    verbs[i].letter, verbs[i].takes);
        text_addf(&s->out, "  %-22s %s\n", usage, verbs[i].help);
    }
}

static void obey(struct step_session *s, char *line)
{
    struct step_words words = { .count = 0 };
    const char *names[VERBS];
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r", &rest); word && words.count < WORDS_MOST;
         word = strtok_r(NULL, " \t\r", &rest))
        words.word[words.count++] = word;
    for (size_t i = 0; words.count && i < VERBS; i++) {
        names[i] = verbs[i].name;
        if (strcmp(words.word[0], verbs[i].name) == 0 || strcmp(words.word[0], verbs[i].letter) == 0) {
            struct sim_spot spot;
            sim_trace_where(s->walk.trace, &spot);
            if (verbs[i].warp && spot.ended)
                text_add(&s->out, "No warp runs any more.\n");
            else if (verbs[i].run)
                verbs[i].run(s, &words);
            else
                make_move(s, &words, verbs[i].go);
            return;
        }
    }
    const char *nearest = words.count ? string_nearest(words.word[0], names, VERBS) : NULL;
    if (nearest)
        text_addf(&s->out, "There is no command '%s'. Did you mean %s?\n", words.word[0], nearest);
    else if (words.count)
        text_addf(&s->out, "There is no command '%s'. 'help' lists them.\n", words.word[0]);
}

// ---- the session ------------------------------------------------------------------------------------------

// Reads one line; what is longer than `room` is left out and makes *too_long. False at the end of the input.
static bool read_line(FILE *in, char *line, size_t room, bool *too_long)
{
    size_t length = 0;
    int c = getc(in);
    *too_long = false;
    if (c == EOF)
        return false;
    for (; c != EOF && c != '\n'; c = getc(in)) {
        if (length + 1 < room)
            line[length++] = (char)c;
        else
            *too_long = true;
    }
    line[length] = 0;
    return true;
}

static void print(struct step_session *s)
{
    struct text clean = { 0 }; // it may quote the kernel file, its PTX or the input
    text_add_clean(&clean, text_string(&s->out), s->out.length);
    fputs(text_string(&clean), stdout);
    fflush(stdout);
    text_free(&clean);
    text_free(&s->out);
}

static void converse(struct step_session *s)
{
    char line[LINE_MOST];
    bool too_long;
    show_where(s, NULL);
    print(s);
    while (!s->quit && read_line(stdin, line, sizeof line, &too_long)) {
        if (too_long)
            text_addf(&s->out, "A command has at most %d characters.\n", LINE_MOST - 1);
        else
            obey(s, line);
        print(s);
    }
}

int sim_step_through(const struct request *request, const struct variant *variant, bool debug)
{
    struct step_session *s = mem_new(sizeof *s);
    struct error error;
    int status;
    s->file = variant->path;
    s->walk.setup.debug = debug;
    s->source = string_ends(variant->path, ".ptx") ? NULL : variant->text;
    if (stepper_open(&s->walk, request, &error)) {
        converse(s);
        status = s->error_seen ? EXIT_WRONG : EXIT_RIGHT;
    } else {
        status = fail(&error);
    }
    text_free(&s->out);
    stepper_close(&s->walk);
    free(s);
    return status;
}

// ---- sim --instructions -----------------------------------------------------------------------------------

static int by_source(const void *left, const void *right)
{
    const struct instruction *const *x = left, *const *y = right;
    if ((*x)->line != (*y)->line)
        return (*x)->line < (*y)->line ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

static void show_source(const struct paper *paper, const char *source, int line)
{
    int length;
    const char *at = source_line(source, line, &length);
    if (at)
        paper_put(paper, ROLE_TITLE, "\nline %d: %.*s\n", line, length, at);
    else
        paper_put(paper, ROLE_TITLE, "\nof no line of the source\n");
}

// Passes of one request on average; nothing where there are none.
static void pass_cell(const struct paper *paper, const struct sim_counters *counters, bool shared, int cells)
{
    uint64_t requests = 0, passes = 0;
    for (int i = 0; i < SIM_ACCESSES; i++) {
        if ((i == SIM_SHARED_LOAD || i == SIM_SHARED_STORE || i == SIM_SHARED_ATOM) != shared)
            continue;
        requests += counters->requests[i];
        passes += counters->passes[i];
    }
    for (int i = 0; i < SIM_REMOTES; i++) { // sectors and wavefronts are both counted of these
        requests += counters->remote_requests[i];
        passes += shared ? counters->remote_wavefronts[i] : counters->remote_sectors[i];
    }
    if (requests)
        paper_cell(paper, ROLE_TITLE, -cells, "%.2f", (double)passes / (double)requests);
    else
        paper_cell(paper, ROLE_TEXT, -cells, "%s", "");
}

static void show_instruction(const struct paper *paper, const struct instruction *item)
{
    const struct sim_counters *counters = &item->counters;
    char executions[40];
    unit_count((double)counters->warp_inst, executions, sizeof executions);
    paper_cell(paper, ROLE_TEXT, -10, "%s", executions);
    paper_cell(paper, ROLE_TEXT, -5, "%.1f",
               counters->warp_inst ? (double)counters->thread_inst / (double)counters->warp_inst : 0);
    pass_cell(paper, counters, false, 7);
    pass_cell(paper, counters, true, 10);
    paper_cell(paper, ROLE_DIM, -5, "%d", item->ptx_line);
    paper_put(paper, ROLE_TEXT, "%s", item->text);
    if (counters->divergent) {
        char divergent[40];
        unit_count((double)counters->divergent, divergent, sizeof divergent);
        paper_put(paper, ROLE_NOTE, "  splits %s", divergent);
    }
    paper_put(paper, ROLE_TEXT, "\n");
}

// source: NULL for a file that is PTX.
static void show_instructions(const struct paper *paper, const struct record *record, const char *source)
{
    const struct instructions *all = record->instructions;
    const struct instruction **order = mem_new((all->count + 1) * sizeof *order);
    for (size_t i = 0; i < all->count; i++)
        order[i] = &all->items[i];
    qsort(order, all->count, sizeof *order, by_source);
    paper_put(paper, ROLE_DIM,
              "\nPTX instructions by warps; lanes, sectors and wavefronts of one on average\n");
    paper_put(paper, ROLE_DIM, "%10s %5s %7s %10s %5s\n", "executions", "lanes", "sectors", "wavefronts",
              "ptx");
    for (size_t i = 0; i < all->count; i++) {
        if (source && (!i || order[i]->line != order[i - 1]->line))
            show_source(paper, source, order[i]->line);
        show_instruction(paper, order[i]);
    }
    free(order);
}

// ---- the page ---------------------------------------------------------------------------------------------

static void show_head(const struct paper *paper, const struct target *target, const struct record *record)
{
    paper_put(paper, ROLE_TITLE, "%s%s%s", target->lab ? target->lab->name : "", target->lab ? "/" : "",
              target->variant->name);
    paper_put(paper, ROLE_TEXT, " in the simulator\n");
    run_print_params(paper, record);
    paper_put(paper, ROLE_DIM, "%s%s\n", record->data ? "data: " : "", record->data ? record->data : "");
}

static void show_result(const struct paper *paper, const struct record *record)
{
    struct text words = { 0 };
    if (record->status == STATUS_UNCHECKED)
        text_add(&words, "unchecked: a standalone file has no reference to compare with");
    else
        record_check_words(record, &words);
    bool right = record->status == STATUS_RIGHT;
    bool plain = record->status == STATUS_UNCHECKED || record->status == STATUS_SKIPPED;
    paper_wrap(paper, right ? ROLE_GOOD : plain ? ROLE_NOTE : ROLE_BAD, 0, text_string(&words));
    if (record->message)
        paper_lines(paper, ROLE_TEXT, 2, record->message);
    if (record->printed) {
        paper_put(paper, ROLE_DIM, "the kernel printed:\n");
        paper_lines(paper, ROLE_TEXT, 2, record->printed);
    }
    text_free(&words);
}

// The source with its counters in the margin, as the source page shows it.
static void show_lines(const struct paper *paper, const struct target *target, const struct record *record)
{
    struct listing listing = {
        .text = target->variant->text, .record = record, .numbers = true, .margin = true
    };
    struct sheet sheet =
        listing_sheet(&listing, paper->terminal ? paper->width : SHEET_UNLIMITED, paper->utf8);
    paper_put(paper, ROLE_TEXT, "\n");
    sheet_print(paper, &sheet);
    sheet_free(&sheet);
}

static void show_counters(const struct paper *paper, const struct record *record)
{
    struct sheet sheet = counters_sheet(record, paper->width < 100 ? paper->width : 100, paper->utf8);
    paper_put(paper, ROLE_TEXT, "\n");
    sheet_print(paper, &sheet);
    sheet_free(&sheet);
    paper_put(paper, ROLE_DIM, "\nThe simulator took %.1f ms on %.0f thread%s here.\n", record->exec_ms,
              record->threads, record->threads == 1 ? "" : "s");
}

static void show_modelled(const struct paper *paper, const struct arguments *arguments,
                          const struct record *record)
{
    struct sheet sheet = modelled_sheet(record, paper->width < 100 ? paper->width : 100, paper->utf8);
    for (size_t i = 0; i < record->modelled_count; i++) {
        const struct modelled *one = &record->modelled[i];
        if (one->gains && record->modelled_count > 1) {
            sheet_gap(&sheet);
            sheet_add(&sheet, ROLE_TITLE, " %s", modelled_device(one));
            sheet_end(&sheet);
        }
        if (arguments_has(arguments, "--what-if"))
            modelled_what_if(&sheet, one);
        if (arguments_has(arguments, "--why"))
            modelled_why(&sheet, one);
    }
    if (sheet.line_count)
        paper_put(paper, ROLE_TEXT, "\n");
    sheet_print(paper, &sheet);
    sheet_free(&sheet);
}

static void show_page(const struct paper *paper, const struct arguments *arguments,
                      const struct target *target, const struct record *record)
{
    const char *file = target->variant->path;
    show_head(paper, target, record);
    show_result(paper, record);
    if (record->counters)
        show_counters(paper, record);
    show_modelled(paper, arguments, record);
    if (arguments_has(arguments, "--lines"))
        show_lines(paper, target, record);
    if (record->instructions)
        show_instructions(paper, record, string_ends(file, ".ptx") ? NULL : target->variant->text);
}

static int show(const struct arguments *arguments, const struct target *target, const struct record *record)
{
    if (arguments_has(arguments, "--json")) {
        run_print_json(record, false);
    } else {
        struct paper paper = paper_open(stdout);
        show_page(&paper, arguments, target, record);
    }
    bool bad = record->status == STATUS_WRONG || record->status == STATUS_FAILED || record_has_error(record);
    return bad ? EXIT_WRONG : record->status == STATUS_SKIPPED ? EXIT_USAGE : EXIT_RIGHT;
}

static bool take_check(const struct arguments *arguments, struct request *wish, struct error *error)
{
    static const char *const names[] = { "none", "counters", "all" };
    const char *check = arguments_value(arguments, "--check");
    long threads = 0, seed = 0;
    wish->check = REQUEST_CHECK_ALL;
    for (int i = 0; check && i < 3; i++)
        if (strcmp(check, names[i]) == 0)
            wish->check = (enum request_check)i;
    if (check && strcmp(check, names[wish->check]) != 0)
        return error_set(error, EXIT_USAGE, "--check takes none, counters or all, not '%s'.", check);
    if (!arguments_number(arguments, "--threads", 1, THREADS_MOST, &threads, error) ||
        !arguments_number(arguments, "--seed", 0, INT_MAX, &seed, error))
        return false;
    wish->instructions = arguments_has(arguments, "--instructions");
    if (wish->instructions && wish->check == REQUEST_CHECK_NONE)
        return error_set(error, EXIT_USAGE,
                         "--instructions counts, and --check none does not: leave one out.");
    wish->threads = (int)threads;
    wish->seed = (int)seed;
    const char *gpus = arguments_value(arguments, "--gpu");
    bool what_if = arguments_has(arguments, "--what-if"), why = arguments_has(arguments, "--why");
    wish->what_if = what_if || why;
    if (wish->check == REQUEST_CHECK_NONE)
        return (!gpus && !wish->what_if) ||
               error_set(error, EXIT_USAGE, "%s needs counters, and --check none leaves them out.",
                         gpus      ? "--gpu"
                         : what_if ? "--what-if"
                                   : "--why");
    return request_model(wish, gpus, error);
}

// Stepping runs on one thread, shows its own way, and leaves no record.
static bool suits_stepping(const struct arguments *arguments, struct error *error)
{
    static const struct {
        const char *flag, *why;
    } others[] = { { "--threads", "it walks on one thread" },
                   { "--json", "it leaves no record" },
                   { "--instructions", "it counts nothing, but shows one instruction after the other" } };
    if (arguments_has(arguments, "--debug") && !arguments_has(arguments, "--step"))
        return error_set(
            error, EXIT_USAGE,
            "--debug is for --step alone: what a debug build costs says nothing about the kernel.");
    for (size_t i = 0; arguments_has(arguments, "--step") && i < sizeof others / sizeof *others; i++)
        if (arguments_has(arguments, others[i].flag))
            return error_set(error, EXIT_USAGE, "--step does not work with %s: %s.", others[i].flag,
                             others[i].why);
    return true;
}

static int run_it(const struct arguments *arguments, const struct target *target,
                  const struct request *request)
{
    struct error error;
    struct record record;
    struct waiting waiting = { .what = target->variant->name };
    struct client *client = waiting_client(arguments, &error);
    if (!client)
        return fail(&error);
    waiting_begin(&waiting);
    bool done = client_run(client, request, waiting_show, &waiting, &record, &error);
    waiting_wipe(&waiting);
    client_free(client);
    int stopped = waiting_end(&waiting);
    if (!done) {
        int status = fail(&error);
        return stopped ? stopped : status;
    }
    int status = show(arguments, target, &record);
    struct keeping keeping = { 0 };
    keep_run(&keeping, &record);
    keep_end(&keeping);
    record_free(&record);
    return status;
}

int command_sim(const struct arguments *arguments)
{
    struct error error;
    struct target target;
    struct request wish = { 0 };
    int status;
    if (programs_mean(arguments))
        return programs_do(arguments);
    if (!target_read(arguments->operands[0], &target, &error))
        return fail(&error);
    if (target.cpu) {
        error_set(&error, EXIT_USAGE, "%s is a CPU implementation; the simulator runs kernels.",
                  target.cpu->name);
        status = fail(&error);
    } else if (!target.variant) {
        error_set(&error, EXIT_USAGE, "Name a step of the lab: 'warpbook list %s' shows them.",
                  target.lab->name);
        status = fail(&error);
    } else if (!suits_stepping(arguments, &error) || !target_request(&target, arguments, 60, &wish, &error) ||
               !take_check(arguments, &wish, &error)) {
        status = fail(&error);
    } else {
        struct request request = wish; // which owns what it holds
        request.on = ON_SIM;
        request.variant = target.variant->name;
        request.file = target.variant->path;
        request.source = target.variant->text;
        status = arguments_has(arguments, "--step")
                     ? sim_step_through(&request, target.variant, arguments_has(arguments, "--debug"))
                     : run_it(arguments, &target, &request);
    }
    request_free(&wish);
    target_free(&target);
    return status;
}
