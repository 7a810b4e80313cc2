/* What a solve has shown, kept for who asks behind it. */
#ifndef API_HISTORY_H
#define API_HISTORY_H

#include "api/handles.h"

/* Of a solve by the method with so many columns, with a preconditioner or without. Errors:
 * STATUS_MEMORY. */
enum status history_begin(struct api_history *history, const struct method *method, bool with_M,
                          int64_t columns, struct error *error);

/* A row behind the last one of that column. Errors: STATUS_MEMORY. */
enum status history_take(struct api_history *history, int64_t column, const struct event *row,
                         struct error *error);

/* The rows become series. Errors: STATUS_MEMORY. */
enum status history_end(struct api_history *history, struct error *error);

void history_free(struct api_history *history);

#endif
