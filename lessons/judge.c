// Is an answer right? A text is run in the simulator with everything that a live block checks: it must compute the right
// thing each time, without a finding, and within the budgets.
//
// So that an answer cannot switch off its own check, it must leave as they were shipped the //@ lines that launch and
// declare, the kernels that compare (`keep`), and whatever could change what those mean. `may` sets lines free. Words are
// compared, so that blanks and comments are the learner's.
#include "engine/cli/cli.h"
#include "engine/sim/sim.h"
#include "lessons/answer.h"
#include "lessons/lessons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- What an answer must leave as it was shipped ----------------------------------------------------------

struct kept_line { // a //@ line that decides what runs, or a line with #
    char *words;   // with single blanks between them
    char *kind;    // "launch", "param", "buffer", "scratch", "#"
    char *name;    // of the kernel or of what is declared
    int number;
};
struct kept_lines {
    struct kept_line *list;
    size_t count;
};
struct keep_check {
    const struct live *live;
    const char *shipped, *answer;
    struct kept_lines was, is;
    struct text *out;
    int line; // of the answer, that `out` is about; 0: none
};

static const char back[] = " Put it back, or start again from the shipped file.";

// ---- words ------------------------------------------------------------------------------------------------

static void add_word(struct text *out, struct code_piece piece)
{
    text_add(out, out->length ? " " : "");
    text_add_n(out, piece.at, piece.length);
}

static bool is_code(struct code_piece piece)
{
    return piece.kind != PIECE_BLANK && piece.kind != PIECE_COMMENT;
}

// The words from `at` to `end`; the caller frees.
static char *words_of(const char *at, const char *end)
{
    struct text words = { 0 };
    for (struct code_piece piece = piece_next(at); piece.kind != PIECE_END && piece.at < end;
         piece = piece_next(piece.at + piece.length))
        if (is_code(piece))
            add_word(&words, piece);
    return words.data ? text_take(&words) : mem_copy("");
}

static bool same(const char *left, const char *right)
{
    return strcmp(left, right) == 0;
}

// ---- lines ------------------------------------------------------------------------------------------------

static void lines_free(struct kept_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->list[i].words);
        free(lines->list[i].kind);
        free(lines->list[i].name);
    }
    free(lines->list);
}

// The name in "launch ns : : add < int > …" is add, without its namespaces.
static char *name_of(const char *words)
{
    size_t length;
    while (length = strcspn(words, " "), string_starts(words + length, " : : "))
        words += length + strlen(" : : ");
    return mem_copy_n(words, length);
}

static void take_line(struct kept_lines *lines, const char *text, const char *at, size_t length)
{
    static const char *const deciding[] = { "launch", "param", "buffer", "scratch" };
    char *copy = mem_copy_n(at, length);
    char *words = words_of(copy, copy + length);
    size_t first = strcspn(words, " "), from = first + (words[first] == ' ');
    bool hash = *words == '#' || *words == '%', decides = hash;
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++)
        decides |= strlen(deciding[i]) == first && memcmp(words, deciding[i], first) == 0;
    if (string_ends(words, " ;")) // a launch may end with it
        words[strlen(words) - 2] = 0;
    free(copy);
    if (!decides) {
        free(words);
        return;
    }
    lines->list = array_room(lines->list, lines->count, sizeof *lines->list);
    lines->list[lines->count++] = (struct kept_line){ .words = words,
                                                      .kind = hash ? mem_copy("#") : mem_copy_n(words, first),
                                                      .name = name_of(words + from),
                                                      .number = text_line_of(text, at) };
}

// As kernels/variant.c finds `//@` lines, so that none counts here that does not count there.
static struct kept_lines lines_of(const char *text)
{
    struct kept_lines lines = { 0 };
    const char *first = text + (string_starts(text, "\xef\xbb\xbf") ? 3 : 0);
    bool starts = true;
    for (struct code_piece piece = piece_next(first); piece.kind != PIECE_END;
         piece = piece_next(piece.at + piece.length)) {
        if (starts && piece.kind == PIECE_COMMENT && string_starts(piece.at, "//@"))
            take_line(&lines, text, piece.at + 3, piece.length - 3);
        if (piece.kind == PIECE_SIGN && (*piece.at == '#' || string_starts(piece.at, "%:")))
            take_line(&lines, text, piece.at, strcspn(piece.at, "\n"));
        bool blank = piece.kind == PIECE_BLANK;
        starts = blank && (starts || memchr(piece.at, '\n', piece.length));
    }
    return lines;
}

