// SPDX-License-Identifier: Apache-2.0
#include "watch/host_constants.h"

#include "torch/modes.h"
#include "torch/tensors_of.h"
#include "watch/outside_watch.h"

#include <graphed/error.h>

#include <ATen/ops/empty_like.h>
#include <c10/core/impl/COW.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace graphed::impl {
namespace {

bool is_in_host_memory(const at::Tensor& tensor) {
  return tensor.defined() && tensor.is_cpu() && tensor.has_storage() && !tensor.unsafeGetTensorImpl()->is_wrapped_number();
}

bool names_device(const operator_call& call) {
  const auto is_cuda = [](const c10::IValue& each) { return each.isDevice() && each.toDevice().is_cuda(); };
  return std::any_of(call.arguments.begin(), call.arguments.end(), is_cuda);
}

bool moves_operands(const operator_call& call) { return call.has(trait::moves_operands) && call.below.reaches_cuda(); }

// The first argument of _to_copy, the second of copy_.
std::size_t source_of_copy(const operator_call& call) { return call.op.schema().is_mutable() ? 1 : 0; }

bool copies_to_device(const operator_call& call) {
  if (!call.has(trait::copies) || call.op.schema().name() == "aten::_foreach_copy_") {
    return false;
  }
  return call.op.schema().is_mutable() ? call.arguments[0].isTensor() && call.arguments[0].toTensor().is_cuda() : names_device(call);
}

bool is_moved_operand(const operator_call& call, std::size_t argument) {
  return moves_operands(call) && !(argument == 2 && call.has(trait::shaped_by_mask) && fills_by_mask(call));
}

// What the operator copies from host memory to a device. From pinned memory a graph can do it itself.
template <class F>
void for_each_source(const operator_call& call, F&& f) {
  const bool is_copy = copies_to_device(call);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (is_copy ? i == source_of_copy(call) : is_moved_operand(call, i)) {
      for_each_tensor(call.arguments[i], [&](const at::Tensor& tensor) {
        if (is_in_host_memory(tensor) && !tensor.is_pinned()) {
          f(tensor);
        }
      });
    }
  }
}

bool draws_on_host(const operator_call& call) {
  return call.op.hasTag(at::Tag::nondeterministic_seeded) && !call.below.reaches_cuda() && !names_device(call);
}

}  // namespace

bool fills_by_mask(const operator_call& call) {
  if (call.arguments.size() < 4 || call.arguments[3].toBool() || call.arguments[2].toTensor().numel() != 1) {
    return false;
  }
  int64_t masks = 0, places = 0;
  for_each_tensor(call.arguments[1], [&](const at::Tensor& index) {
    const bool is_mask = index.defined() && (index.scalar_type() == at::kBool || index.scalar_type() == at::kByte);
    masks += is_mask ? 1 : 0;
    places += index.defined() && !is_mask ? 1 : 0;
  });
  return masks == 1 && places == 0;
}

bool host_constants::is_copied_by(const operator_call& call) {
  bool is_any = false;
  for_each_source(call, [&](const at::Tensor& /*source*/) { is_any = true; });
  return is_any;
}

void host_constants::memory::take_snapshot() {
  snapshot = why_not.empty() ? c10::impl::cow::lazy_clone_storage(*storage.unsafeGetStorageImpl()) : nullptr;
  if (!snapshot && why_not.empty()) {
    why_not = "its memory is not of LibTorch's allocator";
  }
}

void host_constants::memory::look_again() {
  if (why_not.empty() && !c10::impl::cow::is_cow_data_ptr(storage.data_ptr())) {
    why_not = "the host has had access to its memory";
  }
}

void host_constants::memory::fill(const at::Tensor& part) {
  if (is_filled || !part.is_non_overlapping_and_dense()) {
    return;
  }
  std::size_t& bytes = filled[static_cast<std::size_t>(part.storage_offset()) * part.itemsize()];
  bytes = std::max(bytes, part.nbytes());
  std::size_t end = 0;
  for (const auto& [begin, length] : filled) {
    if (begin > end) {
      return;
    }
    end = std::max(end, begin + length);
  }
  is_filled = end >= storage.nbytes();
}

std::string host_constants::memory::state() const {
  return why_not.empty() && !is_filled ? "no operator has written all of its values" : why_not;
}

