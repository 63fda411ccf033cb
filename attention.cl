/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_matmul__6_global_wrapper__0_s0_j_j_o_gpu_blocks1_block_id_x
#define __address_space__k __global
#define __address_space__matmul__6_global_wrapper__0 __global
#define __address_space__q __global
__kernel void _kernel_matmul__6_global_wrapper__0_s0_j_j_o_gpu_blocks1_block_id_x(
 __address_space__k const float *restrict _k,
 __address_space__matmul__6_global_wrapper__0 float *restrict _matmul__6_global_wrapper__0,
 __address_space__q const float *restrict _q,
 const int _k_extent_1,
 const int _k_min_1,
 const int _k_stride_1,
 const int _q_extent_0,
 const int _q_stride_1,
 const int _t5822,
 const int _t5925,
 const int _t5927,
 const int _t5928,
 const int _t5929,
 const int _t5931,
 const int _t5932,
 const int _y__18_min_1,
 __local int16* _allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)
{
 int _matmul__6_global_wrapper__0_s0_j_j_o_gpu_blocks1_block_id_x = get_group_id(0);
 int _thread_id_y = get_local_id(1);
 int _thread_id_x = get_local_id(0);
 bool _4428 = _matmul__6_global_wrapper__0_s0_j_j_o_gpu_blocks1_block_id_x < 0;
 int _4429 = (int)(_4428 ? -1 : 0);
 bool _4430 = _t5932 == 0;
 int _4431 = (int)(_4430 ? -1 : 0);
 bool _4432 = _t5932 < 0;
 int _4433 = (int)(_4432 ? -1 : 0);
 int _4434 = _matmul__6_global_wrapper__0_s0_j_j_o_gpu_blocks1_block_id_x - _4429;
 int _4435 = _t5932 | _4431;
 int _4436 = _4434 % _4435;
 int _4437 = _t5932 ^ _4433;
 int _4438 = ~_4433;
 int _4439 = _4437 + _4438;
 int _4440 = _4429 & _4439;
 int _4441 = _4436 + _4440;
 int _4442 = ~_4431;
 int _4443 = _4441 & _4442;
 int _4444 = _t5932 - _4431;
 int _4445 = _4434 / _4444;
 int _4446 = _4438 - _4433;
 int _4447 = _4429 & _4446;
 int _4448 = _4445 + _4447;
 int _4449 = _4448 & _4442;
 int _4450 = _4443 * 2;
 int _4451 = _4450 + 2;
 int _4452 = min(_4451, _k_extent_1);
 // produce matmul$6_intm
 int _4453 = _4452 + 1;
 int _4454 = _4453 >> 1;
 int _4455 = _4454 - _4443;
 int _4456 = _4452 - _4450;
 int _4457 = _4456 - _thread_id_y;
 int _4458 = _4457 + -1;
 int _4459 = _4458 >> 1;
 int _4460 = _4459 + 1;
 int _4461 = min(_4455, _4460);
 int _4462 = _4450 + _k_min_1;
 int _4463 = max(_4461, 0);
 int _4464 = _thread_id_y - _4462;
 for (int _matmul__6_intm_s0_j_j_o = 0; _matmul__6_intm_s0_j_j_o < 0 + _4463; _matmul__6_intm_s0_j_j_o++)
 {
  int _4465 = _matmul__6_intm_s0_j_j_o * 2;
  int _4466 = _4465 + _4462;
  float _4467 = float_from_bits(0 /* 0 */);
  int _4468 = _4466 + _4464;
  int _4469 = _4468 * 32;
  int _4470 = _4469 + _thread_id_x;
  ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4470] = _4467;
 } // for _matmul__6_intm_s0_j_j_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4471 = 0;
 halide_maybe_unused(_4471);
 int _4472 = _4452 + 1;
 int _4473 = _4472 >> 1;
 int _4474 = _4473 - _4443;
 int _4475 = _4443 * 2;
 int _4476 = _4452 - _4475;
 int _4477 = _4476 - _thread_id_y;
 int _4478 = _4477 + -1;
 int _4479 = _4478 >> 1;
 int _4480 = _4479 + 1;
 int _4481 = min(_4474, _4480);
 int _4482 = _4475 + _k_min_1;
 int _4483 = max(_4481, 0);
 int _4484 = _q_extent_0 - _thread_id_x;
 int _4485 = _4484 + -1;
 int _4486 = _4485 >> 5;
 int _4487 = _thread_id_x + _t5928;
 int _4488 = _4449 + _y__18_min_1;
 int _4489 = _4488 * _q_stride_1;
 int _4490 = _4489 + _t5927;
 int _4491 = _4490 + _thread_id_x;
 for (int _matmul__6_intm_s1_j_j_u0_o = 0; _matmul__6_intm_s1_j_j_u0_o < 0 + _4483; _matmul__6_intm_s1_j_j_u0_o++)
 {
  int _4492 = _matmul__6_intm_s1_j_j_u0_o * 2;
  int _4493 = _4492 + _4482;
  int _4494 = _thread_id_y + _4493;
  int _4495 = _4494 * _k_stride_1;
  int _4496 = _4495 + _4487;
  int _4497 = _thread_id_y - _4482;
  int _4498 = _4497 + _4493;
  int _4499 = _4486 + 1;
  for (int _matmul__6_intm_s1_r_x_o = 0; _matmul__6_intm_s1_r_x_o < 0 + _4499; _matmul__6_intm_s1_r_x_o++)
  {
   int _4500 = _4498 * 32;
   int _4501 = _4500 + _thread_id_x;
   float _4502 = ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4501];
   int _4503 = _matmul__6_intm_s1_r_x_o * 32;
   int _4504 = _4503 + _4491;
   float _4505 = _q[_4504];
   int _4506 = _4503 + _4496;
   float _4507 = _k[_4506];
   float _4508 = _4505 * _4507;
   float _4509 = _4502 + _4508;
   ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4501] = _4509;
  } // for _matmul__6_intm_s1_r_x_o
 } // for _matmul__6_intm_s1_j_j_u0_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4510 = 0;
 halide_maybe_unused(_4510);
 // produce matmul_6_intm$1
 // consume matmul$6_intm
 bool _4511 = _thread_id_x < 8;
 if (_4511)
 {
  int _4512 = _4452 + 1;
  int _4513 = _4512 >> 1;
  int _4514 = _4513 - _4443;
  int _4515 = _4443 * 2;
  int _4516 = _4452 - _4515;
  int _4517 = _4516 - _thread_id_y;
  int _4518 = _4517 + -1;
  int _4519 = _4518 >> 1;
  int _4520 = _4519 + 1;
  int _4521 = min(_4514, _4520);
  int _4522 = _4515 + _k_min_1;
  int _4523 = max(_4521, 0);
  int _4524 = _thread_id_y - _4522;
  int _4525 = _thread_id_x + _t5822;
  for (int _matmul_6_intm__1_s0_j_j_o = 0; _matmul_6_intm__1_s0_j_j_o < 0 + _4523; _matmul_6_intm__1_s0_j_j_o++)
  {
   int _4526 = _matmul_6_intm__1_s0_j_j_o * 2;
   int _4527 = _4526 + _4522;
   float _4528 = float_from_bits(0 /* 0 */);
   int _4529 = _4527 + _4524;
   int _4530 = _4529 * 8;
   int _4531 = _4530 + _4525;
   ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4531] = _4528;
  } // for _matmul_6_intm__1_s0_j_j_o
 } // if _4511
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4532 = 0;
 halide_maybe_unused(_4532);
 bool _4533 = _thread_id_x < 8;
 if (_4533)
 {
  int _4534 = _4452 + 1;
  int _4535 = _4534 >> 1;
  int _4536 = _4535 - _4443;
  int _4537 = _4443 * 2;
  int _4538 = _4452 - _4537;
  int _4539 = _4538 - _thread_id_y;
  int _4540 = _4539 + -1;
  int _4541 = _4540 >> 1;
  int _4542 = _4541 + 1;
  int _4543 = min(_4536, _4542);
  int _4544 = _4537 + _k_min_1;
  int _4545 = max(_4543, 0);
  int _4546 = _q_extent_0 - _thread_id_x;
  int _4547 = _4546 + -1;
  int _4548 = _4547 >> 3;
  int _4549 = min(_4548, 3);
  int _4550 = _thread_id_y - _4544;
  int _4551 = _thread_id_x + _t5822;
  for (int _matmul_6_intm__1_s1_j_j_u0_o = 0; _matmul_6_intm__1_s1_j_j_u0_o < 0 + _4545; _matmul_6_intm__1_s1_j_j_u0_o++)
  {
   int _4552 = _matmul_6_intm__1_s1_j_j_u0_o * 2;
   int _4553 = _4552 + _4544;
   int _4554 = _4553 + _4550;
   int _4555 = _4549 + 1;
   for (int _matmul_6_intm__1_s1_matmul_6_t_o = 0; _matmul_6_intm__1_s1_matmul_6_t_o < 0 + _4555; _matmul_6_intm__1_s1_matmul_6_t_o++)
   {
    int _4556 = _4554 * 8;
    int _4557 = _4556 + _4551;
    float _4558 = ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4557];
    int _4559 = _matmul_6_intm__1_s1_matmul_6_t_o * 8;
    int _4560 = _4554 * 32;
    int _4561 = _4560 + _thread_id_x;
    int _4562 = _4559 + _4561;
    float _4563 = ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4562];
    float _4564 = _4558 + _4563;
    ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4557] = _4564;
   } // for _matmul_6_intm__1_s1_matmul_6_t_o
  } // for _matmul_6_intm__1_s1_j_j_u0_o
 } // if _4533
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4565 = 0;
 halide_maybe_unused(_4565);
 // produce matmul$6
 // consume matmul_6_intm$1
 bool _4566 = _thread_id_y < 1;
 bool _4567 = _thread_id_x < 2;
 bool _4568 = _4566 && _4567;
 if (_4568)
 {
  int _4569 = _4452 + 1;
  int _4570 = _4569 >> 1;
  int _4571 = _4570 - _4443;
  int _4572 = _4443 * 2;
  int _4573 = _4452 - _4572;
  int _4574 = _4573 - _thread_id_x;
  int _4575 = _4574 + -1;
  int _4576 = _4575 >> 1;
  int _4577 = _4576 + 1;
  int _4578 = min(_4571, _4577);
  int _4579 = _4572 + _k_min_1;
  int _4580 = max(_4578, 0);
  int _4581 = _thread_id_x - _4579;
  for (int _matmul__6_s0_j_j_o = 0; _matmul__6_s0_j_j_o < 0 + _4580; _matmul__6_s0_j_j_o++)
  {
   int _4582 = _matmul__6_s0_j_j_o * 2;
   int _4583 = _4582 + _4579;
   float _4584 = float_from_bits(0 /* 0 */);
   int _4585 = _4583 + _4581;
   ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4585] = _4584;
  } // for _matmul__6_s0_j_j_o
 } // if _4568
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4586 = 0;
 halide_maybe_unused(_4586);
 bool _4587 = _thread_id_y < 1;
 bool _4588 = _thread_id_x < 2;
 bool _4589 = _4587 && _4588;
 if (_4589)
 {
  int _4590 = _4452 + 1;
  int _4591 = _4590 >> 1;
  int _4592 = _4591 - _4443;
  int _4593 = _4443 * 2;
  int _4594 = _4452 - _4593;
  int _4595 = _4594 - _thread_id_x;
  int _4596 = _4595 + -1;
  int _4597 = _4596 >> 1;
  int _4598 = _4597 + 1;
  int _4599 = min(_4592, _4598);
  int _4600 = _4593 + _k_min_1;
  int _4601 = max(_4599, 0);
  int _4602 = _thread_id_x - _4600;
  for (int _matmul__6_s1_j_j_u0_o = 0; _matmul__6_s1_j_j_u0_o < 0 + _4601; _matmul__6_s1_j_j_u0_o++)
  {
   int _4603 = _matmul__6_s1_j_j_u0_o * 2;
   int _4604 = _4603 + _4600;
   int _4605 = _4604 + _4602;
   for (int _matmul__6_s1_matmul_6_t_i = 0; _matmul__6_s1_matmul_6_t_i < 0 + _t5929; _matmul__6_s1_matmul_6_t_i++)
   {
    float _4606 = ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4605];
    int _4607 = _4605 * 8;
    int _4608 = _4607 + _t5822;
    int _4609 = _4608 + _matmul__6_s1_matmul_6_t_i;
    float _4610 = ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4609];
    float _4611 = _4606 + _4610;
    ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_4605] = _4611;
   } // for _matmul__6_s1_matmul_6_t_i
  } // for _matmul__6_s1_j_j_u0_o
 } // if _4589
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4612 = 0;
 halide_maybe_unused(_4612);
 int _4613 = _4443 * 2;
 int _4614 = _4613 + _k_min_1;
 int _4615 = _4614 + _thread_id_x;
 int _4616 = _4615 + 1;
 int _4617 = _k_extent_1 + _k_min_1;
 bool _4618 = _4616 <= _4617;
 bool _4619 = _thread_id_x < 2;
 bool _4620 = _4618 && _4619;
 bool _4621 = _thread_id_y < 1;
 bool _4622 = _4620 && _4621;
 if (_4622)
 {
  // consume matmul$6
  float _4623 = ((__local float *)_allocgroup__matmul__6_intm_0_matmul__6_2__matmul_6_intm__1_1)[_thread_id_x];
  int _4624 = _4449 - _t5931;
  int _4625 = _4624 * _k_extent_1;
  int _4626 = _4443 * 2;
  int _4627 = _4625 + _4626;
  int _4628 = _4627 + _thread_id_x;
  _matmul__6_global_wrapper__0[_4628] = _4623;
 } // if _4622
} // kernel _kernel_matmul__6_global_wrapper__0_s0_j_j_o_gpu_blocks1_block_id_x
#undef __address_space__k
#undef __address_space__matmul__6_global_wrapper__0
#undef __address_space__q
// Address spaces for _kernel_y__18_s0_j_gpu_blocks1_block_id_x
#define __address_space__matmul__6_global_wrapper__0 __global
#define __address_space__v __global
#define __address_space__y__18 __global
__kernel void _kernel_y__18_s0_j_gpu_blocks1_block_id_x(
 __address_space__matmul__6_global_wrapper__0 const float *restrict _matmul__6_global_wrapper__0,
 __address_space__v const float *restrict _v,
 __address_space__y__18 float *restrict _y__18,
 const int _k_extent_1,
 const int _k_min_1,
 const int _t5968,
 const float _t5969,
 const int _t5970,
 const int _t5971,
 const int _t5972,
 const int _v_stride_1,
 const int _y__18_extent_0,
 const int _y__18_min_1,
 const int _y__18_stride_1,
 __local int16* _allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)
{
 int _y__18_s0_j_gpu_blocks1_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 bool _4629 = _y__18_s0_j_gpu_blocks1_block_id_x < 0;
 int _4630 = (int)(_4629 ? -1 : 0);
 bool _4631 = _y__18_extent_0 == 0;
 int _4632 = (int)(_4631 ? -1 : 0);
 bool _4633 = _y__18_extent_0 < 0;
 int _4634 = (int)(_4633 ? -1 : 0);
 int _4635 = _y__18_s0_j_gpu_blocks1_block_id_x - _4630;
 int _4636 = _y__18_extent_0 - _4632;
 int _4637 = _4635 / _4636;
 int _4638 = ~_4634;
 int _4639 = _4638 - _4634;
 int _4640 = _4630 & _4639;
 int _4641 = _4637 + _4640;
 int _4642 = ~_4632;
 int _4643 = _4641 & _4642;
 int _4644 = _y__18_extent_0 | _4632;
 int _4645 = _4635 % _4644;
 int _4646 = _y__18_extent_0 ^ _4634;
 int _4647 = _4646 + _4638;
 int _4648 = _4630 & _4647;
 int _4649 = _4645 + _4648;
 int _4650 = _4649 & _4642;
 // produce row_max$6_intm
 ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_thread_id_x] = neg_inf_f32();
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4651 = 0;
 halide_maybe_unused(_4651);
 int _4652 = _k_extent_1 - _thread_id_x;
 int _4653 = _4652 + -1;
 int _4654 = _4653 >> 6;
 int _4655 = _4643 - _t5968;
 int _4656 = _4655 * _k_extent_1;
 int _4657 = _4656 + _thread_id_x;
 int _4658 = _4654 + 1;
 for (int _row_max__6_intm_s1_t_x_o = 0; _row_max__6_intm_s1_t_x_o < 0 + _4658; _row_max__6_intm_s1_t_x_o++)
 {
  float _4659 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_thread_id_x];
  int _4660 = _row_max__6_intm_s1_t_x_o * 64;
  int _4661 = _4660 + _4657;
  float _4662 = _matmul__6_global_wrapper__0[_4661];
  float _4663 = _4662 / _t5969;
  float _4664 = max(_4659, _4663);
  ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_thread_id_x] = _4664;
 } // for _row_max__6_intm_s1_t_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4665 = 0;
 halide_maybe_unused(_4665);
 // produce row_max_6_intm$1
 // consume row_max$6_intm
 bool _4666 = _thread_id_x < 8;
 if (_4666)
 {
  int _4667 = _thread_id_x + 64;
  ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4667] = neg_inf_f32();
 } // if _4666
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4668 = 0;
 halide_maybe_unused(_4668);
 bool _4669 = _thread_id_x < 8;
 if (_4669)
 {
  int _4670 = _k_extent_1 - _thread_id_x;
  int _4671 = _4670 + -1;
  int _4672 = _4671 >> 3;
  int _4673 = min(_4672, 7);
  int _4674 = _4673 + 1;
  for (int _row_max_6_intm__1_s1_row_max_t_o = 0; _row_max_6_intm__1_s1_row_max_t_o < 0 + _4674; _row_max_6_intm__1_s1_row_max_t_o++)
  {
   int _4675 = _thread_id_x + 64;
   float _4676 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4675];
   int _4677 = _row_max_6_intm__1_s1_row_max_t_o * 8;
   int _4678 = _4677 + _thread_id_x;
   float _4679 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4678];
   float _4680 = max(_4676, _4679);
   ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4675] = _4680;
  } // for _row_max_6_intm__1_s1_row_max_t_o
 } // if _4669
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4681 = 0;
 halide_maybe_unused(_4681);
 // produce row_max$6
 // consume row_max_6_intm$1
 bool _4682 = _thread_id_x < 1;
 if (_4682)
 {
  ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[0] = neg_inf_f32();
 } // if _4682
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4683 = 0;
 halide_maybe_unused(_4683);
 bool _4684 = _thread_id_x < 1;
 if (_4684)
 {
  for (int _row_max__6_s1_row_max_t_i = 0; _row_max__6_s1_row_max_t_i < 0 + _t5970; _row_max__6_s1_row_max_t_i++)
  {
   float _4685 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[0];
   int _4686 = _row_max__6_s1_row_max_t_i + 64;
   float _4687 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4686];
   float _4688 = max(_4685, _4687);
   ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[0] = _4688;
  } // for _row_max__6_s1_row_max_t_i
 } // if _4684
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4689 = 0;
 halide_maybe_unused(_4689);
 // produce sum_exp$6_intm
 // consume row_max$6
 float _4690 = float_from_bits(0 /* 0 */);
 int _4691 = _thread_id_x + 64;
 ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4691] = _4690;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4692 = 0;
 halide_maybe_unused(_4692);
 int _4693 = _k_extent_1 - _thread_id_x;
 int _4694 = _4693 + -1;
 int _4695 = _4694 >> 6;
 int _4696 = _4643 - _t5968;
 int _4697 = _4696 * _k_extent_1;
 int _4698 = _4697 + _thread_id_x;
 int _4699 = _4695 + 1;
 for (int _sum_exp__6_intm_s1_t_x_o = 0; _sum_exp__6_intm_s1_t_x_o < 0 + _4699; _sum_exp__6_intm_s1_t_x_o++)
 {
  int _4700 = _sum_exp__6_intm_s1_t_x_o * 64;
  int _4701 = _4700 + _4698;
  float _4702 = _matmul__6_global_wrapper__0[_4701];
  float _4703 = _4702 / _t5969;
  float _4704 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[0];
  float _4705 = _4703 - _4704;
  float _4706 = exp(_4705);
  int _4707 = _thread_id_x + 64;
  float _4708 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4707];
  float _4709 = _4706 + _4708;
  ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4707] = _4709;
 } // for _sum_exp__6_intm_s1_t_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4710 = 0;
 halide_maybe_unused(_4710);
 // produce sum_exp_6_intm$1
 // consume sum_exp$6_intm
 bool _4711 = _thread_id_x < 8;
 if (_4711)
 {
  float _4712 = float_from_bits(0 /* 0 */);
  int _4713 = _thread_id_x + 128;
  ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4713] = _4712;
 } // if _4711
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4714 = 0;
 halide_maybe_unused(_4714);
 bool _4715 = _thread_id_x < 8;
 if (_4715)
 {
  int _4716 = _k_extent_1 - _thread_id_x;
  int _4717 = _4716 + -1;
  int _4718 = _4717 >> 3;
  int _4719 = min(_4718, 7);
  int _4720 = _4719 + 1;
  for (int _sum_exp_6_intm__1_s1_sum_exp_t_o = 0; _sum_exp_6_intm__1_s1_sum_exp_t_o < 0 + _4720; _sum_exp_6_intm__1_s1_sum_exp_t_o++)
  {
   int _4721 = _thread_id_x + 128;
   float _4722 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4721];
   int _4723 = _sum_exp_6_intm__1_s1_sum_exp_t_o * 8;
   int _4724 = _4723 + _thread_id_x;
   int _4725 = _4724 + 64;
   float _4726 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4725];
   float _4727 = _4722 + _4726;
   ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4721] = _4727;
  } // for _sum_exp_6_intm__1_s1_sum_exp_t_o
 } // if _4715
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4728 = 0;
 halide_maybe_unused(_4728);
 // produce sum_exp$6
 // consume sum_exp_6_intm$1
 bool _4729 = _thread_id_x < 1;
 if (_4729)
 {
  float _4730 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[64] = _4730;
 } // if _4729
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4731 = 0;
 halide_maybe_unused(_4731);
 bool _4732 = _thread_id_x < 1;
 if (_4732)
 {
  for (int _sum_exp__6_s1_sum_exp_t_i = 0; _sum_exp__6_s1_sum_exp_t_i < 0 + _t5970; _sum_exp__6_s1_sum_exp_t_i++)
  {
   float _4733 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[64];
   int _4734 = _sum_exp__6_s1_sum_exp_t_i + 128;
   float _4735 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4734];
   float _4736 = _4733 + _4735;
   ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[64] = _4736;
  } // for _sum_exp__6_s1_sum_exp_t_i
 } // if _4732
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4737 = 0;
 halide_maybe_unused(_4737);
 // produce matmul$7_intm
 // consume sum_exp$6
 // consume row_max$6
 float _4738 = float_from_bits(0 /* 0 */);
 int _4739 = _thread_id_x + 128;
 ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4739] = _4738;
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4740 = 0;
 halide_maybe_unused(_4740);
 int _4741 = _k_extent_1 - _thread_id_x;
 int _4742 = _4741 + -1;
 int _4743 = _4742 >> 6;
 int _4744 = _t5971 + _4650;
 int _4745 = _thread_id_x + _k_min_1;
 int _4746 = _4643 - _t5968;
 int _4747 = _4746 * _k_extent_1;
 int _4748 = _4747 + _thread_id_x;
 int _4749 = _4743 + 1;
 for (int _matmul__7_intm_s1_t_x_o = 0; _matmul__7_intm_s1_t_x_o < 0 + _4749; _matmul__7_intm_s1_t_x_o++)
 {
  int _4750 = _thread_id_x + 128;
  float _4751 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4750];
  int _4752 = _matmul__7_intm_s1_t_x_o * 64;
  int _4753 = _4752 + _4745;
  int _4754 = _4753 * _v_stride_1;
  int _4755 = _4754 + _4744;
  float _4756 = _v[_4755];
  int _4757 = _4752 + _4748;
  float _4758 = _matmul__6_global_wrapper__0[_4757];
  float _4759 = _4758 / _t5969;
  float _4760 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[0];
  float _4761 = _4759 - _4760;
  float _4762 = exp(_4761);
  float _4763 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[64];
  float _4764 = _4762 / _4763;
  float _4765 = _4756 * _4764;
  float _4766 = _4751 + _4765;
  ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4750] = _4766;
 } // for _matmul__7_intm_s1_t_x_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4767 = 0;
 halide_maybe_unused(_4767);
 // produce matmul_7_intm$1
 // consume matmul$7_intm
 bool _4768 = _thread_id_x < 8;
 if (_4768)
 {
  float _4769 = float_from_bits(0 /* 0 */);
  int _4770 = _thread_id_x + 64;
  ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4770] = _4769;
 } // if _4768
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4771 = 0;
 halide_maybe_unused(_4771);
 bool _4772 = _thread_id_x < 8;
 if (_4772)
 {
  int _4773 = _k_extent_1 - _thread_id_x;
  int _4774 = _4773 + -1;
  int _4775 = _4774 >> 3;
  int _4776 = min(_4775, 7);
  int _4777 = _4776 + 1;
  for (int _matmul_7_intm__1_s1_matmul_7_t_o = 0; _matmul_7_intm__1_s1_matmul_7_t_o < 0 + _4777; _matmul_7_intm__1_s1_matmul_7_t_o++)
  {
   int _4778 = _thread_id_x + 64;
   float _4779 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4778];
   int _4780 = _matmul_7_intm__1_s1_matmul_7_t_o * 8;
   int _4781 = _4780 + _thread_id_x;
   int _4782 = _4781 + 128;
   float _4783 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4782];
   float _4784 = _4779 + _4783;
   ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4778] = _4784;
  } // for _matmul_7_intm__1_s1_matmul_7_t_o
 } // if _4772
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4785 = 0;
 halide_maybe_unused(_4785);
 // produce matmul$7
 bool _4786 = _thread_id_x < 1;
 if (_4786)
 {
  float _4787 = float_from_bits(0 /* 0 */);
  ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[128] = _4787;
 } // if _4786
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4788 = 0;
 halide_maybe_unused(_4788);
 bool _4789 = _thread_id_x < 1;
 if (_4789)
 {
  // consume matmul_7_intm$1
  for (int _matmul__7_s1_matmul_7_t_i = 0; _matmul__7_s1_matmul_7_t_i < 0 + _t5970; _matmul__7_s1_matmul_7_t_i++)
  {
   float _4790 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[128];
   int _4791 = _matmul__7_s1_matmul_7_t_i + 64;
   float _4792 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[_4791];
   float _4793 = _4790 + _4792;
   ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[128] = _4793;
  } // for _matmul__7_s1_matmul_7_t_i
 } // if _4789
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _4794 = 0;
 halide_maybe_unused(_4794);
 bool _4795 = _thread_id_x < 1;
 if (_4795)
 {
  // consume matmul$7
  float _4796 = ((__local float *)_allocgroup__row_max__6_intm_0_row_max__6_2__row_max_6_intm__1_1_sum_exp__6_intm_3_sum_exp__6_5_matmul_7_intm__1_7__sum_exp_6_intm__1_4_matmul__7_intm_6_matmul__7_8)[128];
  int _4797 = _y__18_min_1 + _4643;
  int _4798 = _4797 * _y__18_stride_1;
  int _4799 = _4798 + _t5972;
  int _4800 = _4799 + _4650;
  _y__18[_4800] = _4796;
 } // if _4795
} // kernel _kernel_y__18_s0_j_gpu_blocks1_block_id_x
#undef __address_space__matmul__6_global_wrapper__0
#undef __address_space__v
#undef __address_space__y__18

