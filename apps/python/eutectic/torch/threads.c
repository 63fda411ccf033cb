/* Halide's parallel loops on the threads of torch's OpenMP. With a pool of its own beside that, threads of one
 * that wait for work, which they do by spinning for a while, would take the cores from those of the other. */

#include <stdint.h>

/* Compiled as C++, too, where a project has no C. */
#ifdef __cplusplus
extern "C" {
#endif

typedef int (*task_function)(void *context, int index, uint8_t *closure);
typedef int (*parallel_for)(void *context, task_function task, int min, int extent, uint8_t *closure);
/* HalideRuntime.h */
extern parallel_for halide_set_custom_do_par_for(parallel_for do_par_for);

/* Of libgomp, and of OpenMP libraries that can stand in for it: runs `function` in each thread of a team, and
 * waits for all of them. Inside of such a team it is a team of one. */
typedef void (*gomp_parallel)(void (*function)(void *), void *data, unsigned threads, unsigned flags);

static gomp_parallel in_team;
static unsigned team;

struct loop {
    void *context;
    task_function task;
    int min, extent;
    uint8_t *closure;
    int next, failed;
};

static void take_turns(void *data) {
    struct loop *const loop = (struct loop *)data;
    while (__atomic_load_n(&loop->failed, __ATOMIC_SEQ_CST) == 0) {
        const int turn = __atomic_fetch_add(&loop->next, 1, __ATOMIC_SEQ_CST);
        if (turn >= loop->extent) {
            return;
        }
        const int status = loop->task(loop->context, loop->min + turn, loop->closure);
        if (status != 0) {
            __atomic_store_n(&loop->failed, status, __ATOMIC_SEQ_CST);
        }
    }
}

static int in_threads(void *context, task_function task, int min, int extent, uint8_t *closure) {
    struct loop loop = {context, task, min, extent, closure, 0, 0};
    const unsigned threads = __atomic_load_n(&team, __ATOMIC_SEQ_CST);
    if (threads > 1 && extent > 1) {
        in_team(take_turns, &loop, threads, 0);
    } else {
        take_turns(&loop);
    }
    return __atomic_load_n(&loop.failed, __ATOMIC_SEQ_CST);
}

/* `parallel`: GOMP_parallel of the library that torch has loaded. */
void eutectic_use_openmp(void *parallel) {
    in_team = (gomp_parallel)parallel;
    halide_set_custom_do_par_for(in_threads);
}

/* Threads of a team from now on. */
void eutectic_set_threads(unsigned threads) {
    __atomic_store_n(&team, threads, __ATOMIC_SEQ_CST);
}

#ifdef __cplusplus
}
#endif
