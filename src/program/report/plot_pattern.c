/* Where the entries of the matrix stand, in the problem's own numbering and in the one that was
 * solved. */
#include "matrix/pattern.h"
#include "program/report/plot.h"
#include "program/report/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum {
    SIDE = 320, /* a multiple of PATTERN_MOST, so that no seam is seen between strokes */
    SIDE_ON_A_PHONE = 256,
    ABOVE = 24, /* for the name of a panel */
    ROOM = 90,
    SHADES = 5,
    WIDEST = 18, /* characters in the key */
    SQUARE = 2,  /* as a mark */
    STROKES = 5  /* as a mark that is not filled */
};

/* Of one hue, and seen on black too. */
static const char *const shades[SHADES] = {"#0072b238", "#0072b260", "#0072b28c", "#0072b2c0",
                                           "#0072b2"};

struct pattern {
    int64_t size, bandwidth;
    const char *rows[PATTERN_MOST];
};

static bool read_pattern(const struct summary *summary, const char *when, struct pattern *pattern)
{
    const json_t *problem = json_object_get(summary->json, "problem");
    const json_t *made = json_object_get(json_object_get(problem, "reorder"), when);
    const json_t *rows = json_object_get(made, "pattern");
    pattern->size = (int64_t)json_array_size(rows);
    pattern->bandwidth = json_integer_value(json_object_get(made, "bandwidth"));
    for (int64_t r = 0; r < pattern->size && r < PATTERN_MOST; r++) {
        const char *row = json_string_value(json_array_get(rows, (size_t)r));
        if (!row || strspn(row, "0123456789abcdefghijklmnopqrstuvwxyz") != (size_t)pattern->size ||
            row[pattern->size])
            return false;
        pattern->rows[r] = row;
    }
    return pattern->size > 0 && pattern->size <= PATTERN_MOST;
}

static bool read_both(const struct recorded *study, struct pattern both[2])
{
    return read_pattern(&study->summary, "before", &both[0]) &&
           read_pattern(&study->summary, "after", &both[1]);
}

static const char *missing(const void *of)
{
    struct pattern both[2];
    return read_both(of, both) ? NULL
                               : "summary.json has no pattern of a matrix before and after "
                                 "problem.reorder.";
}

static int largest_digit(const struct pattern both[2])
{
    int largest = 1;
    for (int p = 0; p < 2; p++)
        for (int64_t r = 0; r < both[p].size; r++)
            for (int64_t c = 0; c < both[p].size; c++) {
                int digit = csr_pattern_digit(both[p].rows[r][c]);
                largest = digit > largest ? digit : largest;
            }
    return largest;
}

/* From 1; 0: no entry. */
static int shade_of(char cell, int shades_count, int largest)
{
    return (csr_pattern_digit(cell) * shades_count + largest - 1) / largest;
}

/* A stroke for each run of cells of the shade. */
static void draw_shade(struct canvas *canvas, const struct pattern *pattern, int shade,
                       int shades_count, int largest)
{
    path_begin(canvas);
    for (int64_t r = 0; r < pattern->size; r++)
        for (int64_t c = 0, end; c < pattern->size; c = end) {
            end = c + 1;
            int here = shade_of(pattern->rows[r][c], shades_count, largest);
            while (end < pattern->size &&
                   shade_of(pattern->rows[r][end], shades_count, largest) == here)
                end++;
            if (here != shade)
                continue;
            path_to(canvas, (double)c, (double)(pattern->size - r) - 0.5);
            path_to(canvas, (double)end, (double)(pattern->size - r) - 0.5);
            path_gap(canvas);
        }
}

static void draw_frame(struct canvas *canvas, double size)
{
    static const double corners[][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 0}};
    path_begin(canvas);
    for (size_t k = 0; k < sizeof corners / sizeof *corners; k++)
        path_to(canvas, size * corners[k][0], size * corners[k][1]);
    path_end(canvas, "rule", -1, NULL, CANVAS_BLACK, 1);
}

/* The first and the last number, and what it is of. */
static void write_numbers(struct canvas *canvas, int64_t n, const char *when, int64_t bandwidth)
{
    char last[32], title[80];
    snprintf(last, sizeof last, "%" PRId64, n);
    snprintf(title, sizeof title, "%s: bandwidth %" PRId64, when, bandwidth);
    canvas_text(canvas, canvas->left, canvas->upper - 9, "start", title);
    canvas_text(canvas, canvas->left - 8, canvas->upper + 12, "end", "1");
    canvas_text(canvas, canvas->left - 8, canvas->lower, "end", last);
    canvas_text(canvas, canvas->left, canvas->lower + 20, "start", "1");
    canvas_text(canvas, canvas->right, canvas->lower + 20, "end", last);
}

static void write_keys(struct canvas *canvas, int shades_count, int largest)
{
    for (int s = 0; s < shades_count; s++) {
        char name[64];
        int64_t low = (int64_t)1 << (s * largest / shades_count);
        int64_t high = ((int64_t)1 << ((s + 1) * largest / shades_count)) - 1;
        if (low == high)
            snprintf(name, sizeof name, "%" PRId64, low);
        else
            snprintf(name, sizeof name, "%" PRId64 " to %" PRId64, low, high);
        canvas_key(canvas, s, name, NULL,
                   (struct canvas_style){shades[SHADES - shades_count + s], 0, SQUARE},
                   CANVAS_MARK);
    }
}

static void draw(struct canvas *canvas, const void *of)
{
    static const char *const when[] = {"before", "after"};
    const struct recorded *study = of;
    bool phone = canvas->place == CANVAS_PHONE;
    struct pattern both[2];
    read_both(study, both);
    int largest = largest_digit(both), shades_count = largest < SHADES ? largest : SHADES;
    double side = phone ? SIDE_ON_A_PHONE : SIDE, below = ABOVE + side + CANVAS_AXIS;
    canvas_begin(canvas, ABOVE + side + (phone ? below : 0), shades_count, WIDEST);
    write_keys(canvas, shades_count, largest);
    for (int p = 0; p < 2; p++) {
        double size = (double)both[p].size, left = ROOM + (phone ? 0 : p * canvas->width / 2);
        const struct axis x = {.title = "column", .end = size, .bare = true};
        const struct axis y = {.title = "row", .end = size, .bare = true};
        canvas_panel(canvas, left, left + side, ABOVE + (phone ? p * below : 0), side, &x, &y);
        for (int s = 1; s <= shades_count; s++) {
            draw_shade(canvas, &both[p], s, shades_count, largest);
            path_end(canvas, "marks", s - 1, NULL,
                     (struct canvas_style){shades[SHADES - shades_count + s - 1], 0, STROKES},
                     side / size);
        }
        draw_frame(canvas, size);
        write_numbers(canvas, study->summary.n, when[p], both[p].bandwidth);
    }
}

static void write_caption(FILE *page, const void *of)
{
    const struct recorded *study = of;
    struct pattern both[2];
    read_both(study, both);
    html_print(page,
               "Where the entries stand, in the problem's own numbering and in that of "
               "problem.reorder = %s, which was solved. The darker a cell, the more entries are in "
               "it: the key has the numbers. A grid has %ld by %ld cells. The bandwidth is the "
               "largest |<i>j</i> − <i>i</i>| of an entry.",
               study->summary.reorder, both[0].size, both[0].size);
}

const struct plot plot_pattern = {
    .name = "pattern",
    .title = "The matrix before and after reordering",
    .missing = missing,
    .draw = draw,
    .caption = write_caption,
    .optional = true,
};
