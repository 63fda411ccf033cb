/*OpenCL C arch_unknown-64-os_unknown-tune_znver4-avx-avx2-avx512-avx512_cannonlake-avx512_skylake-avx512_zen4-f16c-fma-jit-opencl-sse41*/
#pragma OPENCL FP_CONTRACT ON
inline float float_from_bits(unsigned int x) {return as_float(x);}
inline float nan_f32() { return NAN; }
inline float neg_inf_f32() { return -INFINITY; }
inline float inf_f32() { return INFINITY; }
#define halide_maybe_unused(x)

__kernel void _at_least_one_kernel(int x) { }
// Address spaces for _kernel_out_s0_j_j_o_block_id_x
#define __address_space__v __global
#define __address_space__p __global
#define __address_space__out_2 __global
#define __address_space__out_1 __global
#define __address_space__out_0 __global
#define __address_space__m __global
#define __address_space__g __global
__kernel void _kernel_out_s0_j_j_o_block_id_x(
 __address_space__v const float *restrict _v,
 __address_space__p const float *restrict _p,
 __address_space__out_2 float *restrict _out_2,
 __address_space__out_1 float *restrict _out_1,
 __address_space__out_0 float *restrict _out_0,
 __address_space__m const float *restrict _m,
 __address_space__g const float *restrict _g,
 const int _t406,
 const int _t409,
 const float _t408,
 const float _beta1,
 const float _t405,
 const int _t403,
 const int _t402,
 const int _t401,
 const int _t400,
 const int _out_0_min_0,
 const float _lr,
 const float _epsilon,
 const float _beta2,
 __local int16* __shared)
{
 int _out_s0_j_j_o_block_id_x = get_group_id(0);
 int _thread_id_x = get_local_id(0);
 bool _982 = _out_s0_j_j_o_block_id_x < _t400;
 if (_982)
 {
  int _983 = _out_s0_j_j_o_block_id_x * 128;
  int _984 = _983 + _t401;
  int _985 = _984 + _thread_id_x;
  float _986 = _g[_985];
  int _987 = _983 + _t402;
  int _988 = _987 + _thread_id_x;
  float _989 = _p[_988];
  int _990 = _983 + _t403;
  int _991 = _990 + _thread_id_x;
  float _992 = _m[_991];
  float _993 = _992 * _beta1;
  float _994 = float_from_bits(1065353216 /* 1 */);
  float _995 = _994 - _beta1;
  float _996 = _995 * _986;
  float _997 = _993 + _996;
  float _998 = _997 / _t405;
  float _999 = _998 * _lr;
  int _1000 = _983 + _t406;
  int _1001 = _1000 + _thread_id_x;
  float _1002 = _v[_1001];
  float _1003 = _1002 * _beta2;
  float _1004 = _986 * _986;
  float _1005 = _994 - _beta2;
  float _1006 = _1004 * _1005;
  float _1007 = _1003 + _1006;
  float _1008 = _1007 / _t408;
  float _1009 = sqrt(_1008);
  float _1010 = _1009 + _epsilon;
  float _1011 = _999 / _1010;
  float _1012 = _989 - _1011;
  int _1013 = _983 + _thread_id_x;
  _out_0[_1013] = _1012;
  int _1014 = _out_s0_j_j_o_block_id_x * 128;
  int _1015 = _1014 + _t403;
  int _1016 = _1015 + _thread_id_x;
  float _1017 = _m[_1016];
  float _1018 = _1017 * _beta1;
  int _1019 = _1014 + _t401;
  int _1020 = _1019 + _thread_id_x;
  float _1021 = _g[_1020];
  float _1022 = float_from_bits(1065353216 /* 1 */);
  float _1023 = _1022 - _beta1;
  float _1024 = _1021 * _1023;
  float _1025 = _1018 + _1024;
  int _1026 = _1014 + _thread_id_x;
  _out_1[_1026] = _1025;
  int _1027 = _out_s0_j_j_o_block_id_x * 128;
  int _1028 = _1027 + _t401;
  int _1029 = _1028 + _thread_id_x;
  float _1030 = _g[_1029];
  int _1031 = _1027 + _t406;
  int _1032 = _1031 + _thread_id_x;
  float _1033 = _v[_1032];
  float _1034 = _1033 * _beta2;
  float _1035 = _1030 * _1030;
  float _1036 = float_from_bits(1065353216 /* 1 */);
  float _1037 = _1036 - _beta2;
  float _1038 = _1035 * _1037;
  float _1039 = _1034 + _1038;
  int _1040 = _1027 + _thread_id_x;
  _out_2[_1040] = _1039;
  int _1041 = _out_s0_j_j_o_block_id_x * 128;
  int _1042 = _1041 + _t401;
  int _1043 = _1042 + _thread_id_x;
  int _1044 = _1043 + 32;
  float _1045 = _g[_1044];
  int _1046 = _1041 + _t402;
  int _1047 = _1046 + _thread_id_x;
  int _1048 = _1047 + 32;
  float _1049 = _p[_1048];
  int _1050 = _1041 + _t403;
  int _1051 = _1050 + _thread_id_x;
  int _1052 = _1051 + 32;
  float _1053 = _m[_1052];
  float _1054 = _1053 * _beta1;
  float _1055 = float_from_bits(1065353216 /* 1 */);
  float _1056 = _1055 - _beta1;
  float _1057 = _1056 * _1045;
  float _1058 = _1054 + _1057;
  float _1059 = _1058 / _t405;
  float _1060 = _1059 * _lr;
  int _1061 = _1041 + _t406;
  int _1062 = _1061 + _thread_id_x;
  int _1063 = _1062 + 32;
  float _1064 = _v[_1063];
  float _1065 = _1064 * _beta2;
  float _1066 = _1045 * _1045;
  float _1067 = _1055 - _beta2;
  float _1068 = _1066 * _1067;
  float _1069 = _1065 + _1068;
  float _1070 = _1069 / _t408;
  float _1071 = sqrt(_1070);
  float _1072 = _1071 + _epsilon;
  float _1073 = _1060 / _1072;
  float _1074 = _1049 - _1073;
  int _1075 = _1041 + _thread_id_x;
  int _1076 = _1075 + 32;
  _out_0[_1076] = _1074;
  int _1077 = _out_s0_j_j_o_block_id_x * 128;
  int _1078 = _1077 + _t403;
  int _1079 = _1078 + _thread_id_x;
  int _1080 = _1079 + 32;
  float _1081 = _m[_1080];
  float _1082 = _1081 * _beta1;
  int _1083 = _1077 + _t401;
  int _1084 = _1083 + _thread_id_x;
  int _1085 = _1084 + 32;
  float _1086 = _g[_1085];
  float _1087 = float_from_bits(1065353216 /* 1 */);
  float _1088 = _1087 - _beta1;
  float _1089 = _1086 * _1088;
  float _1090 = _1082 + _1089;
  int _1091 = _1077 + _thread_id_x;
  int _1092 = _1091 + 32;
  _out_1[_1092] = _1090;
  int _1093 = _out_s0_j_j_o_block_id_x * 128;
  int _1094 = _1093 + _t401;
  int _1095 = _1094 + _thread_id_x;
  int _1096 = _1095 + 32;
  float _1097 = _g[_1096];
  int _1098 = _1093 + _t406;
  int _1099 = _1098 + _thread_id_x;
  int _1100 = _1099 + 32;
  float _1101 = _v[_1100];
  float _1102 = _1101 * _beta2;
  float _1103 = _1097 * _1097;
  float _1104 = float_from_bits(1065353216 /* 1 */);
  float _1105 = _1104 - _beta2;
  float _1106 = _1103 * _1105;
  float _1107 = _1102 + _1106;
  int _1108 = _1093 + _thread_id_x;
  int _1109 = _1108 + 32;
  _out_2[_1109] = _1107;
  int _1110 = _out_s0_j_j_o_block_id_x * 128;
  int _1111 = _1110 + _t401;
  int _1112 = _1111 + _thread_id_x;
  int _1113 = _1112 + 64;
  float _1114 = _g[_1113];
  int _1115 = _1110 + _t402;
  int _1116 = _1115 + _thread_id_x;
  int _1117 = _1116 + 64;
  float _1118 = _p[_1117];
  int _1119 = _1110 + _t403;
  int _1120 = _1119 + _thread_id_x;
  int _1121 = _1120 + 64;
  float _1122 = _m[_1121];
  float _1123 = _1122 * _beta1;
  float _1124 = float_from_bits(1065353216 /* 1 */);
  float _1125 = _1124 - _beta1;
  float _1126 = _1125 * _1114;
  float _1127 = _1123 + _1126;
  float _1128 = _1127 / _t405;
  float _1129 = _1128 * _lr;
  int _1130 = _1110 + _t406;
  int _1131 = _1130 + _thread_id_x;
  int _1132 = _1131 + 64;
  float _1133 = _v[_1132];
  float _1134 = _1133 * _beta2;
  float _1135 = _1114 * _1114;
  float _1136 = _1124 - _beta2;
  float _1137 = _1135 * _1136;
  float _1138 = _1134 + _1137;
  float _1139 = _1138 / _t408;
  float _1140 = sqrt(_1139);
  float _1141 = _1140 + _epsilon;
  float _1142 = _1129 / _1141;
  float _1143 = _1118 - _1142;
  int _1144 = _1110 + _thread_id_x;
  int _1145 = _1144 + 64;
  _out_0[_1145] = _1143;
  int _1146 = _out_s0_j_j_o_block_id_x * 128;
  int _1147 = _1146 + _t403;
  int _1148 = _1147 + _thread_id_x;
  int _1149 = _1148 + 64;
  float _1150 = _m[_1149];
  float _1151 = _1150 * _beta1;
  int _1152 = _1146 + _t401;
  int _1153 = _1152 + _thread_id_x;
  int _1154 = _1153 + 64;
  float _1155 = _g[_1154];
  float _1156 = float_from_bits(1065353216 /* 1 */);
  float _1157 = _1156 - _beta1;
  float _1158 = _1155 * _1157;
  float _1159 = _1151 + _1158;
  int _1160 = _1146 + _thread_id_x;
  int _1161 = _1160 + 64;
  _out_1[_1161] = _1159;
  int _1162 = _out_s0_j_j_o_block_id_x * 128;
  int _1163 = _1162 + _t401;
  int _1164 = _1163 + _thread_id_x;
  int _1165 = _1164 + 64;
  float _1166 = _g[_1165];
  int _1167 = _1162 + _t406;
  int _1168 = _1167 + _thread_id_x;
  int _1169 = _1168 + 64;
  float _1170 = _v[_1169];
  float _1171 = _1170 * _beta2;
  float _1172 = _1166 * _1166;
  float _1173 = float_from_bits(1065353216 /* 1 */);
  float _1174 = _1173 - _beta2;
  float _1175 = _1172 * _1174;
  float _1176 = _1171 + _1175;
  int _1177 = _1162 + _thread_id_x;
  int _1178 = _1177 + 64;
  _out_2[_1178] = _1176;
  int _1179 = _out_s0_j_j_o_block_id_x * 128;
  int _1180 = _1179 + _t401;
  int _1181 = _1180 + _thread_id_x;
  int _1182 = _1181 + 96;
  float _1183 = _g[_1182];
  int _1184 = _1179 + _t402;
  int _1185 = _1184 + _thread_id_x;
  int _1186 = _1185 + 96;
  float _1187 = _p[_1186];
  int _1188 = _1179 + _t403;
  int _1189 = _1188 + _thread_id_x;
  int _1190 = _1189 + 96;
  float _1191 = _m[_1190];
  float _1192 = _1191 * _beta1;
  float _1193 = float_from_bits(1065353216 /* 1 */);
  float _1194 = _1193 - _beta1;
  float _1195 = _1194 * _1183;
  float _1196 = _1192 + _1195;
  float _1197 = _1196 / _t405;
  float _1198 = _1197 * _lr;
  int _1199 = _1179 + _t406;
  int _1200 = _1199 + _thread_id_x;
  int _1201 = _1200 + 96;
  float _1202 = _v[_1201];
  float _1203 = _1202 * _beta2;
  float _1204 = _1183 * _1183;
  float _1205 = _1193 - _beta2;
  float _1206 = _1204 * _1205;
  float _1207 = _1203 + _1206;
  float _1208 = _1207 / _t408;
  float _1209 = sqrt(_1208);
  float _1210 = _1209 + _epsilon;
  float _1211 = _1198 / _1210;
  float _1212 = _1187 - _1211;
  int _1213 = _1179 + _thread_id_x;
  int _1214 = _1213 + 96;
  _out_0[_1214] = _1212;
  int _1215 = _out_s0_j_j_o_block_id_x * 128;
  int _1216 = _1215 + _t403;
  int _1217 = _1216 + _thread_id_x;
  int _1218 = _1217 + 96;
  float _1219 = _m[_1218];
  float _1220 = _1219 * _beta1;
  int _1221 = _1215 + _t401;
  int _1222 = _1221 + _thread_id_x;
  int _1223 = _1222 + 96;
  float _1224 = _g[_1223];
  float _1225 = float_from_bits(1065353216 /* 1 */);
  float _1226 = _1225 - _beta1;
  float _1227 = _1224 * _1226;
  float _1228 = _1220 + _1227;
  int _1229 = _1215 + _thread_id_x;
  int _1230 = _1229 + 96;
  _out_1[_1230] = _1228;
  int _1231 = _out_s0_j_j_o_block_id_x * 128;
  int _1232 = _1231 + _t401;
  int _1233 = _1232 + _thread_id_x;
  int _1234 = _1233 + 96;
  float _1235 = _g[_1234];
  int _1236 = _1231 + _t406;
  int _1237 = _1236 + _thread_id_x;
  int _1238 = _1237 + 96;
  float _1239 = _v[_1238];
  float _1240 = _1239 * _beta2;
  float _1241 = _1235 * _1235;
  float _1242 = float_from_bits(1065353216 /* 1 */);
  float _1243 = _1242 - _beta2;
  float _1244 = _1241 * _1243;
  float _1245 = _1240 + _1244;
  int _1246 = _1231 + _thread_id_x;
  int _1247 = _1246 + 96;
  _out_2[_1247] = _1245;
 } // if _982
 else
 {
  int _1248 = _out_s0_j_j_o_block_id_x * 128;
  int _1249 = _1248 + _out_0_min_0;
  int _1250 = _1249 + _thread_id_x;
  int _1251 = _1250 + 1;
  bool _1252 = _1251 <= _t409;
  if (_1252)
  {
   int _1253 = _out_s0_j_j_o_block_id_x * 128;
   int _1254 = _1253 + _t401;
   int _1255 = _1254 + _thread_id_x;
   float _1256 = _g[_1255];
   int _1257 = _1253 + _t402;
   int _1258 = _1257 + _thread_id_x;
   float _1259 = _p[_1258];
   int _1260 = _1253 + _t403;
   int _1261 = _1260 + _thread_id_x;
   float _1262 = _m[_1261];
   float _1263 = _1262 * _beta1;
   float _1264 = float_from_bits(1065353216 /* 1 */);
   float _1265 = _1264 - _beta1;
   float _1266 = _1265 * _1256;
   float _1267 = _1263 + _1266;
   float _1268 = _1267 / _t405;
   float _1269 = _1268 * _lr;
   int _1270 = _1253 + _t406;
   int _1271 = _1270 + _thread_id_x;
   float _1272 = _v[_1271];
   float _1273 = _1272 * _beta2;
   float _1274 = _1256 * _1256;
   float _1275 = _1264 - _beta2;
   float _1276 = _1274 * _1275;
   float _1277 = _1273 + _1276;
   float _1278 = _1277 / _t408;
   float _1279 = sqrt(_1278);
   float _1280 = _1279 + _epsilon;
   float _1281 = _1269 / _1280;
   float _1282 = _1259 - _1281;
   int _1283 = _1253 + _thread_id_x;
   _out_0[_1283] = _1282;
   int _1284 = _out_s0_j_j_o_block_id_x * 128;
   int _1285 = _1284 + _t403;
   int _1286 = _1285 + _thread_id_x;
   float _1287 = _m[_1286];
   float _1288 = _1287 * _beta1;
   int _1289 = _1284 + _t401;
   int _1290 = _1289 + _thread_id_x;
   float _1291 = _g[_1290];
   float _1292 = float_from_bits(1065353216 /* 1 */);
   float _1293 = _1292 - _beta1;
   float _1294 = _1291 * _1293;
   float _1295 = _1288 + _1294;
   int _1296 = _1284 + _thread_id_x;
   _out_1[_1296] = _1295;
   int _1297 = _out_s0_j_j_o_block_id_x * 128;
   int _1298 = _1297 + _t401;
   int _1299 = _1298 + _thread_id_x;
   float _1300 = _g[_1299];
   int _1301 = _1297 + _t406;
   int _1302 = _1301 + _thread_id_x;
   float _1303 = _v[_1302];
   float _1304 = _1303 * _beta2;
   float _1305 = _1300 * _1300;
   float _1306 = float_from_bits(1065353216 /* 1 */);
   float _1307 = _1306 - _beta2;
   float _1308 = _1305 * _1307;
   float _1309 = _1304 + _1308;
   int _1310 = _1297 + _thread_id_x;
   _out_2[_1310] = _1309;
   int _1311 = _out_s0_j_j_o_block_id_x * 128;
   int _1312 = _1311 + _out_0_min_0;
   int _1313 = _1312 + _thread_id_x;
   int _1314 = _1313 + 33;
   bool _1315 = _1314 <= _t409;
   if (_1315)
   {
    int _1316 = _out_s0_j_j_o_block_id_x * 128;
    int _1317 = _1316 + _t401;
    int _1318 = _1317 + _thread_id_x;
    int _1319 = _1318 + 32;
    float _1320 = _g[_1319];
    int _1321 = _1316 + _t402;
    int _1322 = _1321 + _thread_id_x;
    int _1323 = _1322 + 32;
    float _1324 = _p[_1323];
    int _1325 = _1316 + _t403;
    int _1326 = _1325 + _thread_id_x;
    int _1327 = _1326 + 32;
    float _1328 = _m[_1327];
    float _1329 = _1328 * _beta1;
    float _1330 = float_from_bits(1065353216 /* 1 */);
    float _1331 = _1330 - _beta1;
    float _1332 = _1331 * _1320;
    float _1333 = _1329 + _1332;
    float _1334 = _1333 / _t405;
    float _1335 = _1334 * _lr;
    int _1336 = _1316 + _t406;
    int _1337 = _1336 + _thread_id_x;
    int _1338 = _1337 + 32;
    float _1339 = _v[_1338];
    float _1340 = _1339 * _beta2;
    float _1341 = _1320 * _1320;
    float _1342 = _1330 - _beta2;
    float _1343 = _1341 * _1342;
    float _1344 = _1340 + _1343;
    float _1345 = _1344 / _t408;
    float _1346 = sqrt(_1345);
    float _1347 = _1346 + _epsilon;
    float _1348 = _1335 / _1347;
    float _1349 = _1324 - _1348;
    int _1350 = _1316 + _thread_id_x;
    int _1351 = _1350 + 32;
    _out_0[_1351] = _1349;
    int _1352 = _out_s0_j_j_o_block_id_x * 128;
    int _1353 = _1352 + _t403;
    int _1354 = _1353 + _thread_id_x;
    int _1355 = _1354 + 32;
    float _1356 = _m[_1355];
    float _1357 = _1356 * _beta1;
    int _1358 = _1352 + _t401;
    int _1359 = _1358 + _thread_id_x;
    int _1360 = _1359 + 32;
    float _1361 = _g[_1360];
    float _1362 = float_from_bits(1065353216 /* 1 */);
    float _1363 = _1362 - _beta1;
    float _1364 = _1361 * _1363;
    float _1365 = _1357 + _1364;
    int _1366 = _1352 + _thread_id_x;
    int _1367 = _1366 + 32;
    _out_1[_1367] = _1365;
    int _1368 = _out_s0_j_j_o_block_id_x * 128;
    int _1369 = _1368 + _t401;
    int _1370 = _1369 + _thread_id_x;
    int _1371 = _1370 + 32;
    float _1372 = _g[_1371];
    int _1373 = _1368 + _t406;
    int _1374 = _1373 + _thread_id_x;
    int _1375 = _1374 + 32;
    float _1376 = _v[_1375];
    float _1377 = _1376 * _beta2;
    float _1378 = _1372 * _1372;
    float _1379 = float_from_bits(1065353216 /* 1 */);
    float _1380 = _1379 - _beta2;
    float _1381 = _1378 * _1380;
    float _1382 = _1377 + _1381;
    int _1383 = _1368 + _thread_id_x;
    int _1384 = _1383 + 32;
    _out_2[_1384] = _1382;
    int _1385 = _out_s0_j_j_o_block_id_x * 128;
    int _1386 = _1385 + _out_0_min_0;
    int _1387 = _1386 + _thread_id_x;
    int _1388 = _1387 + 65;
    bool _1389 = _1388 <= _t409;
    if (_1389)
    {
     int _1390 = _out_s0_j_j_o_block_id_x * 128;
     int _1391 = _1390 + _t401;
     int _1392 = _1391 + _thread_id_x;
     int _1393 = _1392 + 64;
     float _1394 = _g[_1393];
     int _1395 = _1390 + _t402;
     int _1396 = _1395 + _thread_id_x;
     int _1397 = _1396 + 64;
     float _1398 = _p[_1397];
     int _1399 = _1390 + _t403;
     int _1400 = _1399 + _thread_id_x;
     int _1401 = _1400 + 64;
     float _1402 = _m[_1401];
     float _1403 = _1402 * _beta1;
     float _1404 = float_from_bits(1065353216 /* 1 */);
     float _1405 = _1404 - _beta1;
     float _1406 = _1405 * _1394;
     float _1407 = _1403 + _1406;
     float _1408 = _1407 / _t405;
     float _1409 = _1408 * _lr;
     int _1410 = _1390 + _t406;
     int _1411 = _1410 + _thread_id_x;
     int _1412 = _1411 + 64;
     float _1413 = _v[_1412];
     float _1414 = _1413 * _beta2;
     float _1415 = _1394 * _1394;
     float _1416 = _1404 - _beta2;
     float _1417 = _1415 * _1416;
     float _1418 = _1414 + _1417;
     float _1419 = _1418 / _t408;
     float _1420 = sqrt(_1419);
     float _1421 = _1420 + _epsilon;
     float _1422 = _1409 / _1421;
     float _1423 = _1398 - _1422;
     int _1424 = _1390 + _thread_id_x;
     int _1425 = _1424 + 64;
     _out_0[_1425] = _1423;
     int _1426 = _out_s0_j_j_o_block_id_x * 128;
     int _1427 = _1426 + _t403;
     int _1428 = _1427 + _thread_id_x;
     int _1429 = _1428 + 64;
     float _1430 = _m[_1429];
     float _1431 = _1430 * _beta1;
     int _1432 = _1426 + _t401;
     int _1433 = _1432 + _thread_id_x;
     int _1434 = _1433 + 64;
     float _1435 = _g[_1434];
     float _1436 = float_from_bits(1065353216 /* 1 */);
     float _1437 = _1436 - _beta1;
     float _1438 = _1435 * _1437;
     float _1439 = _1431 + _1438;
     int _1440 = _1426 + _thread_id_x;
     int _1441 = _1440 + 64;
     _out_1[_1441] = _1439;
     int _1442 = _out_s0_j_j_o_block_id_x * 128;
     int _1443 = _1442 + _t401;
     int _1444 = _1443 + _thread_id_x;
     int _1445 = _1444 + 64;
     float _1446 = _g[_1445];
     int _1447 = _1442 + _t406;
     int _1448 = _1447 + _thread_id_x;
     int _1449 = _1448 + 64;
     float _1450 = _v[_1449];
     float _1451 = _1450 * _beta2;
     float _1452 = _1446 * _1446;
     float _1453 = float_from_bits(1065353216 /* 1 */);
     float _1454 = _1453 - _beta2;
     float _1455 = _1452 * _1454;
     float _1456 = _1451 + _1455;
     int _1457 = _1442 + _thread_id_x;
     int _1458 = _1457 + 64;
     _out_2[_1458] = _1456;
     int _1459 = _out_s0_j_j_o_block_id_x * 128;
     int _1460 = _1459 + _out_0_min_0;
     int _1461 = _1460 + _thread_id_x;
     int _1462 = _1461 + 97;
     bool _1463 = _1462 <= _t409;
     if (_1463)
     {
      int _1464 = _out_s0_j_j_o_block_id_x * 128;
      int _1465 = _1464 + _t401;
      int _1466 = _1465 + _thread_id_x;
      int _1467 = _1466 + 96;
      float _1468 = _g[_1467];
      int _1469 = _1464 + _t402;
      int _1470 = _1469 + _thread_id_x;
      int _1471 = _1470 + 96;
      float _1472 = _p[_1471];
      int _1473 = _1464 + _t403;
      int _1474 = _1473 + _thread_id_x;
      int _1475 = _1474 + 96;
      float _1476 = _m[_1475];
      float _1477 = _1476 * _beta1;
      float _1478 = float_from_bits(1065353216 /* 1 */);
      float _1479 = _1478 - _beta1;
      float _1480 = _1479 * _1468;
      float _1481 = _1477 + _1480;
      float _1482 = _1481 / _t405;
      float _1483 = _1482 * _lr;
      int _1484 = _1464 + _t406;
      int _1485 = _1484 + _thread_id_x;
      int _1486 = _1485 + 96;
      float _1487 = _v[_1486];
      float _1488 = _1487 * _beta2;
      float _1489 = _1468 * _1468;
      float _1490 = _1478 - _beta2;
      float _1491 = _1489 * _1490;
      float _1492 = _1488 + _1491;
      float _1493 = _1492 / _t408;
      float _1494 = sqrt(_1493);
      float _1495 = _1494 + _epsilon;
      float _1496 = _1483 / _1495;
      float _1497 = _1472 - _1496;
      int _1498 = _1464 + _thread_id_x;
      int _1499 = _1498 + 96;
      _out_0[_1499] = _1497;
      int _1500 = _out_s0_j_j_o_block_id_x * 128;
      int _1501 = _1500 + _t403;
      int _1502 = _1501 + _thread_id_x;
      int _1503 = _1502 + 96;
      float _1504 = _m[_1503];
      float _1505 = _1504 * _beta1;
      int _1506 = _1500 + _t401;
      int _1507 = _1506 + _thread_id_x;
      int _1508 = _1507 + 96;
      float _1509 = _g[_1508];
      float _1510 = float_from_bits(1065353216 /* 1 */);
      float _1511 = _1510 - _beta1;
      float _1512 = _1509 * _1511;
      float _1513 = _1505 + _1512;
      int _1514 = _1500 + _thread_id_x;
      int _1515 = _1514 + 96;
      _out_1[_1515] = _1513;
      int _1516 = _out_s0_j_j_o_block_id_x * 128;
      int _1517 = _1516 + _t401;
      int _1518 = _1517 + _thread_id_x;
      int _1519 = _1518 + 96;
      float _1520 = _g[_1519];
      int _1521 = _1516 + _t406;
      int _1522 = _1521 + _thread_id_x;
      int _1523 = _1522 + 96;
      float _1524 = _v[_1523];
      float _1525 = _1524 * _beta2;
      float _1526 = _1520 * _1520;
      float _1527 = float_from_bits(1065353216 /* 1 */);
      float _1528 = _1527 - _beta2;
      float _1529 = _1526 * _1528;
      float _1530 = _1525 + _1529;
      int _1531 = _1516 + _thread_id_x;
      int _1532 = _1531 + 96;
      _out_2[_1532] = _1530;
     } // if _1463
    } // if _1389
   } // if _1315
  } // if _1252
 } // if _982 else
} // kernel _kernel_out_s0_j_j_o_block_id_x
#undef __address_space__v
#undef __address_space__p
#undef __address_space__out_2
#undef __address_space__out_1
#undef __address_space__out_0
#undef __address_space__m
#undef __address_space__g

