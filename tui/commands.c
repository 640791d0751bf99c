// The table of commands. Help, usage errors and the overview are made from it.
#include "tui/app/app.h"

#include <string.h>

const struct command commands[] = {
    { .name = "open",
      .operands = "[PAGE [WHAT ...]]",
      .help = "The full-screen program; PAGE is home, bench, lesson, source, step, explore, terms, workbook, "
              "machine or help.",
      .most = OPERANDS,
      .flags = { { "--ascii", NULL, "plain ASCII, whatever the locale says" },
                 { "--mono", NULL, "no colour, as NO_COLOR does" },
                 { "--light", NULL, "colours for a light background" },
                 { "--dark", NULL, "colours for a dark background" } },
      .run = command_open },
    { .name = "lesson",
      .operands = "[LESSON]",
      .help = "The lessons, or the text of one, by its number, its name or its folder.",
      .most = 1,
      .flags = { { "--notes", NULL, "the notes for an instructor as well" } },
      .run = command_lesson },
    { .name = "list",
      .operands = "[LAB]",
      .help = "The labs, or the ladder of one lab.",
      .most = 1,
      .run = command_list },
    { .name = "show",
      .operands = "LAB[/STEP] | FILE.cu",
      .help = "The source of a kernel and what it takes of a GPU.",
      .least = 1,
      .most = 1,
      .flags = { { "--diff", NULL, "only what differs from the step before" },
                 { "--ptx", NULL, "the PTX that it compiles to" },
                 { "--sass", NULL, "the machine code, where NVIDIA's disassembler is installed" },
                 { "--target", "sm_NN", "compile for this GPU: sm_75, sm_80, sm_90, ..." } },
      .run = command_show },
    { .name = "run",
      .operands = "LAB[/STEP] | FILE.cu",
      .help = "Run a kernel, or the whole ladder of a lab; time it and check it.",
      .least = 1,
      .most = 1,
      .flags = { { "--on", "gpu|cpu|all|sim", "where to run; all is the CPU and the GPU" },
                 { "--size", "NAME", "a size that the lab names: small, full, ..." },
                 { "--set", "NAME=VALUE", "one parameter of the lab, as often as there are any" },
                 { "--data", "NAME", "a distribution of the input that the lab names" },
                 { "--reps", "N", "measure exactly N times (1 to 100)" },
                 { "--limit", "SECONDS", "stop a kernel that runs longer; 10 is the default" },
                 { "--memory", "SIZE", "with --on sim: what it may take; 4G, or 3/4 of what is free" },
                 { "--chart", NULL, "the ladder as a chart and under its roof, below the table" },
                 { "--json", NULL, "one record a line, for programs" } },
      .run = command_run },
    { .name = "sim",
      .operands = "LAB/STEP | FILE.cu | FILE.ptx",
      .help = "Run a kernel in the simulator: what its accesses cost, and what is wrong with it.",
      .least = 1,
      .most = 1,
      .flags = { { "--check", "all|counters|none", "what is counted and looked for; all is the default" },
                 { "--size", "NAME", "a size that the lab names; small is the default" },
                 { "--set", "NAME=VALUE", "one parameter, as often as there are any" },
                 { "--data", "NAME", "a distribution of the input that the lab names" },
                 { "--threads", "N", "threads of this machine; all cores are the default" },
                 { "--seed", "N", "the order of blocks and warps; 0 is as they are numbered" },
                 { "--limit", "SECONDS", "stop a kernel that runs longer; 60 is the default" },
                 { "--memory", "SIZE", "what it may take: 512M, 8G; 4G, or 3/4 of what is free" },
                 { "--instructions", NULL, "what each PTX instruction did, under its source line" },
                 { "--lines", NULL, "the source with its counters by line" },
                 { "--step", NULL, "walk through it: reads commands from stdin, 'help' lists them" },
                 { "--json", NULL, "one record, for programs" } },
      .run = command_sim },
    { .name = "explore",
      .operands = "[EXPLORER [KNOB=VALUE ...]]",
      .help = "A picture that answers while you turn a knob: banks, sectors, warps, occupancy.",
      .most = OPERANDS,
      .run = command_explore },
    { .name = "explain",
      .operands = "[WORD ...]",
      .help = "What a word means, what to try, and what it leads to.",
      .most = OPERANDS,
      .run = command_explain },
    { .name = "workbook",
      .operands = "[KIND | runs LAB[/STEP]]",
      .help = "What you predicted, answered and ran; KIND is predictions, answers, runs, edits or notes.",
      .most = 2,
      .run = command_workbook },
    { .name = "report",
      .operands = "",
      .help = "The workbook as a document to hand in: Markdown, or one HTML page.",
      .flags = { { "--html", NULL, "one HTML page that needs nothing else, with its charts in it" },
                 { "--to", "FILE", "into this file, which must not be there yet" },
                 { "--force", NULL, "replace the file" },
                 { "--name", "NAME", "whose workbook it is, for the title" },
                 { "--lesson", "LESSON",
                   "one lesson, by its number, name or folder, with the labs that it shows" },
                 { "--kernels", NULL, "the kernels that you wrote as well" } },
      .run = command_report },
    { .name = "review",
      .operands = "",
      .help = "Asks again what you had wrong, on its day: after 1, 3, 7 and 21 days.",
      .flags = { { "--all", NULL, "all that is not learned, also before its day" },
                 { "--list", NULL, "what comes back, and when, without asking" } },
      .run = command_review },
    { .name = "note",
      .operands = "WORDS",
      .help = "Write a line into your workbook.",
      .least = 1,
      .most = OPERANDS,
      .run = command_note },
    { .name = "check",
      .operands = "[FOLDER ...]",
      .help = "Whether lessons and terms keep what they promise: links, widths, numbers, solutions.",
      .most = OPERANDS,
      .flags = { { "--fast", NULL, "without running any kernel" } },
      .run = command_check },
    { .name = "new",
      .operands = "lesson NAME",
      .help = "A folder for a lesson of your own, with an exercise; it passes check.",
      .least = 2,
      .most = 2,
      .run = command_new },
    { .name = "shell",
      .operands = "",
      .help = "The prompt without a screen; reads a script from a pipe.",
      .flags = { { "--complete", "LINE", "print what could come next, for the completion of other shells" } },
      .run = command_shell },
    { .name = "doctor",
      .operands = "",
      .help = "What was found on this machine, and what to do about what is missing.",
      .flags = { { "--measure", NULL, "measure the ceilings of the GPU again" },
                 { "--json", NULL, "for a bug report" } },
      .run = command_doctor },
    { .name = "help",
      .operands = "[COMMAND]",
      .help = "What a command does and takes.",
      .most = 1,
      .run = command_help_page },
    { .name = "worker",
      .operands = "",
      .help = "Serve runs on stdin and stdout, in the lines that engine/run/PROTOCOL.md describes.",
      .flags = { { "--compile", NULL, "serve one compile, for the worker's own use" },
                 { "--executor", "KIND", "simulate or measure in a process of its own, likewise" },
                 { "--ptx", "FILE.cu", "write the PTX that ships for one kernel file" } },
      .run = command_worker },
};
const size_t command_count = sizeof commands / sizeof *commands;

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

bool command_of(const char *name, const struct command **out, struct error *error)
{
    const char *names[32];
    size_t count = 0;
    *out = command_find(name);
    if (*out)
        return true;
    for (; count < command_count && count < 32; count++)
        names[count] = commands[count].name;
    const char *nearest = string_nearest(name, names, count);
    if (page_find(name))
        return error_set(error, EXIT_USAGE, "'%s' is a page of the screen: 'warpbook open %s' shows it.",
                         name, name);
    if (lab_find(name))
        return error_set(
            error, EXIT_USAGE,
            "'%s' is a lab: 'warpbook run %s' runs its ladder, 'warpbook open bench %s' shows it.", name,
            name, name);
    if (nearest)
        return error_set(error, EXIT_USAGE, "There is no command '%s'. Did you mean %s?", name, nearest);
    return error_set(error, EXIT_USAGE, "There is no command '%s'. 'warpbook help' lists them.", name);
}
