/* Halide's parallel loops on the threads of torch's OpenMP. With a pool of its own beside that, threads of one
 * that wait for work, which they do by spinning for a while, would take the cores from those of the other. */

#include <stdatomic.h>
#include <stdint.h>

typedef int (*task)(void *context, int index, uint8_t *closure);
typedef int (*parallel_for)(void *context, task task, int min, int extent, uint8_t *closure);
/* HalideRuntime.h */
extern parallel_for halide_set_custom_do_par_for(parallel_for do_par_for);

/* Of libgomp, and of OpenMP libraries that can stand in for it: runs `function` in each thread of a team, and
 * waits for all of them. Inside of such a team it is a team of one. */
typedef void (*gomp_parallel)(void (*function)(void *), void *data, unsigned threads, unsigned flags);

static gomp_parallel in_team;
static atomic_uint team;

struct loop {
    void *context;
    task task;
    int min, extent;
    uint8_t *closure;
    atomic_int next, failed;
};

static void take_turns(void *data) {
    struct loop *const loop = data;
    while (atomic_load(&loop->failed) == 0) {
        const int turn = atomic_fetch_add(&loop->next, 1);
        if (turn >= loop->extent) {
            return;
        }
        const int status = loop->task(loop->context, loop->min + turn, loop->closure);
        if (status != 0) {
            atomic_store(&loop->failed, status);
        }
    }
}

static int in_threads(void *context, task task, int min, int extent, uint8_t *closure) {
    struct loop loop = {context, task, min, extent, closure, 0, 0};
    const unsigned threads = atomic_load(&team);
    if (threads > 1 && extent > 1) {
        in_team(take_turns, &loop, threads, 0);
    } else {
        take_turns(&loop);
    }
    return atomic_load(&loop.failed);
}

/* `parallel`: GOMP_parallel of the library that torch has loaded. */
void eutectic_use_openmp(void *parallel) {
    in_team = (gomp_parallel)parallel;
    halide_set_custom_do_par_for(in_threads);
}

/* Threads of a team from now on. */
void eutectic_set_threads(unsigned threads) {
    atomic_store(&team, threads);
}
