/* The entries of a file that ranks read together. Each parses a part of the lines, and sends each
 * entry to the ranks that keep it. The parts follow one another in the file, and so do the ranks:
 * what one receives, from the first rank to the last, is in file order. */
#ifndef IO_MARKET_ENTRIES_SHARED_H
#define IO_MARKET_ENTRIES_SHARED_H

#include "io/market/entry_list.h"
#include "io/market/market_file.h"

/* How far one rank has come. */
struct reading_state {
    int64_t parsed;    /* entries of its part of the lines */
    int64_t announced; /* entries, says its size line (the files of ranks may differ) */
    int64_t wrong;     /* whether it has met a fault in the file */
    int64_t failed;    /* or has failed for another reason */
    int64_t wants;     /* that all do something */
};

/* As entries_read. All ranks call it. */
enum status entries_read_shared(const struct market_file *file, const struct text_reader *reader,
                                enum entry_mode mode, struct entry_list *upper,
                                struct entry_list *lower, struct error *error);

/* Where ranks meet that have their entries; this one came to `status`. *wanted becomes whether one
 * of them wants it. All ranks call it, or entries_leave_shared. Errors: `status`; STATUS_RANK. */
enum status entries_meet_shared(const struct matrix_market_ranks *ranks, enum status status,
                                bool *wanted, struct error *error);

/* rows[n] = what each rank has for its own rows. All ranks call it. Errors: STATUS_RANK. */
enum status entries_share_rows(const struct matrix_market_ranks *ranks, double *rows,
                               struct error *error);

/* Where ranks end that have read a file; this one came to `status`. *unsaid: it has met a fault and
 * not said it. Of those the first rank keeps that, to say it, and the others get STATUS_RANK. All
 * ranks call it. */
enum status entries_end_shared(const struct matrix_market_ranks *ranks, enum status status,
                               bool *unsaid, struct error *error);

/* In place of entries_read_shared or entries_meet_shared, by a rank that has failed before: the
 * others do not wait. */
void entries_leave_shared(const struct matrix_market_ranks *ranks);

#endif
