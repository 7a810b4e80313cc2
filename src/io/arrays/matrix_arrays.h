/* A matrix that a file holds as arrays: compressed by rows or by columns, or entry by entry. A
 * format opens its file and reads numbers of the arrays; all the rest is here. */
#ifndef IO_ARRAYS_MATRIX_ARRAYS_H
#define IO_ARRAYS_MATRIX_ARRAYS_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdbool.h>
#include <stdint.h>

enum { ARRAYS_PIECE = 1 << 12, ARRAYS_PLACE = 96 };

/* The arrays of a file. In a matrix compressed by columns, ARRAY_MAJOR is of columns. */
enum array {
    ARRAY_MAJOR, /* where each row begins; or of each entry its row */
    ARRAY_MINOR, /* of each entry its column */
    ARRAY_VALUES,
    ARRAYS,
};

struct matrix_arrays;

struct arrays_format {
    /* Go to the first number of every array. Errors: STATUS_INPUT, STATUS_MEMORY. */
    enum status (*rewind)(struct matrix_arrays *file, struct error *error);
    /* The next count <= ARRAYS_PIECE numbers of an array; first: how many came before. The values
     * are `real`, the others `whole`. Errors: as above. */
    enum status (*read)(struct matrix_arrays *file, enum array array, int64_t first, int64_t count,
                        int64_t *whole, double *real, struct error *error);
    /* All arrays have been read: does the file end here? NULL: that is known. */
    enum status (*end)(struct matrix_arrays *file, struct error *error);
    /* Where number k of an array stands: "byte 816", "line 9". */
    void (*place)(const struct matrix_arrays *file, enum array array, int64_t k,
                  char text[ARRAYS_PLACE]);
    void (*close)(struct matrix_arrays *file);
};

struct matrix_arrays {
    const char *path; /* borrowed */
    const struct arrays_format *format;
    void *data;                     /* the format's own */
    int64_t rows, columns, entries; /* 1 to INT32_MAX; entries are fewer than bytes in the file */
    enum csr_kind kind;             /* what the entries stand for: of others than CSR_GENERAL the
                                       file has one triangle */
    bool by_entries, by_columns;    /* not compressed; compressed by columns */
    bool lengths;      /* ARRAY_MAJOR has the length of each row, not where it begins */
    bool no_values;    /* all are 1 */
    bool whole_values; /* they are integers */
    int base;          /* the first row and column, and the first place */

    /* Where the reading stands. */
    int64_t next;       /* entries before */
    int64_t major, end; /* the row of the next entry, and the entries before its end */
    int64_t pointers;   /* of ARRAY_MAJOR: how many have been read */
    int64_t pointer_at; /* the next of these */
    int64_t pointer_count;
    int64_t pointer[ARRAYS_PIECE];
    int64_t index[2][ARRAYS_PIECE]; /* of ARRAY_MAJOR, ARRAY_MINOR, as they are in the file */
    /* The entries read last, from 0. */
    int32_t row[ARRAYS_PIECE], column[ARRAYS_PIECE];
    double value[ARRAYS_PIECE];
};

/* Open a file of one of the formats: .npz of scipy.sparse.save_npz, a Mat of PETSc in binary form,
 * Harwell-Boeing and Rutherford-Boeing, a MAT-file of MATLAB. The first bytes tell which, not the
 * name; *file = NULL: it is of none. path is borrowed. The caller calls arrays_close. Errors:
 * STATUS_INPUT, STATUS_MEMORY. */
enum status arrays_open(const char *path, struct matrix_arrays **file, struct error *error);
void arrays_close(struct matrix_arrays *file); /* accepts NULL */

/* Go to the first entry. */
enum status arrays_rewind(struct matrix_arrays *file, struct error *error);

/* Read the next *count <= ARRAYS_PIECE entries; 0 after the last. Their rows, columns and values
 * are within the matrix, and finite. Errors: STATUS_INPUT, with where in the file the fault is;
 * STATUS_MEMORY. */
enum status arrays_next(struct matrix_arrays *file, int64_t *count, struct error *error);

/* Where entry k of the file stands. */
void arrays_place(const struct matrix_arrays *file, int64_t k, char text[ARRAYS_PLACE]);

/* For formats: "PATH: PLACE: ..." of number k of an array. Gives back STATUS_INPUT. */
enum status arrays_refuse(const struct matrix_arrays *file, enum array array, int64_t k,
                          struct error *error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A format finds out whether the file is one of it (*is). If so, or after an error, it sets what of
 * *file comes before the place of the reading; the caller closes it. */
typedef enum status arrays_opener(struct matrix_arrays *file, bool *is, struct error *error);
arrays_opener npz_open, petsc_open, boeing_open, matlab_open;

#endif
