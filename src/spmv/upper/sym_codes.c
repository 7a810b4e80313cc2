#include "spmv/upper/sym_codes.h"

#include "base/memory.h"
#include "base/threads.h"
#include "spmv/single.h"

#include <stdatomic.h>
#include <string.h>

static const char *const what = "the codes of the values";

/* One of the different values: how often it was met, and later its code. */
struct entry {
    uint64_t bits;
    int64_t times; /* 0: an empty place */
    int64_t code;
};

/* A hash table with open addressing, at most half full; its size is a power of two. */
struct table {
    struct entry *places;
    int64_t size, count;
    int64_t most; /* so many values, and no more, become codes */
};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t hash_of(uint64_t bits)
{
    uint64_t hash = bits * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 32);
}

/* The place of a value, or the empty one where it belongs. */
static struct entry *find(const struct table *table, uint64_t bits)
{
    uint64_t place = hash_of(bits) & (uint64_t)(table->size - 1);
    while (table->places[place].times && table->places[place].bits != bits)
        place = (place + 1) & (uint64_t)(table->size - 1);
    return &table->places[place];
}

static enum status double_size(struct table *table, struct error *error)
{
    struct table larger = *table;
    larger.size = table->size ? 2 * table->size : 64;
    larger.places = memory_zeros(larger.size, sizeof *larger.places, what, error);
    if (!larger.places)
        return STATUS_MEMORY;
    for (int64_t k = 0; k < table->size; k++)
        if (table->places[k].times)
            *find(&larger, table->places[k].bits) = table->places[k];
    memory_free(table->places);
    *table = larger;
    return STATUS_OK;
}

/* A value that has been met so many times more. */
static enum status meet(struct table *table, uint64_t bits, int64_t times, struct error *error)
{
    if (2 * (table->count + 1) > table->size) {
        enum status status = double_size(table, error);
        if (status)
            return status;
    }
    struct entry *entry = find(table, bits);
    table->count += entry->times == 0;
    entry->bits = bits;
    entry->times += times;
    return STATUS_OK;
}

/* Whether the first values alone are more different ones than `most`. Each marks a place by its
 * hash; there are at least as many as marks. It costs much less than a table, which then tells. */
static bool begins_with_too_many(const double *values, int64_t count, int64_t most)
{
    enum { PLACES = 1 << 18 };
    static const int64_t turns = 2;
    uint64_t marks[PLACES / 64];
    int64_t marked = 0;
    memset(marks, 0, sizeof marks);
    for (int64_t i = 0; i < count && i < turns * most && marked <= most; i++) {
        uint64_t place = hash_of(bits_of(values[i])) % PLACES, mark = UINT64_C(1) << place % 64;
        marked += !(marks[place / 64] & mark);
        marks[place / 64] |= mark;
    }
    return marked > most;
}

/* Fill a share's table, until it has too many values, or `over` says that another one does. */
static enum status scan(const double *values, int64_t count, struct table *table, atomic_bool *over,
                        struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < count && !status && !atomic_load(over);) {
        uint64_t bits = bits_of(values[i]);
        int64_t run = i;
        while (i < count && bits_of(values[i]) == bits)
            i++;
        status = meet(table, bits, i - run, error);
        if (table->count > table->most)
            atomic_store(over, true);
    }
    return status;
}

/* Scan the shares of the values in parallel. */
static enum status scan_shares(const double *values, int64_t count, int64_t shares,
                               struct table *tables, atomic_bool *over, struct error *error)
{
    enum status result = STATUS_OK;
#pragma omp parallel for schedule(static, 1)
    for (int64_t share = 0; share < shares; share++) {
        int64_t begin = count / shares * share;
        int64_t end = share + 1 < shares ? count / shares * (share + 1) : count;
        struct error own;
        enum status status = scan(values + begin, end - begin, &tables[share], over, &own);
        if (status) {
#pragma omp critical(sym_codes_error)
            {
                result = status;
                if (error)
                    *error = own;
            }
        }
    }
    return result;
}

/* Every value of the shares into the first one's table. */
static enum status merge(struct table *tables, int64_t shares, atomic_bool *over,
                         struct error *error)
{
    for (int64_t share = 1; share < shares; share++)
        for (int64_t k = 0; k < tables[share].size; k++) {
            const struct entry *entry = &tables[share].places[k];
            if (!entry->times)
                continue;
            enum status status = meet(&tables[0], entry->bits, entry->times, error);
            if (status)
                return status;
            if (tables[0].count > tables[0].most) {
                atomic_store(over, true);
                return STATUS_OK;
            }
        }
    return STATUS_OK;
}

