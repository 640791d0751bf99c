// The other name of these functions.
#pragma clang system_header
#include "cuda_pipeline.h"
