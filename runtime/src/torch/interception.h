// SPDX-License-Identifier: Apache-2.0
//
// Places on the dispatcher's way to a kernel where the runtime meets each operator of a thread. No operator of LibTorch has a kernel there.
#pragma once

#include "torch/dispatch_path.h"

#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace graphed::impl {

enum class interception_place {
  above_autograd,  ///< and above autocast
  below_autograd,  ///< and below autocast and the views' bookkeeping, above every backend's kernels
};

/// Gets the operator, its arguments on the stack, and goes on by `below`, under an interception_pause unless it wants to meet the parts.
using interceptor = void (*)(const c10::OperatorHandle& op, const dispatch_path& below, torch::jit::Stack& stack);

/// Whether something meets operators there: the runtime, or, before that, LibTorch or another library.
bool is_taken(interception_place place);
/// For the whole process, once for each place. Throws where LibTorch, or another library, has taken the place.
void install_interceptor(interception_place place, interceptor meet);

constexpr c10::DispatchKey key_of(interception_place place) {
  return place == interception_place::above_autograd ? c10::DispatchKey::TESTING_ONLY_GenericMode : c10::DispatchKey::Fake;
}

/// While it lives, operators of this thread, and of autograd threads that work for it, are intercepted.
struct interception_scope : c10::impl::IncludeDispatchKeyGuard {
  explicit interception_scope(interception_place place) : IncludeDispatchKeyGuard(key_of(place)) {}
};

/// While it lives, operators of this thread pass by.
struct interception_pause : c10::impl::ExcludeDispatchKeyGuard {
  explicit interception_pause(interception_place place) : ExcludeDispatchKeyGuard(key_of(place)) {}
};

/// Whether operators of this thread are intercepted now.
bool are_operators_intercepted(interception_place place);

/// Moves operators below autograd that LibTorch declares as made of others, but that compute by a kernel of their own, where autograd does
/// not take them apart. Of their parts a recorder would see the allocation only, and a replay would give the recorded values again. Once in
/// a process.
void install_raw_composites();

/// What the accessor of its inputs returns, which in a debug build asserts what a release build of LibTorch does not note.
c10::ArrayRef<const c10::IValue> inputs_of(const at::RecordFunction& function);

}  // namespace graphed::impl
