// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/staging_nodes.h"

#include "backend/cuda/stream.h"
#include "backend/staging.h"

#include <c10/cuda/CUDAException.h>
#include <graphed/error.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

namespace graphed::impl {
namespace {

constexpr std::size_t largest = *std::rbegin(staging_capacities);

// Of each of so many copies, the largest of so many bytes. A block copies 4 KiB in one round, which was the fastest from 64 KiB to 256 MiB
// on an H200. There such a kernel takes as long as a copy node, within 6 %.
unsigned blocks_for(uint64_t bytes, std::size_t copies) {
  constexpr uint64_t all = 8192;
  return static_cast<unsigned>(std::clamp<uint64_t>(bytes / 4096, 1, std::max<uint64_t>(all / copies, 64)));
}

// Of a tensor of the host within the parameters: each at a multiple of 16 bytes, as a kernel copies.
std::size_t words_of(uint64_t bytes) { return (bytes + 15) / 16 * 2; }

// Of the parameters' memory for so many bytes; none where they are more than there are kernels for.
std::size_t words_for(uint64_t bytes) {
  const auto* const found = std::find_if(std::begin(staging_memory_words), std::end(staging_memory_words),
                                         [&](std::size_t words) { return bytes <= words * sizeof(uint64_t); });
  return bytes == 0 || found == std::end(staging_memory_words) ? 0 : *found;
}

// The node that was queued last.
cudaGraphNode_t last_node(cudaStream_t stream) {
  const auto nodes = capture_tail(stream);
  if (nodes.size() != 1) {
    throw CaptureError("the copies around the graph could not be captured");
  }
  return nodes[0];
}

// The stride of a dimension that has one element does not matter.
bool have_equal_strides(const at::Tensor& one, const at::Tensor& other) {
  for (int64_t dim = 0; dim < one.dim(); ++dim) {
    if (one.size(dim) > 1 && one.stride(dim) != other.stride(dim)) {
      return false;
    }
  }
  return true;
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

staging_nodes::own_tensor::own_tensor(const at::Tensor& tensor) : tensor(tensor) {
  if (tensor.defined()) {
    address = reinterpret_cast<uint64_t>(tensor.mutable_data_ptr());
    bytes = tensor.nbytes();
    is_contiguous = tensor.is_contiguous();
  }
}

bool staging_nodes::own_tensor::has_layout_of(const at::Tensor& other) const {
  if (other.layout() != at::kStrided || tensor.dtype() != other.dtype() || tensor.device() != other.device() ||
      tensor.sizes() != other.sizes() || !has_values_in_memory(other)) {
    return false;
  }
  return is_contiguous ? other.is_contiguous() : tensor.is_non_overlapping_and_dense() && have_equal_strides(tensor, other);
}

staging_nodes::part::part(at::ArrayRef<own_tensor> tensors, std::size_t capacity, std::size_t words)
    : entries(tensors.size()),
      capacity(capacity),
      table(staging_head(capacity) + (staging_sets(capacity) + 2) * capacity + words),
      outside(tensors.size()),
      bytes(tensors.size()),
      memory(words) {
  uint64_t most = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    most = std::max(most, tensors[i].bytes);
    outside_of(staging_sets(capacity))[i] = tensors[i].address;
  }
  grid = dim3(blocks_for(most, tensors.size()), static_cast<unsigned>(tensors.size()));
}

bool staging_nodes::part::select_set() {
  const std::size_t others = (entries - 1) * sizeof(uint64_t);
  std::size_t set = 0;
  while (set < staging_sets(capacity) && std::memcmp(outside_of(set), outside.data(), others) != 0) {
    ++set;
  }
  const bool is_new = set == staging_sets(capacity);
  if (is_new) {
    set = oldest_set;
    oldest_set = (oldest_set + 1) % staging_sets(capacity);
    std::memcpy(outside_of(set), outside.data(), others);
  }
  return std::exchange(table[0], set) != set || is_new;
}

bool staging_nodes::part::update() {
  const bool comes_from_others = entries > 1 && select_set();
  const bool asks_else = std::memcmp(bytes_staged(), bytes.data(), bytes.size() * sizeof(uint64_t)) != 0;
  if (asks_else) {
    std::copy(bytes.begin(), bytes.end(), bytes_staged());
  }
  const bool brings_else = memory_used != 0 && std::memcmp(memory_staged(), memory.data(), memory_used * sizeof(uint64_t)) != 0;
  if (brings_else) {
    std::copy_n(memory.begin(), memory_used, memory_staged());
  }
  uint64_t& last = table[staging_head(capacity) - 1];
  return std::exchange(last, outside.back()) != outside.back() || comes_from_others || asks_else || brings_else;
}

staging_nodes::staging_nodes(cudaStream_t stream, const std::vector<at::Tensor>& tensors, uint64_t from_host)
    : tensors_(tensors.begin(), tensors.end()) {
  const std::size_t words = words_for(from_host);
  for (std::size_t first = 0; first < tensors_.size(); first += largest) {
    part& made = parts_.emplace_back(make_part(first, std::min(largest, tensors_.size() - first), first == 0 ? words : 0));
    void* arguments[] = {made.table.data()};
    C10_CUDA_CHECK(
        cudaLaunchKernel(staging_kernel(made.capacity, made.memory.size()), made.grid, dim3(kernel_threads), arguments, 0, stream));
    made.node = last_node(stream);
    C10_CUDA_CHECK(as_runtime_error(driver::get().kernel_params(made.node, &made.params)));
  }
}

staging_nodes::part staging_nodes::make_part(std::size_t first, std::size_t count, std::size_t words) const {
  const std::size_t capacity = *std::find_if(std::begin(staging_capacities), std::end(staging_capacities),
                                             [count](std::size_t capacity) { return count <= capacity; });
  return part(at::ArrayRef<own_tensor>(tensors_).slice(first, count), capacity, capacity <= largest_with_memory ? words : 0);
}

void staging_nodes::keep_first(std::size_t count) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    part& old = parts_[i];
    if (count == 0) {
      C10_CUDA_CHECK(cudaGraphDestroyNode(old.node));
    }
    if (i * largest >= count) {
      continue;  // it copies nothing, and what follows waits for the others by it
    }
    part kept = make_part(i * largest, std::min(largest, count - i * largest), old.memory.size());
    void* arguments[] = {kept.table.data()};
    cudaKernelNodeParams params{};
    params.func = staging_kernel(kept.capacity, kept.memory.size());
    params.gridDim = kept.grid;
    params.blockDim = dim3(kernel_threads);
    params.kernelParams = arguments;
    C10_CUDA_CHECK(cudaGraphKernelNodeSetParams(old.node, &params));
    C10_CUDA_CHECK(as_runtime_error(driver::get().kernel_params(old.node, &kept.params)));
    kept.node = old.node;
    old = std::move(kept);
  }
  tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(count), tensors_.end());
  parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>((count + largest - 1) / largest), parts_.end());
}

