// warpbook sim --step: walks through one launch, told by commands on stdin.
#include "tui/command/step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/run/simulation.h"

enum { LINE_MOST = 200, WORDS = 4 };

struct session {
    struct scene scene;
    struct problem problem;
    size_t launch; // that is traced
    struct packed_launch packed;
    struct sim_trace *trace;
    struct stepping show;
    bool error_seen, quit;
};

struct words {
    const char *word[WORDS];
    size_t count;
};
struct verb {
    const char *name, *letter, *takes, *help;
    void (*run)(struct session *s, const struct words *words);
};
static const struct verb verbs[];
static size_t verb_count(void);

// ---- numbers --------------------------------------------------------------------------------------------------

// The word at `index`, or what it is without one.
static bool number_at(struct session *s, const struct words *words, size_t index, uint64_t otherwise,
                      uint64_t *out)
{
    char *end;
    *out = otherwise;
    if (index >= words->count)
        return true;
    const char *word = words->word[index];
    errno = 0;
    *out = strtoull(word, &end, 0);
    if (*word >= '0' && *word <= '9' && !*end && !errno)
        return true;
    text_addf(&s->show.out, "'%s' is not a number.\n", word);
    return false;
}

// ---- launches -------------------------------------------------------------------------------------------------

static bool open_launch(struct session *s, size_t launch, struct error *error)
{
    const struct launch *line = &s->scene.variant.launches[launch];
    struct sim_launch what;
    struct sim_options options = scene_options(&s->scene);
    struct sim_fault fault;
    s->launch = launch;
    if (!scene_pack(&s->scene, line, &s->packed, &what, error))
        return false;
    if (!sim_trace_open(s->scene.module, s->scene.memory, &what, &options, &s->trace, &fault))
        return error_at(error, &s->scene.variant.source, line->at, "%s", fault.text);
    s->show.trace = s->trace;
    return true;
}

static bool has_ended(const struct session *s)
{
    struct sim_spot spot;
    sim_trace_where(s->trace, &spot);
    return spot.ended;
}

// Also those that only the end of the last launch can show.
static size_t all_findings(const struct session *s, struct sim_finding **out)
{
    struct sim_finding *late = NULL;
    size_t count = sim_trace_findings(s->trace, out), more = 0;
    if (has_ended(s) && s->launch + 1 == s->scene.variant.launch_count &&
        s->scene.request->check == SIM_CHECK_ALL)
        more = sim_memory_never_written(s->scene.memory, &late);
    struct sim_finding *all = more ? realloc(*out, (count + more) * sizeof *all) : NULL;
    if (all) {
        memcpy(all + count, late, more * sizeof *all);
        *out = all;
        count += more;
    }
    free(late);
    return count;
}

static void look_for_errors(struct session *s)
{
    struct sim_finding *findings;
    size_t count = all_findings(s, &findings);
    for (size_t i = 0; i < count; i++)
        s->error_seen |= findings[i].severity == SIM_ERROR;
    free(findings);
}

// ---- moves ----------------------------------------------------------------------------------------------------

static void arrive(struct session *s, enum sim_arrival arrival)
{
    static const char *const why[] = {
        [SIM_AT_START] = "This is the start.\n",
        [SIM_AT_END] = "The launch ends before that.\n",
        [SIM_NO_SUCH_WARP] = "The launch has no such block and warp; 'where' says how many there are.\n",
        [SIM_NO_MEMORY] = "There is not enough memory to start over.\n",
    };
    look_for_errors(s);
    if (arrival == SIM_TOO_FAR)
        text_addf(&s->show.out,
                  "A trace goes no further than %d steps; take a smaller size with --set, or 'back'.\n",
                  SIM_TRACE_MOST);
    else if (arrival != SIM_THERE)
        text_add(&s->show.out, why[arrival]);
    step_where(&s->show);
}

static void go_forward(struct session *s, const struct words *words)
{
    uint64_t steps;
    if (number_at(s, words, 1, 1, &steps))
        arrive(s, sim_trace_forward(s->trace, steps));
}

static void go_back(struct session *s, const struct words *words)
{
    uint64_t steps;
    if (number_at(s, words, 1, 1, &steps))
        arrive(s, sim_trace_back(s->trace, steps));
}

static void go_line(struct session *s, const struct words *words)
{
    arrive(s, sim_trace_line(s->trace));
}

static void go_barrier(struct session *s, const struct words *words)
{
    arrive(s, sim_trace_barrier(s->trace));
}

