// Commands that look something up and print it: list (labs and ladders), show (the source of a kernel and what it compiles
// to), explain (a term), explore (a picture), lesson (a lesson as text, its questions with their choices; they are answered
// in the full-screen program).
#include "engine/compile/compile.h"
#include "tui/explore/explore.h"
#include "tui/text/text.h"
#include "tui/tui.h"
#include "tui/view/live.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int print(const struct paper *paper, struct sheet sheet)
{
    sheet_print(paper, &sheet);
    sheet_free(&sheet);
    return EXIT_RIGHT;
}

// ---- Labs: warpbook list ----------------------------------------------------------------------------------

static int list_labs(const struct paper *paper)
{
    for (size_t i = 0; i < lab_entry_count(); i++) {
        struct lab_entry lab = lab_entry(i);
        struct ladder ladder = { 0 };
        struct error error;
        if (lab.lab && !ladder_read(lab.name, &ladder, &error))
            return fail(&error);
        paper_cell(paper, ROLE_TITLE, 12, "%s", lab.name);
        paper_cell(paper, ROLE_TEXT, 36, "%s", lab.title);
        if (lab.lab)
            paper_put(paper, ROLE_DIM, "%2zu on the CPU, %2zu on the GPU\n", lab.lab->cpu_count,
                      ladder.count);
        else
            paper_put(paper, ROLE_DIM, "host programs with time lines\n");
        ladder_free(&ladder);
    }
    paper_put(paper, ROLE_DIM, "\n'warpbook list LAB' shows a ladder, 'warpbook run LAB' runs it.\n");
    return EXIT_RIGHT;
}

static void list_sizes(const struct paper *paper, const struct lab *lab)
{
    for (int p = 0; p < LAB_PRESETS && lab->presets[p].name; p++) {
        paper_put(paper, ROLE_TEXT, "  ");
        paper_cell(paper, ROLE_TITLE, 10, "%s", lab->presets[p].name);
        for (int i = 0; i < LAB_PARAMS && lab->params[i]; i++) {
            char count[40];
            unit_count((double)lab->presets[p].value[i], count, sizeof count);
            paper_put(paper, ROLE_TEXT, "%s = %s  ", lab->params[i], count);
        }
        paper_put(paper, ROLE_TEXT, "\n");
    }
}

static void list_data(const struct paper *paper, const struct lab *lab)
{
    if (!lab->data[0] || !lab->data[1])
        return;
    paper_put(paper, ROLE_TEXT, "\nData:");
    for (int d = 0; d < LAB_DATA && lab->data[d]; d++)
        paper_put(paper, ROLE_TEXT, "%s %s", d ? "," : "", lab->data[d]);
    paper_put(paper, ROLE_TEXT, "\n");
}

static void list_step(const struct paper *paper, enum role role, const char *name, const char *title,
                      const char *why)
{
    paper_put(paper, ROLE_TEXT, "  ");
    paper_cell(paper, role, 26, "%s", name);
    paper_put(paper, ROLE_TITLE, "%s\n", title);
    if (why)
        paper_wrap(paper, ROLE_TEXT, 29, why);
}

static int list_lab(const struct paper *paper, const char *name)
{
    struct error error;
    const struct lab *lab;
    struct ladder ladder;
    if (!target_lab(name, &lab, &error) || !ladder_read(lab->name, &ladder, &error))
        return fail(&error);
    paper_put(paper, ROLE_TITLE, "%s", lab->name);
    paper_put(paper, ROLE_TEXT, " - %s\n\n", lab->title);
    paper_wrap(paper, ROLE_TEXT, 0, lab->about);
    paper_put(paper, ROLE_TEXT, "\nSizes\n");
    list_sizes(paper, lab);
    list_data(paper, lab);
    paper_put(paper, ROLE_TEXT, "\nOn the CPU\n");
    for (size_t i = 0; i < lab->cpu_count; i++)
        list_step(paper, ROLE_CPU, lab->cpu[i].name, lab->cpu[i].title, lab->cpu[i].why);
    if (!lab->cpu_count)
        paper_wrap(paper, ROLE_TEXT, 2, lab->no_cpu);
    paper_put(paper, ROLE_TEXT, "\nOn the GPU\n");
    for (size_t i = 0; i < ladder.count; i++) {
        list_step(paper, ROLE_GPU, ladder.variants[i].name, ladder.variants[i].title, ladder.variants[i].why);
        if (ladder.variants[i].own)
            paper_put(paper, ROLE_NOTE, "%29syour copy: %s\n", "", ladder.variants[i].path);
    }
    ladder_free(&ladder);
    return EXIT_RIGHT;
}

