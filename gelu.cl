/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_y__2_s0_i_i_o_block_id_x
#define __address_space__x __global
#define __address_space__y__2 __global
__kernel void _kernel_y__2_s0_i_i_o_block_id_x(
 __address_space__x const float *restrict _x,
 __address_space__y__2 float *restrict _y__2,
 const int _t81,
 const int _t82,
 const int _t83,
 const int _y__2_min_0,
 __local int16* __shared)
{
 int _y__2_s0_i_i_o_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 bool _210 = _y__2_s0_i_i_o_block_id_x < _t81;
 if (_210)
 {
  int _211 = _y__2_s0_i_i_o_block_id_x * 128;
  int _212 = _211 + _t82;
  int _213 = _212 + _thread_id_x;
  float _214 = _x[_213];
  float _215 = float_from_bits(1092616192 /* 10 */);
  float _216 = min(_214, _215);
  float _217 = float_from_bits(3240099840 /* -10 */);
  float _218 = max(_216, _217);
  float _219 = _218 * _218;
  float _220 = float_from_bits(3180470905 /* -0.0713548 */);
  float _221 = _219 * _220;
  float _222 = float_from_bits(3217834538 /* -1.59577 */);
  float _223 = _221 + _222;
  float _224 = _223 * _218;
  float _225 = exp(_224);
  float _226 = float_from_bits(1065353216 /* 1 */);
  float _227 = _225 + _226;
  float _228 = _214 / _227;
  int _229 = _211 + _thread_id_x;
  _y__2[_229] = _228;
  int _230 = _y__2_s0_i_i_o_block_id_x * 128;
  int _231 = _230 + _t82;
  int _232 = _231 + _thread_id_x;
  int _233 = _232 + 32;
  float _234 = _x[_233];
  float _235 = float_from_bits(1092616192 /* 10 */);
  float _236 = min(_234, _235);
  float _237 = float_from_bits(3240099840 /* -10 */);
  float _238 = max(_236, _237);
  float _239 = _238 * _238;
  float _240 = float_from_bits(3180470905 /* -0.0713548 */);
  float _241 = _239 * _240;
  float _242 = float_from_bits(3217834538 /* -1.59577 */);
  float _243 = _241 + _242;
  float _244 = _243 * _238;
  float _245 = exp(_244);
  float _246 = float_from_bits(1065353216 /* 1 */);
  float _247 = _245 + _246;
  float _248 = _234 / _247;
  int _249 = _230 + _thread_id_x;
  int _250 = _249 + 32;
  _y__2[_250] = _248;
  int _251 = _y__2_s0_i_i_o_block_id_x * 128;
  int _252 = _251 + _t82;
  int _253 = _252 + _thread_id_x;
  int _254 = _253 + 64;
  float _255 = _x[_254];
  float _256 = float_from_bits(1092616192 /* 10 */);
  float _257 = min(_255, _256);
  float _258 = float_from_bits(3240099840 /* -10 */);
  float _259 = max(_257, _258);
  float _260 = _259 * _259;
  float _261 = float_from_bits(3180470905 /* -0.0713548 */);
  float _262 = _260 * _261;
  float _263 = float_from_bits(3217834538 /* -1.59577 */);
  float _264 = _262 + _263;
  float _265 = _264 * _259;
  float _266 = exp(_265);
  float _267 = float_from_bits(1065353216 /* 1 */);
  float _268 = _266 + _267;
  float _269 = _255 / _268;
  int _270 = _251 + _thread_id_x;
  int _271 = _270 + 64;
  _y__2[_271] = _269;
  int _272 = _y__2_s0_i_i_o_block_id_x * 128;
  int _273 = _272 + _t82;
  int _274 = _273 + _thread_id_x;
  int _275 = _274 + 96;
  float _276 = _x[_275];
  float _277 = float_from_bits(1092616192 /* 10 */);
  float _278 = min(_276, _277);
  float _279 = float_from_bits(3240099840 /* -10 */);
  float _280 = max(_278, _279);
  float _281 = _280 * _280;
  float _282 = float_from_bits(3180470905 /* -0.0713548 */);
  float _283 = _281 * _282;
  float _284 = float_from_bits(3217834538 /* -1.59577 */);
  float _285 = _283 + _284;
  float _286 = _285 * _280;
  float _287 = exp(_286);
  float _288 = float_from_bits(1065353216 /* 1 */);
  float _289 = _287 + _288;
  float _290 = _276 / _289;
  int _291 = _272 + _thread_id_x;
  int _292 = _291 + 96;
  _y__2[_292] = _290;
 } // if _210
 else
 {
  int _293 = _y__2_s0_i_i_o_block_id_x * 128;
  int _294 = _293 + _y__2_min_0;
  int _295 = _294 + _thread_id_x;
  int _296 = _295 + 1;
  bool _297 = _296 <= _t83;
  if (_297)
  {
   int _298 = _y__2_s0_i_i_o_block_id_x * 128;
   int _299 = _298 + _t82;
   int _300 = _299 + _thread_id_x;
   float _301 = _x[_300];
   float _302 = float_from_bits(1092616192 /* 10 */);
   float _303 = min(_301, _302);
   float _304 = float_from_bits(3240099840 /* -10 */);
   float _305 = max(_303, _304);
   float _306 = _305 * _305;
   float _307 = float_from_bits(3180470905 /* -0.0713548 */);
   float _308 = _306 * _307;
   float _309 = float_from_bits(3217834538 /* -1.59577 */);
   float _310 = _308 + _309;
   float _311 = _310 * _305;
   float _312 = exp(_311);
   float _313 = float_from_bits(1065353216 /* 1 */);
   float _314 = _312 + _313;
   float _315 = _301 / _314;
   int _316 = _298 + _thread_id_x;
   _y__2[_316] = _315;
   int _317 = _y__2_s0_i_i_o_block_id_x * 128;
   int _318 = _317 + _y__2_min_0;
   int _319 = _318 + _thread_id_x;
   int _320 = _319 + 33;
   bool _321 = _320 <= _t83;
   if (_321)
   {
    int _322 = _y__2_s0_i_i_o_block_id_x * 128;
    int _323 = _322 + _t82;
    int _324 = _323 + _thread_id_x;
    int _325 = _324 + 32;
    float _326 = _x[_325];
    float _327 = float_from_bits(1092616192 /* 10 */);
    float _328 = min(_326, _327);
    float _329 = float_from_bits(3240099840 /* -10 */);
    float _330 = max(_328, _329);
    float _331 = _330 * _330;
    float _332 = float_from_bits(3180470905 /* -0.0713548 */);
    float _333 = _331 * _332;
    float _334 = float_from_bits(3217834538 /* -1.59577 */);
    float _335 = _333 + _334;
    float _336 = _335 * _330;
    float _337 = exp(_336);
    float _338 = float_from_bits(1065353216 /* 1 */);
    float _339 = _337 + _338;
    float _340 = _326 / _339;
    int _341 = _322 + _thread_id_x;
    int _342 = _341 + 32;
    _y__2[_342] = _340;
    int _343 = _y__2_s0_i_i_o_block_id_x * 128;
    int _344 = _343 + _y__2_min_0;
    int _345 = _344 + _thread_id_x;
    int _346 = _345 + 65;
    bool _347 = _346 <= _t83;
    if (_347)
    {
     int _348 = _y__2_s0_i_i_o_block_id_x * 128;
     int _349 = _348 + _t82;
     int _350 = _349 + _thread_id_x;
     int _351 = _350 + 64;
     float _352 = _x[_351];
     float _353 = float_from_bits(1092616192 /* 10 */);
     float _354 = min(_352, _353);
     float _355 = float_from_bits(3240099840 /* -10 */);
     float _356 = max(_354, _355);
     float _357 = _356 * _356;
     float _358 = float_from_bits(3180470905 /* -0.0713548 */);
     float _359 = _357 * _358;
     float _360 = float_from_bits(3217834538 /* -1.59577 */);
     float _361 = _359 + _360;
     float _362 = _361 * _356;
     float _363 = exp(_362);
     float _364 = float_from_bits(1065353216 /* 1 */);
     float _365 = _363 + _364;
     float _366 = _352 / _365;
     int _367 = _348 + _thread_id_x;
     int _368 = _367 + 64;
     _y__2[_368] = _366;
     int _369 = _y__2_s0_i_i_o_block_id_x * 128;
     int _370 = _369 + _y__2_min_0;
     int _371 = _370 + _thread_id_x;
     int _372 = _371 + 97;
     bool _373 = _372 <= _t83;
     if (_373)
     {
      int _374 = _y__2_s0_i_i_o_block_id_x * 128;
      int _375 = _374 + _t82;
      int _376 = _375 + _thread_id_x;
      int _377 = _376 + 96;
      float _378 = _x[_377];
      float _379 = float_from_bits(1092616192 /* 10 */);
      float _380 = min(_378, _379);
      float _381 = float_from_bits(3240099840 /* -10 */);
      float _382 = max(_380, _381);
      float _383 = _382 * _382;
      float _384 = float_from_bits(3180470905 /* -0.0713548 */);
      float _385 = _383 * _384;
      float _386 = float_from_bits(3217834538 /* -1.59577 */);
      float _387 = _385 + _386;
      float _388 = _387 * _382;
      float _389 = exp(_388);
      float _390 = float_from_bits(1065353216 /* 1 */);
      float _391 = _389 + _390;
      float _392 = _378 / _391;
      int _393 = _374 + _thread_id_x;
      int _394 = _393 + 96;
      _y__2[_394] = _392;
     } // if _373
    } // if _347
   } // if _321
  } // if _297
 } // if _210 else
} // kernel _kernel_y__2_s0_i_i_o_block_id_x
#undef __address_space__x
#undef __address_space__y__2

