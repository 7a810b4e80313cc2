/* The list of kernels:
 *
 *     kernels = ( "name", { name = "name"; label = "text"; parameter = 1; reductions = "exact";
 *         threads = 2; } );
 */
#ifndef PROGRAM_CONFIG_KERNELS_H
#define PROGRAM_CONFIG_KERNELS_H

#include "base/parameter.h"
#include "program/config/tree.h"

/* Bytes of a label: with the numbers beside it, a row of every file has room for so many. */
enum { LABEL_MOST = 511 };

/* Fill study->kernels and kernels_count from the setting; reductions: of a kernel that has none of
 * its own. On failure settings_free frees what is there. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status kernels_read(const struct config_tree *tree, const config_setting_t *setting,
                         enum reductions reductions, struct study_settings *study,
                         struct error *error);

/* One option of an entry from the setting: its "reductions", its "threads", or the parameter of its
 * kernel that has the name. Errors: STATUS_CONFIG. */
enum status kernel_option_read(const struct config_tree *tree, const config_setting_t *setting,
                               const char *name, struct kernel_settings *made, struct error *error);

/* Give the entry a label and a place of its own. Errors: STATUS_MEMORY; what it has then is freed
 * with the list. */
enum status kernel_name(struct kernel_settings *kernel, const char *label, const char *place,
                        struct error *error);

/* Multiply study->kernels, which stand in the same tree. On failure settings_free frees what is
 * there. Errors: STATUS_CONFIG (what is no list of values, a value that a kernel does not take, a
 * list that no kernel takes, two combinations with one label), STATUS_MEMORY. */
enum status kernels_vary(const struct config_tree *tree, const config_setting_t *setting,
                         struct study_settings *study, struct error *error);

/* Free the list and its labels; NULL with 0 is accepted. */
void kernels_free(struct kernel_settings *kernels, int count);

#endif
