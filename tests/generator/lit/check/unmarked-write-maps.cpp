// SPDX-License-Identifier: Apache-2.0
//
// Writes to what a map that is an argument holds, by a key of the annotation and by one that is not known.
// RUN: not graphgen --check --diagnostics-format=json %s %flags -fno-caret-diagnostics | %singly | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

#include <map>
#include <string>

using torch::Tensor;
using Named = std::map<std::string, Tensor>;

GRAPHED(m: {obs: f32[2], h: f32[2] inplace}) void marked_in_part(Named& m) {
  // CHECK: unmarked-write-maps.cpp:[[#@LINE+1]]:15: error: 'zero_' writes to the argument 'm["obs"]', which the annotation does not mark 'inplace' [graphed-unmarked-write]
  m.at("obs").zero_();
  // CHECK: :[[#@LINE+1]]:12: error: 'zero_' writes to the argument 'm["obs"]'
  m["obs"].zero_();
  // CHECK: :[[#@LINE+1]]:25: error: 'zero_' writes to the argument 'm["obs"]'
  m.find("obs")->second.zero_();
  m.at("h").zero_();
  m["h"].add_(m.at("obs"));
  m.find("h")->second.mul_(2);
}

GRAPHED(m: {obs: f32[2], h: f32[2]}) void unmarked(Named& m) {
  for (auto& [name, each] : m) {
    // CHECK: :[[#@LINE+1]]:10: warning: 'zero_' writes to the argument 'm'
    each.zero_();
  }
  Tensor& h = m.at("h");
  // CHECK: :[[#@LINE+1]]:5: error: 'mul_' writes to the argument 'm["h"]'
  h.mul_(2);
  Named copy = m;
  // CHECK: :[[#@LINE+1]]:16: warning: 'zero_' may write to the argument 'm'
  copy.at("h").zero_();
}

GRAPHED(m: {obs: f32[2] inplace, h: f32[2] inplace}) void marked(Named& m) {
  for (auto& [name, each] : m) {
    each.zero_();
  }
  m.at("h").mul_(2);
}
