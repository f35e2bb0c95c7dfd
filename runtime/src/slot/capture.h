// SPDX-License-Identifier: Apache-2.0
//
// The capture of a callable's forward.
#pragma once

#include "slot/captured_callable.h"
#include "slot/static_arguments.h"
#include "watch/host_reads.h"

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include <memory>
#include <vector>

namespace graphed::impl {

/// Thrown out of a capture that used tensors from outside which were not known before it: it must be made again, with them known.
struct unseen_tensors {
  std::vector<at::Tensor> tensors;
};

/// Thrown out of a capture that was made to see what the callable does with numbers that it reads of tensors: it must be made again, with
/// the next placeholders.
struct rehearsed {
  rehearsal shown;
};

/// For which call a callable is captured, and how.
struct capture_task {
  const Inputs& arguments;
  const call_details& details;
  const std::vector<at::Tensor>& known;  ///< that it may use besides its arguments
  const std::vector<at::Tensor>& leaves_of_replaced_gradients;
  std::size_t members;      ///< so many results of `body` are the last ones, which members get
  bool gradients_in_place;  ///< where they can be
  input_memory memory;
  captured_on tensors;
  placeholders given;                                 ///< where the callable returns numbers that it reads of tensors
  const rehearsal* shown = nullptr;                   ///< by a capture with others
  const std::vector<host_results>& host_parts;        ///< what each returns
  const body_paths& bodies_run;                       ///< by the last run that was watched
  c10::function_ref<tensor_list(tensor_list&)> body;  ///< gets the static inputs, then the static live scalars
  c10::function_ref<void(const recording&)> agree;    ///< at the end of a capture that has worked; throws where it is not kept
};

/// Throws whatever ended the capture, unseen_tensors, kept_inputs, needs_originals or rehearsed, with nothing left behind; `seen` then
/// shows the last operator.
captured_callable capture(capture_site& site, static_arguments& arguments, host_transfer& host, const capture_task& task,
                          std::shared_ptr<recording>& seen);

}  // namespace graphed::impl
