// The one entry: what a kernel includes is looked at, then the cache is asked, then the compilers in the order of
// preference. A compiler that cannot do a request leaves it to the next; an error in the source ends the search.
#include "engine/compile/parts.h"

#include "engine/base/confine.h"
#include "kernels/variant.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

// ---- includes of a kernel ----------------------------------------------------------------------------

// A kernel file stands alone, and the headers that it may include are found by their names. Where the machine has
// Landlock, no compiler could read anything else anyway; this says so in a sentence, and holds where there is none.

// The text without its spliced lines, and for each byte the line it comes from.
struct spliced {
    char *text;
    int *lines;
};

// Compilers end lines in three ways; the bytes of the one that begins here, or 0.
static size_t line_end(const char *at)
{
    return *at == '\n' ? 1 : *at == '\r' ? 1 + (at[1] == '\n') : 0;
}

static struct spliced splice(const char *source)
{
    size_t length = strlen(source), to = 0;
    struct spliced out = { mem_new(length + 1), mem_new((length + 1) * sizeof(int)) };
    int line = 1;
    for (size_t i = 0; i < length; i++) {
        size_t blanks = source[i] == '\\' ? strspn(source + i + 1, " \t\v\f") : 0;
        size_t end = source[i] == '\\' ? line_end(source + i + 1 + blanks) : 0;
        if (end) {
            line += source[i + blanks + end] == '\n';
            i += blanks + end;
            continue;
        }
        out.text[to] = source[i];
        out.lines[to++] = line;
        line += source[i] == '\n';
    }
    out.lines[to] = line;
    return out;
}

// Skips blanks and comments, which may separate the parts of a directive. Compilers take some characters beyond ASCII
// for blanks, and no other character beyond ASCII is valid there.
static const char *skip(const char *at)
{
    for (;;) {
        while ((unsigned char)*at >= 0x80 || (*at && strchr(" \t\v\f", *at)))
            at++;
        if (at[0] != '/' || at[1] != '*')
            return at;
        const char *end = strstr(at + 2, "*/");
        at = end ? end + 2 : at + strlen(at);
    }
}

// Whether only blanks and comments precede a directive on its line. The line may begin within a comment.
static bool begins_line(const char *text, const char *at)
{
    const char *start = at;
    while (start > text && start[-1] != '\n' && start[-1] != '\r')
        start--;
    if (skip(start) == at)
        return true;
    for (const char *end = start; end + 1 < at; end++)
        if (end[0] == '*' && end[1] == '/' && skip(end + 2) == at)
            return true;
    return false;
}

// The text after the word of a directive that includes a file, or NULL.
static const char *bringing(const char *at)
{
    static const char *const words[] = { "include_next", "include", "import", "embed" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        char next = at[0] ? at[strnlen(at, length)] : 0;
        bool ends = !(next == '_' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
                      (next >= '0' && next <= '9'));
        if (strncmp(at, words[i], length) == 0 && ends)
            return at + length;
    }
    return NULL;
}

static bool leads_out(const char *name, size_t length)
{
    if (*name == '/')
        return true;
    for (size_t i = 0; i + 1 < length; i++)
        if (name[i] == '.' && name[i + 1] == '.' && (i == 0 || name[i - 1] == '/') &&
            (i + 2 == length || name[i + 2] == '/'))
            return true;
    return false;
}

static void refuse(struct compiled *out, int line, const char *name, size_t length)
{
    char *message =
        text_format("%.*s cannot be included: a kernel file stands alone. It may include CUDA's headers and "
                    "those that come with warpbook, by their names.",
                    (int)(length < 200 ? length : 200), name);
    compiled_add_diagnostic(out, SEVERITY_ERROR, line, 0, message); // which cleans it
    free(message);
}

// `at` is what follows the word; true when it may be included.
static bool look_at(const char *at, int line, struct compiled *out)
{
    const char *name = skip(at);
    char close = *name == '"' ? '"' : *name == '<' ? '>' : 0;
    size_t length = close ? strcspn(name + 1, close == '"' ? "\"\r\n" : ">\r\n") : strcspn(name, "\r\n");
    if (close && !leads_out(name + 1, length))
        return true;
    refuse(out, line, name, length + (close && name[length + 1] == close ? 2 : close != 0));
    return false;
}