host_constants::memory* host_constants::find(const at::Tensor& tensor) {
  const auto found = is_in_host_memory(tensor) ? known_.find(storage_of(tensor)) : known_.end();
  return found == known_.end() ? nullptr : &found->second;
}

std::string host_constants::why_not_constant(const at::Tensor& tensor) {
  memory* const known = find(tensor);
  if (known == nullptr) {
    return "no operator of the callable has made it";
  }
  known->look_again();
  return known->state();
}

std::string host_constants::why_unsteady(const operator_call& call) {
  if (!is_of_libtorch(call.op.operator_name())) {
    return "operator " + full_name(call.op) + ", which is not LibTorch's, makes it";
  }
  std::string why;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const bool is_only_written = i == 0 && call.has(trait::fills);
    for_each_tensor(call.arguments[i], [&](const at::Tensor& tensor) {
      if (!why.empty() || !tensor.defined() || tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
        return;
      }
      const memory* const known = find(tensor);
      why = known == nullptr ? "it is made of a tensor from elsewhere" : is_only_written ? known->why_not : known->state();
    });
  }
  return why;
}

void host_constants::before(const operator_call& call) {
  if (draws_on_host(call)) {
    throw CaptureError("operator " + full_name(call.op) +
                       " draws random numbers on the host, which a graph would freeze: draw them on the device, with x.options()");
  }
  for (const auto& argument : call.arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      if (memory* const known = find(tensor)) {
        known->look_again();
      }
    });
  }
  for_each_source(call, [&](const at::Tensor& source) {
    if (const std::string why = why_not_constant(source); !why.empty()) {
      throw CaptureError("operator " + full_name(call.op) + " copies a tensor from host memory, whose values a graph would freeze: " + why +
                         ". Pass it as an argument, or make it on the device, with x.options()");
    }
  });
}

void host_constants::after(const operator_call& call, c10::ArrayRef<c10::IValue> results) {
  const std::string why = why_unsteady(call);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const bool is_written = access_to_argument(call, i) != access::read;
    for_each_tensor(call.arguments[i], [&](const at::Tensor& tensor) {
      memory* const known = find(tensor);
      if (known == nullptr) {
        return;
      }
      if (is_written) {
        known->why_not = why;
      }
      if (is_written && call.has(trait::fills)) {
        known->fill(tensor);
      }
      known->take_snapshot();
    });
  }
  for (const auto& result : results) {
    for_each_tensor(result, [&](const at::Tensor& tensor) {
      if (is_in_host_memory(tensor) && find(tensor) == nullptr) {
        memory made{tensor.storage(), {}, why, !call.has(trait::allocates), {}};
        made.take_snapshot();
        known_.emplace(storage_of(tensor), std::move(made));
      }
    });
  }
}

// Into memory like that which the capture fills, or as the capture's own result: converted as eager mode converts it.
at::Tensor host_constants::copy_of_copied(const operator_call& call) const {
  torch::jit::Stack arguments(call.arguments.begin(), call.arguments.end());
  if (call.op.schema().is_mutable()) {
    arguments[0] = at::empty_like(call.arguments[0].toTensor());
  }
  call.below.call(call.op, arguments);
  return arguments.back().toTensor();
}

void host_constants::copy(const operator_call& call, torch::jit::Stack& stack, ahead_of_replays& ahead) {
  const below_autograd_and_autocast values_alone;
  const std::size_t first = stack.size() - call.arguments.size();
  if (!copies_to_device(call)) {
    ahead.run([&] { move_operands(call, stack, first); });
    call.below.call(call.op, stack);
    return;
  }
  ahead.run([&] { copies_.push_back(copy_of_copied(call)); });
  if (call.op.schema().is_mutable()) {
    stack[first + 1] = copies_.back();
    call.below.call(call.op, stack);
  } else {
    stack.resize(first);
    stack.emplace_back(copies_.back().clone());
  }
}

void host_constants::move_operands(const operator_call& call, torch::jit::Stack& stack, std::size_t first) {
  c10::Device device(c10::kCPU);
  for (const auto& argument : call.arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) { device = tensor.defined() && tensor.is_cuda() ? tensor.device() : device; });
  }
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    stack[first + i] = with_each_tensor(call.arguments[i], [&](const at::Tensor& tensor) {
      return is_moved_operand(call, i) && is_in_host_memory(tensor) ? copies_.emplace_back(tensor.to(device)) : tensor;
    });
  }
}

}  // namespace graphed::impl
