#!/bin/sh
# exec of a source by clang, with no CUDA Toolkit: the host's part, kernels, and the headers of our own.
set -u
. tests/expect.sh
cd "$TMPDIR" || exit 1
export WARPBOOK_DATA="$ROOT" WARPBOOK_NVRTC=none WARPBOOK_NVCC=
case $BUILD in */asan) echo "skip programs a sanitizer's library must be loaded before the program's own" && exit 0 ;; esac
if ! command -v clang >/dev/null; then
    echo "skip programs clang is not installed"
    exit 0
fi

cat >own.cu <<'EOF'
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t code = call;                                                                             \
        if (code != cudaSuccess) {                                                                           \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code));                                    \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

#ifndef MORE
#define MORE 0
#endif
__constant__ int factor;
__device__ int calls;

template <class T> __global__ void add(T *to, const T *a, const T *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = a[i] + factor * b[i] + MORE;
    if (i == 0)
        atomicAdd(&calls, 1);
}

__global__ void sum(const float *from, float *to, int n)
{
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? from[i] : 0;
    for (unsigned s = blockDim.x / 2; s; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
    }
    assert(n > 0);
    if (threadIdx.x == 0)
        atomicAdd(to, part[0]);
}

int main(int argc, char **argv)
{
    int n = 1000, two = 2, done;
    float *a, *b, *to, *total, ms;
    std::vector<float> host(n, 1.0f);
    cudaStream_t stream;
    cudaEvent_t before, after;
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaMalloc(&a, n * sizeof *a));
    CHECK(cudaMalloc(&b, n * sizeof *b));
    CHECK(cudaMalloc(&to, n * sizeof *to));
    CHECK(cudaMallocManaged(&total, sizeof *total));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    CHECK(cudaMemcpyToSymbol(factor, &two, sizeof two));
    CHECK(cudaMemcpyAsync(a, host.data(), n * sizeof *a, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(b, host.data(), n * sizeof *b, cudaMemcpyHostToDevice, stream));
    *total = 0;
    CHECK(cudaEventRecord(before, stream));
    add<<<(n + 255) / 256, 256, 0, stream>>>(to, a, b, argc > 1 ? n + 1 : n);
    sum<<<(n + 255) / 256, 256, 256 * sizeof(float), stream>>>(to, total, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(after, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, before, after));
    CHECK(cudaMemcpyFromSymbol(&done, calls, sizeof done));
    printf("%g %d %d %d\n", *total + MORE, done, properties.warpSize, properties.multiProcessorCount > 0 && ms > 0);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(to));
    CHECK(cudaFree(total));
    return 0;
}
EOF
warpbook exec own.cu
expect "a program is compiled and runs: memory, symbols, streams, events, managed and shared memory" 0 "3000 1 32 1" err \
    "own.cu ended; 2 launches" "add<float> 1 4 256" "sum 1 4 256" "No findings."
warpbook exec --fail-on bounds own.cu more
expect "its kernels and its memory have lines and names" 1 "3000 1 32 1" err \
    "error: out of bounds, own.cu:25, add<float> in launch 1" "reads a[1000], past its end"
warpbook exec --flags "-DMORE=1 -O1" own.cu
expect "flags go to clang, for kernels and for the host" 0 "4001 1 32 1"
echo end >moves
"$WARPBOOK" exec --step --kernel sum own.cu <moves >"$out" 2>"$err"
status=$?
expect "a launch of it is stepped through" 0 "_Z3sumPKfPfi" "line 31:" "the end of the launch"

cat >tile.cu <<'EOF'
#define TILE 16
__global__ void turn(float *to, const float *from)
{
    __shared__ float tile[TILE][TILE + 1];
    tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * TILE + threadIdx.x];
    __syncthreads();
    to[threadIdx.y * TILE + threadIdx.x] = tile[threadIdx.x + 1][threadIdx.y];
}
int main()
{
    float *memory;
    cudaMallocManaged(&memory, 2 * TILE * TILE * sizeof *memory);
    cudaMemset(memory, 0, 2 * TILE * TILE * sizeof *memory);
    turn<<<1, dim3(TILE, TILE)>>>(memory, memory + TILE * TILE);
    cudaDeviceSynchronize();
    cudaFree(memory);
}
EOF
warpbook exec tile.cu
expect "an element of a shared array has the indices of its declaration" 0 err "out of bounds, tile.cu:7" \
    "reads tile[16][14], past its end"
