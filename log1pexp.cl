/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_y_s0_i_i_o_block_id_x
#define __address_space__x __global
#define __address_space__y __global
__kernel void _kernel_y_s0_i_i_o_block_id_x(
 __address_space__x const float *restrict _x,
 __address_space__y float *restrict _y,
 const int _t5,
 const int _t6,
 const int _t7,
 const int _y_min_0,
 __local int16* __shared)
{
 int _y_s0_i_i_o_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 bool _0 = _y_s0_i_i_o_block_id_x < _t5;
 if (_0)
 {
  int _1 = _y_s0_i_i_o_block_id_x * 128;
  int _2 = _1 + _t6;
  int _3 = _2 + _thread_id_x;
  float _4 = _x[_3];
  float _5 = exp(_4);
  float _6 = float_from_bits(1065353216 /* 1 */);
  float _7 = _5 + _6;
  float _8 = log(_7);
  int _9 = _1 + _thread_id_x;
  _y[_9] = _8;
  int _10 = _y_s0_i_i_o_block_id_x * 128;
  int _11 = _10 + _t6;
  int _12 = _11 + _thread_id_x;
  int _13 = _12 + 32;
  float _14 = _x[_13];
  float _15 = exp(_14);
  float _16 = float_from_bits(1065353216 /* 1 */);
  float _17 = _15 + _16;
  float _18 = log(_17);
  int _19 = _10 + _thread_id_x;
  int _20 = _19 + 32;
  _y[_20] = _18;
  int _21 = _y_s0_i_i_o_block_id_x * 128;
  int _22 = _21 + _t6;
  int _23 = _22 + _thread_id_x;
  int _24 = _23 + 64;
  float _25 = _x[_24];
  float _26 = exp(_25);
  float _27 = float_from_bits(1065353216 /* 1 */);
  float _28 = _26 + _27;
  float _29 = log(_28);
  int _30 = _21 + _thread_id_x;
  int _31 = _30 + 64;
  _y[_31] = _29;
  int _32 = _y_s0_i_i_o_block_id_x * 128;
  int _33 = _32 + _t6;
  int _34 = _33 + _thread_id_x;
  int _35 = _34 + 96;
  float _36 = _x[_35];
  float _37 = exp(_36);
  float _38 = float_from_bits(1065353216 /* 1 */);
  float _39 = _37 + _38;
  float _40 = log(_39);
  int _41 = _32 + _thread_id_x;
  int _42 = _41 + 96;
  _y[_42] = _40;
 } // if _0
 else
 {
  int _43 = _y_s0_i_i_o_block_id_x * 128;
  int _44 = _43 + _y_min_0;
  int _45 = _44 + _thread_id_x;
  int _46 = _45 + 1;
  bool _47 = _46 <= _t7;
  if (_47)
  {
   int _48 = _y_s0_i_i_o_block_id_x * 128;
   int _49 = _48 + _t6;
   int _50 = _49 + _thread_id_x;
   float _51 = _x[_50];
   float _52 = exp(_51);
   float _53 = float_from_bits(1065353216 /* 1 */);
   float _54 = _52 + _53;
   float _55 = log(_54);
   int _56 = _48 + _thread_id_x;
   _y[_56] = _55;
   int _57 = _y_s0_i_i_o_block_id_x * 128;
   int _58 = _57 + _y_min_0;
   int _59 = _58 + _thread_id_x;
   int _60 = _59 + 33;
   bool _61 = _60 <= _t7;
   if (_61)
   {
    int _62 = _y_s0_i_i_o_block_id_x * 128;
    int _63 = _62 + _t6;
    int _64 = _63 + _thread_id_x;
    int _65 = _64 + 32;
    float _66 = _x[_65];
    float _67 = exp(_66);
    float _68 = float_from_bits(1065353216 /* 1 */);
    float _69 = _67 + _68;
    float _70 = log(_69);
    int _71 = _62 + _thread_id_x;
    int _72 = _71 + 32;
    _y[_72] = _70;
    int _73 = _y_s0_i_i_o_block_id_x * 128;
    int _74 = _73 + _y_min_0;
    int _75 = _74 + _thread_id_x;
    int _76 = _75 + 65;
    bool _77 = _76 <= _t7;
    if (_77)
    {
     int _78 = _y_s0_i_i_o_block_id_x * 128;
     int _79 = _78 + _t6;
     int _80 = _79 + _thread_id_x;
     int _81 = _80 + 64;
     float _82 = _x[_81];
     float _83 = exp(_82);
     float _84 = float_from_bits(1065353216 /* 1 */);
     float _85 = _83 + _84;
     float _86 = log(_85);
     int _87 = _78 + _thread_id_x;
     int _88 = _87 + 64;
     _y[_88] = _86;
     int _89 = _y_s0_i_i_o_block_id_x * 128;
     int _90 = _89 + _y_min_0;
     int _91 = _90 + _thread_id_x;
     int _92 = _91 + 97;
     bool _93 = _92 <= _t7;
     if (_93)
     {
      int _94 = _y_s0_i_i_o_block_id_x * 128;
      int _95 = _94 + _t6;
      int _96 = _95 + _thread_id_x;
      int _97 = _96 + 96;
      float _98 = _x[_97];
      float _99 = exp(_98);
      float _100 = float_from_bits(1065353216 /* 1 */);
      float _101 = _99 + _100;
      float _102 = log(_101);
      int _103 = _94 + _thread_id_x;
      int _104 = _103 + 96;
      _y[_104] = _102;
     } // if _93
    } // if _77
   } // if _61
  } // if _47
 } // if _0 else
} // kernel _kernel_y_s0_i_i_o_block_id_x
#undef __address_space__x
#undef __address_space__y

