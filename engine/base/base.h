// The floor under every other folder: errors that are sentences, text that grows, files, folders,
// child processes and clocks. Nothing here knows a kernel, a GPU or a screen.
#ifndef WARPBOOK_BASE_H
#define WARPBOOK_BASE_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WARPBOOK_VERSION "0.1"

// ---- error.c: failures as values, clocks --------------------------------------------------------

// The exit status of the program that a failure leads to; 0 means all right.
enum exit_code { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_MISSING = 3 };

// A function that can fail returns bool and takes a `struct error *` last. On failure the error holds
// one or more lines for a person: what happened, where, and what to do. No trailing newline.
struct error {
    enum exit_code code;
    char text[4096];
};

// Sets the error and returns false, so that a function can `return error_set(...)`.
bool error_set(struct error *error, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// One message about one place in a text, as compilers give it. Lines and columns count from 1;
// a column counts bytes; 0 means unknown.
enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };
struct diagnostic {
    enum severity severity;
    int line, column;
    char *message;
};

struct text;
// Appends "FILE:LINE:COLUMN: error: MESSAGE", the line of `source` and a caret under the place.
void diagnostic_write(struct text *out, const char *file, const char *source, const struct diagnostic *d);

double clock_ms(void);                   // monotonic
void clock_date(char *out, size_t size); // "2026-11-21T09:30:00Z"

// ---- memory.c: allocation that never returns NULL, how an array grows, how much memory is free --

// Small allocations: on failure the program says so and ends. Data of a size that a user chose is
// allocated with malloc and checked instead.
void *mem_new(size_t size);         // zeroed
_Noreturn void mem_exhausted(void); // what these do on failure; also for a library that ran out
char *mem_copy(const char *string);
char *mem_copy_n(const char *bytes, size_t length); // adds the terminating 0
char *mem_copy_if(const char *string);              // NULL stays NULL
// Room for one more item: call before storing items[count]. Returns the array, moved when it had to grow.
void *array_room(void *items, size_t count, size_t item_size);

// How much memory can be taken. Opening a gauge opens the files that say so; one that is missing sets no limit. `root`
// is "" but for tests.
struct memory_gauge;
struct memory_gauge *memory_gauge_open(const char *root);
void memory_gauge_close(struct memory_gauge *gauge); // NULL is nothing
// Bytes that can be taken now without swapping, in the machine, in this process's container and by its own limits;
// NAN where the system does not say.
double memory_gauge_free(const struct memory_gauge *gauge);
double
memory_of_process(pid_t pid); // bytes that it has in the machine's memory; NAN: not known, or it is gone

// ---- text.c: a string that grows, and text from outside ------------------------------------------

struct text { // zero-initialise; `data` is always terminated once anything was added
    char *data;
    size_t length, capacity;
};
void text_add(struct text *text, const char *string);
void text_add_n(struct text *text, const char *bytes, size_t length);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text *text, const char *format, va_list args);
void text_add_xml(struct text *out, const char *text); // as characters of XML and HTML, in quotes, too
void text_free(struct text *text);
const char *text_string(const struct text *text); // "" when nothing was added
char *text_take(struct text *text);               // the caller frees; `text` is empty again
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2))); // the caller frees

