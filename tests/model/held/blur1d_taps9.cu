// Averages each number with its four neighbours on either side.
//@ param   n = 1 << 22
//@ buffer  in  float[n] = i % 50
//@ buffer  out float[n]
//@ launch  blur<<<(n + 255) / 256, 256>>>(in, out, n)
extern "C" __global__ void blur(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int d = -4; d <= 4; d++) {
        int j = i + d;
        j = j < 0 ? 0 : j > n - 1 ? n - 1 : j;
        sum += in[j];
    }
    out[i] = sum / 9;
}
