#include "io/arrays/damage.h"

#include "io/market/matrix_market.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of_file(const char *path, struct error *error)
{
    struct csr A;
    enum status status = matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, error);
    ck_assert(status == STATUS_OK || status == STATUS_INPUT);
    uint64_t hash = status ? 0 : csr_hash(&A);
    ck_assert(!status || (strncmp(error->text, path, strlen(path)) == 0 && !A.offsets));
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
    return hash;
}

uint64_t hash_of_content(const void *bytes, int64_t count)
{
    struct error error = {""};
    return hash_of_file(temporary_file("content", bytes, count), &error);
}

uint64_t hash_of_text(const char *text)
{
    struct error error = {""};
    uint64_t hash = hash_of_file(temporary_file("text.mtx", text, -1), &error);
    ck_assert_msg(hash != 0, "%s", error.text);
    return hash;
}

void expect_damage_found(const void *bytes, int64_t count, int64_t least, bool checked)
{
    unsigned char *changed = malloc((size_t)count);
    uint64_t whole = hash_of_content(bytes, count), state = test_seed();
    ck_assert(changed && whole);
    for (int64_t k = 0; k <= count - least; k++)
        ck_assert_msg(hash_of_content(bytes, k) == 0, "%lld bytes were read", (long long)k);
    for (int64_t k = 0; k < count; k++) {
        memcpy(changed, bytes, (size_t)count);
        changed[k] ^= (unsigned char)(1 << test_random_below(&state, 8));
        uint64_t hash = hash_of_content(changed, count);
        ck_assert_msg(!checked || hash == 0 || hash == whole, "byte %lld", (long long)k);
    }
    free(changed);
}

static enum status read_general(void *path, struct error *error)
{
    struct csr A;
    enum status status = matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, error);
    csr_free(&A);
    return status;
}

void expect_memory_may_be_short(const char *path)
{
    walk_allocation_failures(read_general, (void *)(uintptr_t)path);
}