static void go_finding(struct session *s, const struct words *words)
{
    struct sim_finding finding;
    enum sim_arrival arrival = sim_trace_finding(s->trace);
    if (arrival == SIM_THERE && sim_trace_latest(s->trace, &finding))
        step_finding(&s->show, &finding);
    arrive(s, arrival);
}

static void go_to(struct session *s, const struct words *words)
{
    uint64_t block, warp;
    if (words->count < 3)
        text_add(&s->show.out, "'goto' takes a block and a warp, such as 'goto 2 0'.\n");
    else if (number_at(s, words, 1, 0, &block) && number_at(s, words, 2, 0, &warp))
        arrive(s, sim_trace_goto(s->trace, block, warp < UINT32_MAX ? (uint32_t)warp : UINT32_MAX));
}

static void go_start(struct session *s, const struct words *words)
{
    enum sim_arrival arrival = sim_trace_back(s->trace, UINT64_MAX);
    arrive(s, arrival == SIM_AT_START ? SIM_THERE : arrival);
}

static void go_end(struct session *s, const struct words *words)
{
    enum sim_arrival arrival = sim_trace_end(s->trace);
    arrive(s, arrival == SIM_AT_END ? SIM_THERE : arrival);
}

static void go_launch(struct session *s, const struct words *words)
{
    struct error error;
    if (s->launch + 1 >= s->scene.variant.launch_count) {
        text_add(&s->show.out, "This is the last launch of the file.\n");
        return;
    }
    enum sim_arrival arrival = sim_trace_end(s->trace);
    look_for_errors(s);
    if (arrival == SIM_TOO_FAR) {
        arrive(s, arrival);
        return;
    }
    sim_trace_close(s->trace);
    s->trace = NULL;
    if (open_launch(s, s->launch + 1, &error)) {
        step_where(&s->show);
        return;
    }
    text_addf(&s->show.out, "%s\n", error.text);
    s->quit = true;
}

// ---- views ----------------------------------------------------------------------------------------------------

static void show_where(struct session *s, const struct words *words)
{
    step_where(&s->show);
}

static void show_lanes(struct session *s, const struct words *words)
{
    step_lanes(&s->show);
}

static void show_register(struct session *s, const struct words *words)
{
    if (words->count < 2)
        text_add(&s->show.out, "'reg' takes the name of a register, such as 'reg %r1'.\n");
    else
        step_register(&s->show, words->word[1]);
}

static void show_registers(struct session *s, const struct words *words)
{
    step_registers(&s->show);
}

static void show_access(struct session *s, const struct words *words)
{
    step_access(&s->show);
}

static void show_shared(struct session *s, const struct words *words)
{
    uint64_t from, count;
    if (number_at(s, words, 1, 0, &from) && number_at(s, words, 2, 32, &count))
        step_shared(&s->show, from, count);
}

static void show_stack(struct session *s, const struct words *words)
{
    step_stack(&s->show);
}

static void show_warps(struct session *s, const struct words *words)
{
    step_warps(&s->show);
}

static void show_findings(struct session *s, const struct words *words)
{
    struct sim_finding *findings;
    size_t count = all_findings(s, &findings);
    if (!count)
        text_add(&s->show.out, "No findings so far.\n");
    for (size_t i = 0; i < count; i++)
        step_finding(&s->show, &findings[i]);
    free(findings);
}

static void show_printed(struct session *s, const struct words *words)
{
    char *printed = sim_trace_printed(s->trace);
    text_add(&s->show.out, printed ? printed : "The kernel has printed nothing so far.\n");
    free(printed);
}

static void show_help(struct session *s, const struct words *words)
{
    for (size_t i = 0; i < verb_count(); i++) {
        char usage[40];
        format_into(usage, sizeof usage, "%s%s%s %s", verbs[i].name, *verbs[i].letter ? ", " : "",
                    verbs[i].letter, verbs[i].takes);
        text_addf(&s->show.out, "  %-22s %s\n", usage, verbs[i].help);
    }
}

static void leave(struct session *s, const struct words *words)
{
    s->quit = true;
}

