/* This machine, for the report: short texts, "unknown" if unknown. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include <stdint.h>

struct machine {
    char cpu[128]; /* "AMD EPYC 9654" */
    int cores;     /* processors that this process may run on */
    int threads;   /* of the team that is lent to the caller */
    int ranks;     /* that solve together (base/exchange.h); filled in by the caller, 0: one */
    const int64_t *devices; /* of CUDA, that solve together; filled in by the caller, borrowed */
    int devices_count;      /* 0: one */
    int64_t memory;         /* bytes; 0 when unknown */
    char system[128];       /* "Linux 6.1.0 x86_64" */
    char compiler[128];     /* what built this program */
    char commit[64];        /* of the program's sources; empty when unknown */
    char device[256];       /* the CUDA device, or why there is none; filled in by the caller */
    char host[128];         /* empty when unknown; so are the others below */
    char command[2048];     /* of this process, as for a shell; a long one is cut off */
    char date[24];          /* now: "2026-11-22T17:12:56Z" */
    double load;            /* of the last minute; below 0 when unknown */
    double others;          /* the share of the processors' time that other programs took meanwhile
                      (base/processors.h); filled in by the caller, below 0 when unknown */
};

void machine_describe(struct machine *machine);

/* The program says its commit, for every description from here on. The text is borrowed. */
void machine_set_commit(const char *commit);

#endif