/* Byte number `digit` of what the entries are sorted by: their bits, ascending, and above these how
 * often they come, descending. */
static unsigned int digit_of(const struct entry *entry, int digit)
{
    uint64_t word = digit < 8 ? entry->bits : ~(uint64_t)entry->times;
    return word >> digit % 8 * 8 & 0xFF;
}

/* By their digits from the lowest one on; the result lies in `entries` or in `room`. */
static struct entry *sort(struct entry *entries, struct entry *room, int64_t count)
{
    for (int digit = 0; digit < 16; digit++) {
        int64_t next[256] = {0}, before = 0;
        for (int64_t k = 0; k < count; k++)
            next[digit_of(&entries[k], digit)]++;
        if (next[digit_of(&entries[0], digit)] == count)
            continue;
        for (int d = 0; d < 256; d++) {
            int64_t here = next[d];
            next[d] = before;
            before += here;
        }
        for (int64_t k = 0; k < count; k++)
            room[next[digit_of(&entries[k], digit)]++] = entries[k];
        struct entry *sorted = room;
        room = entries;
        entries = sorted;
    }
    return entries;
}

/* Give every value of the table its code, and make the list of values. */
static enum status number(struct table *table, struct sym_codes *codes, struct error *error)
{
    struct entry *room = memory_array(2 * table->count, sizeof *room, what, error);
    double *values = codes->table = memory_array(table->count, sizeof *values, what, error);
    if (!room || !values) {
        memory_free(room);
        return STATUS_MEMORY;
    }
    int64_t count = 0;
    for (int64_t k = 0; k < table->size; k++)
        if (table->places[k].times)
            room[count++] = table->places[k];
    const struct entry *sorted = sort(room, room + count, count);
    for (int64_t code = 0; code < count; code++) {
        find(table, sorted[code].bits)->code = code;
        memcpy(&values[code], &sorted[code].bits, sizeof values[code]);
    }
    memory_free(room);
    return STATUS_OK;
}

/* Neighbours are often equal: those are looked up once. */
static void encode(const struct table *table, const double *values, struct sym_codes *codes)
{
    enum { STRETCH = 4096 };
    int64_t stretches = (codes->stride + STRETCH - 1) / STRETCH;
#pragma omp parallel for schedule(static) collapse(2)
    for (int64_t line = 0; line < codes->lines; line++)
        for (int64_t stretch = 0; stretch < stretches; stretch++) {
            int64_t begin = stretch * STRETCH;
            int64_t end = begin + STRETCH < codes->stride ? begin + STRETCH : codes->stride;
            uint64_t bits = bits_of(*(const double *)codes->table), code = 0;
            for (int64_t i = begin; i < end; i++) {
                if (i >= codes->length) {
                    code = 0;
                } else if (bits_of(values[line * codes->length + i]) != bits) {
                    bits = bits_of(values[line * codes->length + i]);
                    code = (uint64_t)find(table, bits)->code;
                }
                if (codes->width == 1)
                    ((uint8_t *)codes->codes)[line * codes->stride + i] = (uint8_t)code;
                else
                    ((uint16_t *)codes->codes)[line * codes->stride + i] = (uint16_t)code;
            }
        }
}

int64_t sym_codes_most(int64_t count)
{
    int64_t most = count / SYM_CODES_TIMES;
    return most < 256 ? 256 : most > SYM_CODES_MAX ? SYM_CODES_MAX : most;
}

struct sym_codes sym_codes_of(int64_t lines, int64_t length)
{
    int64_t stride = (length + SYM_CODES_ALIGN - 1) / SYM_CODES_ALIGN * SYM_CODES_ALIGN;
    return (struct sym_codes){.lines = lines, .length = length, .stride = stride};
}

bool sym_codes_save(struct sym_codes *codes, int64_t different, size_t size)
{
    int64_t count = codes->lines * codes->length;
    if (different == 0 || different > sym_codes_most(count))
        return false;
    codes->count = (int32_t)different;
    codes->width = different <= 256 ? 1 : 2;
    return sym_codes_bytes(codes) < count * (int64_t)size;
}

