// A stand-in for cuBLAS and for the compiled CUB: the functions that engine/gpu/library.c calls, on the memory of the
// stand-in driver. $WARPBOOK_FAKE_LIBRARY: "wrong" leaves a number of an answer out, "refuse" answers with errors.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/gpu/driver.h"

enum { EXECUTION_FAILED = 13, INVALID_VALUE = 1, TYPE_HALF = 2 };

static bool told(const char *what)
{
    const char *asked = getenv("WARPBOOK_FAKE_LIBRARY");
    return asked && strcmp(asked, what) == 0;
}

// The driver that the program has open.
static void *driver_function(const char *name)
{
    void *driver = dlopen(getenv("WARPBOOK_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    void *function = driver ? dlsym(driver, name) : NULL;
    if (!function)
        abort();
    return function;
}

static void *fetch(const void *from, size_t bytes)
{
    cu_result (*copy)(void *, cu_address, size_t);
    void *address = driver_function("cuMemcpyDtoH_v2"), *out = malloc(bytes);
    memcpy(&copy, &address, sizeof copy);
    if (!out || copy(out, (uintptr_t)from, bytes))
        abort();
    return out;
}

static void put(void *to, void *from, size_t bytes)
{
    cu_result (*copy)(cu_address, const void *, size_t);
    void *address = driver_function("cuMemcpyHtoD_v2");
    memcpy(&copy, &address, sizeof copy);
    if (copy((uintptr_t)to, from, bytes))
        abort();
    free(from);
}

#pragma GCC visibility push(default)

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasGetVersion_v2(void *handle, int *version);
int cublasSgemm_v2(void *handle, int left, int right, int m, int n, int k, const float *alpha, const float *a,
                   int a_step, const float *b, int b_step, const float *beta, float *c, int c_step);
int cublasGemmEx(void *handle, int left, int right, int m, int n, int k, const void *alpha, const void *a,
                 int a_type, int a_step, const void *b, int b_type, int b_step, const void *beta, void *c,
                 int c_type, int c_step, int compute, int algorithm);
int warpbook_cub(const char *lab, void *temporary, size_t *bytes, void *const *buffers, long long n);
int warpbook_cub_version(void);

#pragma GCC visibility pop

int cublasCreate_v2(void **handle)
{
    static int one;
    *handle = &one;
    return 0;
}

int cublasDestroy_v2(void *handle)
{
    return handle ? 0 : INVALID_VALUE;
}

int cublasGetVersion_v2(void *handle, int *version)
{
    *version = 130102;
    return handle ? 0 : INVALID_VALUE;
}

// By columns, as cuBLAS has matrices: c = a * b, of n x n floats.
static int multiply(const float *a, const float *b, float *c, int n)
{
    for (int column = 0; column < n; column++)
        for (int row = 0; row < n; row++) {
            float sum = 0;
            for (int k = told("wrong"); k < n; k++)
                sum += a[k * n + row] * b[column * n + k];
            c[column * n + row] = sum;
        }
    return told("refuse") ? EXECUTION_FAILED : 0;
}

// The bits of a half in the place of a float's, which has another bias. No half of a lab is infinite.
static float half_value(uint16_t half)
{
    uint32_t bits = (half & 0x7fffu) << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return half & 0x8000 ? -value * 0x1p112f : value * 0x1p112f;
}

static float *fetch_floats(const void *from, int type, int n)
{
    size_t count = (size_t)n * (size_t)n;
    if (type != TYPE_HALF)
        return fetch(from, count * sizeof(float));
    uint16_t *halves = fetch(from, count * sizeof *halves);
    float *out = malloc(count * sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        out[i] = half_value(halves[i]);
    free(halves);
    return out;
}

int cublasGemmEx(void *handle, int left, int right, int m, int n, int k, const void *alpha, const void *a,
                 int a_type, int a_step, const void *b, int b_type, int b_step, const void *beta, void *c,
                 int c_type, int c_step, int compute, int algorithm)
{
    (void)compute;
    (void)algorithm;
    if (!handle || left || right || m != n || k != n || a_step != n || b_step != n || c_step != n || c_type ||
        *(const float *)alpha != 1 || *(const float *)beta != 0)
        return INVALID_VALUE;
    float *left_floats = fetch_floats(a, a_type, n), *right_floats = fetch_floats(b, b_type, n);
    float *answer = fetch(c, (size_t)n * (size_t)n * sizeof *answer);
    int code = multiply(left_floats, right_floats, answer, n);
    free(left_floats);
    free(right_floats);
    put(c, answer, (size_t)n * (size_t)n * sizeof *answer);
    return code;
}

int cublasSgemm_v2(void *handle, int left, int right, int m, int n, int k, const float *alpha, const float *a,
                   int a_step, const float *b, int b_step, const float *beta, float *c, int c_step)
{
    return cublasGemmEx(handle, left, right, m, n, k, alpha, a, 0, a_step, b, 0, b_step, beta, c, 0, c_step,
                        0, 0);
}

// Of the labs of CUB only the scan, which has one input and one output of ints.
int warpbook_cub(const char *lab, void *temporary, size_t *bytes, void *const *buffers, long long n)
{
    if (strcmp(lab, "scan") != 0 || told("refuse"))
        return INVALID_VALUE;
    if (!temporary) {
        *bytes = 4096;
        return 0;
    }
    int *in = fetch(buffers[0], (size_t)n * sizeof *in), sum = 0;
    for (long long i = 0; i < n; i++)
        in[i] = sum += told("wrong") && i == n - 1 ? -1 : in[i];
    put(buffers[1], in, (size_t)n * sizeof *in);
    return 0;
}

int warpbook_cub_version(void)
{
    return 300002;
}
