/* Which kernels add in one order, and so share the histories of tests/golden. A kernel of the GPU
 * that no file stands for, or one of the CPU, fails tests/golden/test_golden.c. */
#include "golden/golden.h"

#define FORMS(name)                                                                                \
    {name, NULL}, {name, "form = \"diagonals\";"},                                                 \
        {name, "form = \"diagonals\"; compress = \"never\";"}, {name, "form = \"blocks\";"},       \
        {name, "form = \"blocks\"; compress = \"never\";"}, {name, "form = \"general\";"},         \
    {                                                                                              \
        name, "form = \"general\"; compress = \"never\";"                                          \
    }

const struct golden_order golden_orders[] = {
    /* one chain a row, in ascending column order: src/spmv/symmetric/sym_order.h */
    {{{"cpu_csr", NULL},
      {"cpu_sym", NULL},
      FORMS("cpu_sym_bitwise"),
      {"cuda_csr_scalar", NULL},
      {"cuda_csr_subwarp", "threads_per_row = 1;"},
      {"cuda_csr_subwarp", "threads_per_row = 1; loop = \"plain\";"},
      FORMS("cuda_sym_bitwise")}},
    /* none: each element of the product is rounded once */
    {{{"cpu_sym_exact", NULL}, {"cuda_sym_exact", NULL}}},
    {{{"cpu_merge", NULL}}},
    /* a tree over so many threads a row */
    {{{"cuda_csr_vector", NULL}, {"cuda_csr_subwarp", "threads_per_row = 32;"}}},
    {{{"cuda_csr_subwarp", "threads_per_row = 2;"},
      {"cuda_csr_subwarp", "threads_per_row = 2; loop = \"plain\";"}}},
    {{{"cuda_csr_subwarp", "threads_per_row = 4;"},
      {"cuda_csr_subwarp", "threads_per_row = 4; loop = \"plain\";"}}},
    {{{"cuda_csr_subwarp", "threads_per_row = 8;"},
      {"cuda_csr_subwarp", "threads_per_row = 8; loop = \"plain\";"}}},
    {{{"cuda_csr_subwarp", "threads_per_row = 16;"},
      {"cuda_csr_subwarp", "threads_per_row = 16; loop = \"plain\";"}}},
    /* of shares of the entries, or of the items of the merge path */
    {{{"cuda_segscan", "values_per_thread = 4;"}}},
    {{{"cuda_segscan", "values_per_thread = 6;"}}},
    {{{"cuda_segscan", "values_per_thread = 8;"}}},
    {{{"cuda_segscan", "values_per_thread = 10;"}}},
    {{{"cuda_segscan", "values_per_thread = 12;"}}},
    {{{"cuda_segscan", "values_per_thread = 16;"}}},
    {{{"cuda_rode", "split = 96; block = 16;"},
      {"cuda_rode", "split = 96; block = 16; pipeline = \"on\";"}}},
    {{{"cuda_rode", NULL}, {"cuda_rode", "pipeline = \"on\";"}}},
    {{{"cuda_merge", "items_per_thread = \"7\";"},
      {"cuda_merge", "items_per_thread = \"7\"; borders = \"table\";"}}},
    {{{"cuda_merge", "items_per_thread = \"11\";"}}},
    {{{"cuda_merge", "items_per_thread = \"15\";"}}},
    {{{"cuda_merge", "items_per_thread = \"23\";"}}},
    {{{NULL, NULL}}},
};
