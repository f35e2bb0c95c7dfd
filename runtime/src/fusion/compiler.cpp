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

struct nvrtc {
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcGetErrorString) error_string;
  decltype(&nvrtcCreateProgram) create;
  decltype(&nvrtcDestroyProgram) destroy;
  decltype(&nvrtcCompileProgram) compile;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcGetCUBINSize) cubin_size;
  decltype(&nvrtcGetCUBIN) cubin;

  /// Null where there is no such library.
  static const nvrtc* get() {
    static const std::unique_ptr<const nvrtc> found = find();
    return found.get();
  }

 private:
  static std::unique_ptr<const nvrtc> find() {
    void* const library = open_library();
    if (library == nullptr) {
      return nullptr;
    }
    auto found = std::make_unique<nvrtc>();
    const bool has_all = look_up(library, "nvrtcVersion", found->version) && look_up(library, "nvrtcGetErrorString", found->error_string) &&
                         look_up(library, "nvrtcCreateProgram", found->create) && look_up(library, "nvrtcDestroyProgram", found->destroy) &&
                         look_up(library, "nvrtcCompileProgram", found->compile) &&
                         look_up(library, "nvrtcGetProgramLogSize", found->log_size) &&
                         look_up(library, "nvrtcGetProgramLog", found->log) && look_up(library, "nvrtcGetCUBINSize", found->cubin_size) &&
                         look_up(library, "nvrtcGetCUBIN", found->cubin);
    return has_all ? std::move(found) : nullptr;
  }
  template <typename Function>
  static bool look_up(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

class nvrtc_program {
 public:
  nvrtc_program(const nvrtc& library, const std::string& source) : library_(library) {
    check(library.create(&program_, source.c_str(), "fused.cu", 0, nullptr, nullptr));
  }
  ~nvrtc_program() { library_.destroy(&program_); }
  nvrtc_program(const nvrtc_program&) = delete;
  nvrtc_program& operator=(const nvrtc_program&) = delete;

  std::string compile(const std::vector<const char*>& options) {
    const nvrtcResult result = library_.compile(program_, static_cast<int>(options.size()), options.data());
    if (result != NVRTC_SUCCESS) {
      throw std::runtime_error(std::string(library_.error_string(result)) + ": " + log());
    }
    std::size_t size = 0;
    check(library_.cubin_size(program_, &size));
    std::string cubin(size, '\0');
    check(library_.cubin(program_, cubin.data()));
    return cubin;
  }

 private:
  void check(nvrtcResult result) const {
    if (result != NVRTC_SUCCESS) {
      throw std::runtime_error(library_.error_string(result));
    }
  }
  std::string log() const {
    std::size_t size = 0;
    check(library_.log_size(program_, &size));
    std::string text(size, '\0');
    check(library_.log(program_, text.data()));
    return text.c_str();
  }

  const nvrtc& library_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace

compiled compile(const std::string& source, const std::string& architecture) {
  const nvrtc* const library = nvrtc::get();
  if (library == nullptr) {
    return {"", "there is no " + library_name()};
  }
  const std::string target = "--gpu-architecture=" + architecture;
  try {
    nvrtc_program made(*library, source);
    return {made.compile({"--std=c++17", target.c_str(), "--fmad=true", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"}), ""};
  } catch (const std::runtime_error& error) {
    return {"", std::string("NVRTC failed: ") + error.what()};
  }
}

std::string compiler_version() {
  int major = 0;
  int minor = 0;
  const nvrtc* const library = nvrtc::get();
  const bool is_known = library != nullptr && library->version(&major, &minor) == NVRTC_SUCCESS;
  return is_known ? std::to_string(major) + "." + std::to_string(minor) : "";
}

}  // namespace graphed::impl::fusion
