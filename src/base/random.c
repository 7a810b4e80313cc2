#include "base/random.h"

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

void random_vector_part(int64_t seed, int64_t first, int64_t last, double *v)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = first; i < last; i++)
        v[i] = random_uniform((uint64_t)seed, (uint64_t)i);
}

void random_vector(int64_t seed, int64_t n, double *v)
{
    random_vector_part(seed, 0, n, v);
}
