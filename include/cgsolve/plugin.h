/* What an extension of cgsolve is written against: every contract, for a file that includes one
 * header. A file that needs less includes less.
 *
 *     component.h        a name with parameters, as a config chooses it: every extension is one
 *     kernel.h           y = A x for one way to keep A
 *     preconditioner.h   z = M^-1 r
 *     method.h           how a system or an eigenvalue problem is iterated on
 *     operator.h         what a kernel or a preconditioner makes: a table of what it can do
 *     space.h            where vectors live, and what can be done with them
 *     pass.h             what is done to vectors in one sweep, and the sums of it
 *     host_device.h      functions that are compiled for CPU and GPU
 *     solver_rows.h      the rows of a method whose scalars are in the space
 *     archive.h          the state of a solve, saved and loaded
 *     observer.h         what a solve shows
 *     csr.h, status.h    the matrix, and what goes wrong
 *
 * The contract of a problem, a right-hand side or a start is in src/problem/ (problem.h, rhs.h,
 * start.h).
 *
 * Today an extension is built into the tree: one file, and one line in a .def file
 * (docs/architecture.md, "How to add ..."). A shared object cannot be loaded yet, and the library
 * shows none of these functions to one: so this header, and the headers that it includes, are
 * installed to be read, and promise nothing to a program that is built outside of the tree. */
#ifndef CGSOLVE_PLUGIN_H
#define CGSOLVE_PLUGIN_H

#include "cgsolve/archive.h"
#include "cgsolve/component.h"
#include "cgsolve/csr.h"
#include "cgsolve/host_device.h"
#include "cgsolve/kernel.h"
#include "cgsolve/method.h"
#include "cgsolve/observer.h"
#include "cgsolve/operator.h"
#include "cgsolve/pass.h"
#include "cgsolve/preconditioner.h"
#include "cgsolve/solver_rows.h"
#include "cgsolve/space.h"
#include "cgsolve/status.h"

#endif
