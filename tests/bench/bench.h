// What the parts of `make bench` share.
#ifndef BENCH_H
#define BENCH_H

void measure_screen(const char *program); // screen.c: the full-screen program
void measure_simulator(void);             // simulator.c: its speed, its memory, on three kernels
void measure_set(void);                   // simulator.c: on kernels as people write them
void measure_modelling(
    const char *only); // model.c: what a modelled time adds, of steps whose names contain the word

#endif
