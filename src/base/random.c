#include "base/random.h"

#include "base/threads.h"

void random_permutation(uint64_t seed, int64_t n, int32_t *number)
{
    for (int64_t i = 0; i < n; i++)
        number[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)(splitmix64(seed, (uint64_t)i) % (uint64_t)(i + 1));
        int32_t other = number[j];
        number[j] = number[i];
        number[i] = other;
    }
}

struct drawing {
    uint64_t seed;
    int64_t first;
    double *v;
};

static void draw(void *context, int64_t begin, int64_t end)
{
    const struct drawing *drawing = context;
    for (int64_t i = drawing->first + begin; i < drawing->first + end; i++)
        drawing->v[i] = random_uniform(drawing->seed, (uint64_t)i);
}

void random_vector_part(int64_t seed, int64_t first, int64_t last, double *v)
{
    threads_each(threads_lent(), last - first, draw, &(struct drawing){(uint64_t)seed, first, v});
}

void random_vector(int64_t seed, int64_t n, double *v)
{
    random_vector_part(seed, 0, n, v);
}
