#include "solver/memory_archive.h"

#include "support.h"

#include <stdio.h>
#include <string.h>

static enum status save_piece(struct memory_archive *memory, const char *name, const void *data,
                              int64_t bytes, struct error *error)
{
    enum status status = memory_grow((void **)&memory->pieces, &memory->capacity, memory->count + 1,
                                     sizeof *memory->pieces, "pieces", error);
    unsigned char *copy = status ? NULL : memory_array(bytes, 1, "a piece", error);
    if (!copy)
        return STATUS_MEMORY;
    struct memory_piece *piece = &memory->pieces[memory->count++];
    *piece = (struct memory_piece){.bytes = bytes, .data = copy};
    ck_assert_int_lt(strlen(name), sizeof piece->name);
    snprintf(piece->name, sizeof piece->name, "%s", name);
    if (bytes > 0)
        memcpy(copy, data, (size_t)bytes);
    return STATUS_OK;
}

static enum status load_piece(struct memory_archive *memory, const char *name, void *data,
                              int64_t bytes, struct error *error)
{
    const struct memory_piece *piece = &memory->pieces[memory->place];
    if (memory->place >= memory->count || strcmp(piece->name, name) != 0 || piece->bytes != bytes)
        return error_set(error, STATUS_INPUT, "the archive has no %s here", name);
    memory->place++;
    if (bytes > 0)
        memcpy(data, piece->data, (size_t)bytes);
    return STATUS_OK;
}

static bool fails(const struct memory_archive *memory, int64_t place)
{
    return memory->fails && place == memory->fail_at;
}

static enum status save(void *context, const char *name, void *data, int64_t bytes,
                        struct error *error)
{
    struct memory_archive *memory = context;
    if (fails(memory, memory->count))
        return error_set(error, STATUS_OUTPUT, "the disk is full");
    return save_piece(memory, name, data, bytes, error);
}

static enum status load(void *context, const char *name, void *data, int64_t bytes,
                        struct error *error)
{
    struct memory_archive *memory = context;
    if (fails(memory, memory->place))
        return error_set(error, STATUS_OUTPUT, "the disk is full");
    return load_piece(memory, name, data, bytes, error);
}

static void drop_pieces(struct memory_archive *memory)
{
    for (int64_t k = 0; k < memory->count; k++)
        memory_free(memory->pieces[k].data);
    memory->count = 0;
}

struct archive memory_archive_saves(struct memory_archive *memory)
{
    drop_pieces(memory);
    return (struct archive){.piece = save, .context = memory};
}

struct archive memory_archive_loads(struct memory_archive *memory)
{
    memory->place = 0;
    return (struct archive){.loads = true, .piece = load, .context = memory};
}

int64_t memory_archive_find(const struct memory_archive *memory, const char *name)
{
    for (int64_t k = 0; k < memory->count; k++)
        if (strcmp(memory->pieces[k].name, name) == 0)
            return k;
    ck_abort_msg("there is no piece %s", name);
}

void memory_archive_free(struct memory_archive *memory)
{
    drop_pieces(memory);
    memory_free(memory->pieces);
    *memory = (struct memory_archive){0};
}
