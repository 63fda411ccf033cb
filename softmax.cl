/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_y__6_s0_i_block_id_x
#define __address_space__x __global
#define __address_space__y__6 __global
__kernel void _kernel_y__6_s0_i_block_id_x(
 __address_space__x const float *restrict _x,
 __address_space__y__6 float *restrict _y__6,
 const int _t771,
 const int _t772,
 const int _t773,
 const int _t774,
 const int _x_extent_0,
 const int _x_stride_1,
 const int _y__6_extent_0,
 const int _y__6_min_1,
 const int _y__6_stride_1,
 __local int16* _allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)
{
 int _y__6_s0_i_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 // produce row_max_intm
 ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_thread_id_x] = neg_inf_f32();
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2084 = 0;
 halide_maybe_unused(_2084);
 int _2085 = _x_extent_0 - _thread_id_x;
 int _2086 = _2085 + -1;
 int _2087 = _2086 >> 8;
 int _2088 = _y__6_min_1 + _y__6_s0_i_block_id_x;
 int _2089 = _2088 * _x_stride_1;
 int _2090 = _2089 + _t771;
 int _2091 = _2090 + _thread_id_x;
 int _2092 = _2087 + 1;
 for (int _row_max_intm_s1_r_x_o = 0; _row_max_intm_s1_r_x_o < 0 + _2092; _row_max_intm_s1_r_x_o++)
 {
  float _2093 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_thread_id_x];
  int _2094 = _row_max_intm_s1_r_x_o * 256;
  int _2095 = _2094 + _2091;
  float _2096 = _x[_2095];
  float _2097 = max(_2093, _2096);
  ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_thread_id_x] = _2097;
 } // for _row_max_intm_s1_r_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2098 = 0;
 halide_maybe_unused(_2098);
 // produce row_max_intm$1
 // consume row_max_intm
 bool _2099 = _thread_id_x < 16;
 if (_2099)
 {
  int _2100 = _thread_id_x + 256;
  ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2100] = neg_inf_f32();
 } // if _2099
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2101 = 0;
 halide_maybe_unused(_2101);
 bool _2102 = _thread_id_x < 16;
 if (_2102)
 {
  int _2103 = _x_extent_0 - _thread_id_x;
  int _2104 = _2103 + -1;
  int _2105 = _2104 >> 4;
  int _2106 = min(_2105, 15);
  int _2107 = _2106 + 1;
  for (int _row_max_intm__1_s1_row_max_t_o = 0; _row_max_intm__1_s1_row_max_t_o < 0 + _2107; _row_max_intm__1_s1_row_max_t_o++)
  {
   int _2108 = _thread_id_x + 256;
   float _2109 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2108];
   int _2110 = _row_max_intm__1_s1_row_max_t_o * 16;
   int _2111 = _2110 + _thread_id_x;
   float _2112 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2111];
   float _2113 = max(_2109, _2112);
   ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2108] = _2113;
  } // for _row_max_intm__1_s1_row_max_t_o
 } // if _2102
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2114 = 0;
 halide_maybe_unused(_2114);
 // produce row_max
 // consume row_max_intm$1
 bool _2115 = _thread_id_x < 1;
 if (_2115)
 {
  ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[0] = neg_inf_f32();
 } // if _2115
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2116 = 0;
 halide_maybe_unused(_2116);
 bool _2117 = _thread_id_x < 1;
 if (_2117)
 {
  for (int _row_max_s1_row_max_t_i = 0; _row_max_s1_row_max_t_i < 0 + _t772; _row_max_s1_row_max_t_i++)
  {
   float _2118 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[0];
   int _2119 = _row_max_s1_row_max_t_i + 256;
   float _2120 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2119];
   float _2121 = max(_2118, _2120);
   ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[0] = _2121;
  } // for _row_max_s1_row_max_t_i
 } // if _2117
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2122 = 0;
 halide_maybe_unused(_2122);
 // produce sum_exp_intm
 // consume row_max
 float _2123 = float_from_bits(0 /* 0 */);
 int _2124 = _thread_id_x + 256;
 ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2124] = _2123;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2125 = 0;
 halide_maybe_unused(_2125);
 int _2126 = _x_extent_0 - _thread_id_x;
 int _2127 = _2126 + -1;
 int _2128 = _2127 >> 8;
 int _2129 = _y__6_min_1 + _y__6_s0_i_block_id_x;
 int _2130 = _2129 * _x_stride_1;
 int _2131 = _2130 + _t771;
 int _2132 = _2131 + _thread_id_x;
 int _2133 = _2128 + 1;
 for (int _sum_exp_intm_s1_r_x_o = 0; _sum_exp_intm_s1_r_x_o < 0 + _2133; _sum_exp_intm_s1_r_x_o++)
 {
  int _2134 = _sum_exp_intm_s1_r_x_o * 256;
  int _2135 = _2134 + _2132;
  float _2136 = _x[_2135];
  float _2137 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[0];
  float _2138 = _2136 - _2137;
  float _2139 = exp(_2138);
  int _2140 = _thread_id_x + 256;
  float _2141 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2140];
  float _2142 = _2139 + _2141;
  ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2140] = _2142;
 } // for _sum_exp_intm_s1_r_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2143 = 0;
 halide_maybe_unused(_2143);
 // produce sum_exp_intm$1
 // consume sum_exp_intm
 bool _2144 = _thread_id_x < 16;
 if (_2144)
 {
  float _2145 = float_from_bits(0 /* 0 */);
  int _2146 = _thread_id_x + 512;
  ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2146] = _2145;
 } // if _2144
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2147 = 0;
 halide_maybe_unused(_2147);
 bool _2148 = _thread_id_x < 16;
 if (_2148)
 {
  int _2149 = _x_extent_0 - _thread_id_x;
  int _2150 = _2149 + -1;
  int _2151 = _2150 >> 4;
  int _2152 = min(_2151, 15);
  int _2153 = _2152 + 1;
  for (int _sum_exp_intm__1_s1_sum_exp_t_o = 0; _sum_exp_intm__1_s1_sum_exp_t_o < 0 + _2153; _sum_exp_intm__1_s1_sum_exp_t_o++)
  {
   int _2154 = _thread_id_x + 512;
   float _2155 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2154];
   int _2156 = _sum_exp_intm__1_s1_sum_exp_t_o * 16;
   int _2157 = _2156 + _thread_id_x;
   int _2158 = _2157 + 256;
   float _2159 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2158];
   float _2160 = _2155 + _2159;
   ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2154] = _2160;
  } // for _sum_exp_intm__1_s1_sum_exp_t_o
 } // if _2148
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2161 = 0;
 halide_maybe_unused(_2161);
 // produce sum_exp
 // consume sum_exp_intm$1
 bool _2162 = _thread_id_x < 1;
 if (_2162)
 {
  float _2163 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[256] = _2163;
 } // if _2162
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2164 = 0;
 halide_maybe_unused(_2164);
 bool _2165 = _thread_id_x < 1;
 if (_2165)
 {
  for (int _sum_exp_s1_sum_exp_t_i = 0; _sum_exp_s1_sum_exp_t_i < 0 + _t772; _sum_exp_s1_sum_exp_t_i++)
  {
   float _2166 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[256];
   int _2167 = _sum_exp_s1_sum_exp_t_i + 512;
   float _2168 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[_2167];
   float _2169 = _2166 + _2168;
   ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[256] = _2169;
  } // for _sum_exp_s1_sum_exp_t_i
 } // if _2165
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _2170 = 0;
 halide_maybe_unused(_2170);
 // consume sum_exp
 // consume row_max
 int _2171 = _y__6_extent_0 - _thread_id_x;
 int _2172 = _2171 + -1;
 int _2173 = _2172 >> 8;
 int _2174 = _y__6_min_1 + _y__6_s0_i_block_id_x;
 int _2175 = _2173 + 1;
 for (int _y__6_s0_j_j_o = 0; _y__6_s0_j_j_o < 0 + _2175; _y__6_s0_j_j_o++)
 {
  int _2176 = _y__6_s0_j_j_o * 256;
  int _2177 = _2174 * _x_stride_1;
  int _2178 = _2177 + _t773;
  int _2179 = _2178 + _thread_id_x;
  int _2180 = _2176 + _2179;
  float _2181 = _x[_2180];
  float _2182 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[0];
  float _2183 = _2181 - _2182;
  float _2184 = exp(_2183);
  float _2185 = ((__local float *)_allocgroup__row_max_intm_0_row_max_2__row_max_intm__1_1_sum_exp_intm_3_sum_exp_5__sum_exp_intm__1_4)[256];
  float _2186 = _2184 / _2185;
  int _2187 = _2174 * _y__6_stride_1;
  int _2188 = _2187 + _t774;
  int _2189 = _2188 + _thread_id_x;
  int _2190 = _2176 + _2189;
  _y__6[_2190] = _2186;
 } // for _y__6_s0_j_j_o
} // kernel _kernel_y__6_s0_i_block_id_x
#undef __address_space__x
#undef __address_space__y__6

