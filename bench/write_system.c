/* The system that a config names, for programs that cannot make it:
 *
 *     write_system CONFIG FILE
 *
 * FILE is, in this machine's byte order: n, the number of entries of both triangles and that of the
 * near-null vectors which the config's preconditioner knows, of 64 bits; offsets[n + 1], likewise;
 * columns[entries], of 32 bits; values[entries], b[n] and vectors[n number], doubles. */
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "matrix/near_null.h"
#include "program/config/settings.h"
#include "program/config/system.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void write_system(const struct csr *full, const double *b, const struct near_null *near_null,
                         FILE *file)
{
    int64_t sizes[] = {full->n, full->nnz, near_null ? near_null->count : 0};
    fwrite(sizes, sizeof *sizes, 3, file);
    fwrite(full->offsets, sizeof *full->offsets, (size_t)full->n + 1, file);
    fwrite(full->columns, sizeof *full->columns, (size_t)full->nnz, file);
    fwrite(full->values, sizeof *full->values, (size_t)full->nnz, file);
    fwrite(b, sizeof *b, (size_t)full->n, file);
    if (near_null)
        fwrite(near_null->values, sizeof *b, (size_t)(full->n * near_null->count), file);
}

int main(int argc, char *argv[])
{
    struct settings settings = {0};
    struct linear_system system = {0};
    struct csr full = {0};
    struct error error;
    if (argc != 3) {
        fprintf(stderr, "usage: %s CONFIG FILE\n", argv[0]);
        return 2;
    }
    struct threads *before;
    enum status status = threads_begin(0, &before, &error);
    if (!status)
        status = settings_read(argv[1], NULL, 0, &settings, &error);
    if (!status)
        status = system_load(&settings.problem, &settings.solver, &settings.study, &system, &error);
    if (!status)
        status = csr_store(&system.A, &error);
    if (!status)
        status = csr_expand(&system.A, &full, &error);
    FILE *file = status ? NULL : fopen(argv[2], "wb");
    bool written = file;
    if (file) {
        write_system(&full, system.b, system.A.near_null, file);
        written = !ferror(file);
        written = fclose(file) == 0 && written;
    }
    if (status)
        fprintf(stderr, "%s\n", error.text);
    else if (!written)
        perror(argv[2]);
    csr_free(&full);
    system_free(&system);
    settings_free(&settings);
    threads_end(before);
    return status || !written;
}
