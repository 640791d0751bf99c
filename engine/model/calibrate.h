// How each figure of a GPU is measured: by the time that a kernel of assets/gpus/calibrate takes, or by the difference of
// two times, where what a launch costs cancels. Says what to run and computes the figures; runs nothing itself.
#ifndef WARPBOOK_CALIBRATE_H
#define WARPBOOK_CALIBRATE_H

#include "engine/model/figures.h"

struct calibration_facts { // of the GPU, by its driver
    char device[64], driver[32];
    int target, sms;
    double l2_bytes, memory_bytes;
};
bool calibration_facts_right(const struct calibration_facts *facts, struct error *error);

size_t calibration_count(void);
struct calibration_item {
    const char *kernel;       // "chain": assets/gpus/calibrate/chain.cu
    const char *words;        // "latency of L2"
    char low[120], high[120]; // the settings of its two runs, "kind=0 n=200"; low "": one run alone
};
struct calibration_item calibration_item(const struct calibration_facts *facts, size_t which);

enum { CALIBRATION_MOST = 128 };
struct calibration {
    struct calibration_facts facts;
    char date[32];
    struct calibration_times {
        double low_ms, high_ms; // medians
        double spread_pct;      // the larger one
    } times[CALIBRATION_MOST];
    size_t count; // of those measured, in their order
};
// The figures from all times; false where these are not such as a GPU can have, also when only some are there yet.
bool calibration_figures(const struct calibration *calibration, struct gpu_figures *out, struct error *error);
// The file of the figures, with the times in it; the caller frees. NULL: as above.
char *calibration_file(const struct calibration *calibration, const char *key, struct error *error);
// The times alone, for whoever asks why there are no figures; the caller frees.
char *calibration_times_file(const struct calibration *calibration);
// The times that such a file holds.
bool calibration_read(const json_t *file, struct calibration *out, struct error *error);
// The key of a GPU that no file knows, from its name: "NVIDIA H100 PCIe" is h100-pcie.
void calibration_key(const char *device, char *out, size_t size);

#endif
