// Each thread solves a system with three diagonals; the systems lie beside each other.
//@ param   systems = 1 << 15
//@ param   rows = 48
//@ buffer  d float[systems * rows] = i % 31
//@ buffer  c float[systems * rows]
//@ launch  solve<<<systems / 128, 128>>>(d, c, systems, rows)
extern "C" __global__ void solve(float *d, float *c, int systems, int rows)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float before = 0, value = 0;
    for (int r = 0; r < rows; r++) {
        float m = 1.0f / (4.0f - before);
        before = m;
        value = (d[r * systems + i] + value) * m;
        c[r * systems + i] = before;
        d[r * systems + i] = value;
    }
    for (int r = rows - 2; r >= 0; r--) {
        value = d[r * systems + i] + c[r * systems + i] * value;
        d[r * systems + i] = value;
    }
}
