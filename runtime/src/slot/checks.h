// SPDX-License-Identifier: Apache-2.0
//
// What a capture has to be for replays to do what the callable did. Each check throws CaptureError where it is not, or asks for another
// capture.
#pragma once

#include "capture/step_gradients.h"
#include "slot/captured_callable.h"
#include "slot/static_arguments.h"
#include "watch/recording.h"

namespace graphed::impl {

/// needs_originals, where the callable did to the tensors themselves, past the operators, what does not reach their stand-ins.
void check_stand_ins(const captured_callable& made, const recording& seen);
/// A result that no operator has touched is a tensor from outside: unseen_tensors.
void check_results(const captured_callable& made, const tensor_list& results, const recording& seen);
/// Only a step may change `.grad`, and not that of an argument, which would stay the static input's.
void check_gradients(const capture_site& site, const static_arguments& arguments, const gradient_scope& scope);
/// What a step returns has no history, and is no copy of a `.grad`.
void check_step_results(const static_arguments& arguments, const tensor_list& results);
/// What a replay could not do again to the tensors that the callable closes over.
void check_closure(const capture_site& site, const captured_callable& made, const Inputs& inputs);

/// `now` is what the callable has left in place of the argument `passed`, which was like `before`.
void check_argument(const at::Tensor& now, const at::Tensor& passed, const at::Tensor& before, const std::string& name);

}  // namespace graphed::impl
