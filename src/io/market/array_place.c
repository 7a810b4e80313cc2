#include "io/market/array_place.h"

static int64_t first_row(const struct market_header *header, int64_t column)
{
    return header->symmetry == SYMMETRY_GENERAL ? 0 : column + (header->symmetry == SYMMETRY_SKEW);
}

struct array_place array_place_of(const struct market_header *header, int64_t k)
{
    if (header->symmetry == SYMMETRY_GENERAL)
        return (struct array_place){k % header->rows, k / header->rows};
    struct array_place place = {0, 0};
    for (; place.column < header->columns && k >= header->rows - first_row(header, place.column);
         place.column++)
        k -= header->rows - first_row(header, place.column);
    place.row = first_row(header, place.column) + k;
    return place;
}

void array_place_step(const struct market_header *header, struct array_place *place)
{
    if (++place->row == header->rows)
        place->row = first_row(header, ++place->column);
}
