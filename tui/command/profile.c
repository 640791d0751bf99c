// warpbook run --profile: what hardware counted of a kernel, through Nsight Compute, beside what the simulator counts of the
// same launches. Where hardware is not asked, it says why, and what the simulator counts stands alone.
#include "tui/tui.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/run/profiled.h"

static const double apart = 0.02; // counters that differ by more than this share are marked

// ---- the words of counters ----------------------------------------------------------------------------------

static const struct counter_words {
    const char *key, *words;
} counter_words[] = {
    { "gld_req", "global load requests" },
    { "gld_sec", "  sectors" },
    { "gst_req", "global store requests" },
    { "gst_sec", "  sectors" },
    { "red_req", "global red. requests" },
    { "red_sec", "  passes" },
    { "atom_req", "global atomic requests" },
    { "atom_sec", "  passes" },
    { "sld_inst", "shared loads" },
    { "sld_wave", "  wavefronts" },
    { "sld_conf", "  bank conflicts" },
    { "sst_inst", "shared stores" },
    { "sst_wave", "  wavefronts" },
    { "sst_conf", "  bank conflicts" },
    { "satom_inst", "shared atomics" },
    { "satom_wave", "  wavefronts" },
    { "satom_conf", "  bank conflicts" },
    { "dld_req", "remote loads" },
    { "dld_sec", "  sectors" },
    { "dld_wave", "  wavefronts" },
    { "dst_req", "remote stores" },
    { "dst_sec", "  sectors" },
    { "dst_wave", "  wavefronts" },
    { "datom_req", "remote atomics" },
    { "datom_sec", "  passes" },
    { "datom_wave", "  wavefronts" },
    { "l2_sectors", "sectors, all" },
    { "l2_sectors_ideal", "  ideal" },
    { "l1_wave_shared", "wavefronts, all" },
    { "l1_wave_shared_ideal", "  ideal" },
};

static double counter_of(const struct record_counters *counters, const char *key)
{
    for (size_t i = 0; counters && i < RECORD_COUNTERS; i++)
        if (strcmp(record_counter(i).key, key) == 0)
            return *(const double *)(const void *)((const char *)counters + record_counter(i).offset);
    return NAN;
}

// ---- the table ----------------------------------------------------------------------------------------------

enum { WORDS_CELLS = 23, COUNT_CELLS = 13 };

static void put_count(const struct paper *paper, enum role role, double count)
{
    char words[40];
    unit_count(count, words, sizeof words);
    paper_cell(paper, role, -COUNT_CELLS, "%s", *words ? words : "-");
}

// "! 12.5 % more on hardware"
static void put_difference(const struct paper *paper, double hardware, double simulated)
{
    double share = simulated > 0 ? (hardware - simulated) / simulated : hardware > 0 ? INFINITY : 0;
    if (!isfinite(hardware) || !isfinite(simulated) || fabs(share) <= apart)
        return;
    paper_put(paper, ROLE_NOTE, " ! ");
    if (isinf(share))
        paper_put(paper, ROLE_NOTE, "on hardware only");
    else if (share > 1)
        paper_put(paper, ROLE_NOTE, "%.2f times on hardware", hardware / simulated);
    else
        paper_put(paper, ROLE_NOTE, "%.1f %% %s on hardware", fabs(100 * share), share > 0 ? "more" : "less");
}

static void put_counters(const struct paper *paper, const struct profiled *profiled,
                         const struct record_counters *simulated)
{
    const struct record_counters *hardware = profiled->refused ? NULL : &profiled->counters;
    paper_put(paper, ROLE_TEXT, "\n");
    paper_cell(paper, ROLE_DIM, WORDS_CELLS, "%s", "");
    if (hardware)
        paper_cell(paper, ROLE_GPU, -COUNT_CELLS, "hardware");
    paper_cell(paper, ROLE_SIM, -COUNT_CELLS, "simulated");
    paper_put(paper, ROLE_TEXT, "\n");
    for (size_t i = 0; i < sizeof counter_words / sizeof *counter_words; i++) {
        double real = counter_of(hardware, counter_words[i].key),
               counted = counter_of(simulated, counter_words[i].key);
        if (!(real > 0) && !(counted > 0))
            continue;
        paper_cell(paper, ROLE_TEXT, WORDS_CELLS, " %s", counter_words[i].words);
        if (hardware)
            put_count(paper, ROLE_TITLE, real);
        put_count(paper, ROLE_TITLE, counted);
        if (hardware)
            put_difference(paper, real, counted);
        paper_put(paper, ROLE_TEXT, "\n");
    }
}

