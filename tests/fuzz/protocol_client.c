// The client's end of the protocol: answers of any bytes, from a worker that is none. The client takes a record or says
// why there is none, and what it took can be shown, written and read again.
#include "tests/fuzz/shared/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/run/simulation.h"
#include "tui/view/view.h"

bool __wrap_child_start_on(const char *const *argv, const struct child_terms *terms, struct child *child,
                           struct error *error);

static struct bytes answers;
static const pid_t nobody = 0x3ffffff0; // more than any system gives

// The streams of a child that has said all and is gone: the lines up to the one "--" on its stdout, the rest on stderr.
bool __wrap_child_start_on(const char *const *argv, const struct child_terms *terms, struct child *child,
                           struct error *error)
{
    int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
    int in = open("/dev/null", O_WRONLY | O_CLOEXEC);
    size_t left = (size_t)(answers.end - answers.at);
    const uint8_t *cut = left ? memmem(answers.at, left, "\n--\n", 4) : NULL;
    size_t said = cut ? (size_t)(cut - answers.at) + 1 : left, noise = cut ? left - said - 3 : 0;
    must(out >= 0 && err >= 0 && in >= 0);
    static const char greeting[] = "{\"warpbook\":1,\"hello\":{}}\n";
    bool greets = !(left && *answers.at == 'n'); // a few do not
    must(!greets || write(out, greeting, sizeof greeting - 1) == sizeof greeting - 1);
    must(write(out, answers.at, said) == (ssize_t)said);
    must(!noise || write(err, answers.at + said + 3, noise) == (ssize_t)noise);
    must(lseek(out, 0, SEEK_SET) == 0 && lseek(err, 0, SEEK_SET) == 0);
    *child = (struct child){ nobody, in, out, err };
    return true;
}

static void show(const struct record *record)
{
    for (int width = 1; width < 130; width += 43) {
        struct result result = { .chosen = record, .cpu = record, .before = record, .utf8 = width % 2 };
        struct sheet sheet = result_sheet(&result, width, width % 2);
        sheet_free(&sheet);
        sheet = counters_sheet(record, width, width % 2);
        sheet_free(&sheet);
        struct listing listing = {
            .text = "int a;\nint b;\n", .record = record, .numbers = true, .margin = true
        };
        sheet = listing_sheet(&listing, width + 10, width % 2);
        sheet_free(&sheet);
    }
    struct text words = { 0 };
    record_check_words(record, &words);
    text_free(&words);
    record_has_error(record);
    record_sectors_per_request(record->counters);
    record_wavefronts_per_access(record->counters);
}

static void show_instructions(const struct instructions *instructions)
{
    if (!instructions)
        return;
    json_t *again = record_instructions_to_json(instructions);
    must(json_array_size(again) == instructions->count);
    json_decref(again);
}

// Written and read again it says the same.
static void write_again(const struct record *record)
{
    struct record second;
    struct error error;
    json_t *json = record_to_json(record);
    must(json && record_from_json(&second, json, &error));
    json_t *again = record_to_json(&second);
    must(json_equal(json, again));
    json_decref(json);
    json_decref(again);
    record_free(&second);
}

int LLVMFuzzerInitialize(int *count, char ***words)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct client *client = client_new();
    struct request request = { .on = ON_CPU, .lab = (char *)"vecadd", .variant = (char *)"simple" };
    struct record record;
    struct error error = { 0 };
    json_t *machine = NULL;
    fuzz_home();
    answers = bytes_of(data, size);
    if (client_run(client, &request, NULL, NULL, &record, &error)) {
        show(&record);
        show_instructions(record.instructions);
        write_again(&record);
        record_free(&record);
    } else {
        must(error.text[0] && error.code != EXIT_RIGHT);
    }
    client_free(client);
    client = client_new();
    if (client_describe(client, false, NULL, NULL, &machine, &error)) {
        struct sheet sheet = machine_sheet(machine, 60, true);
        sheet_free(&sheet);
        json_decref(machine);
    }
    client_free(client);
    return 0;
}
