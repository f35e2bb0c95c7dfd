// SPDX-License-Identifier: Apache-2.0
//
// What a shared library exports, its generated code exports as well, whatever the flags say of the rest.
// RUN: graphgen --print %s %flags | FileCheck %s
// RUN: graphgen --print %s %flags -fvisibility=hidden -fvisibility-inlines-hidden | FileCheck %s
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

#define APP_API __attribute__((visibility("default")))

// CHECK: class GRAPHED_API graphed::callable<graphed::shown_glue_in_exported::function()> {
GRAPHED(x: f32[2]) APP_API torch::Tensor shown(torch::Tensor x);

// CHECK: class graphed::callable<graphed::unmarked_glue_in_exported::function()> {
GRAPHED(x: f32[2]) torch::Tensor unmarked(torch::Tensor x);

struct APP_API Shown {
  // CHECK: class GRAPHED_API graphed::callable<&::Shown::forward> {
  GRAPHED(x: f32[2]) torch::Tensor forward(torch::Tensor x);
  // CHECK: class graphed::callable<&::Shown::own> {
  GRAPHED(x: f32[2]) __attribute__((visibility("hidden"))) torch::Tensor own(torch::Tensor x);
};

struct Unmarked {
  // CHECK: class graphed::callable<&::Unmarked::forward> {
  GRAPHED(x: f32[2]) APP_API torch::Tensor forward(torch::Tensor x);
};

#pragma GCC visibility push(default)
// CHECK: class GRAPHED_API graphed::callable<graphed::pushed_glue_in_exported::function()> {
GRAPHED(x: f32[2]) torch::Tensor pushed(torch::Tensor x);
#pragma GCC visibility pop
