/* `cgsolve bench --certificate`: of which rows of a product the order of additions can change no
 * bit. */
#ifndef PROGRAM_COMMAND_RUN_CERTIFICATE_H
#define PROGRAM_COMMAND_RUN_CERTIFICATE_H

#include "program/config/settings.h"

#include <stdbool.h>

/* Certify (study/certificate.h) the products of the matrix with its right-hand side (shift: of
 * system_load_any), where the matrix is square, and with the bench's random x of the seed, and
 * print a table on stdout. quiet:
 * without the words around it. Errors: STATUS_CONFIG (also for a directory), STATUS_INPUT,
 * STATUS_MEMORY. */
enum status run_certificate(const struct problem_settings *problem, double shift, int64_t seed,
                            bool quiet, struct error *error);

#endif
