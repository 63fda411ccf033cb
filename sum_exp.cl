/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_total_s0___outermost___outermost_one_block_block_id_x
#define __address_space__total __global
#define __address_space__x __global
__kernel void _kernel_total_s0___outermost___outermost_one_block_block_id_x(
 __address_space__total float *restrict _total,
 __address_space__x const float *restrict _x,
 const int _t2053,
 const int _x_extent_0,
 __local int16* _allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)
{
 int _total_s0___outermost___outermost_one_block_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 // produce total_intm_intm
 float _3190 = float_from_bits(0 /* 0 */);
 ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[_thread_id_x] = _3190;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3191 = 0;
 halide_maybe_unused(_3191);
 int _3192 = _x_extent_0 - _thread_id_x;
 int _3193 = _3192 + -1;
 int _3194 = _3193 >> 10;
 int _3195 = _3194 + 1;
 for (int _total_intm_intm_s1_r_x_o = 0; _total_intm_intm_s1_r_x_o < 0 + _3195; _total_intm_intm_s1_r_x_o++)
 {
  int _3196 = _total_intm_intm_s1_r_x_o * 1024;
  int _3197 = _3196 + _thread_id_x;
  float _3198 = _x[_3197];
  float _3199 = exp(_3198);
  float _3200 = ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[_thread_id_x];
  float _3201 = _3199 + _3200;
  ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[_thread_id_x] = _3201;
 } // for _total_intm_intm_s1_r_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3202 = 0;
 halide_maybe_unused(_3202);
 // produce total_intm_intm$1
 // consume total_intm_intm
 bool _3203 = _thread_id_x < 32;
 if (_3203)
 {
  float _3204 = float_from_bits(0 /* 0 */);
  int _3205 = _thread_id_x + 1024;
  ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[_3205] = _3204;
 } // if _3203
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3206 = 0;
 halide_maybe_unused(_3206);
 bool _3207 = _thread_id_x < 32;
 if (_3207)
 {
  int _3208 = _x_extent_0 - _thread_id_x;
  int _3209 = _3208 + -1;
  int _3210 = _3209 >> 5;
  int _3211 = min(_3210, 31);
  int _3212 = _3211 + 1;
  for (int _total_intm_intm__1_s1_total_t_o = 0; _total_intm_intm__1_s1_total_t_o < 0 + _3212; _total_intm_intm__1_s1_total_t_o++)
  {
   int _3213 = _thread_id_x + 1024;
   float _3214 = ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[_3213];
   int _3215 = _total_intm_intm__1_s1_total_t_o * 32;
   int _3216 = _3215 + _thread_id_x;
   float _3217 = ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[_3216];
   float _3218 = _3214 + _3217;
   ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[_3213] = _3218;
  } // for _total_intm_intm__1_s1_total_t_o
 } // if _3207
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3219 = 0;
 halide_maybe_unused(_3219);
 // produce total_intm
 bool _3220 = _thread_id_x < 1;
 if (_3220)
 {
  float _3221 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[0] = _3221;
 } // if _3220
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3222 = 0;
 halide_maybe_unused(_3222);
 bool _3223 = _thread_id_x < 1;
 if (_3223)
 {
  // consume total_intm_intm$1
  for (int _total_intm_s1_total_t_i = 0; _total_intm_s1_total_t_i < 0 + _t2053; _total_intm_s1_total_t_i++)
  {
   float _3224 = ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[0];
   int _3225 = _total_intm_s1_total_t_i + 1024;
   float _3226 = ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[_3225];
   float _3227 = _3224 + _3226;
   ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[0] = _3227;
  } // for _total_intm_s1_total_t_i
 } // if _3223
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3228 = 0;
 halide_maybe_unused(_3228);
 bool _3229 = _thread_id_x < 1;
 if (_3229)
 {
  // consume total_intm
  float _3230 = ((__local float *)_allocgroup__total_intm_intm_0_total_intm_2__total_intm_intm__1_1)[0];
  _total[0] = _3230;
 } // if _3229
} // kernel _kernel_total_s0___outermost___outermost_one_block_block_id_x
#undef __address_space__total
#undef __address_space__x

