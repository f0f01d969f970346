/* What libkneemalloc stands on: the next allocator is found, and the blocks that serve until then are sound. */
#include "check.h"
#include "next.h"

#include <stdint.h>
#include <string.h>

int main(void)
{
    char *blocks[100];
    for (int i = 0; i < 100; i++) {
        size_t size = (size_t)(i * 7 % 200);
        blocks[i] = early_malloc(size);
        CHECK(early_is(blocks[i]) && early_size(blocks[i]) == size && (uintptr_t)blocks[i] % 16 == 0);
        for (size_t k = 0; k < size; k++)
            CHECK(blocks[i][k] == 0);
        memset(blocks[i], i, size);
    }
    for (int i = 0; i < 100; i++)
        for (size_t k = 0; k < early_size(blocks[i]); k++)
            CHECK(blocks[i][k] == (char)i); /* no two overlap */

    CHECK(next_resolve() && next_resolve());
    CHECK(next.malloc && next.calloc && next.realloc && next.free && next.posix_memalign && next.aligned && next.usable);
    void *block = next.aligned(64, 64);
    CHECK(block && (uintptr_t)block % 64 == 0 && next.usable(block) >= 64 && !early_is(block));
    next.free(block);
    return 0;
}
