#include "io/results.h"

#include <inttypes.h>
#include <math.h>

enum status history_csv_begin(const char *directory, struct text_file *file, struct error *error)
{
    enum status status = text_file_begin(directory, "history.csv", file, error);
    if (status)
        return status;
    status = text_file_line(file, error, "kernel,run,iteration,residual,residual_hex,alpha,beta");
    if (status)
        text_file_abandon(file);
    return status;
}

/* A number without its sign where it is not one: C libraries print -nan, nan(0x...), and more. */
static const char *number(char text[32], const char *format, double value)
{
    if (isnan(value))
        return "nan";
    snprintf(text, 32, format, value);
    return text;
}

enum status history_csv_row(struct text_file *file, const char *label, int64_t run,
                            const struct history_row *row, struct error *error)
{
    char residual[32], hex[32], alpha[32], beta[32];
    bool first = row->iteration == 0;
    return text_file_line(file, error, "%s,%" PRId64 ",%" PRId64 ",%s,%s,%s,%s", label, run,
                          row->iteration, number(residual, "%.17g", row->residual),
                          number(hex, "%a", row->residual),
                          first ? "" : number(alpha, "%.17g", row->alpha),
                          first ? "" : number(beta, "%.17g", row->beta));
}