cat >half.cu <<'EOF'
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <cstdio>
#include <cmath>
#include <algorithm>
#include <string>

struct point {
    float x, y;
    __host__ __device__ float length() const
    {
        return sqrtf(x * x + y * y);
    }
};
__global__ void lengths(float *to, const point *from, const __half *scale, int n)
{
    int i = threadIdx.x;
    float longest = i < n ? from[i].length() * __half2float(scale[0]) : 0;
    for (int s = warpSize / 2; s; s /= 2)
        longest = fmaxf(longest, __shfl_xor_sync(~0u, longest, s));
    if (i < n)
        to[i] = max(longest, 1.0f);
    if (i == 0)
        printf("longest %g\n", longest);
}
__global__ void set(__half *to)
{
    *to = __float2half(0.5f);
}
int main()
{
    point host[4] = { { 3, 4 }, { 6, 8 }, { 0, 1 }, { 5, 12 } }, *from;
    float *to, got[4];
    __half *scale;
    cudaMalloc((void **)&from, sizeof host);
    cudaMalloc((void **)&to, sizeof got);
    cudaMalloc((void **)&scale, sizeof *scale);
    cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
    set<<<1, 1>>>(scale);
    lengths<<<dim3(1), dim3(32, 1)>>>(to, from, scale, 4);
    if (cudaError_t code = cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost))
        return code;
    std::string text = std::to_string((int)(10 * *std::max_element(got, got + 4)));
    printf("%s %g\n", text.c_str(), std::sqrt(4.0) + host[0].length());
    cudaFree(from);
    cudaFree(to);
    cudaFree(scale);
}
EOF
warpbook exec half.cu
expect "with the host's C++ library, structures and half" 0 "longest 6.5 65 7" err "half.cu ended; 2 launches" "No findings."

cat >holds.cu <<'EOF'
#include <cassert>
#include <cstdio>
__global__ void k(int most)
{
    printf("%d\n", threadIdx.x);
    assert(threadIdx.x < most);
}
int main()
{
    k<<<1, 3>>>(2);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
warpbook exec holds.cu
expect "what an assertion says is no output of the program" 0 "cudaErrorAssert" not-out "Assertion" err \
    'holds.cu:6: void k(int): block: [0,0,0], thread: [2,0,0] Assertion `threadIdx.x < most` failed.'

echo '__global__ void k(int *a) { *a = x; } int main() { k<<<1, 1>>>(nullptr); }' >broken.cu
warpbook exec broken.cu
expect "clang's errors are shown" 1 err "clang does not compile broken.cu" "use of undeclared identifier 'x'"
refuses_with() { # refuses_with WORDS SOURCE: what helps is said
    printf '%s\n' "$2" >old.cu
    warpbook exec old.cu
    expect "clang's words lead to what helps: $1" 1 err "clang does not compile old.cu" "$1"
}
refuses_with "make a texture object" 'texture<float, 1> t; int main() {}'
refuses_with "they are called __shfl_sync()" '__global__ void k(int *a) { *a = __shfl(1, 0); } int main() {}'
refuses_with "needs a GPU to run" '__global__ void k() {} __global__ void p() { k<<<1, 1>>>(); } int main() {}'
refuses_with "with clang alone they are not there" '#include <thrust/sort.h>'
refuses_with "by code of its own" '#include <cublas_v2.h>'
cat >thirteen.cu <<'EOF'
#include <cstdio>
int main()
{
    cudaMemLocation gpu = { cudaMemLocationTypeDevice, 0 };
    cudaGraph_t graph;
    cudaGraphNode_t a, b, from, to;
    cudaGraphEdgeData edge = {};
    size_t count = 1;
    int *both;
    cudaMallocManaged(&both, 64);
    printf("%d %d ", cudaMemAdvise(both, 64, cudaMemAdviseSetReadMostly, gpu), cudaMemPrefetchAsync(both, 64, gpu, 0, 0));
    cudaGraphCreate(&graph, 0);
    cudaGraphAddEmptyNode(&a, graph, nullptr, 0);
    cudaGraphAddEmptyNode(&b, graph, nullptr, 0);
    cudaGraphAddDependencies(graph, &a, &b, &edge, 1);
    cudaGraphGetEdges(graph, &from, &to, &edge, &count);
    printf("%zu %d\n", count, from == a && to == b);
    cudaGraphDestroy(graph);
    cudaFree(both);
}
EOF
warpbook exec thirteen.cu
expect "what CUDA 13 calls otherwise than CUDA 12 is taken in both ways" 0 "0 0 1 1" err "No findings."
echo 'void other(); int main() { other(); }' >part.cu
warpbook exec part.cu
expect "one file of several is told what to do" 1 err "undefined reference to" "This takes one file." \
    "nvcc -rdc=true -cudart shared"
warpbook exec --flags "-O1 other.cpp" part.cu
expect "with clang alone a second file is told" 3 err "a program is one file, and other.cpp is a second one"
cat >arcs.cu <<'EOF'
#include <cmath>
#include <cstdio>
__global__ void arcs(float *out)
{
    int i = threadIdx.x - 512;
    float x = i / 511.0f;
    out += threadIdx.x * 5;
    out[0] = atanf(8 * x);
    out[1] = asinf(x > -1 ? x : -1.0f);
    out[2] = acosf(x > -1 ? x : -1.0f);
    out[3] = atan2f(x, i % 7 - 3.0f);
    out[4] = hypotf(3e30f * x, 1e30f);
}
int main()
{
    float *out, worst = 0;
    cudaMallocManaged(&out, 5 * 1024 * sizeof *out);
    arcs<<<1, 1024>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 1024; t++) {
        int i = t - 512;
        float x = i / 511.0f, in = x > -1 ? x : -1.0f;
        double right[] = { atan(8.0 * x), asin(in), acos(in), atan2(x, i % 7 - 3.0), hypot(3e30f * x, 1e30f) };
        for (int k = 0; k < 5; k++)
            if (out[t * 5 + k] != (float)right[k])
                worst = fmax(worst, fabs(out[t * 5 + k] / right[k] - 1));
    }
    puts(worst < 2e-7 ? "close" : "far");
    cudaFree(out);
}
EOF
warpbook exec arcs.cu
expect "arcs and hypotf are those of the host but for 2e-7" 0 "close" err "No findings."