static bool is_declared(const struct kept_line *line)
{
    return !same(line->kind, "launch") && !same(line->kind, "#");
}

static const struct kept_line *find_line(const struct kept_lines *lines, const char *words)
{
    for (size_t i = 0; i < lines->count; i++)
        if (same(lines->list[i].words, words))
            return &lines->list[i];
    return NULL;
}

// `may: launch` and `may: buffer y`.
static bool is_free(const struct live *live, const struct kept_line *line)
{
    const char *may;
    for (size_t i = 0; (may = live_nth(live, "may", i)); i++) {
        size_t kind = strcspn(may, " ");
        if (strlen(line->kind) == kind && memcmp(line->kind, may, kind) == 0 &&
            (!may[kind] || same(may + kind + 1, line->name)))
            return true;
    }
    return false;
}

static bool is_kept(const struct live *live, const char *kernel)
{
    const char *keep;
    for (size_t i = 0; (keep = live_nth(live, "keep", i)); i++)
        if (same(keep, kernel))
            return true;
    return false;
}

// ---- what is said -----------------------------------------------------------------------------------------

// The line as the file has it, on a line of its own.
static void quote(const struct keep_check *k, const char *text, int number)
{
    for (; number > 1; number--)
        text += strcspn(text, "\n") + 1;
    text += strspn(text, " \t");
    text_addf(k->out, "\n  %.*s", (int)strcspn(text, "\r\n"), text);
}

static bool changed_line(struct keep_check *k, const struct kept_line *was, const struct kept_line *is)
{
    k->line = is ? is->number : was->number;
    if (is)
        text_addf(k->out, "Line %d is not as it was shipped.", is->number);
    else
        text_addf(k->out, "Line %d of the shipped file is missing.", was->number);
    text_addf(k->out, " This task keeps that line.%s It was:", back);
    quote(k, k->shipped, was->number);
    return false;
}

static bool added_line(struct keep_check *k, const struct kept_line *is, const char *why)
{
    k->line = is->number;
    text_addf(k->out, "Line %d is not allowed here: %s", is->number, why);
    quote(k, k->answer, is->number);
    return false;
}

// ---- //@ lines --------------------------------------------------------------------------------------------

static bool declared_stay(struct keep_check *k)
{
    for (size_t i = 0; i < k->was.count; i++) {
        const struct kept_line *was = &k->was.list[i], *is = NULL;
        if (!is_declared(was) || is_free(k->live, was) || find_line(&k->is, was->words))
            continue;
        for (size_t j = 0; j < k->is.count && !is; j++)
            if (is_declared(&k->is.list[j]) && same(k->is.list[j].name, was->name))
                is = &k->is.list[j];
        return changed_line(k, was, is);
    }
    return true;
}

// The next launch from *at on that must stay; *at moves past it.
static const struct kept_line *next_launch(const struct keep_check *k, const struct kept_lines *lines,
                                           size_t *at)
{
    while (*at < lines->count) {
        const struct kept_line *line = &lines->list[(*at)++];
        if (same(line->kind, "launch") && (!is_free(k->live, line) || is_kept(k->live, line->name)))
            return line;
    }
    return NULL;
}

static bool launches_stay(struct keep_check *k)
{
    size_t at = 0, of = 0;
    for (;;) {
        const struct kept_line *was = next_launch(k, &k->was, &at), *is = next_launch(k, &k->is, &of);
        if (!was && !is)
            break;
        if (!was)
            return added_line(k, is, "the launches of the shipped file are all that this task has.");
        if (!is || !same(was->words, is->words))
            return changed_line(k, was, is);
    }
    return true;
}

