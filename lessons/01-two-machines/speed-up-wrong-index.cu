// Degrees Celsius become Fahrenheit. Every block does the same.
//@ title   To Fahrenheit, one block's worth
//@ param   n = 20000
//@ buffer  celsius int[n] = i % 200 - 60
//@ buffer  fahrenheit int[n]
//@ launch  convert<<<(n + 255) / 256, 256>>>(celsius, fahrenheit, n)
//@ launch  check<<<128, 256>>>(celsius, fahrenheit, n)
extern "C" __global__ void convert(const int *celsius, int *fahrenheit,
                                   int n)
{
    int i = threadIdx.x;
    if (i < n)
        fahrenheit[i] = celsius[i] * 9 / 5 + 32;
}

// Stops at a wrong element. Leave it as it is; it need not be
// understood yet.
extern "C" __global__ void check(const int *celsius,
                                 const int *fahrenheit, int n)
{
    for (int i = n - 1 - blockIdx.x - gridDim.x * threadIdx.x; i >= 0;
         i -= gridDim.x * blockDim.x) {
        int want = 32 + celsius[i] * 9 / 5;
        if (fahrenheit[i] != want)
            printf("fahrenheit[%d] is %d, not %d\n", i,
                   fahrenheit[i], want);
        assert(fahrenheit[i] == want);
    }
}
