// warpbook site: what is set for all who work here, and where; site init writes a file with it.
#include "tui/tui.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/site.h"

// ---- what is set --------------------------------------------------------------------------------------------

enum { KEY_CELLS = 13 };

static void show_setting(const struct paper *paper, enum site_key key)
{
    const struct site_setting *setting = &site_settings[key];
    const struct site *site = site_read();
    const char *value = site_value(key);
    bool variable = setting->variable && getenv(setting->variable);
    char *clean = value ? text_clean(value) : NULL;
    paper_cell(paper, value ? ROLE_TITLE : ROLE_DIM, KEY_CELLS, "%s", setting->key);
    if (clean)
        paper_put(paper, ROLE_TEXT, "%s", clean);
    else
        paper_put(paper, ROLE_DIM, "not set: %s", setting->help);
    if (variable)
        paper_put(paper, ROLE_DIM, "  (%s)", setting->variable);
    else if (value)
        paper_put(paper, ROLE_DIM, "  (%s)", site->files[site->from[key]].path);
    paper_put(paper, ROLE_TEXT, "\n");
    free(clean);
}

static void show_file(const struct paper *paper, const struct site_file *file)
{
    paper_put(paper, ROLE_TEXT, "  %s", file->path);
    paper_put(paper, ROLE_DIM, "  %s%s\n", file->who, file->there ? "" : ", not there");
    if (file->trouble.length)
        paper_lines(paper, ROLE_BAD, 6, file->trouble.data);
}

static int show(void)
{
    struct paper paper = paper_open(stdout);
    const struct site *site = site_read();
    bool troubled = false;
    for (int key = 0; key < SITE_KEYS; key++)
        show_setting(&paper, (enum site_key)key);
    for (size_t i = 0; i < site->machine_count; i++) {
        const struct site_machine *machine = &site->machines[i];
        char *clean = text_clean(machine->line);
        paper_put(&paper, ROLE_TITLE, "machine %s", machine->name);
        paper_put(&paper, ROLE_TEXT, " = %s", clean);
        paper_put(&paper, ROLE_DIM, "  (%s)\n", site->files[machine->from].path);
        free(clean);
    }
    paper_put(&paper, ROLE_DIM,
              site->file_count ? "\nFiles, the first that sets something wins:\n"
                               : "\nNo file is looked for.\n");
    for (size_t i = 0; i < site->file_count; i++) {
        show_file(&paper, &site->files[i]);
        troubled |= site->files[i].trouble.length > 0;
    }
    return troubled ? EXIT_WRONG : EXIT_RIGHT;
}

// ---- site init ----------------------------------------------------------------------------------------------

// What a program prints, its first line; "" when it is not here or fails.
static void first_line(const char *const *argv, char *out, size_t size)
{
    enum { LIMIT_MS = 5000 };
    struct child_result result = { 0 };
    struct error unused;
    char path[512];
    *out = 0;
    if (!program_find(argv[0], path, sizeof path) ||
        !child_run_on(argv, &(struct child_terms){ 0 }, "", 0, LIMIT_MS, NULL, &result, &unused))
        return;
    const char *said = text_string(&result.out);
    if (!result.timed_out && result.status == 0)
        format_clean(out, size, said, strcspn(said, "\n"));
    child_result_free(&result);
}

static void add_setting(struct text *out, enum site_key key, const char *value)
{
    const struct site_setting *setting = &site_settings[key];
    text_addf(out, "\n# %s\n%s%s = %s\n", setting->help, value ? "" : "# ", setting->key,
              value                     ? value
              : key == SITE_WORKER      ? "ssh gpubox warpbook worker"
              : key == SITE_BEFORE      ? ". /etc/profile.d/modules.sh; module load cuda"
              : key == SITE_RESERVATION ? "cuda-course"
              : key == SITE_ACCOUNT     ? "project1"
              : key == SITE_LOCKS       ? "/tmp"
                                        : "/shared/warpbook-rooms");
}

// Slurm says what its first partition with a GPU offers. A line that is set already stays.
static void worker_line(char *out, size_t size)
{
    static const char *const gpus[] = { "sh", "-c",
                                        "sinfo -h -o '%G' | sed -n 's/(S:[^)]*)//; /^gpu/{s/:[0-9]*$//; p}'",
                                        NULL };
    static const char *const srun[] = { "srun", "--version", NULL };
    char version[80], gpu[80];
    const char *set = site_worker();
    format_into(out, size, "%s", set ? set : "");
    if (set)
        return;
    first_line(srun, version, sizeof version);
    if (!*version)
        return;
    first_line(gpus, gpu, sizeof gpu);
    format_into(out, size, "srun --gres=%s:1 -t 30 warpbook worker", *gpu ? gpu : "gpu");
}

static void compose(struct text *out)
{
    char worker[1024];
    worker_line(worker, sizeof worker);
    text_add(out, "# What is set for all who run warpbook here; 'warpbook site' shows what counts.\n"
                  "# Lines are 'key = value'; a variable of the environment wins over them.\n");
    add_setting(out, SITE_WORKER, *worker ? worker : NULL);
    for (int key = SITE_WORKER + 1; key < SITE_KEYS; key++)
        add_setting(out, (enum site_key)key, site_value((enum site_key)key));
    text_add(out, "\n# machines by name, for 'warpbook run LAB --on l4,here'\n"
                  "# machine l4 = ssh l4box warpbook worker\n");
}

static int init(const struct arguments *arguments)
{
    struct error error;
    struct text file = { 0 };
    char *own = geteuid() == 0 ? mem_copy("/etc/warpbook.conf") : path_own("site.conf");
    const char *to = arguments_value(arguments, "--to");
    const char *path = to ? to : own;
    bool done = path || error_set(&error, EXIT_MISSING, "No folder of your own is known: use --to FILE.");
    compose(&file);
    done = done && file_may_replace(path, arguments_has(arguments, "--force"), &error) &&
           (to || geteuid() == 0 ? file_replace(path, text_string(&file), file.length, &error)
                                 : private_replace(path, text_string(&file), file.length, &error));
    text_free(&file);
    if (done)
        printf("Written to %s. Edit it; 'warpbook site' then shows what counts.\n", path);
    free(own);
    return done ? EXIT_RIGHT : fail(&error);
}

int command_site(const struct arguments *arguments)
{
    struct error error;
    const char *word = arguments->operand_count ? arguments->operands[0] : NULL;
    bool written = arguments_has(arguments, "--to") || arguments_has(arguments, "--force");
    if (word && strcmp(word, "init") == 0)
        return init(arguments);
    if (!word && !written)
        return show();
    if (word)
        error_set(&error, EXIT_USAGE, "'site' shows what is set and 'site init' writes a file, not '%s'.",
                  word);
    else
        error_set(&error, EXIT_USAGE, "--to and --force belong to 'site init'.");
    return fail(&error);
}