# Doubles against those of the host, in units in the last place; where a result is steep, by the function that undoes it.
cat >doubles.cu <<'EOF'
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define ONE(X)                                                                                               \
    X(exp, -745, 709) X(exp2, -1070, 1023) X(expm1, -40, 700) X(log, 0, 1e300) X(log2, 0, 1e10)              \
    X(log10, 0, 1e10) X(log1p, -0.999, 1e3) X(sin, -1e6, 1e6) X(cos, -1e19, 1e19) X(tan, -50, 50)            \
    X(asin, -1, 1) X(acos, -1, 1) X(atan, -30, 30) X(sinh, -700, 700) X(cosh, -20, 20) X(tanh, -20, 20)      \
    X(asinh, -1e5, 1e5) X(acosh, 1, 100) X(atanh, -1, 1) X(cbrt, -1e10, 1e10) X(erf, -6, 6)                  \
    X(erfc, -5, 26) X(lgamma, 0.01, 50) X(tgamma, -19, 170) X(round, -5, 5)
#define TWO(X) X(pow, 0, 100) X(atan2, -5, 5) X(fmod, -100, 100) X(hypot, -1e3, 1e3) X(remainder, -9, 9)
const int n = 256;
static double *out, *x, *y;
static int wrong;
#define KERNEL(f, a, b) __global__ void k_##f(double *out, const double *x) { out[threadIdx.x] = f(x[threadIdx.x]); }
#define KERNEL_2(f, a, b)                                                                                    \
    __global__ void k_##f(double *out, const double *x, const double *y)                                     \
    {                                                                                                        \
        out[threadIdx.x] = f(x[threadIdx.x], y[threadIdx.x]);                                                \
    }
