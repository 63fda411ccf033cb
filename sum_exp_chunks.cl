/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_total__2_intm_global_wrapper__0_s0_r_x_u_block_id_x
#define __address_space__total__2_intm_global_wrapper__0 __global
#define __address_space__x __global
__kernel void _kernel_total__2_intm_global_wrapper__0_s0_r_x_u_block_id_x(
 __address_space__total__2_intm_global_wrapper__0 float *restrict _total__2_intm_global_wrapper__0,
 __address_space__x const float *restrict _x,
 const int _x_extent_0,
 const int _x_min_0,
 __local int16* _allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)
{
 int _total__2_intm_global_wrapper__0_s0_r_x_u_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 // produce total$2_intm_intm
 float _5174 = float_from_bits(0 /* 0 */);
 ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[_thread_id_x] = _5174;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5175 = 0;
 halide_maybe_unused(_5175);
 int _5176 = _total__2_intm_global_wrapper__0_s0_r_x_u_block_id_x * 13889;
 int _5177 = _x_extent_0 - _5176;
 int _5178 = min(_5177, 13889);
 int _5179 = _5178 - _thread_id_x;
 int _5180 = _5179 + -1;
 int _5181 = _5180 >> 10;
 int _5182 = max(_5181, -1);
 int _5183 = _5176 + _thread_id_x;
 int _5184 = _5182 + 1;
 for (int _total__2_intm_intm_s1_r_x_c_o = 0; _total__2_intm_intm_s1_r_x_c_o < 0 + _5184; _total__2_intm_intm_s1_r_x_c_o++)
 {
  int _5185 = _total__2_intm_intm_s1_r_x_c_o * 1024;
  int _5186 = _5185 + _5183;
  float _5187 = _x[_5186];
  float _5188 = exp(_5187);
  float _5189 = ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[_thread_id_x];
  float _5190 = _5188 + _5189;
  ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[_thread_id_x] = _5190;
 } // for _total__2_intm_intm_s1_r_x_c_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5191 = 0;
 halide_maybe_unused(_5191);
 // produce total_2_intm_intm$1
 // consume total$2_intm_intm
 bool _5192 = _thread_id_x < 32;
 if (_5192)
 {
  float _5193 = float_from_bits(0 /* 0 */);
  int _5194 = _thread_id_x + 1024;
  ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[_5194] = _5193;
 } // if _5192
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5195 = 0;
 halide_maybe_unused(_5195);
 bool _5196 = _thread_id_x < 32;
 if (_5196)
 {
  int _5197 = _total__2_intm_global_wrapper__0_s0_r_x_u_block_id_x * 13889;
  int _5198 = _x_extent_0 - _5197;
  int _5199 = _5198 - _thread_id_x;
  int _5200 = _5199 + -1;
  int _5201 = _5200 >> 5;
  int _5202 = min(_5201, 31);
  int _5203 = max(_5202, -1);
  int _5204 = _x_extent_0 + _x_min_0;
  int _5205 = _5197 + _x_min_0;
  int _5206 = _5205 + _thread_id_x;
  int _5207 = _5203 + 1;
  for (int _total_2_intm_intm__1_s1_total_t_o = 0; _total_2_intm_intm__1_s1_total_t_o < 0 + _5207; _total_2_intm_intm__1_s1_total_t_o++)
  {
   int _5208 = _total_2_intm_intm__1_s1_total_t_o * 32;
   int _5209 = _5208 + _5206;
   int _5210 = max(_5209, _x_min_0);
   int _5211 = _5210 + 1;
   bool _5212 = _5211 <= _5204;
   if (_5212)
   {
    int _5213 = _thread_id_x + 1024;
    float _5214 = ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[_5213];
    int _5215 = _total_2_intm_intm__1_s1_total_t_o * 32;
    int _5216 = _5215 + _thread_id_x;
    float _5217 = ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[_5216];
    float _5218 = _5214 + _5217;
    ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[_5213] = _5218;
   } // if _5212
  } // for _total_2_intm_intm__1_s1_total_t_o
 } // if _5196
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5219 = 0;
 halide_maybe_unused(_5219);
 // produce total$2_intm
 bool _5220 = _thread_id_x < 1;
 if (_5220)
 {
  float _5221 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[0] = _5221;
 } // if _5220
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5222 = 0;
 halide_maybe_unused(_5222);
 bool _5223 = _thread_id_x < 1;
 if (_5223)
 {
  // consume total_2_intm_intm$1
  int _5224 = _total__2_intm_global_wrapper__0_s0_r_x_u_block_id_x * 13889;
  int _5225 = _x_extent_0 - _5224;
  int _5226 = min(_5225, 32);
  int _5227 = max(_5226, 0);
  for (int _total__2_intm_s1_total_t_i = 0; _total__2_intm_s1_total_t_i < 0 + _5227; _total__2_intm_s1_total_t_i++)
  {
   float _5228 = ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[0];
   int _5229 = _total__2_intm_s1_total_t_i + 1024;
   float _5230 = ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[_5229];
   float _5231 = _5228 + _5230;
   ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[0] = _5231;
  } // for _total__2_intm_s1_total_t_i
 } // if _5223
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5232 = 0;
 halide_maybe_unused(_5232);
 bool _5233 = _thread_id_x < 1;
 if (_5233)
 {
  // consume total$2_intm
  float _5234 = ((__local float *)_allocgroup__total__2_intm_intm_0_total__2_intm_2__total_2_intm_intm__1_1)[0];
  _total__2_intm_global_wrapper__0[_total__2_intm_global_wrapper__0_s0_r_x_u_block_id_x] = _5234;
 } // if _5233
} // kernel _kernel_total__2_intm_global_wrapper__0_s0_r_x_u_block_id_x
#undef __address_space__total__2_intm_global_wrapper__0
#undef __address_space__x
// Address spaces for _kernel_total__2_s0___outermost___outermost_one_block_block_id_x
#define __address_space__total__2 __global
#define __address_space__total__2_intm_global_wrapper__0 __global
__kernel void _kernel_total__2_s0___outermost___outermost_one_block_block_id_x(
 __address_space__total__2 float *restrict _total__2,
 __address_space__total__2_intm_global_wrapper__0 const float *restrict _total__2_intm_global_wrapper__0,
 const int _t6876,
 const int _t6877,
 const int _t6878,
 const int _x_extent_0,
 __local int16* _allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)
{
 int _total__2_s0___outermost___outermost_one_block_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 // produce total_2_intm$1_intm
 float _5235 = float_from_bits(0 /* 0 */);
 ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[_thread_id_x] = _5235;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5236 = 0;
 halide_maybe_unused(_5236);
 int _5237 = _t6877 - _thread_id_x;
 int _5238 = _5237 + -1;
 int _5239 = _5238 >> 8;
 int _5240 = _5239 + 1;
 int _5241 = min(_5240, _t6876);
 int _5242 = _thread_id_x * 13889;
 int _5243 = _x_extent_0 - _5242;
 bool _5244 = _5243 < 1;
 int _5245 = (int)(_5244 ? -1 : 0);
 int _5246 = _5243 - _5245;
 int _5247 = _5246 + -1;
 int _5248 = _5247 / 3555584;
 int _5249 = _5248 + _5245;
 int _5250 = _5249 + 1;
 int _5251 = min(_5250, _5241);
 for (int _total_2_intm__1_intm_s1_r_x_o = 0; _total_2_intm__1_intm_s1_r_x_o < 0 + _5251; _total_2_intm__1_intm_s1_r_x_o++)
 {
  float _5252 = ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[_thread_id_x];
  int _5253 = _total_2_intm__1_intm_s1_r_x_o * 256;
  int _5254 = _5253 + _thread_id_x;
  float _5255 = _total__2_intm_global_wrapper__0[_5254];
  float _5256 = _5252 + _5255;
  ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[_thread_id_x] = _5256;
 } // for _total_2_intm__1_intm_s1_r_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5257 = 0;
 halide_maybe_unused(_5257);
 // produce total_2_intm_1_intm$1
 // consume total_2_intm$1_intm
 bool _5258 = _thread_id_x < 16;
 if (_5258)
 {
  float _5259 = float_from_bits(0 /* 0 */);
  int _5260 = _thread_id_x + 256;
  ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[_5260] = _5259;
 } // if _5258
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5261 = 0;
 halide_maybe_unused(_5261);
 bool _5262 = _thread_id_x < 16;
 if (_5262)
 {
  int _5263 = _thread_id_x * 13889;
  int _5264 = _x_extent_0 - _5263;
  bool _5265 = _5264 < 1;
  int _5266 = (int)(_5265 ? -1 : 0);
  int _5267 = _5264 - _5266;
  int _5268 = _5267 + -1;
  int _5269 = _5268 / 222224;
  int _5270 = _5269 + _5266;
  int _5271 = _t6877 - _thread_id_x;
  int _5272 = _5271 + -1;
  int _5273 = _5272 >> 4;
  int _5274 = min(_5270, _5273);
  int _5275 = min(_5274, 15);
  int _5276 = _5275 + 1;
  for (int _total_2_intm_1_intm__1_s1_total_t_o = 0; _total_2_intm_1_intm__1_s1_total_t_o < 0 + _5276; _total_2_intm_1_intm__1_s1_total_t_o++)
  {
   int _5277 = _thread_id_x + 256;
   float _5278 = ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[_5277];
   int _5279 = _total_2_intm_1_intm__1_s1_total_t_o * 16;
   int _5280 = _5279 + _thread_id_x;
   float _5281 = ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[_5280];
   float _5282 = _5278 + _5281;
   ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[_5277] = _5282;
  } // for _total_2_intm_1_intm__1_s1_total_t_o
 } // if _5262
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5283 = 0;
 halide_maybe_unused(_5283);
 // produce total_2_intm$1
 bool _5284 = _thread_id_x < 1;
 if (_5284)
 {
  float _5285 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[0] = _5285;
 } // if _5284
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5286 = 0;
 halide_maybe_unused(_5286);
 bool _5287 = _thread_id_x < 1;
 if (_5287)
 {
  // consume total_2_intm_1_intm$1
  int _5288 = _t6878 + 1;
  for (int _total_2_intm__1_s1_total_t_i = 0; _total_2_intm__1_s1_total_t_i < 0 + _5288; _total_2_intm__1_s1_total_t_i++)
  {
   int _5289 = _total_2_intm__1_s1_total_t_i + 1;
   bool _5290 = _5289 <= _t6877;
   if (_5290)
   {
    float _5291 = ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[0];
    int _5292 = _total_2_intm__1_s1_total_t_i + 256;
    float _5293 = ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[_5292];
    float _5294 = _5291 + _5293;
    ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[0] = _5294;
   } // if _5290
  } // for _total_2_intm__1_s1_total_t_i
 } // if _5287
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _5295 = 0;
 halide_maybe_unused(_5295);
 bool _5296 = _thread_id_x < 1;
 if (_5296)
 {
  // consume total_2_intm$1
  float _5297 = ((__local float *)_allocgroup__total_2_intm__1_intm_0_total_2_intm__1_2__total_2_intm_1_intm__1_1)[0];
  _total__2[0] = _5297;
 } // if _5296
} // kernel _kernel_total__2_s0___outermost___outermost_one_block_block_id_x
#undef __address_space__total__2
#undef __address_space__total__2_intm_global_wrapper__0

