/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_y__12_s0_i_block_id_x
#define __address_space__scale __global
#define __address_space__x __global
#define __address_space__y__12 __global
__kernel void _kernel_y__12_s0_i_block_id_x(
 __address_space__scale const float *restrict _scale,
 __address_space__x const float *restrict _x,
 __address_space__y__12 float *restrict _y__12,
 const int _t1623,
 const int _t1624,
 const int _t1625,
 const int _t1626,
 const float _t1627,
 const int _t1628,
 const int _x_extent_0,
 const int _x_stride_1,
 const int _y__12_extent_0,
 const int _y__12_min_1,
 const int _y__12_stride_1,
 __local int16* _allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)
{
 int _y__12_s0_i_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 // produce mean_square_sum_intm
 float _2762 = float_from_bits(0 /* 0 */);
 ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[_thread_id_x] = _2762;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2763 = 0;
 halide_maybe_unused(_2763);
 int _2764 = _x_extent_0 - _thread_id_x;
 int _2765 = _2764 + -1;
 int _2766 = _2765 >> 8;
 int _2767 = _y__12_min_1 + _y__12_s0_i_block_id_x;
 int _2768 = _2767 * _x_stride_1;
 int _2769 = _2768 + _t1623;
 int _2770 = _2769 + _thread_id_x;
 int _2771 = _2766 + 1;
 for (int _mean_square_sum_intm_s1_r_x_o = 0; _mean_square_sum_intm_s1_r_x_o < 0 + _2771; _mean_square_sum_intm_s1_r_x_o++)
 {
  int _2772 = _mean_square_sum_intm_s1_r_x_o * 256;
  int _2773 = _2772 + _2770;
  float _2774 = _x[_2773];
  float _2775 = ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[_thread_id_x];
  float _2776 = _2774 * _2774;
  float _2777 = _2775 + _2776;
  ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[_thread_id_x] = _2777;
 } // for _mean_square_sum_intm_s1_r_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2778 = 0;
 halide_maybe_unused(_2778);
 // produce mean_square_sum_intm$1
 // consume mean_square_sum_intm
 bool _2779 = _thread_id_x < 16;
 if (_2779)
 {
  float _2780 = float_from_bits(0 /* 0 */);
  int _2781 = _thread_id_x + 256;
  ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[_2781] = _2780;
 } // if _2779
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2782 = 0;
 halide_maybe_unused(_2782);
 bool _2783 = _thread_id_x < 16;
 if (_2783)
 {
  int _2784 = _x_extent_0 - _thread_id_x;
  int _2785 = _2784 + -1;
  int _2786 = _2785 >> 4;
  int _2787 = min(_2786, 15);
  int _2788 = _2787 + 1;
  for (int _mean_square_sum_intm__1_s1_mean_square_sum_t_o = 0; _mean_square_sum_intm__1_s1_mean_square_sum_t_o < 0 + _2788; _mean_square_sum_intm__1_s1_mean_square_sum_t_o++)
  {
   int _2789 = _thread_id_x + 256;
   float _2790 = ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[_2789];
   int _2791 = _mean_square_sum_intm__1_s1_mean_square_sum_t_o * 16;
   int _2792 = _2791 + _thread_id_x;
   float _2793 = ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[_2792];
   float _2794 = _2790 + _2793;
   ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[_2789] = _2794;
  } // for _mean_square_sum_intm__1_s1_mean_square_sum_t_o
 } // if _2783
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2795 = 0;
 halide_maybe_unused(_2795);
 // produce mean_square_sum
 // consume mean_square_sum_intm$1
 bool _2796 = _thread_id_x < 1;
 if (_2796)
 {
  float _2797 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[0] = _2797;
 } // if _2796
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2798 = 0;
 halide_maybe_unused(_2798);
 bool _2799 = _thread_id_x < 1;
 if (_2799)
 {
  for (int _mean_square_sum_s1_mean_square_sum_t_i = 0; _mean_square_sum_s1_mean_square_sum_t_i < 0 + _t1624; _mean_square_sum_s1_mean_square_sum_t_i++)
  {
   float _2800 = ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[0];
   int _2801 = _mean_square_sum_s1_mean_square_sum_t_i + 256;
   float _2802 = ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[_2801];
   float _2803 = _2800 + _2802;
   ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[0] = _2803;
  } // for _mean_square_sum_s1_mean_square_sum_t_i
 } // if _2799
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2804 = 0;
 halide_maybe_unused(_2804);
 // consume mean_square_sum
 int _2805 = _y__12_extent_0 - _thread_id_x;
 int _2806 = _2805 + -1;
 int _2807 = _2806 >> 8;
 int _2808 = _y__12_min_1 + _y__12_s0_i_block_id_x;
 int _2809 = _thread_id_x + _t1625;
 int _2810 = _2807 + 1;
 for (int _y__12_s0_j_j_o = 0; _y__12_s0_j_j_o < 0 + _2810; _y__12_s0_j_j_o++)
 {
  int _2811 = _y__12_s0_j_j_o * 256;
  int _2812 = _2811 + _2809;
  float _2813 = _scale[_2812];
  int _2814 = _2808 * _x_stride_1;
  int _2815 = _2814 + _t1626;
  int _2816 = _2815 + _thread_id_x;
  int _2817 = _2811 + _2816;
  float _2818 = _x[_2817];
  float _2819 = float_from_bits(1065353216 /* 1 */);
  float _2820 = ((__local float *)_allocgroup__mean_square_sum_intm_0_mean_square_sum_2__mean_square_sum_intm__1_1)[0];
  float _2821 = _2820 / _t1627;
  float _2822 = float_from_bits(925353388 /* 1e-05 */);
  float _2823 = _2821 + _2822;
  float _2824 = sqrt(_2823);
  float _2825 = _2819 / _2824;
  float _2826 = _2818 * _2825;
  float _2827 = _2813 * _2826;
  int _2828 = _2808 * _y__12_stride_1;
  int _2829 = _2828 + _t1628;
  int _2830 = _2829 + _thread_id_x;
  int _2831 = _2811 + _2830;
  _y__12[_2831] = _2827;
 } // for _y__12_s0_j_j_o
} // kernel _kernel_y__12_s0_i_block_id_x
#undef __address_space__scale
#undef __address_space__x
#undef __address_space__y__12