int command_list(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    if (arguments->operand_count && programs_mean(arguments))
        return programs_do(arguments);
    return arguments->operand_count ? list_lab(&paper, arguments->operands[0]) : list_labs(&paper);
}

// ---- Kernels: warpbook show -------------------------------------------------------------------------------

enum { DEFAULT_TARGET = 90 };

struct show_view {
    struct paper paper;
    const struct target *target;
    const struct variant *variant;
    int gpu; // the compute capability × 10 to compile for
};

static void emit_line(void *context, char sign, const char *line, size_t length)
{
    const struct paper *paper = context;
    enum role role = sign == '+' ? ROLE_GOOD : sign == '-' ? ROLE_BAD : ROLE_TEXT;
    paper_put(paper, role, "%c %.*s\n", sign, (int)length, line);
}

static int show_diff(const struct show_view *shown, struct error *error)
{
    const struct ladder *ladder = &shown->target->ladder;
    size_t index = (size_t)(shown->variant - ladder->variants);
    if (!shown->target->lab || index == 0) {
        error_set(error, EXIT_USAGE, "%s has no step before it to differ from.", shown->variant->name);
        return fail(error);
    }
    const struct variant *before = &ladder->variants[index - 1];
    paper_put(&shown->paper, ROLE_DIM, "- %s/%s\n+ %s/%s\n", before->lab, before->name, before->lab,
              shown->variant->name);
    diff_lines(before->text, shown->variant->text, emit_line, (void *)&shown->paper);
    return EXIT_RIGHT;
}

// ---- resources of a kernel --------------------------------------------------------------------------------

// Threads in a block of the launch at the lab's full size, or 0 when only a real GPU would tell.
static int block_threads(const struct show_view *shown, const struct launch *launch)
{
    struct expr_binding bindings[LAB_PARAMS + 1];
    const struct lab *lab = shown->target->lab;
    const struct lab_preset *full = lab ? lab_preset_find(lab, "full") : NULL;
    size_t count = 0;
    for (int i = 0; full && i < LAB_PARAMS && lab->params[i]; i++)
        bindings[count++] = (struct expr_binding){ lab->params[i], value_int(full->value[i]) };
    bindings[count++] = (struct expr_binding){ "sm_count", value_int(1) };
    struct expr_scope scope = { bindings, count };
    struct dims_value block;
    struct error unused;
    if (!dims_eval(&launch->block, &scope, &block, &unused))
        return 0;
    return (int)(block.x * block.y * block.z);
}

static void add_occupancy(struct text *out, const struct show_view *shown, const struct launch *launch,
                          const struct resources *r)
{
    const struct arch *arch = occupancy_arch(shown->gpu);
    int threads = block_threads(shown, launch);
    if (!arch || threads <= 0 || threads > 1024 || r->registers < 0 || launch->shared)
        return;
    struct occupancy o = occupancy_of(arch, threads, r->registers, r->shared_bytes);
    text_addf(out, "; blocks of %d: %d on an SM, occupancy %.0f %%", threads, o.blocks, o.percent);
    if (o.percent < 100)
        text_addf(out, ", limited by %s", occupancy_limiter_name(o.limiter));
}

// The first launch of the kernel, as far as its name tells; NULL: there is none, or it may mean another kernel too.
static const struct launch *launch_of(const struct show_view *shown, const struct compiled *compiled,
                                      const struct resources *r)
{
    for (size_t l = 0; l < shown->variant->launch_count; l++) {
        const struct launch *launch = &shown->variant->launches[l];
        bool others = false;
        for (size_t i = 0; i < compiled->resource_count; i++)
            others |= &compiled->resources[i] != r && launch_may_mean(launch, compiled->resources[i].kernel);
        if (!others && launch_may_mean(launch, r->kernel))
            return launch;
    }
    return NULL;
}

