/* What it costs to hand one cache line from a core to another. */
#include "batches.h"
#include "clock.h"
#include "crew.h"
#include "knee.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ROUNDS 100 /* there and back, between two looks at the clock */
#define BATCHES_MOST 20000
#define OVER UINT64_MAX
#define PATIENCE 10000 /* looks at the word before the other side may need this CPU */

struct handover {
    int64_t duration_ns;
    int64_t deadline;
    _Atomic uint64_t *word; /* even: side 0's turn; odd: side 1's; OVER: stop */
    _Atomic int over;       /* the same for good: side 1 may be about to write its turn over OVER */
    int64_t *spans;
    int batches;
};

/* Waits for `turn`; 0 when it is over instead. */
static int await_turn(struct handover *game, uint64_t turn, int side)
{
    for (int looks = 1;; looks++) {
        uint64_t seen = atomic_load_explicit(game->word, memory_order_acquire);
        if (seen == turn)
            return 1;
        if (seen == OVER)
            return 0;
        if (looks % PATIENCE)
            continue;
        if (side == 0 ? clock_now() >= game->deadline : atomic_load(&game->over))
            return 0;
        sched_yield();
    }
}

static int work(int side, void *context)
{
    struct handover *game = context;
    uint64_t turn = (uint64_t)side;
    if (side == 1) {
        for (; await_turn(game, turn, 1); turn += 2)
            atomic_store_explicit(game->word, turn + 1, memory_order_release);
        return 0;
    }
    int64_t then = clock_now();
    game->deadline = then + game->duration_ns;
    int on = 1;
    while (on && then < game->deadline && game->batches < BATCHES_MOST) {
        int rounds = 0;
        for (; rounds < ROUNDS && (on = await_turn(game, turn, 0)); rounds++, turn += 2)
            atomic_store_explicit(game->word, turn + 1, memory_order_release);
        int64_t now = clock_now();
        if (on)
            game->spans[game->batches++] = now - then;
        else if (rounds && !game->batches) /* so slow that a part must stand for a batch */
            game->spans[game->batches++] = (now - then) * ROUNDS / rounds;
        then = now;
    }
    atomic_store(&game->over, 1);
    atomic_store(game->word, OVER);
    return 0;
}

int knee_handover(int cpu_a, int cpu_b, int64_t duration_ns, struct knee_cost *cost)
{
    int cpus[2] = {cpu_a, cpu_b};
    struct handover game = {.duration_ns = duration_ns};
    struct crew crew = {.threads = 2, .cpus = cpus, .work = work, .context = &game};

    if (duration_bad(duration_ns))
        return -EINVAL;
    game.word = aligned_alloc(128, 128);
    game.spans = malloc(BATCHES_MOST * sizeof *game.spans);
    int error = game.word && game.spans ? 0 : -ENOMEM;
    if (!error) {
        atomic_store(game.word, 0);
        error = crew_run(&crew);
    }
    if (!error)
        error = batches_cost(game.spans, game.batches, 2 * ROUNDS, cost);
    free(game.spans);
    free(game.word);
    return error;
}
