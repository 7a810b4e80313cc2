/* cuda_rode in plain C, one thread: the same set-up, the same functions for finding what is in it,
 * and the same additions in the same order, so the same bits. y[n] = A x, every y overwritten. */
#ifndef TESTS_SPMV_RODE_TWIN_H
#define TESTS_SPMV_RODE_TWIN_H

#include "spmv/baseline/rode.h"
#include "spmv/kernel.h"

/* A of any kind, cut by N_S = split and N_B = block. A failed set-up fails the test. */
void twin_rode(const struct csr *A, int64_t split, int64_t block, enum precision precision,
               const double *x, double *y);

/* What the trials of full_trials.h choose: the value is the number of a choice; of the kernel,
 * which may go by its pipeline, one of RODE_CHOICES more. */
enum { RODE_CHOICES = 9 };
extern const struct rode_choice {
    int64_t split, block;
} rode_choices[RODE_CHOICES];

/* One of several columns: in warps of that form. */
void twin_rode_form(const struct csr *A, const struct rode_choice *choice, enum precision precision,
                    struct rode_form form, const double *x, double *y);
void twin_rode_choice(const struct csr *A, int value, enum precision precision, const double *x,
                      double *y);

#endif
