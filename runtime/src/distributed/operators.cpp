// SPDX-License-Identifier: Apache-2.0
//
// The collectives as operators, whose schemas say what they write: recorders and branches need that. The schemas of c10d's own say that
// they write nothing, and they return a Work to wait for, which no graph sees.
#include "distributed/group.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_foreach_div.h>
#include <torch/library.h>

#include <utility>

namespace graphed::impl {
namespace {

c10d::ReduceOp reduce_op(std::string_view name) {
  if (name == "sum" || name == "average") {
    return c10d::ReduceOp::SUM;
  }
  if (name == "product") {
    return c10d::ReduceOp::PRODUCT;
  }
  TORCH_CHECK(name == "min" || name == "max", "graphed: no reduction '", name, "': there are sum, average, product, min and max");
  return name == "min" ? c10d::ReduceOp::MIN : c10d::ReduceOp::MAX;
}

void check(const at::Tensor& tensor, const group& ranks, const char* what) {
  TORCH_CHECK(tensor.layout() == at::kStrided && tensor.device() == ranks.device && tensor.is_non_overlapping_and_dense(),
              "graphed::", what, ": expected a dense tensor on ", ranks.device, ", got one of ", tensor.layout(), " on ", tensor.device(),
              " with strides ", tensor.strides());
}

void note_write(const at::Tensor& tensor) {
  if (!tensor.is_inference()) {
    tensor.unsafeGetTensorImpl()->bump_version();
  }
}

/// A collective runs on the current stream, and the host does not wait for the device.
template <class Options>
Options on_this_stream() {
  Options options;
  options.asyncOp = false;
  return options;
}

/// `begin` begins a collective of the backend that it is given.
template <class Begin>
void run(group& ranks, Begin&& begin) {
  c10d::Backend* const backend = ranks.begin_collective();
  if (backend == nullptr) {
    return;
  }
  if (const c10::intrusive_ptr<c10d::Work> work = begin(*backend)) {
    work->wait();
  }
  ranks.end_collective();
}

/// In the collective's own place, so that it waits for no other work.
void divide_average(at::TensorList sums, const group& ranks, std::string_view op) {
  if (op == "average") {
    at::_foreach_div_(sums, static_cast<double>(ranks.size));
  }
}

void all_reduce(at::TensorList tensors, std::string_view name, std::string_view op) {
  const at::AutoDispatchBelowADInplaceOrView values_alone;
  const auto ranks = group::named(name);
  std::vector<at::Tensor> list;
  for (const auto& tensor : tensors) {
    check(tensor, *ranks, "all_reduce_");
    note_write(tensor);
    list.push_back(tensor);
  }
  if (list.empty()) {
    return;
  }
  auto options = on_this_stream<c10d::AllreduceCoalescedOptions>();
  options.reduceOp = reduce_op(op);
  run(*ranks, [&](c10d::Backend& backend) { return backend.allreduce_coalesced(list, options); });
  divide_average(list, *ranks, op);
}

void broadcast(at::TensorList tensors, std::string_view name, int64_t source) {
  const at::AutoDispatchBelowADInplaceOrView values_alone;
  const auto ranks = group::named(name);
  TORCH_CHECK(source >= 0 && source < ranks->size, "graphed::broadcast_: there is no rank ", source);
  auto options = on_this_stream<c10d::BroadcastOptions>();
  options.rootRank = source;
  for (const auto& tensor : tensors) {
    check(tensor, *ranks, "broadcast_");
    note_write(tensor);
    std::vector<at::Tensor> one{tensor};
    run(*ranks, [&](c10d::Backend& backend) { return backend.broadcast(one, options); });
  }
}

void check_sizes(const at::Tensor& whole, const at::Tensor& part, const group& ranks, const char* what) {
  check(whole, ranks, what);
  check(part, ranks, what);
  TORCH_CHECK(whole.is_contiguous() && part.is_contiguous() && whole.scalar_type() == part.scalar_type() &&
                  whole.numel() == ranks.size * part.numel(),
              "graphed::", what, ": expected contiguous tensors of one dtype, of which one has ", ranks.size, " times the elements, got ",
              whole.toString(), " ", whole.sizes(), " and ", part.toString(), " ", part.sizes());
}

void all_gather(const at::Tensor& output, const at::Tensor& input, std::string_view name) {
  const at::AutoDispatchBelowADInplaceOrView values_alone;
  const auto ranks = group::named(name);
  check_sizes(output, input, *ranks, "all_gather_into");
  note_write(output);
  at::Tensor to = output, from = input;
  run(*ranks, [&](c10d::Backend& backend) { return backend._allgather_base(to, from, on_this_stream<c10d::AllgatherOptions>()); });
}

void reduce_scatter(const at::Tensor& output, const at::Tensor& input, std::string_view name, std::string_view op) {
  const at::AutoDispatchBelowADInplaceOrView values_alone;
  const auto ranks = group::named(name);
  check_sizes(input, output, *ranks, "reduce_scatter_into");
  note_write(output);
  at::Tensor to = output, from = input;
  auto options = on_this_stream<c10d::ReduceScatterOptions>();
  options.reduceOp = reduce_op(op);
  run(*ranks, [&](c10d::Backend& backend) { return backend._reduce_scatter_base(to, from, options); });
  divide_average({to}, *ranks, op);
}

}  // namespace
}  // namespace graphed::impl

TORCH_LIBRARY(graphed, m) {
  m.def("all_reduce_(Tensor(a!)[] tensors, str group, str op) -> ()");
  m.def("broadcast_(Tensor(a!)[] tensors, str group, int source) -> ()");
  m.def("all_gather_into(Tensor(a!) output, Tensor input, str group) -> ()");
  m.def("reduce_scatter_into(Tensor(a!) output, Tensor input, str group, str op) -> ()");
}

TORCH_LIBRARY_IMPL(graphed, CompositeExplicitAutograd, m) {
  m.impl("all_reduce_", &graphed::impl::all_reduce);
  m.impl("broadcast_", &graphed::impl::broadcast);
  m.impl("all_gather_into", &graphed::impl::all_gather);
  m.impl("reduce_scatter_into", &graphed::impl::reduce_scatter);
}

// They are not differentiable: gradients pass them by.
TORCH_LIBRARY_IMPL(graphed, Autograd, m) {
  for (const char* const name : {"all_reduce_", "broadcast_", "all_gather_into", "reduce_scatter_into"}) {
    m.impl(name, torch::CppFunction::makeFallthrough());
  }
}
