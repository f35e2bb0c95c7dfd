// SPDX-License-Identifier: Apache-2.0
#include "torch/compiled_models.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace graphed::impl {
namespace {

struct libraries {
  unsigned long long added = 0, removed = 0;  ///< since the process began
  std::vector<std::string> names;
};

int note(dl_phdr_info* info, std::size_t /*size*/, void* to) {
  auto& found = *static_cast<libraries*>(to);
  found.added = info->dlpi_adds;
  found.removed = info->dlpi_subs;
  found.names.emplace_back(info->dlpi_name);
  return 0;
}

// Each model has it (torch/csrc/inductor/aoti_runtime/interface.h).
bool is_model(const std::string& name) {
  void* const library = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    return false;
  }
  const bool is_it = dlsym(library, "AOTInductorModelContainerRunSingleThreaded") != nullptr;
  dlclose(library);
  return is_it;
}

}  // namespace

bool has_compiled_models() {
  static std::mutex mutex;
  static libraries last;
  static bool answer = false;
  libraries now;
  dl_iterate_phdr(note, &now);
  const std::lock_guard lock(mutex);
  if (now.added != last.added || now.removed != last.removed) {
    answer = std::any_of(now.names.begin(), now.names.end(), is_model);
    last = std::move(now);
  }
  return answer;
}

bool runs_for_several_threads(const void* function) {
  Dl_info found{};
  return function != nullptr && dladdr(function, &found) != 0 && found.dli_sname != nullptr &&
         std::string_view(found.dli_sname) == "AOTInductorModelContainerRun";
}

}  // namespace graphed::impl
