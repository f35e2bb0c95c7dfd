// SPDX-License-Identifier: Apache-2.0
#include <graphed/process_group.h>

#include "distributed/buckets.h"
#include "distributed/group.h"
#include "report/pages.h"
#include "report/text.h"
#include "watch/live_source.h"
#include "watch/recorder.h"
#include "watch/run_in_hand.h"

#include <graphed/error.h>

#include <ATen/MemoryOverlap.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/op_registration/adaption.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/nn/module.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

namespace graphed {

using namespace impl;

namespace {

constexpr std::size_t first_bucket = std::size_t{1} << 20, next_bucket = std::size_t{25} << 20;

const char* name_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::Sum:
      return "sum";
    case ReduceOp::Average:
      return "average";
    case ReduceOp::Product:
      return "product";
    case ReduceOp::Min:
      return "min";
    case ReduceOp::Max:
      return "max";
  }
  return "";
}

template <class Signature>
c10::TypedOperatorHandle<Signature> find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

void call_all_reduce(at::TensorList tensors, const std::string& group, const char* op) {
  static const auto all_reduce = find<void(at::TensorList, std::string_view, std::string_view)>("graphed::all_reduce_");
  all_reduce.call(tensors, group, op);
}

void call_broadcast(at::TensorList tensors, const std::string& group, int source) {
  static const auto broadcast = find<void(at::TensorList, std::string_view, int64_t)>("graphed::broadcast_");
  broadcast.call(tensors, group, source);
}

// Those with gaps travel as copies.
std::vector<at::Tensor> dense(at::TensorList tensors) {
  std::vector<at::Tensor> made;
  for (const auto& tensor : tensors) {
    TORCH_CHECK(at::has_internal_overlap(tensor) != at::MemOverlap::Yes, "graphed: ProcessGroup: a gradient, parameter or buffer of sizes ",
                tensor.sizes(), " and strides ", tensor.strides(), " has several elements in one place, as expand() gives: clone() it");
    made.push_back(tensor.is_non_overlapping_and_dense() ? tensor : tensor.contiguous());
  }
  return made;
}

void copy_back(at::TensorList to, at::TensorList from) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!to[i].is_same(from[i])) {
      to[i].copy_(from[i]);
    }
  }
}

std::vector<at::Tensor> dense_gradients(at::TensorList parameters) {
  std::vector<at::Tensor> gradients;
  for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
    const at::Tensor& gradient = gradient_of(*parameter);
    if (gradient.defined()) {
      TORCH_CHECK(gradient.layout() == at::kStrided, "graphed: ProcessGroup: a gradient is not dense");
      gradients.push_back(gradient);
    }
  }
  return gradients;
}

// Of dtypes and shapes: what signature_of() shows to people, for each step.
std::string form_of(at::TensorList tensors) {
  std::string bytes;
  for (const auto& tensor : tensors) {
    append(bytes, tensor.scalar_type(), tensor.dim());
    for (const int64_t size : tensor.sizes()) {
      append(bytes, size);
    }
  }
  return bytes;
}

std::string signature_of(at::TensorList tensors) {
  std::string all;
  for (const auto& tensor : tensors) {
    all += (all.empty() ? "" : ", ") + describe(tensor);
  }
  return std::to_string(tensors.size()) + ": " + all;
}

// As FNV-1a, but eight bytes at a time, whose high bits then reach the low ones.
uint64_t hash_of(const at::Tensor& tensor) {
  const at::Tensor bytes = tensor.detach().cpu().contiguous();
  const auto* const first = static_cast<const uint8_t*>(bytes.const_data_ptr());
  uint64_t hash = 14695981039346656037U;
  for (std::size_t i = 0; i < bytes.nbytes(); i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, first + i, std::min(sizeof(word), bytes.nbytes() - i));
    hash = (hash ^ word) * 1099511628211U;
    hash ^= hash >> 32U;
  }
  return hash;
}

using named_tensors = std::vector<std::pair<std::string, at::Tensor>>;

std::string hashes_of(const named_tensors& named) {
  const unrecorded_scope not_of_a_callable;
  const c10::NoGradGuard no_grad;
  std::string all;
  for (const auto& [name, tensor] : named) {
    all += name + " " + std::to_string(hash_of(tensor)) + "\n";
  }
  return all;
}

named_tensors named_parameters_of(const torch::nn::Module& module) {
  named_tensors named;
  for (const auto& parameter : module.named_parameters()) {
    named.emplace_back(parameter.key(), parameter.value());
  }
  return named;
}

named_tensors tensors_of(const torch::nn::Module& module) {
  named_tensors named = named_parameters_of(module);
  for (const auto& buffer : module.named_buffers()) {
    named.emplace_back(buffer.key(), buffer.value());
  }
  return named;
}

// The name on the first line that differs.
std::string first_difference(const std::string& one, const std::string& other) {
  const auto place = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first - one.begin();
  const std::size_t begin = one.rfind('\n', static_cast<std::size_t>(place)) + 1;
  return one.substr(begin, one.find(' ', begin) - begin);
}

void check_same_bits(board& ranks, const named_tensors& named, const std::string& what) {
  const std::string own = hashes_of(named);
  const auto all = ranks.meet(errand::in_hand(what), bytes_of(own));
  const std::string first = text_of(all[0]);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const std::string other = text_of(all[rank]);
    if (other != first) {
      throw Error("graphed: ProcessGroup: " + what + ": '" + first_difference(first, other) + "' of rank " + std::to_string(rank) +
                  " has other bits than that of rank 0" + run_in_hand::place() +
                  ": broadcast(module) gives all ranks the same, and all ranks must call the same objects in the same order" +
                  see(pages::distributed));
    }
  }
}

