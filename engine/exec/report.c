// What happened, a line of JSON each, for `warpbook exec`, which reads them when the program has ended, however it ended.
#include "engine/exec/exec.h"
#include "engine/model/model.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *report; // NULL: nobody reads it

void report_open(void)
{
    const char *path = getenv("WARPBOOK_EXEC_REPORT");
    report = path && *path ? fopen(path, "ae") : NULL;
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void put_string(const char *text)
{
    putc('"', report);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        if (*at == '"' || *at == '\\')
            fprintf(report, "\\%c", *at);
        else if (*at < 32 || *at == 127)
            fprintf(report, "\\u%04x", *at);
        else
            putc(*at, report);
    putc('"', report);
}

static void put_key(const char *key, const char *value)
{
    fprintf(report, ",\"%s\":", key);
    put_string(value);
}

// With a point, whatever the program has set for its own numbers.
static void put_real(const char *key, double value)
{
    char number[40];
    snprintf(number, sizeof number, "%.6g", value);
    for (char *at = number; *at; at++)
        *at = *at == ',' ? '.' : *at;
    fprintf(report, "\"%s\":%s", key, number);
}

static void put_counts(const char *key, const uint64_t *counts, int count)
{
    fprintf(report, ",\"%s\":[", key);
    for (int i = 0; i < count; i++)
        fprintf(report, "%s%llu", i ? "," : "", (unsigned long long)counts[i]);
    putc(']', report);
}

static void put_three(const char *key, const uint32_t three[3])
{
    fprintf(report, ",\"%s\":[%u,%u,%u]", key, three[0], three[1], three[2]);
}

static void end_line(void)
{
    fputs("}\n", report);
    fflush(report);
}

// ---- lines ----------------------------------------------------------------------------------------------------------

static const char *severity_name(int severity)
{
    return severity == SIM_ERROR ? "error" : severity == SIM_WARNING ? "warning" : "note";
}

// The lines in it are the simulator's, which knows one text of PTX: where both sides of a race are of different files, the
// other side's is named as well.
static void put_sentence(const struct exec_function *function, const struct sim_finding *f, const char *file)
{
    const char *other = f->there.line ? module_source(function->module, f->there.ptx_line) : NULL;
    char sentence[sizeof f->sentence + 300];
    if (!file || !other || strcmp(file, other) == 0) {
        put_key("sentence", f->sentence);
        return;
    }
    const char *name = strrchr(other, '/');
    snprintf(sentence, sizeof sentence, "%s The other side, line %d, is in %s.", f->sentence, f->there.line,
             name ? name + 1 : other);
    put_key("sentence", sentence);
}

static void put_finding(const struct exec_function *function, const struct sim_finding *f)
{
    fprintf(report, "{\"severity\":\"%s\"", severity_name((int)f->severity));
    put_key("kind", sim_kind_name(f->kind));
    const char *file = module_source(function->module, f->here.ptx_line);
    if (file && f->here.line)
        put_key("file", file);
    if (f->here.line)
        fprintf(report, ",\"line\":%d", f->here.line);
    fprintf(report, ",\"ptx_line\":%d,\"count\":%llu", f->here.ptx_line, (unsigned long long)f->count);
    put_sentence(function, f, file);
    if (strcmp(f->space, "shared") == 0 && *f->buffer)
        put_key("shared", f->buffer);
    putc('}', report);
}

static void put_time(const struct model_time *time)
{
    fputs(",\"modelled\":{", report);
    if (time->known) {
        put_real("ms", time->ms);
        putc(',', report);
        put_real("low_ms", time->low_ms);
        putc(',', report);
        put_real("high_ms", time->high_ms);
    } else {
        fputs("\"why\":", report);
        put_string(time->why);
    }
    putc('}', report);
}

// Whether an instruction that was executed reads a clock.
static bool reads_clock(const struct sim_result *result)
{
    for (size_t i = 0; i < result->instruction_count; i++) {
        const struct sim_line *line = &result->instructions[i];
        if (line->counters.warp_inst && (strstr(line->text, "%clock") || strstr(line->text, "%globaltimer")))
            return true;
    }
    return false;
}

void report_launch(const struct exec_function *function, const struct sim_launch *launch,
                   const struct sim_result *result, bool counted, const struct model_time *time)
{
    if (!report)
        return;
    const struct sim_counters *c = &result->counters;
    fprintf(report, "{\"launch\":%llu", (unsigned long long)exec.launches);
    put_key("kernel", module_name_without_file(function->name));
    put_three("grid", launch->grid);
    put_three("block", launch->block);
    fprintf(report, ",\"shared\":%u,\"complete\":%s,\"counted\":%s,", launch->shared_bytes,
            result->complete ? "true" : "false", counted ? "true" : "false");
    put_real("ms", result->exec_ms);
    if (counted) {
        fprintf(report, ",\"warp_inst\":%llu,\"thread_inst\":%llu,\"branches\":%llu,\"divergent\":%llu",
                (unsigned long long)c->warp_inst, (unsigned long long)c->thread_inst,
                (unsigned long long)c->branches, (unsigned long long)c->divergent);
        put_counts("requests", c->requests, SIM_ACCESSES);
        put_counts("passes", c->passes, SIM_ACCESSES);
        put_counts("ideal", c->ideal, SIM_ACCESSES);
        put_counts("conflicts", c->conflicts, SIM_ACCESSES);
        put_counts("remote_requests", c->remote_requests, SIM_REMOTES);
        put_counts("remote_sectors", c->remote_sectors, SIM_REMOTES);
        put_counts("remote_wavefronts", c->remote_wavefronts, SIM_REMOTES);
        put_counts("constants", (const uint64_t[]){ c->constant_requests, c->constant_turns }, 2);
    }
    if (time) { // the first launch of its size
        put_time(time);
        fprintf(report, ",\"clock\":%s", reads_clock(result) ? "true" : "false");
    }
    fputs(",\"findings\":[", report);
    for (size_t i = 0; i < result->finding_count; i++) {
        if (i)
            putc(',', report);
        put_finding(function, &result->findings[i]);
    }
    putc(']', report);
    end_line();
}

void report_elapsed(uint64_t launches, uint64_t copies)
{
    if (!report)
        return;
    fprintf(report, "{\"elapsed\":%llu,\"copies\":%llu", (unsigned long long)launches,
            (unsigned long long)copies);
    end_line();
}

void report_spoilt(void)
{
    if (!report)
        return;
    fputs("{\"spoilt\":1", report);
    end_line();
}

static void put_place(const struct exec_place *place)
{
    put_key("file", place->file);
    fprintf(report, ",\"line\":%d", place->line);
    put_key("function", place->function);
    fprintf(report, ",\"launches\":%llu", (unsigned long long)exec.launches);
}

void report_missing(const char *what, const char *advice)
{
    struct exec_place place;
    if (!report)
        return;
    place_of_caller(&place);
    fputs("{\"missing\":", report);
    put_string(what);
    put_place(&place);
    put_key("advice", advice);
    end_line();
}

void report_host(enum report_severity severity, const char *kind, const struct exec_place *place,
                 const char *format, ...)
{
    char sentence[1024];
    struct exec_place caller;
    va_list args;
    if (!report)
        return;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (!place) {
        place_of_caller(&caller);
        place = &caller;
    }
    fprintf(report, "{\"host\":\"%s\"", severity_name((int)severity));
    put_key("kind", kind);
    put_place(place);
    put_key("sentence", sentence);
    end_line();
}
