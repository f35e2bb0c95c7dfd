// SPDX-License-Identifier: Apache-2.0
#include "distributed/store_backend.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>

#include <cstring>
#include <utility>

namespace graphed::impl {
namespace {

using work = c10::intrusive_ptr<c10d::Work>;

struct ended_work final : c10d::Work {
  ended_work() { finish(); }
};

work ended() { return c10::make_intrusive<ended_work>(); }

bytes packed(at::TensorList tensors) {
  bytes all;
  for (const auto& tensor : tensors) {
    const auto* const first = static_cast<const uint8_t*>(tensor.const_data_ptr());
    all.insert(all.end(), first, first + tensor.nbytes());
  }
  return all;
}

void unpack(const bytes& all, at::TensorList tensors) {
  std::size_t needed = 0;
  for (const auto& tensor : tensors) {
    needed += tensor.nbytes();
  }
  TORCH_CHECK(needed == all.size(), "graphed: ProcessGroup: ranks give tensors of different sizes to a collective: ", all.size(),
              " bytes and ", needed);
  std::size_t place = 0;
  for (const auto& tensor : tensors) {
    if (tensor.nbytes() != 0) {
      std::memcpy(tensor.mutable_data_ptr(), all.data() + place, tensor.nbytes());
    }
    place += tensor.nbytes();
  }
}

void combine(const at::Tensor& sum, const at::Tensor& value, const c10d::ReduceOp& op) {
  switch (static_cast<c10d::ReduceOp::RedOpType>(op)) {
    case c10d::ReduceOp::SUM:
      sum.add_(value);
      break;
    case c10d::ReduceOp::PRODUCT:
      sum.mul_(value);
      break;
    case c10d::ReduceOp::MIN:
      sum.copy_(at::minimum(sum, value));
      break;
    case c10d::ReduceOp::MAX:
      sum.copy_(at::maximum(sum, value));
      break;
    default:
      TORCH_CHECK(false, "graphed: ProcessGroup: on a CPU there are sums, products, minima and maxima, no other reduction");
  }
}

void reduce_all(const std::vector<bytes>& given, at::TensorList tensors, const c10d::ReduceOp& op) {
  std::vector<at::Tensor> other;
  for (const auto& tensor : tensors) {
    other.push_back(at::empty_like(tensor));
  }
  unpack(given[0], tensors);
  for (std::size_t rank = 1; rank < given.size(); ++rank) {
    unpack(given[rank], other);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      combine(tensors[i], other[i], op);
    }
  }
}

}  // namespace

store_backend::store_backend(std::shared_ptr<board> ranks) : Backend(ranks->rank, ranks->size), board_(std::move(ranks)) {}

work store_backend::allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions& options) {
  reduce_all(board_->meet("all_reduce_", packed(tensors)), tensors, options.reduceOp);
  return ended();
}

work store_backend::allreduce_coalesced(std::vector<at::Tensor>& tensors, const c10d::AllreduceCoalescedOptions& options) {
  return allreduce(tensors, options);
}

work store_backend::broadcast(std::vector<at::Tensor>& tensors, const c10d::BroadcastOptions& options) {
  const bool is_source = options.rootRank == getRank();
  const auto given = board_->meet("broadcast_", is_source ? packed(tensors) : bytes());
  if (!is_source) {
    unpack(given.at(static_cast<std::size_t>(options.rootRank)), tensors);
  }
  return ended();
}

work store_backend::_allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& /*options*/) {
  const auto given = board_->meet("all_gather_into", packed({input}));
  const at::Tensor parts = output.view({getSize(), -1});
  for (int rank = 0; rank < getSize(); ++rank) {
    unpack(given[static_cast<std::size_t>(rank)], {parts[rank]});
  }
  return ended();
}

work store_backend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) {
  const at::Tensor sum = at::empty_like(input);
  reduce_all(board_->meet("reduce_scatter_into", packed({input})), {sum}, options.reduceOp);
  output.copy_(sum.view({getSize(), -1})[getRank()].view(output.sizes()));
  return ended();
}

}  // namespace graphed::impl