static void show_resources(const struct show_view *shown, const struct compiled *compiled)
{
    for (size_t i = 0; i < compiled->resource_count; i++) {
        const struct resources *r = &compiled->resources[i];
        if (r->registers < 0)
            continue;
        struct text line = { 0 };
        text_add(&line, "// ");
        mangled_write(r->kernel, &line);
        text_addf(&line, " on sm_%d: %d registers, %d bytes of shared memory", compiled->target, r->registers,
                  r->shared_bytes);
        if (r->spill_bytes > 0)
            text_addf(&line, ", %d bytes spilled", r->spill_bytes);
        const struct launch *launch = launch_of(shown, compiled, r);
        if (launch)
            add_occupancy(&line, shown, launch, r);
        paper_put(&shown->paper, ROLE_DIM, "%s\n", text_string(&line));
        text_free(&line);
    }
    paper_put(&shown->paper, ROLE_DIM, "// %s\n", compiled->compiler);
}

static bool compile_shown(const struct show_view *shown, bool cubin, struct compiled *out,
                          struct error *error)
{
    char *source = variant_source(shown->variant);
    struct compile_request request = {
        .file = shown->variant->path, .source = source, .target = shown->gpu, .cubin = cubin
    };
    bool compiled = compile(&request, out, error);
    free(source);
    return compiled;
}

static int show_source(const struct show_view *shown)
{
    struct compiled compiled = { 0 };
    struct error error;
    const char *text = shown->variant->text;
    paper_put(&shown->paper, ROLE_TEXT, "%s", text);
    if (!string_ends(text, "\n"))
        paper_put(&shown->paper, ROLE_TEXT, "\n");
    // Without a compiler the source is all there is to show; with errors in it, they are worth showing.
    bool done = compile_shown(shown, true, &compiled, &error);
    if (done)
        show_resources(shown, &compiled);
    compiled_free(&compiled);
    return done || error.code == EXIT_MISSING ? EXIT_RIGHT : fail(&error);
}

// The PTX, or with `machine` the machine code.
static int show_compiled(const struct show_view *shown, bool machine)
{
    struct compiled compiled = { 0 };
    struct error error;
    struct text sass = { 0 };
    bool done = compile_shown(shown, machine, &compiled, &error) &&
                (!machine || disassemble(&compiled, &sass, &error));
    if (done)
        paper_put(&shown->paper, ROLE_TEXT, "%s", machine ? text_string(&sass) : compiled.ptx);
    text_free(&sass);
    compiled_free(&compiled);
    return done ? EXIT_RIGHT : fail(&error);
}

// ---- which of them ----------------------------------------------------------------------------------------

static bool take_target(const struct arguments *arguments, int *out, struct error *error)
{
    const char *text = arguments_value(arguments, "--target");
    const char *number = text && string_starts(text, "sm_") ? text + 3 : text;
    char *end;
    *out = DEFAULT_TARGET;
    if (!text)
        return true;
    errno = 0;
    long target = strtol(number, &end, 10);
    if (!*number || *end || errno || target < 50 || target > 200)
        return error_set(error, EXIT_USAGE, "--target takes a GPU such as sm_75 or sm_90, not '%s'.", text);
    *out = (int)target;
    return true;
}

static int show_variant(const struct arguments *arguments, const struct target *target)
{
    struct error error;
    struct show_view shown = { .paper = paper_open(stdout), .target = target, .variant = target->variant };
    if (!take_target(arguments, &shown.gpu, &error))
        return fail(&error);
    if (arguments_has(arguments, "--diff"))
        return show_diff(&shown, &error);
    bool ptx = arguments_has(arguments, "--ptx");
    return ptx || arguments_has(arguments, "--sass") ? show_compiled(&shown, !ptx) : show_source(&shown);
}

// A lab without a step: the whole ladder, each with its name above it.
static int show_ladder(const struct arguments *arguments, struct target *target)
{
    struct paper paper = paper_open(stdout);
    int status = EXIT_RIGHT;
    bool diff = arguments_has(arguments, "--diff");
    for (size_t i = diff ? 1 : 0; i < target->ladder.count; i++) {
        target->variant = &target->ladder.variants[i];
        paper_put(&paper, ROLE_TITLE, "%s// ---- %s/%s: %s\n", i > (diff ? 1 : 0) ? "\n" : "",
                  target->lab->name, target->variant->name, target->variant->title);
        int one = show_variant(arguments, target);
        status = status ? status : one;
    }
    return status;
}

