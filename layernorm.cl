/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_y__10_s0_i_block_id_x
#define __address_space__bias __global
#define __address_space__scale __global
#define __address_space__x __global
#define __address_space__y__10 __global
__kernel void _kernel_y__10_s0_i_block_id_x(
 __address_space__bias const float *restrict _bias,
 __address_space__scale const float *restrict _scale,
 __address_space__x const float *restrict _x,
 __address_space__y__10 float *restrict _y__10,
 const int _t1349,
 const int _t1350,
 const float _t1351,
 const int _t1352,
 const int _t1353,
 const int _t1354,
 const int _t1355,
 const int _x_extent_0,
 const int _x_stride_1,
 const int _y__10_extent_0,
 const int _y__10_min_1,
 const int _y__10_stride_1,
 __local int16* _allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)
{
 int _y__10_s0_i_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 // produce mean_sum_intm
 float _2512 = float_from_bits(0 /* 0 */);
 ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_thread_id_x] = _2512;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2513 = 0;
 halide_maybe_unused(_2513);
 int _2514 = _x_extent_0 - _thread_id_x;
 int _2515 = _2514 + -1;
 int _2516 = _2515 >> 8;
 int _2517 = _y__10_min_1 + _y__10_s0_i_block_id_x;
 int _2518 = _2517 * _x_stride_1;
 int _2519 = _2518 + _t1349;
 int _2520 = _2519 + _thread_id_x;
 int _2521 = _2516 + 1;
 for (int _mean_sum_intm_s1_r_x_o = 0; _mean_sum_intm_s1_r_x_o < 0 + _2521; _mean_sum_intm_s1_r_x_o++)
 {
  float _2522 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_thread_id_x];
  int _2523 = _mean_sum_intm_s1_r_x_o * 256;
  int _2524 = _2523 + _2520;
  float _2525 = _x[_2524];
  float _2526 = _2522 + _2525;
  ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_thread_id_x] = _2526;
 } // for _mean_sum_intm_s1_r_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2527 = 0;
 halide_maybe_unused(_2527);
 // produce mean_sum_intm$1
 // consume mean_sum_intm
 bool _2528 = _thread_id_x < 16;
 if (_2528)
 {
  float _2529 = float_from_bits(0 /* 0 */);
  int _2530 = _thread_id_x + 256;
  ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2530] = _2529;
 } // if _2528
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2531 = 0;
 halide_maybe_unused(_2531);
 bool _2532 = _thread_id_x < 16;
 if (_2532)
 {
  int _2533 = _x_extent_0 - _thread_id_x;
  int _2534 = _2533 + -1;
  int _2535 = _2534 >> 4;
  int _2536 = min(_2535, 15);
  int _2537 = _2536 + 1;
  for (int _mean_sum_intm__1_s1_mean_sum_t_o = 0; _mean_sum_intm__1_s1_mean_sum_t_o < 0 + _2537; _mean_sum_intm__1_s1_mean_sum_t_o++)
  {
   int _2538 = _thread_id_x + 256;
   float _2539 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2538];
   int _2540 = _mean_sum_intm__1_s1_mean_sum_t_o * 16;
   int _2541 = _2540 + _thread_id_x;
   float _2542 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2541];
   float _2543 = _2539 + _2542;
   ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2538] = _2543;
  } // for _mean_sum_intm__1_s1_mean_sum_t_o
 } // if _2532
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2544 = 0;
 halide_maybe_unused(_2544);
 // produce mean_sum
 // consume mean_sum_intm$1
 bool _2545 = _thread_id_x < 1;
 if (_2545)
 {
  float _2546 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[0] = _2546;
 } // if _2545
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2547 = 0;
 halide_maybe_unused(_2547);
 bool _2548 = _thread_id_x < 1;
 if (_2548)
 {
  for (int _mean_sum_s1_mean_sum_t_i = 0; _mean_sum_s1_mean_sum_t_i < 0 + _t1350; _mean_sum_s1_mean_sum_t_i++)
  {
   float _2549 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[0];
   int _2550 = _mean_sum_s1_mean_sum_t_i + 256;
   float _2551 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2550];
   float _2552 = _2549 + _2551;
   ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[0] = _2552;
  } // for _mean_sum_s1_mean_sum_t_i
 } // if _2548
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2553 = 0;
 halide_maybe_unused(_2553);
 // produce variance_sum_intm
 // consume mean_sum
 float _2554 = float_from_bits(0 /* 0 */);
 int _2555 = _thread_id_x + 256;
 ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2555] = _2554;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2556 = 0;
 halide_maybe_unused(_2556);
 int _2557 = _x_extent_0 - _thread_id_x;
 int _2558 = _2557 + -1;
 int _2559 = _2558 >> 8;
 int _2560 = _y__10_min_1 + _y__10_s0_i_block_id_x;
 int _2561 = _2560 * _x_stride_1;
 int _2562 = _2561 + _t1349;
 int _2563 = _2562 + _thread_id_x;
 int _2564 = _2559 + 1;
 for (int _variance_sum_intm_s1_r_x_o = 0; _variance_sum_intm_s1_r_x_o < 0 + _2564; _variance_sum_intm_s1_r_x_o++)
 {
  int _2565 = _variance_sum_intm_s1_r_x_o * 256;
  int _2566 = _2565 + _2563;
  float _2567 = _x[_2566];
  float _2568 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[0];
  float _2569 = _2568 / _t1351;
  float _2570 = _2567 - _2569;
  int _2571 = _thread_id_x + 256;
  float _2572 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2571];
  float _2573 = _2570 * _2570;
  float _2574 = _2572 + _2573;
  ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2571] = _2574;
 } // for _variance_sum_intm_s1_r_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2575 = 0;
 halide_maybe_unused(_2575);
 // produce variance_sum_intm$1
 // consume variance_sum_intm
 bool _2576 = _thread_id_x < 16;
 if (_2576)
 {
  float _2577 = float_from_bits(0 /* 0 */);
  int _2578 = _thread_id_x + 512;
  ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2578] = _2577;
 } // if _2576
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2579 = 0;
 halide_maybe_unused(_2579);
 bool _2580 = _thread_id_x < 16;
 if (_2580)
 {
  int _2581 = _x_extent_0 - _thread_id_x;
  int _2582 = _2581 + -1;
  int _2583 = _2582 >> 4;
  int _2584 = min(_2583, 15);
  int _2585 = _2584 + 1;
  for (int _variance_sum_intm__1_s1_variance_sum_t_o = 0; _variance_sum_intm__1_s1_variance_sum_t_o < 0 + _2585; _variance_sum_intm__1_s1_variance_sum_t_o++)
  {
   int _2586 = _thread_id_x + 512;
   float _2587 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2586];
   int _2588 = _variance_sum_intm__1_s1_variance_sum_t_o * 16;
   int _2589 = _2588 + _thread_id_x;
   int _2590 = _2589 + 256;
   float _2591 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2590];
   float _2592 = _2587 + _2591;
   ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2586] = _2592;
  } // for _variance_sum_intm__1_s1_variance_sum_t_o
 } // if _2580
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2593 = 0;
 halide_maybe_unused(_2593);
 // produce variance_sum
 // consume variance_sum_intm$1
 bool _2594 = _thread_id_x < 1;
 if (_2594)
 {
  float _2595 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[256] = _2595;
 } // if _2594
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2596 = 0;
 halide_maybe_unused(_2596);
 bool _2597 = _thread_id_x < 1;
 if (_2597)
 {
  for (int _variance_sum_s1_variance_sum_t_i = 0; _variance_sum_s1_variance_sum_t_i < 0 + _t1350; _variance_sum_s1_variance_sum_t_i++)
  {
   float _2598 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[256];
   int _2599 = _variance_sum_s1_variance_sum_t_i + 512;
   float _2600 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[_2599];
   float _2601 = _2598 + _2600;
   ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[256] = _2601;
  } // for _variance_sum_s1_variance_sum_t_i
 } // if _2597
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2602 = 0;
 halide_maybe_unused(_2602);
 // consume variance_sum
 // consume mean_sum
 int _2603 = _y__10_extent_0 - _thread_id_x;
 int _2604 = _2603 + -1;
 int _2605 = _2604 >> 8;
 int _2606 = _y__10_min_1 + _y__10_s0_i_block_id_x;
 int _2607 = _thread_id_x + _t1353;
 int _2608 = _thread_id_x + _t1352;
 int _2609 = _2605 + 1;
 for (int _y__10_s0_j_j_o = 0; _y__10_s0_j_j_o < 0 + _2609; _y__10_s0_j_j_o++)
 {
  int _2610 = _y__10_s0_j_j_o * 256;
  int _2611 = _2610 + _2608;
  float _2612 = _bias[_2611];
  int _2613 = _2610 + _2607;
  float _2614 = _scale[_2613];
  float _2615 = float_from_bits(1065353216 /* 1 */);
  float _2616 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[256];
  float _2617 = _2616 / _t1351;
  float _2618 = float_from_bits(925353388 /* 1e-05 */);
  float _2619 = _2617 + _2618;
  float _2620 = sqrt(_2619);
  float _2621 = _2615 / _2620;
  int _2622 = _2606 * _x_stride_1;
  int _2623 = _2622 + _t1354;
  int _2624 = _2623 + _thread_id_x;
  int _2625 = _2610 + _2624;
  float _2626 = _x[_2625];
  float _2627 = ((__local float *)_allocgroup__mean_sum_intm_0_mean_sum_2__mean_sum_intm__1_1_variance_sum_intm_3_variance_sum_5__variance_sum_intm__1_4)[0];
  float _2628 = _2627 / _t1351;
  float _2629 = _2626 - _2628;
  float _2630 = _2621 * _2629;
  float _2631 = _2614 * _2630;
  float _2632 = _2612 + _2631;
  int _2633 = _2606 * _y__10_stride_1;
  int _2634 = _2633 + _t1355;
  int _2635 = _2634 + _thread_id_x;
  int _2636 = _2610 + _2635;
  _y__10[_2636] = _2632;
 } // for _y__10_s0_j_j_o
} // kernel _kernel_y__10_s0_i_block_id_x
#undef __address_space__bias
#undef __address_space__scale
#undef __address_space__x
#undef __address_space__y__10