// Words that ask whether a file is there: `__has_include("NAME")`, `#pragma GCC dependency "NAME"`. By a macro they can be
// made to ask for any name; what compilers answer then is the same whether there is such a file or not, as long as they
// can see the headers alone.
static const char *asking(const char *text, const char *at)
{
    static const char *const words[] = { "__has_include_next", "__has_include", "__has_embed", "dependency" };
    if (at > text && (at[-1] == '_' || isalnum((unsigned char)at[-1])))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *name = string_starts(at, words[i]) ? skip(at + strlen(words[i])) : "";
        if (*name == '(')
            name = skip(name + 1);
        if (*name == '\\')
            name++; // in the text of _Pragma
        if (*name == '"' || *name == '<')
            return name;
    }
    return NULL;
}

// Whether `at` is in a comment by the rules of C; those of a compiler may differ.
static bool in_comment(const char *text, const char *at)
{
    const char *piece_at = text;
    struct code_piece piece = piece_next(piece_at);
    while (piece.kind != PIECE_END && piece.at + piece.length <= at) {
        piece_at = piece.at + piece.length;
        piece = piece_next(piece_at);
    }
    return piece.kind == PIECE_COMMENT && piece.at < at;
}

// Whether `at` begins the word of a directive that has a condition.
static bool is_condition(const char *at)
{
    return string_starts(at, "if") || string_starts(at, "elif");
}

// Whether the word at `at` is only asked for itself: `#ifdef __has_include`, `defined(__has_include)`.
static bool is_itself(const char *text, const char *at)
{
    static const char *const words[] = { "ifdef", "ifndef", "defined" };
    while (at > text && strchr(" \t(", at[-1]))
        at--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(at - text) >= length && strncmp(at - length, words[i], length) == 0)
            return true;
    }
    return false;
}

// A compiler that can see all files answers `__has_include` for any name, which a macro can make, as it can make the word
// itself where tokens are pasted. So where files are not walled off, that word is put before a name or is asked for itself,
// and a text with conditions pastes nothing.
static bool may_ask(const char *text, const int *lines, struct compiled *out)
{
    int condition = 0, paste = 0, hidden = 0;
    for (const char *at = text; *at; at++) {
        int line = lines[at - text];
        bool word = at > text && (at[-1] == '_' || isalnum((unsigned char)at[-1]));
        size_t mark = *at == '#' ? 1 : at[0] == '%' && at[1] == ':' ? 2 : 0;
        if (mark && begins_line(text, at) && is_condition(skip(at + mark)))
            condition = condition ? condition : line;
        if (string_starts(at, "##") || string_starts(at, "%:%:"))
            paste = paste ? paste : line;
        bool asks = string_starts(at, "__has_include") || string_starts(at, "__has_embed");
        if (asks && !word && !asking(text, at) && !is_itself(text, at))
            hidden = hidden ? hidden : line;
    }
    if (hidden)
        compiled_add_diagnostic(
            out, SEVERITY_ERROR, hidden, 0,
            "__has_include and its like need the name of a header here, in quotes or angle "
            "brackets: without Landlock a macro could ask for any file.");
    if (condition && paste)
        compiled_add_diagnostic(out, SEVERITY_ERROR, paste, 0,
                                "## cannot be used together with #if here: without Landlock the two could "
                                "look for any file.");
    return !hidden && !(condition && paste);
}

bool include_allowed(const char *source, struct compiled *out)
{
    struct spliced spliced = splice(source);
    bool walled = confine_state().landlock > 0; // a compiler could read nothing else
    bool allowed = walled || may_ask(spliced.text, spliced.lines, out);
    for (const char *at = spliced.text; *at; at++) {
        const char *asked = asking(spliced.text, at);
        if (asked && !look_at(asked, spliced.lines[at - spliced.text], out))
            allowed = false;
        size_t mark = *at == '#' ? 1 : at[0] == '%' && at[1] == ':' ? 2 : 0;
        const char *name = mark && begins_line(spliced.text, at) ? bringing(skip(at + mark)) : NULL;
        if (name && walled && in_comment(spliced.text, at))
            continue;
        if (name && !look_at(name, spliced.lines[at - spliced.text], out))
            allowed = false;
    }
    free(spliced.text);
    free(spliced.lines);
    return allowed;
}

