#include "main/reference.h"

#include "main/program.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char config[256], reference[256], results[256], history[300];

void prepare(void)
{
    snprintf(config, sizeof config, "%s", temporary_file("small.cfg", small_config, -1));
    snprintf(reference, sizeof reference, "%s", temporary_path("reference.csv"));
    snprintf(results, sizeof results, "%s", temporary_path("results"));
    snprintf(history, sizeof history, "%s/history.csv", results);
    expect_exit(run_program("--quiet --output %s --write-reference %s "
                            "--set 'kernels=(\"cpu_csr\")' %s",
                            results, reference, config),
                0);
}

const char *edited(const char *path, const char *behind, const char *from, const char *to)
{
    static char text[1 << 16];
    char *copy = strdup(file_text(path));
    char *place = strstr(copy, behind);
    ck_assert_msg(place != NULL, "\"%s\" is missing in %s", behind, path);
    place = strstr(place + strlen(behind), from);
    ck_assert_ptr_nonnull(place);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - copy), copy, to, place + strlen(from));
    free(copy);
    return temporary_file("edited.csv", text, -1);
}

void residual_of(int iteration, char text[40])
{
    char row[64];
    snprintf(row, sizeof row, "\ncpu_csr,1,%d,", iteration);
    const char *at = strstr(file_text(reference), row);
    ck_assert_ptr_nonnull(at);
    at = strchr(at + strlen(row), ',') + 1;
    snprintf(text, 40, "%.*s", (int)strcspn(at, ","), at);
}

double ulps_away(double value, int64_t ulps)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits += ulps;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *changed_by(int iteration, int64_t ulps)
{
    char from[40], to[40], row[64];
    residual_of(iteration, from);
    snprintf(to, sizeof to, "%a", ulps_away(strtod(from, NULL), ulps));
    snprintf(row, sizeof row, "\ncpu_csr,1,%d,", iteration);
    return edited(reference, row, from, to);
}
