/* The linear system that the settings name: A x = b, made or read. */
#ifndef IO_SYSTEM_H
#define IO_SYSTEM_H

#include "cgsolve/csr.h"
#include "cgsolve/status.h"
#include "io/matrix_market.h"
#include "io/settings.h"

struct linear_system {
    struct csr A;
    double *b;                        /* [A.n] */
    struct matrix_market_report file; /* of a problem that was read; zeroed for a made one */
    double rhs_norm;                  /* ||b||_2 */
    double seconds;                   /* that making or reading A took */
};

/* The caller calls system_free. Errors: STATUS_CONFIG, STATUS_INPUT (also when the matrix is one
 * that the method cannot solve), STATUS_MEMORY. */
enum status system_load(const struct settings *settings, struct linear_system *system,
                        struct error *error);
void system_free(struct linear_system *system); /* accepts a zeroed one */

#endif
