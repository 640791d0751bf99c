// The result of a compile, and its diagnostics: what compilers say, read from their logs. Two forms are known: NVRTC's,
// with the source line and a caret below the message, and clang's, which is run so that it prints no source lines. A
// log comes from outside.
#include "engine/compile/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- a log ------------------------------------------------------------------------------------------

enum { MOST_MESSAGES = 500, MOST_MESSAGE_BYTES = 2000, CONTINUATION_INDENT = 8 };

struct log_span { // a piece of the log
    const char *at;
    size_t length;
};

struct log_head { // what the first line of a message says
    enum severity severity;
    struct log_span file; // empty: the message is about no place
    int line, column;
    const char *message; // up to the end of the line
    bool carets;         // the source line and a caret may follow
};

static const struct {
    const char *word;
    enum severity severity;
} severities[] = { { "error", SEVERITY_ERROR },         { "warning", SEVERITY_WARNING },
                   { "note", SEVERITY_NOTE },           { "remark", SEVERITY_NOTE },
                   { "fatal error", SEVERITY_ERROR },   { "catastrophic error", SEVERITY_ERROR },
                   { "internal error", SEVERITY_ERROR } };

static bool span_starts(const char *at, const char *end, const char *prefix)
{
    size_t length = strlen(prefix);
    return (size_t)(end - at) >= length && !memcmp(at, prefix, length);
}

static struct log_span line_next(const char **log)
{
    struct log_span line = { *log, strcspn(*log, "\n") };
    *log += line.length + ((*log)[line.length] == '\n');
    while (line.length && line.at[line.length - 1] == '\r')
        line.length--;
    return line;
}

// Reads "warning #177-D: " or "fatal error: "; returns the message after it, or NULL.
static const char *severity_read(const char *at, const char *end, enum severity *out)
{
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++) {
        if (!span_starts(at, end, severities[i].word))
            continue;
        const char *rest = at + strlen(severities[i].word);
        if (span_starts(rest, end, " #"))
            while (rest < end && *rest != ':')
                rest++;
        if (!span_starts(rest, end, ": "))
            continue;
        *out = severities[i].severity;
        return rest + 2;
    }
    return NULL;
}

// Reads digits; *at is moved past them. 0 when there are none or too many.
static int number_read(const char **at, const char *end)
{
    int value = 0;
    const char *start = *at;
    while (*at < end && isdigit((unsigned char)**at) && *at - start < 9)
        value = value * 10 + (*(*at)++ - '0');
    return value;
}

// FILE(LINE): error: MESSAGE
static bool head_of_nvrtc(struct log_span text, struct log_head *out)
{
    const char *end = text.at + text.length;
    for (const char *at = text.at; at < end; at++) {
        if (*at != '(' || at == text.at)
            continue;
        const char *rest = at + 1;
        int line = number_read(&rest, end);
        if (!line || !span_starts(rest, end, "): "))
            continue;
        const char *message = severity_read(rest + 3, end, &out->severity);
        if (!message)
            continue;
        out->file = (struct log_span){ text.at, (size_t)(at - text.at) };
        out->line = line;
        out->message = message;
        out->carets = true;
        return true;
    }
    return false;
}

// FILE:LINE:COLUMN: error: MESSAGE
static bool head_of_clang(struct log_span text, struct log_head *out)
{
    const char *end = text.at + text.length;
    for (const char *at = text.at; at < end; at++) {
        if (*at != ':' || at == text.at)
            continue;
        const char *rest = at + 1;
        int line = number_read(&rest, end), column = 0;
        if (!line || rest == end || *rest++ != ':')
            continue;
        column = number_read(&rest, end);
        if (!column || !span_starts(rest, end, ": "))
            continue;
        const char *message = severity_read(rest + 2, end, &out->severity);
        if (!message)
            continue;
        out->file = (struct log_span){ text.at, (size_t)(at - text.at) };
        out->line = line;
        out->column = column;
        out->message = message;
        return true;
    }
    return false;
}

// "clang: error: MESSAGE", "ptxas fatal   : MESSAGE": an error, but about no place.
static bool head_of_tool(struct log_span text, struct log_head *out)
{
    const char *end = text.at + text.length, *at = text.at;
    if (span_starts(at, end, "ptxas ")) {
        at += strlen("ptxas ");
        if (!span_starts(at, end, "error") && !span_starts(at, end, "fatal"))
            return false;
        const char *colon = memchr(at, ':', (size_t)(end - at));
        out->severity = SEVERITY_ERROR;
        out->message = colon ? colon + 1 : at;
        return true;
    }
    const char *message = severity_read(at, end, &out->severity);
    const char *colon = memchr(at, ':', text.length);
    if (!message && colon && end - colon > 2 && colon[1] == ' ')
        message = severity_read(colon + 2, end, &out->severity);
    out->message = message;
    return message && out->severity == SEVERITY_ERROR;
}