ONE(KERNEL) TWO(KERNEL_2)
__global__ void back(double *out, const double *x)
{
    const double a = x[threadIdx.x];
    out[threadIdx.x] = erf(erfinv(a)) + erfc(erfcinv(a)) + normcdf(normcdfinv(a)) + log10(exp10(a)) +
                       sinpi(a) / sin(3.14159265358979312 * a) * a + pow(rcbrt(a), -3) - 6 * a;
}
__global__ void floats(float *out, float x)
{
    double fraction, whole;
    int power;
    fraction = modf(2.75, &whole) + frexp(48.0, &power);
    *out = sinhf(x) + log1p(x) + pow(x, 2) + pow(2.0, 3) + std::sqrt(x) + fmax(1.0f, 2.0) + exp10f(1) + std::sin(0.0f) +
           lgammaf(3.0f) + (float)fraction + (float)whole + power + ldexpf(1, 3) + (float)abs(-1.5) + fabs(-1.5f);
}
static long long order(double v)
{
    long long bits;
    memcpy(&bits, &v, sizeof bits);
    return bits < 0 ? -(bits & 0x7fffffffffffffffll) : bits;
}
static void compare(const char *name, double (*right)(int))
{
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        if ((out[i] == out[i] || right(i) == right(i)) && llabs(order(out[i]) - order(right(i))) > 8) {
            printf("%s of %g, %g: %.17g for %.17g\n", name, x[i], y[i], out[i], right(i));
            wrong++;
        }
}
static const double odd[] = { 0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0.5 };
int main()
{
    float *f;
    cudaMallocManaged(&out, n * sizeof *out);
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    cudaMallocManaged(&f, sizeof *f);
    for (int i = 0; i < n; i++)
        y[i] = i < 64 ? odd[i / 8] : 14 * drand48() - 7;
#define RUN(f, a, b)                                                                                         \
    for (int i = 0; i < n; i++)                                                                              \
        x[i] = i < 64 ? odd[i % 8] : a + (b - (a)) * drand48();                                              \
    k_##f<<<1, n>>>(out, x);                                                                                 \
    compare(#f, [](int i) { return (double)f(x[i]); });
#define RUN_2(f, a, b)                                                                                       \
    for (int i = 0; i < n; i++)                                                                              \
        x[i] = i < 64 ? odd[i % 8] : a + (b - (a)) * drand48();                                              \
    k_##f<<<1, n>>>(out, x, y);                                                                              \
    compare(#f, [](int i) { return (double)f(x[i], y[i]); });
    ONE(RUN) TWO(RUN_2)
    for (int i = 0; i < n; i++)
        x[i] = 0.01 + 0.98 * drand48();
    back<<<1, n>>>(out, x);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        wrong += !(fabs(out[i]) < 1e-14);
    floats<<<1, 1>>>(f, 1);
    cudaDeviceSynchronize();
    printf("%d wrong, %.4f\n", wrong, *f);
    cudaFree(out), cudaFree(x), cudaFree(y), cudaFree(f);
}
EOF
warpbook exec --check none doubles.cu
expect "mathematics of doubles is that of the host" 0 "0 wrong, 45.0615" err "32 launches"

# What nvcc makes of these programs is in their texts, or what an H100 prints.
for name in intrinsics dpx halves groups barriers objects samples seamless managed solver blur; do
    cp "$ROOT/tests/data/exec/$name.cu" "$ROOT/tests/data/exec/$name.txt" .
    "$WARPBOOK" exec $name.cu >"$out" 2>"$err"
    status=$?
    cmp "$out" $name.txt >>"$err" 2>&1 || status=differs
    expect "$name are what nvcc makes of them" 0 err "$name.cu ended" "No findings."
done
# Calls for each function of an area, some of which are to be refused: one text for nvcc and clang.
for name in device places copies nodes queues codes_arrays codes_graph_memory codes_managed codes_memory; do
    cp "$ROOT/tests/data/exec/$name.cu" "$ROOT/tests/data/exec/$name.txt" .
    "$WARPBOOK" exec $name.cu >"$out" 2>"$err"
    status=$?
    cmp "$out" $name.txt >>"$err" 2>&1 || status=differs
    expect "each function is there and answers: $name" 0 err "$name.cu ended"
done

cp "$ROOT"/tests/data/exec/mathematics.* .
warpbook exec --check none mathematics.cu mathematics.txt
expect "CUDA's mathematics is nvcc's within its documented error" 0 "174 functions, 0 values differ" err "174 launches"
sed '$s/ [^ ]* [^ ]* nan$/ 0x1.2p+1 0x1.3p+1 nan/' mathematics.txt >wrong.txt
warpbook exec --check none mathematics.cu wrong.txt
expect "and what differs is told" 0 "modf(9) is 18, not 2.25" "174 functions, 2 values differ"
{
    echo 'namespace all {'
    sed -n 's/^[a-z_][^:]*$/using ::&;/p' "$ROOT/tests/data/cuda_math.txt"
    echo '} int main() {}'
} >names.cu
warpbook exec names.cu
expect "names of CUDA's headers of mathematics are there" 0 err "names.cu ended"

# Allocations in one line have names of their own.
cat >line.cu <<'EOF'
__global__ void k(int *one, int *two) { one[0] = two[threadIdx.x]; }
int main()
{
    int *a, *b; cudaMalloc(&a, 8 * sizeof(int)); cudaMalloc(&b, 8 * sizeof(int)); cudaMemset(b, 0, 32);
    k<<<1, 9>>>(a, b);
    return cudaDeviceSynchronize() != cudaSuccess;
}
EOF
warpbook exec line.cu
expect "two allocations of a line are told apart" 0 err "reads b[8], past its end"

# Streams and events that are not there any more, or never were.
cat >gone.cu <<'EOF'
#include <cstdio>
__device__ int value;
__global__ void set(int *to) { *to = value = 7; }
static void call(void *to) { *(int *)to = 7; }
int main()
{
    int *there, *more, host = 3, got;
    cudaStream_t s;
    cudaEvent_t e;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaMalloc(&there, 4);
    cudaMemset(there, 0, 4);
    cudaStreamCreate(&s);
    cudaEventCreate(&e);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    set<<<1, 1, 0, s>>>(there);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&ready, graph);
    cudaStreamDestroy(s);
    cudaEventDestroy(e);
    printf("%d ", cudaStreamDestroy(s));
    printf("%d ", cudaEventRecord(e, 0));
    printf("%d, ", cudaStreamSynchronize((cudaStream_t)0x1234));
    set<<<1, 1, 0, s>>>(there);
    printf("%d ", cudaGetLastError());
    printf("%d ", cudaMemcpyAsync(there, &host, 4, cudaMemcpyHostToDevice, s));
    printf("%d ", cudaMemcpyToSymbolAsync(value, &host, 4, 0, cudaMemcpyHostToDevice, s));
    printf("%d ", cudaMemsetAsync(there, 1, 4, s));
    printf("%d ", cudaGraphLaunch(ready, s));
    printf("%d ", cudaLaunchHostFunc(s, call, &host));
    printf("%d ", cudaMallocAsync(&more, 4, s));
    printf("%d ", cudaFreeAsync(there, s));
    printf("%d, ", cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    cudaMemcpy(&got, there, 4, cudaMemcpyDeviceToHost);
    printf("%d %d", got, host);
    cudaMemcpyFromSymbol(&got, value, 4);
    printf(" %d\n", got);
    cudaFree(there);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
}
EOF
warpbook exec gone.cu
expect "streams and events that are gone are told, where they went, and nothing is done in them" 0 \
    "400 400 400, 400 400 400 400 400 400 400 400 400, 0 3 0" err "gone.cu ended; 0 launches" \
    "gone.cu:22" "cudaStreamDestroy gets a stream that was destroyed by cudaStreamDestroy at" "gone.cu:23" \
    "cudaEventRecord gets an event that was destroyed by cudaEventDestroy at" "gone.cu:24" "which is no stream" \
    "gone.cu:25" "cudaLaunchKernel gets a stream that was destroyed"
cat >halves.cu <<'EOF'
#include <cstdio>
#include <cuda_fp16.h>
__global__ void both(__half *to, float *back, const float *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
    back[i] = to[i];
}
int main()
{
    enum { N = 4096 };
    float *from, *back;
    __half *to;
    int differ = 0;
    cudaMallocManaged(&from, N * sizeof *from);
    cudaMallocManaged(&back, N * sizeof *back);
    cudaMallocManaged(&to, N * sizeof *to);
    for (unsigned i = 0; i < N; i++) { // all exponents, halves that are subnormal, infinite and no number
        unsigned bits = i * 0x100801u ^ i << 27;
        float even = (i - 2048.0f) * 37.03125f / (1 << i % 25);
        memcpy(&from[i], i % 2 ? (void *)&even : &bits, sizeof even);
    }
    both<<<N / 128, 128>>>(to, back, from);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        __half half = from[i];
        float value = half;
        differ += from[i] != from[i] ? value == value || back[i] == back[i]
                                     : half.bits != to[i].bits || value != back[i];
    }
    printf("%d differ %g\n", differ, __half22float2(__floats2half2_rn(1.5f, 2.5f)).y);
    cudaFree(from);
    cudaFree(back);
    cudaFree(to);
}
EOF
warpbook exec halves.cu
expect "the host has halves as the kernels have them" 0 "0 differ 2.5" err "No findings."
cat >later.cu <<'EOF'
#include <cstdio>
#include <memory>
__device__ int values[4];
__device__ __noinline__ int value() { return values[threadIdx.x]; }
__global__ void add(int *to) { to[threadIdx.x] += value(); }
int main()
{
    int *to, first[] = { 1, 2, 3, 4 }, last[4];
    cudaMallocManaged(&to, sizeof first);
    cudaMemset2DAsync(to, 8, 0, 8, 2);
    cudaMemPrefetchAsync(to, sizeof first, 0);
    cudaMemcpyToSymbolAsync(values, first, sizeof first, 0, cudaMemcpyHostToDevice);
    add<<<1, 4>>>(to);
    cudaMemcpyFromSymbolAsync(last, values, sizeof last, 0, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    printf("%d %d\n", to[3], last[2]);
    cudaFree(to);
}
EOF
warpbook exec later.cu
expect "what is done in the default stream need not name it" 0 "4 3" err "No findings."
cat >pictures.cu <<'EOF'
#include <cstdio>
__global__ void fetch(cudaTextureObject_t floats, cudaTextureObject_t bytes, cudaTextureObject_t levels,
                      cudaSurfaceObject_t surface, float *to)
{
    const int i = threadIdx.x;
    const uchar4 four = tex2D<uchar4>(bytes, (float)i, 1.0f);
    to[i] = tex2D<float>(floats, i + 1.0f, 0.5f);
    to[4 + i] = (float)(four.x + four.y + four.z + four.w);
    to[8 + i] = tex2DLod<float>(levels, 0.5f, 0.5f, i / 2.0f);
    surf2Dwrite(2.0f * i, surface, i * 4, 1);
    surf2Dwrite(make_float2(5, 6), surface, 100, 0, cudaBoundaryModeZero);
    to[12 + i] = surf2Dread<float>(surface, i * 4, 1) + surf2Dread<float>(surface, 99, 9, cudaBoundaryModeZero);
}
int main()
{
    float host[2][4], *to;
    uchar4 quads[2][4];
    for (int i = 0; i < 8; i++) {
        host[i / 4][i % 4] = i;
        quads[i / 4][i % 4] = make_uchar4(i, 2 * i, 3 * i, 100);
    }
    cudaChannelFormatDesc one = cudaCreateChannelDesc<float>(), four = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array, bytes, written, level;
    cudaMipmappedArray_t mipmap;
    cudaMallocArray(&array, &one, 4, 2);
    cudaMallocArray(&bytes, &four, 4, 2);
    cudaMallocArray(&written, &one, 4, 2, cudaArraySurfaceLoadStore);
    cudaMallocMipmappedArray(&mipmap, &one, make_cudaExtent(2, 2, 0), 2);
    cudaMemcpy2DToArray(array, 0, 0, host, 16, 16, 2, cudaMemcpyHostToDevice);
    cudaMemcpy2DToArray(bytes, 0, 0, quads, 16, 16, 2, cudaMemcpyHostToDevice);
    for (int l = 0; l < 2; l++) {
        cudaGetMipmappedArrayLevel(&level, mipmap, l);
        cudaMemcpy2DToArray(level, 0, 0, host[1], 8, l ? 4 : 8, l ? 1 : 2, cudaMemcpyHostToDevice);
    }
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t textures[3];
    cudaSurfaceObject_t surface;
    resource.res.array.array = bytes;
    cudaCreateTextureObject(&textures[1], &resource, &how, nullptr);
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = how.mipmapFilterMode = cudaFilterModeLinear;
    how.maxMipmapLevelClamp = 9;
    resource.res.array.array = array;
    cudaCreateTextureObject(&textures[0], &resource, &how, nullptr);
    resource.res.array.array = written;
    cudaCreateSurfaceObject(&surface, &resource);
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    how.normalizedCoords = 1;
    cudaCreateTextureObject(&textures[2], &resource, &how, nullptr);
    cudaMallocManaged(&to, 64);
    fetch<<<1, 4>>>(textures[0], textures[1], textures[2], surface, to);
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 16; i++)
        printf("%s%g", i % 4 ? " " : "; ", to[i]);
    puts("");
    for (cudaTextureObject_t t : textures)
        cudaDestroyTextureObject(t);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    cudaFreeArray(bytes);
    cudaFreeArray(written);
    cudaFreeMipmappedArray(mipmap);
    cudaFree(to);
}
EOF
warpbook exec pictures.cu
expect "kernels fetch from textures, also of levels, and use surfaces" 0 \
    "cudaSuccess; 0.5 1.5 2.5 3; 124 130 136 142; 5.5 4.75 4 4; 0 2 4 6" err "No findings."
cat >asks.cu <<'EOF'
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_bf16.h>
template <class T> __global__ void __launch_bounds__(128) add(T *to, float by)
{
    __shared__ T shared[64];
    char *bytes = (char *)malloc(64);
    memset(bytes, 1, 64);
    shared[threadIdx.x] = to[threadIdx.x];
    to[threadIdx.x] = shared[threadIdx.x] + by + bytes[63];
    free(bytes);
}
static void tell(void *calls)
{
    ++*(int *)calls;
}
int main()
{
    int grid, block, calls = 0;
    float *to, back[64];
    cudaFuncAttributes has;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t first, second;
    cudaMemPool_t pool;
    cudaPointerAttributes where;
    cudaStreamCreate(&stream);
    cudaFuncGetAttributes(&has, add<float>);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, add<float>);
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMallocFromPoolAsync(&to, sizeof back, pool, stream);
    cudaPointerGetAttributes(&where, to);
    printf("%zu %d %d %d\n", has.sharedSizeBytes, has.maxThreadsPerBlock, block, where.type == cudaMemoryTypeDevice);
    cudaMemsetAsync(to, 0, sizeof back, stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<1, 64, 0, stream>>>(to, 1.5f);
    cudaStreamEndCapture(stream, &graph);
    float by = 2;
    void *arguments[] = { &to, &by };
    cudaKernelNodeParams kernel = { (void *)add<float>, dim3(1), dim3(64), 0, arguments, nullptr };
    cudaHostNodeParams host = { tell, &calls };
    size_t count = 1;
    cudaGraphGetNodes(graph, &first, &count);
    cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel);
    cudaGraphAddHostNode(&first, graph, &second, 1, &host);
    cudaGraphInstantiate(&ready, graph);
    cudaGraphLaunch(ready, stream);
    cudaLaunchConfig_t config = { dim3(1), dim3(64), 0, stream };
    cudaLaunchKernelEx(&config, add<float>, to, 3);
    cudaMemcpyAsync(back, to, sizeof back, cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(to, stream);
    cudaStreamSynchronize(stream);
    printf("%g %d %g\n", back[63], calls, __bfloat162float(__float2bfloat16(1.00390625f)));
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}
EOF
warpbook exec asks.cu
expect "graphs, pools, what kernels need, and launches with a configuration" 0 "256 128 128 1" "9.5 1 1" err "No findings."
cat >variables.cu <<'EOF'
#include <cstdio>
__managed__ int total = 4;
static __managed__ float weights[4] = { 1, 2, 3, 4 };
struct point {
    int x, y;
};
__managed__ point place;
__global__ void add(int by)
{
    atomicAdd(&total, by);
    weights[threadIdx.x] *= 2;
    place.y = place.x + 1;
}
__global__ void follow(int *all)
{
    *all += 1000;
}
int main()
{
    printf("%d %g\n", total, weights[3]);
    total = 5;
    place.x = 7;
    add<<<1, 4>>>(3);
    cudaDeviceSynchronize();
    printf("%d %g %g %d\n", total, weights[0], weights[3], place.y);
    weights[1] = 9;
    add<<<1, 4>>>(1);
    follow<<<1, 1>>>(&total);
    cudaDeviceSynchronize();
    printf("%d %g\n", total, weights[1]);
}
EOF
warpbook exec variables.cu
expect "the host and kernels share managed variables" 0 "4 4" "17 2 8 8" "1021 18" err "No findings."
no_gpu
warpbook run own.cu
expect "run takes it so where there is no GPU" 0 "3000 1 32 1" err "own.cu has a main"
mkdir -p data/assets
ln -s "$ROOT"/[!a.]* data
ln -s "$ROOT"/assets/* data/assets
rm data/assets/include
with_data() { WARPBOOK_DATA=$PWD/data warpbook "$@"; }
with_data exec own.cu
expect "headers of our own that are not there are not taken for a missing compiler" 3 \
    err "clang is here, but warpbook's own" "install warpbook again"
WARPBOOK_CLANG=none
export WARPBOOK_CLANG
warpbook exec own.cu
expect "without a compiler it says which would do" 3 err "There is neither nvcc of NVIDIA's CUDA Toolkit" "nor clang"
