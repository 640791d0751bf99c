// Textures and surfaces of every shape, written and read by turns: the second launch finds in textures what the first one left
// in surfaces and buffers. Only NVRTC has the functions.
//@ param   n = 16
//@ param   m = n / 2
//@ buffer  x float[n * m * 4] = hash(i) & 255
//@ buffer  padded float2[32 * m] = i
//@ buffer  signs short2[n * m] = hash(i)
//@ buffer  bytes uchar4[n] = hash(i)
//@ buffer  halves half[n * m] = i & 63
//@ buffer  drawn float4[n * m * 2]
//@ buffer  line unsigned[n]
//@ buffer  y float[n * m]
//@ scratch between int[n * m * 4]
//@ texture linear = bytes
//@ texture row = x width=n * m * 4 filter=linear
//@ texture plane = x width=n height=m * 4 filter=linear address=mirror normalized
//@ texture block = x width=n height=m depth=4 filter=linear address=border
//@ texture layer = x width=n height=m layers=4
//@ texture rows = x width=n layers=m * 4 address=wrap normalized
//@ texture pitched = padded width=n height=m pitch=32 * 8
//@ texture range = signs width=n height=m read=normalized filter=linear
//@ texture half16 = halves width=n height=m filter=linear
//@ texture kept = between width=n height=m * 4
//@ surface canvas = drawn width=n height=m layers=2
//@ surface stripe = line
//@ surface store = between width=n height=m depth=4
//@ launch  draw<<<m, n>>>(canvas, stripe, store)
//@ launch  fetch<<<m, n>>>(linear, row, plane, block, layer, rows, pitched, range, half16, kept, drawn, line, y)
extern "C" __global__ void draw(cudaSurfaceObject_t canvas, cudaSurfaceObject_t stripe, cudaSurfaceObject_t store)
{
    int i = threadIdx.x, k = blockIdx.x;
    for (int layer = 0; layer < 2; layer++)
        surf2DLayeredwrite(make_float4(i, k, layer, -1), canvas, i * 16, k, layer);
    if (k == 0)
        surf1Dwrite(7u * i, stripe, i * 4);
    for (int z = 0; z < 4; z++)
        surf3Dwrite(1000 * z + 100 * k + i, store, i * 4, k, z);
    int first = surf3Dread<int>(store, i * 4, k, 0);
    if (first != 100 * k + i)
        printf("%d read back\n", first);
}

extern "C" __global__ void fetch(cudaTextureObject_t linear, cudaTextureObject_t row, cudaTextureObject_t plane,
                                 cudaTextureObject_t block, cudaTextureObject_t layer, cudaTextureObject_t rows,
                                 cudaTextureObject_t pitched, cudaTextureObject_t range, cudaTextureObject_t half16,
                                 cudaTextureObject_t kept, const float4 *drawn, const unsigned *line, float *y)
{
    int i = threadIdx.x, k = blockIdx.x, at = k * blockDim.x + i;
    float u = i + 0.25f, v = k + 0.75f;
    uchar4 b = tex1Dfetch<uchar4>(linear, i);
    float2 p = tex2D<float2>(pitched, u, v), r = tex2D<float2>(range, u, v);
    float4 d = drawn[at + blockDim.x * gridDim.x];
    y[at] = tex2D<float>(plane, u / 8, v / 16);
    if (at % 5 != 3)
        return;
    printf("%d: %d %d %d %d, %.4f %.4f %.4f %g %g\n", at, b.x, b.y, b.z, b.w, tex1D<float>(row, at + u), y[at],
           tex3D<float>(block, u, v, 1.5f), tex2DLayered<float>(layer, u, v, 2), tex1DLayered<float>(rows, u, k));
    printf("%d: %g %g, %.5f %.5f, %.4f, %d, %g %g %g %g, %u\n", at, p.x, p.y, r.x, r.y, tex2D<float>(half16, u, v),
           tex2D<int>(kept, u, v + gridDim.x), d.x, d.y, d.z, d.w, line[i]);
}
