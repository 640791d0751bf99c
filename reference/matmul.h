// The CPU's matrix products, for labs of other types too.
#ifndef WARPBOOK_MATMUL_H
#define WARPBOOK_MATMUL_H

#include <stdint.h>

// c = a * b, n x n each, row by row.
void matmul_rows(const float *a, const float *b, float *c, int64_t n);    // on one core
void matmul_blocked(const float *a, const float *b, float *c, int64_t n); // on all, by tiles

#endif
