/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_row_loss_s0_i_block_id_x
#define __address_space__labels __global
#define __address_space__row_loss __global
#define __address_space__x __global
__kernel void _kernel_row_loss_s0_i_block_id_x(
 __address_space__labels const int *restrict _labels,
 __address_space__row_loss float *restrict _row_loss,
 __address_space__x const float *restrict _x,
 const int _labels_min_0,
 const int _t1848,
 const int _t1849,
 const int _t1851,
 const int _x_extent_0,
 const int _x_min_0,
 const int _x_stride_1,
 __local int16* _allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)
{
 int _row_loss_s0_i_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 // produce row_max$4_intm
 ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_thread_id_x] = neg_inf_f32();
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2902 = 0;
 halide_maybe_unused(_2902);
 int _2903 = _x_extent_0 - _thread_id_x;
 int _2904 = _2903 + -1;
 int _2905 = _2904 >> 8;
 int _2906 = _labels_min_0 + _row_loss_s0_i_block_id_x;
 int _2907 = _2906 * _x_stride_1;
 int _2908 = _2907 + _t1848;
 int _2909 = _2908 + _thread_id_x;
 int _2910 = _2905 + 1;
 for (int _row_max__4_intm_s1_c_x_o = 0; _row_max__4_intm_s1_c_x_o < 0 + _2910; _row_max__4_intm_s1_c_x_o++)
 {
  float _2911 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_thread_id_x];
  int _2912 = _row_max__4_intm_s1_c_x_o * 256;
  int _2913 = _2912 + _2909;
  float _2914 = _x[_2913];
  float _2915 = max(_2911, _2914);
  ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_thread_id_x] = _2915;
 } // for _row_max__4_intm_s1_c_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2916 = 0;
 halide_maybe_unused(_2916);
 // produce row_max_4_intm$1
 // consume row_max$4_intm
 bool _2917 = _thread_id_x < 16;
 if (_2917)
 {
  int _2918 = _thread_id_x + 256;
  ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2918] = neg_inf_f32();
 } // if _2917
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2919 = 0;
 halide_maybe_unused(_2919);
 bool _2920 = _thread_id_x < 16;
 if (_2920)
 {
  int _2921 = _x_extent_0 - _thread_id_x;
  int _2922 = _2921 + -1;
  int _2923 = _2922 >> 4;
  int _2924 = min(_2923, 15);
  int _2925 = _2924 + 1;
  for (int _row_max_4_intm__1_s1_row_max_t_o = 0; _row_max_4_intm__1_s1_row_max_t_o < 0 + _2925; _row_max_4_intm__1_s1_row_max_t_o++)
  {
   int _2926 = _thread_id_x + 256;
   float _2927 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2926];
   int _2928 = _row_max_4_intm__1_s1_row_max_t_o * 16;
   int _2929 = _2928 + _thread_id_x;
   float _2930 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2929];
   float _2931 = max(_2927, _2930);
   ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2926] = _2931;
  } // for _row_max_4_intm__1_s1_row_max_t_o
 } // if _2920
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2932 = 0;
 halide_maybe_unused(_2932);
 // produce row_max$4
 bool _2933 = _thread_id_x < 1;
 if (_2933)
 {
  ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[0] = neg_inf_f32();
 } // if _2933
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2934 = 0;
 halide_maybe_unused(_2934);
 bool _2935 = _thread_id_x < 1;
 if (_2935)
 {
  // consume row_max_4_intm$1
  for (int _row_max__4_s1_row_max_t_i = 0; _row_max__4_s1_row_max_t_i < 0 + _t1849; _row_max__4_s1_row_max_t_i++)
  {
   float _2936 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[0];
   int _2937 = _row_max__4_s1_row_max_t_i + 256;
   float _2938 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2937];
   float _2939 = max(_2936, _2938);
   ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[0] = _2939;
  } // for _row_max__4_s1_row_max_t_i
 } // if _2935
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2940 = 0;
 halide_maybe_unused(_2940);
 // produce sum_exp$4_intm
 // consume row_max$4
 float _2941 = float_from_bits(0 /* 0 */);
 int _2942 = _thread_id_x + 256;
 ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2942] = _2941;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2943 = 0;
 halide_maybe_unused(_2943);
 int _2944 = _x_extent_0 - _thread_id_x;
 int _2945 = _2944 + -1;
 int _2946 = _2945 >> 8;
 int _2947 = _labels_min_0 + _row_loss_s0_i_block_id_x;
 int _2948 = _2947 * _x_stride_1;
 int _2949 = _2948 + _t1848;
 int _2950 = _2949 + _thread_id_x;
 int _2951 = _2946 + 1;
 for (int _sum_exp__4_intm_s1_c_x_o = 0; _sum_exp__4_intm_s1_c_x_o < 0 + _2951; _sum_exp__4_intm_s1_c_x_o++)
 {
  int _2952 = _sum_exp__4_intm_s1_c_x_o * 256;
  int _2953 = _2952 + _2950;
  float _2954 = _x[_2953];
  float _2955 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[0];
  float _2956 = _2954 - _2955;
  float _2957 = exp(_2956);
  int _2958 = _thread_id_x + 256;
  float _2959 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2958];
  float _2960 = _2957 + _2959;
  ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2958] = _2960;
 } // for _sum_exp__4_intm_s1_c_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2961 = 0;
 halide_maybe_unused(_2961);
 // produce sum_exp_4_intm$1
 // consume sum_exp$4_intm
 bool _2962 = _thread_id_x < 16;
 if (_2962)
 {
  float _2963 = float_from_bits(0 /* 0 */);
  int _2964 = _thread_id_x + 512;
  ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2964] = _2963;
 } // if _2962
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2965 = 0;
 halide_maybe_unused(_2965);
 bool _2966 = _thread_id_x < 16;
 if (_2966)
 {
  int _2967 = _x_extent_0 - _thread_id_x;
  int _2968 = _2967 + -1;
  int _2969 = _2968 >> 4;
  int _2970 = min(_2969, 15);
  int _2971 = _2970 + 1;
  for (int _sum_exp_4_intm__1_s1_sum_exp_t_o = 0; _sum_exp_4_intm__1_s1_sum_exp_t_o < 0 + _2971; _sum_exp_4_intm__1_s1_sum_exp_t_o++)
  {
   int _2972 = _thread_id_x + 512;
   float _2973 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2972];
   int _2974 = _sum_exp_4_intm__1_s1_sum_exp_t_o * 16;
   int _2975 = _2974 + _thread_id_x;
   int _2976 = _2975 + 256;
   float _2977 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2976];
   float _2978 = _2973 + _2977;
   ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2972] = _2978;
  } // for _sum_exp_4_intm__1_s1_sum_exp_t_o
 } // if _2966
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2979 = 0;
 halide_maybe_unused(_2979);
 // produce sum_exp$4
 bool _2980 = _thread_id_x < 1;
 if (_2980)
 {
  float _2981 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[256] = _2981;
 } // if _2980
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2982 = 0;
 halide_maybe_unused(_2982);
 bool _2983 = _thread_id_x < 1;
 if (_2983)
 {
  // consume sum_exp_4_intm$1
  for (int _sum_exp__4_s1_sum_exp_t_i = 0; _sum_exp__4_s1_sum_exp_t_i < 0 + _t1849; _sum_exp__4_s1_sum_exp_t_i++)
  {
   float _2984 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[256];
   int _2985 = _sum_exp__4_s1_sum_exp_t_i + 512;
   float _2986 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[_2985];
   float _2987 = _2984 + _2986;
   ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[256] = _2987;
  } // for _sum_exp__4_s1_sum_exp_t_i
 } // if _2983
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2988 = 0;
 halide_maybe_unused(_2988);
 bool _2989 = _thread_id_x < 1;
 if (_2989)
 {
  // consume sum_exp$4
  // consume row_max$4
  float _2990 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[256];
  float _2991 = log(_2990);
  float _2992 = ((__local float *)_allocgroup__row_max__4_intm_0_row_max__4_2__row_max_4_intm__1_1_sum_exp__4_intm_3_sum_exp__4_5__sum_exp_4_intm__1_4)[0];
  float _2993 = _2991 + _2992;
  int _2994 = _labels_min_0 + _row_loss_s0_i_block_id_x;
  int _2995 = _2994 * _x_stride_1;
  int _2996 = _labels[_row_loss_s0_i_block_id_x];
  int _2997 = _x_extent_0 + _x_min_0;
  int _2998 = _2997 + -1;
  int _2999 = min(_2996, _2998);
  int _3000 = max(_2999, _x_min_0);
  int _3001 = _3000 - _t1851;
  int _3002 = _2995 + _3001;
  float _3003 = _x[_3002];
  float _3004 = _2993 - _3003;
  _row_loss[_row_loss_s0_i_block_id_x] = _3004;
 } // if _2989
} // kernel _kernel_row_loss_s0_i_block_id_x
#undef __address_space__labels
#undef __address_space__row_loss
#undef __address_space__x
// Address spaces for _kernel_loss_s0___outermost___outermost_one_block_block_id_x
#define __address_space__loss __global
#define __address_space__row_loss __global
__kernel void _kernel_loss_s0___outermost___outermost_one_block_block_id_x(
 __address_space__loss float *restrict _loss,
 __address_space__row_loss const float *restrict _row_loss,
 const int _labels_extent_0,
 const int _t1859,
 const float _t1860,
 __local int16* _allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)
{
 int _loss_s0___outermost___outermost_one_block_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 // produce total_loss_intm
 float _3005 = float_from_bits(0 /* 0 */);
 ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[_thread_id_x] = _3005;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3006 = 0;
 halide_maybe_unused(_3006);
 int _3007 = _labels_extent_0 - _thread_id_x;
 int _3008 = _3007 + -1;
 int _3009 = _3008 >> 6;
 int _3010 = _3009 + 1;
 for (int _total_loss_intm_s1_row_x_o = 0; _total_loss_intm_s1_row_x_o < 0 + _3010; _total_loss_intm_s1_row_x_o++)
 {
  float _3011 = ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[_thread_id_x];
  int _3012 = _total_loss_intm_s1_row_x_o * 64;
  int _3013 = _3012 + _thread_id_x;
  float _3014 = _row_loss[_3013];
  float _3015 = _3011 + _3014;
  ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[_thread_id_x] = _3015;
 } // for _total_loss_intm_s1_row_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3016 = 0;
 halide_maybe_unused(_3016);
 // produce total_loss_intm$1
 // consume total_loss_intm
 bool _3017 = _thread_id_x < 8;
 if (_3017)
 {
  float _3018 = float_from_bits(0 /* 0 */);
  int _3019 = _thread_id_x + 64;
  ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[_3019] = _3018;
 } // if _3017
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3020 = 0;
 halide_maybe_unused(_3020);
 bool _3021 = _thread_id_x < 8;
 if (_3021)
 {
  int _3022 = _labels_extent_0 - _thread_id_x;
  int _3023 = _3022 + -1;
  int _3024 = _3023 >> 3;
  int _3025 = min(_3024, 7);
  int _3026 = _3025 + 1;
  for (int _total_loss_intm__1_s1_total_loss_t_o = 0; _total_loss_intm__1_s1_total_loss_t_o < 0 + _3026; _total_loss_intm__1_s1_total_loss_t_o++)
  {
   int _3027 = _thread_id_x + 64;
   float _3028 = ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[_3027];
   int _3029 = _total_loss_intm__1_s1_total_loss_t_o * 8;
   int _3030 = _3029 + _thread_id_x;
   float _3031 = ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[_3030];
   float _3032 = _3028 + _3031;
   ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[_3027] = _3032;
  } // for _total_loss_intm__1_s1_total_loss_t_o
 } // if _3021
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3033 = 0;
 halide_maybe_unused(_3033);
 // produce total_loss
 bool _3034 = _thread_id_x < 1;
 if (_3034)
 {
  float _3035 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[0] = _3035;
 } // if _3034
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3036 = 0;
 halide_maybe_unused(_3036);
 bool _3037 = _thread_id_x < 1;
 if (_3037)
 {
  // consume total_loss_intm$1
  for (int _total_loss_s1_total_loss_t_i = 0; _total_loss_s1_total_loss_t_i < 0 + _t1859; _total_loss_s1_total_loss_t_i++)
  {
   float _3038 = ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[0];
   int _3039 = _total_loss_s1_total_loss_t_i + 64;
   float _3040 = ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[_3039];
   float _3041 = _3038 + _3040;
   ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[0] = _3041;
  } // for _total_loss_s1_total_loss_t_i
 } // if _3037
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3042 = 0;
 halide_maybe_unused(_3042);
 bool _3043 = _thread_id_x < 1;
 if (_3043)
 {
  // consume total_loss
  float _3044 = ((__local float *)_allocgroup__total_loss_intm_0_total_loss_2__total_loss_intm__1_1)[0];
  float _3045 = _3044 / _t1860;
  _loss[0] = _3045;
 } // if _3043
} // kernel _kernel_loss_s0___outermost___outermost_one_block_block_id_x
#undef __address_space__loss
#undef __address_space__row_loss

