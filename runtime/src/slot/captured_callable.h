// SPDX-License-Identifier: Apache-2.0
//
// What the capture of a callable's forward has shown: what it closes over, where its results are, where gradients go, what its backward
// needs. Of it, only the results that are returned change with the calls that it serves.
#pragma once

#include "backend/captured_graph.h"
#include "capture/closure.h"
#include "capture/result_set.h"
#include "capture/step_gradients.h"
#include "slot/call_details.h"
#include "slot/part_set.h"
#include "watch/host_part.h"
#include "watch/live_source.h"

#include <graphed/impl/inputs.h>

#include <torch/csrc/autograd/edge.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace graphed::impl {

/// Where a gradient goes: to an argument, or to a member of the closure.
struct gradient_target {
  bool is_input;
  std::size_t index;
  torch::autograd::Edge inner;  ///< within the captured graph
};

/// A result, or an `inplace` argument, with history.
struct node_output {
  bool is_input;  ///< those come first
  std::size_t index;
  torch::autograd::Edge inner;
  std::size_t part = 0;  ///< of the captured graph
};

/// How far gradients that come into some of the outputs go.
struct reach {
  bool is_whole = false;               ///< to every node: their backward needs all that was saved
  std::vector<std::size_t> unreached;  ///< not to these of the node's edges
};

struct captured_callable {
  /// Whether what it closes over is still as it was captured.
  bool is_valid() const { return closed_over.unchanged() && gradients.unchanged(); }
  /// Whether results can be cut down to those of a call that is smaller.
  bool can_serve(const call_details& details) const;
  /// Whether it gives a history to an argument that is a view, whose base would need it as well.
  bool gives_history_to_view(const Inputs& inputs) const;
  /// Of results that are, or show, an argument or a member, copies.
  void copy_what_is_the_callers(tensor_list& results) const;
  /// What those results may show of tensors from outside.
  std::vector<at::Tensor> outside_of(const result_set& shown) const;
  capture_lane lane() const { return tensors == captured_on::stand_ins ? capture_lane::usual : capture_lane::with_backwards; }
  /// After the outputs are known: in which part of the graph each is.
  void find_parts();
  /// Those that these gradients come into.
  part_set parts_of(const tensor_list& incoming) const;
  reach reach_of(const tensor_list& incoming) const;

  captured_on tensors = captured_on::originals;
  closure closed_over;
  live_sources sources;  ///< what host code inside the callable decides on, and what the capture froze of it
  result_set results;
  std::size_t returned = 0;  ///< so many of them; the others are what a step leaves in `.grad`
  step_gradients gradients;
  std::vector<bool> input_saved;                          ///< the backward needs its value
  std::vector<bool> result_saved;                         ///< the same
  std::vector<node_output> outputs;                       ///< of the node
  std::vector<gradient_target> targets;                   ///< its edges
  bool has_branches = false;                              ///< whose gradients are zeros where eager gives none
  bool may_change_results = false;                        ///< a replay may end in changed_results
  part_set parts;                                         ///< all of the graph
  std::vector<c10::intrusive_ptr<host_part>> host_parts;  ///< of the forward
  std::unique_ptr<executable> work;
};

}  // namespace graphed::impl
