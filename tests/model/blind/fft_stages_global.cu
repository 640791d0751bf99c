// Three stages of a Fourier transform of a million points, each a pass
// over global memory: the butterflies span 1, 512 and half of all.
//@ param   n = 1 << 20
//@ buffer  re float[n] = hash(i) % 1000 * 0.001
//@ buffer  im float[n] = 0
//@ launch  butterfly<<<n / 512, 256>>>(re, im, 1, n)
//@ launch  butterfly<<<n / 512, 256>>>(re, im, 512, n)
//@ launch  butterfly<<<n / 512, 256>>>(re, im, n / 2, n)
__global__ void butterfly(float *re, float *im, int half, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;

    int pos = t % half;
    int i = t / half * half * 2 + pos;
    int j = i + half;

    float angle = -3.14159265f * pos / half;
    float wr = cosf(angle);
    float wi = sinf(angle);

    float tr = wr * re[j] - wi * im[j];
    float ti = wr * im[j] + wi * re[j];
    re[j] = re[i] - tr;
    im[j] = im[i] - ti;
    re[i] = re[i] + tr;
    im[i] = im[i] + ti;
}
