/* Files with a matrix as arrays: compressed rows or columns, or coordinates. A format opens its
 * file and reads the arrays' numbers; this file does all else. */
#ifndef IO_ARRAYS_MATRIX_ARRAYS_H
#define IO_ARRAYS_MATRIX_ARRAYS_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdbool.h>
#include <stdint.h>

enum { ARRAYS_PIECE = 1 << 12, ARRAYS_PLACE = 96 };

/* The arrays of a file. In a matrix compressed by columns, ARRAY_MAJOR is of columns. */
enum array {
    ARRAY_MAJOR, /* row offsets; or the row of each entry */
    ARRAY_MINOR, /* the column of each entry */
    ARRAY_VALUES,
    ARRAYS,
};

struct matrix_arrays;

struct arrays_format {
    /* Go to the first number of every array. Errors: STATUS_INPUT, STATUS_MEMORY. */
    enum status (*rewind)(struct matrix_arrays *file, struct error *error);
    /* The next count <= ARRAYS_PIECE numbers of an array, from number `first` on: values into
     * `real`, indices into `integers`. Errors: as above. */
    enum status (*read)(struct matrix_arrays *file, enum array array, int64_t first, int64_t count,
                        int64_t *integers, double *real, struct error *error);
    /* After all arrays: checks that the file ends. NULL: no check needed. */
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
    enum csr_kind kind;             /* the file has one triangle unless it is CSR_GENERAL */
    bool by_entries, by_columns;    /* not compressed; compressed by columns */
    bool lengths;                   /* ARRAY_MAJOR has row lengths, not offsets */
    bool no_values;                 /* all are 1 */
    bool integer_values;            /* they are integers */
    int base;                       /* index of the first row and column, and the first offset */

    /* The state of the reader. */
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
 * Harwell-Boeing and Rutherford-Boeing, a MAT-file of MATLAB. The first bytes tell the format, not
 * the name; *file = NULL: none of these. path is borrowed. The caller calls arrays_close. Errors:
 * STATUS_INPUT, STATUS_MEMORY. */
enum status arrays_open(const char *path, struct matrix_arrays **file, struct error *error);
void arrays_close(struct matrix_arrays *file); /* accepts NULL */

/* Go to the first entry. */
enum status arrays_rewind(struct matrix_arrays *file, struct error *error);

/* Read the next *count <= ARRAYS_PIECE entries; 0 after the last. Their rows, columns and values
 * are within the matrix, and finite. Errors: STATUS_INPUT, with where in the file the fault is;
 * STATUS_MEMORY. */
enum status arrays_next(struct matrix_arrays *file, int64_t *count, struct error *error);

/* The place of entry k in the file. */
void arrays_place(const struct matrix_arrays *file, int64_t k, char text[ARRAYS_PLACE]);

/* For formats: "PATH: PLACE: ..." of number k of an array. Gives back STATUS_INPUT. */
enum status arrays_refuse(const struct matrix_arrays *file, enum array array, int64_t k,
                          struct error *error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* *is: the file has this format. If so, or after an error, it sets the members of *file before the
 * reader's state, and the caller closes the file. */
typedef enum status arrays_opener(struct matrix_arrays *file, bool *is, struct error *error);
arrays_opener npz_open, petsc_open, boeing_open, matlab_open;

#endif
