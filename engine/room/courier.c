// The learner's end of a room on another machine: the mirror of its folder, and the courier that carries between the two
// over one ssh connection, which is made anew after 1, 2, 4 … 60 s when it breaks.
#include "engine/room/reach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TICK_MS = 100, LOOK_LIMIT_MS = 60000, PAUSE_LEAST_MS = 1000, PAUSE_MOST_MS = 60000 };

// ---- WORD@HOST ---------------------------------------------------------------------------------------------------

bool reach_means(const char *word)
{
    return strchr(word, '@') && !strchr(word, '/');
}

// What ssh takes for a host, and for nothing else.
static bool is_host(const char *host)
{
    static const char fit[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@:[]%";
    return *host && *host != '-' && host[strspn(host, fit)] == 0;
}

static bool split(const char *word_at_host, char word[ROOM_WORD], const char **host, struct error *error)
{
    const char *at = strchr(word_at_host, '@');
    format_into(word, ROOM_WORD, "%.*s", at ? (int)(at - word_at_host) : 0, word_at_host);
    *host = at ? at + 1 : "";
    return (room_word_fits(word) && is_host(*host)) ||
           error_set(error, EXIT_USAGE, "A room on another machine is named as maple-otter@gpubox.");
}

bool reach_fits(const char *word_at_host, struct error *error)
{
    char word[ROOM_WORD];
    const char *host;
    return split(word_at_host, word, &host, error);
}

// ---- the connection ----------------------------------------------------------------------------------------------

struct line_to { // a connection to the pipe
    struct child ssh;
    struct reach_line lines;
    struct text words; // of ssh's stderr
    struct silence heard;
    double said;
};

// Whether 'connect' keeps a connection there. The caller frees the route.
static bool host_is_open(const char *host, struct ssh_route *route)
{
    char *command = text_format("ssh %s", host);
    bool open = ssh_route_read(command, route) && ssh_route_is_open(route);
    free(command);
    return open;
}

static bool dial(struct line_to *to, const char *word, const char *host, struct error *error)
{
    *to = (struct line_to){ .ssh = { 0, -1, -1, -1 }, .heard = { clock_ms(), 0 }, .said = clock_ms() };
    struct ssh_route route;
    bool kept = host_is_open(host, &route);
    char *path = text_format("ControlPath=%s", kept ? route.socket : "");
    // Without a connection that 'connect' keeps, ssh's own settings say which one it takes.
    const char *const argv[] = {
        "ssh", "-o", "ServerAliveInterval=15", "-T", "-o", path, host, "warpbook", "room", "pipe", word, NULL
    };
    const char *const plain[] = {
        "ssh", "-o", "ServerAliveInterval=15", "-T", host, "warpbook", "room", "pipe", word, NULL
    };
    struct child_terms terms = { .folder = NULL };
    bool started = child_start_on(kept ? argv : plain, &terms, &to->ssh, error);
    ssh_route_free(&route);
    free(path);
    return started;
}

static void hang_up(struct line_to *to)
{
    int status;
    if (to->ssh.in >= 0)
        close(to->ssh.in);
    if (to->ssh.pid)
        (void)child_kill(to->ssh.pid, &status); // the pipe sees the end of its stdin
    if (to->ssh.out >= 0)
        close(to->ssh.out);
    if (to->ssh.err >= 0)
        close(to->ssh.err);
    text_free(&to->lines.received);
    text_free(&to->words);
    to->ssh = (struct child){ 0, -1, -1, -1 };
}

// Waits a moment for either stream, or for `stop` (a descriptor, or -1) to end. False: the connection is over.
static bool listen_to(struct line_to *to, int stop)
{
    struct pollfd fds[] = { { to->ssh.out, POLLIN, 0 }, { to->ssh.err, POLLIN, 0 }, { stop, 0, 0 } };
    bool open = true;
    if (poll(fds, 3, TICK_MS) > 0) {
        char piece[4096];
        ssize_t got = fds[1].revents ? read(to->ssh.err, piece, sizeof piece) : 0;
        if (got > 0 && to->words.length < sizeof piece)
            text_add_n(&to->words, piece, (size_t)got);
        else if (fds[1].revents && got == 0) {
            close(to->ssh.err);
            to->ssh.err = -1;
        }
        if (fds[0].revents) {
            open = reach_read(to->ssh.out, &to->lines);
            silence_ends(&to->heard, clock_ms());
        }
    }
    return open && silence_look(&to->heard, clock_ms()) < REACH_SILENT_MS;
}

// The last of what ssh said, or that it said nothing.
static void last_words(const struct line_to *to, const char *host, char *out, size_t size)
{
    char clean[300];
    size_t end = to->words.length;
    const char *data = text_string(&to->words);
    while (end && strchr("\r\n", data[end - 1]))
        end--;
    size_t begin = end;
    while (begin && data[begin - 1] != '\n')
        begin--;
    format_clean(clean, sizeof clean, data + begin, end - begin);
    if (ssh_wants(to->words.data, host, out, size))
        return;
    format_into(out, size, "%s cannot be reached%s%s", host, *clean ? ": " : "", clean);
}

// ---- what kind of room it is ---------------------------------------------------------------------------------------

void reach_room_free(struct reach_room *room)
{
    json_decref(room->json);
    room->json = NULL;
}

static bool take_room(const json_t *line, struct reach_room *out)
{
    json_t *json = json_object_get(line, "room");
    if (!json_is_object(json) || !json_string_value(json_object_get(json, "title")))
        return false;
    line_text(json, "word", out->word, sizeof out->word);
    line_text(json, "title", out->title, sizeof out->title);
    line_text(line, "owner", out->owner, sizeof out->owner);
    out->json = json_incref(json);
    return room_word_fits(out->word);
}

bool reach_look(const char *word_at_host, struct reach_room *out, struct error *error)
{
    char word[ROOM_WORD], why[400];
    const char *host;
    struct line_to to;
    *out = (struct reach_room){ .json = NULL };
    if (!split(word_at_host, word, &host, error) || !dial(&to, word, host, error))
        return false;
    bool found = false, refused = false, open = true;
    double end = clock_ms() + LOOK_LIMIT_MS;
    while (open && !found && !refused && clock_ms() < end) {
        silence_ends(&to.heard, clock_ms()); // a login takes as long as it takes
        open = listen_to(&to, -1);
        json_t *line = reach_next(&to.lines);
        found = line && take_room(line, out);
        if (line && json_string_value(json_object_get(line, "error"))) {
            line_text(line, "error", why, sizeof why);
            refused = true;
        }
        json_decref(line);
    }
    if (!found && !refused) {
        while (to.ssh.err >= 0 && listen_to(&to, -1) && clock_ms() < end) // what it says when it ends
            continue;
        last_words(&to, host, why, sizeof why);
    }
    hang_up(&to);
    return found || error_set(error, EXIT_MISSING, "%s", why);
}

// ---- the mirror ----------------------------------------------------------------------------------------------------

static bool make_mirror(const char *mirror, const char *word_at_host, const struct reach_room *room,
                        struct error *error)
{
    static const char *const parts[] = { "in", "q", "out", "keep" };
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof parts / sizeof *parts; i++) {
        char *path = path_join(mirror, parts[i]);
        fine = folder_make(path, error);
        free(path);
    }
    char *path = path_join(mirror, "room.json");
    if (fine && !file_exists(path))
        fine = journal_add(path, 0600, room->json, error);
    free(path);
    path = path_join(mirror, "notices.jsonl");
    json_t *first = json_pack("{s:i, s:s}", "v", 1, "kind", "mirror");
    if (fine && !file_exists(path))
        fine = journal_add(path, 0600, first, error);
    json_decref(first);
    free(path);
    path = path_join(mirror, "reach");
    fine = fine && private_replace(path, word_at_host, strlen(word_at_host), error);
    free(path);
    return fine &&
           (chmod(mirror, 0700) == 0 || error_set(error, EXIT_MISSING, "%s: %s", mirror, strerror(errno)));
}