static bool head_read(struct log_span text, struct log_head *out)
{
    *out = (struct log_head){ 0 };
    return head_of_nvrtc(text, out) || head_of_clang(text, out) || head_of_tool(text, out);
}

// The place of the caret in a line that holds nothing else; 0 in other lines.
static int caret_column(struct log_span line)
{
    size_t at = 0;
    while (at < line.length && isspace((unsigned char)line.at[at]))
        at++;
    bool alone = at + 1 == line.length && line.at[at] == '^';
    return alone && at >= 2 ? (int)at - 1 : 0; // NVRTC indents the source line by 2
}

static void add_continuation(struct text *message, struct log_span line)
{
    size_t indent = 0;
    while (indent < line.length && line.at[indent] == ' ')
        indent++;
    if (indent < CONTINUATION_INDENT || message->length > MOST_MESSAGE_BYTES)
        return;
    text_add(message, "; ");
    text_add_n(message, line.at + indent, line.length - indent);
}

// Reads what follows a message of NVRTC up to an empty line: more of the message, the source line, the caret,
// more of the message.
static void body_read(const char **log, struct text *message, int *column)
{
    struct log_span held = { 0 }; // a source line, if a caret follows
    while (**log) {
        const char *next = *log;
        struct log_span line = line_next(&next);
        struct log_head head;
        if (!line.length || head_read(line, &head) || span_starts(line.at, line.at + line.length, "ptxas "))
            break;
        int caret = caret_column(line);
        if (caret && !*column) {
            *column = caret;
            held.length = 0;
        } else {
            add_continuation(message, held);
            held = line;
        }
        *log = next;
    }
    add_continuation(message, held);
}

static struct log_span base_name(struct log_span path)
{
    for (size_t i = path.length; i > 0; i--)
        if (path.at[i - 1] == '/')
            return (struct log_span){ path.at + i, path.length - i };
    return path;
}

static bool same_file(struct log_span a, const char *file)
{
    struct log_span x = base_name(a), y = base_name((struct log_span){ file, strlen(file) });
    return x.length == y.length && !memcmp(x.at, y.at, x.length);
}

void compiled_add_diagnostic(struct compiled *out, enum severity severity, int line, int column,
                             const char *message)
{
    struct diagnostic d = { severity, line, column, text_clean(message) };
    out->diagnostics = array_room(out->diagnostics, out->diagnostic_count, sizeof d);
    out->diagnostics[out->diagnostic_count++] = d;
}

bool compiled_has_errors(const struct compiled *compiled)
{
    for (size_t i = 0; i < compiled->diagnostic_count; i++)
        if (compiled->diagnostics[i].severity == SEVERITY_ERROR)
            return true;
    return false;
}

// True when it was worth adding: of what is said about other files only the errors concern the learner.
static bool head_add(const struct log_head *head, const char *file, const char *message, struct compiled *out)
{
    if (!head->file.length || same_file(head->file, file)) {
        compiled_add_diagnostic(out, head->severity, head->line, head->column, message);
        return true;
    }
    if (head->severity != SEVERITY_ERROR)
        return false;
    struct log_span name = base_name(head->file);
    char *text = text_format("in %.*s, line %d: %s", (int)(name.length < 200 ? name.length : 200), name.at,
                             head->line, message);
    compiled_add_diagnostic(out, head->severity, 0, 0, text);
    free(text);
    return true;
}

// Sorts by line, a note staying after the message that it belongs to.
static void sort_by_line(struct diagnostic *d, size_t count)
{
    int keys[MOST_MESSAGES];
    for (size_t i = 0; i < count; i++) {
        int key = d[i].severity == SEVERITY_NOTE && i ? keys[i - 1] : d[i].line;
        keys[i] = key;
    }
    for (size_t i = 1; i < count; i++) {
        struct diagnostic moved = d[i];
        int key = keys[i];
        size_t to = i;
        for (; to > 0 && keys[to - 1] > key; to--) {
            d[to] = d[to - 1];
            keys[to] = keys[to - 1];
        }
        d[to] = moved;
        keys[to] = key;
    }
}

void compiled_read_log(const char *log, const char *file, struct compiled *out)
{
    size_t before = out->diagnostic_count;
    bool added = true;
    while (*log && out->diagnostic_count - before < MOST_MESSAGES) {
        struct log_span line = line_next(&log);
        struct log_head head;
        if (!head_read(line, &head))
            continue;
        struct text message = { 0 };
        size_t length = (size_t)(line.at + line.length - head.message);
        while (length && *head.message == ' ') {
            head.message++;
            length--;
        }
        text_add_n(&message, head.message, length < MOST_MESSAGE_BYTES ? length : MOST_MESSAGE_BYTES);
        if (head.carets)
            body_read(&log, &message, &head.column);
        if (head.severity != SEVERITY_NOTE || added)
            added = head_add(&head, file, text_string(&message), out);
        text_free(&message);
    }
    if (out->diagnostic_count > before)
        sort_by_line(out->diagnostics + before, out->diagnostic_count - before);
}

