// Sums 16 floats each from far-away places, eight of them in flight.
//@ param   n = 131072
//@ param   size = 16777216
//@ buffer  data float[size] = i % 257
//@ buffer  out  float[n]
//@ launch  read<<<n / 128, 128>>>(data, out, size)
extern "C" __global__ void read(const float *data, float *out,
                                unsigned size)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i * 2654435761u;
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < 16; k++) {
        sum += data[at % size];
        at = at * 1664525 + 1013904223;
    }
    out[i] = sum;
}
