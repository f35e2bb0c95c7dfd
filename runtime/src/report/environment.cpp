// SPDX-License-Identifier: Apache-2.0
#include "report/environment.h"

#include "report/pages.h"

#include <graphed/disable.h>
#include <graphed/error.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace graphed::impl {
namespace {

[[noreturn]] void refuse(const char* name, std::string_view value, const char* expected) {
  throw Error(std::string("graphed: the environment variable ") + name + ": expected " + expected + ", got '" + std::string(value) + "'" +
              see(pages::environment));
}

bool is_set(const char* name, std::string_view text) {
  if (text.empty() || text == "0") {
    return false;
  }
  if (text != "1") {
    refuse(name, text, "0 or 1");
  }
  return true;
}

uint64_t count(const char* name, std::string_view text) {
  uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && (failed != std::errc() || end != text.data() + text.size())) {
    refuse(name, text, "a number of calls");
  }
  return number;
}

LogLevel level(const char* name, std::string_view text) {
  constexpr std::array<std::string_view, 4> words{"off", "warnings", "captures", "calls"};
  if (text.empty()) {
    return LogLevel::Warnings;
  }
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) {
    refuse(name, text, "off, warnings, captures or calls");
  }
  return static_cast<LogLevel>(found - words.begin());
}

}  // namespace

environment environment::parse(const char* (*lookup)(const char* name)) {
  const auto read = [lookup](auto&& of, const char* name) {
    const char* const text = lookup(name);
    return of(name, text == nullptr ? "" : text);
  };
  environment made;
  made.disable = read(is_set, "GRAPHED_DISABLE");
  made.fuse = read(is_set, "GRAPHED_FUSE");
  made.serial = read(is_set, "GRAPHED_SERIAL");
  made.strict = read(is_set, "GRAPHED_STRICT");
  made.verify = read(count, "GRAPHED_VERIFY");
  made.log = read(level, "GRAPHED_LOG");
  const auto folder = [](const char* /*name*/, const char* text) { return text; };
  made.dump = read(folder, "GRAPHED_DUMP");
  made.report = read(folder, "GRAPHED_REPORT");
  made.cache = read(folder, "GRAPHED_CACHE");
  made.report_times = read(is_set, "GRAPHED_REPORT_TIMES");
  return made;
}

// Never destroyed: the destructors of objects in static storage read it as well.
const environment& environment::get() {
  static const auto& process = *new environment(parse([](const char* name) -> const char* { return std::getenv(name); }));
  return process;
}

}  // namespace graphed::impl

namespace graphed {
namespace {

thread_local int depth = 0;

}  // namespace

DisableGuard::DisableGuard() noexcept { ++depth; }

DisableGuard::~DisableGuard() { --depth; }

bool is_disabled() { return depth != 0 || impl::environment::get().disable; }

}  // namespace graphed