// Formats into a fixed buffer; the text is cut when it does not fit.
void format_into(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
// "512 MiB"; "" for a number that is not known.
void format_bytes(double bytes, char *out, size_t size);
bool string_starts(const char *string, const char *prefix);
bool string_ends(const char *string, const char *suffix);
// The entry of `names` nearest to `word` by edits, or NULL when none is near enough to be meant.
const char *string_nearest(const char *word, const char *const *names, size_t count);

uint64_t hash_bytes(const void *bytes, size_t length);               // 64-bit FNV-1a
uint64_t hash_more(uint64_t hash, const void *bytes, size_t length); // the same, going on from `hash`

// Text from outside (kernels, compilers, files, other users) before it reaches a terminal: appends it with every
// character shown that would steer it, turn the direction of writing or not be seen, as `<U+202E>`. Newlines and tabs
// stay, the \r at the end of a line goes, broken UTF-8 becomes '?'.
void text_add_clean(struct text *out, const char *untrusted, size_t length);
char *text_clean(const char *untrusted); // the caller frees
void format_clean(char *out, size_t size, const char *untrusted, size_t length);
// As text_add_clean, for text that is typed or pasted: hidden characters are left out instead of shown.
void text_add_typed(struct text *out, const char *typed, size_t length);
// The length of the hidden character that `text` begins with, and its replacement in `out`; 0: it begins with none.
enum { HIDDEN_SIZE = 12 };
size_t text_hidden(const char *text, size_t length, char out[HIDDEN_SIZE]);
// Writes a character as UTF-8 with a terminating 0; 0 and codes that are no character become '?'. Returns its length.
size_t utf8_write(uint32_t code, char out[5]);

// ---- file.c: files and folders ------------------------------------------------------------------

bool file_read(const char *path, struct text *out, struct error *error);
// Replaces the file whole: readers see the old or the new content, never a part. A file that was there keeps its
// permissions, a link its place: what it leads to is replaced.
bool file_replace(const char *path, const void *bytes, size_t length, struct error *error);
// Before file_replace at a path that a person chose: nothing is overwritten that was not meant (`force`), and
// nothing but an ordinary file ever.
bool file_may_replace(const char *path, bool force, struct error *error);
bool file_exists(const char *path);
bool folder_make(const char *path, struct error *error); // with its parents
// A new folder for this user alone, in $TMPDIR or /tmp, which the caller frees and removes; NULL: the error says why.
char *folder_temporary(struct error *error);
char *path_join(const char *folder, const char *name); // the caller frees
// Private files, which are trusted when they are read again. private_read refuses a file that another user could have
// written, or whose folder another user could have changed; private_replace makes the missing folders, and opens neither
// them nor the file to other users.
bool private_read(const char *path, struct text *out, struct error *error);
bool private_replace(const char *path, const void *bytes, size_t length, struct error *error);
// The path in a form that no program takes for an option: `./-x`, `./+x`. The caller frees.
char *path_argument(const char *path);
bool program_find(const char *name, char *out, size_t size); // a program on $PATH

// Where things live; the caller frees. NULL only when the place cannot be known.
char *path_shipped(const char *below); // kernels/, lessons/, assets/: $WARPBOOK_DATA, beside the
                                       // program that was built, or the installed share/ folder
char *path_own(const char *below);     // the learner's folder: $WARPBOOK_HOME, $XDG_DATA_HOME/warpbook, …
char *path_cache(const char *below);   // $WARPBOOK_CACHE, $XDG_CACHE_HOME/warpbook, …
char *path_self(void);                 // the running program
char *path_library(const char *name);  // a library of ours, beside the program; NULL: not there

// ---- child.c: another program, with a deadline --------------------------------------------------

struct child { // its streams are non-blocking here; -1: closed
    pid_t pid; // the leader of a process group of its own, so that a kill reaches what it started and did not
        // put into another group. Of a kept child it is its keeper, which ends as the child did, and which
        // nobody kills
    int in, out, err;
};

struct confinement;                        // see confine.h
struct child_terms {                       // on which a child is started; all zero: as child_start does
    bool bound;                            // it is killed with the thread that starts it, whatever ends that
    bool errors_here;                      // its stderr is ours; the child has no `err` then
    const char *folder;                    // where it starts; NULL: here
    const char *const *environment;        // NULL: ours
    const struct confinement *confinement; // NULL: none. Else what is started is the confinement's program
    int kept_ms; // not 0: it is in a session of its own, where no terminal is, and ended by a keeper. Closing `in`
        // is all that ends it, and so does our end; then it gets SIGTERM, and is killed so many ms later
    // child_run_on asks it many times a second; false ends the child, which has timed_out then. NULL: nothing asks.
    bool (*may_go_on)(pid_t child, void *context);
    // child_run_on tells it what comes on either stream of the child, as it comes. NULL: that is kept in the result.
    void (*hears)(const char *bytes, size_t count, void *context);
    void *context;
};
bool child_start_on(const char *const *argv, const struct child_terms *terms, struct child *child,
                    struct error *error);
// Whether the child has ended; `status` says how. Its end is collected once, here or by child_kill.
bool child_ended(pid_t pid, int *status);
// Kills the child and its group, and waits a moment for its end. False: the child cannot be killed (it belongs to
// another user by now, or the system holds it), and its end is not collected any more.
bool child_kill(pid_t pid, int *status);

enum { STATUS_UNKNOWN = 127 << 8 }; // a wait status where the real one is lost: "ended with status 127"
struct child_result {
    int status;     // as from waitpid; meaningless when timed_out
    bool timed_out; // killed because `limit_ms` passed, or because it was to stop or may not go on
    struct text out, err;
};
// Runs argv on these terms with `input` on its stdin, and waits. False only when it could not be started. The child is
// killed soon after *stop becomes true; NULL: it is never stopped.
bool child_run_on(const char *const *argv, const struct child_terms *terms, const char *input,
                  size_t input_length, int limit_ms, const atomic_bool *stop, struct child_result *result,
                  struct error *error);
void child_result_free(struct child_result *result);
// "ended with status 3", "was killed by signal 11 (Segmentation fault)"
void child_describe(int status, char *out, size_t size);

#endif
