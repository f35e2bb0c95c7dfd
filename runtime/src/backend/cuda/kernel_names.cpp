// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/kernel_names.h"

#include "backend/cuda/driver.h"
#include "backend/cuda/memory_nodes.h"
#include "backend/cuda/stream.h"
#include "watch/body.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/util/Type.h>

#include <algorithm>
#include <exception>

namespace graphed::impl {
namespace {

// Of CUDA 12.3 and later; null where the driver is older.
template <class Function>
Function find(const char* name) {
  constexpr unsigned version = 12030;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  return result == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(found) : nullptr;
}

// "at::native::vectorized_elementwise_kernel<4, at::native::tanh_kernel...", without what it returns and takes.
std::string readable(const char* linked) {
  constexpr std::size_t longest = 120;
  std::string name = c10::demangle(linked);
  name = name.rfind("void ", 0) == 0 ? name.substr(5) : name;
  if (const auto arguments = name.rfind(">("); arguments != std::string::npos) {
    name.resize(arguments + 1);
  } else if (const auto plain = name.find('('); plain != std::string::npos && name.find('<') == std::string::npos) {
    name.resize(plain);
  }
  return name.size() <= longest ? name : name.substr(0, longest) + "...";
}

// A kernel of the runtime's is a function, one of a library is a kernel that is loaded for each context.
std::string kernel_of(cudaGraphNode_t node) {
  static const auto function_name = find<PFN_cuFuncGetName_v12030>("cuFuncGetName");
  static const auto kernel_name = find<PFN_cuKernelGetName_v12030>("cuKernelGetName");
  CUDA_KERNEL_NODE_PARAMS parameters{};
  const char* name = nullptr;
  if (driver::get().kernel_params(node, &parameters) != CUDA_SUCCESS) {
    return "kernel";
  }
  if (parameters.func != nullptr && function_name != nullptr) {
    static_cast<void>(function_name(&name, parameters.func));
  } else if (parameters.kern != nullptr && kernel_name != nullptr) {
    static_cast<void>(kernel_name(&name, parameters.kern));
  }
  return name == nullptr ? "kernel" : readable(name);
}

// Empty: it is not a work.
std::string name_of(cudaGraphNode_t node) {
  switch (type_of(node)) {
    case cudaGraphNodeTypeKernel:
      return kernel_of(node);
    case cudaGraphNodeTypeMemset:
      return "memset";
    case cudaGraphNodeTypeMemcpy:
      return "memcpy";
    case cudaGraphNodeTypeHost:
      return "host function";
    default:
      return {};
  }
}

}  // namespace

// An event that a graph records is known outside of it.
static event_handle record_in_capture(cudaStream_t captured) {
  cudaEvent_t made = nullptr;
  C10_CUDA_CHECK(cudaEventCreate(&made));
  event_handle event(made);
  C10_CUDA_CHECK(cudaEventRecordWithFlags(event.get(), captured, cudaEventRecordExternal));
  return event;
}

void operator_events::begin(const std::string& name, cudaStream_t captured) {
  spans_.push_back({name, record_in_capture(captured), nullptr});
}

void operator_events::end(cudaStream_t captured) { spans_.back().end = record_in_capture(captured); }

std::vector<operator_time> operator_events::times() const {
  const c10::cuda::CUDAGuard on_device(device_);
  const relaxed_capture_mode relaxed;
  std::vector<operator_time> times;
  for (const auto& span : spans_) {
    float milliseconds = 0;
    if (!span.end || cudaEventElapsedTime(&milliseconds, span.begin.get(), span.end.get()) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return {};
    }
    times.push_back({span.name, milliseconds * 1000.0});
  }
  return times;
}

void kernel_names::before(const std::string& name) noexcept {
  try {
    stream_ = nullptr;
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(device_.index());
    if (is_capturing(stream)) {
      if (clock_ && !inside_body()) {  // which must not record events
        clock_->begin(name, stream);
      }
      const auto tail = capture_tail(stream);
      known_.insert(tail.begin(), tail.end());
      stream_ = stream;
    }
  } catch (const std::exception&) {  // the capture fails elsewhere
  }
}

// Back from where the stream stands to what was there before.
std::vector<std::string> kernel_names::after() noexcept {
  std::vector<std::string> names;
  try {
    if (clock_ && stream_ != nullptr && !inside_body()) {
      clock_->end(stream_);
    }
    std::vector<cudaGraphNode_t> open = stream_ == nullptr ? std::vector<cudaGraphNode_t>() : capture_tail(stream_);
    while (!open.empty()) {
      const cudaGraphNode_t node = open.back();
      open.pop_back();
      if (!known_.insert(node).second) {
        continue;
      }
      if (std::string name = name_of(node); !name.empty()) {
        names.push_back(std::move(name));
      }
      const auto before = dependencies_of(node);
      open.insert(open.end(), before.begin(), before.end());
    }
    std::reverse(names.begin(), names.end());
  } catch (const std::exception&) {  // an operator whose capture has failed
    names.clear();
  }
  return names;
}

}  // namespace graphed::impl
