// What kernels use of the headers of C++: an assertion holds where all of it does what it should.
//@ buffer out int[64]
//@ launch k<<<1, 64>>>(out)
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

struct point {
    int x, y;
};
enum class colour : unsigned char { red, green };
template <class T> __device__ T least()
{
    return std::numeric_limits<T>::lowest();
}
template <size_t... i> __device__ int sum(std::index_sequence<i...>)
{
    return (0 + ... + int(i));
}

static_assert(
    std::is_same_v<std::decay_t<const int (&)[4]>, const int *>);
static_assert(std::is_same_v<std::common_type_t<int, float>, float>);
static_assert(
    std::is_same_v<std::make_unsigned_t<long>, unsigned long>);
static_assert(std::is_same_v<std::make_signed_t<const unsigned char>,
                             const signed char>);
static_assert(
    std::is_same_v<std::underlying_type_t<colour>, unsigned char>);
static_assert(
    std::is_same_v<std::remove_cvref_t<const volatile int &&>, int>);
static_assert(std::is_signed_v<char> && std::is_unsigned_v<bool> &&
              !std::is_signed_v<point> && std::is_signed_v<double>);
static_assert(std::is_pointer_v<int *const> &&
              !std::is_pointer_v<int> && std::is_array_v<int[3]> &&
              !std::is_const_v<int>);
static_assert(std::is_function_v<void(int)> &&
              !std::is_function_v<int> && std::is_enum_v<colour> &&
              std::is_class_v<point>);
static_assert(std::is_trivially_copyable_v<point> &&
              std::is_convertible_v<int, double> &&
              !std::is_convertible_v<int *, int>);
static_assert(std::conjunction_v<std::is_integral<int>,
                                 std::is_floating_point<float>> &&
              std::negation_v<std::is_void<int>>);
static_assert(std::numeric_limits<int>::max() == 2147483647 &&
              std::numeric_limits<int>::min() == -2147483647 - 1);
static_assert(std::numeric_limits<unsigned long long>::max() == ~0ull &&
              std::numeric_limits<signed char>::min() == -128);
static_assert(std::numeric_limits<float>::digits == 24 &&
              std::numeric_limits<double>::digits10 == 15);
static_assert(std::numeric_limits<int>::digits10 == 9 &&
              std::numeric_limits<float>::infinity() >
                  std::numeric_limits<float>::max());
static_assert(
    std::tuple_size_v<std::tuple<int, char>> == 2 &&
    std::is_same_v<std::tuple_element_t<1, std::tuple<int, char>>,
                   char>);
static_assert(std::max(3, 4) == 4 && std::clamp(7, 1, 5) == 5 &&
              std::get<0>(std::array<int, 2>{ 6, 7 }) == 6);
static_assert(std::make_pair(1, 2) < std::make_pair(1, 3) &&
              std::array<int, 2>{ 6, 7 }.size() == 2);

__global__ void k(int *out)
{
    int i = threadIdx.x, wrong = 0;
    std::array<int, 4> a{ 1, 2, 3, i };
    auto [x, y] = std::make_pair(i, 2 * i);
    auto t = std::make_tuple(i, 2.5f, 'c');
    auto [p, q, r] = t;
    int u, v;
    std::tie(u, v) = std::make_tuple(x, y);
    std::swap(u, v);
    int before = std::exchange(a[0], 9);
    wrong += before != 1 || a.front() != 9 || a.back() != i;
    wrong += u != 2 * i || v != i || p != i || q != 2.5f || r != 'c';
    wrong += std::apply(
                 [](int a, float b, char c) { return a + (int)b + c; },
                 t) != i + 2 + 'c';
    int total = 0;
    for (int each : a)
        total += each;
    wrong += total != 14 + i;
    wrong += sum(std::make_index_sequence<5>()) != 10;
    wrong += std::min(0, i) > i ||
             std::max(i, 3, [](int a, int b) { return a > b; }) > 3;
    wrong += least<float>() > -3e38f ||
             !std::isnan(std::numeric_limits<float>::quiet_NaN());
    float from[4] = { 1, 2, 3, (float)i }, to[4];
    std::memcpy(to, from, sizeof to);
    memset(from, 0, sizeof from);
    memmove(to + 1, to, 2 * sizeof *to);
    wrong += to[2] != 2 || from[2] != 0 || to[3] != i;
    wrong += strlen("four") != 4 || strcmp("abc", "abd") >= 0 ||
             std::strncmp("abc", "abd", 2) != 0 ||
             memcmp("ab", "ab", 2) != 0;
    std::uint64_t wide = UINT64_MAX;
    if (i == 0)
        printf("%" PRIu64 " %" PRId32 "\n", wide, i);
    wrong += std::sqrt(4.0f) != 2 || std::abs(-3) != 3 ||
             std::pow(2.0, 3.0) != 8;
    uint whole = (uint)M_PI;
    assert(wrong == 0);
    out[i] = (int)whole;
}
