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

// Included too early, and by a header that the file includes.
// RUN: %exits 1 graphgen --check early.cpp %flags 2>&1 | FileCheck early.cpp --implicit-check-not=error:
// RUN: %exits 1 graphgen --check part.cpp %flags 2>&1 | FileCheck part.cpp --implicit-check-not=error:
// RUN: %exits 1 graphgen --check whole.h %flags 2>&1 | FileCheck whole.h --implicit-check-not=error:
// RUN: graphgen --check last.h %flags 2>&1 | count 0
// RUN: %exits 1 graphgen --check first.h %flags 2>&1 | FileCheck first.h --implicit-check-not=error:

//--- early.cpp
#include <graphed/annotate.h>
#include <torch/torch.h>
GRAPHED(x: f32[2]) torch::Tensor before(torch::Tensor x);
// CHECK: early.cpp:[[#@LINE+1]]:10: error: 'early.graphed.h' is included before 'late' is declared, whose code it holds; include it after that declaration [graphed-own-header]
#include "early.graphed.h"
// CHECK: early.cpp:[[#@LINE+1]]:34: note: 'late' is declared here
GRAPHED(x: f32[2]) torch::Tensor late(torch::Tensor x);

//--- piece.h
#include "part.graphed.h"
//--- part.cpp
#include "piece.h"
#include <graphed/annotate.h>
#include <torch/torch.h>
// CHECK: piece.h:1:10: error: 'part.graphed.h' is included before 'of_part' is declared, whose code it holds; include it in the sources that use it, not in a header that 'part.cpp' includes [graphed-own-header]
GRAPHED(x: f32[2]) torch::Tensor of_part(torch::Tensor x);

//--- inner.h
#pragma once
#include "whole.graphed.h"
//--- whole.h
#pragma once
#include "inner.h"
#include <graphed/annotate.h>
#include <torch/torch.h>
// CHECK: inner.h:2:10: error: 'whole.graphed.h' is included before 'whole' is declared, whose code it holds; include it in the sources that use it, not in a header that 'whole.h' includes [graphed-own-header]
GRAPHED(x: f32[2]) torch::Tensor whole(torch::Tensor x);

//--- last.h
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>
GRAPHED(x: f32[2]) torch::Tensor last(torch::Tensor x);
#include "last.graphed.h"
//--- first.h
#pragma once
// CHECK: first.h:[[#@LINE+1]]:10: error: 'first.graphed.h' is included before 'first' is declared, whose code it holds; include it after that declaration [graphed-own-header]
#include "first.graphed.h"
#include <graphed/annotate.h>
#include <torch/torch.h>
GRAPHED(x: f32[2]) torch::Tensor first(torch::Tensor x);

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
  torch::Tensor forward(torch::Tensor x) { return fast(x) + member(x); }
};
