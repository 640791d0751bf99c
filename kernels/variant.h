// Kernel files and their `//@` lines.
//
// A variant is a plain CUDA C file. Its directives say what is launched on which data:
//
//     //@ title   Bins in shared memory
//     //@ why     The atomics leave DRAM's side of the chip.
//     //@ needs   n % 1024 == 0
//     //@ scratch partial int[n / 256]
//     //@ launch  histogram<<<n / 1024, 256>>>(data, bins, n)
//     //@ owner   bins <<<i / 256, i % 256>>>
//
// After a launch may stand `cooperative`, and `cluster` with a size as the grid has.
//
// The kernel may be named with its namespace and as an instance of a template: ns::histogram<int, 4><<<…>>>. The
// compiler is asked for such an instance (scan.c); which of several kernels of one name is meant is decided by what
// the launch gives them (engine/run/choose.c).
//
// While a bracket is open, the next `//@` line continues one (directive.c).
//
// In a standalone file, without a lab, there are also:
//
//     //@ param   n = 1 << 20
//     //@ buffer  x float[n] = i & 1023
//     //@ texture t = x width=64 height=n/64 filter=linear address=clamp
//     //@ surface s = y width=64 height=n/64
//     //@ value   p params = {.scale = 2.5, .n = n}
//
// Any file may say what a __constant__ or __device__ variable holds before the first launch:
//
//     //@ symbol  weights float[9] = 1.0 / 9
#ifndef WARPBOOK_VARIANT_H
#define WARPBOOK_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/base.h"

// ---- type.c: what an element of a buffer is -----------------------------------------------------

enum scalar {
    SCALAR_CHAR,
    SCALAR_UCHAR,
    SCALAR_SHORT,
    SCALAR_USHORT,
    SCALAR_INT,
    SCALAR_UINT,
    SCALAR_LLONG,
    SCALAR_ULLONG,
    SCALAR_FLOAT,
    SCALAR_DOUBLE,
    SCALAR_HALF,     // narrow.c, and the three that follow
    SCALAR_BFLOAT16, // a float without its lower half
    SCALAR_E4M3,     // fp8: four bits of exponent, three of the fraction
    SCALAR_E5M2,
    SCALAR_STRUCTURE // a byte of one
};
struct type { // `lanes` 1 to 4: int4 is {SCALAR_INT, 4}; of a structure, its bytes
    enum scalar scalar;
    int lanes;
};
size_t type_size(struct type type);
size_t scalar_size(enum scalar scalar);
void type_write(struct type type, struct text *out); // as C spells it
bool scalar_is_real(enum scalar scalar);
int scalar_digits(enum scalar real); // decimal digits that tell any two values apart
// Reads "unsigned char", "float2", … at the start of `text`; returns the bytes used, 0 if none fits.
// Vectors have 2 to 4 lanes; a vector of 1 is written as its scalar.
size_t type_parse(const char *text, struct type *out);
// Whether the name there is of a type that C tells apart from the one that it was read as: long is no long long.
bool type_is_another(const char *text);

// ---- narrow.c: numbers of 16 and 8 bits ---------------------------------------------------------

// To the nearest, ties to even. What is too large becomes infinite, and in fp8 the largest, as CUDA's constructors make it.
void narrow_round(enum scalar scalar, double value, void *out);
double narrow_value(enum scalar scalar, const void *at);
// The distance between two neighbours, as a share of them, at most: 2^-10 of a half. 0 of all that is not narrow.
double narrow_step(enum scalar scalar);

// ---- expr.c, evaluate.c: expressions over whole numbers and decimals ----------------------------

// C's integer operators with C's precedence on signed 64-bit integers, where what does not fit is an error; decimals
// make it double; hash(x), min(a, b), max(a, b). An expression ends before `>>>`, which closes a launch.
struct expr_value {
    bool real;
    int64_t i;
    double r;
};
struct expr_binding {
    const char *name; // borrowed, always
    struct expr_value value;
};
struct expr_scope {
    const struct expr_binding *bindings;
    size_t count;
};
// Bindings that outlive what they were read from: `names` owns what the bindings borrow.
enum { EXPR_PARAMS = 16 };
struct expr_params { // zero-initialise
    struct expr_binding bindings[EXPR_PARAMS];
    char *names[EXPR_PARAMS];
    size_t count;
};
bool expr_params_add(struct expr_params *params, const char *name,
                     struct expr_value value); // false: it is full
