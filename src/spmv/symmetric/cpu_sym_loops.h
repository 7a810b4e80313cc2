/* The loops of a form, of the header LOOPS, for each type of sums and of vectors
 * (spmv/symmetric/cpu_sym_forms.h). */
#define NAME(function) function##_double
#define SUM double
#define VECTOR double
#include LOOPS
#undef NAME
#undef SUM
#undef VECTOR

#define NAME(function) function##_float
#define SUM float
#define VECTOR double
#include LOOPS
#undef NAME
#undef VECTOR

#define NAME(function) function##_float_vectors
#define VECTOR float
#include LOOPS
#undef NAME
#undef SUM
#undef VECTOR

#undef LOOPS
