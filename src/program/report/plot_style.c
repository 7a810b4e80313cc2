/* The colour, the dashes and the mark of a kernel. */
#include "program/report/plot.h"

#include <string.h>

static const char *const colors[] = {"#d55e00",      "#cc79a7", "#0072b2", "#009e73",
                                     "currentColor", "#e69f00", "#56b4e9"};
enum { COLORS = sizeof colors / sizeof *colors };

/* Kernels of one kind on a CPU and on a GPU have the same. */
static const struct {
    const char *kernel;
    int color;
} assigned[] = {
    {"cpu_sym_atomic", 0},
    {"cuda_sym_atomic", 0},
    {"cpu_sym_compensated", 1},
    {"cuda_sym_compensated", 1},
    {"cpu_sym_bitwise", 2},
    {"cuda_sym_bitwise", 2},
    {"cpu_sym_exact", 3},
    {"cuda_sym_exact", 3},
    {"cpu_csr", 4},
    {"cusparse_full", 4},
    {"cuda_csr_scalar", 4},
    {"cpu_merge", 5},
    {"cuda_merge", 5},
    {"cuda_csr_subwarp", 5},
    {"cpu_sym", 6},
    {"cusparse_half", 6},
    {"cuda_csr_vector", 6},
    {"cuda_segscan", 1},
    {"cuda_rode", 3},
};

static int color_of(const char *kernel)
{
    for (size_t k = 0; k < sizeof assigned / sizeof *assigned; k++)
        if (strcmp(assigned[k].kernel, kernel) == 0)
            return assigned[k].color;
    unsigned letters = 0; /* of a kernel that is new here */
    for (; *kernel; kernel++)
        letters = 31 * letters + (unsigned char)*kernel;
    return (int)(letters % COLORS);
}

/* The place of the label among those of its colour, and whether it is there. A CPU and a GPU kernel
 * of one kind under one label are one. */
static bool find_label(const struct plot_axes *axes, const char *label, int color, int *before)
{
    *before = 0;
    for (int64_t k = 0; k < axes->labels_count; k++) {
        if (color_of(axes->labels[k].kernel) != color)
            continue;
        if (strcmp(axes->labels[k].text, label) == 0)
            return true;
        ++*before;
    }
    return false;
}

void plot_take_label(struct plot_axes *axes, const char *label, const char *kernel)
{
    int before;
    if (!find_label(axes, label, color_of(kernel), &before))
        axes->labels[axes->labels_count++] = (struct plot_label){label, kernel};
}

struct canvas_style plot_style(const struct plot_axes *axes, const char *label, const char *kernel)
{
    int color = color_of(kernel), before;
    find_label(axes, label, color, &before);
    return (struct canvas_style){colors[color], before % CANVAS_DASHES,
                                 (color + before) % CANVAS_MARKS};
}

struct canvas_style plot_kernel_style(const struct recorded *study, int kernel)
{
    const struct summary_kernel *of = &study->summary.kernels[kernel];
    return plot_style(study->axes, of->label, of->kernel);
}