char *reach_mirror(const char *word_at_host, const struct reach_room *room, struct error *error)
{
    const char *at = json_string_value(json_object_get(room->json, "at"));
    uint64_t hash =
        hash_more(hash_bytes(word_at_host, strlen(word_at_host)), at ? at : "", at ? strlen(at) : 0);
    char *below = text_format("rooms/mirrors/%s-%08x", room->word, (unsigned)hash), *mirror = path_own(below);
    free(below);
    bool made = mirror
                    ? make_mirror(mirror, word_at_host, room, error)
                    : error_set(error, EXIT_MISSING, "There is no folder for a mirror; set WARPBOOK_HOME.");
    if (made)
        return mirror;
    free(mirror);
    return NULL;
}

// The WORD@HOST that this is the mirror of; NULL: it is none. The caller frees.
static char *mirrored(const struct room *room)
{
    struct text text = { 0 };
    struct error unused;
    char *path = room_path(room, "reach");
    bool read = room->owner == geteuid() && private_read(path, &text, &unused) && text.length;
    free(path);
    char *from = read ? text_take(&text) : NULL;
    text_free(&text);
    return from;
}

bool room_is_mirror(const struct room *room, bool *open)
{
    char word[ROOM_WORD], *from = mirrored(room);
    const char *host;
    struct ssh_route route = { .socket = NULL };
    struct error unused;
    if (open)
        *open = from && split(from, word, &host, &unused) && host_is_open(host, &route);
    ssh_route_free(&route);
    free(from);
    return from;
}

