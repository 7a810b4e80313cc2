/* Spaces for tests. */
#ifndef TESTS_SPACES_H
#define TESTS_SPACES_H

#include "space/space.h"

/* A space with so many threads of the host, 0: all; it must be there. The caller destroys it. */
struct space *test_space(enum space_kind kind, enum reductions reductions, int threads);

/* Another like it with so many threads in its place: what was allocated in the old one is still
 * there, its kernels are not to be used. */
void test_space_threads(struct space **space, int threads);

#endif
