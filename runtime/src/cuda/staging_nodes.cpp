// SPDX-License-Identifier: Apache-2.0
#include "staging_nodes.h"

#include <c10/cuda/CUDAException.h>
#include <graphed/error.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

namespace graphed {
namespace {

constexpr std::size_t largest = *std::rbegin(staging_capacities);

// Of each of so many copies, the largest of so many bytes. A block copies 4 KiB in one round, which was the fastest from 64 KiB to 256 MiB
// on an H200, where such a kernel takes as long as a copy node, within 6 %.
unsigned blocks_for(uint64_t bytes, std::size_t copies) {
  constexpr uint64_t all = 8192;
  return static_cast<unsigned>(std::clamp<uint64_t>(bytes / 4096, 1, std::max<uint64_t>(all / copies, 64)));
}

// The node that was queued last.
cudaGraphNode_t last_node(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
#if CUDART_VERSION >= 13000
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, &nodes, nullptr, &count));
#else
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, nullptr, &nodes, &count));
#endif
  if (status != cudaStreamCaptureStatusActive || count != 1) {
    throw capture_error("the copies around the graph could not be captured");
  }
  return nodes[0];
}

// The stride of a dimension that has one element does not matter.
bool have_equal_strides(const at::Tensor& one, const at::Tensor& other) {
  bool equal = one.sizes() == other.sizes();
  if (equal && one.strides() == other.strides()) {
    return true;
  }
  for (int64_t dim = 0; equal && dim < one.dim(); ++dim) {
    equal = one.size(dim) <= 1 || one.stride(dim) == other.stride(dim);
  }
  return equal;
}

bool have_one_layout(const at::Tensor& of_graph, const at::Tensor& other) {
  return of_graph.dtype() == other.dtype() && of_graph.device() == other.device() && other.layout() == at::kStrided &&
         have_equal_strides(of_graph, other) && of_graph.is_non_overlapping_and_dense() && !other.is_conj() && !other.is_neg();
}

template <class Value>
uint64_t bits_of(Value value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// Of the types that a c10::Scalar has.
std::optional<uint64_t> bits_of(const c10::Scalar& value, c10::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
      return bits_of(value.toDouble());
    case at::kLong:
      return bits_of(value.toLong());
    case at::kBool:
      return bits_of(value.toBool());
    default:
      return std::nullopt;
  }
}

}  // namespace

staging_nodes::staging_nodes(cudaStream_t stream, const std::vector<at::Tensor>& tensors) : tensors_(tensors) {
  for (std::size_t first = 0; first < tensors_.size(); first += largest) {
    part& made = parts_.emplace_back(make_part(first, std::min(largest, tensors_.size() - first)));
    void* arguments[] = {made.next.data()};
    C10_CUDA_CHECK(cudaLaunchKernel(staging_kernel(made.capacity), made.grid, dim3(staging_threads), arguments, 0, stream));
    made.node = last_node(stream);
    C10_CUDA_CHECK(as_runtime_error(driver::get().kernel_params(made.node, &made.params)));
  }
}

staging_nodes::part staging_nodes::make_part(std::size_t first, std::size_t count) const {
  const std::size_t capacity = *std::find_if(std::begin(staging_capacities), std::end(staging_capacities),
                                             [count](std::size_t capacity) { return count <= capacity; });
  uint64_t most = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    most = std::max<uint64_t>(most, tensors_[i].defined() ? tensors_[i].nbytes() : 0);
  }
  const std::vector<uint64_t> nothing(3 * capacity);
  return {nullptr, {}, dim3(blocks_for(most, count), static_cast<unsigned>(count)), capacity, nothing, nothing};
}

void staging_nodes::keep_first(std::size_t count) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    part& old = parts_[i];
    if (i * largest >= count) {
      C10_CUDA_CHECK(cudaGraphDestroyNode(old.node));
      continue;
    }
    part kept = make_part(i * largest, std::min(largest, count - i * largest));
    void* arguments[] = {kept.next.data()};
    cudaKernelNodeParams params{};
    params.func = staging_kernel(kept.capacity);
    params.gridDim = kept.grid;
    params.blockDim = dim3(staging_threads);
    params.kernelParams = arguments;
    C10_CUDA_CHECK(cudaGraphKernelNodeSetParams(old.node, &params));
    C10_CUDA_CHECK(as_runtime_error(driver::get().kernel_params(old.node, &kept.params)));
    kept.node = old.node;
    old = std::move(kept);
  }
  tensors_.resize(count);
  parts_.resize((count + largest - 1) / largest);
}

void staging_nodes::find_in(cudaGraph_t clone) {
  for (auto& part : parts_) {
    C10_CUDA_CHECK(cudaGraphNodeFindInClone(&part.node, part.node, clone));
  }
}

void staging_nodes::stage(std::size_t place, uint64_t source, void* target, uint64_t bytes) {
  part& part = parts_[place / largest];
  const std::size_t entry = place % largest;
  part.next[entry] = source;
  part.next[part.capacity + entry] = reinterpret_cast<uint64_t>(target);
  part.next[2 * part.capacity + entry] = bytes;
}

bool staging_nodes::copy(std::size_t place, const at::Tensor& from) {
  const at::Tensor& to = tensors_[place];
  if (!have_one_layout(to, from)) {
    return false;
  }
  if (to.numel() != 0) {
    stage(place, reinterpret_cast<uint64_t>(from.const_data_ptr()), to.mutable_data_ptr(), to.nbytes());
  }
  return true;
}

bool staging_nodes::copy_out(std::size_t place, const at::Tensor& to) {
  const at::Tensor& from = tensors_[place];
  if (!have_one_layout(from, to)) {
    return false;
  }
  if (from.numel() != 0) {
    stage(place, reinterpret_cast<uint64_t>(from.const_data_ptr()), to.mutable_data_ptr(), from.nbytes());
  }
  return true;
}

bool staging_nodes::fill(std::size_t place, const c10::Scalar& value) {
  const at::Tensor& to = tensors_[place];
  const auto bits = bits_of(value, to.scalar_type());
  if (bits) {
    stage(place, *bits, to.mutable_data_ptr(), to.nbytes() | is_staged_value);
  }
  return bits.has_value();
}

void staging_nodes::fill_integer(std::size_t place, uint64_t value) {
  stage(place, value, tensors_[place].mutable_data_ptr(), sizeof value | is_staged_value);
}

void staging_nodes::patch(cudaGraphExec_t exec) {
  for (auto& part : parts_) {
    if (std::memcmp(part.next.data(), part.patched.data(), part.next.size() * sizeof(uint64_t)) != 0) {
      void* arguments[] = {part.next.data()};
      part.params.kernelParams = arguments;
      C10_CUDA_CHECK(as_runtime_error(driver::get().set_kernel_params(exec, part.node, &part.params)));
      part.patched = part.next;
    }
  }
}

void staging_nodes::forget() noexcept {
  for (auto& part : parts_) {
    std::fill_n(part.next.begin() + static_cast<std::ptrdiff_t>(2 * part.capacity), part.capacity, uint64_t{0});
  }
}

}  // namespace graphed