// ---- what the courier says of itself ---------------------------------------------------------------------------------

static void say_state(const struct room *mirror, bool connected, json_int_t delivered, const char *why)
{
    struct error unused; // a learner who reads an old state waits and says so
    json_t *state = json_pack("{s:b, s:I, s:s}", "connected", connected, "delivered", delivered, "why", why);
    char *dumped = state ? json_dumps(state, JSON_COMPACT) : NULL, *path = room_path(mirror, "courier.json");
    if (dumped)
        (void)private_replace(path, dumped, strlen(dumped), &unused);
    json_decref(state);
    free(dumped);
    free(path);
}

// The state that the courier wrote last: whether it is connected, how far lines were delivered, and why not. False: it
// never ran.
static bool courier_state(const struct room *mirror, bool *connected, json_int_t *delivered, char *why,
                          size_t size)
{
    struct text text = { 0 };
    struct error unused;
    char *path = room_path(mirror, "courier.json");
    json_t *state = private_read(path, &text, &unused) ? json_loadb(text.data, text.length, 0, NULL) : NULL;
    *connected = json_is_true(json_object_get(state, "connected"));
    *delivered = json_integer_value(json_object_get(state, "delivered"));
    line_text(state, "why", why, size);
    bool known = state;
    json_decref(state);
    text_free(&text);
    free(path);
    return known;
}

// ---- carrying ----------------------------------------------------------------------------------------------------------

struct courier {
    struct room mirror;
    char word[ROOM_WORD], *from;
    const char *host;
    struct line_to to;
    struct journal own; // in/TOKEN.jsonl of the mirror
    char token[ROOM_TOKEN];
    json_int_t sent, delivered;
    json_t *asked; // names of requests that were carried over this connection
    bool greeted;  // the pipe has said how far it is
};

static void count_line(void *context, const json_t *line)
{
    (*(size_t *)context)++;
}

// How many notices the mirror has, without the one that it begins with.
static size_t notices_kept(const struct room *mirror)
{
    size_t count = 0;
    struct journal journal = { .path = room_path(mirror, "notices.jsonl"), .owner = geteuid() };
    journal_look(&journal, SIZE_MAX, count_line, &count);
    journal_free(&journal);
    return count ? count - 1 : 0;
}

static bool say(struct courier *courier, json_t *line)
{
    courier->to.said = clock_ms();
    return reach_send(courier->to.ssh.in, line);
}

static bool take_answer(struct courier *courier, const json_t *answer)
{
    struct ticket ticket;
    struct error error;
    const char *name = json_string_value(json_object_get(answer, "name"));
    const json_t *body = json_object_get(answer, "answer");
    if (!name || !queue_ticket(name, &ticket) || !json_object_get(courier->asked, name) ||
        !json_is_object(body))
        return true;                 // nothing that was asked
    if (json_object_get(body, "go")) // a turn, which the learner takes back
        return queue_say(&courier->mirror, name, body, &error);
    return queue_reply(&courier->mirror, &ticket, body, &error);
}