/* The codes from the whole table, if they are worth it. */
static enum status from_table(struct table *table, const double *values, size_t size,
                              struct sym_codes *codes, struct error *error)
{
    if (!sym_codes_save(codes, table->count, size)) {
        *codes = (struct sym_codes){0};
        return STATUS_OK;
    }
    enum status status = memory_fits((double)sym_codes_bytes(codes), what, error);
    if (!status)
        status = number(table, codes, error);
    if (!status) {
        codes->codes =
            memory_array(codes->lines * codes->stride, (size_t)codes->width, what, error);
        status = codes->codes ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        encode(table, values, codes);
    return status;
}

enum status sym_codes_create(const double *values, int64_t lines, int64_t length, size_t size,
                             struct sym_codes *codes, struct error *error)
{
    *codes = sym_codes_of(lines, length);
    if (begins_with_too_many(values, lines * length, sym_codes_most(lines * length))) {
        *codes = (struct sym_codes){0};
        return STATUS_OK;
    }
    int64_t shares = threads_count(threads_lent());
    struct table *tables = memory_zeros(shares, sizeof *tables, what, error);
    atomic_bool over = false;
    for (int64_t share = 0; tables && share < shares; share++)
        tables[share].most = sym_codes_most(lines * length);
    enum status status = tables ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = scan_shares(values, lines * length, shares, tables, &over, error);
    if (!status && !over)
        status = merge(tables, shares, &over, error);
    if (!status && !over)
        status = from_table(&tables[0], values, size, codes, error);
    for (int64_t share = 0; tables && share < shares; share++)
        memory_free(tables[share].places);
    memory_free(tables);
    if (status || over)
        sym_codes_free(codes);
    return status;
}

enum status sym_codes_singles(const double *values, int64_t lines, int64_t length,
                              struct sym_codes *codes, struct error *error)
{
    int64_t stride = (length + SYM_CODES_ALIGN - 1) / SYM_CODES_ALIGN * SYM_CODES_ALIGN;
    *codes = (struct sym_codes){0};
    float *singles = memory_array(lines * stride, sizeof *singles, "the single values", error);
    if (!singles)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static) collapse(2)
    for (int64_t line = 0; line < lines; line++)
        for (int64_t i = 0; i < stride; i++)
            singles[line * stride + i] = i < length ? (float)values[line * length + i] : 0;
    *codes = (struct sym_codes){.width = SYM_CODES_SINGLES,
                                .lines = lines,
                                .length = length,
                                .stride = stride,
                                .codes = singles};
    return STATUS_OK;
}

/* Of values that are numbers of single precision. */
static enum status narrow_table(struct sym_codes *codes, struct error *error)
{
    float *table = memory_array(codes->count, sizeof *table, what, error);
    if (!table)
        return STATUS_MEMORY;
    single_narrow(codes->table, codes->count, table);
    memory_free(codes->table);
    codes->table = table;
    codes->single_table = true;
    return STATUS_OK;
}

enum status sym_codes_choose(const struct sym_choice *choice, const double *values, int64_t lines,
                             int64_t length, struct sym_codes *codes, struct error *error)
{
    *codes = (struct sym_codes){0};
    size_t size = choice->singles ? sizeof(float) : sizeof(double);
    enum status status = STATUS_OK;
    if (choice->compress)
        status = sym_codes_create(values, lines, length, size, codes, error);
    if (!status && codes->width && choice->single_sums)
        status = narrow_table(codes, error);
    if (status)
        sym_codes_free(codes);
    if (status || codes->width || !choice->singles)
        return status;
    return sym_codes_singles(values, lines, length, codes, error);
}

const char *sym_codes_text(int width)
{
    return width == 0                   ? ""
           : width == 1                 ? ", values as codes of 1 byte"
           : width == SYM_CODES_SINGLES ? ", values in single precision"
                                        : ", values as codes of 2 bytes";
}

void sym_codes_free(struct sym_codes *codes)
{
    memory_free(codes->table);
    memory_free(codes->codes);
    *codes = (struct sym_codes){0};
}

int64_t sym_codes_bytes(const struct sym_codes *codes)
{
    return codes->lines * codes->stride * codes->width + sym_codes_table_bytes(codes);
}

int64_t sym_codes_table_bytes(const struct sym_codes *codes)
{
    return codes->count * (int64_t)(codes->single_table ? sizeof(float) : sizeof(double));
}