// ---- kernels ----------------------------------------------------------------------------------------------

// How deep in braces the text after the piece is; *start moves to where a declaration may begin.
static int pass(struct code_piece piece, int depth, const char **start)
{
    if (piece.kind != PIECE_SIGN || !strchr(";{}#", *piece.at))
        return depth;
    *start = *piece.at == '#' ? piece.at + strcspn(piece.at, "\n") : piece.at + 1;
    return depth + (*piece.at == '{') - (*piece.at == '}');
}

// The kernel from the start of its declaration to the end of its body; NULL: it is not there.
static const char *kernel_find(const char *text, const char *kernel, const char **end)
{
    const char *at = text, *start = text, *behind = NULL;
    struct code_piece name, piece = piece_next(text);
    bool found = false;
    while (!found && kernel_next(&at, &name))
        found = piece_is(name, kernel);
    if (!found)
        return NULL;
    for (; piece.at < name.at; piece = piece_next(piece.at + piece.length))
        (void)pass(piece, 0, &start);
    for (int depth = 0; piece.kind != PIECE_END && !behind; piece = piece_next(piece.at + piece.length)) {
        const char *unused;
        int now = pass(piece, depth, &unused);
        behind = now < depth && now <= 0 ? piece.at + 1 : NULL;
        depth = now;
    }
    *end = behind ? behind : piece.at;
    return start;
}

static size_t count_word(const char *text, const char *word)
{
    size_t count = 0;
    for (struct code_piece piece = piece_next(text); piece.kind != PIECE_END;
         piece = piece_next(piece.at + piece.length))
        count += piece.kind == PIECE_WORD && piece_is(piece, word);
    return count;
}

static bool changed_kernel(struct keep_check *k, const char *kernel, const char *is)
{
    k->line = is ? text_line_of(k->answer, is + strspn(is, " \t\r\n")) : 0;
    if (is)
        text_addf(k->out, "The kernel %s, in line %d, is not as it was shipped.", kernel, k->line);
    else
        text_addf(k->out, "The kernel %s is missing.", kernel);
    text_addf(k->out, " It checks the answer, so it has to stay.%s", back);
    return false;
}

static bool kernel_stays(struct keep_check *k, const char *kernel)
{
    const char *was_end, *is_end = NULL;
    const char *was = kernel_find(k->shipped, kernel, &was_end);
    const char *is = kernel_find(k->answer, kernel, &is_end);
    if (!is || !was)
        return changed_kernel(k, kernel, NULL);
    char *before = words_of(was, was_end), *now = words_of(is, is_end);
    bool stays = same(before, now) || changed_kernel(k, kernel, is);
    free(before);
    free(now);
    if (!stays || count_word(k->shipped, kernel) == count_word(k->answer, kernel))
        return stays;
    text_addf(k->out,
              "The name %s appears more often than in the shipped file. It belongs to the kernel that "
              "checks the answer: call yours something else.",
              kernel);
    return false;
}

// ---- what could change a kernel's meaning -----------------------------------------------------------------

static bool may_include(const char *words)
{
    return string_starts(words, "# include < ") && words[12] != '/' && !strstr(words, ". .");
}

static bool hashes_stay(struct keep_check *k)
{
    for (size_t i = 0; i < k->is.count; i++) {
        const struct kept_line *is = &k->is.list[i];
        if (*is->kind == '#' && !find_line(&k->was, is->words) &&
            !string_starts(is->words, "# pragma unroll") && !may_include(is->words))
            return added_line(
                k, is, "a line with # could change the check. Write a constant as `const int NAME = 1;`.");
    }
    return true;
}

// Text that the compiler and kernels/scan.c would read differently, and the names that assert expands to.
static bool trick(struct code_piece piece)
{
    const char *end = piece.at + piece.length;
    while (piece.kind == PIECE_COMMENT && strchr(" \t\r\v\f", end[-1]))
        end--;
    if (piece.kind == PIECE_SIGN)
        return *piece.at == '\\';
    if (piece.kind == PIECE_COMMENT)
        return piece.at[1] == '/' && end[-1] == '\\';
    return piece.kind == PIECE_WORD &&
           ((end[-1] == 'R' && *end == '"') || string_starts(piece.at, "__assert"));
}

