#include "study/verdict.h"

#include <inttypes.h>
#include <stdio.h>

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

const char *verdict_text(const struct verdict *verdict, char *text, size_t size)
{
    char range[64], failures[128] = "";
    if (verdict->iterations_min == verdict->iterations_max)
        snprintf(range, sizeof range, "%" PRId64 " iteration%s", verdict->iterations_max,
                 plural(verdict->iterations_max));
    else
        snprintf(range, sizeof range, "%" PRId64 " to %" PRId64 " iterations",
                 verdict->iterations_min, verdict->iterations_max);
    if (verdict->failed > 0)
        snprintf(failures, sizeof failures, "; %" PRId64 " of %" PRId64 " did not converge (%s)",
                 verdict->failed, verdict->runs, verdict->reason);
    snprintf(text, size, "%s: %" PRId64 " answer%s in %" PRId64 " run%s, %s%s", verdict->label,
             verdict->answers, plural(verdict->answers), verdict->runs, plural(verdict->runs),
             range, failures);
    return text;
}
