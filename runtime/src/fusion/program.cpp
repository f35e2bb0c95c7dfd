// SPDX-License-Identifier: Apache-2.0
#include "fusion/program.h"

#include "fusion/compiler.h"
#include "fusion/kernel_cache.h"
#include "fusion/kernel_source.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <utility>

namespace graphed::impl::fusion {

namespace {

struct driver {
  PFN_cuModuleLoadData_v2000 load = entry_point<PFN_cuModuleLoadData_v2000>("cuModuleLoadData");
  PFN_cuModuleUnload_v2000 unload = entry_point<PFN_cuModuleUnload_v2000>("cuModuleUnload");
  PFN_cuModuleGetFunction_v2000 function = entry_point<PFN_cuModuleGetFunction_v2000>("cuModuleGetFunction");
  PFN_cuLaunchKernel_v4000 launch = entry_point<PFN_cuLaunchKernel_v4000>("cuLaunchKernel");

  static const driver& get() {
    static const driver found;
    return found;
  }

 private:
  template <class Function>
  static Function entry_point(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    C10_CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &found, /*cudaVersion=*/12000, cudaEnableDefault, &result));
    TORCH_CHECK(result == cudaDriverEntryPointSuccess, "graphed: the CUDA driver has no ", name, " of CUDA 12.0: update the driver");
    return reinterpret_cast<Function>(found);
  }
};

void check(CUresult result, const char* what) {
  TORCH_CHECK(result == CUDA_SUCCESS, what, " failed: ", cudaGetErrorString(static_cast<cudaError_t>(result)));
}

compiled cached_or_compiled(const std::string& source) {
  const std::string architecture = current_architecture();
  const std::string key = "cubin " + architecture + " NVRTC " + compiler_version() + "\n" + source;
  if (auto cubin = kernel_cache::get().find(key)) {
    return {std::move(*cubin), ""};
  }
  compiled made = compile(source, architecture);
  if (!made.cubin.empty()) {
    kernel_cache::get().keep(key, made.cubin);
  }
  return made;
}

}  // namespace

std::string current_architecture() {
  const c10::DeviceIndex device = c10::cuda::current_device();
  int major = 0;
  int minor = 0;
  C10_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  C10_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

std::unique_ptr<program> program::make(c10::ArrayRef<kernel> kernels, std::string& why_not) {
  try {
    const compiled cubin = cached_or_compiled(program_source(kernels));
    why_not = cubin.why_not;
    if (cubin.cubin.empty()) {
      return nullptr;
    }
    std::unique_ptr<program> made(new program);
    check(driver::get().load(&made->module_, cubin.cubin.data()), "cuModuleLoadData");
    for (const kernel& k : kernels) {
      check(driver::get().function(&made->functions_.emplace_back(), made->module_, k.name.c_str()), "cuModuleGetFunction");
    }
    return made;
  } catch (const c10::Error& error) {
    why_not = error.what_without_backtrace();
    return nullptr;
  }
}

std::shared_ptr<const program> program::shared(c10::ArrayRef<kernel> kernels, std::string& why_not) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<c10::DeviceIndex, std::string>, std::shared_ptr<const program>>();
  const std::lock_guard lock(mutex);
  std::shared_ptr<const program>& found = known[{c10::cuda::current_device(), program_source(kernels)}];
  if (!found) {
    found = make(kernels, why_not);
  }
  return found;
}

program::~program() {
  if (module_ != nullptr) {
    driver::get().unload(module_);
  }
}

void program::launch(std::size_t kernel, unsigned blocks, c10::ArrayRef<void*> addresses, CUstream stream) const {
  std::vector<void*> values = addresses.vec();
  std::vector<void*> parameters;
  for (void*& value : values) {
    parameters.push_back(&value);
  }
  check(driver::get().launch(function(kernel), blocks, 1, 1, threads_of_block, 1, 1, 0, stream, parameters.data(), nullptr),
        "cuLaunchKernel");
}

}  // namespace graphed::impl::fusion