void expr_params_copy(struct expr_params *out, const struct expr_params *params);
void expr_params_free(struct expr_params *params);
struct expr_scope expr_params_scope(const struct expr_params *params); // valid as long as they are
struct expr_value value_int(int64_t i);
struct expr_value value_real(double r);
double value_as_real(struct expr_value value);
int64_t value_as_int(struct expr_value value); // cuts decimals off; the nearest int64 where it does not fit
uint32_t expr_hash(uint32_t x);                // the hash(x) of expressions, for reference/ to share

// A place in a file, for errors that point. `text` is the whole file; `at` points into it.
struct source {
    const char *file;
    const char *text;
};
bool error_at(struct error *error, const struct source *source, const char *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

struct expr;
// Parses from *at on, leaving *at just after the expression; never reads past the end of the line, or in a directive
// that ends at `end` past that. The file name and the text that `source` points to must outlive the expression;
// `source` itself need not.
struct expr *expr_parse(const struct source *source, const char **at, const char *end, struct error *error);
// An expression in a C string that is known to be right, such as those in reference/.
bool expr_eval_text(const char *text, const struct expr_scope *scope, struct expr_value *out,
                    struct error *error);
bool expr_eval(const struct expr *expr, const struct expr_scope *scope, struct expr_value *out,
               struct error *error);
// True when every name is in the scope, whose values do not matter. `indexed`: `i` is known too.
bool expr_check(const struct expr *expr, const struct expr_scope *scope, bool indexed, struct error *error);
// An error about the expression as a whole: points at its start, as error_at does.
bool expr_error(const struct expr *expr, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void expr_free(struct expr *expr);

// ---- layout.c: the numbers of an element, as the compiler lays them out ----------------------------

struct leaf {   // one number
    char *path; // ".position.x", ".weight[2]"; "" of an element that is a number
    enum scalar scalar;
    size_t offset; // bytes from the start of the element
    bool pointer;
};
struct layout { // zero-initialise
    char *name; // of a structure, as the //@ line has it; NULL: a number or a vector
    size_t bytes, align;
    struct leaf *leaves;
    size_t leaf_count;
};
void layout_free(struct layout *layout);
// Reads a type from *at on: a number, a vector, or the name of a structure or of another type that the C text defines.
// LAYOUT_NONE: no type comes there, and *at stays.
enum layout_found { LAYOUT_NONE, LAYOUT_FOUND, LAYOUT_WRONG };
enum layout_found layout_read(const struct source *source, const char **at, struct type *type,
                              struct layout *out, struct error *error);

// The numbers of every element that an expression is the value of, and the bytes from one element to the next.
struct expr_places {
    const struct leaf *leaves;
    size_t count, stride;
};
// So many elements from `begin` on, `i` being the index of one; converts as C does. `out` is where element 0 lies.
bool expr_fill(const struct expr *expr, const struct expr_scope *scope, const struct expr_places *places,
               size_t begin, size_t count, void *out, struct error *error);

// ---- directive.c: one directive, on a `//@` line and those that continue it ----------------------

enum directive {
    DIRECTIVE_TITLE,
    DIRECTIVE_WHY,
    DIRECTIVE_NEEDS,
    DIRECTIVE_PARAM,
    DIRECTIVE_BUFFER,
    DIRECTIVE_SCRATCH,
    DIRECTIVE_LAUNCH,
    DIRECTIVE_OWNER,
    DIRECTIVE_ORDER,
    DIRECTIVE_TEXTURE,
    DIRECTIVE_SURFACE,
    DIRECTIVE_SYMBOL,
    DIRECTIVE_VALUE,
    DIRECTIVE_FOR,
    DIRECTIVE_END,
    DIRECTIVES
};
extern const char *const directive_names[DIRECTIVES];
bool directive_marked(const char *at);            // `//@` comes next
enum directive directive_of(const char *at);      // by the word after the mark at `at`; DIRECTIVES: none
bool directive_decides(enum directive directive); // it decides what is launched on what
// The end of the line whose mark is at `at`, or of the last one that continues it: while a ( or [ or <<< is open, so
// does the next line if it has the mark and no directive's word after it.
const char *directive_end(const char *at);
// The length of the blanks at `at`. Line ends before `end` are blanks, together with the marks after them; NULL: none.
size_t directive_blanks(const char *at, const char *end);
// The words from `at` to `end` on one line, with single blanks between them; the caller frees.
char *directive_text(const char *at, const char *end);

// ---- variant.c: one kernel file ------------------------------------------------------

struct dims { // an expression, or dim3(x, y, z); absent parts are NULL
    struct expr *part[3];
};
struct dims_value {
    int64_t x, y, z;
};
// A launch's grid or block: absent parts are 1, and every part is a whole number from 1 to 2^31 - 1.
bool dims_eval(const struct dims *dims, const struct expr_scope *scope, struct dims_value *out,
               struct error *error);

// `at` is a place in the variant's source, for error_at.

struct argument {
    char *name;        // when it is one bare name, which may be a buffer's; otherwise NULL
    struct expr *expr; // never NULL; its value counts when `name` is no buffer
    const char *at;
};
enum { LOOPS_DEEP = 4 }; // loops within each other
struct launch {
    char *kernel;  // the function's own name: "fill"
    char *spelled; // as the line gives it: "ns::fill<int, 4>", without needless blanks
    struct dims grid, block;
    struct expr *shared; // dynamic shared bytes; NULL: none
    struct dims cluster; // no parts: as the kernel says
    bool cooperative;    // all blocks are resident at once
    struct argument *arguments;
    size_t argument_count;
    const char *at; // the kernel's name
    // The variables of the loops around it, in a variant that was unrolled.
    struct expr_binding turns[LOOPS_DEEP];
    size_t turn_count;
};
struct launch_loop { // from a `for` line to its `end`
    char *name;
    struct expr *first, *holds, *next;
    size_t from, to; // launch lines, without the last one
    int around;      // index of the loop around it; -1: none
    const char *at;  // the name
};
bool launch_takes(const struct launch *launch, const char *name); // as one of its arguments
struct initial_part { // an expression, and the numbers of an element that get its value
    struct expr *expr;
    const char *at, *end;
    size_t first, count; // leaves of the layout
    int64_t element;     // the only one that it is for; -1: every one
};
struct initial { // what elements are at first: the parts in their order, and 0 where there is none
    bool given;
    struct initial_part *parts;
    size_t part_count;
};
struct declared { // a scratch, buffer, symbol or value line
    char *name;
    struct type type;
    struct layout layout;
    struct expr *count; // NULL: one element, and no array
    struct initial initial;
    const char *at; // the name
};
struct parameter { // a param line
    char *name;
    struct expr *value; // may use the params before it
    const char *at;
};
enum texture_size {
    TEXTURE_WIDTH,
    TEXTURE_HEIGHT,
    TEXTURE_DEPTH,
    TEXTURE_LAYERS,
    TEXTURE_PITCH,
    TEXTURE_SIZES
};
enum texture_address { TEXTURE_CLAMP, TEXTURE_WRAP, TEXTURE_MIRROR, TEXTURE_BORDER };
extern const char *const texture_size_names[TEXTURE_SIZES];
struct texture { // a texture or a surface line
    char *name, *buffer;
    bool surface;
    bool linear, normalized; // the filter; coordinates from 0 to 1
    bool unit;               // whole numbers are read as floats from 0 or -1 to 1
    enum texture_address address;
    struct expr *sizes[TEXTURE_SIZES]; // in texels, the pitch in bytes; NULL: not given
    const char *at, *buffer_at;        // the names
};
struct condition { // a needs line, with its text for messages
    char *text;
    struct expr *expr;
};
struct owner { // which block and thread write element i of an output
    char *buffer;
    struct dims block, thread;
    const char *at;
};
// The scope must bind `i`. Absent parts are 0.
bool owner_eval(const struct owner *owner, const struct expr_scope *scope, struct dims_value *block,
                struct dims_value *thread, struct error *error);

enum {
    VARIANT_LAUNCHES = 64, // the most launch lines of a file
    VARIANT_RUNS = 256     // the most launches that they make
};
struct variant {
    char *lab;  // NULL: a standalone file
    char *name; // "4-interleaved"; of a standalone file, its name without the ending
    int step;   // 4; 0 for a standalone file
    bool own;   // the learner's copy shadows the shipped file
    char *path, *text;
    struct source source; // over path and text
    char *title,
        *why; // title: the name where the file gives none; why: NULL where it gives none
    struct condition *needs;
    struct launch *launches;
    struct declared *scratch, *buffers;
    struct declared *symbols; // variables of the code
    struct declared *values;  // arguments that are structures
    struct parameter *params;
    struct owner *owners;
    struct texture *textures;
    struct promise {
        char *buffer;
        const char *at;
    } * ordered;               // buffers whose order the file promises
    struct launch_loop *loops; // in the order in which they begin
    struct launch *lines; // the launch lines of one that was unrolled, whose launches borrow them; else NULL
    size_t line_count, loop_count;
    size_t need_count, launch_count, scratch_count, buffer_count, symbol_count, value_count, param_count,
        owner_count, ordered_count, texture_count;
};
// Whether a launch takes the buffer, or a texture or surface lies over it.
bool variant_uses(const struct variant *variant, const char *buffer);
// Whether a launch may write the buffer: a surface lies over it, or a kernel takes it as a pointer that is not to const.
bool variant_may_change(const struct variant *variant, const char *buffer);
// NULL: none of this name.
const struct texture *variant_texture(const struct variant *variant, const char *name);
const struct declared *variant_value(const struct variant *variant, const char *name);
// Reads a file's text and its directives. `lab`, `path` and `text` are copied; lab may be NULL, and then every
// name must be declared in the file. Of a lab's file, the lab knows which names are buffers and parameters.
bool variant_parse(struct variant *out, const char *lab, const char *path, const char *text,
                   struct error *error);
bool variant_read(struct variant *out, const char *path, struct error *error);
// Reads a file on a lab's ladder.
bool variant_read_lab(struct variant *out, const char *lab, const char *path, struct error *error);
void variant_free(struct variant *variant);
// An `order` line names the buffer.
bool variant_orders(const struct variant *variant, const char *buffer);

// ---- launch_loop.c -------------------------------------------------------------------------------

// Puts a launch for each turn in the place of the launch lines in loops, for the sizes of the scope.
bool variant_unroll(struct variant *variant, const struct expr_scope *scope, struct error *error);
// What the expressions of a launch know: its loops' variables, and the scope. `bindings` has room for EXPR_SCOPE.
enum { EXPR_SCOPE = 32 };
struct expr_scope launch_inner_scope(const struct launch *launch, const struct expr_scope *scope,
                                     struct expr_binding *bindings);

// ---- variant.c -----------------------------------------------------------------------------------

// A hash of what runs: the words of the C text and of the launch, scratch, param and buffer lines, whatever
// their comments and blanks.
uint64_t variant_code(const struct variant *variant);

// ---- directive_parse.c: what the lines say; variant_check.c: whether they fit the code and each other ------

// Adds what the `//@` lines of the variant's text say to it.
bool directives_parse(struct variant *variant, struct error *error);
bool variant_check(const struct variant *variant, struct error *error);
// Every `owner` and `order` line names one of these buffers. Of a lab's file, only the lab knows them.
bool variant_names_buffers(const struct variant *variant,
                           bool (*known)(const void *buffers, const char *name), const void *buffers,
                           struct error *error);

// ---- block.c: the same file with another block ----------------------------------------------------

// The file's text with so many threads in a block of this launch line's kernel. Where the grid divides by a number that belongs
// to the block, it may have as many more or fewer blocks; and names of the code that stand for the block's number may get the
// new one. The caller frees; NULL: the block cannot be changed.
enum block_follows { BLOCK_ALONE, BLOCK_GRID_FOLLOWS, BLOCK_NAMES_FOLLOW }; // names: the grid does, too
char *variant_with_block(const struct variant *variant, size_t launch, long threads,
                         enum block_follows follows, struct error *error);
int variant_number_line(const struct variant *variant,
                        long number); // of the first such number in its code; 0: none

// ---- initial.c: what elements are at first ----------------------------------------------------------

// Reads an expression, or a list in braces as C has it, from *at on. `array`: the list may be of elements.
bool initial_read(const struct source *source, const char **at, const char *end, const struct layout *layout,
                  bool array, struct initial *out, struct error *error);
void initial_free(struct initial *initial);
// Every name is in the scope. A pointer may also be a bare name of `memory`: that buffer's address. NULL: there is none.
bool initial_check(const struct initial *initial, const struct layout *layout, const struct expr_scope *scope,
                   const struct expr_scope *memory, struct error *error);
// Whether a part is this bare name.
bool initial_names(const struct initial *initial, const char *name);
// Writes so many elements. The scope also has the addresses of what is named.
bool initial_fill(const struct declared *declared, const struct expr_scope *scope, size_t count, void *out,
                  struct error *error);

// ---- scan.c: the text that is compiled ------------------------------------------------------------

// The variant's text and, after it, what its //@ lines ask of the compiler: the instances of templates that only launch lines
// name, a comparison of structures with their layouts, and that symbols stay; the caller frees.
char *variant_source(const struct variant *variant);

// ---- scan.c: C text in pieces -------------------------------------------------------------------

enum piece_kind { PIECE_END, PIECE_BLANK, PIECE_WORD, PIECE_SIGN, PIECE_LITERAL, PIECE_COMMENT };
struct code_piece {
    enum piece_kind kind; // a word is a name or a number; a sign is one character
    const char *at;
    size_t length;
};
// Blanks and whole comments and literals count as one piece each; PIECE_END at the terminating 0.
struct code_piece piece_next(const char *at);
struct code_piece piece_next_code(const char **at); // the next that is code, from *at on; *at moves past it
bool piece_is(struct code_piece piece, const char *word);
bool piece_same(struct code_piece a, struct code_piece b); // they have the same text
// Past the bracket `close` that closes the `open` before `at`, or the text's end.
const char *piece_after_group(const char *at, const char *open, const char *close);
// Adds the text without comments, and with blanks only between words and after commas.
void code_squeeze(const char *at, size_t length, struct text *out);
int text_line_of(const char *text, const char *at); // from 1
bool byte_in_word(char c);                          // letters of English, digits and '_', in every locale

// ---- scan.c: what the C text says of a kernel's parameters ---------------------------------

// The next kernel declared from *at on; *at moves to its first parameter. False when there is none.
bool kernel_next(const char **at, struct code_piece *name);

struct kernel_parameter {
    bool pointer,
        constant; // constant: a pointer to const, so the kernel leaves that buffer as it was
    char name[64];
};
// The parameters of `__global__ … KERNEL(…)`; returns how many, or -1 when the kernel is not found. At most
// `room` of them are stored; a name longer than fits is cut, and a parameter without one has "".
int signature_find(const char *source, const char *kernel, struct kernel_parameter *out, int room);
// The parameters of the next kernel of this name from *at on; *at moves past it. Overloads share a name.
int signature_next(const char **at, const char *kernel, struct kernel_parameter *out, int room);

// ---- catalogue.c: the ladders on disk -----------------------------------------------------------

struct ladder {
    struct variant *variants; // in the order of their steps
    size_t count;
};
// kernels/LAB/*.cu of what ships; the learner's copy of a file takes its place and is marked `own`.
bool ladder_read(const char *lab, struct ladder *out, struct error *error);
bool ladder_read_shipped(const char *lab, struct ladder *out,
                         struct error *error); // without own copies
void ladder_free(struct ladder *ladder);
// A variant by its name ("4-interleaved"), its step ("4") or its word ("interleaved"); NULL if none.
const struct variant *ladder_find(const struct ladder *ladder, const char *name);

#endif
