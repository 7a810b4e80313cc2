#include "main/mtx_texts.h"

const char mtx_symmetric[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                             "3 3 4\n1 1 4\n2 1 -1\n2 2 4\n3 3 1e-3\n";
const char mtx_general[] = "%%MatrixMarket matrix coordinate real general\n"
                           "3 3 4\n1 1 4\n2 1 -1\n1 3 2\n3 3 7\n";
const char mtx_in_fact[] = "%%MatrixMarket matrix coordinate pattern general\n"
                           "3 3 2\n3 1\n1 3\n";
const char mtx_wide[] = "%%MatrixMarket matrix coordinate integer general\n"
                        "2 5 3\n1 1 1\n1 5 -2\n2 3 3\n";
const char mtx_complex[] = "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 1\n";
