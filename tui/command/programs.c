// run, list and export of host programs: the labs that consist of them, and files with a main.
#include "engine/run/host.h"
#include "tui/text/text.h"
#include "tui/tui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program_runner {
    struct paper paper;
    bool json;
    struct host_terms terms;
    struct keeping keeping;
    struct error why; // records are shown
    int status;
};

static bool has_main(const char *text)
{
    bool main_before = false;
    for (struct code_piece piece = piece_next_code(&text); piece.kind != PIECE_END;
         piece = piece_next_code(&text)) {
        if (main_before && piece_is(piece, "("))
            return true;
        main_before = piece_is(piece, "main");
    }
    return false;
}

// "streams", "streams/3": whether it names a lab of host programs, and what follows the '/'; NULL: nothing.
static bool names_lab(const char *target, struct lab_entry *lab, const char **step)
{
    const char *slash = strchr(target, '/');
    char *name = slash ? mem_copy_n(target, (size_t)(slash - target)) : mem_copy(target);
    bool is = lab_entry_find(name, lab) && lab->kind == LAB_PROGRAMS;
    *step = slash ? slash + 1 : NULL;
    free(name);
    return is;
}

bool programs_mean(const struct arguments *arguments)
{
    const char *target = arguments->operands[0];
    struct text text = { 0 };
    struct error ignored;
    struct lab_entry lab;
    const char *step;
    if (names_lab(target, &lab, &step))
        return strcmp(arguments->command->name, "sim") != 0; // which says what they are instead
    bool takes = strcmp(arguments->command->name, "run") == 0 || strcmp(arguments->command->name, "sim") == 0;
    bool is = takes && string_ends(target, ".cu") && file_read(target, &text, &ignored) &&
              has_main(text_string(&text));
    text_free(&text);
    return is;
}

// A file with a main where there is no GPU, and for sim.
static int simulate(const struct arguments *arguments, const char *why)
{
    struct error error;
    const char *file = arguments->operands[0];
    if (arguments->given_count) {
        error_set(&error, EXIT_USAGE,
                  "%s %s has a main: 'warpbook exec %s' runs it in the simulator, and has flags of its own.",
                  why, file, file);
        return fail(&error);
    }
    fprintf(stderr, "%s %s has a main, and runs as 'warpbook exec %s'.\n", why, file, file);
    return command_exec(arguments);
}

// ---- one program ------------------------------------------------------------------------------------------

static void print_program(const struct program_runner *runner, const struct host_program *program,
                          const struct timeline *timeline)
{
    struct sheet sheet = sheet_new(runner->paper.width, runner->paper.utf8);
    sheet_add(&sheet, ROLE_TITLE, "%s", program->name);
    if (program->title)
        sheet_flow(&sheet, ROLE_TEXT, "  %s", program->title);
    sheet_end(&sheet);
    if (program->why)
        sheet_paragraph(&sheet, ROLE_DIM, 1, program->why);
    if (timeline->said.length)
        sheet_lines(&sheet, ROLE_TEXT, 1, text_string(&timeline->said));
    timeline_add(&sheet, timeline);
    sheet_gap(&sheet);
    sheet_print(&runner->paper, &sheet);
    sheet_free(&sheet);
}

// A line as the files in assets/timelines have them.
static void print_json(const struct host_program *program, const struct timeline *timeline)
{
    char date[32];
    json_t *spans = json_array();
    clock_date(date, sizeof date);
    for (size_t i = 0; i < timeline->count; i++) {
        const struct time_span *span = &timeline->spans[i];
        json_array_append_new(spans,
                              json_pack("[i, s, f, f]", span->stream, span->what, span->from, span->to));
    }
    json_t *line =
        json_pack("{s:s, s:s, s:s, s:b, s:s, s:s, s:s, s:f, s:o}", "lab", program->lab ? program->lab : "",
                  "variant", program->name, "code", program->code, "recorded", *timeline->date != 0, "device",
                  timeline->gpu, "date", *timeline->date ? timeline->date : date, "status",
                  timeline->right    ? "right"
                  : *timeline->wrong ? "wrong"
                                     : "unchecked",
                  "total_ms", isfinite(timeline->total_ms) ? timeline->total_ms : 0.0, "spans", spans);
    char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(7));
    printf("%s\n", text ? text : "");
    free(text);
    json_decref(line);
}

static void say_begun(const struct host_program *program)
{
    fprintf(stderr, "%s is compiled ...\n", program->name);
}

// Run here, or as it was recorded; false: neither, which was said.
static bool obtain(struct program_runner *runner, const struct host_program *program, struct timeline *out)
{
    struct error error;
    bool came = host_obtain(program, &runner->terms, out, &error);
    if (!came)
        runner->status = fail(&error);
    else if (*out->date)
        runner->why = error;
    else
        keep_event(&runner->keeping, "run", host_event(program, out));
    return came;
}

// ---- all of them --------------------------------------------------------------------------------------------

static void print_legend(const struct program_runner *runner)
{
    struct text words = { 0 };
    char legend[240];
    timeline_legend(runner->paper.utf8, legend, sizeof legend);
    text_addf(&words, "%s%s", drawn_flat ? "" : legend, drawn_flat ? "" : " ");
    text_add(
        &words,
        "To change a program: 'warpbook export streams/3 --to FILE.cu', and then 'warpbook run FILE.cu'.");
    paper_wrap(&runner->paper, ROLE_DIM, 0, words.data);
    text_free(&words);
}

