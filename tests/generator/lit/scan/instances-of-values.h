// SPDX-License-Identifier: Apache-2.0
//
// Instances for values of classes, and for characters that are not printable, are named in full.
// RUN: graphgen --dump-plan %s %flags -std=c++20 | FileCheck %s
// RUN: graphgen --print %s %flags -std=c++20 | FileCheck %s --check-prefix=CODE
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

struct Text {
  char bytes[12];
};

// CHECK: "name": "OfText<Text{{[{][{]}}34, 92, 10, 42, 47, 63, 63, 47, 97, 98, 99{{[}][}]}}>::run"
// CODE: graphed::callable<&::OfText<::Text{{[{][{]}}34, 92, 10, 42, 47, 63, 63, 47, 97, 98, 99{{[}][}]}}>::run>
template <Text T>
struct OfText {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x);
};
template struct OfText<Text{"\"\\\n*/?\?/abc"}>;

// CHECK: "name": "OfCharacters<'\\n', '\\xe2', '\\\\', '\"'>::run"
// CODE: graphed::callable<&::OfCharacters<'\n', '\xe2', '\\', '"'>::run>
template <char... C>
struct OfCharacters {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x);
};
template struct OfCharacters<'\n', '\xe2', '\\', '"'>;

// CHECK: "name": "OfWide<L'\\u202e', L'\\n'>::run"
// CODE: graphed::callable<&::OfWide<L'\u202e', L'\n'>::run>
template <wchar_t... C>
struct OfWide {
  GRAPHED(x: f32[2]) torch::Tensor run(const torch::Tensor& x);
};
template struct OfWide<L'\u202e', L'\n'>;
