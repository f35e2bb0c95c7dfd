// SPDX-License-Identifier: Apache-2.0
//
// Clang's lexer drops characters that no token can have before the annotation's text is put together: each is an error where it stands.
// RUN: not graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error:
#pragma once
#include <graphed/annotate.h>
#include <torch/torch.h>

// CHECK: :[[#@LINE+1]]:16: error: unexpected bytes 0xef 0xbc 0x94 [graphed-syntax]
GRAPHED(x: f32[４]) void wide_digit(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:19: error: unexpected bytes 0xe2 0x88 0x80 [graphed-syntax]
GRAPHED(x: f32[4] ∀ grad) void symbol(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:17: error: unexpected bytes 0xe2 0x80 0x8b [graphed-syntax]
GRAPHED(x: f32[4​]) void space_without_width(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:18: error: unexpected bytes 0xc2 0xa0 [graphed-syntax]
GRAPHED(x: f32[4] grad) void space_that_does_not_break(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:9: error: unexpected bytes 0xe2 0x88 0x80 [graphed-syntax]
GRAPHED(∀ x: f32[4]) void first(torch::Tensor x);
// CHECK: :[[#@LINE+4]]:2: error: unexpected bytes 0xe2 0x88 0x80 [graphed-syntax]
// CHECK: :[[#@LINE+3]]:6: error: unexpected character '\' [graphed-syntax]
// CHECK: :[[#@LINE+2]]:8: error: unexpected bytes 0xe2 0x88 0x83 [graphed-syntax]
GRAPHED(x: f32[4] \
 ∀ \ ∃) void behind_a_joined_line(torch::Tensor x);

#define WITH_OPTION(option) GRAPHED(x: f32[2]; option)
// CHECK: :[[#@LINE+1]]:20: error: unexpected bytes 0xe2 0x88 0x80 [graphed-syntax]
WITH_OPTION(strict ∀) void in_a_macro(torch::Tensor x);

GRAPHED(x: f32[4] /* ∀ */ grad  // ∃
        )
void comments(torch::Tensor x);

GRAPHED(x: f32[2]) void again(torch::Tensor x);
// CHECK: :[[#@LINE+1]]:1: error: this annotation of 'again' differs from that of its earlier declaration, which counts [graphed-repeated]
GRAPHED(x: f32[2] ∀) void again(torch::Tensor x);
