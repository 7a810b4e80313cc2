/* All components, by their kind. This layer is above all layers with components, because it names
 * them. */
#include "base/component.h"
#include "problem/problem.h"
#include "problem/rhs.h"
#include "problem/start.h"
#include "solver/method.h"
#include "spmv/kernel.h"
#include "spmv/preconditioner.h"

static const struct component *const problems[] = {
#define PROBLEM(name) &problem_##name.component,
#include "problem/problems.def"
};

static const struct component *const rhs[] = {
#define RHS(name) &rhs_##name.component,
#include "problem/rhs.def"
};

static const struct component *const starts[] = {
#define START(name) &start_##name.component,
#include "problem/start.def"
};

#define PRECONDITIONER(name) extern const struct preconditioner preconditioner_##name;
#include "precondition/preconditioners.def"
#undef PRECONDITIONER

static const struct component *const preconditioners[] = {
#define PRECONDITIONER(name) &preconditioner_##name.component,
#include "precondition/preconditioners.def"
};

#define METHOD(name) extern const struct method method_##name;
#include "solver/methods.def"
#undef METHOD

static const struct component *const methods[] = {
#define METHOD(name) &method_##name.component,
#include "solver/methods.def"
};

static const struct {
    const struct component *const *list;
    int count;
} kinds[COMPONENT_KINDS] = {
    [COMPONENT_PROBLEM] = {problems, sizeof problems / sizeof *problems},
    [COMPONENT_RHS] = {rhs, sizeof rhs / sizeof *rhs},
    [COMPONENT_START] = {starts, sizeof starts / sizeof *starts},
    [COMPONENT_PRECONDITIONER] = {preconditioners,
                                  sizeof preconditioners / sizeof *preconditioners},
    [COMPONENT_METHOD] = {methods, sizeof methods / sizeof *methods},
};

const struct component *const *component_list(enum component_kind kind, int *count)
{
    if (kind == COMPONENT_KERNEL)
        return kernel_components(count);
    *count = kinds[kind].count;
    return kinds[kind].list;
}
