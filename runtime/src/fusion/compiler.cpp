// SPDX-License-Identifier: Apache-2.0
#include "fusion/compiler.h"

#include <c10/core/DefaultDtype.h>
#include <c10/util/Exception.h>

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace graphed::impl::fusion {

namespace {

std::string library_name() { return "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000); }

/// The folder of the library that has this address, with a slash at its end.
std::string folder_of(const void* address) {
  Dl_info found{};
  if (address == nullptr || dladdr(address, &found) == 0 || found.dli_fname == nullptr) {
    return "";
  }
  const std::string path = found.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

/// By name, beside the CUDA runtime, or behind LibTorch's own library for it.
void* open_library() {
  const std::string name = library_name();
  const std::string beside_runtime = folder_of(dlsym(RTLD_DEFAULT, "cudaGetDeviceCount")) + name;
  const std::string of_libtorch = folder_of(reinterpret_cast<const void*>(&c10::get_default_dtype)) + "libcaffe2_nvrtc.so";
  for (const std::string& path : {name, beside_runtime, of_libtorch}) {
    if (void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      return library;
    }
  }
  return nullptr;
}

void* library() {
  static void* const opened = open_library();
  return opened;
}

template <typename Function>
Function* symbol(const char* name) {
  void* const found = dlsym(library(), name);
  return found != nullptr ? reinterpret_cast<Function*>(found) : throw std::runtime_error(std::string("it has no ") + name);
}

void check(nvrtcResult result, const char* name) {
  if (result != NVRTC_SUCCESS) {
    throw std::runtime_error(std::string(name) + " returned " + std::to_string(result));
  }
}
#define NVRTC(function, ...) check(symbol<decltype(function)>(#function)(__VA_ARGS__), #function)

std::string log_of(nvrtcProgram program) {
  std::size_t size = 0;
  NVRTC(nvrtcGetProgramLogSize, program, &size);
  std::string text(size, '\0');
  NVRTC(nvrtcGetProgramLog, program, text.data());
  return text.c_str();
}

std::string cubin_of(nvrtcProgram program, const std::vector<const char*>& options) {
  try {
    NVRTC(nvrtcCompileProgram, program, static_cast<int>(options.size()), options.data());
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(error.what() + std::string(": ") + log_of(program));
  }
  std::size_t size = 0;
  NVRTC(nvrtcGetCUBINSize, program, &size);
  std::string cubin(size, '\0');
  NVRTC(nvrtcGetCUBIN, program, cubin.data());
  return cubin;
}

}  // namespace

compiled compile(const std::string& source, const std::string& architecture) {
  if (library() == nullptr) {
    return {"", "there is no " + library_name()};
  }
  const std::string target = "--gpu-architecture=" + architecture;
  const auto destroy = [](nvrtcProgram* program) { symbol<decltype(nvrtcDestroyProgram)>("nvrtcDestroyProgram")(program); };
  try {
    nvrtcProgram program = nullptr;
    NVRTC(nvrtcCreateProgram, &program, source.c_str(), "fused.cu", 0, nullptr, nullptr);
    const std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);
    return {cubin_of(program, {"--std=c++17", target.c_str(), "--fmad=true", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"}), ""};
  } catch (const std::runtime_error& error) {
    return {"", std::string("NVRTC failed: ") + error.what()};
  }
}

std::string compiler_version() {
  int major = 0;
  int minor = 0;
  if (library() == nullptr) {
    return "";
  }
  NVRTC(nvrtcVersion, &major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace graphed::impl::fusion