// ---- the compilers, one after the other --------------------------------------------------------------

static const char what_to_install[] = "Install clang (for example: apt install clang), or NVIDIA's CUDA "
                                      "Toolkit for its library NVRTC; warpbook doctor "
                                      "says where they are looked for.";

// Everything that a result depends on.
static struct text key_for(const struct compile_request *request, const struct tools *tools)
{
    struct text key = { 0 };
    char name[PATH_ROOM];
    compile_kernel_name(request->file, name, sizeof name);
    text_addf(&key, "%d %d %s\n", request->target, request->cubin + 2 * request->debug,
              name); // the PTX names its file
    tools_identity(tools, &key);
    text_add(&key, request->source);
    return key;
}

// Keeps what an earlier compiler said, so that all of it can be told when none succeeds.
static void keep_reason(struct text *reasons, const struct error *error)
{
    if (reasons->length)
        text_add(reasons, "\n");
    text_add(reasons, error->text);
}

static bool is_stopped(const struct compile_request *request)
{
    return request->stop && *request->stop;
}

static enum compile_outcome compile_by(enum compiler kind, const struct tools *tools,
                                       const struct compile_request *request, struct compiled *out,
                                       struct error *error)
{
    return kind == COMPILER_NVRTC   ? nvrtc_compile(tools, request, out, error)
           : kind == COMPILER_CLANG ? clang_compile(tools, request, out, error)
                                    : shipped_compile(request, out, error);
}

// In the order of preference. In a debug build clang keeps each variable in memory, NVRTC says of some where they are;
// what only NVRTC takes is left to it.
static enum compile_outcome try_all(const struct compile_request *request, const struct tools *tools,
                                    bool *lasting, struct compiled *out, struct error *error)
{
    struct text reasons = { 0 };
    enum compile_outcome outcome = OUTCOME_UNABLE;
    static const enum compiler orders[2][3] = { { COMPILER_NVRTC, COMPILER_CLANG, COMPILER_SHIPPED },
                                                { COMPILER_CLANG, COMPILER_NVRTC, COMPILER_SHIPPED } };
    *lasting = true;
    for (int i = 0; i < 3; i++) {
        enum compiler kind = orders[request->debug][i];
        bool there = kind == COMPILER_SHIPPED || (kind == COMPILER_NVRTC ? tools->nvrtc[0] : tools->clang[0]);
        bool last = kind == COMPILER_NVRTC || !request->debug || !tools->nvrtc[0];
        if (!there)
            continue;
        compiled_free(out);
        outcome = compile_by(kind, tools, request, out, error);
        bool final = outcome == OUTCOME_WRONG || outcome == OUTCOME_FAILED;
        if (outcome == OUTCOME_MADE || (final && last) || is_stopped(request))
            break;
        *lasting = *lasting && outcome != OUTCOME_BROKEN;
        keep_reason(&reasons, error);
    }
    if (outcome == OUTCOME_UNABLE || outcome == OUTCOME_BROKEN)
        error_set(error, EXIT_MISSING, "Nothing here can compile %s for sm_%d.\n%s\n%s", request->file,
                  request->target, text_string(&reasons), what_to_install);
    text_free(&reasons);
    return outcome;
}

// A result that came about because a better compiler is broken is not kept: once that one is repaired, nothing
// else would tell.
static bool make(const struct compile_request *request, const struct tools *tools, const struct text *key,
                 struct compiled *out, struct error *error)
{
    bool lasting = false;
    enum compile_outcome outcome =
        include_allowed(request->source, out) ? try_all(request, tools, &lasting, out, error) : OUTCOME_WRONG;
    if (outcome != OUTCOME_MADE && is_stopped(request)) {
        compiled_free(out);
        return error_set(error, EXIT_WRONG, "The compile of %s was stopped.", request->file);
    }
    if (outcome == OUTCOME_MADE) {
        if (lasting && out->by != COMPILER_SHIPPED)
            cache_put(key, out);
        return true;
    }
    if (outcome == OUTCOME_WRONG)
        return compiled_explain(out, request, error);
    if (outcome == OUTCOME_FAILED) {
        struct error said = *error;
        error_set(error, said.code, "%s could not be compiled. %s", request->file, said.text);
    }
    compiled_free(out);
    return false;
}