static const struct verb verbs[] = {
    { "step", "s", "[N]", "one instruction of a warp, or N", go_forward },
    { "back", "b", "[N]", "one instruction back, or N", go_back },
    { "line", "l", "", "until this warp is at another line of the source", go_line },
    { "barrier", "", "", "until the next instruction is a barrier", go_barrier },
    { "finding", "f", "", "until something new is found", go_finding },
    { "goto", "g", "BLOCK WARP", "until this warp runs next; from the start if it is over", go_to },
    { "start", "", "", "back to the start of the launch", go_start },
    { "end", "", "", "to the end of the launch", go_end },
    { "launch", "", "", "to the start of the next launch of the file", go_launch },
    { "where", "w", "", "the next instruction and who runs it", show_where },
    { "lanes", "", "", "which lanes exist, run and are active", show_lanes },
    { "reg", "r", "NAME", "a register in every lane", show_register },
    { "regs", "", "", "the registers of the next instruction", show_registers },
    { "access", "a", "", "what the last memory instruction touched", show_access },
    { "shared", "", "[FROM COUNT]", "words of shared memory", show_shared },
    { "stack", "", "", "the paths of this warp and where they meet", show_stack },
    { "warps", "", "", "what the warps of this block do", show_warps },
    { "findings", "", "", "what was found so far", show_findings },
    { "printed", "", "", "what the kernel has printed so far", show_printed },
    { "help", "h", "", "these commands", show_help },
    { "quit", "q", "", "ends; so does the end of the input", leave },
};
static size_t verb_count(void)
{
    return sizeof verbs / sizeof *verbs;
}

// ---- reading --------------------------------------------------------------------------------------------------

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

static void obey(struct session *s, char *line)
{
    struct words words = { .count = 0 };
    const char *names[64];
    size_t count = verb_count();
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r", &rest); word && words.count < WORDS;
         word = strtok_r(NULL, " \t\r", &rest))
        words.word[words.count++] = word;
    if (!words.count)
        return;
    for (size_t i = 0; i < count && i < 64; i++) {
        names[i] = verbs[i].name;
        if (strcmp(words.word[0], verbs[i].name) == 0 ||
            (*verbs[i].letter && strcmp(words.word[0], verbs[i].letter) == 0)) {
            verbs[i].run(s, &words);
            return;
        }
    }
    const char *nearest = string_nearest(words.word[0], names, count);
    if (nearest)
        text_addf(&s->show.out, "There is no command '%s'. Did you mean %s?\n", words.word[0], nearest);
    else
        text_addf(&s->show.out, "There is no command '%s'. 'help' lists them.\n", words.word[0]);
}

static void print(struct session *s)
{
    struct text clean = { 0 }; // it may quote the kernel file, its PTX or the input
    text_add_clean(&clean, text_string(&s->show.out), s->show.out.length);
    fputs(text_string(&clean), stdout);
    fflush(stdout);
    text_free(&clean);
    text_free(&s->show.out);
}

static void converse(struct session *s)
{
    char line[LINE_MOST];
    bool too_long;
    step_where(&s->show);
    print(s);
    while (!s->quit && read_line(stdin, line, sizeof line, &too_long)) {
        if (too_long)
            text_addf(&s->show.out, "A command has at most %d characters.\n", LINE_MOST - 1);
        else
            obey(s, line);
        print(s);
    }
}

// ---- the session ----------------------------------------------------------------------------------------------

static bool suits(struct session *s, struct error *error)
{
    struct record record;
    bool suited;
    record_init(&record);
    bool good = variant_suits(&s->scene.variant, &s->scene.scope, &suited, &record, error);
    if (good && !suited)
        good = error_set(error, EXIT_USAGE, "This size does not suit the kernel: it %s.",
                         record.message ? record.message : "needs another one");
    record_free(&record);
    return good;
}

static bool begin(struct session *s, const struct request *request, struct error *error)
{
    if (!scene_parse(&s->scene, request, error) || !scene_compile(&s->scene, error) ||
        !request_problem(request, &s->scene.variant, &s->problem, error))
        return false;
    scene_bind(&s->scene, &s->problem);
    if (!suits(s, error) || !scene_place(&s->scene, &s->problem, error))
        return false;
    if (!s->scene.variant.launch_count)
        return error_set(error, EXIT_USAGE, "%s has no launch line.", request->file);
    s->show.file = request->file;
    s->show.source = string_ends(request->file, ".ptx") ? NULL : request->source;
    return open_launch(s, 0, error);
}

int step_through(const struct request *request)
{
    struct session *s = mem_new(sizeof *s);
    struct error error;
    int status;
    if (begin(s, request, &error)) {
        converse(s);
        status = s->error_seen ? EXIT_WRONG : EXIT_RIGHT;
    } else {
        status = fail(&error);
    }
    sim_trace_close(s->trace);
    text_free(&s->show.out);
    scene_free(&s->scene);
    problem_free(&s->problem);
    free(s);
    return status;
}
