#ifndef EUTECTIC_PRICED_NEST_H
#define EUTECTIC_PRICED_NEST_H

/* What a cost model of somebody else's is told of a nest of loops, and what it answers. Plain C, so that any
 * language will do. A shared library for `--cost-model FILE.so` exports two functions:
 *
 *     int eutectic_cost_model_version(void);  // returns EUTECTIC_COST_MODEL_VERSION
 *     void eutectic_price_nest(const struct eutectic_nest *nest, const struct eutectic_machine *machine,
 *                              struct eutectic_price *price);
 *
 * The second is called for every nest that any policy tries, thousands of times a plan, from several threads
 * at once: it must answer the same whenever it is asked the same, keep no state, and neither throw nor exit.
 * apps/examples/own-cost-model is one. */

/* Changes with every change of what follows: a library for another version is refused. */
#define EUTECTIC_COST_MODEL_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of one run, in parts that add up. Each is at least 0; infinity: never. */
struct eutectic_price {
    double compute, memory, idle, launch;
};

/* One stage of the nest: a Func's definition or an update, with what is inlined into it. Counts are of all of
 * its iterations together, on all cores; bytes past a level are those that it moves, after the footprints of
 * its loops (src/cost/memory.cpp). On a GPU a stage stands for the whole kernel, and beyond_l1 is what its
 * SMs read past their own memory. */
struct eutectic_stage {
    double points;          /* iterations */
    double flops;           /* additions, multiplications, comparisons, each once */
    double divisions;       /* and square roots */
    double transcendentals; /* exp, log and their like, inlined */
    double libm_calls;      /* calls of the C library */
    double recomputed;      /* evaluations of inlined definitions beyond once per point of theirs */
    double element_bytes;   /* of what is stored */
    double loaded_bytes;    /* that its instructions ask for, wherever they come from */
    double stored_bytes;
    double beyond_l1, beyond_l2, beyond_l3; /* bytes past each level; beyond_l3 is memory's traffic */
    double lanes;                           /* of its vectors; 1: it has none */
    double unrolled;                        /* vectors, or points, in its innermost block */
    double in_registers;                    /* 1: its accumulators stay there across the reduction */
    double compute_seconds;                 /* what this project's model expects of it, on the cores of the
                                             * nest, if everything is in the first level of cache */
};

/* A nest of loops, or a kernel. Its stages run one after the other inside the same outer loops. */
struct eutectic_nest {
    const struct eutectic_stage *stages;
    int stage_count;           /* at least 1 */
    double tasks;              /* of its parallel loops, or blocks of threads; 0: it runs on one core */
    double touched_bytes;      /* that it reads or writes at all, each once */
    struct eutectic_price own; /* what this project's model says */
};

/* The machine that is planned for; a rate that says nothing else is of one core, or SM. */
struct eutectic_machine {
    double cores;
    double vector_bits;                  /* of one register; of a GPU's SM all lanes that start at once */
    double flops_per_second;             /* of float32 in whole vectors, a multiply-add as two */
    double l1_bytes, l2_bytes, l3_bytes; /* a core's share; 0: there is no such level */
    double l2_bytes_per_second, l3_bytes_per_second; /* reading from them; 0: there is no such level */
    double memory_bytes_per_second;                  /* of all cores together */
    double launch_seconds, task_seconds; /* of a parallel loop or kernel, and of one of its tasks */
};

typedef int (*eutectic_cost_model_version_function)(void);
typedef void (*eutectic_price_nest_function)(const struct eutectic_nest *, const struct eutectic_machine *,
                                             struct eutectic_price *);

#ifdef __cplusplus
}
#endif

#endif
