// SPDX-License-Identifier: Apache-2.0
//
// Annotations that no user would write: each is an error or is taken, and the rest of the file is still read.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s
// CHECK-NOT: Stack dump
// CHECK: error: 'nowhere' names nothing here, or more than one thing [graphed-dimension]
// CHECK-NOT: Stack dump
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

GRAPHED(x: f32[9223372036854775807, 9223372036854775807]) void f1(torch::Tensor x);
GRAPHED(x: f32[9223372036854775808]) void f2(torch::Tensor x);
GRAPHED(x: f32[-9223372036854775807 - 1]) void f3(torch::Tensor x);
GRAPHED(x: f32[(-9223372036854775807 - 1) / -1]) void f4(torch::Tensor x);
GRAPHED(x: f32[(-9223372036854775807 - 1) % -1]) void f5(torch::Tensor x);
GRAPHED(x: f32[1 % 0]) void f6(torch::Tensor x);
GRAPHED(x: f32[0x]) void f7(torch::Tensor x);
GRAPHED(x: f32[0b2]) void f8(torch::Tensor x);
GRAPHED(x: f32[1e9]) void f9(torch::Tensor x);
GRAPHED(x: f32[1.5]) void f10(torch::Tensor x);
GRAPHED(x: f32[1''0]) void f11(torch::Tensor x);
GRAPHED(x: f32[08]) void f12(torch::Tensor x);
GRAPHED(x: f32[1ull]) void f13(torch::Tensor x);
GRAPHED(x: f32[1zz]) void f14(torch::Tensor x);
GRAPHED(x: f32[(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))]) void f15(torch::Tensor x);
GRAPHED(x: f32[((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))]) void f16(torch::Tensor x);
GRAPHED(x: f32[------------------------------------------------------------1]) void f17(torch::Tensor x);
GRAPHED(x: f32[1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1]) void f18(torch::Tensor x);
GRAPHED(x: f32[1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1]) void f19(torch::Tensor x);
GRAPHED(x: f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) void f20(torch::Tensor x);
GRAPHED(x: f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) void f21(torch::Tensor x);
GRAPHED(x: f32[::]) void f22(torch::Tensor x);
GRAPHED(x: f32[a::]) void f23(torch::Tensor x);
GRAPHED(x: f32[::a::b::c]) void f24(torch::Tensor x);
GRAPHED(x: f32[std::string::npos]) void f25(torch::Tensor x);
GRAPHED(x: f32[sizeof]) void f26(torch::Tensor x);
GRAPHED(x: f32[f]) void f27(torch::Tensor x);
GRAPHED(x: f32[x]) void f28(torch::Tensor x);
GRAPHED(x: f32[Tensor]) void f29(torch::Tensor x);
GRAPHED(x: f32[std]) void f30(torch::Tensor x);
GRAPHED(x: f32[torch::nn]) void f31(torch::Tensor x);
GRAPHED(x: f32[é]) void f32(torch::Tensor x);
GRAPHED(é: f32[2]) void f33(torch::Tensor x);
GRAPHED(x: f32[2] ‮) void f34(torch::Tensor x);
GRAPHED(x: f32[2]; B in {}) void f35(torch::Tensor x);
GRAPHED(x: f32[B]; B in {B}) void f36(torch::Tensor x);
GRAPHED(x: f32[B]; B in {C}, C in {B}) void f37(torch::Tensor x);
GRAPHED(x: f32[B]; B in {1}; B in {2}) void f38(torch::Tensor x);
GRAPHED(x: f32[B, C]; B in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32}, C in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32}) void f39(torch::Tensor x);
GRAPHED(x: f32[A,B,C,D,E,F,G,H,I,J,K]; A in {1,2}, B in {1,2}, C in {1,2}, D in {1,2}, E in {1,2}, F in {1,2}, G in {1,2}, H in {1,2}, I in {1,2}, J in {1,2}, K in {1,2}) void f40(torch::Tensor x);
GRAPHED(x: f32[B]; B in {9223372036854775807}) void f41(torch::Tensor x);
GRAPHED(x: f32[B, B]; B in {9223372036854775807}) void f42(torch::Tensor x);
GRAPHED(x: f32[B * B * B]; B in {3037000500} ) void f43(torch::Tensor x);
GRAPHED(x: f32[B / (B - 1)]; B in {1, 2}) void f44(torch::Tensor x);
GRAPHED(x: f32[B]; B in {1} pad pad) void f45(torch::Tensor x);
GRAPHED(x: f32[operator]; operator in {1}) void f46(torch::Tensor x);
GRAPHED(x: f32[graphed]; graphed in {1, 2}) void f47(torch::Tensor x);
GRAPHED(x: f32[int64_t]; int64_t in {1, 2}) void f48(torch::Tensor x);
GRAPHED(x: f32[std]; std in {1, 2}) void f49(torch::Tensor x);
GRAPHED(x: f32[x]; x in {1,2}) void f50(torch::Tensor x);
GRAPHED(x: f32[f]; f in {1,2}) void f51(torch::Tensor x);
GRAPHED(; pool = class) void f52(torch::Tensor x);
GRAPHED(; pool = _) void f53(torch::Tensor x);
GRAPHED(; slots = 2147483648) void f54(torch::Tensor x);
GRAPHED(; slots = 2147483647) void f55(torch::Tensor x);
GRAPHED(; warmup = 99999999999) void f56(torch::Tensor x);
GRAPHED(x: f32[2] * 4096) void f57(torch::Tensor x);
GRAPHED(x: f32[2] * 4097) void f58(torch::Tensor x);
GRAPHED(x: {f32[2] * 4096} * 4096) void f59(torch::Tensor x);
GRAPHED(x: f32[2] *) void f60(torch::Tensor x);
GRAPHED(x: *) void f61(torch::Tensor x);
GRAPHED(x) void f62(torch::Tensor x);
GRAPHED(x:) void f63(torch::Tensor x);
GRAPHED(::x: f32[1]) void f64(torch::Tensor x);
GRAPHED(x: f32[1],,) void f65(torch::Tensor x);
GRAPHED({}) void f66(torch::Tensor x);
GRAPHED(x: {}) void f67(torch::Tensor x);
GRAPHED(x: {{}}) void f68(torch::Tensor x);
GRAPHED(x: {key: key, const: const, live: live}) void f69(torch::Tensor x);
GRAPHED(x: f32['a']) void f70(torch::Tensor x);
GRAPHED(x: f32[1]; strict; strict) void f71(torch::Tensor x);
GRAPHED(x: key * 0) void f72(torch::Tensor x);
GRAPHED(x: key * -1) void f73(torch::Tensor x);
GRAPHED(x: key * 4097) void f74(torch::Tensor x);
GRAPHED(x: live * 3) void f75(torch::Tensor x);
GRAPHED(key: key) void f76(torch::Tensor x);
GRAPHED(x: f32[__LINE__]) void f77(torch::Tensor x);
GRAPHED(x: f32[__COUNTER__]) void f78(torch::Tensor x);
GRAPHED(x: f32[NULL]) void f79(torch::Tensor x);
GRAPHED(x: f32[true]) void f80(torch::Tensor x);
GRAPHED(x: f32[nullptr]) void f81(torch::Tensor x);
GRAPHED(x: f32[this]) void f82(torch::Tensor x);
GRAPHED(x: f32[decltype(1)]) void f83(torch::Tensor x);
GRAPHED(x: f32[sizeof(int)]) void f84(torch::Tensor x);
GRAPHED(x: f32[nowhere]) void last(torch::Tensor x);
