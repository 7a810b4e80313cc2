/* x_0 = 0: nothing is made, and methods begin with b itself. */
#include "problem/start.h"

const struct start start_zero = {{COMPONENT_START, "zero", "x_0 = 0", NULL, 0, NULL}, NULL};
