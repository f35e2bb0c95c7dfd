// SPDX-License-Identifier: Apache-2.0
#include "expected.h"

#include <c10/macros/Macros.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/headeronly/version.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <unistd.h>

namespace graphed::testing {

const figures& figures::of(c10::Device device) {
  static std::map<std::string, figures> made;
  const std::string name = device.is_cpu() ? "cpu" : "cuda";
  const auto found = made.find(name);
  return found != made.end() ? found->second : made.emplace(name, figures(device)).first->second;
}

figures::figures(c10::Device device) {
  const char* python = std::getenv("GRAPHED_PYTHON");
  const std::string script = std::filesystem::exists(OPTIM_EXPECTED) ? OPTIM_EXPECTED : "tests/optim/expected.py";  // if built elsewhere
  const auto file = std::filesystem::temp_directory_path() / ("graphed-expected-" + std::to_string(getpid()) + ".pt");
  constexpr auto version = C10_STRINGIZE(TORCH_VERSION_MAJOR) "." C10_STRINGIZE(TORCH_VERSION_MINOR) "." C10_STRINGIZE(TORCH_VERSION_PATCH);
  const std::string command = std::string("'") + (python == nullptr ? "python3" : python) + "' '" + script + "' " +
                              (device.is_cpu() ? "cpu" : "cuda") + " '" + file.string() + "' " + version;
  if (std::system(command.c_str()) != 0) {
    throw std::runtime_error("failed: " + command);
  }
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::filesystem::remove(file);
  for (const auto& entry : torch::jit::pickle_load(bytes).toGenericDict()) {
    tensors_.emplace(entry.key().toStringRef(), entry.value().toTensor());
  }
}

}  // namespace graphed::testing
