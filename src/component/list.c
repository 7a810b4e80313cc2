/* All components, by their kind. */
#include "cgsolve/component.h"
#include "cgsolve/kernel.h"
#include "problem/problem.h"
#include "problem/rhs.h"

static const struct component *const problems[] = {
#define PROBLEM(name) &problem_##name.component,
#include "problem/problems.def"
};

static const struct component *const rhs[] = {
#define RHS(name) &rhs_##name.component,
#include "problem/rhs.def"
};

static const struct {
    const struct component *const *list;
    int count;
} kinds[COMPONENT_KINDS] = {
    [COMPONENT_PROBLEM] = {problems, sizeof problems / sizeof *problems},
    [COMPONENT_RHS] = {rhs, sizeof rhs / sizeof *rhs},
};

const struct component *const *component_list(enum component_kind kind, int *count)
{
    if (kind == COMPONENT_KERNEL)
        return kernel_components(count);
    *count = kinds[kind].count;
    return kinds[kind].list;
}
