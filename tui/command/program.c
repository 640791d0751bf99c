// Commands about the program itself: help and the overview, from the tables; open, which starts the full-screen program;
// doctor, which says what was found here and, for everything missing, what to do; worker, the other end of every run.
#include "engine/compile/compile.h"
#include "engine/room/queue.h"
#include "tui/app/app.h"
#include "tui/tui.h"
#include "tui/view/view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- Help -------------------------------------------------------------------------------------------------

// Each sentence beside its command where the terminal is wide enough for all of them, else below it.
static void list_commands(const struct paper *paper, const struct command *table)
{
    enum { USE_CELLS = 30 };
    bool beside = true;
    for (const struct command *command = table; command->name; command++)
        beside = beside && text_cells(command->help) <= paper->width - USE_CELLS - 3;
    for (const struct command *command = table; command->name; command++) {
        char *use = text_format("%s%s%s", command->name, *command->operands ? " " : "", command->operands);
        if (beside && text_cells(use) <= USE_CELLS) {
            paper_put(paper, ROLE_TEXT, "  ");
            paper_cell(paper, ROLE_TITLE, USE_CELLS, "%s", use);
            paper_put(paper, ROLE_TEXT, "%s\n", command->help);
        } else {
            bool fits = text_cells(use) <= paper->width - 2; // else its own help has all of it
            paper_put(paper, ROLE_TITLE, "  %s%s\n", fits ? use : command->name, fits ? "" : " ...");
            paper_wrap(paper, ROLE_TEXT, 6, command->help);
        }
        free(use);
    }
}

static int command_overview(const struct command *table)
{
    struct paper paper = paper_open(stdout);
    paper_put(&paper, ROLE_TITLE, "warpbook");
    paper_put(&paper, ROLE_TEXT, " - a lab workbook for CUDA in the terminal\n\n");
    paper_wrap(&paper, ROLE_TEXT, 0,
               "The lessons ask you before they show you, and check what you try. Each lab is one problem "
               "with a ladder of kernels, from the first idea to the limit of the hardware. Run a ladder and "
               "see CPU and GPU times side by side, every result checked. Where there is no GPU, a simulator "
               "runs the kernels.");
    paper_put(&paper, ROLE_TEXT, "\nLabs\n");
    for (size_t i = 0; i < lab_count; i++) {
        paper_put(&paper, ROLE_TEXT, "  ");
        paper_cell(&paper, ROLE_TITLE, 12, "%s", lab_list[i]->name);
        paper_put(&paper, ROLE_TEXT, " %s\n", lab_list[i]->title);
    }
    paper_put(&paper, ROLE_TEXT, "\nCommands\n");
    list_commands(&paper, table);
    paper_put(&paper, ROLE_TEXT, "\nStart with\n");
    paper_put(&paper, ROLE_NOTE,
              "  warpbook lesson 1\n  warpbook run histogram\n  warpbook explain warp\n  warpbook doctor\n");
    return EXIT_RIGHT;
}

void command_help(const struct paper *paper, const struct command *command)
{
    char *use =
        text_format("warpbook %s%s%s", command->name, *command->operands ? " " : "", command->operands);
    paper_wrap(paper, ROLE_TITLE, 0, use);
    free(use);
    paper_put(paper, ROLE_TEXT, "%s\n", command->help);
    for (int f = 0; f < FLAGS && command->flags[f].name; f++) {
        const struct flag *flag = &command->flags[f];
        paper_put(paper, ROLE_TEXT, "%s  %s %-*s  %s\n", f ? "" : "\n", flag->name,
                  (int)(21 - strlen(flag->name)), flag->value ? flag->value : "", flag->help);
    }
}

int command_help_page(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    if (!arguments->operand_count) {
        list_commands(&paper, arguments->commands);
        paper_put(&paper, ROLE_TEXT, "\n");
        paper_wrap(
            &paper, ROLE_TEXT, 0,
            "Exit status: 0 all right, 1 a result was wrong, 2 wrong use, 3 something is missing here.");
        return EXIT_RIGHT;
    }
    struct error error;
    const struct command *command = command_named(arguments->commands, arguments->operands[0], &error);
    if (!command)
        return fail(&error);
    command_help(&paper, command);
    return EXIT_RIGHT;
}

// ---- The full-screen program: warpbook open, and warpbook alone -------------------------------------------

static int open_screen(const struct screen_wish *wish, const struct command *table, const char *words)
{
    const struct vocabulary known = { page_list, table, &banner };
    struct app app = { 0 };
    struct screen *screen;
    struct error error;
    app.prompt = prompt_new(); // before curses: both would free the other's terminal
    if (!screen_open(wish, &screen, &error)) {
        prompt_free(app.prompt);
        return fail(&error);
    }
    app_init(&app, &known, screen_face(screen), screen_utf8(screen));
    int status = app_main(&app, words);
    app_end(&app);
    screen_close(screen);
    prompt_free(app.prompt);
    return status;
}

// Writes a word as the prompt would take it: bare where it can be.
static void quote_word(struct text *line, const char *word)
{
    bool bare = *word && !word[strcspn(word, " \t\n\"'\\")];
    text_addf(line, "%s%s", line->length ? " " : "", bare ? "" : "\"");
    for (const char *c = word; *c; c++)
        text_addf(line, "%s%c", !bare && (*c == '"' || *c == '\\') ? "\\" : "", *c);
    text_add(line, bare ? "" : "\"");
}