static void put_number(const struct paper *paper, const char *words, double number, const char *format)
{
    char text[64];
    if (!isfinite(number))
        return;
    format_into(text, sizeof text, "%.1f", number);
    paper_cell(paper, ROLE_TEXT, WORDS_CELLS, " %s", words);
    paper_cell(paper, ROLE_TITLE, -COUNT_CELLS, "%s", text);
    paper_put(paper, ROLE_DIM, " %s\n", format);
}

// What only hardware tells. Its instructions are those of the machine code, and the simulator's those of PTX.
static void put_hardware(const struct paper *paper, const struct profiled *profiled,
                         const struct record_counters *simulated)
{
    char bytes[32], ms[32];
    const struct {
        const char *words;
        double bytes;
    } dram[] = { { "read from DRAM", profiled->dram_read_bytes },
                 { "written to DRAM", profiled->dram_write_bytes } };
    unit_ms(profiled->ms, ms, sizeof ms);
    if (*ms) {
        paper_cell(paper, ROLE_TEXT, WORDS_CELLS, " time");
        paper_cell(paper, ROLE_TITLE, -COUNT_CELLS, "%s", ms);
        paper_put(paper, ROLE_DIM, " caches emptied before\n");
    }
    if (isfinite(profiled->inst)) {
        paper_cell(paper, ROLE_TEXT, WORDS_CELLS, " instructions of warps");
        put_count(paper, ROLE_TITLE, profiled->inst);
        put_count(paper, ROLE_TITLE, counter_of(simulated, "inst"));
        paper_put(paper, ROLE_DIM, " SASS, and PTX\n");
    }
    put_number(paper, "registers", profiled->registers, "of each thread");
    put_number(paper, "occupancy", profiled->occupancy_pct, "% of an SM's warps, reached");
    put_number(paper, "hits in L1", profiled->l1_hit_pct, "% of the sectors");
    put_number(paper, "hits in L2", profiled->l2_hit_pct, "% of the sectors");
    for (size_t i = 0; i < 2; i++) {
        if (!isfinite(dram[i].bytes))
            continue;
        format_bytes(dram[i].bytes, bytes, sizeof bytes);
        paper_cell(paper, ROLE_TEXT, WORDS_CELLS, " %s", dram[i].words);
        paper_cell(paper, ROLE_TITLE, -COUNT_CELLS, "%s", bytes);
        paper_put(paper, ROLE_TEXT, "\n");
    }
}

// ---- the runs -----------------------------------------------------------------------------------------------

struct profile_runs {
    const struct arguments *arguments;
    struct target target;
    struct request wish;
    struct client *client;
    struct record profile, counted;
    bool json;
};

static bool no_profile(struct record *record, const struct error *why)
{
    record_init(record);
    record->backend = ON_GPU;
    record->status = STATUS_FAILED;
    record->message = mem_copy(why->text);
    record->profiled = profiled_refused(PROFILE_NO_GPU, why->text);
    return true;
}

static bool run_one(struct profile_runs *runs, bool profiled, struct record *out, struct error *error)
{
    struct request request = runs->wish;
    struct waiting waiting = { .what = runs->target.variant->name };
    request.on = profiled ? ON_GPU : ON_SIM;
    request.check = REQUEST_CHECK_COUNTERS;
    request.variant = runs->target.variant->name;
    request.file = runs->target.variant->path;
    request.source = runs->target.variant->text;
    request.profile = profiled ? runs->wish.profile : NULL;
    waiting_begin(&waiting);
    bool done = client_run(runs->client, &request, waiting_show, &waiting, out, error);
    waiting_wipe(&waiting);
    waiting_end(&waiting);
    return done;
}

static void print_head(const struct paper *paper, const struct profile_runs *runs)
{
    const struct target *target = &runs->target;
    const struct record *record = runs->counted.params ? &runs->counted : &runs->profile;
    paper_put(paper, ROLE_TITLE, "%s%s%s", target->lab ? target->lab->name : "", target->lab ? "/" : "",
              target->variant->name);
    paper_put(paper, ROLE_TEXT, " counted by Nsight Compute, and in the simulator\n");
    run_print_params(paper, record);
    paper_put(paper, ROLE_DIM, "%s%s\n", record->data ? "data: " : "", record->data ? record->data : "");
}

