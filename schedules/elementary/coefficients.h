// Made by coefficients.py; change that.
// clang-format off
#pragma once

namespace eutectic::coefficients {

/// (e^r - 1 - r) / r^2, at most 2.5E-8 off for -0.5 to 0.5.
inline constexpr float exp_rest[] = {
    0x1.p-1f,  // 0.5
    0x1.555556p-3f,  // 0.166666672
    0x1.55538p-5f,  // 0.0416657925
    0x1.11104p-7f,  // 0.00833323598
    0x1.6e88dcp-10f,  // 0.00139821856
    0x1.a2463ap-13f,  // 0.000199448739
};

/// (e^r - 1 - r) / r^2, at most 6.7E-18 off for -0.5 to 0.5.
inline constexpr double exp_rest_double[] = {
    0x1.p-1,  // 0.5
    0x1.5555555555555p-3,  // 0.16666666666666666
    0x1.555555555558ep-5,  // 0.04166666666666706
    0x1.111111111112p-7,  // 0.0083333333333333592
    0x1.6c16c16c02003p-10,  // 0.0013888888888704549
    0x1.a01a01a00ef0fp-13,  // 0.00019841269841146993
    0x1.a01a01f8a44eap-16,  // 2.4801587616145414e-05
    0x1.71de3a84a10c3p-19,  // 2.7557319433620241e-06
    0x1.27e450c2e35f7p-22,  // 2.7557076636642725e-07
    0x1.ae63a07779c78p-26,  // 2.5051946709721622e-08
    0x1.201cd8001288bp-29,  // 2.0962955815976076e-09
    0x1.6267cf434f12cp-33,  // 1.6116496514371548e-10
};

/// (2^r - 1) / r, at most 1.5E-8 off for -0.51 to 0.51.
inline constexpr float exp2_rest[] = {
    0x1.62e43p-1f,  // 0.693147182
    0x1.ebfbep-3f,  // 0.240226507
    0x1.c6af56p-5f,  // 0.0555035286
    0x1.3b2a4ap-7f,  // 0.00961807836
    0x1.5f1822p-10f,  // 0.00133931835
    0x1.441e52p-13f,  // 0.000154551715
};

/// (log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2, at most 2.0E-7 off for 0 to 0.02947.
inline constexpr float log_rest[] = {
    0x1.55555cp-1f,  // 0.666666865
    0x1.997c22p-2f,  // 0.399887592
    0x1.2ee8c8p-2f,  // 0.295809865
};

/// (log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2, at most 2.0E-8 off for 0 to 0.01022.
inline constexpr float log_rest_halved[] = {
    0x1.555556p-1f,  // 0.666666687
    0x1.999624p-2f,  // 0.399986804
    0x1.281762p-2f,  // 0.289151698
};

/// (log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2, at most 3.2E-16 off for 0 to 0.02947.
inline constexpr double log_rest_double[] = {
    0x1.5555555555558p-1,  // 0.66666666666666696
    0x1.9999999995273p-2,  // 0.39999999999898889
    0x1.2492492dfd86cp-2,  // 0.28571428626253836
    0x1.c71c62d5e53ep-3,  // 0.22222211089379496
    0x1.7462b91b8df65p-3,  // 0.18182892432536871
    0x1.39fdcceb4bb45p-3,  // 0.15331611722055008
    0x1.2b5f68a50d903p-3,  // 0.14617807153417325
};

/// (sin(r) - r) / r^3 of r^2, at most 5.0E-9 off for 0 to 0.6175.
inline constexpr float sin_rest[] = {
    -0x1.555556p-3f,  // -0.166666672
    0x1.11110ep-7f,  // 0.00833333191
    -0x1.a013a4p-13f,  // -0.000198400841
    0x1.6dbcfcp-19f,  // 2.72496209e-06
};

/// (cos(r) - 1 + r^2 / 2) / r^4 of r^2, at most 1.2E-9 off for 0 to 0.6175.
inline constexpr float cos_rest[] = {
    0x1.555556p-5f,  // 0.0416666679
    -0x1.6c16cp-10f,  // -0.00138888881
    0x1.a015c2p-16f,  // 2.48005981e-05
    -0x1.25239ap-22f,  // -2.73007032e-07
};

/// erf(x) / x - 1 of x^2, at most 5.4E-9 off for 0 to 1.
inline constexpr float erf_rest[] = {
    0x1.06eba8p-3f,  // 0.128379166
    -0x1.81273ep-2f,  // -0.37612626
    0x1.ce2d1p-4f,  // 0.112835944
    -0x1.b7fabap-6f,  // -0.0268542115
    0x1.54127p-8f,  // 0.00518908724
    -0x1.a45088p-11f,  // -0.00080168643
    0x1.4a569p-14f,  // 7.87587487e-05
};

/// log(1 - erf(x)), at most 4.5E-8 off for 1 to 4.
inline constexpr float log_erfc[] = {
    0x1.b48d86p-12f,  // 0.000416329218
    -0x1.2173eep+0f,  // -1.1306752
    -0x1.430c46p-1f,  // -0.630953014
    -0x1.c6e1ap-4f,  // -0.111055017
    0x1.bbffa4p-6f,  // 0.0270995237
    -0x1.4befb6p-8f,  // -0.00506494706
    0x1.67937p-11f,  // 0.000685836654
    -0x1.054c58p-14f,  // -6.22983498e-05
    0x1.bdd436p-19f,  // 3.32168452e-06
    -0x1.45ac78p-24f,  // -7.58268186e-08
};

/// log(2): what 42 bits hold of it, and the rest.
inline constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;

/// log(2): what 16 bits hold of it, and the rest.
inline constexpr double ln2_single_high = 0x1.62e4p-1, ln2_single_low = 0x1.7f7d1cf79abcap-20;

/// log2(e): what 12 bits hold of it, and the rest.
inline constexpr double log2_e_high = 0x1.714p+0, log2_e_low = 0x1.47652b82fe177p-12;

/// log2(3 / 2): what 12 bits hold of it, and the rest.
inline constexpr double log2_three_halves_high = 0x1.2b8p-1, log2_three_halves_low = 0x1.a39fbd6879fap-20;

/// 2 / pi, in pieces of 29 bits, their sum within 2^-203.
inline constexpr double quarter_turns[] = {
    0x1.45f306dp-1,
    0x1.9391054p-30,
    0x1.4fe13abp-59,
    0x1.d1f534dp-88,
    0x1.b81b6c5p-117,
    0x1.5993c4p-148,
    0x1.c821014p-175,
};

}  // namespace eutectic::coefficients
