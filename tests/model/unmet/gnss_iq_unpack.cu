// Unpacks the recording of a satellite receiver: a byte holds two complex samples, each
// part a sign and a magnitude bit, so a part is -3, -1, 1 or 3. A table in shared memory
// turns a byte into the four signed bytes that the correlators want. A thread converts
// four words of four bytes.
//@ param   words = 3276800
//@ buffer  packed unsigned[words] = hash(i)
//@ buffer  samples int4[words]
//@ launch  unpack<<<words / 1024, 256>>>(packed, samples)
__device__ int part_of(int bits)
{
    int magnitude = bits & 1 ? 3 : 1;
    return bits & 2 ? -magnitude : magnitude;
}

__global__ void unpack(const unsigned *packed, int4 *samples)
{
    __shared__ int four[256];

    int byte = threadIdx.x;
    int entry = 0;
    for (int part = 3; part >= 0; part--)
        entry = entry << 8 | (part_of(byte >> 2 * part & 3) & 255);
    four[byte] = entry;
    __syncthreads();

    int first = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        unsigned word = packed[first + k * 256];
        samples[first + k * 256] = make_int4(four[word & 255], four[word >> 8 & 255],
                                             four[word >> 16 & 255], four[word >> 24]);
    }
}
