// Bessel functions of both kinds and the modified ones of the first. Below 25 they are summed up as power series in numbers of
// two doubles, which the terms' cancellation leaves exact, also beside a root; beyond, by Hankel's expansion.
#pragma clang system_header
#ifndef WARPBOOK_BESSEL_H
#define WARPBOOK_BESSEL_H

struct wb_pair { // their sum is the value
    double high, low;
};
WB wb_pair wb_pair_of(double high, double low) // high is the larger one
{
    const double sum = high + low;
    return { sum, low - (sum - high) };
}
WB wb_pair wb_add(wb_pair a, wb_pair b)
{
    const double sum = a.high + b.high, taken = sum - a.high;
    return wb_pair_of(sum, (a.high - (sum - taken)) + (b.high - taken) + a.low + b.low);
}
WB wb_pair wb_multiply(wb_pair a, wb_pair b)
{
    const double product = __dmul_rn(a.high, b.high);
    return wb_pair_of(product, fma(a.high, b.high, -product) + a.high * b.low + a.low * b.high);
}
WB wb_pair wb_divide(wb_pair a, double b)
{
    const double quotient = a.high / b;
    return wb_pair_of(quotient, (fma(-quotient, b, a.high) + a.low) / b);
}
WB wb_pair wb_square_of_half(double a)
{
    const double square = __dmul_rn(a, a);
    return { 0.25 * square, 0.25 * fma(a, a, -square) };
}
// The sum of (sign a^2 / 4)^k n! / (k! (k + n)!); `weighted`: each term by 1 + … + 1/k + 1 + … + 1/(k + n).
WB wb_pair wb_bessel_series(int n, double a, double sign, wb_pair *weighted)
{
    const wb_pair quarter = wb_square_of_half(a), step = { sign * quarter.high, sign * quarter.low };
    wb_pair term = { 1, 0 }, sum = term, weight = { 0, 0 };
    for (int k = 1; k <= n && weighted; k++)
        weight = wb_add(weight, wb_divide({ 1, 0 }, k));
    if (weighted)
        *weighted = weight;
    for (int k = 1; fabs(term.high) > 0x1p-70 * fabs(sum.high) || k < 0.5 * a; k++) {
        term = wb_divide(wb_multiply(term, step), (double)k * (k + n));
        sum = wb_add(sum, term);
        if (weighted) {
            weight = wb_add(weight, wb_add(wb_divide({ 1, 0 }, k), wb_divide({ 1, 0 }, k + n)));
            *weighted = wb_add(*weighted, wb_multiply(weight, term));
        }
        if (k == 200)
            break;
    }
    return sum;
}
// Hankel's: sqrt(2 / (pi a)) times (p cos(w) - q sin(w)), w = a - (n / 2 + 1 / 4) pi, or with the sine for the second kind.
WB double wb_bessel_far(int n, double a, bool second)
{
    double term = 1, p = 1, q = 0;
    for (int k = 1; k < 40 && fabs(term) > 0x1p-60; k++) {
        term *= (4.0 * n * n - (2 * k - 1) * (2 * k - 1)) / (8 * k * a);
        (k & 1 ? q : p) += k & 2 ? -term : term;
    }
    // sines of a - pi / 4, and of a quarter of a turn more or less
    const double less = (sin(a) - cos(a)) * 0x1.6a09e667f3bcdp-1,
                 more = (sin(a) + cos(a)) * 0x1.6a09e667f3bcdp-1;
    const double sine = n ? -more : less, cosine = n ? less : more;
    const double value = second ? p * sine + q * cosine : p * cosine - q * sine;
    return isinf(a) ? 0 : sqrt(0x1.45f306dc9c883p-1 / a) * value;
}
// (a / 2)^n / n!
WB double wb_bessel_first(int n, double a)
{
    double value = 1;
    for (int k = 1; k <= n && value; k++)
        value *= 0.5 * a / k;
    return value;
}
WB double wb_bessel(int n, double a) // n is 0 or 1, or a < 25
{
    const double y = fabs(a);
    const double value = y < 25 ? wb_bessel_first(n, y) * wb_bessel_series(n, y, -1, nullptr).high
                                : wb_bessel_far(n, y, false);
    return a != a ? a : a < 0 && n & 1 ? -value : value;
}
WB double j0(double a)
{
    return wb_bessel(0, a);
}
WB double j1(double a)
{
    return wb_bessel(1, a);
}
WB double jn(int n, double a)
{
    const double y = fabs(a), sign = a < 0 && n & 1 ? -1 : 1;
    if (n < 0 || a != a)
        return NAN;
    if (n < 2 || y < 25)
        return wb_bessel(n, a);
    double before = wb_bessel(0, y), value = wb_bessel(1, y);
    if (n <= y) { // upwards, from 0 and 1
        for (int k = 1; k < n; k++) {
            const double next = 2 * k / y * value - before;
            before = value;
            value = next;
        }
        return isinf(y) ? 0 : sign * value;
    }
    // Downwards from where it is as good as 0, to a sum that is 1: J0 + 2 J2 + 2 J4 + …
    double found = 0, sum = 0;
    before = 0;
    value = 0x1p-900;
    for (int k = n + 40 + (int)sqrt(40.0 * n); k > 0; k--) {
        const double next = 2 * k / y * value - before;
        before = value;
        value = next;
        if (fabs(value) > 0x1p600) {
            value *= 0x1p-600;
            before *= 0x1p-600;
            found *= 0x1p-600;
            sum *= 0x1p-600;
        }
        found = k - 1 == n ? value : found;
        sum += k == 1 ? value : k & 1 ? 2 * value : 0;
    }
    return sign * (found / sum);
}
// 2 / pi (ln(a / 2) + Euler's constant) Jn, less 2 / (pi a) where n is 1, less the weighted series by 1 / pi.
WB double wb_bessel_second(int n, double a)
{
    if (!(a > 0))
        return a == 0 ? -(double)INFINITY : (double)NAN;
    if (a >= 25)
        return wb_bessel_far(n, a, true);
    wb_pair weighted;
    const wb_pair series = wb_bessel_series(n, a, -1, &weighted), factor = { n ? 0.5 * a : 1, 0 };
    double low;
    const double high = wb_log2_parts(a, &low);
    const wb_pair ln_2 = { 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56 };
    const wb_pair ln = wb_multiply(wb_add(wb_pair_of(high, low), { -1, 0 }), ln_2);
    const wb_pair angle = wb_add(ln, { 0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58 });
    wb_pair sum = wb_multiply(angle, series);
    sum = wb_add({ 2 * sum.high, 2 * sum.low }, { -weighted.high, -weighted.low });
    sum = wb_multiply(sum, factor);
    if (n)
        sum = wb_add(sum, wb_divide({ -2, 0 }, a));
    return wb_multiply(sum, { 0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56 }).high;
}
WB double y0(double a)
{
    return wb_bessel_second(0, a);
}
WB double y1(double a)
{
    return wb_bessel_second(1, a);
}
WB double yn(int n, double a)
{
    if (n < 0)
        return NAN;
    double before = y0(a), value = n ? y1(a) : before;
    for (int k = 1; k < n && isfinite(value); k++) {
        const double next = 2 * k / a * value - before;
        before = value;
        value = next;
    }
    return value;
}
WB double wb_bessel_modified(int n, double a)
{
    const double y = fabs(a);
    double value = 1, term = 1;
    if (y < 25) {
        const wb_pair series = wb_bessel_series(n, y, 1, nullptr);
        value = wb_bessel_first(n, y) * series.high;
    } else {
        for (int k = 1; k < 40 && fabs(term) > 0x1p-60; k++) {
            term *= -(4.0 * n * n - (2 * k - 1) * (2 * k - 1)) / (8 * k * y);
            value += term;
        }
        const double half = exp(0.5 * y);
        value = isinf(half) ? half : half * (value / sqrt(0x1.921fb54442d18p+2 * y)) * half;
    }
    return a != a ? a : a < 0 && n ? -value : value;
}
WB double cyl_bessel_i0(double a)
{
    return wb_bessel_modified(0, a);
}
WB double cyl_bessel_i1(double a)
{
    return wb_bessel_modified(1, a);
}

WB1(float, j0f, float, (float)j0((double)a))
WB1(float, j1f, float, (float)j1((double)a))
WB1(float, y0f, float, (float)y0((double)a))
WB1(float, y1f, float, (float)y1((double)a))
WB2(float, jnf, int, float, (float)jn(a, (double)b))
WB2(float, ynf, int, float, (float)yn(a, (double)b))
WB1(float, cyl_bessel_i0f, float, (float)cyl_bessel_i0((double)a))
WB1(float, cyl_bessel_i1f, float, (float)cyl_bessel_i1((double)a))
WB1(float, j0, float, j0f(a))
WB1(float, j1, float, j1f(a))
WB1(float, y0, float, y0f(a))
WB1(float, y1, float, y1f(a))
WB2(float, jn, int, float, jnf(a, b))
WB2(float, yn, int, float, ynf(a, b))
WB1(float, cyl_bessel_i0, float, cyl_bessel_i0f(a))
WB1(float, cyl_bessel_i1, float, cyl_bessel_i1f(a))

#endif