static void run_list(struct program_runner *runner, const struct host_program *list, size_t count)
{
    struct timeline *timelines = mem_new((count + 1) * sizeof *timelines);
    bool *came = mem_new(count + 1);
    bool recorded = false, drawn = false;
    for (size_t i = 0; i < count; i++) {
        came[i] = obtain(runner, &list[i], &timelines[i]);
        recorded |= came[i] && *timelines[i].date;
        drawn |= came[i] && timelines[i].count;
    }
    if (recorded && !runner->json)
        paper_put(&runner->paper, ROLE_NOTE, "%s These are records.\n\n", runner->why.text);
    for (size_t i = 0; i < count; i++) {
        if (!came[i])
            continue;
        if (*timelines[i].wrong && !runner->status)
            runner->status = EXIT_WRONG;
        if (runner->json)
            print_json(&list[i], &timelines[i]);
        else
            print_program(runner, &list[i], &timelines[i]);
        timeline_free(&timelines[i]);
    }
    if (drawn && !runner->json)
        print_legend(runner);
    free(came);
    free(timelines);
}

static bool run_lab(struct program_runner *runner, const char *target, struct error *error)
{
    struct host_programs programs;
    struct lab_entry lab;
    const char *step;
    if (!names_lab(target, &lab, &step) || !host_programs_read(lab.name, &programs, error))
        return false;
    const struct host_program *one = step ? host_program_find(&programs, step, error) : NULL;
    if (one || !step)
        run_list(runner, one ? one : programs.list, one ? 1 : programs.count);
    host_programs_free(&programs);
    return !step || one;
}

static bool run_file(struct program_runner *runner, const char *path, struct error *error)
{
    struct text text = { 0 };
    if (!file_read(path, &text, error))
        return false;
    char *name = mem_copy(path);
    run_list(runner, &(struct host_program){ .name = name, .text = text.data }, 1);
    free(name);
    text_free(&text);
    return true;
}

static bool take_flags(const struct arguments *arguments, struct program_runner *runner, struct error *error)
{
    struct request request = { 0 };
    const char *memory = arguments_value(arguments, "--memory");
    runner->json = arguments_has(arguments, "--json");
    if (arguments->given_count > (size_t)runner->json + (memory != NULL))
        return error_set(
            error, EXIT_USAGE,
            "A program with a main says itself what it does: run takes only --json and --memory with "
            "it.");
    if (memory && !request_set_memory(&request, memory, error))
        return false;
    runner->terms = (struct host_terms){ .memory_bytes = request.memory_bytes, .begins = say_begun };
    return true;
}

static int run(const struct arguments *arguments)
{
    struct error error;
    const char *target = arguments->operands[0];
    struct program_runner runner = { .paper = paper_open(stdout) };
    if (string_ends(target, ".cu") && !host_ready(&error))
        return simulate(arguments, error.text);
    if (!take_flags(arguments, &runner, &error))
        return fail(&error);
    bool done =
        string_ends(target, ".cu") ? run_file(&runner, target, &error) : run_lab(&runner, target, &error);
    keep_end(&runner.keeping);
    return done ? runner.status : fail(&error);
}

static int list(const struct arguments *arguments)
{
    struct host_programs programs;
    struct error error;
    struct lab_entry lab;
    const char *target = arguments->operands[0], *step;
    struct paper opened = paper_open(stdout), *paper = &opened;
    bool named = names_lab(target, &lab, &step) && !step;
    if (!named)
        error_set(&error, EXIT_USAGE, "There is no lab '%s'. 'warpbook list' names them.", target);
    if (!named || !host_programs_read(lab.name, &programs, &error))
        return fail(&error);
    for (size_t i = 0; i < programs.count; i++) {
        paper_put(paper, ROLE_TEXT, "  ");
        paper_cell(paper, ROLE_GPU, 26, "%s", programs.list[i].name);
        paper_put(paper, ROLE_TITLE, "%s\n", programs.list[i].title ? programs.list[i].title : "");
        if (programs.list[i].why)
            paper_wrap(paper, ROLE_TEXT, 29, programs.list[i].why);
        if (!programs.list[i].shipped)
            paper_put(paper, ROLE_NOTE, "%29syour copy: %s\n", "", programs.list[i].path);
    }
    host_programs_free(&programs);
    return EXIT_RIGHT;
}

static bool whole_of(const char *target, struct text *out, struct error *error)
{
    struct host_programs programs;
    struct lab_entry lab;
    const char *step;
    if (!names_lab(target, &lab, &step) || !host_programs_read(lab.name, &programs, error))
        return false;
    const struct host_program *one = step ? host_program_find(&programs, step, error) : NULL;
    if (one)
        text_add(out, one->text);
    else if (!step)
        error_set(error, EXIT_USAGE, "export takes one step of %s: 'warpbook list %s' names them.", lab.name,
                  lab.name);
    host_programs_free(&programs);
    return one != NULL;
}

static int export(const struct arguments *arguments)
{
    struct text program = { 0 };
    struct error error;
    bool done = document_asked(arguments, &error) && whole_of(arguments->operands[0], &program, &error) &&
                document_put(arguments, &program, &error);
    text_free(&program);
    return done ? EXIT_RIGHT : fail(&error);
}

int programs_do(const struct arguments *arguments)
{
    const char *command = arguments->command->name;
    return strcmp(command, "run") == 0      ? run(arguments)
           : strcmp(command, "sim") == 0    ? simulate(arguments, "'sim' takes kernels.")
           : strcmp(command, "export") == 0 ? export(arguments)
                                            : list(arguments);
}
