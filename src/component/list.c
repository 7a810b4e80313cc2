/* All components, by their kind. This layer is above all layers with components, because it names
 * them. */
#include "base/component.h"
#include "problem/problem.h"
#include "problem/rhs.h"
#include "problem/start.h"
#include "solver/method.h"
#include "spmv/kernel.h"
#include "spmv/preconditioner.h"

#include <stdatomic.h>

/* The built-in components, and room for those of plug-ins. */
static const struct component *problems[COMPONENTS_MOST] = {
#define PROBLEM(name) &problem_##name.component,
#include "problem/problems.def"
};

static const struct component *rhs[COMPONENTS_MOST] = {
#define RHS(name) &rhs_##name.component,
#include "problem/rhs.def"
};

static const struct component *starts[COMPONENTS_MOST] = {
#define START(name) &start_##name.component,
#include "problem/start.def"
};

#define PRECONDITIONER(name) extern const struct preconditioner preconditioner_##name;
#include "precondition/preconditioners.def"
#undef PRECONDITIONER

static const struct component *preconditioners[COMPONENTS_MOST] = {
#define PRECONDITIONER(name) &preconditioner_##name.component,
#include "precondition/preconditioners.def"
};

#define METHOD(name) extern const struct method method_##name;
#include "solver/methods.def"
#undef METHOD

static const struct component *methods[METHODS_MOST] = {
#define METHOD(name) &method_##name.component,
#include "solver/methods.def"
};

#undef PROBLEM
#undef RHS
#undef START
#undef PRECONDITIONER
#undef METHOD
#define PROBLEM(name) +1
#define RHS(name) +1
#define START(name) +1
#define PRECONDITIONER(name) +1
#define METHOD(name) +1

/* Increments the count after the entry is filled in, so that other threads may read meanwhile. */
static struct {
    const struct component **list;
    int most;
    atomic_int count;
} kinds[COMPONENT_KINDS] = {
    [COMPONENT_PROBLEM] =
        {
            problems,
            COMPONENTS_MOST,
#include "problem/problems.def"
        },
    [COMPONENT_RHS] =
        {
            rhs,
            COMPONENTS_MOST,
#include "problem/rhs.def"
        },
    [COMPONENT_START] =
        {
            starts,
            COMPONENTS_MOST,
#include "problem/start.def"
        },
    [COMPONENT_PRECONDITIONER] =
        {
            preconditioners,
            COMPONENTS_MOST,
#include "precondition/preconditioners.def"
        },
    [COMPONENT_METHOD] =
        {
            methods,
            METHODS_MOST,
#include "solver/methods.def"
        },
};

const struct component *const *component_list(enum component_kind kind, int *count)
{
    if (kind == COMPONENT_KERNEL)
        return kernel_components(count);
    *count = atomic_load(&kinds[kind].count);
    return kinds[kind].list;
}

bool component_add(const struct component *component)
{
    enum component_kind kind = component->kind;
    if (kind == COMPONENT_KERNEL)
        return kernel_add((const struct kernel *)component);
    int count = atomic_load(&kinds[kind].count);
    if (count == kinds[kind].most)
        return false;
    kinds[kind].list[count] = component;
    atomic_store(&kinds[kind].count, count + 1);
    return true;
}
