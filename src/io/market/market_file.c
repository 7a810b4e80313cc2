#include "io/market/market_file.h"

enum status market_open(struct market_file *file, const char *path, int64_t window,
                        struct text_reader *reader, struct error *error)
{
    *file = (struct market_file){.path = path};
    enum status status = text_source_open(path, window, &file->source, error);
    if (status)
        return status;
    *reader = text_reader_start(file->source);
    return market_header_read(reader, path, &file->header, error);
}

enum status market_leave_unsaid(const struct market_file *file, struct error *error)
{
    *file->unsaid = true;
    return error_set(error, STATUS_INPUT,
                     "%s: has a fault for several ranks, and none for one: has "
                     "it changed?",
                     file->path);
}
