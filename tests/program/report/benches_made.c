#include "program/report/benches_made.h"

#include "support.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MATRICES = 10 };

static const double entries[] = {100, 2000, 350, 8000, 120000, 50, 9000, 700, 40000, 1500};
static const double mean[] = {3, 7.5, 2, 11, 27, 1.25, 4, 9, 6, 5};
static const double variation[] = {0, 0.2, 1.5, 0.05, 3, 0.75, 0.5, 12, 0.004, 0.2};
static const double speeds[][MATRICES] = {
    {1e9, 9e9, 4e8, 1.2e10, 2.5e9, 2.5e8, 3e9, 1.25e8, 2e10, 5e9},
    {9e8, 7e9, 9.5e8, 8e9, 9e9, 5e8, 6e9, 3e9, 1.1e10, 6.5e9},
};
static const char *const labels[] = {"\"a, \"\"b\"\"\"", "merge"};

static struct {
    char text[20000];
    size_t length;
} csv;

static void __attribute__((format(printf, 1, 2))) put(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    csv.length +=
        (size_t)vsnprintf(csv.text + csv.length, sizeof csv.text - csv.length, format, values);
    va_end(values);
    ck_assert_uint_lt(csv.length, sizeof csv.text);
}

/* speed < 0: skipped; 0: wrong. */
static void put_row(int kernel, int matrix, double speed, bool older)
{
    double m = mean[matrix], deviation = m * variation[matrix];
    put("0000000000000002,\"m, %d.mtx\",%s,k,", matrix, labels[kernel]);
    if (speed < 0)
        put("skipped,,,");
    else
        put("%s,1e-3,1e-3,%.9g", speed > 0 ? "pass" : "fail", speed > 0 ? speed : 1e9);
    put(",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", entries[matrix] / m, entries[matrix], m, deviation,
        variation[matrix], m + 20 * deviation);
    if (!older) /* a third of the rows, or all of them */
        put(",%.9g,%.9g", m / 2, entries[matrix] / m / (matrix < 4 ? 3 : 1));
    put(",%s\n", speed < 0 ? "too \"\"large\"\"" : "");
}

const char *bench_made(const char *name, int older)
{
    static char path[512];
    const char *ends = older ? ",,,,,,," : ",,,,,,,,,";
    csv.length = 0;
    put("run,matrix,kernel,parameters,status,median_seconds,mean_seconds,bytes_per_second,rows,"
        "entries,row_mean,row_deviation,row_variation,row_longest%s,reason\n",
        older ? "" : ",row_shortest,rows_below_32");
    put("0000000000000001,x.mtx,other,k,error,,%s,an older run\n", ends);
    put_row(0, 0, 123, older);
    for (int matrix = 0; matrix < MATRICES; matrix++)
        for (int kernel = 0; kernel < 2; kernel++)
            put_row(kernel, matrix,
                    kernel == 0 || (matrix != 3 && matrix != 7) ? speeds[kernel][matrix]
                    : matrix == 3                               ? -1
                                                                : 0,
                    older);
    put("0000000000000002,bad.mtx,,,error,,%s,\"bad.mtx:1: no, not \"\"this\"\"\"\n", ends);
    put("0000000000000002,row.mtx,,,skipped,,%s,one row\n", ends);
    snprintf(path, sizeof path, "%s", temporary_file(name, csv.text, (int64_t)csv.length));
    return path;
}
