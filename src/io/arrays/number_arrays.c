#include "io/arrays/number_arrays.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

enum status number_arrays_open(struct matrix_arrays *file, struct error *error)
{
    struct number_arrays *arrays = memory_zeros(1, sizeof *arrays, "a piece of a file", error);
    file->format = &number_arrays_format;
    file->data = arrays;
    return arrays ? input_open(file->path, &arrays->input, error) : STATUS_MEMORY;
}

static void close_arrays(struct matrix_arrays *file)
{
    struct number_arrays *arrays = file->data;
    for (int a = 0; a < ARRAYS; a++)
        byte_stream_end(&arrays->array[a].bytes);
    input_close(&arrays->input);
    memory_free(arrays);
}

static enum status rewind_array(struct number_arrays *arrays, struct number_array *array,
                                struct error *error)
{
    byte_stream_end(&array->bytes);
    if (array->type.size == 0)
        return STATUS_OK; /* the file has none */
    enum status status = byte_stream_begin(&arrays->input, &array->part, &array->bytes, error);
    for (int64_t left = array->header; left > 0 && !status;) {
        int64_t count = left < (int64_t)sizeof arrays->bytes ? left : (int64_t)sizeof arrays->bytes;
        status = byte_stream_read(&array->bytes, arrays->bytes, count, error);
        left -= count;
    }
    return status;
}

static enum status rewind_arrays(struct matrix_arrays *file, struct error *error)
{
    struct number_arrays *arrays = file->data;
    enum status status = STATUS_OK;
    for (int a = 0; a < ARRAYS && !status; a++)
        status = rewind_array(arrays, &arrays->array[a], error);
    return status;
}

static enum status read_numbers(struct matrix_arrays *file, enum array which, int64_t first,
                                int64_t count, int64_t *integers, double *real, struct error *error)
{
    struct number_arrays *arrays = file->data;
    struct number_array *array = &arrays->array[which];
    int size = array->type.size;
    enum status status = byte_stream_read(&array->bytes, arrays->bytes, count * size, error);
    for (int64_t k = 0; k < count && !status; k++) {
        bool exact;
        if (real)
            real[k] = number_real(&array->type, arrays->bytes + k * size, &exact);
        else
            integers[k] = number_integer(&array->type, arrays->bytes + k * size, &exact);
        if (!exact)
            status = arrays_refuse(file, which, first + k, error,
                                   real ? "an integer that no double is" : "an integer too large");
    }
    return status;
}

static void place(const struct matrix_arrays *file, enum array which, int64_t k,
                  char text[ARRAYS_PLACE])
{
    const struct number_arrays *arrays = file->data;
    const struct number_array *array = &arrays->array[which];
    int64_t at = array->header + k * array->type.size;
    if (array->name)
        snprintf(text, ARRAYS_PLACE, "byte %" PRId64 " of %s", at, array->name);
    else
        snprintf(text, ARRAYS_PLACE, "byte %" PRId64, array->part.begin + at);
}

const struct arrays_format number_arrays_format = {
    .rewind = rewind_arrays, .read = read_numbers, .place = place, .close = close_arrays};