void compiled_log_excerpt(const char *log, char *out, size_t size)
{
    size_t length = strnlen(log, 300);
    while (length && isspace((unsigned char)log[length - 1]))
        length--;
    format_clean(out, size, length ? log : "nothing", length ? length : strlen("nothing"));
    for (char *c = out; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
}

// ---- resources by the assembler's log ---------------------------------------------------------------

// The number before `phrase` in a line, or `otherwise`.
static int number_before(const char *line, const char *phrase, int otherwise)
{
    const char *at = strstr(line, phrase), *start = at;
    while (start && start > line && isdigit((unsigned char)start[-1]))
        start--;
    if (!at || start == at || at - start > 9)
        return otherwise;
    return (int)strtol(start, NULL, 10);
}

// True when the line says `phrase` followed by a name, which is copied without its quotes.
static bool name_after(const char *line, const char *phrase, char *out, size_t size)
{
    const char *at = strstr(line, phrase);
    if (!at)
        return false;
    at += strlen(phrase);
    at += *at == '\'';
    format_into(out, size, "%.*s", (int)strcspn(at, "' \t\r"), at);
    return true;
}

static struct resources *kernel_add(struct compiled *out, const char *name)
{
    struct resources r = { text_clean(name), -1, -1, -1, -1, -1 };
    out->resources = array_room(out->resources, out->resource_count, sizeof r);
    out->resources[out->resource_count] = r;
    return &out->resources[out->resource_count++];
}

// The lines of one kernel follow each other, but those of a function that it calls may come between them: Compiling
// entry function 'NAME' for 'sm_90' Function properties for NAME 0 bytes stack frame, 0 bytes spill stores, 0 bytes
// spill loads Used 10 registers, used 1 barriers, 1024 bytes smem
void compiled_read_resources(const char *log, struct compiled *out)
{
    struct resources *kernel = NULL;
    bool properties = false; // the next properties are the kernel's own
    while (*log) {
        size_t length = strcspn(log, "\n");
        char *line = mem_copy_n(log, length), name[1024];
        log += length + (log[length] == '\n');
        if (name_after(line, "Compiling entry function ", name, sizeof name)) {
            kernel = kernel_add(out, name);
        } else if (kernel && name_after(line, "Function properties for ", name, sizeof name)) {
            properties = !strcmp(name, kernel->kernel);
        } else if (kernel && properties && strstr(line, " bytes stack frame")) {
            kernel->stack_bytes = number_before(line, " bytes stack frame", -1);
            kernel->spill_bytes = number_before(line, " bytes spill stores", -1);
            properties = false;
        } else if (kernel && strstr(line, "Used ") && strstr(line, " registers")) {
            kernel->registers = number_before(line, " registers", -1);
            kernel->shared_bytes = number_before(line, " bytes smem", 0);
            kernel->barriers = number_before(line, " barriers", -1);
        }
        free(line);
    }
}

// ---- the result -------------------------------------------------------------------------------------

enum { MOST_SHOWN = 8 }; // errors in a message

void compiled_free(struct compiled *compiled)
{
    for (size_t i = 0; i < compiled->diagnostic_count; i++)
        free(compiled->diagnostics[i].message);
    for (size_t i = 0; i < compiled->resource_count; i++)
        free(compiled->resources[i].kernel);
    free(compiled->diagnostics);
    free(compiled->resources);
    free(compiled->ptx);
    free(compiled->cubin);
    *compiled = (struct compiled){ 0 };
}

const struct resources *compiled_resources(const struct compiled *compiled, const char *entry)
{
    for (size_t i = 0; i < compiled->resource_count; i++)
        if (strcmp(compiled->resources[i].kernel, entry) == 0)
            return &compiled->resources[i];
    return NULL;
}

// Warnings stay in the diagnostics: they would hide the errors.
bool compiled_explain(const struct compiled *compiled, const struct compile_request *request,
                      struct error *error)
{
    struct text all = { 0 }, one = { 0 };
    int shown = 0, left = 0;
    bool before = false; // the message that a note would belong to is shown
    for (size_t i = 0; i < compiled->diagnostic_count; i++) {
        const struct diagnostic *d = &compiled->diagnostics[i];
        bool note = d->severity == SEVERITY_NOTE;
        if (d->severity == SEVERITY_WARNING || (note && !before)) {
            before = false;
            continue;
        }
        text_free(&one);
        diagnostic_write(&one, request->file, request->source, d);
        before = (note || shown < MOST_SHOWN) && !left && all.length + one.length < sizeof error->text - 64;
        if (before)
            text_addf(&all, "%s%s", all.length ? "\n" : "", text_string(&one));
        shown += before && !note;
        left += !before && !note;
    }
    if (!shown)
        text_addf(&all, "%s does not compile.", request->file);
    if (shown && left)
        text_addf(&all, "\nand %d more.", left);
    error_set(error, EXIT_WRONG, "%s", text_string(&all));
    text_free(&all);
    text_free(&one);
    return false;
}
