/* The texts that stand for the values of the settings' enums. */
#include "program/config/settings.h"

const char *const reorder_names[] = {
    [REORDER_NONE] = "none", [REORDER_RCM] = "rcm", [REORDER_METIS] = "metis", NULL};

const char *const comparison_modes[] = {[COMPARISON_BITWISE] = "bitwise",
                                        [COMPARISON_ULPS] = "ulps",
                                        [COMPARISON_RELATIVE] = "relative",
                                        NULL};

const char *const solution_formats[] = {[SOLUTION_NONE] = "none",
                                        [SOLUTION_NPY] = "npy",
                                        [SOLUTION_MTX] = "mtx",
                                        [SOLUTION_TXT] = "txt",
                                        NULL};
const char *const solution_ofs[] = {[SOLUTION_OF_FIRST] = "first", [SOLUTION_OF_ALL] = "all", NULL};

const char *const trace_keeps[] = {[TRACE_HASH] = "hash", [TRACE_VALUES] = "values", NULL};

const char *reorder_name(enum reorder reorder)
{
    return reorder_names[reorder];
}
