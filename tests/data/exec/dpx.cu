// Sums, least and greatest numbers of three: what clang alone makes of them is what nvcc makes of them (dpx.txt).
#include <cstdio>
#define THREE(X)                                                                                             \
    X(__viaddmax_s32)                                                                                        \
    X(__viaddmax_s32_relu) X(__viaddmax_u32) X(__viaddmax_s16x2) X(__viaddmax_s16x2_relu)                    \
        X(__viaddmax_u16x2) X(__viaddmin_s32) X(__viaddmin_s32_relu) X(__viaddmin_u32) X(__viaddmin_s16x2)   \
            X(__viaddmin_s16x2_relu) X(__viaddmin_u16x2) X(__vimax3_s32) X(__vimax3_s32_relu)                \
                X(__vimax3_u32) X(__vimax3_s16x2) X(__vimax3_s16x2_relu) X(__vimax3_u16x2) X(__vimin3_s32)   \
                    X(__vimin3_s32_relu) X(__vimin3_u32) X(__vimin3_s16x2) X(__vimin3_s16x2_relu)            \
                        X(__vimin3_u16x2)
#define TWO(X) X(__vimax_s32_relu) X(__vimin_s32_relu) X(__vimax_s16x2_relu) X(__vimin_s16x2_relu)
#define WHICH(X) X(__vibmax_s32) X(__vibmin_s32) X(__vibmax_u32) X(__vibmin_u32)
#define WHICH_2(X) X(__vibmax_s16x2) X(__vibmin_s16x2) X(__vibmax_u16x2) X(__vibmin_u16x2)
__global__ void all(unsigned *to, const unsigned *words)
{
    const unsigned a = words[threadIdx.x], b = words[threadIdx.x * 5 % 8], c = words[threadIdx.x * 3 % 8 ^ 1];
    bool first = false, other = false;
    to += threadIdx.x;
#define DO_3(NAME) to[0] = NAME(a, b, c), to += blockDim.x;
#define DO_2(NAME) to[0] = NAME(a, b), to += blockDim.x;
#define DO_WHICH(NAME) to[0] = NAME(a, b, &first) + first * 3, to += blockDim.x;
#define DO_WHICH_2(NAME) to[0] = NAME(a, b, &first, &other) + first * 3 + other * 5, to += blockDim.x;
    THREE(DO_3) TWO(DO_2) WHICH(DO_WHICH) WHICH_2(DO_WHICH_2)
}
int main()
{
    const unsigned some[8] = { 0, 1, 0x7fffffff, 0x80000000, 0xffff0001, 0x80007fff, 0x12348765, 0xfffffffe };
    const char *names[] = {
#define NAME(NAME) #NAME,
        THREE(NAME) TWO(NAME) WHICH(NAME) WHICH_2(NAME)
    };
    const int count = sizeof names / sizeof *names;
    unsigned *words, *to;
    cudaMallocManaged(&words, sizeof some);
    cudaMallocManaged(&to, count * sizeof some);
    for (int i = 0; i < 8; i++)
        words[i] = some[i];
    all<<<1, 8>>>(to, words);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8 * count; i++)
        printf("%s %08x%s", i % 8 ? "" : names[i / 8], to[i], i % 8 == 7 ? "\n" : "");
    cudaFree(words);
    cudaFree(to);
}
