// SPDX-License-Identifier: Apache-2.0
#include "slot/dump.h"

#include "report/environment.h"
#include "report/log.h"
#include "report/pages.h"
#include "report/run/graph_json.h"
#include "slot/memory_names.h"

#include <graphed/error.h>

#include <c10/util/FunctionRef.h>

#include <atomic>
#include <cctype>
#include <filesystem>
#include <fstream>

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

void warn_if_unwritten(const CallableSpec& spec, c10::function_ref<void()> write) {
  try {
    write();
  } catch (const std::exception& error) {
    warn(message_prefix(spec) + "GRAPHED_DUMP: " + error.what() + see(pages::environment));
  }
}

}  // namespace

bool graph_dump::is_wanted() { return !environment::get().dump.empty(); }

void graph_dump::write_graph(const captured_graph& graph) {
  if (!is_wanted()) {
    return;
  }
  static std::atomic<uint64_t> written{0};
  const std::filesystem::path folder = environment::get().dump;
  stem_ = folder / (file_name(spec_.name) + "-" + std::to_string(++written) + "-" + direction_);
  warn_if_unwritten(spec_, [&] {
    std::filesystem::create_directories(folder);
    graph.write_dot(stem_ + ".dot");
  });
}

void graph_dump::write_operators(const captured_work& work) const {
  if (stem_.empty()) {
    return;
  }
  warn_if_unwritten(spec_, [&] {
    const std::string path = stem_ + ".json";
    std::ofstream file(path, std::ios::binary);
    file << graph_format().text_of(memory_names().nodes_of(work)) << '\n';
    file.close();
    if (!file) {
      throw Error("the operators could not be written to '" + path + "'");
    }
  });
}

}  // namespace graphed::impl
