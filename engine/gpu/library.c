// What NVIDIA's own libraries need for the problem of a lab: the row below its ladder. They are opened at run time where
// they are installed. cuBLAS is a library as it is; CUB consists of headers, so that nvcc must compile it first
// (assets/libraries/cub.cu, make cub). Their work is queued in a kernel's place, and timed and checked as a kernel is.
#include "engine/gpu/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// ---- cuBLAS, by declarations of our own --------------------------------------------------------------

typedef struct cublasContext *blas_handle;
// F(name, parameters)
#define BLAS_FUNCTIONS(F)                                                                                    \
    F(cublasCreate_v2, (blas_handle * handle))                                                               \
    F(cublasDestroy_v2, (blas_handle handle))                                                                \
    F(cublasGetVersion_v2, (blas_handle handle, int *version))                                               \
    F(cublasSgemm_v2,                                                                                        \
      (blas_handle handle, int left, int right, int m, int n, int k, const float *alpha, const float *a,     \
       int a_step, const float *b, int b_step, const float *beta, float *c, int c_step))                     \
    F(cublasGemmEx, (blas_handle handle, int left, int right, int m, int n, int k, const void *alpha,        \
                     const void *a, int a_type, int a_step, const void *b, int b_type, int b_step,           \
                     const void *beta, void *c, int c_type, int c_step, int compute, int algorithm))

enum { AS_IT_IS = 0, TYPE_FLOAT = 0, TYPE_HALF = 2, COMPUTE_FLOAT = 68, ALGORITHM_DEFAULT = -1 };

// The function of the helper: 0 or an error of the CUDA runtime. Without `temporary` it only says how much of it it needs.
typedef int cub_call(const char *lab, void *temporary, size_t *bytes, void *const *buffers, long long n);

struct gpu_library {
    const struct lab_library *of;
    struct gpu *gpu;
    void *opened;
    char version[48];
#define BLAS_MEMBER(name, parameters) int(*name) parameters;
    BLAS_FUNCTIONS(BLAS_MEMBER)
#undef BLAS_MEMBER
    blas_handle handle;
    cub_call *cub;
    gpu_address temporary;
    size_t temporary_bytes;
    const char *lab; // of the call that is prepared
    void *buffers[LAB_BUFFERS];
    int64_t n;
};

static bool refused(const struct gpu_library *library, const char *doing, int code, struct error *error)
{
    return error_set(error, EXIT_WRONG, "%s: %s answers with error %d.", doing, library->of->title, code);
}

static bool find(const struct gpu_library *library, const char *name, void *out, struct error *error)
{
    void *address = dlsym(library->opened, name);
    memcpy(out, &address, sizeof address);
    return address || error_set(error, EXIT_WRONG, "The library of %s has no %s.", library->of->title, name);
}

static bool blas_begin(struct gpu_library *library, struct error *error)
{
    int version = 0;
#define BLAS_FIND(name, parameters) find(library, #name, &library->name, error) &&
    if (!(BLAS_FUNCTIONS(BLAS_FIND) true))
        return false;
#undef BLAS_FIND
    int code = library->cublasCreate_v2(&library->handle);
    if (code)
        return refused(library, "Starting the library", code, error);
    if (library->cublasGetVersion_v2(library->handle, &version) == 0)
        format_into(library->version, sizeof library->version, "cuBLAS %d.%d.%d", version / 10000,
                    version / 100 % 100, version % 100);
    return true;
}

static bool cub_begin(struct gpu_library *library, struct error *error)
{
    int (*version_of)(void);
    if (!find(library, "warpbook_cub", &library->cub, error) ||
        !find(library, "warpbook_cub_version", &version_of, error))
        return false;
    int version = version_of();
    format_into(library->version, sizeof library->version, "CUB %d.%d.%d", version / 100000,
                version / 100 % 1000, version % 100);
    return true;
}

bool gpu_library_open(struct gpu *gpu, const struct lab_library *of, const char *path,
                      struct gpu_library **out, struct error *error)
{
    struct gpu_library *library = mem_new(sizeof *library);
    *library = (struct gpu_library){ .of = of, .gpu = gpu, .opened = dlopen(path, RTLD_NOW | RTLD_LOCAL) };
    *out = library;
    bool begun = library->opened
                     ? of->from == LIBRARY_CUB ? cub_begin(library, error) : blas_begin(library, error)
                     : error_set(error, EXIT_WRONG, "%s cannot be opened: %s.", path, dlerror());
    if (begun)
        return true;
    gpu_library_close(library);
    *out = NULL;
    return false;
}

void gpu_library_close(struct gpu_library *library)
{
    if (!library)
        return;
    if (library->handle && !gpu_lost(library->gpu))
        (void)library->cublasDestroy_v2(library->handle);
    gpu_free(library->gpu, library->temporary);
    free(library); // what was opened stays: threads of its own may be in it
}

const char *gpu_library_version(const struct gpu_library *library)
{
    return library->version;
}

// ---- one call ------------------------------------------------------------------------------------------

static bool cub_make_room(struct gpu_library *library, struct error *error)
{
    size_t bytes = 0;
    int code = library->cub(library->lab, NULL, &bytes, library->buffers, library->n);
    if (code)
        return refused(library, "Asking for what it needs", code, error);
    if (bytes > library->temporary_bytes) {
        gpu_free(library->gpu, library->temporary);
        library->temporary = 0;
        library->temporary_bytes = 0;
        if (!gpu_alloc(library->gpu, bytes, &library->temporary, error))
            return false;
        library->temporary_bytes = bytes;
    }
    return true;
}

bool gpu_library_prepare(struct gpu_library *library, const struct problem *problem,
                         const gpu_address *buffers, struct gpu_launch *out, struct error *error)
{
    library->lab = problem->lab->name;
    library->n = problem_param(problem, problem->lab->params[0]);
    for (size_t b = 0; b < problem->buffer_count; b++)
        library->buffers[b] = (void *)(uintptr_t)buffers[b];
    *out = (struct gpu_launch){ .library = library, .name = library->of->title };
    return library->of->from != LIBRARY_CUB || cub_make_room(library, error);
}

// cuBLAS takes matrices by columns. By rows, A * B = C is, by columns, B * A = C.
bool gpu_library_call(struct gpu_library *library, struct error *error)
{
    static const float one = 1, zero = 0;
    void *const *buffers = library->buffers;
    int n = (int)library->n, code;
    if (library->of->from == LIBRARY_CUB)
        code = library->cub(library->lab, (void *)(uintptr_t)library->temporary, &library->temporary_bytes,
                            buffers, library->n);
    else if (library->of->from == LIBRARY_SGEMM)
        code = library->cublasSgemm_v2(library->handle, AS_IT_IS, AS_IT_IS, n, n, n, &one, buffers[1], n,
                                       buffers[0], n, &zero, buffers[2], n);
    else
        code = library->cublasGemmEx(library->handle, AS_IT_IS, AS_IT_IS, n, n, n, &one, buffers[1],
                                     TYPE_HALF, n, buffers[0], TYPE_HALF, n, &zero, buffers[2], TYPE_FLOAT, n,
                                     COMPUTE_FLOAT, ALGORITHM_DEFAULT);
    return code == 0 || refused(library, "Calling the library", code, error);
}
