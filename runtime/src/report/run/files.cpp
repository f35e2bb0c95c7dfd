// SPDX-License-Identifier: Apache-2.0
#include "report/run/files.h"

#include "report/log.h"
#include "report/pages.h"

#include <graphed/error.h>
#include <graphed/report.h>

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace graphed::impl {
namespace {

/// Callables that have ended. Never destroyed: others end with the static storage.
class ended_callables {
 public:
  static ended_callables& get() {
    static auto& made = *new ended_callables;
    return made;
  }
  void add(reported_callable&& ended) {
    constexpr std::size_t most = 256;
    const std::lock_guard lock(mutex_);
    if (all_.size() < most) {
      all_.push_back(std::move(ended));
    } else {
      ++left_out_;
    }
  }
  void copy_to(reported_process& process) const {
    const std::lock_guard lock(mutex_);
    process.callables.insert(process.callables.end(), all_.begin(), all_.end());
    process.left_out = left_out_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<reported_callable> all_;
  uint64_t left_out_ = 0;
};

std::atomic<report_source> source_of_living{nullptr};

std::string program_name() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).filename();
}

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  const bool is_known = gmtime_r(&now, &parts) != nullptr && std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts) != 0;
  return is_known ? text.data() : "";
}

reported_process collect() {
  reported_process process;
  process.number = getpid();
  process.program = program_name();
  process.written_at = time_now();
  process.collected = detail::collects;
  ended_callables::get().copy_to(process);
  if (const report_source source = source_of_living) {
    auto living = source();
    process.callables.insert(process.callables.end(), std::make_move_iterator(living.begin()), std::make_move_iterator(living.end()));
  }
  return process;
}

std::filesystem::path folder_of(std::string name) {
  for (auto place = name.find("%p"); place != std::string::npos; place = name.find("%p", place)) {
    name.replace(place, 2, std::to_string(getpid()));
  }
  return name;
}

// A reader sees the old file or the new one.
void write_file(const std::filesystem::path& path, const std::string& text) {
  auto unfinished = path;
  unfinished += "." + std::to_string(getpid()) + ".part";
  std::ofstream file(unfinished, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    throw Error("graphed: the report could not be written to '" + path.string() + "'" + see(pages::report));
  }
  std::filesystem::rename(unfinished, path);
}

void write_report(const std::string& name) {
  try {
    const auto folder = folder_of(name);
    const reported_process process = collect();
    std::filesystem::create_directories(folder);
    write_file(folder / "report.json", json_of(process));
    write_file(folder / "trace.json", trace_of(process));
    write_file(folder / "index.html", page_of(process));
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(std::string("graphed: the report could not be written: ") + error.what() + see(pages::report));
  }
}

// Of the process that asked: one that it forks has its threads no more.
pid_t asking_process = 0;

void write_at_end() {
  if (getpid() != asking_process) {
    return;
  }
  try {
    write_report(environment::get().report);
  } catch (const std::exception& error) {
    warn(std::string("GRAPHED_REPORT: ") + error.what());
  }
}

}  // namespace

void set_report_source(report_source source) { source_of_living = source; }

void keep_report(reported_callable&& ended) noexcept {
  try {
    ended_callables::get().add(std::move(ended));
  } catch (const std::exception&) {  // there is no memory for it
  }
}

bool detail::ask_environment() {
  if (!environment::get().report.empty()) {
    begin_collecting();
    asking_process = getpid();
    std::atexit(&write_at_end);
  }
  return true;
}

}  // namespace graphed::impl

namespace graphed {

void collect_report() { impl::begin_collecting(); }

void report(const std::string& folder) { impl::write_report(folder); }

}  // namespace graphed