int command_show(const struct arguments *arguments)
{
    struct error error;
    struct target target;
    int status;
    if (!target_read(arguments->operands[0], &target, &error))
        return fail(&error);
    if (target.cpu) {
        error_set(&error, EXIT_USAGE, "%s is a CPU implementation; its source is reference/%s.c.",
                  target.cpu->name, target.lab->name);
        status = fail(&error);
    } else {
        status = target.variant ? show_variant(arguments, &target) : show_ladder(arguments, &target);
    }
    target_free(&target);
    return status;
}

// ---- Terms: warpbook explain ------------------------------------------------------------------------------

enum { NEAR_MOST = 8, ELSE_MOST = 5 };

static int width_of(const struct paper *paper)
{
    enum { LINE_MOST = 88 };
    return paper->width < LINE_MOST ? paper->width : LINE_MOST;
}

static int print_all(const struct paper *paper, const struct glossary *glossary)
{
    struct sheet sheet = sheet_new(width_of(paper), paper->utf8);
    const struct term **all = mem_new((glossary->count + 1) * sizeof *all);
    entry_rows(&sheet, all, glossary_search(glossary, "", all, glossary->count));
    free(all);
    return print(paper, sheet);
}

static int print_entry(const struct paper *paper, const struct glossary *glossary, const struct term *term)
{
    struct links links = { .addresses = true };
    int status = print(paper, entry_sheet(glossary, term, width_of(paper), paper->utf8, &links));
    links_free(&links);
    return status;
}

static int print_near(const struct paper *paper, const char *words, const struct term *const *near,
                      size_t count)
{
    struct sheet sheet = sheet_new(width_of(paper), paper->utf8);
    sheet_flow(&sheet, ROLE_TEXT, "No term is called '%s'. Near it:", words);
    sheet_end(&sheet);
    entry_rows(&sheet, near, count);
    return print(paper, sheet);
}

// Hits that are worth a look beside the best one; a name that fits exactly is far above all.
static size_t worth_a_look(const struct hit *hits, size_t count)
{
    enum { NAMED_SCORE = 8 };
    double least = (count && hits[0].score < NAMED_SCORE ? hits[0].score : NAMED_SCORE) / 3;
    while (count && hits[count - 1].score < least)
        count--;
    return count;
}

static int print_places(const struct paper *paper, const char *before, const char *words,
                        const struct hit *hits, size_t count)
{
    struct links links = { .addresses = true };
    struct sheet sheet = sheet_new(width_of(paper), paper->utf8);
    sheet_flow(&sheet, ROLE_TEXT, before, words);
    sheet_end(&sheet);
    places_add(&sheet, hits, count, &links);
    links_free(&links);
    return print(paper, sheet);
}

// A term that the words name is explained; sections, labs and other terms are named.
static int print_found(const struct paper *paper, const struct glossary *glossary, const char *words,
                       const struct hit *hits, size_t count)
{
    if (!hits[0].place->term)
        return print_places(paper, "Nearest to '%s':", words, hits, count);
    if (hits[0].how == HIT_WORDS)
        return print_places(paper, "No term is called '%s'. Near it:", words, hits, count);
    int status = print_entry(paper, glossary, hits[0].place->term);
    if (hits[0].how == HIT_NAMED || count == 1)
        return status;
    paper_put(paper, ROLE_TEXT, "\n");
    return print_places(paper, "Also near '%s':", words, hits + 1, count - 1);
}

// Searches all that can be read; false: nothing is near.
static bool explain_by_search(const struct paper *paper, const struct glossary *glossary, const char *words,
                              int *status)
{
    struct lessons lessons;
    struct error error;
    struct hit hits[ELSE_MOST];
    if (!lessons_read(NULL, &lessons, &error))
        lessons = (struct lessons){ 0 }; // terms and labs are there all the same
    struct search_index *search = search_new(glossary, &lessons);
    explorers_index(search);
    size_t count = worth_a_look(hits, search_find(search, words, hits, ELSE_MOST));
    if (count)
        *status = print_found(paper, glossary, words, hits, count);
    search_free(search);
    lessons_free(&lessons);
    return count > 0;
}

