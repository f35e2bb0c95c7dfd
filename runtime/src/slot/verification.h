// SPDX-License-Identifier: Apache-2.0
//
// GRAPHED_VERIFY: one call made twice, by the original function on copies, whose traces are restored, and by the graph; what both leave
// behind is compared, and the first difference reported. Under `strict` that throws VerifyError.
#pragma once

#include "slot/capture_site.h"
#include "slot/captured_callable.h"
#include "watch/draw_watch.h"
#include "watch/recording.h"

#include <graphed/impl/inputs.h>
#include <graphed/impl/spec.h>

#include <c10/core/Device.h>
#include <c10/util/FunctionRef.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

/// A tensor that the callable closes over.
struct compared_outside {
  outside_tensor before;
  at::Tensor after = {};            ///< the value that the original function leaves, where it changes it
  c10::VariableVersion version{0};  ///< then: what autograd sees instead of its own
};

/// What is not the same.
struct difference {
  std::string place;    ///< "result 1"
  std::string message;  ///< which begins with it
};

class verification {
 public:
  /// Runs `body` as the original function, before the graph runs, and restores what that changed. `outside` are the tensors that it closes
  /// over. Keeps `description`, which holds what `sample` refers to: the backward may come when the callable is gone.
  verification(std::shared_ptr<const CallableSpec> description, const SampleSpec& sample, const Inputs& inputs, const call_details& details,
               const std::vector<outside_tensor>& outside, c10::Device device, c10::function_ref<tensor_list(tensor_list&)> body);
  /// Whether this thread runs an original function for comparison: graphed callables inside it run eagerly too, uncounted.
  static bool is_running();
  /// After the graph ran. Of a padded call, and of gradients of branches, not what rounding explains.
  void check_forward(const capture_site& site, const Inputs& inputs, const tensor_list& results);
  /// Before the graph's backward: notes the random state that the eager one starts from as well.
  void begin_backward();
  /// Runs the eager backward too, and restores what it drew. `gradients` are the graph's. Of a call that goes back in parts, the first
  /// backward alone is compared.
  void check_backward(const capture_site& site, const captured_callable& callable, const tensor_list& incoming,
                      const tensor_list& gradients);

 private:
  /// Whether both runs have drawn the same numbers, if any: not those of two threads in turn.
  bool end_of_draws();
  void end();
  std::optional<difference> compare_forward(const Inputs& inputs, const tensor_list& results) const;
  std::optional<difference> compare_backward(const captured_callable& callable, const tensor_list& incoming, const tensor_list& gradients);
  void run(const Inputs& inputs, const call_details& details, c10::function_ref<tensor_list(tensor_list&)> body,
           const std::shared_ptr<recording>& watched);

  const std::shared_ptr<const CallableSpec> description_;
  const CallableSpec& spec_;
  const SampleSpec& sample_;
  const bool is_padded_;
  const c10::Device device_;
  std::vector<compared_outside> outside_;
  std::vector<replaced_gradient> gradients_after_;
  std::optional<draw_watch> draws_;    ///< in a forward, or in a backward, until both runs are compared
  at::Tensor random_;                  ///< after the original function; from begin_backward() on, before its backward
  std::vector<at::Tensor> leaves_;     ///< copies of the arguments
  std::vector<at::Tensor> arguments_;  ///< what the callable got
  tensor_list results_;
  bool is_over_ = false;  ///< the last backward has been compared, or none can be: nothing is kept for another
  std::optional<std::string> thrown_;
  bool has_host_parts_ = false, has_choices_ = false;
};

}  // namespace graphed::impl
