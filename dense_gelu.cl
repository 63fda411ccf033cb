/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_y__16_s0_j_j_o_gpu_blocks1_block_id_x
#define __address_space__y__16 __global
#define __address_space__x __global
#define __address_space__w __global
#define __address_space__b __global
__kernel void _kernel_y__16_s0_j_j_o_gpu_blocks1_block_id_x(
 __address_space__y__16 float *restrict _y__16,
 __address_space__x const float *restrict _x,
 __address_space__w const float *restrict _w,
 __address_space__b const float *restrict _b,
 const int _x_min_0,
 const int _y__16_stride_1,
 const int _y__16_min_1,
 const int _y__16_min_0,
 const int _y__16_extent_0,
 const int _x_stride_1,
 const int _t3688,
 const int _x_extent_0,
 const int _w_stride_1,
 const int _t3783,
 const int _t3782,
 const int _t3781,
 const int _t3779,
 const int _t3778,
 const int _t3777,
 const int _t3775,
 __local int16* _allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)
{
 int _y__16_s0_j_j_o_gpu_blocks1_block_id_x = get_group_id(0);
 int _thread_id_y = get_local_id(1);
 int _thread_id_x = get_local_id(0);
 bool _3690 = _y__16_s0_j_j_o_gpu_blocks1_block_id_x < 0;
 int _3691 = (int)(_3690 ? -1 : 0);
 bool _3692 = _t3783 == 0;
 int _3693 = (int)(_3692 ? -1 : 0);
 bool _3694 = _t3783 < 0;
 int _3695 = (int)(_3694 ? -1 : 0);
 int _3696 = _y__16_s0_j_j_o_gpu_blocks1_block_id_x - _3691;
 int _3697 = _t3783 | _3693;
 int _3698 = _3696 % _3697;
 int _3699 = _t3783 ^ _3695;
 int _3700 = ~_3695;
 int _3701 = _3699 + _3700;
 int _3702 = _3691 & _3701;
 int _3703 = _3698 + _3702;
 int _3704 = ~_3693;
 int _3705 = _3703 & _3704;
 int _3706 = _t3783 - _3693;
 int _3707 = _3696 / _3706;
 int _3708 = _3700 - _3695;
 int _3709 = _3691 & _3708;
 int _3710 = _3707 + _3709;
 int _3711 = _3710 & _3704;
 int _3712 = _3705 * 2;
 int _3713 = _3712 + 2;
 int _3714 = min(_3713, _y__16_extent_0);
 // produce matmul$2_intm
 int _3715 = _3714 + 1;
 int _3716 = _3715 >> 1;
 int _3717 = _3716 - _3705;
 int _3718 = _3714 - _3712;
 int _3719 = _3718 - _thread_id_y;
 int _3720 = _3719 + -1;
 int _3721 = _3720 >> 1;
 int _3722 = _3721 + 1;
 int _3723 = min(_3717, _3722);
 int _3724 = _3712 + _y__16_min_0;
 int _3725 = max(_3723, 0);
 int _3726 = _thread_id_y - _3724;
 for (int _matmul__2_intm_s0_j_j_o = 0; _matmul__2_intm_s0_j_j_o < 0 + _3725; _matmul__2_intm_s0_j_j_o++)
 {
  int _3727 = _matmul__2_intm_s0_j_j_o * 2;
  int _3728 = _3727 + _3724;
  float _3729 = float_from_bits(0 /* 0 */);
  int _3730 = _3728 + _3726;
  int _3731 = _3730 * 32;
  int _3732 = _3731 + _thread_id_x;
  ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3732] = _3729;
 } // for _matmul__2_intm_s0_j_j_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3733 = 0;
 halide_maybe_unused(_3733);
 int _3734 = _3714 + 1;
 int _3735 = _3734 >> 1;
 int _3736 = _3735 - _3705;
 int _3737 = _3705 * 2;
 int _3738 = _3714 - _3737;
 int _3739 = _3738 - _thread_id_y;
 int _3740 = _3739 + -1;
 int _3741 = _3740 >> 1;
 int _3742 = _3741 + 1;
 int _3743 = min(_3736, _3742);
 int _3744 = _3737 + _y__16_min_0;
 int _3745 = max(_3743, 0);
 int _3746 = _x_extent_0 - _thread_id_x;
 int _3747 = _3746 + -1;
 int _3748 = _3747 >> 5;
 int _3749 = _thread_id_y - _3744;
 int _3750 = _thread_id_y - _t3778;
 int _3751 = _thread_id_x + _x_min_0;
 int _3752 = _y__16_min_1 + _3711;
 int _3753 = _3752 * _x_stride_1;
 int _3754 = _3753 + _t3777;
 int _3755 = _3754 + _thread_id_x;
 for (int _matmul__2_intm_s1_j_j_u0_o = 0; _matmul__2_intm_s1_j_j_u0_o < 0 + _3745; _matmul__2_intm_s1_j_j_u0_o++)
 {
  int _3756 = _matmul__2_intm_s1_j_j_u0_o * 2;
  int _3757 = _3756 + _3744;
  int _3758 = _3757 + _3750;
  int _3759 = _3757 + _3749;
  int _3760 = _3748 + 1;
  for (int _matmul__2_intm_s1_r_x_o = 0; _matmul__2_intm_s1_r_x_o < 0 + _3760; _matmul__2_intm_s1_r_x_o++)
  {
   int _3761 = _3759 * 32;
   int _3762 = _3761 + _thread_id_x;
   float _3763 = ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3762];
   int _3764 = _matmul__2_intm_s1_r_x_o * 32;
   int _3765 = _3764 + _3755;
   float _3766 = _x[_3765];
   int _3767 = _3764 + _3751;
   int _3768 = _3767 * _w_stride_1;
   int _3769 = _3768 + _3758;
   float _3770 = _w[_3769];
   float _3771 = _3766 * _3770;
   float _3772 = _3763 + _3771;
   ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3762] = _3772;
  } // for _matmul__2_intm_s1_r_x_o
 } // for _matmul__2_intm_s1_j_j_u0_o
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3773 = 0;
 halide_maybe_unused(_3773);
 // produce matmul_2_intm$1
 // consume matmul$2_intm
 bool _3774 = _thread_id_x < 8;
 if (_3774)
 {
  int _3775 = _3714 + 1;
  int _3776 = _3775 >> 1;
  int _3777 = _3776 - _3705;
  int _3778 = _3705 * 2;
  int _3779 = _3714 - _3778;
  int _3780 = _3779 - _thread_id_y;
  int _3781 = _3780 + -1;
  int _3782 = _3781 >> 1;
  int _3783 = _3782 + 1;
  int _3784 = min(_3777, _3783);
  int _3785 = _3778 + _y__16_min_0;
  int _3786 = max(_3784, 0);
  int _3787 = _thread_id_y - _3785;
  int _3788 = _thread_id_x + _t3688;
  for (int _matmul_2_intm__1_s0_j_j_o = 0; _matmul_2_intm__1_s0_j_j_o < 0 + _3786; _matmul_2_intm__1_s0_j_j_o++)
  {
   int _3789 = _matmul_2_intm__1_s0_j_j_o * 2;
   int _3790 = _3789 + _3785;
   float _3791 = float_from_bits(0 /* 0 */);
   int _3792 = _3790 + _3787;
   int _3793 = _3792 * 8;
   int _3794 = _3793 + _3788;
   ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3794] = _3791;
  } // for _matmul_2_intm__1_s0_j_j_o
 } // if _3774
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3795 = 0;
 halide_maybe_unused(_3795);
 bool _3796 = _thread_id_x < 8;
 if (_3796)
 {
  int _3797 = _3714 + 1;
  int _3798 = _3797 >> 1;
  int _3799 = _3798 - _3705;
  int _3800 = _3705 * 2;
  int _3801 = _3714 - _3800;
  int _3802 = _3801 - _thread_id_y;
  int _3803 = _3802 + -1;
  int _3804 = _3803 >> 1;
  int _3805 = _3804 + 1;
  int _3806 = min(_3799, _3805);
  int _3807 = _3800 + _y__16_min_0;
  int _3808 = max(_3806, 0);
  int _3809 = _x_extent_0 - _thread_id_x;
  int _3810 = _3809 + -1;
  int _3811 = _3810 >> 3;
  int _3812 = min(_3811, 3);
  int _3813 = _thread_id_y - _3807;
  int _3814 = _thread_id_x + _t3688;
  for (int _matmul_2_intm__1_s1_j_j_u0_o = 0; _matmul_2_intm__1_s1_j_j_u0_o < 0 + _3808; _matmul_2_intm__1_s1_j_j_u0_o++)
  {
   int _3815 = _matmul_2_intm__1_s1_j_j_u0_o * 2;
   int _3816 = _3815 + _3807;
   int _3817 = _3816 + _3813;
   int _3818 = _3812 + 1;
   for (int _matmul_2_intm__1_s1_matmul_t_o = 0; _matmul_2_intm__1_s1_matmul_t_o < 0 + _3818; _matmul_2_intm__1_s1_matmul_t_o++)
   {
    int _3819 = _3817 * 8;
    int _3820 = _3819 + _3814;
    float _3821 = ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3820];
    int _3822 = _matmul_2_intm__1_s1_matmul_t_o * 8;
    int _3823 = _3817 * 32;
    int _3824 = _3823 + _thread_id_x;
    int _3825 = _3822 + _3824;
    float _3826 = ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3825];
    float _3827 = _3821 + _3826;
    ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3820] = _3827;
   } // for _matmul_2_intm__1_s1_matmul_t_o
  } // for _matmul_2_intm__1_s1_j_j_u0_o
 } // if _3796
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3828 = 0;
 halide_maybe_unused(_3828);
 // produce matmul$2
 // consume matmul_2_intm$1
 bool _3829 = _thread_id_y < 1;
 bool _3830 = _thread_id_x < 2;
 bool _3831 = _3829 && _3830;
 if (_3831)
 {
  int _3832 = _3714 + 1;
  int _3833 = _3832 >> 1;
  int _3834 = _3833 - _3705;
  int _3835 = _3705 * 2;
  int _3836 = _3714 - _3835;
  int _3837 = _3836 - _thread_id_x;
  int _3838 = _3837 + -1;
  int _3839 = _3838 >> 1;
  int _3840 = _3839 + 1;
  int _3841 = min(_3834, _3840);
  int _3842 = _3835 + _y__16_min_0;
  int _3843 = max(_3841, 0);
  int _3844 = _thread_id_x - _3842;
  for (int _matmul__2_s0_j_j_o = 0; _matmul__2_s0_j_j_o < 0 + _3843; _matmul__2_s0_j_j_o++)
  {
   int _3845 = _matmul__2_s0_j_j_o * 2;
   int _3846 = _3845 + _3842;
   float _3847 = float_from_bits(0 /* 0 */);
   int _3848 = _3846 + _3844;
   ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3848] = _3847;
  } // for _matmul__2_s0_j_j_o
 } // if _3831
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3849 = 0;
 halide_maybe_unused(_3849);
 bool _3850 = _thread_id_y < 1;
 bool _3851 = _thread_id_x < 2;
 bool _3852 = _3850 && _3851;
 if (_3852)
 {
  int _3853 = _3714 + 1;
  int _3854 = _3853 >> 1;
  int _3855 = _3854 - _3705;
  int _3856 = _3705 * 2;
  int _3857 = _3714 - _3856;
  int _3858 = _3857 - _thread_id_x;
  int _3859 = _3858 + -1;
  int _3860 = _3859 >> 1;
  int _3861 = _3860 + 1;
  int _3862 = min(_3855, _3861);
  int _3863 = _3856 + _y__16_min_0;
  int _3864 = max(_3862, 0);
  int _3865 = _thread_id_x - _3863;
  for (int _matmul__2_s1_j_j_u0_o = 0; _matmul__2_s1_j_j_u0_o < 0 + _3864; _matmul__2_s1_j_j_u0_o++)
  {
   int _3866 = _matmul__2_s1_j_j_u0_o * 2;
   int _3867 = _3866 + _3863;
   int _3868 = _3867 + _3865;
   for (int _matmul__2_s1_matmul_t_i = 0; _matmul__2_s1_matmul_t_i < 0 + _t3779; _matmul__2_s1_matmul_t_i++)
   {
    float _3869 = ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3868];
    int _3870 = _3868 * 8;
    int _3871 = _3870 + _t3688;
    int _3872 = _3871 + _matmul__2_s1_matmul_t_i;
    float _3873 = ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3872];
    float _3874 = _3869 + _3873;
    ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_3868] = _3874;
   } // for _matmul__2_s1_matmul_t_i
  } // for _matmul__2_s1_j_j_u0_o
 } // if _3852
 barrier(0 | CLK_LOCAL_MEM_FENCE);
 int _3875 = 0;
 halide_maybe_unused(_3875);
 int _3876 = _3705 * 2;
 int _3877 = _3876 + _y__16_min_0;
 int _3878 = _3877 + _thread_id_x;
 int _3879 = _3878 + 1;
 int _3880 = _y__16_extent_0 + _y__16_min_0;
 bool _3881 = _3879 <= _3880;
 bool _3882 = _thread_id_x < 2;
 bool _3883 = _3881 && _3882;
 bool _3884 = _thread_id_y < 1;
 bool _3885 = _3883 && _3884;
 if (_3885)
 {
  // consume matmul$2
  float _3886 = ((__local float *)_allocgroup__matmul__2_intm_0_matmul__2_2__matmul_2_intm__1_1)[_thread_id_x];
  int _3887 = _3705 * 2;
  int _3888 = _3887 + _t3781;
  int _3889 = _3888 + _thread_id_x;
  float _3890 = _b[_3889];
  float _3891 = _3886 + _3890;
  float _3892 = float_from_bits(1092616192 /* 10 */);
  float _3893 = min(_3891, _3892);
  float _3894 = float_from_bits(3240099840 /* -10 */);
  float _3895 = max(_3893, _3894);
  float _3896 = _3895 * _3895;
  float _3897 = float_from_bits(3180470905 /* -0.0713548 */);
  float _3898 = _3896 * _3897;
  float _3899 = float_from_bits(3217834538 /* -1.59577 */);
  float _3900 = _3898 + _3899;
  float _3901 = _3900 * _3895;
  float _3902 = exp(_3901);
  float _3903 = float_from_bits(1065353216 /* 1 */);
  float _3904 = _3902 + _3903;
  float _3905 = _3891 / _3904;
  int _3906 = _y__16_min_1 + _3711;
  int _3907 = _3906 * _y__16_stride_1;
  int _3908 = _3907 + _t3782;
  int _3909 = _3887 + _3908;
  int _3910 = _3909 + _thread_id_x;
  _y__16[_3910] = _3905;
 } // if _3885
} // kernel _kernel_y__16_s0_j_j_o_gpu_blocks1_block_id_x
#undef __address_space__y__16
#undef __address_space__x
#undef __address_space__w
#undef __address_space__b