int command_open(const struct arguments *arguments)
{
    struct screen_wish wish = { .ascii = arguments_has(arguments, "--ascii"),
                                .mono = arguments_has(arguments, "--mono"),
                                .light = arguments_has(arguments, "--light")  ? 1
                                         : arguments_has(arguments, "--dark") ? 0
                                                                              : -1 };
    struct text words = { 0 };
    struct error error;
    drawn_flat = drawn_flat || arguments_has(arguments, "--flat");
    if (arguments->operand_count && !page_find(page_list, arguments->operands[0])) {
        error_set(&error, EXIT_USAGE, "There is no page '%s'. 'warpbook help open' lists them.",
                  arguments->operands[0]);
        return fail(&error);
    }
    for (size_t i = 0; i < arguments->operand_count; i++)
        quote_word(&words, arguments->operands[i]);
    for (char *const *passed = arguments->passed; passed && *passed; passed++)
        quote_word(&words, *passed);
    struct words split;
    bool fits = !arguments->operand_count || words_split(words.data, &split, &error);
    if (fits && arguments->operand_count) {
        fits = page_takes(page_find(page_list, split.word[0]), &split, &error);
        words_free(&split);
    }
    int status = fits
                     ? open_screen(&wish, arguments->commands, arguments->operand_count ? words.data : "home")
                     : fail(&error);
    text_free(&words);
    return status;
}

int screen_on(const struct command *table, const char *words)
{
    return open_screen(&(struct screen_wish){ .light = -1 }, table, words);
}

int command_alone(const struct command *table)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return command_overview(table);
    return screen_on(table, "home");
}

// ---- warpbook doctor --------------------------------------------------------------------------------------

// The whole report, with the worker's part of it; the worker may be on another machine.
static json_t *describe(const struct arguments *arguments, const struct paper *paper, struct waiting *waiting,
                        struct error *error)
{
    struct client *client = waiting_client(arguments, error);
    json_t *report = NULL;
    if (!client)
        return NULL;
    const struct vocabulary known = { page_list, arguments->commands, NULL };
    if (client_describe(client, arguments_has(arguments, "--measure"), waiting_show, waiting, &report, error))
        machine_add_here(report, &known, paper->width, paper->terminal);
    waiting_wipe(waiting);
    client_free(client);
    return report;
}

// What the operand and the flags ask for, beside the report; false: they make no sense together.
static bool asks_for_model(const struct arguments *arguments, bool *model, struct error *error)
{
    const char *of_model[] = { "--to", "--force", "--from" };
    *model = arguments->operand_count > 0;
    if (*model && (strcmp(arguments->operands[0], "model") != 0 || !arguments_has(arguments, "--measure")))
        return error_set(error, EXIT_USAGE,
                         "'doctor' takes no '%s'; 'doctor --measure model' measures the figures of the GPU.",
                         arguments->operands[0]);
    if (*model && arguments_has(arguments, "--json"))
        return error_set(error, EXIT_USAGE,
                         "--json is for the report; the figures are a file of JSON: --to FILE.");
    for (size_t i = 0; !*model && i < sizeof of_model / sizeof *of_model; i++)
        if (arguments_has(arguments, of_model[i]))
            return error_set(error, EXIT_USAGE, "%s belongs to 'doctor --measure model'.", of_model[i]);
    return true;
}

int command_doctor(const struct arguments *arguments)
{
    struct error error = { 0 };
    bool model = false;
    if (!asks_for_model(arguments, &model, &error))
        return fail(&error);
    if (model)
        return measure_model(arguments);
    struct paper paper = paper_open(stdout);
    struct waiting waiting = { .what = "the worker" };
    waiting_begin(&waiting);
    json_t *report = describe(arguments, &paper, &waiting, &error);
    int stopped = waiting_end(&waiting);
    if (!report) {
        int status = fail(&error);
        return stopped ? stopped : status;
    }
    if (arguments_has(arguments, "--json")) {
        char *text = json_dumps(report, JSON_INDENT(2) | JSON_ENSURE_ASCII);
        printf("%s\n", text);
        free(text);
    } else {
        struct sheet sheet =
            machine_sheet(report, paper.terminal ? paper.width : SHEET_UNLIMITED, paper.utf8);
        sheet_print(&paper, &sheet);
        sheet_free(&sheet);
    }
    json_decref(report);
    return EXIT_RIGHT;
}

// ---- warpbook worker --------------------------------------------------------------------------------------

int command_worker(const struct arguments *arguments)
{
    if (arguments_has(arguments, "--compile"))
        _exit(compile_child_main());
    if (arguments_has(arguments, "--executor"))
        return executor_main(arguments_value(arguments, "--executor"));
    if (arguments_has(arguments, "--program"))
        return host_child_main(arguments_value(arguments, "--program"));
    if (arguments_has(arguments, "--room"))
        return forward_main();
    if (arguments_has(arguments, "--ptx"))
        return compile_ptx_main(arguments_value(arguments, "--ptx"));
    return worker_main();
}