void staging_nodes::stage(std::size_t place, uint64_t outside, uint64_t bytes) {
  part& part = parts_[place / largest];
  const std::size_t entry = place % largest;
  part.outside[entry] = outside;
  part.bytes[entry] = bytes;
}

bool staging_nodes::copy(std::size_t place, const at::Tensor& from) {
  const own_tensor& to = tensors_[place];
  if (!to.has_layout_of(from)) {
    return false;
  }
  if (to.bytes != 0) {
    stage(place, reinterpret_cast<uint64_t>(from.const_data_ptr()), to.bytes);
  }
  return true;
}

void staging_nodes::copy_from_host(std::size_t place, const void* from) {
  const uint64_t bytes = tensors_[place].bytes;
  part& part = parts_[place / largest];
  const std::size_t words = words_of(bytes), begin = part.memory_used;
  if (words <= part.memory.size() - begin) {
    std::memcpy(part.memory.data() + begin, from, bytes);
    part.memory_used += words;
    return stage(place, begin * sizeof(uint64_t), bytes | is_within);
  }
  stage(place, reinterpret_cast<uint64_t>(from), bytes);
}

bool staging_nodes::copy_out(std::size_t place, const at::Tensor& to) {
  const own_tensor& from = tensors_[place];
  if (!from.has_layout_of(to)) {
    return false;
  }
  if (from.bytes != 0) {
    stage(place, reinterpret_cast<uint64_t>(to.mutable_data_ptr()), from.bytes | is_copied_out);
  }
  return true;
}

bool staging_nodes::fill(std::size_t place, const c10::Scalar& value) {
  const own_tensor& to = tensors_[place];
  const auto bits = bits_of(value, to.tensor.scalar_type());
  if (bits) {
    stage(place, *bits, to.bytes | is_staged_value);
  }
  return bits.has_value();
}

void staging_nodes::fill_integer(std::size_t place, uint64_t value) { stage(place, value, sizeof value | is_staged_value); }

void staging_nodes::patch(cudaGraphExec_t exec) {
  for (auto& part : parts_) {
    if (part.update() || !part.is_patched) {
      void* arguments[] = {part.table.data()};
      part.params.kernelParams = arguments;
      part.is_patched = false;
      C10_CUDA_CHECK(as_runtime_error(driver::get().set_kernel_params(exec, part.node, &part.params)));
      part.is_patched = true;
    }
  }
}

void staging_nodes::forget() noexcept {
  for (auto& part : parts_) {
    std::fill(part.bytes.begin(), part.bytes.end(), uint64_t{0});
    part.memory_used = 0;
  }
}

}  // namespace graphed::impl