static int explain(const struct paper *paper, const struct glossary *glossary, const char *words)
{
    const struct term *named = term_named(glossary, words), *found[NEAR_MOST];
    struct error error;
    bool exact;
    int status;
    if (named)
        return print_entry(paper, glossary, named);
    if (words_ask(words) && explain_by_search(paper, glossary, words, &status))
        return status;
    size_t count = terms_meant(glossary, words, found, NEAR_MOST, &exact);
    if (count)
        return print_near(paper, words, found, count);
    if (explain_by_search(paper, glossary, words, &status))
        return status;
    error_set(&error, EXIT_WRONG, "No term is near '%s'. 'warpbook explain' lists them all.", words);
    return fail(&error);
}

int command_explain(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    struct glossary glossary;
    struct error error;
    struct text words = { 0 };
    if (!glossary_read(NULL, &glossary, &error))
        return fail(&error);
    for (size_t i = 0; i < arguments->operand_count; i++)
        text_addf(&words, "%s%s", i ? " " : "", arguments->operands[i]);
    int status = words.length ? explain(&paper, &glossary, words.data) : print_all(&paper, &glossary);
    text_free(&words);
    glossary_free(&glossary);
    return status;
}

// ---- Explorers: warpbook explore --------------------------------------------------------------------------

int command_explore(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    struct error error;
    struct settings settings;
    if (!arguments->operand_count)
        return print(&paper, explore_list(paper.width, paper.utf8, "warpbook "));
    if (!settings_open(arguments->operands[0], &settings, &error))
        return fail(&error);
    for (size_t i = 1; i < arguments->operand_count; i++)
        if (!settings_read(&settings, arguments->operands[i], &error))
            return fail(&error);
    if (!settings_check(&settings, &error))
        return fail(&error);
    return print(&paper, explore_sheet(&settings, paper.width, paper.utf8, -1));
}

// ---- Lessons: warpbook lesson -----------------------------------------------------------------------------

// What is due today.
static struct review_count due_today(const struct workbook *workbook, const struct lessons *lessons)
{
    struct review review;
    review_read(workbook, lessons, &review);
    struct review_count due = review_count(&review, 0, review_due(&review, review_day(time(NULL))));
    review_free(&review);
    return due;
}

static void print_list(const struct paper *paper, const struct lessons *lessons,
                       const struct workbook *workbook)
{
    struct lesson_text text = lesson_text_list(lessons, workbook, paper->width, paper->utf8);
    sheet_print(paper, &text.sheet);
    struct lesson_progress *read = progress_read(workbook, lessons);
    struct next next = progress_next(workbook, lessons, read);
    struct review_count due = { 0, 0 };
    if (workbook)
        due = due_today(workbook, lessons);
    if (next.part)
        paper_put(paper, ROLE_TEXT, "\nNext\n Lesson %d.%zu: %s, %d minutes\n", next.lesson->number,
                  next.part, next.lesson->parts[next.part - 1].title,
                  next.lesson->parts[next.part - 1].minutes);
    else if (next.lesson)
        paper_put(paper, ROLE_TEXT, "\nNext\n Lesson %d: %s, %d minutes\n", next.lesson->number,
                  next.lesson->title, next.lesson->minutes);
    progress_free(read, lessons);
    if (due.questions + due.tasks) {
        struct text words = { 0 };
        review_sitting_words(due, &words);
        paper_put(paper, ROLE_TEXT, " %s to review: warpbook review\n", words.data);
        text_free(&words);
    }
    paper_put(paper, ROLE_DIM,
              "\n'warpbook open lesson N' opens one, 'warpbook lesson N' prints it.\nN.2 instead of N is its "
              "second part.\n");
    lesson_text_free(&text);
}

// The lessons are there whether the workbook is or not.
static void list_all(const struct paper *paper, struct lessons *lessons)
{
    struct error error;
    struct workbook *workbook = workbook_open(NULL, &error);
    if (workbook)
        keep_warn(workbook);
    else
        fail(&error);
    lessons_recall(lessons, workbook);
    print_list(paper, lessons, workbook);
    workbook_close(workbook);
}

