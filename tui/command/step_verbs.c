// The commands of a stepping session: a table of their words, and how they ask for what they show.
#include "tui/command/step.h"

#include <stdlib.h>

// ---- views ----------------------------------------------------------------------------------------------------

static void show_where(struct session *s, const struct step_words *words)
{
    step_where(&s->show);
}

static void show_lanes(struct session *s, const struct step_words *words)
{
    step_lanes(&s->show);
}

static void show_register(struct session *s, const struct step_words *words)
{
    if (words->count < 2)
        text_add(&s->show.out, "'reg' takes the name of a register, such as 'reg %r1'.\n");
    else
        step_register(&s->show, words->word[1]);
}

static void show_registers(struct session *s, const struct step_words *words)
{
    step_registers(&s->show);
}

static void show_access(struct session *s, const struct step_words *words)
{
    step_access(&s->show);
}

static void show_shared(struct session *s, const struct step_words *words)
{
    uint64_t from, count;
    if (step_number(s, words, 1, 0, &from) && step_number(s, words, 2, 32, &count))
        step_shared(&s->show, from, count);
}

static void show_stack(struct session *s, const struct step_words *words)
{
    step_stack(&s->show);
}

static void show_warps(struct session *s, const struct step_words *words)
{
    step_warps(&s->show);
}

static void show_findings(struct session *s, const struct step_words *words)
{
    struct sim_finding *findings;
    size_t count = walk_findings(&s->walk, &findings);
    if (!count)
        text_add(&s->show.out, "No findings so far.\n");
    for (size_t i = 0; i < count; i++)
        step_finding(&s->show, &findings[i]);
    free(findings);
}

static void show_printed(struct session *s, const struct step_words *words)
{
    char *printed = sim_trace_printed(s->walk.trace);
    text_add(&s->show.out, printed ? printed : "The kernel has printed nothing so far.\n");
    free(printed);
}

static void show_help(struct session *s, const struct step_words *words)
{
    for (size_t i = 0; i < step_verb_count; i++) {
        char usage[40];
        format_into(usage, sizeof usage, "%s%s%s %s", step_verbs[i].name, *step_verbs[i].letter ? ", " : "",
                    step_verbs[i].letter, step_verbs[i].takes);
        text_addf(&s->show.out, "  %-22s %s\n", usage, step_verbs[i].help);
    }
}

static void leave(struct session *s, const struct step_words *words)
{
    s->quit = true;
}

const struct verb step_verbs[] = {
    { "step", "s", "[N]", "one instruction of a warp, or N", step_forward },
    { "back", "b", "[N]", "one instruction back, or N", step_back },
    { "line", "l", "", "until this warp is at another line of the source", step_line },
    { "line-back", "", "", "back to where this warp came to its line, or to the line before",
      step_line_back },
    { "barrier", "", "", "until the next instruction is a barrier", step_barrier },
    { "conflict", "c", "", "until an access has needed more passes than it could", step_conflict },
    { "finding", "f", "", "until something new is found", step_to_finding },
    { "goto", "g", "BLOCK WARP", "until this warp runs next; from the start if it is over", step_goto },
    { "start", "", "", "back to the start of the launch", step_start },
    { "end", "", "", "to the end of the launch", step_end },
    { "launch", "", "", "to the start of the next launch of the file", step_next_launch },
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
const size_t step_verb_count = sizeof step_verbs / sizeof *step_verbs;
