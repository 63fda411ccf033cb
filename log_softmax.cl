/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_y__8_s0_i_block_id_x
#define __address_space__x __global
#define __address_space__y__8 __global
__kernel void _kernel_y__8_s0_i_block_id_x(
 __address_space__x const float *restrict _x,
 __address_space__y__8 float *restrict _y__8,
 const int _t1050,
 const int _t1051,
 const int _t1052,
 const int _t1053,
 const int _x_extent_0,
 const int _x_stride_1,
 const int _y__8_extent_0,
 const int _y__8_min_1,
 const int _y__8_stride_1,
 __local int16* _allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)
{
 int _y__8_s0_i_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 // produce row_max$2_intm
 ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_thread_id_x] = neg_inf_f32();
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2298 = 0;
 halide_maybe_unused(_2298);
 int _2299 = _x_extent_0 - _thread_id_x;
 int _2300 = _2299 + -1;
 int _2301 = _2300 >> 8;
 int _2302 = _y__8_min_1 + _y__8_s0_i_block_id_x;
 int _2303 = _2302 * _x_stride_1;
 int _2304 = _2303 + _t1050;
 int _2305 = _2304 + _thread_id_x;
 int _2306 = _2301 + 1;
 for (int _row_max__2_intm_s1_r_x_o = 0; _row_max__2_intm_s1_r_x_o < 0 + _2306; _row_max__2_intm_s1_r_x_o++)
 {
  float _2307 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_thread_id_x];
  int _2308 = _row_max__2_intm_s1_r_x_o * 256;
  int _2309 = _2308 + _2305;
  float _2310 = _x[_2309];
  float _2311 = max(_2307, _2310);
  ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_thread_id_x] = _2311;
 } // for _row_max__2_intm_s1_r_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2312 = 0;
 halide_maybe_unused(_2312);
 // produce row_max_2_intm$1
 // consume row_max$2_intm
 bool _2313 = _thread_id_x < 16;
 if (_2313)
 {
  int _2314 = _thread_id_x + 256;
  ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2314] = neg_inf_f32();
 } // if _2313
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2315 = 0;
 halide_maybe_unused(_2315);
 bool _2316 = _thread_id_x < 16;
 if (_2316)
 {
  int _2317 = _x_extent_0 - _thread_id_x;
  int _2318 = _2317 + -1;
  int _2319 = _2318 >> 4;
  int _2320 = min(_2319, 15);
  int _2321 = _2320 + 1;
  for (int _row_max_2_intm__1_s1_row_max_t_o = 0; _row_max_2_intm__1_s1_row_max_t_o < 0 + _2321; _row_max_2_intm__1_s1_row_max_t_o++)
  {
   int _2322 = _thread_id_x + 256;
   float _2323 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2322];
   int _2324 = _row_max_2_intm__1_s1_row_max_t_o * 16;
   int _2325 = _2324 + _thread_id_x;
   float _2326 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2325];
   float _2327 = max(_2323, _2326);
   ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2322] = _2327;
  } // for _row_max_2_intm__1_s1_row_max_t_o
 } // if _2316
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2328 = 0;
 halide_maybe_unused(_2328);
 // produce row_max$2
 // consume row_max_2_intm$1
 bool _2329 = _thread_id_x < 1;
 if (_2329)
 {
  ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[0] = neg_inf_f32();
 } // if _2329
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2330 = 0;
 halide_maybe_unused(_2330);
 bool _2331 = _thread_id_x < 1;
 if (_2331)
 {
  for (int _row_max__2_s1_row_max_t_i = 0; _row_max__2_s1_row_max_t_i < 0 + _t1051; _row_max__2_s1_row_max_t_i++)
  {
   float _2332 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[0];
   int _2333 = _row_max__2_s1_row_max_t_i + 256;
   float _2334 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2333];
   float _2335 = max(_2332, _2334);
   ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[0] = _2335;
  } // for _row_max__2_s1_row_max_t_i
 } // if _2331
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2336 = 0;
 halide_maybe_unused(_2336);
 // produce sum_exp$2_intm
 // consume row_max$2
 float _2337 = float_from_bits(0 /* 0 */);
 int _2338 = _thread_id_x + 256;
 ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2338] = _2337;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2339 = 0;
 halide_maybe_unused(_2339);
 int _2340 = _x_extent_0 - _thread_id_x;
 int _2341 = _2340 + -1;
 int _2342 = _2341 >> 8;
 int _2343 = _y__8_min_1 + _y__8_s0_i_block_id_x;
 int _2344 = _2343 * _x_stride_1;
 int _2345 = _2344 + _t1050;
 int _2346 = _2345 + _thread_id_x;
 int _2347 = _2342 + 1;
 for (int _sum_exp__2_intm_s1_r_x_o = 0; _sum_exp__2_intm_s1_r_x_o < 0 + _2347; _sum_exp__2_intm_s1_r_x_o++)
 {
  int _2348 = _sum_exp__2_intm_s1_r_x_o * 256;
  int _2349 = _2348 + _2346;
  float _2350 = _x[_2349];
  float _2351 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[0];
  float _2352 = _2350 - _2351;
  float _2353 = exp(_2352);
  int _2354 = _thread_id_x + 256;
  float _2355 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2354];
  float _2356 = _2353 + _2355;
  ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2354] = _2356;
 } // for _sum_exp__2_intm_s1_r_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2357 = 0;
 halide_maybe_unused(_2357);
 // produce sum_exp_2_intm$1
 // consume sum_exp$2_intm
 bool _2358 = _thread_id_x < 16;
 if (_2358)
 {
  float _2359 = float_from_bits(0 /* 0 */);
  int _2360 = _thread_id_x + 512;
  ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2360] = _2359;
 } // if _2358
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2361 = 0;
 halide_maybe_unused(_2361);
 bool _2362 = _thread_id_x < 16;
 if (_2362)
 {
  int _2363 = _x_extent_0 - _thread_id_x;
  int _2364 = _2363 + -1;
  int _2365 = _2364 >> 4;
  int _2366 = min(_2365, 15);
  int _2367 = _2366 + 1;
  for (int _sum_exp_2_intm__1_s1_sum_exp_t_o = 0; _sum_exp_2_intm__1_s1_sum_exp_t_o < 0 + _2367; _sum_exp_2_intm__1_s1_sum_exp_t_o++)
  {
   int _2368 = _thread_id_x + 512;
   float _2369 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2368];
   int _2370 = _sum_exp_2_intm__1_s1_sum_exp_t_o * 16;
   int _2371 = _2370 + _thread_id_x;
   int _2372 = _2371 + 256;
   float _2373 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2372];
   float _2374 = _2369 + _2373;
   ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2368] = _2374;
  } // for _sum_exp_2_intm__1_s1_sum_exp_t_o
 } // if _2362
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2375 = 0;
 halide_maybe_unused(_2375);
 // produce sum_exp$2
 // consume sum_exp_2_intm$1
 bool _2376 = _thread_id_x < 1;
 if (_2376)
 {
  float _2377 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[256] = _2377;
 } // if _2376
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2378 = 0;
 halide_maybe_unused(_2378);
 bool _2379 = _thread_id_x < 1;
 if (_2379)
 {
  for (int _sum_exp__2_s1_sum_exp_t_i = 0; _sum_exp__2_s1_sum_exp_t_i < 0 + _t1051; _sum_exp__2_s1_sum_exp_t_i++)
  {
   float _2380 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[256];
   int _2381 = _sum_exp__2_s1_sum_exp_t_i + 512;
   float _2382 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[_2381];
   float _2383 = _2380 + _2382;
   ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[256] = _2383;
  } // for _sum_exp__2_s1_sum_exp_t_i
 } // if _2379
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2384 = 0;
 halide_maybe_unused(_2384);
 // consume sum_exp$2
 // consume row_max$2
 int _2385 = _y__8_extent_0 - _thread_id_x;
 int _2386 = _2385 + -1;
 int _2387 = _2386 >> 8;
 int _2388 = _y__8_min_1 + _y__8_s0_i_block_id_x;
 int _2389 = _2387 + 1;
 for (int _y__8_s0_j_j_o = 0; _y__8_s0_j_j_o < 0 + _2389; _y__8_s0_j_j_o++)
 {
  int _2390 = _y__8_s0_j_j_o * 256;
  int _2391 = _2388 * _x_stride_1;
  int _2392 = _2391 + _t1052;
  int _2393 = _2392 + _thread_id_x;
  int _2394 = _2390 + _2393;
  float _2395 = _x[_2394];
  float _2396 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[0];
  float _2397 = _2395 - _2396;
  float _2398 = ((__local float *)_allocgroup__row_max__2_intm_0_row_max__2_2__row_max_2_intm__1_1_sum_exp__2_intm_3_sum_exp__2_5__sum_exp_2_intm__1_4)[256];
  float _2399 = log(_2398);
  float _2400 = _2397 - _2399;
  int _2401 = _2388 * _y__8_stride_1;
  int _2402 = _2401 + _t1053;
  int _2403 = _2402 + _thread_id_x;
  int _2404 = _2390 + _2403;
  _y__8[_2404] = _2400;
 } // for _y__8_s0_j_j_o
} // kernel _kernel_y__8_s0_i_block_id_x
#undef __address_space__x
#undef __address_space__y__8

