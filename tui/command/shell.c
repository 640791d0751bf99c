// warpbook shell: the prompt without a screen, for terminals that cannot have one, for screen readers and for scripts.
// Each line is a command of the command line and runs as a process of its own, so that ^C stops it and not the shell.
#include "tui/app/app.h"
#include "tui/tui.h"
#include "tui/view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

extern char **environ;

static struct vocabulary known; // what lines may name; libedit calls without a context

struct shell {
    EditLine *line; // NULL: a script
    History *history;
    int status; // the last one that was not 0
    bool quit;
};

// ---- running --------------------------------------------------------------------------------------------

// A child in our own process group: the terminal's ^C and ^Z reach it. A script's lines are not its input.
static int run_child(char *const *argv, bool script, struct error *error)
{
    pid_t pid;
    int status;
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    if (script)
        posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    fflush(NULL);
    int failed = posix_spawn(&pid, argv[0], &streams, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&streams);
    if (failed) {
        error_set(error, EXIT_MISSING, "Cannot start %s: %s.", argv[0], strerror(failed));
        return -1;
    }
    pid_t ended;
    do
        ended = waitpid(pid, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended == pid)
        return status;
    error_set(error, EXIT_MISSING, "It is not known how %s ended: %s.", argv[0], strerror(errno));
    return -1;
}

static int run_command(struct shell *shell, const struct words *words)
{
    struct error error;
    char *argv[40] = { path_self() };
    size_t count = 1;
    if (!argv[0])
        argv[0] = mem_copy("warpbook");
    for (size_t i = 0; i < words->count; i++)
        argv[count++] = words->word[i];
    int status = run_child(argv, !shell->line, &error);
    free(argv[0]);
    if (status == -1)
        return fail(&error);
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    if (WTERMSIG(status) == SIGINT) {
        fputs("\n", stderr); // after ^C
    } else {
        char how[120];
        child_describe(status, how, sizeof how);
        struct paper paper = paper_open(stderr);
        paper_put(&paper, ROLE_TEXT, "warpbook: %s %s.\n", words->word[0], how);
    }
    return 128 + WTERMSIG(status);
}

// ---- words ------------------------------------------------------------------------------------------------

// The command that does on the command line what a page does on the screen.
static const struct {
    const char *page, *command, *with; // with: what must stand in the operand for this row
    const char *flag;
} twins[] = { { "bench", "show", "/", NULL },      { "bench", "list", NULL, NULL },
              { "source", "show", NULL, NULL },    { "step", "sim", NULL, "--step" },
              { "terms", "explain", NULL, NULL },  { "find", "explain", NULL, NULL },
              { "machine", "doctor", NULL, NULL }, { "home", "list", NULL, NULL } };

static void put_word(struct words *words, size_t at, const char *word)
{
    free(words->word[at]);
    words->word[at] = mem_copy(word);
}

// "bench histogram" → "list histogram", and says so.
static void take_twin(struct words *words, bool script)
{
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        const char *operand = words->count > 1 ? words->word[1] : "";
        if (strcmp(words->word[0], twins[i].page) != 0 || (twins[i].with && !strstr(operand, twins[i].with)))
            continue;
        put_word(words, 0, twins[i].command);
        if (twins[i].flag && !script && words->count < sizeof words->word / sizeof *words->word)
            words->word[words->count++] = mem_copy(twins[i].flag);
        struct paper paper = paper_open(stderr);
        paper_put(&paper, ROLE_TEXT, "warpbook: %s is a page of the screen; here:", twins[i].page);
        for (size_t w = 0; w < words->count; w++)
            paper_put(&paper, ROLE_TEXT, " %s", words->word[w]);
        paper_put(&paper, ROLE_TEXT, "\n");
        return;
    }
}

static void drop_first(struct words *words)
{
    free(words->word[0]);
    memmove(words->word, words->word + 1, --words->count * sizeof *words->word);
}

