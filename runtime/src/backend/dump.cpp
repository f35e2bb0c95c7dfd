// SPDX-License-Identifier: Apache-2.0
#include "backend/captured_graph.h"

#include "report/log.h"
#include "report/pages.h"

#include <atomic>
#include <cctype>
#include <filesystem>
#include <string>

namespace graphed::impl {
namespace {

// A callable's name as part of a file's: "app.policy".
std::string file_name(const std::string& callable) {
  std::string name;
  for (const char c : callable) {
    if (c == ':') {
      name += name.empty() || name.back() == '.' ? "" : ".";
    } else {
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
    }
  }
  return name;
}

}  // namespace

void dump(const CallableSpec& spec, const char* direction, const captured_graph& graph) {
  const std::string& folder = environment::get().dump;
  if (folder.empty()) {
    return;
  }
  static std::atomic<uint64_t> written{0};
  const std::string name = file_name(spec.name) + "-" + std::to_string(++written) + "-" + direction + ".dot";
  try {
    std::filesystem::create_directories(folder);
    graph.write_dot((std::filesystem::path(folder) / name).string());
  } catch (const std::exception& error) {
    warn(message_prefix(spec) + "GRAPHED_DUMP: " + error.what() + see(pages::environment));
  }
}

}  // namespace graphed::impl
