/* The history of a solve, stored for cgs_solver_history. */
#ifndef API_HISTORY_H
#define API_HISTORY_H

#include "api/handles.h"

/* For a solve by the method with `columns` columns, with a preconditioner or without. Errors:
 * STATUS_MEMORY. */
enum status history_begin(struct api_history *history, const struct method *method, bool with_M,
                          int64_t columns, struct error *error);

/* Append a row of that column. Errors: STATUS_MEMORY. */
enum status history_take(struct api_history *history, int64_t column, const struct event *row,
                         struct error *error);

/* Transpose the rows into series. Errors: STATUS_MEMORY. */
enum status history_end(struct api_history *history, struct error *error);

void history_free(struct api_history *history);

#endif