static bool take_line(struct courier *courier, const json_t *line)
{
    struct error error;
    const json_t *what;
    bool fine = true;
    if (json_object_get(line, "room")) {
        fine = say(courier, json_pack("{s:{s:s, s:I}}", "hello", "token", courier->token, "notices",
                                      (json_int_t)notices_kept(&courier->mirror)));
    } else if ((what = json_object_get(line, "delivered"))) {
        courier->delivered = courier->sent = json_integer_value(what);
        courier->greeted = true;
        say_state(&courier->mirror, true, courier->delivered, "");
    } else if ((what = json_object_get(line, "told"))) {
        json_int_t n = json_integer_value(what);
        courier->delivered = n > courier->delivered ? n : courier->delivered;
        say_state(&courier->mirror, true, courier->delivered, "");
    } else if (json_is_object(what = json_object_get(line, "notice"))) {
        char *path = room_path(&courier->mirror, "notices.jsonl");
        fine = journal_add(path, 0600, what, &error);
        free(path);
    } else if (json_is_object(what = json_object_get(line, "queue"))) {
        fine = queue_say(&courier->mirror, "queue.json", what, &error);
    } else if ((what = json_object_get(line, "answer"))) {
        fine = take_answer(courier, what);
    } else if (json_object_get(line, "error")) {
        line_text(line, "error", error.text, sizeof error.text);
        say_state(&courier->mirror, false, courier->delivered, error.text);
        fine = false;
    }
    return fine;
}

static bool send_lines(struct courier *courier)
{
    json_t *line = NULL;
    bool fine = true;
    while (fine && journal_look(&courier->own, 1, journal_keep, &line)) {
        json_int_t n = json_integer_value(json_object_get(line, "n"));
        if (n > courier->sent) {
            courier->sent = n;
            fine = say(courier, json_pack("{s:O}", "tell", line));
        }
        json_decref(line);
        line = NULL;
    }
    return fine;
}

static bool send_requests(struct courier *courier)
{
    size_t count;
    struct error error;
    struct ticket *tickets = queue_list(&courier->mirror, &count, NULL);
    json_t *left = json_object();
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        json_t *request = NULL;
        json_object_set_new(left, tickets[i].name, json_true());
        if (!json_object_get(courier->asked, tickets[i].name) &&
            queue_read(&courier->mirror, &tickets[i], &request, &error)) {
            json_object_set_new(courier->asked, tickets[i].name, json_true());
            fine =
                say(courier, json_pack("{s:{s:s, s:o}}", "ask", "name", tickets[i].name, "request", request));
        }
    }
    // What is no longer in the mirror's queue was answered, or is not wanted any more.
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(courier->asked, next, name, value)
    {
        if (json_object_get(left, name))
            continue;
        fine = fine && say(courier, json_pack("{s:s}", "withdraw", name));
        json_object_del(courier->asked, name);
    }
    json_decref(left);
    free(tickets);
    return fine;
}

static bool stdin_ended(void)
{
    char byte;
    struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
    return poll(&fd, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

// Carries until the connection breaks or stdin ends.
static void carry(struct courier *courier)
{
    bool open = true;
    courier->own.read_to = 0; // what the other side has is passed over by its numbers
    courier->greeted = false;
    json_object_clear(courier->asked);
    while (open && !stdin_ended()) {
        open = listen_to(&courier->to, STDIN_FILENO);
        for (json_t *line; open && (line = reach_next(&courier->to.lines)); json_decref(line))
            open = take_line(courier, line);
        if (open && courier->greeted)
            open = send_lines(courier) && send_requests(courier);
        if (open && clock_ms() - courier->to.said > REACH_ALIVE_MS)
            open = say(courier, json_pack("{s:b}", "alive", 1));
    }
}

// ---- the process ---------------------------------------------------------------------------------------------------------

// Waits, unless stdin ends; some learners of a class wait a little longer than others.
static void pause_for(double ms)
{
    double end = clock_ms() + ms * (1 + (double)(getpid() % 100) / 200);
    while (clock_ms() < end && !stdin_ended()) {
        struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
        (void)poll(&fd, 1, TICK_MS);
    }
}

// The token of the one learner of a mirror, from the journal that is there; "" none yet.
static void find_token(struct courier *courier)
{
    char *path = room_path(&courier->mirror, "in");
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && !*courier->token && (entry = readdir(folder))) {
        char token[ROOM_TOKEN];
        format_into(token, sizeof token, "%.*s", ROOM_TOKEN - 1, entry->d_name);
        if (!room_token_fits(token))
            continue;
        format_into(courier->token, sizeof courier->token, "%s", token);
        courier->own = (struct journal){ .path = path_join(path, entry->d_name), .owner = geteuid() };
    }
    if (folder)
        closedir(folder);
    free(path);
}

// -1: stdin has ended before another courier did.
static int lock_mirror(const struct room *mirror)
{
    char *path = room_path(mirror, "courier.lock");
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    free(path);
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        (void)poll(NULL, 0, TICK_MS);
        if (stdin_ended()) {
            close(fd);
            fd = -1;
        }
    }
    return fd;
}

