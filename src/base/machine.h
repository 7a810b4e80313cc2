/* What machine this is, for the report: each a short text, "unknown" where it cannot be told. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include <stdint.h>

struct machine {
    char cpu[128];      /* "AMD EPYC 9654" */
    int cores;          /* processors that this process may run on */
    int threads;        /* OpenMP threads in use */
    int64_t memory;     /* bytes; 0 when unknown */
    char system[128];   /* "Linux 6.1.0 x86_64" */
    char compiler[128]; /* what built this program */
    char device[256];   /* the CUDA device, or why there is none; filled in by the caller */
};

void machine_describe(struct machine *machine);

#endif
