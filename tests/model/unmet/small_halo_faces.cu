// Packs what a part of a simulated cube must send to its six neighbours: the outermost
// layers of six fields of 80 x 80 x 80 doubles. blockIdx.y is the face and blockIdx.z the
// field. Faces across x are read with a stride of a whole row.
//@ param   side = 80
//@ param   fields = 6
//@ buffer  field double[fields * side * side * side] = hash(i) % 1000 * 0.25
//@ buffer  message double[6 * fields * side * side]
//@ launch  pack<<<dim3(side * side / 128, 6, fields), 128>>>(field, message, side)
__global__ void pack(const double *field, double *message, int side)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    int face = blockIdx.y;
    int square = side * side;
    int b = at / side, a = at - b * side;
    int layer = face & 1 ? side - 1 : 0;

    int x, y, z;
    switch (face / 2) {
    case 0: x = layer; y = a; z = b; break;
    case 1: x = a; y = layer; z = b; break;
    default: x = a; y = b; z = layer; break;
    }
    size_t from = (size_t)blockIdx.z * square * side + (z * side + y) * side + x;
    size_t to = (size_t)(face * gridDim.z + blockIdx.z) * square + at;
    message[to] = field[from];
}
