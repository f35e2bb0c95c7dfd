// SPDX-License-Identifier: Apache-2.0
//
// One call made twice: by the plain callable on copies, whose traces are put back, and by the graph; what both leave behind is compared.
#pragma once

#include "slot/captured_callable.h"
#include "watch/recording.h"

#include <graphed/impl/inputs.h>
#include <graphed/impl/spec.h>

#include <c10/core/Device.h>
#include <c10/util/FunctionRef.h>

#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

/// A tensor from outside whose `.grad` the callable replaces, and what by.
struct compared_leaf {
  at::Tensor leaf;
  at::Tensor gradient;
};

/// What is not the same.
struct difference {
  std::string place;    ///< "result 1"
  std::string message;  ///< which begins with it
};

class verification {
 public:
  /// Runs `body` as the plain callable, before the graph runs, and puts back what that changed. `outside` are the tensors that it closes
  /// over.
  verification(const CallableSpec& spec, const SampleSpec& sample, const Inputs& inputs, const call_details& details,
               std::vector<outside_tensor> outside, c10::Device device, c10::function_ref<tensor_list(tensor_list&)> body);
  /// Whether this thread runs a plain callable for comparison: graphed callables inside it run plainly too, uncounted.
  static bool is_running();
  /// The first thing that is different after the graph ran. Of a padded call not what rounding explains.
  std::optional<difference> compare_forward(const Inputs& inputs, const tensor_list& results) const;
  /// Whether the last backward has been compared: nothing is kept for another.
  bool is_over() const { return is_over_; }
  /// Before the graph's backward: notes the random state that the plain one starts from as well.
  void begin_backward();
  /// Runs the plain backward too, and puts back what it drew. `gradients` are the graph's. Without `keep_graph` it is the last one.
  std::optional<difference> compare_backward(const captured_callable& callable, const tensor_list& incoming, const tensor_list& gradients,
                                             bool keep_graph);

 private:
  void run(const Inputs& inputs, const call_details& details, c10::function_ref<tensor_list(tensor_list&)> body, recording& watched);

  const CallableSpec& spec_;
  const SampleSpec& sample_;
  const bool is_padded_;
  const c10::Device device_;
  std::vector<outside_tensor> outside_;
  std::vector<c10::VariableVersion> versions_;  ///< what autograd sees of those that it changes, in place of their own
  std::vector<at::Tensor> outside_after_;       ///< values of those that it changes
  std::vector<compared_leaf> leaves_after_;
  at::Tensor random_after_;
  at::Tensor random_before_backward_;
  std::vector<at::Tensor> leaves_;     ///< copies of the arguments
  std::vector<at::Tensor> arguments_;  ///< what the callable got
  tensor_list results_;
  bool is_over_ = false;
  std::optional<std::string> thrown_;
};

}  // namespace graphed::impl