static bool is_word(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

static int unknown(const char *word)
{
    struct error error;
    if (page_find(page_list, word))
        error_set(&error, EXIT_USAGE, "'%s' is a page of the screen; 'open %s' shows it there.", word, word);
    else
        command_named(known.commands, word, &error);
    return fail(&error);
}

static int do_words(struct shell *shell, struct words *words)
{
    static const char *const skipped[] = { "warpbook", "output", NULL };
    static const char *const leaves[] = { "quit", "exit", NULL };
    static const char *const readers[] = { "worker", "shell", NULL };
    struct error error;
    while (words->count > 1 && is_word(words->word[0], skipped))
        drop_first(words);
    if (is_word(words->word[0], leaves)) {
        shell->quit = true;
        return EXIT_RIGHT;
    }
    if (is_word(words->word[0], readers)) {
        error_set(&error, EXIT_USAGE, "'%s' reads stdin, as this shell does; it works only outside it.",
                  words->word[0]);
        return fail(&error);
    }
    bool flag = words->word[0][0] == '-'; // --version
    if (!flag && !command_find(known.commands, words->word[0]))
        take_twin(words, !shell->line);
    if (!flag && !command_find(known.commands, words->word[0]))
        return unknown(words->word[0]);
    return run_command(shell, words);
}

// Where a comment starts: a '#' at the start of a word, outside of quotes.
static size_t before_comment(const char *line)
{
    char quote = 0;
    size_t at = 0;
    for (; line[at]; at++) {
        if (line[at] == '\\' && quote != '\'' && line[at + 1])
            at++;
        else if (quote)
            quote = line[at] == quote ? 0 : quote;
        else if (line[at] == '\'' || line[at] == '"')
            quote = line[at];
        else if (line[at] == '#' && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t'))
            break;
    }
    return at;
}

static void do_line(struct shell *shell, const char *line)
{
    struct words words;
    struct error error;
    line += strspn(line, " \t:");
    char *text = mem_copy_n(line, before_comment(line));
    if (!words_split(text, &words, &error)) {
        shell->status = fail(&error);
    } else if (words.count) {
        int status = do_words(shell, &words);
        shell->status = status ? status : shell->status;
        words_free(&words);
    }
    free(text);
}

// ---- a script -----------------------------------------------------------------------------------------------

// False: the input has ended. Another process may have left our stdin non-blocking; then this waits for more input.
static bool more_input(char **line, size_t *size, struct text *whole)
{
    whole->length = 0;
    for (;;) {
        errno = 0;
        ssize_t got = getline(line, size, stdin);
        int why = errno;
        if (got > 0)
            text_add_n(whole, *line, (size_t)got);
        if (got > 0 && (*line)[got - 1] == '\n')
            return true;
        if (!ferror(stdin) || (why != EAGAIN && why != EINTR))
            return whole->length > 0;
        clearerr(stdin);
        poll(&(struct pollfd){ STDIN_FILENO, POLLIN, 0 }, 1, -1);
    }
}

static void read_script(struct shell *shell)
{
    char *line = NULL;
    size_t size = 0;
    struct text whole = { 0 };
    while (!shell->quit && more_input(&line, &size, &whole)) {
        whole.data[strcspn(whole.data, "\r\n")] = 0;
        do_line(shell, whole.data);
    }
    text_free(&whole);
    free(line);
}

// ---- a terminal -----------------------------------------------------------------------------------------------

static char *prompt_of(EditLine *line)
{
    return (char *)"warpbook> ";
}

static void print_candidates(FILE *out, char *const *words, size_t count)
{
    int widest = 1, used = 0;
    for (size_t i = 0; i < count; i++)
        widest = text_cells(words[i]) > widest ? text_cells(words[i]) : widest;
    struct paper paper = paper_open(out);
    fputs("\n", out);
    for (size_t i = 0; i < count; i++) {
        if (used && used + widest > paper.width) {
            fputs("\n", out);
            used = 0;
        }
        paper_cell(&paper, ROLE_TEXT, widest + 1, "%s", words[i]);
        used += widest + 2;
    }
    fputs("\n", out);
}

// libedit puts the characters of its line as they are.
static bool hides(const char *word)
{
    char shown[HIDDEN_SIZE];
    while (*word && *word != '\n' && *word != '\t' && !text_hidden(word, strlen(word), shown))
        word++;
    return *word;
}

static unsigned char complete(EditLine *line, int key)
{
    size_t from, count;
    FILE *out;
    const LineInfo *now = el_line(line);
    size_t at = (size_t)(now->cursor - now->buffer);
    char *text = mem_copy_n(now->buffer, (size_t)(now->lastchar - now->buffer));
    char **words = complete_words(&known, NULL, NULL, text, at, &from, &count);
    size_t typed = at - from, common = complete_common(words, count);
    unsigned char result = count ? CC_REFRESH : CC_ERROR;
    if (count && hides(words[0])) {
        result = CC_ERROR;
    } else if (common > typed) {
        char *more = mem_copy_n(words[0] + typed, common - typed);
        el_insertstr(line, more);
        free(more);
    } else if (count > 1 && el_get(line, EL_GETFP, 1, &out) == 0) {
        print_candidates(out, words, count);
        result = CC_REDISPLAY;
    }
    if (count == 1 && !hides(words[0]) && !string_ends(words[0], "/") && !string_ends(words[0], "="))
        el_insertstr(line, " ");
    for (size_t i = 0; i < count; i++)
        free(words[i]);
    free(words);
    free(text);
    return result;
}

static bool open_line(struct shell *shell)
{
    shell->line = el_init("warpbook", stdin, stdout, stderr);
    if (!shell->line)
        return false;
    shell->history = history_new();
    history_load(shell->history);
    el_set(shell->line, EL_EDITOR, "emacs");
    el_set(shell->line, EL_SIGNAL, 1);
    el_set(shell->line, EL_PROMPT, prompt_of);
    el_set(shell->line, EL_HIST, history, shell->history);
    el_wset(shell->line, EL_ADDFN, L"warpbook-complete", L"completes the word",
            complete); // el_set would leak both
    el_set(shell->line, EL_BIND, "^I", "warpbook-complete", NULL);
    el_set(shell->line, EL_BIND, "\\033[3~", "ed-delete-next-char", NULL);
    el_set(shell->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(shell->line, EL_BIND, "^W", "ed-delete-prev-word", NULL);
    history_bind(shell->line);
    return true;
}

static void ignore(int sign)
{
}

static void ring(long every_us)
{
    const struct itimerval timer = { { 0, every_us }, { 0, every_us } };
    setitimer(ITIMER_REAL, &timer, NULL);
}

// A ^C that comes while nothing reads would take effect at the next key only. So its signal is repeated until it
// interrupts a read.
static void ring_until_heard(int sign)
{
    ring(20000);
}

static void on_signal(int sign, void (*handler)(int))
{
    const struct sigaction action = { .sa_handler = handler };
    sigaction(sign, &action, NULL);
}

// The next line; NULL at the end, or with `stopped` after ^C.
static const char *read_line(struct shell *shell, int *length, bool *stopped)
{
    on_signal(SIGINT, ring_until_heard);
    el_set(shell->line, EL_PREP_TERM, 1); // before the prompt: what is typed right after it is not lost
    errno = 0;
    const char *got = el_gets(shell->line, length);
    *stopped = !got && *length < 0 && errno == EINTR;
    on_signal(SIGINT, ignore);
    ring(0);
    return got;
}

// ^C takes back the line that is being typed, or stops what runs; the shell goes on.
static void read_terminal(struct shell *shell)
{
    on_signal(SIGALRM, ignore);
    puts("Commands as on the command line; Tab completes, 'help' lists them, 'quit' leaves.");
    while (!shell->quit) {
        int length = 0;
        bool stopped;
        const char *got = read_line(shell, &length, &stopped);
        if (!got || length == 0)
            puts("");
        if (stopped)
            continue;
        if (!got || length == 0) // ^D, or the terminal is gone
            return;
        char *line = mem_copy_n(got, strcspn(got, "\r\n"));
        if (line[strspn(line, " \t")])
            history_keep(shell->history, line);
        do_line(shell, line);
        free(line);
    }
}

// ---- completion for other shells ------------------------------------------------------------------------------

// The sentence that the tables have for a candidate: a command, or a flag of the command that the line starts with.
static const char *sentence_of(const struct command *command, const char *word)
{
    const struct command *named = command_find(known.commands, word);
    if (!command || strcmp(command->name, "help") == 0)
        return named ? named->help : "";
    for (size_t i = 0; i < FLAGS && command->flags[i].name; i++)
        if (strcmp(command->flags[i].name, word) == 0)
            return command->flags[i].help;
    return "";
}

// One candidate a line: the word, a tab, its sentence. assets/manual/ has the functions that bash, zsh and fish call
// this from.
static int print_completions(const char *typed)
{
    struct text line = { 0 };
    size_t from, count;
    char first[32];
    typed += strspn(typed, " \t");
    text_addf(&line, "warpbook %s", typed);
    format_into(first, sizeof first, "%.*s", (int)strcspn(typed, " \t"), typed);
    const struct command *command = typed[strlen(first)] ? command_find(known.commands, first) : NULL;
    char **words = complete_words(&known, NULL, NULL, line.data, line.length, &from, &count);
    for (size_t i = 0; i < count; i++) {
        if (!hides(words[i]))
            printf("%s\t%s\n", words[i], sentence_of(command, words[i]));
        free(words[i]);
    }
    free(words);
    text_free(&line);
    return EXIT_RIGHT;
}

int command_shell(const struct arguments *arguments)
{
    struct shell shell = { 0 };
    known = (struct vocabulary){ page_list, arguments->commands, NULL };
    if (arguments_has(arguments, "--complete"))
        return print_completions(arguments_value(arguments, "--complete"));
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && open_line(&shell)) {
        read_terminal(&shell);
        shell.status = EXIT_RIGHT; // a person at the prompt has seen what failed
        el_end(shell.line);
        history_end(shell.history);
    } else {
        read_script(&shell);
    }
    return shell.status;
}
