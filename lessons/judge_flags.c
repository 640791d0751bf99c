// The flags of a `check` line: the sizes and data with which an answer is judged.
#include "engine/cli/cli.h"
#include "lessons/judge.h"

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
    *out = (struct request){ .on = ON_SIM, .check = SIM_CHECK_ALL };
    if ((lab && !target_lab(lab, &target.lab, error)) || !words_split(flags, &words, error))
        return false;
    bool taken = take(&words, &target, out, error);
    words_free(&words);
    if (!taken)
        request_free(out);
    return taken;
}