static void print_result(const struct paper *paper, const struct profile_runs *runs)
{
    const struct profiled *profiled = runs->profile.profiled;
    const struct record *record = &runs->profile;
    struct text words = { 0 };
    if (profiled->refused) {
        text_addf(&words, "No hardware counters. %s", profiled->why);
    } else {
        text_addf(&words, "%s: ", record->device ? record->device : "the GPU");
        if (record->status == STATUS_UNCHECKED)
            text_add(&words, "unchecked");
        else
            record_check_words(record, &words);
        if (profiled->launches > 1)
            text_addf(&words, "; the sum of %.0f launches", profiled->launches);
    }
    bool right = record->status == STATUS_RIGHT || record->status == STATUS_UNCHECKED;
    paper_wrap(paper, profiled->refused ? ROLE_NOTE : right ? ROLE_GOOD : ROLE_BAD, 0, text_string(&words));
    text_free(&words);
}

static int print_all(const struct profile_runs *runs)
{
    struct paper paper = paper_open(stdout);
    const struct profiled *profiled = runs->profile.profiled;
    print_head(&paper, runs);
    print_result(&paper, runs);
    if (runs->counted.counters || !profiled->refused)
        put_counters(&paper, profiled, runs->counted.counters);
    if (!profiled->refused)
        put_hardware(&paper, profiled, runs->counted.counters);
    return profiled->refused ? EXIT_MISSING : EXIT_RIGHT;
}

static int show(const struct profile_runs *runs)
{
    const struct profiled *profiled = runs->profile.profiled;
    int status = profiled->refused ? EXIT_MISSING : EXIT_RIGHT;
    if (runs->json) {
        run_print_json(&runs->profile, false);
        run_print_json(&runs->counted, false);
    } else {
        status = print_all(runs);
    }
    bool wrong = runs->profile.status == STATUS_WRONG || runs->counted.status == STATUS_WRONG;
    return wrong ? EXIT_WRONG : status;
}

static bool run_both(struct profile_runs *runs, struct error *error)
{
    if (!run_one(runs, false, &runs->counted, error))
        return false;
    if (waiting_stopped())
        return error_set(error, EXIT_MISSING, "Stopped before the GPU was asked.");
    if (!run_one(runs, true, &runs->profile, error) &&
        (error->code == EXIT_USAGE || waiting_stopped() || !no_profile(&runs->profile, error)))
        return false;
    return runs->profile.profiled ||
           error_set(error, EXIT_MISSING,
                     "The worker took no profile: it is a room's, which takes none, or of another version.");
}

static bool prepare(struct profile_runs *runs, struct error *error)
{
    static const char *const others[] = { "--chart", "--later", "--collect" };
    const struct arguments *arguments = runs->arguments;
    const char *on = arguments_value(arguments, "--on");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (arguments_has(arguments, others[i]))
            return error_set(error, EXIT_USAGE, "--profile looks at one kernel, once: leave %s out.",
                             others[i]);
    if (on && strcmp(on, "gpu") != 0)
        return error_set(error, EXIT_USAGE, "--profile is for the GPU: leave --on out.");
    if (!runs->target.variant)
        return error_set(error, EXIT_USAGE, "--profile looks at one kernel: name a step, as in %s/%s.",
                         runs->target.lab->name,
                         runs->target.cpu            ? "1"
                         : runs->target.ladder.count ? runs->target.ladder.variants[0].name
                                                     : "1");
    if (!target_request(&runs->target, arguments, 60, &runs->wish, error))
        return false;
    if (runs->target.lab && !arguments_has(arguments, "--size") &&
        !request_set_size(&runs->wish, runs->target.lab, "small", error))
        return false;
    if (!request_profile(&runs->wish, runs->target.variant, error))
        return false;
    runs->client = waiting_client(arguments, error);
    return runs->client;
}

int run_profile(const struct arguments *arguments)
{
    struct profile_runs runs = { .arguments = arguments, .json = arguments_has(arguments, "--json") };
    struct error error;
    int status;
    record_init(&runs.profile);
    record_init(&runs.counted);
    if (programs_mean(arguments)) {
        error_set(
            &error, EXIT_USAGE,
            "--profile looks at a kernel file; a host program is profiled by 'ncu' or 'nsys' themselves.");
        return fail(&error);
    }
    if (!target_read(arguments->operands[0], &runs.target, &error))
        return fail(&error);
    if (prepare(&runs, &error) && run_both(&runs, &error))
        status = show(&runs);
    else
        status = waiting_stopped() ? 128 + SIGINT : fail(&error);
    record_free(&runs.profile);
    record_free(&runs.counted);
    if (runs.client)
        client_free(runs.client);
    request_free(&runs.wish);
    target_free(&runs.target);
    return status;
}
