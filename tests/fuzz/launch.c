// Kernel files on the way that the program launches them in the simulator: their directives, the problem, the module,
// the arguments, the run with each check and the record. No kernel may touch what it was not given, whatever its
// parameters are. Files of PTX, so that no compiler is asked.
#include "tests/fuzz/shared/fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "engine/run/simulation.h"

enum { MEMORY = 24 << 20, INSTRUCTIONS_MOST = 20000, LIMIT_MS = 300 };

bool __real_sim_run(const struct sim_module *module, struct sim_memory *memory,
                    const struct sim_launch *launch, const struct sim_options *options,
                    struct sim_result *out, struct sim_fault *fault);
bool __wrap_sim_run(const struct sim_module *module, struct sim_memory *memory,
                    const struct sim_launch *launch, const struct sim_options *options,
                    struct sim_result *out, struct sim_fault *fault);

// The linker puts this before sim_run, for a limit that a request cannot ask for.
bool __wrap_sim_run(const struct sim_module *module, struct sim_memory *memory,
                    const struct sim_launch *launch, const struct sim_options *options,
                    struct sim_result *out, struct sim_fault *fault)
{
    struct sim_options few = *options;
    few.instruction_limit = INSTRUCTIONS_MOST;
    return __real_sim_run(module, memory, launch, &few, out, fault);
}

static void run(struct worker *worker, const struct request *request)
{
    struct record record;
    struct error error = { 0 };
    record_init(&record);
    if (run_on_sim(worker, request, &record, &error)) {
        json_t *json = record_to_json(&record);
        must(json && record.status != STATUS_NONE);
        json_decref(json);
    } else {
        must(error.text[0] && error.code != EXIT_RIGHT);
    }
    record_free(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct worker worker = { .answers = -1, .printed = -1 };
    struct bytes bytes = bytes_of(data, size);
    if (worker.answers < 0) {
        fuzz_home();
        worker.answers = open("/dev/null", O_WRONLY | O_CLOEXEC);
        worker.gauge = memory_gauge_open("");
        must(worker.answers >= 0);
    }
    char *text = bytes_rest(&bytes);
    struct setup setup = setup_read(text);
    struct request request = { .on = ON_SIM,
                               .file = (char *)"kernel.ptx",
                               .source = text,
                               .limit_ms = LIMIT_MS,
                               .memory_bytes = MEMORY,
                               .check = (enum request_check)setup.check,
                               .threads = setup.threads,
                               .seed = setup.seed,
                               .instructions = setup.seed > 0 };
    run(&worker, &request);
    worker_problem_drop(&worker);
    free(text);
    return 0;
}
