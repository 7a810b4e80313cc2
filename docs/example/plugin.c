/* The examples as one plug-in; docs/plugins.md says how it is compiled and used. */
#include "component/plugin.h"

extern const struct kernel kernel_cpu_csr_descending;
extern const struct preconditioner preconditioner_richardson;
extern const struct method method_steepest_descent;
extern const struct problem problem_ring;

CGSOLVE_PLUGIN(&kernel_cpu_csr_descending.component, &preconditioner_richardson.component,
               &method_steepest_descent.component, &problem_ring.component)
