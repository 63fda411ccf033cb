/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_y__14_s0_j_j_o_gpu_blocks1_block_id_x
#define __address_space__y__14 __global
#define __address_space__x __global
#define __address_space__w __global
#define __address_space__b __global
__kernel void _kernel_y__14_s0_j_j_o_gpu_blocks1_block_id_x(
 __address_space__y__14 float *restrict _y__14,
 __address_space__x const float *restrict _x,
 __address_space__w const float *restrict _w,
 __address_space__b const float *restrict _b,
 const int _x_min_0,
 const int _y__14_stride_1,
 const int _y__14_min_1,
 const int _y__14_min_0,
 const int _y__14_extent_0,
 const int _x_stride_1,
 const int _t2511,
 const int _x_extent_0,
 const int _w_stride_1,
 const int _t2603,
 const int _t2602,
 const int _t2601,
 const int _t2599,
 const int _t2598,
 const int _t2597,
 const int _t2595,
 __local int16* _allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)
{
 int _y__14_s0_j_j_o_gpu_blocks1_block_id_x = get_group_id(0);
 int _thread_id_y = get_local_id(1);
 int _thread_id_x = get_local_id(0);
 bool _3272 = _y__14_s0_j_j_o_gpu_blocks1_block_id_x < 0;
 int _3273 = (int)(_3272 ? -1 : 0);
 bool _3274 = _t2603 == 0;
 int _3275 = (int)(_3274 ? -1 : 0);
 bool _3276 = _t2603 < 0;
 int _3277 = (int)(_3276 ? -1 : 0);
 int _3278 = _y__14_s0_j_j_o_gpu_blocks1_block_id_x - _3273;
 int _3279 = _t2603 | _3275;
 int _3280 = _3278 % _3279;
 int _3281 = _t2603 ^ _3277;
 int _3282 = ~_3277;
 int _3283 = _3281 + _3282;
 int _3284 = _3273 & _3283;
 int _3285 = _3280 + _3284;
 int _3286 = ~_3275;
 int _3287 = _3285 & _3286;
 int _3288 = _t2603 - _3275;
 int _3289 = _3278 / _3288;
 int _3290 = _3282 - _3277;
 int _3291 = _3273 & _3290;
 int _3292 = _3289 + _3291;
 int _3293 = _3292 & _3286;
 int _3294 = _3287 * 2;
 int _3295 = _3294 + 2;
 int _3296 = min(_3295, _y__14_extent_0);
 // produce matmul_intm
 int _3297 = _3296 + 1;
 int _3298 = _3297 >> 1;
 int _3299 = _3298 - _3287;
 int _3300 = _3296 - _3294;
 int _3301 = _3300 - _thread_id_y;
 int _3302 = _3301 + -1;
 int _3303 = _3302 >> 1;
 int _3304 = _3303 + 1;
 int _3305 = min(_3299, _3304);
 int _3306 = _3294 + _y__14_min_0;
 int _3307 = max(_3305, 0);
 int _3308 = _thread_id_y - _3306;
 for (int _matmul_intm_s0_j_j_o = 0; _matmul_intm_s0_j_j_o < 0 + _3307; _matmul_intm_s0_j_j_o++)
 {
  int _3309 = _matmul_intm_s0_j_j_o * 2;
  int _3310 = _3309 + _3306;
  float _3311 = float_from_bits(0 /* 0 */);
  int _3312 = _3310 + _3308;
  int _3313 = _3312 * 32;
  int _3314 = _3313 + _thread_id_x;
  ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3314] = _3311;
 } // for _matmul_intm_s0_j_j_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3315 = 0;
 halide_maybe_unused(_3315);
 int _3316 = _3296 + 1;
 int _3317 = _3316 >> 1;
 int _3318 = _3317 - _3287;
 int _3319 = _3287 * 2;
 int _3320 = _3296 - _3319;
 int _3321 = _3320 - _thread_id_y;
 int _3322 = _3321 + -1;
 int _3323 = _3322 >> 1;
 int _3324 = _3323 + 1;
 int _3325 = min(_3318, _3324);
 int _3326 = _3319 + _y__14_min_0;
 int _3327 = max(_3325, 0);
 int _3328 = _x_extent_0 - _thread_id_x;
 int _3329 = _3328 + -1;
 int _3330 = _3329 >> 5;
 int _3331 = _thread_id_y - _3326;
 int _3332 = _thread_id_y - _t2598;
 int _3333 = _thread_id_x + _x_min_0;
 int _3334 = _y__14_min_1 + _3293;
 int _3335 = _3334 * _x_stride_1;
 int _3336 = _3335 + _t2597;
 int _3337 = _3336 + _thread_id_x;
 for (int _matmul_intm_s1_j_j_u0_o = 0; _matmul_intm_s1_j_j_u0_o < 0 + _3327; _matmul_intm_s1_j_j_u0_o++)
 {
  int _3338 = _matmul_intm_s1_j_j_u0_o * 2;
  int _3339 = _3338 + _3326;
  int _3340 = _3339 + _3332;
  int _3341 = _3339 + _3331;
  int _3342 = _3330 + 1;
  for (int _matmul_intm_s1_r_x_o = 0; _matmul_intm_s1_r_x_o < 0 + _3342; _matmul_intm_s1_r_x_o++)
  {
   int _3343 = _3341 * 32;
   int _3344 = _3343 + _thread_id_x;
   float _3345 = ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3344];
   int _3346 = _matmul_intm_s1_r_x_o * 32;
   int _3347 = _3346 + _3337;
   float _3348 = _x[_3347];
   int _3349 = _3346 + _3333;
   int _3350 = _3349 * _w_stride_1;
   int _3351 = _3350 + _3340;
   float _3352 = _w[_3351];
   float _3353 = _3348 * _3352;
   float _3354 = _3345 + _3353;
   ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3344] = _3354;
  } // for _matmul_intm_s1_r_x_o
 } // for _matmul_intm_s1_j_j_u0_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3355 = 0;
 halide_maybe_unused(_3355);
 // produce matmul_intm$1
 // consume matmul_intm
 bool _3356 = _thread_id_x < 8;
 if (_3356)
 {
  int _3357 = _3296 + 1;
  int _3358 = _3357 >> 1;
  int _3359 = _3358 - _3287;
  int _3360 = _3287 * 2;
  int _3361 = _3296 - _3360;
  int _3362 = _3361 - _thread_id_y;
  int _3363 = _3362 + -1;
  int _3364 = _3363 >> 1;
  int _3365 = _3364 + 1;
  int _3366 = min(_3359, _3365);
  int _3367 = _3360 + _y__14_min_0;
  int _3368 = max(_3366, 0);
  int _3369 = _thread_id_y - _3367;
  int _3370 = _thread_id_x + _t2511;
  for (int _matmul_intm__1_s0_j_j_o = 0; _matmul_intm__1_s0_j_j_o < 0 + _3368; _matmul_intm__1_s0_j_j_o++)
  {
   int _3371 = _matmul_intm__1_s0_j_j_o * 2;
   int _3372 = _3371 + _3367;
   float _3373 = float_from_bits(0 /* 0 */);
   int _3374 = _3372 + _3369;
   int _3375 = _3374 * 8;
   int _3376 = _3375 + _3370;
   ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3376] = _3373;
  } // for _matmul_intm__1_s0_j_j_o
 } // if _3356
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3377 = 0;
 halide_maybe_unused(_3377);
 bool _3378 = _thread_id_x < 8;
 if (_3378)
 {
  int _3379 = _3296 + 1;
  int _3380 = _3379 >> 1;
  int _3381 = _3380 - _3287;
  int _3382 = _3287 * 2;
  int _3383 = _3296 - _3382;
  int _3384 = _3383 - _thread_id_y;
  int _3385 = _3384 + -1;
  int _3386 = _3385 >> 1;
  int _3387 = _3386 + 1;
  int _3388 = min(_3381, _3387);
  int _3389 = _3382 + _y__14_min_0;
  int _3390 = max(_3388, 0);
  int _3391 = _x_extent_0 - _thread_id_x;
  int _3392 = _3391 + -1;
  int _3393 = _3392 >> 3;
  int _3394 = min(_3393, 3);
  int _3395 = _thread_id_y - _3389;
  int _3396 = _thread_id_x + _t2511;
  for (int _matmul_intm__1_s1_j_j_u0_o = 0; _matmul_intm__1_s1_j_j_u0_o < 0 + _3390; _matmul_intm__1_s1_j_j_u0_o++)
  {
   int _3397 = _matmul_intm__1_s1_j_j_u0_o * 2;
   int _3398 = _3397 + _3389;
   int _3399 = _3398 + _3395;
   int _3400 = _3394 + 1;
   for (int _matmul_intm__1_s1_matmul_t_o = 0; _matmul_intm__1_s1_matmul_t_o < 0 + _3400; _matmul_intm__1_s1_matmul_t_o++)
   {
    int _3401 = _3399 * 8;
    int _3402 = _3401 + _3396;
    float _3403 = ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3402];
    int _3404 = _matmul_intm__1_s1_matmul_t_o * 8;
    int _3405 = _3399 * 32;
    int _3406 = _3405 + _thread_id_x;
    int _3407 = _3404 + _3406;
    float _3408 = ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3407];
    float _3409 = _3403 + _3408;
    ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3402] = _3409;
   } // for _matmul_intm__1_s1_matmul_t_o
  } // for _matmul_intm__1_s1_j_j_u0_o
 } // if _3378
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3410 = 0;
 halide_maybe_unused(_3410);
 // produce matmul
 // consume matmul_intm$1
 bool _3411 = _thread_id_y < 1;
 bool _3412 = _thread_id_x < 2;
 bool _3413 = _3411 && _3412;
 if (_3413)
 {
  int _3414 = _3296 + 1;
  int _3415 = _3414 >> 1;
  int _3416 = _3415 - _3287;
  int _3417 = _3287 * 2;
  int _3418 = _3296 - _3417;
  int _3419 = _3418 - _thread_id_x;
  int _3420 = _3419 + -1;
  int _3421 = _3420 >> 1;
  int _3422 = _3421 + 1;
  int _3423 = min(_3416, _3422);
  int _3424 = _3417 + _y__14_min_0;
  int _3425 = max(_3423, 0);
  int _3426 = _thread_id_x - _3424;
  for (int _matmul_s0_j_j_o = 0; _matmul_s0_j_j_o < 0 + _3425; _matmul_s0_j_j_o++)
  {
   int _3427 = _matmul_s0_j_j_o * 2;
   int _3428 = _3427 + _3424;
   float _3429 = float_from_bits(0 /* 0 */);
   int _3430 = _3428 + _3426;
   ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3430] = _3429;
  } // for _matmul_s0_j_j_o
 } // if _3413
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3431 = 0;
 halide_maybe_unused(_3431);
 bool _3432 = _thread_id_y < 1;
 bool _3433 = _thread_id_x < 2;
 bool _3434 = _3432 && _3433;
 if (_3434)
 {
  int _3435 = _3296 + 1;
  int _3436 = _3435 >> 1;
  int _3437 = _3436 - _3287;
  int _3438 = _3287 * 2;
  int _3439 = _3296 - _3438;
  int _3440 = _3439 - _thread_id_x;
  int _3441 = _3440 + -1;
  int _3442 = _3441 >> 1;
  int _3443 = _3442 + 1;
  int _3444 = min(_3437, _3443);
  int _3445 = _3438 + _y__14_min_0;
  int _3446 = max(_3444, 0);
  int _3447 = _thread_id_x - _3445;
  for (int _matmul_s1_j_j_u0_o = 0; _matmul_s1_j_j_u0_o < 0 + _3446; _matmul_s1_j_j_u0_o++)
  {
   int _3448 = _matmul_s1_j_j_u0_o * 2;
   int _3449 = _3448 + _3445;
   int _3450 = _3449 + _3447;
   for (int _matmul_s1_matmul_t_i = 0; _matmul_s1_matmul_t_i < 0 + _t2599; _matmul_s1_matmul_t_i++)
   {
    float _3451 = ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3450];
    int _3452 = _3450 * 8;
    int _3453 = _3452 + _t2511;
    int _3454 = _3453 + _matmul_s1_matmul_t_i;
    float _3455 = ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3454];
    float _3456 = _3451 + _3455;
    ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_3450] = _3456;
   } // for _matmul_s1_matmul_t_i
  } // for _matmul_s1_j_j_u0_o
 } // if _3434
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3457 = 0;
 halide_maybe_unused(_3457);
 int _3458 = _3287 * 2;
 int _3459 = _3458 + _y__14_min_0;
 int _3460 = _3459 + _thread_id_x;
 int _3461 = _3460 + 1;
 int _3462 = _y__14_extent_0 + _y__14_min_0;
 bool _3463 = _3461 <= _3462;
 bool _3464 = _thread_id_x < 2;
 bool _3465 = _3463 && _3464;
 bool _3466 = _thread_id_y < 1;
 bool _3467 = _3465 && _3466;
 if (_3467)
 {
  // consume matmul
  float _3468 = ((__local float *)_allocgroup__matmul_intm_0_matmul_2__matmul_intm__1_1)[_thread_id_x];
  int _3469 = _3287 * 2;
  int _3470 = _3469 + _t2601;
  int _3471 = _3470 + _thread_id_x;
  float _3472 = _b[_3471];
  float _3473 = _3468 + _3472;
  float _3474 = float_from_bits(0 /* 0 */);
  float _3475 = max(_3473, _3474);
  int _3476 = _y__14_min_1 + _3293;
  int _3477 = _3476 * _y__14_stride_1;
  int _3478 = _3477 + _t2602;
  int _3479 = _3469 + _3478;
  int _3480 = _3479 + _thread_id_x;
  _y__14[_3480] = _3475;
 } // if _3467
} // kernel _kernel_y__14_s0_j_j_o_gpu_blocks1_block_id_x
#undef __address_space__y__14
#undef __address_space__x
#undef __address_space__w
#undef __address_space__b

