/* The entry lines of a Matrix Market file, parsed by all threads, kept in file order. */
#ifndef IO_MARKET_ENTRIES_H
#define IO_MARKET_ENTRIES_H

#include "io/market/entry_list.h"
#include "io/market/market_file.h"

/* Read all entries, or those of the part; the reader stands after the size line. lower: NULL unless
 * the mode is ENTRIES_SPLIT. The message names the first fault in the file; ranks set *file->unsaid
 * instead. The caller calls entry_list_free for each list, also after an error: they
 * are zeroed first. Errors: STATUS_INPUT, STATUS_MEMORY; of ranks STATUS_RANK. */
enum status entries_read(const struct market_file *file, const struct text_reader *reader,
                         enum entry_mode mode, struct entry_list *upper, struct entry_list *lower,
                         struct error *error);

/* The same for a file with arrays. Collective: each rank reads all of the file, keeps its part, and
 * asks for memory as for the complete matrix. */
enum status entries_read_arrays(const struct market_file *file, enum entry_mode mode,
                                struct entry_list *upper, struct entry_list *lower,
                                struct error *error);

/* --- in rounds: all threads parse some chunks of whole lines ---------------------------------- */

struct parsing_rounds {
    const struct market_file *file;
    struct text_span span;
    const char *next;          /* in it: of the next round */
    int most;                  /* chunks in a round */
    struct entry_chunk *chunk; /* [most] of this round, in file order */
    struct entry_place *place; /* [most], for entry_list_append */
    struct market_entry *entries;
};

/* Starts at `next` in the span. The caller calls parsing_rounds_free, also after an error. Errors:
 * STATUS_MEMORY. */
enum status parsing_rounds_create(const struct market_file *file, const struct text_span *span,
                                  const char *next, struct parsing_rounds *rounds,
                                  struct error *error);
void parsing_rounds_free(struct parsing_rounds *rounds); /* accepts a zeroed one */

/* Parse the next round of *chunks chunks; 0 at the end of the text. Errors: as of
 * text_source_next. */
enum status parsing_rounds_next(struct parsing_rounds *rounds, int *chunks, struct error *error);

/* The offset in the text of a place in the span. */
int64_t parsing_rounds_offset(const struct parsing_rounds *rounds, const char *place);

/* No more entries than stand after it, and no more than the size line announces. */
int64_t parsing_rounds_bound(const struct parsing_rounds *rounds);

/* --- by ranks: entries_shared.c, reading_ranks.c ---------------------------------------------- */

/* The state of one rank. */
struct reading_state {
    int64_t parsed;    /* entries of its part of the lines */
    int64_t announced; /* entries by its size line (the files of ranks may differ) */
    int64_t wrong;     /* whether it has met a fault in the file */
    int64_t failed;    /* or has failed for another reason */
    int64_t wants;     /* a joint action of all ranks */
};

/* As entries_read. All ranks call it. */
enum status entries_read_shared(const struct market_file *file, const struct text_reader *reader,
                                enum entry_mode mode, struct entry_list *upper,
                                struct entry_list *lower, struct error *error);

/* Collective. Sends the entries of each rank's list `mine` (ENTRIES_RAW), which is freed, to the
 * ranks that keep them, in the form of `mode`, entries of rank 0 first. `status` is this rank's so
 * far. lower: for ENTRIES_SPLIT, else it stays zeroed. The caller calls entry_list_free for both,
 * also after an error. Errors: `status`, STATUS_MEMORY, STATUS_RANK. */
enum status entries_share(const struct matrix_market_ranks *ranks, enum status status,
                          struct entry_list *mine, enum entry_mode mode, bool skew,
                          struct entry_list *upper, struct entry_list *lower, struct error *error);

/* A meeting of the ranks after they have their entries. `status` is this rank's so far. *wanted:
 * becomes true if any rank wants it. All ranks call it, or entries_leave_shared. Errors: `status`;
 * STATUS_RANK. */
enum status entries_meet_shared(const struct matrix_market_ranks *ranks, enum status status,
                                bool *wanted, struct error *error);

/* The same with a state of its own, whose `failed` is set. */
enum status entries_meet_as(const struct matrix_market_ranks *ranks, enum status status,
                            struct reading_state *own, struct error *error);

/* All-gather: rows[n] = the values of all ranks for their own rows. All ranks call it. Errors:
 * STATUS_RANK. */
enum status entries_share_rows(const struct matrix_market_ranks *ranks, double *rows,
                               struct error *error);

/* The last meeting of the ranks that read a file. `status` is this rank's so far. *unsaid: it has
 * found a fault and not described it. The first such rank keeps *unsaid, to describe the fault, and
 * the others get STATUS_RANK. All ranks call it. */
enum status entries_end_shared(const struct matrix_market_ranks *ranks, enum status status,
                               bool *unsaid, struct error *error);

/* A rank that has failed calls this instead of entries_read_shared or entries_meet_shared, so that
 * the others do not wait. */
void entries_leave_shared(const struct matrix_market_ranks *ranks);

/* Which ranks keep an entry. */
struct entry_owners {
    const struct matrix_market_part *parts; /* [ranks]; borrowed */
    int ranks;
    int *lowest; /* [ranks]: the first rank that keeps rows of each rank */
};

/* An entry belongs to of_column, and to those of the ranks lowest ... of_row whose parts end after
 * its row. */
struct owners_of_entry {
    int64_t row; /* of the entry, or of its mirror image in the upper triangle */
    int lowest;
    int of_row, of_column; /* owners of its row and of its column; of_row <= of_column */
};

/* The caller calls entry_owners_free, also after an error. Errors: STATUS_MEMORY. */
enum status entry_owners_create(const struct matrix_market_part *parts, int ranks,
                                struct entry_owners *entry_owners, struct error *error);
void entry_owners_free(struct entry_owners *entry_owners); /* accepts a zeroed one */

/* The owners of entry (i, j). *found may hold those of another entry, as a first guess. */
void entry_owners_find(const struct entry_owners *entry_owners, int64_t i, int64_t j,
                       struct owners_of_entry *found);

#endif
