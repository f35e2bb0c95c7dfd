// SPDX-License-Identifier: Apache-2.0
//
// Writes at the places that a padded argument names.
// RUN: graphgen --check %s %flags 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: --implicit-check-not=note:
#include <graphed/annotate.h>
#include <torch/torch.h>

using torch::Tensor;

struct TableImpl : torch::nn::Module {
  GRAPHED(slots: i64[B], rows: f32[B, 8]; B in {1, 8} pad)
  void zeros(const Tensor& slots, const Tensor& rows) {
    // CHECK: padded-index.cpp:[[#@LINE+1]]:11: warning: 'index_copy_' writes at the places in the argument 'slots', which 'pad' fills up with zeros: the padding rows write to place 0; give them a place of their own, by the real size as a 'live' scalar [graphed-padded-index]
    table.index_copy_(0, slots, rows);
    // CHECK: :[[#@LINE+1]]:11: warning: 'scatter_' writes at the places in the argument 'slots'
    table.scatter_(0, slots, rows);
    // CHECK: :[[#@LINE+1]]:11: warning: 'index_put_' writes at the places in the argument 'slots'
    table.index_put_({slots}, rows.tanh());
    // CHECK: :[[#@LINE+1]]:11: warning: 'index_add_' writes at the places in the argument 'slots'
    table.index_add_(0, slots, rows.tanh());
    table.index_add_(0, slots, rows);  // of zeros
    table.index_select(0, slots);
  }

  GRAPHED(slots: i64[B], rows: f32[B, 8]; B in {1, 8} pad repeat)
  void repeated(const Tensor& slots, const Tensor& rows) {
    table.index_copy_(0, slots, rows);
    // CHECK: :[[#@LINE+1]]:11: warning: 'index_add_' writes at the places in the argument 'slots', which 'pad repeat' fills up with the last row: it is added again for each padding row; give those a place of their own, by the real size as a 'live' scalar [graphed-padded-index]
    table.index_add_(0, slots, rows);
  }

  // Without padding, in another dimension, at places of the callable's own, and by a mask.
  GRAPHED(slots: i64[B], rows: f32[B, 8]; B in {1, 8})
  void exact(const Tensor& slots, const Tensor& rows) { table.index_copy_(0, slots, rows); }
  GRAPHED(slots: i64[4], rows: f32[4, B], mask: bool[B]; B in {1, 8} pad)
  void others(const Tensor& slots, const Tensor& rows, const Tensor& mask) {
    table.index_copy_(0, slots, rows);
    table.index_copy_(0, rows.argmax(1), rows);
    table.index_put_({mask}, 0.0);
  }
  GRAPHED(slots: i64[B], rows: f32[B, 8]; B in {1, 8} pad, allow = graphed-padded-index)
  void allowed(const Tensor& slots, const Tensor& rows) { table.index_copy_(0, slots, rows); }

  Tensor table = register_buffer("table", Tensor());
};
