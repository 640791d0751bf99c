// Unpacks interleaved audio of six channels and 24 bits a sample into a
// plane of floats for each channel, from -1 to 1, with a gain for each.
//@ param   frames = 1600001
//@ buffer  pcm   unsigned char[frames * 18] = hash(i) % 256
//@ buffer  gain  float[6] = 0.5 + i * 0.1
//@ buffer  plane float[frames * 6]
//@ launch  unpack<<<(frames + 255) / 256, 256>>>(pcm, gain, plane, frames)
#define CHANNELS 6

__global__ void unpack(const unsigned char *pcm, const float *gain,
                       float *plane, int frames)
{
    int frame = blockIdx.x * blockDim.x + threadIdx.x;
    if (frame >= frames)
        return;

    const unsigned char *p = pcm + (size_t)frame * CHANNELS * 3;
    for (int c = 0; c < CHANNELS; c++, p += 3) {
        int v = p[0] << 8 | p[1] << 16 | p[2] << 24;
        plane[(size_t)c * frames + frame] =
            (v >> 8) * (1.0f / 8388608.0f) * gain[c];
    }
}
