// A table of 1024 floats is copied to shared memory; each thread then
// follows 16 places in it.
//@ param   n = 524288
//@ buffer  table float[1024] = i % 997
//@ buffer  key   unsigned[n] = hash(i)
//@ buffer  out   float[n]
//@ launch  look<<<n / 256, 256>>>(table, key, out)
extern "C" __global__ void look(const float *table, const unsigned *key,
                                float *out)
{
    __shared__ float here[1024];
    for (int k = threadIdx.x; k < 1024; k += 256)
        here[k] = table[k];
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    unsigned at = key[i];
    float sum = 0;
    for (int k = 0; k < 16; k++) {
        sum += here[at & 1023];
        at = at * 1664525 + 1013904223;
    }
    out[i] = sum;
}
