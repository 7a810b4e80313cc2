#include "program/report/results_made.h"

#include "support.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static FILE *begin(const char *directory, const char *file)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *stream = fopen(path, "wb");
    ck_assert_msg(stream != NULL, "cannot write %s", path);
    return stream;
}

void results_write(const char *directory, const char *file, const char *text)
{
    FILE *stream = begin(directory, file);
    fputs(text, stream);
    fclose(stream);
}

/* What the label is called in summary.json. The caller frees it. */
static char *json_text(const char *label)
{
    json_t *text = json_string(label);
    char *made = json_dumps(text, JSON_ENCODE_ANY);
    ck_assert_msg(made != NULL, "the label is not UTF-8");
    json_decref(text);
    return made;
}

static void write_summary(const char *directory, const char *label, int64_t runs, int64_t histories,
                          int64_t iterations)
{
    FILE *file = begin(directory, "summary.json");
    char *name = json_text(label);
    fprintf(file,
            "{\"schema\": 1,\n\"problem\": {\"type\": \"poisson3d\", \"n\": 8, \"nnz_full\": 32, "
            "\"nnz_upper\": 20, \"rhs\": \"ones\", \"rhs_norm\": 1.0, \"matrix_hash\": "
            "\"00000000000000aa\", \"rhs_hash\": \"00000000000000bb\", \"reorder\": {\"name\": "
            "\"none\"}},\n"
            "\"machine\": {\"cpu\": \"a processor\", \"cores\": 2, \"threads\": 2, \"memory\": "
            "1000000, \"device\": \"none\", \"system\": \"Linux\", \"compiler\": \"gcc\", "
            "\"version\": \"9.9.9\"},\n"
            "\"solver\": {\"method\": \"cg\", \"tolerance\": 1e-8, \"max_iterations\": 100, "
            "\"reductions\": \"reproducible\"},\n"
            "\"kernels\": [{\"name\": %s, \"kernel\": \"cpu_csr\", \"storage\": \"full\", "
            "\"guarantee\": \"bitwise\", \"description\": \"\", \"setup_seconds\": 0.5, "
            "\"bytes_per_iteration\": 1000, \"iterations\": {\"min\": %" PRId64
            ", \"median\": %" PRId64 ".0, \"max\": %" PRId64 "}, \"distinct_histories\": %" PRId64
            ", \"first_divergence\": %s, \"solution_spread\": null,\n\"runs\": [",
            name, iterations, iterations, iterations, histories, histories > 1 ? "0" : "null");
    for (int64_t r = 1; r <= runs; r++)
        fprintf(file,
                "%s\n{\"run\": %" PRId64 ", \"reason\": \"converged\", \"iterations\": %" PRId64
                ", \"residual\": 1e-9, \"true_residual\": null, \"seconds_per_iteration\": 0.001, "
                "\"history_hash\": \"%016" PRIx64 "\", \"solution_hash\": \"%016" PRIx64 "\"}",
                r > 1 ? "," : "", r, iterations, (r - 1) % histories, (r - 1) % histories);
    fputs("]}]}\n", file);
    free(name);
    fclose(file);
}

/* The k-th history differs from the first by k ulps in every residual. */
static void write_history(const char *directory, const char *label, int64_t runs, int64_t histories,
                          int64_t iterations)
{
    FILE *file = begin(directory, "history.csv");
    fputs("kernel,run,iteration,residual,residual_hex,alpha,beta\n", file);
    for (int64_t r = 1; r <= runs; r++)
        for (int64_t k = 0; k <= iterations; k++) {
            double residual = ldexp(1, -(int)k) * (1 + ldexp((double)((r - 1) % histories), -52));
            fprintf(file, "%s,%" PRId64 ",%" PRId64 ",%.17g,%a,,\n", label, r, k, residual,
                    residual);
        }
    fclose(file);
}

const char *results_made(const char *name, const char *label, int64_t runs, int64_t histories,
                         int64_t iterations)
{
    static char directory[512];
    snprintf(directory, sizeof directory, "%s", temporary_path(name));
    mkdir(directory, 0777);
    write_summary(directory, label, runs, histories, iterations);
    write_history(directory, label, runs, histories, iterations);
    return directory;
}

static void replace(const char *directory, const char *file, const char *from, const char *to,
                    bool all)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *stream = fopen(path, "rb");
    ck_assert_msg(stream != NULL, "cannot read %s", path);
    fseek(stream, 0, SEEK_END);
    size_t size = (size_t)ftell(stream);
    rewind(stream);
    char *text = calloc(size + 1, 1);
    ck_assert_uint_eq(fread(text, 1, size, stream), size);
    fclose(stream);
    char *at = strstr(text, from);
    ck_assert_msg(at != NULL, "%s holds no \"%s\"", path, from);
    stream = begin(directory, file);
    fprintf(stream, "%.*s%s%s", (int)(at - text), text, to, all ? "" : at + strlen(from));
    fclose(stream);
    free(text);
}

void results_cut(const char *directory, const char *file, const char *from, const char *to)
{
    replace(directory, file, from, to, true);
}

void results_edit(const char *directory, const char *file, const char *from, const char *to)
{
    replace(directory, file, from, to, false);
}
