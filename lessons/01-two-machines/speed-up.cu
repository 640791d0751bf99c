// Converts Celsius to Fahrenheit. The loop is the CPU's, unchanged.
//@ title   To Fahrenheit
//@ param   n = 20000
//@ buffer  celsius int[n] = i % 200 - 60
//@ buffer  fahrenheit int[n]
//@ launch  convert<<<1, 1>>>(celsius, fahrenheit, n)
//@ launch  check<<<128, 256>>>(celsius, fahrenheit, n)
extern "C" __global__ void convert(const int *celsius, int *fahrenheit,
                                   int n)
{
    // TODO: let every element have a thread of its own.
    for (int i = 0; i < n; i++)
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
