// A session with the GPU layer through the stand-in driver, for the tests of that layer.
#ifndef WARPBOOK_TESTS_SESSION_H
#define WARPBOOK_TESTS_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "engine/gpu/driver.h"

// c[i] = a[i] + b[i] for i < n, by a thread each.
static const char vecadd_ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n"
                                 ".visible .entry vecadd_thread_per_element(\n"
                                 ".param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
                                 "{\n"
                                 ".reg .pred %p; .reg .b32 %r<5>; .reg .b64 %a<4>, %at; .reg .f64 %f<3>;\n"
                                 "ld.param.u64 %a1, [a];\n"
                                 "ld.param.u64 %a2, [b];\n"
                                 "ld.param.u64 %a3, [c];\n"
                                 "ld.param.u32 %r4, [n];\n"
                                 "mov.u32 %r1, %ctaid.x;\n"
                                 "mov.u32 %r2, %ntid.x;\n"
                                 "mov.u32 %r3, %tid.x;\n"
                                 "mad.lo.s32 %r1, %r1, %r2, %r3;\n"
                                 "setp.ge.s32 %p, %r1, %r4;\n"
                                 "@%p bra done;\n"
                                 "mul.wide.s32 %at, %r1, 8;\n"
                                 "add.s64 %a1, %a1, %at;\n"
                                 "add.s64 %a2, %a2, %at;\n"
                                 "add.s64 %a3, %a3, %at;\n"
                                 "ld.global.f64 %f1, [%a1];\n"
                                 "ld.global.f64 %f2, [%a2];\n"
                                 "add.f64 %f1, %f1, %f2;\n"
                                 "st.global.f64 [%a3], %f1;\n"
                                 "done: ret;\n"
                                 "}\n"
                                 ".visible .entry vecadd_one_thread(\n.param .u64 a)\n{ ret; }\n";
static const char helpers_ptx[] = ".version 8.0\n.target sm_70\n"
                                  ".visible .entry warpbook_read(\n) { ret; }\n"
                                  ".visible .entry warpbook_copy(\n) { ret; }\n"
                                  ".visible .entry warpbook_noise(\n) { ret; }\n"
                                  ".visible .entry warpbook_empty(\n) { ret; }\n"
                                  ".visible .entry warpbook_hold(\n) { ret; }\n";

// What the stand-in gave out and did not get back.
static inline int live(void)
{
    void *library = dlopen(getenv("WARPBOOK_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    int (*count)(void) = NULL;
    void *symbol = dlsym(library, "fake_cuda_live");
    assert_non_null(symbol);
    memcpy(&count, &symbol, sizeof count);
    int answer = count();
    dlclose(library);
    return answer;
}

struct session {
    struct driver *driver;
    struct gpu *gpu;
    struct error error;
};

static inline void session_open(struct session *session, const char *faults)
{
    memset(session, 0, sizeof *session);
    setenv("WARPBOOK_FAKE_CUDA", faults, 1);
    if (!driver_open(&session->driver, &session->error) ||
        !gpu_open(session->driver, 0, &session->gpu, &session->error))
        fail_msg("%s", session->error.text);
}

static inline void session_close(struct session *session)
{
    bool lost = gpu_lost(session->gpu);
    gpu_close(session->gpu);
    driver_close(session->driver);
    if (!lost)
        assert_int_equal(live(), 0);
}

static inline void holds(const struct error *error, const char *words)
{
    if (strstr(error->text, words) == NULL)
        fail_msg("'%s' is not in: %s", words, error->text);
}

static inline void must(struct session *session, bool right)
{
    if (!right)
        fail_msg("%s", session->error.text);
}

static inline void keep(void *context, const void *bytes, size_t offset, size_t length)
{
    memcpy((char *)context + offset, bytes, length);
}

static inline bool download(struct session *s, void *to, gpu_address from, size_t bytes, double *ms)
{
    return gpu_download_each(s->gpu, from, bytes, keep, to, ms, &s->error);
}

// ---- a kernel to run: c = a + b -------------------------------------------------------------------

enum { ELEMENTS = 1000 };
static const struct gpu_parameter vecadd_parameters[] = { { 0, 8 }, { 8, 8 }, { 16, 8 }, { 24, 4 } };
struct vecadd {
    struct gpu_module *module;
    struct gpu_function *function;
    gpu_address a, b, c;
    int n;
    void *arguments[4];
    struct gpu_launch launch;
};

static inline bool vecadd_open(struct session *s, struct vecadd *v)
{
    *v = (struct vecadd){ .n = ELEMENTS };
    double a[ELEMENTS], b[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) {
        a[i] = i;
        b[i] = 10000 * i;
    }
    if (!gpu_module_load(s->gpu, NULL, vecadd_ptx, &v->module, &s->error) ||
        !gpu_function_find(s->gpu, v->module, "vecadd_thread_per_element", &v->function, &s->error) ||
        !gpu_alloc(s->gpu, sizeof a, &v->a, &s->error) || !gpu_alloc(s->gpu, sizeof a, &v->b, &s->error) ||
        !gpu_alloc(s->gpu, sizeof a, &v->c, &s->error) ||
        !gpu_upload(s->gpu, v->a, a, sizeof a, NULL, &s->error) ||
        !gpu_upload(s->gpu, v->b, b, sizeof a, NULL, &s->error) ||
        !gpu_fill(s->gpu, v->c, 0xff, sizeof a, &s->error))
        return false;
    v->arguments[0] = &v->a;
    v->arguments[1] = &v->b;
    v->arguments[2] = &v->c;
    v->arguments[3] = &v->n;
    v->launch = (struct gpu_launch){ .function = v->function,
                                     .name = "vecadd_thread_per_element",
                                     .grid = { 4, 1, 1 },
                                     .block = { 256, 1, 1 },
                                     .arguments = v->arguments };
    return true;
}

static inline void vecadd_close(struct session *s, struct vecadd *v)
{
    gpu_free(s->gpu, v->a);
    gpu_free(s->gpu, v->b);
    gpu_free(s->gpu, v->c);
    gpu_module_unload(s->gpu, v->module);
}

#endif