static bool plain(struct keep_check *k)
{
    for (struct code_piece piece = piece_next(k->answer); piece.kind != PIECE_END;
         piece = piece_next(piece.at + piece.length)) {
        if (!trick(piece))
            continue;
        k->line = text_line_of(k->answer, piece.at);
        text_addf(k->out,
                  "Line %d has %s, which could hide code from the check. Please do without it in this task.",
                  k->line,
                  piece.kind == PIECE_WORD
                      ? *(piece.at + piece.length) == '"' ? "a raw string" : "a name of assert's own"
                      : "a \\ outside of a string");
        quote(k, k->answer, k->line);
        return false;
    }
    return true;
}

// ---- all of it --------------------------------------------------------------------------------------------

bool judge_kept(const struct live *live, const char *shipped, const char *answer, struct text *out, int *line)
{
    struct keep_check k = { live, shipped, answer, lines_of(shipped), lines_of(answer), out, 0 };
    const char *kernel;
    bool stays = declared_stay(&k) && launches_stay(&k);
    for (size_t i = 0; stays && (kernel = live_nth(live, "keep", i)); i++)
        stays = kernel_stays(&k, kernel);
    if (stays && live_field(live, "keep"))
        stays = hashes_stay(&k) && plain(&k);
    lines_free(&k.was);
    lines_free(&k.is);
    *line = k.line;
    return stays;
}

bool judge_has_kernel(const char *text, const char *kernel)
{
    const char *end;
    return kernel_find(text, kernel, &end) != NULL;
}

enum {
    JUDGE_LIMIT_MS = 20000,
    SLOW_MS = 3000, // after a run as slow as this that was rejected, no other is tried
    TIME_LIMIT_MS = 5000,
    STARTER_LIMIT_MS = 2000 // the shipped file's run only gives numbers to compare with
};

// ---- the flags of a `check` line --------------------------------------------------------------------------

static const struct command check_line = { .name = "check",
                                           .flags = { { "--set", "NAME=VALUE", NULL },
                                                      { "--size", "NAME", NULL },
                                                      { "--data", "NAME", NULL },
                                                      { "--limit", "SECONDS", NULL } } };

static bool take(const struct words *words, const struct target *target, struct request *out,
                 struct error *error)
{
    struct arguments arguments;
    long seconds = JUDGE_LIMIT_MS / 1000;
    return arguments_read(&check_line, (int)words->count, words->word, &arguments, error) &&
           arguments_number(&arguments, "--limit", 1, 60, &seconds, error) &&
           target_request(target, &arguments, (int)seconds, out, error);
}

bool judge_flags(const char *flags, const char *lab, const struct variant *variant, struct request *out,
                 struct error *error)
{
    struct words words;
    struct target target = { .variant = variant };
    *out = (struct request){ .on = ON_SIM, .check = REQUEST_CHECK_ALL };
    if ((lab && !target_lab(lab, &target.lab, error)) || !words_split(flags, &words, error))
        return false;
    bool taken = take(&words, &target, out, error);
    words_free(&words);
    if (!taken)
        request_free(out);
    return taken;
}

struct judgement {
    const struct live *live;
    const char *lab;  // NULL: a standalone file
    const char *file; // its name for people
    char called[80];  // what the engine wants it to be called
    const char *text;
    struct variant variant;
    struct judge_verdict *out;
    size_t told; // the `check` line of out->record
};
struct judging_by {
    struct client *client;
    client_progress progress;
    void *context;
    bool gpu; // there is one
};

// ---- words ------------------------------------------------------------------------------------------------

// "n = 1000, data skewed"; "" of a run as the file or the lab has it. The caller frees.
static char *with_of(const struct request *request)
{
    struct text with = { 0 };
    text_add(&with, "");
    for (size_t i = 0; i < request->params.count; i++)
        text_addf(&with, "%s%s = %.10g", with.length ? ", " : "", request->params.bindings[i].name,
                  value_as_real(request->params.bindings[i].value));
    if (request->preset)
        text_addf(&with, "%ssize %s", with.length ? ", " : "", request->preset);
    if (request->data)
        text_addf(&with, "%sdata %s", with.length ? ", " : "", request->data);
    return text_take(&with);
}

