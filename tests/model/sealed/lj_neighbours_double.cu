// The forces of Lennard and Jones on atoms in double precision, from a
// list of 40 neighbours each; positions are structures of three doubles.
//@ param   atoms = 40000
//@ buffer  at    place[atoms] = {.x = i % 34 + hash(i) % 100 * 0.002,
//@             .y = i / 34 % 34 + hash(i + 1) % 100 * 0.002,
//@             .z = i / 1156 + hash(i + 2) % 100 * 0.002}
//@ buffer  near  int[atoms * 40] = (i % atoms + 1 + hash(i) % 1200) % atoms
//@ buffer  force place[atoms]
//@ buffer  energy double[atoms]
//@ launch  forces<<<(atoms + 95) / 96, 96>>>(at, near, force, energy,
//@                                           atoms, 40)
struct place {
    double x, y, z;
};

__global__ void forces(const place *__restrict__ at,
                       const int *__restrict__ near,
                       place *__restrict__ force,
                       double *__restrict__ energy, int atoms, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms)
        return;

    place p = at[i];
    double fx = 0, fy = 0, fz = 0, e = 0;
    for (int k = 0; k < most; k++) {
        place q = at[near[k * atoms + i]];
        double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 > 400.0)
            continue;
        double inverse = 1.0 / r2;
        double r6 = inverse * inverse * inverse;
        double pull = 24.0 * inverse * r6 * (2.0 * r6 - 1.0);
        fx += pull * dx;
        fy += pull * dy;
        fz += pull * dz;
        e += 4.0 * r6 * (r6 - 1.0);
    }
    force[i] = {fx, fy, fz};
    energy[i] = 0.5 * e;
}
