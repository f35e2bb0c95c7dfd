// SPDX-License-Identifier: Apache-2.0
#include "distributed/store_backend.h"

#include "report/pages.h"
#include "report/text.h"
#include "watch/run_in_hand.h"

#include <graphed/error.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace graphed::impl {
namespace {

using work = c10::intrusive_ptr<c10d::Work>;

struct ended_work final : c10d::Work {
  ended_work() { finish(); }
};

work ended() { return c10::make_intrusive<ended_work>(); }

std::string forms_of(at::TensorList tensors) {
  std::string all;
  for (const auto& tensor : tensors) {
    all += (all.empty() ? "" : ", ") + annotated(tensor.scalar_type()) + text(tensor.sizes());
  }
  return all;
}

/// What a rank provides to a collective: what it says of its tensors, and their bytes, where it gives them.
struct parcel {
  std::string place, forms, size;
  bytes::const_iterator begin;
};

constexpr char field_end = '\n';

parcel opened(const bytes& all) {
  auto rest = all.begin();
  const auto line = [&] {
    const auto begin = rest, end = std::find(begin, all.end(), field_end);
    rest = end + 1;
    return std::string(begin, end);
  };
  parcel made{line(), line(), line(), {}};
  made.begin = rest;
  return made;
}

std::size_t size_of(at::TensorList tensors) {
  std::size_t size = 0;
  for (const auto& tensor : tensors) {
    size += tensor.nbytes();
  }
  return size;
}

bytes packed(at::TensorList tensors, bool gives) {
  bytes all = bytes_of(run_in_hand::place() + field_end + forms_of(tensors) + field_end + std::to_string(size_of(tensors)) + field_end);
  if (!gives) {
    return all;
  }
  for (const auto& tensor : tensors) {
    const auto* const first = static_cast<const uint8_t*>(tensor.const_data_ptr());
    all.insert(all.end(), first, first + tensor.nbytes());
  }
  return all;
}

void unpack(const bytes& all, at::TensorList tensors) {
  auto from = opened(all).begin;
  for (const auto& tensor : tensors) {
    const auto end = from + static_cast<std::ptrdiff_t>(tensor.nbytes());
    std::copy(from, end, static_cast<uint8_t*>(tensor.mutable_data_ptr()));
    from = end;
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

// "rank 1 provides f32[2, 6] (48 bytes) in a replay of 'app::learn'"
std::string words_of(int rank, const parcel& brought) {
  return "rank " + std::to_string(rank) + " brings " + brought.forms + " (" + brought.size + " bytes)" + brought.place;
}

bool are_of_one_call(const parcel& one, const parcel& other) {
  constexpr std::string_view replay = " in a replay of ";
  const auto is_replay = [&](const parcel& each) { return each.place.compare(0, replay.size(), replay) == 0; };
  return !is_replay(one) || !is_replay(other) || one.place == other.place;
}

}  // namespace

store_backend::store_backend(std::shared_ptr<board> ranks) : Backend(ranks->rank, ranks->size), board_(std::move(ranks)) {}

std::vector<bytes> store_backend::exchanged(const char* what, at::TensorList tensors, bool gives) {
  auto given = board_->meet(errand::in_hand(what), packed(tensors, gives));
  const parcel own = opened(given[static_cast<std::size_t>(getRank())]);
  for (int rank = 0; rank < getSize(); ++rank) {
    const parcel theirs = opened(given[static_cast<std::size_t>(rank)]);
    if (theirs.size != own.size || !are_of_one_call(own, theirs)) {
      throw Error(std::string("graphed: ProcessGroup: ") + what + ": " + words_of(rank, theirs) + ", and " + words_of(getRank(), own) +
                  ": all ranks must call the same in the same order, with tensors of the same sizes" + see(pages::distributed));
    }
  }
  return given;
}

work store_backend::allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions& options) {
  reduce_all(exchanged("all_reduce_", tensors), tensors, options.reduceOp);
  return ended();
}

work store_backend::allreduce_coalesced(std::vector<at::Tensor>& tensors, const c10d::AllreduceCoalescedOptions& options) {
  return allreduce(tensors, options);
}

work store_backend::broadcast(std::vector<at::Tensor>& tensors, const c10d::BroadcastOptions& options) {
  const bool is_source = options.rootRank == getRank();
  const auto given = exchanged("broadcast_", tensors, is_source);
  if (!is_source) {
    unpack(given.at(static_cast<std::size_t>(options.rootRank)), tensors);
  }
  return ended();
}

work store_backend::_allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& /*options*/) {
  const auto given = exchanged("all_gather_into", input);
  const at::Tensor parts = output.view({getSize(), -1});
  for (int rank = 0; rank < getSize(); ++rank) {
    unpack(given[static_cast<std::size_t>(rank)], {parts[rank]});
  }
  return ended();
}

work store_backend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) {
  const at::Tensor sum = at::empty_like(input);
  reduce_all(exchanged("reduce_scatter_into", input), {sum}, options.reduceOp);
  output.copy_(sum.view({getSize(), -1})[getRank()].view(output.sizes()));
  return ended();
}

}  // namespace graphed::impl