// Messages call the file as people do.
static void add_renamed(const struct judgement *judging, const char *message, struct text *out)
{
    size_t length = strlen(judging->called);
    for (const char *at; (at = strstr(message, judging->called)); message = at + length) {
        text_add_n(out, message, (size_t)(at - message));
        text_add(out, judging->file);
    }
    text_add(out, message);
}

// The first finding that an answer must not have; NULL: none. Errors come first.
static const struct sim_finding *worst_finding(const struct record *record)
{
    for (size_t i = 0; i < record->finding_count; i++)
        if (record->findings[i].severity != SIM_NOTE)
            return &record->findings[i];
    return NULL;
}

static void add_finding(const struct judgement *judging, const struct sim_finding *finding, struct text *out)
{
    text_add(out, sim_kind_name(finding->kind));
    if (finding->here.line)
        text_addf(out, ", line %d", finding->here.line);
    text_add(out, ": ");
    add_renamed(judging, finding->sentence, out);
}

// ---- one run ----------------------------------------------------------------------------------------------

static enum verdict_kind judge_failed(const struct judgement *judging, const struct record *record,
                                      struct text *out)
{
    add_renamed(judging, record->message ? record->message : "It did not run.", out);
    return record->diagnostics && isnan(record->warp_inst) ? VERDICT_COMPILE : VERDICT_RESULT;
}

// False: a limit does not hold for this run, and `out` says which.
static bool within_limits(const struct live *live, const struct record *record, struct text *out)
{
    struct limit limits[LIMITS_MOST];
    struct text missed = { 0 };
    limits_of(live, record, limits, &missed);
    bool within = !missed.length;
    text_add(out, text_string(&missed));
    text_free(&missed);
    return within;
}

// Judges one run; adds the reasons against it to `reasons`, and in words to `out`.
static enum verdict_kind judge_record(const struct judgement *judging, const struct record *record,
                                      unsigned *reasons, struct text *out)
{
    const struct sim_finding *finding = worst_finding(record);
    bool wrong = record->status == STATUS_WRONG;
    if (finding)
        *reasons |= 1u << VERDICT_FINDING;
    if (record->status == STATUS_FAILED)
        return judge_failed(judging, record, out);
    if (record->status == STATUS_SKIPPED) {
        text_addf(out, "it does not run, for it %s.", record->message ? record->message : "says so");
        return VERDICT_RESULT;
    }
    if (wrong) {
        record_check_words(record, out);
        text_add(out, finding ? ".\n" : ".");
    }
    if (finding)
        add_finding(judging, finding, out);
    if (wrong)
        return VERDICT_RESULT;
    if (finding)
        return VERDICT_FINDING;
    return within_limits(judging->live, record, out) ? VERDICT_ACCEPTED : VERDICT_BUDGET;
}

// Adds the kinds of findings that are not listed yet.
static void note_findings(struct judge_verdict *out, const struct record *record)
{
    struct text names = { 0 };
    text_add(&names, out->findings ? out->findings : "");
    for (size_t i = 0; i < record->finding_count; i++) {
        const char *kind = sim_kind_name(record->findings[i].kind);
        if (!strstr(text_string(&names), kind))
            text_addf(&names, "%s%s", names.length ? ", " : "", kind);
    }
    free(out->findings);
    out->findings = names.length ? text_take(&names) : NULL;
    text_free(&names);
}

// The line of the answer that speaks against it; 0: not known.
static int line_against(const struct record *record, enum verdict_kind kind)
{
    const struct sim_finding *finding = worst_finding(record);
    if (kind == VERDICT_COMPILE)
        return record->diagnostic_count ? record->diagnostics[0].line : 0;
    return finding && kind != VERDICT_BUDGET ? finding->here.line : 0;
}

