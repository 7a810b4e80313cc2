/* The entry lines of a Matrix Market file, parsed by all threads, kept in file order. */
#ifndef IO_MARKET_ENTRIES_H
#define IO_MARKET_ENTRIES_H

#include "io/market/entry_list.h"
#include "io/market/market_file.h"

/* Read all entries, or those of the part; the reader stands behind the size line. Of several faults
 * the first in the file is told; of ranks *file->unsaid is set instead. The caller calls
 * entry_list_free for both lists, also after an error (lists are zeroed first). Errors:
 * STATUS_INPUT, STATUS_MEMORY; of ranks STATUS_RANK. */
enum status entries_read(const struct market_file *file, const struct text_reader *reader,
                         enum entry_mode mode, struct entry_list *upper, struct entry_list *lower,
                         struct error *error);

#endif
