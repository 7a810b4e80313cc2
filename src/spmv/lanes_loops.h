/* The loops of a kernel's products with several vectors, of the header LOOPS, for each type of sums
 * and of vectors and number of lanes (spmv/lanes.h). */
#include "spmv/lanes.h"

#ifdef LANES_8
#define CLONES __attribute__((target_clones("fma", "default")))
#else
#define CLONES
#endif

#define NAME(function) function##_double_2
#define OF_SUM(function) function##_double
#define SUM double
#define VECTOR double
#define LANES 2
#include LOOPS
#undef NAME
#undef OF_SUM
#undef SUM
#undef VECTOR
#undef LANES

#define NAME(function) function##_float_2
#define OF_SUM(function) function##_float
#define SUM float
#define VECTOR double
#define LANES 2
#include LOOPS
#undef NAME
#undef OF_SUM
#undef SUM
#undef VECTOR
#undef LANES

#define NAME(function) function##_float_vectors_2
#define OF_SUM(function) function##_float
#define SUM float
#define VECTOR float
#define LANES 2
#include LOOPS
#undef NAME
#undef OF_SUM
#undef SUM
#undef VECTOR
#undef LANES
#undef CLONES

#define CLONES
#ifdef LANES_8
#pragma GCC push_options
#pragma GCC target("fma")
#endif

#define NAME(function) function##_double_4
#define OF_SUM(function) function##_double
#define SUM double
#define VECTOR double
#define LANES 4
#include LOOPS
#undef NAME
#undef OF_SUM
#undef SUM
#undef VECTOR
#undef LANES

#define NAME(function) function##_float_4
#define OF_SUM(function) function##_float
#define SUM float
#define VECTOR double
#define LANES 4
#include LOOPS
#undef NAME
#undef OF_SUM
#undef SUM
#undef VECTOR
#undef LANES

#define NAME(function) function##_float_vectors_4
#define OF_SUM(function) function##_float
#define SUM float
#define VECTOR float
#define LANES 4
#include LOOPS
#undef NAME
#undef OF_SUM
#undef SUM
#undef VECTOR
#undef LANES

#ifdef LANES_8
#pragma GCC target("avx512f,fma")

#define NAME(function) function##_double_8
#define OF_SUM(function) function##_double
#define SUM double
#define VECTOR double
#define LANES 8
#include LOOPS
#undef NAME
#undef OF_SUM
#undef SUM
#undef VECTOR
#undef LANES

#define NAME(function) function##_float_8
#define OF_SUM(function) function##_float
#define SUM float
#define VECTOR double
#define LANES 8
#include LOOPS
#undef NAME
#undef OF_SUM
#undef SUM
#undef VECTOR
#undef LANES

#define NAME(function) function##_float_vectors_8
#define OF_SUM(function) function##_float
#define SUM float
#define VECTOR float
#define LANES 8
#include LOOPS
#undef NAME
#undef OF_SUM
#undef SUM
#undef VECTOR
#undef LANES

#pragma GCC pop_options
#endif
#undef CLONES

#undef LOOPS
