#pragma once

#include <stddef.h>

/* Where the temporaries of kernels come from that add_eutectic_library made with ARENA. For C and C++.
 *
 * An arena keeps the pages of what was freed, so that the next call finds them again: malloc() gives what
 * lies at the heap's end back to the system when it is freed, and every page of it costs a fault in every
 * call. Kernels made without ARENA, and everything else in the program, have malloc() as before.
 *
 * Unless they are given another one, all such kernels share the process's arena, which `arena` = null stands
 * for below. It grows to the most that is in use at once, and where sizes do not fit together to about half
 * as much again. To give a call an arena of its own, add the feature user_context to the kernel's TARGETS: it
 * then has one more argument in front, the arena (null: the process's).
 *
 *     eutectic_arena_reserve(NULL, 64 << 20);  // optional: not even the first call waits for pages
 *     for (...) layer(x, w, y);
 *     eutectic_arena_trim(NULL, 0);            // nothing to do for a while: all goes back
 *
 *     struct eutectic_arena *mine = eutectic_arena_create();
 *     eutectic_arena_limit(mine, 256 << 20);   // this caller's calls may not take more
 *     int error = layer(mine, x, w, y);        // halide_error_code_out_of_memory if they would
 *     eutectic_arena_destroy(mine);
 *
 * All of it may be used from any thread, and while kernels run. */

#ifdef __cplusplus
extern "C" {
#endif

struct eutectic_arena;

/** A new arena, which holds nothing yet. Null where there is no memory for it. */
struct eutectic_arena *eutectic_arena_create(void);

/** Gives its pages back and ends it; null does nothing. Returns 0, or -1 and leaves it as it is while a
 * kernel that was given it still uses it. */
int eutectic_arena_destroy(struct eutectic_arena *arena);

/** Takes memory from the system, its pages included, until the arena holds at least so many bytes. Returns 0,
 * or -1 where the system or eutectic_arena_limit() has no more; what it held it keeps. */
int eutectic_arena_reserve(struct eutectic_arena *arena, size_t bytes);

/** Gives memory back that is not in use, until no more than `keep` bytes are held. It goes in the pieces in
 * which it came: one of which a part is in use stays. Returns how many bytes went back. */
size_t eutectic_arena_trim(struct eutectic_arena *arena, size_t keep);

/** The most that the arena may hold from now on (default: whatever the system gives); what it holds already
 * stays. A kernel that needs more fails as one for which malloc() has no memory: it
 * calls halide_error(), whose default ends the program (halide_set_error_handler() gives it another), frees
 * what it has so far, and returns halide_error_code_out_of_memory. */
void eutectic_arena_limit(struct eutectic_arena *arena, size_t bytes);

struct eutectic_arena_bytes {
    size_t held; /**< what it has from the system, pages that nobody has touched yet included */
    size_t used; /**< of that, what kernels that run now have: at most a quarter more than they asked for */
    size_t peak; /**< the most of `used` since the arena was made, or eutectic_arena_reset_peak() */
};
struct eutectic_arena_bytes eutectic_arena_usage(const struct eutectic_arena *arena);

/** The peak becomes what is in use now. */
void eutectic_arena_reset_peak(struct eutectic_arena *arena);

/** For programs whose user_context is something else, which their error handlers need: `find` gets it from
 * every allocation, in the thread that allocates, and returns the arena (null: the process's). Null: it is
 * the arena itself again. */
void eutectic_arena_find_by(struct eutectic_arena *(*find)(void *user_context));

/** What the kernels call, with the contract of halide_malloc() and halide_free(): aligned to 128 bytes, and
 * readable for as many before the start and beyond the end; null where there is no more memory. */
void *eutectic_arena_malloc(void *user_context, size_t bytes);
void eutectic_arena_free(void *user_context, void *block);

#ifdef __cplusplus
}
#endif
