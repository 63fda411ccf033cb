/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_y__4_s0_i_i_o_block_id_x
#define __address_space__x __global
#define __address_space__y__4 __global
__kernel void _kernel_y__4_s0_i_i_o_block_id_x(
 __address_space__x const float *restrict _x,
 __address_space__y__4 float *restrict _y__4,
 const int _t212,
 const int _t213,
 const int _t214,
 const int _y__4_min_0,
 __local int16* __shared)
{
 int _y__4_s0_i_i_o_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 bool _580 = _y__4_s0_i_i_o_block_id_x < _t212;
 if (_580)
 {
  int _581 = _y__4_s0_i_i_o_block_id_x * 128;
  int _582 = _581 + _t213;
  int _583 = _582 + _thread_id_x;
  float _584 = _x[_583];
  float _585 = float_from_bits(1067450368 /* 1.25 */);
  float _586 = _584 * _585;
  float _587 = float_from_bits(3200253952 /* -0.375 */);
  float _588 = _586 + _587;
  float _589 = fabs(_588);
  float _590 = float_from_bits(1073741824 /* 2 */);
  float _591 = min(_589, _590);
  float _592 = _591 * _591;
  float _593 = float_from_bits(1040187392 /* 0.125 */);
  float _594 = max(_592, _593);
  float _595 = _594 * _585;
  float _596 = _595 + _587;
  float _597 = fabs(_596);
  float _598 = min(_597, _590);
  float _599 = _598 * _598;
  float _600 = max(_599, _593);
  int _601 = _581 + _thread_id_x;
  _y__4[_601] = _600;
  int _602 = _y__4_s0_i_i_o_block_id_x * 128;
  int _603 = _602 + _t213;
  int _604 = _603 + _thread_id_x;
  int _605 = _604 + 32;
  float _606 = _x[_605];
  float _607 = float_from_bits(1067450368 /* 1.25 */);
  float _608 = _606 * _607;
  float _609 = float_from_bits(3200253952 /* -0.375 */);
  float _610 = _608 + _609;
  float _611 = fabs(_610);
  float _612 = float_from_bits(1073741824 /* 2 */);
  float _613 = min(_611, _612);
  float _614 = _613 * _613;
  float _615 = float_from_bits(1040187392 /* 0.125 */);
  float _616 = max(_614, _615);
  float _617 = _616 * _607;
  float _618 = _617 + _609;
  float _619 = fabs(_618);
  float _620 = min(_619, _612);
  float _621 = _620 * _620;
  float _622 = max(_621, _615);
  int _623 = _602 + _thread_id_x;
  int _624 = _623 + 32;
  _y__4[_624] = _622;
  int _625 = _y__4_s0_i_i_o_block_id_x * 128;
  int _626 = _625 + _t213;
  int _627 = _626 + _thread_id_x;
  int _628 = _627 + 64;
  float _629 = _x[_628];
  float _630 = float_from_bits(1067450368 /* 1.25 */);
  float _631 = _629 * _630;
  float _632 = float_from_bits(3200253952 /* -0.375 */);
  float _633 = _631 + _632;
  float _634 = fabs(_633);
  float _635 = float_from_bits(1073741824 /* 2 */);
  float _636 = min(_634, _635);
  float _637 = _636 * _636;
  float _638 = float_from_bits(1040187392 /* 0.125 */);
  float _639 = max(_637, _638);
  float _640 = _639 * _630;
  float _641 = _640 + _632;
  float _642 = fabs(_641);
  float _643 = min(_642, _635);
  float _644 = _643 * _643;
  float _645 = max(_644, _638);
  int _646 = _625 + _thread_id_x;
  int _647 = _646 + 64;
  _y__4[_647] = _645;
  int _648 = _y__4_s0_i_i_o_block_id_x * 128;
  int _649 = _648 + _t213;
  int _650 = _649 + _thread_id_x;
  int _651 = _650 + 96;
  float _652 = _x[_651];
  float _653 = float_from_bits(1067450368 /* 1.25 */);
  float _654 = _652 * _653;
  float _655 = float_from_bits(3200253952 /* -0.375 */);
  float _656 = _654 + _655;
  float _657 = fabs(_656);
  float _658 = float_from_bits(1073741824 /* 2 */);
  float _659 = min(_657, _658);
  float _660 = _659 * _659;
  float _661 = float_from_bits(1040187392 /* 0.125 */);
  float _662 = max(_660, _661);
  float _663 = _662 * _653;
  float _664 = _663 + _655;
  float _665 = fabs(_664);
  float _666 = min(_665, _658);
  float _667 = _666 * _666;
  float _668 = max(_667, _661);
  int _669 = _648 + _thread_id_x;
  int _670 = _669 + 96;
  _y__4[_670] = _668;
 } // if _580
 else
 {
  int _671 = _y__4_s0_i_i_o_block_id_x * 128;
  int _672 = _671 + _y__4_min_0;
  int _673 = _672 + _thread_id_x;
  int _674 = _673 + 1;
  bool _675 = _674 <= _t214;
  if (_675)
  {
   int _676 = _y__4_s0_i_i_o_block_id_x * 128;
   int _677 = _676 + _t213;
   int _678 = _677 + _thread_id_x;
   float _679 = _x[_678];
   float _680 = float_from_bits(1067450368 /* 1.25 */);
   float _681 = _679 * _680;
   float _682 = float_from_bits(3200253952 /* -0.375 */);
   float _683 = _681 + _682;
   float _684 = fabs(_683);
   float _685 = float_from_bits(1073741824 /* 2 */);
   float _686 = min(_684, _685);
   float _687 = _686 * _686;
   float _688 = float_from_bits(1040187392 /* 0.125 */);
   float _689 = max(_687, _688);
   float _690 = _689 * _680;
   float _691 = _690 + _682;
   float _692 = fabs(_691);
   float _693 = min(_692, _685);
   float _694 = _693 * _693;
   float _695 = max(_694, _688);
   int _696 = _676 + _thread_id_x;
   _y__4[_696] = _695;
   int _697 = _y__4_s0_i_i_o_block_id_x * 128;
   int _698 = _697 + _y__4_min_0;
   int _699 = _698 + _thread_id_x;
   int _700 = _699 + 33;
   bool _701 = _700 <= _t214;
   if (_701)
   {
    int _702 = _y__4_s0_i_i_o_block_id_x * 128;
    int _703 = _702 + _t213;
    int _704 = _703 + _thread_id_x;
    int _705 = _704 + 32;
    float _706 = _x[_705];
    float _707 = float_from_bits(1067450368 /* 1.25 */);
    float _708 = _706 * _707;
    float _709 = float_from_bits(3200253952 /* -0.375 */);
    float _710 = _708 + _709;
    float _711 = fabs(_710);
    float _712 = float_from_bits(1073741824 /* 2 */);
    float _713 = min(_711, _712);
    float _714 = _713 * _713;
    float _715 = float_from_bits(1040187392 /* 0.125 */);
    float _716 = max(_714, _715);
    float _717 = _716 * _707;
    float _718 = _717 + _709;
    float _719 = fabs(_718);
    float _720 = min(_719, _712);
    float _721 = _720 * _720;
    float _722 = max(_721, _715);
    int _723 = _702 + _thread_id_x;
    int _724 = _723 + 32;
    _y__4[_724] = _722;
    int _725 = _y__4_s0_i_i_o_block_id_x * 128;
    int _726 = _725 + _y__4_min_0;
    int _727 = _726 + _thread_id_x;
    int _728 = _727 + 65;
    bool _729 = _728 <= _t214;
    if (_729)
    {
     int _730 = _y__4_s0_i_i_o_block_id_x * 128;
     int _731 = _730 + _t213;
     int _732 = _731 + _thread_id_x;
     int _733 = _732 + 64;
     float _734 = _x[_733];
     float _735 = float_from_bits(1067450368 /* 1.25 */);
     float _736 = _734 * _735;
     float _737 = float_from_bits(3200253952 /* -0.375 */);
     float _738 = _736 + _737;
     float _739 = fabs(_738);
     float _740 = float_from_bits(1073741824 /* 2 */);
     float _741 = min(_739, _740);
     float _742 = _741 * _741;
     float _743 = float_from_bits(1040187392 /* 0.125 */);
     float _744 = max(_742, _743);
     float _745 = _744 * _735;
     float _746 = _745 + _737;
     float _747 = fabs(_746);
     float _748 = min(_747, _740);
     float _749 = _748 * _748;
     float _750 = max(_749, _743);
     int _751 = _730 + _thread_id_x;
     int _752 = _751 + 64;
     _y__4[_752] = _750;
     int _753 = _y__4_s0_i_i_o_block_id_x * 128;
     int _754 = _753 + _y__4_min_0;
     int _755 = _754 + _thread_id_x;
     int _756 = _755 + 97;
     bool _757 = _756 <= _t214;
     if (_757)
     {
      int _758 = _y__4_s0_i_i_o_block_id_x * 128;
      int _759 = _758 + _t213;
      int _760 = _759 + _thread_id_x;
      int _761 = _760 + 96;
      float _762 = _x[_761];
      float _763 = float_from_bits(1067450368 /* 1.25 */);
      float _764 = _762 * _763;
      float _765 = float_from_bits(3200253952 /* -0.375 */);
      float _766 = _764 + _765;
      float _767 = fabs(_766);
      float _768 = float_from_bits(1073741824 /* 2 */);
      float _769 = min(_767, _768);
      float _770 = _769 * _769;
      float _771 = float_from_bits(1040187392 /* 0.125 */);
      float _772 = max(_770, _771);
      float _773 = _772 * _763;
      float _774 = _773 + _765;
      float _775 = fabs(_774);
      float _776 = min(_775, _768);
      float _777 = _776 * _776;
      float _778 = max(_777, _771);
      int _779 = _758 + _thread_id_x;
      int _780 = _779 + 96;
      _y__4[_780] = _778;
     } // if _757
    } // if _729
   } // if _701
  } // if _675
 } // if _580 else
} // kernel _kernel_y__4_s0_i_i_o_block_id_x
#undef __address_space__x
#undef __address_space__y__4

