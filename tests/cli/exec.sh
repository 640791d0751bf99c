#!/bin/sh
# exec: whole programs in the simulator. Where nvcc is not installed, only what needs no CUDA program is tried; the runtime
# itself is tested without one in tests/unit/exec_runtime.c.
set -u
. tests/expect.sh
cd "$TMPDIR" || exit 1
export WARPBOOK_DATA="$ROOT"

refuses "--check takes none, counters or all, not 'some'" exec --check some true
refuses "There is no program './nothing' that can be started" exec ./nothing
warpbook exec true
expect "a program without CUDA runs" 0 err "true ended; 0 launches" "No findings."
warpbook exec sh -c 'echo "$0 $1"; exit 3' --json -x
expect "its words are its own, and so is its status" 3 "--json -x" err "sh ended with status 3"
warpbook exec sh -c 'kill -9 $$'
expect "and its signal" 137 err "sh was killed by signal 9"
warpbook exec --help
expect "help is its own" 0 silent "warpbook exec PROGRAM | FILE.cu [ARGUMENTS ...]"
warpbook open exec --first 1 true --help
expect "so are the words of a program that a page runs" 2 err "needs a terminal"

# A function that works is called by some test; names with _ptsz and _ptds come by programs with a default stream for each thread.
(
    cd "$ROOT/tests" || exit 1
    sed -n '/^cuda/{ /:/d; /_pt[sd][sz]$/d; p; }' data/cuda_functions.txt | sort >"$TMPDIR/works"
    cat data/exec/*.cu cli/exec*.sh unit/exec_* | grep -o 'cuda[A-Z][A-Za-z0-9_]*' | sort -u >"$TMPDIR/called"
)
uncalled=$(comm -23 works called)
status=$(wc -l <works)
[ "$status" -gt 200 ] && [ -z "$uncalled" ] && status=0
echo "$uncalled" >"$out"
expect "each function that works is called by a test" 0

# A compiler that says much before it says what is wrong.
cat >nvcc <<'EOF'
#!/bin/sh
for i in 1 2 3 4 5 6 7 8 9; do
    echo "old.cu($i): warning #177-D: variable \"unused$i\" was declared but never referenced, as $(seq -s ' ' 200)"
done >&2
echo 'old.cu(12): error: identifier "cudaThreadSynchronize" is undefined' >&2
echo "old.cu(13): error: $(seq -s ' ' 900)" >&2
exit 1
EOF
chmod +x nvcc
echo 'int main() {}' >old.cu
export WARPBOOK_NVCC="$PWD/nvcc"
warpbook exec old.cu
expect "warnings do not push out the error" 1 err "nvcc does not compile old.cu: old.cu(12): error" "and more" \
    "--flags \"-DcudaThreadSynchronize=cudaDeviceSynchronize\"" not-err "warning"
unset WARPBOOK_NVCC

if ! programs_run; then
    echo "skip programs $why_"
    exit 0
fi
PATH=$PATH:${WARPBOOK_NVCC%/*}

cat >right.cu <<'EOF'
#include <cstdio>
#include <cstdlib>
__constant__ float factor;
__device__ unsigned calls;
__managed__ int managed;
template <class T> __global__ void scale(T *to, const T *from, int n)
{
    __shared__ T tile[32][32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x % 32][threadIdx.x / 32] = i < n ? from[i] : 0;
    __syncthreads();
    if (i < n)
        to[i] = tile[threadIdx.x % 32][threadIdx.x / 32] * factor;
    if (i == 0)
        ++managed;
    atomicAdd(&calls, 1u);
}
__global__ void say(int of)
{
    printf("kernel %d\n", managed - of + threadIdx.x);
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    float *from, *to, two = 2, *host = new float[n];
    unsigned done;
    cudaStream_t stream;
    cudaEvent_t before, after;
    for (int i = 0; i < n; i++)
        host[i] = i;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaStreamCreate(&stream);
    cudaEventCreate(&before);
    cudaEventCreate(&after);
    cudaMemcpyToSymbol(factor, &two, sizeof two);
    managed = 40;
    cudaMemcpyAsync(from, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaEventRecord(before, stream);
    for (int i = 0; i < 3; i++)
        scale<<<(n + 63) / 64, 64, 0, stream>>>(to, from, n);
    say<<<1, 3, 0, stream>>>(2);
    cudaEventRecord(after, stream);
    printf("launched\n");
    cudaStreamSynchronize(stream);
    float ms;
    cudaEventElapsedTime(&ms, before, after);
    cudaMemcpy(host, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&done, calls, sizeof done);
    printf("%g %u %d %s %d\n", host[n - 1], done, managed, cudaGetErrorString(cudaGetLastError()), ms > 0);
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    cudaLaunchKernelEx(&config, scale<float>, to, (const float *)from, 1);
    cudaFree(from);
    cudaFree(to);
    return cudaDeviceSynchronize();
}
EOF
cat >wrong.cu <<'EOF'
#include <cstdio>
__global__ void shift(int *to, const int *from, int n)
{
    int i = threadIdx.x;
    if (i <= n)
        to[i] = from[i];
}
__global__ void follow(int **to)
{
    **to = 1;
}
int main(int argc, char **argv)
{
    int *d_from, *d_to, host[64] = { 0 };
    cudaMalloc(&d_from, 64 * sizeof(int));
    cudaMalloc((void **)&d_to, 64 * sizeof(int));
    cudaMemcpy(d_from, host, 32 * sizeof(int), cudaMemcpyHostToDevice);
    shift<<<1, 128>>>(d_to, d_from, 64);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaMemcpy(host, d_to, 65 * sizeof(int), cudaMemcpyDeviceToHost);
    shift<<<1, 2048>>>(d_to, d_from, 64);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(d_from);
    cudaFree(d_from);
    cudaArray_t plane;
    printf("%s\n", cudaGetErrorName(cudaArrayGetPlane(&plane, nullptr, 0)));
    if (argc == 1) {
        fflush(stdout);
        return d_to[3];
    }
    int **null = nullptr;
    cudaMalloc(&null, sizeof(int *));
    cudaMemset(null, 0, sizeof(int *));
    follow<<<1, 1>>>(null);
    printf("%s", cudaGetErrorName(cudaGetLastError()));
    printf(" %s", cudaGetErrorName(cudaDeviceSynchronize()));
    printf(" %s\n", cudaGetErrorName(cudaFree(d_to)));
    return 0;
}
EOF
# shellcheck disable=SC2317 # called by its name
build() { # build PROGRAM SOURCE [FLAG...]
    to_=$1
    shift
    nvcc -lineinfo -g -o "$to_" "$@" >"$out" 2>"$err"
}
cat >heap.cu <<'EOF'
#include <cstdio>
struct node {
    int value;
    node *next;
};
__device__ node *lists[64];
__global__ void build()
{
    for (int i = 0; i < 8; i++) {
        node *head = new node{ i, lists[threadIdx.x] };
        if (!head)
            break;
        lists[threadIdx.x] = head;
    }
}
__global__ void drop(int *sums, int wrong)
{
    int sum = 0;
    for (node *at = lists[threadIdx.x], *next; at; at = next) {
        sum += at->value;
        next = at->next;
        delete at;
        if (wrong)
            sum += at->value;
    }
    sums[threadIdx.x] = sum;
}
int main(int argc, char **argv)
{
    int *sums, host[64], all = 0;
    size_t heap;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20);
    cudaMalloc(&sums, sizeof host);
    build<<<1, 64>>>();
    drop<<<1, 64>>>(sums, argc > 1);
    cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        all += host[i];
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    printf("%d %zu\n", all, heap);
    printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20)));
    cudaFree(sums);
    return argc > 1;
}
EOF
build heap heap.cu -cudart shared -arch=compute_75
warpbook exec ./heap
expect "a kernel has a heap, which outlives it" 0 "1792 1048576 cudaErrorInvalidValue" err "2 launches" "No findings."
warpbook exec ./heap wrong
expect "and what it freed is not used any more" 1 err "heap.cu:24" "that were freed since"
cat >sizes.cu <<'EOF'
__global__ void past(double *wide, short *narrow)
{
    wide[threadIdx.x] = 1;
    narrow[threadIdx.x] = 1;
}
int main()
{
    float *unused = nullptr, *also;
    double *wide;
    short *narrow, *other;
    size_t bytes = 32 * sizeof(double);
    cudaMalloc(&wide, bytes);
    cudaMalloc(&other, 32 * sizeof *other);
    narrow = other;
    cudaMalloc(&also, 4);
    past<<<1, 33>>>(wide, narrow);
    return cudaFree(wide) + cudaFree(other) + cudaFree(also) + (unused != nullptr);
}
EOF
build sizes sizes.cu -cudart shared -arch=compute_75
warpbook exec ./sizes
expect "elements are as large as the program declares them" 0 err "wide[32], past its end: wide has 32 elements" \
    "other[32], past its end: other has 32 elements"
build right right.cu -cudart shared -arch=compute_75
warpbook exec ./right 200
expect "a program ends as on a GPU" 0 "launched kernel 41 kernel 42 kernel 43 398 768 43 no error 1" err \
    "./right ended; 5 launches" "scale<float> 3 4 64" "scale<float> 1 1 32" "No findings." "No time of say: The model has no figure for printf()" \
    "Modelled for H100 80GB HBM3: one launch, by its counts. No GPU ran it." \
    "The times that the program takes by events are the simulator's, not a GPU's." not-err "reads a clock"
test_that "each kernel has a modelled time" grep -q 'scale<float> .* ≈ 0\.00[0-9]* ms' "$err"
warpbook exec --first 1 --report report ./right
expect "one launch of each kernel can be checked" 0 silent "198 384 43 no error"
test_that "and the report says so" has report "2 of 5 launches were counted and checked as asked"
cat >ticks.cu <<'EOF'
__global__ void ticks(long long *out)
{
    long long before = clock64();
    out[1] = before * 3;
    out[0] = clock64() - before;
}
int main()
{
    long long *out;
    cudaMalloc(&out, 2 * sizeof *out);
    ticks<<<1, 1>>>(out);
    return cudaFree(out);
}
EOF
build ticks ticks.cu -cudart shared -arch=compute_75
warpbook exec ./ticks
expect "a clock counts instructions, which is said" 0 err \
    "ticks reads a clock, which counts a warp's instructions here, not cycles." not-err "by events"
# One kernel adds up what another one has written.
cat >pair.cu <<'EOF'
#include <cstdio>
__device__ int scale = 2;
__global__ void fill(int *to)
{
    to[threadIdx.x] = threadIdx.x;
}
__global__ void add(const int *from, int *sum)
{
    __shared__ int part[64];
    part[threadIdx.x] = from[threadIdx.x] * scale;
    __syncthreads();
    for (int s = 32; s; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *sum += part[0];
}
int main(int argc, char **argv)
{
    int *d_from, *sum, by = 3;
    cudaMalloc(&d_from, 64 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    *sum = 5;
    cudaMemcpyToSymbol(scale, &by, sizeof by);
    for (int i = 0; i < 2; i++) {
        if (argc == 1)
            fill<<<1, 64>>>(d_from);
        add<<<1, 64>>>(d_from, sum);
    }
    cudaDeviceSynchronize();
    printf("sum %d\n", *sum);
    cudaFree(d_from);
    cudaFree(sum);
    return 0;
}
EOF
build pair pair.cu -cudart shared -arch=compute_75
warpbook exec --launch 2 ./pair
expect "what an unchecked launch wrote is not uninitialised later" 0 "sum 12101" err "1 of 4 launches" "No findings."
printf 'line\nline\nend\nfindings\nback 1000\n' >moves
step_exec() { # step_exec ARGUMENT...: told by the lines of moves
    "$WARPBOOK" exec --step "$@" <moves >"$out" 2>"$err"
    status=$?
}
step_exec ./pair unset
expect "a launch of a program is stepped through, with the memory that it finds" 1 \
    "step 0: block 0 (0,0,0) of 1, warp 0 of 2, _Z3addPKiPi" "line 7: __global__ void add" "the end of the launch" \
    "error: uninitialised, " "pair.cu:10" "d_from[0], which no thread has written"
echo end >moves
step_exec --kernel add --skip 2 ./pair
expect "and the launches before it have run" 0 "_Z3addPKiPi" "the end of the launch"
cat >picture.cu <<'EOF'
#include <cstdio>
__global__ void fetch(cudaTextureObject_t from, cudaSurfaceObject_t to)
{
    float texel = tex2D<float>(from, threadIdx.x + 1.0f, 0.5f);
    surf1Dwrite(texel, to, threadIdx.x * 4);
    printf("%g\n", texel);
}
int main()
{
    const float line[4] = { 1, 2, 4, 8 };
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t from, to;
    cudaMallocArray(&from, &format, 4, 1);
    cudaMallocArray(&to, &format, 3, 0, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(from, 0, 0, line, 16, 16, 1, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = from;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t first, texture;
    cudaSurfaceObject_t surface;
    cudaCreateTextureObject(&first, &resource, &how, nullptr);
    cudaDestroyTextureObject(first);
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    resource.res.array.array = to;
    cudaCreateSurfaceObject(&surface, &resource);
    fetch<<<1, 3>>>(texture, surface);
    return cudaDeviceSynchronize();
}
EOF
build picture picture.cu -cudart shared -arch=compute_75
printf 'end\nfindings\nprinted\n' >moves
step_exec ./picture
expect "also one with textures and surfaces" 0 "the end of the launch" "No findings" ": 1.5" ": 3" ": 6"
warpbook exec --step --launch 5 ./pair
expect "a program may have no such launch" 3 err "./pair ended after 4 launches, and there is none to step through"
refuses "--step does not work with --json: the program ends at the launch, and there is no report." exec --step --json ./pair
warpbook exec --gpu l4 --json --report report.json ./right
test_that "of the GPU that is asked for" has report.json '"modelled": {"name": "NVIDIA L4", "ms": 0.00'
test_that "the report is JSON, too" grep -q '^{"program": "./right", "launches": 5, "kernels": \[{"kernel": "scale<float>"' \
    report.json
warpbook exec --flags "--compress-mode=speed -DX='('" right.cu 64
expect "a source is compiled first, with flags for the compiler" 0 "126 192 43 no error" err "right.cu ended; 5 launches"
no_gpu
warpbook run right.cu
expect "run takes it so where there is no GPU" 0 "198 384 43 no error" err "There is no NVIDIA GPU here." \
    "right.cu has a main, and runs as 'warpbook exec right.cu'" "No findings."
refuses "right.cu has a main: 'warpbook exec right.cu' runs it in the simulator" sim --threads 2 right.cu
echo 'int main() { return x; }' >broken.cu
warpbook sim broken.cu
expect "so does sim, and the compiler's errors are shown" 1 err "'sim' takes kernels. broken.cu has a main" "nvcc does not compile broken.cu" 'identifier "x" is undefined'

# Calls for each function of an area; for the default stream of a thread they have names of their own.
for name in device places copies nodes queues; do
    for streams in legacy per-thread; do
        cp "$ROOT/tests/data/exec/$name.cu" .
        "$WARPBOOK" exec --flags "-default-stream $streams" $name.cu >"$out" 2>"$err"
        status=$?
        cmp "$out" "$ROOT/tests/data/exec/$name.txt" >>"$err" 2>&1 || status=differs
        expect "each function is there and answers: $name, default stream $streams" 0 err "$name.cu ended"
    done
done

# Calls that are wrong, or nearly, get what an H200 answers. Some codes are of CUDA 13 alone.
case $(nvcc --version) in
*"release 13"*)
    for name in arrays calls captures graph_memory graphs managed memory; do
        cp "$ROOT/tests/data/exec/codes_$name.cu" .
        "$WARPBOOK" exec --flags "-arch=compute_90" "codes_$name.cu" >"$out" 2>"$err"
        status=$?
        cmp "$out" "$ROOT/tests/data/exec/codes_$name.txt" >>"$err" 2>&1 || status=differs
        expect "wrong calls get the answers of a GPU: $name" 0 err "codes_$name.cu ended"
    done
    ;;
esac

cat >shared.cu <<'EOF'
#include <cstdio>
__managed__ int total[4];
__global__ void follow(int *all)
{
    *all += 1000;
}
int main()
{
    total[2] = 21;
    follow<<<1, 1>>>(&total[2]);
    printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), total[2]);
}
EOF
warpbook exec shared.cu
expect "a kernel follows the host's address of a managed variable" 0 "cudaSuccess 1021" err "No findings."

build wrong wrong.cu -cudart shared -arch=compute_75
warpbook exec ./wrong
expect "mistakes of kernels and host have their lines and names" 139 \
    "cudaSuccess cudaErrorInvalidValue cudaErrorNotSupported" err \
    "error: out of bounds, wrong.cu:6, shift in launch 1" "reads d_from[64], past its end: d_from has 64 elements" \
    "error: uninitialised, wrong.cu:6" "reads d_from[32], which no thread has written" \
    "error: out of bounds, wrong.cu:20" "cudaMemcpy reads from 260 bytes at byte 0 of d_to, which has 256 bytes" \
    "error: invalid launch, wrong.cu:21" "The launch of shift does not start: a block has at most 1024 threads" "error: double free, wrong.cu:24" \
    "it was freed by cudaFree at wrong.cu:23 (made by cudaMalloc at wrong.cu:15)" \
    "error: not there, wrong.cu:26" "cudaArrayGetPlane: Leave it out" \
    "error: device pointer on the host, wrong.cu:29" "memory of the device: d_to (made by cudaMalloc at wrong.cu:16)" \
    "was killed by signal 11" "the last of shift"
warpbook exec ./wrong 1
expect "an illegal address is told by the next call that waits, and stays" 0 \
    "cudaErrorNotSupported cudaErrorIllegalAddress cudaErrorIllegalAddress" err "that is a null pointer" "note: leak" \
    "null is not freed at the end: 8 bytes"

holds() { # holds FILE TEXT...
    file_=$1
    shift
    for text_; do
        has "$file_" "$text_" || return 1
    done
}

cat >early.cu <<'EOF'
#include <cstdio>
__global__ void write(int *to) { to[threadIdx.x] = threadIdx.x; }
#ifdef WITH_HOST
__global__ void add(const int *from, int *to) { atomicAdd_system(to, from[3] + from[4]); }
#else
__global__ void add(const int *from, int *to) { *to = from[3] + from[4]; }
#endif
int main(int argc, char **)
{
    int *numbers, *sum, *other;
    cudaMallocManaged(&numbers, 128);
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMallocManaged(&other, 40000);
    write<<<1, 32>>>(numbers);
    other[9999] = 4;
    cudaDeviceSynchronize();
    add<<<1, 1>>>(numbers, sum);
    printf("%d ", numbers[7]);
    if (argc == 1)
        cudaDeviceSynchronize();
    printf("%d %d\n", *sum, other[9999]);
    cudaFree(numbers);
    cudaFree(sum);
    cudaFree(other);
}
EOF
build early early.cu -cudart shared -arch=compute_75
warpbook exec ./early
expect "the host may touch what no kernel writes, and the rest after waiting" 0 "7 7 4" err "No findings."
warpbook exec ./early 1
expect "managed memory that is read before the kernel has ended is told" 0 "7 7 4" \
    err "warning: missing synchronisation, early.cu:21, after launch 2" "The host touches sum (made by cudaMallocManaged at early.cu:12)" \
    "add has written in launch 2" "Call cudaDeviceSynchronize" not-err "touches numbers"
build early early.cu -cudart shared -arch=compute_75 -DWITH_HOST
warpbook exec ./early 1
expect "a kernel that works with the host by atomics of the system is left alone" 0 "7 7 4" err "No findings."

# What systems that run tests read, beside the report.
mkdir -p "a b" && cp wrong.cu "a b/wrong & <1>.cu"
build wrong-xml "a b/wrong & <1>.cu" -cudart shared -arch=compute_75
warpbook exec --sarif findings.sarif --junit tests.xml --fail-on leak ./wrong-xml 1
expect "reports for other systems leave the one for people as it is" 1 err "note: leak" "./wrong-xml ended"
test_that "SARIF has the line, its file below the working directory, and the level" holds findings.sarif \
    '"ruleId": "out-of-bounds", "level": "error"' \
    '"artifactLocation": {"uri": "a%20b/wrong%20%26%20%3C1%3E.cu"}, "region": {"startLine": 6}' \
    '"fullyQualifiedName": "shift"' '"ruleId": "leak", "level": "note"' '"exitCode": 0' \
    '"region": {"startLine": 32}'
test_that "JUnit's XML fails the kernel and, as asked, the leak of the host" holds tests.xml \
    '<testcase classname="./wrong-xml" name="kernel shift">' '<failure type="out of bounds" message="' \
    'out of bounds, a b/wrong &amp; &lt;1&gt;.cu:6, 2 times: Thread (64,0,0)' 'name="host code">' 'note: leak, a b/wrong &amp; &lt;1&gt;.cu:32: ' 'name="end of the program"/>'
if command -v xmllint >/dev/null; then
    test_that "it is well-formed" xmllint --noout tests.xml
else
    echo "skip well-formed no xmllint"
fi
warpbook exec --junit tests.xml ./wrong
test_that "a program that is killed is an error" holds tests.xml 'errors="1"' '<error message="was killed by signal 11'
warpbook exec --junit /nowhere/tests.xml true
expect "a file that cannot be written is named" 3 err "Cannot write /nowhere/tests.xml: No such file or directory."

warpbook exec --fail-on race,deadlock ./wrong 1
expect "--fail-on looks for what it names alone" 0
warpbook exec --fail-on race,leak ./wrong 1
expect "and then the status is 1" 1

# Two streams are captured; a graph is made by hand, changed, and updated by one that does not fit; two captures are spoilt.
cat >graph.cu <<'EOF'
#include <cstdio>

__global__ void add(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += by;
}
static void tell(void *count)
{
    printf("told %d\n", ++*(int *)count);
}
int main()
{
    int n = 100, told = 0, bytes = 100 * sizeof(float);
    float *a, *b, host[100], by = 5;
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t graph, own;
    cudaGraphExec_t ready, other;
    size_t nodes;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 0, bytes, s);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(t, fork);
    cudaMemsetAsync(b, 0, bytes, t);
    add<<<1, 128, 0, t>>>(b, 7, n);
    cudaEventRecord(join, t);
    add<<<1, 128, 0, s>>>(a, 3, n);
    cudaStreamWaitEvent(s, join);
    cudaLaunchHostFunc(s, tell, &told);
    cudaMemcpyAsync(host, b, bytes, cudaMemcpyDeviceToHost, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphInstantiate(&ready, graph, 0);
    host[99] = 0;
    printf("%zu nodes, told %d, %g\n", nodes, told, host[99]);
    cudaGraphLaunch(ready, s);
    cudaGraphLaunch(ready, s);
    cudaStreamSynchronize(s);
    printf("then %g\n", host[99]);

    cudaGraphNode_t fill, kernel, copy, last;
    cudaMemsetParams one = { a, 0, 0x3f800000, 4, 100, 1 };
    void *arguments[] = { &a, &by, &n };
    cudaKernelNodeParams call = { (void *)add, dim3(1), dim3(128), 0, arguments, nullptr };
    cudaHostNodeParams say = { tell, &told };
    cudaGraphCreate(&own, 0);
    cudaGraphAddMemsetNode(&fill, own, nullptr, 0, &one);
    cudaGraphAddKernelNode(&kernel, own, &fill, 1, &call);
    cudaGraphAddMemcpyNode1D(&copy, own, &kernel, 1, host, a, bytes, cudaMemcpyDeviceToHost);
    cudaGraphAddHostNode(&last, own, &copy, 1, &say);
    cudaGraphInstantiate(&other, own, 0);
    by = 1000;
    cudaGraphLaunch(other, s);
    printf("by hand %g\n", host[99]);
    cudaGraphExecKernelNodeSetParams(other, kernel, &call);
    cudaGraphLaunch(other, s);
    printf("changed %g\n", host[99]);
    cudaGraphExecUpdateResultInfo info;
    printf("%s ", cudaGetErrorName(cudaGraphExecUpdate(other, own, &info)));
    cudaGraphLaunch(other, s);
    printf("%g ", host[99]);
    printf("%s\n", cudaGetErrorName(cudaGraphExecUpdate(other, graph, &info)));
    cudaGetLastError();

    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 128, 0, s>>>(a, 3, n);
    printf("%s ", cudaGetErrorName(cudaStreamSynchronize(s)));
    printf("%s ", cudaGetErrorName(cudaStreamEndCapture(s, &graph)));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 128>>>(a, 3, n);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaStreamEndCapture(s, &graph);
    cudaFree(a);
    cudaFree(b);
}
EOF
# A graph keeps what its kernels ask for besides their grid; what cannot be resident at once does not start, as on a GPU.
cat >clusters.cu <<'EOF'
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void pass(int *a)
{
    __shared__ int mine;
    cg::cluster_group c = cg::this_cluster();
    mine = c.block_rank() + 1;
    c.sync();
    a[blockIdx.x] += *c.map_shared_rank(&mine, (c.block_rank() + 1) % c.num_blocks()) * 10 + c.num_blocks();
    c.sync();
}
__global__ void meet(int *a)
{
    int was = a[blockIdx.x ^ 1];
    cg::this_grid().sync();
    a[blockIdx.x] += was;
}
int main()
{
    int *a, got[4];
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&s);
    cudaMalloc(&a, sizeof got);
    cudaMemset(a, 0, sizeof got);
    cudaLaunchAttribute pair = { .id = cudaLaunchAttributeClusterDimension };
    pair.val.clusterDim = { 2, 1, 1 };
    cudaLaunchConfig_t how = { .gridDim = 4, .blockDim = 1, .stream = s, .attrs = &pair, .numAttrs = 1 };
    void *arguments[] = { &a };
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaLaunchKernelEx(&how, pass, a);
    cudaLaunchCooperativeKernel((void *)meet, 4, 1, arguments, 0, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, s);
    cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", got[0], got[1], got[2], got[3]);

    cudaGraphNode_t nodes[2];
    size_t count = 2;
    cudaLaunchAttributeValue value = {};
    cudaGraphGetNodes(graph, nodes, &count);
    cudaGraphKernelNodeGetAttribute(nodes[0], cudaLaunchAttributeClusterDimension, &value);
    printf("cluster of %u\n", value.clusterDim.x);
    printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel((void *)meet, 132 * 32 + 1, 1, arguments, 0, s)));
}
EOF
build clusters clusters.cu -cudart shared -arch=compute_90
warpbook exec ./clusters
expect "graphs have clusters and cooperative launches" 0 out "34 34 34 34" "cluster of 2" \
    "cudaErrorCooperativeLaunchTooLarge"
warpbook exec --report report.json --json ./clusters
test_that "what a launch reads of other blocks is counted apart" has report.json '"remote_requests": {"load": 4}' \
    '"remote_sectors": {"load": 4}' '"remote_wavefronts": {"load": 4}'
build graph graph.cu -cudart shared -arch=compute_75
warpbook exec ./graph
expect "graphs do at each launch what was captured or added" 0 "6 nodes, told 0, 0" "told 1 told 2 then 7" \
    "told 3 by hand 6 told 4 changed 1001 cudaSuccess told 5 6 cudaErrorGraphExecUpdateFailure" \
    "cudaErrorStreamCaptureUnsupported cudaErrorStreamCaptureInvalidated cudaErrorStreamCaptureImplicit" err \
    "add 7 1 128" "error: invalid capture, graph.cu:75" "cudaStreamSynchronize waits while a stream is captured" \
    "error: invalid capture, graph.cu:78" "cudaLaunchKernel uses the default stream"

cat >bare.cu <<'EOF'
__attribute__((noinline)) int *take(int n, float *)
{
    int *taken;
    cudaMalloc(&taken, n * sizeof(int));
    return taken;
}
int main()
{
    int *ours = new int[64];
    bool none = take(64, nullptr) == ours;
    delete[] ours;
    return none;
}
EOF
nvcc -cudart shared -arch=compute_75 -o bare bare.cu
warpbook exec ./bare
expect "without debug information the function has its name as in the source" 0 err \
    "memory of the function take is not freed at the end: 256 bytes (made by cudaMalloc at the function take)"

# Memory that is taken and given back while a stream is captured, and by nodes.
cat >taken.cu <<'EOF'
#include <cstdio>
__global__ void fill(int *to, int by)
{
    to[threadIdx.x] = threadIdx.x * by;
}
int main()
{
    int *piece, host[64], by = 3;
    unsigned long long used;
    cudaStream_t s;
    cudaGraph_t graph, own;
    cudaGraphExec_t ready;
    cudaGraphNode_t take, kernel, copy, give;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&piece, sizeof host, s);
    fill<<<1, 64, 0, s>>>(piece, 2);
    cudaMemcpyAsync(host, piece, sizeof host, cudaMemcpyDeviceToHost, s);
    cudaFreeAsync(piece, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < 2; i++) {
        host[63] = 0;
        cudaGraphLaunch(ready, s);
        cudaStreamSynchronize(s);
        printf("%d ", host[63]);
    }
    cudaMemAllocNodeParams piece_node = {};
    piece_node.poolProps.allocType = cudaMemAllocationTypePinned;
    piece_node.poolProps.location = { cudaMemLocationTypeDevice, 0 };
    piece_node.bytesize = sizeof host;
    cudaGraphCreate(&own, 0);
    cudaGraphAddMemAllocNode(&take, own, nullptr, 0, &piece_node);
    void *arguments[] = { &piece_node.dptr, &by };
    cudaKernelNodeParams call = { (void *)fill, dim3(1), dim3(64), 0, arguments, nullptr };
    cudaGraphAddKernelNode(&kernel, own, &take, 1, &call);
    cudaGraphAddMemcpyNode1D(&copy, own, &kernel, 1, host, piece_node.dptr, sizeof host, cudaMemcpyDeviceToHost);
    cudaGraphAddMemFreeNode(&give, own, &copy, 1, piece_node.dptr);
    cudaGraphInstantiate(&ready, own, 0);
    cudaGraphLaunch(ready, s);
    cudaStreamSynchronize(s);
    cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used);
    void *got;
    cudaGraphMemFreeNodeGetParams(give, &got);
    printf("%d %llu %d %s\n", host[63], used, got == piece_node.dptr, cudaGetErrorName(cudaGetLastError()));
    return 0;
}
EOF
build taken taken.cu -cudart shared -arch=compute_75
warpbook exec ./taken
expect "memory of a graph is there at each launch" 0 "126 126 189 512 1 cudaSuccess" err "3 launches" "No findings."

# Nothing is wrong with the words, but something is missing.
build static right.cu -arch=compute_75
warpbook exec ./static
expect "a program with the runtime inside is refused" 3 err "./static contains the CUDA runtime itself, which only works" \
    "Build it with nvcc -cudart shared"
cat >asks.cu <<'EOF'
#include <cstdio>
__device__ int beyond(int *x);
namespace {
__global__ void own(int *x) { x[threadIdx.x] = 1; }
}
__global__ void ask(int *x) { printf("asks\n"); x[0] += beyond(x); }
void other(int *x);
int main()
{
    int *x, got[32];
    cudaMalloc(&x, sizeof got);
    own<<<1, 32>>>(x);
    other(x);
    ask<<<1, 1>>>(x);
    cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost);
    printf("%d %d\n", got[0], got[1]);
    cudaFree(x);
}
EOF
cat >answers.cu <<'EOF'
#include <cstdio>
namespace {
__global__ void own(int *x) { x[threadIdx.x] += threadIdx.x; }
}
__device__ int beyond(int *x)
{
    printf("answers\n");
    return x[1] + x[x[0] + 31];
}
void other(int *x) { own<<<1, 32>>>(x); }
EOF
echo 'int cublas(void) { return 1; }' >cublas.c
echo 'int cublas(void); int main(void) { return cublas() - 1; }' >multiplies.c
cc -shared -fPIC -o libcublas.so.13 cublas.c && cc -o multiplies multiplies.c -L. -l:libcublas.so.13 -Wl,-rpath,"$PWD"
warpbook exec ./multiplies
expect "a library that cannot work here is named though the program ends well" 0 err "It needs libcublas.so.13"
build relocatable asks.cu answers.cu -cudart shared -arch=sm_80 -rdc=true
warpbook exec ./relocatable
expect "relocatable device code is linked" 0 "asks answers 3 2" err "(anonymous nam" \
    "error: out of bounds, answers.cu:8, ask in launch 3" "reads x[32], past its end"
build linked right.cu -cudart shared -gencode arch=compute_80,code=sm_80 -rdc=true
warpbook exec ./linked
expect "if it holds PTX" 3 err "./linked holds only machine code of its kernels"
cat >nested.cu <<'EOF'
__global__ void child(int *x) { x[threadIdx.x] = 1; }
__global__ void parent(int *x) { child<<<1, 32>>>(x); }
int main()
{
    int *x;
    cudaMalloc(&x, 128);
    parent<<<1, 1>>>(x);
    cudaFree(x);
}
EOF
build nested nested.cu -cudart shared -arch=compute_75 -rdc=true -lcudadevrt
warpbook exec ./nested
expect "a kernel that launches kernels is told so" 0 err "a kernel launches a kernel (dynamic"
build machine right.cu -cudart shared -gencode arch=compute_80,code=sm_80
warpbook exec ./machine
expect "and one with machine code alone" 3 err "./machine holds only machine code of its kernels. Build it with PTX"
