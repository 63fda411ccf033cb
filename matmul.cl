/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_c_s0_j_j_o_gpu_blocks1_block_id_x
#define __address_space__c __global
#define __address_space__b __global
#define __address_space__a __global
__kernel void _kernel_c_s0_j_j_o_gpu_blocks1_block_id_x(
 __address_space__c float *restrict _c,
 __address_space__b const float *restrict _b,
 __address_space__a const float *restrict _a,
 const int _t4835,
 const int _t4843,
 const int _t4842,
 const int _t4840,
 const int _t4838,
 const int _t4837,
 const int _a_extent_0,
 const int _matmul__4_intm_0_shared_size_var,
 const int _c_stride_1,
 const int _c_min_1,
 const int _c_min_0,
 const int _c_extent_0,
 const int _b_stride_1,
 const int _a_stride_1,
 const int _a_min_0,
 __local int16* _allocgroup__matmul__4_intm_0__matmul__4_1)
{
 int _c_s0_j_j_o_gpu_blocks1_block_id_x = get_group_id(0);
 int _thread_id_y = get_local_id(1);
 int _thread_id_x = get_local_id(0);
 bool _4132 = _c_s0_j_j_o_gpu_blocks1_block_id_x < 0;
 int _4133 = (int)(_4132 ? -1 : 0);
 bool _4134 = _t4843 == 0;
 int _4135 = (int)(_4134 ? -1 : 0);
 bool _4136 = _t4843 < 0;
 int _4137 = (int)(_4136 ? -1 : 0);
 int _4138 = _c_s0_j_j_o_gpu_blocks1_block_id_x - _4133;
 int _4139 = _t4843 | _4135;
 int _4140 = _4138 % _4139;
 int _4141 = _t4843 ^ _4137;
 int _4142 = ~_4137;
 int _4143 = _4141 + _4142;
 int _4144 = _4133 & _4143;
 int _4145 = _4140 + _4144;
 int _4146 = ~_4135;
 int _4147 = _4145 & _4146;
 int _4148 = _t4843 - _4135;
 int _4149 = _4138 / _4148;
 int _4150 = _4142 - _4137;
 int _4151 = _4133 & _4150;
 int _4152 = _4149 + _4151;
 int _4153 = _4152 & _4146;
 int _4154 = _4147 * 32;
 int _4155 = _4154 + 32;
 int _4156 = min(_4155, _c_extent_0);
 // produce matmul$4_intm
 bool _4157 = _thread_id_x < 2;
 if (_4157)
 {
  int _4158 = _4156 + 31;
  int _4159 = _4158 >> 5;
  int _4160 = _4159 - _4147;
  int _4161 = _4147 * 32;
  int _4162 = _4156 - _4161;
  int _4163 = _4162 - _thread_id_y;
  int _4164 = _4163 + -1;
  int _4165 = _4164 >> 5;
  int _4166 = _4165 + 1;
  int _4167 = min(_4160, _4166);
  int _4168 = _4161 + _c_min_0;
  int _4169 = max(_4167, 0);
  int _4170 = _thread_id_y - _4168;
  for (int _matmul__4_intm_s0_j_j_o = 0; _matmul__4_intm_s0_j_j_o < 0 + _4169; _matmul__4_intm_s0_j_j_o++)
  {
   int _4171 = _matmul__4_intm_s0_j_j_o * 32;
   int _4172 = _4171 + _4168;
   float _4173 = float_from_bits(0 /* 0 */);
   int _4174 = _4172 + _4170;
   int _4175 = _4174 * 2;
   int _4176 = _4175 + _thread_id_x;
   ((__local float *)_allocgroup__matmul__4_intm_0__matmul__4_1)[_4176] = _4173;
  } // for _matmul__4_intm_s0_j_j_o
 } // if _4157
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4177 = 0;
 halide_maybe_unused(_4177);
 bool _4178 = _thread_id_x < 2;
 if (_4178)
 {
  int _4179 = _4156 + 31;
  int _4180 = _4179 >> 5;
  int _4181 = _4180 - _4147;
  int _4182 = _4147 * 32;
  int _4183 = _4156 - _4182;
  int _4184 = _4183 - _thread_id_y;
  int _4185 = _4184 + -1;
  int _4186 = _4185 >> 5;
  int _4187 = _4186 + 1;
  int _4188 = min(_4181, _4187);
  int _4189 = _4182 + _c_min_0;
  int _4190 = max(_4188, 0);
  int _4191 = _a_extent_0 - _thread_id_x;
  int _4192 = _4191 + -1;
  int _4193 = _4192 >> 1;
  int _4194 = _thread_id_y - _4189;
  int _4195 = _thread_id_y - _t4838;
  int _4196 = _thread_id_x + _a_min_0;
  int _4197 = _c_min_1 + _4153;
  int _4198 = _4197 * _a_stride_1;
  int _4199 = _4198 + _t4837;
  int _4200 = _4199 + _thread_id_x;
  for (int _matmul__4_intm_s1_j_j_u0_o = 0; _matmul__4_intm_s1_j_j_u0_o < 0 + _4190; _matmul__4_intm_s1_j_j_u0_o++)
  {
   int _4201 = _matmul__4_intm_s1_j_j_u0_o * 32;
   int _4202 = _4201 + _4189;
   int _4203 = _4202 + _4195;
   int _4204 = _4202 + _4194;
   int _4205 = _4193 + 1;
   for (int _matmul__4_intm_s1_r_x_o = 0; _matmul__4_intm_s1_r_x_o < 0 + _4205; _matmul__4_intm_s1_r_x_o++)
   {
    int _4206 = _4204 * 2;
    int _4207 = _4206 + _thread_id_x;
    float _4208 = ((__local float *)_allocgroup__matmul__4_intm_0__matmul__4_1)[_4207];
    int _4209 = _matmul__4_intm_s1_r_x_o * 2;
    int _4210 = _4209 + _4200;
    float _4211 = _a[_4210];
    int _4212 = _4209 + _4196;
    int _4213 = _4212 * _b_stride_1;
    int _4214 = _4213 + _4203;
    float _4215 = _b[_4214];
    float _4216 = _4211 * _4215;
    float _4217 = _4208 + _4216;
    ((__local float *)_allocgroup__matmul__4_intm_0__matmul__4_1)[_4207] = _4217;
   } // for _matmul__4_intm_s1_r_x_o
  } // for _matmul__4_intm_s1_j_j_u0_o
 } // if _4178
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4218 = 0;
 halide_maybe_unused(_4218);
 // produce matmul$4
 // consume matmul$4_intm
 bool _4219 = _thread_id_y < 1;
 if (_4219)
 {
  int _4220 = _4156 + 31;
  int _4221 = _4220 >> 5;
  int _4222 = _4221 - _4147;
  int _4223 = _4147 * 32;
  int _4224 = _4156 - _4223;
  int _4225 = _4224 - _thread_id_x;
  int _4226 = _4225 + -1;
  int _4227 = _4226 >> 5;
  int _4228 = _4227 + 1;
  int _4229 = min(_4222, _4228);
  int _4230 = max(_4229, 0);
  int _4231 = _c_min_0 + _4223;
  int _4232 = _matmul__4_intm_0_shared_size_var - _c_min_0;
  int _4233 = _4232 - _4223;
  int _4234 = _4233 + _thread_id_x;
  for (int _matmul__4_s0_j_j_o = 0; _matmul__4_s0_j_j_o < 0 + _4230; _matmul__4_s0_j_j_o++)
  {
   int _4235 = _matmul__4_s0_j_j_o * 32;
   int _4236 = _4235 + _4231;
   float _4237 = float_from_bits(0 /* 0 */);
   int _4238 = _4236 + _4234;
   ((__local float *)_allocgroup__matmul__4_intm_0__matmul__4_1)[_4238] = _4237;
  } // for _matmul__4_s0_j_j_o
 } // if _4219
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4239 = 0;
 halide_maybe_unused(_4239);
 bool _4240 = _thread_id_y < 1;
 if (_4240)
 {
  int _4241 = _4156 + 31;
  int _4242 = _4241 >> 5;
  int _4243 = _4242 - _4147;
  int _4244 = _4147 * 32;
  int _4245 = _4156 - _4244;
  int _4246 = _4245 - _thread_id_x;
  int _4247 = _4246 + -1;
  int _4248 = _4247 >> 5;
  int _4249 = _4248 + 1;
  int _4250 = min(_4243, _4249);
  int _4251 = _4244 + _c_min_0;
  int _4252 = max(_4250, 0);
  int _4253 = _thread_id_x - _4251;
  for (int _matmul__4_s1_j_j_u0_o = 0; _matmul__4_s1_j_j_u0_o < 0 + _4252; _matmul__4_s1_j_j_u0_o++)
  {
   int _4254 = _matmul__4_s1_j_j_u0_o * 32;
   int _4255 = _4254 + _4251;
   int _4256 = _4255 + _4253;
   for (int _matmul__4_s1_r_x_i = 0; _matmul__4_s1_r_x_i < 0 + _t4840; _matmul__4_s1_r_x_i++)
   {
    int _4257 = _matmul__4_intm_0_shared_size_var + _4256;
    float _4258 = ((__local float *)_allocgroup__matmul__4_intm_0__matmul__4_1)[_4257];
    int _4259 = _4256 * 2;
    int _4260 = _4259 + _matmul__4_s1_r_x_i;
    float _4261 = ((__local float *)_allocgroup__matmul__4_intm_0__matmul__4_1)[_4260];
    float _4262 = _4258 + _4261;
    ((__local float *)_allocgroup__matmul__4_intm_0__matmul__4_1)[_4257] = _4262;
   } // for _matmul__4_s1_r_x_i
  } // for _matmul__4_s1_j_j_u0_o
 } // if _4240
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4263 = 0;
 halide_maybe_unused(_4263);
 int _4264 = _4147 * 32;
 int _4265 = _4264 + _c_min_0;
 int _4266 = _4265 + _thread_id_x;
 int _4267 = _4266 + 1;
 int _4268 = _c_extent_0 + _c_min_0;
 bool _4269 = _4267 <= _4268;
 bool _4270 = _thread_id_y < 1;
 bool _4271 = _4269 && _4270;
 if (_4271)
 {
  // consume matmul$4
  int _4272 = _thread_id_x + _matmul__4_intm_0_shared_size_var;
  float _4273 = ((__local float *)_allocgroup__matmul__4_intm_0__matmul__4_1)[_4272];
  int _4274 = _4147 * 32;
  int _4275 = _c_min_1 + _4153;
  int _4276 = _4275 * _c_stride_1;
  int _4277 = _4276 + _t4842;
  int _4278 = _4274 + _4277;
  int _4279 = _4278 + _thread_id_x;
  _c[_4279] = _4273;
 } // if _4271
} // kernel _kernel_c_s0_j_j_o_gpu_blocks1_block_id_x
#undef __address_space__c
#undef __address_space__b
#undef __address_space__a

