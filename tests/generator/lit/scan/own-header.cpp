// SPDX-License-Identifier: Apache-2.0
//
// A source that includes its own generated header, which is not there yet, or is stale, and uses what it will hold.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: graphgen --dump-plan policy.cpp %flags > first.json
// RUN: echo '#error stale' > policy.graphed.h
// RUN: echo '#error stale' > other.graphed.h
// RUN: mkdir out && cp policy.graphed.h other.graphed.h out
// RUN: graphgen --out-dir out --dump-plan policy.cpp %flags -Iout > second.json
// RUN: cmp first.json second.json
// RUN: FileCheck policy.cpp < first.json
//
// A header in a folder whose generated header is included by its name, from the folder where that is written.
// RUN: graphgen --out-dir gen --dump-plan by-name.cpp %flags -Igen/nets | FileCheck by-name.cpp

//--- other.h
#pragma once
constexpr int kOfOther = 6;

//--- gen/nets/stale
//--- nets/sized.h
#pragma once
constexpr int kOfSized = 7;

//--- by-name.cpp
#include "sized.graphed.h"
#include <graphed/annotate.h>
#include <torch/torch.h>
// CHECK: "shape": [7]
GRAPHED(x: f32[kOfSized]) torch::Tensor by_name(torch::Tensor x);

//--- policy.cpp
#include "other.graphed.h"
#include "elsewhere/missing.graphed.h"
#include <graphed/annotate.h>
#include <torch/torch.h>
// CHECK: "name": "policy"
// CHECK: "shape": [6]
GRAPHED(x: f32[kOfOther]) torch::Tensor policy(torch::Tensor x);
#include "policy.graphed.h"
graphed::callable<&policy> fast;
struct User {
  graphed::callable<&policy> member;
  // CHECK: "name": "User::forward"
  GRAPHED(x: f32[2]) torch::Tensor forward(torch::Tensor x) { return fast(x) + member(x); }
};
