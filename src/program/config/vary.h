/* vary = { threads = [1, 2]; reductions = ["reproducible", "exact"]; form = ["blocks", "general"];
 * };
 *
 * Every entry of the list of kernels is replaced by its product with the lists: one entry for each
 * combination of their values, the last list varying fastest. A list is named `threads`,
 * `reductions`, or as a parameter of a kernel. It leaves an entry as it is that cannot take it (a
 * kernel without that parameter; threads, for a kernel on a device) and one whose own group sets
 * it. The label of a combination is that of the entry and, for each list, " NAME=VALUE": "bitwise
 * threads=2 reductions=exact".
 *
 * So everything behind knows a list of kernels alone, and settings.cfg holds the product. */
#ifndef PROGRAM_CONFIG_VARY_H
#define PROGRAM_CONFIG_VARY_H

#include "program/config/tree.h"

/* Multiply study->kernels, which stand in the same tree. On failure settings_free frees what is
 * there. Errors: STATUS_CONFIG (what is no list of values, a value that a kernel does not take, a
 * list that no kernel takes, two combinations with one label), STATUS_MEMORY. */
enum status kernels_vary(const struct config_tree *tree, const config_setting_t *setting,
                         struct study_settings *study, struct error *error);

#endif