std::shared_ptr<group> made_around(c10::intrusive_ptr<c10d::Backend> backend, c10::intrusive_ptr<c10d::Store> store, c10::Device device,
                                   const ProcessGroupOptions& options) {
  TORCH_CHECK(backend && store, "graphed: ProcessGroup: no backend, or no store");
  if (!device.is_cpu() && !device.has_index()) {
    device = c10::impl::VirtualGuardImpl(device.type()).getDevice();
  }
  auto ranks = std::make_shared<board>(std::move(store), backend->getRank(), backend->getSize(), options.timeout());
  return group::make(std::move(backend), std::move(ranks), device);
}

}  // namespace

ProcessGroup::ProcessGroup(std::shared_ptr<group> made) : group_(std::move(made)), exceptions_(std::uncaught_exceptions()) {}

ProcessGroup::ProcessGroup(c10::intrusive_ptr<c10d::Backend> backend, c10::intrusive_ptr<c10d::Store> store, c10::Device device,
                           ProcessGroupOptions options)
    : ProcessGroup(made_around(std::move(backend), std::move(store), device, options)) {}

ProcessGroup::ProcessGroup(const c10::intrusive_ptr<c10d::ProcessGroup>& group, c10::intrusive_ptr<c10d::Store> store, c10::Device device,
                           ProcessGroupOptions options)
    : ProcessGroup(group->getBackend(device.type()), std::move(store), device, options) {}

ProcessGroup::~ProcessGroup() {
  if (group_) {
    group_->end(std::uncaught_exceptions() > exceptions_);
  }
}

ProcessGroup::ProcessGroup(ProcessGroup&&) noexcept = default;
ProcessGroup& ProcessGroup::operator=(ProcessGroup&& other) noexcept {
  std::swap(group_, other.group_);
  std::swap(exceptions_, other.exceptions_);
  return *this;
}

group& ProcessGroup::require() const {
  if (!group_) {
    throw Error("graphed: ProcessGroup: it was moved from: use the one that it was moved to");
  }
  return *group_;
}

int ProcessGroup::rank() const { return require().rank; }

int ProcessGroup::size() const { return require().size; }

c10::Device ProcessGroup::device() const { return require().device; }

void ProcessGroup::broadcast(const torch::nn::Module& module, int source) {
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : tensors_of(module)) {
    tensors.push_back(tensor);
  }
  for (const auto& bucket : in_buckets(tensors, next_bucket, next_bucket)) {
    const auto sent = dense(bucket);
    broadcast_(sent, source);
    copy_back(bucket, sent);
  }
}

void ProcessGroup::average_gradients(const torch::nn::Module& module) {
  const auto parameters = module.parameters();
  if (!inside_capture() &&
      require().compare_once("the parameters in average_gradients", form_of(parameters), [&] { return signature_of(parameters); })) {
    check_same_bits(require().board(), named_parameters_of(module), "the first average_gradients");
  }
  average_gradients(parameters);
}

void ProcessGroup::average_gradients(at::TensorList parameters) {
  const c10::NoGradGuard no_grad;
  const auto gradients = dense_gradients(parameters);
  require().compare_once("the gradients in average_gradients", form_of(gradients), [&] { return signature_of(gradients); });
  for (const auto& bucket : in_buckets(gradients, first_bucket, next_bucket)) {
    const auto sent = dense(bucket);
    all_reduce_(sent, ReduceOp::Average);
    copy_back(bucket, sent);
  }
}

void ProcessGroup::check_parameters(const torch::nn::Module& module) {
  check_same_bits(require().board(), tensors_of(module), "check_parameters");
}

void ProcessGroup::all_reduce_(at::TensorList tensors, ReduceOp op) {
  const c10::NoGradGuard no_grad;
  call_all_reduce(tensors, require().name, name_of(op));
}

void ProcessGroup::broadcast_(at::TensorList tensors, int source) {
  const c10::NoGradGuard no_grad;
  call_broadcast(tensors, require().name, source);
}

void ProcessGroup::all_gather_into(const at::Tensor& output, const at::Tensor& input) {
  static const auto gather = find<void(const at::Tensor&, const at::Tensor&, std::string_view)>("graphed::all_gather_into");
  const c10::NoGradGuard no_grad;
  gather.call(output, input, require().name);
}

void ProcessGroup::reduce_scatter_into(const at::Tensor& output, const at::Tensor& input, ReduceOp op) {
  static const auto scatter =
      find<void(const at::Tensor&, const at::Tensor&, std::string_view, std::string_view)>("graphed::reduce_scatter_into");
  const c10::NoGradGuard no_grad;
  scatter.call(output, input, require().name, name_of(op));
}

void ProcessGroup::run(const std::function<void()>& program) {
  try {
    program();
  } catch (const std::exception& error) {
    fail(message_of(error));
    throw;
  } catch (...) {
    fail("an exception that is not a std::exception");
    throw;
  }
}

void ProcessGroup::fail(const std::string& why) noexcept {
  if (group_) {
    group_->fail(why);
  }
}

void ProcessGroup::barrier() { require().board().meet(errand::in_hand("barrier"), {}); }

void ProcessGroup::shutdown() { require().shutdown(); }

}  // namespace graphed
