/* Passes over columns of multivectors, for every space. */
#ifndef TESTS_SPACE_COLUMN_PASSES_H
#define TESTS_SPACE_COLUMN_PASSES_H

#include "space/space.h"

/* The pass of trial_pass.h over some columns of a multivector: vectors, sums and what follows have
 * the bits of a run over each alone; columns that have ended, that are not asked for, or that are
 * padding, stay. In every kind of reduction, for several lengths and numbers of columns; where sums
 * have no order they are held to the bound. */
void trial_column_passes(enum space_kind kind);

#endif
