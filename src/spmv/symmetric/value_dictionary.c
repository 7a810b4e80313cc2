#include "spmv/symmetric/value_dictionary.h"

#include "base/memory.h"
#include "base/threads.h"
#include "spmv/single.h"

#include <stdatomic.h>
#include <string.h>

static const char *const what = "the codes of the values";

/* A hash table with open addressing, at most half full; its size is a power of two. */
struct table {
    struct value_count *places; /* times = 0: an empty place */
    int64_t size, count;
    enum status status;
    struct error error;
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
static struct value_count *find(const struct table *table, uint64_t bits)
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
    struct value_count *entry = find(table, bits);
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

struct scanning {
    const double *values;
    int64_t count, most; /* more different values than that do not become codes */
    int64_t shares;
    struct table *tables; /* of each share */
    atomic_bool over;     /* there are more */
};

/* Fill the shares' tables, until one has too many values. */
static void scan(void *context, int64_t share, int64_t last)
{
    struct scanning *by = context;
    for (; share < last; share++) {
        struct table *table = &by->tables[share];
        int64_t i = by->count / by->shares * share;
        int64_t end = share + 1 < by->shares ? i + by->count / by->shares : by->count;
        while (i < end && !table->status && !atomic_load(&by->over)) {
            uint64_t bits = bits_of(by->values[i]);
            int64_t run = i;
            while (i < end && bits_of(by->values[i]) == bits)
                i++;
            table->status = meet(table, bits, i - run, &table->error);
            if (table->count > by->most)
                atomic_store(&by->over, true);
        }
    }
}

/* Every value of the shares into the first one's table. */
static enum status merge(struct scanning *by, struct error *error)
{
    struct table *first = &by->tables[0];
    for (int64_t share = 0; share < by->shares; share++)
        if (by->tables[share].status) {
            *error = by->tables[share].error;
            return by->tables[share].status;
        }
    for (int64_t share = 1; share < by->shares; share++)
        for (int64_t k = 0; k < by->tables[share].size && !by->over; k++) {
            const struct value_count *entry = &by->tables[share].places[k];
            enum status status =
                entry->times ? meet(first, entry->bits, entry->times, error) : STATUS_OK;
            if (status)
                return status;
            by->over = first->count > by->most;
        }
    return STATUS_OK;
}

/* Byte number `digit` of what the entries are sorted by: their bits, ascending, and above these how
 * often they come, descending. */
static unsigned int digit_of(const struct value_count *entry, int digit)
{
    uint64_t word = digit < 8 ? entry->bits : ~(uint64_t)entry->times;
    return word >> digit % 8 * 8 & 0xFF;
}

/* By digits, from the lowest one on. */
struct value_count *value_dictionary_sort(struct value_count *list, struct value_count *room,
                                          int64_t count)
{
    for (int digit = 0; digit < 16; digit++) {
        int64_t next[256] = {0}, before = 0;
        for (int64_t k = 0; k < count; k++)
            next[digit_of(&list[k], digit)]++;
        if (next[digit_of(&list[0], digit)] == count)
            continue;
        for (int d = 0; d < 256; d++) {
            int64_t here = next[d];
            next[d] = before;
            before += here;
        }
        for (int64_t k = 0; k < count; k++)
            room[next[digit_of(&list[k], digit)]++] = list[k];
        struct value_count *sorted = room;
        room = list;
        list = sorted;
    }
    return list;
}

/* Give every value of the table its code, and make the list of values. */
static enum status number(struct table *table, struct value_dictionary *codes, struct error *error)
{
    struct value_count *room = memory_array(2 * table->count, sizeof *room, what, error);
    double *values = codes->table = memory_array(table->count, sizeof *values, what, error);
    if (!room || !values) {
        memory_free(room);
        return STATUS_MEMORY;
    }
    int64_t count = 0;
    for (int64_t k = 0; k < table->size; k++)
        if (table->places[k].times)
            room[count++] = table->places[k];
    const struct value_count *sorted = value_dictionary_sort(room, room + count, count);
    for (int64_t code = 0; code < count; code++) {
        find(table, sorted[code].bits)->code = code;
        memcpy(&values[code], &sorted[code].bits, sizeof values[code]);
    }
    memory_free(room);
    return STATUS_OK;
}

/* Codes are made stretch after stretch of each line. */
enum { STRETCH = 4096 };

struct encoding {
    const struct table *table;
    const double *values;
    struct value_dictionary *codes;
};

static int64_t stretches_of(const struct value_dictionary *codes)
{
    return (codes->stride + STRETCH - 1) / STRETCH;
}

/* Where a stretch lies in its line, and the line's number. */
static int64_t stretch_line(const struct value_dictionary *codes, int64_t stretch, int64_t *begin,
                            int64_t *end)
{
    *begin = stretch % stretches_of(codes) * STRETCH;
    *end = *begin + STRETCH < codes->stride ? *begin + STRETCH : codes->stride;
    return stretch / stretches_of(codes);
}

/* Neighbours are often equal: those are looked up once. */
static void encode(void *context, int64_t stretch, int64_t last)
{
    const struct encoding *by = context;
    const struct value_dictionary *codes = by->codes;
    for (; stretch < last; stretch++) {
        int64_t i, end, line = stretch_line(codes, stretch, &i, &end);
        const double *values = by->values + line * codes->length;
        uint64_t bits = bits_of(*(const double *)codes->table), code = 0;
        for (; i < end; i++) {
            if (i >= codes->length) {
                code = 0;
            } else if (bits_of(values[i]) != bits) {
                bits = bits_of(values[i]);
                code = (uint64_t)find(by->table, bits)->code;
            }
            if (codes->width == 1)
                ((uint8_t *)codes->codes)[line * codes->stride + i] = (uint8_t)code;
            else
                ((uint16_t *)codes->codes)[line * codes->stride + i] = (uint16_t)code;
        }
    }
}

int64_t value_dictionary_most(int64_t count)
{
    int64_t most = count / VALUE_DICTIONARY_TIMES;
    return most < 256 ? 256 : most > VALUE_DICTIONARY_MAX ? VALUE_DICTIONARY_MAX : most;
}

struct value_dictionary value_dictionary_of(int64_t lines, int64_t length)
{
    int64_t stride =
        (length + VALUE_DICTIONARY_ALIGN - 1) / VALUE_DICTIONARY_ALIGN * VALUE_DICTIONARY_ALIGN;
    return (struct value_dictionary){.lines = lines, .length = length, .stride = stride};
}

bool value_dictionary_save(struct value_dictionary *codes, int64_t different, size_t size)
{
    int64_t count = codes->lines * codes->length;
    if (different == 0 || different > value_dictionary_most(count))
        return false;
    codes->count = (int32_t)different;
    codes->width = different <= 256 ? 1 : 2;
    return value_dictionary_bytes(codes) < count * (int64_t)size;
}

/* The codes from the whole table, if they are worth it. */
static enum status from_table(struct table *table, const double *values, size_t size,
                              struct value_dictionary *codes, struct error *error)
{
    if (!value_dictionary_save(codes, table->count, size)) {
        *codes = (struct value_dictionary){0};
        return STATUS_OK;
    }
    enum status status = memory_fits((double)value_dictionary_bytes(codes), what, error);
    if (!status)
        status = number(table, codes, error);
    if (!status) {
        codes->codes =
            memory_array(codes->lines * codes->stride, (size_t)codes->width, what, error);
        status = codes->codes ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        threads_each(threads_lent(), codes->lines * stretches_of(codes), encode,
                     &(struct encoding){table, values, codes});
    return status;
}

enum status value_dictionary_create(const double *values, int64_t lines, int64_t length,
                                    size_t size, struct value_dictionary *codes,
                                    struct error *error)
{
    int64_t most = value_dictionary_most(lines * length);
    *codes = value_dictionary_of(lines, length);
    if (begins_with_too_many(values, lines * length, most)) {
        *codes = (struct value_dictionary){0};
        return STATUS_OK;
    }
    int64_t shares = threads_count(threads_lent());
    struct table *tables = memory_zeros(shares, sizeof *tables, what, error);
    struct scanning scanning = {values, lines * length, most, shares, tables, false};
    enum status status = tables ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        threads_each(threads_lent(), shares, scan, &scanning);
        status = merge(&scanning, error);
    }
    if (!status && !scanning.over)
        status = from_table(&tables[0], values, size, codes, error);
    for (int64_t share = 0; tables && share < shares; share++)
        memory_free(tables[share].places);
    memory_free(tables);
    if (status || scanning.over)
        value_dictionary_free(codes);
    return status;
}

static void narrow(void *context, int64_t stretch, int64_t last)
{
    const struct encoding *by = context;
    const struct value_dictionary *codes = by->codes;
    float *singles = codes->codes;
    for (; stretch < last; stretch++) {
        int64_t i, end, line = stretch_line(codes, stretch, &i, &end);
        for (; i < end; i++)
            singles[line * codes->stride + i] =
                i < codes->length ? (float)by->values[line * codes->length + i] : 0;
    }
}

enum status value_dictionary_singles(const double *values, int64_t lines, int64_t length,
                                     struct value_dictionary *codes, struct error *error)
{
    *codes = value_dictionary_of(lines, length);
    codes->width = VALUE_DICTIONARY_SINGLES;
    codes->codes = memory_array(lines * codes->stride, sizeof(float), "the single values", error);
    if (!codes->codes) {
        *codes = (struct value_dictionary){0};
        return STATUS_MEMORY;
    }
    threads_each(threads_lent(), lines * stretches_of(codes), narrow,
                 &(struct encoding){.values = values, .codes = codes});
    return STATUS_OK;
}

/* Of values that are numbers of single precision. */
static enum status narrow_table(struct value_dictionary *codes, struct error *error)
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

enum status value_dictionary_choose(const struct sym_choice *choice, const double *values,
                                    int64_t lines, int64_t length, struct value_dictionary *codes,
                                    struct error *error)
{
    *codes = (struct value_dictionary){0};
    size_t size = choice->singles ? sizeof(float) : sizeof(double);
    enum status status = STATUS_OK;
    if (choice->compress)
        status = value_dictionary_create(values, lines, length, size, codes, error);
    if (!status && codes->width && choice->single_sums)
        status = narrow_table(codes, error);
    if (status)
        value_dictionary_free(codes);
    if (status || codes->width || !choice->singles)
        return status;
    return value_dictionary_singles(values, lines, length, codes, error);
}

const char *value_dictionary_text(int width)
{
    return width == 0                          ? ""
           : width == 1                        ? ", values as codes of 1 byte"
           : width == VALUE_DICTIONARY_SINGLES ? ", values in single precision"
                                               : ", values as codes of 2 bytes";
}

void value_dictionary_free(struct value_dictionary *codes)
{
    memory_free(codes->table);
    memory_free(codes->codes);
    *codes = (struct value_dictionary){0};
}

int64_t value_dictionary_bytes(const struct value_dictionary *codes)
{
    return codes->lines * codes->stride * codes->width + value_dictionary_table_bytes(codes);
}

int64_t value_dictionary_table_bytes(const struct value_dictionary *codes)
{
    return codes->count * (int64_t)(codes->single_table ? sizeof(float) : sizeof(double));
}
