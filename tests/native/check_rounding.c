/* Rounding over an allocator that notes what it was asked for: only sizes change, and never downwards. */
#include "check.h"
#include "knee.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

struct allocator {
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *);
};

static _Thread_local size_t asked;
static int mark;

static void *note_malloc(void *context, size_t size)
{
    CHECK(context == &mark);
    asked = size;
    return malloc(size ? size : 1);
}

static void *note_calloc(void *context, size_t count, size_t size)
{
    CHECK(context == &mark);
    asked = count * size;
    return calloc(count ? count : 1, size ? size : 1);
}

static void *note_realloc(void *context, void *block, size_t size)
{
    CHECK(context == &mark);
    asked = size;
    return realloc(block, size ? size : 1);
}

static void note_free(void *context, void *block)
{
    CHECK(context == &mark);
    free(block);
}

static struct allocator current[3];

static void get_allocator(int domain, struct allocator *allocator)
{
    CHECK(domain == 1 || domain == 2);
    *allocator = current[domain];
}

static void set_allocator(int domain, struct allocator *allocator)
{
    CHECK(domain == 1 || domain == 2);
    current[domain] = *allocator;
}

static size_t asked_by_malloc(int domain, size_t size)
{
    void *block = current[domain].malloc(current[domain].context, size);
    CHECK(block);
    memset(block, 1, size);
    current[domain].free(current[domain].context, block);
    return asked;
}

static void sizes_are_rounded_where_enabled(void)
{
    CHECK(knee_round_set(KNEE_ROUND_LINE, 64, 16, 512, 0) == 0);
    for (int domain = 1; domain <= 2; domain++) {
        CHECK(asked_by_malloc(domain, 48) == 48);
        CHECK(knee_round_enable(1) == 0);
        for (size_t size = 0; size < 1000; size++) {
            size_t expected = size < 16 || size > 512 ? size : (size + 63) / 64 * 64;
            CHECK(asked_by_malloc(domain, size) == expected);
        }
        CHECK(knee_round_enable(0) == 1);
        CHECK(knee_round_enable_all(1) == 0);
        CHECK(asked_by_malloc(domain, 48) == 64);
        CHECK(knee_round_enable_all(0) == 1);
        CHECK(asked_by_malloc(domain, 48) == 48);
    }
}

static void calloc_and_realloc_keep_what_is_there(void)
{
    struct allocator *object = &current[2];
    knee_round_enable(1);
    unsigned char *block = object->calloc(object->context, 3, 16);
    CHECK(asked == 64);
    for (int i = 0; i < 48; i++)
        CHECK(block[i] == 0);
    memset(block, 7, 48);
    block = object->realloc(object->context, block, 100);
    CHECK(asked == 128);
    for (int i = 0; i < 48; i++)
        CHECK(block[i] == 7);
    knee_round_enable(0);
    block = object->realloc(object->context, block, 20);
    CHECK(asked == 20 && block[19] == 7);
    block = object->realloc(object->context, block, 0);
    CHECK(block && asked == 0);
    object->free(object->context, block);
    CHECK(object->calloc(object->context, SIZE_MAX / 2, 3) == NULL);
}

static void ballast_asks_for_the_same_and_counts(void)
{
    struct knee_round_counts before, after;
    CHECK(knee_round_set(KNEE_ROUND_BALLAST, 64, 1, 512, 0) == 0);
    knee_round_counts(&before);
    knee_round_enable(1);
    CHECK(asked_by_malloc(2, 48) == 48);
    CHECK(asked_by_malloc(2, 64) == 64);
    CHECK(asked_by_malloc(2, 513) == 513);
    knee_round_enable(0);
    knee_round_counts(&after);
    CHECK(after.seen - before.seen == 3 && after.treated - before.treated == 1 && after.added - before.added == 16);
}

static void shuffle_adds_steps_below_a_line_and_repeats_with_its_seed(void)
{
    size_t first[200], steps[4] = {0};
    for (int pass = 0; pass < 2; pass++) {
        CHECK(knee_round_set(KNEE_ROUND_SHUFFLE, 64, 1, 512, 42) == 0);
        knee_round_enable(1);
        for (int i = 0; i < 200; i++) {
            size_t added = asked_by_malloc(1, 40) - 40;
            CHECK(added % 16 == 0 && added < 64);
            steps[added / 16]++;
            if (pass == 0)
                first[i] = added;
            CHECK(first[i] == added);
        }
        knee_round_enable(0);
    }
    for (int i = 0; i < 4; i++)
        CHECK(steps[i] > 50); /* 100 expected */
}

static void *allocate(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        size_t got = asked_by_malloc(1 + i % 2, 40);
        CHECK(got >= 40 && got < 40 + 128);
    }
    return NULL;
}

/* Settings may change under threads that allocate; what they get may be either, never too little. */
static void threads_allocate_while_it_changes(void)
{
    pthread_t threads[4];
    knee_round_enable_all(1);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, allocate, NULL) == 0);
    for (int i = 0; i < 4000; i++)
        CHECK(knee_round_set((enum knee_round_mode)(i % 4), i % 3 ? 64 : 128, 1, 512, 1) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    knee_round_enable_all(0);
}

static void bad_settings_are_refused(void)
{
    CHECK(knee_round_set(KNEE_ROUND_LINE, 48, 1, 512, 0) == -EINVAL);
    CHECK(knee_round_set(KNEE_ROUND_LINE, 8, 1, 512, 0) == -EINVAL);
    CHECK(knee_round_set(KNEE_ROUND_LINE, 8192, 1, 512, 0) == -EINVAL);
    CHECK(knee_round_set(KNEE_ROUND_LINE, 64, 600, 512, 0) == -EINVAL);
    CHECK(knee_round_set(KNEE_ROUND_LINE, 64, 1, SIZE_MAX, 0) == -EINVAL);
    CHECK(knee_round_set((enum knee_round_mode)7, 64, 1, 512, 0) == -EINVAL);
}

int main(void)
{
    struct allocator plain = {&mark, note_malloc, note_calloc, note_realloc, note_free};
    current[1] = current[2] = plain;
    CHECK(knee_round_remove() == -EINVAL);
    CHECK(knee_round_install((void *)get_allocator, NULL) == -EINVAL);
    CHECK(!knee_round_installed());
    CHECK(knee_round_install((void *)get_allocator, (void *)set_allocator) == 0);
    CHECK(knee_round_installed());
    CHECK(knee_round_install((void *)get_allocator, (void *)set_allocator) == -EALREADY);
    bad_settings_are_refused();
    sizes_are_rounded_where_enabled();
    calloc_and_realloc_keep_what_is_there();
    ballast_asks_for_the_same_and_counts();
    shuffle_adds_steps_below_a_line_and_repeats_with_its_seed();
    threads_allocate_while_it_changes();

    /* Someone wraps us: their wrapper must not be thrown away. */
    struct allocator ours = current[1];
    current[1] = plain;
    CHECK(knee_round_remove() == -EBUSY);
    current[1] = ours;
    CHECK(knee_round_remove() == 0);
    CHECK(current[1].malloc == note_malloc && current[2].malloc == note_malloc);
    return 0;
}
