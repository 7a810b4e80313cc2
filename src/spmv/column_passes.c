#include "spmv/columns.h"

#include "space/define_pass.h"

ELEMENTS_AT(column_take, column_work)
ELEMENTS_AT(column_put, column_work)

PASS(pass_column_take, column_take, column_work, .name = "a column of a multivector", .reads = 1,
     .writes = 1)
PASS(pass_column_put, column_put, column_work, .name = "a column into a multivector", .reads = 1,
     .writes = 1)