// Keeps what speaks against the answer most, or else the first run. What does not compile does so at every size.
static void take_record(struct judgement *judging, const struct request *request, size_t check,
                        struct record *record)
{
    struct judge_verdict *out = judging->out;
    struct text words = { 0 }, why = { 0 };
    unsigned reasons = 0;
    char *with = with_of(request);
    enum verdict_kind kind = judge_record(judging, record, &reasons, &why);
    if (kind != VERDICT_COMPILE && *with)
        text_addf(&words, "With %s: ", with);
    text_add(&words, text_string(&why));
    if (kind != VERDICT_ACCEPTED)
        reasons |= 1u << kind;
    out->reasons |= reasons;
    bool first = out->runs++ == 0;
    note_findings(out, record);
    bool worse = kind != VERDICT_ACCEPTED && (out->kind == VERDICT_ACCEPTED || kind < out->kind);
    if (worse || first) {
        record_free(&out->record);
        free(out->words);
        free(out->with);
        out->record = *record;
        out->with = with;
        with = NULL;
        judging->told = check;
        out->words = kind == VERDICT_ACCEPTED ? NULL : text_take(&words);
        out->kind = kind;
        out->line = line_against(&out->record, kind);
    } else {
        record_free(record);
    }
    text_free(&words);
    text_free(&why);
    free(with);
}

// The run of judging->text that these flags ask for; NULL: none. `limit_ms` 0: as they have it.
static bool request_of(const struct judgement *judging, const char *flags, int limit_ms, struct request *out,
                       struct error *error)
{
    if (!judge_flags(flags ? flags : "", judging->lab, &judging->variant, out, error))
        return false;
    out->variant = mem_copy(judging->variant.name);
    out->file = mem_copy(judging->called);
    out->source = mem_copy(judging->text);
    out->limit_ms = limit_ms && limit_ms < out->limit_ms ? limit_ms : out->limit_ms;
    return true;
}

static bool run_one(const struct judging_by *by, const struct request *request, struct record *record,
                    struct error *error)
{
    error->code = EXIT_MISSING;
    if (client_run(by->client, request, by->progress, by->context, record, error))
        return true;
    if (error->code != EXIT_USAGE)
        return false;
    record_init(record); // the sizes or a //@ line cannot be had together
    record->status = STATUS_FAILED;
    record->backend = ON_SIM;
    record->message = mem_copy(error->text);
    return true;
}

// ---- all runs ---------------------------------------------------------------------------------------------

static bool over(const struct judge_verdict *verdict)
{
    return verdict->kind == VERDICT_COMPILE ||
           (verdict->kind != VERDICT_ACCEPTED && verdict->record.total_ms > SLOW_MS);
}

// The time of what is right, on the GPU; NAN: there is none, or nothing came of it. *with (NULL: not asked) is the run.
static double time_of(const struct judgement *judging, const struct judging_by *by, char **with)
{
    const char *flags = live_field(judging->live, "time");
    struct request request;
    struct record record;
    struct error unused;
    double ms = NAN;
    flags = flags ? flags : live_nth(judging->live, "check", judging->told);
    if (!by->gpu || !request_of(judging, flags, TIME_LIMIT_MS, &request, &unused))
        return NAN;
    request.on = ON_GPU;
    if (run_one(by, &request, &record, &unused)) {
        if (record.status == STATUS_RIGHT || record.status == STATUS_UNCHECKED)
            ms = record.median_ms;
        record_free(&record);
    }
    if (with && !isnan(ms))
        *with = with_of(&request);
    request_free(&request);
    return ms;
}

static bool run_all(struct judgement *judging, const struct judging_by *by, struct error *error)
{
    size_t checks = live_count(judging->live, "check");
    for (size_t i = 0; i < (checks ? checks : 1) && !over(judging->out); i++) {
        struct request request;
        struct record record;
        if (!request_of(judging, live_nth(judging->live, "check", i), 0, &request, error))
            return false;
        bool done = run_one(by, &request, &record, error);
        if (done)
            take_record(judging, &request, i, &record);
        request_free(&request);
        if (!done)
            return false;
    }
    return true;
}

