// Numbers as C writes them.
#include "kernels/expr.h"

#include <float.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static size_t digits(const char *at, int base)
{
    size_t length = 0;
    for (;; length++) {
        char c = at[length];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 99;
        if (digit >= base)
            return length;
    }
}

// The length of a number such as 1.5, .5, 1. or 1e-3; 0 for a whole number.
static size_t real_length(const char *at)
{
    size_t length = digits(at, 10);
    bool real = at[length] == '.';
    if (real)
        length += 1 + digits(at + length + 1, 10);
    if (at[length] == 'e' || at[length] == 'E') {
        size_t sign = at[length + 1] == '-' || at[length + 1] == '+';
        size_t exponent = digits(at + length + 1 + sign, 10);
        if (exponent) {
            real = true;
            length += 1 + sign + exponent;
        }
    }
    return real ? length : 0;
}

// Reads a decimal with a point in every locale.
static double read_real(const char *at)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c ? strtod_l(at, NULL, c) : strtod(at, NULL);
    if (c)
        freelocale(c);
    return value;
}

static bool parse_real(const struct source *source, const char **at, size_t length, struct value *out,
                       struct error *error)
{
    double value = read_real(*at);
    if (value > DBL_MAX)
        return error_at(error, source, *at, "this number is too large for a double");
    *at += length;
    if (**at == 'f' || **at == 'F') {
        ++*at;
        value = (float)value;
    }
    *out = value_real(value);
    return true;
}

// The base that a whole number's prefix says; *at moves behind the prefix.
static int read_base(const char **at)
{
    char c = **at == '0' ? (*at)[1] : 0;
    int base = c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : **at == '0' ? 8 : 10;
    if (base == 16 || base == 2)
        *at += 2;
    return base;
}

// Other bases than ten and unsigned suffixes say what the 64 bits are: 0xffffffffffffffff is -1.
static bool parse_whole(const struct source *source, const char **at, struct value *out, struct error *error)
{
    const char *start = *at;
    int base = read_base(at);
    uint64_t value = 0;
    size_t length = digits(*at, base);
    for (size_t i = 0; i < length; i++) {
        char c = (*at)[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
        if (value > (UINT64_MAX - digit) / (unsigned)base)
            return error_at(error, source, start, "this number does not fit in 64 bits");
        value = value * (unsigned)base + digit;
    }
    *at += length;
    size_t suffix = strspn(*at, "uUlL");
    bool is_unsigned = base != 10 || memchr(*at, 'u', suffix) || memchr(*at, 'U', suffix);
    if (value > INT64_MAX && !is_unsigned)
        return error_at(error, source, start, "this number does not fit in 64 bits with a sign");
    if (!length)
        return error_at(error, source, *at, "expected a digit of base %d", base);
    *at += suffix < 3 ? suffix : 3;
    *out = value_int((int64_t)value);
    return true;
}

bool number_parse(const struct source *source, const char **at, struct value *out, struct error *error)
{
    bool prefixed = **at == '0' && (*at)[1] && strchr("xXbB", (*at)[1]);
    size_t real = prefixed ? 0 : real_length(*at);
    bool parsed = real ? parse_real(source, at, real, out, error) : parse_whole(source, at, out, error);
    if (parsed && (byte_in_word(**at) || **at == '.'))
        return error_at(error, source, *at, "this does not belong to a number");
    return parsed;
}
