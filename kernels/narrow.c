// Numbers of 16 and 8 bits, which tensor cores multiply: a sign, an exponent and a fraction, as in a float, of fewer bits
// each. All that tells the four formats apart is in one table.
#include "kernels/variant.h"

#include <math.h>
#include <string.h>

struct narrow {
    int exponent, fraction; // bits
    bool infinite;          // the largest exponent is infinity and NaN; of E4M3 only its last fraction is NaN
    bool saturates;         // what is too large becomes the largest
};

static const struct narrow *format_of(enum scalar scalar)
{
    static const struct narrow formats[] = {
        { 5, 10, true, false }, { 8, 7, true, false }, { 4, 3, false, true }, { 5, 2, true, true }
    };
    return scalar >= SCALAR_HALF && scalar <= SCALAR_E5M2 ? &formats[scalar - SCALAR_HALF] : NULL;
}

static int bias_of(const struct narrow *format)
{
    return (1 << (format->exponent - 1)) - 1;
}

// The bits above the largest finite number's.
static unsigned past_largest(const struct narrow *format)
{
    return format->infinite ? ((1u << format->exponent) - 1) << format->fraction
                            : (1u << (format->exponent + format->fraction)) - 1;
}

// The nearest number's bits, without the sign. Bits of such numbers are in the order of the numbers, so that one too many in
// the fraction is the next exponent.
static unsigned round_bits(const struct narrow *format, double size)
{
    int exponent;
    if (size == 0)
        return 0;
    frexp(size, &exponent); // size is below 2^exponent, and at least half of that
    int least = 1 - bias_of(format), biased = exponent - 1 < least ? least : exponent - 1;
    double steps = nearbyint(ldexp(size, format->fraction - biased));
    return ((unsigned)(biased - least) << format->fraction) + (unsigned)steps;
}

void narrow_round(enum scalar scalar, double value, void *out)
{
    const struct narrow *format = format_of(scalar);
    unsigned past = past_largest(format), bits = past;
    double size = fabs(value);
    if (isnan(value))
        bits = (1u << (format->exponent + format->fraction)) - 1;
    else if (size < ldexp(1, bias_of(format) + 2))
        bits = round_bits(format, size);
    if (!isnan(value) && bits >= past)
        bits = past - (format->saturates ? 1 : 0);
    bits |= (unsigned)(signbit(value) != 0) << (format->exponent + format->fraction);
    memcpy(out, &bits, scalar_size(scalar)); // the machine is little-endian
}

double narrow_value(enum scalar scalar, const void *at)
{
    const struct narrow *format = format_of(scalar);
    unsigned bits = 0;
    memcpy(&bits, at, scalar_size(scalar));
    unsigned sign = 1u << (format->exponent + format->fraction), size = bits & (sign - 1);
    int exponent = (int)(size >> format->fraction);
    unsigned fraction = size & ((1u << format->fraction) - 1), past = past_largest(format);
    double value;
    if (size >= past)
        value = format->infinite && size == past ? INFINITY : NAN;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - bias_of(format) - format->fraction);
    else
        value = ldexp(fraction + (1u << format->fraction), exponent - bias_of(format) - format->fraction);
    return bits & sign ? -value : value;
}

double narrow_step(enum scalar scalar)
{
    const struct narrow *format = format_of(scalar);
    return format ? ldexp(1, -format->fraction) : 0;
}