// The mirror's copy of the queue is as old as the connection.
static void forget_queue(const struct room *mirror)
{
    char *path = room_path(mirror, "out/queue.json");
    (void)unlink(path);
    free(path);
}

static void carry_on(struct courier *courier)
{
    double pause = PAUSE_LEAST_MS;
    while (!stdin_ended()) {
        struct error error;
        char why[400];
        if (dial(&courier->to, courier->word, courier->host, &error)) {
            carry(courier);
            forget_queue(&courier->mirror);
            last_words(&courier->to, courier->host, why, sizeof why);
            hang_up(&courier->to);
        } else {
            format_into(why, sizeof why, "%.300s", error.text);
        }
        pause = courier->greeted ? PAUSE_LEAST_MS : pause;
        say_state(&courier->mirror, false, courier->delivered, why);
        pause_for(pause);
        pause = 2 * pause < PAUSE_MOST_MS ? 2 * pause : PAUSE_MOST_MS;
    }
}

int courier_main(const char *path)
{
    struct error error;
    struct courier courier = { .asked = json_object(), .to = { .ssh = { 0, -1, -1, -1 } } };
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigaction(SIGPIPE, &ignore, NULL);
    bool fine = room_open(path, &courier.mirror, &error);
    courier.from = fine ? mirrored(&courier.mirror) : NULL;
    if (courier.from)
        fine = split(courier.from, courier.word, &courier.host, &error);
    else if (fine)
        fine = error_set(&error, EXIT_USAGE, "%s is not a mirror of a room on another machine.", path);
    int lock = fine ? lock_mirror(&courier.mirror) : -1;
    if (lock >= 0) {
        find_token(&courier);
        if (*courier.token)
            carry_on(&courier);
        close(lock);
    }
    journal_free(&courier.own);
    room_free(&courier.mirror);
    json_decref(courier.asked);
    free(courier.from);
    return fine ? EXIT_RIGHT : EXIT_MISSING;
}

// ---- keeping one -----------------------------------------------------------------------------------------------------------

enum { AGAIN_MS = 5000, DONE_MS = 8000, END_MS = 500 };

void errand_keep(struct errand *errand, const struct room *mirror)
{
    int status;
    if (errand->child.pid && !child_ended(errand->child.pid, &status))
        return;
    errand->child.pid = 0;
    errand_end(errand);
    if (errand->begun && clock_ms() - errand->begun < AGAIN_MS)
        return;
    struct error unused; // that there is no courier shows in what it says of itself
    char *self = path_self();
    const char *const argv[] = { self ? self : "warpbook", "room", "courier", mirror->folder, NULL };
    struct child_terms terms = { .errors_here = true };
    errand->begun = clock_ms();
    if (!child_start_on(argv, &terms, &errand->child, &unused))
        errand->child = (struct child){ 0, -1, -1, -1 };
    free(self);
}

void errand_end(struct errand *errand)
{
    int status;
    if (!errand->begun)
        return;
    int *const ends[] = { &errand->child.in, &errand->child.out, &errand->child.err };
    for (size_t i = 0; i < 3; i++) {
        if (*ends[i] >= 0)
            close(*ends[i]);
        *ends[i] = -1;
    }
    double end = clock_ms() + END_MS;
    while (errand->child.pid && !child_ended(errand->child.pid, &status)) {
        if (clock_ms() > end) {
            (void)child_kill(errand->child.pid, &status);
            break;
        }
        usleep(1000);
    }
    errand->child.pid = 0;
}

bool errand_done(struct errand *errand, const struct room *mirror, json_int_t number, bool fresh,
                 struct error *error)
{
    bool connected = false, known, began = !errand->begun;
    json_int_t delivered = 0;
    char why[300] = "";
    double end = clock_ms() + (fresh || began ? DONE_MS : 0);
    errand_keep(errand, mirror);
    do {
        known = courier_state(mirror, &connected, &delivered, why, sizeof why);
        if (known && connected && delivered >= number)
            return true;
        usleep(20000);
    } while (clock_ms() < end);
    return error_set(error, EXIT_MISSING, "%s; what you tell is kept and sent later.",
                     *why ? why : "The room cannot be reached");
}