// A lab's kernel files have a step in front of their name, which those of lessons do not need.
static void name_file(struct judgement *judging, const char *file)
{
    const char *slash = strrchr(file, '/');
    judging->file = slash ? slash + 1 : file;
    format_into(judging->called, sizeof judging->called, "%s%s", judging->lab ? "1-" : "", judging->file);
}

// The shipped file of the task, from which the learner's text comes.
static bool read_shipped(const struct live *live, struct text *out, struct error *error)
{
    char *path = path_join(live->folder, live_field(live, "file"));
    bool read = file_read(path, out, error);
    free(path);
    return read;
}

// The line in a message that begins with "FILE:LINE:"; 0: it does not.
static int line_named(const char *message, const char *file)
{
    size_t length = strlen(file);
    return string_starts(message, file) && message[length] == ':' ? atoi(message + length + 1) : 0;
}

// An answer that changed what checks it is not run.
static bool refuse(struct judge_verdict *out, enum verdict_kind kind, struct text *words)
{
    out->kind = kind;
    out->reasons = 1u << kind;
    out->words = text_take(words);
    out->record.status = STATUS_FAILED;
    return true;
}

// `shipped` NULL: an order, of which nothing has to stay.
static bool judge_text(struct judgement *judging, const char *shipped, const struct judging_by *by,
                       struct error *error)
{
    struct text words = { 0 };
    struct error why;
    if (!variant_parse(&judging->variant, judging->lab, judging->called, judging->text, &why)) {
        add_renamed(judging, why.text, &words);
        judging->out->line = line_named(words.data, judging->file);
        return refuse(judging->out, VERDICT_COMPILE, &words);
    }
    bool stays = !shipped || judge_kept(judging->live, shipped, judging->text, &words, &judging->out->line);
    bool done = stays ? run_all(judging, by, error) : refuse(judging->out, VERDICT_CHANGED, &words);
    if (done && shipped && (judging->out->kind == VERDICT_ACCEPTED || judging->out->kind == VERDICT_BUDGET))
        judging->out->ms = time_of(judging, by, &judging->out->timed);
    variant_free(&judging->variant);
    text_free(&words);
    return done;
}

// ---- the shipped file's numbers ---------------------------------------------------------------------------

static const char *starter_trouble(const struct record *record)
{
    if (record->status == STATUS_FAILED)
        return record->diagnostics && isnan(record->warp_inst) ? "it does not compile"
                                                               : "it does not come to its end";
    if (record->status == STATUS_WRONG)
        return "its result is wrong";
    if (record->status == STATUS_SKIPPED || !record->counters)
        return "it does not run there";
    return worst_finding(record) ? "the simulator finds a defect in it" : NULL;
}

// What the shipped file has in the run that the verdict tells. A starter that is wrong has no numbers: it did other
// work. False: nothing came of it, and the next verdict tries again.
static bool run_starter(const struct judgement *judging, const struct judging_by *by, struct starter *out)
{
    struct request request;
    struct record record;
    struct error unused;
    struct limit limits[LIMITS_MOST];
    if (!request_of(judging, live_nth(judging->live, "check", judging->told), STARTER_LIMIT_MS, &request,
                    &unused))
        return false;
    bool came = run_one(by, &request, &record, &unused);
    request_free(&request);
    if (!came)
        return false;
    out->why = starter_trouble(&record);
    out->ms = out->why ? NAN : time_of(judging, by, NULL);
    size_t count = limits_of(judging->live, &record, limits, NULL);
    for (size_t i = 0; i < count; i++) {
        out->had[i] = limits[i].got;
        out->amount[i] = limits[i].amount;
    }
    record_free(&record);
    return true;
}