// Lessons of other folders that were opened once are found through the workbook.
static bool find_lesson(struct lessons *lessons, const char *word, const struct lesson **out, size_t *part,
                        struct error *error)
{
    struct workbook *workbook = lessons_find(lessons, word) ? NULL : workbook_open(NULL, error);
    lessons_recall(lessons, workbook);
    workbook_close(workbook);
    return lessons_open(lessons, word, out, part, error);
}

// Reading on is known to the workbook; where that cannot be written, the lesson is printed all the same.
static void keep_unfold(struct workbook *workbook, const struct lesson *lesson, const char *id,
                        const char *words)
{
    struct error error;
    json_t *event = json_pack("{s:s, s:s*, s:s}", "lesson", lesson->name, "id", id, "text", words);
    if (!workbook_add(workbook, "unfold", event, &error))
        fail(&error);
}

// A part that is asked for is read as if nothing preceded it. False: nothing is folded any more.
static bool open_part(struct workbook *workbook, const struct lesson *lesson, size_t part,
                      unsigned char *folds)
{
    size_t heading = lesson->parts[part - 1].heading;
    if (folds[heading] & FOLD_HIDES) {
        char *name = fold_name(&lesson->blocks[heading]);
        folds[heading] |= FOLD_AHEAD;
        if (workbook)
            keep_unfold(workbook, lesson, name, "printed");
        free(name);
        folds_spread(lesson, folds);
    }
    bool folded = false;
    for (size_t i = lesson->parts[part - 1].from; i < lesson->parts[part - 1].end; i++)
        folded |= folds[i] & FOLD_HIDES;
    return folded;
}

// What comes after a part.
static void print_next(const struct paper *paper, const struct lessons *lessons, const struct lesson *lesson,
                       size_t part)
{
    struct text words = { 0 };
    if (!part || part == lesson->part_count)
        return;
    text_add(&words, "\nNext: warpbook ");
    lesson_opens_by(lessons, lesson, part + 1, &words);
    text_addf(&words, ", %s, %d minutes", lesson->parts[part].title, lesson->parts[part].minutes);
    paper_wrap(paper, ROLE_DIM, 0, words.data);
    text_free(&words);
}

// part: from 1; 0: all of it.
static void print_lesson(const struct paper *paper, const struct lessons *lessons,
                         const struct lesson *lesson, size_t part, bool notes, bool all)
{
    struct error unused;
    struct workbook *workbook = workbook_open(NULL, &unused);
    unsigned char *folds = folds_read(workbook, lesson);
    bool folded = folds_spread(lesson, folds);
    if (part && folded && !all)
        folded = open_part(workbook, lesson, part, folds);
    struct lesson_setting setting = { .workbook = workbook,
                                      .folds = folded && !all ? folds : NULL,
                                      .part = part,
                                      .width = paper->width,
                                      .utf8 = paper->utf8,
                                      .notes = notes };
    struct lesson_text text = lesson_text_new(lesson, &setting);
    sheet_print(paper, &text.sheet);
    lesson_text_free(&text);
    print_next(paper, lessons, lesson, part);
    if (folded && all && workbook)
        keep_unfold(workbook, lesson, NULL, "printed with --all");
    else if (folded && !all)
        paper_wrap(paper, ROLE_DIM, 0,
                   "\n'warpbook open lesson' is where questions are answered; --all prints what is folded.");
    free(folds);
    workbook_close(workbook);
}

int command_lesson(const struct arguments *arguments)
{
    struct paper paper = paper_open(stdout);
    struct lessons lessons;
    struct error error;
    const struct lesson *lesson;
    size_t part;
    int status = EXIT_RIGHT;
    if (!arguments->operand_count && arguments_has(arguments, "--notes")) {
        error_set(&error, EXIT_USAGE, "--notes comes after a lesson: warpbook lesson 6 --notes");
        return fail(&error);
    }
    if (!lessons_read(NULL, &lessons, &error))
        return fail(&error);
    if (!arguments->operand_count)
        list_all(&paper, &lessons);
    else if (find_lesson(&lessons, arguments->operands[0], &lesson, &part, &error))
        print_lesson(&paper, &lessons, lesson, part, arguments_has(arguments, "--notes"),
                     arguments_has(arguments, "--all"));
    else
        status = fail(&error);
    lessons_free(&lessons);
    return status;
}