bool compile(const struct compile_request *request, struct compiled *out, struct error *error)
{
    double start = clock_ms();
    struct tools tools;
    *out = (struct compiled){ 0 };
    tools_find(&tools);
    struct text key = key_for(request, &tools);
    bool cached = cache_get(&key, out);
    bool right = cached || make(request, &tools, &key, out, error);
    text_free(&key);
    out->cached = cached;
    out->ms = clock_ms() - start;
    return right;
}

// ---- installed compilers, for doctor ----------------------------------------------------------------

static void advise(struct compiler_state *state, const char *variable, const char *otherwise)
{
    const char *given = getenv(variable);
    if (given)
        format_into(state->advice, sizeof state->advice,
                    "%s is set to '%s', which names no file; unset it to search.", variable, given);
    else
        format_into(state->advice, sizeof state->advice, "%s", otherwise);
}

static void probe_nvrtc(const struct tools *tools, struct compiler_state *out)
{
    struct error error;
    out->kind = COMPILER_NVRTC;
    format_into(out->path, sizeof out->path, "%s", tools->nvrtc);
    if (!tools->nvrtc[0])
        advise(out, "WARPBOOK_NVRTC",
               "libnvrtc.so was not found under CUDA_HOME, CUDA_PATH, LD_LIBRARY_PATH, the loader's list, "
               "CONDA_PREFIX, /usr/local/cuda*, /opt/cuda. It comes with NVIDIA's CUDA Toolkit; if it is "
               "elsewhere, set WARPBOOK_NVRTC to its path.");
    else if (nvrtc_describe(tools, out, &error))
        out->found = true;
    else
        format_into(out->advice, sizeof out->advice, "%.500s", error.text);
}

static void probe_clang(const struct tools *tools, struct compiler_state *out)
{
    struct error error;
    out->kind = COMPILER_CLANG;
    format_into(out->path, sizeof out->path, "%s", tools->clang);
    if (!tools->clang[0])
        advise(out, "WARPBOOK_CLANG",
               "No clang is on PATH. Install it (apt install clang, dnf install clang, pacman -S clang, "
               "zypper install "
               "clang), or set WARPBOOK_CLANG to its path.");
    else if (!tools->prelude[0] || !tools->headers[0])
        format_into(out->advice, sizeof out->advice,
                    "clang is here, but warpbook's own assets/clang/cuda.h and "
                    "assets/include are not; install warpbook again.");
    else if (clang_describe(tools, out->version, sizeof out->version, &error))
        out->found = true;
    else
        format_into(out->advice, sizeof out->advice, "%.500s", error.text);
    out->targets[0] = CLANG_TARGET;
    out->target_count = out->found;
}

static void probe_shipped(struct compiler_state *out)
{
    char *folder = path_shipped("assets/ptx"), *pattern = path_join(folder ? folder : "", "*/*.ptx");
    glob_t files;
    size_t count = folder && glob(pattern, 0, NULL, &files) == 0 ? files.gl_pathc : 0;
    out->kind = COMPILER_SHIPPED;
    format_into(out->path, sizeof out->path, "%s", folder ? folder : "");
    out->found = count > 0;
    if (out->found)
        format_into(out->version, sizeof out->version, "%zu kernel files", count);
    else
        format_into(out->advice, sizeof out->advice, "No compiled kernels ship here; make ptx builds them.");
    out->targets[0] = CLANG_TARGET;
    out->target_count = out->found;
    if (count)
        globfree(&files);
    free(pattern);
    free(folder);
}

int compile_probe(struct compiler_state out[3])
{
    struct tools tools;
    tools_find(&tools);
    memset(out, 0, 3 * sizeof *out);
    probe_nvrtc(&tools, &out[0]);
    probe_clang(&tools, &out[1]);
    probe_shipped(&out[2]);
    return 3;
}
