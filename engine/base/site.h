// What a site sets once for all who work there: the line that starts a worker on its cluster, and folders that all see.
//
// It is read from small files of `key = value` lines, each once and when it is first needed. A line is run by a shell,
// so a file counts only if nobody can write it but root, its reader, or the owner of the program that reads it. An
// environment variable wins over every file.
#ifndef WARPBOOK_SITE_H
#define WARPBOOK_SITE_H

#include "engine/base/base.h"

struct site_setting {
    const char *key, *variable; // variable NULL: only files set it
    const char *help;           // half a sentence
    bool word;                  // its value is one word of letters, digits and "_.,@:+-"
};
enum site_key { SITE_WORKER, SITE_BEFORE, SITE_RESERVATION, SITE_ACCOUNT, SITE_LOCKS, SITE_ROOMS, SITE_KEYS };
extern const struct site_setting site_settings[SITE_KEYS];

// The value, or NULL. It stays for as long as the program, that of a variable until it is changed.
const char *site_value(enum site_key key);
// The line of shell that starts a worker, with what is set to come before it; NULL: this machine's own.
const char *site_worker(void);
// The words between "srun" and the program that is the worker, "--gres=gpu:1 -t 5", and that program. False: the line is
// another one.
bool site_srun(const char *line, char *options, size_t size, char *program, size_t program_size);

// The files that are looked for, the one whose lines win first.
struct site_file {
    const char *who; // "yours"
    char *path;
    bool there, used;
    struct text trouble; // lines about what is ignored, and why; "" when nothing is
};
enum { SITE_FILES = 3, SITE_MACHINES = 16 };
struct site_machine {  // a line `machine NAME = LINE`
    char *name, *line; // the whole line that starts its worker
    size_t own;        // where in it the file's own words begin
    size_t from;
};
struct site {
    struct site_file files[SITE_FILES];
    size_t file_count;
    char *values[SITE_KEYS]; // from files; NULL: none sets it
    size_t from[SITE_KEYS];  // which file does
    char *worker;            // the whole line
    struct site_machine machines[SITE_MACHINES];
    size_t machine_count;
};
const struct site *site_read(void);

#endif