// Remembered, or run; NULL: nothing came of it.
static const struct starter *starter_of(struct judgement *first, const struct judging_by *by,
                                        struct starters *starters)
{
    enum { KNOWN = sizeof starters->known / sizeof *starters->known };
    struct starter *fresh = &starters->known[starters->count % KNOWN];
    struct error unused;
    const char *flags = live_nth(first->live, "check", first->told),
               *words[] = { first->lab, first->file, flags, first->text };
    uint64_t of = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        of = hash_more(of, words[i] ? words[i] : "", words[i] ? strlen(words[i]) + 1 : 1);
    for (size_t i = 0; i < starters->count && i < KNOWN; i++)
        if (starters->known[i].of == of)
            return &starters->known[i];
    if (!variant_parse(&first->variant, first->lab, first->called, first->text, &unused))
        return NULL;
    bool came = run_starter(first, by, fresh);
    variant_free(&first->variant);
    fresh->of = of;
    starters->count += came;
    return came ? fresh : NULL;
}

// Puts what the shipped file had beside each limit.
static void compare(const struct judgement *judging, const char *shipped, const struct judging_by *by,
                    struct starters *starters)
{
    struct judgement first = {
        .live = judging->live, .lab = judging->lab, .text = shipped, .told = judging->told
    };
    struct judge_verdict *out = judging->out;
    if (strcmp(shipped, judging->text) == 0)
        return;
    name_file(&first, judging->file);
    const struct starter *starter = starter_of(&first, by, starters);
    out->starter_why = starter ? starter->why : "it could not be run";
    out->had_ms = starter ? starter->ms : NAN;
    for (size_t i = 0; !out->starter_why && i < out->limit_count; i++) {
        struct limit *limit = &out->limits[i];
        limit->had = starter->had[i];
        limit->share = *limit->of && starter->amount[i] > 0 ? limit->amount / starter->amount[i] : NAN;
    }
}

// ---- all of it --------------------------------------------------------------------------------------------

bool judge(struct client *client, const struct live *live, const char *file, const char *text,
           struct starters *starters, client_progress progress, void *context, struct judge_verdict *out,
           struct error *error)
{
    struct judgement judging = { .live = live, .lab = live_field(live, "lab"), .text = text, .out = out };
    struct judging_by by = { client, progress, context, starters && starters->gpu };
    struct text shipped = { 0 };
    bool task = review_is_task(live);
    *out = (struct judge_verdict){ .kind = VERDICT_ACCEPTED, .ms = NAN, .had_ms = NAN };
    record_init(&out->record);
    name_file(&judging, file);
    if (judging.lab && !lab_find(judging.lab))
        return error_set(error, EXIT_USAGE, "There is no lab '%s'. 'warpbook list' names them.", judging.lab);
    bool done = (!task || read_shipped(live, &shipped, error)) &&
                judge_text(&judging, task ? text_string(&shipped) : NULL, &by, error);
    if (done)
        out->limit_count = limits_of(live, out->with ? &out->record : NULL, out->limits, NULL);
    if (done && starters && task && (live_field(live, "budget") || out->timed))
        compare(&judging, text_string(&shipped), &by, starters);
    text_free(&shipped);
    if (!done) {
        struct text words = { 0 };
        add_renamed(&judging, error->text, &words);
        error_set(error, error->code, "%s", text_string(&words));
        text_free(&words);
        verdict_free(out);
    }
    return done;
}

void verdict_free(struct judge_verdict *verdict)
{
    free(verdict->words);
    free(verdict->findings);
    free(verdict->with);
    free(verdict->timed);
    record_free(&verdict->record);
    *verdict = (struct judge_verdict){ 0 };
}

// ---- order ------------------------------------------------------------------------------------------------

bool judge_order_text(const struct live *live, const char *text, const int *order, int count,
                      struct text *out)
{
    static const char mark[] = "//@order";
    const char *at = text;
    while (at && !string_starts(at + strspn(at, " \t"), mark))
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    if (!at)
        return false;
    size_t indent = strspn(at, " \t"), length = strcspn(at, "\n");
    text_add_n(out, text, (size_t)(at - text));
    for (int i = 0; i < count; i++) {
        const char *line = order_line(live, order[i]);
        text_add_n(out, at, indent);
        text_addf(out, "%s%s", line ? line : "", i + 1 < count ? "\n" : "");
    }
    text_add(out, at + length);
    return true;
}
