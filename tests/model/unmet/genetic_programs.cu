// Runs 48 formulas that a genetic search has bred over 4096 rows of data, and sums their
// squared errors. A formula is a list of 25 to 64 bytes in postfix order, for a small
// machine with a stack; where operands are missing, an operator does nothing. blockIdx.y
// is the formula.
//@ param   rows = 4096
//@ param   formulas = 48
//@ buffer  data float[8 * rows] = hash(i) % 400 * 0.01 - 2
//@ buffer  target float[rows] = hash(i + 1) % 100 * 0.1
//@ buffer  error float[formulas] = 0
//@ symbol  code unsigned char[3072] = hash(i + 17) & 255
//@ launch  run<<<dim3(rows / 128, formulas), 128>>>(data, target, error, rows)
__constant__ unsigned char code[48 * 64];

__global__ void run(const float *data, const float *target, float *error, int rows)
{
    const int depth = 12;
    float stack[depth];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *program = code + blockIdx.y * 64;
    int length = 25 + program[0] % 40;

    int top = 0;
    for (int at = 0; at < length; at++) {
        int instruction = program[at] & 15, operand = program[at] >> 4;
        if (instruction < 7) {
            if (top < depth)
                stack[top++] = operand < 8 ? data[operand * rows + row] : operand * 0.25f;
            continue;
        }
        if (instruction >= 13) {
            if (top < 1)
                continue;
            float x = stack[top - 1];
            switch (instruction) {
            case 13: x = sinf(x); break;
            case 14: x = sqrtf(fabsf(x)); break;
            default: x = expf(fminf(x, 8.0f)); break;
            }
            stack[top - 1] = x;
            continue;
        }
        if (top < 2)
            continue;
        float b = stack[--top], a = stack[top - 1];
        switch (instruction) {
        case 7: a = a + b; break;
        case 8: a = a - b; break;
        case 9: a = a * b; break;
        case 10: a = fabsf(b) > 0.001f ? a / b : 1.0f; break;
        case 11: a = fminf(a, b); break;
        default: a = fmaxf(a, b); break;
        }
        stack[top - 1] = a;
    }

    float off = (top > 0 ? stack[top - 1] : 0.0f) - target[row];
    float sum = fminf(off * off, 1e6f);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&error[blockIdx.y], sum / rows);
}
